/* SPDX-License-Identifier: Apache-2.0 */
/* The model handle: checks of its numbers, and what is counted from them (theory: 4). */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "checks.h"
#include "error.h"
#include "format.h"
#include "structs.h"

/* --------------------------------------------------------------------------------------------- counting elements -- */

/* 2^48 elements are at most 2^50 bytes in the widest format. Beyond that the arithmetic saturates and is refused. */
#define ELEMENTS_LIMIT (INT64_C(1) << 48)
#define SATURATED (INT64_C(1) << 52)

static int64_t times(int64_t left, int64_t right) {
    return left != 0 && right > SATURATED / left ? SATURATED : left * right;
}

static int64_t plus(int64_t left, int64_t right) {
    return left + right > SATURATED ? SATURATED : left + right;
}

layer_matrices layer_matrices_of(const roofline_model_spec *spec, const roofline_layer_group *group) {
    int64_t query_columns = times(group->query_heads, group->head_dim);
    int64_t value_columns = times(group->query_heads, group->value_head_dim);
    int64_t mlp = times(spec->hidden, group->intermediate);
    return (layer_matrices){
        .qkv = times(spec->hidden, plus(query_columns, layer_kv_elements(group))),
        .attention_output = times(value_columns, spec->hidden),
        .gate_up = times(group->gated_mlp ? 2 : 1, mlp),
        .down = mlp,
        .router = times(spec->hidden, group->experts),
        .expert = times(group->gated_mlp ? 3 : 2, times(spec->hidden, group->expert_intermediate)),
    };
}

int64_t layer_kv_elements(const roofline_layer_group *group) {
    return times(group->kv_heads, group->head_dim + group->value_head_dim);
}

typedef struct model_totals {
    int64_t layers;
    int64_t parameters;       /* every stored element once */
    int64_t idle;             /* of those, in experts that one token is not routed to */
    int64_t streamed;         /* matrices that a step of one token reads */
    int64_t kv_elements;      /* of one token, over every layer */
    int64_t kv_elements_full; /* over layers without a window */
} model_totals;

static model_totals totals_of(const roofline_model_spec *spec, const roofline_layer_group *groups, size_t group_count) {
    int64_t logits = times(spec->vocab, spec->hidden);
    model_totals totals = {.parameters = plus(logits, spec->vector_parameters), .streamed = logits};
    totals.parameters = plus(totals.parameters, times(spec->position_rows, spec->hidden));
    if (!spec->tied_embeddings)
        totals.parameters = plus(totals.parameters, logits);
    for (size_t i = 0; i < group_count; i++) {
        const roofline_layer_group *group = &groups[i];
        layer_matrices layer = layer_matrices_of(spec, group);
        int64_t always =
            plus(plus(plus(layer.qkv, layer.attention_output), plus(layer.gate_up, layer.down)), layer.router);
        int64_t routed = times(group->experts_per_token, layer.expert);
        int64_t all = plus(plus(always, times(group->experts, layer.expert)), group->vector_parameters);
        int64_t idle = times(group->experts - group->experts_per_token, layer.expert);
        int64_t kv = times(group->layers, layer_kv_elements(group));
        totals.layers += group->layers;
        totals.parameters = plus(totals.parameters, times(group->layers, all));
        totals.idle = plus(totals.idle, times(group->layers, idle));
        totals.streamed = plus(totals.streamed, times(group->layers, plus(always, routed)));
        totals.kv_elements = plus(totals.kv_elements, kv);
        if (group->window_tokens == 0)
            totals.kv_elements_full = plus(totals.kv_elements_full, kv);
    }
    return totals;
}

static int64_t bytes_of(int64_t elements, roofline_format format) {
    return (int64_t)ceil((double)elements * format_bytes(format));
}

/* ---------------------------------------------------------------------------------------------- checking numbers -- */

typedef struct field_range {
    const char *field;
    size_t offset;
    int64_t least;
    int64_t most;
} field_range;

