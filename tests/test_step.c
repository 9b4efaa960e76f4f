/* SPDX-License-Identifier: Apache-2.0 */
/* One engine step: times, bytes by kind, the kernel table, many steps at once. The small model is derived in fixtures.h. */
#define _DEFAULT_SOURCE /* mmap of memory without a file */
#include "fixtures.h"

#include <sys/mman.h>
#include <unistd.h>

static roofline_plan *small_plan(roofline_traffic traffic) {
    roofline_deployment deployment = {.struct_size = sizeof deployment, .traffic = traffic};
    return plan_of(small_device(), small_model(), &deployment);
}

static double picoseconds(double seconds) {
    return 1e12 * seconds;
}

/* ------------------------------------------------------------------------------------------------- by hand, times -- */

/*
 * Three decodes over 10 positions: T = R = 3, 30 pairs. F and Q of one layer, and picoseconds of F/2 and Q:
 *   qkv 1536, 752: 768 / 752     attention 1920, 1152: 960 / 1152     output 768, 400: 384 / 400
 *   gate and up 960, 428: 480 / 428     down 480, 268: 240 / 268
 * logits 1536, 752: 768 / 752; embedding 0, 96: 0 / 96.
 * kernel    2 (768 + 1152 + 400 + 480 + 268) + 768 + 96 = 7000
 * compute   2 (768 + 960 + 384 + 480 + 240) + 768 = 6432
 * memory    2 (752 + 1152 + 400 + 428 + 268) + 752 + 96 = 6848
 * linear    max(4512, 4544); attention max(1920, 2304); memory-bound kernels 2 (1152 + 400 + 268) + 96 = 3736.
 */
START_TEST(decode_by_hand) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_step_result step = step_of(plan, &decode, 1);
    ck_assert_close(picoseconds(step.kernel_s), 7000);
    ck_assert_close(picoseconds(step.phase_s), 6848);
    ck_assert_close(picoseconds(step.aggregate_s), 6848);
    ck_assert_close(picoseconds(step.linear_s), 4544);
    ck_assert_close(picoseconds(step.attention_s), 2304);
    ck_assert_close(picoseconds(step.compute_s), 6432);
    ck_assert_close(picoseconds(step.memory_s), 6848);
    ck_assert_int_eq(step.regime, ROOFLINE_REGIME_MEMORY);
    ck_assert_close(step.memory_bound_share, 3736.0 / 7000);
    ck_assert_close(step.compute_bound_share, 3264.0 / 7000);
    ck_assert_close(step.mfu, 6432.0 / 7000);
    ck_assert_close(step.mbu, 6848.0 / 7000);
    ck_assert_close(step.tokens_per_s, 3 / 7e-9);
    ck_assert_close(step.tokens_per_s_per_sequence, 1 / 7e-9);
    ck_assert_close(step.output_tokens_per_s, 3 / 7e-9);
    ck_assert_double_eq(step.predicted_s, step.kernel_s);
    ck_assert_double_eq(step.predicted_low_s, step.kernel_s);
    ck_assert(isnan(step.predicted_high_s));
    roofline_plan_free(plan);
}
END_TEST

/* Weights 2 (512 + 256 + 320 + 160) + 512; KV read 2 * 3 * 10 * 32, written 2 * 3 * 32; the rest is activations. */
START_TEST(decode_by_hand_bytes) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_step_result step = step_of(plan, &decode, 1);
    ck_assert_double_eq(step.flops, 12864);
    ck_assert_double_eq(step.weight_bytes, 3008);
    ck_assert_double_eq(step.kv_read_bytes, 1920);
    ck_assert_double_eq(step.kv_write_bytes, 192);
    ck_assert_double_eq(step.activation_bytes, 1728);
    ck_assert_double_eq(step.bytes, 6848);
    ck_assert_double_eq(step.communication_bytes, 0);
    ck_assert_close(step.intensity_flop_per_byte, 12864.0 / 6848);
    ck_assert_close(step.ridge_flop_per_byte, 2);
    ck_assert_int_eq(step.sequences, 3);
    ck_assert_int_eq(step.new_tokens, 3);
    ck_assert_int_eq(step.logit_rows, 3);
    ck_assert_int_eq(step.ranks, 1);
    ck_assert_int_eq(step.calibrated, 0);
    ck_assert_int_eq(step.cache_resident, 0); /* the size of this cache is not known */
    ck_assert_int_eq(step.traffic, ROOFLINE_TRAFFIC_COMPULSORY);
    ck_assert_int_eq(step.source, ROOFLINE_SOURCE_SPEC);
    ck_assert_double_eq(step.launch_share, 0);
    ck_assert_double_eq(step.communication_share, 0);
    roofline_plan_free(plan);

    plan = small_plan(ROOFLINE_TRAFFIC_STREAMED);
    step = step_of(plan, &decode, 1);
    ck_assert_double_eq(step.bytes, 3008 + 1920);
    ck_assert_double_eq(step.kv_write_bytes, 0);
    ck_assert_double_eq(step.activation_bytes, 0);
    ck_assert_double_eq(step.flops, 12864);
    ck_assert_int_eq(step.traffic, ROOFLINE_TRAFFIC_STREAMED);
    roofline_plan_free(plan);
}
END_TEST

/*
 * One prompt of 4 tokens: T = 4, R = 1, 10 pairs. Picoseconds of F/2 and Q of one layer:
 *   qkv 1024 / 832     attention 320 / 384     output 512 / 448     gate and up 640 / 464     down 320 / 304
 * logits 256 / 592; embedding 0 / 128. All three compositions differ:
 * aggregate max(5888, 5584); phase max(5248, 4816) + max(640, 768); kernel 2 (1024 + 384 + 512 + 640 + 320) + 592 + 128.
 */
START_TEST(prefill_by_hand_tells_the_compositions_apart) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences prompt = sequences_of(1, 4, 4);
    roofline_step_result step = step_of(plan, &prompt, 1);
    ck_assert_close(picoseconds(step.aggregate_s), 5888);
    ck_assert_close(picoseconds(step.phase_s), 6016);
    ck_assert_close(picoseconds(step.kernel_s), 6480);
    ck_assert_close(picoseconds(step.linear_s), 5248);
    ck_assert_close(picoseconds(step.attention_s), 768);
    ck_assert_int_eq(step.regime, ROOFLINE_REGIME_COMPUTE);
    ck_assert_close(step.memory_bound_share, 1488.0 / 6480);
    ck_assert_close(step.tokens_per_s, 4 / 6.48e-9);
    ck_assert_close(step.output_tokens_per_s, 1 / 6.48e-9);
    roofline_plan_free(plan);
}
END_TEST

