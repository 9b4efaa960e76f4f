/* SPDX-License-Identifier: Apache-2.0 */
/* The sequences of one step, from --batch and --context, --prefill and --mix together. */
#ifndef COMMAND_WORK_H
#define COMMAND_WORK_H

#include <stddef.h>

#include "arguments.h"
#include "roofline.h"

typedef struct step_work {
    roofline_sequences *groups;
    size_t count;
    size_t mix_first; /* groups from here on come from --mix */
} step_work;

int work_read(const argument_list *list, step_work *out);
void work_free(step_work *out);

/* fail_error that says which flag, or which element of the --mix file, a group came from. */
int work_fail(const argument_list *list, const step_work *of, const roofline_error *error);

/* mix.c: appends the groups of a JSON file. */
int work_read_mix(const argument_list *list, const char *path, step_work *out);
void work_append(step_work *out, roofline_sequences group);

#endif
