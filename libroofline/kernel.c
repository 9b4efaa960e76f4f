/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline of one kernel, of a sequence of kernels, and the work of matrix products and attention. */
#include "floating.h"

#include "kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "checks.h"
#include "device.h"
#include "error.h"
#include "format.h"
#include "structs.h"

static const double WORK_LIMIT = 1e30; /* FLOPs or bytes of one kernel */
static const int64_t HEADS_LIMIT = 1 << 20;
static const size_t COMPOSE_LIMIT = 1u << 20;
static const double EXACT_LIMIT = 9007199254740992.0; /* 2^53: whole numbers are exact up to here */

roofline_arithmetic product_arithmetic(roofline_format weights, roofline_format activations) {
    const format_facts *weight = format_get(weights);
    const format_facts *activation = format_get(activations);
    if (weight->bits > activation->bits)
        return weight->arithmetic;
    bool narrow = !activation->wide_float && weight->bits == activation->bits;
    if (narrow && weight->arithmetic != activation->arithmetic)
        return ROOFLINE_ARITHMETIC_DEFAULT;
    return activation->arithmetic;
}

/* ------------------------------------------------------------------------------------------------- one kernel -- */

static roofline_status check_work(double value, const char *path, roofline_error *error) {
    if (value >= 0 && value <= WORK_LIMIT)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, path, "%s is %s; it must be a number from 0 to 1e30", path,
                     number_text(value).text);
}

/* The peak of a kernel's arithmetic; a kernel without FLOPs needs none (0). */
static roofline_status work_peak(const roofline_device *device, const roofline_work *work, double *peak,
                                 roofline_error *error) {
    *peak = 0;
    if (work->arithmetic == ROOFLINE_ARITHMETIC_DEFAULT && work->flops > 0)
        return error_set(error, ROOFLINE_ARGUMENT, "roofline_work.arithmetic",
                         "a kernel with FLOPs needs its arithmetic, for example bf16: each has another peak");
    if (work->arithmetic == ROOFLINE_ARITHMETIC_DEFAULT)
        return ROOFLINE_OK;
    return device_peak(device, work->arithmetic, "roofline_work.arithmetic", peak, error);
}

static roofline_status check_work_row(const roofline_work *work, roofline_error *error) {
    roofline_status status = check_work(work->flops, "roofline_work.flops", error);
    return status ? status : check_work(work->bytes, "roofline_work.bytes", error);
}

static void fill_bound(const roofline_device *device, const roofline_work *work, double peak,
                       roofline_bound_result *result) {
    double bandwidth = device->spec.memory_bytes_per_s;
    double intensity = work->bytes > 0 ? work->flops / work->bytes : NAN;
    double attainable = peak > 0 && work->bytes > 0 ? bandwidth * intensity : NAN;
    if (attainable > peak)
        attainable = peak;
    *result = (roofline_bound_result){
        .compute_s = peak > 0 ? work->flops / peak : 0,
        .memory_s = work->bytes / bandwidth,
        .intensity_flop_per_byte = intensity,
        .ridge_flop_per_byte = peak > 0 ? peak / bandwidth : NAN,
        .attainable_flops_per_s = attainable,
        .fraction_of_peak = attainable / peak,
        .arithmetic = work->arithmetic,
        .cache_resident = device->spec.l2_bytes > 0 && work->bytes > 0 && work->bytes <= (double)device->spec.l2_bytes,
        .source = device->spec.kind,
    };
    bool memory_bound = result->memory_s > result->compute_s;
    result->regime = memory_bound ? ROOFLINE_REGIME_MEMORY : ROOFLINE_REGIME_COMPUTE;
    result->bound_s = memory_bound ? result->memory_s : result->compute_s;
}

roofline_status roofline_bound(const roofline_device *device, const roofline_work *work, roofline_bound_result *out,
                               roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "the device is NULL");
    roofline_work row;
    roofline_status status = struct_read(&row, sizeof row, work, "roofline_work", error);
    if (status || (status = struct_check(out, "roofline_bound_result", error)))
        return status;
    double peak;
    if ((status = check_work_row(&row, error)) || (status = work_peak(device, &row, &peak, error)))
        return status;
    roofline_bound_result result;
    fill_bound(device, &row, peak, &result);
    struct_write(out, &result, sizeof result);
    return error_clear(error);
}

