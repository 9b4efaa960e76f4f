/* SPDX-License-Identifier: Apache-2.0 */
/* A model's JSON, ours or a published config: read, looked at, written, read again, planned and priced. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static roofline_status model_text(const void *model, char *buffer, size_t capacity, size_t *needed,
                                  roofline_error *error) {
    return roofline_model_to_json(model, buffer, capacity, needed, error);
}

static roofline_model_info_result info_of(const roofline_model *model) {
    roofline_model_info_result info = {.struct_size = sizeof info};
    roofline_error error;
    DEMAND(roofline_model_info(model, &info, &error) == ROOFLINE_OK);
    return info;
}

static void look_at(const roofline_model *model) {
    roofline_model_info_result info = info_of(model);
    roofline_error error;
    DEMAND(info.layers > 0 && info.hidden > 0 && info.vocab > 0 && info.kv_bytes_per_token > 0);
    DEMAND(info.parameters_streamed > 0 && info.parameters_total >= info.parameters_active);
    DEMAND(info.weight_bytes_resident > 0 && info.weight_bytes_streamed > 0);
    DEMAND(info.kv_bytes_per_token >= info.kv_bytes_per_token_full);
    roofline_layer_group beyond = {.struct_size = sizeof beyond};
    DEMAND(roofline_model_get_group(model, info.layer_groups, &beyond, &error) == ROOFLINE_NOT_FOUND);
    for (int64_t i = 0; i <= roofline_model_note_count(model); i++) {
        roofline_note note = {.struct_size = sizeof note};
        size_t needed = 0;
        demand_error(roofline_model_note(model, i, &note, NULL, 0, &needed, &error), &error);
    }
}

static void same_models(const roofline_model *first, const roofline_model *second) {
    roofline_model_info_result info = info_of(first), other_info = info_of(second);
    DEMAND(memcmp(&info, &other_info, sizeof info) == 0);
    roofline_model_spec spec = {.struct_size = sizeof spec}, other_spec = spec;
    DEMAND(roofline_model_get_spec(first, &spec, NULL) == ROOFLINE_OK);
    DEMAND(roofline_model_get_spec(second, &other_spec, NULL) == ROOFLINE_OK);
    DEMAND(memcmp(&spec, &other_spec, sizeof spec) == 0);
    for (int64_t i = 0; i < info.layer_groups; i++) {
        roofline_layer_group group = {.struct_size = sizeof group}, other = group;
        DEMAND(roofline_model_get_group(first, i, &group, NULL) == ROOFLINE_OK);
        DEMAND(roofline_model_get_group(second, i, &other, NULL) == ROOFLINE_OK);
        DEMAND(memcmp(&group, &other, sizeof group) == 0);
    }
}

static void read_back(const roofline_model *model) {
    char *text = demand_text(model_text, model);
    roofline_model *again = NULL;
    roofline_error error;
    demand_error(roofline_model_parse(text, strlen(text), &again, &error), &error);
    DEMAND(again);
    same_models(model, again);
    char *text_again = demand_text(model_text, again);
    DEMAND(strcmp(text, text_again) == 0);
    free(text_again);
    free(text);
    roofline_model_free(again);
}

static void price(const roofline_model *model) {
    roofline_device_spec spec = {.struct_size = sizeof spec,
                                 .name = "device",
                                 .memory_bytes_per_s = 3.35e12,
                                 .memory_bytes = 80000000000,
                                 .l2_bytes = 50000000};
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP32] = 66.9e12;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP16] = 989.4e12;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = 989.4e12;
    roofline_device *device = NULL;
    DEMAND(roofline_device_create(&spec, NULL, 0, 0, &device, NULL) == ROOFLINE_OK);
    demand_steps(device, model);
    roofline_device_free(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    roofline_model *model = NULL;
    roofline_error error;
    roofline_status status = roofline_model_parse((const char *)data, size, &model, &error);
    demand_error(status, &error);
    DEMAND((status == ROOFLINE_OK) == (model != NULL));
    if (model) {
        look_at(model);
        read_back(model);
        price(model);
    }
    roofline_model_free(model);
    return 0;
}
