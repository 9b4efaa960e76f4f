/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same input gives the same bits: included first by every file that computes costs. clang obeys the pragma; gcc does
 * not contract under -std=c11, which every build passes.
 */
#ifndef ROOFLINE_FLOATING_H
#define ROOFLINE_FLOATING_H

#include <float.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__FAST_MATH__)
#error "libroofline needs IEEE arithmetic: build without -ffast-math"
#endif

#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "libroofline needs doubles evaluated as doubles: on i386 build with -msse2 -mfpmath=sse"
#endif

#endif
