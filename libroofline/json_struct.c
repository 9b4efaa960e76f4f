/* SPDX-License-Identifier: Apache-2.0 */
/* Public structs from and to JSON objects, driven by the layout table: no field is named here. */
#include <math.h>
#include <string.h>

#include "error.h"
#include "json.h"

static bool is_listed(const char *const *list, const char *field) {
    for (; list && *list; list++)
        if (strcmp(*list, field) == 0)
            return true;
    return false;
}

/* Row `index` of the table, when it is a field of the struct that has a place in JSON. */
static bool field_row(int64_t index, const char *struct_name, const char *const *skip, roofline_layout_row *row) {
    memset(row, 0, sizeof *row);
    row->struct_size = sizeof *row;
    if (roofline_layout_at(index, row, NULL) != ROOFLINE_OK || strcmp(row->struct_name, struct_name) != 0)
        return false;
    bool hidden = row->field[0] == '\0' || strcmp(row->field, "struct_size") == 0 || strcmp(row->field, "padding") == 0;
    bool numbers = row->storage != ROOFLINE_STORAGE_TEXT && row->count > 1;
    return !hidden && !numbers && !is_listed(skip, row->field);
}

static bool is_boolean(const roofline_layout_row *row) {
    return strcmp(row->meaning, "roofline_bool") == 0;
}

static bool is_enumeration(const roofline_layout_row *row) {
    return row->meaning[0] != '\0' && !is_boolean(row);
}

/* ------------------------------------------------------------------------------------------------------- reading -- */

static roofline_status read_text(json_object *object, const roofline_layout_row *row, char *field,
                                 roofline_error *error) {
    const char *text = NULL;
    roofline_status status = json_string(object, row->field, false, &text, error);
    if (status != ROOFLINE_OK || !text)
        return status;
    size_t size = (size_t)row->size_bytes;
    size_t length = strlen(text);
    if (length >= size)
        return error_set(error, ROOFLINE_RANGE, json_path_of(object, row->field).text,
                         "'%s' has %zu bytes and may have %zu; shorten it", row->field, length, size - 1);
    memset(field, 0, size);
    memcpy(field, text, length + 1);
    return ROOFLINE_OK;
}

static roofline_status read_boolean(json_object *object, const roofline_layout_row *row, void *field,
                                    roofline_error *error) {
    roofline_bool held;
    memcpy(&held, field, sizeof held);
    bool value = held != 0;
    roofline_status status = json_boolean(object, row->field, false, &value, error);
    held = value;
    if (status == ROOFLINE_OK)
        memcpy(field, &held, sizeof held);
    return status;
}

static roofline_status read_enumeration(json_object *object, const roofline_layout_row *row, void *field,
                                        roofline_error *error) {
    const char *text = NULL;
    roofline_status status = json_string(object, row->field, false, &text, error);
    if (status != ROOFLINE_OK || !text)
        return status;
    int32_t value;
    roofline_error words;
    if (roofline_constant_value(row->meaning, text, &value, &words) != ROOFLINE_OK)
        return error_set(error, ROOFLINE_SCHEMA, json_path_of(object, row->field).text, "'%s': %s", row->field,
                         words.message);
    memcpy(field, &value, sizeof value);
    return ROOFLINE_OK;
}

static roofline_status read_double(json_object *object, const roofline_layout_row *row, void *field,
                                   roofline_error *error) {
    double value;
    memcpy(&value, field, sizeof value);
    roofline_status status = json_number(object, row->field, false, -INFINITY, INFINITY, &value, error);
    if (status == ROOFLINE_OK)
        memcpy(field, &value, sizeof value);
    return status;
}

/* What the integer types hold; json_integer itself stops at 2^53. */
typedef struct integer_range {
    int64_t least;
    int64_t most;
} integer_range;

static integer_range range_of(roofline_storage storage) {
    switch (storage) {
    case ROOFLINE_STORAGE_INT32:
        return (integer_range){INT32_MIN, INT32_MAX};
    case ROOFLINE_STORAGE_UINT32:
        return (integer_range){0, UINT32_MAX};
    case ROOFLINE_STORAGE_UINT64:
        return (integer_range){0, INT64_MAX};
    default:
        return (integer_range){INT64_MIN, INT64_MAX};
    }
}

