/* SPDX-License-Identifier: Apache-2.0 */
/* Models from and to JSON: "roofline-model/1" here, a Hugging Face config.json in model_hf.c; files and folders. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "model.h"

static const char schema_family[] = "roofline-model/";
enum {
    SCHEMA_MAJOR = 1
};

/* ------------------------------------------------------------------------------------------------------ our JSON -- */

/* Keys beside the fields of the spec: what catalogue files say of themselves, and the notes that the command prints. */
static const char *const ignored_keys[] = {"aliases", "date", "notes", "source"};

/* What the command prints of a model and its groups decide: not taken from the file, but compared. */
typedef struct derived_key {
    const char *key;
    size_t offset; /* of an int64_t in roofline_model_info_result */
} derived_key;

#define DERIVED(key)                                                                                                   \
    { #key, offsetof(roofline_model_info_result, key) }
static const derived_key derived_keys[] = {
    DERIVED(layers),
    DERIVED(layer_groups),
    DERIVED(parameters_total),
    DERIVED(parameters_active),
    DERIVED(parameters_streamed),
    DERIVED(weight_bytes_resident),
    DERIVED(weight_bytes_streamed),
    DERIVED(kv_bytes_per_token),
    DERIVED(kv_bytes_per_token_full),
    DERIVED(state_bytes_per_sequence),
};
enum {
    DERIVED_KEY_COUNT = sizeof derived_keys / sizeof *derived_keys
};

static bool is_ignored(const char *key) {
    if (strncmp(key, "x_", 2) == 0)
        return true;
    for (size_t i = 0; i < sizeof ignored_keys / sizeof *ignored_keys; i++)
        if (strcmp(key, ignored_keys[i]) == 0)
            return true;
    for (size_t i = 0; i < DERIVED_KEY_COUNT; i++)
        if (strcmp(key, derived_keys[i].key) == 0)
            return true;
    return false;
}

static roofline_status refuse_unknown_keys(const json_object *object, bool is_root, roofline_error *error) {
    size_t index = 0;
    for (const char *key; (key = json_next_unread(object, &index)) != NULL;)
        if (!(is_root ? is_ignored(key) : strncmp(key, "x_", 2) == 0))
            return error_set(error, ROOFLINE_SCHEMA, json_path_of(object, key).text,
                             "the key '%s' is not known here; remove it, or begin its name with x_ to have it ignored",
                             error_quote(key, strlen(key)).text);
    return ROOFLINE_OK;
}

static roofline_status require_keys(const json_object *object, const char *const *keys, roofline_error *error) {
    for (; *keys; keys++)
        if (!json_has(object, *keys))
            return error_set(error, ROOFLINE_SCHEMA, json_path_of(object, *keys).text,
                             "the key '%s' is missing; it is required", *keys);
    return ROOFLINE_OK;
}

static roofline_status check_schema(json_object *root, roofline_error *error) {
    const char *schema = NULL;
    roofline_status status = json_string(root, "schema", true, &schema, error);
    if (status)
        return status;
    size_t family_length = sizeof schema_family - 1;
    if (strncmp(schema, schema_family, family_length) != 0)
        return error_set(error, ROOFLINE_SCHEMA, "/schema", "the schema is '%s'; a model's is '%s%d'",
                         error_quote(schema, strlen(schema)).text, schema_family, SCHEMA_MAJOR);
    const char *major = schema + family_length;
    if (major[0] == '0' + SCHEMA_MAJOR && major[1] == '\0')
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_UNSUPPORTED, "/schema", "this library (version %s) reads '%s%d', not '%s'",
                     roofline_version(), schema_family, SCHEMA_MAJOR, error_quote(schema, strlen(schema)).text);
}

static roofline_status read_group(const json_value *value, size_t index, roofline_layer_group *group,
                                  roofline_error *error) {
    static const char *const required[] = {"layers", "query_heads", "kv_heads", "head_dim", NULL};
    char path[32];
    snprintf(path, sizeof path, "/groups/%zu", index);
    json_object object = {0};
    roofline_status status = json_object_open(&object, value, path, error);
    if (status == ROOFLINE_OK)
        status = require_keys(&object, required, error);
    *group = (roofline_layer_group){0};
    if (status == ROOFLINE_OK)
        status = json_read_struct(&object, "roofline_layer_group", group, NULL, error);
    if (status == ROOFLINE_OK)
        status = refuse_unknown_keys(&object, false, error);
    json_object_close(&object);
    return status;
}

