/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models: the published configs in tests/data against published totals, formulas written out here, and bad input.
 * tests/data/models.csv holds the totals; see tests/data/models/README.md for where they come from.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdbool.h>
#include <strings.h>

#include "fixtures.h"

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s: run the test in the repository's root", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

/* ----------------------------------------------------------------------------------------- tests/data/models.csv -- */

enum {
    ROW_LIMIT = 64,
    COLUMN_LIMIT = 32
};

typedef struct fact_row {
    char *columns[COLUMN_LIMIT];
    int column_count;
} fact_row;

typedef struct fact_table {
    char *text;
    fact_row rows[ROW_LIMIT]; /* the first holds the names */
    int row_count;
} fact_table;

/* One field of a comma-separated line, quotes undone in place; returns where the next begins, NULL after the last. */
static char *take_field(char *at, char **field) {
    char *write = *field = at;
    bool quoted = *at == '"';
    for (at += quoted; *at && (quoted || *at != ','); at++) {
        if (quoted && at[0] == '"' && at[1] != '"') {
            quoted = false;
            continue;
        }
        at += quoted && at[0] == '"';
        *write++ = *at;
    }
    char *next = *at ? at + 1 : NULL;
    *write = '\0';
    return next;
}

static fact_table *read_facts(void) {
    char path[512];
    snprintf(path, sizeof path, "%s/data/models.csv", tests_folder());
    fact_table *table = calloc(1, sizeof *table);
    table->text = read_text(path);
    char *rest = NULL;
    for (char *line = strtok_r(table->text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        ck_assert_int_lt(table->row_count, ROW_LIMIT);
        fact_row *row = &table->rows[table->row_count++];
        for (char *at = line; at; row->column_count++) {
            ck_assert_int_lt(row->column_count, COLUMN_LIMIT);
            at = take_field(at, &row->columns[row->column_count]);
        }
    }
    return table;
}

static void free_facts(fact_table *table) {
    free(table->text);
    free(table);
}

static const char *fact(const fact_table *table, int row, const char *name) {
    for (int i = 0; i < table->rows[0].column_count; i++)
        if (strcmp(table->rows[0].columns[i], name) == 0)
            return table->rows[row].columns[i];
    ck_abort_msg("models.csv has no column %s", name);
    return NULL;
}

static int64_t number_fact(const fact_table *table, int row, const char *name) {
    const char *text = fact(table, row, name);
    ck_assert_msg(*text, "models.csv has no %s for %s", name, fact(table, row, "hf_id"));
    return strtoll(text, NULL, 10);
}

/* Latent attention, state-space layers and quantised checkpoints are not read. */
static bool is_read(const fact_table *table, int row) {
    static const char *const refused[] = {"deepseek_v2", "deepseek_v3", "gpt_oss",   "jamba",
                                          "llama4",      "nemotron_h",  "qwen3_next"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(fact(table, row, "model_type"), refused[i]) == 0)
            return false;
    return true;
}

/* Only mixtures of experts have a count of active parameters. */
static bool has_experts(const fact_table *table, int row) {
    return *fact(table, row, "active_params") != '\0';
}

static void config_path(const fact_table *table, int row, char path[512]) {
    snprintf(path, 512, "%s/data/%s", tests_folder(), fact(table, row, "file"));
}

/* ------------------------------------------------------------------------------------------------------- helpers -- */

static roofline_model *load(const char *path) {
    roofline_model *model = NULL;
    roofline_error error;
    expect_ok(roofline_model_load(path, &model, &error), &error);
    return model;
}

static roofline_model *load_fact(const fact_table *table, int row) {
    char path[512];
    config_path(table, row, path);
    return load(path);
}

static roofline_model *parse(const char *json) {
    roofline_model *model = NULL;
    roofline_error error;
    expect_ok(roofline_model_parse(json, strlen(json), &model, &error), &error);
    return model;
}

static roofline_model_info_result info_of(const roofline_model *model) {
    roofline_model_info_result info = {.struct_size = sizeof info};
    roofline_error error;
    expect_ok(roofline_model_info(model, &info, &error), &error);
    return info;
}

static roofline_layer_group group_of(const roofline_model *model, int64_t index) {
    roofline_layer_group group = {.struct_size = sizeof group};
    roofline_error error;
    expect_ok(roofline_model_get_group(model, index, &group, &error), &error);
    return group;
}

static roofline_model_spec spec_of(const roofline_model *model) {
    roofline_model_spec spec = {.struct_size = sizeof spec};
    roofline_error error;
    expect_ok(roofline_model_get_spec(model, &spec, &error), &error);
    return spec;
}

/* How many notes of a code about a field there are (field NULL: any); the text of the last is copied out. */
static int notes_of(const roofline_model *model, roofline_note_code code, const char *field, char text[512]) {
    int found = 0;
    for (int64_t i = 0; i < roofline_model_note_count(model); i++) {
        roofline_note note = {.struct_size = sizeof note};
        char buffer[512];
        size_t needed;
        roofline_error error;
        expect_ok(roofline_model_note(model, i, &note, buffer, sizeof buffer, &needed, &error), &error);
        ck_assert_uint_eq(needed, strlen(buffer) + 1);
        if (note.code != code || (field && strcmp(note.field, field) != 0))
            continue;
        found++;
        if (text)
            memcpy(text, buffer, sizeof buffer);
    }
    return found;
}

/* One "key": value of a config; a value of NULL leaves the key out. */
typedef struct config_key {
    const char *key;
    const char *value;
} config_key;

enum {
    KEY_LIMIT = 32
};

static const config_key small_llama[] = {{"model_type", "\"llama\""},
                                         {"architectures", "[\"LlamaForCausalLM\"]"},
                                         {"hidden_size", "64"},
                                         {"num_hidden_layers", "2"},
                                         {"num_attention_heads", "4"},
                                         {"num_key_value_heads", "2"},
                                         {"intermediate_size", "128"},
                                         {"vocab_size", "100"},
                                         {"tie_word_embeddings", "false"},
                                         {"torch_dtype", "\"bfloat16\""},
                                         {"max_position_embeddings", "256"},
                                         {NULL, NULL}};

/* Writes `keys` as an object; a key of `changes` replaces that of the same name or is added. */
static void write_config(char *text, size_t size, const config_key *keys, const config_key *changes) {
    config_key merged[KEY_LIMIT];
    size_t count = 0;
    for (; keys->key; keys++)
        merged[count++] = *keys;
    for (; changes && changes->key; changes++) {
        size_t at = 0;
        while (at < count && strcmp(merged[at].key, changes->key) != 0)
            at++;
        count += at == count;
        ck_assert_uint_le(count, KEY_LIMIT);
        merged[at] = *changes;
    }
    size_t used = (size_t)snprintf(text, size, "{");
    const char *comma = "";
    for (size_t i = 0; i < count; i++) {
        if (!merged[i].value)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s\"%s\": %s", comma, merged[i].key, merged[i].value);
        comma = ", ";
        ck_assert_uint_lt(used + 2, size);
    }
    snprintf(text + used, size - used, "}");
}

static roofline_model *parse_config(const config_key *keys, const config_key *changes) {
    char text[4096];
    write_config(text, sizeof text, keys, changes);
    return parse(text);
}

/* The text of a file with the first `from` replaced; `from` must be there. */
static char *replaced(char *text, const char *from, const char *to) {
    char *at = strstr(text, from);
    ck_assert_msg(at != NULL, "the config has no %s", from);
    char *result = calloc(strlen(text) + strlen(to) + 1, 1);
    memcpy(result, text, (size_t)(at - text));
    strcat(strcat(result, to), at + strlen(from));
    free(text);
    return result;
}

static roofline_model *parse_and_free(char *text) {
    roofline_model *model = parse(text);
    free(text);
    return model;
}

static char *read_config(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/data/models/%s.json", tests_folder(), name);
    return read_text(path);
}

/* --------------------------------------------------------------------------------------------- published figures -- */

static int64_t bytes_per_element(roofline_format format) {
    return format == ROOFLINE_FORMAT_FP32 ? 4 : 2;
}

/* models.csv gives KV bytes at 16 bits; the library gives them in the stored format, which one model has at 32 bits. */
static void check_published_row(const fact_table *facts, int row) {
    roofline_model *model = load_fact(facts, row);
    roofline_model_info_result info = info_of(model);
    const char *name = fact(facts, row, "hf_id");
    int64_t width = bytes_per_element(info.format);
    ck_assert_msg(info.parameters_total == number_fact(facts, row, "total_params_exact"), "%s: %lld parameters", name,
                  (long long)info.parameters_total);
    int64_t active = has_experts(facts, row) ? number_fact(facts, row, "active_params_derived") : info.parameters_total;
    ck_assert_msg(info.parameters_active == active, "%s: %lld active parameters", name,
                  (long long)info.parameters_active);
    ck_assert_int_eq(info.parameters_total, number_fact(facts, row, "derived_total_params"));
    ck_assert_int_eq(info.weight_bytes_resident, width * info.parameters_total);
    ck_assert_int_eq(info.weight_bytes_streamed, width * info.parameters_streamed);
    ck_assert_msg(2 * info.kv_bytes_per_token == width * number_fact(facts, row, "kv_bytes_per_token_bf16"),
                  "%s: %lld KV bytes", name, (long long)info.kv_bytes_per_token);
    ck_assert_msg(2 * info.kv_bytes_per_token_full ==
                      width * number_fact(facts, row, "kv_bytes_full_attention_layers_only"),
                  "%s: %lld KV bytes without windows", name, (long long)info.kv_bytes_per_token_full);
    ck_assert_int_eq(info.layers, number_fact(facts, row, "layers"));
    ck_assert_int_eq(info.hidden, number_fact(facts, row, "hidden"));
    ck_assert_int_eq(info.vocab, number_fact(facts, row, "vocab"));
    ck_assert_str_eq(info.architecture, fact(facts, row, "model_type"));
    roofline_layer_group group = group_of(model, 0);
    ck_assert_int_eq(group.query_heads, number_fact(facts, row, "heads"));
    ck_assert_int_eq(group.kv_heads, number_fact(facts, row, "kv_heads"));
    ck_assert_int_eq(group.head_dim, number_fact(facts, row, "head_dim"));
    ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_UNKNOWN_KEY, NULL, NULL), 0);
    roofline_model_free(model);
}

START_TEST(models_have_their_published_counts) {
    fact_table *facts = read_facts();
    int counted = 0, with_experts = 0;
    for (int row = 1; row < facts->row_count; row++) {
        if (!is_read(facts, row))
            continue;
        check_published_row(facts, row);
        counted++;
        with_experts += has_experts(facts, row);
    }
    printf("%d models, %d of them with experts, have their published parameters and KV bytes per token, exactly\n",
           counted, with_experts);
    ck_assert_int_eq(counted, 27);
    ck_assert_int_eq(with_experts, 4);
    free_facts(facts);
}
END_TEST

START_TEST(other_models_are_refused_by_name) {
    fact_table *facts = read_facts();
    int refused = 0;
    for (int row = 1; row < facts->row_count; row++) {
        if (is_read(facts, row))
            continue;
        char path[512], expected[128];
        config_path(facts, row, path);
        roofline_model *model = NULL;
        roofline_error error;
        expect_error(roofline_model_load(path, &model, &error), ROOFLINE_UNSUPPORTED, &error, "/model_type");
        snprintf(expected, sizeof expected, "model_type '%s' is not supported; supported: bloom, ",
                 fact(facts, row, "model_type"));
        ck_assert_msg(strncmp(error.message, expected, strlen(expected)) == 0, "%s", error.message);
        ck_assert_ptr_nonnull(strstr(error.message, ", starcoder2"));
        ck_assert_ptr_null(model);
        refused++;
    }
    ck_assert_int_eq(refused, 7);
    free_facts(facts);
}
END_TEST

START_TEST(invented_key_is_reported) {
    fact_table *facts = read_facts();
    for (int row = 1; row < facts->row_count; row++) {
        if (!is_read(facts, row))
            continue;
        char path[512], text[512];
        config_path(facts, row, path);
        roofline_model *model = parse_and_free(replaced(read_text(path), "{", "{\"moe_foo\": 3, "));
        ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_UNKNOWN_KEY, "moe_foo", text), 1);
        ck_assert_str_eq(text, "not understood: moe_foo");
        roofline_model_free(model);
    }
    free_facts(facts);
}
END_TEST

