/* SPDX-License-Identifier: Apache-2.0 */
/* The table of kernels behind one step: what each does, moves and takes, in the order in which a layer runs them. */
#include "floating.h"

#include <math.h>
#include <stdio.h>

#include "error.h"
#include "plan.h"
#include "step.h"
#include "structs.h"

/* A kernel of the plan: linear or attention, by its place in the table. `experts` is set for a product of experts. */
typedef struct kernel_place {
    const plan_linear *linear;
    const plan_attention *attention;
    const plan_experts *experts;
} kernel_place;

/* Attention follows the last kernel that makes queries; the experts' products, then the logits, come last. */
static int attention_first(const roofline_plan *plan) {
    int first = 0;
    for (int i = 0; i < plan->linear_count; i++)
        if (plan->linear[i].kind == ROOFLINE_KERNEL_QKV)
            first = i + 1;
    return first;
}

static kernel_place place_of(const roofline_plan *plan, int row) {
    int first = attention_first(plan);
    if (row < first)
        return (kernel_place){.linear = &plan->linear[row]};
    if (row < first + plan->attention_count)
        return (kernel_place){.attention = &plan->attention[row - first]};
    if (row < plan->linear_count + plan->attention_count)
        return (kernel_place){.linear = &plan->linear[row - plan->attention_count]};
    int product = row - plan->linear_count - plan->attention_count;
    if (product < 2 * plan->experts_count) {
        const plan_experts *experts = &plan->experts[product / 2];
        return (kernel_place){.linear = product % 2 ? &experts->down : &experts->up, .experts = experts};
    }
    return (kernel_place){.linear = &plan->logits};
}

static roofline_kernel linear_row(const roofline_plan *plan, const kernel_place *place, const step_sums *sums) {
    const plan_linear *linear = place->linear;
    bool is_logits = linear == &plan->logits;
    double matrices = place->experts ? sums->active[place->experts - plan->experts] : 1;
    double rows = is_logits ? sums->logit_rows : sums->tokens;
    bool runs = rows > 0;
    roofline_kernel row = {
        .kind = linear->kind,
        .group = ROOFLINE_GROUP_LINEAR,
        .arithmetic = linear->arithmetic,
        .count = linear->calls,
        .flops = rows * linear->flops_per_row,
        .weight_bytes = runs ? matrices * linear->weight_bytes : 0,
        .kv_write_bytes = rows * linear->kv_write_bytes_per_row,
        .activation_bytes = rows * linear->activation_bytes_per_row,
        .compute_s = rows * linear->compute_s_per_row,
        .memory_s = runs ? matrices * linear->weight_s + rows * linear->memory_s_per_row : 0,
        .active_experts = place->experts ? matrices : 0,
    };
    return row;
}

static roofline_kernel attention_row(const roofline_plan *plan, const plan_attention *attention,
                                     const step_sums *sums) {
    size_t index = (size_t)(attention - plan->attention);
    double pairs = sums->pairs[index];
    double positions = sums->positions[index];
    return (roofline_kernel){
        .kind = ROOFLINE_KERNEL_ATTENTION,
        .group = ROOFLINE_GROUP_ATTENTION,
        .arithmetic = plan->info.attention_arithmetic,
        .count = attention->calls,
        .flops = pairs * attention->flops_per_pair,
        .kv_read_bytes = positions * attention->kv_bytes_per_position,
        .activation_bytes = sums->tokens * attention->activation_bytes_per_token,
        .compute_s = pairs * attention->compute_s_per_pair,
        .memory_s = positions * attention->memory_s_per_position + sums->tokens * attention->memory_s_per_token,
    };
}

static void finish_row(const roofline_plan *plan, roofline_kernel *row) {
    row->bytes = row->weight_bytes + row->kv_read_bytes + row->kv_write_bytes + row->activation_bytes;
    row->intensity_flop_per_byte = row->bytes > 0 ? row->flops / row->bytes : NAN;
    bool memory_bound = row->memory_s > row->compute_s;
    row->regime = memory_bound ? ROOFLINE_REGIME_MEMORY : ROOFLINE_REGIME_COMPUTE;
    row->bound_s = memory_bound ? row->memory_s : row->compute_s;
    row->cache_resident = plan->l2_bytes > 0 && row->bytes > 0 && row->bytes <= plan->l2_bytes;
}

static roofline_status check_rows_out(const roofline_kernel *kernels, size_t capacity, size_t row_bytes, size_t needed,
                                      roofline_error *error) {
    if (!kernels)
        return error_set(error, ROOFLINE_ARGUMENT, "kernels",
                         "the table is NULL but its capacity is %zu; pass "
                         "capacity 0 to ask for the count only",
                         capacity);
    if (row_bytes < sizeof(uint32_t) || row_bytes > STRUCT_SIZE_LIMIT)
        return error_set(error, ROOFLINE_STRUCT_SIZE, "kernel_row_bytes",
                         "kernel_row_bytes is %zu; set it to sizeof(roofline_kernel)", row_bytes);
    if (capacity < needed)
        return error_set(error, ROOFLINE_BUFFER_SIZE, "capacity",
                         "the table has %zu rows and the array has room for %zu", needed, capacity);
    return ROOFLINE_OK;
}

