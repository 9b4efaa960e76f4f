/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void demand(int holds, const char *condition, const char *file, int line) {
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

void demand_error(roofline_status status, const roofline_error *error) {
    DEMAND(error->status == status);
    DEMAND(memchr(error->path, '\0', sizeof error->path) && memchr(error->message, '\0', sizeof error->message));
    DEMAND((status == ROOFLINE_OK) == (error->message[0] == '\0'));
    DEMAND(status == ROOFLINE_OK || strcmp(roofline_status_name(status), "unknown") != 0);
    DEMAND(status != ROOFLINE_NO_MEMORY);
    DEMAND(error->line >= 0 && error->offset >= 0);
    for (const char *byte = error->message; *byte; byte++)
        DEMAND((unsigned char)*byte >= 0x20 && *byte != 0x7f);
    for (const char *byte = error->path; *byte; byte++)
        DEMAND((unsigned char)*byte >= 0x20 && *byte != 0x7f);
}

char *demand_text(text_of give, const void *handle) {
    roofline_error error;
    size_t needed = 0;
    DEMAND(give(handle, NULL, 0, &needed, &error) == ROOFLINE_OK && needed > 0);
    char *text = malloc(needed);
    DEMAND(text);
    DEMAND(give(handle, text, needed - 1, &needed, &error) == ROOFLINE_BUFFER_SIZE || needed == 1);
    DEMAND(give(handle, text, needed, &needed, &error) == ROOFLINE_OK);
    DEMAND(strlen(text) + 1 == needed);
    return text;
}

/* The sums of a step are made in different orders, so they may differ by rounding. */
static int at_most(double low, double high) {
    return low <= high * (1 + 1e-12);
}

static void demand_step(const roofline_plan *plan, const roofline_sequences *rows, size_t count) {
    roofline_step_result step = {.struct_size = sizeof step};
    roofline_error error;
    roofline_status status = roofline_step_groups(plan, rows, count, sizeof *rows, &step, &error);
    demand_error(status, &error);
    if (status != ROOFLINE_OK)
        return;
    DEMAND(step.aggregate_s > 0 && isfinite(step.predicted_s) && isfinite(step.flops) && isfinite(step.bytes));
    DEMAND(at_most(step.aggregate_s, step.phase_s) && at_most(step.phase_s, step.kernel_s));
    DEMAND(at_most(step.kernel_s, step.predicted_s));
    DEMAND(fabs(step.memory_bound_share + step.compute_bound_share - 1) <= 1e-9);
    DEMAND(step.required_bytes > 0 && step.short_bytes >= 0);
    DEMAND(step.fits == (step.short_bytes == 0 && step.fit_reason == ROOFLINE_REASON_NONE));
    roofline_kernel kernels[256];
    size_t width = sizeof *kernels, kernel_count = 0;
    status = roofline_step_kernels(plan, rows, count, sizeof *rows, kernels, 256, width, &kernel_count, &error);
    demand_error(status, &error);
    if (status != ROOFLINE_OK)
        return;
    double sum = 0;
    for (size_t i = 0; i < kernel_count; i++)
        sum += kernels[i].bound_s;
    DEMAND(at_most(sum, step.kernel_s) && at_most(step.kernel_s, sum));
}

static void demand_memory(const roofline_plan *plan) {
    roofline_memory_query query = {.struct_size = sizeof query, .context_tokens = 8192, .sequences = 8};
    roofline_memory_result memory = {.struct_size = sizeof memory};
    roofline_error error;
    roofline_status status = roofline_memory(plan, &query, &memory, &error);
    demand_error(status, &error);
    DEMAND(status != ROOFLINE_OK || (memory.max_sequences >= 0 && memory.pool_bytes >= 0 && memory.required_bytes > 0));
}

void demand_steps(const roofline_device *device, const roofline_model *model) {
    static const roofline_sequences rows[] = {
        {.count = 8, .new_tokens = 1, .context_tokens = 8192},
        {.count = 1, .new_tokens = 2048, .context_tokens = 10240, .logit_rows = ROOFLINE_NO_LOGITS},
        {.count = 1, .new_tokens = 1, .context_tokens = 1},
    };
    roofline_plan *plan = NULL;
    roofline_error error;
    roofline_status status = roofline_plan_new(device, model, NULL, &plan, &error);
    demand_error(status, &error);
    DEMAND((status == ROOFLINE_OK) == (plan != NULL));
    if (status != ROOFLINE_OK)
        return;
    demand_step(plan, rows, 1);
    demand_step(plan, rows + 1, 1);
    demand_step(plan, rows, 3);
    demand_memory(plan);
    for (int64_t i = 0; i < roofline_plan_note_count(plan); i++) {
        roofline_note note = {.struct_size = sizeof note};
        size_t needed = 0;
        DEMAND(roofline_plan_note(plan, i, &note, NULL, 0, &needed, &error) == ROOFLINE_OK && needed > 1);
    }
    roofline_plan_free(plan);
}