static void check_same_model(const roofline_model *left, const roofline_model *right) {
    roofline_model_info_result first = info_of(left), second = info_of(right);
    memset(first.name, 0, sizeof first.name);
    memset(second.name, 0, sizeof second.name);
    ck_assert_mem_eq(&first, &second, sizeof first);
    ck_assert_int_eq(spec_of(left).position_rows, spec_of(right).position_rows);
    ck_assert_int_eq(spec_of(left).vector_parameters, spec_of(right).vector_parameters);
    for (int64_t i = 0; i < first.layer_groups; i++) {
        roofline_layer_group one = group_of(left, i), other = group_of(right, i);
        ck_assert_mem_eq(&one, &other, sizeof one);
    }
}

START_TEST(catalogue_equals_the_published_configs) {
    fact_table *facts = read_facts();
    int opened = 0;
    for (int row = 1; row < facts->row_count; row++) {
        if (!is_read(facts, row))
            continue;
        roofline_model *embedded = NULL;
        roofline_error error;
        expect_ok(roofline_model_open(fact(facts, row, "hf_id"), &embedded, &error), &error);
        roofline_model *published = load_fact(facts, row);
        check_same_model(embedded, published);
        ck_assert_int_eq(notes_of(embedded, ROOFLINE_NOTE_FORMAT_ASSUMED, NULL, NULL),
                         notes_of(published, ROOFLINE_NOTE_FORMAT_ASSUMED, NULL, NULL));
        roofline_model_free(embedded);
        roofline_model_free(published);
        opened++;
    }
    ck_assert_int_eq(roofline_model_count(), opened);
    ck_assert_ptr_null(roofline_model_id(-1));
    ck_assert_ptr_null(roofline_model_id(opened));
    for (int64_t i = 0; i < opened; i++) {
        roofline_model *model = NULL;
        expect_ok(roofline_model_open(roofline_model_id(i), &model, NULL), &(roofline_error){0});
        roofline_model_free(model);
    }
    free_facts(facts);
}
END_TEST

START_TEST(catalogue_takes_other_spellings) {
    static const char *const names[] = {"llama-3.1-8b", "Llama 3.1 8B", "LLAMA_31_8B", "meta-llama/Llama-3.1-8B",
                                        "meta-llama/Meta-Llama-3.1-8B-Instruct"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        roofline_model *model = NULL;
        roofline_error error;
        expect_ok(roofline_model_open(names[i], &model, &error), &error);
        ck_assert_str_eq(info_of(model).name, "Llama-3.1-8B");
        roofline_model_free(model);
    }
    roofline_model *model = NULL;
    roofline_error error;
    expect_error(roofline_model_open("llama-3.1-9b", &model, &error), ROOFLINE_NOT_FOUND, &error, "name");
    ck_assert_ptr_nonnull(strstr(error.message, "llama-3.1-8b"));
    ck_assert_ptr_null(model);
}
END_TEST

/*
 * By hand, Llama-3.1-8B in bf16: one layer has qkv 4096 * (4096 + 2 * 1024) = 25165824, output 4096 * 4096 = 16777216,
 * gate and up 2 * 4096 * 14336 = 117440512, down 58720256: 218103808 in all. 32 of them and the logits 128256 * 4096 =
 * 525336576 are streamed: 7504658432, 15009316864 bytes. Resident are also the input embedding, 525336576, and 65 norms
 * of 4096, 266240: 8030261248, 16060522496 bytes. KV of a token: 32 * 2 * 8 * 128 * 2 bytes = 131072.
 */
START_TEST(one_model_by_hand) {
    roofline_model *model = parse_and_free(read_config("meta-llama__Llama-3.1-8B"));
    roofline_model_info_result info = info_of(model);
    ck_assert_int_eq(info.format, ROOFLINE_FORMAT_BF16);
    ck_assert_int_eq(info.parameters_streamed, 7504658432);
    ck_assert_int_eq(info.parameters_streamed, 32 * INT64_C(218103808) + 128256 * INT64_C(4096));
    ck_assert_int_eq(info.weight_bytes_streamed, 15009316864);
    ck_assert_int_eq(info.parameters_total, 8030261248);
    ck_assert_int_eq(info.weight_bytes_resident, 16060522496);
    ck_assert_int_eq(info.kv_bytes_per_token, 131072);
    ck_assert_int_eq(info.kv_bytes_per_token_full, 131072);
    ck_assert_int_eq(info.state_bytes_per_sequence, 0);
    ck_assert_int_eq(info.max_context_tokens, 131072);
    ck_assert_int_eq(info.layer_groups, 1);
    ck_assert_int_eq(info.tied_embeddings, 0);
    roofline_layer_group group = group_of(model, 0);
    ck_assert_int_eq(group.vector_parameters, 2 * 4096);
    ck_assert_int_eq(spec_of(model).vector_parameters, 4096);
    ck_assert_int_eq(roofline_model_note_count(model), 0);
    roofline_model_free(model);
}
END_TEST

/* A tied logits matrix is stored once and still streamed: 2048 * 128256 of 1235814400. */
START_TEST(tied_logits_are_streamed) {
    roofline_model *model = parse_and_free(read_config("meta-llama__Llama-3.2-1B-Instruct"));
    roofline_model_info_result info = info_of(model);
    int64_t norms = (2 * 16 + 1) * 2048;
    ck_assert_int_eq(info.tied_embeddings, 1);
    ck_assert_int_eq(info.parameters_total - info.parameters_streamed, norms);
    roofline_model_free(model);
}
END_TEST

/* ---------------------------------------------------------------------------- counts come from the numbers alone -- */

/* Layers doubled, vocabulary halved, another name: nothing can have been looked up. */
START_TEST(llama_of_another_size_follows_the_formula) {
    char *text = read_config("meta-llama__Llama-3.1-8B");
    text = replaced(text, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": 64");
    text = replaced(text, "\"vocab_size\": 128256", "\"vocab_size\": 64128");
    text = replaced(text, "{", "{\"_name_or_path\": \"nobody/has-heard-of-it\",");
    roofline_model *model = parse_and_free(text);
    int64_t h = 4096, heads = 32, kv = 8, d = 128, f = 14336, vocab = 64128, layers = 64;
    int64_t layer = h * (heads * d) + 2 * h * (kv * d) + (heads * d) * h + 3 * h * f + 2 * h;
    roofline_model_info_result info = info_of(model);
    ck_assert_str_eq(info.name, "nobody/has-heard-of-it");
    ck_assert_int_eq(info.parameters_total, layers * layer + 2 * vocab * h + h);
    ck_assert_int_eq(info.parameters_streamed, layers * (layer - 2 * h) + vocab * h);
    ck_assert_int_eq(info.kv_bytes_per_token, layers * 2 * kv * d * 2);
    roofline_model_free(model);
}
END_TEST

/* The same for tied embeddings, biases everywhere, an MLP of two matrices and norms with a bias. */
START_TEST(starcoder_of_another_size_follows_the_formula) {
    char *text = read_config("bigcode__starcoder2-7b");
    text = replaced(text, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": 64");
    text = replaced(text, "\"vocab_size\": 49152", "\"vocab_size\": 24576");
    roofline_model *model = parse_and_free(text);
    int64_t h = 4608, heads = 36, kv = 4, d = 128, f = 18432, vocab = 24576, layers = 64;
    int64_t attention = h * (heads + 2 * kv) * d + (heads + 2 * kv) * d + heads * d * h + h;
    int64_t layer = attention + h * f + f + f * h + h + 2 * 2 * h;
    ck_assert_int_eq(info_of(model).parameters_total, layers * layer + vocab * h + 2 * h);
    roofline_model_free(model);
}
END_TEST

/* Learned positions: n_positions + 2 rows; biases on all six matrices; a final norm with bias. */
START_TEST(opt_of_another_size_follows_the_formula) {
    char *text = read_config("facebook__opt-6.7b");
    text = replaced(text, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": 64");
    text = replaced(text, "\"vocab_size\": 50272", "\"vocab_size\": 25136");
    roofline_model *model = parse_and_free(text);
    int64_t h = 4096, f = 16384, vocab = 25136, layers = 64;
    int64_t layer = 4 * (h * h + h) + h * f + f + f * h + h + 2 * 2 * h;
    ck_assert_int_eq(info_of(model).parameters_total, layers * layer + vocab * h + 2050 * h + 2 * h);
    ck_assert_int_eq(spec_of(model).position_rows, 2050);
    ck_assert_int_eq(info_of(model).max_context_tokens, 2048);
    roofline_model_free(model);
}
END_TEST

static const config_key small_falcon[] = {{"model_type", "\"falcon\""},
                                          {"hidden_size", "64"},
                                          {"num_hidden_layers", "1"},
                                          {"num_attention_heads", "4"},
                                          {"vocab_size", "100"},
                                          {"torch_dtype", "\"bfloat16\""},
                                          {NULL, NULL}};

/* Three layouts of heads and norms. h 64, d 16, f 256, embedding 100 * 64 once, final norm 2 * 64. */
START_TEST(falcon_layouts) {
    const int64_t outside = 100 * 64 + 128, mlp = 2 * 64 * 256;
    struct {
        config_key changes[5];
        int64_t kv_heads;
        int64_t parameters;
    } rows[] = {
        /* one KV head, parallel block with one norm */
        {{{"num_kv_heads", "4"}}, 1, 64 * (64 + 32) + 64 * 64 + mlp + 128},
        /* the new decoder: KV heads as stated, two norms */
        {{{"num_kv_heads", "2"}, {"new_decoder_architecture", "true"}}, 2, 64 * (64 + 64) + 64 * 64 + mlp + 256},
        {{{"num_kv_heads", "2"}, {"new_decoder_architecture", "true"}, {"num_ln_in_parallel_attn", "1"}},
         2,
         64 * (64 + 64) + 64 * 64 + mlp + 128},
        /* every query head its own KV head, one block after the other, biases */
        {{{"multi_query", "false"}, {"parallel_attn", "false"}, {"bias", "true"}, {"alibi", "true"}},
         4,
         64 * 192 + 192 + 64 * 64 + 64 + mlp + 256 + 64 + 256},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_model *model = parse_config(small_falcon, rows[i].changes);
        ck_assert_int_eq(group_of(model, 0).kv_heads, rows[i].kv_heads);
        ck_assert_int_eq(info_of(model).parameters_total, rows[i].parameters + outside);
        roofline_model_free(model);
    }
}
END_TEST

START_TEST(contradicted_key_is_reported) {
    char text[512];
    roofline_model *model = parse_and_free(read_config("tiiuae__falcon-7b-instruct"));
    ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_KEY_CONTRADICTED, "num_kv_heads", text), 1);
    ck_assert_ptr_nonnull(strstr(text, "71"));
    ck_assert_int_eq(group_of(model, 0).kv_heads, 1);
    roofline_model_free(model);
}
END_TEST

/* ------------------------------------------------------------------------------------------------ routed experts -- */

/* Layers doubled, vocabulary halved, another name; all layers have experts, heads are wider than hidden / heads. */
START_TEST(qwen_with_experts_of_another_size_follows_the_formula) {
    char *text = read_config("Qwen__Qwen3-30B-A3B");
    text = replaced(text, "\"num_hidden_layers\": 48", "\"num_hidden_layers\": 96");
    text = replaced(text, "\"vocab_size\": 151936", "\"vocab_size\": 75968");
    text = replaced(text, "\"num_experts\": 128", "\"num_experts\": 64");
    text = replaced(text, "{", "{\"_name_or_path\": \"nobody/has-heard-of-it\",");
    roofline_model *model = parse_and_free(text);
    int64_t h = 2048, heads = 32, kv = 4, d = 128, f = 768, vocab = 75968, layers = 96, experts = 64, routed = 8;
    int64_t always = h * (heads + 2 * kv) * d + heads * d * h + experts * h;
    int64_t vectors = 2 * h + 2 * d;
    roofline_model_info_result info = info_of(model);
    ck_assert_str_eq(info.name, "nobody/has-heard-of-it");
    ck_assert_int_eq(info.layer_groups, 1);
    ck_assert_int_eq(group_of(model, 0).intermediate, 0);
    ck_assert_int_eq(info.parameters_total, layers * (always + experts * 3 * h * f + vectors) + 2 * vocab * h + h);
    ck_assert_int_eq(info.parameters_active, layers * (always + routed * 3 * h * f + vectors) + 2 * vocab * h + h);
    ck_assert_int_eq(info.parameters_streamed, layers * (always + routed * 3 * h * f) + vocab * h);
    roofline_model_free(model);
}
END_TEST

