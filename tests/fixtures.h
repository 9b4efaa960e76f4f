/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and models that several test programs use, made from numbers so that no catalogue is involved. */
#ifndef FIXTURES_H
#define FIXTURES_H

#include <check.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline.h"

/* Doubles that differ by rounding only: a handful of operations of 1.1e-16 each. */
#define ck_assert_close(actual, expected)                                                                              \
    do {                                                                                                               \
        double actual_ = (actual), expected_ = (expected);                                                             \
        ck_assert_msg(fabs(actual_ - expected_) <= 1e-13 * fabs(expected_), "%s is %.17g, not %.17g", #actual,         \
                      actual_, expected_);                                                                             \
    } while (0)

/* The same bits; ck_assert_double_eq would let -0 pass for 0 and refuse NaN. */
static inline int same_bits(double first, double second) {
    return memcmp(&first, &second, sizeof first) == 0;
}

/* One assertion for many bytes: Check reports each assertion to its parent process, which is slow. */
static inline int all_bytes_are(const void *bytes, size_t count, unsigned char value) {
    for (size_t i = 0; i < count; i++)
        if (((const unsigned char *)bytes)[i] != value)
            return 0;
    return 1;
}

static inline void expect_ok(roofline_status status, const roofline_error *error) {
    ck_assert_msg(status == ROOFLINE_OK, "%s: %s: %s", roofline_status_name(status), error->path, error->message);
}

/* A failure names its place and says something. */
static inline void expect_error(roofline_status actual, roofline_status expected, const roofline_error *error,
                                const char *path) {
    ck_assert_msg(actual == expected, "status is %s, not %s (%s: %s)", roofline_status_name(actual),
                  roofline_status_name(expected), error->path, error->message);
    ck_assert_int_eq(error->status, expected);
    ck_assert_msg(strstr(error->path, path) != NULL, "the path is \"%s\" and lacks \"%s\"", error->path, path);
    ck_assert_msg(strlen(error->message) > 10, "the message is \"%s\"", error->message);
}

static inline roofline_device_spec h100_spec(void) {
    roofline_device_spec spec = {.struct_size = sizeof spec,
                                 .name = "H100 by its datasheet",
                                 .memory_bytes_per_s = 3.35e12,
                                 .memory_bytes = 80000000000,
                                 .l2_bytes = 50000000};
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP32] = 66.9e12;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_TF32] = 494.7e12;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP16] = 989.4e12;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = 989.4e12;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP8] = 1978.8e12;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_INT8] = 1978.8e12;
    return spec;
}

static inline roofline_device *device_of(const roofline_device_spec *spec) {
    roofline_device *device = NULL;
    roofline_error error;
    expect_ok(roofline_device_create(spec, NULL, 0, 0, &device, &error), &error);
    return device;
}

static inline roofline_device *h100(void) {
    roofline_device_spec spec = h100_spec();
    return device_of(&spec);
}

/* The shape that is published as Llama-3.1-8B: 32 layers, hidden 4096, 32 heads over 8 of keys, vocabulary 128256. */
static inline roofline_model_spec llama_8b_spec(void) {
    return (roofline_model_spec){.struct_size = sizeof(roofline_model_spec),
                                 .format = ROOFLINE_FORMAT_BF16,
                                 .name = "Llama-3.1-8B by its numbers",
                                 .architecture = "llama",
                                 .hidden = 4096,
                                 .vocab = 128256,
                                 .vector_parameters = 4096};
}

static inline roofline_layer_group llama_8b_layers(void) {
    return (roofline_layer_group){.struct_size = sizeof(roofline_layer_group),
                                  .gated_mlp = 1,
                                  .layers = 32,
                                  .query_heads = 32,
                                  .kv_heads = 8,
                                  .head_dim = 128,
                                  .intermediate = 14336,
                                  .vector_parameters = 2 * 4096};
}

static inline roofline_model *model_of(const roofline_model_spec *spec, const roofline_layer_group *groups,
                                       size_t count) {
    roofline_model *model = NULL;
    roofline_error error;
    expect_ok(roofline_model_create(spec, groups, count, sizeof *groups, &model, &error), &error);
    return model;
}

static inline roofline_model *llama_8b(void) {
    roofline_model_spec spec = llama_8b_spec();
    roofline_layer_group layers = llama_8b_layers();
    return model_of(&spec, &layers, 1);
}

