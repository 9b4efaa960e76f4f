/* SPDX-License-Identifier: Apache-2.0 */
#include "csv_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"

static void before(csv_out *out) {
    if (out->filled)
        putchar(',');
    out->filled = true;
}

void csv_text(csv_out *out, const char *value) {
    before(out);
    if (!strpbrk(value, ",\"\r\n")) {
        fputs(value, stdout);
        return;
    }
    putchar('"');
    for (; *value; value++)
        printf(*value == '"' ? "\"\"" : "%c", *value);
    putchar('"');
}

void csv_real(csv_out *out, double value) {
    before(out);
    if (isfinite(value))
        fputs(number_shortest(value).text, stdout);
}

static void csv_integer(csv_out *out, int64_t value) {
    before(out);
    printf("%lld", (long long)value);
}

void csv_line_end(csv_out *out) {
    putchar('\n');
    out->filled = false;
}

static bool is_single(const roofline_layout_row *row) {
    return row->count == 1 || row->storage == ROOFLINE_STORAGE_TEXT;
}

void csv_names(csv_out *out, const char *struct_name) {
    roofline_layout_row row;
    for (int64_t index = 0; field_next(struct_name, &index, &row);)
        if (is_single(&row))
            csv_text(out, row.field);
}

static void write_value(csv_out *out, const field_value *value) {
    if (value->kind == FIELD_REAL)
        csv_real(out, value->real);
    else if (value->kind == FIELD_BOOL)
        csv_text(out, value->integer ? "true" : "false");
    else if (value->text)
        csv_text(out, value->text);
    else
        csv_integer(out, value->integer);
}

void csv_fields(csv_out *out, const char *struct_name, const void *structure) {
    roofline_layout_row row;
    for (int64_t index = 0; field_next(struct_name, &index, &row);) {
        if (!is_single(&row))
            continue;
        field_value value = field_read(&row, structure, 0);
        write_value(out, &value);
    }
}
