/* SPDX-License-Identifier: Apache-2.0 */
/* What the hot path sees of a workload: contiguous groups. */
#ifndef ROOFLINE_WORKLOAD_H
#define ROOFLINE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"
#include "roofline.h"

enum {
    WORKLOAD_GROUP_LIMIT = 1 << 16
};

struct roofline_workload {
    roofline_sequences *groups;
    size_t count;
    size_t capacity;
};

/* Whether a group's own numbers are in their ranges: the hot path's form of sequences_check. */
static inline bool sequences_are_valid(const roofline_sequences *group) {
    return group->count >= 1 && group->count <= SEQUENCES_LIMIT && group->new_tokens >= 1 &&
           group->new_tokens <= group->context_tokens && group->context_tokens <= TOKENS_LIMIT &&
           group->logit_rows >= ROOFLINE_NO_LOGITS && group->logit_rows <= group->new_tokens;
}

/* Whether a step may have as much in all; within these limits no product with its bytes overflows. */
static inline bool step_is_within_limits(int64_t sequences, int64_t new_tokens, int64_t positions) {
    return sequences <= SEQUENCES_LIMIT && new_tokens <= TOKENS_LIMIT && positions <= POSITIONS_LIMIT;
}

/* One group's own numbers; `index` is its place in the caller's list, for the message. */
roofline_status sequences_check(const roofline_sequences *group, size_t index, roofline_error *error);

#endif
