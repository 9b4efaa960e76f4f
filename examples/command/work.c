/* SPDX-License-Identifier: Apache-2.0 */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "number.h"

void work_append(step_work *out, roofline_sequences group) {
    if ((out->count & (out->count - 1)) == 0)
        out->groups = reallocate(out->groups, out->count ? 2 * out->count : 1, sizeof *out->groups);
    group.struct_size = sizeof group;
    out->groups[out->count++] = group;
}

static int read_decode(const argument_list *list, step_work *out) {
    bool batch = argument_given(list, "batch"), context = argument_given(list, "context");
    roofline_sequences group = {.new_tokens = 1};
    if (!batch && !context)
        return EXIT_DONE;
    if (!batch || !context)
        return fail(list->command, "--%s needs --%s beside it: a decode step is B sequences at a context of S",
                    batch ? "batch" : "context", batch ? "context" : "batch");
    int status = arguments_fill(list, "roofline_sequences", ANYWHERE, &group);
    if (!status)
        work_append(out, group);
    return status;
}

static int read_prefill(const argument_list *list, const char *value, step_work *out) {
    char batch_text[32];
    size_t length = strcspn(value, ":");
    roofline_sequences group = {0};
    bool well_formed = length < sizeof batch_text && value[length] == ':';
    if (well_formed) {
        memcpy(batch_text, value, length);
        batch_text[length] = 0;
        well_formed = number_integer(batch_text, &group.count) && number_integer(value + length + 1, &group.new_tokens);
    }
    if (!well_formed)
        return fail(list->command, "--prefill: '%s' is not B:N, such as 4:2048 for four prompts of 2048 tokens", value);
    group.context_tokens = group.new_tokens;
    work_append(out, group);
    return EXIT_DONE;
}

int work_read(const argument_list *list, step_work *out) {
    *out = (step_work){0};
    int status = read_decode(list, out);
    for (size_t i = 0; i < list->count && !status; i++)
        if (list->items[i].flag && !strcmp(list->items[i].flag->name, "prefill"))
            status = read_prefill(list, list->items[i].value, out);
    out->mix_first = out->count;
    if (!status && argument_given(list, "mix"))
        status = work_read_mix(list, argument_value(list, "mix"), out);
    if (!status && out->count == 0)
        status = fail(list->command, "there is no work; give --batch B --context S, --prefill B:N or --mix FILE");
    return status;
}

void work_free(step_work *out) {
    free(out->groups);
    *out = (step_work){0};
}

/* "count of sequence group 0 is -1": the place that is said beside the message is the reader's, this one is not. */
static void strip_group(char *message) {
    static const char words[] = " of sequence group ";
    char *place = strstr(message, words);
    if (!place)
        return;
    const char *rest = place + strlen(words);
    rest += strspn(rest, "0123456789");
    memmove(place, rest, strlen(rest) + 1);
}

/* The library names a group by its place, "/3/context_tokens"; the reader knows it by what was written. */
int work_fail(const argument_list *list, const step_work *of, const roofline_error *error) {
    int64_t index = -1;
    char place[24] = "", about[280];
    size_t length = strcspn(error->path[0] == '/' ? error->path + 1 : "", "/");
    if (length > 0 && length < sizeof place) {
        memcpy(place, error->path + 1, length);
        place[length] = 0;
    }
    if (!number_integer(place, &index) || index < 0 || (uint64_t)index >= of->count)
        return fail_error(list->command, NULL, error);
    const char *field = error->path + 1 + length;
    bool decode = argument_given(list, "batch");
    roofline_error translated = *error;
    strip_group(translated.message);
    const roofline_sequences *group = &of->groups[index];
    if ((size_t)index >= of->mix_first) {
        size_t said = strlen(translated.message);
        if (!strcmp(field, "/context_tokens") && group->context_tokens < group->new_tokens)
            snprintf(translated.message + said, sizeof translated.message - said,
                     " (context_tokens includes the new tokens)");
        snprintf(translated.path, sizeof translated.path, "/%lld%s", (long long)index - (long long)of->mix_first,
                 field);
        return fail_error(list->command, argument_value(list, "mix"), &translated);
    }
    translated.path[0] = 0;
    if (decode && index == 0)
        snprintf(about, sizeof about, "--%s", strcmp(field, "/count") != 0 ? "context" : "batch");
    else
        snprintf(about, sizeof about, "--prefill %lld:%lld", (long long)group->count, (long long)group->new_tokens);
    return fail_error(list->command, about, &translated);
}
