/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hot path: plan + sequences -> numbers. No allocation, lock, log or library call. Scalar and array forms run the
 * same inner function (price) over lanes, one or many, so that they give the same bits.
 */
#include "floating.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "error.h"
#include "kernel.h"
#include "plan.h"
#include "step.h"
#include "structs.h"
#include "workload.h"

enum {
    LANES = 128
};

static const int64_t MANY_LIMIT = INT64_C(1) << 48; /* points of one call: their bytes can be counted */

/* Seconds, a lane each, summed over kernels. */
typedef struct step_times {
    double *linear_compute_s;
    double *linear_memory_s;
    double *attention_compute_s;
    double *attention_memory_s;
    double *kernel_s;
    double *memory_bound_s; /* the part of kernel_s in memory-bound kernels; NULL: not wanted */
} step_times;

static inline double larger(double left, double right) {
    return left > right ? left : right;
}

/* Adds one kernel to a lane: the roofline itself. */
static inline void add_kernel(const step_times *times, size_t lane, double compute_s, double memory_s) {
    times->kernel_s[lane] += larger(compute_s, memory_s);
    if (times->memory_bound_s)
        times->memory_bound_s[lane] += memory_s > compute_s ? memory_s : 0;
}

/*
 * The inner functions of every form, over one lane or many: price_linear, then price_attention for each attention of
 * the plan. The first starts the sums with the logits; without rows their product does not run, its matrix is not read.
 */
static inline void price_logits(const roofline_plan *plan, const double *tokens, const double *logit_rows, size_t lanes,
                                const step_times *times) {
    /* Copies: the compiler cannot know that the results do not lie inside the plan. */
    const double compute_s_per_token = plan->totals.compute_s_per_token;
    const double weight_s = plan->totals.weight_s;
    const double memory_s_per_token = plan->totals.memory_s_per_token;
    const double logits_compute_s_per_row = plan->logits.compute_s_per_row;
    const double logits_weight_s = plan->logits.weight_s;
    const double logits_memory_s_per_row = plan->logits.memory_s_per_row;
    for (size_t lane = 0; lane < lanes; lane++) {
        double rows = logit_rows[lane];
        double compute_s = rows * logits_compute_s_per_row;
        double memory_s = rows > 0 ? logits_weight_s + rows * logits_memory_s_per_row : 0;
        times->linear_compute_s[lane] = tokens[lane] * compute_s_per_token + compute_s;
        times->linear_memory_s[lane] = weight_s + tokens[lane] * memory_s_per_token + memory_s;
        times->attention_compute_s[lane] = 0;
        times->attention_memory_s[lane] = 0;
        times->kernel_s[lane] = 0;
        if (times->memory_bound_s)
            times->memory_bound_s[lane] = 0;
        add_kernel(times, lane, compute_s, memory_s);
    }
}

static inline void price_linear(const roofline_plan *plan, const double *tokens, const double *logit_rows, size_t lanes,
                                const step_times *times) {
    price_logits(plan, tokens, logit_rows, lanes, times);
    for (int i = 0; i < plan->linear_count; i++) {
        const double compute_s_per_row = plan->linear[i].compute_s_per_row;
        const double weight_s = plan->linear[i].weight_s;
        const double memory_s_per_row = plan->linear[i].memory_s_per_row;
        for (size_t lane = 0; lane < lanes; lane++)
            add_kernel(times, lane, tokens[lane] * compute_s_per_row, weight_s + tokens[lane] * memory_s_per_row);
    }
}

/* Both products of the experts: a step reads the weights of those that its tokens are expected to choose. */
static inline void price_experts(const plan_experts *experts, const double *tokens, const double *active, size_t lanes,
                                 const step_times *times) {
    const plan_linear *kernels[] = {&experts->up, &experts->down};
    for (int i = 0; i < 2; i++) {
        const double compute_s_per_row = kernels[i]->compute_s_per_row;
        const double weight_s = kernels[i]->weight_s;
        const double memory_s_per_row = kernels[i]->memory_s_per_row;
        for (size_t lane = 0; lane < lanes; lane++) {
            double compute_s = tokens[lane] * compute_s_per_row;
            double memory_s = active[lane] * weight_s + tokens[lane] * memory_s_per_row;
            times->linear_compute_s[lane] += compute_s;
            times->linear_memory_s[lane] += memory_s;
            add_kernel(times, lane, compute_s, memory_s);
        }
    }
}

