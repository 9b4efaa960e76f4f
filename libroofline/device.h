/* SPDX-License-Identifier: Apache-2.0 */
/* What later stages see of a device. */
#ifndef ROOFLINE_DEVICE_H
#define ROOFLINE_DEVICE_H

#include "note.h"
#include "roofline.h"

enum {
    DEVICE_LINK_LIMIT = 8
};

struct roofline_device {
    roofline_device_spec spec;
    roofline_link links[DEVICE_LINK_LIMIT];
    size_t link_count;
    note_list notes;
    char *source;                  /* of every figure that has no entry of its own; never NULL */
    struct device_source *sources; /* field -> text */
    size_t source_count;
};

/* Peak of an arithmetic, or ROOFLINE_UNSUPPORTED that lists what the chip has. path names whose fault it is. */
roofline_status device_peak(const roofline_device *device, roofline_arithmetic arithmetic, const char *path,
                            double *flops, roofline_error *error);

#endif
