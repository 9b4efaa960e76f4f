/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FACT_INDENT = 2,
    FACT_COLUMN = 18,
    COLUMN_GAP = 2
};

short_text print_count(int64_t count) {
    char digits[32];
    short_text out = {""};
    snprintf(digits, sizeof digits, "%lld", (long long)count);
    size_t length = strlen(digits), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            out.text[used++] = ',';
        out.text[used++] = digits[i];
    }
    return out;
}

/* Digits behind the point that leave four in all; the limits are where rounding adds a digit. */
static int decimals_of(double value) {
    return value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
}

short_text print_scaled(double value, const char *unit) {
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t prefix = 0;
    short_text out;
    if (!isfinite(value))
        return (short_text){"-"};
    for (; fabs(value) >= 999.95 && prefix + 1 < sizeof prefixes / sizeof *prefixes; prefix++)
        value /= 1000;
    bool whole = prefix == 0 && value == floor(value);
    snprintf(out.text, sizeof out.text, "%.*f %s%s", whole ? 0 : decimals_of(fabs(value)), value, prefixes[prefix],
             unit);
    return out;
}

short_text print_bytes(double bytes) {
    return print_scaled(bytes, "B");
}

short_text print_seconds(double seconds) {
    static const char *const units[] = {"s", "ms", "us", "ns"};
    size_t unit = 0;
    short_text out;
    if (!isfinite(seconds))
        return (short_text){"-"};
    for (; seconds > 0 && seconds < 0.99995 && unit + 1 < sizeof units / sizeof *units; unit++)
        seconds *= 1000;
    snprintf(out.text, sizeof out.text, "%.*f %s", seconds == 0 ? 0 : decimals_of(seconds), seconds, units[unit]);
    return out;
}

short_text print_share(double share) {
    short_text out;
    if (!isfinite(share))
        return (short_text){"-"};
    snprintf(out.text, sizeof out.text, "%.1f %%", 100 * share);
    return out;
}

short_text print_number(double value) {
    short_text out;
    if (!isfinite(value))
        return (short_text){"-"};
    if (value == floor(value) && fabs(value) < 1e15)
        return print_count((int64_t)value);
    if (fabs(value) >= 1e15 || fabs(value) < 0.0005)
        snprintf(out.text, sizeof out.text, "%.3g", value);
    else if (fabs(value) >= 999.95)
        out = print_count((int64_t)floor(value + 0.5));
    else
        snprintf(out.text, sizeof out.text, "%.*f", decimals_of(fabs(value)), value);
    return out;
}

static bool emphasised(void) {
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0;
}

void print_title(const char *format, ...) {
    bool bold = emphasised();
    va_list values;
    fputs(bold ? "\033[1m" : "", stdout);
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    puts(bold ? "\033[0m" : "");
}

/* Columns on the screen: bytes that do not continue a UTF-8 character. */
static size_t width_of(const char *text, size_t length) {
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

void print_wrapped(const char *text, size_t used, size_t indent) {
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " \n"), width = width_of(text, length);
        if (!first && used + 1 + width > PRINT_COLUMNS) {
            printf("\n%*s", (int)indent, "");
            used = indent;
            first = true;
        }
        printf("%s%.*s", first ? "" : " ", (int)length, text);
        used += width + !first;
        first = false;
        text += length;
        if (*text == '\n') {
            printf("\n%*s", text[1] ? (int)indent : 0, "");
            used = indent;
            first = true;
        }
        text += *text != 0;
    }
    puts("");
}

static void FAIL_PRINTF(3, 0) print_labelled(const char *label, const char *style, const char *format, va_list values) {
    char text[2048];
    vsnprintf(text, sizeof text, format, values);
    printf("%s%*s%-*s", style, FACT_INDENT, "", FACT_COLUMN - FACT_INDENT, label);
    print_wrapped(text, FACT_COLUMN, FACT_COLUMN);
    fputs(*style ? "\033[0m" : "", stdout);
}

void print_fact(const char *label, const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_labelled(label, "", format, values);
    va_end(values);
}

void print_alarm(const char *label, const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_labelled(label, emphasised() ? "\033[1;31m" : "", format, values);
    va_end(values);
}

void table_begin(table *out, const char *alignment, const char *const *headings) {
    *out = (table){.alignment = alignment, .columns = strlen(alignment)};
    for (size_t i = 0; i < out->columns; i++)
        table_cell(out, headings[i]);
}

void table_cell(table *out, const char *text) {
    size_t size = strlen(text) + 1;
    if ((out->count & (out->count - 1)) == 0)
        out->cells = reallocate(out->cells, out->count ? 2 * out->count : 1, sizeof *out->cells);
    out->cells[out->count] = reallocate(NULL, size, 1);
    memcpy(out->cells[out->count++], text, size);
}

static size_t column_width(const table *out, size_t column) {
    size_t widest = 0;
    for (size_t i = column; i < out->count; i += out->columns) {
        size_t width = width_of(out->cells[i], strlen(out->cells[i]));
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void print_cell(const table *out, size_t index, size_t width) {
    size_t column = index % out->columns;
    const char *cell = out->cells[index];
    int padding = (int)(width - width_of(cell, strlen(cell)));
    bool right = out->alignment[column] == 'r', last = column + 1 == out->columns;
    printf("%*s%s%*s", right ? padding : 0, "", cell, !right && !last ? padding : 0, "");
    printf("%*s", last ? 0 : COLUMN_GAP, "");
}

void table_print(const table *out) {
    if (out->columns == 0)
        return;
    size_t *widths = reallocate(NULL, out->columns, sizeof *widths);
    bool bold = emphasised();
    for (size_t i = 0; i < out->columns; i++)
        widths[i] = column_width(out, i);
    for (size_t i = 0; i < out->count; i++) {
        if (i == 0 && bold)
            fputs("\033[1m", stdout);
        print_cell(out, i, widths[i % out->columns]);
        if (i + 1 == out->columns && bold)
            fputs("\033[0m", stdout);
        if ((i + 1) % out->columns == 0)
            puts("");
    }
    free(widths);
}

void table_free(table *out) {
    for (size_t i = 0; i < out->count; i++)
        free(out->cells[i]);
    free(out->cells);
    *out = (table){0};
}
