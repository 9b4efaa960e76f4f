/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices. Expected figures are the published ones: the H100 architecture whitepaper and datasheet (989.4 TFLOP/s dense
 * bf16, 3.35 TB/s, 80 GB, 450 GB/s of NVLink in one direction), the H200's 4.8 TB/s, the A100's 312 TFLOP/s and 2039 GB/s,
 * the MI300X's 1307.4 TFLOP/s and 5.3 TB/s; the Neuron pages' 671 TFLOP/s and 4.9 TB/s of Trainium3; 26.98 TFLOP/s of
 * fp32 and 800 GB/s of the M2 Ultra; what nvidia-smi reports, in MiB. Ridges are their quotients.
 */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_parts.h"
#include "fixtures.h"
#include "format.h"
#include "roofline.h"

static roofline_device *opened(const char *name) {
    roofline_device *device = NULL;
    roofline_error error;
    expect_ok(roofline_device_open(name, &device, &error), &error);
    ck_assert_ptr_nonnull(device);
    return device;
}

static roofline_device_spec info_of(const roofline_device *device) {
    roofline_device_spec spec = {.struct_size = sizeof spec};
    roofline_error error;
    expect_ok(roofline_device_info(device, &spec, &error), &error);
    return spec;
}

/* JSON in the tests is written with ' for ", so that it can be read. */
static char *json_of(const char *text) {
    char *json = malloc(strlen(text) + 1);
    ck_assert_ptr_nonnull(json);
    strcpy(json, text);
    for (char *quote = json; (quote = strchr(quote, '\'')) != NULL;)
        *quote = '"';
    return json;
}

static roofline_status parse(const char *text, roofline_device **device, roofline_error *error) {
    char *json = json_of(text);
    roofline_status status = roofline_device_parse(json, strlen(json), device, error);
    free(json);
    return status;
}

static roofline_device *parsed(const char *text) {
    roofline_device *device = NULL;
    roofline_error error;
    expect_ok(parse(text, &device, &error), &error);
    return device;
}

static char *text_of_json(const roofline_device *device) {
    size_t needed = 0;
    roofline_error error;
    expect_ok(roofline_device_to_json(device, NULL, 0, &needed, &error), &error);
    char *text = malloc(needed);
    ck_assert_ptr_nonnull(text);
    expect_ok(roofline_device_to_json(device, text, needed, &needed, &error), &error);
    ck_assert_uint_eq(strlen(text) + 1, needed);
    return text;
}

static char *source_of(const roofline_device *device, const char *field) {
    size_t needed = 0;
    roofline_error error;
    expect_ok(roofline_device_source(device, field, NULL, 0, &needed, &error), &error);
    char *text = malloc(needed);
    ck_assert_ptr_nonnull(text);
    expect_ok(roofline_device_source(device, field, text, needed, &needed, &error), &error);
    return text;
}

static void expect_source(const roofline_device *device, const char *field, const char *expected) {
    char *text = source_of(device, field);
    ck_assert_str_eq(text, expected);
    free(text);
}

/* True when the device has the note about the field; its sentence is then in `text`. */
static int has_note(const roofline_device *device, roofline_note_code code, const char *field, char text[400]) {
    for (int64_t i = 0; i < roofline_device_note_count(device); i++) {
        roofline_note note = {.struct_size = sizeof note};
        roofline_error error;
        size_t needed;
        expect_ok(roofline_device_note(device, i, &note, text, 400, &needed, &error), &error);
        if (note.code == code && strcmp(note.field, field) == 0)
            return 1;
    }
    return 0;
}

static void expect_same_device(const roofline_device *first, const roofline_device *second) {
    roofline_device_spec one = info_of(first), other = info_of(second);
    ck_assert_mem_eq(&one, &other, sizeof one);
    ck_assert_int_eq(roofline_device_link_count(first), roofline_device_link_count(second));
    for (int64_t i = 0; i < roofline_device_link_count(first); i++) {
        roofline_link left = {.struct_size = sizeof left}, right = {.struct_size = sizeof right};
        ck_assert_int_eq(roofline_device_link(first, i, &left, NULL), ROOFLINE_OK);
        ck_assert_int_eq(roofline_device_link(second, i, &right, NULL), ROOFLINE_OK);
        ck_assert_mem_eq(&left, &right, sizeof left);
    }
    ck_assert_int_eq(roofline_device_note_count(first), roofline_device_note_count(second));
    char *left = text_of_json(first), *right = text_of_json(second); /* with every source */
    ck_assert_str_eq(left, right);
    free(left);
    free(right);
}

/* -------------------------------------------------------------------------------------------- published figures -- */

typedef struct published {
    const char *name;
    roofline_arithmetic arithmetic;
    double flops;
    double memory_bytes_per_s;
    double ridge; /* flops / memory_bytes_per_s, by hand */
    int64_t memory_bytes;
} published;

static const published published_rows[] = {
    {"h100-sxm", ROOFLINE_ARITHMETIC_BF16, 989.4e12, 3.35e12, 295.3432835820896, 80000000000},
    {"h100-sxm", ROOFLINE_ARITHMETIC_FP8, 1978.9e12, 3.35e12, 590.7164179104478, 80000000000},
    {"h100-sxm", ROOFLINE_ARITHMETIC_FP32, 66.9e12, 3.35e12, 19.97014925373134, 80000000000},
    {"h200-sxm", ROOFLINE_ARITHMETIC_BF16, 989.4e12, 4.8e12, 206.125, 141000000000},
    {"a100-sxm-80", ROOFLINE_ARITHMETIC_FP16, 312e12, 2.039e12, 153.0161844041197, 80000000000},
    {"mi300x", ROOFLINE_ARITHMETIC_BF16, 1307.4e12, 5.3e12, 246.6792452830189, 192000000000},
    {"rtx-4090", ROOFLINE_ARITHMETIC_FP16, 165.2e12, 1.008e12, 163.8888888888889, 24000000000},
    {"rtx-4090", ROOFLINE_ARITHMETIC_FP16_ACC16, 330.3e12, 1.008e12, 327.6785714285714, 24000000000},
    {"t4", ROOFLINE_ARITHMETIC_INT8, 130e12, 0.32e12, 406.25, 16000000000},
    {"tpu-v5e", ROOFLINE_ARITHMETIC_BF16, 197e12, 0.819e12, 240.5372405372405, 16000000000},
    {"b200", ROOFLINE_ARITHMETIC_FP4, 9000e12, 8e12, 1125, 180000000000},
    {"b100", ROOFLINE_ARITHMETIC_BF16, 1750e12, 8e12, 218.75, 192000000000}, /* half of the sparse 3500 */
    {"jetson-thor-t5000", ROOFLINE_ARITHMETIC_FP4, 1035e12, 0.273e12, 3791.208791208791, 128000000000}, /* of 2070 */
    {"trainium3", ROOFLINE_ARITHMETIC_BF16, 671e12, 4.9e12, 136.9387755102041, 144000000000},
    {"trainium1", ROOFLINE_ARITHMETIC_INT8, 380e12, 0.82e12, 463.4146341463415, 32000000000},
    {"max-1550", ROOFLINE_ARITHMETIC_BF16, 838.9e12, 3.277e12, 255.9963381141288, 128000000000},
    {"arc-b580", ROOFLINE_ARITHMETIC_INT8, 233e12, 0.456e12, 510.9649122807018, 12000000000},
    {"w7900", ROOFLINE_ARITHMETIC_FP16, 122.6e12, 0.864e12, 141.8981481481481, 48000000000},
    {"ryzen-ai-max-395", ROOFLINE_ARITHMETIC_FP16, 59.4e12, 0.256e12, 232.03125, 128000000000},
    {"ascend-910c", ROOFLINE_ARITHMETIC_FP16, 752e12, 3.2e12, 235, 128000000000},
    {"apple-m2-ultra", ROOFLINE_ARITHMETIC_FP32, 26.98e12, 0.8e12, 33.725, 192000000000},
};

