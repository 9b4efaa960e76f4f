/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 as RFC 3629 has it: no overlong form, no surrogate, nothing above U+10FFFF. */
#ifndef ROOFLINE_UTF8_H
#define ROOFLINE_UTF8_H

#include <stddef.h>

/* Length of the character at `bytes` (`left` >= 1 bytes are there), 1 to 4; 0 when it is broken. */
size_t utf8_length(const unsigned char *bytes, size_t left);

#endif
