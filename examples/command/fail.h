/* SPDX-License-Identifier: Apache-2.0 */
/* How the command gives up: one message on standard error, "roofline step: ...", and the exit status for bad input. */
#ifndef COMMAND_FAIL_H
#define COMMAND_FAIL_H

#include <stddef.h>

#include "flags.h"
#include "roofline.h"

#if defined(__GNUC__)
#define FAIL_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define FAIL_PRINTF(text, values)
#endif

/* Both return EXIT_BAD_INPUT. `command` may be NULL. */
int fail(const subcommand *command, const char *format, ...) FAIL_PRINTF(2, 3);

/*
 * Names the flag when the library's error is about a field that a flag of the subcommand fills; else `about` (a file or
 * a flag with its value, NULL: nothing), the line and the JSON path.
 */
int fail_error(const subcommand *command, const char *about, const roofline_error *error);

/* "roofline step: warning: ..." on standard error. */
void warn(const subcommand *command, const char *format, ...) FAIL_PRINTF(2, 3);

/* realloc of count * size bytes, above 0, that never gives NULL: a command without memory says so and ends. */
void *reallocate(void *pointer, size_t count, size_t size);

#endif