START_TEST(published_figures) {
    const published *row = &published_rows[_i];
    roofline_device *device = opened(row->name);
    roofline_device_spec spec = info_of(device);
    double flops, ridge;
    roofline_error error;
    expect_ok(roofline_device_peak(device, row->arithmetic, &flops, &error), &error);
    expect_ok(roofline_device_ridge(device, row->arithmetic, &ridge, &error), &error);
    ck_assert(same_bits(flops, row->flops));
    ck_assert(same_bits(spec.memory_bytes_per_s, row->memory_bytes_per_s));
    ck_assert_close(ridge, row->ridge);
    ck_assert_int_eq(spec.memory_bytes, row->memory_bytes);
    ck_assert_int_eq(spec.kind, ROOFLINE_SOURCE_SPEC);
    roofline_device_free(device);
}
END_TEST

START_TEST(usable_memory_is_what_the_driver_reports) {
    static const struct {
        const char *name;
        int64_t mib;
    } rows[] = {{"h100-sxm", 81559}, {"h100-pcie", 81559},
                {"h800-sxm", 81559}, {"h200-sxm", 143771},
                {"gb200", 189471},   {"b300", 275040},
                {"gb300", 284208},   {"l40s", 46068},
                {"h20", 97871},      {"rtx-pro-6000-blackwell", 97887}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_device *device = opened(rows[i].name);
        ck_assert_int_eq(info_of(device).memory_usable_bytes, rows[i].mib * 1048576);
        roofline_device_free(device);
    }
    roofline_device *h100_device = opened("h100-sxm");
    ck_assert_int_eq(info_of(h100_device).memory_usable_bytes, 85520809984);
    roofline_device_free(h100_device);
}
END_TEST

