/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"

enum {
    INPUT_LIMIT = 16 * 1024 * 1024,
    FIRST_BUFFER = 64 * 1024
};

/* ------------------------------------------------------------------------------------------------------- reading -- */

static int read_stream(const argument_list *list, const char *name, FILE *file, char **bytes, size_t *length) {
    size_t capacity = FIRST_BUFFER;
    *bytes = reallocate(NULL, capacity + 1, 1);
    for (*length = 0;; capacity *= 2, *bytes = reallocate(*bytes, capacity + 1, 1)) {
        *length += fread(*bytes + *length, 1, capacity - *length, file);
        if (*length < capacity || *length > INPUT_LIMIT)
            break;
    }
    (*bytes)[*length] = 0;
    int status = EXIT_DONE;
    if (ferror(file))
        status = fail(list->command, "%s: cannot be read: %s", name, strerror(errno));
    else if (*length > INPUT_LIMIT)
        status = fail(list->command, "%s: is larger than 16 MiB, which no description is", name);
    if (status)
        free(*bytes);
    return status;
}

int input_read(const argument_list *list, const char *path, char **bytes, size_t *length) {
    if (!strcmp(path, "-"))
        return read_stream(list, "standard input", stdin, bytes, length);
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(list->command, "%s: cannot be opened: %s", path, strerror(errno));
    int status = read_stream(list, path, file, bytes, length);
    fclose(file);
    return status;
}

/* --------------------------------------------------------------------------------------------- devices and models --
 */

/* What a device and a model have in common: the four functions that make one. */
typedef struct input_kind {
    const char *name;
    const char *list_command;
    bool folders;
    roofline_status (*open)(const char *name, void **out, roofline_error *error);
    roofline_status (*parse)(const char *json, size_t length, void **out, roofline_error *error);
    roofline_status (*load)(const char *path, void **out, roofline_error *error);
} input_kind;

static roofline_status open_device(const char *name, void **out, roofline_error *error) {
    roofline_device *device = NULL;
    roofline_status status = roofline_device_open(name, &device, error);
    *out = device;
    return status;
}

static roofline_status parse_device(const char *json, size_t length, void **out, roofline_error *error) {
    roofline_device *device = NULL;
    roofline_status status = roofline_device_parse(json, length, &device, error);
    *out = device;
    return status;
}

static roofline_status load_device(const char *path, void **out, roofline_error *error) {
    roofline_device *device = NULL;
    roofline_status status = roofline_device_load(path, &device, error);
    *out = device;
    return status;
}

static roofline_status open_model(const char *name, void **out, roofline_error *error) {
    roofline_model *model = NULL;
    roofline_status status = roofline_model_open(name, &model, error);
    *out = model;
    return status;
}

static roofline_status parse_model(const char *json, size_t length, void **out, roofline_error *error) {
    roofline_model *model = NULL;
    roofline_status status = roofline_model_parse(json, length, &model, error);
    *out = model;
    return status;
}

static roofline_status load_model(const char *path, void **out, roofline_error *error) {
    roofline_model *model = NULL;
    roofline_status status = roofline_model_load(path, &model, error);
    *out = model;
    return status;
}

static const input_kind devices = {"device", "devices", false, open_device, parse_device, load_device};
static const input_kind models = {"model", "models", true, open_model, parse_model, load_model};

static bool exists(const char *path, bool *folder) {
    struct stat found;
    *folder = false;
    if (stat(path, &found))
        return false;
    *folder = S_ISDIR(found.st_mode);
    return true;
}

static bool looks_like_path(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && !strcmp(name + length - 5, ".json"));
}

/* A folder beside us counts only when it has a config.json, so that it does not hide a name of the catalogue. */
static bool is_readable_path(const input_kind *kind, const char *name) {
    bool folder, inner_folder;
    if (!exists(name, &folder))
        return false;
    if (!folder || looks_like_path(name))
        return true;
    char *config = reallocate(NULL, strlen(name) + sizeof "/config.json", 1);
    sprintf(config, "%s/config.json", name);
    bool readable = kind->folders && exists(config, &inner_folder) && !inner_folder;
    free(config);
    return readable;
}

/* A description of the other kind is taken for what it is by what only it has. */
static int fail_description(const argument_list *list, const input_kind *kind, const char *about,
                            const roofline_error *error, const char *bytes) {
    roofline_error hinted = *error;
    size_t said = strlen(hinted.message);
    const char *other = NULL;
    if (kind == &devices && !strcmp(error->path, "/schema") &&
        (strstr(bytes, "\"model_type\"") || strstr(bytes, "\"roofline-model/")))
        other = "model";
    else if (kind == &models && (strstr(bytes, "\"roofline-device/") || strstr(bytes, "\"memory_bytes_per_s\"")))
        other = "device";
    if (other && flag_named(list->command, other))
        snprintf(hinted.message + said, sizeof hinted.message - said, "; is this a %s? give it to --%s",
                 kind == &devices ? "model's config.json" : "device's file", other);
    else if (other)
        snprintf(hinted.message + said, sizeof hinted.message - said, "; is this a %s? give it to `roofline %s`",
                 kind == &devices ? "model's config.json" : "device's file", other);
    return fail_error(list->command, about, &hinted);
}

