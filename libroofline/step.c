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

enum { LANES = 64 };

/* What a step brings, summed over its groups: all that its cost depends on. One column a lane. */
typedef struct step_input {
    double *tokens;
    double *logit_rows;
    double *pairs;     /* [attention][lane] */
    double *positions; /* [attention][lane] */
} step_input;

/* Seconds of one lane, summed over kernels. */
typedef struct step_times {
    double linear_compute_s;
    double linear_memory_s;
    double attention_compute_s;
    double attention_memory_s;
    double kernel_s;
    double memory_bound_s; /* the part of kernel_s in memory-bound kernels */
} step_times;

static inline double larger(double left, double right) {
    return left > right ? left : right;
}

/* Adds one kernel to the lane: the roofline itself. */
static inline void add_kernel(step_times *times, double compute_s, double memory_s) {
    times->kernel_s += larger(compute_s, memory_s);
    times->memory_bound_s += memory_s > compute_s ? memory_s : 0;
}

static inline step_times price(const roofline_plan *plan, const step_input *input, size_t stride, size_t lane) {
    const plan_totals *totals = &plan->totals;
    const plan_linear *logits = &plan->logits;
    double tokens = input->tokens[lane];
    double rows = input->logit_rows[lane];
    step_times times = {0};
    for (int i = 0; i < plan->linear_count; i++) {
        const plan_linear *linear = &plan->linear[i];
        add_kernel(&times, tokens * linear->compute_s_per_row, linear->weight_s + tokens * linear->memory_s_per_row);
    }
    /* Without rows of logits the product does not run and its matrix is not read. */
    double logits_memory_s = rows > 0 ? logits->weight_s + rows * logits->memory_s_per_row : 0;
    add_kernel(&times, rows * logits->compute_s_per_row, logits_memory_s);
    times.linear_compute_s = tokens * totals->compute_s_per_token + rows * logits->compute_s_per_row;
    times.linear_memory_s = totals->weight_s + tokens * totals->memory_s_per_token + logits_memory_s;
    for (int i = 0; i < plan->attention_count; i++) {
        const plan_attention *attention = &plan->attention[i];
        double compute_s = input->pairs[(size_t)i * stride + lane] * attention->compute_s_per_pair;
        double memory_s = input->positions[(size_t)i * stride + lane] * attention->memory_s_per_position +
                          tokens * attention->memory_s_per_token;
        times.attention_compute_s += compute_s;
        times.attention_memory_s += memory_s;
        add_kernel(&times, compute_s, memory_s);
    }
    return times;
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

static inline step_bounds compose(const step_times *times) {
    step_bounds bounds;
    bounds.compute_s = times->linear_compute_s + times->attention_compute_s;
    bounds.memory_s = times->linear_memory_s + times->attention_memory_s;
    bounds.linear_s = larger(times->linear_compute_s, times->linear_memory_s);
    bounds.attention_s = larger(times->attention_compute_s, times->attention_memory_s);
    bounds.aggregate_s = larger(bounds.compute_s, bounds.memory_s);
    bounds.phase_s = larger(bounds.linear_s + bounds.attention_s, bounds.aggregate_s);
    bounds.kernel_s = larger(times->kernel_s, bounds.phase_s);
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
    bool good = group->count >= 1 && group->count <= SEQUENCES_LIMIT && group->new_tokens >= 1 &&
                group->new_tokens <= group->context_tokens && group->context_tokens <= TOKENS_LIMIT &&
                group->logit_rows >= ROOFLINE_NO_LOGITS && group->logit_rows <= group->new_tokens;
    if (!good)
        return sequences_check(group, index, error);
    double sequences = (double)group->count;
    double fresh = (double)group->new_tokens;
    double context = (double)group->context_tokens;
    for (int i = 0; i < plan->attention_count; i++) {
        double window = plan->attention[i].window;
        sums->pairs[i] += sequences * attention_pairs(fresh, context, window);
        sums->positions[i] += sequences * attention_positions(fresh, context, window);
    }
    sums->sequences += group->count;
    sums->new_tokens += group->count * group->new_tokens;
    sums->all_logit_rows += logit_rows_of(group);
    if (group->context_tokens > sums->longest_context)
        sums->longest_context = group->context_tokens;
    sums->kv_bytes += group->count * plan_sequence_kv_bytes(plan, group->new_tokens, group->context_tokens);
    sums->positions_held += group->count * group->context_tokens;
    if (sums->sequences > SEQUENCES_LIMIT || sums->new_tokens > TOKENS_LIMIT || sums->positions_held > POSITIONS_LIMIT)
        return error_set(error, ROOFLINE_RANGE, "count",
                         "the step has more than 2^24 sequences, 2^32 new tokens or 2^38 positions of context in all");
    return ROOFLINE_OK;
}

static roofline_status check_rows(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                                  roofline_error *error) {
    if (!plan || !rows)
        return error_set(error, ROOFLINE_ARGUMENT, "", "the plan or the list of sequences is NULL");
    if (count >= 1 && count <= WORKLOAD_GROUP_LIMIT)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, "count",
                     "the step has %zu groups of sequences; it must have 1 to %d", count, WORKLOAD_GROUP_LIMIT);
}

