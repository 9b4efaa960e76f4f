/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* Beyond 2^53 a double no longer holds every whole number. */
static const double exact_limit = 9007199254740992.0;

enum {
    LIST_LIMIT = 1 << 20
};

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

bool number_integer(const char *text, int64_t *out) {
    const char *digits = text[0] == '-' ? text + 1 : text;
    if (!is_digit(digits[0]))
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end)
        return false;
    *out = value;
    return true;
}

bool number_too_large(const char *text) {
    int64_t value;
    size_t length = strspn(text, "0123456789");
    return length > 0 && !text[length] && !number_integer(text, &value);
}

/* Reads the number at the start of `text`; *end points behind it. strtod alone would take " 1", "0x1p3", "inf". */
static bool leading_real(const char *text, double *out, char **end) {
    size_t length = strspn(text, "0123456789.eE+-");
    bool starts_well =
        is_digit(text[0]) || ((text[0] == '-' || text[0] == '.') && (is_digit(text[1]) || text[1] == '.'));
    if (!starts_well || text[length] == 'x' || text[length] == 'X')
        return false;
    *out = strtod(text, end);
    return *end != text && isfinite(*out);
}

bool number_real(const char *text, double *out) {
    char *end;
    return leading_real(text, out, &end) && !*end;
}

bool number_bytes(const char *text, double *out) {
    static const struct {
        const char *suffix;
        double factor;
    } suffixes[] = {{"", 1},           {"k", 1e3},           {"M", 1e6},
                    {"G", 1e9},        {"T", 1e12},          {"Ki", 1024.0},
                    {"Mi", 1048576.0}, {"Gi", 1073741824.0}, {"Ti", 1099511627776.0}};
    char *end;
    double number;
    if (!leading_real(text, &number, &end))
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (!strcmp(end, suffixes[i].suffix)) {
            *out = number * suffixes[i].factor;
            return isfinite(*out);
        }
    return false;
}

bool number_whole_bytes(const char *text, int64_t *out) {
    double bytes;
    if (number_integer(text, out))
        return true;
    if (!number_bytes(text, &bytes) || fabs(bytes) > exact_limit || bytes != floor(bytes))
        return false;
    *out = (int64_t)bytes;
    return true;
}

static const char *append(number_list *list, int64_t value) {
    if (list->count == LIST_LIMIT)
        return "has more than 1048576 numbers; narrow it";
    if ((list->count & (list->count - 1)) == 0)
        list->items = reallocate(list->items, list->count ? 2 * list->count : 1, sizeof *list->items);
    list->items[list->count++] = value;
    return NULL;
}

static const char *append_range(number_list *list, int64_t first, int64_t last, int64_t step) {
    if (first < 1 || last < first || step < 0)
        return "needs 1 <= FIRST <= LAST and STEP >= 1 in FIRST:LAST:STEP";
    for (int64_t value = first;;) {
        const char *problem = append(list, value);
        if (problem || value == last)
            return problem;
        int64_t increment = step ? step : value; /* without a step the value doubles */
        if (last - value < increment)
            return step ? NULL : append(list, last); /* the end of a doubling range is always a point */
        value += increment;
    }
}

static const char *append_part(number_list *list, char *part) {
    int64_t numbers[3] = {0};
    int count = 0;
    for (char *next = part; next; count++) {
        char *here = next;
        next = strchr(here, ':');
        if (next)
            *next++ = 0;
        if (number_too_large(here))
            return "has a number that is too large";
        if (count == 3 || !number_integer(here, &numbers[count]))
            return "is no list of whole numbers, which take no suffix, such as 1,2,8 or 1:512 (doubling) or 1:512:16 (in "
                   "steps of 16)";
    }
    if (count == 1)
        return append(list, numbers[0]);
    if (count == 3 && numbers[2] < 1)
        return "needs a STEP of 1 or more in FIRST:LAST:STEP";
    return append_range(list, numbers[0], numbers[1], numbers[2]);
}

const char *number_list_read(const char *text, number_list *out) {
    *out = (number_list){0};
    size_t size = strlen(text) + 1;
    char *copy = reallocate(NULL, size, 1);
    memcpy(copy, text, size);
    const char *problem = NULL;
    for (char *next = copy; next && !problem;) {
        char *part = next;
        next = strchr(part, ',');
        if (next)
            *next++ = 0;
        problem = append_part(out, part);
    }
    free(copy);
    if (problem) {
        free(out->items);
        *out = (number_list){0};
    }
    return problem;
}
