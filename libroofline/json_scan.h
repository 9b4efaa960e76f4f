/* SPDX-License-Identifier: Apache-2.0 */
/* Strict grammar check of a JSON text, before any other code reads it. */
#ifndef ROOFLINE_JSON_SCAN_H
#define ROOFLINE_JSON_SCAN_H

#include <stddef.h>

#include "roofline.h"

/*
 * ROOFLINE_OK when the text is one RFC 8259 value in UTF-8 within the limits of json.h and of the numbers that a double
 * holds; *value_end is then the offset just past it. Does not recurse or allocate. Runs under the "C" locale.
 */
roofline_status json_scan(const char *text, size_t length, size_t *value_end, roofline_error *error);

#endif
