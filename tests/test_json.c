/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON reader and writer, and the file reader. Expected values are derived by hand beside each test. The suite runs
 * in the C locale and in one with a decimal comma, against the packaged cJSON and against one without ENABLE_LOCALES
 * (tests/sanitize_json.sh).
 */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "json.h"
#include "utf8.h"

/* Parses from a block of exactly the text's size, so that a read past its end is seen by AddressSanitizer. */
static roofline_status parse_bytes(const char *text, size_t length, json_document **document, roofline_error *error) {
    char *block = malloc(length ? length : 1);
    ck_assert_ptr_nonnull(block);
    if (length)
        memcpy(block, text, length);
    roofline_status status = json_parse(block, length, document, error);
    free(block);
    return status;
}

static json_document *parsed(const char *text) {
    json_document *document = NULL;
    roofline_error error;
    roofline_status status = parse_bytes(text, strlen(text), &document, &error);
    ck_assert_msg(status == ROOFLINE_OK, "%s: %s", text, error.message);
    ck_assert_int_eq(error.status, ROOFLINE_OK);
    ck_assert_str_eq(error.message, "");
    return document;
}

static json_object opened(const json_document *document) {
    json_object object;
    ck_assert_int_eq(json_object_open(&object, json_root(document), "", NULL), ROOFLINE_OK);
    return object;
}

