/* SPDX-License-Identifier: Apache-2.0 */
/* The layout and constants tables against hand-written expectations and against themselves. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "roofline.h"

static roofline_layout_row layout_row(int64_t index) {
    roofline_layout_row row = {.struct_size = sizeof row};
    roofline_error error;
    ck_assert_int_eq(roofline_layout_at(index, &row, &error), ROOFLINE_OK);
    return row;
}

static roofline_constant_row constant_row(int64_t index) {
    roofline_constant_row row = {.struct_size = sizeof row};
    roofline_error error;
    ck_assert_int_eq(roofline_constant_at(index, &row, &error), ROOFLINE_OK);
    return row;
}

static roofline_layout_row find_field(const char *structure, const char *field) {
    for (int64_t i = 0; i < roofline_layout_count(); i++) {
        roofline_layout_row row = layout_row(i);
        if (strcmp(row.struct_name, structure) == 0 && strcmp(row.field, field) == 0)
            return row;
    }
    ck_abort_msg("the layout table has no %s.%s", structure, field);
}

typedef struct expected_field {
    const char *structure;
    const char *field;
    const char *meaning;
    int32_t type;
    int64_t offset;
    int64_t size;
    int64_t count;
} expected_field;

/*
 * By hand from the header and the C rules of alignment: every member stands at a multiple of its own size (a char array
 * anywhere), and the struct's size is a multiple of its widest member. roofline_device_spec: 4 + 4, then texts of 64, 32
 * and 16 reach 120, 32 doubles reach 376, six members of 8 reach 424.
 */
static const expected_field expected_fields[] = {
    {"roofline_error", "", "", 0, 0, 1024, 1},
    {"roofline_error", "status", "", ROOFLINE_STORAGE_INT32, 0, 4, 1},
    {"roofline_error", "field_id", "", ROOFLINE_STORAGE_INT32, 4, 4, 1},
    {"roofline_error", "line", "", ROOFLINE_STORAGE_INT64, 8, 8, 1},
    {"roofline_error", "offset", "", ROOFLINE_STORAGE_INT64, 16, 8, 1},
    {"roofline_error", "path", "", ROOFLINE_STORAGE_TEXT, 24, 232, 232},
    {"roofline_error", "message", "", ROOFLINE_STORAGE_TEXT, 256, 512, 512},
    {"roofline_error", "reserved", "", ROOFLINE_STORAGE_TEXT, 768, 256, 256},
    {"roofline_device_spec", "", "", 0, 0, 424, 1},
    {"roofline_device_spec", "struct_size", "", ROOFLINE_STORAGE_UINT32, 0, 4, 1},
    {"roofline_device_spec", "kind", "roofline_source", ROOFLINE_STORAGE_INT32, 4, 4, 1},
    {"roofline_device_spec", "name", "", ROOFLINE_STORAGE_TEXT, 8, 64, 64},
    {"roofline_device_spec", "peaks_flops", "", ROOFLINE_STORAGE_DOUBLE, 120, 256, 32},
    {"roofline_device_spec", "memory_bytes", "", ROOFLINE_STORAGE_INT64, 384, 8, 1},
    {"roofline_device_spec", "price_per_hour", "", ROOFLINE_STORAGE_DOUBLE, 416, 8, 1},
    {"roofline_sequences", "", "", 0, 0, 40, 1},
    {"roofline_sequences", "context_tokens", "", ROOFLINE_STORAGE_INT64, 24, 8, 1},
    {"roofline_sequences", "logit_rows", "", ROOFLINE_STORAGE_INT64, 32, 8, 1},
    {"roofline_layer_group", "gated_mlp", "roofline_bool", ROOFLINE_STORAGE_INT32, 4, 4, 1},
    {"roofline_deployment", "weights", "roofline_format", ROOFLINE_STORAGE_INT32, 8, 4, 1},
    {"roofline_deployment", "memory_fraction", "", ROOFLINE_STORAGE_DOUBLE, 56, 8, 1},
};

