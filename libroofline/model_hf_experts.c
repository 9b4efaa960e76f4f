/* SPDX-License-Identifier: Apache-2.0 */
#include "model_hf_experts.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "model.h"
#include "model_hf_keys.h"

/* ---------------------------------------------------------------------------------------------- shape of a layer -- */

static roofline_status read_routed(json_object *root, const expert_keys *keys, routed_experts *out,
                                   roofline_error *error) {
    roofline_status status = read_count(root, keys->experts, MODEL_EXPERTS_LIMIT, 0, &out->experts, error);
    if (status == ROOFLINE_OK)
        status = read_count(root, keys->experts_per_token, MODEL_EXPERTS_LIMIT, 0, &out->experts_per_token, error);
    if (status == ROOFLINE_OK)
        status = read_count(root, keys->width, MODEL_WIDTH_LIMIT, 0, &out->expert_intermediate, error);
    if (status || out->experts_per_token <= out->experts)
        return status;
    return error_set(error, ROOFLINE_RANGE, json_path_of(root, keys->experts_per_token[0]).text,
                     "%s is %lld, but there are %lld experts; correct one of them", keys->experts_per_token[0],
                     (long long)out->experts_per_token, (long long)out->experts);
}

static roofline_status read_shared(json_object *root, const expert_keys *keys, routed_experts *out,
                                   roofline_error *error) {
    int64_t count = 0;
    roofline_status status = ROOFLINE_OK;
    if (keys->shared_width)
        status = json_integer(root, keys->shared_width, true, 0, MODEL_WIDTH_LIMIT, &out->shared_intermediate, error);
    if (status || !keys->shared_count)
        return status;
    int64_t most = MODEL_WIDTH_LIMIT / out->expert_intermediate;
    status = json_integer(root, keys->shared_count, true, 0, most, &count, error);
    out->shared_intermediate = count * out->expert_intermediate;
    return status;
}

/* ---------------------------------------------------------------------------------------------- layers with them -- */

/* Layers that experts would be in, but that are listed as dense. An index may stand there twice, or lie beyond. */
static roofline_status count_listed(json_object *root, const char *key, int64_t step, int64_t layers, int64_t *listed,
                                    roofline_error *error) {
    const json_value *array = json_get(root, key);
    if (!array)
        return ROOFLINE_OK;
    if (!json_is_array(array))
        return error_set(error, ROOFLINE_SCHEMA, json_path_of(root, key).text,
                         "%s must be an array of indices of layers", key);
    bool *seen = calloc((size_t)layers, sizeof *seen);
    if (!seen)
        return error_set(error, ROOFLINE_NO_MEMORY, "", "no memory is left for the layers of the model");
    roofline_status status = ROOFLINE_OK;
    size_t index = 0;
    for (const json_value *element = json_array_first(array); element && status == ROOFLINE_OK;
         element = json_array_next(element), index++) {
        double number = json_is_number(element) ? json_number_of(element) : -1;
        if (number < 0 || number != floor(number)) {
            json_path path = json_path_of(root, key);
            json_path_append_index(&path, index);
            status = error_set(error, ROOFLINE_SCHEMA, path.text, "%s must hold indices of layers, from 0", key);
        } else if (number < (double)layers) {
            int64_t layer = (int64_t)number;
            *listed += !seen[layer] && (layer + 1) % step == 0;
            seen[layer] = true;
        }
    }
    free(seen);
    return status;
}

static roofline_status count_layers(json_object *root, const expert_keys *keys, int64_t layers, routed_experts *out,
                                    roofline_error *error) {
    int64_t first = 0, step = 1, listed = 0;
    roofline_status status = ROOFLINE_OK;
    if (keys->first_dense)
        status = json_integer(root, keys->first_dense, true, 0, MODEL_LAYERS_LIMIT, &first, error);
    if (status == ROOFLINE_OK && keys->sparse_step)
        status = json_integer(root, keys->sparse_step, false, 1, MODEL_LAYERS_LIMIT, &step, error);
    if (status == ROOFLINE_OK && keys->dense_layers)
        status = count_listed(root, keys->dense_layers, step, layers, &listed, error);
    out->layers = first < layers ? (layers - first) / step - listed : 0;
    return status;
}

roofline_status read_routed_experts(json_object *root, const expert_keys *keys, int64_t hidden, int64_t layers,
                                    routed_experts *out, roofline_error *error) {
    *out = (routed_experts){0};
    if (!keys)
        return ROOFLINE_OK;
    roofline_status status = read_routed(root, keys, out, error);
    if (status == ROOFLINE_OK)
        status = read_shared(root, keys, out, error);
    if (status == ROOFLINE_OK)
        status = count_layers(root, keys, layers, out, error);
    if (keys->shared_gate && out->shared_intermediate > 0)
        out->vector_parameters += hidden;
    if (keys->router_bias)
        out->vector_parameters += out->experts;
    return status;
}
