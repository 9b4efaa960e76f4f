/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices what its standard input says, for tests/reference_compare.py. A line is a word and whole numbers, which are all
 * exact in a double; enumerations are the header's values. An answer is one line: name:bits for a double, 16 hex digits
 * of its IEEE 754 pattern, and name=value for a whole number. An error answers "error" and its message.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline.h"

enum {
    NUMBERS = 64,
    GROUPS = 8
};

/* What earlier lines made and later ones use. */
typedef struct pricer {
    roofline_device *device;
    roofline_model_spec spec;
    roofline_layer_group groups[GROUPS];
    size_t group_count;
    roofline_plan *plan;
} pricer;

static int answer_error(roofline_status status, const roofline_error *error) {
    printf("error %s %s: %s\n", roofline_status_name(status), error->path, error->message);
    return 1;
}

static void put_double(const char *name, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf(" %s:%016" PRIx64, name, bits);
}

static void put_integer(const char *name, int64_t value) {
    printf(" %s=%" PRId64, name, value);
}

/* Every field of a result by the layout table, so that none is forgotten. */
static void put_struct(const char *struct_name, const void *value) {
    for (int64_t i = 0; i < roofline_layout_count(); i++) {
        roofline_layout_row row = {.struct_size = sizeof row};
        if (roofline_layout_at(i, &row, NULL) || strcmp(row.struct_name, struct_name) != 0 || row.field[0] == '\0')
            continue;
        const char *field = (const char *)value + row.offset_bytes;
        double number;
        int64_t wide;
        int32_t narrow;
        if (row.storage == ROOFLINE_STORAGE_DOUBLE) {
            memcpy(&number, field, sizeof number);
            put_double(row.field, number);
        } else if (row.storage == ROOFLINE_STORAGE_INT64) {
            memcpy(&wide, field, sizeof wide);
            put_integer(row.field, wide);
        } else if (row.storage == ROOFLINE_STORAGE_INT32) {
            memcpy(&narrow, field, sizeof narrow);
            put_integer(row.field, narrow);
        }
    }
}

static int answer(roofline_status status, const roofline_error *error, const char *struct_name, const void *result) {
    if (status)
        return answer_error(status, error);
    put_struct(struct_name, result);
    putchar('\n');
    return 0;
}

static int answer_ok(void) {
    puts("ok");
    return 0;
}

/* device bandwidth memory usable l2 fp32 fp16 bf16 fp8 int8 fp4 */
static int make_device(pricer *made, const int64_t *n) {
    static const roofline_arithmetic order[] = {ROOFLINE_ARITHMETIC_FP32, ROOFLINE_ARITHMETIC_FP16,
                                                ROOFLINE_ARITHMETIC_BF16, ROOFLINE_ARITHMETIC_FP8,
                                                ROOFLINE_ARITHMETIC_INT8, ROOFLINE_ARITHMETIC_FP4};
    roofline_device_spec spec = {.struct_size = sizeof spec,
                                 .name = "random",
                                 .memory_bytes_per_s = (double)n[0],
                                 .memory_bytes = n[1],
                                 .memory_usable_bytes = n[2],
                                 .l2_bytes = n[3]};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        spec.peaks_flops[order[i]] = (double)n[4 + i];
    roofline_error error;
    roofline_device_free(made->device);
    made->device = NULL;
    roofline_status status = roofline_device_create(&spec, NULL, 0, 0, &made->device, &error);
    return status ? answer_error(status, &error) : answer_ok();
}

/* bound arithmetic flops bytes */
static int price_bound(pricer *made, const int64_t *n) {
    roofline_work work = {sizeof work, (roofline_arithmetic)n[0], (double)n[1], (double)n[2]};
    roofline_bound_result result = {.struct_size = sizeof result};
    roofline_error error;
    roofline_status status = roofline_bound(made->device, &work, &result, &error);
    return answer(status, &error, "roofline_bound_result", &result);
}

