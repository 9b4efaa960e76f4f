/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of golden/golden.csv through the C interface. Devices are numbers, never a name of the catalogue. */
#include "csv.h"

static const double PEAK = 989.4e12, BANDWIDTH = 3.35e12, GIB = 1073741824;

/* ---------------------------------------------------------------------------------------------------- short calls */

static roofline_device *device_with(double peak, double fp8_peak, double bandwidth) {
    roofline_device_spec spec = h100_spec();
    spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = peak;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP8] = fp8_peak;
    spec.memory_bytes_per_s = bandwidth;
    return device_of(&spec);
}

static double ridge(double peak, double fp8_peak, double bandwidth, roofline_arithmetic arithmetic) {
    roofline_device *device = device_with(peak, fp8_peak, bandwidth);
    roofline_error error;
    double flop_per_byte = NAN;
    expect_ok(roofline_device_ridge(device, arithmetic, &flop_per_byte, &error), &error);
    roofline_device_free(device);
    return flop_per_byte;
}

static roofline_bound_result bound(double flops, double bytes) {
    roofline_device *device = h100();
    roofline_work work = {sizeof work, ROOFLINE_ARITHMETIC_BF16, flops, bytes};
    roofline_bound_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_bound(device, &work, &result, &error), &error);
    roofline_device_free(device);
    return result;
}

static roofline_gemm_result gemm(int64_t tokens, int64_t k, int64_t n) {
    roofline_gemm_shape shape = {.struct_size = sizeof shape, .tokens = tokens, .k = k, .n = n};
    roofline_gemm_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_gemm(&shape, &result, &error), &error);
    return result;
}

static roofline_crossover_result crossover(int64_t d, roofline_format weights, roofline_format activations) {
    roofline_device *device = h100();
    roofline_gemm_shape shape = {
        .struct_size = sizeof shape, .k = d, .n = d, .weight_format = weights, .input_format = activations};
    roofline_crossover_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_gemm_crossover(device, &shape, &result, &error), &error);
    roofline_device_free(device);
    return result;
}

static double attention_intensity(int64_t heads, int64_t kv_heads) {
    roofline_attention_shape shape = {.struct_size = sizeof shape,
                                      .traffic = ROOFLINE_TRAFFIC_STREAMED,
                                      .new_tokens = 1,
                                      .context_tokens = 8192,
                                      .query_heads = heads,
                                      .kv_heads = kv_heads,
                                      .head_dim = 128};
    roofline_attention_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_attention(&shape, &result, &error), &error);
    return result.intensity_flop_per_byte;
}

static roofline_model_info_result model_info(void) {
    roofline_model *model = llama_8b();
    roofline_model_info_result info = {.struct_size = sizeof info};
    roofline_error error;
    expect_ok(roofline_model_info(model, &info, &error), &error);
    roofline_model_free(model);
    return info;
}

static roofline_plan *streamed_plan(double peak) {
    roofline_deployment deployment = usual_deployment();
    deployment.traffic = ROOFLINE_TRAFFIC_STREAMED;
    return plan_of(device_with(peak, 2 * peak, BANDWIDTH), llama_8b(), &deployment);
}

static roofline_step_result step(double peak, int64_t batch, int64_t new_tokens, int64_t context) {
    roofline_plan *plan = streamed_plan(peak);
    roofline_sequences group = sequences_of(batch, new_tokens, context);
    roofline_step_result result = step_of(plan, &group, 1);
    roofline_plan_free(plan);
    return result;
}

static roofline_step_result decode(int64_t batch, int64_t context) {
    return step(PEAK, batch, 1, context);
}

/* The second text rounds the peak to 989. */
static roofline_step_result rounded(int64_t batch) {
    return step(989e12, batch, 1, 8192);
}

/* Sums of one column over the rows of a group, of 8 decodes over 8192 positions. */
static double table_sum(roofline_kernel_group group, size_t field) {
    roofline_plan *plan = streamed_plan(989e12);
    roofline_sequences decodes = sequences_of(8, 1, 8192);
    roofline_kernel table[16];
    size_t count = 0;
    roofline_error error;
    expect_ok(roofline_step_kernels(plan, &decodes, 1, sizeof decodes, table, 16, sizeof *table, &count, &error),
              &error);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, (const char *)&table[i] + field, sizeof value);
        sum += table[i].group == group ? value : 0;
    }
    roofline_plan_free(plan);
    return sum;
}

