/* SPDX-License-Identifier: Apache-2.0 */
/* Text for people: numbers with units, aligned tables, wrapped sentences, emphasis on a terminal. */
#ifndef COMMAND_PRINT_H
#define COMMAND_PRINT_H

#include <stddef.h>
#include <stdint.h>

#include "fail.h"

enum {
    PRINT_COLUMNS = 100
};

/* A short text by value, so that it can stand in an argument list: print_bytes(x).text. */
typedef struct short_text {
    char text[64];
} short_text;

short_text print_count(int64_t count);                   /* "8,030,261,248" */
short_text print_scaled(double value, const char *unit); /* "989.4 TFLOP/s": four digits, prefixes of 1000 */
short_text print_bytes(double bytes);                    /* "15.01 GB" */
short_text print_seconds(double seconds);                /* "7.045 ms" */
short_text print_share(double share);                    /* "99.9 %" */
short_text print_number(double value);                   /* four digits, no unit: "1,136", "5.671", "24" */

/* A line of its own; bold on a terminal, unless NO_COLOR is set. */
void print_title(const char *format, ...) FAIL_PRINTF(1, 2);

/* "  label      text": one line of a list of facts, wrapped under itself. An alarm is red where a title is bold. */
void print_fact(const char *label, const char *format, ...) FAIL_PRINTF(2, 3);
void print_alarm(const char *label, const char *format, ...) FAIL_PRINTF(2, 3);

/* Words of `text` in lines of PRINT_COLUMNS; the first starts after `used` columns, the others at `indent`. */
void print_wrapped(const char *text, size_t used, size_t indent);

/* Cells, row after row; every column as wide as its widest cell. alignment: 'l' or 'r' for each column. */
typedef struct table {
    const char *alignment;
    size_t columns;
    char **cells;
    size_t count;
} table;
void table_begin(table *out, const char *alignment, const char *const *headings);
void table_cell(table *out, const char *text);
void table_print(const table *out); /* the headings in bold */
void table_free(table *out);

#endif
