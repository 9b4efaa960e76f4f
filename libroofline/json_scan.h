/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to a JSON text before cJSON sees it: a strict check, and numbers that no locale can misread. */
#ifndef ROOFLINE_JSON_SCAN_H
#define ROOFLINE_JSON_SCAN_H

#include <stddef.h>

#include "roofline.h"

typedef struct json_extent {
    size_t length;    /* bytes up to the end of the value; white space may follow */
    size_t fractions; /* numbers with a decimal point */
} json_extent;

/*
 * ROOFLINE_OK when the text is one RFC 8259 value in UTF-8 within the limits of json.h and of the numbers that a double
 * holds. Does not recurse or allocate. Runs under the "C" locale.
 */
roofline_status json_scan(const char *text, size_t length, json_extent *extent, roofline_error *error);

/*
 * A copy (malloc'ed, *length bytes; NULL when there is no memory) of a text that json_scan has passed, with an exponent
 * in place of every decimal point: 989.5 becomes 9895e-1, which reads as the same double in every locale.
 */
char *json_without_points(const char *text, const json_extent *extent, size_t *length);

#endif
