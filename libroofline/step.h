/* SPDX-License-Identifier: Apache-2.0 */
/* The sums over a step's sequences: all that its cost depends on. */
#ifndef ROOFLINE_STEP_H
#define ROOFLINE_STEP_H

#include "plan.h"
#include "roofline.h"

typedef struct step_sums {
    double tokens;
    double logit_rows;
    double pairs[PLAN_ATTENTION_LIMIT];     /* (query, key) pairs of one head, by plan->attention */
    double positions[PLAN_ATTENTION_LIMIT]; /* cached positions read, by plan->attention */
    double active[PLAN_EXPERTS_LIMIT];      /* experts of a layer that are read, by plan->experts */
    int64_t sequences;
    int64_t new_tokens;
    int64_t all_logit_rows;
    int64_t positions_held;
    int64_t kv_bytes;
    int64_t longest_context;
} step_sums;

/* Checks the groups and adds them up. */
roofline_status step_sum_groups(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                                size_t row_bytes, step_sums *sums, roofline_error *error);

#endif