static roofline_status read_groups(json_object *root, roofline_layer_group *groups, size_t *count,
                                   roofline_error *error) {
    const json_value *array = json_get(root, "groups");
    if (!array || !json_is_array(array))
        return error_set(error, ROOFLINE_SCHEMA, "/groups", "groups must be an array of groups of layers");
    *count = json_array_count(array);
    if (*count < 1 || *count > MODEL_GROUP_LIMIT)
        return error_set(error, ROOFLINE_RANGE, "/groups", "there are %zu groups of layers; give 1 to %d", *count,
                         MODEL_GROUP_LIMIT);
    roofline_status status = ROOFLINE_OK;
    const json_value *element = json_array_first(array);
    for (size_t i = 0; element && status == ROOFLINE_OK; i++, element = json_array_next(element))
        status = read_group(element, i, &groups[i], error);
    return status;
}

/* A file edited by hand may say one number of layers in its groups and another beside them. */
static roofline_status note_contradictions(json_object *root, roofline_model *model, roofline_error *error) {
    roofline_model_info_result info = {.struct_size = sizeof info};
    roofline_status status = roofline_model_info(model, &info, error);
    for (size_t i = 0; i < DERIVED_KEY_COUNT && status == ROOFLINE_OK; i++) {
        const char *key = derived_keys[i].key;
        const json_value *value = json_get(root, key);
        int64_t counted;
        memcpy(&counted, (const char *)&info + derived_keys[i].offset, sizeof counted);
        bool is_number = value && json_is_number(value);
        if (!value || (is_number && json_number_of(value) == (double)counted))
            continue;
        if (note_add(&model->notes, ROOFLINE_NOTE_KEY_CONTRADICTED, ROOFLINE_SEVERITY_MISMATCH, key,
                     "%s is %s, but what else the file says gives %lld; that is counted.", key,
                     is_number ? number_text(json_number_of(value)).text : json_type_text(value), (long long)counted))
            status = error_set(error, ROOFLINE_NO_MEMORY, "", "no memory is left for the model's notes");
    }
    return status;
}

static roofline_status make_compared(json_object *root, const roofline_model_spec *spec,
                                     const roofline_layer_group *groups, size_t count, roofline_model **out,
                                     roofline_error *error) {
    note_list notes = {0};
    roofline_model *model = NULL;
    roofline_status status = model_make(spec, groups, count, MODEL_PATHS_JSON, &notes, &model, error);
    if (status == ROOFLINE_OK)
        status = note_contradictions(root, model, error);
    if (status) {
        roofline_model_free(model);
        return status;
    }
    *out = model;
    return ROOFLINE_OK;
}

static roofline_status model_from_json(json_object *root, roofline_model **out, roofline_error *error) {
    static const char *const required[] = {"hidden", "vocab", "groups", NULL};
    roofline_model_spec spec = {0};
    roofline_layer_group groups[MODEL_GROUP_LIMIT];
    size_t count = 0;
    roofline_status status = check_schema(root, error);
    if (status == ROOFLINE_OK)
        status = require_keys(root, required, error);
    if (status == ROOFLINE_OK)
        status = json_read_struct(root, "roofline_model_spec", &spec, NULL, error);
    if (status == ROOFLINE_OK)
        status = read_groups(root, groups, &count, error);
    if (status == ROOFLINE_OK)
        status = refuse_unknown_keys(root, true, error);
    return status ? status : make_compared(root, &spec, groups, count, out, error);
}

roofline_status roofline_model_to_json(const roofline_model *model, char *buffer, size_t capacity, size_t *needed,
                                       roofline_error *error) {
    if (!model)
        return error_set(error, ROOFLINE_ARGUMENT, "model", "the model is NULL");
    static const char *const assumed[] = {"format", NULL}; /* left out, so that whoever reads it assumes it again */
    char schema[sizeof schema_family + 8];
    snprintf(schema, sizeof schema, "%s%d", schema_family, SCHEMA_MAJOR);
    json_writer writer = {0};
    json_write_object_begin(&writer, NULL);
    json_write_string(&writer, "schema", schema);
    json_write_struct(&writer, "roofline_model_spec", &model->spec, model->format_assumed ? assumed : NULL);
    json_write_array_begin(&writer, "groups");
    for (size_t i = 0; i < model->group_count; i++) {
        json_write_object_begin(&writer, NULL);
        json_write_struct(&writer, "roofline_layer_group", &model->groups[i], NULL);
        json_write_object_end(&writer);
    }
    json_write_array_end(&writer);
    json_write_object_end(&writer);
    return json_writer_give(&writer, buffer, capacity, needed, error);
}

