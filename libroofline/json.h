/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict JSON in and out. json.c is the only file that sees cJSON, whose leniency (trailing text, leading zeros, "1.",
 * NUL in strings, numbers beyond 2^53 rounded in silence, duplicate keys), locale dependence and slow look-up stop here.
 */
#ifndef ROOFLINE_JSON_H
#define ROOFLINE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline.h"

enum {
    JSON_SIZE_LIMIT = 16 * 1024 * 1024,
    JSON_DEPTH_LIMIT = 64
};

typedef struct json_document json_document;
typedef struct json_value json_value; /* a node of a document; lives as long as it */

/* Strict RFC 8259 plus: integers within 2^53, finite numbers, no duplicate key, no NUL, at most JSON_DEPTH_LIMIT deep. */
roofline_status json_parse(const char *text, size_t length, json_document **out, roofline_error *error);
void json_free(json_document *document);
const json_value *json_root(const json_document *document);

/* An object, its names sorted once: look-up by binary search; every look-up marks its key as read. */
typedef struct json_entry {
    const char *name;
    const json_value *value;
    bool read;
} json_entry;
typedef struct json_object {
    json_entry *entries;
    size_t count;
    char path[232]; /* JSON pointer of the object itself, "" for the root */
} json_object;

/* path: JSON pointer of `value`. ROOFLINE_SCHEMA when it is no object. _close frees; a zeroed object may be closed. */
roofline_status json_object_open(json_object *object, const json_value *value, const char *path, roofline_error *error);
void json_object_close(json_object *object);

/* The value of a key, NULL when the key is missing OR null. Marks it as read. */
const json_value *json_get(json_object *object, const char *key);
/* True when the key is there, null included. Does not mark it. */
bool json_has(const json_object *object, const char *key);
/* The next key that no look-up has read, from *index on (start at 0), NULL at the end. */
const char *json_next_unread(const json_object *object, size_t *index);
/*
 * JSON pointer of a member: object path + "/" + key. '~' becomes ~0 and '/' becomes ~1; control characters, which a
 * terminal would obey, become \u00XX. A path that is too long is cut between two characters.
 */
typedef struct json_path {
    char text[232];
} json_path;
json_path json_path_of(const json_object *object, const char *key);
/* Appends one more step, of a member or of an element. */
void json_path_append(json_path *path, const char *name);
void json_path_append_index(json_path *path, size_t index);

/*
 * Typed getters. A missing (or null) key: with `required` ROOFLINE_SCHEMA that names it, else *out is left alone (set the
 * default first). A wrong type is ROOFLINE_SCHEMA, a number outside [least, most] ROOFLINE_RANGE; both name the path.
 * json_integer refuses 1.5 and takes 4096.0. json_text gives a pointer into the document.
 */
roofline_status json_integer(json_object *object, const char *key, bool required, int64_t least, int64_t most,
                             int64_t *out, roofline_error *error);
roofline_status json_number(json_object *object, const char *key, bool required, double least, double most, double *out,
                            roofline_error *error);
roofline_status json_boolean(json_object *object, const char *key, bool required, bool *out, roofline_error *error);
roofline_status json_string(json_object *object, const char *key, bool required, const char **out,
                            roofline_error *error);

/* What a value is, for callers that take several types. _text: "a string", for messages. */
const char *json_type_text(const json_value *value);
bool json_is_object(const json_value *value);
bool json_is_array(const json_value *value);
bool json_is_string(const json_value *value);
bool json_is_number(const json_value *value);
bool json_is_boolean(const json_value *value);
const char *json_string_of(const json_value *value); /* of a string */
double json_number_of(const json_value *value);      /* of a number */
bool json_boolean_of(const json_value *value);       /* of a boolean */

/* Elements of an array in order: first, then next until NULL. */
size_t json_array_count(const json_value *array);
const json_value *json_array_first(const json_value *array);
const json_value *json_array_next(const json_value *element);

/* Writing: the text grows in memory; a failed allocation is remembered and json_writer_give reports it. */
typedef struct json_writer {
    char *text;
    size_t length;
    size_t capacity;
    int depth;
    bool first;
    bool failed;
} json_writer;
/* Pretty-printed with two spaces a level. Keys may be NULL inside arrays. NaN and infinity are written as null. */
void json_write_object_begin(json_writer *writer, const char *key);
void json_write_object_end(json_writer *writer);
void json_write_array_begin(json_writer *writer, const char *key);
void json_write_array_end(json_writer *writer);
void json_write_string(json_writer *writer, const char *key, const char *value);
void json_write_number(json_writer *writer, const char *key, double value);
void json_write_integer(json_writer *writer, const char *key, int64_t value);
void json_write_boolean(json_writer *writer, const char *key, bool value);
void json_write_null(json_writer *writer, const char *key);
/* Hands the text to the caller under the header's rule for text, and frees it. ROOFLINE_NO_MEMORY after a failure. */
roofline_status json_writer_give(json_writer *writer, char *buffer, size_t capacity, size_t *needed,
                                 roofline_error *error);

/*
 * Fills a public struct from an object, or writes it, by the layout table: key = field name, text of an enumeration for
 * a field whose `meaning` is one, true/false for roofline_bool, a string for a char array, integers and doubles with
 * their natural checks (finite; integers whole). struct_size, padding and arrays of numbers are skipped. Missing keys
 * leave the field.
 * `skip`: a NULL-terminated list of fields that the caller handles itself, or NULL.
 */
roofline_status json_read_struct(json_object *object, const char *struct_name, void *out, const char *const *skip,
                                 roofline_error *error);
void json_write_struct(json_writer *writer, const char *struct_name, const void *value, const char *const *skip);

/* Reads a whole file of at most `limit` bytes; *bytes is malloc'ed and ends in NUL. NOT_FOUND, IO, RANGE (too large). */
roofline_status file_read(const char *path, size_t limit, char **bytes, size_t *length, roofline_error *error);

#endif
