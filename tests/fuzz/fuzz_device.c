/* SPDX-License-Identifier: Apache-2.0 */
/* A device's JSON: read, looked at, written, read again to the same bits, planned and priced. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static roofline_status device_text(const void *device, char *buffer, size_t capacity, size_t *needed,
                                   roofline_error *error) {
    return roofline_device_to_json(device, buffer, capacity, needed, error);
}

static roofline_device_spec spec_of(const roofline_device *device) {
    roofline_device_spec spec = {.struct_size = sizeof spec};
    roofline_error error;
    DEMAND(roofline_device_info(device, &spec, &error) == ROOFLINE_OK);
    return spec;
}

static void look_at(const roofline_device *device) {
    roofline_device_spec spec = spec_of(device);
    roofline_error error;
    for (roofline_arithmetic arithmetic = -1; arithmetic < 40; arithmetic++) {
        double peak = 0, ridge = 0;
        roofline_status status = roofline_device_peak(device, arithmetic, &peak, &error);
        demand_error(status, &error);
        DEMAND(roofline_device_ridge(device, arithmetic, &ridge, &error) == status);
        if (status == ROOFLINE_OK)
            DEMAND(peak == spec.peaks_flops[arithmetic] && peak > 0 && isfinite(ridge) && ridge > 0);
    }
    for (int64_t i = 0; i <= roofline_device_link_count(device); i++) {
        roofline_link link = {.struct_size = sizeof link};
        demand_error(roofline_device_link(device, i, &link, &error), &error);
    }
    for (int64_t i = 0; i <= roofline_device_note_count(device); i++) {
        roofline_note note = {.struct_size = sizeof note};
        size_t needed = 0;
        demand_error(roofline_device_note(device, i, &note, NULL, 0, &needed, &error), &error);
    }
    static const char *const fields[] = {"", "memory_bytes", "peaks_flops/bf16", "peaks_flops", "no such field"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t needed = 0;
        demand_error(roofline_device_source(device, fields[i], NULL, 0, &needed, &error), &error);
    }
}

static void read_back(const roofline_device *device) {
    char *text = demand_text(device_text, device);
    roofline_device *again = NULL;
    roofline_error error;
    demand_error(roofline_device_parse(text, strlen(text), &again, &error), &error);
    DEMAND(again);
    roofline_device_spec first = spec_of(device), second = spec_of(again);
    DEMAND(memcmp(&first, &second, sizeof first) == 0);
    char *text_again = demand_text(device_text, again);
    DEMAND(strcmp(text, text_again) == 0);
    free(text_again);
    free(text);
    roofline_device_free(again);
}

/* 32 layers, hidden 4096, 32 heads over 8 of keys, vocabulary 128256. */
static void price(const roofline_device *device) {
    roofline_model_spec spec = {.struct_size = sizeof spec,
                                .format = ROOFLINE_FORMAT_BF16,
                                .name = "model",
                                .architecture = "dense",
                                .hidden = 4096,
                                .vocab = 128256,
                                .vector_parameters = 4096};
    roofline_layer_group group = {.gated_mlp = 1,
                                  .layers = 32,
                                  .query_heads = 32,
                                  .kv_heads = 8,
                                  .head_dim = 128,
                                  .intermediate = 14336,
                                  .vector_parameters = 8192};
    roofline_model *model = NULL;
    DEMAND(roofline_model_create(&spec, &group, 1, sizeof group, &model, NULL) == ROOFLINE_OK);
    demand_steps(device, model);
    roofline_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    roofline_device *device = NULL;
    roofline_error error;
    roofline_status status = roofline_device_parse((const char *)data, size, &device, &error);
    demand_error(status, &error);
    DEMAND((status == ROOFLINE_OK) == (device != NULL));
    if (device) {
        look_at(device);
        read_back(device);
        price(device);
    }
    roofline_device_free(device);
    return 0;
}
