/* SPDX-License-Identifier: Apache-2.0 */
/* A device: peaks, memory, links, and where each figure comes from. JSON is in device_json.c. */
#include "device.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "device_parts.h"
#include "error.h"
#include "format.h"
#include "structs.h"

/* What a source begins with when nobody could be shown to have published the figure. */
static const char recalled[] = "recalled";

static const char null_device[] = "the device is NULL; make one with roofline_device_open, _parse, _load or _create";

/* ------------------------------------------------------------------------------------------------ making a handle -- */

roofline_status device_no_memory(roofline_error *error) {
    return error_set(error, ROOFLINE_NO_MEMORY, "", "there is no memory left for the device");
}

roofline_device *device_new(void) {
    roofline_device *device = calloc(1, sizeof *device);
    if (device)
        device->spec.struct_size = sizeof device->spec;
    return device;
}

void roofline_device_free(roofline_device *device) {
    if (!device)
        return;
    for (size_t i = 0; i < device->source_count; i++) {
        free(device->sources[i].field);
        free(device->sources[i].text);
    }
    free(device->sources);
    free(device->source);
    note_list_free(&device->notes);
    free(device);
}

static char *copy_of(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

roofline_status device_set_source(roofline_device *device, const char *text, roofline_error *error) {
    device->source = copy_of(text);
    return device->source ? ROOFLINE_OK : device_no_memory(error);
}

roofline_status device_add_source(roofline_device *device, const char *field, const char *text, roofline_error *error) {
    struct device_source *sources = realloc(device->sources, (device->source_count + 1) * sizeof *sources);
    if (!sources)
        return device_no_memory(error);
    device->sources = sources;
    struct device_source *added = &sources[device->source_count++];
    added->field = copy_of(field);
    added->text = copy_of(text);
    return added->field && added->text ? ROOFLINE_OK : device_no_memory(error);
}

static roofline_status add_notes(roofline_device *device) {
    roofline_status status = ROOFLINE_OK;
    if (device->spec.kind == ROOFLINE_SOURCE_SPEC)
        status =
            note_add(&device->notes, ROOFLINE_NOTE_SPEC_PEAKS, ROOFLINE_SEVERITY_ASSUMPTION, "peaks_flops",
                     "The figures are a datasheet's, at boost clock: under a power limit large products reach "
                     "roughly 60 to 80 %% of the peaks, so a real step takes longer than its bound; a card that clocks "
                     "above its stated boost can beat a compute bound by a little.");
    if (!status && device->spec.memory_usable_bytes == 0)
        status = note_add(&device->notes, ROOFLINE_NOTE_USABLE_MEMORY_UNKNOWN, ROOFLINE_SEVERITY_ASSUMPTION,
                          "memory_usable_bytes",
                          "What a driver reports as usable is not known; the nominal %lld bytes stand in for it.",
                          (long long)device->spec.memory_bytes);
    for (size_t i = 0; i < device->source_count && !status; i++)
        if (strncmp(device->sources[i].text, recalled, sizeof recalled - 1) == 0)
            status = note_add(&device->notes, ROOFLINE_NOTE_UNVERIFIED_FIGURE, ROOFLINE_SEVERITY_ASSUMPTION,
                              device->sources[i].field,
                              "The figure for %s is recalled, not read in a source: check it before you rely on it.",
                              device->sources[i].field);
    return status;
}

roofline_status device_finish(roofline_device *device, device_paths paths, roofline_device **out,
                              roofline_error *error) {
    roofline_status status = device_check(device, paths, error);
    if (!status && add_notes(device))
        status = device_no_memory(error);
    if (status) {
        roofline_device_free(device);
        return status;
    }
    *out = device;
    return error_clear(error);
}

static roofline_status fill_from_catalogue(roofline_device *device, const catalogue_device *entry,
                                           roofline_error *error) {
    device->spec = entry->spec;
    device->link_count = entry->link_count;
    for (size_t i = 0; i < entry->link_count; i++)
        device->links[i] = entry->links[i];
    roofline_status status = device_set_source(device, entry->source, error);
    for (const char *const *pair = entry->sources; *pair && !status; pair += 2)
        status = device_add_source(device, pair[0], pair[1], error);
    return status;
}

roofline_status roofline_device_open(const char *name, roofline_device **out, roofline_error *error) {
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, "out", "the output pointer is NULL");
    const catalogue_device *entry = NULL;
    roofline_status status = catalogue_find_device(name, &entry, error);
    if (status)
        return status;
    roofline_device *device = device_new();
    if (!device)
        return device_no_memory(error);
    status = fill_from_catalogue(device, entry, error);
    if (status) {
        roofline_device_free(device);
        return status;
    }
    return device_finish(device, DEVICE_PATHS_STRUCT, out, error);
}

