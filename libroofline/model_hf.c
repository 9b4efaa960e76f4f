/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models from a Hugging Face config.json of a decoder-only transformer. What an architecture hard-wires, and what
 * it takes when a key is missing, stands in one table of families; keys that no family reads are in model_hf_keys.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "model.h"
#include "model_hf_experts.h"
#include "model_hf_families.h"
#include "model_hf_keys.h"

/* ------------------------------------------------------------------------------------------------- small readers -- */

/* What is known of the config so far. */
typedef struct config {
    json_object *root;
    const family *family;
    roofline_error *error;
    note_list notes;
    roofline_model_spec spec;
    roofline_layer_group group; /* of all layers, but for windows and experts */
    routed_experts routed;
    int64_t windowed_layers;
    int64_t layer_norms;
    int64_t outer_norms;
} config;

static roofline_status note_added(config *c, roofline_status status) {
    return status ? error_set(c->error, status, "", "no memory is left for the model's notes") : ROOFLINE_OK;
}

static json_path path_of(const config *c, const char *key) {
    return json_path_of(c->root, key);
}

enum {
    NOT_STATED = -1
};

/* A missing or null key leaves *out alone. */
static roofline_status read_flag(config *c, const char *key, bool *out) {
    return json_boolean(c->root, key, false, out, c->error);
}

static roofline_status read_toggle(config *c, const toggle *use, bool *out) {
    *out = use->standard;
    return use->key ? read_flag(c, use->key, out) : ROOFLINE_OK;
}

/* ----------------------------------------------------------------------------------------------- steps, in order -- */

static roofline_status read_shape(config *c) {
    static const key_names vocab = {"vocab_size"};
    const shape_keys *keys = c->family->keys;
    roofline_status status = read_count(c->root, keys->hidden, MODEL_WIDTH_LIMIT, 0, &c->spec.hidden, c->error);
    if (status == ROOFLINE_OK)
        status = read_count(c->root, keys->layers, MODEL_LAYERS_LIMIT, 0, &c->group.layers, c->error);
    if (status == ROOFLINE_OK)
        status = read_count(c->root, vocab, MODEL_ROWS_LIMIT, 0, &c->spec.vocab, c->error);
    return status;
}

/* Only a learned table needs to know how many positions there are; elsewhere they are the publisher's word. */
static roofline_status read_positions(config *c) {
    bool learned = c->family->learned_positions;
    int64_t positions = 0;
    roofline_status status = read_count(c->root, c->family->keys->positions, MODEL_ROWS_LIMIT, learned ? 0 : NOT_STATED,
                                        &positions, c->error);
    if (status || positions == NOT_STATED)
        return status;
    c->spec.max_context_tokens = positions;
    c->spec.position_rows = learned ? positions + c->family->extra_positions : 0;
    return ROOFLINE_OK;
}

static roofline_status note_kv_heads(config *c, const char *key) {
    return note_added(c, note_add(&c->notes, ROOFLINE_NOTE_DEFAULT_USED, ROOFLINE_SEVERITY_ASSUMPTION, key,
                                  "%s is missing or null; as many KV heads as query heads, %lld, are taken, the "
                                  "default of model_type '%s'.",
                                  key, (long long)c->group.query_heads, c->family->model_type));
}

/* Whether falcon reads its key is only known once its layout is (adjust_falcon_heads). */
static roofline_status read_kv_heads(config *c) {
    const char *key = c->family->keys->kv_heads[0];
    c->group.kv_heads = c->group.query_heads;
    if (!key)
        return ROOFLINE_OK;
    bool required = c->family->kv_heads_needed && !json_has(c->root, key);
    roofline_status status = json_integer(c->root, key, required, 1, MODEL_HEADS_LIMIT, &c->group.kv_heads, c->error);
    if (status || json_get(c->root, key) || c->family->special == SPECIAL_FALCON)
        return status;
    return note_kv_heads(c, key);
}

