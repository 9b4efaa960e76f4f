/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No measured kernel is faster than its bound, without any tolerance. What the rows are and how each is read stands in
 * data/measured/README.md.
 */
#include "csv.h"

/* A row of a file as work and time; 0 when the row is neither a product nor attention. */
typedef int (*row_reader)(const csv_file *file, roofline_work *work, double *seconds);

static roofline_work gemm_work(int64_t tokens, int64_t k, int64_t n, roofline_format inputs, roofline_format output) {
    roofline_gemm_shape shape = {.struct_size = sizeof shape,
                                 .tokens = tokens,
                                 .k = k,
                                 .n = n,
                                 .weight_format = inputs,
                                 .input_format = inputs,
                                 .output_format = output};
    roofline_gemm_result gemm = {.struct_size = sizeof gemm};
    roofline_error error;
    expect_ok(roofline_gemm(&shape, &gemm, &error), &error);
    return (roofline_work){sizeof(roofline_work), gemm.arithmetic, gemm.flops, gemm.bytes};
}

typedef struct heads {
    int64_t query, kv, dim;
} heads;

static roofline_work attention_work(int64_t batch, int64_t new_tokens, int64_t context, heads heads,
                                    roofline_format kv) {
    roofline_attention_shape shape = {.struct_size = sizeof shape,
                                      .count = batch,
                                      .new_tokens = new_tokens,
                                      .context_tokens = context,
                                      .query_heads = heads.query,
                                      .kv_heads = heads.kv,
                                      .head_dim = heads.dim,
                                      .kv_format = kv};
    roofline_attention_result attention = {.struct_size = sizeof attention};
    roofline_error error;
    expect_ok(roofline_attention(&shape, &attention, &error), &error);
    return (roofline_work){sizeof(roofline_work), attention.arithmetic, attention.flops, attention.bytes};
}

static double microseconds(const csv_file *file, const char *column) {
    return csv_number(file, column) * 1e-6;
}

static int read_aic_gemm(const csv_file *file, roofline_work *work, double *seconds) {
    int wide = csv_is(file, "dtype_gemm", "bfloat16");
    ck_assert(wide || csv_is(file, "dtype_gemm", "fp8") || csv_is(file, "dtype_gemm", "fp8_block"));
    *work = gemm_work(csv_integer(file, "tokens_m"), csv_integer(file, "k"), csv_integer(file, "n"),
                      wide ? ROOFLINE_FORMAT_BF16 : ROOFLINE_FORMAT_FP8, ROOFLINE_FORMAT_BF16);
    *seconds = microseconds(file, "time_us");
    return 1;
}

static int read_aic_attention(const csv_file *file, roofline_work *work, double *seconds) {
    heads heads = {csv_integer(file, "n_q_heads"), csv_integer(file, "n_kv_heads"), csv_integer(file, "head_dim")};
    int wide = csv_is(file, "dtype_kv", "bfloat16");
    ck_assert(csv_is(file, "dtype_attn", "bfloat16") && (wide || csv_is(file, "dtype_kv", "fp8")));
    *work = attention_work(csv_integer(file, "batch"), csv_integer(file, "query_tokens_per_seq"),
                           csv_integer(file, "context_len"), heads, wide ? ROOFLINE_FORMAT_BF16 : ROOFLINE_FORMAT_FP8);
    *seconds = microseconds(file, "time_us");
    return 1;
}

static int read_vidur_gemm(const csv_file *file, roofline_work *work, double *seconds) {
    ck_assert(csv_is(file, "dtype", "fp16"));
    *work = gemm_work(csv_integer(file, "tokens"), csv_integer(file, "k"), csv_integer(file, "n"), ROOFLINE_FORMAT_FP16,
                      ROOFLINE_FORMAT_FP16);
    *seconds = microseconds(file, "time_us_min");
    return 1;
}

static int read_llmcompass_gemm(const csv_file *file, roofline_work *work, double *seconds) {
    ck_assert(csv_is(file, "dtype", "16bit"));
    *work = gemm_work(csv_integer(file, "tokens_m"), csv_integer(file, "k"), csv_integer(file, "n"),
                      ROOFLINE_FORMAT_FP16, ROOFLINE_FORMAT_FP16);
    *seconds = microseconds(file, "time_us_wall");
    return 1;
}