/* By hand: a dense layer of MLP width 10944, then 45 with one shared expert and a router bias; 1 layer is left out. */
START_TEST(glm_has_a_dense_layer_and_one_that_is_left_out) {
    roofline_model *model = parse_and_free(read_config("zai-org__GLM-4.5-Air"));
    ck_assert_int_eq(info_of(model).layer_groups, 2);
    roofline_layer_group dense = group_of(model, 0), routed = group_of(model, 1);
    int64_t vectors = 2 * 4096 + (96 + 8 + 8) * 128;
    ck_assert_int_eq(dense.layers, 1);
    ck_assert_int_eq(dense.experts, 0);
    ck_assert_int_eq(dense.intermediate, 10944);
    ck_assert_int_eq(dense.vector_parameters, vectors);
    ck_assert_int_eq(routed.layers, 45);
    ck_assert_int_eq(routed.experts, 128);
    ck_assert_int_eq(routed.experts_per_token, 8);
    ck_assert_int_eq(routed.expert_intermediate, 1408);
    ck_assert_int_eq(routed.intermediate, 1408);
    ck_assert_int_eq(routed.vector_parameters, vectors + 128);
    char text[512];
    ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_PREDICTION_LAYERS, "num_nextn_predict_layers", text), 1);
    ck_assert_ptr_nonnull(strstr(text, "num_nextn_predict_layers is 1"));
    ck_assert_int_eq(roofline_model_note_count(model), 1);
    roofline_model_free(model);
}
END_TEST

typedef struct expert_case {
    config_key changes[12];
    int64_t dense_layers;
    int64_t expert_layers;
    int64_t shared;
    int64_t vectors; /* of one layer with experts */
    int64_t outer_vectors;
} expert_case;

#define SMALL_EXPERTS(count_key)                                                                                       \
    {count_key, "8"}, {                                                                                                \
        "num_experts_per_tok", "2"                                                                                     \
    }
#define SMALL_QWEN                                                                                                     \
    SMALL_EXPERTS("num_experts"), {"moe_intermediate_size", "32"}, {                                                   \
        "num_hidden_layers", "6"                                                                                       \
    }

/* h 64, 4 query heads, 2 KV heads, d 16; 8 experts of which 2, f 128 or 32; 2 layers or 6. */
static const expert_case expert_cases[] = {
    {{{"model_type", "\"mixtral\""}, SMALL_EXPERTS("num_local_experts")}, 0, 2, 0, 2 * 64, 64},
    {{{"model_type", "\"granitemoe\""}, SMALL_EXPERTS("num_local_experts"), {"attention_bias", "true"}},
     0,
     2,
     0,
     2 * 64 + (64 + 32 + 32) + 64,
     64},
    {{{"model_type", "\"olmoe\""}, SMALL_EXPERTS("num_experts"), {"clip_qkv", "8.0"}}, 0, 2, 0, 2 * 64 + 64 + 32, 64},
    {{{"model_type", "\"phimoe\""}, SMALL_EXPERTS("num_local_experts")}, 0, 2, 0, 2 * 2 * 64, 2 * 64},
    {{{"model_type", "\"phimoe\""},
      SMALL_EXPERTS("num_local_experts"),
      {"attention_bias", "true"},
      {"lm_head_bias", "true"}},
     0,
     2,
     0,
     2 * 2 * 64 + (64 + 32 + 32) + 64,
     2 * 64 + 100},
    {{{"model_type", "\"qwen3_moe\""}, SMALL_QWEN, {"intermediate_size", NULL}}, 0, 6, 0, 2 * 64 + 2 * 16, 64},
    /* layers 1, 3 and 5 */
    {{{"model_type", "\"qwen3_moe\""}, SMALL_QWEN, {"decoder_sparse_step", "2"}}, 3, 3, 0, 2 * 64 + 2 * 16, 64},
    /* 1, 3 and 5 but for 3, which is listed twice; 2 would not have had any, and there is no 77 */
    {{{"model_type", "\"qwen3_moe\""}, SMALL_QWEN, {"decoder_sparse_step", "2"}, {"mlp_only_layers", "[3, 2, 3, 77]"}},
     4,
     2,
     0,
     2 * 64 + 2 * 16,
     64},
    {{{"model_type", "\"qwen3_moe\""}, SMALL_QWEN, {"decoder_sparse_step", "7"}}, 6, 0, 0, 0, 64},
    /* q, k and v biases, and the shared expert's own gate of 64 */
    {{{"model_type", "\"qwen2_moe\""},
      SMALL_QWEN,
      {"shared_expert_intermediate_size", "48"},
      {"mlp_only_layers", "[0]"}},
     1,
     5,
     48,
     2 * 64 + (64 + 32 + 32) + 64,
     64},
    {{{"model_type", "\"qwen2_moe\""}, SMALL_QWEN, {"shared_expert_intermediate_size", "0"}, {"qkv_bias", "false"}},
     0,
     6,
     0,
     2 * 64,
     64},
    /* two shared experts of 32, the router's bias of 8 */
    {{{"model_type", "\"glm4_moe\""},
      SMALL_EXPERTS("n_routed_experts"),
      {"moe_intermediate_size", "32"},
      {"n_shared_experts", "2"},
      {"first_k_dense_replace", "1"},
      {"use_qk_norm", "true"}},
     1,
     1,
     64,
     2 * 64 + 2 * 16 + 8,
     64},
};

START_TEST(layers_with_experts_of_every_family) {
    for (size_t i = 0; i < sizeof expert_cases / sizeof *expert_cases; i++) {
        const expert_case *row = &expert_cases[i];
        roofline_model *model = parse_config(small_llama, row->changes);
        roofline_model_info_result info = info_of(model);
        ck_assert_int_eq(info.layers, row->dense_layers + row->expert_layers);
        ck_assert_int_eq(info.layer_groups, (row->dense_layers > 0) + (row->expert_layers > 0));
        ck_assert_int_eq(spec_of(model).vector_parameters, row->outer_vectors);
        ck_assert_int_eq(roofline_model_note_count(model), 0);
        if (row->dense_layers > 0) {
            roofline_layer_group dense = group_of(model, 0);
            ck_assert_int_eq(dense.layers, row->dense_layers);
            ck_assert_int_eq(dense.intermediate, 128);
            ck_assert_int_eq(dense.experts, 0);
        }
        if (row->expert_layers > 0) {
            roofline_layer_group routed = group_of(model, info.layer_groups - 1);
            ck_assert_msg(routed.layers == row->expert_layers, "row %zu: %lld", i, (long long)routed.layers);
            ck_assert_msg(routed.vector_parameters == row->vectors, "row %zu: %lld", i,
                          (long long)routed.vector_parameters);
            ck_assert_int_eq(routed.intermediate, row->shared);
            ck_assert_int_eq(routed.experts, 8);
            ck_assert_int_eq(routed.experts_per_token, 2);
            ck_assert_int_eq(routed.gated_mlp, 1);
        }
        roofline_model_free(model);
    }
}
END_TEST

/*
 * Shapes of three models that no file here holds, by hand, a layer: attention, biases and norms, router, experts.
 * olmoe, 16 layers: 4 * 2048^2 + 2 * 2048 + 2 * 2048 + 64 * 2048 + 64 * 3 * 2048 * 1024 = 419569664; around them
 *   2 * 50304 * 2048 + 2048: 6919161856 in all.
 * qwen2_moe, 24: 4 * 2048^2 + 3 * 2048 + 2 * 2048 + 60 * 2048 + 60 * 3 * 2048 * 1408, shared 3 * 2048 * 5632 + 2048:
 *   570560512; around them 2 * 151936 * 2048 + 2048: 14315784192.
 * phimoe, 32: 4096 * 6144 + 4096^2 + 6144 + 4096 + 4 * 4096 + 16 * 4096 + 16 * 3 * 4096 * 6400 = 1300326400; around
 *   them 2 * 32064 * 4096 + 2 * 4096 + 32064: 41873153344.
 */
START_TEST(other_models_with_experts_by_hand) {
    struct {
        config_key changes[18];
        int64_t parameters;
    } rows[] = {
        {{{"model_type", "\"olmoe\""},
          {"hidden_size", "2048"},
          {"num_hidden_layers", "16"},
          {"num_attention_heads", "16"},
          {"num_key_value_heads", "16"},
          {"intermediate_size", "1024"},
          {"vocab_size", "50304"},
          {"num_experts", "64"},
          {"num_experts_per_tok", "8"}},
         6919161856},
        {{{"model_type", "\"qwen2_moe\""},
          {"hidden_size", "2048"},
          {"num_hidden_layers", "24"},
          {"num_attention_heads", "16"},
          {"num_key_value_heads", "16"},
          {"intermediate_size", "5632"},
          {"moe_intermediate_size", "1408"},
          {"shared_expert_intermediate_size", "5632"},
          {"vocab_size", "151936"},
          {"decoder_sparse_step", "1"},
          {"num_experts", "60"},
          {"num_experts_per_tok", "4"}},
         14315784192},
        {{{"model_type", "\"phimoe\""},
          {"hidden_size", "4096"},
          {"num_hidden_layers", "32"},
          {"num_attention_heads", "32"},
          {"num_key_value_heads", "8"},
          {"intermediate_size", "6400"},
          {"vocab_size", "32064"},
          {"attention_bias", "true"},
          {"lm_head_bias", "true"},
          {"num_local_experts", "16"},
          {"num_experts_per_tok", "2"}},
         41873153344},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_model *model = parse_config(small_llama, rows[i].changes);
        ck_assert_int_eq(info_of(model).parameters_total, rows[i].parameters);
        roofline_model_free(model);
    }
}
END_TEST

/* Windows and experts split the layers only where one of the two concerns all of them. */
START_TEST(windows_beside_experts) {
    const config_key all[] = {
        {"model_type", "\"mixtral\""}, SMALL_EXPERTS("num_local_experts"), {"sliding_window", "32"}, {NULL, NULL}};
    roofline_model *model = parse_config(small_llama, all);
    ck_assert_int_eq(info_of(model).layer_groups, 1);
    ck_assert_int_eq(group_of(model, 0).window_tokens, 32);
    ck_assert_int_eq(group_of(model, 0).experts, 8);
    roofline_model_free(model);

    config_key upper[] = {{"model_type", "\"qwen3_moe\""},
                          SMALL_QWEN,
                          {"use_sliding_window", "true"},
                          {"max_window_layers", "4"},
                          {"sliding_window", "32"},
                          {"decoder_sparse_step", "1"},
                          {NULL, NULL}};
    model = parse_config(small_llama, upper);
    ck_assert_int_eq(info_of(model).layer_groups, 2);
    for (int64_t i = 0; i < 2; i++) {
        ck_assert_int_eq(group_of(model, i).experts, 8);
        ck_assert_int_eq(group_of(model, i).window_tokens, i * 32);
        ck_assert_int_eq(group_of(model, i).layers, i ? 2 : 4);
    }
    roofline_model_free(model);
}
END_TEST

