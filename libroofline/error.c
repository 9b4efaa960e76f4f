/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

_Static_assert(sizeof(roofline_error) == 1024, "roofline_error is frozen at 1024 bytes");

typedef struct status_row {
    roofline_status status;
    const char *text;
} status_row;

static const status_row status_rows[] = {
    {ROOFLINE_OK, "The call succeeded."},
    {ROOFLINE_ARGUMENT, "An argument is NULL or contradicts another."},
    {ROOFLINE_RANGE, "A number is outside its stated range, or not finite."},
    {ROOFLINE_STRUCT_SIZE, "A struct_size or row_bytes is no size that the struct can have."},
    {ROOFLINE_BUFFER_SIZE, "The buffer or array is too small for the result."},
    {ROOFLINE_PARSE, "The text is not strict JSON."},
    {ROOFLINE_SCHEMA, "A JSON key is missing, unknown, twice there or of another type."},
    {ROOFLINE_UNSUPPORTED, "The request is understood, but it is not modelled."},
    {ROOFLINE_NOT_FOUND, "There is no such file, catalogue entry, row or name."},
    {ROOFLINE_IO, "The file could not be read."},
    {ROOFLINE_NO_MEMORY, "An allocation failed; nothing was made."},
    {ROOFLINE_OVERFLOW, "A product of valid numbers exceeds what the library counts exactly."},
};

const char *roofline_status_name(roofline_status status) {
    const char *name = roofline_constant_text("roofline_status", status);
    return name ? name : "unknown";
}

const char *roofline_status_text(roofline_status status) {
    for (size_t i = 0; i < sizeof status_rows / sizeof *status_rows; i++)
        if (status_rows[i].status == status)
            return status_rows[i].text;
    return "This library does not know the status; a newer one may.";
}

roofline_status error_clear(roofline_error *error) {
    if (error)
        memset(error, 0, sizeof *error);
    return ROOFLINE_OK;
}

int32_t field_id(const char *path) {
    if (!path || path[0] == '\0' || path[0] == '/' || !strchr(path, '.'))
        return 0;
    uint32_t hash = 2166136261u;
    for (const unsigned char *byte = (const unsigned char *)path; *byte; byte++)
        hash = (hash ^ *byte) * 16777619u;
    hash &= 0x7fffffffu;
    return hash ? (int32_t)hash : 1;
}

/* Copies text into a fixed field, cut at a character's boundary and always terminated. */
static void copy_text(char *field, size_t size, const char *text) {
    size_t used = 0;
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = utf8_length((const unsigned char *)text, left);
        if (length == 0)
            length = 1;
        if (used + length >= size)
            break;
        memcpy(field + used, text, length);
        used += length;
        text += length;
        left -= length;
    }
    field[used] = '\0';
}

static roofline_status fill(roofline_error *error, roofline_status status, const char *path, int64_t line,
                            int64_t offset, const char *format, va_list arguments) {
    if (!error)
        return status;
    char message[1024];
    if (vsnprintf(message, sizeof message, format, arguments) < 0)
        message[0] = '\0';
    memset(error, 0, sizeof *error);
    error->status = status;
    error->field_id = field_id(path);
    error->line = line;
    error->offset = offset;
    copy_text(error->path, sizeof error->path, path ? path : "");
    copy_text(error->message, sizeof error->message, message);
    return status;
}

roofline_status error_set(roofline_error *error, roofline_status status, const char *path, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, path, 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

roofline_status error_set_at(roofline_error *error, roofline_status status, const char *path, int64_t line,
                             int64_t offset, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, path, line, offset, format, arguments);
    va_end(arguments);
    return status;
}

roofline_status error_in_row(roofline_error *error, roofline_status status, size_t index) {
    if (!error)
        return status;
    const char *dot = strchr(error->path, '.');
    char path[sizeof error->path] = "";
    snprintf(path, sizeof path, "/%zu%s%s", index, dot ? "/" : "", dot ? dot + 1 : "");
    memcpy(error->path, path, sizeof path);
    return status;
}

quoted_text error_quote(const char *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    quoted_text quoted;
    size_t used = 0;
    while (length > 0) {
        size_t take = utf8_length((const unsigned char *)bytes, length);
        unsigned char byte = (unsigned char)bytes[0];
        bool control = byte < 0x20 || byte == 0x7f || (byte == 0xc2 && take == 2 && (unsigned char)bytes[1] < 0xa0);
        bool plain = take > 0 && !control;
        if (used + 4 + sizeof "..." > sizeof quoted.text) {
            memcpy(quoted.text + used, "...", 3);
            used += 3;
            break;
        }
        if (plain) {
            memcpy(quoted.text + used, bytes, take);
            used += take;
        } else {
            take = 1;
            quoted.text[used++] = '\\';
            quoted.text[used++] = 'x';
            quoted.text[used++] = digits[byte >> 4];
            quoted.text[used++] = digits[byte & 15];
        }
        bytes += take;
        length -= take;
    }
    quoted.text[used] = '\0';
    return quoted;
}

/*
 * The decimal point of the locale may be any text: it is whatever is no digit, sign or exponent. localeconv() would
 * name it, but answers from one struct that threads in other locales overwrite.
 */
static void plain_point(char *text) {
    static const char others[] = "+-0123456789e";
    char *point = text + strspn(text, others);
    size_t length = strcspn(point, others);
    if (length == 0)
        return;
    *point = '.';
    memmove(point + 1, point + length, strlen(point + length) + 1);
}

number_chars number_text(double value) {
    number_chars number;
    if (isnan(value) || isinf(value)) {
        strcpy(number.text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return number;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number.text, sizeof number.text, "%.*g", digits, value);
        if (strtod(number.text, NULL) == value) /* same locale as the printing just above */
            break;
    }
    plain_point(number.text);
    return number;
}