START_TEST(rest_of_the_h100) {
    roofline_device *device = opened("h100-sxm");
    roofline_device_spec spec = info_of(device);
    ck_assert_str_eq(spec.name, "H100 SXM5 80GB");
    ck_assert_str_eq(spec.vendor, "NVIDIA");
    ck_assert_str_eq(spec.date, "2026-11-30");
    ck_assert_int_eq(spec.l2_bytes, 50 * 1048576); /* "50 MB", in the binary unit that caches are built in */
    ck_assert(same_bits(spec.tdp_w, 700));
    ck_assert_int_eq(roofline_device_link_count(device), 1);
    roofline_link link = {.struct_size = sizeof link};
    ck_assert_int_eq(roofline_device_link(device, 0, &link, NULL), ROOFLINE_OK);
    ck_assert_uint_eq(link.struct_size, sizeof link);
    ck_assert_str_eq(link.name, "NVLink4");
    ck_assert(same_bits(link.bytes_per_s, 450e9));
    roofline_device_free(device);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------ catalogue -- */

START_TEST(catalogue_entry_round_trips) {
    roofline_device *device = opened(roofline_device_id(_i));
    char *json = text_of_json(device);
    ck_assert_msg(strstr(json, "sparse_peaks_flops") == NULL, "%s has sparse peaks", roofline_device_id(_i));
    roofline_device *again = NULL;
    roofline_error error;
    expect_ok(roofline_device_parse(json, strlen(json), &again, &error), &error);
    expect_same_device(device, again);
    free(json);
    roofline_device_free(device);
    roofline_device_free(again);
}
END_TEST

START_TEST(catalogue_entry_is_its_file) {
    char path[200];
    snprintf(path, sizeof path, "libroofline/data/devices/%s.json", roofline_device_id(_i));
    roofline_device *embedded = opened(roofline_device_id(_i)), *file = NULL;
    roofline_error error;
    expect_ok(roofline_device_load(path, &file, &error), &error);
    expect_same_device(embedded, file);
    roofline_device_free(embedded);
    roofline_device_free(file);
}
END_TEST

START_TEST(catalogue_entry_is_complete) {
    roofline_device *device = opened(roofline_device_id(_i));
    roofline_device_spec spec = info_of(device);
    ck_assert_msg(spec.vendor[0] && spec.date[0], "%s", spec.name);
    char *source = source_of(device, "");
    ck_assert_uint_gt(strlen(source), 3);
    free(source);
    roofline_device *named = opened(spec.name); /* what is printed can be typed */
    expect_same_device(device, named);
    roofline_device_free(named);
    char text[400];
    ck_assert(has_note(device, ROOFLINE_NOTE_SPEC_PEAKS, "peaks_flops", text));
    ck_assert_ptr_nonnull(strstr(text, "60 to 80 %"));
    ck_assert_int_eq(has_note(device, ROOFLINE_NOTE_USABLE_MEMORY_UNKNOWN, "memory_usable_bytes", text),
                     spec.memory_usable_bytes == 0);
    roofline_device_free(device);
}
END_TEST

START_TEST(catalogue_ids) {
    ck_assert_int_eq(roofline_device_count(), 71);
    ck_assert_ptr_null(roofline_device_id(-1));
    ck_assert_ptr_null(roofline_device_id(roofline_device_count()));
    ck_assert_ptr_null(roofline_device_id(INT64_MAX));
    for (int64_t i = 1; i < roofline_device_count(); i++)
        ck_assert_str_lt(roofline_device_id(i - 1), roofline_device_id(i));
    ck_assert_str_ge(roofline_catalogue_date(), "2026-11-30");
}
END_TEST

START_TEST(names_that_people_type) {
    static const char *const rows[][2] = {
        {"h100", "h100-sxm"},
        {"H100_SXM", "h100-sxm"},
        {"H100-SXM5-80GB", "h100-sxm"},
        {"NVIDIA H100 80GB HBM3", "h100-sxm"},
        {"NVIDIA H100 PCIe", "h100-pcie"},
        {"a100", "a100-sxm-80"},
        {"NVIDIA A100-SXM4-80GB", "a100-sxm-80"},
        {"NVIDIA A100 80GB PCIe", "a100-pcie-80"},
        {"NVIDIA H200", "h200-sxm"},
        {"MI300X", "mi300x"},
        {"AMD Instinct MI300X", "mi300x"},
        {"Tesla T4", "t4"},
        {"rtx 4090", "rtx-4090"},
        {"NVIDIA GeForce RTX 4090", "rtx-4090"},
        {"trillium", "tpu-v6e"},
        {"DGX Spark", "dgx-spark-gb10"},
        {"Jetson AGX Thor", "jetson-thor-t5000"},
        {"Ryzen AI Max+ 395", "ryzen-ai-max-395"},
        {"M4 Max", "apple-m4-max"},
        {"trn3", "trainium3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_device *typed = opened(rows[i][0]), *meant = opened(rows[i][1]);
        expect_same_device(typed, meant);
        roofline_device_free(typed);
        roofline_device_free(meant);
    }
}
END_TEST

START_TEST(unknown_name) {
    roofline_device *device = NULL;
    roofline_error error;
    expect_error(roofline_device_open("h100-xl", &device, &error), ROOFLINE_NOT_FOUND, &error, "name");
    ck_assert_ptr_nonnull(strstr(error.message, "h100-sxm"));
    expect_error(roofline_device_open("v100", &device, &error), ROOFLINE_NOT_FOUND, &error, "name");
    ck_assert_ptr_nonnull(strstr(error.message, "v100-sxm2-32")); /* 16 or 32 GB: the user must say */
    expect_error(roofline_device_open("", &device, &error), ROOFLINE_NOT_FOUND, &error, "name");
    expect_error(roofline_device_open(NULL, &device, &error), ROOFLINE_ARGUMENT, &error, "name");
    expect_error(roofline_device_open("h100", NULL, &error), ROOFLINE_ARGUMENT, &error, "out");
    ck_assert_ptr_null(device);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- peaks -- */

START_TEST(peak_that_the_chip_lacks) {
    roofline_device *device = opened("h100-sxm");
    roofline_error error;
    double flops = 7;
    expect_error(roofline_device_peak(device, ROOFLINE_ARITHMETIC_FP4, &flops, &error), ROOFLINE_UNSUPPORTED, &error,
                 "arithmetic");
    ck_assert_ptr_nonnull(strstr(error.message, "H100 SXM5 80GB"));
    ck_assert_ptr_nonnull(strstr(error.message, "no peak for fp4; it has fp32, tf32, fp16, bf16, fp8, int8; pass"));
    expect_error(roofline_device_ridge(device, ROOFLINE_ARITHMETIC_BF16_SPARSE, &flops, &error), ROOFLINE_UNSUPPORTED,
                 &error, "arithmetic");
    static const roofline_arithmetic none[] = {ROOFLINE_ARITHMETIC_DEFAULT, -1, 8, 31, 32, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        expect_error(roofline_device_peak(device, none[i], &flops, &error), ROOFLINE_RANGE, &error, "arithmetic");
    ck_assert(same_bits(flops, 7));
    expect_error(roofline_device_peak(device, ROOFLINE_ARITHMETIC_BF16, NULL, &error), ROOFLINE_ARGUMENT, &error,
                 "out");
    expect_error(roofline_device_peak(NULL, ROOFLINE_ARITHMETIC_BF16, &flops, &error), ROOFLINE_ARGUMENT, &error,
                 "device");
    roofline_device_free(device);
}
END_TEST

/* A sparse peak is given when asked for by name, and appears in JSON only if it was put in. */
START_TEST(sparse_peaks) {
    roofline_device *device = parsed("{'schema': 'roofline-device/1', 'name': 'pruned', 'memory_bytes': 80000000000,"
                                     " 'memory_bytes_per_s': 3.35e12, 'peaks_flops': {'bf16': 989.4e12},"
                                     " 'sparse_peaks_flops': {'bf16': 1978.9e12},"
                                     " 'sources': {'sparse_peaks_flops/bf16': 'datasheet'}}");
    double dense, sparse;
    ck_assert_int_eq(roofline_device_peak(device, ROOFLINE_ARITHMETIC_BF16, &dense, NULL), ROOFLINE_OK);
    ck_assert_int_eq(roofline_device_peak(device, ROOFLINE_ARITHMETIC_BF16_SPARSE, &sparse, NULL), ROOFLINE_OK);
    ck_assert(same_bits(dense, 989.4e12));
    ck_assert(same_bits(sparse, 1978.9e12));
    double flops;
    roofline_error error;
    expect_error(roofline_device_peak(device, ROOFLINE_ARITHMETIC_FP8, &flops, &error), ROOFLINE_UNSUPPORTED, &error,
                 "arithmetic");
    ck_assert_ptr_null(strstr(error.message, "sparse"));
    expect_source(device, "sparse_peaks_flops/bf16", "datasheet");
    char *json = text_of_json(device);
    ck_assert_ptr_nonnull(strstr(json, "\"sparse_peaks_flops\": {\n    \"bf16\": 1.9789e+15\n  }"));
    roofline_device *again = NULL;
    expect_ok(roofline_device_parse(json, strlen(json), &again, &error), &error);
    expect_same_device(device, again);
    free(json);
    roofline_device_free(again);
    roofline_device_free(device);
}
END_TEST

/* The table of fields and the words of the enumeration are two lists of the same arithmetics. */
START_TEST(every_arithmetic_has_a_field) {
    for (int32_t arithmetic = 1; arithmetic < 32; arithmetic++) {
        if (!arithmetic_is_known(arithmetic))
            continue;
        size_t offset = offsetof(roofline_device_spec, peaks_flops) + (size_t)arithmetic * sizeof(double);
        const device_field *found = NULL;
        for (size_t i = 0; i < device_field_count; i++)
            if (device_fields[i].offset == offset)
                found = &device_fields[i];
        ck_assert_msg(found != NULL, "%s has no field", arithmetic_text(arithmetic));
        char text[48];
        snprintf(text, sizeof text, "%s%s", found->key, strcmp(found->group, "peaks_flops") ? "_sparse" : "");
        ck_assert_str_eq(text, arithmetic_text(arithmetic));
    }
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- from numbers -- */

START_TEST(create_from_numbers) {
    roofline_device_spec spec = h100_spec();
    spec.kind = ROOFLINE_SOURCE_MEASURED;
    spec.memory_usable_bytes = 85520809984;
    spec.price_per_hour = 1e-3;
    strcpy(spec.date, "2026-12-01");
    strcpy(spec.vendor, "NVIDIA");
    roofline_link links[2] = {{.name = "NVLink4", .bytes_per_s = 450e9},
                              {.name = "PCIe \xc2\xb5", .bytes_per_s = 64e9}};
    roofline_device *device = NULL, *again = NULL;
    roofline_error error;
    expect_ok(roofline_device_create(&spec, links, 2, sizeof *links, &device, &error), &error);
    ck_assert_int_eq(error.status, ROOFLINE_OK);
    roofline_device_spec given = info_of(device);
    ck_assert_mem_eq(&given, &spec, sizeof spec);
    ck_assert_int_eq(roofline_device_note_count(device), 0); /* measured, usable memory known, nothing recalled */
    roofline_link link = {.struct_size = sizeof link};
    ck_assert_int_eq(roofline_device_link(device, 1, &link, NULL), ROOFLINE_OK);
    ck_assert_str_eq(link.name, "PCIe \xc2\xb5");
    ck_assert(same_bits(link.bytes_per_s, 64e9));
    expect_source(device, "", "given by the caller");
    char *json = text_of_json(device);
    expect_ok(roofline_device_parse(json, strlen(json), &again, &error), &error);
    expect_same_device(device, again);
    free(json);
    roofline_device_free(again);
    roofline_device_free(device);
}
END_TEST

/* -0.0 is 0, a figure that is not known: the bits are those of a device that leaves it out. */
START_TEST(negative_zero_is_zero) {
    roofline_device_spec spec = h100_spec(), plain = h100_spec();
    spec.peaks_flops[0] = -0.0; /* no arithmetic */
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP4] = -0.0;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP4_SPARSE] = -0.0;
    spec.tdp_w = -0.0;
    spec.price_per_hour = -0.0;
    roofline_device *device = device_of(&spec), *again = NULL;
    roofline_device_spec given = info_of(device);
    ck_assert_mem_eq(&given, &plain, sizeof given);
    char *json = text_of_json(device);
    roofline_error error;
    expect_ok(roofline_device_parse(json, strlen(json), &again, &error), &error);
    expect_same_device(device, again);
    free(json);
    roofline_device_free(again);
    roofline_device_free(device);
    spec.memory_bytes_per_s = -0.0;
    expect_error(roofline_device_create(&spec, NULL, 0, 0, &device, &error), ROOFLINE_RANGE, &error,
                 "roofline_device_spec.memory_bytes_per_s");
}
END_TEST

/* A caller whose struct ends before price_per_hour, and one whose struct goes on beyond this library's. */
START_TEST(create_from_other_sizes) {
    roofline_device_spec older = h100_spec();
    older.struct_size = offsetof(roofline_device_spec, price_per_hour);
    older.price_per_hour = NAN;
    roofline_device *device = device_of(&older);
    ck_assert(same_bits(info_of(device).price_per_hour, 0));
    ck_assert_uint_eq(info_of(device).struct_size, sizeof(roofline_device_spec));
    roofline_device_spec part = {.struct_size = offsetof(roofline_device_spec, vendor), .vendor = "untouched"};
    ck_assert_int_eq(roofline_device_info(device, &part, NULL), ROOFLINE_OK);
    ck_assert_str_eq(part.name, "H100 by its datasheet");
    ck_assert_str_eq(part.vendor, "untouched");
    roofline_device_free(device);

    struct {
        roofline_device_spec spec;
        double later;
    } newer = {.spec = h100_spec(), .later = 0};
    newer.spec.struct_size = sizeof newer;
    roofline_device_free(device_of(&newer.spec));
    newer.later = 1;
    roofline_error error;
    device = NULL;
    expect_error(roofline_device_create(&newer.spec, NULL, 0, 0, &device, &error), ROOFLINE_STRUCT_SIZE, &error,
                 "roofline_device_spec");
    ck_assert_ptr_null(device);
}
END_TEST

/* One number of an H100 replaced; 1125899906842624 is 2^50. */
START_TEST(create_refuses_numbers) {
    static const struct {
        size_t offset;
        int is_integer;
        double value;
        roofline_status status;
        const char *path;
    } rows[] = {
#define NUMBER(field, value, status) {offsetof(roofline_device_spec, field), 0, value, status, #field}
#define INTEGER(field, value, status)                                                                                  \
    { offsetof(roofline_device_spec, field), 1, value, status, #field }
#define PEAK(index, value, status)                                                                                     \
    { offsetof(roofline_device_spec, peaks_flops) + (index) * sizeof(double), 0, value, status, "peaks_flops" }
        NUMBER(memory_bytes_per_s, 0, ROOFLINE_RANGE),
        NUMBER(memory_bytes_per_s, -3.35e12, ROOFLINE_RANGE),
        NUMBER(memory_bytes_per_s, NAN, ROOFLINE_RANGE),
        NUMBER(memory_bytes_per_s, INFINITY, ROOFLINE_RANGE),
        NUMBER(memory_bytes_per_s, 1.1e21, ROOFLINE_RANGE),
        NUMBER(memory_bytes_per_s, 5e-324, ROOFLINE_RANGE),
        NUMBER(memory_bytes_per_s, 1e21, ROOFLINE_OK),
        NUMBER(memory_bytes_per_s, 1e-21, ROOFLINE_OK),
        NUMBER(tdp_w, 0, ROOFLINE_OK),
        NUMBER(tdp_w, -1, ROOFLINE_RANGE),
        NUMBER(tdp_w, NAN, ROOFLINE_RANGE),
        NUMBER(price_per_hour, -INFINITY, ROOFLINE_RANGE),
        INTEGER(memory_bytes, 0, ROOFLINE_RANGE),
        INTEGER(memory_bytes, -1, ROOFLINE_RANGE),
        INTEGER(memory_bytes, 1125899906842624, ROOFLINE_OK),
        INTEGER(memory_bytes, 1125899906842625, ROOFLINE_RANGE),
        INTEGER(memory_bytes, 9e18, ROOFLINE_RANGE),
        INTEGER(l2_bytes, 0, ROOFLINE_OK),
        INTEGER(l2_bytes, -1, ROOFLINE_RANGE),
        INTEGER(l2_bytes, 1125899906842625, ROOFLINE_RANGE),
        INTEGER(memory_usable_bytes, -1, ROOFLINE_RANGE),
        INTEGER(memory_usable_bytes, 88000000000, ROOFLINE_OK),       /* 1.1 x 80e9 */
        INTEGER(memory_usable_bytes, 88000000001, ROOFLINE_ARGUMENT), /* contradicts the nominal size */
        PEAK(ROOFLINE_ARITHMETIC_BF16, -1, ROOFLINE_RANGE),
        PEAK(ROOFLINE_ARITHMETIC_BF16, NAN, ROOFLINE_RANGE),
        PEAK(ROOFLINE_ARITHMETIC_BF16, 1e22, ROOFLINE_RANGE),
        PEAK(ROOFLINE_ARITHMETIC_BF16, 0, ROOFLINE_OK),
        PEAK(ROOFLINE_ARITHMETIC_BF16_SPARSE, INFINITY, ROOFLINE_RANGE),
        PEAK(0, 1e12, ROOFLINE_RANGE), /* index 0, 8 and 31 are no arithmetic */
        PEAK(8, 1e12, ROOFLINE_RANGE),
        PEAK(31, NAN, ROOFLINE_RANGE),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_device_spec spec = h100_spec();
        int64_t integer = rows[i].is_integer ? (int64_t)rows[i].value : 0;
        memcpy((unsigned char *)&spec + rows[i].offset, rows[i].is_integer ? (void *)&integer : (void *)&rows[i].value,
               8);
        roofline_device *device = NULL;
        roofline_error error;
        roofline_status status = roofline_device_create(&spec, NULL, 0, 0, &device, &error);
        if (rows[i].status == ROOFLINE_OK) {
            expect_ok(status, &error);
        } else {
            char path[80];
            snprintf(path, sizeof path, "roofline_device_spec.%s", rows[i].path);
            expect_error(status, rows[i].status, &error, path);
            ck_assert_int_ne(error.field_id, 0);
            ck_assert_ptr_null(device);
        }
        roofline_device_free(device);
    }
}
END_TEST

START_TEST(create_refuses_texts) {
    static const struct {
        const char *name;
        const char *date;
        const char *path;
    } rows[] = {
        {"", "", "roofline_device_spec.name"},
        {"broken \xff", "", "roofline_device_spec.name"},
        {"cut \xe2\x82", "", "roofline_device_spec.name"},
        {"\x1b[31mred", "", "roofline_device_spec.name"},
        {"two\nlines", "", "roofline_device_spec.name"},
        {"c1 \xc2\x9b", "", "roofline_device_spec.name"},
        {"x", "yesterday", "roofline_device_spec.date"},
        {"x", "2026-12-1", "roofline_device_spec.date"},
        {"x", "2026/12/01", "roofline_device_spec.date"},
    };
    roofline_device *device = NULL;
    roofline_error error;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_device_spec spec = h100_spec();
        strcpy(spec.name, rows[i].name);
        strcpy(spec.date, rows[i].date);
        expect_error(roofline_device_create(&spec, NULL, 0, 0, &device, &error), ROOFLINE_ARGUMENT, &error,
                     rows[i].path);
    }
    roofline_device_spec spec = h100_spec();
    memset(spec.name, 'n', sizeof spec.name);
    expect_error(roofline_device_create(&spec, NULL, 0, 0, &device, &error), ROOFLINE_ARGUMENT, &error, "name");
    ck_assert_ptr_nonnull(strstr(error.message, "64 bytes"));
    spec.name[63] = '\0';
    roofline_device_free(device_of(&spec));
    memset(spec.vendor, 'v', sizeof spec.vendor);
    expect_error(roofline_device_create(&spec, NULL, 0, 0, &device, &error), ROOFLINE_ARGUMENT, &error, "vendor");
    spec = h100_spec();
    spec.kind = 2;
    expect_error(roofline_device_create(&spec, NULL, 0, 0, &device, &error), ROOFLINE_RANGE, &error, "kind");
    ck_assert_ptr_null(device);
}
END_TEST

START_TEST(create_refuses_links) {
    roofline_device_spec spec = h100_spec();
    roofline_link links[9];
    memset(links, 0, sizeof links);
    for (size_t i = 0; i < 9; i++) {
        strcpy(links[i].name, "port");
        links[i].bytes_per_s = 1e9;
    }
    roofline_device *device = NULL;
    roofline_error error;
    expect_error(roofline_device_create(&spec, links, 9, sizeof *links, &device, &error), ROOFLINE_RANGE, &error,
                 "link_count");
    expect_error(roofline_device_create(&spec, NULL, 1, sizeof *links, &device, &error), ROOFLINE_ARGUMENT, &error,
                 "roofline_link");
    expect_error(roofline_device_create(&spec, links, 1, 0, &device, &error), ROOFLINE_STRUCT_SIZE, &error,
                 "roofline_link");
    static const double rates[] = {0, -1, NAN, INFINITY, 1e22};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        links[2].bytes_per_s = rates[i];
        expect_error(roofline_device_create(&spec, links, 3, sizeof *links, &device, &error), ROOFLINE_RANGE, &error,
                     "/links/2/bytes_per_s");
    }
    links[0].name[0] = '\0';
    expect_error(roofline_device_create(&spec, links, 1, sizeof *links, &device, &error), ROOFLINE_ARGUMENT, &error,
                 "/links/0/name");
    memset(links[0].name, 'n', sizeof links[0].name);
    expect_error(roofline_device_create(&spec, links, 1, sizeof *links, &device, &error), ROOFLINE_ARGUMENT, &error,
                 "/links/0/name");
    ck_assert_ptr_null(device);
}
END_TEST

START_TEST(null_arguments) {
    roofline_device_spec spec = h100_spec();
    roofline_device *device = NULL;
    roofline_error error;
    roofline_link link = {.struct_size = sizeof link};
    roofline_note note = {.struct_size = sizeof note};
    size_t needed;
    expect_error(roofline_device_create(NULL, NULL, 0, 0, &device, &error), ROOFLINE_ARGUMENT, &error,
                 "roofline_device_spec");
    expect_error(roofline_device_create(&spec, NULL, 0, 0, NULL, &error), ROOFLINE_ARGUMENT, &error, "out");
    expect_error(roofline_device_parse("{}", 2, NULL, &error), ROOFLINE_ARGUMENT, &error, "out");
    expect_error(roofline_device_parse(NULL, 0, &device, &error), ROOFLINE_ARGUMENT, &error, "json");
    expect_error(roofline_device_load("x", NULL, &error), ROOFLINE_ARGUMENT, &error, "out");
    expect_error(roofline_device_load(NULL, &device, &error), ROOFLINE_ARGUMENT, &error, "path");
    expect_error(roofline_device_info(NULL, &spec, &error), ROOFLINE_ARGUMENT, &error, "device");
    expect_error(roofline_device_link(NULL, 0, &link, &error), ROOFLINE_ARGUMENT, &error, "device");
    expect_error(roofline_device_source(NULL, "", NULL, 0, &needed, &error), ROOFLINE_ARGUMENT, &error, "device");
    expect_error(roofline_device_to_json(NULL, NULL, 0, &needed, &error), ROOFLINE_ARGUMENT, &error, "device");
    expect_error(roofline_device_note(NULL, 0, &note, NULL, 0, &needed, &error), ROOFLINE_ARGUMENT, &error, "device");
    ck_assert_int_eq(roofline_device_link_count(NULL), 0);
    ck_assert_int_eq(roofline_device_note_count(NULL), 0);
    roofline_device_free(NULL);
    device = device_of(&spec);
    expect_error(roofline_device_info(device, NULL, &error), ROOFLINE_ARGUMENT, &error, "roofline_device_spec");
    expect_error(roofline_device_link(device, 0, &link, &error), ROOFLINE_NOT_FOUND, &error, "index");
    expect_error(roofline_device_link(device, -1, &link, &error), ROOFLINE_NOT_FOUND, &error, "index");
    expect_error(roofline_device_note(device, 99, &note, NULL, 0, &needed, &error), ROOFLINE_NOT_FOUND, &error,
                 "index");
    expect_error(roofline_device_source(device, NULL, NULL, 0, &needed, &error), ROOFLINE_ARGUMENT, &error, "field");
    roofline_device_free(device);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------ from JSON -- */

#define START "{'schema': 'roofline-device/1', "
#define NAME "'name': 'x', "
#define MEMORY "'memory_bytes': 80000000000, "
#define SPEED "'memory_bytes_per_s': 3.35e12, "
#define PEAKS "'peaks_flops': {'bf16': 989.4e12}"
#define DEVICE(more) START NAME MEMORY SPEED PEAKS more "}"

typedef struct bad_text {
    const char *text;
    roofline_status status;
    const char *path;
    const char *message; /* a part of it that tells the reader what is wrong */
} bad_text;

static const bad_text bad_texts[] = {
    /* not JSON, or no object */
    {"", ROOFLINE_PARSE, "", ""},
    {"{'schema': ", ROOFLINE_PARSE, "", ""},
    {DEVICE("") " x", ROOFLINE_PARSE, "", ""},
    {START NAME MEMORY "'memory_bytes_per_s': NaN, " PEAKS "}", ROOFLINE_PARSE, "", ""},
    {START NAME MEMORY "'memory_bytes_per_s': 1e999, " PEAKS "}", ROOFLINE_PARSE, "", ""},
    {"[]", ROOFLINE_SCHEMA, "", "object"},
    {"3", ROOFLINE_SCHEMA, "", "object"},
    /* schema */
    {"{}", ROOFLINE_SCHEMA, "/schema", "missing"},
    {"{'schema': null}", ROOFLINE_SCHEMA, "/schema", "required"},
    {"{'schema': 1}", ROOFLINE_SCHEMA, "/schema", "a number"},
    {"{'schema': 'roofline-device/2'}", ROOFLINE_UNSUPPORTED, "/schema", "roofline-device/2"},
    {"{'schema': 'roofline-model/1'}", ROOFLINE_SCHEMA, "/schema", "roofline-model/1"},
    {"{'schema': 'roofline-device/1', 'schema': 'roofline-device/1'}", ROOFLINE_SCHEMA, "/schema", "twice"},
    /* missing */
    {START MEMORY SPEED PEAKS "}", ROOFLINE_SCHEMA, "/name", "missing"},
    {START NAME SPEED PEAKS "}", ROOFLINE_SCHEMA, "/memory_bytes", "missing"},
    {START NAME MEMORY PEAKS "}", ROOFLINE_SCHEMA, "/memory_bytes_per_s", "missing"},
    {START NAME MEMORY "'memory_bytes_per_s': null, " PEAKS "}", ROOFLINE_SCHEMA, "/memory_bytes_per_s", "null"},
    {START NAME MEMORY "'memory_bytes_per_s': 3.35e12}", ROOFLINE_SCHEMA, "/peaks_flops", "missing"},
    {START NAME MEMORY SPEED "'peaks_flops': {}}", ROOFLINE_ARGUMENT, "/peaks_flops", "no dense peak"},
    {START NAME MEMORY SPEED "'peaks_flops': null}", ROOFLINE_ARGUMENT, "/peaks_flops", "no dense peak"},
    {START NAME MEMORY SPEED "'peaks_flops': {}, 'sparse_peaks_flops': {'bf16': 1e15}}", ROOFLINE_ARGUMENT,
     "/peaks_flops", "no dense peak"},
    /* negative, zero, huge, fractions */
    {START NAME "'memory_bytes': -1, " SPEED PEAKS "}", ROOFLINE_RANGE, "/memory_bytes", "-1"},
    {START NAME "'memory_bytes': 0, " SPEED PEAKS "}", ROOFLINE_RANGE, "/memory_bytes", "but is 0"},
    {START NAME "'memory_bytes': 1125899906842625, " SPEED PEAKS "}", ROOFLINE_RANGE, "/memory_bytes",
     "1125899906842624"},
    {START NAME "'memory_bytes': 80.5, " SPEED PEAKS "}", ROOFLINE_SCHEMA, "/memory_bytes", "whole"},
    {START NAME MEMORY "'memory_bytes_per_s': 0, " PEAKS "}", ROOFLINE_RANGE, "/memory_bytes_per_s", "but is 0"},
    {START NAME MEMORY "'memory_bytes_per_s': 1e22, " PEAKS "}", ROOFLINE_RANGE, "/memory_bytes_per_s", "1e+22"},
    {START NAME MEMORY SPEED "'peaks_flops': {'bf16': -1}}", ROOFLINE_RANGE, "/peaks_flops/bf16", "-1"},
    {START NAME MEMORY SPEED "'peaks_flops': {'bf16': 0}}", ROOFLINE_RANGE, "/peaks_flops/bf16", "but is 0"},
    {START NAME MEMORY SPEED "'peaks_flops': {'bf16': 1e22}}", ROOFLINE_RANGE, "/peaks_flops/bf16", "1e+22"},
    {DEVICE(", 'l2_bytes': -5"), ROOFLINE_RANGE, "/l2_bytes", "-5"},
    {DEVICE(", 'l2_bytes': 1125899906842625"), ROOFLINE_RANGE, "/l2_bytes", "1125899906842624"},
    {DEVICE(", 'tdp_w': -700"), ROOFLINE_RANGE, "/tdp_w", "-700"},
    {DEVICE(", 'price_per_hour': -2.5"), ROOFLINE_RANGE, "/price_per_hour", "-2.5"},
    {DEVICE(", 'sparse_peaks_flops': {'fp8': -1}"), ROOFLINE_RANGE, "/sparse_peaks_flops/fp8", "-1"},
    /* contradiction: 80 GB nominal has at most 88e9 usable bytes */
    {DEVICE(", 'memory_usable_bytes': 88000000001"), ROOFLINE_ARGUMENT, "/memory_usable_bytes", "contradicts"},
    /* wrong type */
    {START "'name': 7, " MEMORY SPEED PEAKS "}", ROOFLINE_SCHEMA, "/name", "a string"},
    {START NAME "'memory_bytes': '80 GB', " SPEED PEAKS "}", ROOFLINE_SCHEMA, "/memory_bytes", "a string"},
    {START NAME MEMORY "'memory_bytes_per_s': true, " PEAKS "}", ROOFLINE_SCHEMA, "/memory_bytes_per_s", "a number"},
    {START NAME MEMORY SPEED "'peaks_flops': 989.4e12}", ROOFLINE_SCHEMA, "/peaks_flops", "object"},
    {START NAME MEMORY SPEED "'peaks_flops': {'bf16': '989'}}", ROOFLINE_SCHEMA, "/peaks_flops/bf16", "a number"},
    {DEVICE(", 'kind': 'guess'"), ROOFLINE_SCHEMA, "/kind", "measured"},
    {DEVICE(", 'kind': 1"), ROOFLINE_SCHEMA, "/kind", "a string"},
    {DEVICE(", 'links': {}"), ROOFLINE_SCHEMA, "/links", "an array"},
    {DEVICE(", 'links': [3]"), ROOFLINE_SCHEMA, "/links/0", "object"},
    {DEVICE(", 'source': ['a', 'b']"), ROOFLINE_SCHEMA, "/source", "a string"},
    {DEVICE(", 'sources': 'web'"), ROOFLINE_SCHEMA, "/sources", "object"},
    {DEVICE(", 'sources': {'memory_bytes': 3}"), ROOFLINE_SCHEMA, "/sources/memory_bytes", "a string"},
    {DEVICE(", 'sources': {'memory_bytes': null}"), ROOFLINE_SCHEMA, "/sources/memory_bytes", "null"},
    /* text */
    {START "'name': '', " MEMORY SPEED PEAKS "}", ROOFLINE_ARGUMENT, "/name", "empty"},
    {START "'name': 'a\\u001b[2J', " MEMORY SPEED PEAKS "}", ROOFLINE_ARGUMENT, "/name", "printable"},
    {START "'name': '0123456789012345678901234567890123456789012345678901234567890123', " MEMORY SPEED PEAKS "}",
     ROOFLINE_RANGE, "/name", "64 bytes and may have 63"},
    {DEVICE(", 'vendor': '01234567890123456789012345678901'"), ROOFLINE_RANGE, "/vendor", "may have 31"},
    {DEVICE(", 'date': 'in May'"), ROOFLINE_ARGUMENT, "/date", "YYYY-MM-DD"},
    /* unknown and duplicate keys */
    {DEVICE(", 'memory_gb': 80"), ROOFLINE_SCHEMA, "/memory_gb", "x_"},
    {DEVICE(", 'ba\\u0007d/~key': 1"), ROOFLINE_SCHEMA, "/", "ba\\x07d"},
    {START NAME MEMORY SPEED "'peaks_flops': {'bf16': 1e12, 'bfloat16': 1e12}}", ROOFLINE_SCHEMA,
     "/peaks_flops/bfloat16", "bf16"},
    {START NAME MEMORY SPEED "'peaks_flops': {'bf16': 1e12, 'bf16_sparse': 2e12}}", ROOFLINE_SCHEMA,
     "/peaks_flops/bf16_sparse", "sparse_peaks_flops"},
    {START NAME MEMORY SPEED "'peaks_flops': {'bf16': 1e12, 'default': 2e12}}", ROOFLINE_SCHEMA, "/peaks_flops/default",
     "name an arithmetic"},
    {START NAME MEMORY SPEED "'peaks_flops': {'bf16': 1e12, 'bf16': 2e12}}", ROOFLINE_SCHEMA, "/peaks_flops/bf16",
     "twice"},
    {DEVICE(", 'sparse_peaks_flops': {'fp32': 1e12}"), ROOFLINE_SCHEMA, "/sparse_peaks_flops/fp32", "not known"},
    {DEVICE(", 'name': 'y'"), ROOFLINE_SCHEMA, "/name", "twice"},
    {DEVICE(", 'sources': {'memory': 'web'}"), ROOFLINE_SCHEMA, "/sources/memory", "memory_bytes"},
    {DEVICE(", 'sources': {'peaks_flops/bf32': 'web'}"), ROOFLINE_SCHEMA, "/sources/peaks_flops~1bf32", "peaks_flops"},
    /* links */
    {DEVICE(", 'links': [{'name': 'a'}]"), ROOFLINE_SCHEMA, "/links/0/bytes_per_s", "missing"},
    {DEVICE(", 'links': [{'bytes_per_s': 1e9}]"), ROOFLINE_SCHEMA, "/links/0/name", "missing"},
    {DEVICE(", 'links': [{'name': 'a', 'bytes_per_s': 1e9}, {'name': 'b', 'bytes_per_s': 0}]"), ROOFLINE_RANGE,
     "/links/1/bytes_per_s", "but is 0"},
    {DEVICE(", 'links': [{'name': '', 'bytes_per_s': 1e9}]"), ROOFLINE_ARGUMENT, "/links/0/name", "empty"},
    {DEVICE(", 'links': [{'name': 'a', 'bytes_per_s': 1e9, 'ports': 4}]"), ROOFLINE_SCHEMA, "/links/0/ports",
     "bytes_per_s"},
    {DEVICE(", 'links': [1,2,3,4,5,6,7,8,9]"), ROOFLINE_RANGE, "/links", "at most 8"},
};

START_TEST(parse_refuses) {
    const bad_text *row = &bad_texts[_i];
    roofline_device *device = NULL;
    roofline_error error;
    expect_error(parse(row->text, &device, &error), row->status, &error, row->path);
    if (row->status != ROOFLINE_PARSE && strlen(row->path) > 1)
        ck_assert_str_eq(error.path, row->path);
    ck_assert_msg(strstr(error.message, row->message) != NULL, "\"%s\" lacks \"%s\"", error.message, row->message);
    ck_assert_ptr_null(device);
}
END_TEST

START_TEST(users_own_file) {
    roofline_device *device =
        parsed(DEVICE(", 'x_comment': ['any', {'thing': 1}], 'aliases': ['mine'], 'kind': 'measured',"
                      " 'l2_bytes': null, 'tdp_w': null, 'price_per_hour': 2.5,"
                      " 'links': [{'name': 'NIC', 'bytes_per_s': 5e10, 'x_ports': 8}],"
                      " 'source': 'our cluster', 'sources': {'memory_bytes_per_s': 'our copy kernel', 'x_by': 'me'}"));
    roofline_device_spec spec = info_of(device);
    ck_assert_str_eq(spec.name, "x");
    ck_assert_int_eq(spec.kind, ROOFLINE_SOURCE_MEASURED);
    ck_assert_int_eq(spec.l2_bytes, 0);
    ck_assert(same_bits(spec.tdp_w, 0));
    ck_assert(same_bits(spec.price_per_hour, 2.5));
    expect_source(device, "", "our cluster");
    expect_source(device, "memory_bytes_per_s", "our copy kernel");
    expect_source(device, "memory_bytes", "our cluster");
    char text[400];
    ck_assert(!has_note(device, ROOFLINE_NOTE_SPEC_PEAKS, "peaks_flops", text));
    ck_assert(has_note(device, ROOFLINE_NOTE_USABLE_MEMORY_UNKNOWN, "memory_usable_bytes", text));
    ck_assert_ptr_nonnull(strstr(text, "80000000000"));
    roofline_device_free(device);

    device = parsed(DEVICE("")); /* the least that a device needs */
    ck_assert_int_eq(info_of(device).kind, ROOFLINE_SOURCE_SPEC);
    expect_source(device, "", "not stated");
    char *json = text_of_json(device);
    ck_assert_ptr_nonnull(strstr(json, "\"source\": null")); /* editing it and reading it back invents nothing */
    free(json);
    roofline_device_free(device);
}
END_TEST

/* `roofline device X --json` adds ridges and notes to what the library writes; edited, the file loads back. */
START_TEST(what_the_command_prints_loads_back) {
    roofline_device *device = parsed(DEVICE(", 'ridge_flop_per_byte': {'bf16': 295.3}, 'notes': [{'text': 'n'}]"));
    roofline_device_free(device);
}
END_TEST

/* Doubles without a short decimal form, and the largest and smallest that are taken. */
START_TEST(round_trip_of_awkward_numbers) {
    roofline_device_spec spec = h100_spec();
    spec.memory_bytes = 1125899906842624;
    spec.memory_usable_bytes = 1125899906842623;
    spec.memory_bytes_per_s = 1e12 / 3;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = 1e21;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP8] = 1e-21;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP4] = 9007199254740994.0; /* 2^53 + 2: no integer that strict JSON takes */
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP4_SPARSE] = 0.1 + 0.2;
    spec.tdp_w = 1e-5;
    strcpy(spec.name, "quote \" backslash \\ \xe2\x82\xac");
    roofline_device *device = device_of(&spec), *again = NULL;
    char *json = text_of_json(device);
    roofline_error error;
    expect_ok(roofline_device_parse(json, strlen(json), &again, &error), &error);
    roofline_device_spec read = info_of(again);
    ck_assert_mem_eq(&read, &spec, sizeof spec);
    free(json);
    roofline_device_free(again);
    roofline_device_free(device);
}
END_TEST