static inline void clear_sums(const roofline_plan *plan, step_sums *sums) {
    for (int i = 0; i < plan->attention_count; i++)
        sums->pairs[i] = sums->positions[i] = 0;
    sums->sequences = sums->new_tokens = sums->all_logit_rows = 0;
    sums->positions_held = sums->kv_bytes = sums->longest_context = 0;
}

static inline roofline_status add_groups(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                                         size_t row_bytes, step_sums *sums, roofline_error *error) {
    clear_sums(plan, sums);
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
    bool has_logits = sums->logit_rows > 0;
    result->flops = sums->tokens * totals->flops_per_token + sums->logit_rows * logits->flops_per_row;
    result->weight_bytes = totals->weight_bytes + (has_logits ? logits->weight_bytes : 0);
    result->kv_write_bytes = sums->tokens * totals->kv_write_bytes_per_token;
    result->activation_bytes = sums->tokens * totals->activation_bytes_per_token +
                               sums->logit_rows * logits->activation_bytes_per_row;
    for (int i = 0; i < plan->attention_count; i++) {
        const plan_attention *attention = &plan->attention[i];
        result->flops += sums->pairs[i] * attention->flops_per_pair;
        result->kv_read_bytes += sums->positions[i] * attention->kv_bytes_per_position;
        result->activation_bytes += sums->tokens * attention->activation_bytes_per_token;
    }
    result->bytes = result->weight_bytes + result->kv_read_bytes + result->kv_write_bytes + result->activation_bytes;
    result->cache_resident = plan->l2_bytes > 0 && result->weight_bytes + result->kv_read_bytes <= plan->l2_bytes;
}

static inline void fill_memory(const roofline_plan *plan, const step_sums *sums, roofline_step_result *result) {
    result->kv_bytes = sums->kv_bytes;
    result->required_bytes = plan->fixed_bytes + sums->kv_bytes;
    int64_t excess = result->required_bytes - plan->budget_bytes;
    result->short_bytes = excess > 0 ? excess : 0;
    result->fit_reason = plan_fit_reason(plan, sums->longest_context, sums->kv_bytes);
    result->fits = result->fit_reason == ROOFLINE_REASON_NONE;
}

static inline void fill_times(const roofline_plan *plan, const step_times *times, const step_bounds *bounds,
                              roofline_step_result *result) {
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
    result->memory_bound_share = times->memory_bound_s / times->kernel_s;
    result->compute_bound_share = 1 - result->memory_bound_share;
    double steps_per_s = 1 / bounds->kernel_s;
    result->mfu = bounds->compute_s * steps_per_s;
    result->mbu = bounds->memory_s * steps_per_s;
}