/* 64 sequences at 8192 with 4 GB held back, or the pool of the first text: 0.92 of 79.65 GiB less 6 GiB. */
static roofline_memory_result memory(int pool) {
    roofline_deployment deployment = usual_deployment();
    deployment.activation_bytes = 0;
    deployment.reserve_bytes = pool ? (int64_t)(6 * GIB) : 4000000000;
    deployment.memory_fraction = pool ? 0.92 : 0.9;
    deployment.capacity_bytes = pool ? (int64_t)(79.65 * GIB) : 80000000000;
    if (pool)
        deployment.output_slots = 0; /* the text divides tokens by 8192 */
    roofline_plan *plan = plan_of(h100(), llama_8b(), &deployment);
    roofline_memory_query query = {.struct_size = sizeof query, .context_tokens = 8192, .sequences = pool ? 0 : 64};
    roofline_memory_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_memory(plan, &query, &result, &error), &error);
    roofline_plan_free(plan);
    return result;
}

static roofline_compose_result compose(const roofline_work *rows, size_t count) {
    roofline_device *device = h100();
    roofline_compose_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_compose(device, rows, count, sizeof *rows, &result, &error), &error);
    roofline_device_free(device);
    return result;
}

/* -------------------------------------------------------------------------------------------------- a row, a figure */

