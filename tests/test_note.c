/* SPDX-License-Identifier: Apache-2.0 */
/* Every assumption that the library can name, each raised by a case of its own. */
#include "fixtures.h"

typedef struct given_note {
    roofline_note_code code;
    roofline_severity severity;
    char field[64];
    char text[512];
} given_note;

typedef roofline_status note_function(const void *handle, int64_t index, roofline_note *out, char *buffer,
                                      size_t capacity, size_t *needed, roofline_error *error);

static roofline_status device_note(const void *handle, int64_t index, roofline_note *out, char *buffer, size_t capacity,
                                   size_t *needed, roofline_error *error) {
    return roofline_device_note(handle, index, out, buffer, capacity, needed, error);
}

static roofline_status model_note(const void *handle, int64_t index, roofline_note *out, char *buffer, size_t capacity,
                                  size_t *needed, roofline_error *error) {
    return roofline_model_note(handle, index, out, buffer, capacity, needed, error);
}

static roofline_status plan_note(const void *handle, int64_t index, roofline_note *out, char *buffer, size_t capacity,
                                 size_t *needed, roofline_error *error) {
    return roofline_plan_note(handle, index, out, buffer, capacity, needed, error);
}

/* The note with that code; its sentence, field and severity are there, and reading past the end is refused. */
static given_note expect_note(const void *handle, int64_t count, note_function *read, roofline_note_code code) {
    given_note found = {0};
    roofline_error error;
    for (int64_t i = 0; i < count; i++) {
        roofline_note note = {.struct_size = sizeof note};
        char text[512];
        size_t needed = 0;
        expect_ok(read(handle, i, &note, text, sizeof text, &needed, &error), &error);
        ck_assert_uint_eq(needed, strlen(text) + 1);
        ck_assert_uint_gt(strlen(text), 20);
        ck_assert_ptr_nonnull(roofline_constant_text("roofline_note_code", note.code));
        ck_assert_ptr_nonnull(roofline_constant_text("roofline_severity", note.severity));
        if (note.code != code)
            continue;
        found = (given_note){.code = note.code, .severity = note.severity};
        memcpy(found.field, note.field, sizeof found.field);
        memcpy(found.text, text, sizeof text);
    }
    ck_assert_msg(found.code == code, "note %s is not there", roofline_constant_text("roofline_note_code", code));
    roofline_note past = {.struct_size = sizeof past};
    char buffer[8];
    expect_error(read(handle, count, &past, buffer, sizeof buffer, NULL, &error), ROOFLINE_NOT_FOUND, &error, "index");
    return found;
}

static given_note expect_device_note(const roofline_device *device, roofline_note_code code) {
    return expect_note(device, roofline_device_note_count(device), device_note, code);
}

static given_note expect_model_note(const char *config, roofline_note_code code) {
    roofline_model *model = NULL;
    roofline_error error;
    expect_ok(roofline_model_parse(config, strlen(config), &model, &error), &error);
    given_note note = expect_note(model, roofline_model_note_count(model), model_note, code);
    roofline_model_free(model);
    return note;
}

static given_note expect_plan_note(const roofline_model_spec *spec, const roofline_deployment *deployment,
                                   roofline_note_code code) {
    roofline_layer_group layers = small_experts(4, 2);
    roofline_plan *plan = plan_of(small_device(), model_of(spec, &layers, 1), deployment);
    given_note note = expect_note(plan, roofline_plan_note_count(plan), plan_note, code);
    roofline_plan_free(plan);
    return note;
}

START_TEST(notes_of_devices) {
    roofline_device *device = h100();
    ck_assert_int_eq(expect_device_note(device, ROOFLINE_NOTE_SPEC_PEAKS).severity, ROOFLINE_SEVERITY_ASSUMPTION);
    ck_assert_str_eq(expect_device_note(device, ROOFLINE_NOTE_USABLE_MEMORY_UNKNOWN).field, "memory_usable_bytes");
    roofline_device_free(device);
    roofline_error error;
    expect_ok(roofline_device_open("a10", &device, &error), &error); /* its L2 size was recalled, not read */
    expect_device_note(device, ROOFLINE_NOTE_UNVERIFIED_FIGURE);
    roofline_device_free(device);
}
END_TEST

#define LLAMA_KEYS                                                                                                     \
    "\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "           \
    "\"num_key_value_heads\": 2, \"intermediate_size\": 128, \"vocab_size\": 256"