/* The same prompt as a chunk that does not end its prompt: without logits (592 ps, 512 FLOP, 512 + 80 B). */
START_TEST(without_logits_their_matrix_is_not_read) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences prompt = sequences_of(1, 4, 4);
    roofline_step_result with = step_of(plan, &prompt, 1);
    prompt.logit_rows = ROOFLINE_NO_LOGITS;
    roofline_step_result without = step_of(plan, &prompt, 1);
    ck_assert_close(picoseconds(without.kernel_s), 6480 - 592);
    ck_assert_double_eq(with.flops - without.flops, 512);
    ck_assert_double_eq(with.weight_bytes - without.weight_bytes, 512);
    ck_assert_double_eq(with.activation_bytes - without.activation_bytes, 80);
    ck_assert_int_eq(without.logit_rows, 0);
    ck_assert_double_eq(without.output_tokens_per_s, 0);
    prompt.logit_rows = 3; /* a verification of two drafts at the end of a prompt */
    roofline_step_result three = step_of(plan, &prompt, 1);
    ck_assert_double_eq(three.flops - with.flops, 2 * 512);
    ck_assert_double_eq(three.weight_bytes, with.weight_bytes);
    ck_assert_double_eq(three.activation_bytes - with.activation_bytes, 2 * 80);
    ck_assert_int_eq(three.logit_rows, 3);
    roofline_plan_free(plan);
}
END_TEST

/* A mixed step: weights once, everything else summed. Counted by hand as decode + prompt - one reading of the weights. */
START_TEST(mixed_steps_read_weights_once) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences mixed[] = {sequences_of(3, 1, 10), sequences_of(1, 4, 4)};
    roofline_step_result step = step_of(plan, mixed, 2);
    roofline_step_result decode = step_of(plan, &mixed[0], 1);
    roofline_step_result prompt = step_of(plan, &mixed[1], 1);
    ck_assert_double_eq(step.flops, decode.flops + prompt.flops);
    ck_assert_double_eq(step.weight_bytes, 3008);
    ck_assert_double_eq(step.kv_read_bytes, decode.kv_read_bytes + prompt.kv_read_bytes);
    ck_assert_double_eq(step.kv_write_bytes, decode.kv_write_bytes + prompt.kv_write_bytes);
    ck_assert_double_eq(step.activation_bytes, decode.activation_bytes + prompt.activation_bytes);
    ck_assert_int_eq(step.kv_bytes, decode.kv_bytes + prompt.kv_bytes);
    ck_assert_int_eq(step.sequences, 4);
    ck_assert_int_eq(step.new_tokens, 7);
    ck_assert_int_eq(step.logit_rows, 4);
    /* Splitting a group changes nothing, to the last bit: counts are summed before anything is rounded. */
    roofline_sequences split[] = {sequences_of(1, 1, 10), sequences_of(1, 4, 4), sequences_of(2, 1, 10)};
    roofline_step_result same = step_of(plan, split, 3);
    ck_assert_mem_eq(&step, &same, sizeof step);
    roofline_plan_free(plan);
}
END_TEST

/* A learned position table adds a row of 8 * 2 B per new token to the gather; an ungated MLP halves gate and up. */
START_TEST(position_tables_and_plain_mlps) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group layers = small_layers();
    spec.position_rows = 100;
    layers.gated_mlp = 0;
    roofline_deployment deployment = {.struct_size = sizeof deployment};
    roofline_plan *plan = plan_of(small_device(), model_of(&spec, &layers, 1), &deployment);
    roofline_plan *plain = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_step_result step = step_of(plan, &decode, 1);
    roofline_step_result gated = step_of(plain, &decode, 1);
    ck_assert_double_eq(step.activation_bytes - gated.activation_bytes, 3 * 8 * 2);
    ck_assert_double_eq(gated.weight_bytes - step.weight_bytes, 2 * 160);
    ck_assert_double_eq(gated.flops - step.flops, 2 * 160 * 3);
    roofline_plan_free(plan);
    roofline_plan_free(plain);
}
END_TEST

/*
 * fp8 weights and activations of the layers' products, an fp8 cache, everything else 16-bit: layer weights and inputs of
 * products halve, so does the cache; q, results, residual, embedding and logits stay. Layer products run at 4 TFLOP/s.
 */
START_TEST(formats_of_a_deployment_by_hand) {
    roofline_deployment deployment = {.struct_size = sizeof deployment,
                                      .weights = ROOFLINE_FORMAT_FP8,
                                      .activations = ROOFLINE_FORMAT_FP8,
                                      .kv = ROOFLINE_FORMAT_FP8};
    roofline_plan *plan = plan_of(small_device(), small_model(), &deployment);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_step_result step = step_of(plan, &decode, 1);
    ck_assert_double_eq(step.weight_bytes, 2 * 1248.0 / 2 + 512);
    ck_assert_double_eq(step.kv_read_bytes, 960);
    ck_assert_double_eq(step.kv_write_bytes, 96);
    /* inputs of the products: (16 + 32 + 16 + 20) / 2 = 42 a token and layer fewer */
    ck_assert_double_eq(step.activation_bytes, 1728 - 2 * 3 * 42);
    /* linear FLOPs 2 * 3 (512 + 256 + 320 + 160) at 4e12, attention 3840 and logits 1536 at 2e12 */
    ck_assert_close(picoseconds(step.compute_s), 7488 / 4.0 + (3840 + 1536) / 2.0);
    ck_assert_close(step.ridge_flop_per_byte, 12864 / (7488 / 4.0 + 2688) / 1);
    roofline_plan_free(plan);
}
END_TEST

/* Layers with a window attend the last 4 positions: 4 pairs a decode instead of 10 in those layers. */
START_TEST(windows_by_hand) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group groups[] = {small_layers(), small_layers()};
    groups[0].layers = groups[1].layers = 1;
    groups[1].window_tokens = 4;
    roofline_deployment deployment = {.struct_size = sizeof deployment, .block_tokens = 1};
    roofline_plan *plan = plan_of(small_device(), model_of(&spec, groups, 2), &deployment);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_step_result step = step_of(plan, &decode, 1);
    ck_assert_double_eq(step.flops, 12864 - 64 * 3 * 6);
    ck_assert_double_eq(step.kv_read_bytes, 960 + 3 * 4 * 32);
    ck_assert_double_eq(step.weight_bytes, 3008);
    ck_assert_int_eq(step.kv_bytes, 3 * (10 + 4) * 32);
    /* a chunk of 3 up to position 10: positions 8, 9, 10 see 4 each; the cache of 4 + 3 - 1 is read and held */
    roofline_sequences chunk = sequences_of(1, 3, 10);
    step = step_of(plan, &chunk, 1);
    ck_assert_double_eq(step.kv_read_bytes, (10 + 6) * 32);
    ck_assert_int_eq(step.kv_bytes, (10 + 6) * 32);
    roofline_plan_free(plan);
}
END_TEST

START_TEST(host_time_is_in_the_prediction_only) {
    roofline_deployment deployment = {.struct_size = sizeof deployment, .host_s_per_step = 0.5};
    roofline_plan *plan = plan_of(small_device(), small_model(), &deployment);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_step_result step = step_of(plan, &decode, 1);
    ck_assert_close(picoseconds(step.kernel_s), 7000);
    ck_assert_double_eq(step.predicted_s, step.kernel_s + 0.5);
    ck_assert_double_ge(step.predicted_low_s, step.kernel_s);
    roofline_plan_free(plan);
}
END_TEST