static double ridge_bf16_h100(void) {
    return ridge(PEAK, 2 * PEAK, BANDWIDTH, ROOFLINE_ARITHMETIC_BF16);
}
static double ridge_bf16_h100_rounded(void) {
    return ridge(989e12, 0, BANDWIDTH, ROOFLINE_ARITHMETIC_BF16);
}
static double ridge_fp8_h100(void) {
    return ridge(PEAK, 1978.8e12, BANDWIDTH, ROOFLINE_ARITHMETIC_FP8);
}
static double ridge_bf16_h200(void) {
    return ridge(PEAK, 2 * PEAK, 4.8e12, ROOFLINE_ARITHMETIC_BF16);
}
static double gemm_limit_d4096(void) {
    return gemm(1, 4096, 4096).limit_flop_per_byte;
}
static double gemm_limit_over_ridge(void) {
    roofline_crossover_result result = crossover(4096, 0, 0);
    return result.limit_flop_per_byte / result.ridge_flop_per_byte;
}
static double gemm_crossover_d4096(void) {
    return crossover(4096, 0, 0).tokens_compulsory;
}
static double gemm_never_width(void) {
    int64_t widest = 0;
    for (int64_t d = 1; d <= 4096; d++)
        if (crossover(d, 0, 0).answer == ROOFLINE_ANSWER_NEVER)
            widest = d;
    return (double)widest;
}
static double gemv_qkv_flops(void) {
    return gemm(1, 4096, 6144).flops;
}
static double gemv_qkv_bytes(void) {
    return gemm(1, 4096, 6144).bytes;
}
static double gemv_qkv_intensity(void) {
    return gemm(1, 4096, 6144).intensity_flop_per_byte;
}
static double gemv_fraction_of_peak(void) {
    return 100 * bound(1, 1).fraction_of_peak;
}
static double gemv_fp8_fraction_of_peak(void) {
    return 100 * bound(2, 1).fraction_of_peak;
}
static double attn_intensity_gqa4(void) {
    return attention_intensity(32, 8);
}
static double attn_intensity_mha(void) {
    return attention_intensity(32, 32);
}
static double attn_intensity_mqa32(void) {
    return attention_intensity(32, 1);
}
static double attn_left_of_ridge(void) {
    return ridge_bf16_h100() / attention_intensity(32, 8);
}
static double params_per_layer_8b(void) {
    roofline_model_info_result info = model_info();
    return (double)(info.parameters_streamed - info.hidden * info.vocab) / (double)info.layers;
}
static double params_streamed_8b(void) {
    return (double)model_info().parameters_streamed;
}
static double params_total_8b(void) {
    return (double)model_info().parameters_total;
}
static double bytes_streamed_8b(void) {
    return (double)model_info().weight_bytes_streamed / 1e9;
}
static double bytes_resident_8b(void) {
    return (double)model_info().weight_bytes_resident / 1e9;
}
static double bytes_resident_8b_gib(void) {
    return (double)model_info().weight_bytes_resident / GIB;
}
static double kv_per_token_8b(void) {
    return (double)model_info().kv_bytes_per_token;
}
/* The gather reads a row of the table and writes it: the difference of compulsory and streamed is twice the row. */
static double embedding_row(void) {
    roofline_plan *plan = plan_of(h100(), llama_8b(), NULL);
    roofline_sequences one = sequences_of(1, 1, 1);
    roofline_kernel table[16];
    size_t count = 0;
    roofline_error error;
    expect_ok(roofline_step_kernels(plan, &one, 1, sizeof one, table, 16, sizeof *table, &count, &error), &error);
    ck_assert_int_eq(table[0].kind, ROOFLINE_KERNEL_EMBEDDING);
    roofline_plan_free(plan);
    return table[0].activation_bytes / 2;
}
static double decode_floor_b1(void) {
    return 1e3 * bound(0, (double)model_info().weight_bytes_streamed).bound_s;
}
static double decode_rate_b1(void) {
    return 1 / bound(0, (double)model_info().weight_bytes_streamed).bound_s;
}
static double decode_b1_s1024_bytes(void) {
    return decode(1, 1024).bytes / 1e9;
}
static double decode_b1_s1024_time(void) {
    return 1e3 * decode(1, 1024).aggregate_s;
}
static double decode_b1_s1024_rate(void) {
    return 1 / decode(1, 1024).aggregate_s;
}
static double decode_b64_s1024_bytes(void) {
    return decode(64, 1024).bytes / 1e9;
}
static double decode_b64_s1024_time(void) {
    return 1e3 * decode(64, 1024).aggregate_s;
}
static double decode_b64_s1024_rate(void) {
    return 64 / decode(64, 1024).aggregate_s;
}
static double decode_limit_intensity_s8192(void) {
    return decode(1 << 24, 8192).intensity_flop_per_byte;
}
static double decode_kv_bytes_s8192(void) {
    return decode(1, 8192).kv_read_bytes / 1e9;
}
static double decode_rate_limit_s8192(void) {
    return 1 / bound(0, decode(1, 8192).kv_read_bytes).bound_s;
}
static double step_b8_s8192_linear(void) {
    return 1e3 * rounded(8).linear_s;
}
static double step_b8_s8192_linear_compute(void) {
    return 1e3 * table_sum(ROOFLINE_GROUP_LINEAR, offsetof(roofline_kernel, compute_s));
}
static double step_b8_s8192_attention_bytes(void) {
    return table_sum(ROOFLINE_GROUP_ATTENTION, offsetof(roofline_kernel, bytes)) / 1e9;
}
static double step_b8_s8192_attention_flops(void) {
    return table_sum(ROOFLINE_GROUP_ATTENTION, offsetof(roofline_kernel, flops)) / 1e9;
}
static double step_b8_s8192_attention(void) {
    return 1e3 * rounded(8).attention_s;
}
static double step_b8_s8192(void) {
    return 1e3 * rounded(8).phase_s;
}
static double step_b8_s8192_rate(void) {
    return rounded(8).tokens_per_s;
}
static double step_b8_s8192_rate_per_sequence(void) {
    return rounded(8).tokens_per_s_per_sequence;
}
static double step_b32_s8192_attention(void) {
    return 1e3 * rounded(32).attention_s;
}
static double step_b32_s8192(void) {
    return 1e3 * rounded(32).phase_s;
}
static double step_b32_s8192_rate(void) {
    return rounded(32).tokens_per_s;
}
static double step_b32_s8192_rate_per_sequence(void) {
    return rounded(32).tokens_per_s_per_sequence;
}
static double memory_b64_s8192(void) {
    return (double)memory(0).required_bytes / 1e9;
}
static double memory_budget_h100(void) {
    return (double)memory(0).budget_bytes / 1e9;
}
/* "no: KV capacity" is told as NaN; any other answer is a number. */
static double memory_b64_s8192_fits(void) {
    roofline_memory_result result = memory(0);
    return !result.fits && result.reason == ROOFLINE_REASON_KV ? NAN : result.reason;
}
static double pool_h100_gib(void) {
    return (double)memory(1).pool_bytes / GIB;
}
static double pool_h100_tokens(void) {
    return (double)memory(1).pool_tokens;
}
static double pool_h100_sequences_8k(void) {
    return (double)memory(1).max_sequences;
}
static double crossover_w8a8(void) {
    return crossover(4096, ROOFLINE_FORMAT_FP8, ROOFLINE_FORMAT_FP8).tokens_streamed;
}
static double crossover_w8a16(void) {
    return crossover(4096, ROOFLINE_FORMAT_FP8, ROOFLINE_FORMAT_BF16).tokens_streamed;
}
static double two_kernels(void) {
    const roofline_work rows[] = {{sizeof *rows, ROOFLINE_ARITHMETIC_BF16, 3e-3 * PEAK, 0},
                                  {sizeof *rows, ROOFLINE_ARITHMETIC_BF16, 0, 4e-3 * BANDWIDTH}};
    return 1e3 * compose(rows, 2).kernel_s;
}
static double two_kernels_aggregate(void) {
    const roofline_work rows[] = {{sizeof *rows, ROOFLINE_ARITHMETIC_BF16, 3e-3 * PEAK, 0},
                                  {sizeof *rows, ROOFLINE_ARITHMETIC_BF16, 0, 4e-3 * BANDWIDTH}};
    return 1e3 * compose(rows, 2).aggregate_s;
}
static double order_decode_b512_s1024_aggregate(void) {
    return 1e3 * decode(512, 1024).aggregate_s;
}
static double order_decode_b512_s1024_phase(void) {
    return 1e3 * decode(512, 1024).phase_s;
}
static double order_decode_b512_s1024_kernel(void) {
    return 1e3 * decode(512, 1024).kernel_s;
}
static double order_decode_b300_s1024_aggregate(void) {
    return 1e3 * decode(300, 1024).aggregate_s;
}
static double order_decode_b300_s1024_phase(void) {
    return 1e3 * decode(300, 1024).phase_s;
}
static double order_prefill_300_aggregate(void) {
    return 1e3 * step(PEAK, 1, 300, 300).aggregate_s;
}
static double order_prefill_300_phase(void) {
    return 1e3 * step(PEAK, 1, 300, 300).phase_s;
}
static double order_prefill_300_kernel(void) {
    return 1e3 * step(PEAK, 1, 300, 300).kernel_s;
}