/* --------------------------------------------------------------------------------------- a sequence of kernels -- */

/* Adds one kernel to the sums; kernel_s and the shares hold sums until finish_compose. */
static void add_bound(roofline_compose_result *sum, const roofline_work *row, const roofline_bound_result *bound) {
    sum->flops += row->flops;
    sum->bytes += row->bytes;
    sum->compute_s += bound->compute_s;
    sum->memory_s += bound->memory_s;
    sum->kernel_s += bound->bound_s;
    if (bound->regime == ROOFLINE_REGIME_MEMORY)
        sum->memory_bound_share += bound->bound_s;
    else
        sum->compute_bound_share += bound->bound_s;
}

static void finish_compose(roofline_compose_result *sum, double bandwidth) {
    bool memory_bound = sum->memory_s > sum->compute_s;
    double separate_s = sum->kernel_s;
    sum->regime = memory_bound ? ROOFLINE_REGIME_MEMORY : ROOFLINE_REGIME_COMPUTE;
    sum->aggregate_s = memory_bound ? sum->memory_s : sum->compute_s;
    /* Equal in exact arithmetic when one regime rules; rounding must not turn the order round. */
    if (sum->kernel_s < sum->aggregate_s)
        sum->kernel_s = sum->aggregate_s;
    sum->intensity_flop_per_byte = sum->bytes > 0 ? sum->flops / sum->bytes : NAN;
    sum->ridge_flop_per_byte = sum->compute_s > 0 ? sum->flops / sum->compute_s / bandwidth : NAN;
    if (separate_s > 0) {
        sum->memory_bound_share /= separate_s;
        sum->compute_bound_share /= separate_s;
    }
}

roofline_status roofline_compose(const roofline_device *device, const roofline_work *rows, size_t count,
                                 size_t row_bytes, roofline_compose_result *out, roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "the device is NULL");
    if (count == 0 || count > COMPOSE_LIMIT)
        return error_set(error, ROOFLINE_RANGE, "count", "count is %zu; a sequence has 1 to %zu kernels", count,
                         COMPOSE_LIMIT);
    roofline_status status = struct_check(out, "roofline_compose_result", error);
    if (status)
        return status;
    roofline_compose_result result = {0};
    for (size_t i = 0; i < count; i++) {
        roofline_work row;
        double peak;
        roofline_bound_result bound;
        if ((status = struct_read_row(&row, sizeof row, rows, row_bytes, i, "roofline_work", error)) ||
            (status = check_work_row(&row, error)) || (status = work_peak(device, &row, &peak, error)))
            return error_in_row(error, status, i);
        fill_bound(device, &row, peak, &bound);
        add_bound(&result, &row, &bound);
    }
    finish_compose(&result, device->spec.memory_bytes_per_s);
    struct_write(out, &result, sizeof result);
    return error_clear(error);
}

/* ------------------------------------------------------------------------------------------------- checks -- */

/* 0 becomes bf16. */
static roofline_status resolve_format(roofline_format *format, const char *path, roofline_error *error) {
    if (*format == ROOFLINE_FORMAT_DEFAULT)
        *format = ROOFLINE_FORMAT_BF16;
    return check_format(*format, path, error);
}

/* ------------------------------------------------------------------------------------------- matrix products -- */

/* A checked shape with every default resolved. Its `tokens` is not part of it. */
typedef struct gemm_terms {
    double k;
    double n;
    double input_bytes_per_token;
    double output_bytes_per_token;
    double weight_bytes;
    double weight_element_bytes;
    roofline_traffic traffic;
    roofline_arithmetic arithmetic;
} gemm_terms;

