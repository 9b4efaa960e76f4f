/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel without a model: bound, composition, matrix product, crossover, attention. Expected values by hand. */
#include "fixtures.h"

/* A device whose figures make mental arithmetic possible: ridge 10 FLOP/byte, a cache of 50 MB. */
static roofline_device *round_device(void) {
    roofline_device_spec spec = {.struct_size = sizeof spec,
                                 .name = "round figures",
                                 .memory_bytes_per_s = 10e12,
                                 .memory_bytes = 1000000000000,
                                 .l2_bytes = 50000000};
    spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = 100e12;
    return device_of(&spec);
}

static roofline_bound_result bound_of(const roofline_device *device, roofline_arithmetic arithmetic, double flops,
                                      double bytes) {
    roofline_work work = {.struct_size = sizeof work, .arithmetic = arithmetic, .flops = flops, .bytes = bytes};
    roofline_bound_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_bound(device, &work, &result, &error), &error);
    return result;
}

/* ------------------------------------------------------------------------------------------------------------ bound */

START_TEST(bound_on_either_side_of_the_ridge) {
    roofline_device *device = round_device();
    roofline_bound_result compute = bound_of(device, ROOFLINE_ARITHMETIC_BF16, 1000e12, 50e12);
    ck_assert_double_eq(compute.compute_s, 10);
    ck_assert_double_eq(compute.memory_s, 5);
    ck_assert_double_eq(compute.bound_s, 10);
    ck_assert_int_eq(compute.regime, ROOFLINE_REGIME_COMPUTE);
    ck_assert_double_eq(compute.intensity_flop_per_byte, 20);
    ck_assert_double_eq(compute.ridge_flop_per_byte, 10);
    ck_assert_double_eq(compute.attainable_flops_per_s, 100e12);
    ck_assert_double_eq(compute.fraction_of_peak, 1);
    ck_assert_int_eq(compute.arithmetic, ROOFLINE_ARITHMETIC_BF16);
    ck_assert_int_eq(compute.source, ROOFLINE_SOURCE_SPEC);

    roofline_bound_result memory = bound_of(device, ROOFLINE_ARITHMETIC_BF16, 200e12, 100e12);
    ck_assert_double_eq(memory.bound_s, 10);
    ck_assert_int_eq(memory.regime, ROOFLINE_REGIME_MEMORY);
    ck_assert_double_eq(memory.attainable_flops_per_s, 20e12);
    ck_assert_double_eq(memory.fraction_of_peak, 0.2);
    roofline_device_free(device);
}
END_TEST

/* At F/peak = Q/bandwidth the intensity has reached the ridge: compute-bound. */
START_TEST(bound_at_the_ridge_is_compute_bound) {
    roofline_device *device = round_device();
    roofline_bound_result tie = bound_of(device, ROOFLINE_ARITHMETIC_BF16, 1000e12, 100e12);
    ck_assert_double_eq(tie.compute_s, tie.memory_s);
    ck_assert_int_eq(tie.regime, ROOFLINE_REGIME_COMPUTE);
    ck_assert_double_eq(tie.fraction_of_peak, 1);
    roofline_device_free(device);
}
END_TEST

START_TEST(bound_without_flops_or_without_bytes) {
    roofline_device *device = round_device();
    roofline_bound_result copy = bound_of(device, ROOFLINE_ARITHMETIC_DEFAULT, 0, 20e12);
    ck_assert_double_eq(copy.bound_s, 2);
    ck_assert_int_eq(copy.regime, ROOFLINE_REGIME_MEMORY);
    ck_assert_double_eq(copy.intensity_flop_per_byte, 0);
    ck_assert(isnan(copy.ridge_flop_per_byte));
    ck_assert(isnan(copy.attainable_flops_per_s));
    ck_assert(isnan(copy.fraction_of_peak));

    roofline_bound_result registers = bound_of(device, ROOFLINE_ARITHMETIC_BF16, 300e12, 0);
    ck_assert_double_eq(registers.bound_s, 3);
    ck_assert_int_eq(registers.regime, ROOFLINE_REGIME_COMPUTE);
    ck_assert(isnan(registers.intensity_flop_per_byte));
    ck_assert(isnan(registers.attainable_flops_per_s));
    ck_assert_double_eq(registers.ridge_flop_per_byte, 10);

    roofline_bound_result nothing = bound_of(device, ROOFLINE_ARITHMETIC_DEFAULT, 0, 0);
    ck_assert_double_eq(nothing.bound_s, 0);
    roofline_device_free(device);
}
END_TEST

START_TEST(bound_says_when_the_bytes_fit_into_the_cache) {
    roofline_device *device = round_device();
    ck_assert_int_eq(bound_of(device, ROOFLINE_ARITHMETIC_BF16, 1, 50e6).cache_resident, 1);
    ck_assert_int_eq(bound_of(device, ROOFLINE_ARITHMETIC_BF16, 1, 50e6 + 1).cache_resident, 0);
    roofline_device_free(device);

    roofline_device_spec spec = h100_spec();
    spec.l2_bytes = 0;
    device = device_of(&spec);
    ck_assert_int_eq(bound_of(device, ROOFLINE_ARITHMETIC_BF16, 1, 1).cache_resident, 0);
    roofline_device_free(device);
}
END_TEST

/* The id of a failing field is that field's row in the layout table. */
static void expect_field(const roofline_error *error, const char *struct_name, const char *field) {
    for (int64_t i = 0; i < roofline_layout_count(); i++) {
        roofline_layout_row row = {.struct_size = sizeof row};
        ck_assert_int_eq(roofline_layout_at(i, &row, NULL), ROOFLINE_OK);
        if (strcmp(row.struct_name, struct_name) == 0 && strcmp(row.field, field) == 0) {
            ck_assert_int_eq(error->field_id, row.id);
            return;
        }
    }
    ck_abort_msg("the layout table lacks %s.%s", struct_name, field);
}

