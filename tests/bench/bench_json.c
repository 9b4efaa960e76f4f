/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a JSON index of 100,000 tensors: <= 100 ms and <= 48 MiB. cJSON alone takes most of both; a look-up through
 * its list takes 817 us near the end of such an index, which is why names are sorted once.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "json.h"

enum {
    TENSORS = 100000,
    RUNS = 5,
    ENTRY_LIMIT = 128
};

typedef struct text {
    char *bytes;
    size_t length;
} text;

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The largest that the process has been. */
static double peak_mib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* Names as published indexes have them, in no order. */
static text index_of(size_t tensors) {
    text index = {.bytes = malloc(tensors * ENTRY_LIMIT + 64)};
    if (!index.bytes)
        exit(2);
    index.length = (size_t)sprintf(index.bytes, "{\"metadata\":{\"total_size\":1.5e12},\"weight_map\":{");
    for (size_t i = 0; i < tensors; i++)
        index.length += (size_t)sprintf(index.bytes + index.length,
                                        "%s\"model.layers.%zu.mlp.experts.%zu.down_proj.weight\":"
                                        "\"model-%05zu-of-00191.safetensors\"",
                                        i ? "," : "", i * 7919 % tensors, i % 256, i % 191);
    index.length += (size_t)sprintf(index.bytes + index.length, "}}");
    return index;
}

static json_document *parse(const text *index) {
    json_document *document = NULL;
    roofline_error error;
    if (json_parse(index->bytes, index->length, &document, &error)) {
        fprintf(stderr, "bench_json: %s\n", error.message);
        exit(2);
    }
    return document;
}

/* Every name once, as a reader does; returns how many were found. */
static size_t look_up_all(const json_document *document) {
    json_object root, map;
    if (json_object_open(&root, json_root(document), "", NULL) ||
        json_object_open(&map, json_get(&root, "weight_map"), "/weight_map", NULL))
        exit(2);
    size_t found = 0;
    for (size_t i = 0; i < map.count; i++)
        found += json_get(&map, map.entries[i].name) != NULL;
    json_object_close(&map);
    json_object_close(&root);
    return found;
}

int main(void) {
    text index = index_of(TENSORS);
    double before_mib = peak_mib();
    json_document *document = parse(&index);
    double peak = peak_mib() - before_mib;
    double look_up_s = now_s();
    size_t found = look_up_all(document);
    look_up_s = now_s() - look_up_s;
    json_free(document);
    double parse_s = 1e9;
    for (int run = 0; run < RUNS; run++) {
        double start_s = now_s();
        document = parse(&index);
        double elapsed_s = now_s() - start_s;
        parse_s = elapsed_s < parse_s ? elapsed_s : parse_s;
        json_free(document);
    }
    printf(
        "json index of %zu tensors, %.1f MB: read in %.1f ms (target 100), %.1f MiB (target 48); every name looked up "
        "in %.1f ms\n",
        found, 1e-6 * (double)index.length, 1e3 * parse_s, peak, 1e3 * look_up_s);
    free(index.bytes);
    return found == TENSORS ? 0 : 1;
}
