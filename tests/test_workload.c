/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a step's sequences: what goes in comes out, and a step over it is the step over the same rows. */
#include "fixtures.h"

static roofline_workload *new_workload(void) {
    roofline_workload *workload = NULL;
    roofline_error error;
    expect_ok(roofline_workload_new(&workload, &error), &error);
    return workload;
}

START_TEST(workload_keeps_its_groups) {
    roofline_workload *workload = new_workload();
    roofline_error error;
    ck_assert_int_eq(roofline_workload_count(workload), 0);
    expect_ok(roofline_workload_decode(workload, 8, 8192, &error), &error);
    expect_ok(roofline_workload_prefill(workload, 2, 512, &error), &error);
    roofline_sequences chunk = sequences_of(1, 100, 400);
    chunk.logit_rows = ROOFLINE_NO_LOGITS;
    expect_ok(roofline_workload_add(workload, &chunk, &error), &error);
    const int64_t expected[][4] = {{8, 1, 8192, 0}, {2, 512, 512, 0}, {1, 100, 400, ROOFLINE_NO_LOGITS}};
    ck_assert_int_eq(roofline_workload_count(workload), 3);
    for (int64_t i = 0; i < 3; i++) {
        roofline_sequences group = {.struct_size = sizeof group};
        expect_ok(roofline_workload_get(workload, i, &group, &error), &error);
        ck_assert_int_eq(group.count, expected[i][0]);
        ck_assert_int_eq(group.new_tokens, expected[i][1]);
        ck_assert_int_eq(group.context_tokens, expected[i][2]);
        ck_assert_int_eq(group.logit_rows, expected[i][3]);
    }
    roofline_sequences group = {.struct_size = sizeof group};
    expect_error(roofline_workload_get(workload, 3, &group, &error), ROOFLINE_NOT_FOUND, &error, "");
    expect_error(roofline_workload_get(workload, -1, &group, &error), ROOFLINE_NOT_FOUND, &error, "");
    roofline_workload_clear(workload);
    ck_assert_int_eq(roofline_workload_count(workload), 0);
    roofline_workload_free(workload);
    roofline_workload_free(NULL);
}
END_TEST

START_TEST(step_over_a_workload_is_the_step_over_its_rows) {
    roofline_plan *plan = plan_of(h100(), llama_8b(), NULL);
    roofline_workload *workload = new_workload();
    roofline_error error;
    for (int round = 0; round < 3; round++) {
        roofline_sequences rows[200];
        roofline_workload_clear(workload);
        for (int i = 0; i < 200; i++) {
            rows[i] = sequences_of(1 + i, 1 + i % 5, 100 + i);
            expect_ok(roofline_workload_add(workload, &rows[i], &error), &error);
        }
        roofline_step_result expected = step_of(plan, rows, 200);
        roofline_step_result step = {.struct_size = sizeof step};
        expect_ok(roofline_step(plan, workload, &step, &error), &error);
        ck_assert_mem_eq(&step, &expected, sizeof step);
    }
    roofline_workload_free(workload);
    roofline_plan_free(plan);
}
END_TEST

START_TEST(workload_refuses_bad_groups) {
    roofline_workload *workload = new_workload();
    roofline_error error;
    roofline_sequences bad = sequences_of(1, 5, 4);
    expect_error(roofline_workload_add(workload, &bad, &error), ROOFLINE_RANGE, &error, "context_tokens");
    bad = sequences_of(0, 1, 4);
    expect_error(roofline_workload_add(workload, &bad, &error), ROOFLINE_RANGE, &error, "count");
    expect_error(roofline_workload_decode(workload, 0, 10, &error), ROOFLINE_RANGE, &error, "");
    expect_error(roofline_workload_decode(workload, 1, 0, &error), ROOFLINE_RANGE, &error, "");
    expect_error(roofline_workload_prefill(workload, -1, 10, &error), ROOFLINE_RANGE, &error, "");
    expect_error(roofline_workload_prefill(workload, 1, 0, &error), ROOFLINE_RANGE, &error, "");
    expect_error(roofline_workload_add(workload, NULL, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_workload_add(NULL, &bad, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_workload_new(NULL, &error), ROOFLINE_ARGUMENT, &error, "");
    ck_assert_int_eq(roofline_workload_count(workload), 0);

    roofline_plan *plan = plan_of(h100(), llama_8b(), NULL);
    roofline_step_result step = {.struct_size = sizeof step};
    ck_assert_int_lt(roofline_step(plan, workload, &step, &error), 0); /* empty */
    expect_error(roofline_step(plan, NULL, &step, &error), ROOFLINE_ARGUMENT, &error, "");
    roofline_plan_free(plan);
    roofline_workload_free(workload);
}
END_TEST

/* At most 2^16 groups; the one too many is refused and the rest stays. */
START_TEST(workload_has_a_limit) {
    roofline_workload *workload = new_workload();
    roofline_error error;
    for (int i = 0; i < 1 << 16; i++)
        expect_ok(roofline_workload_decode(workload, 1, 10, &error), &error);
    ck_assert_int_lt(roofline_workload_decode(workload, 1, 10, &error), 0);
    ck_assert_int_eq(roofline_workload_count(workload), 1 << 16);
    roofline_workload_free(workload);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        workload_keeps_its_groups,
        step_over_a_workload_is_the_step_over_its_rows,
        workload_refuses_bad_groups,
        workload_has_a_limit,
    };
    return run_tests("workload", tests, sizeof tests / sizeof *tests);
}
