/* SPDX-License-Identifier: Apache-2.0 */
/* What each architecture of Hugging Face configs hard-wires, and what it takes when a key is missing. */
#ifndef ROOFLINE_MODEL_HF_FAMILIES_H
#define ROOFLINE_MODEL_HF_FAMILIES_H

#include <stdbool.h>

#include "roofline.h"

/* Spellings of one key, NULL after the last. */
typedef const char *key_names[3];

typedef struct shape_keys {
    key_names hidden;
    key_names layers;
    key_names query_heads;
    key_names kv_heads;     /* none: as many as query heads */
    key_names intermediate; /* none: 4 * hidden */
    key_names positions;
} shape_keys;

/* Keys of routed experts. A NULL among the last five: the architecture has no such thing. */
typedef struct expert_keys {
    key_names experts;
    key_names experts_per_token;
    key_names width;          /* of one expert's MLP */
    const char *shared_width; /* of the shared expert's MLP */
    const char *shared_count; /* of shared experts, each as wide as a routed one */
    const char *first_dense;  /* so many layers at the bottom are dense */
    const char *sparse_step;  /* every so many-th layer has experts, */
    const char *dense_layers; /* but for those listed here */
    bool shared_gate;         /* one row of hidden elements, the shared expert's own gate */
    bool router_bias;         /* an element for each expert, in every layer that has them */
} expert_keys;

/* A vector that is always there (no key), never there, or asked for by a key. */
typedef struct toggle {
    const char *key;
    bool standard; /* without the key */
} toggle;

typedef enum qk_norm_width {
    QK_NORM_NONE,
    QK_NORM_SHARED, /* one vector of head_dim for all query heads, one for all key heads */
    QK_NORM_FULL    /* a vector for every query head and every key head */
} qk_norm_width;

typedef enum window_rule {
    WINDOW_NONE,
    WINDOW_ALL,    /* every layer, once sliding_window is a number */
    WINDOW_UPPER,  /* layers from max_window_layers on, if use_sliding_window */
    WINDOW_PATTERN /* all but every pattern-th layer */
} window_rule;

/* Families with keys of their own that fit into no column. */
typedef enum special_rule {
    SPECIAL_NONE,
    SPECIAL_FALCON,
    SPECIAL_OPT,
    SPECIAL_STABLELM,
    SPECIAL_STARCODER2
} special_rule;

typedef struct family {
    const char *model_type;
    const shape_keys *keys;
    const expert_keys *expert_keys; /* NULL: every layer is dense */
    int64_t head_dim;               /* without head_dim: the architecture's own; 0: hidden / query heads */
    int64_t mlp_factor;             /* intermediate is this times hidden when its key is missing; 0: it must be there */
    int64_t layer_norms;            /* in one layer */
    int64_t outer_norms;            /* final norm, embedding norm */
    toggle qk_norm_use;
    toggle qkv_bias;
    toggle output_bias;
    toggle mlp_bias;
    toggle logits_bias;
    int64_t extra_positions; /* rows of the position table beyond the stated positions */
    int64_t window;          /* without sliding_window; 0: none */
    int64_t pattern;
    const char *pattern_key;
    const char *prediction_layers; /* key: layers that predict further tokens, kept out of the count */
    window_rule windows;
    special_rule special;
    qk_norm_width qk_norm;
    bool kv_heads_needed; /* the key must be there (it may be null: as many as query heads) */
    bool head_dim_fixed;  /* it is hidden / query heads, whatever head_dim says */
    bool gated_mlp;
    bool tied; /* without tie_word_embeddings */
    bool norm_bias;
    bool qk_norm_bias;
    bool learned_positions;
} family;

/* NULL when the model_type is none of them. */
const family *find_family(const char *model_type);

/* ROOFLINE_UNSUPPORTED that lists every family. */
roofline_status refuse_model_type(const char *model_type, roofline_error *error);

#endif
