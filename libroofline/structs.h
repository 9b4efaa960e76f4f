/* SPDX-License-Identifier: Apache-2.0 */
/* The struct_size rule of the header, in one place: inputs from older and newer callers, outputs to them. */
#ifndef ROOFLINE_STRUCTS_H
#define ROOFLINE_STRUCTS_H

#include <stddef.h>

#include "roofline.h"

enum {
    STRUCT_SIZE_LIMIT = 4096
};

/*
 * Copies an input struct of the caller into `known` (known_size bytes, as this library knows it): fields that the
 * caller does not have become 0; a larger struct is accepted when its unknown tail is zero. `name` is the struct's name.
 */
roofline_status struct_read(void *known, size_t known_size, const void *given, const char *name, roofline_error *error);

/* The same for element `index` of an array: row_bytes is its size, its own struct_size is not read. */
roofline_status struct_read_row(void *known, size_t known_size, const void *rows, size_t row_bytes, size_t index,
                                const char *name, roofline_error *error);

/* Checks an output struct's struct_size before any work is done. */
roofline_status struct_check(const void *out, const char *name, roofline_error *error);

/* Writes min(struct_size, known_size) bytes after the struct_size, zeroes the rest up to struct_size. */
void struct_write(void *out, const void *known, size_t known_size);

/* The same for element `index` of an array of row_bytes; the element's struct_size becomes row_bytes. */
void struct_write_row(void *rows, size_t row_bytes, size_t index, const void *known, size_t known_size);

/*
 * Gives `text` under the header's rule for text: `needed` always, capacity 0 only asks, too small is
 * ROOFLINE_BUFFER_SIZE and the buffer is not touched. `needed` may be NULL.
 */
roofline_status text_give(const char *text, char *buffer, size_t capacity, size_t *needed, roofline_error *error);

#endif
