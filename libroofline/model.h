/* SPDX-License-Identifier: Apache-2.0 */
/* What later stages see of a model. */
#ifndef ROOFLINE_MODEL_H
#define ROOFLINE_MODEL_H

#include "json.h"
#include "note.h"
#include "roofline.h"

enum {
    MODEL_GROUP_LIMIT = 64,
    MODEL_LAYERS_LIMIT = 1 << 20,
    MODEL_HEADS_LIMIT = 1 << 20,
    MODEL_EXPERTS_LIMIT = 1 << 16,
    MODEL_WIDTH_LIMIT = 1 << 24 /* hidden, head_dim, intermediate */
};
#define MODEL_ROWS_LIMIT (INT64_C(1) << 32) /* vocabulary, positions, windows */

struct roofline_model {
    roofline_model_spec spec; /* format resolved, value_head_dim of groups resolved */
    roofline_layer_group *groups;
    size_t group_count;
    note_list notes;
    bool format_assumed; /* nothing said it, so JSON does not either */
};

/* Elements of one layer's matrices, in the order that a step runs them; 0 where the layer has none. */
typedef struct layer_matrices {
    int64_t qkv;
    int64_t attention_output;
    int64_t gate_up; /* gate and up, or up alone */
    int64_t down;
    int64_t router;
    int64_t expert; /* gate, up and down of ONE routed expert */
} layer_matrices;
layer_matrices layer_matrices_of(const roofline_model_spec *spec, const roofline_layer_group *group);

/* Elements of one token's K and V in one layer. */
int64_t layer_kv_elements(const roofline_layer_group *group);

/* What the path of an error of model_make names: a field of the caller's struct, a key of our JSON, or nothing. */
typedef enum model_paths {
    MODEL_PATHS_STRUCT,
    MODEL_PATHS_JSON,
    MODEL_PATHS_NONE
} model_paths;

/*
 * Checks every number and makes the handle; takes the notes over (and frees them on failure) and adds those that follow
 * from the numbers: format assumed, windows. Shared by every reader.
 */
roofline_status model_make(const roofline_model_spec *spec, const roofline_layer_group *groups, size_t group_count,
                           model_paths paths, note_list *notes, roofline_model **out, roofline_error *error);

/* model_hf.c: a Hugging Face config.json whose root object is open. name: of the model if the file has none, or "". */
roofline_status model_from_config(json_object *root, const char *name, roofline_model **out, roofline_error *error);

#endif
