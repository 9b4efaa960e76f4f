/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name that a misspelt word was meant to be. */
#ifndef COMMAND_SPELLING_H
#define COMMAND_SPELLING_H

#include <stddef.h>

/* The nearest name that was offered; starts with `word` and `length` alone. */
typedef struct spelling {
    const char *word;
    size_t length;
    const char *nearest; /* NULL: no name is at most two edits away */
    size_t edits;
} spelling;

void spelling_offer(spelling *of, const char *name);

#endif
