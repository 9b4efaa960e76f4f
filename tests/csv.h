/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the comma-separated tables of tests/data and tests/golden: a row of names, then rows; no quotes, no commas in cells. */
#ifndef CSV_H
#define CSV_H

#include "fixtures.h"

enum {
    CSV_COLUMNS = 20,
    CSV_LINE = 512
};

typedef struct csv_file {
    FILE *stream;
    char names[CSV_LINE];
    char line[CSV_LINE]; /* the row as it stands in the file */
    char cells[CSV_LINE];
    const char *name[CSV_COLUMNS];
    const char *cell[CSV_COLUMNS];
    int columns;
} csv_file;

static inline int csv_split(char *text, const char *part[CSV_COLUMNS]) {
    int count = 0;
    text[strcspn(text, "\r\n")] = '\0';
    ck_assert_msg(strchr(text, '"') == NULL, "a quoted cell: %s", text);
    for (char *rest = text; rest; count++) {
        ck_assert_int_lt(count, CSV_COLUMNS);
        part[count] = rest;
        rest = strchr(rest, ',');
        if (rest)
            *rest++ = '\0';
    }
    return count;
}

/* folder: below the tests' folder. */
static inline void csv_open(csv_file *file, const char *folder, const char *name) {
    char path[CSV_LINE];
    snprintf(path, sizeof path, "%s/%s/%s", tests_folder(), folder, name);
    file->stream = fopen(path, "r");
    ck_assert_msg(file->stream != NULL, "cannot open %s", path);
    ck_assert_ptr_nonnull(fgets(file->names, sizeof file->names, file->stream));
    file->columns = csv_split(file->names, file->name);
}

/* The next row; 0 at the end, when the file is closed. */
static inline int csv_next(csv_file *file) {
    if (!fgets(file->line, sizeof file->line, file->stream)) {
        fclose(file->stream);
        return 0;
    }
    file->line[strcspn(file->line, "\r\n")] = '\0';
    memcpy(file->cells, file->line, sizeof file->cells);
    int columns = csv_split(file->cells, file->cell);
    ck_assert_msg(columns == file->columns, "%d cells instead of %d: %s", columns, file->columns, file->line);
    return 1;
}

static inline const char *csv_text(const csv_file *file, const char *name) {
    for (int i = 0; i < file->columns; i++)
        if (strcmp(file->name[i], name) == 0)
            return file->cell[i];
    ck_abort_msg("no column %s", name);
    return "";
}

static inline int csv_is(const csv_file *file, const char *name, const char *text) {
    return strcmp(csv_text(file, name), text) == 0;
}

static inline double csv_number(const csv_file *file, const char *name) {
    char *end;
    const char *text = csv_text(file, name);
    double value = strtod(text, &end);
    ck_assert_msg(end != text && *end == '\0', "%s is no number: %s", name, file->line);
    return value;
}

static inline int64_t csv_integer(const csv_file *file, const char *name) {
    return (int64_t)csv_number(file, name);
}

#endif
