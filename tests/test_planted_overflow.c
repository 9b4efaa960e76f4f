/* SPDX-License-Identifier: Apache-2.0 */
/* Overflows a heap block on purpose (-Dplanted_overflow=true): the sanitizer run must stop this suite, or it proves nothing. */
#include <check.h>
#include <stdlib.h>

START_TEST(test_writes_one_byte_past_a_block) {
    volatile size_t size = 16;
    volatile char *block = malloc(size);
    ck_assert_ptr_nonnull((void *)block);
    block[size] = 1;
    free((void *)block);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("planted overflow");
    TCase *planted = tcase_create("planted");
    tcase_add_test(planted, test_writes_one_byte_past_a_block);
    suite_add_tcase(suite, planted);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
