/* SPDX-License-Identifier: Apache-2.0 */
/* The command line as a list in the order it was given, checked against the table of flags. */
#ifndef COMMAND_ARGUMENTS_H
#define COMMAND_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fail.h"
#include "flags.h"
#include "roofline.h"

typedef struct argument {
    const flag_row *flag; /* NULL: an operand */
    const char *value;    /* of the flag, NULL for a switch; or the operand itself */
    int operand;          /* how many operands stand before a flag; of an operand: its own number, from 1 */
} argument;

typedef struct argument_list {
    const subcommand *command;
    argument *items;
    size_t count;
} argument_list;

enum {
    ANYWHERE = -1
};

/* Returns 0, or an exit status after a message on standard error. `argv[0]` is the subcommand. --help is in the list.
 */
int arguments_parse(const subcommand *command, int argc, char **argv, argument_list *out);
void arguments_free(argument_list *list);

/* Fails, with a message, when a required flag is missing. `operand`: only flags that follow that operand. */
int arguments_require(const argument_list *list, int operand);

bool argument_given(const argument_list *list, const char *name);
/* The text of a flag, or NULL when it is not there. */
const char *argument_value(const argument_list *list, const char *name);
/* The operand of this number, from 1, or NULL. */
const char *argument_operand(const argument_list *list, int number);

/*
 * Stores every flag that fills a field of `struct_name` in *out. operand: only flags after the operand of that number,
 * or ANYWHERE. Only how a value is written is checked here; the library checks what it may be.
 */
int arguments_fill(const argument_list *list, const char *struct_name, int operand, void *out);

/* The value of one flag that fills no field, stored by its kind; *out is left alone when the flag is not there. */
int argument_read(const argument_list *list, const char *name, void *out);

#endif
