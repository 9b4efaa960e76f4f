/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz programs share: a demand that ends the program, and demands on what every call promises. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "roofline.h"

/* The entry of libFuzzer and of replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEMAND(condition) demand((condition) != 0, #condition, __FILE__, __LINE__)
void demand(int holds, const char *condition, const char *file, int line);

/* A status and its error agree; a failure has a sentence, and no text of valid input runs out of memory. */
void demand_error(roofline_status status, const roofline_error *error);

/* Text of a handle, by the size that the first call asks for; the caller frees it. */
typedef roofline_status (*text_of)(const void *handle, char *buffer, size_t capacity, size_t *needed,
                                   roofline_error *error);
char *demand_text(text_of give, const void *handle);

/* The plan of both, when there is one: steps are priced, and the order of the bounds and the shares hold. */
void demand_steps(const roofline_device *device, const roofline_model *model);

#endif
