/* SPDX-License-Identifier: Apache-2.0 */
/* Peaks and ridges of a device, one for each arithmetic that it has units for. Sparse peaks are not shown. */
#ifndef COMMAND_PEAKS_H
#define COMMAND_PEAKS_H

#include <stdint.h>

#include "csv_out.h"
#include "json_out.h"
#include "roofline.h"

/* The next dense arithmetic, with its word; *index starts at 0. 0 at the end. */
roofline_arithmetic peaks_next(int64_t *index, const char **word);

void peaks_print(const roofline_device_spec *spec);
/* "ridge_flop_per_byte": {"bf16": ...} */
void ridges_json(json_out *out, const roofline_device *device);

/* Columns "peaks_flops/bf16", ...; empty where the chip has no such units. */
void peaks_csv_names(csv_out *out);
void peaks_csv(csv_out *out, const roofline_device_spec *spec);

#endif