START_TEST(bound_refuses_bad_numbers) {
    roofline_device *device = round_device();
    const double bad[] = {-1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        roofline_work work = {.struct_size = sizeof work, .arithmetic = ROOFLINE_ARITHMETIC_BF16, .bytes = 1};
        roofline_bound_result result = {.struct_size = sizeof result, .bound_s = 42};
        roofline_error error;
        work.flops = bad[i];
        expect_error(roofline_bound(device, &work, &result, &error), ROOFLINE_RANGE, &error, "flops");
        expect_field(&error, "roofline_work", "flops");
        work.flops = 1;
        work.bytes = bad[i];
        expect_error(roofline_bound(device, &work, &result, &error), ROOFLINE_RANGE, &error, "bytes");
        ck_assert_double_eq(result.bound_s, 42);
        ck_assert_int_eq(roofline_bound(device, &work, &result, NULL), ROOFLINE_RANGE);
    }
    roofline_device_free(device);
}
END_TEST

START_TEST(bound_refuses_bad_arithmetics_and_pointers) {
    roofline_device *device = round_device();
    roofline_work work = {.struct_size = sizeof work, .flops = 1, .bytes = 1};
    roofline_bound_result result = {.struct_size = sizeof result};
    roofline_error error;
    roofline_status status = roofline_bound(device, &work, &result, &error);
    ck_assert(status == ROOFLINE_ARGUMENT || status == ROOFLINE_RANGE); /* flops without an arithmetic */
    expect_error(status, status, &error, "arithmetic");
    const roofline_arithmetic unknown[] = {-1, 8, 11, 17, 24, 31, 32, 1000, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        work.arithmetic = unknown[i];
        expect_error(roofline_bound(device, &work, &result, &error), ROOFLINE_RANGE, &error, "arithmetic");
    }
    work.arithmetic = ROOFLINE_ARITHMETIC_FP8; /* known, but this chip has none */
    expect_error(roofline_bound(device, &work, &result, &error), ROOFLINE_UNSUPPORTED, &error, "arithmetic");
    work.arithmetic = ROOFLINE_ARITHMETIC_BF16;
    expect_error(roofline_bound(NULL, &work, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_bound(device, NULL, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_bound(device, &work, NULL, &error), ROOFLINE_ARGUMENT, &error, "");
    work.struct_size = 0;
    expect_error(roofline_bound(device, &work, &result, &error), ROOFLINE_STRUCT_SIZE, &error, "");
    work.struct_size = sizeof work;
    result.struct_size = 5000;
    expect_error(roofline_bound(device, &work, &result, &error), ROOFLINE_STRUCT_SIZE, &error, "");
    roofline_device_free(device);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------ composition */

/*
 * Kernel 1: 3 s of FLOPs, 1 s of bytes. Kernel 2: 1 s of FLOPs, 4 s of bytes. One after the other 3 + 4 = 7;
 * overlapped max(3 + 1, 1 + 4) = 5, memory-bound; shares 4/7 and 3/7.
 */
START_TEST(composition_of_two_kernels) {
    roofline_device *device = round_device();
    const roofline_work rows[] = {
        {.struct_size = sizeof *rows, .arithmetic = ROOFLINE_ARITHMETIC_BF16, .flops = 300e12, .bytes = 10e12},
        {.struct_size = sizeof *rows, .arithmetic = ROOFLINE_ARITHMETIC_BF16, .flops = 100e12, .bytes = 40e12},
    };
    roofline_compose_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_compose(device, rows, 2, sizeof *rows, &result, &error), &error);
    ck_assert_double_eq(result.kernel_s, 7);
    ck_assert_double_eq(result.aggregate_s, 5);
    ck_assert_int_eq(result.regime, ROOFLINE_REGIME_MEMORY);
    ck_assert_double_eq(result.compute_s, 4);
    ck_assert_double_eq(result.memory_s, 5);
    ck_assert_double_eq(result.flops, 400e12);
    ck_assert_double_eq(result.bytes, 50e12);
    ck_assert_double_eq(result.intensity_flop_per_byte, 8);
    ck_assert_double_eq(result.ridge_flop_per_byte, 10);
    ck_assert_close(result.memory_bound_share, 4.0 / 7);
    ck_assert_close(result.compute_bound_share, 3.0 / 7);
    roofline_device_free(device);
}
END_TEST

/*
 * fp8 at twice the peak of bf16: 8 s of fp8 products and 1 s of bf16 ones take 9 s in turn. Their sum over one peak
 * would be 17 s, which is why each kernel is counted at its own. The ridge of the mix is (F / 9 s) / bandwidth.
 */
START_TEST(composition_of_mixed_arithmetics) {
    roofline_device_spec spec = h100_spec();
    roofline_device *device = device_of(&spec);
    const double fp8 = 8 * 1978.8e12, bf16 = 989.4e12;
    const roofline_work rows[] = {
        {.struct_size = sizeof *rows, .arithmetic = ROOFLINE_ARITHMETIC_FP8, .flops = fp8},
        {.struct_size = sizeof *rows, .arithmetic = ROOFLINE_ARITHMETIC_BF16, .flops = bf16},
    };
    roofline_compose_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_compose(device, rows, 2, sizeof *rows, &result, &error), &error);
    ck_assert_double_eq(result.kernel_s, 9);
    ck_assert_double_eq(result.aggregate_s, 9);
    ck_assert(isnan(result.intensity_flop_per_byte));
    ck_assert_close(result.ridge_flop_per_byte, (fp8 + bf16) / 9 / 3.35e12);
    ck_assert_double_eq(result.compute_bound_share, 1);
    roofline_device_free(device);
}
END_TEST

START_TEST(composition_reads_rows_by_their_stride) {
    roofline_device *device = round_device();
    struct {
        roofline_work work;
        double later_field;
    } rows[2] = {{.work = {.flops = 300e12, .arithmetic = ROOFLINE_ARITHMETIC_BF16}},
                 {.work = {.bytes = 40e12, .arithmetic = ROOFLINE_ARITHMETIC_BF16}}};
    roofline_compose_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_compose(device, &rows[0].work, 2, sizeof *rows, &result, &error), &error);
    ck_assert_double_eq(result.kernel_s, 7);
    rows[1].later_field = 1; /* a field that this library does not know, and set */
    expect_error(roofline_compose(device, &rows[0].work, 2, sizeof *rows, &result, &error), ROOFLINE_STRUCT_SIZE,
                 &error, "");
    roofline_device_free(device);
}
END_TEST