static roofline_status check_gemm(roofline_gemm_shape *shape, roofline_error *error) {
    roofline_status status;
    if ((status = check_count(shape->k, 1, TOKENS_LIMIT, "roofline_gemm_shape.k", error)) ||
        (status = check_count(shape->n, 1, TOKENS_LIMIT, "roofline_gemm_shape.n", error)) ||
        (status = check_count(shape->output_columns, 0, shape->n, "roofline_gemm_shape.output_columns", error)) ||
        (status = check_traffic(shape->traffic, "roofline_gemm_shape.traffic", error)) ||
        (status = resolve_format(&shape->weight_format, "roofline_gemm_shape.weight_format", error)) ||
        (status = resolve_format(&shape->input_format, "roofline_gemm_shape.input_format", error)) ||
        (status = resolve_format(&shape->output_format, "roofline_gemm_shape.output_format", error)))
        return status;
    if (shape->output_columns == 0)
        shape->output_columns = shape->n;
    if (shape->arithmetic == ROOFLINE_ARITHMETIC_DEFAULT)
        shape->arithmetic = product_arithmetic(shape->weight_format, shape->input_format);
    if (shape->arithmetic == ROOFLINE_ARITHMETIC_DEFAULT)
        return error_set(error, ROOFLINE_UNSUPPORTED, "roofline_gemm_shape.arithmetic",
                         "nothing multiplies %s weights with %s activations; name the arithmetic",
                         format_text(shape->weight_format), format_text(shape->input_format));
    return check_arithmetic(shape->arithmetic, "roofline_gemm_shape.arithmetic", error);
}

static roofline_status read_gemm(const roofline_gemm_shape *given, roofline_gemm_shape *shape, gemm_terms *terms,
                                 roofline_error *error) {
    roofline_status status = struct_read(shape, sizeof *shape, given, "roofline_gemm_shape", error);
    if (status || (status = check_gemm(shape, error)))
        return status;
    *terms = (gemm_terms){
        .k = (double)shape->k,
        .n = (double)shape->n,
        .input_bytes_per_token = (double)shape->k * format_bytes(shape->input_format),
        .output_bytes_per_token = (double)shape->output_columns * format_bytes(shape->output_format),
        .weight_bytes = (double)shape->k * (double)shape->n * format_bytes(shape->weight_format),
        .weight_element_bytes = format_bytes(shape->weight_format),
        .traffic = shape->traffic,
        .arithmetic = shape->arithmetic,
    };
    return ROOFLINE_OK;
}

static double gemm_flops(const gemm_terms *terms, double tokens) {
    return 2 * tokens * terms->k * terms->n;
}

static double gemm_activation_bytes(const gemm_terms *terms, double tokens) {
    if (terms->traffic == ROOFLINE_TRAFFIC_STREAMED)
        return 0;
    return tokens * (terms->input_bytes_per_token + terms->output_bytes_per_token);
}

/* Intensity for tokens -> infinity, when only activations are left to move. */
static double gemm_limit(const gemm_terms *terms) {
    return 2 * terms->k * terms->n / (terms->input_bytes_per_token + terms->output_bytes_per_token);
}

roofline_status roofline_gemm(const roofline_gemm_shape *shape, roofline_gemm_result *out, roofline_error *error) {
    roofline_gemm_shape given;
    gemm_terms terms;
    roofline_status status = read_gemm(shape, &given, &terms, error);
    if (status || (status = check_count(given.tokens, 1, TOKENS_LIMIT, "roofline_gemm_shape.tokens", error)) ||
        (status = struct_check(out, "roofline_gemm_result", error)))
        return status;
    double tokens = (double)given.tokens;
    roofline_gemm_result result = {
        .arithmetic = terms.arithmetic,
        .flops = gemm_flops(&terms, tokens),
        .weight_bytes = terms.weight_bytes,
        .activation_bytes = gemm_activation_bytes(&terms, tokens),
        .limit_flop_per_byte = terms.traffic == ROOFLINE_TRAFFIC_STREAMED ? INFINITY : gemm_limit(&terms),
        .traffic = terms.traffic,
    };
    result.bytes = result.weight_bytes + result.activation_bytes;
    result.intensity_flop_per_byte = result.flops / result.bytes;
    struct_write(out, &result, sizeof result);
    return error_clear(error);
}

static double gemm_bound(const gemm_terms *terms, double tokens, double peak, double bandwidth) {
    double compute_s = gemm_flops(terms, tokens) / peak;
    double memory_s = (terms->weight_bytes + gemm_activation_bytes(terms, tokens)) / bandwidth;
    return memory_s > compute_s ? memory_s : compute_s;
}