/* What each option adds to one layer of a small model, h 64, 4 query heads, 2 KV heads, d 16, f 128. */
START_TEST(options_add_their_vectors) {
    struct {
        const char *model_type;
        config_key changes[3];
        int64_t layer_vectors;
        int64_t outer_vectors;
    } rows[] = {
        {"\"llama\"", {{"attention_bias", "true"}}, 2 * 64 + (64 + 32 + 32) + 64, 64},
        {"\"llama\"", {{"mlp_bias", "true"}}, 2 * 64 + 128 + 128 + 64, 64},
        {"\"qwen2\"", {{NULL, NULL}}, 2 * 64 + 64 + 32 + 32, 64},
        {"\"qwen3\"", {{"head_dim", "16"}}, 2 * 64 + 2 * 16, 64},
        {"\"olmo2\"", {{NULL, NULL}}, 2 * 64 + 4 * 16 + 2 * 16, 64},
        {"\"cohere\"", {{NULL, NULL}}, 64, 64},
        {"\"cohere\"", {{"use_qk_norm", "true"}}, 64 + 4 * 16 + 2 * 16, 64},
        {"\"gemma\"", {{"head_dim", "16"}}, 2 * 64, 64},
        {"\"gemma2\"", {{"head_dim", "16"}}, 4 * 64, 64},
        {"\"gemma3_text\"", {{"head_dim", "16"}}, 4 * 64 + 2 * 16, 64},
        {"\"internlm2\"", {{"bias", "true"}}, 2 * 64 + (64 + 32 + 32) + 64, 64},
        {"\"phi\"", {{NULL, NULL}}, 2 * 64 + (64 + 32 + 32) + 64 + 128 + 64, 2 * 64 + 100},
        {"\"phi\"", {{"qk_layernorm", "true"}}, 2 * 64 + (64 + 32 + 32) + 64 + 128 + 64 + 4 * 16, 2 * 64 + 100},
        {"\"phi3\"", {{NULL, NULL}}, 2 * 64, 64},
        {"\"stablelm\"", {{"use_qkv_bias", "true"}}, 2 * 2 * 64 + 64 + 32 + 32, 2 * 64},
        {"\"stablelm\"", {{"qk_layernorm", "true"}, {"use_parallel_residual", "true"}}, 2 * 64 + (4 + 2) * 16, 2 * 64},
        {"\"starcoder2\"", {{"use_bias", "false"}}, 2 * 2 * 64, 2 * 64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const config_key changes[4] = {{"model_type", rows[i].model_type}, rows[i].changes[0], rows[i].changes[1]};
        roofline_model *model = parse_config(small_llama, changes);
        ck_assert_msg(group_of(model, 0).vector_parameters == rows[i].layer_vectors, "row %zu: %lld", i,
                      (long long)group_of(model, 0).vector_parameters);
        ck_assert_int_eq(spec_of(model).vector_parameters, rows[i].outer_vectors);
        roofline_model_free(model);
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- windows -- */

START_TEST(windows_of_every_rule) {
    const char *full = "[\"full_attention\", \"full_attention\"]";
    const char *half = "[\"sliding_attention\", \"full_attention\"]";
    struct {
        config_key changes[7];
        int64_t windowed;
        int64_t window;
    } rows[] = {
        {{{"model_type", "\"mistral\""}, {"sliding_window", "null"}}, 0, 0},
        {{{"model_type", "\"mistral\""}, {"sliding_window", "32"}}, 2, 32},
        {{{"model_type", "\"mistral\""}, {"sliding_window", "256"}}, 0, 0}, /* no shorter than the longest context */
        {{{"model_type", "\"phi3\""}, {"sliding_window", "32"}}, 2, 32},
        {{{"model_type", "\"starcoder2\""}, {"sliding_window", "32"}}, 2, 32},
        {{{"model_type", "\"starcoder2\""}}, 0, 0},
        {{{"model_type", "\"qwen2\""}, {"sliding_window", "32"}, {"max_window_layers", "1"}}, 0, 0},
        {{{"model_type", "\"qwen2\""},
          {"sliding_window", "32"},
          {"max_window_layers", "1"},
          {"use_sliding_window", "true"}},
         1,
         32},
        {{{"model_type", "\"qwen2\""},
          {"sliding_window", "32"},
          {"max_window_layers", "2"},
          {"use_sliding_window", "true"}},
         0,
         0},
        {{{"model_type", "\"qwen3\""},
          {"sliding_window", "32"},
          {"layer_types", half},
          {"head_dim", "16"},
          {"use_sliding_window", "true"}},
         1,
         32},
        {{{"model_type", "\"qwen3\""}, {"sliding_window", "null"}, {"layer_types", full}, {"head_dim", "16"}}, 0, 0},
        {{{"model_type", "\"gemma2\""}, {"sliding_window", "32"}, {"num_hidden_layers", "5"}}, 3, 32},
        {{{"model_type", "\"gemma2\""}, {"sliding_window", "32"}, {"layer_types", half}}, 1, 32},
        {{{"model_type", "\"gemma3_text\""}, {"sliding_window", "32"}, {"num_hidden_layers", "26"}}, 22, 32},
        {{{"model_type", "\"gemma3_text\""},
          {"sliding_window", "32"},
          {"num_hidden_layers", "26"},
          {"sliding_window_pattern", "2"}},
         13,
         32},
        {{{"model_type", "\"llama\""}, {"layer_types", full}}, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_model *model = parse_config(small_llama, rows[i].changes);
        roofline_model_info_result info = info_of(model);
        roofline_layer_group last = group_of(model, info.layer_groups - 1);
        ck_assert_msg(last.window_tokens == rows[i].window, "row %zu: window %lld", i, (long long)last.window_tokens);
        ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_WINDOW, "window_tokens", NULL), rows[i].windowed > 0);
        if (rows[i].windowed > 0)
            ck_assert_msg(last.layers == rows[i].windowed, "row %zu: %lld layers", i, (long long)last.layers);
        int64_t of_layer = info.kv_bytes_per_token / info.layers;
        ck_assert_int_eq(info.kv_bytes_per_token_full, of_layer * (info.layers - rows[i].windowed));
        roofline_model_free(model);
    }
}
END_TEST

/* -------------------------------------------------------------------------------------- defaults and their notes -- */

START_TEST(missing_keys_that_matter_are_reported) {
    struct {
        config_key changes[4];
        roofline_note_code code;
        const char *field;
    } rows[] = {
        {{{"tie_word_embeddings", NULL}}, ROOFLINE_NOTE_DEFAULT_USED, "tie_word_embeddings"},
        {{{"torch_dtype", NULL}}, ROOFLINE_NOTE_FORMAT_ASSUMED, "format"},
        {{{"torch_dtype", "null"}}, ROOFLINE_NOTE_FORMAT_ASSUMED, "format"},
        {{{"model_type", "\"qwen3\""}}, ROOFLINE_NOTE_DEFAULT_USED, "head_dim"},
        {{{"model_type", "\"gemma\""}}, ROOFLINE_NOTE_DEFAULT_USED, "head_dim"},
        {{{"model_type", "\"gemma2\""}}, ROOFLINE_NOTE_DEFAULT_USED, "sliding_window"},
        {{{"model_type", "\"gemma2\""}}, ROOFLINE_NOTE_DEFAULT_USED, "layer_types"},
        {{{"model_type", "\"gemma3_text\""}}, ROOFLINE_NOTE_DEFAULT_USED, "sliding_window_pattern"},
        {{{"model_type", "\"mistral\""}}, ROOFLINE_NOTE_DEFAULT_USED, "sliding_window"},
        {{{"num_key_value_heads", NULL}}, ROOFLINE_NOTE_DEFAULT_USED, "num_key_value_heads"},
        {{{"num_key_value_heads", "null"}}, ROOFLINE_NOTE_DEFAULT_USED, "num_key_value_heads"},
        {{{"model_type", "\"stablelm\""}, {"num_key_value_heads", "null"}},
         ROOFLINE_NOTE_DEFAULT_USED,
         "num_key_value_heads"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_model *model = parse_config(small_llama, rows[i].changes);
        ck_assert_msg(notes_of(model, rows[i].code, rows[i].field, NULL) == 1, "row %zu has no note", i);
        roofline_model_free(model);
    }
    roofline_model *model = parse_config(small_llama, NULL);
    ck_assert_int_eq(roofline_model_note_count(model), 0);
    roofline_model_free(model);
}
END_TEST

/* Without the key every query head has its own KV head, which the note says with the number. */
START_TEST(assumed_kv_heads_are_reported) {
    char text[512];
    roofline_model *model = parse_config(small_llama, (config_key[]){{"num_key_value_heads", NULL}, {NULL, NULL}});
    ck_assert_int_eq(group_of(model, 0).kv_heads, 4);
    ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_DEFAULT_USED, "num_key_value_heads", text), 1);
    ck_assert_ptr_nonnull(strstr(text, "query heads, 4,"));
    ck_assert_ptr_nonnull(strstr(text, "'llama'"));
    ck_assert_int_eq(roofline_model_note_count(model), 1);
    roofline_model_free(model);
    struct {
        config_key changes[3];
        int64_t kv_heads;
        int notes;
    } falcons[] = {{{{"new_decoder_architecture", "true"}}, 4, 1},
                   {{{"new_decoder_architecture", "true"}, {"num_kv_heads", "null"}}, 4, 1},
                   {{{"new_decoder_architecture", "true"}, {"num_kv_heads", "2"}}, 2, 0},
                   {{{"multi_query", "false"}}, 4, 0}, /* the layout says it, whatever the key */
                   {{{NULL, NULL}}, 1, 0}};
    for (size_t i = 0; i < sizeof falcons / sizeof *falcons; i++) {
        model = parse_config(small_falcon, falcons[i].changes);
        ck_assert_int_eq(group_of(model, 0).kv_heads, falcons[i].kv_heads);
        ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_DEFAULT_USED, "num_kv_heads", NULL), falcons[i].notes);
        roofline_model_free(model);
    }
}
END_TEST

/* Published configs: GPT-2, OPT, BLOOM and GPT-NeoX have no such key; phi-2's n_head_kv is null. */
START_TEST(kv_heads_without_a_key_need_no_note) {
    static const char *const names[] = {"openai-community__gpt2", "facebook__opt-6.7b", "bigscience__bloom",
                                        "EleutherAI__pythia-6.9b-deduped"};
    static const char *const keys[] = {"num_key_value_heads", "num_kv_heads", "n_head_kv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        roofline_model *model = parse_and_free(read_config(names[i]));
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_DEFAULT_USED, keys[k], NULL), 0);
        roofline_model_free(model);
    }
    roofline_model *model = parse_and_free(read_config("microsoft__phi-2"));
    ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_DEFAULT_USED, "n_head_kv", NULL), 1);
    roofline_model_free(model);
}
END_TEST

START_TEST(missing_keys_with_one_meaning) {
    roofline_model *model = parse_config(small_llama, NULL);
    ck_assert_int_eq(group_of(model, 0).head_dim, 16);
    roofline_model_free(model);
    model = parse_config(small_llama, (config_key[]){{"model_type", "\"mistral\""},
                                                     {"sliding_window", "null"},
                                                     {"num_key_value_heads", "null"},
                                                     {NULL, NULL}});
    ck_assert_int_eq(group_of(model, 0).kv_heads, 4);
    roofline_model_free(model);
    model = parse_config(small_llama, (config_key[]){{"max_position_embeddings", NULL}, {NULL, NULL}});
    ck_assert_int_eq(info_of(model).max_context_tokens, 0);
    roofline_model_free(model);
}
END_TEST

START_TEST(stored_formats) {
    struct {
        config_key changes[3];
        roofline_format format;
    } rows[] = {
        {{{"torch_dtype", "\"float32\""}}, ROOFLINE_FORMAT_FP32},
        {{{"torch_dtype", "\"float16\""}}, ROOFLINE_FORMAT_FP16},
        {{{"torch_dtype", NULL}, {"dtype", "\"bfloat16\""}}, ROOFLINE_FORMAT_BF16},
        {{{"torch_dtype", "\"float16\""}, {"dtype", "\"float16\""}}, ROOFLINE_FORMAT_FP16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_model *model = parse_config(small_llama, rows[i].changes);
        roofline_model_info_result info = info_of(model);
        ck_assert_int_eq(info.format, rows[i].format);
        ck_assert_int_eq(info.weight_bytes_resident, bytes_per_element(rows[i].format) * info.parameters_total);
        roofline_model_free(model);
    }
}
END_TEST

START_TEST(neutral_values_are_no_obstacle) {
    static const config_key changes[] = {{"quantization_config", "null"}, {"num_local_experts", "0"},
                                         {"is_encoder_decoder", "false"}, {"pruned_heads", "{}"},
                                         {"mlp_only_layers", "[]"},       {"add_cross_attention", "false"},
                                         {"sliding_window", "null"},      {"vision_config", "null"},
                                         {"use_sliding_window", "false"}, {"rope_scaling", "{\"factor\": 8.0}"},
                                         {"use_cache", "true"},           {NULL, NULL}};
    roofline_model *model = parse_config(small_llama, changes);
    ck_assert_int_eq(roofline_model_note_count(model), 0);
    roofline_model_free(model);
    static const config_key opt[] = {{"model_type", "\"opt\""},
                                     {"num_key_value_heads", "4"},
                                     {"ffn_dim", "128"},
                                     {"intermediate_size", NULL},
                                     {NULL, NULL}};
    roofline_model_free(parse_config(small_llama, opt)); /* as many KV heads as the architecture has */
}
END_TEST

START_TEST(many_unknown_keys_are_counted) {
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "{");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "\"zz_%03d\": %d, ", i, i);
    write_config(text + used - 1, sizeof text - used, small_llama, NULL);
    text[used - 1] = ' '; /* the small config's own brace */
    char note[512];
    roofline_model *model = parse(text);
    ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_UNKNOWN_KEY, NULL, note), 33);
    ck_assert_str_eq(note, "not understood: 68 more keys");
    roofline_model_free(model);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- bad input -- */

