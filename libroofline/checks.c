/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include <string.h>

#include "error.h"
#include "format.h"
#include "utf8.h"

roofline_status check_count(int64_t value, int64_t least, int64_t most, const char *path, roofline_error *error) {
    if (value >= least && value <= most)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, path, "%s is %lld; it must be from %lld to %lld", path, (long long)value,
                     (long long)least, (long long)most);
}

roofline_status check_format(roofline_format format, const char *path, roofline_error *error) {
    if (format == ROOFLINE_FORMAT_DEFAULT || format_is_known(format))
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, path, "%s is %d, which is no format", path, (int)format);
}

roofline_status check_arithmetic(roofline_arithmetic arithmetic, const char *path, roofline_error *error) {
    if (arithmetic == ROOFLINE_ARITHMETIC_DEFAULT || arithmetic_is_known(arithmetic))
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, path, "%s is %d, which is no arithmetic", path, (int)arithmetic);
}

roofline_status check_traffic(roofline_traffic traffic, const char *path, roofline_error *error) {
    if (traffic == ROOFLINE_TRAFFIC_COMPULSORY || traffic == ROOFLINE_TRAFFIC_STREAMED)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_RANGE, path, "%s is %d; it must be compulsory (0) or streamed (1)", path,
                     (int)traffic);
}

/* Length of the character at `at`, 0 when it is broken or when a message could only show it escaped. */
static size_t plain_length(const char *at, size_t left) {
    size_t length = utf8_length((const unsigned char *)at, left);
    return memcmp(error_quote(at, length).text, at, length) == 0 ? length : 0;
}

roofline_status check_text(const char *text, size_t size, bool required, const char *path, roofline_error *error) {
    const char *end = memchr(text, '\0', size);
    if (!end)
        return error_set(error, ROOFLINE_ARGUMENT, path, "the text does not end in NUL within its %zu bytes", size);
    if (required && text == end)
        return error_set(error, ROOFLINE_ARGUMENT, path, "the text is empty; it is required");
    size_t length = 1;
    for (const char *at = text; at < end && length > 0; at += length)
        length = plain_length(at, (size_t)(end - at));
    if (length > 0)
        return ROOFLINE_OK;
    return error_set(error, ROOFLINE_ARGUMENT, path,
                     "'%s' has bytes that are no UTF-8 or no printable characters; remove them",
                     error_quote(text, (size_t)(end - text)).text);
}
