/* SPDX-License-Identifier: Apache-2.0 */
#include "structs.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "error.h"

static bool all_zero(const unsigned char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Every public struct begins with its uint32_t struct_size, which it must at least hold. */
static bool is_struct_size(size_t size) {
    return size >= sizeof(uint32_t) && size <= STRUCT_SIZE_LIMIT;
}

static roofline_status read_sized(void *known, size_t known_size, const unsigned char *given, size_t given_size,
                                  const char *name, roofline_error *error) {
    if (!is_struct_size(given_size))
        return error_set(error, ROOFLINE_STRUCT_SIZE, name,
                         "%s: the size %zu is none; set struct_size (in an array, "
                         "row_bytes) to sizeof(%s)",
                         name, given_size, name);
    size_t shared = given_size < known_size ? given_size : known_size;
    if (!all_zero(given + shared, given_size - shared))
        return error_set(error, ROOFLINE_STRUCT_SIZE, name,
                         "%s: it has fields that are set and that this library "
                         "(version %s) does not know; use a newer library or leave them zero",
                         name, roofline_version());
    memset(known, 0, known_size);
    memcpy(known, given, shared);
    uint32_t size = (uint32_t)known_size;
    memcpy(known, &size, sizeof size);
    return ROOFLINE_OK;
}

roofline_status struct_read(void *known, size_t known_size, const void *given, const char *name,
                            roofline_error *error) {
    if (!given)
        return error_set(error, ROOFLINE_ARGUMENT, name, "%s: the pointer is NULL", name);
    uint32_t size;
    memcpy(&size, given, sizeof size);
    return read_sized(known, known_size, given, size, name, error);
}

roofline_status struct_read_row(void *known, size_t known_size, const void *rows, size_t row_bytes, size_t index,
                                const char *name, roofline_error *error) {
    if (!rows)
        return error_set(error, ROOFLINE_ARGUMENT, name, "%s: the array is NULL", name);
    const unsigned char *row = (const unsigned char *)rows + index * row_bytes;
    return read_sized(known, known_size, row, row_bytes, name, error);
}

roofline_status struct_check(const void *out, const char *name, roofline_error *error) {
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, name, "%s: the output pointer is NULL", name);
    uint32_t size;
    memcpy(&size, out, sizeof size);
    if (!is_struct_size(size))
        return error_set(error, ROOFLINE_STRUCT_SIZE, name,
                         "%s: struct_size is %u; set it to sizeof(%s) before the "
                         "call",
                         name, (unsigned)size, name);
    return ROOFLINE_OK;
}

/* Everything after the struct_size field, which stays as the caller set it. */
static void write_sized(unsigned char *out, size_t out_size, const void *known, size_t known_size) {
    size_t shared = out_size < known_size ? out_size : known_size;
    memcpy(out + sizeof(uint32_t), (const unsigned char *)known + sizeof(uint32_t), shared - sizeof(uint32_t));
    memset(out + shared, 0, out_size - shared);
}

void struct_write(void *out, const void *known, size_t known_size) {
    uint32_t size;
    memcpy(&size, out, sizeof size);
    write_sized(out, size, known, known_size);
}

void struct_write_row(void *rows, size_t row_bytes, size_t index, const void *known, size_t known_size) {
    unsigned char *row = (unsigned char *)rows + index * row_bytes;
    uint32_t size = (uint32_t)row_bytes;
    memcpy(row, &size, sizeof size);
    write_sized(row, row_bytes, known, known_size);
}

roofline_status text_give(const char *text, char *buffer, size_t capacity, size_t *needed, roofline_error *error) {
    size_t size = strlen(text) + 1;
    if (needed)
        *needed = size;
    if (capacity == 0)
        return error_clear(error);
    if (!buffer)
        return error_set(error, ROOFLINE_ARGUMENT, "buffer",
                         "the buffer is NULL but its capacity is %zu; pass "
                         "capacity 0 to ask for the size only",
                         capacity);
    if (capacity < size)
        return error_set(error, ROOFLINE_BUFFER_SIZE, "capacity", "the text needs %zu bytes and the buffer has %zu",
                         size, capacity);
    memcpy(buffer, text, size);
    return error_clear(error);
}