static inline void price_attention(const plan_attention *kernel, const double *tokens, const double *pairs,
                                   const double *positions, size_t lanes, const step_times *times) {
    const double compute_s_per_pair = kernel->compute_s_per_pair;
    const double memory_s_per_position = kernel->memory_s_per_position;
    const double memory_s_per_token = kernel->memory_s_per_token;
    for (size_t lane = 0; lane < lanes; lane++) {
        double compute_s = pairs[lane] * compute_s_per_pair;
        double memory_s = positions[lane] * memory_s_per_position + tokens[lane] * memory_s_per_token;
        times->attention_compute_s[lane] += compute_s;
        times->attention_memory_s[lane] += memory_s;
        add_kernel(times, lane, compute_s, memory_s);
    }
}

/* The three bounds; max keeps their order, which rounding could turn round where they are equal (theory 5). */
typedef struct step_bounds {
    double compute_s;
    double memory_s;
    double linear_s;
    double attention_s;
    double aggregate_s;
    double phase_s;
    double kernel_s;
} step_bounds;

static inline step_bounds compose(const step_times *times, size_t lane) {
    step_bounds bounds;
    bounds.compute_s = times->linear_compute_s[lane] + times->attention_compute_s[lane];
    bounds.memory_s = times->linear_memory_s[lane] + times->attention_memory_s[lane];
    bounds.linear_s = larger(times->linear_compute_s[lane], times->linear_memory_s[lane]);
    bounds.attention_s = larger(times->attention_compute_s[lane], times->attention_memory_s[lane]);
    bounds.aggregate_s = larger(bounds.compute_s, bounds.memory_s);
    bounds.phase_s = larger(bounds.linear_s + bounds.attention_s, bounds.aggregate_s);
    bounds.kernel_s = larger(times->kernel_s[lane], bounds.phase_s);
    return bounds;
}

/* ------------------------------------------------------------------------------------ one step of several groups -- */

static inline int64_t logit_rows_of(const roofline_sequences *group) {
    if (group->logit_rows == 0)
        return group->count;
    return group->logit_rows > 0 ? group->count * group->logit_rows : 0;
}

static inline roofline_status add_group(const roofline_plan *plan, const roofline_sequences *group, size_t index,
                                        step_sums *sums, roofline_error *error) {
    if (!sequences_are_valid(group))
        return sequences_check(group, index, error);
    sums->sequences += group->count;
    sums->new_tokens += group->count * group->new_tokens;
    sums->positions_held += group->count * group->context_tokens;
    if (!step_is_within_limits(sums->sequences, sums->new_tokens, sums->positions_held))
        return error_set(error, ROOFLINE_RANGE, "count",
                         "the step has more than 2^24 sequences, 2^32 new tokens or 2^38 positions of context in all");
    double sequences = (double)group->count;
    double fresh = (double)group->new_tokens;
    double context = (double)group->context_tokens;
    for (int i = 0; i < plan->attention_count; i++) {
        double window = plan->attention[i].window;
        double pairs = sequences * attention_pairs(fresh, context, window);
        double positions = sequences * attention_positions(fresh, context, window);
        sums->pairs[i] = index == 0 ? pairs : sums->pairs[i] + pairs;
        sums->positions[i] = index == 0 ? positions : sums->positions[i] + positions;
    }
    sums->all_logit_rows += logit_rows_of(group);
    if (group->context_tokens > sums->longest_context)
        sums->longest_context = group->context_tokens;
    sums->kv_bytes += group->count * plan_sequence_kv_bytes(plan, group->new_tokens, group->context_tokens);
    return ROOFLINE_OK;
}

