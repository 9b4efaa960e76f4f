/* SPDX-License-Identifier: Apache-2.0 */
/* Number formats and arithmetics: the tables inside agree with the constants that callers see. */
#include "fixtures.h"
#include "format.h"

static int for_each_value(const char *meaning, void (*check)(const roofline_constant_row *)) {
    int found = 0;
    for (int64_t i = 0; i < roofline_constant_count(); i++) {
        roofline_constant_row row = {.struct_size = sizeof row};
        ck_assert_int_eq(roofline_constant_at(i, &row, NULL), ROOFLINE_OK);
        if (strcmp(row.meaning, meaning) != 0)
            continue;
        check(&row);
        found++;
    }
    return found;
}

static void check_arithmetic(const roofline_constant_row *row) {
    ck_assert_int_eq(arithmetic_is_known(row->value), row->value != ROOFLINE_ARITHMETIC_DEFAULT);
}

static void check_format(const roofline_constant_row *row) {
    ck_assert_int_eq(format_is_known(row->value), row->value != ROOFLINE_FORMAT_DEFAULT);
}

START_TEST(tables_know_what_the_header_names) {
    ck_assert_int_eq(for_each_value("roofline_arithmetic", check_arithmetic), 16);
    ck_assert_int_eq(for_each_value("roofline_format", check_format), 8);
    static const int32_t strangers[] = {-1, 8, 11, 17, 24, 31, 32, 1000, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        ck_assert(!arithmetic_is_known(strangers[i]) && !format_is_known(strangers[i]));
}
END_TEST

/* Bits by the formats' names; int4 has no units of its own on any chip of the catalogue. */
START_TEST(bits_and_peaks_of_formats) {
    static const struct {
        roofline_format format;
        double bits;
        roofline_arithmetic arithmetic;
    } expected[] = {
        {ROOFLINE_FORMAT_FP32, 32, ROOFLINE_ARITHMETIC_FP32},   {ROOFLINE_FORMAT_FP16, 16, ROOFLINE_ARITHMETIC_FP16},
        {ROOFLINE_FORMAT_BF16, 16, ROOFLINE_ARITHMETIC_BF16},   {ROOFLINE_FORMAT_FP8, 8, ROOFLINE_ARITHMETIC_FP8},
        {ROOFLINE_FORMAT_INT8, 8, ROOFLINE_ARITHMETIC_INT8},    {ROOFLINE_FORMAT_FP4, 4, ROOFLINE_ARITHMETIC_FP4},
        {ROOFLINE_FORMAT_INT4, 4, ROOFLINE_ARITHMETIC_DEFAULT},
    };
    roofline_error error;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        roofline_format_info_result info = {.struct_size = sizeof info};
        expect_ok(roofline_format_info(expected[i].format, &info, &error), &error);
        ck_assert(same_bits(info.bits_per_element, expected[i].bits));
        ck_assert_int_eq(info.arithmetic, expected[i].arithmetic);
    }
    roofline_format_info_result info = {.struct_size = sizeof info};
    expect_error(roofline_format_info(0, &info, &error), ROOFLINE_RANGE, &error, "format");
    expect_error(roofline_format_info(99, &info, &error), ROOFLINE_RANGE, &error, "format");
}
END_TEST

int main(void) {
    const TTest *const tests[] = {tables_know_what_the_header_names, bits_and_peaks_of_formats};
    return run_tests("format", tests, sizeof tests / sizeof *tests);
}
