/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: device x model x deployment, compiled to kernels whose cost is linear in what a step brings: new tokens, rows
 * of logits, and per attention window the (query, key) pairs and the cached positions read.
 */
#ifndef ROOFLINE_PLAN_H
#define ROOFLINE_PLAN_H

#include <stdbool.h>

#include "model.h"
#include "note.h"
#include "roofline.h"

enum {
    /* Layer groups may all differ in window, and in each of their products. */
    PLAN_ATTENTION_LIMIT = MODEL_GROUP_LIMIT,
    PLAN_LINEAR_LIMIT = 5 * MODEL_GROUP_LIMIT + 1,
    PLAN_EXPERTS_LIMIT = MODEL_GROUP_LIMIT
};

/* A kernel whose main operand is a weight; all its calls in a step together, per row that it processes. */
typedef struct plan_linear {
    double compute_s_per_row;
    double weight_s;
    double memory_s_per_row;
    double flops_per_row;
    double weight_bytes;
    double activation_bytes_per_row;
    double kv_write_bytes_per_row;
    int64_t calls;
    roofline_kernel_kind kind;
    roofline_arithmetic arithmetic;
    int64_t k; /* with kind, columns and outputs: what makes two groups' products one kernel */
    int64_t columns;
    int64_t outputs;
} plan_linear;

/* Routed experts of all layers that share their shape: two kernels, their weights those of ONE expert of each layer. */
typedef struct plan_experts {
    plan_linear up; /* gate and up, or up alone */
    plan_linear down;
    double not_chosen; /* probability that a token does not choose a given expert: (E - k) / E */
    int64_t experts;
    int64_t experts_per_token;
    int64_t intermediate;
} plan_experts;

/* Attention of all layers that share heads and window. */
typedef struct plan_attention {
    double compute_s_per_pair;
    double memory_s_per_position;
    double memory_s_per_token;
    double flops_per_pair;
    double kv_bytes_per_position;
    double activation_bytes_per_token;
    double window; /* 0: none */
    int64_t window_tokens;
    int64_t block_bytes; /* of one KV block in all these layers */
    int64_t calls;
    int64_t query_heads;
    int64_t kv_heads;
    int64_t head_dim;
    int64_t value_head_dim;
} plan_attention;

/* Sums over the kernels that process every new token. */
typedef struct plan_totals {
    double compute_s_per_token;
    double weight_s;
    double memory_s_per_token;
    double flops_per_token;
    double weight_bytes;
    double activation_bytes_per_token;
    double kv_write_bytes_per_token;
} plan_totals;

struct roofline_plan {
    plan_totals totals;
    plan_linear logits; /* processes rows of logits, not tokens */
    double memory_bytes_per_s;
    double l2_bytes;
    double host_s_per_step;
    int64_t block_tokens;
    int64_t output_slots;
    int64_t fixed_bytes; /* weights + activations + reserve */
    int64_t budget_bytes;
    int64_t position_limit; /* of learned positions; INT64_MAX: none */
    int block_shift;        /* log2 of block_tokens when it is a power of two, else -1 */
    int linear_count;       /* kernels that process tokens */
    int attention_count;
    int experts_count;
    plan_attention attention[PLAN_ATTENTION_LIMIT];
    plan_linear linear[PLAN_LINEAR_LIMIT]; /* in the order in which a layer runs them */
    plan_experts experts[PLAN_EXPERTS_LIMIT];
    roofline_plan_info_result info;
    note_list notes;
};

/*
 * Experts of a layer that `tokens` tokens are expected to read, each choosing k of E with equal chances and apart from
 * the others: E (1 - ((E - k) / E)^tokens), exactly k for one token (theory 5). By squaring: the same bits with every C
 * library.
 */
static inline double plan_active_experts(const plan_experts *experts, int64_t tokens) {
    const double all = (double)experts->experts;
    if (tokens == 1)
        return (double)experts->experts_per_token;
    double missed = 1;
    double power = experts->not_chosen;
    for (int64_t left = tokens; left > 0; left >>= 1) {
        if (left & 1)
            missed *= power;
        power *= power;
        if (power < 1e-18 && left > 1)
            return all; /* what is left to multiply by makes `missed` vanish beside 1 */
    }
    return all * (1 - missed);
}

/* Blocks that one sequence holds in the layers of `attention` (theory 7). */
static inline int64_t plan_blocks(const roofline_plan *plan, const plan_attention *attention, int64_t fresh,
                                  int64_t context) {
    int64_t cells = context + plan->output_slots;
    int64_t block = plan->block_tokens;
    int64_t last = plan->block_shift >= 0 ? (cells - 1) >> plan->block_shift : (cells - 1) / block;
    if (attention->window_tokens == 0)
        return last + 1;
    int64_t kept = attention->window_tokens + fresh - 1 + plan->output_slots;
    return kept >= cells ? last + 1 : last - (cells - kept) / block + 1;
}

/*
 * KV cache of one sequence. No product of checked numbers overflows: a step holds at most 2^38 + 2^24 (2^12 + 2^12)
 * positions (POSITIONS_LIMIT, slots, blocks) of at most 2^24 bytes each (checked by the plan).
 */
static inline int64_t plan_sequence_kv_bytes(const roofline_plan *plan, int64_t fresh, int64_t context) {
    int64_t bytes = 0;
    for (int i = 0; i < plan->attention_count; i++)
        bytes += plan_blocks(plan, &plan->attention[i], fresh, context) * plan->attention[i].block_bytes;
    return bytes;
}

/* Why sequences with that much cache and that longest context do not fit, or NONE. */
static inline roofline_reason plan_fit_reason(const roofline_plan *plan, int64_t longest_context, int64_t kv_bytes) {
    if (plan->fixed_bytes > plan->budget_bytes)
        return ROOFLINE_REASON_WEIGHTS;
    if (longest_context > plan->position_limit)
        return ROOFLINE_REASON_CONTEXT;
    return kv_bytes > plan->budget_bytes - plan->fixed_bytes ? ROOFLINE_REASON_KV : ROOFLINE_REASON_NONE;
}

/* plan_notes.c */
roofline_status plan_add_notes(roofline_plan *plan, const roofline_deployment *deployment, int64_t max_context_tokens);

#endif