START_TEST(test_fields_stand_where_the_header_puts_them) {
    const expected_field *expected = &expected_fields[_i];
    roofline_layout_row row = find_field(expected->structure, expected->field);
    ck_assert_int_eq(row.storage, expected->type);
    ck_assert_int_eq(row.offset_bytes, expected->offset);
    ck_assert_int_eq(row.size_bytes, expected->size);
    ck_assert_int_eq(row.count, expected->count);
    ck_assert_str_eq(row.meaning, expected->meaning);
}
END_TEST

START_TEST(test_rows_cover_each_struct_without_gap_or_overlap) {
    int64_t reached = 0;
    int64_t size = 0;
    for (int64_t i = 0; i < roofline_layout_count(); i++) {
        roofline_layout_row row = layout_row(i);
        if (row.field[0] == '\0') {
            ck_assert_msg(reached == size, "%s: the struct before it ends at %lld of %lld bytes", row.struct_name,
                          (long long)reached, (long long)size);
            reached = 0;
            size = row.size_bytes;
            continue;
        }
        ck_assert_msg(row.offset_bytes == reached, "%s.%s is at %lld: name the padding before it", row.struct_name,
                      row.field, (long long)row.offset_bytes);
        ck_assert_int_eq(row.size_bytes % row.count, 0);
        reached = row.offset_bytes + row.size_bytes;
    }
    ck_assert_int_eq(reached, size);
}
END_TEST

START_TEST(test_structs_start_with_their_size) {
    for (int64_t i = 0; i + 1 < roofline_layout_count(); i++) {
        roofline_layout_row row = layout_row(i);
        if (row.field[0] != '\0' || strcmp(row.struct_name, "roofline_error") == 0)
            continue;
        ck_assert_str_eq(layout_row(i + 1).field, "struct_size");
        ck_assert_int_eq(layout_row(i + 1).storage, ROOFLINE_STORAGE_UINT32);
    }
}
END_TEST

START_TEST(test_ids_are_those_of_errors_and_unique) {
    int64_t count = roofline_layout_count();
    for (int64_t i = 0; i < count; i++) {
        roofline_layout_row row = layout_row(i);
        char path[112];
        snprintf(path, sizeof path, "%s.%s", row.struct_name, row.field);
        ck_assert_int_eq(row.id, row.field[0] == '\0' ? 0 : field_id(path));
        for (int64_t other = 0; other < i; other++)
            ck_assert_msg(row.id == 0 || layout_row(other).id != row.id, "%s has the id of row %lld", path,
                          (long long)other);
    }
}
END_TEST

START_TEST(test_meanings_of_fields_are_enumerations) {
    for (int64_t i = 0; i < roofline_layout_count(); i++) {
        roofline_layout_row row = layout_row(i);
        if (row.meaning[0] == '\0' || strcmp(row.meaning, "roofline_bool") == 0)
            continue;
        bool known = false;
        for (int64_t j = 0; j < roofline_constant_count() && !known; j++)
            known = strcmp(constant_row(j).meaning, row.meaning) == 0;
        ck_assert_msg(known, "%s.%s means %s, which has no values", row.struct_name, row.field, row.meaning);
    }
}
END_TEST

typedef struct expected_constant {
    const char *meaning;
    const char *name;
    const char *text;
    int32_t value;
} expected_constant;

