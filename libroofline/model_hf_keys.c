/* SPDX-License-Identifier: Apache-2.0 */
#include "model_hf_keys.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

roofline_status read_count(json_object *root, const key_names keys, int64_t most, int64_t fallback, int64_t *out,
                           roofline_error *error) {
    const char *found = NULL;
    for (size_t i = 0; keys[i]; i++) {
        int64_t value = 0;
        roofline_status status = json_integer(root, keys[i], false, 1, most, &value, error);
        if (status)
            return status;
        if (value == 0)
            continue;
        if (found && value != *out)
            return error_set(error, ROOFLINE_SCHEMA, json_path_of(root, keys[i]).text,
                             "%s is %lld, but %s, which means the same, is %lld; remove one of them", keys[i],
                             (long long)value, found, (long long)*out);
        found = keys[i];
        *out = value;
    }
    if (found)
        return ROOFLINE_OK;
    if (fallback == 0)
        return json_integer(root, keys[0], true, 1, most, out, error);
    *out = fallback;
    return ROOFLINE_OK;
}

/* In the order of their names. They change no shape: training, generation, tokens, rotary angles, scales, kernels, routing. */
static const char *const harmless_keys[] = {
    "_attn_implementation_autoset",
    "_commit_hash",
    "activation",
    "activation_dropout",
    "activation_function",
    "alibi",
    "apply_residual_connection_post_layernorm",
    "attention_dropout",
    "attention_multiplier",
    "attention_softmax_in_fp32",
    "attn_implementation",
    "attn_logit_softcapping",
    "attn_pdrop",
    "auto_map",
    "bad_words_ids",
    "begin_suppress_tokens",
    "bos_token",
    "bos_token_id",
    "cache_implementation",
    "chunk_size_feed_forward",
    "classifier_dropout",
    "clip_qkv",
    "decoder_start_token_id",
    "diversity_penalty",
    "do_sample",
    "dropout",
    "early_stopping",
    "embd_pdrop",
    "embedding_dropout",
    "embedding_multiplier",
    "encoder_no_repeat_ngram_size",
    "eos_token",
    "eos_token_id",
    "exponential_decay_length_penalty",
    "final_logit_softcapping",
    "finetuning_task",
    "flash_attn",
    "flash_rotary",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "fused_dense",
    "gradient_checkpointing",
    "hidden_act",
    "hidden_activation",
    "hidden_dropout",
    "id2label",
    "init_std",
    "initializer_range",
    "input_jitter_noise",
    "is_decoder",
    "label2id",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "layerdrop",
    "length_penalty",
    "logit_scale",
    "logits_scaling",
    "masked_softmax_fusion",
    "max_length",
    "max_new_tokens",
    "min_length",
    "model_max_length",
    "n_ctx",
    "n_group",
    "no_repeat_ngram_size",
    "norm_eps",
    "norm_epsilon",
    "norm_topk_prob",
    "num_beam_groups",
    "num_beams",
    "num_labels",
    "num_logits_to_keep",
    "num_return_sequences",
    "original_max_position_embeddings",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "output_scores",
    "pad_token",
    "pad_token_id",
    "pad_vocab_size_multiple",
    "partial_rotary_factor",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "query_pre_attn_scalar",
    "remove_invalid_values",
    "reorder_and_upcast_attn",
    "repetition_penalty",
    "resid_pdrop",
    "residual_dropout",
    "residual_multiplier",
    "return_dict",
    "return_dict_in_generate",
    "rms_norm_eps",
    "rope_local_base_freq",
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "rope_type",
    "rotary_dim",
    "rotary_emb_base",
    "rotary_pct",
    "routed_scaling_factor",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "scale_attention_softmax_in_fp32",
    "scale_attn_by_inverse_layer_idx",
    "scale_attn_weights",
    "scoring_func",
    "sep_token_id",
    "seq_length",
    "sliding_window_size",
    "slow_but_exact",
    "summary_activation",
    "summary_first_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "tf_legacy_loss",
    "tokenizer_class",
    "top_k",
    "top_p",
    "topk_group",
    "topk_method",
    "torchscript",
    "transformers_version",
    "typical_p",
    "unk_token_id",
    "unsloth_fixed",
    "unsloth_version",
    "use_bfloat16",
    "use_cache",
    "use_parallel_residual",
};

