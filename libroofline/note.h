/* SPDX-License-Identifier: Apache-2.0 */
/* The notes of a handle: assumptions that its figures rest on. */
#ifndef ROOFLINE_NOTE_H
#define ROOFLINE_NOTE_H

#include <stddef.h>

#include "error.h"
#include "roofline.h"

typedef struct note_list {
    struct note_item *items;
    size_t count;
    size_t capacity;
} note_list;

/* The format takes no floating-point conversion (see error_set). Returns ROOFLINE_NO_MEMORY without touching `error`. */
roofline_status note_add(note_list *list, roofline_note_code code, roofline_severity severity, const char *field,
                         const char *format, ...) ERROR_PRINTF(5, 6);
void note_list_free(note_list *list);
/* The body of every roofline_X_note. */
roofline_status note_give(const note_list *list, int64_t index, roofline_note *out, char *buffer, size_t capacity,
                          size_t *needed, roofline_error *error);

#endif
