/* SPDX-License-Identifier: Apache-2.0 */
#include "json_scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "utf8.h"

/*
 * Some cJSON versions read a number through a buffer of 64 bytes and take what is beyond for another token;
 * json_without_points adds up to 3 characters.
 */
enum {
    NUMBER_LENGTH_LIMIT = 60
};

typedef struct scanner {
    const unsigned char *text;
    size_t length;
    size_t at;
    size_t fractions;
    int depth;
    unsigned char open[JSON_DEPTH_LIMIT]; /* '{' or '[' */
    roofline_error *error;
} scanner;

static int64_t line_of(const scanner *scan, size_t offset) {
    int64_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += scan->text[i] == '\n';
    return line;
}

static roofline_status refuse(const scanner *scan, size_t offset, const char *sentence) {
    int64_t line = line_of(scan, offset);
    return error_set_at(scan->error, ROOFLINE_PARSE, "", line, (int64_t)offset, "line %" PRId64 ", byte %zu: %s", line,
                        offset, sentence);
}

/* What stands at the offset is not what the grammar wants there. */
static roofline_status refuse_found(const scanner *scan, size_t offset, const char *expected) {
    int64_t line = line_of(scan, offset);
    if (offset >= scan->length)
        return error_set_at(scan->error, ROOFLINE_PARSE, "", line, (int64_t)offset,
                            "line %" PRId64 ", byte %zu: the text ends where %s is expected; is the file complete?",
                            line, offset, expected);
    size_t character = utf8_length(scan->text + offset, scan->length - offset);
    quoted_text found = error_quote((const char *)scan->text + offset, character ? character : 1);
    return error_set_at(scan->error, ROOFLINE_PARSE, "", line, (int64_t)offset,
                        "line %" PRId64 ", byte %zu: found '%s' where %s is expected", line, offset, found.text,
                        expected);
}

/* Things that people and programs write although JSON has none of them. */
typedef struct foreign_token {
    const char *text;
    const char *sentence;
} foreign_token;

static const foreign_token foreign_tokens[] = {
    {"NaN", "NaN is no JSON, though Python writes it; write null or leave the key out"},
    {"Infinity", "Infinity is no JSON, though Python writes it; write null or leave the key out"},
    {"-Infinity", "-Infinity is no JSON, though Python writes it; write null or leave the key out"},
    {"None", "None is Python; write null"},
    {"True", "True is Python; write true"},
    {"False", "False is Python; write false"},
    {"'", "a string begins with a single quote; write double quotes"},
    {"/", "JSON has no comments; remove this one"},
    {".", "a decimal point is misplaced; a number has at most one, with a digit on each side"},
    {"+", "a number begins with +; leave the + out"},
    {"\xef\xbb\xbf", "the text begins with a byte order mark; save the file as UTF-8 without one"},
    {"\xff\xfe", "the text is UTF-16; save the file as UTF-8"},
    {"\xfe\xff", "the text is UTF-16; save the file as UTF-8"},
};

static bool has_prefix(const scanner *scan, const char *prefix) {
    size_t length = strlen(prefix);
    return scan->length - scan->at >= length && memcmp(scan->text + scan->at, prefix, length) == 0;
}

static roofline_status refuse_token(const scanner *scan, const char *expected) {
    for (size_t i = 0; i < sizeof foreign_tokens / sizeof *foreign_tokens; i++)
        if (has_prefix(scan, foreign_tokens[i].text))
            return refuse(scan, scan->at, foreign_tokens[i].sentence);
    return refuse_found(scan, scan->at, expected);
}

/* The byte at the current place, 0 at the end (a NUL inside the text is refused wherever it stands). */
static unsigned char peek(const scanner *scan) {
    return scan->at < scan->length ? scan->text[scan->at] : 0;
}

static void skip_space(scanner *scan) {
    while (peek(scan) == ' ' || peek(scan) == '\n' || peek(scan) == '\r' || peek(scan) == '\t')
        scan->at++;
}

static bool is_digit(unsigned char byte) {
    return byte >= '0' && byte <= '9';
}

static void skip_digits(scanner *scan) {
    while (is_digit(peek(scan)))
        scan->at++;
}

/* ------------------------------------------------------------------------------------------------------- strings -- */

