/* SPDX-License-Identifier: Apache-2.0 */
/* A priced step for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "print.h"
#include "step.h"

/* A word of an enumeration that may be newer than this command. */
static const char *word(const char *meaning, int32_t value) {
    const char *text = roofline_constant_text(meaning, value);
    return text ? text : "?";
}

/* With routed experts more tokens read more of the weights. */
static const char *smallest_step(const roofline_model *model) {
    roofline_model_info_result info = {.struct_size = sizeof info};
    bool known = roofline_model_info(model, &info, NULL) == ROOFLINE_OK;
    return known && info.parameters_active < info.parameters_total ? "a step of one token" : "a step";
}

void plan_print(const plan_input *planned) {
    const roofline_plan_info_result *info = &planned->info;
    const char *source = info->source == ROOFLINE_SOURCE_SPEC ? "datasheet" : "measured";
    const char *linear = word("roofline_arithmetic", info->linear_arithmetic);
    const char *attention = word("roofline_arithmetic", info->attention_arithmetic);
    print_fact("formats", "weights %s, activations %s, KV cache %s, residual %s, head %s",
               word("roofline_format", info->weights), word("roofline_format", info->activations),
               word("roofline_format", info->kv), word("roofline_format", info->residual),
               word("roofline_format", info->head_weights));
    if (info->linear_arithmetic == info->attention_arithmetic)
        print_fact("peak", "%s in %s (%s)", print_scaled(info->peak_linear_flops, "FLOP/s").text, linear, source);
    else
        print_fact("peaks", "%s in %s for products, %s in %s for attention (%s)",
                   print_scaled(info->peak_linear_flops, "FLOP/s").text, linear,
                   print_scaled(info->peak_attention_flops, "FLOP/s").text, attention, source);
    print_fact("bandwidth", "%s (%s)", print_scaled(info->memory_bytes_per_s, "B/s").text, source);
    print_fact("traffic", "%s: %s", word("roofline_traffic", info->traffic),
               info->traffic == ROOFLINE_TRAFFIC_STREAMED
                   ? "weights and KV cache read, nothing else"
                   : "weights, KV cache and activations, each kernel with cold caches");
    const char *step = smallest_step(planned->model);
    print_fact("parameters", "%s, of which %s reads %s as whole matrices", print_count(info->parameters_total).text,
               step, print_count(info->parameters_streamed).text);
    print_fact("weights", "%s, of which %s reads %s", print_bytes((double)info->weight_bytes_resident).text, step,
               print_bytes((double)info->weight_bytes_streamed).text);
    print_fact("KV cache", "%s bytes a token", print_count(info->kv_bytes_per_token).text);
}

static void print_head(const priced_step *step) {
    const step_work *work = &step->work;
    const roofline_sequences *group = &work->groups[0];
    print_title("%s on %s", step->planned.info.model, step->planned.info.device);
    if (work->count > 1)
        print_fact("step", "%s sequences in %s groups, %s new tokens, contexts up to %s",
                   print_count(step->result.sequences).text, print_count((int64_t)work->count).text,
                   print_count(step->result.new_tokens).text, print_count(step->context_tokens).text);
    else if (group->new_tokens == 1)
        print_fact("step", "decode: batch %s, context %s", print_count(group->count).text,
                   print_count(group->context_tokens).text);
    else if (group->new_tokens == group->context_tokens)
        print_fact("step", "prefill: %s prompt%s of %s tokens", print_count(group->count).text,
                   group->count == 1 ? "" : "s", print_count(group->new_tokens).text);
    else
        print_fact("step", "%s sequences of %s new tokens, context %s", print_count(group->count).text,
                   print_count(group->new_tokens).text, print_count(group->context_tokens).text);
    plan_print(&step->planned);
}

static const char *prediction(const roofline_step_result *result) {
    if (result->calibrated)
        return "calibrated";
    return result->predicted_s > result->kernel_s ? "uncalibrated: the bound and the host's time"
                                                  : "uncalibrated: equal to the bound";
}

/* The mean over sequences that bring different numbers of new tokens is nobody's rate. */
static void print_rate(const priced_step *step) {
    const roofline_step_result *result = &step->result;
    const roofline_sequences *groups = step->work.groups;
    bool prompts = true, alike = true, decodes = false;
    char rate[96] = "";
    for (size_t i = 0; i < step->work.count; i++) {
        prompts = prompts && groups[i].new_tokens > 1 && groups[i].new_tokens == groups[i].context_tokens;
        alike = alike && groups[i].new_tokens == groups[0].new_tokens;
        decodes = decodes || groups[i].new_tokens == 1;
    }
    if (alike)
        snprintf(rate, sizeof rate, ", %s per sequence", print_number(result->tokens_per_s_per_sequence).text);
    else if (decodes)
        snprintf(rate, sizeof rate, ", %s per decoding sequence", print_number(1 / result->kernel_s).text);
    print_fact("tokens/s", "%s%s in all%s", print_number(result->tokens_per_s).text, prompts ? " prompt tokens" : "",
               rate);
    if (result->logit_rows != result->new_tokens)
        print_fact("", "%s of them sampled, the rest prompt", print_number(result->output_tokens_per_s).text);
}