START_TEST(notes_of_models) {
    given_note unknown = expect_model_note(
        "{" LLAMA_KEYS ", \"torch_dtype\": \"bfloat16\", \"tie_word_embeddings\": false, \"moe_foo\": 3}",
        ROOFLINE_NOTE_UNKNOWN_KEY);
    ck_assert_str_eq(unknown.field, "moe_foo");
    expect_model_note("{" LLAMA_KEYS ", \"torch_dtype\": \"bfloat16\"}", ROOFLINE_NOTE_DEFAULT_USED);
    expect_model_note("{" LLAMA_KEYS "}", ROOFLINE_NOTE_FORMAT_ASSUMED);
    expect_model_note("{\"model_type\": \"mistral\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "
                      "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"intermediate_size\": 128, "
                      "\"vocab_size\": 256, \"max_position_embeddings\": 32768, \"sliding_window\": 4096}",
                      ROOFLINE_NOTE_WINDOW);
    expect_model_note("{\"model_type\": \"falcon\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "
                      "\"num_attention_heads\": 4, \"num_kv_heads\": 4, \"multi_query\": true, \"vocab_size\": 256}",
                      ROOFLINE_NOTE_KEY_CONTRADICTED);
    expect_model_note("{\"model_type\": \"glm4_moe\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "
                      "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"intermediate_size\": 128, "
                      "\"vocab_size\": 256, \"n_routed_experts\": 4, \"num_experts_per_tok\": 2, "
                      "\"moe_intermediate_size\": 32, \"n_shared_experts\": 1, \"first_k_dense_replace\": 1, "
                      "\"num_nextn_predict_layers\": 1}",
                      ROOFLINE_NOTE_PREDICTION_LAYERS);
}
END_TEST

START_TEST(notes_of_plans) {
    roofline_model_spec spec = small_spec();
    spec.max_context_tokens = 100;
    roofline_deployment deployment = usual_deployment();
    expect_plan_note(&spec, &deployment, ROOFLINE_NOTE_TRAFFIC);
    expect_plan_note(&spec, &deployment, ROOFLINE_NOTE_CAPACITY);
    expect_plan_note(&spec, &deployment, ROOFLINE_NOTE_UNCALIBRATED);
    expect_plan_note(&spec, &deployment, ROOFLINE_NOTE_BEYOND_TRAINED);
    given_note experts = expect_plan_note(&spec, &deployment, ROOFLINE_NOTE_EXPECTED_EXPERTS);
    ck_assert_int_eq(experts.severity, ROOFLINE_SEVERITY_ASSUMPTION);
    ck_assert_str_eq(experts.field, "active_experts");
    ck_assert_ptr_nonnull(strstr(experts.text, "expected"));
    ck_assert_int_eq(expect_plan_note(&spec, &deployment, ROOFLINE_NOTE_ACTIVATION_ESTIMATE).severity,
                     ROOFLINE_SEVERITY_ESTIMATE);
    deployment.weights = ROOFLINE_FORMAT_FP8;
    ck_assert_ptr_nonnull(strstr(expect_plan_note(&spec, &deployment, ROOFLINE_NOTE_WEIGHT_ONLY).text, "fp8"));
    ck_assert_ptr_nonnull(strstr(expect_plan_note(&spec, &deployment, ROOFLINE_NOTE_HEAD_FORMAT).text, "bf16"));
    deployment.traffic = ROOFLINE_TRAFFIC_STREAMED;
    ck_assert_int_eq(expect_plan_note(&spec, &deployment, ROOFLINE_NOTE_TRAFFIC).severity, ROOFLINE_SEVERITY_LEFT_OUT);
}
END_TEST

/* A new code needs a case above: this list is compared with the library's own. */
START_TEST(every_code_has_a_case) {
    static const roofline_note_code raised[] = {
        ROOFLINE_NOTE_SPEC_PEAKS,     ROOFLINE_NOTE_UNVERIFIED_FIGURE,   ROOFLINE_NOTE_USABLE_MEMORY_UNKNOWN,
        ROOFLINE_NOTE_UNKNOWN_KEY,    ROOFLINE_NOTE_DEFAULT_USED,        ROOFLINE_NOTE_FORMAT_ASSUMED,
        ROOFLINE_NOTE_WINDOW,         ROOFLINE_NOTE_KEY_CONTRADICTED,    ROOFLINE_NOTE_PREDICTION_LAYERS,
        ROOFLINE_NOTE_WEIGHT_ONLY,    ROOFLINE_NOTE_HEAD_FORMAT,         ROOFLINE_NOTE_TRAFFIC,
        ROOFLINE_NOTE_CAPACITY,       ROOFLINE_NOTE_ACTIVATION_ESTIMATE, ROOFLINE_NOTE_UNCALIBRATED,
        ROOFLINE_NOTE_BEYOND_TRAINED, ROOFLINE_NOTE_EXPECTED_EXPERTS};
    size_t known = 0;
    for (int64_t i = 0; i < roofline_constant_count(); i++) {
        roofline_constant_row row = {.struct_size = sizeof row};
        ck_assert_int_eq(roofline_constant_at(i, &row, NULL), ROOFLINE_OK);
        known += strcmp(row.meaning, "roofline_note_code") == 0;
    }
    ck_assert_uint_eq(known, sizeof raised / sizeof *raised);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {notes_of_devices, notes_of_models, notes_of_plans, every_code_has_a_case};
    return run_tests("note", tests, sizeof tests / sizeof *tests);
}
