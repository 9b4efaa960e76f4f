/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people write them on a command line, read strictly: the whole text, or nothing. */
#ifndef COMMAND_NUMBER_H
#define COMMAND_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "8192". No sign but '-', no spaces, no exponent. */
bool number_integer(const char *text, int64_t *out);
/* Digits alone, of a number that int64_t does not hold. */
bool number_too_large(const char *text);
/* "0.9", "3.35e12". No hexadecimal, no infinity, no NaN. */
bool number_real(const char *text, double *out);
/* A number with an optional suffix k M G T (powers of 1000) or Ki Mi Gi Ti (powers of 1024): "80G", "1.5Gi". */
bool number_bytes(const char *text, double *out);
/* The same, whole and exact. */
bool number_whole_bytes(const char *text, int64_t *out);

typedef struct number_list {
    int64_t *items;
    size_t count;
} number_list;
/*
 * "1,2,8", "1:512" (doubling), "1:512:16" (adding 16); parts may be mixed with commas. Returns NULL, or what is wrong.
 * The caller frees items.
 */
const char *number_list_read(const char *text, number_list *out);

#endif