#define FIGURE(name)                                                                                                   \
    { #name, name }
static const struct {
    const char *id;
    double (*figure)(void);
} figures[] = {
    FIGURE(ridge_bf16_h100),
    FIGURE(ridge_bf16_h100_rounded),
    FIGURE(ridge_fp8_h100),
    FIGURE(ridge_bf16_h200),
    FIGURE(gemm_limit_d4096),
    FIGURE(gemm_limit_over_ridge),
    FIGURE(gemm_crossover_d4096),
    FIGURE(gemm_never_width),
    FIGURE(gemv_qkv_flops),
    FIGURE(gemv_qkv_bytes),
    FIGURE(gemv_qkv_intensity),
    FIGURE(gemv_fraction_of_peak),
    FIGURE(gemv_fp8_fraction_of_peak),
    FIGURE(attn_intensity_gqa4),
    FIGURE(attn_intensity_mha),
    FIGURE(attn_intensity_mqa32),
    FIGURE(attn_left_of_ridge),
    FIGURE(params_per_layer_8b),
    FIGURE(params_streamed_8b),
    FIGURE(params_total_8b),
    FIGURE(bytes_streamed_8b),
    FIGURE(bytes_resident_8b),
    FIGURE(bytes_resident_8b_gib),
    FIGURE(kv_per_token_8b),
    FIGURE(embedding_row),
    FIGURE(decode_floor_b1),
    FIGURE(decode_rate_b1),
    FIGURE(decode_b1_s1024_bytes),
    FIGURE(decode_b1_s1024_time),
    FIGURE(decode_b1_s1024_rate),
    FIGURE(decode_b64_s1024_bytes),
    FIGURE(decode_b64_s1024_time),
    FIGURE(decode_b64_s1024_rate),
    FIGURE(decode_limit_intensity_s8192),
    FIGURE(decode_kv_bytes_s8192),
    FIGURE(decode_rate_limit_s8192),
    FIGURE(step_b8_s8192_linear),
    FIGURE(step_b8_s8192_linear_compute),
    FIGURE(step_b8_s8192_attention_bytes),
    FIGURE(step_b8_s8192_attention_flops),
    FIGURE(step_b8_s8192_attention),
    FIGURE(step_b8_s8192),
    FIGURE(step_b8_s8192_rate),
    FIGURE(step_b8_s8192_rate_per_sequence),
    FIGURE(step_b32_s8192_attention),
    FIGURE(step_b32_s8192),
    FIGURE(step_b32_s8192_rate),
    FIGURE(step_b32_s8192_rate_per_sequence),
    FIGURE(memory_b64_s8192),
    FIGURE(memory_budget_h100),
    FIGURE(memory_b64_s8192_fits),
    FIGURE(pool_h100_gib),
    FIGURE(pool_h100_tokens),
    FIGURE(pool_h100_sequences_8k),
    FIGURE(crossover_w8a8),
    FIGURE(crossover_w8a16),
    FIGURE(two_kernels),
    FIGURE(two_kernels_aggregate),
    FIGURE(order_decode_b512_s1024_aggregate),
    FIGURE(order_decode_b512_s1024_phase),
    FIGURE(order_decode_b512_s1024_kernel),
    FIGURE(order_decode_b300_s1024_aggregate),
    FIGURE(order_decode_b300_s1024_phase),
    FIGURE(order_prefill_300_aggregate),
    FIGURE(order_prefill_300_phase),
    FIGURE(order_prefill_300_kernel),
};
enum {
    FIGURES = sizeof figures / sizeof *figures
};

/* --------------------------------------------------------------------------------------------------- the comparison */

static void expect_figure(const csv_file *file, double actual) {
    const char *tolerance = csv_text(file, "tolerance");
    if (csv_is(file, "derived", "no")) {
        ck_assert_msg(isnan(actual), "%s", file->line);
        return;
    }
    double stated = csv_number(file, "stated");
    if (strcmp(tolerance, "exact floor") == 0) {
        ck_assert_msg(actual == stated && floor(csv_number(file, "derived")) == stated, "%.17g: %s", actual,
                      file->line);
        return;
    }
    char *kind;
    double allowed = strtod(tolerance, &kind);
    if (strcmp(tolerance, "exact") == 0)
        allowed = 1e-13 * stated; /* the rounding of doubles */
    else if (strcmp(kind, " rel") == 0)
        allowed *= stated;
    else
        ck_assert_msg(strcmp(kind, " abs") == 0, "a tolerance of another kind: %s", file->line);
    ck_assert_msg(fabs(actual - stated) <= allowed, "%.17g: %s", actual, file->line);
}

/* The hand derivation has ten digits, except where it starts from rounded figures or goes to a limit. */
static int derived_is_rounded(const csv_file *file) {
    static const char *const ids[] = {
        "pool_h100_gib",                /* subtracts weights of 14.96 GiB; they are 14.9575 */
        "pool_h100_tokens",             /* that pool in tokens; the library counts whole blocks */
        "pool_h100_sequences_8k",       /* not rounded down */
        "decode_limit_intensity_s8192", /* of an endless batch */
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (csv_is(file, "id", ids[i]))
            return 1;
    return csv_is(file, "derived", "no");
}

static void expect_derivation(const csv_file *file, double actual) {
    if (derived_is_rounded(file))
        return;
    double derived = csv_number(file, "derived");
    ck_assert_msg(fabs(actual - derived) <= 1e-9 * derived, "%.17g: %s", actual, file->line);
}

START_TEST(golden_rows) {
    csv_file file;
    int rows = 0;
    csv_open(&file, "golden", "golden.csv");
    while (csv_next(&file)) {
        size_t i = 0;
        while (i < FIGURES && !csv_is(&file, "id", figures[i].id))
            i++;
        ck_assert_msg(i < FIGURES, "no figure is worked out for %s", file.line);
        double actual = figures[i].figure();
        expect_figure(&file, actual);
        expect_derivation(&file, actual);
        rows++;
    }
    ck_assert_int_eq(rows, FIGURES);
    printf("golden.csv: %d rows\n", rows);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {golden_rows};
    return run_tests("golden", tests, sizeof tests / sizeof *tests);
}