typedef struct bad_config {
    config_key changes[5];
    roofline_status status;
    const char *path;
    const char *message; /* a part of it */
} bad_config;

static const bad_config bad_configs[] = {
    /* required keys, wrong types */
    {{{"hidden_size", NULL}}, ROOFLINE_SCHEMA, "/hidden_size", "missing"},
    {{{"hidden_size", "null"}}, ROOFLINE_SCHEMA, "/hidden_size", "null"},
    {{{"num_hidden_layers", NULL}}, ROOFLINE_SCHEMA, "/num_hidden_layers", "missing"},
    {{{"num_attention_heads", NULL}}, ROOFLINE_SCHEMA, "/num_attention_heads", "missing"},
    {{{"intermediate_size", NULL}}, ROOFLINE_SCHEMA, "/intermediate_size", "missing"},
    {{{"vocab_size", NULL}}, ROOFLINE_SCHEMA, "/vocab_size", "missing"},
    {{{"model_type", "\"mistral\""}, {"num_key_value_heads", NULL}},
     ROOFLINE_SCHEMA,
     "/num_key_value_heads",
     "missing"},
    {{{"model_type", "\"gpt2\""}, {"max_position_embeddings", NULL}}, ROOFLINE_SCHEMA, "/n_positions", "missing"},
    {{{"hidden_size", "\"64\""}}, ROOFLINE_SCHEMA, "/hidden_size", "whole number"},
    {{{"hidden_size", "64.5"}}, ROOFLINE_SCHEMA, "/hidden_size", "whole number"},
    {{{"hidden_size", "[64]"}}, ROOFLINE_SCHEMA, "/hidden_size", "whole number"},
    {{{"hidden_size", "true"}}, ROOFLINE_SCHEMA, "/hidden_size", "whole number"},
    {{{"tie_word_embeddings", "\"yes\""}}, ROOFLINE_SCHEMA, "/tie_word_embeddings", "true or false"},
    {{{"tie_word_embeddings", "1"}}, ROOFLINE_SCHEMA, "/tie_word_embeddings", "true or false"},
    {{{"torch_dtype", "16"}}, ROOFLINE_SCHEMA, "/torch_dtype", "string"},
    {{{"model_type", "7"}}, ROOFLINE_SCHEMA, "/model_type", "string"},
    {{{"model_type", "null"}}, ROOFLINE_SCHEMA, "/model_type", "null"},
    {{{"model_type", NULL}}, ROOFLINE_SCHEMA, "", "model_type"},
    /* numbers out of range */
    {{{"hidden_size", "0"}}, ROOFLINE_RANGE, "/hidden_size", "16777216"},
    {{{"hidden_size", "-64"}}, ROOFLINE_RANGE, "/hidden_size", "-64"},
    {{{"hidden_size", "1e15"}}, ROOFLINE_RANGE, "/hidden_size", "16777216"},
    {{{"hidden_size", "9007199254740992"}}, ROOFLINE_RANGE, "/hidden_size", "9007199254740992"},
    {{{"hidden_size", "9007199254740993"}}, ROOFLINE_PARSE, "", ""},
    {{{"hidden_size", "1e999"}}, ROOFLINE_PARSE, "", ""},
    {{{"num_hidden_layers", "1048577"}}, ROOFLINE_RANGE, "/num_hidden_layers", "1048576"},
    {{{"vocab_size", "4294967297"}}, ROOFLINE_RANGE, "/vocab_size", "4294967296"},
    {{{"head_dim", "0"}}, ROOFLINE_RANGE, "/head_dim", "0"},
    {{{"hidden_size", "16777216"}, {"num_hidden_layers", "1048576"}}, ROOFLINE_OVERFLOW, "", "2^48"},
    /* contradictions */
    {{{"num_attention_heads", "32"}, {"num_key_value_heads", "3"}}, ROOFLINE_RANGE, "/num_key_value_heads", "32"},
    {{{"num_key_value_heads", "8"}}, ROOFLINE_RANGE, "/num_key_value_heads", "8"},
    {{{"num_attention_heads", "6"}}, ROOFLINE_RANGE, "/num_attention_heads", "head_dim"},
    {{{"torch_dtype", "\"float16\""}, {"dtype", "\"bfloat16\""}}, ROOFLINE_SCHEMA, "/dtype", "differ"},
    {{{"model_type", "\"gpt2\""}, {"n_embd", "32"}}, ROOFLINE_SCHEMA, "/hidden_size", "n_embd"},
    {{{"layer_types", "[\"full_attention\"]"}}, ROOFLINE_SCHEMA, "/layer_types", "2 layers"},
    {{{"layer_types", "7"}}, ROOFLINE_SCHEMA, "/layer_types", "array"},
    /* understood and not modelled */
    {{{"model_type", "\"mamba\""}}, ROOFLINE_UNSUPPORTED, "/model_type", "'mamba'"},
    {{{"model_type", "\"Llama\""}}, ROOFLINE_UNSUPPORTED, "/model_type", "'Llama'"},
    {{{"model_type", "\"\\u001b[2J\""}}, ROOFLINE_UNSUPPORTED, "/model_type", "'\\x1b[2J'"},
    {{{"torch_dtype", "\"float8_e4m3fn\""}}, ROOFLINE_UNSUPPORTED, "/torch_dtype", "bfloat16"},
    {{{"architectures", "[\"LlamaForSequenceClassification\"]"}}, ROOFLINE_UNSUPPORTED, "/architectures/0", "logits"},
    {{{"num_local_experts", "8"}}, ROOFLINE_UNSUPPORTED, "/num_local_experts", "mixture-of-experts"},
    {{{"num_experts", "64"}}, ROOFLINE_UNSUPPORTED, "/num_experts", "mixture-of-experts"},
    {{{"n_routed_experts", "64"}}, ROOFLINE_UNSUPPORTED, "/n_routed_experts", "mixture-of-experts"},
    {{{"kv_lora_rank", "512"}}, ROOFLINE_UNSUPPORTED, "/kv_lora_rank", "latent attention"},
    {{{"quantization_config", "{\"bits\": 4}"}}, ROOFLINE_UNSUPPORTED, "/quantization_config", "quantised"},
    {{{"vision_config", "{\"hidden_size\": 8}"}}, ROOFLINE_UNSUPPORTED, "/vision_config", "image encoder"},
    {{{"is_encoder_decoder", "true"}}, ROOFLINE_UNSUPPORTED, "/is_encoder_decoder", "encoder"},
    {{{"add_cross_attention", "true"}}, ROOFLINE_UNSUPPORTED, "/add_cross_attention", "cross attention"},
    {{{"attention_chunk_size", "8192"}}, ROOFLINE_UNSUPPORTED, "/attention_chunk_size", "chunked attention"},
    {{{"pruned_heads", "{\"0\": [1]}"}}, ROOFLINE_UNSUPPORTED, "/pruned_heads", "pruned heads"},
    {{{"num_nextn_predict_layers", "1"}}, ROOFLINE_UNSUPPORTED, "/num_nextn_predict_layers", "prediction"},
    {{{"sliding_window", "32"}}, ROOFLINE_UNSUPPORTED, "/sliding_window", "'llama'"},
    {{{"model_type", "\"mistral\""}, {"attention_bias", "true"}}, ROOFLINE_UNSUPPORTED, "/attention_bias", "bias"},
    {{{"model_type", "\"gpt_neox\""}}, ROOFLINE_UNSUPPORTED, "/num_key_value_heads", "fewer KV heads"},
    {{{"model_type", "\"stablelm\""}, {"head_dim", "32"}}, ROOFLINE_UNSUPPORTED, "/head_dim", "'stablelm'"},
    {{{"model_type", "\"starcoder2\""}, {"mlp_type", "\"gated\""}}, ROOFLINE_UNSUPPORTED, "/mlp_type", "gated"},
    {{{"layer_types", "[\"full_attention\", \"linear_attention\"]"}}, ROOFLINE_UNSUPPORTED, "/layer_types/1", "linear"},
    {{{"layer_types", "[1, 2]"}}, ROOFLINE_UNSUPPORTED, "/layer_types/0", "supported"},
    {{{"model_type", "\"opt\""}, {"ffn_dim", "128"}, {"word_embed_proj_dim", "32"}},
     ROOFLINE_UNSUPPORTED,
     "/word_embed_proj_dim",
     "32"},
};

/* A small mixtral, qwen3_moe or glm4_moe gone wrong. */
static const bad_config bad_expert_configs[] = {
    {{{"num_local_experts", NULL}}, ROOFLINE_SCHEMA, "/num_local_experts", "missing"},
    {{{"num_experts_per_tok", NULL}}, ROOFLINE_SCHEMA, "/num_experts_per_tok", "missing"},
    {{{"intermediate_size", NULL}}, ROOFLINE_SCHEMA, "/intermediate_size", "missing"},
    {{{"num_local_experts", "0"}}, ROOFLINE_RANGE, "/num_local_experts", "65536"},
    {{{"num_local_experts", "65537"}}, ROOFLINE_RANGE, "/num_local_experts", "65536"},
    {{{"num_experts_per_tok", "9"}}, ROOFLINE_RANGE, "/num_experts_per_tok", "8 experts"},
    {{{"num_experts_per_tok", "0"}}, ROOFLINE_RANGE, "/num_experts_per_tok", "0"},
    {{{"intermediate_size", "0"}}, ROOFLINE_RANGE, "/intermediate_size", "0"},
    {{{"num_key_value_heads", "3"}}, ROOFLINE_RANGE, "/num_key_value_heads", "divide"},
    {{{"n_shared_experts", "1"}}, ROOFLINE_UNSUPPORTED, "/n_shared_experts", "mixture-of-experts"},
    {{{"num_nextn_predict_layers", "1"}}, ROOFLINE_UNSUPPORTED, "/num_nextn_predict_layers", "prediction"},
    {{{"quantization_config", "{\"bits\": 4}"}}, ROOFLINE_UNSUPPORTED, "/quantization_config", "quantised"},
};
static const bad_config bad_qwen_configs[] = {
    {{{"moe_intermediate_size", NULL}}, ROOFLINE_SCHEMA, "/moe_intermediate_size", "missing"},
    {{{"num_local_experts", "7"}}, ROOFLINE_SCHEMA, "/num_local_experts", "means the same"},
    {{{"decoder_sparse_step", "0"}}, ROOFLINE_RANGE, "/decoder_sparse_step", "0"},
    {{{"decoder_sparse_step", "2"}, {"intermediate_size", NULL}}, ROOFLINE_SCHEMA, "/intermediate_size", "missing"},
    {{{"mlp_only_layers", "3"}}, ROOFLINE_SCHEMA, "/mlp_only_layers", "array"},
    {{{"mlp_only_layers", "[0, -1]"}}, ROOFLINE_SCHEMA, "/mlp_only_layers/1", "indices"},
    {{{"mlp_only_layers", "[0.5]"}}, ROOFLINE_SCHEMA, "/mlp_only_layers/0", "indices"},
    {{{"mlp_only_layers", "[\"0\"]"}}, ROOFLINE_SCHEMA, "/mlp_only_layers/0", "indices"},
    {{{"shared_expert_intermediate_size", "48"}},
     ROOFLINE_UNSUPPORTED,
     "/shared_expert_intermediate_size",
     "mixture-of-experts"},
    {{{"mlp_only_layers", "[0]"}, {"use_sliding_window", "true"}, {"max_window_layers", "4"}, {"sliding_window", "32"}},
     ROOFLINE_UNSUPPORTED,
     "/sliding_window",
     "2 of 6 layers"},
    {{{"model_type", "\"qwen2_moe\""}}, ROOFLINE_SCHEMA, "/shared_expert_intermediate_size", "missing"},
    {{{"model_type", "\"glm4_moe\""}, {"n_routed_experts", "8"}}, ROOFLINE_SCHEMA, "/n_shared_experts", "missing"},
    {{{"model_type", "\"glm4_moe\""}, {"n_routed_experts", "8"}, {"n_shared_experts", "1"}},
     ROOFLINE_SCHEMA,
     "/first_k_dense_replace",
     "missing"},
    {{{"model_type", "\"glm4_moe\""}, {"n_routed_experts", "8"}, {"n_shared_experts", "524289"}},
     ROOFLINE_RANGE,
     "/n_shared_experts",
     "524288"},
};

