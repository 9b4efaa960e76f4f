/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, models and plans from what stands on the command line. */
#ifndef COMMAND_INPUTS_H
#define COMMAND_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "arguments.h"
#include "roofline.h"

/*
 * A file (for a model also a folder with a config.json), "-" for standard input, or a name from the catalogue. All
 * return 0, or an exit status after a message.
 */
int input_device(const argument_list *list, const char *name, roofline_device **out);
int input_model(const argument_list *list, const char *name, roofline_model **out);

/* --device, --model and the deployment, compiled. */
typedef struct plan_input {
    roofline_device *device;
    roofline_model *model;
    roofline_deployment deployment;
    roofline_plan *plan;
    roofline_plan_info_result info;
} plan_input;
int input_plan(const argument_list *list, plan_input *out);
void plan_input_free(plan_input *out);

/* Text that the library gives, to be freed. */
char *device_json(const roofline_device *device);
char *model_json(const roofline_model *model);
char *device_source(const roofline_device *device, const char *field);
char *kernel_name(const roofline_plan *plan, int32_t name_id);

/* All of a file or, for "-", of standard input; at most 16 MiB. *bytes ends in NUL and is freed by the caller. */
int input_read(const argument_list *list, const char *path, char **bytes, size_t *length);

#endif