static inline void fill_rates(const roofline_plan *plan, const step_sums *sums, roofline_step_result *result) {
    result->intensity_flop_per_byte = result->flops / result->bytes;
    result->ridge_flop_per_byte = result->flops / result->compute_s / plan->memory_bytes_per_s;
    result->tokens_per_s = sums->tokens / result->kernel_s;
    result->tokens_per_s_per_sequence = result->tokens_per_s / (double)sums->sequences;
    result->output_tokens_per_s = sums->logit_rows / result->kernel_s;
}

/* The whole result of a step from its sums. `result` is zeroed by the caller. */
static inline void fill_result(const roofline_plan *plan, step_sums *sums, roofline_step_result *result) {
    step_input input = {&sums->tokens, &sums->logit_rows, sums->pairs, sums->positions};
    step_times times = price(plan, &input, 1, 0);
    step_bounds bounds = compose(&times);
    fill_times(plan, &times, &bounds, result);
    fill_bytes(plan, sums, result);
    fill_rates(plan, sums, result);
    fill_memory(plan, sums, result);
    result->sequences = sums->sequences;
    result->new_tokens = sums->new_tokens;
    result->logit_rows = sums->all_logit_rows;
    result->traffic = plan->info.traffic;
    result->source = plan->info.source;
    result->ranks = 1;
}