/* Weights and KV read of the three decodes: 3008 + 1920 = 4928 bytes. */
START_TEST(cache_residence_is_weights_and_kv_read) {
    for (int64_t l2 = 4927; l2 <= 4928; l2++) {
        roofline_device_spec spec = {
            .struct_size = sizeof spec, .name = "x", .memory_bytes_per_s = 1e12, .memory_bytes = 10000, .l2_bytes = l2};
        spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = 2e12;
        roofline_plan *plan = plan_of(device_of(&spec), small_model(), NULL);
        roofline_sequences decode = sequences_of(3, 1, 10);
        ck_assert_int_eq(step_of(plan, &decode, 1).cache_resident, l2 == 4928);
        roofline_plan_free(plan);
    }
}
END_TEST

/* -------------------------------------------------------------------------------------------------- the kernel table */

enum {
    TABLE = 32
};

static size_t table_of(const roofline_plan *plan, const roofline_sequences *rows, size_t count,
                       roofline_kernel *table) {
    size_t kernels = 0;
    roofline_error error;
    expect_ok(roofline_step_kernels(plan, rows, count, sizeof *rows, table, TABLE, sizeof *table, &kernels, &error),
              &error);
    ck_assert_uint_le(kernels, TABLE);
    return kernels;
}

static const roofline_kernel *row_of(const roofline_kernel *table, size_t count, roofline_kernel_kind kind) {
    for (size_t i = 0; i < count; i++)
        if (table[i].kind == kind)
            return &table[i];
    ck_abort_msg("the table has no kernel of kind %d", (int)kind);
    return NULL;
}

/* The comment of decode_by_hand, line by line; two calls each in the layers. */
START_TEST(kernel_table_by_hand) {
    static const struct {
        roofline_kernel_kind kind;
        roofline_kernel_group group;
        int64_t count;
        double flops, weights, kv_read, kv_write, activations;
        roofline_regime regime;
    } expected[] = {
        {ROOFLINE_KERNEL_EMBEDDING, ROOFLINE_GROUP_LINEAR, 1, 0, 0, 0, 0, 96, ROOFLINE_REGIME_MEMORY},
        {ROOFLINE_KERNEL_QKV, ROOFLINE_GROUP_LINEAR, 2, 3072, 1024, 0, 192, 288, ROOFLINE_REGIME_COMPUTE},
        {ROOFLINE_KERNEL_ATTENTION, ROOFLINE_GROUP_ATTENTION, 2, 3840, 0, 1920, 0, 384, ROOFLINE_REGIME_MEMORY},
        {ROOFLINE_KERNEL_ATTENTION_OUTPUT, ROOFLINE_GROUP_LINEAR, 2, 1536, 512, 0, 0, 288, ROOFLINE_REGIME_MEMORY},
        {ROOFLINE_KERNEL_GATE_UP, ROOFLINE_GROUP_LINEAR, 2, 1920, 640, 0, 0, 216, ROOFLINE_REGIME_COMPUTE},
        {ROOFLINE_KERNEL_DOWN, ROOFLINE_GROUP_LINEAR, 2, 960, 320, 0, 0, 216, ROOFLINE_REGIME_MEMORY},
        {ROOFLINE_KERNEL_LOGITS, ROOFLINE_GROUP_LINEAR, 1, 1536, 512, 0, 0, 240, ROOFLINE_REGIME_COMPUTE},
    };
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_kernel table[TABLE];
    size_t count = table_of(plan, &decode, 1, table);
    ck_assert_uint_eq(count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(table[i].kind, expected[i].kind);
        ck_assert_int_eq(table[i].group, expected[i].group);
        ck_assert_int_eq(table[i].count, expected[i].count);
        ck_assert_double_eq(table[i].flops, expected[i].flops);
        ck_assert_double_eq(table[i].weight_bytes, expected[i].weights);
        ck_assert_double_eq(table[i].kv_read_bytes, expected[i].kv_read);
        ck_assert_double_eq(table[i].kv_write_bytes, expected[i].kv_write);
        ck_assert_double_eq(table[i].activation_bytes, expected[i].activations);
        double bytes = expected[i].weights + expected[i].kv_read + expected[i].kv_write + expected[i].activations;
        ck_assert_double_eq(table[i].bytes, bytes);
        ck_assert_close(table[i].intensity_flop_per_byte, expected[i].flops / bytes);
        ck_assert_close(picoseconds(table[i].compute_s), expected[i].flops / 2);
        ck_assert_close(picoseconds(table[i].memory_s), bytes);
        ck_assert_double_eq(table[i].bound_s, fmax(table[i].compute_s, table[i].memory_s));
        ck_assert_int_eq(table[i].regime, expected[i].regime);
    }
    roofline_plan_free(plan);
}
END_TEST

static void expect_rows_add_up(const roofline_plan *plan, const roofline_sequences *rows, size_t count) {
    roofline_kernel table[TABLE];
    size_t kernels = table_of(plan, rows, count, table);
    roofline_step_result step = step_of(plan, rows, count);
    roofline_step_result sum = {0};
    for (size_t i = 0; i < kernels; i++) {
        sum.flops += table[i].flops;
        sum.bytes += table[i].bytes;
        sum.weight_bytes += table[i].weight_bytes;
        sum.kv_read_bytes += table[i].kv_read_bytes;
        sum.kv_write_bytes += table[i].kv_write_bytes;
        sum.activation_bytes += table[i].activation_bytes;
        sum.compute_s += table[i].compute_s;
        sum.memory_s += table[i].memory_s;
        sum.kernel_s += table[i].bound_s;
    }
    ck_assert_close(sum.flops, step.flops);
    ck_assert_close(sum.bytes, step.bytes);
    ck_assert_close(sum.weight_bytes, step.weight_bytes);
    ck_assert_close(sum.kv_read_bytes, step.kv_read_bytes);
    ck_assert_close(sum.kv_write_bytes, step.kv_write_bytes);
    ck_assert_close(sum.activation_bytes, step.activation_bytes);
    ck_assert_close(sum.compute_s, step.compute_s);
    ck_assert_close(sum.memory_s, step.memory_s);
    ck_assert_close(sum.kernel_s, step.kernel_s);
}

