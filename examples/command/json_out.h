/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON on standard output. The key of a struct's field is the field's name, an enumeration is its word, a
 * roofline_bool is true or false, a number that does not exist is null; struct_size and padding are left out.
 */
#ifndef COMMAND_JSON_OUT_H
#define COMMAND_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "roofline.h"

typedef struct json_out {
    int depth;
    bool filled;      /* the open object or array has a member */
    int inline_depth; /* members of this depth and deeper stay on one line; 0: none */
} json_out;

/* `key` is NULL inside an array and at the top. */
void json_object(json_out *out, const char *key);
void json_object_end(json_out *out);
void json_array(json_out *out, const char *key);
void json_array_end(json_out *out);
void json_row(json_out *out); /* an object on one line, an element of an array; ended by json_object_end */

void json_text(json_out *out, const char *key, const char *value); /* NULL: null */
void json_integer(json_out *out, const char *key, int64_t value);
void json_real(json_out *out, const char *key, double value);
void json_bool(json_out *out, const char *key, bool value);

/* One field of a public struct, or every field, into the open object. */
void json_field(json_out *out, const roofline_layout_row *row, const void *structure);
void json_fields(json_out *out, const char *struct_name, const void *structure);
/* The same as an object of its own. */
void json_struct(json_out *out, const char *key, const char *struct_name, const void *structure);

/* The members of an object that the library wrote as text, into the open object. */
void json_members(json_out *out, const char *object_text);

#endif