roofline_status roofline_gemm_many(const roofline_device *device, const roofline_gemm_shape *shape, int64_t count,
                                   const void *tokens, int64_t tokens_stride, void *seconds, int64_t seconds_stride,
                                   int32_t *status, roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "the device is NULL");
    if (count < 0 || (count > 0 && (!tokens || !seconds)))
        return error_set(error, ROOFLINE_ARGUMENT, "count",
                         "count is %lld; it must not be negative, and a column must "
                         "not be NULL unless count is 0",
                         (long long)count);
    roofline_gemm_shape given;
    gemm_terms terms;
    double peak;
    roofline_status result = read_gemm(shape, &given, &terms, error);
    if (result || (result = device_peak(device, terms.arithmetic, "roofline_gemm_shape.arithmetic", &peak, error)))
        return result;
    for (int64_t i = 0; i < count; i++) {
        int64_t rows;
        memcpy(&rows, (const char *)tokens + i * tokens_stride, sizeof rows);
        bool good = rows >= 1 && rows <= TOKENS_LIMIT;
        double value = good ? gemm_bound(&terms, (double)rows, peak, device->spec.memory_bytes_per_s) : NAN;
        memcpy((char *)seconds + i * seconds_stride, &value, sizeof value);
        if (status)
            status[i] = good ? ROOFLINE_OK : ROOFLINE_RANGE;
    }
    return error_clear(error);
}

static bool gemm_is_compute_bound(const gemm_terms *terms, double tokens, double peak, double bandwidth) {
    double bytes = terms->weight_bytes + gemm_activation_bytes(terms, tokens);
    return gemm_flops(terms, tokens) / peak >= bytes / bandwidth;
}

/* Steps by which rounding can be off: the solution is below 2^53 and carries a handful of roundings. */
enum {
    NEAR = 64
};

/* The least whole number of tokens that is compute-bound, near the real solution, whose last digit may be rounded. */
static int64_t least_tokens(const gemm_terms *terms, double solution, double peak, double bandwidth) {
    if (!(solution < EXACT_LIMIT))
        return 0;
    double tokens = ceil(solution);
    if (tokens < 1)
        tokens = 1;
    for (int i = 0; i < NEAR && tokens > 1 && gemm_is_compute_bound(terms, tokens - 1, peak, bandwidth); i++)
        tokens -= 1;
    for (int i = 0; i < NEAR && !gemm_is_compute_bound(terms, tokens, peak, bandwidth); i++)
        tokens += 1;
    return (int64_t)tokens;
}

roofline_status roofline_gemm_crossover(const roofline_device *device, const roofline_gemm_shape *shape,
                                        roofline_crossover_result *out, roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "the device is NULL");
    roofline_gemm_shape given;
    gemm_terms terms;
    double peak;
    roofline_status status = read_gemm(shape, &given, &terms, error);
    if (status || (status = struct_check(out, "roofline_crossover_result", error)) ||
        (status = device_peak(device, terms.arithmetic, "roofline_gemm_shape.arithmetic", &peak, error)))
        return status;
    double bandwidth = device->spec.memory_bytes_per_s;
    double ridge = peak / bandwidth;
    /* Theory 2: intensity(T) = ridge, solved for T; without a positive solution the product never gets there. */
    double headroom = 2 * terms.k * terms.n - ridge * (terms.input_bytes_per_token + terms.output_bytes_per_token);
    roofline_crossover_result result = {
        .answer = headroom > 0 ? ROOFLINE_ANSWER_YES : ROOFLINE_ANSWER_NEVER,
        .tokens_streamed = ridge * terms.weight_element_bytes / 2,
        .tokens_compulsory = headroom > 0 ? ridge * terms.weight_bytes / headroom : NAN,
        .limit_flop_per_byte = gemm_limit(&terms),
        .ridge_flop_per_byte = ridge,
        .arithmetic = terms.arithmetic,
    };
    terms.traffic = ROOFLINE_TRAFFIC_STREAMED;
    result.least_tokens_streamed = least_tokens(&terms, result.tokens_streamed, peak, bandwidth);
    terms.traffic = ROOFLINE_TRAFFIC_COMPULSORY;
    if (headroom > 0)
        result.least_tokens_compulsory = least_tokens(&terms, result.tokens_compulsory, peak, bandwidth);
    struct_write(out, &result, sizeof result);
    return error_clear(error);
}

