/* SPDX-License-Identifier: Apache-2.0 */
#include "peaks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "print.h"

static bool is_sparse(const char *word) {
    const char *suffix = strrchr(word, '_');
    return suffix && !strcmp(suffix, "_sparse");
}

roofline_arithmetic peaks_next(int64_t *index, const char **word) {
    enum {
        ARITHMETICS = sizeof((roofline_device_spec *)0)->peaks_flops / sizeof(double)
    };
    while (++*index < ARITHMETICS) {
        *word = roofline_constant_text("roofline_arithmetic", (int32_t)*index);
        if (*word && !is_sparse(*word))
            return (roofline_arithmetic)*index;
    }
    return ROOFLINE_ARITHMETIC_DEFAULT;
}

void peaks_print(const roofline_device_spec *spec) {
    static const char *const headings[] = {"  dense peak", "", "ridge FLOP/byte"};
    table rows;
    const char *word;
    roofline_arithmetic arithmetic;
    table_begin(&rows, "lrr", headings);
    for (int64_t index = 0; (arithmetic = peaks_next(&index, &word));) {
        double flops = spec->peaks_flops[arithmetic];
        char label[32];
        if (flops <= 0)
            continue;
        snprintf(label, sizeof label, "  %s", word);
        table_cell(&rows, label);
        table_cell(&rows, print_scaled(flops, "FLOP/s").text);
        table_cell(&rows, print_number(flops / spec->memory_bytes_per_s).text);
    }
    table_print(&rows);
    table_free(&rows);
}

void ridges_json(json_out *out, const roofline_device *device) {
    const char *word;
    roofline_arithmetic arithmetic;
    json_object(out, "ridge_flop_per_byte");
    for (int64_t index = 0; (arithmetic = peaks_next(&index, &word));) {
        double ridge;
        if (roofline_device_ridge(device, arithmetic, &ridge, NULL) == ROOFLINE_OK)
            json_real(out, word, ridge);
    }
    json_object_end(out);
}

void peaks_csv_names(csv_out *out) {
    const char *word;
    for (int64_t index = 0; peaks_next(&index, &word);) {
        char name[64];
        snprintf(name, sizeof name, "peaks_flops/%s", word);
        csv_text(out, name);
    }
}

void peaks_csv(csv_out *out, const roofline_device_spec *spec) {
    const char *word;
    roofline_arithmetic arithmetic;
    for (int64_t index = 0; (arithmetic = peaks_next(&index, &word));) {
        double flops = spec->peaks_flops[arithmetic];
        csv_real(out, flops > 0 ? flops : NAN);
    }
}
