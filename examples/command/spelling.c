/* SPDX-License-Identifier: Apache-2.0 */
#include "spelling.h"

#include <stdbool.h>
#include <string.h>

enum {
    EDITS_LIMIT = 2,
    LENGTH_LIMIT = 63
};

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Letters to insert, drop or replace (Levenshtein), a row of the table at a time; name has at most LENGTH_LIMIT. */
static size_t edits_between(const char *word, size_t word_length, const char *name, size_t name_length) {
    size_t row[LENGTH_LIMIT + 1];
    for (size_t j = 0; j <= name_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= word_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= name_length; j++) {
            size_t replaced = diagonal + (word[i - 1] != name[j - 1]);
            diagonal = row[j];
            row[j] = least(replaced, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[name_length];
}

static size_t common_start(const spelling *of, const char *name) {
    size_t length = 0;
    while (length < of->length && name[length] && name[length] == of->word[length])
        length++;
    return length;
}

/* Of two names as near, the one that starts alike: "swep" is sweep and not step. */
static bool is_nearer(const spelling *of, const char *name, size_t edits) {
    if (!of->nearest || edits != of->edits)
        return !of->nearest || edits < of->edits;
    return common_start(of, name) > common_start(of, of->nearest);
}

void spelling_offer(spelling *of, const char *name) {
    size_t length = strlen(name);
    if (length > LENGTH_LIMIT)
        return;
    size_t edits = edits_between(of->word, of->length, name, length);
    /* a word of which no letter is kept is no misspelling */
    if (edits > EDITS_LIMIT || edits >= of->length || !is_nearer(of, name, edits))
        return;
    of->nearest = name;
    of->edits = edits;
}
