/* SPDX-License-Identifier: Apache-2.0 */
/* Reads --mix: an array of objects whose keys are the fields of roofline_sequences. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "commands.h"
#include "inputs.h"
#include "work.h"

static const double exact_limit = 9007199254740992.0; /* 2^53: a double may have rounded what is not below it */

static const struct {
    const char *key;
    size_t offset_bytes;
    bool required;
} keys[] = {
    {"count", offsetof(roofline_sequences, count), true},
    {"new_tokens", offsetof(roofline_sequences, new_tokens), true},
    {"context_tokens", offsetof(roofline_sequences, context_tokens), true},
    {"logit_rows", offsetof(roofline_sequences, logit_rows), false},
};
enum {
    KEYS = sizeof keys / sizeof *keys
};

/* A key as the file spells it, cut short, in a message of one line. */
static int fail_unknown_key(const argument_list *list, const char *file, size_t element, const char *spelling) {
    char key[64];
    size_t length = strlen(spelling);
    if (length >= sizeof key)
        for (length = sizeof key - 1; ((unsigned char)spelling[length] & 0xC0) == 0x80;)
            length--; /* not in the middle of a character */
    for (size_t i = 0; i < length; i++)
        key[i] = (char)((unsigned char)spelling[i] < ' ' || spelling[i] == 0x7F ? '?' : spelling[i]);
    key[length] = 0;
    return fail(list->command,
                "%s: /%zu/%s: the key is unknown; the keys are count, new_tokens, context_tokens and logit_rows", file,
                element, key);
}

static int read_member(const argument_list *list, const char *file, size_t element, const cJSON *member,
                       roofline_sequences *group, bool *seen) {
    size_t key = 0;
    while (key < KEYS && strcmp(keys[key].key, member->string) != 0)
        key++;
    if (key == KEYS)
        return fail_unknown_key(list, file, element, member->string);
    if (seen[key])
        return fail(list->command, "%s: /%zu/%s: the key is there twice", file, element, keys[key].key);
    double number = cJSON_IsNumber(member) ? member->valuedouble : NAN;
    if (!(fabs(number) < exact_limit) || number != floor(number))
        return fail(list->command, "%s: /%zu/%s: must be a whole number below 2^53", file, element, keys[key].key);
    seen[key] = true;
    *(int64_t *)(void *)((char *)group + keys[key].offset_bytes) = (int64_t)number;
    return EXIT_DONE;
}

static int read_element(const argument_list *list, const char *file, size_t element, const cJSON *object,
                        step_work *out) {
    roofline_sequences group = {0};
    bool seen[KEYS] = {false};
    const cJSON *member;
    int status = EXIT_DONE;
    if (!cJSON_IsObject(object))
        return fail(list->command, "%s: /%zu: must be an object with count, new_tokens and context_tokens", file,
                    element);
    cJSON_ArrayForEach(member, object) {
        if ((status = read_member(list, file, element, member, &group, seen)))
            return status;
    }
    for (size_t key = 0; key < KEYS; key++)
        if (keys[key].required && !seen[key])
            return fail(list->command, "%s: /%zu/%s: the key is missing", file, element, keys[key].key);
    work_append(out, group);
    return status;
}

static long long line_of(const char *bytes, const char *end) {
    long long line = 1;
    for (; bytes < end; bytes++)
        line += *bytes == '\n';
    return line;
}

/* RFC 8259, section 6. */
static bool is_number(const char *text, size_t length) {
    static const char digits[] = "0123456789";
    const char *at = text + (*text == '-');
    size_t whole = strspn(at, digits), fraction = 1, exponent = 1;
    bool leading_zero = *at == '0' && whole > 1;
    at += whole;
    if (*at == '.')
        at += 1 + (fraction = strspn(at + 1, digits));
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        at += exponent = strspn(at, digits);
    }
    return whole && fraction && exponent && !leading_zero && at == text + length;
}

/* Returns what is at `at`, none of which is JSON although cJSON would read it, or NULL; *length is what to step over. */
static const char *laxness(const char *at, bool in_string, size_t *length) {
    *length = 1;
    if ((unsigned char)*at < ' ' && (in_string || !*at || !strchr("\t\n\r", *at)))
        return "a control character";
    if (in_string && *at == '\\') {
        *length = at[1] ? 2 : 1;
        return strncmp(at, "\\u0000", 6) != 0 ? NULL : "\\u0000";
    }
    if (!in_string && *at && strchr("-0123456789", *at)) {
        *length = strspn(at, "+-.0123456789Ee");
        return is_number(at, *length) ? NULL : "a number that JSON does not allow, such as 01 or 1.";
    }
    return NULL;
}

static int refuse_laxness(const argument_list *list, const char *file, const char *bytes, size_t length) {
    bool in_string = false;
    size_t step;
    if (!strncmp(bytes, "\xEF\xBB\xBF", 3))
        return fail(list->command, "%s: line 1: starts with a byte order mark; save it as UTF-8 without one", file);
    for (const char *at = bytes; at < bytes + length; at += step) {
        const char *what = laxness(at, in_string, &step);
        if (what)
            return fail(list->command, "%s: line %lld: has %s", file, line_of(bytes, at), what);
        in_string = in_string != (*at == '"');
    }
    return EXIT_DONE;
}

/* cJSON stops at the end of the value; what follows may only be white space. */
static int parse(const argument_list *list, const char *file, const char *bytes, size_t length, cJSON **out) {
    const char *end = bytes;
    *out = cJSON_ParseWithLengthOpts(bytes, length, &end, false);
    if (!*out)
        return fail(list->command, "%s: line %lld: is not JSON from here on", file, line_of(bytes, end));
    end += strspn(end, " \t\r\n");
    if (end != bytes + length)
        return fail(list->command, "%s: line %lld: there is text after the array", file, line_of(bytes, end));
    if (!cJSON_IsArray(*out))
        return fail(list->command,
                    "%s: must be an array of groups: [{\"count\": 8, \"new_tokens\": 1, "
                    "\"context_tokens\": 8192}]",
                    file);
    return EXIT_DONE;
}

int work_read_mix(const argument_list *list, const char *path, step_work *out) {
    const char *file = strcmp(path, "-") != 0 ? path : "standard input";
    char *bytes;
    size_t length, element = 0;
    cJSON *root = NULL;
    const cJSON *object;
    int status = input_read(list, path, &bytes, &length);
    if (status)
        return status;
    status = refuse_laxness(list, file, bytes, length);
    if (!status)
        status = parse(list, file, bytes, length, &root);
    if (!status && cJSON_GetArraySize(root) == 0)
        status = fail(list->command, "%s: the array has no group of sequences", file);
    cJSON_ArrayForEach(object, root) {
        if (status || (status = read_element(list, file, element++, object, out)))
            break;
    }
    cJSON_Delete(root);
    free(bytes);
    return status;
}
