/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the JSON reader, the writer and the file reader fails once, cJSON's own among them: the status is
 * ROOFLINE_NO_MEMORY, nothing is made and nothing leaks. The program takes the place of malloc for itself and for the
 * shared libraries that it loads, which glibc allows; a sanitizer does the same, so this suite runs without one.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static long countdown = -1; /* allocations until one fails; negative: none does */
static int every_later;     /* all later ones fail as well */
static int failures;
static long live;
static const char *wrong; /* what a task saw; Check's own assertions would allocate */

static int fails(void) {
    if (countdown < 0 || --countdown >= 0)
        return 0;
    failures++;
    if (every_later)
        countdown = 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) {
    void *block = fails() ? NULL : __libc_malloc(size);
    live += block != NULL;
    return block;
}

void *calloc(size_t count, size_t size) {
    void *block = fails() ? NULL : __libc_calloc(count, size);
    live += block != NULL;
    return block;
}

void *realloc(void *block, size_t size) {
    void *moved = fails() ? NULL : __libc_realloc(block, size);
    live += moved != NULL && block == NULL;
    return moved;
}

void free(void *block) {
    live -= block != NULL;
    __libc_free(block);
}

/* A task returns a status, frees what it made and leaves `wrong` NULL. */
typedef roofline_status (*task)(void);

static const char text[] =
    "{\"b\":[1,2.5,{\"k\":\"a long string \\u20ac that needs a block of its own\"}],\"a\":{\"n\":"
    "989.5,\"m\":null,\"l\":true},\"c\":\"d\",\"e\":{},\"f\":[]}";

static roofline_status read_text(void) {
    json_document *document = NULL;
    roofline_error error;
    roofline_status status = json_parse(text, sizeof text - 1, &document, &error);
    if (status != ROOFLINE_OK) {
        wrong = document ? "a document was made" : error.status != status ? "the error has another status" : wrong;
        return status;
    }
    json_object object;
    status = json_object_open(&object, json_root(document), "", &error);
    if (status == ROOFLINE_OK ? !json_get(&object, "c") : object.entries || object.count)
        wrong = "the object is not what the status says";
    json_object_close(&object);
    json_free(document);
    return status;
}

static roofline_status write_text(void) {
    json_writer writer = {.text = NULL};
    char buffer[8192] = "untouched";
    size_t needed = 0;
    json_write_array_begin(&writer, NULL);
    for (int i = 0; i < 500; i++)
        json_write_number(&writer, NULL, i + 0.5);
    json_write_array_end(&writer);
    roofline_status status = json_writer_give(&writer, buffer, sizeof buffer, &needed, NULL);
    if (status != ROOFLINE_OK && strcmp(buffer, "untouched") != 0)
        wrong = "the buffer was touched";
    return status;
}

static roofline_status read_file(void) {
    char *bytes = NULL;
    size_t length = 0;
    roofline_status status = file_read("/proc/self/exe", JSON_SIZE_LIMIT, &bytes, &length, NULL);
    if (status != ROOFLINE_OK && bytes)
        wrong = "bytes were given";
    free(bytes);
    return status;
}

static const task tasks[] = {read_text, write_text, read_file};

/* qsort may do without the memory that it asks for, so a failed allocation can end well too. */
START_TEST(each_allocation_fails) {
    task run = tasks[_i / 2];
    every_later = _i % 2;
    int refused = 0;
    ck_assert_int_eq(run(), ROOFLINE_OK); /* whatever the C library keeps for itself is there now */
    for (long after = 0;; after++) {
        long before = live;
        failures = 0;
        countdown = after;
        roofline_status status = run();
        countdown = -1;
        long after_run = live;
        ck_assert_int_eq(after_run, before);
        ck_assert_ptr_null(wrong);
        if (failures == 0) {
            ck_assert_int_eq(status, ROOFLINE_OK);
            break;
        }
        ck_assert(status == ROOFLINE_NO_MEMORY || status == ROOFLINE_OK);
        refused += status == ROOFLINE_NO_MEMORY;
    }
    ck_assert_int_gt(refused, 1);
    ck_assert_int_eq(run(), ROOFLINE_OK);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("json memory");
    TCase *cases = tcase_create("allocation failure");
    tcase_add_loop_test(cases, each_allocation_fails, 0, 2 * (int)(sizeof tasks / sizeof *tasks));
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