/* The batched products of attention, [n, d] x [d, s] and [n, s] x [s, d] a head, each reading and writing its matrices. */
static roofline_work batched_work(double products, double rows, double inner, double columns) {
    return (roofline_work){sizeof(roofline_work), ROOFLINE_ARITHMETIC_FP16, 2 * products * rows * inner * columns,
                           2 * products * (rows * inner + inner * columns + rows * columns)};
}

static int read_llmcompass_layer(const csv_file *file, roofline_work *work, double *seconds) {
    int64_t hidden = csv_integer(file, "d_model"), gpus = csv_integer(file, "num_gpus_tp");
    int64_t sequences = csv_integer(file, "batch"), prompt = csv_integer(file, "query_tokens");
    int64_t tokens = sequences * prompt, shard = hidden / gpus;
    int64_t products = sequences * csv_integer(file, "n_heads") / gpus;
    double head_dim = (double)(hidden / csv_integer(file, "n_heads")), length = (double)prompt;
    const roofline_format fp16 = ROOFLINE_FORMAT_FP16;
    ck_assert(csv_is(file, "dtype", "fp16"));
    *seconds = microseconds(file, "time_us_wall");
    if (csv_is(file, "op", "qkv_proj"))
        *work = gemm_work(tokens, hidden, 3 * shard, fp16, fp16);
    else if (csv_is(file, "op", "q_mul_k"))
        *work = batched_work((double)products, length, head_dim, length);
    else if (csv_is(file, "op", "a_mul_v"))
        *work = batched_work((double)products, length, length, head_dim);
    else if (csv_is(file, "op", "o_proj"))
        *work = gemm_work(tokens, shard, hidden, fp16, fp16);
    else if (csv_is(file, "op", "w1_proj"))
        *work = gemm_work(tokens, hidden, 4 * shard, fp16, fp16);
    else if (csv_is(file, "op", "w2_proj"))
        *work = gemm_work(tokens, 4 * shard, hidden, fp16, fp16);
    else
        return 0;
    return 1;
}

static int read_infersim_gemm(const csv_file *file, roofline_work *work, double *seconds) {
    ck_assert(csv_is(file, "dtype_gemm", "fp8"));
    *work = gemm_work(csv_integer(file, "tokens_m"), csv_integer(file, "k"), csv_integer(file, "n"),
                      ROOFLINE_FORMAT_FP8, ROOFLINE_FORMAT_BF16);
    *seconds = microseconds(file, "time_us");
    return 1;
}

/*
 * Latent attention with h heads, rank r, rope p, nope q and value dv, 2 bytes an element:
 * absorbed (decode):   F = 2 h pairs (2 r + p),       Q = 2 (s (r + p) + n h ((r + p) + r))
 * expanded (prefill):  F = 2 h pairs (q + p + dv),    Q = 2 (s (h (q + dv) + p) + n h (q + p + dv))
 */
static roofline_work latent_work(const csv_file *file, int decode) {
    double h = csv_number(file, "name_part1_q_heads"), batch = csv_number(file, "batch");
    double inner = csv_number(file, "name_part2"), p = csv_number(file, "name_part3");
    double s = csv_number(file, "context_len"), n = decode ? 1 : s;
    double pairs = n * (s - n) + n * (n + 1) / 2;
    double width = 2 * inner + p; /* r + p + r, or q + p + dv with dv = q */
    double cache = decode ? s * (inner + p) : s * (h * 2 * inner + p);
    return (roofline_work){sizeof(roofline_work), ROOFLINE_ARITHMETIC_BF16, batch * 2 * h * pairs * width,
                           batch * 2 * (cache + n * h * width)};
}

static int read_infersim_attention(const csv_file *file, roofline_work *work, double *seconds) {
    int decode = csv_is(file, "phase", "decode");
    ck_assert(csv_is(file, "dtype", "bf16") && csv_is(file, "dtype_kv", "bf16"));
    *seconds = microseconds(file, "time_us");
    if (csv_is(file, "attn_kind", "mla")) {
        *work = latent_work(file, decode);
        return 1;
    }
    ck_assert(csv_is(file, "attn_kind", "mha"));
    heads heads = {csv_integer(file, "name_part1_q_heads"), csv_integer(file, "name_part2"),
                   csv_integer(file, "name_part3")};
    int64_t context = csv_integer(file, "context_len");
    *work = attention_work(csv_integer(file, "batch"), decode ? 1 : context, context, heads, ROOFLINE_FORMAT_BF16);
    return 1;
}