static void print_time(const priced_step *step) {
    const roofline_step_result *result = &step->result;
    puts("");
    print_title("time of the step");
    print_fact("aggregate", "%-12s every kernel overlaps every other", print_seconds(result->aggregate_s).text);
    print_fact("phase", "%-12s linear work %s, then attention %s", print_seconds(result->phase_s).text,
               print_seconds(result->linear_s).text, print_seconds(result->attention_s).text);
    print_fact("kernel", "%-12s one kernel after the other: the bound", print_seconds(result->kernel_s).text);
    print_fact("predicted", "%-12s %s", print_seconds(result->predicted_s).text, prediction(result));
    print_fact("limited by", "%s: %s of the time in memory-bound kernels, %s in compute-bound ones",
               word("roofline_regime", result->regime), print_share(result->memory_bound_share).text,
               print_share(result->compute_bound_share).text);
    print_fact("at the bound", "MFU %s, MBU %s", print_share(result->mfu).text, print_share(result->mbu).text);
    print_rate(step);
    if (result->cache_resident)
        print_fact("", "weights and KV cache fit into the last-level cache: a warm run can be faster");
}

static void print_traffic(const roofline_step_result *result) {
    puts("");
    print_title("work of the step");
    print_fact("operations", "%s", print_scaled(result->flops, "FLOP").text);
    print_fact("bytes", "%s: weights %s, KV cache read %s and written %s, activations %s",
               print_bytes(result->bytes).text, print_bytes(result->weight_bytes).text,
               print_bytes(result->kv_read_bytes).text, print_bytes(result->kv_write_bytes).text,
               print_bytes(result->activation_bytes).text);
    print_fact("intensity", "%s FLOP/byte; the ridge of this mix is %s",
               print_number(result->intensity_flop_per_byte).text, print_number(result->ridge_flop_per_byte).text);
}

static void print_room(const priced_step *step) {
    const roofline_memory_result *memory = &step->memory;
    const char *pool = "left for KV";
    if (step->work.count > 1 || memory->reason == ROOFLINE_REASON_CONTEXT)
        print_fact(pool, "%s", print_bytes((double)memory->pool_bytes).text);
    else if (memory->max_sequences > 0)
        print_fact(pool, "%s, room for %s such sequence%s of %s tokens", print_bytes((double)memory->pool_bytes).text,
                   print_count(memory->max_sequences).text, memory->max_sequences == 1 ? "" : "s",
                   print_count(step->context_tokens).text);
    else
        print_fact(pool, "%s, less than one such sequence of %s tokens takes",
                   print_bytes((double)memory->pool_bytes).text, print_count(step->context_tokens).text);
}

static void print_memory(const priced_step *step) {
    const roofline_memory_result *memory = &step->memory;
    puts("");
    print_title("memory");
    print_fact("capacity", "%s (%s), of which the engine may use %s", print_bytes((double)memory->capacity_bytes).text,
               word("roofline_capacity", memory->capacity_kind), print_bytes((double)memory->budget_bytes).text);
    print_fact("needed", "%s: weights %s, activations %s, reserve %s, KV cache %s",
               print_bytes((double)memory->required_bytes).text, print_bytes((double)memory->weight_bytes).text,
               print_bytes((double)memory->activation_bytes).text, print_bytes((double)memory->reserve_bytes).text,
               print_bytes((double)step->result.kv_bytes).text);
    print_room(step);
    if (memory->fits)
        print_fact("fits", "yes");
    else if (memory->reason == ROOFLINE_REASON_CONTEXT)
        print_alarm("fits", "no, the model has no positions for so long a context");
    else
        print_alarm("fits", "no, by %s", print_bytes((double)memory->short_bytes).text);
}

/* A fixed number of decimals, so that the points of a column stand below each other. */
static short_text fixed(double value) {
    short_text out;
    snprintf(out.text, sizeof out.text, "%.3f", value);
    return out;
}

enum {
    NAME_COLUMNS = 30,
    KERNEL_COLUMNS = 8
};

/* What tells a kernel from others of its kind stands below a long name, so that the table keeps its width. */
static void add_detail(table *rows, const char *detail) {
    char text[96];
    snprintf(text, sizeof text, " %s", detail);
    table_cell(rows, text);
    for (int column = 1; column < KERNEL_COLUMNS; column++)
        table_cell(rows, "");
}

static void add_kernel(table *rows, const priced_step *step, const roofline_kernel *kernel, double units_per_s) {
    char *name = kernel_name(step->planned.plan, kernel->name_id);
    char *comma = strlen(name) > NAME_COLUMNS ? strchr(name, ',') : NULL;
    if (comma)
        *comma = '\0';
    table_cell(rows, name);
    table_cell(rows, print_count(kernel->count).text);
    table_cell(rows, print_number(kernel->flops / 1e9).text);
    table_cell(rows, print_number(kernel->bytes / 1e6).text);
    table_cell(rows, print_number(kernel->intensity_flop_per_byte).text);
    table_cell(rows, fixed(kernel->bound_s * units_per_s).text);
    table_cell(rows, print_share(kernel->bound_s / step->result.kernel_s).text);
    table_cell(rows, kernel->bound_s > 0 ? word("roofline_regime", kernel->regime) : "-");
    if (comma)
        add_detail(rows, comma + 1);
    free(name);
}

static void print_kernels(const priced_step *step) {
    bool in_ms = step->result.kernel_s >= 1e-3;
    const char *const headings[KERNEL_COLUMNS] = {
        "kernel", "calls", "GFLOP", "MB", "FLOP/byte", in_ms ? "bound ms" : "bound us", "share", "regime"};
    table rows;
    table_begin(&rows, "lrrrrrrl", headings);
    for (size_t i = 0; i < step->kernel_count; i++)
        add_kernel(&rows, step, &step->kernels[i], in_ms ? 1e3 : 1e6);
    puts("");
    table_print(&rows);
    table_free(&rows);
}

void step_print(const priced_step *step, bool with_kernels) {
    print_head(step);
    print_time(step);
    print_traffic(&step->result);
    print_memory(step);
    if (with_kernels)
        print_kernels(step);
    notes_print(step->planned.device, step->planned.model, step->planned.plan);
}