static double only_number(const char *text) {
    json_document *document = parsed(text);
    const json_value *value = json_root(document);
    if (json_is_array(value))
        value = json_array_first(value);
    ck_assert(json_is_number(value));
    double number = json_number_of(value);
    json_free(document);
    return number;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ----------------------------------------------------------------------------------------------- what is refused -- */

typedef struct refusal {
    const char *text;
    size_t length; /* 0: strlen */
    int64_t line;
    int64_t offset;
    const char *message; /* a part of it */
} refusal;

/* Line and offset are counted by hand; the comments say what cJSON 1.7.15 was measured to do with the same text. */
static const refusal refusals[] = {
    {"[1] trailing", 0, 1, 4, "more text after"},                /* accepted, the rest ignored */
    {"{}{}", 0, 1, 2, "more text after"},                        /* accepted */
    {"1 2", 0, 1, 2, "more text after"},                         /* accepted */
    {"{}\0", 3, 1, 2, "more text after"},                        /* accepted */
    {"\"\\u0000x\"", 0, 1, 1, "NUL"},                            /* accepted as an empty string */
    {"[\"a\\u0000\"]", 0, 1, 3, "NUL"},                          /* accepted, cut */
    {"[\"a\0b\"]", 7, 1, 3, "NUL"},                              /* accepted, cut */
    {"9007199254740993", 0, 1, 0, "2^53"},                       /* accepted as ...992 */
    {"-9007199254740993", 0, 1, 0, "2^53"},                      /* accepted as ...992 */
    {"[1,\n 18446744073709551615]", 0, 2, 5, "2^53"},            /* accepted, rounded */
    {"[1e400]", 0, 1, 1, "larger than a double"},                /* accepted as infinity, printed as null */
    {"[-1e309]", 0, 1, 1, "larger than a double"},               /* accepted as -infinity */
    {"1.7976931348623159e308", 0, 1, 0, "larger than a double"}, /* accepted as infinity, the least of 17 digits */
    {"[01]", 0, 1, 1, "leading zero"},                           /* accepted */
    {"[-012]", 0, 1, 2, "leading zero"},                         /* accepted */
    {"[1.]", 0, 1, 3, "a digit after the decimal point"},        /* accepted */
    {"[1.e5]", 0, 1, 3, "a digit after the decimal point"},      /* accepted */
    {"[1e]", 0, 1, 3, "a digit of the exponent"},                /* refused */
    {"[1e+]", 0, 1, 4, "a digit of the exponent"},               /* refused */
    {"[-]", 0, 1, 2, "a digit after the minus sign"},            /* refused */
    {"[--1]", 0, 1, 2, "a digit after the minus sign"},          /* refused */
    {"[.5]", 0, 1, 1, "misplaced"},                              /* refused */
    {"[+1]", 0, 1, 1, "leave the + out"},                        /* refused */
    {"[0x10]", 0, 1, 2, "found 'x'"},                            /* refused */
    {"[1,5.0.0]", 0, 1, 6, "misplaced"},                         /* refused */
    {"[\"a\nb\"]", 0, 1, 3, "control character"},                /* accepted */
    {"[\"a\tb\"]", 0, 1, 3, "control character"},                /* accepted */
    {"[\"a\x1f\"]", 0, 1, 3, "control character"},               /* accepted */
    {"[1,\x01 2]", 0, 1, 3, "found '\\x01'"},                    /* accepted: any byte up to 32 is white space */
    {"[1,\f2]", 0, 1, 3, "found '\\x0c'"},                       /* accepted */
    {"\xef\xbb\xbf{}", 0, 1, 0, "byte order mark"},              /* accepted */
    {"\xff\xfe{\0}\0", 6, 1, 0, "UTF-16"},                       /* refused */
    {"\xfe\xff\0{\0}", 6, 1, 0, "UTF-16"},                       /* refused */
    {"[\"\xff\"]", 0, 1, 2, "not UTF-8"},                        /* accepted */
    {"[\"\xc0\x80\"]", 0, 1, 2, "not UTF-8"},                    /* accepted: NUL, overlong */
    {"[\"\xe0\x80\xaf\"]", 0, 1, 2, "not UTF-8"},                /* accepted: '/', overlong */
    {"[\"\xed\xa0\x80\"]", 0, 1, 2, "not UTF-8"},                /* accepted: a surrogate */
    {"[\"\xf4\x90\x80\x80\"]", 0, 1, 2, "not UTF-8"},            /* accepted: above U+10FFFF */
    {"[\"\xe2\x82\"]", 0, 1, 2, "not UTF-8"},                    /* accepted: cut short */
    {"[\"\xe2\x82", 0, 1, 2, "not UTF-8"},                       /* refused */
    {"{\"\xff\":1}", 0, 1, 2, "not UTF-8"},                      /* accepted */
    {"[\"\\ud800\"]", 0, 1, 2, "surrogate"},                     /* refused */
    {"[\"\\ud800\\u0041\"]", 0, 1, 2, "surrogate"},              /* refused */
    {"[\"\\udc00\"]", 0, 1, 2, "surrogate"},                     /* refused */
    {"[\"\\ud834\\ud834\"]", 0, 1, 2, "surrogate"},              /* refused */
    {"[\"\\u12g4\"]", 0, 1, 2, "four hex digits"},               /* accepted as an empty string */
    {"[\"\\u12", 0, 1, 2, "four hex digits"},                    /* refused */
    {"[\"\\x41\"]", 0, 1, 2, "backslash"},                       /* refused */
    {"[\"\\", 0, 1, 2, "backslash"},                             /* refused */
    {"[\"abc", 0, 1, 1, "not closed"},                           /* refused */
    {"[NaN]", 0, 1, 1, "NaN"},                                   /* refused; Python writes it */
    {"{\"a\": Infinity}", 0, 1, 6, "Infinity"},                  /* refused; Python writes it */
    {"{\"a\": -Infinity}", 0, 1, 6, "-Infinity"},                /* refused; Python writes it */
    {"[nan]", 0, 1, 1, "found 'n'"},                             /* refused */
    {"[None]", 0, 1, 1, "write null"},                           /* refused */
    {"[True]", 0, 1, 1, "write true"},                           /* refused */
    {"[tru]", 0, 1, 1, "found 't'"},                             /* refused */
    {"[truex]", 0, 1, 5, "found 'x'"},                           /* refused */
    {"[fals", 0, 1, 1, "found 'f'"},                             /* refused */
    {"{'a':1}", 0, 1, 1, "single quote"},                        /* refused */
    {"{\n  // x\n}", 0, 2, 4, "comments"},                       /* refused */
    {"[1, /* x */ 2]", 0, 1, 4, "comments"},                     /* refused */
    {"[1,]", 0, 1, 3, "comma"},                                  /* refused */
    {"{\"a\":1,}", 0, 1, 7, "comma"},                            /* refused */
    {"[,1]", 0, 1, 1, "found ','"},                              /* refused */
    {"[1 2]", 0, 1, 3, "',' or ']'"},                            /* refused */
    {"[1}", 0, 1, 2, "',' or ']'"},                              /* refused */
    {"{\"a\":1]", 0, 1, 6, "',' or '}'"},                        /* refused */
    {"{\"a\" 1}", 0, 1, 5, "':'"},                               /* refused */
    {"{\"a\":}", 0, 1, 5, "found '}'"},                          /* refused */
    {"{a:1}", 0, 1, 1, "name in double quotes"},                 /* refused */
    {"{1:1}", 0, 1, 1, "name in double quotes"},                 /* refused */
    {"]", 0, 1, 0, "found ']'"},                                 /* refused */
    {"{\n\"a\": [1,\n2", 0, 3, 12, "the text ends"},             /* refused */
    {"{\"a\"", 0, 1, 4, "the text ends"},                        /* refused */
    {"{", 0, 1, 1, "the text ends"},                             /* refused */
    {"", 0, 1, 0, "empty"},                                      /* refused */
    {" \n\t ", 0, 2, 4, "empty"},                                /* refused */
};

START_TEST(refused_with_place_and_sentence) {
    const refusal *row = &refusals[_i];
    size_t length = row->length ? row->length : strlen(row->text);
    json_document *document = (json_document *)&document; /* must not be touched */
    roofline_error error;
    memset(&error, 0x5a, sizeof error);
    ck_assert_int_eq(parse_bytes(row->text, length, &document, &error), ROOFLINE_PARSE);
    ck_assert_ptr_eq(document, (json_document *)&document);
    ck_assert_int_eq(error.status, ROOFLINE_PARSE);
    ck_assert_msg(strstr(error.message, row->message) != NULL, "%s: %s", row->text, error.message);
    ck_assert_msg(error.line == row->line && error.offset == row->offset, "%s: line %d, byte %d", row->text,
                  (int)error.line, (int)error.offset);
    ck_assert_str_eq(error.path, "");
    ck_assert_int_eq(parse_bytes(row->text, length, &document, NULL), ROOFLINE_PARSE);
}
END_TEST

START_TEST(message_names_line_and_byte) {
    json_document *document;
    roofline_error error;
    ck_assert_int_eq(json_parse("{\n\"a\": 1,\n}", 12 - 1, &document, &error), ROOFLINE_PARSE);
    ck_assert_str_eq(error.message, "line 3, byte 10: a comma stands before the closing '}'; remove the comma");
}
END_TEST

START_TEST(numbers_of_more_than_60_characters) {
    /* 0. and 58 digits are 60 characters; one more is refused (some cJSON read 64 and more as two tokens). */
    char text[80] = "0.";
    memset(text + 2, '1', 59);
    json_document *document;
    roofline_error error;
    ck_assert_int_eq(json_parse(text, 61, &document, &error), ROOFLINE_PARSE);
    ck_assert_ptr_nonnull(strstr(error.message, "60 characters"));
    text[60] = '\0';
    ck_assert_double_eq(only_number(text), 1.0 / 9.0);
}
END_TEST

START_TEST(null_pointers) {
    json_document *document = NULL;
    roofline_error error;
    ck_assert_int_eq(json_parse(NULL, 0, &document, &error), ROOFLINE_ARGUMENT);
    ck_assert_int_eq(json_parse("1", 1, NULL, &error), ROOFLINE_ARGUMENT);
    json_free(NULL);
}
END_TEST

/* Depth is counted in open brackets, arrays and objects alike. */
START_TEST(depth) {
    enum {
        SIZE = 16 * 1024 * 1024
    };
    char *text = malloc(SIZE);
    memset(text, '[', SIZE);
    memset(text + 64, ']', 64);
    json_document *document = NULL;
    roofline_error error;
    ck_assert_int_eq(json_parse(text, 128, &document, &error), ROOFLINE_OK);
    json_free(document);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    ck_assert_int_eq(json_parse(text, 130, &document, &error), ROOFLINE_PARSE);
    ck_assert_int_eq(error.offset, 64);
    ck_assert_ptr_nonnull(strstr(error.message, "64 levels"));
    memset(text, '[', SIZE);
    ck_assert_int_eq(json_parse(text, SIZE, &document, &error), ROOFLINE_PARSE);
    ck_assert_int_eq(error.offset, 64);
    for (size_t i = 0; i + 5 <= SIZE; i += 5)
        memcpy(text + i, "{\"a\":", 5);
    ck_assert_int_eq(json_parse(text, SIZE, &document, &error), ROOFLINE_PARSE);
    ck_assert_int_eq(error.offset, 64 * 5);
    free(text);
}
END_TEST

START_TEST(size) {
    enum {
        LIMIT = 16 * 1024 * 1024
    };
    char *text = malloc(LIMIT + 1);
    memset(text, ' ', LIMIT + 1);
    text[LIMIT - 1] = '7';
    json_document *document = NULL;
    roofline_error error;
    ck_assert_int_eq(json_parse(text, LIMIT, &document, &error), ROOFLINE_OK);
    ck_assert_double_eq(json_number_of(json_root(document)), 7.0);
    json_free(document);
    ck_assert_int_eq(json_parse(text, LIMIT + 1, &document, &error), ROOFLINE_RANGE);
    ck_assert_ptr_nonnull(strstr(error.message, "16777216"));
    free(text);
}
END_TEST

/* ---------------------------------------------------------------------------------------------- what is accepted -- */

typedef struct number_row {
    const char *text;
    double value;
} number_row;

static const number_row number_rows[] = {
    {"0", 0.0},
    {"-0", -0.0},
    {"-0.0", -0.0},
    {"10", 10.0},
    {"989.5", 989.5},
    {"[989.5]", 989.5},
    {"-1.5e3", -1500.0},
    {"1E+2", 100.0},
    {"1e-2", 0.01},
    {"0.1", 0.1},
    {"0e5", 0.0},
    {"3.35e12", 3350000000000.0},
    {"9007199254740992", 9007199254740992.0},
    {"-9007199254740992", -9007199254740992.0},
    {"9007199254740994.0", 9007199254740994.0},
    {"1e23", 1e23},
    {"1.7976931348623157e308", DBL_MAX},
    {"5e-324", 4.9406564584124654e-324},
    {"1e-400", 0.0},
    {"2.2250738585072014e-308", DBL_MIN},
    {"0.05", 0.05},
    {"-0.5E-3", -0.0005},
    {"12.50e+02", 1250.0},
    {"0.1e1", 1.0},
    {"1.5e-0009", 1.5e-9},
    {"1.5e-99999999999999999999", 0.0},
    {"0.0e99999999999999999999", 0.0},
    {"[0.5,\"1.5\\\"2.5\",3.5]", 0.5},
};

START_TEST(numbers_are_read_to_the_bit) {
    ck_assert_uint_eq(bits_of(only_number(number_rows[_i].text)), bits_of(number_rows[_i].value));
}
END_TEST

START_TEST(strings_are_decoded) {
    /* U+00E9, U+20AC, U+1D11E (a pair of escapes), and the short escapes */
    json_document *document = parsed("\"\\u00e9 \\u20AC \\uD834\\udd1e \xe2\x82\xac \\\"\\\\\\/\\b\\f\\n\\r\\t \x7f\"");
    ck_assert_str_eq(json_string_of(json_root(document)),
                     "\xc3\xa9 \xe2\x82\xac \xf0\x9d\x84\x9e \xe2\x82\xac \"\\/\b\f\n\r\t \x7f");
    json_free(document);
    /* beside a number with a decimal point, which takes another way to cJSON */
    document = parsed("[0.5, \"1.5\\\\\", \"\\\"2.5\", 12.25e1 ]");
    const json_value *element = json_array_next(json_array_first(json_root(document)));
    ck_assert_str_eq(json_string_of(element), "1.5\\");
    element = json_array_next(element);
    ck_assert_str_eq(json_string_of(element), "\"2.5");
    ck_assert_double_eq(json_number_of(json_array_next(element)), 122.5);
    json_free(document);
}
END_TEST

START_TEST(values_have_types) {
    json_document *document = parsed(" [ {}, [], \"\", 0, true, false, null ]\r\n\t ");
    static const char *const types[] = {"an object",     "an array",      "a string", "a number",
                                        "true or false", "true or false", "null"};
    const json_value *array = json_root(document);
    ck_assert(json_is_array(array));
    ck_assert_uint_eq(json_array_count(array), 7);
    const json_value *value = json_array_first(array);
    for (int i = 0; i < 7; i++, value = json_array_next(value)) {
        ck_assert_str_eq(json_type_text(value), types[i]);
        ck_assert(json_is_object(value) == (i == 0) && json_is_array(value) == (i == 1));
        ck_assert(json_is_string(value) == (i == 2) && json_is_number(value) == (i == 3));
        ck_assert(json_is_boolean(value) == (i == 4 || i == 5));
        if (i == 1)
            ck_assert(json_array_count(value) == 0 && json_array_first(value) == NULL);
        if (i == 4 || i == 5)
            ck_assert(json_boolean_of(value) == (i == 4));
    }
    ck_assert_ptr_null(value);
    json_free(document);
}
END_TEST

/* Every cut of a text is refused, and every change of one byte ends in a status: nothing reads past the end. */
START_TEST(cut_and_changed_texts) {
    static const char text[] =
        "{\"name\":\"a\\u00e9\\ud834\\udd1e\xc3\xa9\",\"n\":[1,-2.5e-3,{\"k\":true},null],\"e\":{},\"f\":[]}";
    size_t length = sizeof text - 1;
    json_document *document = NULL;
    roofline_error error;
    for (size_t cut = 0; cut < length; cut++)
        ck_assert_int_eq(parse_bytes(text, cut, &document, &error), ROOFLINE_PARSE);
    char changed[sizeof text];
    for (size_t at = 0; at < length; at++)
        for (int byte = 0; byte < 256; byte++) {
            memcpy(changed, text, sizeof text);
            changed[at] = (char)byte;
            roofline_status status = parse_bytes(changed, length, &document, &error);
            ck_assert_int_eq(error.status, status);
            if (status == ROOFLINE_OK)
                json_free(document);
            else
                ck_assert(status == ROOFLINE_PARSE || status == ROOFLINE_SCHEMA);
        }
}
END_TEST

/* ------------------------------------------------------------------------------------------------ keys and paths -- */

typedef struct twice_row {
    const char *text;
    const char *path;
    const char *key;
} twice_row;

/* cJSON accepts each of them and a look-up finds the first, where Python's json takes the last. */
static const twice_row twice_rows[] = {
    {"{\"a\":1,\"a\":1}", "/a", "'a'"},
    {"{\"b\":1,\"a\":2,\"c\":3,\"b\":4}", "/b", "'b'"},
    {"{\"a\":1,\"\\u0061\":2}", "/a", "'a'"},
    {"{\"x\":{\"y\":[0,{\"z\":1,\"z\":2}]}}", "/x/y/1/z", "'z'"},
    {"[[],[[],{\"k\":1,\"j\":{\"q\":null,\"q\":null}}]]", "/1/1/j/q", "'q'"},
    {"{\"a/b\":{\"~\":1,\"~\":2}}", "/a~1b/~0", "'~'"},
    {"{\"\":1,\"\":2}", "/", "''"},
    {"{\"\\n\":1,\"\\n\":2}", "/\\u000a", "'\\x0a'"},
    {"{\"\\u001b[2J\":{\"\\u009b\":1,\"\\u009b\":2}}", "/\\u001b[2J/\\u009b", "'\xc2\x9b'"},
};

START_TEST(a_key_that_stands_twice) {
    const twice_row *row = &twice_rows[_i];
    json_document *document = NULL;
    roofline_error error;
    ck_assert_int_eq(parse_bytes(row->text, strlen(row->text), &document, &error), ROOFLINE_SCHEMA);
    ck_assert_ptr_null(document);
    ck_assert_str_eq(error.path, row->path);
    ck_assert_ptr_nonnull(strstr(error.message, "twice"));
    if (row->key[1] != '\xc2')
        ck_assert_msg(strstr(error.message, row->key) != NULL, "%s", error.message);
}
END_TEST

START_TEST(case_makes_another_key) {
    /* cJSON_GetObjectItem takes "HIDDEN" for "hidden". */
    json_document *document = parsed("{\"HIDDEN\":1,\"hidden\":2,\"Hidden\":3}");
    json_object object = opened(document);
    ck_assert_double_eq(json_number_of(json_get(&object, "hidden")), 2.0);
    ck_assert_double_eq(json_number_of(json_get(&object, "HIDDEN")), 1.0);
    ck_assert_ptr_null(json_get(&object, "hIDDEN"));
    json_object_close(&object);
    json_free(document);
}
END_TEST

START_TEST(long_paths_are_cut_between_characters) {
    /* "/" and 76 euro signs (3 bytes each) are 229 bytes; one more would be 232, so 2 bytes stay free. */
    char text[1024] = "{\"";
    for (int i = 0; i < 200; i++)
        strcat(text, "\xe2\x82\xac");
    strcat(text, "\":1}");
    json_document *document = parsed(text);
    json_object object = opened(document);
    json_path path = json_path_of(&object, object.entries[0].name);
    ck_assert_uint_eq(strlen(path.text), 229);
    ck_assert_mem_eq(path.text + 226, "\xe2\x82\xac", 4);
    json_object_close(&object);
    json_free(document);
    /* 231 bytes are full; an escape is never cut in two: "/" and 229 bytes leave one, too few for "~1". */
    char key[240];
    memset(key, 'x', sizeof key);
    memcpy(key + 229, "/", 2);
    json_object root = {.count = 0};
    path = json_path_of(&root, key);
    ck_assert_uint_eq(strlen(path.text), 230);
    key[229] = 'y';
    path = json_path_of(&root, key);
    ck_assert_uint_eq(strlen(path.text), 231);
    json_path_append(&path, "more");
    json_path_append_index(&path, 3);
    ck_assert_uint_eq(strlen(path.text), 231);
}
END_TEST

START_TEST(look_up_and_unread_keys) {
    json_document *document = parsed("{\"used\":1,\"none\":null,\"left\":2,\"also\":3}");
    json_object object = opened(document);
    size_t index = 0;
    ck_assert_ptr_nonnull(json_get(&object, "used"));
    ck_assert_ptr_null(json_get(&object, "none")); /* null reads as missing, and is read */
    ck_assert_ptr_null(json_get(&object, "absent"));
    ck_assert(json_has(&object, "none") && json_has(&object, "left") && !json_has(&object, "absent"));
    ck_assert_str_eq(json_next_unread(&object, &index), "also");
    ck_assert_str_eq(json_next_unread(&object, &index), "left");
    ck_assert_ptr_null(json_next_unread(&object, &index));
    json_object_close(&object);
    json_object_close(&object); /* a zeroed object may be closed */
    json_free(document);
}
END_TEST

START_TEST(objects_that_are_none) {
    json_document *document = parsed("[1]");
    json_object object;
    roofline_error error;
    ck_assert_int_eq(json_object_open(&object, json_root(document), "/links/2", &error), ROOFLINE_SCHEMA);
    ck_assert_str_eq(error.path, "/links/2");
    ck_assert_ptr_nonnull(strstr(error.message, "an array"));
    json_object_close(&object);
    json_free(document);
    document = parsed("{}");
    object = opened(document);
    ck_assert_uint_eq(object.count, 0);
    ck_assert_ptr_null(json_get(&object, ""));
    json_object_close(&object);
    json_free(document);
}
END_TEST

/*
 * 100,000 keys, as in an index of tensors. A look-up through cJSON's list was measured at 817 us a name near the end of
 * 92,000 (38 s for one pass), and a pairwise search for duplicates is the same square. A test is ended after 30 s.
 */
START_TEST(a_hundred_thousand_keys) {
    enum {
        KEYS = 100000
    };
    char *text = malloc(KEYS * 64);
    size_t length = 0;
    for (int i = 0; i < KEYS; i++)
        length +=
            (size_t)sprintf(text + length, "%c\"model.layers.%d.weight\":%d", i ? ',' : '{', (i * 7919) % KEYS, i);
    text[length++] = '}';
    json_document *document = NULL;
    ck_assert_int_eq(json_parse(text, length, &document, NULL), ROOFLINE_OK);
    json_object object = opened(document);
    ck_assert_uint_eq(object.count, KEYS);
    for (int i = 0; i < KEYS; i++) {
        char key[64];
        sprintf(key, "model.layers.%d.weight", (i * 7919) % KEYS);
        int64_t value = -1;
        ck_assert_int_eq(json_integer(&object, key, true, 0, KEYS, &value, NULL), ROOFLINE_OK);
        ck_assert_int_eq(value, i);
    }
    size_t index = 0;
    ck_assert_ptr_null(json_next_unread(&object, &index));
    json_object_close(&object);
    json_free(document);
    length += (size_t)sprintf(text + length - 1, ",\"model.layers.5.weight\":0}") - 1;
    roofline_error error;
    ck_assert_int_eq(json_parse(text, length, &document, &error), ROOFLINE_SCHEMA);
    ck_assert_str_eq(error.path, "/model.layers.5.weight");
    free(text);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- typed getters -- */

enum {
    INTEGER,
    NUMBER,
    BOOLEAN,
    STRING
};

typedef struct getter_row {
    const char *json; /* value of the key "k"; NULL: the key is missing */
    int getter;
    double least;
    double most;
    roofline_status status;
    const char *message; /* a part of it */
    double value;        /* of a number that is accepted */
} getter_row;

/* All with `required`. */
static const getter_row getter_rows[] = {
    {NULL, INTEGER, 0, 9, ROOFLINE_SCHEMA, "missing", 0},
    {NULL, STRING, 0, 9, ROOFLINE_SCHEMA, "missing", 0},
    {"null", NUMBER, 0, 9, ROOFLINE_SCHEMA, "is null", 0},
    {"null", BOOLEAN, 0, 9, ROOFLINE_SCHEMA, "is null", 0},
    {"\"5\"", INTEGER, 0, 9, ROOFLINE_SCHEMA, "must be a whole number, but is a string", 0},
    {"\"5\"", NUMBER, 0, 9, ROOFLINE_SCHEMA, "must be a number, but is a string", 0},
    {"true", NUMBER, 0, 9, ROOFLINE_SCHEMA, "must be a number, but is true or false", 0},
    {"[5]", INTEGER, 0, 9, ROOFLINE_SCHEMA, "but is an array", 0},
    {"{}", STRING, 0, 9, ROOFLINE_SCHEMA, "must be a string, but is an object", 0},
    {"1", STRING, 0, 9, ROOFLINE_SCHEMA, "must be a string, but is a number", 0},
    {"1", BOOLEAN, 0, 9, ROOFLINE_SCHEMA, "must be true or false, but is a number", 0},
    {"\"true\"", BOOLEAN, 0, 9, ROOFLINE_SCHEMA, "must be true or false, but is a string", 0},
    {"1.5", INTEGER, 0, 9, ROOFLINE_SCHEMA, "must be a whole number, but is 1.5", 0},
    {"10", INTEGER, 0, 9, ROOFLINE_RANGE, "must be from 0 to 9, but is 10", 0},
    {"-1", INTEGER, 0, 9, ROOFLINE_RANGE, "must be from 0 to 9, but is -1", 0},
    {"9.25", NUMBER, 0, 9, ROOFLINE_RANGE, "must be from 0 to 9, but is 9.25", 0},
    {"-0.5", NUMBER, 0, INFINITY, ROOFLINE_RANGE, "must be at least 0, but is -0.5", 0},
    {"2.5", NUMBER, -INFINITY, 2, ROOFLINE_RANGE, "must be at most 2, but is 2.5", 0},
    {"1e300", INTEGER, 0, INFINITY, ROOFLINE_RANGE, "9007199254740992, but is 1e+300", 0},
    {"1e19", INTEGER, -INFINITY, INFINITY, ROOFLINE_RANGE, "but is 1e+19", 0},
    {"-1e300", INTEGER, -INFINITY, INFINITY, ROOFLINE_RANGE, "but is -1e+300", 0},
    {"4096.0", INTEGER, 4096, 4096, ROOFLINE_OK, "", 4096},
    {"4.096e3", INTEGER, 4096, 4096, ROOFLINE_OK, "", 4096},
    {"-0", INTEGER, 0, 0, ROOFLINE_OK, "", 0},
    {"9007199254740992", INTEGER, 9007199254740992.0, INFINITY, ROOFLINE_OK, "", 9007199254740992.0},
    {"9", NUMBER, 0, 9, ROOFLINE_OK, "", 9},
    {"0", NUMBER, 0, 9, ROOFLINE_OK, "", 0},
    {"1e308", NUMBER, -INFINITY, INFINITY, ROOFLINE_OK, "", 1e308},
    {"false", BOOLEAN, 0, 0, ROOFLINE_OK, "", 0},
    {"\"\"", STRING, 0, 0, ROOFLINE_OK, "", 0},
};

static int64_t int64_of(double value) {
    return isinf(value) ? (value > 0 ? INT64_MAX : INT64_MIN) : (int64_t)value;
}

START_TEST(getters) {
    const getter_row *row = &getter_rows[_i];
    char text[64];
    snprintf(text, sizeof text, row->json ? "{\"k/1\":%s}" : "{}", row->json);
    json_document *document = parsed(text);
    json_object object = opened(document);
    strcpy(object.path, "/top");
    int64_t integer = 77;
    double number = 77;
    bool boolean = true;
    const char *string = "77";
    roofline_error error;
    error_clear(&error);
    roofline_status status =
        row->getter == INTEGER
            ? json_integer(&object, "k/1", true, int64_of(row->least), int64_of(row->most), &integer, &error)
        : row->getter == NUMBER  ? json_number(&object, "k/1", true, row->least, row->most, &number, &error)
        : row->getter == BOOLEAN ? json_boolean(&object, "k/1", true, &boolean, &error)
                                 : json_string(&object, "k/1", true, &string, &error);
    ck_assert_msg(status == row->status, "%s: %d %s", text, (int)status, error.message);
    ck_assert_msg(strstr(error.message, row->message) != NULL, "%s: %s", text, error.message);
    if (status != ROOFLINE_OK) {
        ck_assert_str_eq(error.path, "/top/k~11");
        ck_assert(integer == 77 && bits_of(number) == bits_of(77) && boolean && strcmp(string, "77") == 0);
    } else {
        ck_assert((row->getter == INTEGER && integer == (int64_t)row->value) ||
                  (row->getter == NUMBER && bits_of(number) == bits_of(row->value)) ||
                  (row->getter == BOOLEAN && !boolean) || (row->getter == STRING && string[0] == '\0'));
    }
    json_object_close(&object);
    json_free(document);
}
END_TEST

START_TEST(getters_quote_a_key_that_came_from_the_text) {
    json_document *document = parsed("{\"a\\u001b[31m\x7f\":1}");
    json_object object = opened(document);
    const char *string = NULL;
    roofline_error error;
    ck_assert_int_eq(json_string(&object, object.entries[0].name, true, &string, &error), ROOFLINE_SCHEMA);
    ck_assert_str_eq(error.message, "'a\\x1b[31m\\x7f' must be a string, but is a number");
    ck_assert_str_eq(error.path, "/a\\u001b[31m\\u007f");
    json_object_close(&object);
    json_free(document);
}
END_TEST

START_TEST(getters_leave_a_default) {
    json_document *document = parsed("{\"none\":null}");
    json_object object = opened(document);
    int64_t integer = 5;
    double number = 6.5;
    bool boolean = true;
    const char *string = "usual";
    for (int i = 0; i < 2; i++) {
        const char *key = i ? "none" : "absent";
        ck_assert_int_eq(json_integer(&object, key, false, 0, 0, &integer, NULL), ROOFLINE_OK);
        ck_assert_int_eq(json_number(&object, key, false, 0, 0, &number, NULL), ROOFLINE_OK);
        ck_assert_int_eq(json_boolean(&object, key, false, &boolean, NULL), ROOFLINE_OK);
        ck_assert_int_eq(json_string(&object, key, false, &string, NULL), ROOFLINE_OK);
    }
    ck_assert(integer == 5 && bits_of(number) == bits_of(6.5) && boolean && strcmp(string, "usual") == 0);
    json_object_close(&object);
    json_free(document);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- writing -- */

static char *given(json_writer *writer) {
    enum {
        CAPACITY = 8 * 1024 * 1024
    };
    char *text = malloc(CAPACITY);
    size_t needed = 0;
    ck_assert_int_eq(json_writer_give(writer, text, CAPACITY, &needed, NULL), ROOFLINE_OK);
    ck_assert_uint_eq(needed, strlen(text) + 1);
    ck_assert(writer->text == NULL && writer->length == 0);
    return text;
}

START_TEST(written_text) {
    json_writer writer = {.text = NULL};
    json_write_object_begin(&writer, NULL);
    json_write_string(&writer, "s\"", "a\\\"\n\x1f\x7f\xc3\xa9/\xff\xe2\x82");
    json_write_number(&writer, "n", 0.1);
    json_write_number(&writer, "x", NAN);
    json_write_number(&writer, "y", -INFINITY);
    json_write_integer(&writer, "i", INT64_MIN);
    json_write_array_begin(&writer, "a");
    json_write_boolean(&writer, NULL, true);
    json_write_array_begin(&writer, NULL);
    json_write_array_end(&writer);
    json_write_object_begin(&writer, NULL);
    json_write_object_end(&writer);
    json_write_boolean(&writer, NULL, false);
    json_write_array_end(&writer);
    json_write_object_end(&writer);
    char *text = given(&writer);
    ck_assert_str_eq(text, "{\n"
                           "  \"s\\\"\": \"a\\\\\\\"\\u000a\\u001f\\u007f\xc3\xa9/\\ufffd\\ufffd\\ufffd\",\n"
                           "  \"n\": 0.1,\n"
                           "  \"x\": null,\n"
                           "  \"y\": null,\n"
                           "  \"i\": -9223372036854775808,\n"
                           "  \"a\": [\n"
                           "    true,\n"
                           "    [],\n"
                           "    {},\n"
                           "    false\n"
                           "  ]\n"
                           "}");
    free(text);
}
END_TEST

START_TEST(text_is_given_by_the_rule) {
    for (size_t capacity = 0; capacity < 7; capacity++) {
        json_writer writer = {.text = NULL};
        json_write_string(&writer, NULL, "abc"); /* 5 bytes and the NUL */
        char buffer[8] = "-------";
        size_t needed = 0;
        roofline_status status = json_writer_give(&writer, buffer, capacity, &needed, NULL);
        ck_assert_uint_eq(needed, 6);
        ck_assert_int_eq(status, capacity == 0 || capacity >= 6 ? ROOFLINE_OK : ROOFLINE_BUFFER_SIZE);
        ck_assert_str_eq(buffer, capacity >= 6 ? "\"abc\"" : "-------");
    }
}
END_TEST

/* splitmix64, the seed is the constant. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double next_finite(uint64_t *state) {
    double value;
    do {
        uint64_t bits = next_random(state);
        memcpy(&value, &bits, sizeof value);
    } while (isnan(value) || isinf(value));
    return value;
}

static void assert_round_trip(const double *values, size_t count) {
    json_writer writer = {.text = NULL};
    json_write_array_begin(&writer, NULL);
    for (size_t i = 0; i < count; i++)
        json_write_number(&writer, NULL, values[i]);
    json_write_array_end(&writer);
    char *text = given(&writer);
    ck_assert_ptr_null(strstr(text, "null"));
    json_document *document = parsed(text);
    const json_value *element = json_array_first(json_root(document));
    for (size_t i = 0; i < count; i++, element = json_array_next(element))
        ck_assert_msg(bits_of(json_number_of(element)) == bits_of(values[i]), "%a came back as %a", values[i],
                      json_number_of(element));
    ck_assert_ptr_null(element);
    json_free(document);
    free(text);
}

/* cJSON's own printer loses 12.9 % of random doubles (it prints 0.1 + 0.2 as 0.3). */
START_TEST(random_doubles_round_trip) {
    enum {
        COUNT = 100000
    };
    double *values = malloc(COUNT * sizeof *values);
    uint64_t state = 20261201;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = next_finite(&state);
    assert_round_trip(values, COUNT);
    free(values);
}
END_TEST

/* Whole numbers from 2^53 to 10^17 print with no fraction: the reader would refuse them as inexact integers. */
START_TEST(large_whole_numbers_round_trip) {
    enum {
        COUNT = 20000
    };
    static double values[COUNT];
    uint64_t state = 7;
    for (size_t i = 0; i < COUNT; i++) /* exponents 52 to 57, either sign */
        values[i] = ldexp(1.0 + (double)(next_random(&state) >> 12) * 0x1p-52, 52 + (int)(i % 6)) * (i & 8 ? -1 : 1);
    assert_round_trip(values, COUNT);
}
END_TEST

START_TEST(special_doubles_round_trip) {
    static const double values[] = {0.0,
                                    -0.0,
                                    0.1 + 0.2,
                                    DBL_MAX,
                                    -DBL_MAX,
                                    DBL_MIN,
                                    0x1p-1074,
                                    0x1.fffffffffffffp-1023,
                                    1e22,
                                    1e23,
                                    9007199254740992.0,
                                    9007199254740994.0,
                                    -9007199254740994.0,
                                    12345678901234568.0,
                                    99999999999999984.0,
                                    1e17,
                                    989.5e12,
                                    3.35e12,
                                    80e9,
                                    1.0 / 3.0};
    assert_round_trip(values, sizeof values / sizeof *values);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- structs -- */

static const char device_json[] =
    "{\"kind\":\"measured\",\"name\":\"Card \xc3\xa9\",\"date\":\"2026-01-31\",\"memory_bytes_per_s\":3.35e12,"
    "\"memory_bytes\":80000000000,\"tdp_w\":700.5,\"vendor\":null,\"struct_size\":7,\"other\":1}";

START_TEST(struct_from_json_and_back) {
    json_document *document = parsed(device_json);
    json_object object = opened(document);
    roofline_device_spec spec = {.struct_size = sizeof spec, .l2_bytes = 5, .vendor = "kept"};
    ck_assert_int_eq(json_read_struct(&object, "roofline_device_spec", &spec, NULL, NULL), ROOFLINE_OK);
    ck_assert_uint_eq(spec.struct_size, sizeof spec);
    ck_assert_int_eq(spec.kind, ROOFLINE_SOURCE_MEASURED);
    ck_assert_str_eq(spec.name, "Card \xc3\xa9");
    ck_assert_str_eq(spec.vendor, "kept");
    ck_assert_str_eq(spec.date, "2026-01-31");
    ck_assert_double_eq(spec.memory_bytes_per_s, 3.35e12);
    ck_assert_int_eq(spec.memory_bytes, 80000000000);
    ck_assert_int_eq(spec.l2_bytes, 5);
    ck_assert_double_eq(spec.tdp_w, 700.5);
    /* struct_size and unknown keys are not looked at, so they stay for the caller to refuse */
    size_t index = 0;
    ck_assert_str_eq(json_next_unread(&object, &index), "other");
    ck_assert_str_eq(json_next_unread(&object, &index), "struct_size");
    ck_assert_ptr_null(json_next_unread(&object, &index));
    json_object_close(&object);
    json_free(document);

    json_writer writer = {.text = NULL};
    static const char *const skip[] = {"price_per_hour", "memory_usable_bytes", NULL};
    json_write_object_begin(&writer, NULL);
    json_write_struct(&writer, "roofline_device_spec", &spec, skip);
    json_write_object_end(&writer);
    char *text = given(&writer);
    ck_assert_str_eq(text, "{\n"
                           "  \"kind\": \"measured\",\n"
                           "  \"name\": \"Card \xc3\xa9\",\n"
                           "  \"vendor\": \"kept\",\n"
                           "  \"date\": \"2026-01-31\",\n"
                           "  \"memory_bytes_per_s\": 3350000000000,\n"
                           "  \"memory_bytes\": 80000000000,\n"
                           "  \"l2_bytes\": 5,\n"
                           "  \"tdp_w\": 700.5\n"
                           "}");
    free(text);
}
END_TEST

START_TEST(struct_with_booleans_and_words) {
    json_document *document = parsed("{\"tied_embeddings\":true,\"format\":\"fp8\",\"hidden\":4096.0}");
    json_object object = opened(document);
    roofline_model_spec spec = {.struct_size = sizeof spec, .vocab = 3};
    ck_assert_int_eq(json_read_struct(&object, "roofline_model_spec", &spec, NULL, NULL), ROOFLINE_OK);
    ck_assert_int_eq(spec.tied_embeddings, 1);
    ck_assert_int_eq(spec.format, ROOFLINE_FORMAT_FP8);
    ck_assert_int_eq(spec.hidden, 4096);
    ck_assert_int_eq(spec.vocab, 3);
    json_object_close(&object);
    json_free(document);
}
END_TEST

START_TEST(struct_with_a_value_that_has_no_word) {
    /* roofline_regime has no value 0 and no value 99: null, which reads as missing */
    roofline_bound_result bound = {.struct_size = sizeof bound, .bound_s = NAN, .source = 99, .cache_resident = 1};
    json_writer writer = {.text = NULL};
    json_write_object_begin(&writer, NULL);
    json_write_struct(&writer, "roofline_bound_result", &bound, NULL);
    json_write_object_end(&writer);
    char *text = given(&writer);
    ck_assert_ptr_nonnull(strstr(text, "\"regime\": null"));
    ck_assert_ptr_nonnull(strstr(text, "\"source\": null"));
    ck_assert_ptr_nonnull(strstr(text, "\"bound_s\": null"));
    ck_assert_ptr_nonnull(strstr(text, "\"cache_resident\": true"));
    ck_assert_ptr_null(strstr(text, "padding"));
    ck_assert_ptr_null(strstr(text, "struct_size"));
    roofline_bound_result back = {.struct_size = sizeof back, .regime = 2, .source = 1, .bound_s = 4};
    json_document *document = parsed(text);
    json_object object = opened(document);
    ck_assert_int_eq(json_read_struct(&object, "roofline_bound_result", &back, NULL, NULL), ROOFLINE_OK);
    ck_assert(back.regime == 2 && back.source == 1 && back.cache_resident == 1);
    ck_assert_double_eq(back.bound_s, 4);
    json_object_close(&object);
    json_free(document);
    free(text);
}
END_TEST

typedef struct struct_row {
    const char *text;
    const char *path;
    roofline_status status;
    const char *message;
} struct_row;

/* Fields of roofline_device_spec: name has 64 bytes, so 63 characters. */
static const struct_row struct_rows[] = {
    {"{\"kind\":\"guessed\"}", "/at/kind", ROOFLINE_SCHEMA, "measured"},
    {"{\"kind\":1}", "/at/kind", ROOFLINE_SCHEMA, "must be a string, but is a number"},
    {"{\"name\":\"0123456789012345678901234567890123456789012345678901234567890123\"}", "/at/name", ROOFLINE_RANGE,
     "64 bytes and may have 63"},
    {"{\"name\":[]}", "/at/name", ROOFLINE_SCHEMA, "must be a string"},
    {"{\"memory_bytes\":1.5}", "/at/memory_bytes", ROOFLINE_SCHEMA, "whole number"},
    {"{\"memory_bytes\":1e17}", "/at/memory_bytes", ROOFLINE_RANGE, "9007199254740992"},
    {"{\"memory_bytes_per_s\":\"fast\"}", "/at/memory_bytes_per_s", ROOFLINE_SCHEMA, "must be a number"},
};

START_TEST(struct_refusals) {
    const struct_row *row = &struct_rows[_i];
    json_document *document = parsed(row->text);
    json_object object;
    ck_assert_int_eq(json_object_open(&object, json_root(document), "/at", NULL), ROOFLINE_OK);
    roofline_device_spec spec = {.struct_size = sizeof spec};
    roofline_error error;
    ck_assert_int_eq(json_read_struct(&object, "roofline_device_spec", &spec, NULL, &error), row->status);
    ck_assert_str_eq(error.path, row->path);
    ck_assert_msg(strstr(error.message, row->message) != NULL, "%s", error.message);
    json_object_close(&object);
    json_free(document);
}
END_TEST

START_TEST(struct_fields_that_the_caller_handles) {
    static const char *const skip[] = {"kind", "memory_bytes", NULL};
    json_document *document = parsed("{\"kind\":5,\"memory_bytes\":\"x\",\"peaks_flops\":{}}");
    json_object object = opened(document);
    roofline_device_spec spec = {.struct_size = sizeof spec};
    ck_assert_int_eq(json_read_struct(&object, "roofline_device_spec", &spec, skip, NULL), ROOFLINE_OK);
    size_t index = 0;
    ck_assert_str_eq(json_next_unread(&object, &index), "kind");
    ck_assert_str_eq(json_next_unread(&object, &index), "memory_bytes");
    ck_assert_str_eq(json_next_unread(&object, &index), "peaks_flops");
    json_object_close(&object);
    json_free(document);
}
END_TEST

/* The integers of 32 bits stop at their own range. */
START_TEST(struct_narrow_integers) {
    static const char *const texts[] = {"{\"tp\":2147483648}", "{\"tp\":-2147483649}", "{\"tp\":-2147483648}"};
    for (int i = 0; i < 3; i++) {
        json_document *document = parsed(texts[i]);
        json_object object = opened(document);
        roofline_deployment deployment = {.struct_size = sizeof deployment, .tp = 4};
        roofline_status status = json_read_struct(&object, "roofline_deployment", &deployment, NULL, NULL);
        ck_assert_int_eq(status, i == 2 ? ROOFLINE_OK : ROOFLINE_RANGE);
        ck_assert_int_eq(deployment.tp, i == 2 ? INT32_MIN : 4);
        json_object_close(&object);
        json_free(document);
    }
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- files -- */

static char folder[64];

static void make_folder(void) {
    strcpy(folder, "/tmp/test_json.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void) {
    char path[128];
    snprintf(path, sizeof path, "%s/file", folder);
    unlink(path);
    rmdir(folder);
}

static const char *written_file(const char *bytes, size_t length) {
    static char path[128];
    snprintf(path, sizeof path, "%s/file", folder);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    fclose(file);
    return path;
}

START_TEST(file_comes_byte_for_byte) {
    static const char content[] = "a\r\n\0b\xff";
    const char *path = written_file(content, sizeof content - 1);
    char *bytes = NULL;
    size_t length = 99;
    roofline_error error;
    ck_assert_int_eq(file_read(path, 6, &bytes, &length, &error), ROOFLINE_OK);
    ck_assert_uint_eq(length, 6);
    ck_assert_mem_eq(bytes, content, 7); /* the NUL behind it too */
    free(bytes);
    path = written_file("", 0);
    ck_assert_int_eq(file_read(path, 6, &bytes, &length, &error), ROOFLINE_OK);
    ck_assert(length == 0 && bytes[0] == '\0');
    free(bytes);
}
END_TEST

START_TEST(file_sizes_round_the_limit) {
    /* round the first block of the reader as well */
    static const size_t limits[] = {1, 16 * 1024 - 2, 16 * 1024 - 1, 16 * 1024, 100000};
    char *content = malloc(100002);
    memset(content, 'x', 100002);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (size_t size = limits[i] - 1; size <= limits[i] + 1; size++) {
            const char *path = written_file(content, size);
            char *bytes = NULL;
            size_t length = 0;
            roofline_error error;
            roofline_status status = file_read(path, limits[i], &bytes, &length, &error);
            ck_assert_int_eq(status, size <= limits[i] ? ROOFLINE_OK : ROOFLINE_RANGE);
            if (status == ROOFLINE_OK)
                ck_assert_uint_eq(length, size);
            else
                ck_assert_ptr_null(bytes);
            free(bytes);
        }
    free(content);
}
END_TEST

START_TEST(file_without_end_stops_at_the_limit) {
    char *bytes = NULL;
    size_t length = 0;
    roofline_error error;
    ck_assert_int_eq(file_read("/dev/zero", JSON_SIZE_LIMIT, &bytes, &length, &error), ROOFLINE_RANGE);
    ck_assert_ptr_nonnull(strstr(error.message, "16777216"));
    ck_assert_ptr_null(bytes);
}
END_TEST

START_TEST(file_refusals) {
    char *bytes = NULL;
    size_t length = 0;
    roofline_error error;
    ck_assert_int_eq(file_read(NULL, 9, &bytes, &length, &error), ROOFLINE_ARGUMENT);
    ck_assert_int_eq(file_read("/no/such/file\n", 9, &bytes, &length, &error), ROOFLINE_NOT_FOUND);
    ck_assert_str_eq(error.message, "cannot read '/no/such/file\\x0a': there is no such file; check the path");
    ck_assert_int_eq(file_read("", 9, &bytes, &length, &error), ROOFLINE_NOT_FOUND);
    ck_assert_int_eq(file_read("/dev/null/file", 9, &bytes, &length, &error), ROOFLINE_NOT_FOUND);
    ck_assert_int_eq(file_read(folder, 9, &bytes, &length, &error), ROOFLINE_IO);
    ck_assert_ptr_nonnull(strstr(error.message, "it is a folder"));
    char long_path[5000];
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    ck_assert_int_eq(file_read(long_path, 9, &bytes, &length, &error), ROOFLINE_IO);
    ck_assert_ptr_null(bytes);
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- locale -- */

/* TEST_DECIMAL_POINT says which point the run is meant to have, so that a locale that is missing cannot pass. */
START_TEST(locale_is_the_intended_one) {
    const char *intended = getenv("TEST_DECIMAL_POINT");
    ck_assert_str_eq(localeconv()->decimal_point, intended ? intended : ".");
}
END_TEST

/* The guard is taken off again, and the reader leaves the process's locale alone. */
START_TEST(locale_is_the_callers_afterwards) {
    char before[32], after[32];
    snprintf(before, sizeof before, "%.1f", 1.5);
    locale_t locale = uselocale((locale_t)0);
    json_free(parsed("[989.5]"));
    json_document *document;
    ck_assert_int_eq(json_parse("[989,5", 6, &document, NULL), ROOFLINE_PARSE);
    snprintf(after, sizeof after, "%.1f", 1.5);
    ck_assert_str_eq(before, after);
    ck_assert(uselocale((locale_t)0) == locale);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

static TCase *reading_cases(void) {
    TCase *reading = tcase_create("reading");
    tcase_set_timeout(reading, 30);
    tcase_add_loop_test(reading, refused_with_place_and_sentence, 0, ROWS(refusals));
    tcase_add_test(reading, message_names_line_and_byte);
    tcase_add_test(reading, numbers_of_more_than_60_characters);
    tcase_add_test(reading, null_pointers);
    tcase_add_test(reading, depth);
    tcase_add_test(reading, size);
    tcase_add_loop_test(reading, numbers_are_read_to_the_bit, 0, ROWS(number_rows));
    tcase_add_test(reading, strings_are_decoded);
    tcase_add_test(reading, values_have_types);
    tcase_add_test(reading, cut_and_changed_texts);
    return reading;
}

static TCase *key_cases(void) {
    TCase *keys = tcase_create("keys");
    tcase_set_timeout(keys, 30);
    tcase_add_loop_test(keys, a_key_that_stands_twice, 0, ROWS(twice_rows));
    tcase_add_test(keys, case_makes_another_key);
    tcase_add_test(keys, long_paths_are_cut_between_characters);
    tcase_add_test(keys, look_up_and_unread_keys);
    tcase_add_test(keys, objects_that_are_none);
    tcase_add_test(keys, a_hundred_thousand_keys);
    tcase_add_loop_test(keys, getters, 0, ROWS(getter_rows));
    tcase_add_test(keys, getters_quote_a_key_that_came_from_the_text);
    tcase_add_test(keys, getters_leave_a_default);
    return keys;
}

static TCase *writing_cases(void) {
    TCase *writing = tcase_create("writing");
    tcase_set_timeout(writing, 30);
    tcase_add_test(writing, written_text);
    tcase_add_test(writing, text_is_given_by_the_rule);
    tcase_add_test(writing, random_doubles_round_trip);
    tcase_add_test(writing, large_whole_numbers_round_trip);
    tcase_add_test(writing, special_doubles_round_trip);
    tcase_add_test(writing, struct_from_json_and_back);
    tcase_add_test(writing, struct_with_booleans_and_words);
    tcase_add_test(writing, struct_with_a_value_that_has_no_word);
    tcase_add_loop_test(writing, struct_refusals, 0, ROWS(struct_rows));
    tcase_add_test(writing, struct_fields_that_the_caller_handles);
    tcase_add_test(writing, struct_narrow_integers);
    return writing;
}

static TCase *file_cases(void) {
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, make_folder, remove_folder);
    tcase_add_test(files, file_comes_byte_for_byte);
    tcase_add_test(files, file_sizes_round_the_limit);
    tcase_add_test(files, file_without_end_stops_at_the_limit);
    tcase_add_test(files, file_refusals);
    return files;
}

static TCase *locale_cases(void) {
    TCase *locales = tcase_create("locale");
    tcase_add_test(locales, locale_is_the_intended_one);
    tcase_add_test(locales, locale_is_the_callers_afterwards);
    return locales;
}

int main(void) {
    setlocale(LC_ALL, "");
    Suite *suite = suite_create("json");
    suite_add_tcase(suite, reading_cases());
    suite_add_tcase(suite, key_cases());
    suite_add_tcase(suite, writing_cases());
    suite_add_tcase(suite, file_cases());
    suite_add_tcase(suite, locale_cases());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