/* Rows processed follow from the reported utilisation; see the README for how many experts that reads. */
static roofline_work grouped_work(const csv_file *file, double seconds, double utilisation, double k, double n) {
    const double reported_peak = 1979e12;
    double rows = utilisation * reported_peak * seconds / (2 * k * n);
    int may_be_idle = csv_is(file, "phase", "decode") && csv_is(file, "tokens_per_expert", "1");
    double experts = may_be_idle ? rows : csv_number(file, "num_local_experts");
    return (roofline_work){sizeof(roofline_work), ROOFLINE_ARITHMETIC_FP8, 2 * rows * k * n,
                           experts * k * n + rows * k + 2 * rows * n};
}

static int read_grouped_up(const csv_file *file, roofline_work *work, double *seconds) {
    *seconds = microseconds(file, "up_proj_us");
    *work = grouped_work(file, *seconds, csv_number(file, "up_mfu_reported"), csv_number(file, "hidden"),
                         2 * csv_number(file, "moe_intermediate"));
    return 1;
}

static int read_grouped_down(const csv_file *file, roofline_work *work, double *seconds) {
    *seconds = microseconds(file, "down_proj_us");
    *work = grouped_work(file, *seconds, csv_number(file, "down_mfu_reported"), csv_number(file, "moe_intermediate"),
                         csv_number(file, "hidden"));
    return 1;
}

static int read_llmservingsim_gemm(const csv_file *file, roofline_work *work, double *seconds) {
    if (*csv_text(file, "k") == '\0')
        return 0;
    ck_assert(csv_is(file, "dtype", "bf16"));
    *work = gemm_work(csv_integer(file, "tokens"), csv_integer(file, "k"), csv_integer(file, "n"), ROOFLINE_FORMAT_BF16,
                      ROOFLINE_FORMAT_BF16);
    *seconds = microseconds(file, "time_us");
    return 1;
}

static int read_llmservingsim_attention(const csv_file *file, roofline_work *work, double *seconds) {
    heads heads = {csv_integer(file, "n_q_heads"), csv_integer(file, "n_kv_heads"), csv_integer(file, "head_dim")};
    int64_t new_tokens = csv_integer(file, "query_tokens_per_seq"), context = csv_integer(file, "kv_len_column");
    if (csv_is(file, "phase", "prefill"))
        context += new_tokens; /* the column counts what was cached before the chunk */
    ck_assert(csv_is(file, "dtype", "bf16"));
    *work = attention_work(csv_integer(file, "batch"), new_tokens, context, heads, ROOFLINE_FORMAT_BF16);
    *seconds = microseconds(file, "time_us");
    return 1;
}

typedef struct source {
    const char *file;
    const char *device;
    row_reader read;
    int rows; /* products and attention in the file */
} source;

static const source server_sources[] = {
    {"aic_gemm_a100.csv", "a100-sxm-80", read_aic_gemm, 770},
    {"aic_gemm_h100.csv", "h100-sxm", read_aic_gemm, 2310},
    {"aic_attention_decode_a100.csv", "a100-sxm-80", read_aic_attention, 722},
    {"aic_attention_decode_h100.csv", "h100-sxm", read_aic_attention, 1446},
    {"aic_attention_prefill_a100.csv", "a100-sxm-80", read_aic_attention, 646},
    {"aic_attention_prefill_h100.csv", "h100-sxm", read_aic_attention, 1292},
    {"vidur_gemm_a100.csv", "a100-sxm-80", read_vidur_gemm, 1408},
    {"llmcompass_matmul_a100.csv", "a100-sxm-80", read_llmcompass_gemm, 20},
    {"llmcompass_layer_prefill_a100x4.csv", "a100-sxm-80", read_llmcompass_layer, 6},
    {"infersim_gemm_h800.csv", "h800-sxm", read_infersim_gemm, 110},
    {"infersim_attention_h800.csv", "h800-sxm", read_infersim_attention, 333},
    {"infersim_grouped_gemm_h800.csv", "h800-sxm", read_grouped_up, 71},
    {"infersim_grouped_gemm_h800.csv", "h800-sxm", read_grouped_down, 71},
};