/* The width of a head: its key, the architecture's own, or hidden split among the query heads. */
static roofline_status read_head_dim(config *c) {
    int64_t head_dim = 0;
    roofline_status status = json_integer(c->root, "head_dim", false, 1, MODEL_WIDTH_LIMIT, &head_dim, c->error);
    if (status)
        return status;
    if (head_dim == 0 && c->family->head_dim > 0) {
        head_dim = c->family->head_dim;
        status = note_added(c, note_add(&c->notes, ROOFLINE_NOTE_DEFAULT_USED, ROOFLINE_SEVERITY_ASSUMPTION, "head_dim",
                                        "head_dim is missing; %lld, the default of model_type '%s', is taken.",
                                        (long long)head_dim, c->family->model_type));
    }
    if (head_dim == 0 && c->spec.hidden % c->group.query_heads != 0)
        return error_set(c->error, ROOFLINE_RANGE, path_of(c, c->family->keys->query_heads[0]).text,
                         "%lld query heads do not divide the hidden size %lld, and there is no head_dim; correct one "
                         "of them",
                         (long long)c->group.query_heads, (long long)c->spec.hidden);
    if (head_dim > 0 && c->family->head_dim_fixed && head_dim * c->group.query_heads != c->spec.hidden)
        return error_set(c->error, ROOFLINE_UNSUPPORTED, "/head_dim",
                         "head_dim is %lld, but model_type '%s' splits the hidden size %lld among %lld query heads",
                         (long long)head_dim, c->family->model_type, (long long)c->spec.hidden,
                         (long long)c->group.query_heads);
    c->group.head_dim = head_dim ? head_dim : c->spec.hidden / c->group.query_heads;
    c->group.value_head_dim = c->group.head_dim;
    return status;
}

static roofline_status read_attention(config *c) {
    roofline_status status =
        read_count(c->root, c->family->keys->query_heads, MODEL_HEADS_LIMIT, 0, &c->group.query_heads, c->error);
    if (status == ROOFLINE_OK)
        status = read_kv_heads(c);
    return status ? status : read_head_dim(c);
}

static roofline_status read_experts(config *c) {
    return read_routed_experts(c->root, c->family->expert_keys, c->spec.hidden, c->group.layers, &c->routed, c->error);
}

/* Of dense layers. Where every layer has experts the key may be missing, and says nothing. */
static roofline_status read_mlp(config *c) {
    c->group.gated_mlp = c->family->gated_mlp;
    bool dense = c->routed.layers < c->group.layers;
    int64_t fallback = dense ? c->family->mlp_factor * c->spec.hidden : NOT_STATED;
    return read_count(c->root, c->family->keys->intermediate, MODEL_WIDTH_LIMIT, fallback, &c->group.intermediate,
                      c->error);
}

static roofline_status check_kv_heads(config *c) {
    if (c->group.query_heads % c->group.kv_heads == 0)
        return ROOFLINE_OK;
    return error_set(c->error, ROOFLINE_RANGE, path_of(c, c->family->keys->kv_heads[0]).text,
                     "%lld KV heads do not divide the %lld query heads; every KV head serves as many query heads as "
                     "any other",
                     (long long)c->group.kv_heads, (long long)c->group.query_heads);
}

typedef struct dtype_row {
    const char *text;
    roofline_format format;
} dtype_row;

static roofline_status format_of(config *c, const char *key, const char *text, roofline_format *out) {
    static const dtype_row rows[] = {
        {"bfloat16", ROOFLINE_FORMAT_BF16}, {"float16", ROOFLINE_FORMAT_FP16}, {"float32", ROOFLINE_FORMAT_FP32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(text, rows[i].text) == 0) {
            *out = rows[i].format;
            return ROOFLINE_OK;
        }
    }
    return error_set(c->error, ROOFLINE_UNSUPPORTED, path_of(c, key).text,
                     "%s '%s' is not supported; supported: bfloat16, float16, float32", key,
                     error_quote(text, strlen(text)).text);
}

