/* SPDX-License-Identifier: Apache-2.0 */
/* Writes comma-separated values on standard output (RFC 4180, lines end in LF). A number that does not exist is empty.
 */
#ifndef COMMAND_CSV_OUT_H
#define COMMAND_CSV_OUT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct csv_out {
    bool filled; /* the line has a cell */
} csv_out;

void csv_text(csv_out *out, const char *value);
void csv_real(csv_out *out, double value);
void csv_line_end(csv_out *out);

/* The names, or the values, of every field of a public struct that is no array. */
void csv_names(csv_out *out, const char *struct_name);
void csv_fields(csv_out *out, const char *struct_name, const void *structure);

#endif
