/* SPDX-License-Identifier: Apache-2.0 */
/* The assumptions behind a device, a model and a plan, for people and as JSON. A handle that is NULL has none. */
#ifndef COMMAND_NOTES_H
#define COMMAND_NOTES_H

#include "json_out.h"
#include "roofline.h"

void notes_print(const roofline_device *device, const roofline_model *model, const roofline_plan *plan);
/* "notes": [{"about": "plan", "code", "severity", "field", "text"}, ...] */
void notes_json(json_out *out, const roofline_device *device, const roofline_model *model, const roofline_plan *plan);

#endif