static void expect_refusal(const char *json, roofline_status status, const char *path, const char *message) {
    roofline_model *model = NULL;
    roofline_error error;
    memset(&error, 0x55, sizeof error);
    roofline_status actual = roofline_model_parse(json, strlen(json), &model, &error);
    ck_assert_msg(actual == status, "%s gives %s (%s: %s)", json, roofline_status_name(actual), error.path,
                  error.message);
    expect_error(actual, status, &error, path);
    ck_assert_msg(status == ROOFLINE_PARSE || strcmp(error.path, path) == 0, "%s: path %s", json, error.path);
    ck_assert_msg(strstr(error.message, message) != NULL, "%s: message %s", json, error.message);
    ck_assert_ptr_null(model);
    ck_assert_int_eq(roofline_model_parse(json, strlen(json), &model, NULL), status);
}

START_TEST(bad_configs_are_refused_with_their_place) {
    for (size_t i = 0; i < sizeof bad_configs / sizeof *bad_configs; i++) {
        char text[4096];
        write_config(text, sizeof text, small_llama, bad_configs[i].changes);
        expect_refusal(text, bad_configs[i].status, bad_configs[i].path, bad_configs[i].message);
    }
}
END_TEST

static void expect_bad_expert_configs(const config_key *base, const bad_config *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        config_key changes[KEY_LIMIT] = {{NULL, NULL}};
        size_t used = 0;
        for (const config_key *key = base; key->key; key++)
            changes[used++] = *key;
        for (const config_key *key = rows[i].changes; key->key; key++)
            changes[used++] = *key;
        char text[4096];
        write_config(text, sizeof text, small_llama, changes);
        expect_refusal(text, rows[i].status, rows[i].path, rows[i].message);
    }
}

START_TEST(bad_experts_are_refused_with_their_place) {
    const config_key mixtral[] = {{"model_type", "\"mixtral\""}, SMALL_EXPERTS("num_local_experts"), {NULL, NULL}};
    const config_key qwen[] = {{"model_type", "\"qwen3_moe\""}, SMALL_QWEN, {NULL, NULL}};
    expect_bad_expert_configs(mixtral, bad_expert_configs, sizeof bad_expert_configs / sizeof *bad_expert_configs);
    expect_bad_expert_configs(qwen, bad_qwen_configs, sizeof bad_qwen_configs / sizeof *bad_qwen_configs);
}
END_TEST

START_TEST(bad_texts_are_refused) {
    expect_refusal("", ROOFLINE_PARSE, "", "");
    expect_refusal("{", ROOFLINE_PARSE, "", "");
    expect_refusal("{}", ROOFLINE_SCHEMA, "", "model_type");
    expect_refusal("[]", ROOFLINE_SCHEMA, "", "");
    expect_refusal("null", ROOFLINE_SCHEMA, "", "");
    expect_refusal("7", ROOFLINE_SCHEMA, "", "");
    expect_refusal("{\"model_type\": \"llama\"}", ROOFLINE_SCHEMA, "/hidden_size", "missing");
    expect_refusal("{\"model_type\": \"llama\", \"model_type\": \"llama\"}", ROOFLINE_SCHEMA, "/model_type", "");
    char deep[4096];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    expect_refusal(deep, ROOFLINE_PARSE, "", "");
}
END_TEST

START_TEST(null_arguments_are_refused) {
    roofline_model *model = NULL;
    roofline_error error;
    size_t needed = 7;
    roofline_note note = {.struct_size = sizeof note};
    roofline_model_info_result info = {.struct_size = sizeof info};
    expect_error(roofline_model_parse(NULL, 0, &model, &error), ROOFLINE_ARGUMENT, &error, "json");
    expect_error(roofline_model_parse("{}", 2, NULL, &error), ROOFLINE_ARGUMENT, &error, "out");
    expect_error(roofline_model_load(NULL, &model, &error), ROOFLINE_ARGUMENT, &error, "path");
    expect_error(roofline_model_load("x", NULL, &error), ROOFLINE_ARGUMENT, &error, "out");
    expect_error(roofline_model_load("", &model, &error), ROOFLINE_ARGUMENT, &error, "path");
    ck_assert_ptr_nonnull(strstr(error.message, "empty"));
    expect_error(roofline_model_open(NULL, &model, &error), ROOFLINE_ARGUMENT, &error, "name");
    expect_error(roofline_model_open("gpt2", NULL, &error), ROOFLINE_ARGUMENT, &error, "out");
    expect_error(roofline_model_create(NULL, NULL, 1, sizeof(roofline_layer_group), &model, &error), ROOFLINE_ARGUMENT,
                 &error, "roofline_model_spec");
    expect_error(roofline_model_info(NULL, &info, &error), ROOFLINE_ARGUMENT, &error, "model");
    expect_error(roofline_model_get_spec(NULL, &(roofline_model_spec){0}, &error), ROOFLINE_ARGUMENT, &error, "model");
    expect_error(roofline_model_get_group(NULL, 0, &(roofline_layer_group){0}, &error), ROOFLINE_ARGUMENT, &error,
                 "model");
    expect_error(roofline_model_to_json(NULL, NULL, 0, &needed, &error), ROOFLINE_ARGUMENT, &error, "model");
    expect_error(roofline_model_note(NULL, 0, &note, NULL, 0, &needed, &error), ROOFLINE_ARGUMENT, &error, "model");
    ck_assert_int_eq(roofline_model_note_count(NULL), 0);
    roofline_model_free(NULL);
    model = parse_config(small_llama, NULL);
    expect_error(roofline_model_info(model, NULL, &error), ROOFLINE_ARGUMENT, &error, "roofline_model_info_result");
    info.struct_size = 3;
    expect_error(roofline_model_info(model, &info, &error), ROOFLINE_STRUCT_SIZE, &error, "roofline_model_info_result");
    roofline_layer_group group = {.struct_size = sizeof group};
    expect_error(roofline_model_get_group(model, 1, &group, &error), ROOFLINE_NOT_FOUND, &error, "index");
    expect_error(roofline_model_get_group(model, -1, &group, &error), ROOFLINE_NOT_FOUND, &error, "index");
    expect_error(roofline_model_note(model, 0, &note, NULL, 0, &needed, &error), ROOFLINE_NOT_FOUND, &error, "index");
    roofline_model_free(model);
}
END_TEST

/* ------------------------------------------------------------------------------------------- models from numbers -- */

static roofline_model_spec two_layer_spec(void) {
    return (roofline_model_spec){.struct_size = sizeof(roofline_model_spec),
                                 .format = ROOFLINE_FORMAT_FP16,
                                 .name = "small",
                                 .hidden = 64,
                                 .vocab = 100,
                                 .vector_parameters = 64};
}

static roofline_layer_group two_layer_group(void) {
    return (roofline_layer_group){.struct_size = sizeof(roofline_layer_group),
                                  .gated_mlp = 1,
                                  .layers = 2,
                                  .query_heads = 4,
                                  .kv_heads = 2,
                                  .head_dim = 16,
                                  .intermediate = 128,
                                  .vector_parameters = 128};
}

static roofline_status create(const roofline_model_spec *spec, const roofline_layer_group *groups, size_t count,
                              roofline_model **model, roofline_error *error) {
    return roofline_model_create(spec, groups, count, sizeof *groups, model, error);
}

/* Two groups, values of another width than keys, positions: each term once. */
START_TEST(created_model_follows_the_formula) {
    roofline_model_spec spec = two_layer_spec();
    spec.position_rows = 10;
    roofline_layer_group groups[2] = {two_layer_group(), two_layer_group()};
    groups[1].gated_mlp = 0;
    groups[1].layers = 3;
    groups[1].value_head_dim = 8;
    groups[1].window_tokens = 20;
    roofline_model *model = NULL;
    roofline_error error;
    expect_ok(create(&spec, groups, 2, &model, &error), &error);
    int64_t first = 64 * (64 + 2 * (16 + 16)) + 64 * 64 + 3 * 64 * 128;
    int64_t second = 64 * (64 + 2 * (16 + 8)) + 32 * 64 + 2 * 64 * 128;
    roofline_model_info_result info = info_of(model);
    ck_assert_int_eq(info.layers, 5);
    ck_assert_int_eq(info.parameters_streamed, 2 * first + 3 * second + 6400);
    ck_assert_int_eq(info.parameters_total, 2 * (first + 128) + 3 * (second + 128) + 2 * 6400 + 640 + 64);
    ck_assert_int_eq(info.kv_bytes_per_token, 2 * (2 * 2 * 32 + 3 * 2 * 24));
    ck_assert_int_eq(info.kv_bytes_per_token_full, 2 * 2 * 2 * 32);
    ck_assert_int_eq(group_of(model, 0).value_head_dim, 16);
    ck_assert_int_eq(group_of(model, 1).value_head_dim, 8);
    ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_WINDOW, NULL, NULL), 1);
    roofline_model_free(model);
}
END_TEST

START_TEST(created_model_without_format_is_bf16_with_a_note) {
    roofline_model_spec spec = two_layer_spec();
    spec.format = ROOFLINE_FORMAT_DEFAULT;
    roofline_layer_group group = two_layer_group();
    roofline_model *model = NULL;
    roofline_error error;
    expect_ok(create(&spec, &group, 1, &model, &error), &error);
    ck_assert_int_eq(info_of(model).format, ROOFLINE_FORMAT_BF16);
    ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_FORMAT_ASSUMED, "format", NULL), 1);
    roofline_model_free(model);
}
END_TEST

/* Half a byte an element: the bytes of an odd count are rounded up. */
START_TEST(narrow_formats_round_up) {
    roofline_model_spec spec = two_layer_spec();
    spec.format = ROOFLINE_FORMAT_INT4;
    spec.vector_parameters = 65;
    roofline_layer_group group = two_layer_group();
    roofline_model *model = NULL;
    roofline_error error;
    expect_ok(create(&spec, &group, 1, &model, &error), &error);
    roofline_model_info_result info = info_of(model);
    ck_assert_int_eq(info.parameters_total % 2, 1);
    ck_assert_int_eq(info.weight_bytes_resident, (info.parameters_total + 1) / 2);
    ck_assert_int_eq(info.kv_bytes_per_token, 2 * 2 * 32 / 2);
    roofline_model_free(model);
}
END_TEST

static void expect_bad_create(const roofline_model_spec *spec, const roofline_layer_group *group,
                              roofline_status status, const char *path) {
    roofline_model *model = NULL;
    roofline_error error;
    roofline_layer_group groups[2] = {two_layer_group(), *group};
    expect_error(create(spec, groups, 2, &model, &error), status, &error, path);
    ck_assert_str_eq(error.path, path);
    ck_assert_ptr_null(model);
    ck_assert_int_eq(error.field_id != 0, strchr(path, '.') != NULL);
    if (strstr(path, "roofline_layer_group."))
        ck_assert_msg(strncmp(error.message, "group 1: ", 9) == 0, "%s", error.message);
}