/* tokens k n output_columns weight input output traffic */
static roofline_gemm_shape gemm_shape(const int64_t *n) {
    return (roofline_gemm_shape){.struct_size = sizeof(roofline_gemm_shape),
                                 .tokens = n[0],
                                 .k = n[1],
                                 .n = n[2],
                                 .output_columns = n[3],
                                 .weight_format = (roofline_format)n[4],
                                 .input_format = (roofline_format)n[5],
                                 .output_format = (roofline_format)n[6],
                                 .traffic = (roofline_traffic)n[7]};
}

static int price_gemm(pricer *made, const int64_t *n) {
    (void)made;
    roofline_gemm_shape shape = gemm_shape(n);
    roofline_gemm_result result = {.struct_size = sizeof result};
    roofline_error error;
    roofline_status status = roofline_gemm(&shape, &result, &error);
    return answer(status, &error, "roofline_gemm_result", &result);
}

static int price_crossover(pricer *made, const int64_t *n) {
    roofline_gemm_shape shape = gemm_shape(n);
    roofline_crossover_result result = {.struct_size = sizeof result};
    roofline_error error;
    roofline_status status = roofline_gemm_crossover(made->device, &shape, &result, &error);
    return answer(status, &error, "roofline_crossover_result", &result);
}

/* count new context query_heads kv_heads head_dim value_head_dim window kv activation traffic */
static int price_attention(pricer *made, const int64_t *n) {
    (void)made;
    roofline_attention_shape shape = {.struct_size = sizeof shape,
                                      .count = n[0],
                                      .new_tokens = n[1],
                                      .context_tokens = n[2],
                                      .query_heads = n[3],
                                      .kv_heads = n[4],
                                      .head_dim = n[5],
                                      .value_head_dim = n[6],
                                      .window_tokens = n[7],
                                      .kv_format = (roofline_format)n[8],
                                      .activation_format = (roofline_format)n[9],
                                      .traffic = (roofline_traffic)n[10]};
    roofline_attention_result result = {.struct_size = sizeof result};
    roofline_error error;
    roofline_status status = roofline_attention(&shape, &result, &error);
    return answer(status, &error, "roofline_attention_result", &result);
}

/* model format hidden vocab tied position_rows vector_parameters; the groups follow */
static int start_model(pricer *made, const int64_t *n) {
    made->spec = (roofline_model_spec){.struct_size = sizeof made->spec,
                                       .format = (roofline_format)n[0],
                                       .name = "random",
                                       .architecture = "random",
                                       .hidden = n[1],
                                       .vocab = n[2],
                                       .tied_embeddings = (roofline_bool)n[3],
                                       .position_rows = n[4],
                                       .vector_parameters = n[5]};
    made->group_count = 0;
    return answer_ok();
}

/*
 * layers gated layers query_heads kv_heads head_dim value_head_dim window intermediate vector_parameters experts
 * experts_per_token expert_intermediate
 */
static int add_layers(pricer *made, const int64_t *n) {
    if (made->group_count == GROUPS) {
        puts("error too many groups of layers");
        return 1;
    }
    made->groups[made->group_count++] = (roofline_layer_group){.struct_size = sizeof(roofline_layer_group),
                                                               .gated_mlp = (roofline_bool)n[0],
                                                               .layers = n[1],
                                                               .query_heads = n[2],
                                                               .kv_heads = n[3],
                                                               .head_dim = n[4],
                                                               .value_head_dim = n[5],
                                                               .window_tokens = n[6],
                                                               .intermediate = n[7],
                                                               .vector_parameters = n[8],
                                                               .experts = n[9],
                                                               .experts_per_token = n[10],
                                                               .expert_intermediate = n[11]};
    return answer_ok();
}

