/* SPDX-License-Identifier: Apache-2.0 */
/* roofline devices */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "csv_out.h"
#include "inputs.h"
#include "json_out.h"
#include "peaks.h"
#include "print.h"

static short_text peak_cell(const roofline_device_spec *spec, roofline_arithmetic arithmetic) {
    double flops = spec->peaks_flops[arithmetic];
    return flops > 0 ? print_number(flops / 1e12) : (short_text){"-"};
}

static void add_row(table *rows, const char *id, const roofline_device_spec *spec) {
    double bf16 = spec->peaks_flops[ROOFLINE_ARITHMETIC_BF16];
    table_cell(rows, id);
    table_cell(rows, spec->name);
    table_cell(rows, print_number((double)spec->memory_bytes / 1e9).text);
    table_cell(rows, print_number(spec->memory_bytes_per_s / 1e9).text);
    table_cell(rows, peak_cell(spec, ROOFLINE_ARITHMETIC_BF16).text);
    table_cell(rows, peak_cell(spec, ROOFLINE_ARITHMETIC_FP8).text);
    table_cell(rows, bf16 > 0 ? print_number(bf16 / spec->memory_bytes_per_s).text : "-");
    table_cell(rows, spec->tdp_w > 0 ? print_number(spec->tdp_w).text : "-");
}

static void csv_row(csv_out *out, const char *id, const roofline_device_spec *spec) {
    csv_text(out, id);
    csv_fields(out, "roofline_device_spec", spec);
    peaks_csv(out, spec);
    csv_line_end(out);
}

static void csv_heading(csv_out *out) {
    csv_text(out, "id");
    csv_names(out, "roofline_device_spec");
    peaks_csv_names(out);
    csv_line_end(out);
}

static void json_element(json_out *out, const char *id, const roofline_device *device) {
    char *text = device_json(device);
    json_object(out, NULL);
    json_text(out, "id", id);
    json_members(out, text);
    json_object_end(out);
    free(text);
}

static void print_list(const table *rows) {
    table_print(rows);
    puts("");
    print_wrapped(
        "GB is the nominal memory. bf16 and fp8 are dense peaks in TFLOP/s. ridge is bf16's: a kernel with fewer "
        "FLOP per byte is memory-bound. W is the power limit.",
        0, 0);
}

int command_devices(const argument_list *list) {
    static const char *const headings[] = {"id", "name", "GB", "GB/s", "bf16", "fp8", "ridge", "W"};
    bool json = argument_given(list, "json"), csv = argument_given(list, "csv");
    json_out objects = {0};
    csv_out lines = {0};
    table rows;
    table_begin(&rows, "llrrrrrr", headings);
    if (json)
        json_array(&objects, NULL);
    if (csv)
        csv_heading(&lines);
    int status = EXIT_DONE;
    for (int64_t i = 0; i < roofline_device_count() && !status; i++) {
        const char *id = roofline_device_id(i);
        roofline_device *device = NULL;
        roofline_device_spec spec = {.struct_size = sizeof spec};
        roofline_error error;
        if (roofline_device_open(id, &device, &error) != ROOFLINE_OK ||
            roofline_device_info(device, &spec, &error) != ROOFLINE_OK)
            status = fail_error(list->command, id, &error);
        else if (json)
            json_element(&objects, id, device);
        else if (csv)
            csv_row(&lines, id, &spec);
        else
            add_row(&rows, id, &spec);
        roofline_device_free(device);
    }
    if (json)
        json_array_end(&objects);
    else if (!csv && !status)
        print_list(&rows);
    table_free(&rows);
    return status;
}