/* torch_dtype, or dtype as newer files have it. Without either the format stays 0, and model_make notes it. */
static roofline_status read_format(config *c) {
    static const char *const keys[] = {"torch_dtype", "dtype"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = NULL;
        roofline_format format = ROOFLINE_FORMAT_DEFAULT;
        roofline_status status = json_string(c->root, keys[i], false, &text, c->error);
        if (status == ROOFLINE_OK && text)
            status = format_of(c, keys[i], text, &format);
        if (status)
            return status;
        if (format && c->spec.format && format != c->spec.format)
            return error_set(c->error, ROOFLINE_SCHEMA, path_of(c, keys[i]).text,
                             "dtype and torch_dtype differ; remove the wrong one");
        c->spec.format = format ? format : c->spec.format;
    }
    return ROOFLINE_OK;
}

static roofline_status read_tied(config *c) {
    bool tied = c->family->tied;
    bool given = json_get(c->root, "tie_word_embeddings") != NULL;
    roofline_status status = read_flag(c, "tie_word_embeddings", &tied);
    c->spec.tied_embeddings = tied;
    if (status || given)
        return status;
    return note_added(c, note_add(&c->notes, ROOFLINE_NOTE_DEFAULT_USED, ROOFLINE_SEVERITY_ASSUMPTION,
                                  "tie_word_embeddings",
                                  "tie_word_embeddings is missing; model_type '%s' %s the embedding and the logits "
                                  "matrix by default.",
                                  c->family->model_type, tied ? "ties" : "does not tie"));
}

/* A checkpoint with another head than logits (a classifier, a reward model) has other parameters. */
static roofline_status read_architectures(config *c) {
    static const char *const endings[] = {"ForCausalLM", "LMHeadModel"};
    const json_value *array = json_get(c->root, "architectures");
    const json_value *first = array && json_is_array(array) ? json_array_first(array) : NULL;
    if (!first || !json_is_string(first))
        return ROOFLINE_OK;
    const char *name = json_string_of(first);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(name), ending = strlen(endings[i]);
        if (length >= ending && strcmp(name + length - ending, endings[i]) == 0)
            return ROOFLINE_OK;
    }
    return error_set(c->error, ROOFLINE_UNSUPPORTED, "/architectures/0",
                     "architecture '%s' is not supported: it has another output than logits over the vocabulary "
                     "(...ForCausalLM)",
                     error_quote(name, strlen(name)).text);
}

/* ------------------------------------------------------------------------------------------------------- windows -- */

/* How many entries of layer_types are windowed. */
static roofline_status count_layer_types(config *c, const json_value *array, int64_t *windowed) {
    if (!json_is_array(array) || json_array_count(array) != (uint64_t)c->group.layers)
        return error_set(c->error, ROOFLINE_SCHEMA, "/layer_types",
                         "layer_types must be an array with one text for each of the %lld layers",
                         (long long)c->group.layers);
    size_t index = 0;
    for (const json_value *type = json_array_first(array); type; type = json_array_next(type), index++) {
        const char *text = json_is_string(type) ? json_string_of(type) : "";
        if (strcmp(text, "sliding_attention") == 0) {
            (*windowed)++;
        } else if (strcmp(text, "full_attention") != 0) {
            char path[64];
            snprintf(path, sizeof path, "/layer_types/%zu", index);
            return error_set(c->error, ROOFLINE_UNSUPPORTED, path,
                             "layer type '%s' is not supported; supported: full_attention, sliding_attention",
                             error_quote(text, strlen(text)).text);
        }
    }
    return ROOFLINE_OK;
}

