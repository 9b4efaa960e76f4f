/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the caller's roofline_error. Nothing here allocates or depends on the locale. */
#ifndef ROOFLINE_ERROR_H
#define ROOFLINE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "roofline.h"

#if defined(__GNUC__)
#define ERROR_PRINTF(text, arguments) __attribute__((format(printf, text, arguments)))
#else
#define ERROR_PRINTF(text, arguments)
#endif

/* Success: the caller's object is written whole, status 0. Returns ROOFLINE_OK. */
roofline_status error_clear(roofline_error *error);

/*
 * Failure: path is "struct.field", a JSON pointer or "". The format takes no floating-point conversion (its decimal
 * point would follow the locale): use number_text and %s. Bytes that came from a file go through error_quote first.
 * Returns `status`, so that callers write `return error_set(...)`.
 */
roofline_status error_set(roofline_error *error, roofline_status status, const char *path, const char *format, ...)
    ERROR_PRINTF(4, 5);

/* The same for a place in a text: 1-based line, 0-based byte offset. */
roofline_status error_set_at(roofline_error *error, roofline_status status, const char *path, int64_t line,
                             int64_t offset, const char *format, ...) ERROR_PRINTF(6, 7);

/* The failure just set happened inside element `index` of an array: "struct.field" becomes "/3/field". Returns `status`. */
roofline_status error_in_row(roofline_error *error, roofline_status status, size_t index);

/* Quotes foreign bytes for a message: control bytes and broken UTF-8 become \xNN, long text is cut with "...". */
typedef struct quoted_text {
    char text[96];
} quoted_text;
quoted_text error_quote(const char *bytes, size_t length);

/* The shortest decimal text that reads back to the same double, with '.' whatever the locale; "nan", "inf". */
typedef struct number_chars {
    char text[32];
} number_chars;
number_chars number_text(double value);

/* Stable id of "struct.field" (FNV-1a, 31 bits, never 0); 0 for a JSON pointer or "". */
int32_t field_id(const char *path);

#endif
