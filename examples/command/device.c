/* SPDX-License-Identifier: Apache-2.0 */
/* roofline device NAME|FILE|- */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "json_out.h"
#include "notes.h"
#include "peaks.h"
#include "print.h"

static void print_json(const roofline_device *device) {
    json_out out = {0};
    char *text = device_json(device);
    json_object(&out, NULL);
    json_members(&out, text);
    ridges_json(&out, device);
    notes_json(&out, device, NULL, NULL);
    json_object_end(&out);
    free(text);
}

static void print_memory(const roofline_device_spec *spec) {
    print_fact("memory", "%s nominal", print_bytes((double)spec->memory_bytes).text);
    if (spec->memory_usable_bytes)
        print_fact("", "%s usable, as a driver reports it", print_bytes((double)spec->memory_usable_bytes).text);
    print_fact("bandwidth", "%s", print_scaled(spec->memory_bytes_per_s, "B/s").text);
    if (spec->l2_bytes)
        print_fact("cache", "%s, last level", print_bytes((double)spec->l2_bytes).text);
}

static void print_links(const roofline_device *device) {
    for (int64_t i = 0; i < roofline_device_link_count(device); i++) {
        roofline_link link = {.struct_size = sizeof link};
        if (roofline_device_link(device, i, &link, NULL) == ROOFLINE_OK)
            print_fact(i ? "" : "links", "%s, %s in one direction", link.name,
                       print_scaled(link.bytes_per_s, "B/s").text);
    }
}

static void print_source(const roofline_device *device, const roofline_device_spec *spec) {
    char *source = device_source(device, "");
    const char *kind = roofline_constant_text("roofline_source", spec->kind);
    print_fact("figures", "%s%s%s", kind && !strcmp(kind, "spec") ? "of a datasheet" : "measured",
               spec->date[0] ? ", gathered " : "", spec->date);
    if (source[0])
        print_fact("source", "%s", source);
    free(source);
}

static void print_text(const roofline_device *device, const roofline_device_spec *spec) {
    print_title("%s%s%s", spec->name, spec->vendor[0] ? ", " : "", spec->vendor);
    print_memory(spec);
    print_links(device);
    if (spec->tdp_w > 0)
        print_fact("power limit", "%s", print_scaled(spec->tdp_w, "W").text);
    if (spec->price_per_hour > 0)
        print_fact("price", "%s an hour", print_number(spec->price_per_hour).text);
    print_source(device, spec);
    puts("");
    peaks_print(spec);
    notes_print(device, NULL, NULL);
}

int command_device(const argument_list *list) {
    roofline_device *device = NULL;
    roofline_device_spec spec = {.struct_size = sizeof spec};
    roofline_error error;
    int status = input_device(list, argument_operand(list, 1), &device);
    if (!status && roofline_device_info(device, &spec, &error) != ROOFLINE_OK)
        status = fail_error(list->command, NULL, &error);
    else if (!status && argument_given(list, "json"))
        print_json(device);
    else if (!status)
        print_text(device, &spec);
    roofline_device_free(device);
    return status;
}