roofline_status roofline_step_groups(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                                     size_t row_bytes, roofline_step_result *out, roofline_error *error) {
    roofline_status status = check_rows(plan, rows, count, error);
    if (status || (status = struct_check(out, "roofline_step_result", error)))
        return status;
    step_sums sums;
    if ((status = add_groups(plan, rows, count, row_bytes, &sums, error)))
        return status;
    roofline_step_result result = {0};
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

/* A block of lanes: what price reads, and what the other quantities need. Bad lanes hold a step of one token. */
typedef struct lane_block {
    double tokens[LANES];
    double sequences[LANES];
    double pairs[PLAN_ATTENTION_LIMIT * LANES];
    double positions[PLAN_ATTENTION_LIMIT * LANES];
    roofline_sequences groups[LANES];
    double kernel_s[LANES];
    bool bad[LANES];
} lane_block;

static inline bool load_lane(const many_columns *columns, int64_t index, roofline_sequences *group) {
    group->count = column_at(&columns->count, index);
    group->new_tokens = column_at(&columns->new_tokens, index);
    group->context_tokens = column_at(&columns->context_tokens, index);
    group->logit_rows = 0;
    /* The same limits as add_group; count first, so that the products cannot overflow. */
    if (group->count >= 1 && group->count <= SEQUENCES_LIMIT && group->new_tokens >= 1 &&
        group->new_tokens <= group->context_tokens && group->context_tokens <= TOKENS_LIMIT &&
        group->count * group->new_tokens <= TOKENS_LIMIT && group->count * group->context_tokens <= POSITIONS_LIMIT)
        return true;
    group->count = group->new_tokens = group->context_tokens = 1;
    return false;
}

static inline void load_block(const roofline_plan *plan, const many_columns *columns, int64_t first, size_t lanes,
                              lane_block *block) {
    for (size_t lane = 0; lane < lanes; lane++)
        block->bad[lane] = !load_lane(columns, first + (int64_t)lane, &block->groups[lane]);
    for (size_t lane = 0; lane < lanes; lane++) {
        block->sequences[lane] = (double)block->groups[lane].count;
        block->tokens[lane] = (double)(block->groups[lane].count * block->groups[lane].new_tokens);
    }
    for (int i = 0; i < plan->attention_count; i++) {
        double window = plan->attention[i].window;
        for (size_t lane = 0; lane < lanes; lane++) {
            double fresh = (double)block->groups[lane].new_tokens;
            double context = (double)block->groups[lane].context_tokens;
            block->pairs[i * LANES + (int)lane] = block->sequences[lane] * attention_pairs(fresh, context, window);
            block->positions[i * LANES + (int)lane] =
                block->sequences[lane] * attention_positions(fresh, context, window);
        }
    }
}

/* kernel_s of a block, the quantity that sweeps ask for most: nothing else is computed. */
static inline void price_block(const roofline_plan *plan, size_t lanes, lane_block *block) {
    step_input input = {block->tokens, block->sequences, block->pairs, block->positions};
    for (size_t lane = 0; lane < lanes; lane++) {
        step_times times = price(plan, &input, LANES, lane);
        step_bounds bounds = compose(&times);
        block->kernel_s[lane] = bounds.kernel_s;
    }
}

/* Where a quantity stands in roofline_step_result. */
typedef struct quantity_row {
    roofline_quantity quantity;
    roofline_type type;
    size_t offset;
} quantity_row;

#define QUANTITY(name, field, kind) {ROOFLINE_QUANTITY_##name, ROOFLINE_TYPE_##kind, offsetof(roofline_step_result, field)}
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

enum { QUANTITY_LIMIT = 64 };

static roofline_status find_quantities(const roofline_quantity *quantities, int32_t count, const quantity_row **rows,
                                       roofline_error *error) {
    if (!quantities || count < 1 || count > QUANTITY_LIMIT)
        return error_set(error, ROOFLINE_ARGUMENT, "quantity_count",
                         "%d quantities were asked for; name 1 to %d of them", (int)count, QUANTITY_LIMIT);
    for (int32_t i = 0; i < count; i++) {
        rows[i] = NULL;
        for (size_t j = 0; j < sizeof quantity_rows / sizeof *quantity_rows; j++)
            if (quantity_rows[j].quantity == quantities[i])
                rows[i] = &quantity_rows[j];
        if (!rows[i])
            return error_set(error, ROOFLINE_RANGE, "quantities", "%d is no quantity (place %d)", (int)quantities[i],
                             (int)i);
    }
    return ROOFLINE_OK;
}

static double read_quantity(const roofline_step_result *result, const quantity_row *row) {
    const char *field = (const char *)result + row->offset;
    if (row->type == ROOFLINE_TYPE_DOUBLE) {
        double value;
        memcpy(&value, field, sizeof value);
        return value;
    }
    if (row->type == ROOFLINE_TYPE_INT64) {
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
        load_block(plan, columns, first, lanes, &block);
        price_block(plan, lanes, &block);
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
        roofline_step_result result = {0};
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
                                   int32_t quantity_count, double *out, int64_t out_stride, int32_t *status,
                                   roofline_error *error) {
    if (!plan)
        return error_set(error, ROOFLINE_ARGUMENT, "plan", "the plan is NULL");
    if (n < 0 || (n > 0 && (!count || !new_tokens || !context_tokens || !out)))
        return error_set(error, ROOFLINE_ARGUMENT, "n", "n is %lld; it must not be negative, and no column may be NULL "
                         "unless n is 0", (long long)n);
    many_output output = {.count = quantity_count, .bytes = (char *)out, .stride = out_stride, .status = status};
    roofline_status result = find_quantities(quantities, quantity_count, output.rows, error);
    if (result)
        return result;
    int64_t row = n * (int64_t)sizeof *out;
    if (quantity_count > 1 && out_stride < row && out_stride > -row)
        return error_set(error, ROOFLINE_ARGUMENT, "out_stride",
                         "out_stride is %lld bytes; rows of %lld values need at least %lld", (long long)out_stride,
                         (long long)n, (long long)row);
    many_columns columns = {{count, count_stride}, {new_tokens, new_tokens_stride}, {context_tokens, context_tokens_stride}};
    if (quantity_count == 1 && quantities[0] == ROOFLINE_QUANTITY_KERNEL_S)
        step_many_kernel_s(plan, &columns, n, &output);
    else
        step_many_results(plan, &columns, n, &output);
    return error_clear(error);
}