#define BAD_SPEC(field, value, status)                                                                                 \
    do {                                                                                                               \
        roofline_model_spec spec_ = two_layer_spec();                                                                  \
        roofline_layer_group group_ = two_layer_group();                                                               \
        spec_.field = (value);                                                                                         \
        expect_bad_create(&spec_, &group_, status, "roofline_model_spec." #field);                                     \
    } while (0)

#define BAD_GROUP(field, value, status)                                                                                \
    do {                                                                                                               \
        roofline_model_spec spec_ = two_layer_spec();                                                                  \
        roofline_layer_group group_ = two_layer_group();                                                               \
        group_.field = (value);                                                                                        \
        expect_bad_create(&spec_, &group_, status, "roofline_layer_group." #field);                                    \
    } while (0)

START_TEST(bad_numbers_are_refused_with_their_field) {
    BAD_SPEC(format, 99, ROOFLINE_RANGE);
    BAD_SPEC(format, -1, ROOFLINE_RANGE);
    BAD_SPEC(hidden, 0, ROOFLINE_RANGE);
    BAD_SPEC(hidden, -1, ROOFLINE_RANGE);
    BAD_SPEC(hidden, (1 << 24) + 1, ROOFLINE_RANGE);
    BAD_SPEC(vocab, 0, ROOFLINE_RANGE);
    BAD_SPEC(vocab, INT64_MAX, ROOFLINE_RANGE);
    BAD_SPEC(tied_embeddings, 2, ROOFLINE_RANGE);
    BAD_SPEC(position_rows, -1, ROOFLINE_RANGE);
    BAD_SPEC(vector_parameters, INT64_MAX, ROOFLINE_RANGE);
    BAD_SPEC(max_context_tokens, INT64_MIN, ROOFLINE_RANGE);
    BAD_GROUP(gated_mlp, -1, ROOFLINE_RANGE);
    BAD_GROUP(layers, 0, ROOFLINE_RANGE);
    BAD_GROUP(layers, INT64_C(1) << 40, ROOFLINE_RANGE);
    BAD_GROUP(query_heads, 0, ROOFLINE_RANGE);
    BAD_GROUP(kv_heads, 0, ROOFLINE_RANGE);
    BAD_GROUP(kv_heads, 3, ROOFLINE_RANGE);
    BAD_GROUP(kv_heads, 8, ROOFLINE_RANGE);
    BAD_GROUP(head_dim, 0, ROOFLINE_RANGE);
    BAD_GROUP(value_head_dim, -1, ROOFLINE_RANGE);
    BAD_GROUP(window_tokens, -1, ROOFLINE_RANGE);
    BAD_GROUP(intermediate, -1, ROOFLINE_RANGE);
    BAD_GROUP(vector_parameters, -1, ROOFLINE_RANGE);
}
END_TEST

/* Experts, how many of them a token takes, and their width: all three or none. */
START_TEST(bad_expert_numbers_are_refused_with_their_field) {
    struct {
        int64_t experts, per_token, width;
        const char *field; /* NULL: right */
    } rows[] = {{8, 2, 32, NULL},
                {8, 8, 1, NULL},
                {0, 0, 0, NULL},
                {8, 9, 32, "experts_per_token"},
                {8, 0, 32, "experts_per_token"},
                {8, -1, 32, "experts_per_token"},
                {0, 2, 0, "experts_per_token"},
                {0, 0, 32, "expert_intermediate"},
                {8, 2, 0, "expert_intermediate"},
                {8, 2, (1 << 24) + 1, "expert_intermediate"},
                {-1, 0, 0, "experts"},
                {65537, 2, 32, "experts"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roofline_model_spec spec = two_layer_spec();
        roofline_layer_group group = two_layer_group();
        group.experts = rows[i].experts;
        group.experts_per_token = rows[i].per_token;
        group.expert_intermediate = rows[i].width;
        char path[64], json[512];
        snprintf(path, sizeof path, "roofline_layer_group.%s", rows[i].field ? rows[i].field : "");
        snprintf(json, sizeof json,
                 "{\"schema\": \"roofline-model/1\", \"hidden\": 64, \"vocab\": 100, \"groups\": [{\"layers\": 1, "
                 "\"query_heads\": 4, \"kv_heads\": 4, \"head_dim\": 16, \"experts\": %lld, \"experts_per_token\": "
                 "%lld, \"expert_intermediate\": %lld}]}",
                 (long long)rows[i].experts, (long long)rows[i].per_token, (long long)rows[i].width);
        if (rows[i].field) {
            expect_bad_create(&spec, &group, ROOFLINE_RANGE, path);
            snprintf(path, sizeof path, "/groups/0/%s", rows[i].field);
            expect_refusal(json, ROOFLINE_RANGE, path, rows[i].field);
        } else {
            roofline_model *model = NULL;
            expect_ok(create(&spec, &group, 1, &model, NULL), &(roofline_error){0});
            roofline_model_free(model);
            roofline_model_free(parse(json));
        }
    }
}
END_TEST

/* Two layers, of which one token takes 2 of 8 experts of width 32, beside a dense MLP of 128 for every token. */
START_TEST(created_model_with_experts_follows_the_formula) {
    roofline_model_spec spec = two_layer_spec();
    roofline_layer_group group = two_layer_group();
    group.experts = 8;
    group.experts_per_token = 2;
    group.expert_intermediate = 32;
    for (int gated = 0; gated < 2; gated++) {
        group.gated_mlp = gated;
        roofline_model *model = NULL;
        roofline_error error;
        expect_ok(create(&spec, &group, 1, &model, &error), &error);
        int64_t matrices = gated ? 3 : 2, expert = matrices * 64 * 32;
        int64_t always = 64 * 128 + 64 * 64 + matrices * 64 * 128 + 8 * 64;
        roofline_model_info_result info = info_of(model);
        ck_assert_int_eq(info.parameters_total, 2 * (always + 8 * expert + 128) + 2 * 6400 + 64);
        ck_assert_int_eq(info.parameters_active, 2 * (always + 2 * expert + 128) + 2 * 6400 + 64);
        ck_assert_int_eq(info.parameters_streamed, 2 * (always + 2 * expert) + 6400);
        roofline_model_free(model);
    }
}
END_TEST

/* Broken UTF-8 (RFC 3629: a lone byte, a cut, an overlong, a surrogate), control characters of C0, DEL and C1. */
START_TEST(bad_texts_are_refused_with_their_field) {
    static const char *const texts[] = {"broken \xff", "cut \xe2\x82",    "overlong \xc0\xaf", "surrogate \xed\xa0\x80",
                                        "two\nlines",  "\x1b[31mred",     "del\x7f",           "c1 \xc2\x9b",
                                        "c1 \xc2\x80", "last c1 \xc2\x9f"};
    roofline_layer_group group = two_layer_group();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        roofline_model_spec spec = two_layer_spec();
        strcpy(spec.name, texts[i]);
        expect_bad_create(&spec, &group, ROOFLINE_ARGUMENT, "roofline_model_spec.name");
        spec = two_layer_spec();
        strcpy(spec.architecture, texts[i]);
        expect_bad_create(&spec, &group, ROOFLINE_ARGUMENT, "roofline_model_spec.architecture");
    }
    roofline_model_spec spec = two_layer_spec();
    memset(spec.name, 'x', sizeof spec.name);
    expect_bad_create(&spec, &group, ROOFLINE_ARGUMENT, "roofline_model_spec.name");
    expect_refusal(
        "{\"schema\": \"roofline-model/1\", \"name\": \"\\u0085\", \"hidden\": 64, \"vocab\": 100, \"groups\": "
        "[{\"layers\": 1, \"query_heads\": 4, \"kv_heads\": 4, \"head_dim\": 16}]}",
        ROOFLINE_ARGUMENT, "/name", "printable");
}
END_TEST

/* 63 characters of two bytes fill the name but for the NUL and one byte; U+00A0 follows the last of C1. */
START_TEST(texts_of_every_script_and_length_are_kept) {
    roofline_model_spec spec = two_layer_spec();
    roofline_layer_group group = two_layer_group();
    for (size_t i = 0; i < 63; i++)
        memcpy(spec.name + 2 * i, "\xc2\xa0", 3);
    strcpy(spec.architecture, "\xe2\x82\xac \xf0\x9f\xa6\x99");
    roofline_model *model = model_of(&spec, &group, 1);
    ck_assert_str_eq(info_of(model).name, spec.name);
    ck_assert_str_eq(info_of(model).architecture, spec.architecture);
    roofline_model_free(model);
}
END_TEST

START_TEST(bad_sizes_are_refused) {
    roofline_model_spec spec = two_layer_spec();
    roofline_layer_group group = two_layer_group();
    spec.struct_size = 2;
    expect_bad_create(&spec, &group, ROOFLINE_STRUCT_SIZE, "roofline_model_spec");
    spec = two_layer_spec();
    roofline_model *model = NULL;
    roofline_error error;
    expect_error(create(&spec, &group, 0, &model, &error), ROOFLINE_RANGE, &error, "group_count");
    expect_error(create(&spec, &group, 65, &model, &error), ROOFLINE_RANGE, &error, "group_count");
    expect_error(create(&spec, NULL, 1, &model, &error), ROOFLINE_ARGUMENT, &error, "roofline_layer_group");
    expect_error(roofline_model_create(&spec, &group, 1, 2, &model, &error), ROOFLINE_STRUCT_SIZE, &error,
                 "roofline_layer_group");
    expect_error(create(&spec, &group, 1, NULL, &error), ROOFLINE_ARGUMENT, &error, "out");
    ck_assert_ptr_null(model);
}
END_TEST

/* Every number within its own range, the whole beyond what is counted exactly. */
START_TEST(products_that_overflow_are_refused) {
    roofline_model_spec spec = two_layer_spec();
    roofline_layer_group group = two_layer_group();
    spec.hidden = 1 << 24;
    group.intermediate = 1 << 24;
    expect_bad_create(&spec, &group, ROOFLINE_OVERFLOW, "roofline_model_spec.hidden");
    group.layers = 1 << 20;
    group.query_heads = group.kv_heads = 1 << 20;
    group.head_dim = group.value_head_dim = 1 << 24;
    expect_bad_create(&spec, &group, ROOFLINE_OVERFLOW, "roofline_model_spec.hidden");
    spec = two_layer_spec();
    group = two_layer_group();
    spec.vocab = INT64_C(1) << 32; /* 2^38 elements, twice: still counted */
    roofline_model *model = NULL;
    roofline_error error;
    expect_ok(create(&spec, &group, 1, &model, &error), &error);
    ck_assert_int_gt(info_of(model).parameters_total, INT64_C(1) << 39);
    roofline_model_free(model);
}
END_TEST

/* ------------------------------------------------------------------------------------------------ canonical JSON -- */

static char *json_of(const roofline_model *model) {
    size_t needed = 0;
    roofline_error error;
    expect_ok(roofline_model_to_json(model, NULL, 0, &needed, &error), &error);
    char *text = calloc(needed, 1);
    expect_error(roofline_model_to_json(model, text, needed - 1, &needed, &error), ROOFLINE_BUFFER_SIZE, &error, "");
    expect_ok(roofline_model_to_json(model, text, needed, &needed, &error), &error);
    ck_assert_uint_eq(strlen(text) + 1, needed);
    return text;
}

START_TEST(written_models_are_read_back_the_same) {
    fact_table *facts = read_facts();
    for (int row = 1; row < facts->row_count; row++) {
        if (!is_read(facts, row))
            continue;
        roofline_model *model = load_fact(facts, row);
        char *text = json_of(model);
        roofline_model *again = parse(text);
        char *text_again = json_of(again);
        ck_assert_str_eq(text, text_again);
        ck_assert_str_eq(info_of(model).name, info_of(again).name);
        check_same_model(model, again);
        ck_assert_int_eq(notes_of(model, ROOFLINE_NOTE_FORMAT_ASSUMED, NULL, NULL),
                         notes_of(again, ROOFLINE_NOTE_FORMAT_ASSUMED, NULL, NULL));
        ck_assert_int_eq(notes_of(again, ROOFLINE_NOTE_KEY_CONTRADICTED, NULL, NULL), 0);
        roofline_model_free(model);
        roofline_model_free(again);
        free(text);
        free(text_again);
    }
    free_facts(facts);
}
END_TEST

/* Neither the catalogue nor the published config of GPT-2 and BLOOM says the format; Llama's does, here float16. */
START_TEST(assumed_format_stays_an_assumption) {
    static const char *const names[] = {"gpt2", "bloom"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        roofline_model *model = NULL;
        roofline_error error;
        expect_ok(roofline_model_open(names[i], &model, &error), &error);
        char *text = json_of(model);
        ck_assert_ptr_null(strstr(text, "\"format\""));
        roofline_model *again = parse_and_free(text);
        ck_assert_int_eq(notes_of(again, ROOFLINE_NOTE_FORMAT_ASSUMED, "format", NULL), 1);
        ck_assert_int_eq(info_of(again).format, ROOFLINE_FORMAT_BF16);
        check_same_model(model, again);
        roofline_model_free(model);
        roofline_model_free(again);
    }
    roofline_model *model = parse_config(small_llama, (config_key[]){{"torch_dtype", "\"float16\""}, {NULL, NULL}});
    char *text = json_of(model);
    ck_assert_ptr_nonnull(strstr(text, "\"format\": \"fp16\""));
    roofline_model *again = parse_and_free(text);
    ck_assert_int_eq(notes_of(again, ROOFLINE_NOTE_FORMAT_ASSUMED, NULL, NULL), 0);
    ck_assert_int_eq(info_of(again).format, ROOFLINE_FORMAT_FP16);
    roofline_model_free(model);
    roofline_model_free(again);
}
END_TEST

static const char minimal_json[] =
    "{\"schema\": \"roofline-model/1\", \"name\": \"n\", \"hidden\": 64, \"vocab\": 100, \"format\": \"fp16\", "
    "\"groups\": [{\"layers\": 1, \"query_heads\": 4, \"kv_heads\": 4, \"head_dim\": 16, \"intermediate\": 32}]}";

static void expect_bad_json(const char *from, const char *to, roofline_status status, const char *path,
                            const char *message) {
    char *text = replaced(strdup(minimal_json), from, to);
    expect_refusal(text, status, path, message);
    free(text);
}

START_TEST(bad_json_is_refused_with_its_place) {
    roofline_model_free(parse(minimal_json));
    expect_bad_json("roofline-model/1", "roofline-device/1", ROOFLINE_SCHEMA, "/schema", "roofline-device/1");
    expect_bad_json("roofline-model/1", "roofline-model/2", ROOFLINE_UNSUPPORTED, "/schema", "roofline-model/2");
    expect_bad_json("roofline-model/1", "roofline-model/10", ROOFLINE_UNSUPPORTED, "/schema", "roofline-model/10");
    expect_bad_json("\"roofline-model/1\"", "1", ROOFLINE_SCHEMA, "/schema", "string");
    expect_bad_json("\"hidden\"", "\"x_hidden\"", ROOFLINE_SCHEMA, "/hidden", "missing");
    expect_bad_json("\"vocab\"", "\"x_vocab\"", ROOFLINE_SCHEMA, "/vocab", "missing");
    expect_bad_json("\"groups\"", "\"x_groups\"", ROOFLINE_SCHEMA, "/groups", "missing");
    expect_bad_json("\"head_dim\"", "\"x_head_dim\"", ROOFLINE_SCHEMA, "/groups/0/head_dim", "missing");
    expect_bad_json("\"name\"", "\"nme\"", ROOFLINE_SCHEMA, "/nme", "x_");
    expect_bad_json("\"intermediate\"", "\"intermediat\"", ROOFLINE_SCHEMA, "/groups/0/intermediat", "x_");
    expect_bad_json("\"hidden\": 64", "\"hidden\": 0", ROOFLINE_RANGE, "/hidden", "16777216");
    expect_bad_json("\"hidden\": 64", "\"hidden\": \"64\"", ROOFLINE_SCHEMA, "/hidden", "");
    expect_bad_json("\"fp16\"", "\"fp17\"", ROOFLINE_SCHEMA, "/format", "fp17");
    expect_bad_json("\"kv_heads\": 4", "\"kv_heads\": 3", ROOFLINE_RANGE, "/groups/0/kv_heads", "divide");
    expect_bad_json("\"layers\": 1", "\"layers\": -1", ROOFLINE_RANGE, "/groups/0/layers", "-1");
    expect_bad_json("\"layers\": 1", "\"layers\": 1.5", ROOFLINE_SCHEMA, "/groups/0/layers", "");
    expect_bad_json("[{", "[7, {", ROOFLINE_SCHEMA, "/groups/0", "");
    expect_bad_json("\"groups\": [", "\"x_a\": [], \"groups\": {\"a\": [", ROOFLINE_PARSE, "", "");
}
END_TEST

START_TEST(group_counts_of_json) {
    expect_refusal("{\"schema\": \"roofline-model/1\", \"hidden\": 1, \"vocab\": 1, \"groups\": []}", ROOFLINE_RANGE,
                   "/groups", "1 to 64");
    expect_refusal("{\"schema\": \"roofline-model/1\", \"hidden\": 1, \"vocab\": 1, \"groups\": {}}", ROOFLINE_SCHEMA,
                   "/groups", "array");
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{\"schema\": \"roofline-model/1\", \"hidden\": 1, \"vocab\": 1, \"groups\": [{}");
    for (int i = 0; i < 64; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ", {}");
    snprintf(text + used, sizeof text - used, "]}");
    expect_refusal(text, ROOFLINE_RANGE, "/groups", "65 groups");
}
END_TEST

/* What a catalogue file says beside the fields, the notes that the command prints, and whatever begins with x_. */
START_TEST(keys_beside_the_fields_are_passed_over) {
    static const char *const keys[] = {"aliases", "date", "source", "notes", "x_anything"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char begin[64];
        snprintf(begin, sizeof begin, "{\"%s\": 1, ", keys[i]);
        roofline_model *model = parse_and_free(replaced(strdup(minimal_json), "{", begin));
        ck_assert_int_eq(info_of(model).layers, 1);
        ck_assert_int_eq(info_of(model).format, ROOFLINE_FORMAT_FP16);
        ck_assert_int_eq(roofline_model_note_count(model), 0);
        roofline_model_free(model);
    }
}
END_TEST

static void check_derived_key(const char *key, const char *value, const char *said, const char *counted) {
    char begin[96], text[512], numbers[2][64];
    snprintf(begin, sizeof begin, "{\"%s\": %s, ", key, value);
    roofline_model *model = parse_and_free(replaced(strdup(minimal_json), "{", begin));
    ck_assert_msg(notes_of(model, ROOFLINE_NOTE_KEY_CONTRADICTED, key, text) == (said != NULL), "%s: %s", key, value);
    ck_assert_int_eq(roofline_model_note_count(model), said != NULL);
    if (said) {
        snprintf(numbers[0], sizeof numbers[0], "%s is %s,", key, said);
        snprintf(numbers[1], sizeof numbers[1], "gives %s;", counted);
        ck_assert_msg(strstr(text, numbers[0]) && strstr(text, numbers[1]), "%s", text);
    }
    ck_assert_int_eq(info_of(model).layers, 1);
    ck_assert_int_eq(info_of(model).parameters_total, 33280);
    roofline_model_free(model);
}

/*
 * The minimal model by hand: qkv 64 * (64 + 2 * 64) = 12288, output 64 * 64 = 4096, an MLP of two matrices, 2 * 64 * 32
 * = 4096: 20480. With the logits' 100 * 64 = 6400 a step streams 26880; the embedding's 6400 make it 33280. fp16: 2
 * bytes an element. KV of a token: 4 * (16 + 16) = 128 elements.
 */
START_TEST(derived_keys_that_contradict_are_reported) {
    static const struct {
        const char *key;
        const char *counted;
    } rows[] = {{"layers", "1"},
                {"layer_groups", "1"},
                {"parameters_total", "33280"},
                {"parameters_active", "33280"},
                {"parameters_streamed", "26880"},
                {"weight_bytes_resident", "66560"},
                {"weight_bytes_streamed", "53760"},
                {"kv_bytes_per_token", "256"},
                {"kv_bytes_per_token_full", "256"},
                {"state_bytes_per_sequence", "0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_derived_key(rows[i].key, rows[i].counted, NULL, NULL);
        check_derived_key(rows[i].key, "null", NULL, NULL);
        check_derived_key(rows[i].key, "64", "64", rows[i].counted);
        check_derived_key(rows[i].key, "0.5", "0.5", rows[i].counted);
        check_derived_key(rows[i].key, "\"many\"", "a string", rows[i].counted);
    }
}
END_TEST

/* ----------------------------------------------------------------------------------------- files, names, sources -- */

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(files_and_folders_give_names) {
    char folder[] = "/tmp/roofline-model-XXXXXX", path[128], text[4096];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_config(text, sizeof text, small_llama, NULL);
    snprintf(path, sizeof path, "%s/config.json", folder);
    write_file(path, text);
    const char *folder_name = strrchr(folder, '/') + 1;

    char with_slash[128];
    snprintf(with_slash, sizeof with_slash, "%s/", folder);
    const char *const ways[] = {folder, with_slash, path};
    for (size_t i = 0; i < 3; i++) {
        roofline_model *model = load(ways[i]);
        ck_assert_str_eq(info_of(model).name, folder_name);
        roofline_model_free(model);
    }
    char other[128];
    snprintf(other, sizeof other, "%s/my model.json", folder);
    write_file(other, text);
    roofline_model *model = load(other);
    ck_assert_str_eq(info_of(model).name, "my model");
    roofline_model_free(model);
    ck_assert_int_eq(remove(path), 0);

    roofline_error error;
    model = NULL;
    expect_error(roofline_model_load(folder, &model, &error), ROOFLINE_IO, &error, "");
    ck_assert_ptr_nonnull(strstr(error.message, "folder"));
    expect_error(roofline_model_load(path, &model, &error), ROOFLINE_NOT_FOUND, &error, "");
    ck_assert_ptr_null(model);
    ck_assert_int_eq(remove(other), 0);
    ck_assert_int_eq(remove(folder), 0);
}
END_TEST

START_TEST(names_come_from_the_config_first) {
    struct {
        const char *stored;
        const char *name;
    } rows[] = {{"\"someone/model\"", "someone/model"},
                {"\"/home/user/checkpoints/mine\"", "mine"},
                {"\"./out/step-100\"", "step-100"},
                {"\"./\"", "llama"},
                {"\"\"", "llama"},
                {"null", "llama"},
                {"\"a\\tb\"", "a\\x09b"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const config_key changes[] = {{"_name_or_path", rows[i].stored}, {NULL, NULL}};
        roofline_model *model = parse_config(small_llama, changes);
        ck_assert_str_eq(info_of(model).name, rows[i].name);
        roofline_model_free(model);
    }
}
END_TEST

static bool contains(const char *text, const char *part) {
    for (size_t length = strlen(part); *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return false;
}

static bool is_model_type(const fact_table *facts, const char *name) {
    for (int row = 1; row < facts->row_count; row++)
        if (strcmp(fact(facts, row, "model_type"), name) == 0)
            return true;
    return false;
}

/* Counts could be hit by a table of names: no name of a published model stands in the library's sources. */
START_TEST(library_knows_no_model_by_name) {
    char folder[512];
    snprintf(folder, sizeof folder, "%s/../libroofline", tests_folder());
    fact_table *facts = read_facts();
    DIR *directory = opendir(folder);
    ck_assert_msg(directory != NULL, "cannot open %s: run the test in the repository's root", folder);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 2, ".c") != 0)
            continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        char *text = read_text(path);
        for (int row = 1; row < facts->row_count; row++) {
            const char *name = strrchr(fact(facts, row, "hf_id"), '/') + 1;
            ck_assert_msg(is_model_type(facts, name) || !contains(text, name), "%s names %s", path, name);
        }
        for (int64_t i = 0; i < roofline_model_count(); i++) {
            const char *name = roofline_model_id(i);
            ck_assert_msg(is_model_type(facts, name) || !contains(text, name), "%s names %s", path, name);
        }
        free(text);
        files++;
    }
    closedir(directory);
    ck_assert_int_gt(files, 10);
    free_facts(facts);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        models_have_their_published_counts,
        other_models_are_refused_by_name,
        invented_key_is_reported,
        catalogue_equals_the_published_configs,
        catalogue_takes_other_spellings,
        one_model_by_hand,
        tied_logits_are_streamed,
        llama_of_another_size_follows_the_formula,
        starcoder_of_another_size_follows_the_formula,
        opt_of_another_size_follows_the_formula,
        falcon_layouts,
        contradicted_key_is_reported,
        qwen_with_experts_of_another_size_follows_the_formula,
        glm_has_a_dense_layer_and_one_that_is_left_out,
        layers_with_experts_of_every_family,
        other_models_with_experts_by_hand,
        windows_beside_experts,
        options_add_their_vectors,
        windows_of_every_rule,
        missing_keys_that_matter_are_reported,
        assumed_kv_heads_are_reported,
        kv_heads_without_a_key_need_no_note,
        missing_keys_with_one_meaning,
        stored_formats,
        neutral_values_are_no_obstacle,
        many_unknown_keys_are_counted,
        bad_configs_are_refused_with_their_place,
        bad_experts_are_refused_with_their_place,
        bad_texts_are_refused,
        null_arguments_are_refused,
        created_model_follows_the_formula,
        created_model_without_format_is_bf16_with_a_note,
        narrow_formats_round_up,
        bad_numbers_are_refused_with_their_field,
        bad_expert_numbers_are_refused_with_their_field,
        created_model_with_experts_follows_the_formula,
        bad_texts_are_refused_with_their_field,
        texts_of_every_script_and_length_are_kept,
        bad_sizes_are_refused,
        products_that_overflow_are_refused,
        written_models_are_read_back_the_same,
        assumed_format_stays_an_assumption,
        bad_json_is_refused_with_its_place,
        group_counts_of_json,
        keys_beside_the_fields_are_passed_over,
        derived_keys_that_contradict_are_reported,
        files_and_folders_give_names,
        names_come_from_the_config_first,
        library_knows_no_model_by_name,
    };
    return run_tests("model", tests, sizeof tests / sizeof tests[0]);
}