START_TEST(composition_refuses_bad_input) {
    roofline_device *device = round_device();
    roofline_work rows[3] = {{.arithmetic = ROOFLINE_ARITHMETIC_BF16, .flops = 1},
                             {.arithmetic = ROOFLINE_ARITHMETIC_BF16, .flops = 1},
                             {.arithmetic = ROOFLINE_ARITHMETIC_BF16, .flops = 1}};
    roofline_compose_result result = {.struct_size = sizeof result, .kernel_s = 42};
    roofline_error error;
    roofline_status status = roofline_compose(device, rows, 0, sizeof *rows, &result, &error);
    ck_assert(status == ROOFLINE_RANGE || status == ROOFLINE_ARGUMENT);
    expect_error(roofline_compose(device, rows, ((size_t)1 << 20) + 1, sizeof *rows, &result, &error), ROOFLINE_RANGE,
                 &error, "count");
    expect_error(roofline_compose(device, NULL, 1, sizeof *rows, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_compose(NULL, rows, 1, sizeof *rows, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_compose(device, rows, 1, sizeof *rows, NULL, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_compose(device, rows, 1, 0, &result, &error), ROOFLINE_STRUCT_SIZE, &error, "");
    rows[2].bytes = NAN;
    expect_error(roofline_compose(device, rows, 3, sizeof *rows, &result, &error), ROOFLINE_RANGE, &error, "/2/bytes");
    ck_assert_double_eq(result.kernel_s, 42);
    for (size_t i = strlen(error.path); i < sizeof error.path; i++)
        ck_assert_int_eq(error.path[i], 0); /* nothing of the library's stack goes out */
    roofline_device_free(device);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- matrix products */

static roofline_gemm_result gemm_of(const roofline_gemm_shape *shape) {
    roofline_gemm_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_gemm(shape, &result, &error), &error);
    return result;
}

/*
 * [3, 5] x [5, 7], fp8 weights (1 byte), bf16 in (2), fp32 out (4):
 * F = 2 * 3 * 5 * 7 = 210; weights 35 B; in 3 * 5 * 2 = 30 B, out 3 * 7 * 4 = 84 B; Q = 149 B.
 * For endless tokens: 2 * 35 / (5 * 2 + 7 * 4) = 70 / 38.
 */
START_TEST(gemm_counts_weights_and_activations) {
    roofline_gemm_shape shape = {.struct_size = sizeof shape,
                                 .tokens = 3,
                                 .k = 5,
                                 .n = 7,
                                 .weight_format = ROOFLINE_FORMAT_FP8,
                                 .input_format = ROOFLINE_FORMAT_BF16,
                                 .output_format = ROOFLINE_FORMAT_FP32};
    roofline_gemm_result result = gemm_of(&shape);
    ck_assert_double_eq(result.flops, 210);
    ck_assert_double_eq(result.weight_bytes, 35);
    ck_assert_double_eq(result.activation_bytes, 114);
    ck_assert_double_eq(result.bytes, 149);
    ck_assert_close(result.intensity_flop_per_byte, 210.0 / 149);
    ck_assert_close(result.limit_flop_per_byte, 70.0 / 38);
    ck_assert_int_eq(result.arithmetic, ROOFLINE_ARITHMETIC_BF16);
    ck_assert_int_eq(result.traffic, ROOFLINE_TRAFFIC_COMPULSORY);

    shape.traffic = ROOFLINE_TRAFFIC_STREAMED;
    result = gemm_of(&shape);
    ck_assert_double_eq(result.bytes, 35);
    ck_assert_double_eq(result.activation_bytes, 0);
    ck_assert_double_eq(result.intensity_flop_per_byte, 6);
    ck_assert(isinf(result.limit_flop_per_byte) && result.limit_flop_per_byte > 0);
    ck_assert_int_eq(result.traffic, ROOFLINE_TRAFFIC_STREAMED);
}
END_TEST

/* Gate and up in one product: 8 columns of weights, the activation leaves 4. F and weights as for 8. */
START_TEST(gemm_with_a_fused_gate_writes_half_the_columns) {
    roofline_gemm_shape shape = {.struct_size = sizeof shape, .tokens = 3, .k = 5, .n = 8, .output_columns = 4};
    roofline_gemm_result result = gemm_of(&shape);
    ck_assert_double_eq(result.flops, 240);
    ck_assert_double_eq(result.weight_bytes, 80);
    ck_assert_double_eq(result.activation_bytes, 3 * 5 * 2 + 3 * 4 * 2);
    ck_assert_close(result.limit_flop_per_byte, 80.0 / (5 * 2 + 4 * 2));
}
END_TEST

/* A product computes in the wider of its operands; half a byte an element for the 4-bit formats. */
START_TEST(gemm_arithmetic_follows_the_wider_operand) {
    static const struct {
        roofline_format weight, input;
        roofline_arithmetic expected;
        double weight_bytes;
    } cases[] = {
        {0, 0, ROOFLINE_ARITHMETIC_BF16, 2},
        {ROOFLINE_FORMAT_FP8, 0, ROOFLINE_ARITHMETIC_BF16, 1},
        {ROOFLINE_FORMAT_FP8, ROOFLINE_FORMAT_FP8, ROOFLINE_ARITHMETIC_FP8, 1},
        {ROOFLINE_FORMAT_INT8, ROOFLINE_FORMAT_INT8, ROOFLINE_ARITHMETIC_INT8, 1},
        {ROOFLINE_FORMAT_INT4, ROOFLINE_FORMAT_FP16, ROOFLINE_ARITHMETIC_FP16, 0.5},
        {ROOFLINE_FORMAT_FP4, ROOFLINE_FORMAT_FP4, ROOFLINE_ARITHMETIC_FP4, 0.5},
        {ROOFLINE_FORMAT_FP4, ROOFLINE_FORMAT_FP8, ROOFLINE_ARITHMETIC_FP8, 0.5},
        {ROOFLINE_FORMAT_FP32, ROOFLINE_FORMAT_BF16, ROOFLINE_ARITHMETIC_FP32, 4},
        {ROOFLINE_FORMAT_FP16, ROOFLINE_FORMAT_BF16, ROOFLINE_ARITHMETIC_BF16, 2}, /* equal width: the activations' */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        roofline_gemm_shape shape = {.struct_size = sizeof shape,
                                     .tokens = 1,
                                     .k = 2,
                                     .n = 3,
                                     .weight_format = cases[i].weight,
                                     .input_format = cases[i].input};
        roofline_gemm_result result = gemm_of(&shape);
        ck_assert_int_eq(result.arithmetic, cases[i].expected);
        ck_assert_double_eq(result.weight_bytes, 6 * cases[i].weight_bytes);
        shape.arithmetic = ROOFLINE_ARITHMETIC_TF32;
        ck_assert_int_eq(gemm_of(&shape).arithmetic, ROOFLINE_ARITHMETIC_TF32);
    }
}
END_TEST

START_TEST(gemm_of_the_largest_counts_stays_finite) {
    const int64_t most = (int64_t)1 << 32;
    roofline_gemm_shape shape = {.struct_size = sizeof shape, .tokens = most, .k = most, .n = most};
    roofline_gemm_result result = gemm_of(&shape);
    ck_assert_double_eq(result.flops, ldexp(1, 97));
    ck_assert_double_eq(result.bytes, 3 * ldexp(1, 65));
}
END_TEST

/* Every field of a shape, set to values that are none: the status, and the field's name in the path. */
typedef struct bad_field {
    const char *field;
    size_t offset;
    size_t size;
    int64_t values[4]; /* the unused ones repeat the first */
} bad_field;

#define BAD(type, field, first, second, third, fourth)                                                                 \
    {                                                                                                                  \
#field, offsetof(type, field), sizeof(((type *)0)->field), {                                                   \
            first, second, third, fourth                                                                               \
        }                                                                                                              \
    }

static void set_field(void *object, const bad_field *field, int64_t value) {
    int32_t narrow = (int32_t)value;
    memcpy((char *)object + field->offset, field->size == 8 ? (const void *)&value : (const void *)&narrow,
           field->size);
}

static const int64_t past_tokens = ((int64_t)1 << 32) + 1;

START_TEST(gemm_refuses_every_bad_field) {
    const bad_field fields[] = {
        BAD(roofline_gemm_shape, tokens, 0, -1, past_tokens, INT64_MIN),
        BAD(roofline_gemm_shape, k, 0, -1, past_tokens, INT64_MAX),
        BAD(roofline_gemm_shape, n, 0, -1, past_tokens, INT64_MAX),
        BAD(roofline_gemm_shape, output_columns, -1, INT64_MIN, past_tokens, INT64_MAX),
        BAD(roofline_gemm_shape, traffic, -1, 2, 100, INT32_MAX),
        BAD(roofline_gemm_shape, weight_format, -1, 8, 100, INT32_MIN),
        BAD(roofline_gemm_shape, input_format, -1, 8, 100, INT32_MIN),
        BAD(roofline_gemm_shape, output_format, -1, 8, 100, INT32_MIN),
        BAD(roofline_gemm_shape, arithmetic, -1, 8, 24, INT32_MAX),
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (size_t j = 0; j < 4; j++) {
            roofline_gemm_shape shape = {.struct_size = sizeof shape, .tokens = 1, .k = 64, .n = 64};
            roofline_gemm_result result = {.struct_size = sizeof result, .flops = 42};
            roofline_error error;
            set_field(&shape, &fields[i], fields[i].values[j]);
            expect_error(roofline_gemm(&shape, &result, &error), ROOFLINE_RANGE, &error, fields[i].field);
            expect_field(&error, "roofline_gemm_shape", fields[i].field);
            ck_assert_double_eq(result.flops, 42);
        }
    roofline_gemm_shape shape = {.struct_size = sizeof shape, .tokens = 1, .k = 64, .n = 64};
    roofline_gemm_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_error(roofline_gemm(NULL, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_gemm(&shape, NULL, &error), ROOFLINE_ARGUMENT, &error, "");
    shape.weight_format = shape.input_format = ROOFLINE_FORMAT_INT4; /* no device multiplies int4 by int4 here */
    expect_error(roofline_gemm(&shape, &result, &error), ROOFLINE_UNSUPPORTED, &error, "");
    shape.weight_format = ROOFLINE_FORMAT_FP8; /* nor fp8 by int8 */
    shape.input_format = ROOFLINE_FORMAT_INT8;
    expect_error(roofline_gemm(&shape, &result, &error), ROOFLINE_UNSUPPORTED, &error, "");
}
END_TEST

/* ------------------------------------------------------------------------------------------ many products at once */

START_TEST(gemm_many_is_gemm_and_bound_bit_for_bit) {
    roofline_device *device = h100();
    roofline_gemm_shape shape = {.struct_size = sizeof shape, .k = 4096, .n = 6144};
    enum {
        POINTS = 64
    };
    int64_t tokens[POINTS];
    double expected[POINTS];
    for (int i = 0; i < POINTS; i++) {
        tokens[i] = 1 + (int64_t)i * i * 37;
        shape.tokens = tokens[i];
        roofline_gemm_result gemm = gemm_of(&shape);
        expected[i] = bound_of(device, gemm.arithmetic, gemm.flops, gemm.bytes).bound_s;
    }
    shape.tokens = 0; /* not read */
    roofline_error error;
    double contiguous[POINTS], backwards[POINTS];
    int32_t status[POINTS];
    expect_ok(roofline_gemm_many(device, &shape, POINTS, tokens, 8, contiguous, 8, status, &error), &error);
    expect_ok(roofline_gemm_many(device, &shape, POINTS, tokens + POINTS - 1, -8, backwards, 8, NULL, &error), &error);
    unsigned char spaced_in[POINTS * 11 + 8], spaced_out[POINTS * 13 + 8];
    for (int i = 0; i < POINTS; i++)
        memcpy(spaced_in + i * 11 + 1, &tokens[i], 8);
    expect_ok(roofline_gemm_many(device, &shape, POINTS, spaced_in + 1, 11, spaced_out + 3, 13, NULL, &error), &error);
    for (int i = 0; i < POINTS; i++) {
        double spaced;
        memcpy(&spaced, spaced_out + 3 + i * 13, 8);
        ck_assert(same_bits(contiguous[i], expected[i]));
        ck_assert(same_bits(backwards[POINTS - 1 - i], expected[i]));
        ck_assert(same_bits(spaced, expected[i]));
        ck_assert_int_eq(status[i], ROOFLINE_OK);
    }
    expect_ok(roofline_gemm_many(device, &shape, POINTS, tokens + 5, 0, contiguous, 8, status, &error), &error);
    for (int i = 0; i < POINTS; i++)
        ck_assert(same_bits(contiguous[i], expected[5]));
    roofline_device_free(device);
}
END_TEST

START_TEST(gemm_many_marks_bad_points_and_computes_the_rest) {
    roofline_device *device = h100();
    roofline_gemm_shape shape = {.struct_size = sizeof shape, .k = 64, .n = 64};
    const int64_t tokens[] = {1, 0, 2, -5, past_tokens, 3};
    double seconds[6];
    int32_t status[6];
    roofline_error error;
    expect_ok(roofline_gemm_many(device, &shape, 6, tokens, 8, seconds, 8, status, &error), &error);
    for (int i = 0; i < 6; i++) {
        int good = tokens[i] >= 1 && tokens[i] < past_tokens;
        ck_assert_int_eq(status[i], good ? ROOFLINE_OK : ROOFLINE_RANGE);
        ck_assert_int_eq(isnan(seconds[i]) != 0, !good);
    }
    expect_ok(roofline_gemm_many(device, &shape, 0, NULL, 8, NULL, 8, NULL, &error), &error);
    ck_assert_int_lt(roofline_gemm_many(device, &shape, -1, tokens, 8, seconds, 8, status, &error), 0);
    expect_error(roofline_gemm_many(NULL, &shape, 1, tokens, 8, seconds, 8, status, &error), ROOFLINE_ARGUMENT, &error,
                 "");
    expect_error(roofline_gemm_many(device, NULL, 1, tokens, 8, seconds, 8, status, &error), ROOFLINE_ARGUMENT, &error,
                 "");
    expect_error(roofline_gemm_many(device, &shape, 1, NULL, 8, seconds, 8, status, &error), ROOFLINE_ARGUMENT, &error,
                 "");
    expect_error(roofline_gemm_many(device, &shape, 1, tokens, 8, NULL, 8, status, &error), ROOFLINE_ARGUMENT, &error,
                 "");
    shape.k = 0;
    expect_error(roofline_gemm_many(device, &shape, 1, tokens, 8, seconds, 8, status, &error), ROOFLINE_RANGE, &error,
                 "k");
    roofline_device_free(device);
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- crossover */

static roofline_crossover_result crossover_of(const roofline_device *device, const roofline_gemm_shape *shape) {
    roofline_crossover_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_gemm_crossover(device, shape, &result, &error), &error);
    return result;
}

/*
 * Square bf16 products on an H100: T* = ridge d / (d - 2 ridge), ridge = 989.4 / 3.35 = 295.34. The denominator is
 * positive from d > 590.69 on, so 590 never is compute-bound and 591 is. Weights alone: T = ridge, whatever d.
 */
START_TEST(crossover_of_square_products) {
    roofline_device *device = h100();
    const double ridge = 989.4e12 / 3.35e12;
    for (int64_t d = 1; d <= 1200; d++) {
        roofline_gemm_shape shape = {.struct_size = sizeof shape, .k = d, .n = d};
        roofline_crossover_result result = crossover_of(device, &shape);
        ck_assert_double_eq(result.tokens_streamed, ridge);
        ck_assert_int_eq(result.least_tokens_streamed, 296);
        ck_assert_close(result.limit_flop_per_byte, (double)d / 2);
        ck_assert_double_eq(result.ridge_flop_per_byte, ridge);
        if (d <= 590) {
            ck_assert_int_eq(result.answer, ROOFLINE_ANSWER_NEVER);
            ck_assert(isnan(result.tokens_compulsory));
            ck_assert_int_eq(result.least_tokens_compulsory, 0);
        } else {
            double expected = ridge * (double)d / ((double)d - 2 * ridge);
            ck_assert_int_eq(result.answer, ROOFLINE_ANSWER_YES);
            /* near the threshold the subtraction cancels: d - 2 ridge is 0.3 of 591 */
            ck_assert_double_le(fabs(result.tokens_compulsory - expected), 1e-10 * expected);
            ck_assert_int_ge(result.least_tokens_compulsory, (int64_t)ceil(expected * (1 - 1e-10)));
            ck_assert_int_le(result.least_tokens_compulsory, (int64_t)ceil(expected * (1 + 1e-10)));
        }
    }
    roofline_device_free(device);
}
END_TEST

/* The least whole number is compute-bound and the one below is not, by the bound itself. */
static void expect_least(const roofline_device *device, roofline_gemm_shape shape, int64_t least) {
    roofline_regime expected[] = {ROOFLINE_REGIME_MEMORY, ROOFLINE_REGIME_COMPUTE};
    for (int i = least > 1 ? 0 : 1; i < 2; i++) {
        shape.tokens = least - 1 + i;
        roofline_gemm_result gemm = gemm_of(&shape);
        ck_assert_int_eq(bound_of(device, gemm.arithmetic, gemm.flops, gemm.bytes).regime, expected[i]);
    }
}

static void expect_crossover(const roofline_device *device, roofline_gemm_shape shape) {
    roofline_crossover_result result = crossover_of(device, &shape);
    shape.traffic = ROOFLINE_TRAFFIC_STREAMED;
    expect_least(device, shape, result.least_tokens_streamed);
    shape.traffic = ROOFLINE_TRAFFIC_COMPULSORY;
    if (result.answer == ROOFLINE_ANSWER_YES)
        expect_least(device, shape, result.least_tokens_compulsory);
    else
        ck_assert_double_le(result.limit_flop_per_byte, result.ridge_flop_per_byte);
}

START_TEST(crossover_agrees_with_the_bound) {
    roofline_device *device = h100();
    static const int64_t shapes[][3] = {{4096, 6144, 0},   {4096, 4096, 0}, {4096, 28672, 14336}, {14336, 4096, 0},
                                        {4096, 128256, 0}, {591, 591, 0},   {8192, 1024, 0},      {700, 100000, 0}};
    static const roofline_format formats[][2] = {{ROOFLINE_FORMAT_BF16, ROOFLINE_FORMAT_BF16},
                                                 {ROOFLINE_FORMAT_FP8, ROOFLINE_FORMAT_BF16},
                                                 {ROOFLINE_FORMAT_FP8, ROOFLINE_FORMAT_FP8},
                                                 {ROOFLINE_FORMAT_INT4, ROOFLINE_FORMAT_FP16}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t j = 0; j < sizeof formats / sizeof *formats; j++)
            expect_crossover(device, (roofline_gemm_shape){.struct_size = sizeof(roofline_gemm_shape),
                                                           .k = shapes[i][0],
                                                           .n = shapes[i][1],
                                                           .output_columns = shapes[i][2],
                                                           .weight_format = formats[j][0],
                                                           .input_format = formats[j][1]});
    roofline_device_free(device);
}
END_TEST

/*
 * Whole crossovers, where the last digit of the solution decides: T = P K N / (B K N - P (K + N)) for bf16, with P and B
 * in TFLOP/s and TB/s. 165.2 * 112 / (3.35 * 112 - 330.4) = 18502.4 / 44.8 = 413, and so on; doubles solve it to a little
 * more than 413, but 413 is a tie, and a tie is compute-bound.
 */
START_TEST(crossover_where_rounding_decides) {
    static const struct {
        double peak, bandwidth;
        int64_t k, n, least;
    } cases[] = {
        {165.2e12, 3.35e12, 112, 112, 413},
        {312e12, 3.35e12, 192, 192, 3120},
        {312e12, 3.35e12, 325, 800, 156},
        {165.2e12, 1.1e12, 826, 826, 236},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        roofline_device_spec spec = h100_spec();
        spec.memory_bytes_per_s = cases[i].bandwidth;
        spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = cases[i].peak;
        roofline_device *device = device_of(&spec);
        roofline_gemm_shape shape = {.struct_size = sizeof shape, .k = cases[i].k, .n = cases[i].n};
        ck_assert_int_eq(crossover_of(device, &shape).least_tokens_compulsory, cases[i].least);
        expect_crossover(device, shape);
        roofline_device_free(device);
    }
}
END_TEST

/* Ridge 100, bf16: weights alone cross at exactly 100; 400 x 400 at 100 * 400 / (400 - 200) = 200. Ties are compute. */
START_TEST(crossover_at_whole_numbers) {
    roofline_device_spec spec = h100_spec();
    spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = 100e12;
    spec.memory_bytes_per_s = 1e12;
    roofline_device *device = device_of(&spec);
    roofline_gemm_shape shape = {.struct_size = sizeof shape, .k = 400, .n = 400};
    roofline_crossover_result result = crossover_of(device, &shape);
    ck_assert_double_eq(result.tokens_streamed, 100);
    ck_assert_int_eq(result.least_tokens_streamed, 100);
    ck_assert_double_eq(result.tokens_compulsory, 200);
    ck_assert_int_eq(result.least_tokens_compulsory, 200);
    ck_assert_int_eq(result.arithmetic, ROOFLINE_ARITHMETIC_BF16);
    shape.k = shape.n = 200; /* the limit intensity is the ridge itself: reached only in the limit */
    ck_assert_int_eq(crossover_of(device, &shape).answer, ROOFLINE_ANSWER_NEVER);
    roofline_device_free(device);
}
END_TEST

START_TEST(crossover_refuses_bad_input) {
    roofline_device *device = round_device();
    roofline_gemm_shape shape = {.struct_size = sizeof shape, .k = 64, .n = 64};
    roofline_crossover_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_error(roofline_gemm_crossover(NULL, &shape, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_gemm_crossover(device, NULL, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_gemm_crossover(device, &shape, NULL, &error), ROOFLINE_ARGUMENT, &error, "");
    shape.n = 0;
    expect_error(roofline_gemm_crossover(device, &shape, &result, &error), ROOFLINE_RANGE, &error, "n");
    shape.n = 64;
    shape.weight_format = shape.input_format = ROOFLINE_FORMAT_FP8;
    expect_error(roofline_gemm_crossover(device, &shape, &result, &error), ROOFLINE_UNSUPPORTED, &error, "");
    roofline_device_free(device);
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- attention */

static roofline_attention_shape heads_4_over_2(int64_t new_tokens, int64_t context_tokens, int64_t window) {
    return (roofline_attention_shape){.struct_size = sizeof(roofline_attention_shape),
                                      .new_tokens = new_tokens,
                                      .context_tokens = context_tokens,
                                      .query_heads = 4,
                                      .kv_heads = 2,
                                      .head_dim = 8,
                                      .window_tokens = window};
}

static roofline_attention_result attention_of(const roofline_attention_shape *shape) {
    roofline_attention_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_attention(shape, &result, &error), &error);
    return result;
}

/*
 * Decode over 10 positions: 10 pairs; F = 2 * 4 heads * 10 * (8 + 8) = 1280; K and V 10 * 2 * 16 * 2 B = 640 B;
 * q and result 1 * 4 * 16 * 2 B = 128 B.
 */
START_TEST(attention_of_a_decode) {
    roofline_attention_shape shape = heads_4_over_2(1, 10, 0);
    roofline_attention_result result = attention_of(&shape);
    ck_assert_double_eq(result.pairs, 10);
    ck_assert_double_eq(result.flops, 1280);
    ck_assert_double_eq(result.kv_read_bytes, 640);
    ck_assert_double_eq(result.activation_bytes, 128);
    ck_assert_double_eq(result.bytes, 768);
    ck_assert_close(result.intensity_flop_per_byte, 1280.0 / 768);
    ck_assert_int_eq(result.arithmetic, ROOFLINE_ARITHMETIC_BF16);
    shape.traffic = ROOFLINE_TRAFFIC_STREAMED; /* 2 (h / hk) / v = 2, whatever the context */
    result = attention_of(&shape);
    ck_assert_double_eq(result.bytes, 640);
    ck_assert_double_eq(result.activation_bytes, 0);
    ck_assert_double_eq(result.intensity_flop_per_byte, 2);
    shape.count = 3;
    result = attention_of(&shape);
    ck_assert_double_eq(result.pairs, 30);
    ck_assert_double_eq(result.flops, 3840);
    ck_assert_double_eq(result.bytes, 1920);
}
END_TEST

/* A prompt of 4: 1 + 2 + 3 + 4 pairs. A chunk of 3 after 2 cached: 3 + 4 + 5, and the cache of 5 is read once. */
START_TEST(attention_of_a_prompt_and_of_a_chunk) {
    roofline_attention_shape prompt = heads_4_over_2(4, 4, 0);
    ck_assert_double_eq(attention_of(&prompt).pairs, 10);
    ck_assert_double_eq(attention_of(&prompt).kv_read_bytes, 4 * 2 * 16 * 2);
    ck_assert_double_eq(attention_of(&prompt).activation_bytes, 4 * 4 * 16 * 2);
    roofline_attention_shape chunk = heads_4_over_2(3, 5, 0);
    ck_assert_double_eq(attention_of(&chunk).pairs, 12);
    ck_assert_double_eq(attention_of(&chunk).kv_read_bytes, 5 * 2 * 16 * 2);
}
END_TEST

/* Values of 24 per head beside keys of 8: (d + dv) = 32. An fp8 cache: one byte; q and result stay 16-bit. */
START_TEST(attention_with_other_value_heads_and_formats) {
    roofline_attention_shape shape = heads_4_over_2(1, 10, 0);
    shape.value_head_dim = 24;
    shape.kv_format = ROOFLINE_FORMAT_FP8;
    roofline_attention_result result = attention_of(&shape);
    ck_assert_double_eq(result.flops, 2 * 4 * 10 * 32);
    ck_assert_double_eq(result.kv_read_bytes, 10 * 2 * 32);
    ck_assert_double_eq(result.activation_bytes, 4 * 32 * 2);
    ck_assert_int_eq(result.arithmetic, ROOFLINE_ARITHMETIC_BF16); /* the cache's format is storage only */
    shape.activation_format = ROOFLINE_FORMAT_FP16;
    ck_assert_int_eq(attention_of(&shape).arithmetic, ROOFLINE_ARITHMETIC_FP16);
    shape.arithmetic = ROOFLINE_ARITHMETIC_FP8;
    ck_assert_int_eq(attention_of(&shape).arithmetic, ROOFLINE_ARITHMETIC_FP8);
}
END_TEST

/* Windows by walking over every position: the position p attends min(p, W); a cached row is read when one attends it. */
START_TEST(attention_windows_by_enumeration) {
    for (int64_t context = 1; context <= 24; context++)
        for (int64_t new_tokens = 1; new_tokens <= context; new_tokens++)
            for (int64_t window = 0; window <= 27; window++) {
                int64_t pairs = 0, earliest = context;
                for (int64_t p = context - new_tokens + 1; p <= context; p++) {
                    int64_t first = window == 0 || p <= window ? 1 : p - window + 1;
                    pairs += p - first + 1;
                    earliest = first < earliest ? first : earliest;
                }
                roofline_attention_shape shape = heads_4_over_2(new_tokens, context, window);
                roofline_attention_result result = attention_of(&shape);
                ck_assert_double_eq(result.pairs, (double)pairs);
                ck_assert_double_eq(result.kv_read_bytes, (double)((context - earliest + 1) * 2 * 16 * 2));
                ck_assert_double_eq(result.activation_bytes, (double)(new_tokens * 4 * 16 * 2));
            }
}
END_TEST

/* n (n + 1) / 2 for n = 2^32 is 2^63 + 2^31: beyond int64_t, exact in a double. */
START_TEST(attention_of_the_longest_prompt) {
    const int64_t most = (int64_t)1 << 32;
    roofline_attention_shape shape = heads_4_over_2(most, most, 0);
    ck_assert_double_eq(attention_of(&shape).pairs, 9223372039002259456.0);
    shape.window_tokens = 1; /* each position only itself */
    ck_assert_double_eq(attention_of(&shape).pairs, (double)most);
    shape.window_tokens = most;
    ck_assert_double_eq(attention_of(&shape).pairs, 9223372039002259456.0);
    shape.new_tokens = 1;
    ck_assert_double_eq(attention_of(&shape).pairs, (double)most);
}
END_TEST

START_TEST(attention_refuses_every_bad_field) {
    const bad_field fields[] = {
        BAD(roofline_attention_shape, traffic, -1, 2, 100, INT32_MAX),
        BAD(roofline_attention_shape, count, -1, ((int64_t)1 << 24) + 1, INT64_MIN, INT64_MAX),
        BAD(roofline_attention_shape, new_tokens, 0, -1, past_tokens, INT64_MIN),
        BAD(roofline_attention_shape, context_tokens, -1, 0, past_tokens, INT64_MAX),
        BAD(roofline_attention_shape, query_heads, 0, -4, ((int64_t)1 << 20) + 1, INT64_MAX),
        BAD(roofline_attention_shape, kv_heads, 0, -2, INT64_MIN, -1),
        BAD(roofline_attention_shape, head_dim, 0, -8, INT64_MAX, INT64_MIN),
        BAD(roofline_attention_shape, value_head_dim, -8, INT64_MAX, INT64_MIN, -1),
        BAD(roofline_attention_shape, window_tokens, -1, INT64_MIN, past_tokens, -2),
        BAD(roofline_attention_shape, kv_format, -1, 8, 100, INT32_MIN),
        BAD(roofline_attention_shape, activation_format, -1, 8, 100, INT32_MIN),
        BAD(roofline_attention_shape, arithmetic, -1, 8, 24, INT32_MAX),
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (size_t j = 0; j < 4; j++) {
            roofline_attention_shape shape = heads_4_over_2(1, 10, 0);
            roofline_attention_result result = {.struct_size = sizeof result, .flops = 42};
            roofline_error error;
            set_field(&shape, &fields[i], fields[i].values[j]);
            expect_error(roofline_attention(&shape, &result, &error), ROOFLINE_RANGE, &error, fields[i].field);
            expect_field(&error, "roofline_attention_shape", fields[i].field);
            ck_assert_double_eq(result.flops, 42);
        }
    roofline_attention_shape shape = heads_4_over_2(5, 4, 0); /* more new tokens than positions */
    roofline_attention_result result = {.struct_size = sizeof result};
    roofline_error error;
    roofline_status status = roofline_attention(&shape, &result, &error);
    ck_assert(status == ROOFLINE_ARGUMENT || status == ROOFLINE_RANGE);
    expect_error(status, status, &error, "context_tokens");
    shape = heads_4_over_2(1, 10, 0);
    shape.kv_heads = 3; /* does not divide 4 */
    status = roofline_attention(&shape, &result, &error);
    ck_assert(status == ROOFLINE_ARGUMENT || status == ROOFLINE_RANGE);
    expect_error(status, status, &error, "kv_heads");
    expect_error(roofline_attention(NULL, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_attention(&shape, NULL, &error), ROOFLINE_ARGUMENT, &error, "");
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        bound_on_either_side_of_the_ridge,
        bound_at_the_ridge_is_compute_bound,
        bound_without_flops_or_without_bytes,
        bound_says_when_the_bytes_fit_into_the_cache,
        bound_refuses_bad_numbers,
        bound_refuses_bad_arithmetics_and_pointers,
        composition_of_two_kernels,
        composition_of_mixed_arithmetics,
        composition_reads_rows_by_their_stride,
        composition_refuses_bad_input,
        gemm_counts_weights_and_activations,
        gemm_with_a_fused_gate_writes_half_the_columns,
        gemm_arithmetic_follows_the_wider_operand,
        gemm_of_the_largest_counts_stays_finite,
        gemm_refuses_every_bad_field,
        gemm_many_is_gemm_and_bound_bit_for_bit,
        gemm_many_marks_bad_points_and_computes_the_rest,
        crossover_of_square_products,
        crossover_agrees_with_the_bound,
        crossover_where_rounding_decides,
        crossover_at_whole_numbers,
        crossover_refuses_bad_input,
        attention_of_a_decode,
        attention_of_a_prompt_and_of_a_chunk,
        attention_with_other_value_heads_and_formats,
        attention_windows_by_enumeration,
        attention_of_the_longest_prompt,
        attention_refuses_every_bad_field,
    };
    return run_tests("kernel", tests, sizeof tests / sizeof *tests);
}