/*
 * A model small enough to be counted by hand: hidden 8, vocabulary 32, two layers of 4 query heads over 2 of keys, 4 wide
 * (so that heads are 16 wide in all, not 8), a gated MLP of 10. bf16: 2 bytes. Per layer, for T new tokens:
 *   qkv           F = 2 T 8 (16 + 16) = 512 T; weights 512 B; in 16 T, q out 32 T; K and V written 32 T
 *   attention     F = 2 * 4 pairs (4 + 4) = 64 pairs; K and V read 32 B a position; q in and result out 64 T
 *   output        F = 2 T 16 * 8 = 256 T; weights 256 B; in 32 T, out 16 T
 *   gate and up   F = 2 T 8 * 20 = 320 T; weights 320 B; in 16 T, out 20 T
 *   down          F = 2 T 10 * 8 = 160 T; weights 160 B; in 20 T, out 16 T
 * Once: embedding 8 (2 + 2) T = 32 T gathered; logits for R rows F = 2 R 8 * 32 = 512 R, weights 512 B, 80 R in and out.
 * Parameters: matrices 2 (256 + 128 + 160 + 80) = 1248; embedding and logits 256 each; vectors 2 * 16 + 8: 1800.
 */
static inline roofline_model_spec small_spec(void) {
    return (roofline_model_spec){.struct_size = sizeof(roofline_model_spec),
                                 .format = ROOFLINE_FORMAT_BF16,
                                 .name = "small",
                                 .architecture = "by hand",
                                 .hidden = 8,
                                 .vocab = 32,
                                 .vector_parameters = 8};
}

static inline roofline_layer_group small_layers(void) {
    return (roofline_layer_group){.struct_size = sizeof(roofline_layer_group),
                                  .gated_mlp = 1,
                                  .layers = 2,
                                  .query_heads = 4,
                                  .kv_heads = 2,
                                  .head_dim = 4,
                                  .intermediate = 10,
                                  .vector_parameters = 16};
}

/*
 * The small model with its MLP split: `experts` of the same width 10, `per_token` of them chosen. Per layer, for T tokens
 * that read A experts:
 *   router                F = 2 T 8 E = 16 E T; weights 16 E B; in 16 T, out 2 E T
 *   experts gate and up   F = 320 k T; weights 320 A B; in 16 T, out 20 k T
 *   experts down          F = 160 k T; weights 160 A B; in 20 k T, out 16 T
 */
static inline roofline_layer_group small_experts(int64_t experts, int64_t per_token) {
    roofline_layer_group layers = small_layers();
    layers.intermediate = 0;
    layers.experts = experts;
    layers.experts_per_token = per_token;
    layers.expert_intermediate = 10;
    return layers;
}

static inline roofline_model *small_model(void) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group layers = small_layers();
    return model_of(&spec, &layers, 1);
}

/* 2 TFLOP/s and 1 TB/s: a FLOP takes half a picosecond, a byte one; ridge 2, in the middle of the small model's. */
static inline roofline_device *small_device(void) {
    roofline_device_spec spec = {
        .struct_size = sizeof spec, .name = "small", .memory_bytes_per_s = 1e12, .memory_bytes = 10000};
    spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = 2e12;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP8] = 4e12;
    return device_of(&spec);
}

static inline roofline_deployment usual_deployment(void) {
    roofline_deployment deployment;
    ck_assert_int_eq(roofline_deployment_init(&deployment, sizeof deployment), ROOFLINE_OK);
    return deployment;
}

/* Frees both parents at once: a plan keeps what it needs. */
static inline roofline_plan *plan_of(roofline_device *device, roofline_model *model,
                                     const roofline_deployment *deployment) {
    roofline_plan *plan = NULL;
    roofline_error error;
    expect_ok(roofline_plan_new(device, model, deployment, &plan, &error), &error);
    roofline_device_free(device);
    roofline_model_free(model);
    return plan;
}

static inline roofline_sequences sequences_of(int64_t count, int64_t new_tokens, int64_t context_tokens) {
    return (roofline_sequences){.struct_size = sizeof(roofline_sequences),
                                .count = count,
                                .new_tokens = new_tokens,
                                .context_tokens = context_tokens};
}

static inline roofline_step_result step_of(const roofline_plan *plan, const roofline_sequences *rows, size_t count) {
    roofline_step_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_step_groups(plan, rows, count, sizeof *rows, &result, &error), &error);
    return result;
}

/* Runs one suite the way all test programs do; Check prints its closing line. */
static inline int run_tests(const char *name, const TTest *const *tests, size_t count) {
    Suite *suite = suite_create(name);
    for (size_t i = 0; i < count; i++) {
        TCase *test_case = tcase_create(tests[i]->name);
        tcase_set_timeout(test_case, 300);
        tcase_add_test(test_case, tests[i]);
        suite_add_tcase(suite, test_case);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The folder of the tests' data: the build says where it is, else it is the working directory's. */
static inline const char *tests_folder(void) {
    const char *folder = getenv("ROOFLINE_TESTS");
    return folder ? folder : "tests";
}

#endif
