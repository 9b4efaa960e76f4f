/* SPDX-License-Identifier: Apache-2.0 */
/* The public structs and enumerations as data, so that bindings, JSON and the command keep no lists of their own. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "error.h"
#include "roofline.h"
#include "structs.h"

#define STRUCT(structure)                                                                                              \
    { sizeof(roofline_layout_row), 0, 0, 0, 0, (int64_t)sizeof(structure), 1, #structure, "", "" }

#define FIELD(structure, name, storage, elements, meaning_name, identity)                                              \
    {                                                                                                                  \
        sizeof(roofline_layout_row), ROOFLINE_STORAGE_##storage, identity, 0, (int64_t)offsetof(structure, name),      \
            (int64_t)sizeof(((const structure *)0)->name), elements, #structure, #name, meaning_name                   \
    }

#define CONSTANT(meaning_name, enumerator, word)                                                                       \
    { sizeof(roofline_constant_row), enumerator, meaning_name, #enumerator, word }

#include "layout_table.inc"

static const int64_t layout_row_count = sizeof layout_rows / sizeof *layout_rows;
static const int64_t constant_row_count = sizeof constant_rows / sizeof *constant_rows;

const char *roofline_version(void) {
    return version_text;
}

int32_t roofline_abi_version(void) {
    return ROOFLINE_ABI_VERSION;
}

static roofline_status no_such_row(const char *table, int64_t index, int64_t count, roofline_error *error) {
    return error_set(error, ROOFLINE_NOT_FOUND, "index", "the %s table has no row %lld; its rows are 0 to %lld", table,
                     (long long)index, (long long)(count - 1));
}

int64_t roofline_layout_count(void) {
    return layout_row_count;
}

roofline_status roofline_layout_at(int64_t index, roofline_layout_row *out, roofline_error *error) {
    roofline_status status = struct_check(out, "roofline_layout_row", error);
    if (status != ROOFLINE_OK)
        return status;
    if (index < 0 || index >= layout_row_count)
        return no_such_row("layout", index, layout_row_count, error);
    struct_write(out, &layout_rows[index], sizeof layout_rows[index]);
    return error_clear(error);
}

int64_t roofline_constant_count(void) {
    return constant_row_count;
}

roofline_status roofline_constant_at(int64_t index, roofline_constant_row *out, roofline_error *error) {
    roofline_status status = struct_check(out, "roofline_constant_row", error);
    if (status != ROOFLINE_OK)
        return status;
    if (index < 0 || index >= constant_row_count)
        return no_such_row("constants", index, constant_row_count, error);
    struct_write(out, &constant_rows[index], sizeof constant_rows[index]);
    return error_clear(error);
}

const char *roofline_constant_text(const char *meaning, int32_t value) {
    if (!meaning)
        return NULL;
    for (const roofline_constant_row *row = constant_rows; row < constant_rows + constant_row_count; row++)
        if (row->value == value && strcmp(row->meaning, meaning) == 0)
            return row->text;
    return NULL;
}

/* "compute, memory, ...": every word of an enumeration, "" when there is no such enumeration. */
typedef struct word_list {
    char text[400];
} word_list;

static word_list words_of(const char *meaning) {
    word_list words = {""};
    size_t used = 0;
    for (const roofline_constant_row *row = constant_rows; row < constant_rows + constant_row_count; row++) {
        if (strcmp(row->meaning, meaning) != 0)
            continue;
        const char *separator = used > 0 ? ", " : "";
        size_t length = strlen(separator) + strlen(row->text);
        if (used + length + sizeof ", ..." > sizeof words.text) {
            memcpy(words.text + used, ", ...", sizeof ", ...");
            return words;
        }
        memcpy(words.text + used, separator, strlen(separator));
        memcpy(words.text + used + strlen(separator), row->text, strlen(row->text) + 1);
        used += length;
    }
    return words;
}

static roofline_status no_such_word(const char *meaning, const char *text, roofline_error *error) {
    quoted_text foreign_meaning = error_quote(meaning, strlen(meaning));
    word_list words = words_of(meaning);
    if (words.text[0] == '\0')
        return error_set(error, ROOFLINE_NOT_FOUND, "meaning",
                         "'%s' is no enumeration of this library; the constants table lists those that are",
                         foreign_meaning.text);
    quoted_text foreign_text = error_quote(text, strlen(text));
    return error_set(error, ROOFLINE_NOT_FOUND, "text", "'%s' is no %s; known: %s", foreign_text.text, meaning,
                     words.text);
}

roofline_status roofline_constant_value(const char *meaning, const char *text, int32_t *value, roofline_error *error) {
    const char *missing = !meaning ? "meaning" : !text ? "text" : !value ? "value" : NULL;
    if (missing)
        return error_set(error, ROOFLINE_ARGUMENT, missing, "%s must not be NULL", missing);
    for (const roofline_constant_row *row = constant_rows; row < constant_rows + constant_row_count; row++) {
        if (strcmp(row->meaning, meaning) == 0 && strcmp(row->text, text) == 0) {
            *value = row->value;
            return error_clear(error);
        }
    }
    return no_such_word(meaning, text, error);
}