/* The four hex digits at `at`, -1 when they are none. */
static int32_t code_unit(const scanner *scan, size_t at) {
    if (scan->length - at < 4)
        return -1;
    int32_t value = 0;
    for (size_t i = at; i < at + 4; i++) {
        unsigned char byte = scan->text[i];
        int32_t digit = is_digit(byte)               ? byte - '0'
                        : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                        : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                                     : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* At the 'u' of \uXXXX; a high surrogate takes the low one behind it along. */
static roofline_status scan_unicode_escape(scanner *scan) {
    size_t escape = scan->at - 1;
    int32_t unit = code_unit(scan, scan->at + 1);
    if (unit < 0)
        return refuse(scan, escape, "\\u is not followed by four hex digits");
    if (unit == 0)
        return refuse(scan, escape, "\\u0000 is refused: no text may hold a NUL; remove it");
    scan->at += 5;
    if (unit < 0xd800 || unit > 0xdfff)
        return ROOFLINE_OK;
    bool followed = unit < 0xdc00 && scan->length - scan->at >= 6 && scan->text[scan->at] == '\\' &&
                    scan->text[scan->at + 1] == 'u';
    int32_t low = followed ? code_unit(scan, scan->at + 2) : -1;
    if (low < 0xdc00 || low > 0xdfff)
        return refuse(scan, escape, "a surrogate \\u escape stands alone; write the pair or the character itself");
    scan->at += 6;
    return ROOFLINE_OK;
}

static roofline_status scan_escape(scanner *scan) {
    scan->at++;
    unsigned char byte = peek(scan);
    if (byte == 'u')
        return scan_unicode_escape(scan);
    if (byte == 0 || !strchr("\"\\/bfnrt", byte))
        return refuse(scan, scan->at - 1, "a backslash begins no escape that JSON has; write \\\\ for a backslash");
    scan->at++;
    return ROOFLINE_OK;
}

/* Most of a text. */
static void skip_plain_ascii(scanner *scan) {
    const unsigned char *byte = scan->text + scan->at;
    const unsigned char *end = scan->text + scan->length;
    while (byte < end && *byte >= 0x20 && *byte < 0x80 && *byte != '"' && *byte != '\\')
        byte++;
    scan->at = (size_t)(byte - scan->text);
}

/* At the opening quote; ends past the closing one. */
static roofline_status scan_string(scanner *scan) {
    size_t start = scan->at++;
    for (skip_plain_ascii(scan); scan->at < scan->length; skip_plain_ascii(scan)) {
        unsigned char byte = scan->text[scan->at];
        if (byte == '"') {
            scan->at++;
            return ROOFLINE_OK;
        }
        if (byte < 0x20)
            return refuse(scan, scan->at,
                          byte == 0 ? "a NUL byte is in a string; remove it"
                                    : "a control character is in a string; write it as an escape such as \\n, or close "
                                      "the string before the end of the line");
        if (byte == '\\') {
            roofline_status status = scan_escape(scan);
            if (status != ROOFLINE_OK)
                return status;
            continue;
        }
        size_t character = utf8_length(scan->text + scan->at, scan->length - scan->at);
        if (character == 0)
            return refuse(scan, scan->at, "the bytes here are not UTF-8; save the file as UTF-8");
        scan->at += character;
    }
    return refuse(scan, start, "the string that begins here is not closed; add a double quote");
}

/* ------------------------------------------------------------------------------------------------------- numbers -- */

/* Digits of a whole number without a leading zero: is it beyond 2^53, where a double no longer holds each of them? */
static bool beyond_exact(const unsigned char *digits, size_t count) {
    static const char limit[] = "9007199254740992";
    size_t limit_count = sizeof limit - 1;
    return count > limit_count || (count == limit_count && memcmp(digits, limit, count) > 0);
}

static bool overflows(const unsigned char *number, size_t length) {
    char copy[NUMBER_LENGTH_LIMIT + 1];
    memcpy(copy, number, length);
    copy[length] = '\0';
    return isinf(strtod(copy, NULL));
}

/* The grammar alone. `whole`: neither fraction nor exponent; `exponent`: there is one. */
static roofline_status scan_number_grammar(scanner *scan, bool *whole, bool *exponent) {
    *whole = true;
    *exponent = false;
    if (peek(scan) == '-')
        scan->at++;
    if (!is_digit(peek(scan)))
        return refuse_found(scan, scan->at, "a digit after the minus sign");
    if (peek(scan) == '0') {
        scan->at++;
        if (is_digit(peek(scan)))
            return refuse(scan, scan->at - 1, "a number has a leading zero; remove it");
    }
    skip_digits(scan);
    if (peek(scan) == '.') {
        *whole = false;
        scan->fractions++;
        scan->at++;
        if (!is_digit(peek(scan)))
            return refuse_found(scan, scan->at, "a digit after the decimal point");
        skip_digits(scan);
    }
    if (peek(scan) == 'e' || peek(scan) == 'E') {
        *whole = false;
        *exponent = true;
        scan->at++;
        if (peek(scan) == '+' || peek(scan) == '-')
            scan->at++;
        if (!is_digit(peek(scan)))
            return refuse_found(scan, scan->at, "a digit of the exponent");
        skip_digits(scan);
    }
    return ROOFLINE_OK;
}

static roofline_status scan_number(scanner *scan) {
    size_t start = scan->at;
    bool whole, exponent;
    roofline_status status = scan_number_grammar(scan, &whole, &exponent);
    if (status != ROOFLINE_OK)
        return status;
    const unsigned char *number = scan->text + start;
    size_t sign = number[0] == '-';
    size_t length = scan->at - start;
    if (whole && beyond_exact(number + sign, length - sign))
        return refuse(scan, start,
                      "a whole number is beyond 2^53 (9007199254740992), where doubles skip some; write "
                      "it with an exponent if it need not be exact");
    if (length > NUMBER_LENGTH_LIMIT)
        return refuse(scan, start, "a number has more than 60 characters; round it to 17 digits, which a double holds");
    if (exponent && overflows(number, length))
        return refuse(scan, start, "a number is larger than a double can hold (about 1.8e308); check its exponent");
    return ROOFLINE_OK;
}

/* ----------------------------------------------------------------------------------------------------- structure -- */

static roofline_status scan_word(scanner *scan, const char *word) {
    if (!has_prefix(scan, word))
        return refuse_found(scan, scan->at, "a value");
    scan->at += strlen(word);
    return ROOFLINE_OK;
}

static roofline_status scan_scalar(scanner *scan) {
    unsigned char byte = peek(scan);
    if (byte == '"')
        return scan_string(scan);
    if (is_digit(byte) || (byte == '-' && !has_prefix(scan, "-Infinity")))
        return scan_number(scan);
    if (byte == 't')
        return scan_word(scan, "true");
    if (byte == 'f')
        return scan_word(scan, "false");
    if (byte == 'n')
        return scan_word(scan, "null");
    return refuse_token(scan, "a value");
}

/* A member's name and its colon; the value comes next. */
static roofline_status scan_name(scanner *scan) {
    skip_space(scan);
    if (peek(scan) == '}')
        return refuse(scan, scan->at, "a comma stands before the closing '}'; remove the comma");
    if (peek(scan) != '"')
        return refuse_token(scan, "a name in double quotes");
    roofline_status status = scan_string(scan);
    if (status != ROOFLINE_OK)
        return status;
    skip_space(scan);
    if (peek(scan) != ':')
        return refuse_token(scan, "':'");
    scan->at++;
    return ROOFLINE_OK;
}

/* At '{' or '['. *ended: it was empty, so the whole value is read; else a value comes next. */
static roofline_status scan_opening(scanner *scan, bool *ended) {
    unsigned char bracket = scan->text[scan->at];
    if (scan->depth == JSON_DEPTH_LIMIT)
        return refuse(scan, scan->at, "the text is nested more than 64 levels deep; flatten it");
    scan->open[scan->depth++] = bracket;
    scan->at++;
    skip_space(scan);
    *ended = peek(scan) == (bracket == '{' ? '}' : ']');
    if (*ended) {
        scan->depth--;
        scan->at++;
        return ROOFLINE_OK;
    }
    return bracket == '{' ? scan_name(scan) : ROOFLINE_OK;
}

/* After a member or an element: a comma (then *ended is false and a value comes next) or the closing bracket. */
static roofline_status scan_separator(scanner *scan, bool *ended) {
    bool object = scan->open[scan->depth - 1] == '{';
    skip_space(scan);
    unsigned char byte = peek(scan);
    if (byte == (object ? '}' : ']')) {
        scan->depth--;
        scan->at++;
        return ROOFLINE_OK;
    }
    if (byte != ',')
        return refuse_token(scan, object ? "',' or '}'" : "',' or ']'");
    scan->at++;
    *ended = false;
    if (object)
        return scan_name(scan);
    skip_space(scan);
    if (peek(scan) == ']')
        return refuse(scan, scan->at, "a comma stands before the closing ']'; remove the comma");
    return ROOFLINE_OK;
}

static roofline_status scan_value(scanner *scan) {
    bool ended;
    do {
        skip_space(scan);
        ended = true;
        roofline_status status =
            peek(scan) == '{' || peek(scan) == '[' ? scan_opening(scan, &ended) : scan_scalar(scan);
        while (status == ROOFLINE_OK && ended && scan->depth > 0)
            status = scan_separator(scan, &ended);
        if (status != ROOFLINE_OK)
            return status;
    } while (!ended);
    return ROOFLINE_OK;
}

roofline_status json_scan(const char *text, size_t length, json_extent *extent, roofline_error *error) {
    scanner scan = {.text = (const unsigned char *)text, .length = length, .error = error};
    if (length > JSON_SIZE_LIMIT)
        return error_set(error, ROOFLINE_RANGE, "", "the text has %zu bytes and the limit is %d; is it the right file?",
                         length, JSON_SIZE_LIMIT);
    skip_space(&scan);
    if (scan.at == length)
        return refuse(&scan, scan.at, "the text is empty; a JSON value is expected");
    roofline_status status = scan_value(&scan);
    if (status != ROOFLINE_OK)
        return status;
    *extent = (json_extent){.length = scan.at, .fractions = scan.fractions};
    skip_space(&scan);
    if (scan.at < length)
        return refuse(&scan, scan.at, "there is more text after the JSON value ended; remove it");
    return ROOFLINE_OK;
}
