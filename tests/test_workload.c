/* SPDX-License-Identifier: Apache-2.0 */
/* The reusable list of sequences. */
#include "fixtures.h"

static roofline_workload *new_workload(void) {
    roofline_workload *workload = NULL;
    roofline_error error;
    expect_ok(roofline_workload_new(&workload, &error), &error);
    return workload;
}

START_TEST(groups_come_back_as_they_were_added) {
    roofline_workload *workload = new_workload();
    roofline_error error;
    roofline_sequences chunk = sequences_of(2, 512, 2048);
    chunk.logit_rows = ROOFLINE_NO_LOGITS;
    expect_ok(roofline_workload_decode(workload, 8, 8192, &error), &error);
    expect_ok(roofline_workload_prefill(workload, 1, 300, &error), &error);
    expect_ok(roofline_workload_add(workload, &chunk, &error), &error);
    ck_assert_int_eq(roofline_workload_count(workload), 3);
    static const int64_t expected[3][4] = {{8, 1, 8192, 0}, {1, 300, 300, 0}, {2, 512, 2048, ROOFLINE_NO_LOGITS}};
    for (int64_t i = 0; i < 3; i++) {
        roofline_sequences group = {.struct_size = sizeof group};
        expect_ok(roofline_workload_get(workload, i, &group, &error), &error);
        ck_assert_int_eq(group.count, expected[i][0]);
        ck_assert_int_eq(group.new_tokens, expected[i][1]);
        ck_assert_int_eq(group.context_tokens, expected[i][2]);
        ck_assert_int_eq(group.logit_rows, expected[i][3]);
    }
    roofline_sequences past = {.struct_size = sizeof past};
    expect_error(roofline_workload_get(workload, 3, &past, &error), ROOFLINE_NOT_FOUND, &error, "index");
    roofline_workload_clear(workload);
    ck_assert_int_eq(roofline_workload_count(workload), 0);
    roofline_workload_free(workload);
}
END_TEST

START_TEST(a_workload_is_priced_as_its_groups) {
    roofline_plan *plan = plan_of(h100(), llama_8b(), NULL);
    roofline_workload *workload = new_workload();
    roofline_sequences rows[2] = {sequences_of(8, 1, 8192), sequences_of(1, 512, 512)};
    roofline_error error;
    for (size_t i = 0; i < 2; i++)
        expect_ok(roofline_workload_add(workload, &rows[i], &error), &error);
    roofline_step_result expected = step_of(plan, rows, 2);
    roofline_step_result result = {.struct_size = sizeof result};
    expect_ok(roofline_step(plan, workload, &result, &error), &error);
    ck_assert_mem_eq(&result, &expected, sizeof result);
    roofline_workload_clear(workload);
    expect_error(roofline_step(plan, workload, &result, &error), ROOFLINE_RANGE, &error, "workload");
    roofline_workload_free(workload);
    roofline_plan_free(plan);
}
END_TEST

START_TEST(bad_groups_are_refused_where_they_enter) {
    roofline_workload *workload = new_workload();
    roofline_error error;
    expect_error(roofline_workload_decode(workload, 0, 8192, &error), ROOFLINE_RANGE, &error, "/0/count");
    expect_error(roofline_workload_decode(workload, -1, 8192, &error), ROOFLINE_RANGE, &error, "/0/count");
    expect_error(roofline_workload_decode(workload, (INT64_C(1) << 24) + 1, 1, &error), ROOFLINE_RANGE, &error,
                 "/0/count");
    expect_error(roofline_workload_decode(workload, 1, 0, &error), ROOFLINE_RANGE, &error, "/0/context_tokens");
    expect_error(roofline_workload_prefill(workload, 1, INT64_MIN, &error), ROOFLINE_RANGE, &error, "/0/new_tokens");
    expect_error(roofline_workload_prefill(workload, 1, INT64_MAX, &error), ROOFLINE_RANGE, &error, "/0/new_tokens");
    roofline_sequences rows = sequences_of(1, 4, 8);
    rows.logit_rows = 5;
    expect_error(roofline_workload_add(workload, &rows, &error), ROOFLINE_RANGE, &error, "/0/logit_rows");
    expect_error(roofline_workload_add(workload, NULL, &error), ROOFLINE_ARGUMENT, &error, "roofline_sequences");
    expect_error(roofline_workload_add(NULL, &rows, &error), ROOFLINE_ARGUMENT, &error, "workload");
    ck_assert_int_eq(roofline_workload_count(workload), 0);
    roofline_workload_free(workload);
    roofline_workload_free(NULL);
}
END_TEST

START_TEST(a_workload_holds_65536_groups_and_no_more) {
    roofline_workload *workload = new_workload();
    roofline_error error;
    for (int i = 0; i < 65536; i++)
        ck_assert_int_eq(roofline_workload_decode(workload, 1, 16, &error), ROOFLINE_OK);
    expect_error(roofline_workload_decode(workload, 1, 16, &error), ROOFLINE_RANGE, &error, "group");
    roofline_workload_free(workload);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {groups_come_back_as_they_were_added, a_workload_is_priced_as_its_groups,
                                  bad_groups_are_refused_where_they_enter, a_workload_holds_65536_groups_and_no_more};
    return run_tests("workload", tests, sizeof tests / sizeof *tests);
}
