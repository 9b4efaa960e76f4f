/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"

#include <stddef.h>

#include "error.h"
#include "structs.h"

static const format_facts facts[] = {
    [ROOFLINE_FORMAT_FP32] = {32, ROOFLINE_ARITHMETIC_FP32, true},
    [ROOFLINE_FORMAT_FP16] = {16, ROOFLINE_ARITHMETIC_FP16, true},
    [ROOFLINE_FORMAT_BF16] = {16, ROOFLINE_ARITHMETIC_BF16, true},
    [ROOFLINE_FORMAT_FP8] = {8, ROOFLINE_ARITHMETIC_FP8, false},
    [ROOFLINE_FORMAT_INT8] = {8, ROOFLINE_ARITHMETIC_INT8, false},
    [ROOFLINE_FORMAT_FP4] = {4, ROOFLINE_ARITHMETIC_FP4, false},
    [ROOFLINE_FORMAT_INT4] = {4, ROOFLINE_ARITHMETIC_DEFAULT, false},
};

/* By value, so that the paths that are taken per kernel need no look-up by text. */
static const bool arithmetics[] = {
    [ROOFLINE_ARITHMETIC_FP32] = true,        [ROOFLINE_ARITHMETIC_TF32] = true,
    [ROOFLINE_ARITHMETIC_FP16] = true,        [ROOFLINE_ARITHMETIC_BF16] = true,
    [ROOFLINE_ARITHMETIC_FP8] = true,         [ROOFLINE_ARITHMETIC_INT8] = true,
    [ROOFLINE_ARITHMETIC_FP4] = true,         [ROOFLINE_ARITHMETIC_FP16_ACC16] = true,
    [ROOFLINE_ARITHMETIC_FP8_ACC16] = true,   [ROOFLINE_ARITHMETIC_TF32_SPARSE] = true,
    [ROOFLINE_ARITHMETIC_FP16_SPARSE] = true, [ROOFLINE_ARITHMETIC_BF16_SPARSE] = true,
    [ROOFLINE_ARITHMETIC_FP8_SPARSE] = true,  [ROOFLINE_ARITHMETIC_INT8_SPARSE] = true,
    [ROOFLINE_ARITHMETIC_FP4_SPARSE] = true,
};

bool format_is_known(roofline_format format) {
    return format > 0 && (size_t)format < sizeof facts / sizeof *facts && facts[format].bits > 0;
}

const format_facts *format_get(roofline_format format) {
    return &facts[format];
}

double format_bytes(roofline_format format) {
    return facts[format].bits / 8;
}

const char *format_text(roofline_format format) {
    const char *text = roofline_constant_text("roofline_format", format);
    return text ? text : "unknown";
}

bool arithmetic_is_known(roofline_arithmetic arithmetic) {
    return arithmetic > 0 && (size_t)arithmetic < sizeof arithmetics / sizeof *arithmetics && arithmetics[arithmetic];
}

const char *arithmetic_text(roofline_arithmetic arithmetic) {
    const char *text = roofline_constant_text("roofline_arithmetic", arithmetic);
    return text ? text : "unknown";
}

roofline_status roofline_format_info(roofline_format format, roofline_format_info_result *out, roofline_error *error) {
    roofline_status status = struct_check(out, "roofline_format_info_result", error);
    if (status)
        return status;
    if (!format_is_known(format))
        return error_set(error, ROOFLINE_RANGE, "format", "%d is no format; see the values of roofline_format",
                         (int)format);
    roofline_format_info_result result = {
        .format = format, .bits_per_element = facts[format].bits, .arithmetic = facts[format].arithmetic};
    struct_write(out, &result, sizeof result);
    return error_clear(error);
}
