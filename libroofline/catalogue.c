/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

/* Spelling that people vary: case, '-', '_', ' ' and '.' do not count. */
static const char *skip_ignored(const char *text) {
    return text + strspn(text, "-_ .");
}

static int lower(char character) {
    return character >= 'A' && character <= 'Z' ? character - 'A' + 'a' : (unsigned char)character;
}

static bool same_spelling(const char *left, const char *right) {
    for (;;) {
        left = skip_ignored(left);
        right = skip_ignored(right);
        if (lower(*left) != lower(*right))
            return false;
        if (*left == '\0')
            return true;
        left++;
        right++;
    }
}

static bool is_named(const char *id, const char *const *aliases, const char *name) {
    if (same_spelling(id, name))
        return true;
    for (; *aliases; aliases++)
        if (same_spelling(*aliases, name))
            return true;
    return false;
}

/* How many leading characters two spellings share. */
static size_t shared_prefix(const char *left, const char *right) {
    size_t length = 0;
    for (;;) {
        left = skip_ignored(left);
        right = skip_ignored(right);
        if (*left == '\0' || lower(*left) != lower(*right))
            return length;
        length++;
        left++;
        right++;
    }
}

/* The ids that share the longest beginning with what was asked for, at most five, or nothing. */
static void nearest_ids(const char *name, size_t count, const char *(*id_at)(int64_t), char *text, size_t size) {
    size_t longest = 1;
    for (size_t i = 0; i < count; i++) {
        size_t length = shared_prefix(id_at((int64_t)i), name);
        longest = length > longest ? length : longest;
    }
    text[0] = '\0';
    size_t used = 0;
    for (size_t i = 0, given = 0; i < count && given < 5; i++) {
        const char *id = id_at((int64_t)i);
        if (shared_prefix(id, name) < longest || used + strlen(id) + 3 > size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", given++ ? ", " : "", id);
    }
}

static roofline_status not_found(const char *kind, const char *name, size_t count, const char *(*id_at)(int64_t),
                                 roofline_error *error) {
    char nearest[160];
    nearest_ids(name, count, id_at, nearest, sizeof nearest);
    return error_set(error, ROOFLINE_NOT_FOUND, "name", "the catalogue has no %s '%s' (%zu entries)%s%s", kind,
                     error_quote(name, strlen(name)).text, count, nearest[0] ? "; the nearest: " : "", nearest);
}

roofline_status catalogue_find_device(const char *name, const catalogue_device **out, roofline_error *error) {
    if (!name || !out)
        return error_set(error, ROOFLINE_ARGUMENT, "name", "the device's name or the output pointer is NULL");
    for (size_t i = 0; i < catalogue_device_count; i++) {
        if (is_named(catalogue_devices[i].id, catalogue_devices[i].aliases, name)) {
            *out = &catalogue_devices[i];
            return error_clear(error);
        }
    }
    return not_found("device", name, catalogue_device_count, roofline_device_id, error);
}

roofline_status catalogue_find_model(const char *name, const catalogue_model **out, roofline_error *error) {
    if (!name || !out)
        return error_set(error, ROOFLINE_ARGUMENT, "name", "the model's name or the output pointer is NULL");
    for (size_t i = 0; i < catalogue_model_count; i++) {
        if (is_named(catalogue_models[i].id, catalogue_models[i].aliases, name)) {
            *out = &catalogue_models[i];
            return error_clear(error);
        }
    }
    return not_found("model", name, catalogue_model_count, roofline_model_id, error);
}

int64_t roofline_device_count(void) {
    return (int64_t)catalogue_device_count;
}

const char *roofline_device_id(int64_t index) {
    return index >= 0 && index < roofline_device_count() ? catalogue_devices[index].id : NULL;
}

int64_t roofline_model_count(void) {
    return (int64_t)catalogue_model_count;
}

const char *roofline_model_id(int64_t index) {
    return index >= 0 && index < roofline_model_count() ? catalogue_models[index].id : NULL;
}

const char *roofline_catalogue_date(void) {
    return catalogue_date;
}
