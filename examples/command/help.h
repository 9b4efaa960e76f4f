/* SPDX-License-Identifier: Apache-2.0 */
/* --help, made from the table of flags. */
#ifndef COMMAND_HELP_H
#define COMMAND_HELP_H

#include "flags.h"

void help_print(void);
void help_print_subcommand(const subcommand *command);

/* The sections of a subcommand's flags in the table's order: `*index` starts at 0; NULL at the end. */
const char *help_section_next(const subcommand *command, size_t *index);

/* " (required)", " (may be repeated)" or "": what the help adds to a flag. */
const char *help_rule(const flag_row *row);

/* "roofline step --model MODEL --device DEVICE [flags]" */
void help_synopsis(const subcommand *command, char *text, size_t size);

#endif