START_TEST(kernel_rows_add_up_to_the_step) {
    const roofline_sequences mixed[] = {sequences_of(31, 1, 7777), sequences_of(1, 512, 4096),
                                        sequences_of(2, 100, 100)};
    for (roofline_traffic traffic = 0; traffic < 2; traffic++) {
        roofline_deployment deployment = {.struct_size = sizeof deployment, .traffic = traffic};
        roofline_plan *plan = plan_of(h100(), llama_8b(), &deployment);
        expect_rows_add_up(plan, mixed, 3);
        expect_rows_add_up(plan, mixed, 1);
        roofline_plan_free(plan);
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------ experts -- */

static roofline_plan *small_experts_plan(int64_t experts, int64_t per_token, roofline_traffic traffic) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group layers = small_experts(experts, per_token);
    roofline_deployment deployment = {.struct_size = sizeof deployment, .traffic = traffic};
    return plan_of(small_device(), model_of(&spec, &layers, 1), &deployment);
}

/* Two layers; T tokens of which each passes k of 4 experts, and A of them are read. fixtures.h derives the rows. */
static void expect_expert_rows(const roofline_plan *plan, double k, int64_t tokens, double active) {
    double T = (double)tokens;
    roofline_sequences decode = sequences_of(tokens, 1, 10);
    roofline_kernel table[TABLE];
    size_t count = table_of(plan, &decode, 1, table);
    const roofline_kernel *router = row_of(table, count, ROOFLINE_KERNEL_ROUTER);
    const roofline_kernel *up = row_of(table, count, ROOFLINE_KERNEL_EXPERTS_GATE_UP);
    const roofline_kernel *down = row_of(table, count, ROOFLINE_KERNEL_EXPERTS_DOWN);
    ck_assert_uint_eq(count, 8); /* embedding, qkv, attention, output, router, two of the experts, logits */
    ck_assert_double_eq(router->flops, 2 * 64 * T);
    ck_assert_double_eq(router->weight_bytes, 2 * 64);
    ck_assert_double_eq(router->activation_bytes, 2 * 24 * T);
    ck_assert_double_eq(router->active_experts, 0);
    ck_assert_double_eq(up->active_experts, active);
    ck_assert_double_eq(up->flops, 2 * 320 * k * T);
    ck_assert_double_eq(up->weight_bytes, 2 * 320 * active);
    ck_assert_double_eq(up->activation_bytes, 2 * (16 + 20 * k) * T);
    ck_assert_double_eq(up->count, 2);
    ck_assert_double_eq(down->active_experts, active);
    ck_assert_double_eq(down->flops, 2 * 160 * k * T);
    ck_assert_double_eq(down->weight_bytes, 2 * 160 * active);
    ck_assert_double_eq(down->activation_bytes, 2 * (20 * k + 16) * T);
    ck_assert_close(picoseconds(up->compute_s), 320 * k * T);
    ck_assert_close(picoseconds(up->memory_s), 2 * (320 * active + (16 + 20 * k) * T));
    const roofline_kernel *rows[] = {router, up, down};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(rows[i]->group, ROOFLINE_GROUP_LINEAR);
        ck_assert_double_eq(rows[i]->bytes, rows[i]->weight_bytes + rows[i]->activation_bytes);
        ck_assert_double_eq(rows[i]->bound_s, fmax(rows[i]->compute_s, rows[i]->memory_s));
    }
    /* qkv 512, output 256, router 64 and the experts in each layer; logits 512 */
    ck_assert_double_eq(step_of(plan, &decode, 1).weight_bytes, 2 * (512 + 256 + 64 + 480 * active) + 512);
}

/*
 * A = 4 (1 - ((4 - k) / 4)^T). k = 1: 1, 4 (1 - 9/16) = 1.75, 4 (1 - 27/64) = 2.3125, and 4 in the end.
 * k = 2: 2, 4 (1 - 1/4) = 3, 4 (1 - 1/8) = 3.5. k = 4: all of them at once.
 */
START_TEST(experts_by_hand) {
    roofline_plan *one = small_experts_plan(4, 1, ROOFLINE_TRAFFIC_COMPULSORY);
    expect_expert_rows(one, 1, 1, 1);
    expect_expert_rows(one, 1, 2, 1.75);
    expect_expert_rows(one, 1, 3, 2.3125);
    expect_expert_rows(one, 1, 1000, 4);
    roofline_plan *two = small_experts_plan(4, 2, ROOFLINE_TRAFFIC_COMPULSORY);
    expect_expert_rows(two, 2, 1, 2);
    expect_expert_rows(two, 2, 2, 3);
    expect_expert_rows(two, 2, 3, 3.5);
    roofline_plan *every = small_experts_plan(4, 4, ROOFLINE_TRAFFIC_COMPULSORY);
    expect_expert_rows(every, 4, 1, 4);
    expect_expert_rows(every, 4, 7, 4);
    roofline_plan_free(one);
    roofline_plan_free(two);
    roofline_plan_free(every);
}
END_TEST

/* T is of the whole step, decodes and prompts together: 1 + 2 tokens read what 3 do. Streamed keeps the weights only. */
START_TEST(experts_are_chosen_by_the_tokens_of_the_whole_step) {
    roofline_plan *plan = small_experts_plan(4, 1, ROOFLINE_TRAFFIC_STREAMED);
    roofline_sequences mixed[] = {sequences_of(1, 1, 10), sequences_of(1, 2, 2)};
    roofline_step_result step = step_of(plan, mixed, 2);
    ck_assert_double_eq(step.weight_bytes, 2 * (512 + 256 + 64 + 480 * 2.3125) + 512);
    ck_assert_double_eq(step.activation_bytes, 0);
    ck_assert_double_eq(step.bytes, step.weight_bytes + step.kv_read_bytes);
    /* F of a token: qkv 512, output 256, router 64, experts 480; 13 pairs of 64; two rows of logits */
    ck_assert_double_eq(step.flops, 2 * (3 * (512 + 256 + 64 + 480) + 13 * 64) + 2 * 512);
    roofline_plan_free(plan);
}
END_TEST

/* A published simulation of 256 experts, 8 a token, finds 163.3 of them active for 32 tokens. */
START_TEST(expected_experts_are_those_of_a_published_simulation) {
    roofline_plan *plan = small_experts_plan(256, 8, ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences decode = sequences_of(32, 1, 10);
    roofline_kernel table[TABLE];
    size_t count = table_of(plan, &decode, 1, table);
    double active = row_of(table, count, ROOFLINE_KERNEL_EXPERTS_DOWN)->active_experts;
    ck_assert(fabs(active - 163.3) <= 0.05);
    decode.count = 1;
    table_of(plan, &decode, 1, table);
    ck_assert_double_eq(row_of(table, count, ROOFLINE_KERNEL_EXPERTS_DOWN)->active_experts, 8);
    roofline_plan_free(plan);
}
END_TEST

static void expect_same_row(const roofline_kernel *first, const roofline_kernel *second) {
    ck_assert_int_eq(first->count, second->count);
    ck_assert_int_eq(first->arithmetic, second->arithmetic);
    ck_assert_int_eq(first->regime, second->regime);
    ck_assert(same_bits(first->flops, second->flops) && same_bits(first->bytes, second->bytes));
    ck_assert(same_bits(first->weight_bytes, second->weight_bytes));
    ck_assert(same_bits(first->activation_bytes, second->activation_bytes));
    ck_assert(same_bits(first->compute_s, second->compute_s) && same_bits(first->memory_s, second->memory_s));
    ck_assert(same_bits(first->bound_s, second->bound_s));
}

static void expect_dense_rows(roofline_bool gated, const roofline_deployment *deployment) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group dense = small_layers(), routed = small_experts(1, 1);
    dense.gated_mlp = routed.gated_mlp = gated;
    roofline_plan *dense_plan = plan_of(small_device(), model_of(&spec, &dense, 1), deployment);
    roofline_plan *routed_plan = plan_of(small_device(), model_of(&spec, &routed, 1), deployment);
    for (int64_t tokens = 1; tokens < 100000; tokens = 3 * tokens + 1) {
        roofline_sequences prompt = sequences_of(1, tokens, tokens + 5);
        roofline_kernel dense_table[TABLE], routed_table[TABLE];
        size_t dense_count = table_of(dense_plan, &prompt, 1, dense_table);
        size_t routed_count = table_of(routed_plan, &prompt, 1, routed_table);
        ck_assert_uint_eq(routed_count, dense_count + 1);
        expect_same_row(
            row_of(dense_table, dense_count, gated ? ROOFLINE_KERNEL_GATE_UP : ROOFLINE_KERNEL_UP),
            row_of(routed_table, routed_count, gated ? ROOFLINE_KERNEL_EXPERTS_GATE_UP : ROOFLINE_KERNEL_EXPERTS_UP));
        expect_same_row(row_of(dense_table, dense_count, ROOFLINE_KERNEL_DOWN),
                        row_of(routed_table, routed_count, ROOFLINE_KERNEL_EXPERTS_DOWN));
    }
    roofline_plan_free(dense_plan);
    roofline_plan_free(routed_plan);
}

