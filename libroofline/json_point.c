/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cJSON with ENABLE_LOCALES asks localeconv() for the decimal point. glibc answers from one struct for all threads,
 * which any thread in another locale overwrites, so no guard round the parser helps. A text without decimal points
 * does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_scan.h"

/* Beyond this any number of 60 digits is 0 (the scanner has refused the ones that are infinite). */
enum {
    EXPONENT_LIMIT = 100000
};

/* "e-" and two digits for the one byte of the point: the scanner lets no number have more than 60 characters. */
enum {
    GROWTH_LIMIT = 3
};

/* The text that is read and the text that is written. */
typedef struct copy {
    const char *from;
    const char *end;
    char *to;
} copy;

static void take(copy *text, size_t length) {
    memcpy(text->to, text->from, length);
    text->to += length;
    text->from += length;
}

static size_t span(const copy *text, const char *bytes) {
    size_t length = 0;
    while (text->from + length < text->end && text->from[length] != '\0' && strchr(bytes, text->from[length]))
        length++;
    return length;
}

/* At the opening quote. */
static void take_string(copy *text) {
    size_t length = 1;
    while (text->from[length] != '"')
        length += text->from[length] == '\\' ? 2 : 1;
    take(text, length + 1);
}

/* At 'e', 'E' or past the end of the number, which is then 0. */
static int read_exponent(copy *text) {
    if (span(text, "eE") == 0)
        return 0;
    text->from++;
    int sign = *text->from == '-' ? -1 : 1;
    text->from += span(text, "+-");
    int exponent = 0;
    for (size_t left = span(text, "0123456789"); left > 0; left--, text->from++)
        if (exponent < EXPONENT_LIMIT)
            exponent = exponent * 10 + (*text->from - '0');
    return sign * exponent;
}

/* At the minus sign or the first digit. */
static void take_number(copy *text) {
    take(text, span(text, "-0123456789"));
    if (span(text, ".") == 0) {
        take(text, span(text, "eE+-0123456789"));
        return;
    }
    text->from++;
    size_t decimals = span(text, "0123456789");
    take(text, decimals);
    int exponent = read_exponent(text) - (int)decimals;
    char digits[16];
    int length = snprintf(digits, sizeof digits, "e%d", exponent);
    memcpy(text->to, digits, (size_t)length);
    text->to += length;
}

char *json_without_points(const char *text, const json_extent *extent, size_t *length) {
    char *plain = malloc(extent->length + GROWTH_LIMIT * extent->fractions);
    if (!plain)
        return NULL;
    copy rest = {.from = text, .end = text + extent->length, .to = plain};
    while (rest.from < rest.end) {
        if (*rest.from == '"')
            take_string(&rest);
        else if (span(&rest, "-0123456789") > 0)
            take_number(&rest);
        else
            take(&rest, 1);
    }
    *length = (size_t)(rest.to - plain);
    return plain;
}
