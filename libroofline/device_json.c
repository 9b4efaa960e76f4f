/* SPDX-License-Identifier: Apache-2.0 */
/* Devices from and to JSON text, "roofline-device/1" (docs/device.md). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "device_parts.h"
#include "error.h"
#include "json.h"

static const char schema[] = "roofline-device/1";
static const char schema_family[] = "roofline-device/";

static const char *const peak_groups[] = {"peaks_flops", "sparse_peaks_flops"};
enum {
    PEAK_GROUP_COUNT = sizeof peak_groups / sizeof *peak_groups
};

/* What the command prints beside a device, and what only the catalogue uses: taken and not kept. */
static const char *const ignored_keys[] = {"aliases", "ridge_flop_per_byte", "notes"};

/* -------------------------------------------------------------------------------------------------------- reading -- */

static roofline_status read_schema(json_object *root, roofline_error *error) {
    const char *text = NULL;
    roofline_status status = json_string(root, "schema", true, &text, error);
    if (status || strcmp(text, schema) == 0)
        return status;
    quoted_text quoted = error_quote(text, strlen(text));
    if (strncmp(text, schema_family, sizeof schema_family - 1) == 0)
        return error_set(error, ROOFLINE_UNSUPPORTED, "/schema",
                         "this library (version %s) reads '%s', not '%s'; use a library that does", roofline_version(),
                         schema, quoted.text);
    return error_set(error, ROOFLINE_SCHEMA, "/schema", "the schema is '%s'; a device's is '%s'", quoted.text, schema);
}

static roofline_status read_text(json_object *object, const char *key, bool required, char *out, size_t size,
                                 roofline_error *error) {
    const char *text = NULL;
    roofline_status status = json_string(object, key, required, &text, error);
    if (status || !text)
        return status;
    if (strlen(text) >= size)
        return error_set(error, ROOFLINE_RANGE, json_path_of(object, key).text,
                         "'%s' has %zu bytes and may have %zu; shorten it", key, strlen(text), size - 1);
    memcpy(out, text, strlen(text) + 1);
    return ROOFLINE_OK;
}

static roofline_status read_kind(json_object *object, const char *key, roofline_source *kind, roofline_error *error) {
    const char *text = NULL;
    roofline_status status = json_string(object, key, false, &text, error);
    if (status || !text)
        return status;
    if (roofline_constant_value("roofline_source", text, kind, NULL))
        return error_set(error, ROOFLINE_SCHEMA, json_path_of(object, key).text,
                         "'%s' must be \"spec\" or \"measured\", but is '%s'", key,
                         error_quote(text, strlen(text)).text);
    return ROOFLINE_OK;
}

static roofline_status read_field(json_object *object, const device_field *field, roofline_device_spec *spec,
                                  roofline_error *error) {
    void *value = (unsigned char *)spec + field->offset;
    switch (field->kind) {
    case DEVICE_FIELD_TEXT:
    case DEVICE_FIELD_DATE:
        return read_text(object, field->key, field->required, value, field->size, error);
    case DEVICE_FIELD_SOURCE:
        return read_kind(object, field->key, value, error);
    case DEVICE_FIELD_INTEGER:
        return json_integer(object, field->key, field->required, (int64_t)field->least, (int64_t)field->most, value,
                            error);
    case DEVICE_FIELD_NUMBER:
        break;
    }
    return json_number(object, field->key, field->required, field->least, field->most, value, error);
}

/* The fields that stand directly in `object`. */
static roofline_status read_group(json_object *object, const char *group, roofline_device_spec *spec,
                                  roofline_error *error) {
    roofline_status status = ROOFLINE_OK;
    for (size_t i = 0; i < device_field_count && !status; i++)
        if (strcmp(device_fields[i].group, group) == 0)
            status = read_field(object, &device_fields[i], spec, error);
    return status;
}

/* The first key that nothing has read and that does not begin with x_, NULL when there is none. */
static const char *unknown_key(const json_object *object) {
    size_t index = 0;
    for (const char *key; (key = json_next_unread(object, &index)) != NULL;)
        if (strncmp(key, "x_", 2) != 0)
            return key;
    return NULL;
}

static roofline_status refuse_unknown_key(const json_object *object, const char *remedy, roofline_error *error) {
    const char *key = unknown_key(object);
    if (!key)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_SCHEMA, json_path_of(object, key).text,
                     "the key '%s' is not known here; %s, or begin its name with x_ to have it ignored",
                     error_quote(key, strlen(key)).text, remedy);
}