/* plan traffic weights activations kv residual head_weights fraction_of_1024 capacity reserve activation block slots */
static int make_plan(pricer *made, const int64_t *n) {
    roofline_deployment deployment = {.struct_size = sizeof deployment,
                                      .traffic = (roofline_traffic)n[0],
                                      .weights = (roofline_format)n[1],
                                      .activations = (roofline_format)n[2],
                                      .kv = (roofline_format)n[3],
                                      .residual = (roofline_format)n[4],
                                      .head_weights = (roofline_format)n[5],
                                      .memory_fraction = (double)n[6] / 1024,
                                      .capacity_bytes = n[7],
                                      .reserve_bytes = n[8],
                                      .activation_bytes = n[9],
                                      .block_tokens = n[10],
                                      .output_slots = n[11]};
    roofline_model *model = NULL;
    roofline_error error;
    roofline_plan_free(made->plan);
    made->plan = NULL;
    roofline_status status =
        roofline_model_create(&made->spec, made->groups, made->group_count, sizeof *made->groups, &model, &error);
    if (status)
        return answer_error(status, &error);
    status = roofline_plan_new(made->device, model, &deployment, &made->plan, &error);
    roofline_model_free(model);
    if (status)
        return answer_error(status, &error);
    roofline_plan_info_result result = {.struct_size = sizeof result};
    status = roofline_plan_info(made->plan, &result, &error);
    return answer(status, &error, "roofline_plan_info_result", &result);
}

/* step count new context logit_rows, and again for each further group */
static int price_step(pricer *made, const int64_t *n, int count) {
    roofline_sequences rows[NUMBERS / 4];
    for (int i = 0; i < count / 4; i++)
        rows[i] = (roofline_sequences){.struct_size = sizeof *rows,
                                       .count = n[4 * i],
                                       .new_tokens = n[4 * i + 1],
                                       .context_tokens = n[4 * i + 2],
                                       .logit_rows = n[4 * i + 3]};
    roofline_step_result result = {.struct_size = sizeof result};
    roofline_error error;
    roofline_status status = roofline_step_groups(made->plan, rows, (size_t)(count / 4), sizeof *rows, &result, &error);
    return answer(status, &error, "roofline_step_result", &result);
}

/* memory context sequences */
static int price_memory(pricer *made, const int64_t *n) {
    roofline_memory_query query = {.struct_size = sizeof query, .context_tokens = n[0], .sequences = n[1]};
    roofline_memory_result result = {.struct_size = sizeof result};
    roofline_error error;
    roofline_status status = roofline_memory(made->plan, &query, &result, &error);
    return answer(status, &error, "roofline_memory_result", &result);
}

typedef struct verb {
    const char *word;
    int numbers;
    int (*run)(pricer *made, const int64_t *numbers);
} verb;

static const verb verbs[] = {
    {"device", 10, make_device},
    {"bound", 3, price_bound},
    {"gemm", 8, price_gemm},
    {"crossover", 8, price_crossover},
    {"attention", 11, price_attention},
    {"model", 6, start_model},
    {"layers", 12, add_layers},
    {"plan", 12, make_plan},
    {"memory", 2, price_memory},
};

static int run_line(pricer *made, char *line) {
    int64_t numbers[NUMBERS] = {0};
    int count = 0;
    const char *word = strtok(line, " \n");
    for (char *text = strtok(NULL, " \n"); text && count < NUMBERS; text = strtok(NULL, " \n"))
        numbers[count++] = strtoll(text, NULL, 10);
    if (word && strcmp(word, "step") == 0 && count >= 4 && count % 4 == 0)
        return price_step(made, numbers, count);
    for (size_t i = 0; word && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].word, word) == 0 && verbs[i].numbers == count)
            return verbs[i].run(made, numbers);
    printf("error \"%s\" with %d numbers is not understood\n", word ? word : "", count);
    return 1;
}

int main(void) {
    static char line[4096];
    pricer made = {0};
    int errors = 0;
    while (fgets(line, sizeof line, stdin))
        errors += run_line(&made, line);
    roofline_plan_free(made.plan);
    roofline_device_free(made.device);
    return errors ? EXIT_FAILURE : EXIT_SUCCESS;
}
