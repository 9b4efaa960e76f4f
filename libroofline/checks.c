/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include "error.h"
#include "format.h"

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