#define SPEC_FIELD(field) #field, offsetof(roofline_model_spec, field)
static const field_range spec_ranges[] = {
    {SPEC_FIELD(hidden), 1, MODEL_WIDTH_LIMIT},
    {SPEC_FIELD(vocab), 1, MODEL_ROWS_LIMIT},
    {SPEC_FIELD(position_rows), 0, MODEL_ROWS_LIMIT},
    {SPEC_FIELD(vector_parameters), 0, ELEMENTS_LIMIT},
    {SPEC_FIELD(max_context_tokens), 0, MODEL_ROWS_LIMIT},
};

#define GROUP_FIELD(field) #field, offsetof(roofline_layer_group, field)
static const field_range group_ranges[] = {
    {GROUP_FIELD(layers), 1, MODEL_LAYERS_LIMIT},
    {GROUP_FIELD(query_heads), 1, MODEL_HEADS_LIMIT},
    {GROUP_FIELD(kv_heads), 1, MODEL_HEADS_LIMIT},
    {GROUP_FIELD(head_dim), 1, MODEL_WIDTH_LIMIT},
    {GROUP_FIELD(value_head_dim), 0, MODEL_WIDTH_LIMIT},
    {GROUP_FIELD(window_tokens), 0, MODEL_ROWS_LIMIT},
    {GROUP_FIELD(intermediate), 0, MODEL_WIDTH_LIMIT},
    {GROUP_FIELD(vector_parameters), 0, ELEMENTS_LIMIT},
    {GROUP_FIELD(experts), 0, MODEL_EXPERTS_LIMIT},
    {GROUP_FIELD(experts_per_token), 0, MODEL_EXPERTS_LIMIT},
    {GROUP_FIELD(expert_intermediate), 0, MODEL_WIDTH_LIMIT},
};

/* Whose field is at fault: the spec's, or that of a group. */
typedef struct field_owner {
    model_paths paths;
    bool is_group;
    size_t index;
} field_owner;

static json_path field_path(const field_owner *owner, const char *field) {
    json_path path = {""};
    if (owner->paths == MODEL_PATHS_STRUCT)
        snprintf(path.text, sizeof path.text, "%s.%s", owner->is_group ? "roofline_layer_group" : "roofline_model_spec",
                 field);
    else if (owner->paths == MODEL_PATHS_JSON && owner->is_group)
        snprintf(path.text, sizeof path.text, "/groups/%zu/%s", owner->index, field);
    else if (owner->paths == MODEL_PATHS_JSON)
        snprintf(path.text, sizeof path.text, "/%s", field);
    return path;
}

/* "group 2: " in front of a message about the third group. */
typedef struct owner_label {
    char text[32];
} owner_label;

static owner_label label_of(const field_owner *owner) {
    owner_label label = {""};
    if (owner->is_group)
        snprintf(label.text, sizeof label.text, "group %zu: ", owner->index);
    return label;
}

static roofline_status check_range(const field_owner *owner, const char *field, int64_t value, int64_t least,
                                   int64_t most, roofline_error *error) {
    if (value >= least && value <= most)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, field_path(owner, field).text,
                     "%s%s is %lld; give a number from %lld to %lld", label_of(owner).text, field, (long long)value,
                     (long long)least, (long long)most);
}

static roofline_status check_ranges(const field_owner *owner, const void *fields, const field_range *ranges,
                                    size_t count, roofline_error *error) {
    roofline_status status = ROOFLINE_OK;
    for (size_t i = 0; i < count && status == ROOFLINE_OK; i++) {
        int64_t value;
        memcpy(&value, (const char *)fields + ranges[i].offset, sizeof value);
        status = check_range(owner, ranges[i].field, value, ranges[i].least, ranges[i].most, error);
    }
    return status;
}