/* The caller's -0.0 means 0, that a figure is not known; adding 0 leaves every other number as it is. */
static void drop_negative_zeros(roofline_device_spec *spec) {
    for (size_t i = 0; i < sizeof spec->peaks_flops / sizeof *spec->peaks_flops; i++)
        spec->peaks_flops[i] += 0.0;
    spec->memory_bytes_per_s += 0.0;
    spec->tdp_w += 0.0;
    spec->price_per_hour += 0.0;
}

static roofline_status fill_from_caller(roofline_device *device, const roofline_device_spec *spec,
                                        const roofline_link *links, size_t link_count, size_t row_bytes,
                                        roofline_error *error) {
    roofline_status status = struct_read(&device->spec, sizeof device->spec, spec, "roofline_device_spec", error);
    if (!status && link_count > DEVICE_LINK_LIMIT)
        status = error_set(error, ROOFLINE_RANGE, "link_count", "there are %zu links; a device has at most %d",
                           link_count, DEVICE_LINK_LIMIT);
    for (size_t i = 0; i < link_count && !status; i++)
        status =
            struct_read_row(&device->links[i], sizeof device->links[i], links, row_bytes, i, "roofline_link", error);
    device->link_count = link_count;
    drop_negative_zeros(&device->spec);
    return status ? status : device_set_source(device, "given by the caller", error);
}

roofline_status roofline_device_create(const roofline_device_spec *spec, const roofline_link *links, size_t link_count,
                                       size_t row_bytes, roofline_device **out, roofline_error *error) {
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, "out", "the output pointer is NULL");
    roofline_device *device = device_new();
    if (!device)
        return device_no_memory(error);
    roofline_status status = fill_from_caller(device, spec, links, link_count, row_bytes, error);
    if (status) {
        roofline_device_free(device);
        return status;
    }
    return device_finish(device, DEVICE_PATHS_STRUCT, out, error);
}

/* ------------------------------------------------------------------------------------------------------ reading it -- */

roofline_status roofline_device_info(const roofline_device *device, roofline_device_spec *out, roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "%s", null_device);
    roofline_status status = struct_check(out, "roofline_device_spec", error);
    if (status)
        return status;
    struct_write(out, &device->spec, sizeof device->spec);
    return error_clear(error);
}

/* "fp32, tf32, fp16": the dense arithmetics that the chip has. */
typedef struct peak_list {
    char text[128];
} peak_list;

static peak_list dense_peaks(const roofline_device_spec *spec) {
    peak_list list = {""};
    for (size_t i = 0; i < device_field_count; i++) {
        const device_field *field = &device_fields[i];
        if (strcmp(field->group, "peaks_flops") != 0 || !device_field_is_set(field, spec))
            continue;
        if (list.text[0])
            strncat(list.text, ", ", sizeof list.text - strlen(list.text) - 1);
        strncat(list.text, field->key, sizeof list.text - strlen(list.text) - 1);
    }
    return list;
}

roofline_status device_peak(const roofline_device *device, roofline_arithmetic arithmetic, const char *path,
                            double *flops, roofline_error *error) {
    if (!arithmetic_is_known(arithmetic))
        return error_set(error, ROOFLINE_RANGE, path, "%d is no arithmetic; see the values of roofline_arithmetic",
                         (int)arithmetic);
    double peak = device->spec.peaks_flops[arithmetic];
    if (!(peak > 0))
        return error_set(error, ROOFLINE_UNSUPPORTED, path,
                         "the device '%s' has no peak for %s; it has %s; pass a format that computes on one of them",
                         device->spec.name, arithmetic_text(arithmetic), dense_peaks(&device->spec).text);
    *flops = peak;
    return ROOFLINE_OK;
}

