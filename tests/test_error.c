/* SPDX-License-Identifier: Apache-2.0 */
/* What every caller sees of a failure: statuses, the error object, numbers and foreign bytes in messages. */
#include "error.h"
#include "fixtures.h"

START_TEST(every_status_has_a_name_and_a_sentence) {
    static const roofline_status statuses[] = {ROOFLINE_OK,          ROOFLINE_ARGUMENT,    ROOFLINE_RANGE,
                                               ROOFLINE_STRUCT_SIZE, ROOFLINE_BUFFER_SIZE, ROOFLINE_PARSE,
                                               ROOFLINE_SCHEMA,      ROOFLINE_UNSUPPORTED, ROOFLINE_NOT_FOUND,
                                               ROOFLINE_IO,          ROOFLINE_NO_MEMORY,   ROOFLINE_OVERFLOW};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        ck_assert_str_ne(roofline_status_name(statuses[i]), "unknown");
        ck_assert_uint_gt(strlen(roofline_status_text(statuses[i])), 10);
    }
    ck_assert_str_eq(roofline_status_name(ROOFLINE_RANGE), "range");
    ck_assert_str_eq(roofline_status_name(-9999), "unknown");
    ck_assert_uint_gt(strlen(roofline_status_text(-9999)), 10);
}
END_TEST

START_TEST(success_and_failure_write_the_object_whole) {
    roofline_error error;
    memset(&error, 0x5a, sizeof error);
    ck_assert_int_eq(error_set_at(&error, ROOFLINE_PARSE, "/a", 3, 17, "line %d", 3), ROOFLINE_PARSE);
    ck_assert_int_eq(error.status, ROOFLINE_PARSE);
    ck_assert_int_eq(error.line, 3);
    ck_assert_int_eq(error.offset, 17);
    ck_assert_str_eq(error.path, "/a");
    ck_assert_str_eq(error.message, "line 3");
    for (size_t i = 0; i < sizeof error.reserved; i++)
        ck_assert_int_eq(error.reserved[i], 0);
    static const roofline_error none;
    error_clear(&error);
    ck_assert_mem_eq(&error, &none, sizeof error);
    ck_assert_int_eq(error_set(NULL, ROOFLINE_IO, "", "nobody listens"), ROOFLINE_IO);
}
END_TEST

START_TEST(long_messages_are_cut_between_characters) {
    char text[700];
    memset(text, 'a', sizeof text);
    memcpy(text + 510, "\xc3\xa9\xc3\xa9", 4); /* bytes 510 and 511 are one character; 511 is where the NUL must go */
    text[sizeof text - 1] = '\0';
    roofline_error error;
    error_set(&error, ROOFLINE_SCHEMA, "", "%s", text);
    ck_assert_uint_eq(strlen(error.message), 510);
}
END_TEST

START_TEST(foreign_bytes_are_escaped_and_cut) {
    ck_assert_str_eq(error_quote("plain", 5).text, "plain");
    ck_assert_str_eq(error_quote("a\x1b[31m\n", 7).text, "a\\x1b[31m\\x0a");
    ck_assert_str_eq(error_quote("\xff\xc3\xa9", 3).text, "\\xff\xc3\xa9");
    ck_assert_str_eq(error_quote("\xc2\x9b"
                                 "1m\xc2\xa0",
                                 6)
                         .text,
                     "\\xc2\\x9b1m\xc2\xa0"); /* U+009B: an escape sequence */
    char text[500];
    memset(text, 'b', sizeof text);
    quoted_text quoted = error_quote(text, sizeof text);
    ck_assert_uint_lt(strlen(quoted.text), sizeof quoted.text);
    ck_assert_str_eq(quoted.text + strlen(quoted.text) - 3, "...");
}
END_TEST

START_TEST(numbers_read_back_to_the_same_bits) {
    static const double values[] = {0.1, 0.1 + 0.2, 989.4e12, 1e-300, 5e-324, 1.7976931348623157e308, -2.5, 3, 0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        ck_assert(same_bits(strtod(number_text(values[i]).text, NULL), values[i]));
    ck_assert_str_eq(number_text(0.1).text, "0.1");
    ck_assert_str_eq(number_text(0.1 + 0.2).text, "0.30000000000000004");
    ck_assert_str_eq(number_text(NAN).text, "nan");
    ck_assert_str_eq(number_text(-INFINITY).text, "-inf");
}
END_TEST

START_TEST(fields_have_the_id_of_the_layout_table) {
    roofline_layout_row row = {.struct_size = sizeof row};
    int found = 0;
    for (int64_t i = 0; i < roofline_layout_count(); i++) {
        ck_assert_int_eq(roofline_layout_at(i, &row, NULL), ROOFLINE_OK);
        if (strcmp(row.struct_name, "roofline_deployment") != 0 || strcmp(row.field, "memory_fraction") != 0)
            continue;
        found++;
        roofline_deployment deployment = usual_deployment();
        deployment.memory_fraction = 1.5;
        roofline_device *device = small_device();
        roofline_model *model = small_model();
        roofline_plan *plan = NULL;
        roofline_error error;
        expect_error(roofline_plan_new(device, model, &deployment, &plan, &error), ROOFLINE_RANGE, &error,
                     "roofline_deployment.memory_fraction");
        ck_assert_ptr_null(plan);
        ck_assert_int_eq(error.field_id, row.id);
        ck_assert_ptr_nonnull(strstr(error.message, "1.5"));
        roofline_device_free(device);
        roofline_model_free(model);
    }
    ck_assert_int_eq(found, 1);
    ck_assert_int_eq(field_id("/json/pointer"), 0);
    ck_assert_int_eq(field_id(""), 0);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        every_status_has_a_name_and_a_sentence,   success_and_failure_write_the_object_whole,
        long_messages_are_cut_between_characters, foreign_bytes_are_escaped_and_cut,
        numbers_read_back_to_the_same_bits,       fields_have_the_id_of_the_layout_table,
    };
    return run_tests("error", tests, sizeof tests / sizeof *tests);
}
