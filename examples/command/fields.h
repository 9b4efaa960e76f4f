/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a public struct field by field, as the running library lays it out. JSON and CSV are both made this way. */
#ifndef COMMAND_FIELDS_H
#define COMMAND_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "roofline.h"

/*
 * The next field of the struct that says something (not struct_size, not padding); *index starts at 0. False at the
 * end.
 */
bool field_next(const char *struct_name, int64_t *index, roofline_layout_row *row);

typedef enum field_kind {
    FIELD_TEXT,
    FIELD_BOOL,
    FIELD_WORD,
    FIELD_INTEGER,
    FIELD_REAL
} field_kind;

/* One element of a field. text: of FIELD_TEXT and FIELD_WORD (NULL: a value that the library has no word for). */
typedef struct field_value {
    field_kind kind;
    const char *text;
    int64_t integer; /* also of FIELD_BOOL and FIELD_WORD */
    double real;
} field_value;
field_value field_read(const roofline_layout_row *row, const void *structure, int64_t element);

/* The shortest text that reads back as the same double, "null" when it is not finite. */
typedef struct number_text {
    char text[40];
} number_text;
number_text number_shortest(double value);

#endif