START_TEST(one_expert_is_the_dense_mlp_bit_for_bit) {
    roofline_deployment wide = {.struct_size = sizeof wide};
    roofline_deployment streamed = {.struct_size = sizeof streamed, .traffic = ROOFLINE_TRAFFIC_STREAMED};
    roofline_deployment narrow = {
        .struct_size = sizeof narrow, .weights = ROOFLINE_FORMAT_FP8, .activations = ROOFLINE_FORMAT_FP8};
    const roofline_deployment *deployments[] = {&wide, &streamed, &narrow};
    for (roofline_bool gated = 0; gated < 2; gated++)
        for (size_t i = 0; i < 3; i++)
            expect_dense_rows(gated, deployments[i]);
}
END_TEST

/*
 * fp8 experts beside a 16-bit router: the experts' weights and what enters them are bytes and run at 4 TFLOP/s, the router
 * is as before. Two tokens, E = 4, k = 1, A = 1.75.
 */
START_TEST(routers_keep_the_format_of_the_head) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group layers = small_experts(4, 1);
    roofline_deployment deployment = {
        .struct_size = sizeof deployment, .weights = ROOFLINE_FORMAT_FP8, .activations = ROOFLINE_FORMAT_FP8};
    roofline_plan *plan = plan_of(small_device(), model_of(&spec, &layers, 1), &deployment);
    roofline_sequences decode = sequences_of(2, 1, 10);
    roofline_kernel table[TABLE];
    size_t count = table_of(plan, &decode, 1, table);
    const roofline_kernel *router = row_of(table, count, ROOFLINE_KERNEL_ROUTER);
    const roofline_kernel *up = row_of(table, count, ROOFLINE_KERNEL_EXPERTS_GATE_UP);
    ck_assert_int_eq(router->arithmetic, ROOFLINE_ARITHMETIC_BF16);
    ck_assert_double_eq(router->weight_bytes, 2 * 64);
    ck_assert_double_eq(router->activation_bytes, 2 * 24 * 2);
    ck_assert_close(picoseconds(router->compute_s), 2 * 64 * 2 / 2);
    ck_assert_int_eq(up->arithmetic, ROOFLINE_ARITHMETIC_FP8);
    ck_assert_double_eq(up->weight_bytes, 2 * 160 * 1.75);
    ck_assert_double_eq(up->activation_bytes, 2 * (8 + 20) * 2);
    ck_assert_close(picoseconds(up->compute_s), 2 * 320 * 2 / 4.0);
    roofline_plan_free(plan);
}
END_TEST

/* Dense layers first, then windows, routed experts and a shared one (a dense MLP of 14336) in one layer. */
static roofline_plan *windowed_experts_plan(const roofline_deployment *deployment) {
    roofline_model_spec spec = llama_8b_spec();
    roofline_layer_group groups[] = {llama_8b_layers(), llama_8b_layers(), llama_8b_layers()};
    groups[0].layers = 3;
    groups[1].layers = 20;
    groups[2].layers = 9;
    groups[1].window_tokens = 1000;
    groups[1].experts = groups[2].experts = 128;
    groups[1].experts_per_token = groups[2].experts_per_token = 4;
    groups[1].expert_intermediate = groups[2].expert_intermediate = 768;
    groups[2].experts_per_token = 6;
    groups[2].intermediate = 0;
    return plan_of(h100(), model_of(&spec, groups, 3), deployment);
}

/* Small layers: one dense, one with a window of 4, four experts and the dense MLP as a shared one. Three decodes at 10. */
START_TEST(windows_and_experts_in_one_layer) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group groups[] = {small_layers(), small_experts(4, 1)};
    groups[0].layers = groups[1].layers = 1;
    groups[1].intermediate = 10;
    groups[1].window_tokens = 4;
    roofline_deployment deployment = {.struct_size = sizeof deployment, .block_tokens = 1};
    roofline_plan *plan = plan_of(small_device(), model_of(&spec, groups, 2), &deployment);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_step_result step = step_of(plan, &decode, 1);
    ck_assert_double_eq(step.flops, 12864 - 64 * 3 * 6 + 3 * (64 + 480));
    ck_assert_double_eq(step.kv_read_bytes, 960 + 3 * 4 * 32);
    ck_assert_double_eq(step.weight_bytes, 3008 + 64 + 480 * 2.3125);
    ck_assert_double_eq(step.activation_bytes, 1728 + 3 * (24 + 36 + 36));
    ck_assert_int_eq(step.kv_bytes, 3 * (10 + 4) * 32);
    roofline_plan_free(plan);
}
END_TEST

START_TEST(kernel_rows_of_experts_add_up_to_the_step) {
    const roofline_sequences mixed[] = {sequences_of(31, 1, 7777), sequences_of(1, 512, 4096)};
    for (roofline_traffic traffic = 0; traffic < 2; traffic++) {
        roofline_deployment deployment = {.struct_size = sizeof deployment, .traffic = traffic};
        roofline_plan *plan = windowed_experts_plan(&deployment);
        expect_rows_add_up(plan, mixed, 2);
        expect_rows_add_up(plan, mixed, 1);
        roofline_plan_free(plan);
    }
}
END_TEST

START_TEST(kernel_table_without_logits_has_a_row_of_zeros) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences chunk = sequences_of(1, 4, 4);
    chunk.logit_rows = ROOFLINE_NO_LOGITS;
    roofline_kernel table[TABLE];
    size_t count = table_of(plan, &chunk, 1, table);
    const roofline_kernel *logits = row_of(table, count, ROOFLINE_KERNEL_LOGITS);
    ck_assert_double_eq(logits->flops, 0);
    ck_assert_double_eq(logits->bytes, 0);
    ck_assert_double_eq(logits->weight_bytes, 0);
    ck_assert_double_eq(logits->bound_s, 0);
    ck_assert(isnan(logits->intensity_flop_per_byte));
    roofline_plan_free(plan);
}
END_TEST