/* The rules of two kinds of architectures; layer_types, where it is there, has already counted. */
static roofline_status count_upper_layers(config *c, bool counted, int64_t *windowed) {
    bool used = false;
    int64_t first = 0;
    bool needed = false;
    roofline_status status = read_flag(c, "use_sliding_window", &used);
    if (status == ROOFLINE_OK) {
        needed = used && !counted;
        status = json_integer(c->root, "max_window_layers", needed, 0, MODEL_LAYERS_LIMIT, &first, c->error);
    }
    if (!used)
        *windowed = 0;
    else if (needed)
        *windowed = first < c->group.layers ? c->group.layers - first : 0;
    return status;
}

static roofline_status count_pattern_layers(config *c, bool counted, int64_t *windowed) {
    const char *key = c->family->pattern_key;
    int64_t pattern = c->family->pattern;
    bool given = key && json_get(c->root, key);
    roofline_status status = ROOFLINE_OK;
    if (given)
        status = json_integer(c->root, key, true, 1, MODEL_LAYERS_LIMIT, &pattern, c->error);
    if (status || counted)
        return status;
    *windowed = c->group.layers - c->group.layers / pattern;
    if (given)
        return ROOFLINE_OK;
    return note_added(c, note_add(&c->notes, ROOFLINE_NOTE_DEFAULT_USED, ROOFLINE_SEVERITY_ASSUMPTION,
                                  key ? key : "layer_types",
                                  "No key says which layers attend inside a window; model_type '%s' leaves one of %lld "
                                  "without.",
                                  c->family->model_type, (long long)pattern));
}

/* Layers that attend inside a window, if there is one. */
static roofline_status count_windowed(config *c, int64_t *windowed) {
    const json_value *types = json_get(c->root, "layer_types");
    roofline_status status = types ? count_layer_types(c, types, windowed) : ROOFLINE_OK;
    if (status)
        return status;
    switch (c->family->windows) {
    case WINDOW_ALL:
        *windowed = types ? *windowed : c->group.layers;
        break;
    case WINDOW_UPPER:
        return count_upper_layers(c, types != NULL, windowed);
    case WINDOW_PATTERN:
        return count_pattern_layers(c, types != NULL, windowed);
    case WINDOW_NONE:
        break;
    }
    return ROOFLINE_OK;
}

/* The window's width; 0: none. */
static roofline_status read_window(config *c, int64_t windowed, int64_t *window) {
    bool given = json_has(c->root, "sliding_window");
    roofline_status status = json_integer(c->root, "sliding_window", false, 0, MODEL_ROWS_LIMIT, window, c->error);
    if (status || given || windowed == 0)
        return status;
    if (c->family->window == 0 && c->family->windows == WINDOW_ALL)
        return ROOFLINE_OK;
    if (c->family->window == 0)
        return json_integer(c->root, "sliding_window", true, 0, MODEL_ROWS_LIMIT, window, c->error);
    *window = c->family->window;
    return note_added(c, note_add(&c->notes, ROOFLINE_NOTE_DEFAULT_USED, ROOFLINE_SEVERITY_ASSUMPTION, "sliding_window",
                                  "sliding_window is missing; %lld, the default of model_type '%s', is taken.",
                                  (long long)*window, c->family->model_type));
}

/* Two kinds of layers are told apart, not four: it is not known which windowed layers have experts. */
static roofline_status check_mixture(config *c) {
    bool some_windowed = c->windowed_layers > 0 && c->windowed_layers < c->group.layers;
    bool some_have_experts = c->routed.layers > 0 && c->routed.layers < c->group.layers;
    if (!some_windowed || !some_have_experts)
        return ROOFLINE_OK;
    return error_set(c->error, ROOFLINE_UNSUPPORTED, "/sliding_window",
                     "%lld of %lld layers attend inside a window and %lld have experts; windows in some layers are not "
                     "modelled where only some have experts",
                     (long long)c->windowed_layers, (long long)c->group.layers, (long long)c->routed.layers);
}

