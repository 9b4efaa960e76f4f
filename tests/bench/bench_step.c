/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Speed of the calls that users make in loops. Without arguments: best of several runs, in nanoseconds, beside a plain
 * loop as the yardstick of this machine. With "CASE COUNT": runs one case COUNT times and prints nothing, so that
 * run.sh can count its instructions and allocations.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roofline.h"

enum {
    POINTS = 4096,
    RUNS = 15
};

typedef struct fixture {
    roofline_device *device;
    roofline_model *model;
    roofline_plan *dense;
    roofline_plan *windowed;
    roofline_plan *experts;
    roofline_workload *mixed;
    char *config;
    size_t config_length;
    int64_t batch[POINTS];
    int64_t context[POINTS];
    double values[4 * POINTS];
    volatile double sink;
} fixture;

static void fail(const char *what, const roofline_error *error) {
    fprintf(stderr, "bench_step: %s: %s: %s\n", what, error->path, error->message);
    exit(2);
}

static char *read_config(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 65536);
    if (!file || !text) {
        fprintf(stderr, "bench_step: cannot read %s\n", path);
        exit(2);
    }
    *length = fread(text, 1, 65535, file);
    fclose(file);
    return text;
}

static roofline_plan *plan_of(roofline_device *device, const char *name) {
    roofline_model *model = NULL;
    roofline_plan *plan = NULL;
    roofline_error error;
    if (roofline_model_open(name, &model, &error) || roofline_plan_new(device, model, NULL, &plan, &error))
        fail(name, &error);
    roofline_model_free(model);
    return plan;
}

/* 48 layers of 128 experts, 8 a token: the shape of a published 30B mixture. */
static roofline_plan *plan_of_experts(roofline_device *device) {
    roofline_model_spec spec = {
        .struct_size = sizeof spec, .format = ROOFLINE_FORMAT_BF16, .name = "mixture", .hidden = 2048, .vocab = 151936};
    roofline_layer_group layers = {.struct_size = sizeof layers,
                                   .gated_mlp = 1,
                                   .layers = 48,
                                   .query_heads = 32,
                                   .kv_heads = 4,
                                   .head_dim = 128,
                                   .experts = 128,
                                   .experts_per_token = 8,
                                   .expert_intermediate = 768};
    roofline_model *model = NULL;
    roofline_plan *plan = NULL;
    roofline_error error;
    if (roofline_model_create(&spec, &layers, 1, sizeof layers, &model, &error) ||
        roofline_plan_new(device, model, NULL, &plan, &error))
        fail("mixture", &error);
    roofline_model_free(model);
    return plan;
}

static void prepare(fixture *f, const char *config_path) {
    roofline_error error;
    if (roofline_device_open("h100-sxm", &f->device, &error) ||
        roofline_model_open("llama-3.1-8b", &f->model, &error) || roofline_workload_new(&f->mixed, &error))
        fail("catalogue", &error);
    f->dense = plan_of(f->device, "llama-3.1-8b");
    f->windowed = plan_of(f->device, "gemma-2-9b");
    f->experts = plan_of_experts(f->device);
    for (int64_t i = 0; i < 8; i++)
        if (roofline_workload_decode(f->mixed, 4 + i, 1024 * (i + 1), &error))
            fail("workload", &error);
    f->config = read_config(config_path, &f->config_length);
    for (int64_t i = 0; i < POINTS; i++) {
        f->batch[i] = 1 + i % 512;
        f->context[i] = 128 + 16 * (i % 1000);
    }
}

/* ------------------------------------------------------------------------------------------------------- cases -- */

static void scalar_step(fixture *f, const roofline_plan *plan, int64_t count) {
    roofline_step_result result = {.struct_size = sizeof result};
    roofline_sequences decode = {.struct_size = sizeof decode, .new_tokens = 1};
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        decode.count = f->batch[i % POINTS];
        decode.context_tokens = f->context[i % POINTS];
        roofline_step_groups(plan, &decode, 1, sizeof decode, &result, NULL);
        sum += result.kernel_s;
    }
    f->sink = sum;
}

static void step_dense(fixture *f, int64_t count) {
    scalar_step(f, f->dense, count);
}

static void step_windowed(fixture *f, int64_t count) {
    scalar_step(f, f->windowed, count);
}

static void step_experts(fixture *f, int64_t count) {
    scalar_step(f, f->experts, count);
}

static void step_eight_groups(fixture *f, int64_t count) {
    roofline_step_result result = {.struct_size = sizeof result};
    for (int64_t i = 0; i < count; i++)
        roofline_step(f->dense, f->mixed, &result, NULL);
    f->sink = result.kernel_s;
}

static void many(fixture *f, int64_t count, const roofline_quantity *quantities, int32_t quantity_count) {
    static const int64_t one = 1;
    for (int64_t done = 0; done < count; done += POINTS) {
        int64_t n = count - done < POINTS ? count - done : POINTS;
        roofline_step_many(f->dense, n, f->batch, 8, &one, 0, f->context, 8, quantities, quantity_count, f->values,
                           8 * POINTS, NULL, NULL);
    }
    f->sink = f->values[0];
}