static roofline_status check_rows(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                                  roofline_error *error) {
    if (!plan || !rows)
        return error_set(error, ROOFLINE_ARGUMENT, "", "the plan or the list of sequences is NULL");
    if (count >= 1 && count <= WORKLOAD_GROUP_LIMIT)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, "count", "the step has %zu groups of sequences; it must have 1 to %d",
                     count, WORKLOAD_GROUP_LIMIT);
}

/* The sums by attention start with the first group. */
static inline void clear_sums(step_sums *sums) {
    sums->sequences = sums->new_tokens = sums->all_logit_rows = 0;
    sums->positions_held = sums->kv_bytes = sums->longest_context = 0;
}

static inline roofline_status add_groups(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                                         size_t row_bytes, step_sums *sums, roofline_error *error) {
    clear_sums(sums);
    for (size_t i = 0; i < count; i++) {
        roofline_sequences copy;
        const roofline_sequences *group = &rows[i];
        roofline_status status;
        if (row_bytes != sizeof copy) {
            group = &copy;
            status = struct_read_row(&copy, sizeof copy, rows, row_bytes, i, "roofline_sequences", error);
            if (status)
                return status;
        }
        if ((status = add_group(plan, group, i, sums, error)))
            return status;
    }
    sums->tokens = (double)sums->new_tokens;
    sums->logit_rows = (double)sums->all_logit_rows;
    for (int i = 0; i < plan->experts_count; i++)
        sums->active[i] = plan_active_experts(&plan->experts[i], sums->new_tokens);
    return ROOFLINE_OK;
}

roofline_status step_sum_groups(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                                size_t row_bytes, step_sums *sums, roofline_error *error) {
    roofline_status status = check_rows(plan, rows, count, error);
    return status ? status : add_groups(plan, rows, count, row_bytes, sums, error);
}

static inline void fill_bytes(const roofline_plan *plan, const step_sums *sums, roofline_step_result *result) {
    const plan_totals *totals = &plan->totals;
    const plan_linear *logits = &plan->logits;
    double flops = sums->tokens * totals->flops_per_token + sums->logit_rows * logits->flops_per_row;
    double kv_read = 0;
    double activations =
        sums->tokens * totals->activation_bytes_per_token + sums->logit_rows * logits->activation_bytes_per_row;
    for (int i = 0; i < plan->attention_count; i++) {
        const plan_attention *attention = &plan->attention[i];
        flops += sums->pairs[i] * attention->flops_per_pair;
        kv_read += sums->positions[i] * attention->kv_bytes_per_position;
        activations += sums->tokens * attention->activation_bytes_per_token;
    }
    double weights = totals->weight_bytes + (sums->logit_rows > 0 ? logits->weight_bytes : 0);
    for (int i = 0; i < plan->experts_count; i++) {
        const plan_experts *experts = &plan->experts[i];
        flops += sums->tokens * (experts->up.flops_per_row + experts->down.flops_per_row);
        weights += sums->active[i] * (experts->up.weight_bytes + experts->down.weight_bytes);
        activations += sums->tokens * (experts->up.activation_bytes_per_row + experts->down.activation_bytes_per_row);
    }
    result->flops = flops;
    result->weight_bytes = weights;
    result->kv_read_bytes = kv_read;
    result->kv_write_bytes = sums->tokens * totals->kv_write_bytes_per_token;
    result->activation_bytes = activations;
    result->communication_bytes = 0;
    result->bytes = weights + kv_read + result->kv_write_bytes + activations;
    result->cache_resident = plan->l2_bytes > 0 && weights + kv_read <= plan->l2_bytes;
}

static inline void fill_memory(const roofline_plan *plan, const step_sums *sums, roofline_step_result *result) {
    int64_t excess = plan->fixed_bytes + sums->kv_bytes - plan->budget_bytes;
    result->kv_bytes = sums->kv_bytes;
    result->required_bytes = plan->fixed_bytes + sums->kv_bytes;
    result->short_bytes = excess > 0 ? excess : 0;
    result->fit_reason = plan_fit_reason(plan, sums->longest_context, sums->kv_bytes);
    result->fits = result->fit_reason == ROOFLINE_REASON_NONE;
}