/* Little or big endian, 32 or 64 bits: only the value within the type's range is stored. */
static void store_integer(void *field, roofline_storage storage, int64_t value) {
    if (storage == ROOFLINE_STORAGE_INT32) {
        int32_t narrow = (int32_t)value;
        memcpy(field, &narrow, sizeof narrow);
    } else if (storage == ROOFLINE_STORAGE_UINT32) {
        uint32_t narrow = (uint32_t)value;
        memcpy(field, &narrow, sizeof narrow);
    } else {
        memcpy(field, &value, sizeof value);
    }
}

static int64_t load_integer(const void *field, roofline_storage storage) {
    int64_t value = 0;
    int32_t signed_narrow;
    uint32_t unsigned_narrow;
    if (storage == ROOFLINE_STORAGE_INT32) {
        memcpy(&signed_narrow, field, sizeof signed_narrow);
        return signed_narrow;
    }
    if (storage == ROOFLINE_STORAGE_UINT32) {
        memcpy(&unsigned_narrow, field, sizeof unsigned_narrow);
        return unsigned_narrow;
    }
    memcpy(&value, field, sizeof value);
    return value;
}

static roofline_status read_integer(json_object *object, const roofline_layout_row *row, void *field,
                                    roofline_error *error) {
    int64_t value = load_integer(field, row->storage);
    integer_range range = range_of(row->storage);
    roofline_status status = json_integer(object, row->field, false, range.least, range.most, &value, error);
    if (status == ROOFLINE_OK)
        store_integer(field, row->storage, value);
    return status;
}

static roofline_status read_field(json_object *object, const roofline_layout_row *row, void *field,
                                  roofline_error *error) {
    if (row->storage == ROOFLINE_STORAGE_TEXT)
        return read_text(object, row, field, error);
    if (is_boolean(row))
        return read_boolean(object, row, field, error);
    if (is_enumeration(row))
        return read_enumeration(object, row, field, error);
    if (row->storage == ROOFLINE_STORAGE_DOUBLE)
        return read_double(object, row, field, error);
    return read_integer(object, row, field, error);
}

roofline_status json_read_struct(json_object *object, const char *struct_name, void *out, const char *const *skip,
                                 roofline_error *error) {
    roofline_layout_row row;
    int64_t count = roofline_layout_count();
    for (int64_t index = 0; index < count; index++) {
        if (!field_row(index, struct_name, skip, &row))
            continue;
        roofline_status status = read_field(object, &row, (char *)out + row.offset_bytes, error);
        if (status != ROOFLINE_OK)
            return status;
    }
    return ROOFLINE_OK;
}

/* ------------------------------------------------------------------------------------------------------- writing -- */

/* A value that the enumeration does not name (0 where 0 is none of its values) is null, which reads as missing. */
static void write_enumeration(json_writer *writer, const roofline_layout_row *row, int32_t value) {
    const char *text = roofline_constant_text(row->meaning, value);
    if (text)
        json_write_string(writer, row->field, text);
    else
        json_write_number(writer, row->field, NAN);
}

static void write_field(json_writer *writer, const roofline_layout_row *row, const void *field) {
    double number;
    if (row->storage == ROOFLINE_STORAGE_TEXT) {
        json_write_string(writer, row->field, field);
    } else if (row->storage == ROOFLINE_STORAGE_DOUBLE) {
        memcpy(&number, field, sizeof number);
        json_write_number(writer, row->field, number);
    } else if (is_boolean(row)) {
        json_write_boolean(writer, row->field, load_integer(field, row->storage) != 0);
    } else if (is_enumeration(row)) {
        write_enumeration(writer, row, (int32_t)load_integer(field, row->storage));
    } else {
        json_write_integer(writer, row->field, load_integer(field, row->storage));
    }
}

void json_write_struct(json_writer *writer, const char *struct_name, const void *value, const char *const *skip) {
    roofline_layout_row row;
    int64_t count = roofline_layout_count();
    for (int64_t index = 0; index < count; index++)
        if (field_row(index, struct_name, skip, &row))
            write_field(writer, &row, (const char *)value + row.offset_bytes);
}
