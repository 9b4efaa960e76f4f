/* SPDX-License-Identifier: Apache-2.0 */
/* roofline step: prices one engine step and hands it to step_text.c or writes it as JSON or CSV. */
#include "step.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "csv_out.h"
#include "fields.h"
#include "json_out.h"
#include "notes.h"
#include "print.h"

/*
 * roofline_memory is about decodes; a prefill behind a window holds more cache. What the sequences need comes from the
 * step itself, and what one of them holds from its one group. A mixed step has no such sequence (write_memory).
 */
static int read_memory(const argument_list *list, priced_step *step) {
    roofline_memory_query query = {.struct_size = sizeof query};
    roofline_error error;
    for (size_t i = 0; i < step->work.count; i++)
        if (step->work.groups[i].context_tokens > query.context_tokens)
            query.context_tokens = step->work.groups[i].context_tokens;
    step->context_tokens = query.context_tokens;
    if (roofline_memory(step->planned.plan, &query, &step->memory, &error) != ROOFLINE_OK)
        return fail_error(list->command, NULL, &error);
    step->memory.kv_bytes_per_sequence = step->result.kv_bytes / step->result.sequences;
    if (step->memory.max_sequences > 0) /* 0 stays: a decode has no room, or the context has no positions */
        step->memory.max_sequences = step->memory.pool_bytes / step->memory.kv_bytes_per_sequence;
    step->memory.fits = step->result.fits;
    step->memory.required_bytes = step->result.required_bytes;
    step->memory.short_bytes = step->result.short_bytes;
    step->memory.reason = step->result.fit_reason;
    return EXIT_DONE;
}

static int price(const argument_list *list, priced_step *step) {
    const step_work *work = &step->work;
    roofline_error error;
    if (roofline_step_groups(step->planned.plan, work->groups, work->count, sizeof *work->groups, &step->result,
                             &error) != ROOFLINE_OK)
        return work_fail(list, work, &error);
    step->kernels = reallocate(NULL, (size_t)step->planned.info.kernels + 1, sizeof *step->kernels);
    for (int64_t i = 0; i < step->planned.info.kernels; i++)
        step->kernels[i] = (roofline_kernel){.struct_size = sizeof *step->kernels};
    if (roofline_step_kernels(step->planned.plan, work->groups, work->count, sizeof *work->groups, step->kernels,
                              (size_t)step->planned.info.kernels, sizeof *step->kernels, &step->kernel_count,
                              &error) != ROOFLINE_OK)
        return work_fail(list, work, &error);
    return read_memory(list, step);
}

/* The sequences of a mixed step differ, so what each holds, and how many such there is room for, is null. */
static void write_memory(json_out *out, const priced_step *step) {
    roofline_layout_row row;
    json_object(out, "memory");
    json_integer(out, "context_tokens", step->context_tokens);
    for (int64_t index = 0; field_next("roofline_memory_result", &index, &row);) {
        bool of_one = !strcmp(row.field, "kv_bytes_per_sequence") || !strcmp(row.field, "max_sequences");
        if (of_one && step->work.count > 1)
            json_text(out, row.field, NULL);
        else
            json_field(out, &row, &step->memory);
    }
    json_object_end(out);
}

static void write_kernels(json_out *out, const priced_step *step) {
    json_array(out, "kernels");
    for (size_t i = 0; i < step->kernel_count; i++) {
        char *name = kernel_name(step->planned.plan, step->kernels[i].name_id);
        json_object(out, NULL);
        json_text(out, "name", name);
        json_fields(out, "roofline_kernel", &step->kernels[i]);
        json_object_end(out);
        free(name);
    }
    json_array_end(out);
}

static void write_json(const priced_step *step) {
    const plan_input *planned = &step->planned;
    roofline_model_info_result model = {.struct_size = sizeof model};
    json_out out = {0};
    char *device = device_json(planned->device);
    roofline_model_info(planned->model, &model, NULL);
    json_object(&out, NULL);
    json_object(&out, "model");
    json_fields(&out, "roofline_model_info_result", &model);
    json_object_end(&out);
    json_object(&out, "device");
    json_members(&out, device);
    json_object_end(&out);
    json_struct(&out, "plan", "roofline_plan_info_result", &planned->info);
    json_array(&out, "work");
    for (size_t i = 0; i < step->work.count; i++)
        json_struct(&out, NULL, "roofline_sequences", &step->work.groups[i]);
    json_array_end(&out);
    json_fields(&out, "roofline_step_result", &step->result);
    write_memory(&out, step);
    write_kernels(&out, step);
    notes_json(&out, planned->device, planned->model, planned->plan);
    json_object_end(&out);
    free(device);
}

static void write_csv(const priced_step *step) {
    csv_out out = {0};
    csv_text(&out, "name");
    csv_names(&out, "roofline_kernel");
    csv_line_end(&out);
    for (size_t i = 0; i < step->kernel_count; i++) {
        char *name = kernel_name(step->planned.plan, step->kernels[i].name_id);
        csv_text(&out, name);
        csv_fields(&out, "roofline_kernel", &step->kernels[i]);
        csv_line_end(&out);
        free(name);
    }
}

static void warn_unless_fits(const argument_list *list, const priced_step *step) {
    if (step->result.fits)
        return;
    if (step->result.fit_reason == ROOFLINE_REASON_CONTEXT)
        warn(list->command, "the model has no positions for a context of %s tokens; the time is hypothetical",
             print_count(step->context_tokens).text);
    else
        warn(list->command,
             "the step does not fit: it needs %s of a budget of %s, %s too many; the time is hypothetical",
             print_bytes((double)step->result.required_bytes).text,
             print_bytes((double)step->planned.info.budget_bytes).text,
             print_bytes((double)step->result.short_bytes).text);
}

int command_step(const argument_list *list) {
    priced_step step = {.result.struct_size = sizeof step.result, .memory.struct_size = sizeof step.memory};
    int status = input_plan(list, &step.planned);
    if (!status)
        status = work_read(list, &step.work);
    if (!status)
        status = price(list, &step);
    if (!status && argument_given(list, "json"))
        write_json(&step);
    else if (!status && argument_given(list, "csv"))
        write_csv(&step);
    else if (!status)
        step_print(&step, argument_given(list, "kernels"));
    if (!status)
        warn_unless_fits(list, &step);
    free(step.kernels);
    work_free(&step.work);
    plan_input_free(&step.planned);
    return status;
}
