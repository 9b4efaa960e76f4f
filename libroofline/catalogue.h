/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded devices and models: C tables that data/embed.py makes from data/ at build time, so nothing is parsed. */
#ifndef ROOFLINE_CATALOGUE_H
#define ROOFLINE_CATALOGUE_H

#include <stddef.h>

#include "roofline.h"

typedef struct catalogue_device {
    const char *id;
    const char *const *aliases; /* NULL-terminated */
    roofline_device_spec spec;
    const roofline_link *links;
    size_t link_count;
    const char *source;
    const char *const *sources; /* field, text, field, text, ..., NULL: figures with a source of their own */
} catalogue_device;

typedef struct catalogue_model {
    const char *id;
    const char *const *aliases; /* NULL-terminated; the published name first */
    roofline_model_spec spec;
    const roofline_layer_group *groups;
    size_t group_count;
} catalogue_model;

/* Made by data/embed.py. */
extern const catalogue_device catalogue_devices[];
extern const size_t catalogue_device_count;
extern const catalogue_model catalogue_models[];
extern const size_t catalogue_model_count;
extern const char catalogue_date[];

/* By id or alias; spelling ignores case, '-', '_', ' ' and '.'. On failure the message names the nearest ids. */
roofline_status catalogue_find_device(const char *name, const catalogue_device **out, roofline_error *error);
roofline_status catalogue_find_model(const char *name, const catalogue_model **out, roofline_error *error);

#endif
