/* SPDX-License-Identifier: Apache-2.0 */
#include "notes.h"

#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "print.h"

typedef struct noted {
    const roofline_device *device;
    const roofline_model *model;
    const roofline_plan *plan;
} noted;

static const char *const abouts[] = {"device", "model", "plan"};
enum {
    ABOUT_DEVICE,
    ABOUT_MODEL,
    ABOUT_PLAN,
    ABOUTS
};

static int64_t note_count(const noted *of, int about) {
    switch (about) {
    case ABOUT_DEVICE:
        return of->device ? roofline_device_note_count(of->device) : 0;
    case ABOUT_MODEL:
        return of->model ? roofline_model_note_count(of->model) : 0;
    default:
        return of->plan ? roofline_plan_note_count(of->plan) : 0;
    }
}

static roofline_status note_read(const noted *of, int about, int64_t index, roofline_note *out, char *buffer,
                                 size_t capacity, size_t *needed) {
    switch (about) {
    case ABOUT_DEVICE:
        return roofline_device_note(of->device, index, out, buffer, capacity, needed, NULL);
    case ABOUT_MODEL:
        return roofline_model_note(of->model, index, out, buffer, capacity, needed, NULL);
    default:
        return roofline_plan_note(of->plan, index, out, buffer, capacity, needed, NULL);
    }
}

/* The sentence of a note, to be freed. */
static char *note_text(const noted *of, int about, int64_t index, roofline_note *out) {
    size_t needed = 0;
    *out = (roofline_note){.struct_size = sizeof *out};
    note_read(of, about, index, out, NULL, 0, &needed);
    char *text = reallocate(NULL, needed + 1, 1);
    text[0] = 0;
    note_read(of, about, index, out, text, needed, &needed);
    return text;
}

void notes_print(const roofline_device *device, const roofline_model *model, const roofline_plan *plan) {
    noted of = {device, model, plan};
    for (int about = 0, any = 0; about < ABOUTS; about++)
        for (int64_t i = 0; i < note_count(&of, about); i++) {
            roofline_note note;
            char *text = note_text(&of, about, i, &note);
            if (!any++) {
                puts("");
                print_title("assumptions");
            }
            print_fact(abouts[about], "%s", text);
            free(text);
        }
}

void notes_json(json_out *out, const roofline_device *device, const roofline_model *model, const roofline_plan *plan) {
    noted of = {device, model, plan};
    json_array(out, "notes");
    for (int about = 0; about < ABOUTS; about++)
        for (int64_t i = 0; i < note_count(&of, about); i++) {
            roofline_note note;
            char *text = note_text(&of, about, i, &note);
            json_object(out, NULL);
            json_text(out, "about", abouts[about]);
            json_fields(out, "roofline_note", &note);
            json_text(out, "text", text);
            json_object_end(out);
            free(text);
        }
    json_array_end(out);
}