static int input_file(const argument_list *list, const input_kind *kind, const char *name, void **out) {
    roofline_error error;
    bool folder;
    char *bytes = NULL;
    size_t length;
    roofline_status status = kind->load(name, out, &error);
    if (status == ROOFLINE_OK)
        return EXIT_DONE;
    if (status == ROOFLINE_IO || !exists(name, &folder) || folder)
        return fail_error(list->command, name, &error);
    int failed = input_read(list, name, &bytes, &length);
    if (failed || !bytes)
        return EXIT_BAD_INPUT;
    failed = fail_description(list, kind, name, &error, bytes);
    free(bytes);
    return failed;
}

static int input_stdin(const argument_list *list, const input_kind *kind, void **out) {
    char *bytes;
    size_t length;
    roofline_error error;
    int status = input_read(list, "-", &bytes, &length);
    if (status)
        return status;
    if (kind->parse(bytes, length, out, &error) != ROOFLINE_OK)
        status = fail_description(list, kind, "standard input", &error, bytes);
    free(bytes);
    return status;
}

static int input_catalogue(const argument_list *list, const input_kind *kind, const char *name, void **out) {
    roofline_error error;
    roofline_status status = kind->open(name, out, &error);
    if (status == ROOFLINE_OK)
        return EXIT_DONE;
    error.path[0] = 0;
    if (status != ROOFLINE_NOT_FOUND)
        return fail_error(list->command, name, &error);
    if (looks_like_path(name))
        return fail(list->command, "%s: there is no such file, and the catalogue has no %s of that name", name,
                    kind->name);
    return fail(list->command, "%s; nor is there a file%s of that name. `roofline %s` lists the catalogue",
                error.message, kind->folders ? " or a folder with a config.json" : "", kind->list_command);
}

static int input_any(const argument_list *list, const input_kind *kind, const char *name, void **out) {
    if (!strcmp(name, "-"))
        return input_stdin(list, kind, out);
    if (!is_readable_path(kind, name))
        return input_catalogue(list, kind, name, out);
    return input_file(list, kind, name, out);
}

int input_device(const argument_list *list, const char *name, roofline_device **out) {
    void *device = NULL;
    int status = input_any(list, &devices, name, &device);
    *out = device;
    return status;
}

int input_model(const argument_list *list, const char *name, roofline_model **out) {
    void *model = NULL;
    int status = input_any(list, &models, name, &model);
    *out = model;
    return status;
}

/* --------------------------------------------------------------------------------------------------------- plans -- */

static int one_reader_of_stdin(const argument_list *list) {
    int readers = 0;
    for (size_t i = 0; i < list->count; i++)
        readers += list->items[i].flag && list->items[i].value && !strcmp(list->items[i].value, "-");
    return readers < 2 ? EXIT_DONE
                       : fail(list->command, "only one flag can read standard input; give the others a file");
}

int input_plan(const argument_list *list, plan_input *out) {
    roofline_error error;
    int status;
    *out = (plan_input){.info.struct_size = sizeof out->info};
    roofline_deployment_init(&out->deployment, sizeof out->deployment);
    if ((status = arguments_require(list, ANYWHERE)) || (status = one_reader_of_stdin(list)) ||
        (status = arguments_fill(list, "roofline_deployment", ANYWHERE, &out->deployment)) ||
        (status = input_model(list, argument_value(list, "model"), &out->model)) ||
        (status = input_device(list, argument_value(list, "device"), &out->device)))
        return status;
    if (roofline_plan_new(out->device, out->model, &out->deployment, &out->plan, &error) != ROOFLINE_OK ||
        roofline_plan_info(out->plan, &out->info, &error) != ROOFLINE_OK)
        return fail_error(list->command, NULL, &error);
    return EXIT_DONE;
}

void plan_input_free(plan_input *out) {
    roofline_plan_free(out->plan);
    roofline_model_free(out->model);
    roofline_device_free(out->device);
    *out = (plan_input){0};
}

/* ---------------------------------------------------------------------------------------------------------- text -- */

char *device_json(const roofline_device *device) {
    size_t needed = 0;
    roofline_device_to_json(device, NULL, 0, &needed, NULL);
    char *text = reallocate(NULL, needed + 1, 1);
    text[0] = 0;
    roofline_device_to_json(device, text, needed, &needed, NULL);
    return text;
}

char *model_json(const roofline_model *model) {
    size_t needed = 0;
    roofline_model_to_json(model, NULL, 0, &needed, NULL);
    char *text = reallocate(NULL, needed + 1, 1);
    text[0] = 0;
    roofline_model_to_json(model, text, needed, &needed, NULL);
    return text;
}

char *device_source(const roofline_device *device, const char *field) {
    size_t needed = 0;
    roofline_device_source(device, field, NULL, 0, &needed, NULL);
    char *text = reallocate(NULL, needed + 1, 1);
    text[0] = 0;
    roofline_device_source(device, field, text, needed, &needed, NULL);
    return text;
}

char *kernel_name(const roofline_plan *plan, int32_t name_id) {
    size_t needed = 0;
    roofline_plan_kernel_name(plan, name_id, NULL, 0, &needed, NULL);
    char *text = reallocate(NULL, needed + 1, 1);
    text[0] = 0;
    roofline_plan_kernel_name(plan, name_id, text, needed, &needed, NULL);
    return text;
}
