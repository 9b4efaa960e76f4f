/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of single numbers and texts where they enter; `path` is what the message names. 0 is a default. */
#ifndef ROOFLINE_CHECKS_H
#define ROOFLINE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline.h"

roofline_status check_count(int64_t value, int64_t least, int64_t most, const char *path, roofline_error *error);
roofline_status check_format(roofline_format format, const char *path, roofline_error *error);
roofline_status check_arithmetic(roofline_arithmetic arithmetic, const char *path, roofline_error *error);
roofline_status check_traffic(roofline_traffic traffic, const char *path, roofline_error *error);

/* A text in an array of `size` bytes: it ends in NUL and is UTF-8 without characters that a terminal would obey. */
roofline_status check_text(const char *text, size_t size, bool required, const char *path, roofline_error *error);

#endif
