/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMAND_KERNEL_H
#define COMMAND_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline.h"

typedef enum kernel_word {
    KERNEL_GEMM,
    KERNEL_ATTENTION,
    KERNEL_GIVEN
} kernel_word;

typedef struct priced_kernel {
    kernel_word kind;
    const char *word;
    roofline_gemm_shape gemm_shape; /* of KERNEL_GEMM, with the two below */
    roofline_gemm_result gemm;
    roofline_crossover_result crossover;
    roofline_attention_shape attention_shape; /* of KERNEL_ATTENTION */
    roofline_attention_result attention;
    roofline_work work; /* of every kind */
    roofline_bound_result bound;
} priced_kernel;

/* A measured time of all kernels together, against kernel_s. */
typedef struct measurement {
    double measured_s;
    double fraction_of_bound; /* kernel_s / measured_s: above 1 when it is faster than the bound */
    double flops_per_s;
    double bytes_per_s;
    double mfu;
    double mbu;
    bool faster_than_bound;
    bool cache_resident; /* of any kernel: the bound holds with cold caches only */
} measurement;

typedef struct kernel_sequence {
    roofline_device *device;
    roofline_device_spec spec;
    roofline_traffic traffic;
    priced_kernel *kernels;
    size_t count;
    roofline_compose_result compose;
    measurement measured;
} kernel_sequence;

/* kernel_text.c */
void kernel_print(const kernel_sequence *of, bool measured);

#endif
