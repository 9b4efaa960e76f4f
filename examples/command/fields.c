/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double exact_limit = 9007199254740992.0; /* 2^53: whole doubles below it are written as whole numbers */

bool field_next(const char *struct_name, int64_t *index, roofline_layout_row *row) {
    row->struct_size = sizeof *row;
    while (roofline_layout_at((*index)++, row, NULL) == ROOFLINE_OK)
        if (!strcmp(row->struct_name, struct_name) && row->field[0] && strcmp(row->field, "struct_size") != 0 &&
            strncmp(row->field, "padding", 7) != 0)
            return true;
    return false;
}

static int64_t read_integer(const roofline_layout_row *row, const char *at) {
    int32_t narrow;
    uint32_t narrow_unsigned;
    int64_t wide;
    switch (row->storage) {
    case ROOFLINE_STORAGE_INT32:
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    case ROOFLINE_STORAGE_UINT32:
        memcpy(&narrow_unsigned, at, sizeof narrow_unsigned);
        return narrow_unsigned;
    default:
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
}

field_value field_read(const roofline_layout_row *row, const void *structure, int64_t element) {
    const char *at = (const char *)structure + row->offset_bytes + element * (row->size_bytes / row->count);
    field_value value = {.kind = FIELD_INTEGER};
    if (row->storage == ROOFLINE_STORAGE_TEXT) {
        value.kind = FIELD_TEXT;
        value.text = (const char *)structure + row->offset_bytes;
    } else if (row->storage == ROOFLINE_STORAGE_DOUBLE) {
        value.kind = FIELD_REAL;
        memcpy(&value.real, at, sizeof value.real);
    } else {
        value.integer = read_integer(row, at);
    }
    if (!strcmp(row->meaning, "roofline_bool")) {
        value.kind = FIELD_BOOL;
    } else if (row->meaning[0] && value.kind == FIELD_INTEGER) {
        value.kind = FIELD_WORD;
        value.text = roofline_constant_text(row->meaning, (int32_t)value.integer);
    }
    return value;
}

number_text number_shortest(double value) {
    number_text out = {"null"};
    if (!isfinite(value))
        return out;
    if (value == floor(value) && fabs(value) < exact_limit) {
        snprintf(out.text, sizeof out.text, "%.0f", value);
        return out;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out.text, sizeof out.text, "%.*g", digits, value);
        if (strtod(out.text, NULL) == value)
            break;
    }
    return out;
}
