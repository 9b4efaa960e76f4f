/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a Hugging Face config.json that no family reads: harmless, changing the count, or not understood. */
#ifndef ROOFLINE_MODEL_HF_KEYS_H
#define ROOFLINE_MODEL_HF_KEYS_H

#include "json.h"
#include "note.h"

/* What the check must know of the model. */
typedef struct config_facts {
    const char *model_type;
    int64_t query_heads;
} config_facts;

/*
 * Goes over every key that has not been read. A harmless one is passed over; one that would change the count is
 * ROOFLINE_UNSUPPORTED unless its value is neutral (null, false, 0, empty); any other becomes a note.
 */
roofline_status check_other_keys(json_object *root, const config_facts *facts, note_list *notes, roofline_error *error);

#endif