typedef struct refused_key {
    const char *key;
    const char *what;
    bool query_heads_fit; /* as many as query heads is what an architecture without the key has */
} refused_key;

/* In the order of their names: keys that mean other parameters, or another cache, where no family has read them. */
static const refused_key refused_keys[] = {
    {"add_cross_attention", "cross attention", false},
    {"attention_bias", "an attention bias", false},
    {"attention_chunk_size", "chunked attention", false},
    {"attn_layer_period", "layers without attention", false},
    {"audio_config", "an audio encoder", false},
    {"bias", "a bias in its linear layers", false},
    {"block_configs", "layers of different shapes", false},
    {"block_types", "layers of different kinds", false},
    {"compression_config", "a quantised checkpoint", false},
    {"conv_kernel", "convolution layers", false},
    {"cross_attention_hidden_size", "cross attention", false},
    {"decoder_sparse_step", "mixture-of-experts layers", false},
    {"embd_layer", "another embedding than a table of tokens", false},
    {"encoder", "an encoder", false},
    {"expert_layer_offset", "mixture-of-experts layers", false},
    {"expert_layer_period", "mixture-of-experts layers", false},
    {"ffn_dim", "an MLP of this width", false},
    {"ffn_hidden_size", "an MLP of this width", false},
    {"first_k_dense_replace", "mixture-of-experts layers", false},
    {"full_attention_interval", "layers without softmax attention", false},
    {"hidden_size_per_layer_input", "embeddings for each layer", false},
    {"hybrid_override_pattern", "layers of different kinds", false},
    {"img_processor", "an image encoder", false},
    {"is_encoder_decoder", "an encoder", false},
    {"kv_lora_rank", "multi-head latent attention", false},
    {"layers_block_type", "layers of different kinds", false},
    {"linear_num_key_heads", "linear attention layers", false},
    {"linear_num_value_heads", "linear attention layers", false},
    {"lm_head_bias", "a bias of the logits", false},
    {"mamba_d_state", "state-space layers", false},
    {"mamba_num_heads", "state-space layers", false},
    {"mlp_bias", "a bias in its MLP", false},
    {"mlp_only_layers", "mixture-of-experts layers", false},
    {"mlp_type", "an MLP of this kind", false},
    {"mm_vision_tower", "an image encoder", false},
    {"moe_intermediate_size", "mixture-of-experts layers", false},
    {"moe_layer_freq", "mixture-of-experts layers", false},
    {"multi_query", "multi-query attention", false},
    {"n_head_kv", "fewer KV heads than query heads", true},
    {"n_inner", "an MLP of this width", false},
    {"n_routed_experts", "mixture-of-experts layers", false},
    {"n_shared_experts", "mixture-of-experts layers", false},
    {"new_decoder_architecture", "another layer layout", false},
    {"norm_type", "norms of this kind", false},
    {"num_codebooks", "several token streams", false},
    {"num_experts", "mixture-of-experts layers", false},
    {"num_experts_per_tok", "mixture-of-experts layers", false},
    {"num_key_value_heads", "fewer KV heads than query heads", true},
    {"num_kv_heads", "fewer KV heads than query heads", true},
    {"num_kv_shared_layers", "layers that share a KV cache", false},
    {"num_local_experts", "mixture-of-experts layers", false},
    {"num_nextn_predict_layers", "multi-token prediction layers", false},
    {"pruned_heads", "pruned heads", false},
    {"q_lora_rank", "multi-head latent attention", false},
    {"qk_layernorm", "norms of queries and keys", false},
    {"qk_nope_head_dim", "multi-head latent attention", false},
    {"qk_norm", "norms of queries and keys", false},
    {"qk_rope_head_dim", "multi-head latent attention", false},
    {"quantization_config", "a quantised checkpoint", false},
    {"shared_expert_intermediate_size", "mixture-of-experts layers", false},
    {"shared_intermediate_size", "mixture-of-experts layers", false},
    {"sliding_window", "a sliding window", false},
    {"sliding_window_pattern", "a sliding window", false},
    {"sparsity_config", "a sparse checkpoint", false},
    {"speech_config", "a speech encoder", false},
    {"ssm_state_size", "state-space layers", false},
    {"state_size", "state-space layers", false},
    {"text_config", "a language model inside a larger one", false},
    {"tie_encoder_decoder", "an encoder", false},
    {"use_bias", "a bias in its linear layers", false},
    {"use_bidirectional_attention", "attention to later tokens", false},
    {"use_qk_norm", "norms of queries and keys", false},
    {"use_qkv_bias", "a bias of queries, keys and values", false},
    {"use_sliding_window", "a sliding window", false},
    {"v_head_dim", "values of another width than keys", false},
    {"vision_config", "an image encoder", false},
    {"vocab_size_per_layer_input", "embeddings for each layer", false},
    {"word_embed_proj_dim", "an embedding of another width", false},
};

