/* SPDX-License-Identifier: Apache-2.0 */
/* What the hot path sees of a workload: contiguous groups. */
#ifndef ROOFLINE_WORKLOAD_H
#define ROOFLINE_WORKLOAD_H

#include <stddef.h>

#include "roofline.h"

enum {
    WORKLOAD_GROUP_LIMIT = 1 << 16
};

struct roofline_workload {
    roofline_sequences *groups;
    size_t count;
    size_t capacity;
};

/* One group's own numbers; `index` is its place in the caller's list, for the message. */
roofline_status sequences_check(const roofline_sequences *group, size_t index, roofline_error *error);

#endif
