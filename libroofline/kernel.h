/* SPDX-License-Identifier: Apache-2.0 */
/* Work and bytes of single kernels, shared by the public functions on kernels and by plans. */
#ifndef ROOFLINE_KERNEL_H
#define ROOFLINE_KERNEL_H

#include <stdint.h>

#include "roofline.h"

/* Largest numbers that enter anywhere (header, "Numbers"). */
static const int64_t SEQUENCES_LIMIT = INT64_C(1) << 24;
static const int64_t TOKENS_LIMIT = INT64_C(1) << 32;
static const int64_t POSITIONS_LIMIT = INT64_C(1) << 38; /* context of all sequences of a step */

/*
 * What multiplies in a product: the wider of the two operands; at equal width the activation, unless both are narrow and
 * of different kinds (fp8 x int8), which nothing multiplies: 0. So is a format without arithmetic of its own (int4 x int4).
 */
roofline_arithmetic product_arithmetic(roofline_format weights, roofline_format activations);

/*
 * (query, key) pairs of one head of one sequence: `fresh` new tokens that end at position `context`, causal, inside a
 * window (0: none). Exact while below 2^53. The closed forms of theory 3.
 */
static inline double attention_pairs(double fresh, double context, double window) {
    double cached = context - fresh;
    if (window <= 0)
        return fresh * cached + fresh * (fresh + 1) / 2;
    double growing = window - cached; /* new tokens that still see everything before them */
    growing = growing < 0 ? 0 : growing;
    growing = growing > fresh ? fresh : growing;
    return growing * cached + growing * (growing + 1) / 2 + (fresh - growing) * window;
}

/* Cached positions that those tokens read. */
static inline double attention_positions(double fresh, double context, double window) {
    double reach = window + fresh - 1;
    return window > 0 && reach < context ? reach : context;
}

#endif
