/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a device and the rules that their values obey: one table for reading, checking and writing. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "device_parts.h"
#include "error.h"

/* Rates beyond these are typing errors, and quotients of them stay finite. */
#define LEAST_RATE 1e-21
#define MOST_RATE 1e21
#define MOST_BYTES 1125899906842624.0 /* 2^50 */

/* 80 GB parts report 85.5e9 usable bytes; more than a tenth above the nominal size is a contradiction. */
#define MOST_USABLE_OF_NOMINAL 1.1

#define FIELD(field, kind, required, least, most)                                                                      \
    {                                                                                                                  \
        "", #field, kind, required, offsetof(roofline_device_spec, field), sizeof(((roofline_device_spec *)0)->field), \
            least, most                                                                                                \
    }
#define TEXT(field, required) FIELD(field, DEVICE_FIELD_TEXT, required, 0, 0)
#define BYTES(field, required) FIELD(field, DEVICE_FIELD_INTEGER, required, 1, MOST_BYTES)
#define RATE(field, required) FIELD(field, DEVICE_FIELD_NUMBER, required, LEAST_RATE, MOST_RATE)
#define PEAK(group, key, arithmetic)                                                                                   \
    {                                                                                                                  \
        group, key, DEVICE_FIELD_NUMBER, false,                                                                        \
            offsetof(roofline_device_spec, peaks_flops) + (arithmetic) * sizeof(double), sizeof(double), LEAST_RATE,   \
            MOST_RATE                                                                                                  \
    }
#define DENSE(key, arithmetic) PEAK("peaks_flops", key, arithmetic)
#define SPARSE(key, arithmetic) PEAK("sparse_peaks_flops", key, arithmetic)

const device_field device_fields[] = {
    TEXT(name, true),
    TEXT(vendor, false),
    FIELD(kind, DEVICE_FIELD_SOURCE, false, 0, 0),
    FIELD(date, DEVICE_FIELD_DATE, false, 0, 0),
    BYTES(memory_bytes, true),
    BYTES(memory_usable_bytes, false),
    RATE(memory_bytes_per_s, true),
    BYTES(l2_bytes, false),
    RATE(tdp_w, false),
    RATE(price_per_hour, false),
    DENSE("fp32", ROOFLINE_ARITHMETIC_FP32),
    DENSE("tf32", ROOFLINE_ARITHMETIC_TF32),
    DENSE("fp16", ROOFLINE_ARITHMETIC_FP16),
    DENSE("bf16", ROOFLINE_ARITHMETIC_BF16),
    DENSE("fp8", ROOFLINE_ARITHMETIC_FP8),
    DENSE("int8", ROOFLINE_ARITHMETIC_INT8),
    DENSE("fp4", ROOFLINE_ARITHMETIC_FP4),
    DENSE("fp16_acc16", ROOFLINE_ARITHMETIC_FP16_ACC16),
    DENSE("fp8_acc16", ROOFLINE_ARITHMETIC_FP8_ACC16),
    SPARSE("tf32", ROOFLINE_ARITHMETIC_TF32_SPARSE),
    SPARSE("fp16", ROOFLINE_ARITHMETIC_FP16_SPARSE),
    SPARSE("bf16", ROOFLINE_ARITHMETIC_BF16_SPARSE),
    SPARSE("fp8", ROOFLINE_ARITHMETIC_FP8_SPARSE),
    SPARSE("int8", ROOFLINE_ARITHMETIC_INT8_SPARSE),
    SPARSE("fp4", ROOFLINE_ARITHMETIC_FP4_SPARSE),
};
const size_t device_field_count = sizeof device_fields / sizeof *device_fields;

static const void *value_at(const device_field *field, const roofline_device_spec *spec) {
    return (const unsigned char *)spec + field->offset;
}

/* An integer's value is at most 2^50 once it has been checked, so nothing is lost; before that it is only compared. */
static double number_at(const device_field *field, const roofline_device_spec *spec) {
    if (field->kind == DEVICE_FIELD_INTEGER)
        return (double)*(const int64_t *)value_at(field, spec);
    return *(const double *)value_at(field, spec);
}

device_field_name device_field_name_of(const device_field *field) {
    device_field_name name;
    snprintf(name.text, sizeof name.text, "%s%s%s", field->group, field->group[0] ? "/" : "", field->key);
    return name;
}

bool device_field_is_set(const device_field *field, const roofline_device_spec *spec) {
    switch (field->kind) {
    case DEVICE_FIELD_TEXT:
    case DEVICE_FIELD_DATE:
        return *(const char *)value_at(field, spec) != '\0';
    case DEVICE_FIELD_SOURCE:
        return true;
    case DEVICE_FIELD_INTEGER:
    case DEVICE_FIELD_NUMBER:
        break;
    }
    return number_at(field, spec) > 0;
}

bool device_field_is_named(const device_field *field, const char *name) {
    return strcmp(device_field_name_of(field).text, name) == 0 || (field->group[0] && strcmp(field->group, name) == 0);
}

/* ------------------------------------------------------------------------------------------------------ the rules -- */

typedef struct field_path {
    char text[96];
} field_path;

static field_path path_of(const device_field *field, device_paths paths) {
    field_path path;
    if (paths == DEVICE_PATHS_JSON)
        snprintf(path.text, sizeof path.text, "/%s", device_field_name_of(field).text);
    else
        snprintf(path.text, sizeof path.text, "roofline_device_spec.%s", field->group[0] ? "peaks_flops" : field->key);
    return path;
}