START_TEST(kernel_table_asks_for_its_size) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_kernel table[TABLE];
    memset(table, 0x5a, sizeof table);
    roofline_kernel untouched = table[0];
    size_t count = 0;
    roofline_error error;
    expect_ok(roofline_step_kernels(plan, &decode, 1, sizeof decode, NULL, 0, 0, &count, &error), &error);
    ck_assert_uint_eq(count, 7);
    count = 0;
    expect_error(roofline_step_kernels(plan, &decode, 1, sizeof decode, table, 6, sizeof *table, &count, &error),
                 ROOFLINE_BUFFER_SIZE, &error, "");
    ck_assert_uint_eq(count, 7);
    ck_assert_mem_eq(table, &untouched, sizeof untouched);
    expect_error(roofline_step_kernels(plan, &decode, 1, sizeof decode, table, TABLE, 5000, &count, &error),
                 ROOFLINE_STRUCT_SIZE, &error, "");
    expect_error(roofline_step_kernels(NULL, &decode, 1, sizeof decode, table, TABLE, sizeof *table, &count, &error),
                 ROOFLINE_ARGUMENT, &error, "");

    /* rows of a newer caller: the tail that this library does not know is zero; of an older one: cut */
    struct {
        roofline_kernel kernel;
        double later_field;
    } newer[7];
    memset(newer, 0x5a, sizeof newer);
    table_of(plan, &decode, 1, table);
    expect_ok(
        roofline_step_kernels(plan, &decode, 1, sizeof decode, &newer[0].kernel, 7, sizeof *newer, &count, &error),
        &error);
    for (size_t i = 0; i < 7; i++) {
        ck_assert_double_eq(newer[i].kernel.bound_s, table[i].bound_s);
        ck_assert_double_eq(newer[i].later_field, 0);
    }
    _Alignas(8) unsigned char older[7][32];
    expect_ok(
        roofline_step_kernels(plan, &decode, 1, sizeof decode, (roofline_kernel *)(void *)older, 7, 32, &count, &error),
        &error);
    for (size_t i = 0; i < 7; i++)
        ck_assert_mem_eq(older[i] + 4, (const unsigned char *)&table[i] + 4, 28);
    roofline_plan_free(plan);
}
END_TEST

/* -------------------------------------------------------------------------------------------------- bad sequences */

static const int64_t past_sequences = ((int64_t)1 << 24) + 1;
static const int64_t past_tokens = ((int64_t)1 << 32) + 1;

START_TEST(step_refuses_bad_sequences) {
    const struct {
        int64_t count, new_tokens, context_tokens, logit_rows;
        const char *path;
    } bad[] = {
        {0, 1, 10, 0, "/1/count"},
        {-1, 1, 10, 0, "/1/count"},
        {past_sequences, 1, 10, 0, "/1/count"},
        {1, 0, 10, 0, "/1/new_tokens"},
        {1, -1, 10, 0, "/1/new_tokens"},
        {1, past_tokens, past_tokens, 0, "/1/new_tokens"},
        {1, 5, 4, 0, "/1/context_tokens"},
        {1, 1, past_tokens, 0, "/1/context_tokens"},
        {1, 1, INT64_MAX, 0, "/1/context_tokens"},
        {1, 1, -10, 0, "/1/context_tokens"},
        {1, 4, 10, -2, "/1/logit_rows"},
        {1, 4, 10, 5, "/1/logit_rows"},
        {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, "/1/count"},
        {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, "/1/count"},
    };
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        roofline_sequences rows[] = {sequences_of(1, 1, 10),
                                     sequences_of(bad[i].count, bad[i].new_tokens, bad[i].context_tokens)};
        rows[1].logit_rows = bad[i].logit_rows;
        roofline_step_result result = {.struct_size = sizeof result, .kernel_s = 42};
        roofline_kernel table[TABLE];
        size_t count = 0;
        roofline_error error;
        expect_error(roofline_step_groups(plan, rows, 2, sizeof *rows, &result, &error), ROOFLINE_RANGE, &error,
                     bad[i].path);
        ck_assert_double_eq(result.kernel_s, 42);
        expect_error(roofline_step_kernels(plan, rows, 2, sizeof *rows, table, TABLE, sizeof *table, &count, &error),
                     ROOFLINE_RANGE, &error, bad[i].path);
    }
    roofline_plan_free(plan);
}
END_TEST