static void many_time_only(fixture *f, int64_t count) {
    static const roofline_quantity quantities[] = {ROOFLINE_QUANTITY_KERNEL_S};
    many(f, count, quantities, 1);
}

static void many_four_quantities(fixture *f, int64_t count) {
    static const roofline_quantity quantities[] = {ROOFLINE_QUANTITY_KERNEL_S, ROOFLINE_QUANTITY_TOKENS_PER_S,
                                                   ROOFLINE_QUANTITY_REGIME, ROOFLINE_QUANTITY_FITS};
    many(f, count, quantities, 4);
}

static void bound(fixture *f, int64_t count) {
    roofline_work work = {.struct_size = sizeof work, .arithmetic = ROOFLINE_ARITHMETIC_BF16, .flops = 1e12};
    roofline_bound_result result = {.struct_size = sizeof result};
    for (int64_t i = 0; i < count; i++) {
        work.bytes = (double)f->context[i % POINTS] * 1e6;
        roofline_bound(f->device, &work, &result, NULL);
    }
    f->sink = result.bound_s;
}

static void memory(fixture *f, int64_t count) {
    roofline_memory_query query = {.struct_size = sizeof query};
    roofline_memory_result result = {.struct_size = sizeof result};
    for (int64_t i = 0; i < count; i++) {
        query.context_tokens = f->context[i % POINTS];
        roofline_memory(f->dense, &query, &result, NULL);
    }
    f->sink = (double)result.max_sequences;
}

static void compile_plan(fixture *f, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        roofline_plan *plan = NULL;
        roofline_plan_new(f->device, f->model, NULL, &plan, NULL);
        roofline_plan_free(plan);
    }
}

static void read_model(fixture *f, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        roofline_model *model = NULL;
        roofline_model_parse(f->config, f->config_length, &model, NULL);
        roofline_model_free(model);
    }
}

static void open_device(fixture *f, int64_t count) {
    (void)f;
    for (int64_t i = 0; i < count; i++) {
        roofline_device *device = NULL;
        roofline_device_open("h100-sxm", &device, NULL);
        roofline_device_free(device);
    }
}

/* The same arithmetic as time-only decode of this model, by hand: what a caller could at best write in a loop. */
static void plain_loop(fixture *f, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        double tokens = (double)f->batch[i % POINTS];
        double positions = tokens * (double)f->context[i % POINTS];
        for (int kernel = 1; kernel <= 7; kernel++) {
            double compute = tokens * 1e-9 * kernel + positions * 1e-13;
            double bytes = 1e-4 * kernel + positions * 1e-11;
            sum += compute > bytes ? compute : bytes;
        }
    }
    f->sink = sum;
}

typedef struct bench_case {
    const char *name;
    void (*run)(fixture *, int64_t);
    int64_t count;
    double target_ns; /* 0: a yardstick, or none stated */
} bench_case;

static const bench_case cases[] = {
    {"plain-loop", plain_loop, 1 << 20, 0},
    {"step-dense", step_dense, 1 << 20, 40},
    {"step-windowed", step_windowed, 1 << 20, 80},
    {"step-experts", step_experts, 1 << 20, 80},
    {"step-eight-groups", step_eight_groups, 1 << 18, 0},
    {"many-time-only", many_time_only, 1 << 22, 10},
    {"many-four-quantities", many_four_quantities, 1 << 21, 1e3 / 30},
    {"bound", bound, 1 << 20, 0},
    {"memory", memory, 1 << 20, 0},
    {"plan", compile_plan, 1 << 12, 20e3},
    {"read-config", read_model, 1 << 11, 100e3},
    {"open-device", open_device, 1 << 12, 0},
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double best_ns(fixture *f, const bench_case *one) {
    double best = 1e300;
    for (int run = 0; run < RUNS; run++) {
        double start = seconds_now();
        one->run(f, one->count);
        double taken = seconds_now() - start;
        best = taken < best ? taken : best;
    }
    return 1e9 * best / (double)one->count;
}

static void print_all(fixture *f) {
    printf("%-22s %12s %12s %14s\n", "case", "ns a call", "target ns", "calls/s");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double ns = best_ns(f, &cases[i]);
        char target[32] = "-";
        if (cases[i].target_ns > 0)
            snprintf(target, sizeof target, "%.4g", cases[i].target_ns);
        printf("%-22s %12.1f %12s %14.4g\n", cases[i].name, ns, target, 1e9 / ns);
    }
}

int main(int argc, char **argv) {
    static fixture f;
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: bench_step CONFIG.json [CASE COUNT]\n");
        return 2;
    }
    prepare(&f, argv[1]);
    if (argc == 2)
        print_all(&f);
    for (size_t i = 0; argc == 4 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, argv[2]) == 0)
            cases[i].run(&f, strtoll(argv[3], NULL, 10));
    roofline_plan_free(f.dense);
    roofline_plan_free(f.windowed);
    roofline_plan_free(f.experts);
    roofline_workload_free(f.mixed);
    roofline_model_free(f.model);
    roofline_device_free(f.device);
    free(f.config);
    return 0;
}
