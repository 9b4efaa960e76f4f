/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "kernel.h"
#include "structs.h"

static roofline_status refuse(size_t index, const char *field, int64_t value, int64_t least, int64_t most,
                              roofline_error *error) {
    char path[64];
    snprintf(path, sizeof path, "/%zu/%s", index, field);
    return error_set(error, ROOFLINE_RANGE, path, "%s of sequence group %zu is %lld; it must be from %lld to %lld",
                     field, index, (long long)value, (long long)least, (long long)most);
}

roofline_status sequences_check(const roofline_sequences *group, size_t index, roofline_error *error) {
    if (group->count < 1 || group->count > SEQUENCES_LIMIT)
        return refuse(index, "count", group->count, 1, SEQUENCES_LIMIT, error);
    if (group->new_tokens < 1 || group->new_tokens > TOKENS_LIMIT)
        return refuse(index, "new_tokens", group->new_tokens, 1, TOKENS_LIMIT, error);
    if (group->context_tokens < group->new_tokens || group->context_tokens > TOKENS_LIMIT)
        return refuse(index, "context_tokens", group->context_tokens, group->new_tokens, TOKENS_LIMIT, error);
    if (group->logit_rows < ROOFLINE_NO_LOGITS || group->logit_rows > group->new_tokens)
        return refuse(index, "logit_rows", group->logit_rows, ROOFLINE_NO_LOGITS, group->new_tokens, error);
    return ROOFLINE_OK;
}

roofline_status roofline_workload_new(roofline_workload **out, roofline_error *error) {
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, "out", "the output pointer is NULL");
    roofline_workload *workload = calloc(1, sizeof *workload);
    if (!workload)
        return error_set(error, ROOFLINE_NO_MEMORY, "", "no memory for a workload");
    *out = workload;
    return error_clear(error);
}

void roofline_workload_free(roofline_workload *workload) {
    if (workload)
        free(workload->groups);
    free(workload);
}

void roofline_workload_clear(roofline_workload *workload) {
    if (workload)
        workload->count = 0;
}

static roofline_status grow(roofline_workload *workload, roofline_error *error) {
    if (workload->count < workload->capacity)
        return ROOFLINE_OK;
    if (workload->count >= WORKLOAD_GROUP_LIMIT)
        return error_set(error, ROOFLINE_RANGE, "group", "a workload has at most %d groups; add up equal sequences",
                         WORKLOAD_GROUP_LIMIT);
    size_t capacity = workload->capacity ? 2 * workload->capacity : 8;
    roofline_sequences *groups = realloc(workload->groups, capacity * sizeof *groups);
    if (!groups)
        return error_set(error, ROOFLINE_NO_MEMORY, "", "no memory for %zu groups", capacity);
    workload->groups = groups;
    workload->capacity = capacity;
    return ROOFLINE_OK;
}

roofline_status roofline_workload_add(roofline_workload *workload, const roofline_sequences *group,
                                      roofline_error *error) {
    if (!workload)
        return error_set(error, ROOFLINE_ARGUMENT, "workload", "the workload is NULL");
    roofline_sequences added;
    roofline_status status = struct_read(&added, sizeof added, group, "roofline_sequences", error);
    if (status || (status = sequences_check(&added, workload->count, error)) || (status = grow(workload, error)))
        return status;
    workload->groups[workload->count++] = added;
    return error_clear(error);
}

roofline_status roofline_workload_decode(roofline_workload *workload, int64_t batch, int64_t context_tokens,
                                         roofline_error *error) {
    roofline_sequences group = {
        .struct_size = sizeof group, .count = batch, .new_tokens = 1, .context_tokens = context_tokens};
    return roofline_workload_add(workload, &group, error);
}

roofline_status roofline_workload_prefill(roofline_workload *workload, int64_t batch, int64_t tokens,
                                          roofline_error *error) {
    roofline_sequences group = {
        .struct_size = sizeof group, .count = batch, .new_tokens = tokens, .context_tokens = tokens};
    return roofline_workload_add(workload, &group, error);
}

int64_t roofline_workload_count(const roofline_workload *workload) {
    return workload ? (int64_t)workload->count : 0;
}

roofline_status roofline_workload_get(const roofline_workload *workload, int64_t index, roofline_sequences *out,
                                      roofline_error *error) {
    if (!workload)
        return error_set(error, ROOFLINE_ARGUMENT, "workload", "the workload is NULL");
    roofline_status status = struct_check(out, "roofline_sequences", error);
    if (status)
        return status;
    if (index < 0 || (uint64_t)index >= workload->count)
        return error_set(error, ROOFLINE_NOT_FOUND, "index", "there is no group %lld; the workload has %zu",
                         (long long)index, workload->count);
    struct_write(out, &workload->groups[index], sizeof *out);
    return error_clear(error);
}