static int compare_name(const void *name, const void *row) {
    return strcmp(name, *(const char *const *)row); /* both tables' rows begin with the key */
}

static bool is_harmless(const char *key) {
    return bsearch(key, harmless_keys, sizeof harmless_keys / sizeof *harmless_keys, sizeof *harmless_keys,
                   compare_name) != NULL;
}

static const refused_key *find_refused(const char *key) {
    return bsearch(key, refused_keys, sizeof refused_keys / sizeof *refused_keys, sizeof *refused_keys, compare_name);
}

static bool is_empty_object(const json_value *value) {
    json_object object = {0};
    bool empty = json_object_open(&object, value, "", NULL) == ROOFLINE_OK && object.count == 0;
    json_object_close(&object);
    return empty;
}

/* Null, false, 0, "", [] and {} say that the model has no such thing. */
static bool says_none(const json_value *value) {
    if (!value)
        return true;
    if (json_is_boolean(value))
        return !json_boolean_of(value);
    if (json_is_number(value))
        return json_number_of(value) == 0;
    if (json_is_string(value))
        return json_string_of(value)[0] == '\0';
    if (json_is_array(value))
        return json_array_count(value) == 0;
    return is_empty_object(value);
}

static bool is_neutral(const refused_key *row, const json_value *value, const config_facts *facts) {
    if (says_none(value))
        return true;
    return row->query_heads_fit && json_is_number(value) && json_number_of(value) == (double)facts->query_heads;
}

static roofline_status refuse(const json_object *root, const refused_key *row, const config_facts *facts,
                              roofline_error *error) {
    return error_set(error, ROOFLINE_UNSUPPORTED, json_path_of(root, row->key).text,
                     "the key '%s' asks for %s, which is not modelled for model_type '%s'", row->key, row->what,
                     facts->model_type);
}

static roofline_status no_memory(roofline_error *error) {
    return error_set(error, ROOFLINE_NO_MEMORY, "", "no memory is left for the model's notes");
}

/* A file may hold any number of unknown keys; more than these are only counted. */
enum {
    UNKNOWN_KEY_NOTES = 32
};

static roofline_status note_unknown(const char *key, size_t index, note_list *notes, roofline_error *error) {
    if (index >= UNKNOWN_KEY_NOTES)
        return ROOFLINE_OK;
    quoted_text quoted = error_quote(key, strlen(key));
    if (note_add(notes, ROOFLINE_NOTE_UNKNOWN_KEY, ROOFLINE_SEVERITY_ASSUMPTION, quoted.text, "not understood: %s",
                 quoted.text))
        return no_memory(error);
    return ROOFLINE_OK;
}

roofline_status check_other_keys(json_object *root, const config_facts *facts, note_list *notes,
                                 roofline_error *error) {
    size_t index = 0, unknown = 0;
    roofline_status status = ROOFLINE_OK;
    for (const char *key; status == ROOFLINE_OK && (key = json_next_unread(root, &index)) != NULL;) {
        if (is_harmless(key))
            continue;
        const refused_key *row = find_refused(key);
        if (!row)
            status = note_unknown(key, unknown++, notes, error);
        else if (!is_neutral(row, json_get(root, key), facts))
            status = refuse(root, row, facts, error);
    }
    if (status == ROOFLINE_OK && unknown > UNKNOWN_KEY_NOTES &&
        note_add(notes, ROOFLINE_NOTE_UNKNOWN_KEY, ROOFLINE_SEVERITY_ASSUMPTION, "", "not understood: %zu more keys",
                 unknown - UNKNOWN_KEY_NOTES))
        status = no_memory(error);
    return status;
}