static roofline_status read_peaks(json_object *root, const char *group, roofline_device_spec *spec,
                                  roofline_error *error) {
    const json_value *value = json_get(root, group);
    if (!value)
        return ROOFLINE_OK;
    json_object object;
    roofline_status status = json_object_open(&object, value, json_path_of(root, group).text, error);
    if (status)
        return status;
    status = read_group(&object, group, spec, error);
    if (!status)
        status = refuse_unknown_key(&object,
                                    "name an arithmetic: fp32, tf32, fp16, bf16, fp8, int8, fp4, fp16_acc16 or "
                                    "fp8_acc16 (peaks with 2:4 sparsity go into sparse_peaks_flops as tf32 to fp4)",
                                    error);
    json_object_close(&object);
    return status;
}

static roofline_status read_link(const json_value *value, size_t index, roofline_link *link, roofline_error *error) {
    char path[48];
    snprintf(path, sizeof path, "/links/%zu", index);
    json_object object;
    roofline_status status = json_object_open(&object, value, path, error);
    if (status)
        return status;
    link->struct_size = sizeof *link;
    status = read_text(&object, "name", true, link->name, sizeof link->name, error);
    if (!status)
        status = json_number(&object, "bytes_per_s", true, -INFINITY, INFINITY, &link->bytes_per_s, error);
    if (!status)
        status = refuse_unknown_key(&object, "a link has 'name' and 'bytes_per_s'", error);
    json_object_close(&object);
    return status;
}

static roofline_status read_links(json_object *root, roofline_device *device, roofline_error *error) {
    const json_value *links = json_get(root, "links");
    if (!links)
        return ROOFLINE_OK;
    if (!json_is_array(links))
        return error_set(error, ROOFLINE_SCHEMA, "/links", "'links' must be an array, but is %s",
                         json_type_text(links));
    size_t count = json_array_count(links);
    if (count > DEVICE_LINK_LIMIT)
        return error_set(error, ROOFLINE_RANGE, "/links", "there are %zu links; a device has at most %d", count,
                         DEVICE_LINK_LIMIT);
    roofline_status status = ROOFLINE_OK;
    for (const json_value *link = json_array_first(links); link && !status; link = json_array_next(link)) {
        status = read_link(link, device->link_count, &device->links[device->link_count], error);
        device->link_count++;
    }
    return status;
}

/* True for what `sources` may speak of: a field, a group of fields, or the links. */
static bool is_source_field(const char *name) {
    for (size_t i = 0; i < device_field_count; i++)
        if (device_field_is_named(&device_fields[i], name))
            return true;
    return strcmp(name, "links") == 0;
}

static roofline_status read_source_of(json_object *sources, const char *field, roofline_device *device,
                                      roofline_error *error) {
    const char *text = NULL;
    roofline_status status = json_string(sources, field, true, &text, error);
    if (status)
        return status;
    if (!is_source_field(field))
        return error_set(error, ROOFLINE_SCHEMA, json_path_of(sources, field).text,
                         "'%s' is no figure of a device; name a key such as \"memory_bytes\", \"peaks_flops/bf16\" or "
                         "\"links\"",
                         error_quote(field, strlen(field)).text);
    return device_add_source(device, field, text, error);
}

static roofline_status read_sources(json_object *root, roofline_device *device, roofline_error *error) {
    const char *source = DEVICE_SOURCE_NOT_STATED;
    roofline_status status = json_string(root, "source", false, &source, error);
    if (!status)
        status = device_set_source(device, source, error);
    const json_value *value = json_get(root, "sources");
    if (status || !value)
        return status;
    json_object sources;
    status = json_object_open(&sources, value, "/sources", error);
    if (status)
        return status;
    for (const char *field; !status && (field = unknown_key(&sources)) != NULL;)
        status = read_source_of(&sources, field, device, error);
    json_object_close(&sources);
    return status;
}

static roofline_status read_device(json_object *root, roofline_device *device, roofline_error *error) {
    roofline_status status = read_schema(root, error);
    if (!status)
        status = read_group(root, "", &device->spec, error);
    if (!status && !json_has(root, "peaks_flops"))
        status = error_set(error, ROOFLINE_SCHEMA, "/peaks_flops", "the key 'peaks_flops' is missing; it is required");
    for (size_t i = 0; i < PEAK_GROUP_COUNT && !status; i++)
        status = read_peaks(root, peak_groups[i], &device->spec, error);
    if (!status)
        status = read_links(root, device, error);
    if (!status)
        status = read_sources(root, device, error);
    for (size_t i = 0; i < sizeof ignored_keys / sizeof *ignored_keys; i++)
        json_get(root, ignored_keys[i]);
    return status ? status : refuse_unknown_key(root, "remove it (docs/device.md lists the keys)", error);
}

