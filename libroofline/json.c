/* SPDX-License-Identifier: Apache-2.0 */
/* For newlocale. NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#define _POSIX_C_SOURCE 200809L

#include "json.h"

#include <cjson/cJSON.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json_scan.h"

/* A json_value is a cJSON node under another name. */
struct json_document {
    cJSON *root;
};

static const cJSON *node_of(const json_value *value) {
    return (const cJSON *)(const void *)value;
}

static const json_value *value_of(const cJSON *node) {
    return (const json_value *)(const void *)node;
}

static roofline_status no_memory(roofline_error *error) {
    error_set(error, ROOFLINE_NO_MEMORY, "", "there is not enough memory to read the JSON text");
    return ROOFLINE_NO_MEMORY;
}

/* ------------------------------------------------------------------------------------------ names that stand twice -- */

/* The names of one object; the memory is used again for the next. */
typedef struct name_list {
    const char **names;
    size_t count;
    size_t capacity;
} name_list;

static bool name_list_add(name_list *list, const char *name) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        const char **names = realloc(list->names, capacity * sizeof *names);
        if (!names)
            return false;
        list->names = names;
        list->capacity = capacity;
    }
    list->names[list->count++] = name;
    return true;
}

static int compare_names(const void *left, const void *right) {
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

/* *twice: a name that two members have, NULL when there is none. False when there is no memory. */
static bool find_twice(const cJSON *object, name_list *list, const char **twice) {
    *twice = NULL;
    list->count = 0;
    for (const cJSON *member = object->child; member; member = member->next)
        if (!name_list_add(list, member->string))
            return false;
    if (list->count < 2)
        return true;
    qsort(list->names, list->count, sizeof *list->names, compare_names);
    for (size_t i = 1; i < list->count && !*twice; i++)
        if (strcmp(list->names[i - 1], list->names[i]) == 0)
            *twice = list->names[i];
    return true;
}

/* Where a walk through the whole tree stands: the open arrays and objects, outermost first. */
typedef struct tree_walk {
    const cJSON *open[JSON_DEPTH_LIMIT];
    const cJSON *next[JSON_DEPTH_LIMIT]; /* the child to visit next */
    size_t index[JSON_DEPTH_LIMIT];      /* of that child */
    int depth;
} tree_walk;

static json_path walk_path(const tree_walk *walk) {
    json_path path = {.text = ""};
    for (int i = 1; i < walk->depth; i++) {
        if (cJSON_IsArray(walk->open[i - 1]))
            json_path_append_index(&path, walk->index[i - 1] - 1);
        else
            json_path_append(&path, walk->open[i]->string);
    }
    return path;
}

static roofline_status refuse_twice(const tree_walk *walk, const char *name, roofline_error *error) {
    json_path path = walk_path(walk);
    json_path_append(&path, name);
    quoted_text quoted = error_quote(name, strlen(name));
    return error_set(error, ROOFLINE_SCHEMA, path.text, "the key '%s' stands twice in one object; remove one of them",
                     quoted.text);
}

static roofline_status enter(tree_walk *walk, const cJSON *node, name_list *list, roofline_error *error) {
    const char *twice = NULL;
    walk->open[walk->depth++] = node;
    if (cJSON_IsObject(node) && !find_twice(node, list, &twice))
        return no_memory(error);
    if (twice)
        return refuse_twice(walk, twice, error);
    walk->next[walk->depth - 1] = node->child;
    walk->index[walk->depth - 1] = 0;
    return ROOFLINE_OK;
}

/* The scanner has bounded the depth, so `open` cannot run over. */
static roofline_status check_names(const cJSON *root, name_list *list, roofline_error *error) {
    tree_walk walk = {.depth = 0};
    roofline_status status = ROOFLINE_OK;
    if (cJSON_IsObject(root) || cJSON_IsArray(root))
        status = enter(&walk, root, list, error);
    while (status == ROOFLINE_OK && walk.depth > 0) {
        const cJSON *node = walk.next[walk.depth - 1];
        if (!node) {
            walk.depth--;
            continue;
        }
        walk.next[walk.depth - 1] = node->next;
        walk.index[walk.depth - 1]++;
        if (cJSON_IsObject(node) || cJSON_IsArray(node))
            status = enter(&walk, node, list, error);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------------- parsing -- */

/* A text that passed the scanner is one that cJSON takes to its last byte, so its only failure is an allocation. */
static roofline_status parse_checked(const char *text, size_t length, cJSON **root, roofline_error *error) {
    const char *end = NULL;
    *root = cJSON_ParseWithLengthOpts(text, length, &end, false);
    if (!*root)
        return no_memory(error);
    if (end == text + length)
        return ROOFLINE_OK;
    cJSON_Delete(*root);
    error_set(error, ROOFLINE_PARSE, "",
              "the JSON parser stopped at byte %zu of a value of %zu bytes; link another version of cJSON",
              (size_t)(end - text), length);
    return ROOFLINE_PARSE;
}

static roofline_status parse_tree(const char *text, size_t length, cJSON **root, roofline_error *error) {
    json_extent extent;
    roofline_status status = json_scan(text, length, &extent, error);
    if (status != ROOFLINE_OK)
        return status;
    if (extent.fractions == 0)
        return parse_checked(text, extent.length, root, error);
    size_t plain_length;
    char *plain = json_without_points(text, &extent, &plain_length);
    if (!plain)
        return no_memory(error);
    status = parse_checked(plain, plain_length, root, error);
    free(plain);
    return status;
}

/* strtod, which reads the numbers of the scanner and of cJSON, follows the thread's locale. */
static roofline_status parse_tree_in_c_locale(const char *text, size_t length, cJSON **root, roofline_error *error) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return no_memory(error);
    locale_t callers = uselocale(c_locale);
    roofline_status status = parse_tree(text, length, root, error);
    uselocale(callers);
    freelocale(c_locale);
    return status;
}

static roofline_status parse_strictly(const char *text, size_t length, cJSON **root, roofline_error *error) {
    roofline_status status = parse_tree_in_c_locale(text, length, root, error);
    if (status != ROOFLINE_OK)
        return status;
    name_list list = {.names = NULL};
    status = check_names(*root, &list, error);
    free(list.names);
    if (status != ROOFLINE_OK)
        cJSON_Delete(*root);
    return status;
}

roofline_status json_parse(const char *text, size_t length, json_document **out, roofline_error *error) {
    if (!text)
        return error_set(error, ROOFLINE_ARGUMENT, "json", "the JSON text is NULL; pass its first byte and its length");
    if (!out)
        return error_set(error, ROOFLINE_ARGUMENT, "out", "the pointer for the result is NULL");
    json_document *document = malloc(sizeof *document);
    if (!document)
        return no_memory(error);
    roofline_status status = parse_strictly(text, length, &document->root, error);
    if (status != ROOFLINE_OK) {
        free(document);
        return status;
    }
    *out = document;
    return error_clear(error);
}

void json_free(json_document *document) {
    if (!document)
        return;
    cJSON_Delete(document->root);
    free(document);
}

const json_value *json_root(const json_document *document) {
    return value_of(document->root);
}

/* ------------------------------------------------------------------------------------------------------- objects -- */

static size_t child_count(const cJSON *node) {
    size_t count = 0;
    for (const cJSON *child = node->child; child; child = child->next)
        count++;
    return count;
}

static int compare_entries(const void *left, const void *right) {
    return strcmp(((const json_entry *)left)->name, ((const json_entry *)right)->name);
}

roofline_status json_object_open(json_object *object, const json_value *value, const char *path,
                                 roofline_error *error) {
    memset(object, 0, sizeof *object);
    if (!json_is_object(value))
        return error_set(error, ROOFLINE_SCHEMA, path, "an object in braces is expected here, not %s",
                         json_type_text(value));
    size_t count = child_count(node_of(value));
    json_entry *entries = calloc(count ? count : 1, sizeof *entries);
    if (!entries)
        return no_memory(error);
    json_entry *entry = entries;
    for (const cJSON *member = node_of(value)->child; member; member = member->next)
        *entry++ = (json_entry){.name = member->string, .value = value_of(member)};
    qsort(entries, count, sizeof *entries, compare_entries);
    object->entries = entries;
    object->count = count;
    memcpy(object->path, path, strnlen(path, sizeof object->path - 1));
    return ROOFLINE_OK;
}

void json_object_close(json_object *object) {
    free(object->entries);
    memset(object, 0, sizeof *object);
}

static int compare_name(const void *name, const void *entry) {
    return strcmp(name, ((const json_entry *)entry)->name);
}

static json_entry *find_entry(const json_object *object, const char *key) {
    return object->count ? bsearch(key, object->entries, object->count, sizeof *object->entries, compare_name) : NULL;
}

const json_value *json_get(json_object *object, const char *key) {
    json_entry *entry = find_entry(object, key);
    if (!entry)
        return NULL;
    entry->read = true;
    return cJSON_IsNull(node_of(entry->value)) ? NULL : entry->value;
}

bool json_has(const json_object *object, const char *key) {
    return find_entry(object, key) != NULL;
}

const char *json_next_unread(const json_object *object, size_t *index) {
    while (*index < object->count) {
        const json_entry *entry = &object->entries[(*index)++];
        if (!entry->read)
            return entry->name;
    }
    return NULL;
}

/* -------------------------------------------------------------------------------------------------------- values -- */

const char *json_type_text(const json_value *value) {
    return json_is_object(value)    ? "an object"
           : json_is_array(value)   ? "an array"
           : json_is_string(value)  ? "a string"
           : json_is_number(value)  ? "a number"
           : json_is_boolean(value) ? "true or false"
                                    : "null";
}

bool json_is_object(const json_value *value) {
    return cJSON_IsObject(node_of(value));
}

bool json_is_array(const json_value *value) {
    return cJSON_IsArray(node_of(value));
}

bool json_is_string(const json_value *value) {
    return cJSON_IsString(node_of(value));
}

bool json_is_number(const json_value *value) {
    return cJSON_IsNumber(node_of(value));
}

bool json_is_boolean(const json_value *value) {
    return cJSON_IsBool(node_of(value));
}

const char *json_string_of(const json_value *value) {
    return node_of(value)->valuestring;
}

double json_number_of(const json_value *value) {
    return node_of(value)->valuedouble;
}

bool json_boolean_of(const json_value *value) {
    return cJSON_IsTrue(node_of(value));
}

size_t json_array_count(const json_value *array) {
    return child_count(node_of(array));
}

const json_value *json_array_first(const json_value *array) {
    return value_of(node_of(array)->child);
}

const json_value *json_array_next(const json_value *element) {
    return value_of(node_of(element)->next);
}