/* ------------------------------------------------------------------------------------------------- text to model -- */

/* Which of the two formats it is stands in the text itself. */
static roofline_status model_from_object(json_object *root, const char *name, roofline_model **out,
                                         roofline_error *error) {
    if (json_has(root, "schema"))
        return model_from_json(root, out, error);
    if (json_has(root, "model_type"))
        return model_from_config(root, name, out, error);
    return error_set(error, ROOFLINE_SCHEMA, "",
                     "the JSON has neither \"model_type\" (a Hugging Face config.json) nor \"schema\" (\"%s%d\"), so "
                     "it is not known how to read it",
                     schema_family, SCHEMA_MAJOR);
}

static roofline_status parse_named(const char *json, size_t length, const char *name, roofline_model **out,
                                   roofline_error *error) {
    json_document *document = NULL;
    roofline_status status = json_parse(json, length, &document, error);
    if (status)
        return status;
    json_object root = {0};
    status = json_object_open(&root, json_root(document), "", error);
    if (status == ROOFLINE_OK)
        status = model_from_object(&root, name, out, error);
    json_object_close(&root);
    json_free(document);
    return status;
}

roofline_status roofline_model_parse(const char *json, size_t length, roofline_model **out, roofline_error *error) {
    if (!json || !out)
        return error_set(error, ROOFLINE_ARGUMENT, json ? "out" : "json", "the %s is NULL",
                         json ? "output pointer" : "text");
    return parse_named(json, length, "", out, error);
}

/* --------------------------------------------------------------------------------------------------------- files -- */

/* The last part of a path, of at most `size` bytes: *end is where the path (without that part) ends. */
static void last_part(const char *path, size_t *end, char *part, size_t size) {
    while (*end > 0 && path[*end - 1] == '/')
        (*end)--;
    size_t begin = *end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    snprintf(part, size, "%.*s", (int)(*end - begin), path + begin);
    *end = begin;
}

/* A model's name from where it was found: the file's without ".json", or, for a config.json, the folder's. */
static quoted_text name_from_path(const char *path) {
    char part[256];
    size_t end = strlen(path);
    last_part(path, &end, part, sizeof part);
    if (strcmp(part, "config.json") == 0)
        last_part(path, &end, part, sizeof part);
    size_t length = strlen(part);
    if (length > 5 && strcmp(part + length - 5, ".json") == 0)
        length -= 5;
    if (strcmp(part, ".") == 0 || strcmp(part, "..") == 0)
        length = 0;
    return error_quote(part, length);
}

/* The text of the file, or of the config.json in the folder. */
static roofline_status read_file_or_folder(const char *path, char **bytes, size_t *length, roofline_error *error) {
    static const char inside[] = "/config.json";
    size_t size = strlen(path) + sizeof inside;
    char *joined = malloc(size);
    if (!joined)
        return error_set(error, ROOFLINE_NO_MEMORY, "", "no memory is left for the path");
    snprintf(joined, size, "%s%s", path, inside);
    roofline_status status = file_read(joined, JSON_SIZE_LIMIT, bytes, length, error);
    free(joined);
    if (status == ROOFLINE_NOT_FOUND) /* it is a file, or a folder without one, which file_read says */
        status = file_read(path, JSON_SIZE_LIMIT, bytes, length, error);
    return status;
}

roofline_status roofline_model_load(const char *path, roofline_model **out, roofline_error *error) {
    if (!path || !out)
        return error_set(error, ROOFLINE_ARGUMENT, path ? "out" : "path", "the %s is NULL",
                         path ? "output pointer" : "path");
    if (path[0] == '\0')
        return error_set(error, ROOFLINE_ARGUMENT, "path", "the path is empty; pass the name of a file or a folder");
    char *bytes = NULL;
    size_t length = 0;
    roofline_status status = read_file_or_folder(path, &bytes, &length, error);
    if (status)
        return status;
    status = parse_named(bytes, length, name_from_path(path).text, out, error);
    free(bytes);
    return status;
}