static inline void fill_times(const roofline_plan *plan, const step_bounds *bounds, roofline_step_result *result) {
    result->regime = bounds->compute_s >= bounds->memory_s ? ROOFLINE_REGIME_COMPUTE : ROOFLINE_REGIME_MEMORY;
    result->aggregate_s = bounds->aggregate_s;
    result->phase_s = bounds->phase_s;
    result->kernel_s = bounds->kernel_s;
    result->predicted_s = bounds->kernel_s + plan->host_s_per_step;
    result->predicted_low_s = bounds->kernel_s;
    result->predicted_high_s = NAN;
    result->linear_s = bounds->linear_s;
    result->attention_s = bounds->attention_s;
    result->compute_s = bounds->compute_s;
    result->memory_s = bounds->memory_s;
}

/* memory_bound_s and separate_s: the memory-bound part of the kernels' sum, and that sum. */
static inline void fill_rates(const roofline_plan *plan, const step_sums *sums, double memory_bound_s,
                              double separate_s, roofline_step_result *result) {
    result->intensity_flop_per_byte = result->flops / result->bytes;
    result->ridge_flop_per_byte = result->flops / (result->compute_s * plan->memory_bytes_per_s);
    double steps_per_s = 1 / result->kernel_s;
    result->tokens_per_s = sums->tokens * steps_per_s;
    result->tokens_per_s_per_sequence = result->tokens_per_s / (double)sums->sequences;
    result->output_tokens_per_s = sums->logit_rows * steps_per_s;
    result->memory_bound_share = memory_bound_s / separate_s;
    result->compute_bound_share = 1 - result->memory_bound_share;
    result->launch_share = 0;
    result->communication_share = 0;
    result->mfu = result->compute_s / result->kernel_s;
    result->mbu = result->memory_s / result->kernel_s;
}

/* Every field of the result but struct_size. */
static inline void fill_result(const roofline_plan *plan, const step_sums *sums, roofline_step_result *result) {
    double linear_compute_s, linear_memory_s, attention_compute_s, attention_memory_s, kernel_s, memory_bound_s;
    step_times times = {&linear_compute_s,   &linear_memory_s, &attention_compute_s,
                        &attention_memory_s, &kernel_s,        &memory_bound_s};
    price_linear(plan, &sums->tokens, &sums->logit_rows, 1, &times);
    for (int i = 0; i < plan->experts_count; i++)
        price_experts(&plan->experts[i], &sums->tokens, &sums->active[i], 1, &times);
    for (int i = 0; i < plan->attention_count; i++)
        price_attention(&plan->attention[i], &sums->tokens, &sums->pairs[i], &sums->positions[i], 1, &times);
    step_bounds bounds = compose(&times, 0);
    fill_times(plan, &bounds, result);
    fill_bytes(plan, sums, result);
    fill_rates(plan, sums, memory_bound_s, kernel_s, result);
    fill_memory(plan, sums, result);
    result->sequences = sums->sequences;
    result->new_tokens = sums->new_tokens;
    result->logit_rows = sums->all_logit_rows;
    result->traffic = plan->info.traffic;
    result->source = plan->info.source;
    result->calibrated = 0;
    result->ranks = 1;
    result->padding = 0;
}

roofline_status roofline_step_groups(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                                     size_t row_bytes, roofline_step_result *out, roofline_error *error) {
    roofline_status status = check_rows(plan, rows, count, error);
    /* The usual caller has this library's struct: it is filled in place. */
    bool in_place = out && out->struct_size == sizeof *out;
    if (status || (!in_place && (status = struct_check(out, "roofline_step_result", error))))
        return status;
    step_sums sums;
    if ((status = add_groups(plan, rows, count, row_bytes, &sums, error)))
        return status;
    if (in_place) {
        fill_result(plan, &sums, out);
        return error ? error_clear(error) : ROOFLINE_OK;
    }
    roofline_step_result result;
    fill_result(plan, &sums, &result);
    struct_write(out, &result, sizeof result);
    return error_clear(error);
}