static bool is_date(const char *text) {
    static const char form[] = "dddd-dd-dd";
    if (strlen(text) != sizeof form - 1)
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return true;
}

static roofline_status check_date(const char *text, size_t size, const char *path, roofline_error *error) {
    roofline_status status = check_text(text, size, false, path, error);
    if (status == ROOFLINE_OK && text[0] && !is_date(text))
        return error_set(error, ROOFLINE_ARGUMENT, path, "the date is '%s'; write it as YYYY-MM-DD, or leave it out",
                         error_quote(text, strlen(text)).text);
    return status;
}

static roofline_status check_number(const device_field *field, double value, const char *path, roofline_error *error) {
    if ((value == 0 && !field->required) || (value >= field->least && value <= field->most))
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, path, "'%s' must be from %s to %s%s, but is %s",
                     device_field_name_of(field).text, number_text(field->least).text, number_text(field->most).text,
                     field->required ? "" : ", or 0 when it is not known", number_text(value).text);
}

static roofline_status check_field(const device_field *field, const roofline_device_spec *spec, const char *path,
                                   roofline_error *error) {
    switch (field->kind) {
    case DEVICE_FIELD_TEXT:
        return check_text(value_at(field, spec), field->size, field->required, path, error);
    case DEVICE_FIELD_DATE:
        return check_date(value_at(field, spec), field->size, path, error);
    case DEVICE_FIELD_SOURCE:
        if (spec->kind == ROOFLINE_SOURCE_SPEC || spec->kind == ROOFLINE_SOURCE_MEASURED)
            return ROOFLINE_OK;
        return error_set(error, ROOFLINE_RANGE, path,
                         "%d is no roofline_source; use ROOFLINE_SOURCE_SPEC or "
                         "ROOFLINE_SOURCE_MEASURED",
                         (int)spec->kind);
    case DEVICE_FIELD_INTEGER:
    case DEVICE_FIELD_NUMBER:
        break;
    }
    return check_number(field, number_at(field, spec), path, error);
}

/* Peaks that no arithmetic stands for would be lost in silence. */
static roofline_status check_unnamed_peaks(const roofline_device_spec *spec, roofline_error *error) {
    size_t first = offsetof(roofline_device_spec, peaks_flops);
    for (size_t i = 0; i < sizeof spec->peaks_flops / sizeof *spec->peaks_flops; i++) {
        bool named = false;
        for (size_t row = 0; row < device_field_count && !named; row++)
            named = device_fields[row].offset == first + i * sizeof(double);
        if (!named && spec->peaks_flops[i] != 0)
            return error_set(error, ROOFLINE_RANGE, "roofline_device_spec.peaks_flops",
                             "peaks_flops[%zu] is set, but %zu is no roofline_arithmetic; leave it 0", i, i);
    }
    return ROOFLINE_OK;
}

static roofline_status check_dense_peak(const roofline_device_spec *spec, device_paths paths, roofline_error *error) {
    for (size_t i = 0; i < device_field_count; i++)
        if (strcmp(device_fields[i].group, "peaks_flops") == 0 && device_field_is_set(&device_fields[i], spec))
            return ROOFLINE_OK;
    return error_set(error, ROOFLINE_ARGUMENT,
                     paths == DEVICE_PATHS_JSON ? "/peaks_flops" : "roofline_device_spec.peaks_flops",
                     "the device has no dense peak; give at least one, such as bf16, in FLOP/s");
}

static roofline_status check_usable(const roofline_device_spec *spec, device_paths paths, roofline_error *error) {
    if ((double)spec->memory_usable_bytes <= MOST_USABLE_OF_NOMINAL * (double)spec->memory_bytes)
        return ROOFLINE_OK;
    return error_set(
        error, ROOFLINE_ARGUMENT,
        paths == DEVICE_PATHS_JSON ? "/memory_usable_bytes" : "roofline_device_spec.memory_usable_bytes",
        "memory_usable_bytes %lld contradicts memory_bytes %lld: a driver reports at most a tenth more than "
        "the nominal size; correct one of them",
        (long long)spec->memory_usable_bytes, (long long)spec->memory_bytes);
}

static roofline_status check_link(const roofline_link *link, size_t index, roofline_error *error) {
    char path[48];
    snprintf(path, sizeof path, "/links/%zu/name", index);
    roofline_status status = check_text(link->name, sizeof link->name, true, path, error);
    if (status || (link->bytes_per_s >= LEAST_RATE && link->bytes_per_s <= MOST_RATE))
        return status;
    snprintf(path, sizeof path, "/links/%zu/bytes_per_s", index);
    return error_set(error, ROOFLINE_RANGE, path, "'bytes_per_s' must be from %s to %s, but is %s",
                     number_text(LEAST_RATE).text, number_text(MOST_RATE).text, number_text(link->bytes_per_s).text);
}

roofline_status device_check(const roofline_device *device, device_paths paths, roofline_error *error) {
    const roofline_device_spec *spec = &device->spec;
    roofline_status status = ROOFLINE_OK;
    for (size_t i = 0; i < device_field_count && !status; i++)
        status = check_field(&device_fields[i], spec, path_of(&device_fields[i], paths).text, error);
    if (!status)
        status = check_unnamed_peaks(spec, error);
    if (!status)
        status = check_dense_peak(spec, paths, error);
    if (!status)
        status = check_usable(spec, paths, error);
    for (size_t i = 0; i < device->link_count && !status; i++)
        status = check_link(&device->links[i], i, error);
    return status;
}