roofline_status roofline_step_kernels(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                                      size_t row_bytes, roofline_kernel *kernels, size_t capacity,
                                      size_t kernel_row_bytes, size_t *kernel_count, roofline_error *error) {
    step_sums sums;
    roofline_status status = step_sum_groups(plan, rows, count, row_bytes, &sums, error);
    if (status)
        return status;
    size_t needed = (size_t)plan->info.kernels;
    if (kernel_count)
        *kernel_count = needed;
    if (capacity == 0)
        return error_clear(error);
    status = check_rows_out(kernels, capacity, kernel_row_bytes, needed, error);
    if (status)
        return status;
    for (size_t i = 0; i < needed; i++) {
        kernel_place place = place_of(plan, (int)i);
        roofline_kernel row =
            place.linear ? linear_row(plan, &place, &sums) : attention_row(plan, place.attention, &sums);
        row.name_id = (int32_t)i + 1;
        finish_row(plan, &row);
        struct_write_row(kernels, kernel_row_bytes, i, &row, sizeof row);
    }
    return error_clear(error);
}

static const char *const kind_names[] = {
    [ROOFLINE_KERNEL_EMBEDDING] = "embedding",
    [ROOFLINE_KERNEL_QKV] = "qkv",
    [ROOFLINE_KERNEL_ATTENTION] = "attention",
    [ROOFLINE_KERNEL_ATTENTION_OUTPUT] = "attention output",
    [ROOFLINE_KERNEL_GATE_UP] = "gate and up",
    [ROOFLINE_KERNEL_UP] = "up",
    [ROOFLINE_KERNEL_DOWN] = "down",
    [ROOFLINE_KERNEL_LOGITS] = "logits",
    [ROOFLINE_KERNEL_ROUTER] = "router",
    [ROOFLINE_KERNEL_EXPERTS_GATE_UP] = "experts gate and up",
    [ROOFLINE_KERNEL_EXPERTS_UP] = "experts up",
    [ROOFLINE_KERNEL_EXPERTS_DOWN] = "experts down",
};

/* Layers of different shapes have several kernels of one kind: the shape tells them apart. */
static bool is_only_of_kind(const roofline_plan *plan, const plan_linear *linear) {
    int found = 0;
    for (int i = 0; i < plan->experts_count; i++)
        found += plan->experts[i].up.kind == linear->kind || plan->experts[i].down.kind == linear->kind;
    for (int i = 0; i < plan->linear_count; i++)
        found += plan->linear[i].kind == linear->kind;
    return found <= 1;
}

/* Whether another attention of the plan has the same window, so that the window alone does not tell them apart. */
static bool has_twin(const roofline_plan *plan, const plan_attention *attention) {
    int found = 0;
    for (int i = 0; i < plan->attention_count; i++)
        found += plan->attention[i].window_tokens == attention->window_tokens;
    return found > 1;
}

roofline_status roofline_plan_kernel_name(const roofline_plan *plan, int32_t name_id, char *buffer, size_t capacity,
                                          size_t *needed, roofline_error *error) {
    if (!plan)
        return error_set(error, ROOFLINE_ARGUMENT, "plan", "the plan is NULL");
    if (name_id < 1 || name_id > plan->info.kernels)
        return error_set(error, ROOFLINE_NOT_FOUND, "name_id", "%d is no kernel of this plan; it has 1 to %lld",
                         (int)name_id, (long long)plan->info.kernels);
    kernel_place place = place_of(plan, name_id - 1);
    char name[96];
    const char *kind = kind_names[place.linear ? place.linear->kind : ROOFLINE_KERNEL_ATTENTION];
    if (place.attention && has_twin(plan, place.attention))
        snprintf(name, sizeof name, "%s, %lld heads over %lld of %lld, window %lld", kind,
                 (long long)place.attention->query_heads, (long long)place.attention->kv_heads,
                 (long long)place.attention->head_dim, (long long)place.attention->window_tokens);
    else if (place.attention && place.attention->window_tokens)
        snprintf(name, sizeof name, "%s, window %lld", kind, (long long)place.attention->window_tokens);
    else if (place.attention || is_only_of_kind(plan, place.linear))
        snprintf(name, sizeof name, "%s", kind);
    else if (place.experts)
        snprintf(name, sizeof name, "%s, %lld of %lld, %lld wide", kind, (long long)place.experts->experts_per_token,
                 (long long)place.experts->experts, (long long)place.experts->intermediate);
    else
        snprintf(name, sizeof name, "%s, %lld x %lld", kind, (long long)place.linear->k,
                 (long long)place.linear->columns);
    return text_give(name, buffer, capacity, needed, error);
}