static roofline_status check_spec(const roofline_model_spec *spec, model_paths paths, roofline_error *error) {
    const field_owner owner = {.paths = paths};
    if (spec->format != ROOFLINE_FORMAT_DEFAULT && !format_is_known(spec->format))
        return error_set(error, ROOFLINE_RANGE, field_path(&owner, "format").text,
                         "format is %d, which is none; see the values of roofline_format", (int)spec->format);
    roofline_status status = check_text(spec->name, sizeof spec->name, false, field_path(&owner, "name").text, error);
    if (status == ROOFLINE_OK)
        status = check_text(spec->architecture, sizeof spec->architecture, false,
                            field_path(&owner, "architecture").text, error);
    if (status == ROOFLINE_OK)
        status = check_range(&owner, "tied_embeddings", spec->tied_embeddings, 0, 1, error);
    if (status == ROOFLINE_OK)
        status = check_ranges(&owner, spec, spec_ranges, sizeof spec_ranges / sizeof *spec_ranges, error);
    return status;
}

/* All three expert fields, or none. */
static roofline_status check_experts(const field_owner *owner, const roofline_layer_group *group,
                                     roofline_error *error) {
    int64_t most = group->experts;
    roofline_status status =
        check_range(owner, "experts_per_token", group->experts_per_token, most > 0 ? 1 : 0, most, error);
    if (status == ROOFLINE_OK)
        status = check_range(owner, "expert_intermediate", group->expert_intermediate, most > 0 ? 1 : 0,
                             most > 0 ? MODEL_WIDTH_LIMIT : 0, error);
    return status;
}

static roofline_status check_group(const roofline_layer_group *group, size_t index, model_paths paths,
                                   roofline_error *error) {
    const field_owner owner = {.paths = paths, .is_group = true, .index = index};
    roofline_status status =
        check_ranges(&owner, group, group_ranges, sizeof group_ranges / sizeof *group_ranges, error);
    if (status == ROOFLINE_OK)
        status = check_range(&owner, "gated_mlp", group->gated_mlp, 0, 1, error);
    if (status == ROOFLINE_OK)
        status = check_experts(&owner, group, error);
    if (status == ROOFLINE_OK && group->query_heads % group->kv_heads != 0)
        status = error_set(error, ROOFLINE_RANGE, field_path(&owner, "kv_heads").text,
                           "%skv_heads is %lld, which does not divide query_heads (%lld); every KV head serves as many "
                           "query heads as any other",
                           label_of(&owner).text, (long long)group->kv_heads, (long long)group->query_heads);
    return status;
}

static roofline_status check_group_count(size_t group_count, model_paths paths, roofline_error *error) {
    static const char *const names[] = {
        [MODEL_PATHS_STRUCT] = "group_count", [MODEL_PATHS_JSON] = "/groups", [MODEL_PATHS_NONE] = ""};
    if (group_count >= 1 && group_count <= MODEL_GROUP_LIMIT)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, names[paths], "there are %zu groups of layers; give 1 to %d", group_count,
                     MODEL_GROUP_LIMIT);
}

static roofline_status check_totals(const roofline_model *model, model_paths paths, roofline_error *error) {
    const field_owner owner = {.paths = paths};
    model_totals totals = totals_of(&model->spec, model->groups, model->group_count);
    if (totals.parameters <= ELEMENTS_LIMIT && totals.kv_elements <= ELEMENTS_LIMIT)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_OVERFLOW, field_path(&owner, "hidden").text,
                     "the model has more than 2^48 parameters, or KV elements a token, in all; at least one of its "
                     "sizes is wrong");
}

/* --------------------------------------------------------------------------------------------- making the handle -- */

static roofline_status no_memory(roofline_error *error) {
    return error_set(error, ROOFLINE_NO_MEMORY, "", "no memory is left for the model");
}