START_TEST(load_from_a_file) {
    roofline_device *device = NULL;
    roofline_error error;
    expect_error(roofline_device_load("no/such/device.json", &device, &error), ROOFLINE_NOT_FOUND, &error, "");
    ck_assert_ptr_nonnull(strstr(error.message, "no/such/device.json"));
    expect_error(roofline_device_load("", &device, &error), ROOFLINE_ARGUMENT, &error, "path");
    ck_assert_ptr_nonnull(strstr(error.message, "empty"));
    expect_error(roofline_device_load("libroofline", &device, &error), ROOFLINE_IO, &error, "");
    expect_error(roofline_device_load("include/roofline.h", &device, &error), ROOFLINE_PARSE, &error, "");
    ck_assert_ptr_null(device);
}
END_TEST

/* The worked example of the documentation is a device. */
START_TEST(documented_example) {
    FILE *file = fopen("docs/device.md", "rb");
    ck_assert_ptr_nonnull(file);
    static char page[1 << 16];
    size_t length = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    page[length] = '\0';
    const char *begin = strstr(page, "```json\n");
    ck_assert_ptr_nonnull(begin);
    begin += strlen("```json\n");
    const char *end = strstr(begin, "```");
    ck_assert_ptr_nonnull(end);
    roofline_device *device = NULL;
    roofline_error error;
    expect_ok(roofline_device_parse(begin, (size_t)(end - begin), &device, &error), &error);
    for (size_t i = 0; i < device_field_count; i++) /* and the page names every key */
        ck_assert_msg(strstr(page, device_fields[i].key) != NULL, "docs/device.md lacks %s", device_fields[i].key);
    roofline_device_free(device);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- text outputs -- */

START_TEST(buffers) {
    roofline_device *device = parsed(DEVICE(", 'source': 'abcd'"));
    char buffer[8] = "kept";
    size_t needed = 0;
    roofline_error error;
    expect_error(roofline_device_source(device, "", buffer, 4, &needed, &error), ROOFLINE_BUFFER_SIZE, &error,
                 "capacity");
    ck_assert_uint_eq(needed, 5);
    ck_assert_str_eq(buffer, "kept");
    expect_error(roofline_device_source(device, "", NULL, 4, &needed, &error), ROOFLINE_ARGUMENT, &error, "buffer");
    ck_assert_int_eq(roofline_device_source(device, "", buffer, 5, NULL, NULL), ROOFLINE_OK);
    ck_assert_str_eq(buffer, "abcd");
    expect_error(roofline_device_to_json(device, buffer, sizeof buffer, &needed, &error), ROOFLINE_BUFFER_SIZE, &error,
                 "capacity");
    ck_assert_uint_gt(needed, 100);
    ck_assert_str_eq(buffer, "abcd");
    roofline_device_free(device);
}
END_TEST

START_TEST(sources) {
    roofline_device *device =
        parsed(DEVICE(", 'source': 'whole', 'l2_bytes': 5, 'sources': {'peaks_flops': 'all peaks',"
                      " 'l2_bytes': 'recalled, not seen', 'links': 'none found'}"));
    expect_source(device, "", "whole");
    expect_source(device, "peaks_flops", "all peaks");
    expect_source(device, "peaks_flops/bf16", "all peaks");
    expect_source(device, "memory_bytes", "whole");
    expect_source(device, "name", "whole");
    expect_source(device, "links", "none found"); /* why there is no figure */
    roofline_error error;
    size_t needed = 0;
    static const char *const absent[] = {"peaks_flops/fp8", "sparse_peaks_flops", "tdp_w",
                                         "memory",          "peaks_flops/",       "/"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        expect_error(roofline_device_source(device, absent[i], NULL, 0, &needed, &error), ROOFLINE_NOT_FOUND, &error,
                     "field");
    char text[400];
    ck_assert(has_note(device, ROOFLINE_NOTE_UNVERIFIED_FIGURE, "l2_bytes", text));
    ck_assert_ptr_nonnull(strstr(text, "l2_bytes"));
    ck_assert(!has_note(device, ROOFLINE_NOTE_UNVERIFIED_FIGURE, "peaks_flops", text));
    roofline_device_free(device);
}
END_TEST

/* What the catalogue's gatherers had to recall is said: the A30's fp32, tf32, L2 and link; nothing of the H100 SXM. */
START_TEST(recalled_figures_of_the_catalogue) {
    char text[400];
    roofline_device *a30 = opened("a30"), *h100_device = opened("h100-sxm");
    static const char *const fields[] = {"peaks_flops/fp32", "peaks_flops/tf32", "l2_bytes", "links"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        ck_assert(has_note(a30, ROOFLINE_NOTE_UNVERIFIED_FIGURE, fields[i], text));
    ck_assert_int_eq(roofline_device_note_count(a30), 6); /* those, the peaks, the usable memory */
    ck_assert_int_eq(roofline_device_note_count(h100_device), 1);
    roofline_device_free(a30);
    roofline_device_free(h100_device);
}
END_TEST

/* Of the Jetson AGX Orin only the memory's size, fp32 and the power limit were seen in a source. */
START_TEST(device_that_is_mostly_recalled) {
    static const char *const fields[] = {"memory_bytes_per_s", "l2_bytes", "peaks_flops/fp16", "peaks_flops/bf16",
                                         "peaks_flops/int8"};
    char text[400];
    roofline_device *device = opened("jetson-agx-orin-64");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        ck_assert(has_note(device, ROOFLINE_NOTE_UNVERIFIED_FIGURE, fields[i], text));
    ck_assert_int_eq(roofline_device_note_count(device), 7); /* those, the peaks, the usable memory */
    roofline_device_free(device);
}
END_TEST

/* Apple's GPUs multiply no narrower format faster: fp32 is their only peak, and nothing stands in for bf16. */
START_TEST(device_with_fp32_alone) {
    roofline_device *device = opened("apple-m1-max");
    roofline_error error;
    double flops;
    expect_ok(roofline_device_peak(device, ROOFLINE_ARITHMETIC_FP32, &flops, &error), &error);
    ck_assert(same_bits(flops, 10.6e12));
    expect_error(roofline_device_peak(device, ROOFLINE_ARITHMETIC_BF16, &flops, &error), ROOFLINE_UNSUPPORTED, &error,
                 "arithmetic");
    roofline_device_free(device);
    expect_error(roofline_device_open("apple-m3-ultra", &device, &error), ROOFLINE_NOT_FOUND, &error, "name");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("device");
    int entries = (int)roofline_device_count();
    TCase *catalogue = tcase_create("catalogue");
    tcase_add_loop_test(catalogue, published_figures, 0, (int)(sizeof published_rows / sizeof *published_rows));
    tcase_add_test(catalogue, usable_memory_is_what_the_driver_reports);
    tcase_add_test(catalogue, rest_of_the_h100);
    tcase_add_loop_test(catalogue, catalogue_entry_round_trips, 0, entries);
    tcase_add_loop_test(catalogue, catalogue_entry_is_its_file, 0, entries);
    tcase_add_loop_test(catalogue, catalogue_entry_is_complete, 0, entries);
    tcase_add_test(catalogue, catalogue_ids);
    tcase_add_test(catalogue, names_that_people_type);
    tcase_add_test(catalogue, unknown_name);
    tcase_add_test(catalogue, recalled_figures_of_the_catalogue);
    tcase_add_test(catalogue, device_that_is_mostly_recalled);
    tcase_add_test(catalogue, device_with_fp32_alone);
    suite_add_tcase(suite, catalogue);
    TCase *numbers = tcase_create("numbers");
    tcase_add_test(numbers, peak_that_the_chip_lacks);
    tcase_add_test(numbers, sparse_peaks);
    tcase_add_test(numbers, every_arithmetic_has_a_field);
    tcase_add_test(numbers, create_from_numbers);
    tcase_add_test(numbers, negative_zero_is_zero);
    tcase_add_test(numbers, create_from_other_sizes);
    tcase_add_test(numbers, create_refuses_numbers);
    tcase_add_test(numbers, create_refuses_texts);
    tcase_add_test(numbers, create_refuses_links);
    tcase_add_test(numbers, null_arguments);
    suite_add_tcase(suite, numbers);
    TCase *json = tcase_create("json");
    tcase_add_loop_test(json, parse_refuses, 0, (int)(sizeof bad_texts / sizeof *bad_texts));
    tcase_add_test(json, users_own_file);
    tcase_add_test(json, what_the_command_prints_loads_back);
    tcase_add_test(json, round_trip_of_awkward_numbers);
    tcase_add_test(json, load_from_a_file);
    tcase_add_test(json, documented_example);
    tcase_add_test(json, buffers);
    tcase_add_test(json, sources);
    suite_add_tcase(suite, json);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