/* The peak that a public call asks for. */
static roofline_status peak_for_caller(const roofline_device *device, roofline_arithmetic arithmetic, const double *out,
                                       double *peak, roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "%s", null_device);
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, "out", "the output pointer is NULL");
    return device_peak(device, arithmetic, "arithmetic", peak, error);
}

roofline_status roofline_device_peak(const roofline_device *device, roofline_arithmetic arithmetic, double *flops,
                                     roofline_error *error) {
    double peak = 0;
    roofline_status status = peak_for_caller(device, arithmetic, flops, &peak, error);
    if (status)
        return status;
    *flops = peak;
    return error_clear(error);
}

roofline_status roofline_device_ridge(const roofline_device *device, roofline_arithmetic arithmetic,
                                      double *flop_per_byte, roofline_error *error) {
    double peak = 0;
    roofline_status status = peak_for_caller(device, arithmetic, flop_per_byte, &peak, error);
    if (status)
        return status;
    *flop_per_byte = peak / device->spec.memory_bytes_per_s;
    return error_clear(error);
}

int64_t roofline_device_link_count(const roofline_device *device) {
    return device ? (int64_t)device->link_count : 0;
}

roofline_status roofline_device_link(const roofline_device *device, int64_t index, roofline_link *out,
                                     roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "%s", null_device);
    roofline_status status = struct_check(out, "roofline_link", error);
    if (status)
        return status;
    if (index < 0 || (uint64_t)index >= device->link_count)
        return error_set(error, ROOFLINE_NOT_FOUND, "index", "there is no link %lld; the device has %zu",
                         (long long)index, device->link_count);
    struct_write(out, &device->links[index], sizeof device->links[index]);
    return error_clear(error);
}

int64_t roofline_device_note_count(const roofline_device *device) {
    return device ? (int64_t)device->notes.count : 0;
}

roofline_status roofline_device_note(const roofline_device *device, int64_t index, roofline_note *out, char *buffer,
                                     size_t capacity, size_t *needed, roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "%s", null_device);
    return note_give(&device->notes, index, out, buffer, capacity, needed, error);
}

/* ---------------------------------------------------------------------------------------- where figures come from -- */

/* The entry of `field` (`length` bytes of it), NULL when it has none of its own. */
static const char *own_source(const roofline_device *device, const char *field, size_t length) {
    for (size_t i = 0; i < device->source_count; i++)
        if (strlen(device->sources[i].field) == length && strncmp(device->sources[i].field, field, length) == 0)
            return device->sources[i].text;
    return NULL;
}

static bool has_figure(const roofline_device *device, const char *name) {
    if (strcmp(name, "links") == 0)
        return device->link_count > 0;
    for (size_t i = 0; i < device_field_count; i++)
        if (device_field_is_named(&device_fields[i], name) && device_field_is_set(&device_fields[i], &device->spec))
            return true;
    return false;
}

/* The most particular source: of the figure, of its group ("peaks_flops"), of the whole device. NULL: no such figure. */
static const char *source_of(const roofline_device *device, const char *field) {
    if (field[0] == '\0')
        return device->source;
    const char *text = own_source(device, field, strlen(field));
    if (text || !has_figure(device, field))
        return text;
    text = own_source(device, field, strcspn(field, "/"));
    return text ? text : device->source;
}

roofline_status roofline_device_source(const roofline_device *device, const char *field, char *buffer, size_t capacity,
                                       size_t *needed, roofline_error *error) {
    if (!device)
        return error_set(error, ROOFLINE_ARGUMENT, "device", "%s", null_device);
    if (!field)
        return error_set(error, ROOFLINE_ARGUMENT, "field", "the field is NULL; pass \"\" for the whole device");
    const char *text = source_of(device, field);
    if (text)
        return text_give(text, buffer, capacity, needed, error);
    return error_set(error, ROOFLINE_NOT_FOUND, "field",
                     "the device '%s' has no figure '%s'; pass a key of its JSON, such as \"memory_bytes\" or "
                     "\"peaks_flops/bf16\"",
                     device->spec.name, error_quote(field, strlen(field)).text);
}
