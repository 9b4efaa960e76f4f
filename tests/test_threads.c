/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads read and write JSON at once, some texts good and some bad. ThreadSanitizer watches this suite against an
 * instrumented cJSON (tests/sanitize_json.sh); the packaged one hides its write to a global.
 */
#include <check.h>
#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum {
    THREADS = 4,
    ROUNDS = 20000
};

typedef struct reader {
    pthread_t thread;
    int number; /* each thread reads another value */
    int wrong;
} reader;

/* 989.5 needs the decimal point of the C locale, whatever the process has. */
static int read_good(int number) {
    char text[96];
    int length = snprintf(text, sizeof text, "{\"b\": [%d.5, \"x\"], \"a\": {\"n\": 989.5, \"m\": null}}", number);
    json_document *document = NULL;
    roofline_error error;
    if (json_parse(text, (size_t)length, &document, &error) != ROOFLINE_OK)
        return 1;
    json_object root, inner;
    double value = 0;
    int wrong = json_object_open(&root, json_root(document), "", &error) != ROOFLINE_OK;
    wrong += json_number_of(json_array_first(json_get(&root, "b"))) != number + 0.5;
    wrong += json_object_open(&inner, json_get(&root, "a"), "/a", &error) != ROOFLINE_OK;
    wrong += json_number(&inner, "n", true, 0, 1000, &value, &error) != ROOFLINE_OK || value != 989.5;
    json_object_close(&inner);
    json_object_close(&root);
    json_free(document);
    return wrong;
}

static int read_bad(void) {
    json_document *document = NULL;
    roofline_error error;
    int wrong = json_parse("[989.5,]", 8, &document, &error) != ROOFLINE_PARSE || error.offset != 7;
    wrong += json_parse("{\"a\":1,\"a\":2}", 13, &document, &error) != ROOFLINE_SCHEMA || strcmp(error.path, "/a") != 0;
    return wrong;
}

static int write_text(int number) {
    json_writer writer = {.text = NULL};
    json_write_number(&writer, NULL, number + 0.25);
    char text[32], expected[32];
    int wrong = json_writer_give(&writer, text, sizeof text, NULL, NULL) != ROOFLINE_OK;
    snprintf(expected, sizeof expected, "%d.25", number);
    return wrong + (strcmp(text, expected) != 0);
}

/* Fills glibc's one struct of all threads with the process's decimal point, over and over. */
static void *ask_for_the_locale(void *argument) {
    const _Atomic bool *stop = argument;
    while (!*stop)
        localeconv();
    return NULL;
}

static void *read_and_write(void *argument) {
    reader *self = argument;
    for (int round = 0; round < ROUNDS; round++)
        self->wrong += read_good(self->number) + read_bad() + write_text(self->number);
    return NULL;
}

START_TEST(four_threads_read_and_write) {
    reader readers[THREADS];
    pthread_t asking;
    _Atomic bool stop = false;
    ck_assert_int_eq(pthread_create(&asking, NULL, ask_for_the_locale, &stop), 0);
    for (int i = 0; i < THREADS; i++) {
        readers[i] = (reader){.number = 100 + i};
        ck_assert_int_eq(pthread_create(&readers[i].thread, NULL, read_and_write, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(readers[i].thread, NULL), 0);
    stop = true;
    ck_assert_int_eq(pthread_join(asking, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(readers[i].wrong, 0);
}
END_TEST

START_TEST(locale_is_the_intended_one) {
    const char *intended = getenv("TEST_DECIMAL_POINT");
    ck_assert_str_eq(localeconv()->decimal_point, intended ? intended : ".");
}
END_TEST

int main(void) {
    setlocale(LC_ALL, "");
    Suite *suite = suite_create("threads");
    TCase *json = tcase_create("json");
    tcase_set_timeout(json, 120);
    tcase_add_test(json, four_threads_read_and_write);
    tcase_add_test(json, locale_is_the_intended_one);
    suite_add_tcase(suite, json);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