static roofline_status read_windows(config *c) {
    int64_t windowed = 0, window = 0;
    roofline_status status = count_windowed(c, &windowed);
    if (status || (c->family->windows == WINDOW_NONE && windowed == 0))
        return status;
    status = read_window(c, windowed, &window);
    bool covers_all = c->spec.max_context_tokens > 0 && window >= c->spec.max_context_tokens;
    if (status == ROOFLINE_OK && window > 0 && windowed > 0 && !covers_all) {
        c->windowed_layers = windowed;
        c->group.window_tokens = window;
    }
    return status ? status : check_mixture(c);
}

/* ------------------------------------------------------------------------------------------- what fits no column -- */

/* Of the three ways in which heads are laid out one reads num_kv_heads; with the others the file may say anything. */
static roofline_status adjust_falcon_heads(config *c) {
    bool multi_query = true, new_decoder = false;
    int64_t stated = c->group.kv_heads;
    roofline_status status = read_flag(c, "multi_query", &multi_query);
    if (status == ROOFLINE_OK)
        status = read_flag(c, "new_decoder_architecture", &new_decoder);
    if (status)
        return status;
    bool given = json_get(c->root, "num_kv_heads") != NULL;
    if (new_decoder)
        return given ? ROOFLINE_OK : note_kv_heads(c, "num_kv_heads");
    c->group.kv_heads = multi_query ? 1 : c->group.query_heads;
    if (stated == c->group.kv_heads || !given)
        return ROOFLINE_OK;
    return note_added(c, note_add(&c->notes, ROOFLINE_NOTE_KEY_CONTRADICTED, ROOFLINE_SEVERITY_MISMATCH, "num_kv_heads",
                                  "num_kv_heads is %lld, but with multi_query %s and without new_decoder_architecture "
                                  "the layers have %lld; that is counted.",
                                  (long long)stated, multi_query ? "true" : "false", (long long)c->group.kv_heads));
}

static roofline_status adjust_falcon(config *c) {
    bool parallel = true, new_decoder = false;
    int64_t norms = 0;
    roofline_status status = adjust_falcon_heads(c);
    if (status == ROOFLINE_OK)
        status = read_flag(c, "new_decoder_architecture", &new_decoder);
    if (status == ROOFLINE_OK)
        status = read_flag(c, "parallel_attn", &parallel);
    if (status == ROOFLINE_OK)
        status = json_integer(c->root, "num_ln_in_parallel_attn", false, 1, 2, &norms, c->error);
    if (norms == 0)
        norms = new_decoder ? 2 : 1;
    c->layer_norms = parallel ? norms : 2;
    return status;
}

static roofline_status adjust_opt(config *c) {
    bool before = true, removed = false, weights = true;
    int64_t embedding = c->spec.hidden;
    roofline_status status = read_flag(c, "do_layer_norm_before", &before);
    if (status == ROOFLINE_OK)
        status = read_flag(c, "_remove_final_layer_norm", &removed);
    if (status == ROOFLINE_OK)
        status = read_flag(c, "layer_norm_elementwise_affine", &weights);
    if (status == ROOFLINE_OK)
        status = json_integer(c->root, "word_embed_proj_dim", false, 1, MODEL_WIDTH_LIMIT, &embedding, c->error);
    if (status)
        return status;
    if (embedding != c->spec.hidden)
        return error_set(c->error, ROOFLINE_UNSUPPORTED, "/word_embed_proj_dim",
                         "word_embed_proj_dim %lld differs from hidden_size %lld; an embedding of another width is not "
                         "modelled",
                         (long long)embedding, (long long)c->spec.hidden);
    c->layer_norms = weights ? 2 : 0;
    c->outer_norms = weights && before && !removed ? 1 : 0;
    return ROOFLINE_OK;
}

static roofline_status adjust_stablelm(config *c) {
    bool parallel = false;
    roofline_status status = read_flag(c, "use_parallel_residual", &parallel);
    c->layer_norms = parallel ? 1 : 2;
    return status;
}