static roofline_status device_from_root(json_object *root, roofline_device **out, roofline_error *error) {
    roofline_device *device = device_new();
    if (!device)
        return device_no_memory(error);
    roofline_status status = read_device(root, device, error);
    if (status) {
        roofline_device_free(device);
        return status;
    }
    return device_finish(device, DEVICE_PATHS_JSON, out, error);
}

roofline_status roofline_device_parse(const char *json, size_t length, roofline_device **out, roofline_error *error) {
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, "out", "the output pointer is NULL");
    json_document *document = NULL;
    roofline_status status = json_parse(json, length, &document, error);
    if (status)
        return status;
    json_object root;
    status = json_object_open(&root, json_root(document), "", error);
    if (!status) {
        status = device_from_root(&root, out, error);
        json_object_close(&root);
    }
    json_free(document);
    return status;
}

roofline_status roofline_device_load(const char *path, roofline_device **out, roofline_error *error) {
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, "out", "the output pointer is NULL");
    if (path && path[0] == '\0')
        return error_set(error, ROOFLINE_ARGUMENT, "path", "the path is empty; pass the name of a file");
    char *bytes = NULL;
    size_t length = 0;
    roofline_status status = file_read(path, JSON_SIZE_LIMIT, &bytes, &length, error);
    if (status)
        return status;
    status = roofline_device_parse(bytes, length, out, error);
    free(bytes);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- writing -- */

static void write_field(json_writer *writer, const device_field *field, const roofline_device_spec *spec) {
    const void *value = (const unsigned char *)spec + field->offset;
    switch (field->kind) {
    case DEVICE_FIELD_TEXT:
    case DEVICE_FIELD_DATE:
        json_write_string(writer, field->key, value);
        break;
    case DEVICE_FIELD_SOURCE:
        json_write_string(writer, field->key, roofline_constant_text("roofline_source", spec->kind));
        break;
    case DEVICE_FIELD_INTEGER:
        json_write_integer(writer, field->key, *(const int64_t *)value);
        break;
    case DEVICE_FIELD_NUMBER:
        json_write_number(writer, field->key, *(const double *)value);
        break;
    }
}

/* Only what is known; a group without any figure is left out. */
static void write_group(json_writer *writer, const char *group, const roofline_device_spec *spec) {
    bool begun = group[0] == '\0';
    for (size_t i = 0; i < device_field_count; i++) {
        const device_field *field = &device_fields[i];
        if (strcmp(field->group, group) != 0 || !device_field_is_set(field, spec))
            continue;
        if (!begun)
            json_write_object_begin(writer, group);
        begun = true;
        write_field(writer, field, spec);
    }
    if (begun && group[0])
        json_write_object_end(writer);
}

static void write_links(json_writer *writer, const roofline_device *device) {
    json_write_array_begin(writer, "links");
    for (size_t i = 0; i < device->link_count; i++) {
        json_write_object_begin(writer, NULL);
        json_write_string(writer, "name", device->links[i].name);
        json_write_number(writer, "bytes_per_s", device->links[i].bytes_per_s);
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_sources(json_writer *writer, const roofline_device *device) {
    if (strcmp(device->source, DEVICE_SOURCE_NOT_STATED) == 0)
        json_write_null(writer, "source");
    else
        json_write_string(writer, "source", device->source);
    json_write_object_begin(writer, "sources");
    for (size_t i = 0; i < device->source_count; i++)
        json_write_string(writer, device->sources[i].field, device->sources[i].text);
    json_write_object_end(writer);
}

roofline_status roofline_device_to_json(const roofline_device *device, char *buffer, size_t capacity, size_t *needed,
                                        roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "the device is NULL");
    json_writer writer = {0};
    json_write_object_begin(&writer, NULL);
    json_write_string(&writer, "schema", schema);
    write_group(&writer, "", &device->spec);
    for (size_t i = 0; i < PEAK_GROUP_COUNT; i++)
        write_group(&writer, peak_groups[i], &device->spec);
    write_links(&writer, device);
    write_sources(&writer, device);
    json_write_object_end(&writer);
    return json_writer_give(&writer, buffer, capacity, needed, error);
}