roofline_status roofline_step(const roofline_plan *plan, const roofline_workload *workload, roofline_step_result *out,
                              roofline_error *error) {
    if (!workload)
        return error_set(error, ROOFLINE_ARGUMENT, "workload", "the workload is NULL");
    if (workload->count == 0)
        return error_set(error, ROOFLINE_RANGE, "workload", "the workload is empty; add sequences to it first");
    return roofline_step_groups(plan, workload->groups, workload->count, sizeof *workload->groups, out, error);
}

/* ----------------------------------------------------------------------------------------------------- many steps -- */

/* A strided column of int64_t. */
typedef struct column {
    const char *bytes;
    int64_t stride;
} column;

static inline int64_t column_at(const column *values, int64_t index) {
    int64_t value;
    memcpy(&value, values->bytes + index * values->stride, sizeof value);
    return value;
}

typedef struct many_columns {
    column count;
    column new_tokens;
    column context_tokens;
} many_columns;

/* A block of lanes. Bad ones, and lanes past the end, hold a step of one token. */
typedef struct lane_block {
    double sequences[LANES];
    double fresh[LANES];
    double context[LANES];
    double tokens[LANES];
    double kernel_s[LANES];
    bool bad[LANES];
} lane_block;

static inline bool load_lane(const many_columns *columns, int64_t index, roofline_sequences *group) {
    group->count = column_at(&columns->count, index);
    group->new_tokens = column_at(&columns->new_tokens, index);
    group->context_tokens = column_at(&columns->context_tokens, index);
    group->logit_rows = 0;
    if (sequences_are_valid(group) &&
        step_is_within_limits(group->count, group->count * group->new_tokens, group->count * group->context_tokens))
        return true;
    group->count = group->new_tokens = group->context_tokens = 1;
    return false;
}

static inline void load_block(const many_columns *columns, int64_t first, size_t lanes, lane_block *block) {
    for (size_t lane = 0; lane < lanes; lane++) {
        roofline_sequences group;
        block->bad[lane] = !load_lane(columns, first + (int64_t)lane, &group);
        block->sequences[lane] = (double)group.count;
        block->fresh[lane] = (double)group.new_tokens;
        block->context[lane] = (double)group.context_tokens;
    }
    for (size_t lane = lanes; lane < LANES; lane++)
        block->sequences[lane] = block->fresh[lane] = block->context[lane] = 1;
    for (size_t lane = 0; lane < LANES; lane++)
        block->tokens[lane] = block->sequences[lane] * block->fresh[lane];
}

static inline void block_attention(const lane_block *block, double window, double *pairs, double *positions) {
    for (size_t lane = 0; lane < LANES; lane++) {
        double fresh = block->fresh[lane];
        double context = block->context[lane];
        pairs[lane] = block->sequences[lane] * attention_pairs(fresh, context, window);
        positions[lane] = block->sequences[lane] * attention_positions(fresh, context, window);
    }
}

/* kernel_s of a block, the quantity that sweeps ask for most: nothing else is computed. */
static inline void price_block(const roofline_plan *plan, lane_block *block) {
    double linear_compute_s[LANES], linear_memory_s[LANES], attention_compute_s[LANES], attention_memory_s[LANES];
    double kernel_s[LANES], pairs[LANES], positions[LANES], active[LANES];
    step_times times = {linear_compute_s, linear_memory_s, attention_compute_s, attention_memory_s, kernel_s, NULL};
    price_linear(plan, block->tokens, block->sequences, LANES, &times);
    for (int i = 0; i < plan->experts_count; i++) {
        for (size_t lane = 0; lane < LANES; lane++)
            active[lane] = plan_active_experts(&plan->experts[i], (int64_t)block->tokens[lane]);
        price_experts(&plan->experts[i], block->tokens, active, LANES, &times);
    }
    for (int i = 0; i < plan->attention_count; i++) {
        block_attention(block, plan->attention[i].window, pairs, positions);
        price_attention(&plan->attention[i], block->tokens, pairs, positions, LANES, &times);
    }
    for (size_t lane = 0; lane < LANES; lane++)
        block->kernel_s[lane] = compose(&times, lane).kernel_s;
}

