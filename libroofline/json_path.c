/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

/* Appends the whole piece, or nothing at all. */
static bool append(json_path *path, const char *piece, size_t length) {
    size_t used = strlen(path->text);
    if (length >= sizeof path->text - used)
        return false;
    memcpy(path->text + used, piece, length);
    path->text[used + length] = '\0';
    return true;
}

/* Code of a control character (C0, DEL, C1), else 0. */
static unsigned control_code(const unsigned char *character, size_t length) {
    if (length == 1 && (character[0] < 0x20 || character[0] == 0x7f))
        return character[0];
    return length == 2 && character[0] == 0xc2 && character[1] < 0xa0 ? character[1] : 0;
}

static bool append_character(json_path *path, const char *character, size_t length) {
    unsigned control = control_code((const unsigned char *)character, length);
    if (control) {
        char escape[sizeof "\\u0000"];
        snprintf(escape, sizeof escape, "\\u%04x", control & 0xffu);
        return append(path, escape, strlen(escape));
    }
    if (*character == '~')
        return append(path, "~0", 2);
    if (*character == '/')
        return append(path, "~1", 2);
    return append(path, character, length);
}

void json_path_append(json_path *path, const char *name) {
    bool room = append(path, "/", 1);
    size_t left = strlen(name);
    while (room && left > 0) {
        size_t length = utf8_length((const unsigned char *)name, left);
        length = length ? length : 1;
        room = append_character(path, name, length);
        name += length;
        left -= length;
    }
}

void json_path_append_index(json_path *path, size_t index) {
    char text[32];
    snprintf(text, sizeof text, "/%zu", index);
    append(path, text, strlen(text));
}

json_path json_path_of(const json_object *object, const char *key) {
    json_path path;
    memcpy(path.text, object->path, sizeof path.text);
    json_path_append(&path, key);
    return path;
}