static const source consumer_sources[] = {
    {"llmservingsim_ops_rtx4090.csv", "rtx-4090", read_llmservingsim_gemm, 648},
    {"llmservingsim_attention_rtx4090.csv", "rtx-4090", read_llmservingsim_attention, 195},
};

static roofline_device *open_device(const char *id) {
    roofline_device *device = NULL;
    roofline_error error;
    expect_ok(roofline_device_open(id, &device, &error), &error);
    return device;
}

static roofline_bound_result bound_of(const roofline_device *device, const roofline_work *work) {
    roofline_bound_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_bound(device, work, &result, &error), &error);
    return result;
}

/* What a file shows: how many rows, how many beat the bound and why, and the row closest to it (or furthest below). */
typedef struct tally {
    int rows;
    int below;          /* faster than the datasheet's bound */
    int below_resident; /* of those: the library says that they fit into the cache */
    int unexplained;    /* not resident, and faster than the card at its highest clock too */
    double least;
    char least_row[CSV_LINE];
} tally;

static void count_row(tally *tally, const csv_file *file, double seconds, const roofline_bound_result *bound,
                      double highest_clock_bound_s) {
    double ratio = seconds / bound->bound_s;
    tally->rows++;
    if (tally->rows == 1 || ratio < tally->least) {
        tally->least = ratio;
        memcpy(tally->least_row, file->line, sizeof tally->least_row);
    }
    if (seconds >= bound->bound_s)
        return;
    tally->below++;
    if (bound->cache_resident)
        tally->below_resident++;
    else if (seconds < highest_clock_bound_s)
        tally->unexplained++;
}

/* fastest: the same card at the highest clock that it can be run at, NULL where the datasheet's clock is that. */
static tally tally_of(const source *source, const roofline_device *fastest) {
    tally tally = {0};
    csv_file file;
    roofline_device *device = open_device(source->device);
    csv_open(&file, "data/measured", source->file);
    while (csv_next(&file)) {
        roofline_work work;
        double seconds;
        if (!source->read(&file, &work, &seconds))
            continue;
        roofline_bound_result bound = bound_of(device, &work);
        count_row(&tally, &file, seconds, &bound, fastest ? bound_of(fastest, &work).bound_s : bound.bound_s);
    }
    roofline_device_free(device);
    printf("%-36s %5d rows, least measured/bound %.4f: %s\n", source->file, tally.rows, tally.least, tally.least_row);
    if (tally.below)
        printf("%-36s %5d of them below the datasheet's bound, %d cache-resident\n", "", tally.below,
               tally.below_resident);
    ck_assert_int_eq(tally.rows, source->rows);
    return tally;
}

START_TEST(no_server_kernel_is_faster_than_its_bound) {
    for (size_t i = 0; i < sizeof server_sources / sizeof *server_sources; i++) {
        tally tally = tally_of(&server_sources[i], NULL);
        ck_assert_msg(tally.below == 0, "%s: %d rows are faster than the bound, first of all %s",
                      server_sources[i].file, tally.below, tally.least_row);
    }
}
END_TEST

/*
 * On a consumer card a row may beat the datasheet's bound for one of two reasons that are computed, never listed: the
 * library says that the kernel's bytes fit into the cache, or the card's clock was above the one its datasheet's peak is
 * stated at. At the highest clock that the driver lists, no other row is faster.
 */
START_TEST(faster_consumer_kernels_are_resident_or_above_the_stated_clock) {
    char path[CSV_LINE];
    roofline_device *fastest = NULL;
    roofline_error error;
    snprintf(path, sizeof path, "%s/data/devices/rtx-4090-highest-clock.json", tests_folder());
    expect_ok(roofline_device_load(path, &fastest, &error), &error);
    for (size_t i = 0; i < sizeof consumer_sources / sizeof *consumer_sources; i++) {
        tally tally = tally_of(&consumer_sources[i], fastest);
        ck_assert_msg(tally.unexplained == 0, "%s: %d rows are faster than the bound, first of all %s",
                      consumer_sources[i].file, tally.unexplained, tally.least_row);
    }
    roofline_device_free(fastest);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        no_server_kernel_is_faster_than_its_bound,
        faster_consumer_kernels_are_resident_or_above_the_stated_clock,
    };
    return run_tests("measured", tests, sizeof tests / sizeof *tests);
}
