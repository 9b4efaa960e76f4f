/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON that json_parse reads back to the same bits. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "structs.h"
#include "utf8.h"

/* Makes room for `extra` bytes and the NUL. */
static bool reserve(json_writer *writer, size_t extra) {
    size_t needed = writer->length + extra + 1;
    if (needed <= writer->capacity)
        return true;
    size_t capacity = writer->capacity ? writer->capacity : 1024;
    while (capacity < needed && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *text = capacity < needed || needed <= extra ? NULL : realloc(writer->text, capacity);
    if (!text) {
        writer->failed = true;
        return false;
    }
    writer->text = text;
    writer->capacity = capacity;
    return true;
}

static void put(json_writer *writer, const char *bytes, size_t length) {
    if (writer->failed || !reserve(writer, length))
        return;
    memcpy(writer->text + writer->length, bytes, length);
    writer->length += length;
    writer->text[writer->length] = '\0';
}

static void put_text(json_writer *writer, const char *text) {
    put(writer, text, strlen(text));
}

static void put_new_line(json_writer *writer) {
    put_text(writer, "\n");
    for (int level = 0; level < writer->depth; level++)
        put_text(writer, "  ");
}

/* One character of a string: what JSON or a terminal could misread is escaped, broken UTF-8 becomes U+FFFD. */
static size_t put_character(json_writer *writer, const unsigned char *character, size_t left) {
    size_t length = utf8_length(character, left);
    if (length == 0) {
        put_text(writer, "\\ufffd");
        return 1;
    }
    if (character[0] == '"' || character[0] == '\\') {
        put_text(writer, "\\");
    } else if (character[0] < 0x20 || character[0] == 0x7f) {
        char escape[sizeof "\\u0000"];
        snprintf(escape, sizeof escape, "\\u%04x", character[0] & 0xffu);
        put_text(writer, escape);
        return 1;
    }
    put(writer, (const char *)character, length);
    return length;
}

static void put_string(json_writer *writer, const char *text) {
    const unsigned char *character = (const unsigned char *)text;
    size_t left = strlen(text);
    put_text(writer, "\"");
    while (left > 0) {
        size_t length = put_character(writer, character, left);
        character += length;
        left -= length;
    }
    put_text(writer, "\"");
}

/* What stands before a value: the comma after the last one, the line's indent, the key. */
static void begin_value(json_writer *writer, const char *key) {
    if (writer->depth > 0) {
        if (!writer->first)
            put_text(writer, ",");
        put_new_line(writer);
    }
    writer->first = false;
    if (key) {
        put_string(writer, key);
        put_text(writer, ": ");
    }
}

static void begin_container(json_writer *writer, const char *key, const char *bracket) {
    begin_value(writer, key);
    put_text(writer, bracket);
    writer->depth++;
    writer->first = true;
}

static void end_container(json_writer *writer, const char *bracket) {
    writer->depth--;
    if (!writer->first)
        put_new_line(writer);
    writer->first = false;
    put_text(writer, bracket);
}

void json_write_object_begin(json_writer *writer, const char *key) {
    begin_container(writer, key, "{");
}

void json_write_object_end(json_writer *writer) {
    end_container(writer, "}");
}

void json_write_array_begin(json_writer *writer, const char *key) {
    begin_container(writer, key, "[");
}

void json_write_array_end(json_writer *writer) {
    end_container(writer, "]");
}

void json_write_string(json_writer *writer, const char *key, const char *value) {
    begin_value(writer, key);
    put_string(writer, value);
}

/* A whole number beyond 2^53 gets a fraction: its shortest digits need not be its exact ones, so it is no integer. */
void json_write_number(json_writer *writer, const char *key, double value) {
    begin_value(writer, key);
    if (isnan(value) || isinf(value)) {
        put_text(writer, "null");
        return;
    }
    number_chars number = number_text(value);
    put_text(writer, number.text);
    if (fabs(value) > 9007199254740992.0 && !strpbrk(number.text, ".e"))
        put_text(writer, ".0");
}

void json_write_integer(json_writer *writer, const char *key, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    begin_value(writer, key);
    put_text(writer, text);
}

void json_write_boolean(json_writer *writer, const char *key, bool value) {
    begin_value(writer, key);
    put_text(writer, value ? "true" : "false");
}

void json_write_null(json_writer *writer, const char *key) {
    begin_value(writer, key);
    put_text(writer, "null");
}

roofline_status json_writer_give(json_writer *writer, char *buffer, size_t capacity, size_t *needed,
                                 roofline_error *error) {
    bool whole = !writer->failed && writer->text;
    roofline_status status = whole ? text_give(writer->text, buffer, capacity, needed, error)
                                   : error_set(error, ROOFLINE_NO_MEMORY, "", "there is no memory left for the text");
    free(writer->text);
    memset(writer, 0, sizeof *writer);
    return status;
}
