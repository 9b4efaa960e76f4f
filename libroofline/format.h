/* SPDX-License-Identifier: Apache-2.0 */
/* Number formats: bits, and which peak computes on them. Inside the library every format has been resolved: never 0. */
#ifndef ROOFLINE_FORMAT_H
#define ROOFLINE_FORMAT_H

#include <stdbool.h>

#include "roofline.h"

typedef struct format_facts {
    double bits;
    roofline_arithmetic arithmetic; /* 0: none of its own */
    bool wide_float;                /* 16 or 32 bits, floating point: what a residual stream can be */
} format_facts;

bool format_is_known(roofline_format format);
const format_facts *format_get(roofline_format format); /* of a known format */
double format_bytes(roofline_format format);            /* per element */
const char *format_text(roofline_format format);        /* "bf16" */

bool arithmetic_is_known(roofline_arithmetic arithmetic);
const char *arithmetic_text(roofline_arithmetic arithmetic);

#endif
