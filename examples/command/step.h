/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMAND_STEP_H
#define COMMAND_STEP_H

#include <stdbool.h>
#include <stddef.h>

#include "inputs.h"
#include "roofline.h"
#include "work.h"

/* All that is known of one step. */
typedef struct priced_step {
    plan_input planned;
    step_work work;
    roofline_step_result result;
    roofline_memory_result memory;
    int64_t context_tokens; /* the longest of the step, which `memory` is about */
    roofline_kernel *kernels;
    size_t kernel_count;
} priced_step;

/* step_text.c */
void step_print(const priced_step *step, bool with_kernels);

/* What follows from formats, policy and peaks; also at the head of `sweep`. */
void plan_print(const plan_input *planned);

#endif