/* ------------------------------------------------------------------------------------------------- attention -- */

static roofline_status check_heads(const roofline_attention_shape *shape, roofline_error *error) {
    roofline_status status;
    if ((status = check_count(shape->query_heads, 1, HEADS_LIMIT, "roofline_attention_shape.query_heads", error)) ||
        (status = check_count(shape->kv_heads, 1, shape->query_heads, "roofline_attention_shape.kv_heads", error)) ||
        (status = check_count(shape->head_dim, 1, HEADS_LIMIT, "roofline_attention_shape.head_dim", error)) ||
        (status = check_count(shape->value_head_dim, 1, HEADS_LIMIT, "roofline_attention_shape.value_head_dim", error)))
        return status;
    if (shape->query_heads % shape->kv_heads == 0)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_ARGUMENT, "roofline_attention_shape.kv_heads",
                     "%lld KV heads do not divide %lld query heads", (long long)shape->kv_heads,
                     (long long)shape->query_heads);
}

/* Resolves the defaults and checks everything. */
static roofline_status check_attention(roofline_attention_shape *shape, roofline_error *error) {
    if (shape->count == 0)
        shape->count = 1;
    if (shape->value_head_dim == 0)
        shape->value_head_dim = shape->head_dim;
    roofline_status status;
    if ((status = check_count(shape->count, 1, SEQUENCES_LIMIT, "roofline_attention_shape.count", error)) ||
        (status = check_count(shape->new_tokens, 1, TOKENS_LIMIT, "roofline_attention_shape.new_tokens", error)) ||
        (status = check_count(shape->context_tokens, shape->new_tokens, TOKENS_LIMIT,
                              "roofline_attention_shape.context_tokens", error)) ||
        (status =
             check_count(shape->window_tokens, 0, TOKENS_LIMIT, "roofline_attention_shape.window_tokens", error)) ||
        (status = check_heads(shape, error)) ||
        (status = check_traffic(shape->traffic, "roofline_attention_shape.traffic", error)) ||
        (status = resolve_format(&shape->kv_format, "roofline_attention_shape.kv_format", error)) ||
        (status = resolve_format(&shape->activation_format, "roofline_attention_shape.activation_format", error)))
        return status;
    if (shape->arithmetic == ROOFLINE_ARITHMETIC_DEFAULT)
        shape->arithmetic = format_get(shape->activation_format)->arithmetic;
    return check_arithmetic(shape->arithmetic, "roofline_attention_shape.arithmetic", error);
}

roofline_status roofline_attention(const roofline_attention_shape *shape, roofline_attention_result *out,
                                   roofline_error *error) {
    roofline_attention_shape given;
    roofline_status status = struct_read(&given, sizeof given, shape, "roofline_attention_shape", error);
    if (status || (status = check_attention(&given, error)) ||
        (status = struct_check(out, "roofline_attention_result", error)))
        return status;
    double sequences = (double)given.count;
    double fresh = (double)given.new_tokens;
    double context = (double)given.context_tokens;
    double window = (double)given.window_tokens;
    double width = (double)(given.head_dim + given.value_head_dim);
    double heads = (double)given.query_heads;
    roofline_attention_result result = {.arithmetic = given.arithmetic, .traffic = given.traffic};
    result.pairs = sequences * attention_pairs(fresh, context, window);
    result.flops = 2 * heads * result.pairs * width;
    result.kv_read_bytes = sequences * attention_positions(fresh, context, window) * (double)given.kv_heads * width *
                           format_bytes(given.kv_format);
    if (given.traffic == ROOFLINE_TRAFFIC_COMPULSORY)
        result.activation_bytes = sequences * fresh * heads * width * format_bytes(given.activation_format);
    result.bytes = result.kv_read_bytes + result.activation_bytes;
    result.intensity_flop_per_byte = result.flops / result.bytes;
    struct_write(out, &result, sizeof result);
    return error_clear(error);
}
