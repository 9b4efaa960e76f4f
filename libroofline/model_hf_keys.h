/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of a Hugging Face config.json: counts with several spellings, and what no family reads, which is harmless,
 * changes the count, or is not understood.
 */
#ifndef ROOFLINE_MODEL_HF_KEYS_H
#define ROOFLINE_MODEL_HF_KEYS_H

#include "json.h"
#include "model_hf_families.h"
#include "note.h"

/* A count under any of its spellings. When none is there: `fallback`, or, where that is 0, an error. */
roofline_status read_count(json_object *root, const key_names keys, int64_t most, int64_t fallback, int64_t *out,
                           roofline_error *error);

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
