/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers of a Hugging Face config have routed experts, and of what shape. */
#ifndef ROOFLINE_MODEL_HF_EXPERTS_H
#define ROOFLINE_MODEL_HF_EXPERTS_H

#include "json.h"
#include "model_hf_families.h"

/* All zero: every layer is dense. */
typedef struct routed_experts {
    int64_t layers; /* that have them */
    int64_t experts;
    int64_t experts_per_token;
    int64_t expert_intermediate;
    int64_t shared_intermediate; /* of the shared experts together */
    int64_t vector_parameters;   /* that one of these layers has beyond a dense one's */
} routed_experts;

/* keys NULL: nothing is read. hidden and layers: the model's. */
roofline_status read_routed_experts(json_object *root, const expert_keys *keys, int64_t hidden, int64_t layers,
                                    routed_experts *out, roofline_error *error);

#endif