static const expected_constant expected_constants[] = {
    {"roofline_status", "ROOFLINE_OK", "ok", 0},
    {"roofline_status", "ROOFLINE_STRUCT_SIZE", "struct_size", -3},
    {"roofline_status", "ROOFLINE_OVERFLOW", "overflow", -21},
    {"roofline_regime", "ROOFLINE_REGIME_COMPUTE", "compute", 1},
    {"roofline_regime", "ROOFLINE_REGIME_MEMORY", "memory", 2},
    {"roofline_arithmetic", "ROOFLINE_ARITHMETIC_BF16_SPARSE", "bf16_sparse", 20},
    {"roofline_format", "ROOFLINE_FORMAT_DEFAULT", "default", 0},
    {"roofline_traffic", "ROOFLINE_TRAFFIC_COMPULSORY", "compulsory", 0},
    {"roofline_note_code", "ROOFLINE_NOTE_WEIGHT_ONLY", "weight_only", 40},
    {"roofline_kernel_kind", "ROOFLINE_KERNEL_GATE_UP", "gate_up", 5},
    {"roofline_kernel_group", "ROOFLINE_GROUP_ATTENTION", "attention", 2},
    {"roofline_quantity", "ROOFLINE_QUANTITY_KERNEL_S", "kernel_s", 1},
    {"", "ROOFLINE_NO_LOGITS", "no_logits", -1},
};

START_TEST(test_constants_say_what_the_header_says) {
    const expected_constant *expected = &expected_constants[_i];
    for (int64_t i = 0; i < roofline_constant_count(); i++) {
        roofline_constant_row row = constant_row(i);
        if (strcmp(row.name, expected->name) != 0)
            continue;
        ck_assert_str_eq(row.meaning, expected->meaning);
        ck_assert_str_eq(row.text, expected->text);
        ck_assert_int_eq(row.value, expected->value);
        return;
    }
    ck_abort_msg("the constants table has no %s", expected->name);
}
END_TEST

START_TEST(test_every_word_reads_back) {
    for (int64_t i = 0; i < roofline_constant_count(); i++) {
        roofline_constant_row row = constant_row(i);
        int32_t value = 12345;
        roofline_error error;
        ck_assert_int_eq(roofline_constant_value(row.meaning, row.text, &value, &error), ROOFLINE_OK);
        ck_assert_int_eq(value, row.value);
        ck_assert_int_eq(error.status, ROOFLINE_OK);
        if (row.meaning[0] != '\0')
            ck_assert_str_eq(roofline_constant_text(row.meaning, row.value), row.text);
    }
}
END_TEST

START_TEST(test_quantities_are_fields_of_the_step_result) {
    for (int64_t i = 0; i < roofline_constant_count(); i++) {
        roofline_constant_row row = constant_row(i);
        if (strcmp(row.meaning, "roofline_quantity") == 0)
            find_field("roofline_step_result", row.text);
    }
}
END_TEST

START_TEST(test_an_unknown_word_lists_those_that_are_known) {
    int32_t value = 7;
    roofline_error error;
    ck_assert_int_eq(roofline_constant_value("roofline_regime", "thermal", &value, &error), ROOFLINE_NOT_FOUND);
    ck_assert_int_eq(value, 7);
    ck_assert_str_eq(error.message, "'thermal' is no roofline_regime; known: compute, memory, link, launch");
    ck_assert_int_eq(roofline_constant_value("roofline_regimes", "memory", &value, &error), ROOFLINE_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "'roofline_regimes' is no enumeration"));
    ck_assert_int_eq(roofline_constant_value("roofline_quantity", "joules", &value, &error), ROOFLINE_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "kernel_s, aggregate_s"));
    ck_assert_ptr_null(roofline_constant_text("roofline_regime", 99));
    ck_assert_ptr_null(roofline_constant_text("roofline_regimes", 1));
    ck_assert_ptr_null(roofline_constant_text(NULL, 1));
}
END_TEST

START_TEST(test_bad_arguments_are_refused_by_name) {
    int32_t value = 7;
    roofline_error error;
    ck_assert_int_eq(roofline_constant_value(NULL, "memory", &value, &error), ROOFLINE_ARGUMENT);
    ck_assert_str_eq(error.path, "meaning");
    ck_assert_int_eq(roofline_constant_value("roofline_regime", NULL, &value, &error), ROOFLINE_ARGUMENT);
    ck_assert_str_eq(error.path, "text");
    ck_assert_int_eq(roofline_constant_value("roofline_regime", "memory", NULL, &error), ROOFLINE_ARGUMENT);
    ck_assert_str_eq(error.path, "value");
    ck_assert_int_eq(roofline_layout_at(0, NULL, &error), ROOFLINE_ARGUMENT);
    ck_assert_int_eq(roofline_constant_at(0, NULL, NULL), ROOFLINE_ARGUMENT);
}
END_TEST