/* The key may be missing or have the one value that is modelled. */
static roofline_status require_text(config *c, const char *key, const char *expected) {
    const char *text = expected;
    roofline_status status = json_string(c->root, key, false, &text, c->error);
    if (status || strcmp(text, expected) == 0)
        return status;
    return error_set(c->error, ROOFLINE_UNSUPPORTED, path_of(c, key).text, "%s '%s' is not supported; supported: %s",
                     key, error_quote(text, strlen(text)).text, expected);
}

static roofline_status adjust_starcoder2(config *c) {
    roofline_status status = require_text(c, "mlp_type", "default");
    return status ? status : require_text(c, "norm_type", "layer_norm");
}

static roofline_status adjust(config *c) {
    c->layer_norms = c->family->layer_norms;
    c->outer_norms = c->family->outer_norms;
    switch (c->family->special) {
    case SPECIAL_FALCON:
        return adjust_falcon(c);
    case SPECIAL_OPT:
        return adjust_opt(c);
    case SPECIAL_STABLELM:
        return adjust_stablelm(c);
    case SPECIAL_STARCODER2:
        return adjust_starcoder2(c);
    case SPECIAL_NONE:
        break;
    }
    return ROOFLINE_OK;
}

/* ---------------------------------------------------------------------------------------------- norms and biases -- */

static int64_t qk_norm_elements(const config *c) {
    const roofline_layer_group *group = &c->group;
    int64_t heads = c->family->qk_norm == QK_NORM_FULL ? group->query_heads + group->kv_heads : 2;
    return heads * group->head_dim * (c->family->qk_norm_bias ? 2 : 1);
}

static int64_t mlp_bias_elements(const config *c) {
    return (c->group.gated_mlp ? 2 : 1) * c->group.intermediate + c->spec.hidden;
}

static roofline_status count_vectors(config *c) {
    const roofline_layer_group *group = &c->group;
    bool qk_norm, qkv_bias, output_bias, mlp_bias, logits_bias;
    roofline_status status = read_toggle(c, &c->family->qk_norm_use, &qk_norm);
    if (status == ROOFLINE_OK)
        status = read_toggle(c, &c->family->qkv_bias, &qkv_bias);
    if (status == ROOFLINE_OK)
        status = read_toggle(c, &c->family->output_bias, &output_bias);
    if (status == ROOFLINE_OK)
        status = read_toggle(c, &c->family->mlp_bias, &mlp_bias);
    if (status == ROOFLINE_OK)
        status = read_toggle(c, &c->family->logits_bias, &logits_bias);
    if (status)
        return status;
    int64_t norm = (c->family->norm_bias ? 2 : 1) * c->spec.hidden;
    c->group.vector_parameters = c->layer_norms * norm;
    if (qk_norm)
        c->group.vector_parameters += qk_norm_elements(c);
    if (qkv_bias)
        c->group.vector_parameters += (group->query_heads + 2 * group->kv_heads) * group->head_dim;
    if (output_bias)
        c->group.vector_parameters += c->spec.hidden;
    if (mlp_bias)
        c->group.vector_parameters += mlp_bias_elements(c);
    c->spec.vector_parameters = c->outer_norms * norm + (logits_bias ? c->spec.vocab : 0);
    return ROOFLINE_OK;
}

/* -------------------------------------------------------------------------------------------------- left out -- */

/* Publishers state their totals without these layers, and a step that does not draft never runs them. */
static roofline_status note_left_out(config *c) {
    const char *key = c->family->prediction_layers;
    int64_t layers = 0;
    roofline_status status =
        key ? json_integer(c->root, key, false, 0, MODEL_LAYERS_LIMIT, &layers, c->error) : ROOFLINE_OK;
    if (status || layers == 0)
        return status;
    return note_added(c, note_add(&c->notes, ROOFLINE_NOTE_PREDICTION_LAYERS, ROOFLINE_SEVERITY_LEFT_OUT, key,
                                  "%s is %lld: layers that predict further tokens are in none of the counts, as in the "
                                  "totals that publishers state.",
                                  key, (long long)layers));
}

