/* SPDX-License-Identifier: Apache-2.0 */
/* What device.c, device_fields.c and device_json.c share: the table of fields, and how a handle is built up. */
#ifndef ROOFLINE_DEVICE_PARTS_H
#define ROOFLINE_DEVICE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "device.h"
#include "roofline.h"

typedef enum device_field_kind {
    DEVICE_FIELD_TEXT,
    DEVICE_FIELD_DATE,
    DEVICE_FIELD_SOURCE, /* spec or measured */
    DEVICE_FIELD_INTEGER,
    DEVICE_FIELD_NUMBER
} device_field_kind;

/* One field of roofline_device_spec; each peak is one. */
typedef struct device_field {
    const char *group; /* the JSON object that holds the key; "" for the root */
    const char *key;
    device_field_kind kind;
    bool required;
    size_t offset; /* in roofline_device_spec */
    size_t size;   /* of a text, its NUL included */
    double least;  /* of a figure that is known; 0 stands for one that is not */
    double most;
} device_field;

/* In the order in which JSON is written; a group's fields stand together. */
extern const device_field device_fields[];
extern const size_t device_field_count;

/* "peaks_flops/bf16", "memory_bytes". */
typedef struct device_field_name {
    char text[64];
} device_field_name;
device_field_name device_field_name_of(const device_field *field);

/* True when the device has the figure or text. */
bool device_field_is_set(const device_field *field, const roofline_device_spec *spec);

/* True for the field's own name and for that of its group ("peaks_flops"). */
bool device_field_is_named(const device_field *field, const char *name);

/* What the path of an error names: a field of the caller's struct, or a key of our JSON. */
typedef enum device_paths {
    DEVICE_PATHS_STRUCT,
    DEVICE_PATHS_JSON
} device_paths;

/* Every rule that a device's figures must obey, whoever gave them. */
roofline_status device_check(const roofline_device *device, device_paths paths, roofline_error *error);

/* Where one field's figure comes from. */
struct device_source {
    char *field;
    char *text;
};

/* A handle is made empty, filled, and finished: checked, its notes added, given to *out; freed when that fails. */
roofline_device *device_new(void);
/* Of a file that names no source: said by roofline_device_source, never written as one. */
static const char DEVICE_SOURCE_NOT_STATED[] = "not stated";
roofline_status device_set_source(roofline_device *device, const char *text, roofline_error *error);
roofline_status device_add_source(roofline_device *device, const char *field, const char *text, roofline_error *error);
roofline_status device_finish(roofline_device *device, device_paths paths, roofline_device **out,
                              roofline_error *error);
roofline_status device_no_memory(roofline_error *error);

#endif
