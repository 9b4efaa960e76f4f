/* SPDX-License-Identifier: Apache-2.0 */
#include "json_out.h"

#include <stdio.h>
#include <string.h>

#include "fields.h"

static bool is_inline(const json_out *out) {
    return out->inline_depth && out->depth >= out->inline_depth;
}

static void new_line(const json_out *out) {
    if (is_inline(out))
        return;
    if (out->depth > 0 || out->filled)
        putchar('\n');
    printf("%*s", 2 * out->depth, "");
}

static void quoted(const char *text) {
    putchar('"');
    for (; *text; text++) {
        unsigned char character = (unsigned char)*text;
        if (character == '"' || character == '\\')
            printf("\\%c", character);
        else if (character < 0x20 || character == 0x7F)
            printf("\\u%04x", character);
        else
            putchar(character);
    }
    putchar('"');
}

/* Comma, line and key before a value. */
static void before(json_out *out, const char *key) {
    if (out->filled)
        fputs(is_inline(out) ? ", " : ",", stdout);
    if (out->depth > 0)
        new_line(out);
    out->filled = true;
    if (key) {
        quoted(key);
        fputs(": ", stdout);
    }
}

static void begin(json_out *out, const char *key, char bracket) {
    before(out, key);
    putchar(bracket);
    out->depth++;
    out->filled = false;
}

static void end(json_out *out, char bracket) {
    bool filled = out->filled, was_inline = is_inline(out);
    if (out->depth == out->inline_depth)
        out->inline_depth = 0;
    out->depth--;
    if (filled && !was_inline)
        new_line(out);
    putchar(bracket);
    out->filled = true;
    if (out->depth == 0)
        putchar('\n');
}

void json_object(json_out *out, const char *key) {
    begin(out, key, '{');
}
void json_object_end(json_out *out) {
    end(out, '}');
}
void json_array(json_out *out, const char *key) {
    begin(out, key, '[');
}
void json_array_end(json_out *out) {
    end(out, ']');
}

void json_row(json_out *out) {
    begin(out, NULL, '{');
    out->inline_depth = out->depth;
}

void json_text(json_out *out, const char *key, const char *value) {
    before(out, key);
    if (value)
        quoted(value);
    else
        fputs("null", stdout);
}

void json_integer(json_out *out, const char *key, int64_t value) {
    before(out, key);
    printf("%lld", (long long)value);
}

void json_real(json_out *out, const char *key, double value) {
    before(out, key);
    fputs(number_shortest(value).text, stdout);
}

void json_bool(json_out *out, const char *key, bool value) {
    before(out, key);
    fputs(value ? "true" : "false", stdout);
}

static void write_value(json_out *out, const char *key, const field_value *value) {
    switch (value->kind) {
    case FIELD_TEXT:
        json_text(out, key, value->text);
        break;
    case FIELD_WORD:
        if (value->text)
            json_text(out, key, value->text);
        else
            json_integer(out, key, value->integer);
        break;
    case FIELD_BOOL:
        json_bool(out, key, value->integer != 0);
        break;
    case FIELD_INTEGER:
        json_integer(out, key, value->integer);
        break;
    case FIELD_REAL:
        json_real(out, key, value->real);
        break;
    }
}

void json_field(json_out *out, const roofline_layout_row *row, const void *structure) {
    bool array = row->count > 1 && row->storage != ROOFLINE_STORAGE_TEXT;
    int64_t elements = array ? row->count : 1;
    if (array)
        json_array(out, row->field);
    for (int64_t i = 0; i < elements; i++) {
        field_value value = field_read(row, structure, i);
        write_value(out, array ? NULL : row->field, &value);
    }
    if (array)
        json_array_end(out);
}

void json_fields(json_out *out, const char *struct_name, const void *structure) {
    roofline_layout_row row;
    for (int64_t index = 0; field_next(struct_name, &index, &row);)
        json_field(out, &row, structure);
}

void json_struct(json_out *out, const char *key, const char *struct_name, const void *structure) {
    json_object(out, key);
    json_fields(out, struct_name, structure);
    json_object_end(out);
}

/* The text is the library's own, "{", members, "}"; its lines move to the depth they now stand at. */
void json_members(json_out *out, const char *object_text) {
    const char *first = strchr(object_text, '{'), *last = strrchr(object_text, '}');
    if (!first || !last)
        return;
    first += 1 + strspn(first + 1, " \n\r\t");
    while (last > first && strchr(" \n\r\t", last[-1]))
        last--;
    if (first == last)
        return;
    before(out, NULL);
    for (; first < last; first++) {
        putchar(*first);
        if (*first == '\n')
            printf("%*s", 2 * (out->depth - 1), "");
    }
}