/* ------------------------------------------------------------------------------------------------ the whole file -- */

/* A config that was saved by a program may have a path of its machine as name: only the last part tells anything. */
static const char *useful_name(const char *name) {
    const char *slash = strrchr(name, '/');
    bool is_path = name[0] == '/' || name[0] == '.';
    return is_path && slash ? slash + 1 : is_path ? "" : name;
}

static roofline_status read_names(config *c, const char *given) {
    const char *stored = NULL;
    roofline_status status = json_string(c->root, "_name_or_path", false, &stored, c->error);
    if (status)
        return status;
    const char *name = stored ? useful_name(stored) : "";
    if (name[0] == '\0')
        name = given[0] ? given : c->family->model_type;
    snprintf(c->spec.name, sizeof c->spec.name, "%s", error_quote(name, strlen(name)).text);
    snprintf(c->spec.architecture, sizeof c->spec.architecture, "%s", c->family->model_type);
    return ROOFLINE_OK;
}

static roofline_status read_other_keys(config *c) {
    const config_facts facts = {
        .model_type = c->family->model_type,
        .query_heads = c->group.query_heads,
    };
    return check_other_keys(c->root, &facts, &c->notes, c->error);
}

static roofline_status read_config(config *c) {
    static roofline_status (*const steps[])(config *) = {
        read_architectures, read_shape,  read_positions, read_attention, read_experts,  read_mlp,      adjust,
        check_kv_heads,     read_format, read_tied,      read_windows,   count_vectors, note_left_out, read_other_keys};
    roofline_status status = ROOFLINE_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == ROOFLINE_OK; i++)
        status = steps[i](c);
    return status;
}

/* A layer of the model with routed experts in place of, or beside, its dense MLP. */
static roofline_layer_group with_experts(const config *c) {
    roofline_layer_group group = c->group;
    group.intermediate = c->routed.shared_intermediate;
    group.experts = c->routed.experts;
    group.experts_per_token = c->routed.experts_per_token;
    group.expert_intermediate = c->routed.expert_intermediate;
    group.vector_parameters += c->routed.vector_parameters;
    return group;
}

/* Layers of one kind, or of two: dense and with experts, or a full and a windowed one. */
static size_t split_groups(const config *c, roofline_layer_group groups[2]) {
    bool all_have_experts = c->routed.layers == c->group.layers;
    roofline_layer_group first = all_have_experts ? with_experts(c) : c->group, second = first;
    if (c->routed.layers > 0 && !all_have_experts) {
        second = with_experts(c);
        second.layers = c->routed.layers;
    } else {
        second.layers = c->windowed_layers;
        first.window_tokens = 0;
    }
    first.layers -= second.layers;
    size_t count = 0;
    if (first.layers > 0)
        groups[count++] = first;
    if (second.layers > 0)
        groups[count++] = second;
    return count;
}

roofline_status model_from_config(json_object *root, const char *name, roofline_model **out, roofline_error *error) {
    const char *model_type = NULL;
    roofline_status status = json_string(root, "model_type", true, &model_type, error);
    if (status)
        return status;
    config c = {.root = root, .family = find_family(model_type), .error = error};
    if (!c.family)
        return refuse_model_type(model_type, error);
    status = read_names(&c, name);
    if (status == ROOFLINE_OK)
        status = read_config(&c);
    if (status) {
        note_list_free(&c.notes);
        return status;
    }
    roofline_layer_group groups[2];
    size_t count = split_groups(&c, groups);
    return model_make(&c.spec, groups, count, MODEL_PATHS_NONE, &c.notes, out, error);
}
