/* SPDX-License-Identifier: Apache-2.0 */
#include "note.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "structs.h"

enum {
    NOTE_TEXT_BYTES = 400
};

struct note_item {
    roofline_note note;
    char text[NOTE_TEXT_BYTES];
};

roofline_status note_add(note_list *list, roofline_note_code code, roofline_severity severity, const char *field,
                         const char *format, ...) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        struct note_item *items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return ROOFLINE_NO_MEMORY;
        list->items = items;
        list->capacity = capacity;
    }
    struct note_item *item = &list->items[list->count++];
    memset(item, 0, sizeof *item);
    item->note.code = code;
    item->note.severity = severity;
    snprintf(item->note.field, sizeof item->note.field, "%s", field);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(item->text, sizeof item->text, format, arguments);
    va_end(arguments);
    return ROOFLINE_OK;
}

void note_list_free(note_list *list) {
    free(list->items);
    *list = (note_list){0};
}

roofline_status note_give(const note_list *list, int64_t index, roofline_note *out, char *buffer, size_t capacity,
                          size_t *needed, roofline_error *error) {
    roofline_status status = struct_check(out, "roofline_note", error);
    if (status)
        return status;
    if (index < 0 || (uint64_t)index >= list->count)
        return error_set(error, ROOFLINE_NOT_FOUND, "index", "there is no note %lld; the handle has %zu",
                         (long long)index, list->count);
    const struct note_item *item = &list->items[index];
    status = text_give(item->text, buffer, capacity, needed, error);
    if (status == ROOFLINE_OK)
        struct_write(out, &item->note, sizeof item->note);
    return status;
}