/* Copies checked numbers in, with every default resolved. */
static roofline_status fill_model(roofline_model *model, const roofline_model_spec *spec,
                                  const roofline_layer_group *groups, size_t group_count, roofline_error *error) {
    model->groups = calloc(group_count, sizeof *model->groups);
    if (!model->groups)
        return no_memory(error);
    model->spec = *spec;
    model->spec.struct_size = sizeof *spec;
    model->group_count = group_count;
    for (size_t i = 0; i < group_count; i++) {
        roofline_layer_group *group = &model->groups[i];
        *group = groups[i];
        group->struct_size = sizeof *group;
        if (group->value_head_dim == 0)
            group->value_head_dim = group->head_dim;
    }
    return ROOFLINE_OK;
}

static roofline_status assume_format(roofline_model *model, roofline_error *error) {
    if (model->spec.format != ROOFLINE_FORMAT_DEFAULT)
        return ROOFLINE_OK;
    model->spec.format = ROOFLINE_FORMAT_BF16;
    model->format_assumed = true;
    if (note_add(&model->notes, ROOFLINE_NOTE_FORMAT_ASSUMED, ROOFLINE_SEVERITY_ASSUMPTION, "format",
                 "It is not said how the weights are stored; bf16 is assumed."))
        return no_memory(error);
    return ROOFLINE_OK;
}

static roofline_status describe_windows(roofline_model *model, roofline_error *error) {
    int64_t layers = 0, windowed = 0, widest = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        const roofline_layer_group *group = &model->groups[i];
        layers += group->layers;
        if (group->window_tokens > 0)
            windowed += group->layers;
        if (group->window_tokens > widest)
            widest = group->window_tokens;
    }
    if (windowed == 0)
        return ROOFLINE_OK;
    if (note_add(&model->notes, ROOFLINE_NOTE_WINDOW, ROOFLINE_SEVERITY_ASSUMPTION, "window_tokens",
                 "%lld of %lld layers attend at most the last %lld tokens: beyond that neither their KV cache nor "
                 "their attention grows with the context.",
                 (long long)windowed, (long long)layers, (long long)widest))
        return no_memory(error);
    return ROOFLINE_OK;
}

static roofline_status check_all(const roofline_model_spec *spec, const roofline_layer_group *groups,
                                 size_t group_count, model_paths paths, roofline_error *error) {
    roofline_status status = check_spec(spec, paths, error);
    if (status == ROOFLINE_OK)
        status = check_group_count(group_count, paths, error);
    for (size_t i = 0; i < group_count && status == ROOFLINE_OK; i++)
        status = check_group(&groups[i], i, paths, error);
    return status;
}

roofline_status model_make(const roofline_model_spec *spec, const roofline_layer_group *groups, size_t group_count,
                           model_paths paths, note_list *notes, roofline_model **out, roofline_error *error) {
    roofline_model *model = calloc(1, sizeof *model);
    if (!model) {
        note_list_free(notes);
        return no_memory(error);
    }
    model->notes = *notes;
    *notes = (note_list){0};
    roofline_status status = check_all(spec, groups, group_count, paths, error);
    if (status == ROOFLINE_OK)
        status = fill_model(model, spec, groups, group_count, error);
    if (status == ROOFLINE_OK)
        status = check_totals(model, paths, error);
    if (status == ROOFLINE_OK)
        status = assume_format(model, error);
    if (status == ROOFLINE_OK)
        status = describe_windows(model, error);
    if (status) {
        roofline_model_free(model);
        return status;
    }
    *out = model;
    return error_clear(error);
}

roofline_status roofline_model_create(const roofline_model_spec *spec, const roofline_layer_group *groups,
                                      size_t group_count, size_t row_bytes, roofline_model **out,
                                      roofline_error *error) {
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, "out", "the output pointer is NULL");
    roofline_model_spec known;
    roofline_status status = struct_read(&known, sizeof known, spec, "roofline_model_spec", error);
    if (status == ROOFLINE_OK)
        status = check_group_count(group_count, MODEL_PATHS_STRUCT, error);
    roofline_layer_group rows[MODEL_GROUP_LIMIT];
    for (size_t i = 0; status == ROOFLINE_OK && i < group_count; i++)
        status = struct_read_row(&rows[i], sizeof rows[i], groups, row_bytes, i, "roofline_layer_group", error);
    if (status)
        return status;
    note_list notes = {0};
    return model_make(&known, rows, group_count, MODEL_PATHS_STRUCT, &notes, out, error);
}

