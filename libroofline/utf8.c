/* SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

#include <stdbool.h>

/* Length that a lead byte announces, 0 when it is none. */
static size_t announced_length(unsigned char lead) {
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead < 0xe0)
        return 2;
    if (lead >= 0xe0 && lead < 0xf0)
        return 3;
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

size_t utf8_length(const unsigned char *bytes, size_t left) {
    size_t length = announced_length(bytes[0]);
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xf0 && bytes[1] < 0x90);
    bool outside = (bytes[0] == 0xed && bytes[1] > 0x9f) || (bytes[0] == 0xf4 && bytes[1] > 0x8f);
    return overlong || outside ? 0 : length;
}
