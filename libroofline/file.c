/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"

/* A failure of fopen or fread, by its errno. */
typedef struct file_fault {
    int number;
    roofline_status status;
    const char *sentence;
} file_fault;

static const file_fault file_faults[] = {
    {ENOENT, ROOFLINE_NOT_FOUND, "there is no such file; check the path"},
    {ENOTDIR, ROOFLINE_NOT_FOUND, "a part of the path is no folder; check the path"},
    {EISDIR, ROOFLINE_IO, "it is a folder; name the file in it (a model's folder needs a config.json)"},
    {EACCES, ROOFLINE_IO, "there is no permission to read it; change its mode or its owner"},
    {ENAMETOOLONG, ROOFLINE_IO, "the path is too long for this system; shorten it"},
    {ELOOP, ROOFLINE_IO, "its symbolic links lead in a circle; check the path"},
    {EMFILE, ROOFLINE_IO, "the process has too many files open; close some or raise the limit"},
    {ENFILE, ROOFLINE_IO, "the system has too many files open; try again later"},
    {ENOMEM, ROOFLINE_NO_MEMORY, "there is not enough memory to open it"},
};

static roofline_status refuse_file(const char *path, int number, roofline_error *error) {
    quoted_text quoted = error_quote(path, strlen(path));
    for (size_t i = 0; i < sizeof file_faults / sizeof *file_faults; i++)
        if (file_faults[i].number == number)
            return error_set(error, file_faults[i].status, "", "cannot read '%s': %s", quoted.text,
                             file_faults[i].sentence);
    return error_set(error, ROOFLINE_IO, "", "cannot read '%s': the system reports error %d; check the disk",
                     quoted.text, number);
}

static roofline_status refuse_size(const char *path, size_t limit, roofline_error *error) {
    quoted_text quoted = error_quote(path, strlen(path));
    return error_set(error, ROOFLINE_RANGE, "", "'%s' has more than %zu bytes, the limit; is it the right file?",
                     quoted.text, limit);
}

/* Bytes as they come; a pipe has no size to ask for. */
typedef struct byte_list {
    char *bytes;
    size_t length;
    size_t capacity;
} byte_list;

/* Room for more, one byte of it for the NUL; never much beyond what a file of `limit` bytes needs. */
static bool grow(byte_list *list, size_t limit) {
    size_t capacity = list->capacity ? 2 * list->capacity : 16 * 1024;
    if (capacity > limit + 2)
        capacity = limit + 2;
    char *bytes = realloc(list->bytes, capacity);
    if (!bytes)
        return false;
    list->bytes = bytes;
    list->capacity = capacity;
    return true;
}

/* Reads to the end, or to one byte beyond the limit. */
static roofline_status read_all(FILE *file, const char *path, size_t limit, byte_list *list, roofline_error *error) {
    do {
        if (list->length + 1 >= list->capacity && !grow(list, limit)) {
            refuse_file(path, ENOMEM, error);
            return ROOFLINE_NO_MEMORY;
        }
        size_t room = list->capacity - list->length - 1;
        errno = 0;
        size_t got = fread(list->bytes + list->length, 1, room, file);
        list->length += got;
        if (got < room && ferror(file))
            return refuse_file(path, errno, error);
    } while (!feof(file) && list->length <= limit);
    return list->length > limit ? refuse_size(path, limit, error) : ROOFLINE_OK;
}

roofline_status file_read(const char *path, size_t limit, char **bytes, size_t *length, roofline_error *error) {
    if (!path)
        return error_set(error, ROOFLINE_ARGUMENT, "path", "the path is NULL; pass the name of a file");
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return refuse_file(path, errno, error);
    byte_list list = {.bytes = NULL};
    roofline_status status = read_all(file, path, limit, &list, error);
    fclose(file);
    if (status != ROOFLINE_OK) {
        free(list.bytes);
        return status;
    }
    list.bytes[list.length] = '\0';
    *bytes = list.bytes;
    *length = list.length;
    return error_clear(error);
}
