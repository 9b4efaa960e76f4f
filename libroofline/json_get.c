/* SPDX-License-Identifier: Apache-2.0 */
/* The typed getters: one sentence about each way in which a value can be wrong. */
#include <math.h>
#include <string.h>

#include "error.h"
#include "json.h"

static const double exact_limit = 9007199254740992.0; /* 2^53: up to here every whole number is a double */

/* A key can come from the text as well. */
static quoted_text quoted_key(const char *key) {
    return error_quote(key, strlen(key));
}

/* Finds the value of a key. OK with *value NULL: it is missing and need not be there. */
static roofline_status look_up(json_object *object, const char *key, bool required, const json_value **value,
                               roofline_error *error) {
    *value = json_get(object, key);
    if (*value || !required)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_SCHEMA, json_path_of(object, key).text, "the key '%s' is %s; it is required",
                     quoted_key(key).text, json_has(object, key) ? "null" : "missing");
}

static roofline_status wrong_type(const json_object *object, const char *key, const char *expected,
                                  const json_value *value, roofline_error *error) {
    return error_set(error, ROOFLINE_SCHEMA, json_path_of(object, key).text, "'%s' must be %s, but is %s",
                     quoted_key(key).text, expected, json_type_text(value));
}

static roofline_status out_of_range(const json_object *object, const char *key, double value, double least, double most,
                                    roofline_error *error) {
    json_path path = json_path_of(object, key);
    quoted_text quoted = quoted_key(key);
    number_chars is = number_text(value), from = number_text(least), to = number_text(most);
    if (isinf(most))
        return error_set(error, ROOFLINE_RANGE, path.text, "'%s' must be at least %s, but is %s", quoted.text,
                         from.text, is.text);
    if (isinf(least))
        return error_set(error, ROOFLINE_RANGE, path.text, "'%s' must be at most %s, but is %s", quoted.text, to.text,
                         is.text);
    return error_set(error, ROOFLINE_RANGE, path.text, "'%s' must be from %s to %s, but is %s", quoted.text, from.text,
                     to.text, is.text);
}

roofline_status json_integer(json_object *object, const char *key, bool required, int64_t least, int64_t most,
                             int64_t *out, roofline_error *error) {
    const json_value *value;
    roofline_status status = look_up(object, key, required, &value, error);
    if (status != ROOFLINE_OK || !value)
        return status;
    if (!json_is_number(value))
        return wrong_type(object, key, "a whole number", value, error);
    double number = json_number_of(value);
    if (number != floor(number))
        return error_set(error, ROOFLINE_SCHEMA, json_path_of(object, key).text,
                         "'%s' must be a whole number, but is %s", quoted_key(key).text, number_text(number).text);
    double from = fmax((double)least, -exact_limit);
    double to = fmin((double)most, exact_limit);
    if (number < from || number > to)
        return out_of_range(object, key, number, from, to, error);
    *out = (int64_t)number;
    return ROOFLINE_OK;
}

roofline_status json_number(json_object *object, const char *key, bool required, double least, double most, double *out,
                            roofline_error *error) {
    const json_value *value;
    roofline_status status = look_up(object, key, required, &value, error);
    if (status != ROOFLINE_OK || !value)
        return status;
    if (!json_is_number(value))
        return wrong_type(object, key, "a number", value, error);
    double number = json_number_of(value);
    if (number < least || number > most)
        return out_of_range(object, key, number, least, most, error);
    *out = number;
    return ROOFLINE_OK;
}

roofline_status json_boolean(json_object *object, const char *key, bool required, bool *out, roofline_error *error) {
    const json_value *value;
    roofline_status status = look_up(object, key, required, &value, error);
    if (status != ROOFLINE_OK || !value)
        return status;
    if (!json_is_boolean(value))
        return wrong_type(object, key, "true or false", value, error);
    *out = json_boolean_of(value);
    return ROOFLINE_OK;
}

roofline_status json_string(json_object *object, const char *key, bool required, const char **out,
                            roofline_error *error) {
    const json_value *value;
    roofline_status status = look_up(object, key, required, &value, error);
    if (status != ROOFLINE_OK || !value)
        return status;
    if (!json_is_string(value))
        return wrong_type(object, key, "a string", value, error);
    *out = json_string_of(value);
    return ROOFLINE_OK;
}