/* Where a quantity stands in roofline_step_result. */
typedef struct quantity_row {
    roofline_quantity quantity;
    roofline_storage storage;
    size_t offset;
} quantity_row;

#define QUANTITY(name, field, kind)                                                                                    \
    { ROOFLINE_QUANTITY_##name, ROOFLINE_STORAGE_##kind, offsetof(roofline_step_result, field) }
static const quantity_row quantity_rows[] = {
    QUANTITY(KERNEL_S, kernel_s, DOUBLE),
    QUANTITY(AGGREGATE_S, aggregate_s, DOUBLE),
    QUANTITY(PHASE_S, phase_s, DOUBLE),
    QUANTITY(PREDICTED_S, predicted_s, DOUBLE),
    QUANTITY(LINEAR_S, linear_s, DOUBLE),
    QUANTITY(ATTENTION_S, attention_s, DOUBLE),
    QUANTITY(COMPUTE_S, compute_s, DOUBLE),
    QUANTITY(MEMORY_S, memory_s, DOUBLE),
    QUANTITY(FLOPS, flops, DOUBLE),
    QUANTITY(BYTES, bytes, DOUBLE),
    QUANTITY(WEIGHT_BYTES, weight_bytes, DOUBLE),
    QUANTITY(KV_READ_BYTES, kv_read_bytes, DOUBLE),
    QUANTITY(KV_WRITE_BYTES, kv_write_bytes, DOUBLE),
    QUANTITY(ACTIVATION_BYTES, activation_bytes, DOUBLE),
    QUANTITY(INTENSITY_FLOP_PER_BYTE, intensity_flop_per_byte, DOUBLE),
    QUANTITY(TOKENS_PER_S, tokens_per_s, DOUBLE),
    QUANTITY(TOKENS_PER_S_PER_SEQUENCE, tokens_per_s_per_sequence, DOUBLE),
    QUANTITY(OUTPUT_TOKENS_PER_S, output_tokens_per_s, DOUBLE),
    QUANTITY(MEMORY_BOUND_SHARE, memory_bound_share, DOUBLE),
    QUANTITY(MFU, mfu, DOUBLE),
    QUANTITY(MBU, mbu, DOUBLE),
    QUANTITY(REGIME, regime, INT32),
    QUANTITY(FITS, fits, INT32),
    QUANTITY(FIT_REASON, fit_reason, INT32),
    QUANTITY(CACHE_RESIDENT, cache_resident, INT32),
    QUANTITY(KV_BYTES, kv_bytes, INT64),
    QUANTITY(REQUIRED_BYTES, required_bytes, INT64),
};
#undef QUANTITY

enum {
    QUANTITY_LIMIT = 64
};

static const quantity_row *find_quantity(roofline_quantity quantity) {
    for (size_t i = 0; i < sizeof quantity_rows / sizeof *quantity_rows; i++)
        if (quantity_rows[i].quantity == quantity)
            return &quantity_rows[i];
    return NULL;
}

static bool find_quantities(const roofline_quantity *quantities, int32_t count, const quantity_row **rows,
                            roofline_error *error) {
    for (int32_t i = 0; i < count; i++) {
        rows[i] = find_quantity(quantities[i]);
        if (!rows[i]) {
            error_set(error, ROOFLINE_RANGE, "quantities", "%d is no quantity (place %d)", (int)quantities[i], (int)i);
            return false;
        }
    }
    return true;
}

static double read_quantity(const roofline_step_result *result, const quantity_row *row) {
    const char *field = (const char *)result + row->offset;
    if (row->storage == ROOFLINE_STORAGE_DOUBLE) {
        double value;
        memcpy(&value, field, sizeof value);
        return value;
    }
    if (row->storage == ROOFLINE_STORAGE_INT64) {
        int64_t value;
        memcpy(&value, field, sizeof value);
        return (double)value;
    }
    int32_t value;
    memcpy(&value, field, sizeof value);
    return value;
}

typedef struct many_output {
    const quantity_row *rows[QUANTITY_LIMIT];
    int32_t count;
    char *bytes;
    int64_t stride;
    int32_t *status;
} many_output;

static inline void store(const many_output *output, int32_t quantity, int64_t index, double value) {
    memcpy(output->bytes + quantity * output->stride + index * (int64_t)sizeof value, &value, sizeof value);
}

static void step_many_kernel_s(const roofline_plan *plan, const many_columns *columns, int64_t n,
                               const many_output *output) {
    lane_block block;
    for (int64_t first = 0; first < n; first += LANES) {
        size_t lanes = n - first < LANES ? (size_t)(n - first) : LANES;
        load_block(columns, first, lanes, &block);
        price_block(plan, &block);
        for (size_t lane = 0; lane < lanes; lane++) {
            int64_t index = first + (int64_t)lane;
            store(output, 0, index, block.bad[lane] ? NAN : block.kernel_s[lane]);
            if (output->status)
                output->status[index] = block.bad[lane] ? ROOFLINE_RANGE : ROOFLINE_OK;
        }
    }
}

static void step_many_results(const roofline_plan *plan, const many_columns *columns, int64_t n,
                              const many_output *output) {
    for (int64_t index = 0; index < n; index++) {
        roofline_sequences group;
        step_sums sums;
        roofline_step_result result;
        bool good = load_lane(columns, index, &group);
        roofline_status status = good ? add_groups(plan, &group, 1, sizeof group, &sums, NULL) : ROOFLINE_RANGE;
        if (status == ROOFLINE_OK)
            fill_result(plan, &sums, &result);
        for (int32_t i = 0; i < output->count; i++)
            store(output, i, index, status ? NAN : read_quantity(&result, output->rows[i]));
        if (output->status)
            output->status[index] = status;
    }
}

roofline_status roofline_step_many(const roofline_plan *plan, int64_t n, const void *count, int64_t count_stride,
                                   const void *new_tokens, int64_t new_tokens_stride, const void *context_tokens,
                                   int64_t context_tokens_stride, const roofline_quantity *quantities,
                                   int32_t quantity_count, void *out, int64_t out_stride, int32_t *status,
                                   roofline_error *error) {
    if (!plan)
        return error_set(error, ROOFLINE_ARGUMENT, "plan", "the plan is NULL");
    if (n < 0 || n > MANY_LIMIT || (n > 0 && (!count || !new_tokens || !context_tokens || !out)))
        return error_set(error, ROOFLINE_ARGUMENT, "n",
                         "n is %lld; it must be from 0 to 2^48, and no column may be NULL "
                         "unless n is 0",
                         (long long)n);
    many_output output = {.count = quantity_count, .bytes = out, .stride = out_stride, .status = status};
    if (!quantities || quantity_count < 1 || quantity_count > QUANTITY_LIMIT)
        return error_set(error, ROOFLINE_ARGUMENT, "quantity_count",
                         "%d quantities were asked for; name 1 to %d of them", (int)quantity_count, QUANTITY_LIMIT);
    if (!find_quantities(quantities, quantity_count, output.rows, error))
        return ROOFLINE_RANGE;
    int64_t row = n * (int64_t)sizeof(double);
    if (quantity_count > 1 && out_stride < row && out_stride > -row)
        return error_set(error, ROOFLINE_ARGUMENT, "out_stride",
                         "out_stride is %lld bytes; rows of %lld values need at least %lld", (long long)out_stride,
                         (long long)n, (long long)row);
    many_columns columns = {
        {count, count_stride}, {new_tokens, new_tokens_stride}, {context_tokens, context_tokens_stride}};
    if (quantity_count == 1 && quantities[0] == ROOFLINE_QUANTITY_KERNEL_S)
        step_many_kernel_s(plan, &columns, n, &output);
    else
        step_many_results(plan, &columns, n, &output);
    return error_clear(error);
}