/* The limits hold for all groups of a step together. */
START_TEST(step_refuses_too_much_in_all) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_step_result result = {.struct_size = sizeof result};
    roofline_error error;
    roofline_sequences many[] = {sequences_of(past_sequences - 1, 1, 1), sequences_of(1, 1, 1)};
    expect_error(roofline_step_groups(plan, many, 2, sizeof *many, &result, &error), ROOFLINE_RANGE, &error, "");
    expect_ok(roofline_step_groups(plan, many, 1, sizeof *many, &result, &error), &error);
    roofline_sequences tokens[] = {sequences_of(1, past_tokens - 1, past_tokens - 1), sequences_of(1, 1, 1)};
    expect_error(roofline_step_groups(plan, tokens, 2, sizeof *tokens, &result, &error), ROOFLINE_RANGE, &error, "");
    expect_ok(roofline_step_groups(plan, tokens, 1, sizeof *tokens, &result, &error), &error);
    ck_assert(isfinite(result.kernel_s) && result.kernel_s > 0);
    ck_assert(isfinite(result.flops) && result.flops > 0);
    expect_error(roofline_step_groups(plan, many, 0, sizeof *many, &result, &error), ROOFLINE_RANGE, &error, "count");
    expect_error(roofline_step_groups(plan, many, ((size_t)1 << 16) + 1, sizeof *many, &result, &error), ROOFLINE_RANGE,
                 &error, "count");
    expect_error(roofline_step_groups(NULL, many, 1, sizeof *many, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_step_groups(plan, NULL, 1, sizeof *many, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_step_groups(plan, many, 1, sizeof *many, NULL, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_step_groups(plan, many, 1, 0, &result, &error), ROOFLINE_STRUCT_SIZE, &error, "");
    expect_error(roofline_step_groups(plan, many, 1, 5000, &result, &error), ROOFLINE_STRUCT_SIZE, &error, "");
    roofline_plan_free(plan);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- many steps at once */

static const roofline_quantity all_quantities[] = {
    ROOFLINE_QUANTITY_KERNEL_S,
    ROOFLINE_QUANTITY_AGGREGATE_S,
    ROOFLINE_QUANTITY_PHASE_S,
    ROOFLINE_QUANTITY_PREDICTED_S,
    ROOFLINE_QUANTITY_LINEAR_S,
    ROOFLINE_QUANTITY_ATTENTION_S,
    ROOFLINE_QUANTITY_COMPUTE_S,
    ROOFLINE_QUANTITY_MEMORY_S,
    ROOFLINE_QUANTITY_FLOPS,
    ROOFLINE_QUANTITY_BYTES,
    ROOFLINE_QUANTITY_WEIGHT_BYTES,
    ROOFLINE_QUANTITY_KV_READ_BYTES,
    ROOFLINE_QUANTITY_KV_WRITE_BYTES,
    ROOFLINE_QUANTITY_ACTIVATION_BYTES,
    ROOFLINE_QUANTITY_INTENSITY_FLOP_PER_BYTE,
    ROOFLINE_QUANTITY_TOKENS_PER_S,
    ROOFLINE_QUANTITY_TOKENS_PER_S_PER_SEQUENCE,
    ROOFLINE_QUANTITY_OUTPUT_TOKENS_PER_S,
    ROOFLINE_QUANTITY_MEMORY_BOUND_SHARE,
    ROOFLINE_QUANTITY_MFU,
    ROOFLINE_QUANTITY_MBU,
    ROOFLINE_QUANTITY_REGIME,
    ROOFLINE_QUANTITY_FITS,
    ROOFLINE_QUANTITY_FIT_REASON,
    ROOFLINE_QUANTITY_CACHE_RESIDENT,
    ROOFLINE_QUANTITY_KV_BYTES,
    ROOFLINE_QUANTITY_REQUIRED_BYTES,
};
enum {
    QUANTITIES = sizeof all_quantities / sizeof *all_quantities,
    POINTS = 200
};

/* A field of the result by the quantity's text in the constants table, which is the field's name. */
static double quantity_of(const roofline_step_result *step, roofline_quantity quantity) {
    const char *name = roofline_constant_text("roofline_quantity", quantity);
    ck_assert_ptr_nonnull(name);
    for (int64_t i = 0; i < roofline_layout_count(); i++) {
        roofline_layout_row row = {.struct_size = sizeof row};
        ck_assert_int_eq(roofline_layout_at(i, &row, NULL), ROOFLINE_OK);
        if (strcmp(row.struct_name, "roofline_step_result") != 0 || strcmp(row.field, name) != 0)
            continue;
        const char *field = (const char *)step + row.offset_bytes;
        double number;
        int64_t wide;
        int32_t narrow;
        switch (row.storage) {
        case ROOFLINE_STORAGE_DOUBLE:
            memcpy(&number, field, sizeof number);
            return number;
        case ROOFLINE_STORAGE_INT64:
            memcpy(&wide, field, sizeof wide);
            return (double)wide;
        default:
            memcpy(&narrow, field, sizeof narrow);
            return narrow;
        }
    }
    ck_abort_msg("roofline_step_result has no field %s", name);
    return NAN;
}

typedef struct points {
    int64_t count[POINTS];
    int64_t new_tokens[POINTS];
    int64_t context_tokens[POINTS];
} points;

static points some_points(void) {
    points columns;
    for (int64_t i = 0; i < POINTS; i++) {
        columns.count[i] = 1 + i * i % 300;
        columns.new_tokens[i] = i % 3 == 0 ? 1 + i * 7 % 512 : 1;
        columns.context_tokens[i] = columns.new_tokens[i] + i * 97;
    }
    return columns;
}

static roofline_plan *windowed_8b_plan(void) {
    roofline_model_spec spec = llama_8b_spec();
    roofline_layer_group groups[] = {llama_8b_layers(), llama_8b_layers()};
    groups[0].layers = 20;
    groups[1].layers = 12;
    groups[1].window_tokens = 1000;
    return plan_of(h100(), model_of(&spec, groups, 2), NULL);
}

static void expect_arrays_are_scalars(const roofline_plan *plan) {
    points columns = some_points();
    static double out[QUANTITIES][POINTS];
    double alone[POINTS];
    int32_t status[POINTS];
    roofline_error error;
    expect_ok(roofline_step_many(plan, POINTS, columns.count, 8, columns.new_tokens, 8, columns.context_tokens, 8,
                                 all_quantities, QUANTITIES, &out[0][0], sizeof out[0], status, &error),
              &error);
    expect_ok(roofline_step_many(plan, POINTS, columns.count, 8, columns.new_tokens, 8, columns.context_tokens, 8,
                                 all_quantities, 1, alone, 0, NULL, &error),
              &error);
    for (int i = 0; i < POINTS; i++) {
        roofline_sequences group = sequences_of(columns.count[i], columns.new_tokens[i], columns.context_tokens[i]);
        roofline_step_result step = step_of(plan, &group, 1);
        ck_assert_int_eq(status[i], ROOFLINE_OK);
        ck_assert(same_bits(alone[i], step.kernel_s));
        for (int q = 0; q < QUANTITIES; q++)
            ck_assert_msg(same_bits(out[q][i], quantity_of(&step, all_quantities[q])), "point %d, %s: %.17g", i,
                          roofline_constant_text("roofline_quantity", all_quantities[q]), out[q][i]);
    }
}

START_TEST(step_many_is_step_groups_bit_for_bit) {
    roofline_plan *plans[] = {windowed_8b_plan(), windowed_experts_plan(NULL)};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        expect_arrays_are_scalars(plans[i]);
        roofline_plan_free(plans[i]);
    }
}
END_TEST

/* Every quantity that the library names is in the list above. */
START_TEST(step_many_knows_every_quantity) {
    int named = 0;
    for (int64_t i = 0; i < roofline_constant_count(); i++) {
        roofline_constant_row row = {.struct_size = sizeof row};
        ck_assert_int_eq(roofline_constant_at(i, &row, NULL), ROOFLINE_OK);
        named += strcmp(row.meaning, "roofline_quantity") == 0;
    }
    ck_assert_int_eq(named, QUANTITIES);
}
END_TEST

/* Broadcast by stride 0, backwards by a negative one, unaligned by an odd one; outputs with gaps and in reverse. */
START_TEST(step_many_takes_any_stride) {
    enum {
        GAP = 13
    };
    roofline_plan *plan = windowed_8b_plan();
    points columns = some_points();
    static unsigned char odd[POINTS * GAP + 8];
    for (int i = 0; i < POINTS; i++)
        memcpy(odd + 3 + i * GAP, &columns.context_tokens[i], 8);
    const int64_t one = 1;
    const roofline_quantity quantities[] = {ROOFLINE_QUANTITY_KERNEL_S, ROOFLINE_QUANTITY_KV_BYTES};
    double out[2][POINTS + 5], alone[POINTS];
    roofline_error error;
    const char *last_count = (const char *)(columns.count + POINTS - 1);
    /* quantity 0 goes to the second row and quantity 1 before it */
    expect_ok(roofline_step_many(plan, POINTS, last_count, -8, &one, 0, odd + 3, GAP, quantities, 2, out[1],
                                 -(int64_t)sizeof out[0], NULL, &error),
              &error);
    expect_ok(
        roofline_step_many(plan, POINTS, last_count, -8, &one, 0, odd + 3, GAP, quantities, 1, alone, 0, NULL, &error),
        &error);
    for (int i = 0; i < POINTS; i++) {
        roofline_sequences group = sequences_of(columns.count[POINTS - 1 - i], 1, columns.context_tokens[i]);
        roofline_step_result step = step_of(plan, &group, 1);
        ck_assert(same_bits(out[1][i], step.kernel_s));
        ck_assert(same_bits(out[0][i], (double)step.kv_bytes));
        ck_assert(same_bits(alone[i], step.kernel_s));
    }
    roofline_plan_free(plan);
}
END_TEST

START_TEST(step_many_marks_bad_points_and_computes_the_rest) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    const int64_t count[] = {3, 0, 3, -1, past_sequences, 3, 3, 3, INT64_MAX, past_sequences - 1, 3};
    const int64_t fresh[] = {1, 1, 0, 1, 1, 5, 1, past_tokens, INT64_MAX, past_tokens - 1, 1};
    const int64_t context[] = {10, 10, 10, 10, 10, 4, past_tokens, past_tokens, INT64_MAX, past_tokens - 1, 10};
    enum {
        N = sizeof count / sizeof *count
    };
    const roofline_quantity quantities[] = {ROOFLINE_QUANTITY_KERNEL_S, ROOFLINE_QUANTITY_FITS};
    double out[2][N], alone[N];
    int32_t status[N], status_alone[N];
    roofline_error error;
    expect_ok(roofline_step_many(plan, N, count, 8, fresh, 8, context, 8, quantities, 2, out[0], sizeof out[0], status,
                                 &error),
              &error);
    expect_ok(
        roofline_step_many(plan, N, count, 8, fresh, 8, context, 8, quantities, 1, alone, 8, status_alone, &error),
        &error);
    for (int i = 0; i < N; i++) {
        int good = i == 0 || i == N - 1;
        ck_assert_int_eq(status[i] == ROOFLINE_OK, good);
        ck_assert_int_eq(status_alone[i], status[i]);
        ck_assert_int_eq(!isnan(out[0][i]), good);
        ck_assert_int_eq(!isnan(out[1][i]), good);
        ck_assert_int_eq(!isnan(alone[i]), good);
    }
    ck_assert_close(picoseconds(out[0][0]), 7000);
    ck_assert(same_bits(out[0][0], out[0][N - 1]));
    roofline_plan_free(plan);
}
END_TEST

START_TEST(step_many_refuses_bad_calls) {
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    const int64_t column[] = {1, 1};
    roofline_quantity quantities[65] = {ROOFLINE_QUANTITY_KERNEL_S, ROOFLINE_QUANTITY_FLOPS};
    double out[4];
    roofline_error error;
    expect_ok(roofline_step_many(plan, 0, NULL, 8, NULL, 8, NULL, 8, quantities, 1, NULL, 8, NULL, &error), &error);
    expect_error(roofline_step_many(NULL, 2, column, 8, column, 8, column, 8, quantities, 1, out, 8, NULL, &error),
                 ROOFLINE_ARGUMENT, &error, "");
    const void *columns[3] = {column, column, column};
    for (int i = 0; i < 3; i++) {
        columns[i] = NULL;
        expect_error(roofline_step_many(plan, 2, columns[0], 8, columns[1], 8, columns[2], 8, quantities, 1, out, 8,
                                        NULL, &error),
                     ROOFLINE_ARGUMENT, &error, "");
        columns[i] = column;
    }
    expect_error(roofline_step_many(plan, 2, column, 8, column, 8, column, 8, NULL, 1, out, 8, NULL, &error),
                 ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_step_many(plan, 2, column, 8, column, 8, column, 8, quantities, 1, NULL, 8, NULL, &error),
                 ROOFLINE_ARGUMENT, &error, "");
    ck_assert_int_lt(roofline_step_many(plan, -1, column, 8, column, 8, column, 8, quantities, 1, out, 8, NULL, &error),
                     0);
    ck_assert_int_lt(roofline_step_many(plan, 2, column, 8, column, 8, column, 8, quantities, 0, out, 8, NULL, &error),
                     0);
    ck_assert_int_lt(roofline_step_many(plan, 2, column, 8, column, 8, column, 8, quantities, 65, out, 8, NULL, &error),
                     0);
    ck_assert_int_lt(roofline_step_many(plan, 2, column, 8, column, 8, column, 8, quantities, 2, out, 15, NULL, &error),
                     0);
    quantities[1] = 9; /* no quantity has this value */
    expect_error(roofline_step_many(plan, 2, column, 8, column, 8, column, 8, quantities, 2, out, 16, NULL, &error),
                 ROOFLINE_RANGE, &error, "quantities");
    roofline_plan_free(plan);
}
END_TEST

/* ---------------------------------------------------------------------------------------------- sizes of the result */

/*
 * Every struct_size from 0 to 4097, the struct ending before a page that faults, aligned as a caller's struct is: what is
 * known is written, the rest is zeroed, nothing beyond is touched, and sizes that no caller has are refused.
 */
START_TEST(step_writes_no_further_than_struct_size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t room = (4097 / page + 1) * page;
    unsigned char *pages = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(mprotect(pages + room, page, PROT_NONE), 0);
    roofline_plan *plan = small_plan(ROOFLINE_TRAFFIC_COMPULSORY);
    roofline_sequences decode = sequences_of(3, 1, 10);
    roofline_step_result whole = step_of(plan, &decode, 1);
    for (uint32_t size = 0; size <= 4097; size++) {
        const size_t aligned = size == 0 ? 8 : (size + 7) / 8 * 8;
        unsigned char *out = pages + room - aligned;
        memset(pages, 0x5a, room);
        memcpy(out, &size, sizeof size);
        roofline_error error;
        roofline_status status =
            roofline_step_groups(plan, &decode, 1, sizeof decode, (roofline_step_result *)(void *)out, &error);
        ck_assert(all_bytes_are(pages, (size_t)(out - pages), 0x5a));
        ck_assert_mem_eq(out, &size, sizeof size);
        if (size < sizeof size || size > 4096) {
            expect_error(status, ROOFLINE_STRUCT_SIZE, &error, "");
            ck_assert(all_bytes_are(out + sizeof size, aligned - sizeof size, 0x5a));
            continue;
        }
        expect_ok(status, &error);
        size_t known = size < sizeof whole ? size : sizeof whole;
        ck_assert_mem_eq(out + sizeof size, (unsigned char *)&whole + sizeof size, known - sizeof size);
        ck_assert(all_bytes_are(out + known, size - known, 0));
        ck_assert(all_bytes_are(out + size, aligned - size, 0x5a));
    }
    roofline_plan_free(plan);
    munmap(pages, room + page);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        decode_by_hand,
        decode_by_hand_bytes,
        prefill_by_hand_tells_the_compositions_apart,
        without_logits_their_matrix_is_not_read,
        mixed_steps_read_weights_once,
        position_tables_and_plain_mlps,
        formats_of_a_deployment_by_hand,
        windows_by_hand,
        host_time_is_in_the_prediction_only,
        cache_residence_is_weights_and_kv_read,
        kernel_table_by_hand,
        kernel_rows_add_up_to_the_step,
        experts_by_hand,
        experts_are_chosen_by_the_tokens_of_the_whole_step,
        expected_experts_are_those_of_a_published_simulation,
        one_expert_is_the_dense_mlp_bit_for_bit,
        routers_keep_the_format_of_the_head,
        windows_and_experts_in_one_layer,
        kernel_rows_of_experts_add_up_to_the_step,
        kernel_table_without_logits_has_a_row_of_zeros,
        kernel_table_asks_for_its_size,
        step_refuses_bad_sequences,
        step_refuses_too_much_in_all,
        step_many_is_step_groups_bit_for_bit,
        step_many_knows_every_quantity,
        step_many_takes_any_stride,
        step_many_marks_bad_points_and_computes_the_rest,
        step_many_refuses_bad_calls,
        step_writes_no_further_than_struct_size,
    };
    return run_tests("step", tests, sizeof tests / sizeof *tests);
}