START_TEST(test_rows_end_with_not_found_and_leave_the_output) {
    roofline_layout_row row = {.struct_size = sizeof row, .id = 77};
    roofline_constant_row constant = {.struct_size = sizeof constant, .value = 77};
    roofline_error error;
    ck_assert_int_eq(roofline_layout_at(roofline_layout_count(), &row, &error), ROOFLINE_NOT_FOUND);
    ck_assert_int_eq(roofline_layout_at(-1, &row, &error), ROOFLINE_NOT_FOUND);
    ck_assert_int_eq(row.id, 77);
    ck_assert_int_eq(roofline_constant_at(roofline_constant_count(), &constant, &error), ROOFLINE_NOT_FOUND);
    ck_assert_int_eq(roofline_constant_at(-1, &constant, NULL), ROOFLINE_NOT_FOUND);
    ck_assert_int_eq(constant.value, 77);
}
END_TEST

START_TEST(test_an_older_caller_gets_the_part_it_knows) {
    roofline_layout_row row;
    memset(&row, 0x5a, sizeof row);
    row.struct_size = 24; /* up to offset_bytes */
    ck_assert_int_eq(roofline_layout_at(0, &row, NULL), ROOFLINE_OK);
    ck_assert_uint_eq(row.struct_size, 24);
    ck_assert_int_eq(row.offset_bytes, 0);
    ck_assert_int_eq(((const unsigned char *)&row.size_bytes)[0], 0x5a);
    row.struct_size = 0;
    ck_assert_int_eq(roofline_layout_at(0, &row, NULL), ROOFLINE_STRUCT_SIZE);
}
END_TEST

START_TEST(test_versions_agree_with_the_header) {
    char version[48];
    snprintf(version, sizeof version, "%d.%d.%d", ROOFLINE_VERSION_MAJOR, ROOFLINE_VERSION_MINOR,
             ROOFLINE_VERSION_PATCH);
    ck_assert_str_eq(roofline_version(), version);
    ck_assert_int_eq(roofline_abi_version(), ROOFLINE_ABI_VERSION);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("layout");
    TCase *table = tcase_create("table");
    tcase_add_loop_test(table, test_fields_stand_where_the_header_puts_them, 0,
                        sizeof expected_fields / sizeof *expected_fields);
    tcase_add_test(table, test_rows_cover_each_struct_without_gap_or_overlap);
    tcase_add_test(table, test_structs_start_with_their_size);
    tcase_add_test(table, test_ids_are_those_of_errors_and_unique);
    tcase_add_test(table, test_meanings_of_fields_are_enumerations);
    tcase_add_test(table, test_quantities_are_fields_of_the_step_result);
    suite_add_tcase(suite, table);
    TCase *constants = tcase_create("constants");
    tcase_add_loop_test(constants, test_constants_say_what_the_header_says, 0,
                        sizeof expected_constants / sizeof *expected_constants);
    tcase_add_test(constants, test_every_word_reads_back);
    tcase_add_test(constants, test_an_unknown_word_lists_those_that_are_known);
    suite_add_tcase(suite, constants);
    TCase *calls = tcase_create("calls");
    tcase_add_test(calls, test_bad_arguments_are_refused_by_name);
    tcase_add_test(calls, test_rows_end_with_not_found_and_leave_the_output);
    tcase_add_test(calls, test_an_older_caller_gets_the_part_it_knows);
    tcase_add_test(calls, test_versions_agree_with_the_header);
    suite_add_tcase(suite, calls);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