roofline_status roofline_model_open(const char *name, roofline_model **out, roofline_error *error) {
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, "out", "the output pointer is NULL");
    const catalogue_model *entry;
    roofline_status status = catalogue_find_model(name, &entry, error);
    if (status)
        return status;
    note_list notes = {0};
    return model_make(&entry->spec, entry->groups, entry->group_count, MODEL_PATHS_NONE, &notes, out, error);
}

void roofline_model_free(roofline_model *model) {
    if (!model)
        return;
    note_list_free(&model->notes);
    free(model->groups);
    free(model);
}

/* ------------------------------------------------------------------------------------------------------- reading -- */

static roofline_status require_model(const roofline_model *model, roofline_error *error) {
    return model ? ROOFLINE_OK : error_set(error, ROOFLINE_ARGUMENT, "model", "the model is NULL");
}

roofline_status roofline_model_info(const roofline_model *model, roofline_model_info_result *out,
                                    roofline_error *error) {
    roofline_status status = require_model(model, error);
    if (status == ROOFLINE_OK)
        status = struct_check(out, "roofline_model_info_result", error);
    if (status)
        return status;
    const roofline_model_spec *spec = &model->spec;
    model_totals totals = totals_of(spec, model->groups, model->group_count);
    roofline_model_info_result info = {
        .format = spec->format,
        .layers = totals.layers,
        .layer_groups = (int64_t)model->group_count,
        .hidden = spec->hidden,
        .vocab = spec->vocab,
        .parameters_total = totals.parameters,
        .parameters_active = totals.parameters - totals.idle,
        .parameters_streamed = totals.streamed,
        .weight_bytes_resident = bytes_of(totals.parameters, spec->format),
        .weight_bytes_streamed = bytes_of(totals.streamed, spec->format),
        .kv_bytes_per_token = bytes_of(totals.kv_elements, spec->format),
        .kv_bytes_per_token_full = bytes_of(totals.kv_elements_full, spec->format),
        .max_context_tokens = spec->max_context_tokens,
        .tied_embeddings = spec->tied_embeddings,
    };
    memcpy(info.name, spec->name, sizeof info.name);
    memcpy(info.architecture, spec->architecture, sizeof info.architecture);
    struct_write(out, &info, sizeof info);
    return error_clear(error);
}

roofline_status roofline_model_get_spec(const roofline_model *model, roofline_model_spec *out, roofline_error *error) {
    roofline_status status = require_model(model, error);
    if (status == ROOFLINE_OK)
        status = struct_check(out, "roofline_model_spec", error);
    if (status)
        return status;
    struct_write(out, &model->spec, sizeof model->spec);
    return error_clear(error);
}

roofline_status roofline_model_get_group(const roofline_model *model, int64_t index, roofline_layer_group *out,
                                         roofline_error *error) {
    roofline_status status = require_model(model, error);
    if (status == ROOFLINE_OK)
        status = struct_check(out, "roofline_layer_group", error);
    if (status)
        return status;
    if (index < 0 || (uint64_t)index >= model->group_count)
        return error_set(error, ROOFLINE_NOT_FOUND, "index", "there is no group %lld; the model has %zu",
                         (long long)index, model->group_count);
    struct_write(out, &model->groups[index], sizeof *model->groups);
    return error_clear(error);
}

int64_t roofline_model_note_count(const roofline_model *model) {
    return model ? (int64_t)model->notes.count : 0;
}

roofline_status roofline_model_note(const roofline_model *model, int64_t index, roofline_note *out, char *buffer,
                                    size_t capacity, size_t *needed, roofline_error *error) {
    roofline_status status = require_model(model, error);
    return status ? status : note_give(&model->notes, index, out, buffer, capacity, needed, error);
}
