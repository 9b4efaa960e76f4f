/* SPDX-License-Identifier: Apache-2.0 */
/* roofline model NAME|FILE|DIR|- */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fields.h"
#include "inputs.h"
#include "json_out.h"
#include "notes.h"
#include "print.h"

static bool is_in_spec(const char *field) {
    roofline_layout_row row;
    for (int64_t index = 0; field_next("roofline_model_spec", &index, &row);)
        if (!strcmp(row.field, field))
            return true;
    return false;
}

/* The canonical form holds the spec; the counts that follow from it come behind, each key once. */
static void print_json(const roofline_model *model, const roofline_model_info_result *info) {
    json_out out = {0};
    roofline_layout_row row;
    char *text = model_json(model);
    json_object(&out, NULL);
    json_members(&out, text);
    for (int64_t index = 0; field_next("roofline_model_info_result", &index, &row);)
        if (!is_in_spec(row.field))
            json_field(&out, &row, info);
    notes_json(&out, NULL, model, NULL);
    json_object_end(&out);
    free(text);
}

static bool has_experts(const roofline_model_info_result *info) {
    return info->parameters_active < info->parameters_total;
}

static void add_experts(table *rows, const roofline_layer_group *group) {
    char text[256] = "-";
    if (group->experts)
        snprintf(text, sizeof text, "%s of %s, %s wide", print_count(group->experts_per_token).text,
                 print_count(group->experts).text, print_count(group->expert_intermediate).text);
    table_cell(rows, text);
}

static const char *kind_of_mlp(const roofline_layer_group *group) {
    if (!group->intermediate && !group->experts)
        return "none";
    return group->gated_mlp ? "gated" : "plain";
}

static void add_group(table *rows, const roofline_layer_group *group, bool with_experts) {
    table_cell(rows, "");
    table_cell(rows, print_count(group->layers).text);
    table_cell(rows, print_count(group->query_heads).text);
    table_cell(rows, print_count(group->kv_heads).text);
    table_cell(rows, print_count(group->head_dim).text);
    table_cell(rows, group->window_tokens ? print_count(group->window_tokens).text : "all");
    table_cell(rows, group->intermediate ? print_count(group->intermediate).text : "-");
    table_cell(rows, kind_of_mlp(group));
    if (with_experts)
        add_experts(rows, group);
}

static void print_groups(const roofline_model *model, const roofline_model_info_result *info) {
    static const char *const headings[] = {"",       "layers",    "query heads", "KV heads",       "head dim",
                                           "window", "MLP width", "MLP",         "experts a token"};
    table rows;
    table_begin(&rows, has_experts(info) ? "lrrrrrrll" : "lrrrrrrl", headings);
    for (int64_t i = 0; i < info->layer_groups; i++) {
        roofline_layer_group group = {.struct_size = sizeof group};
        if (roofline_model_get_group(model, i, &group, NULL) == ROOFLINE_OK)
            add_group(&rows, &group, has_experts(info));
    }
    puts("");
    table_print(&rows);
    table_free(&rows);
}

static void print_text(const roofline_model *model, const roofline_model_info_result *info) {
    const char *format = roofline_constant_text("roofline_format", info->format);
    print_title("%s, %s", info->name, info->architecture);
    print_fact("shape", "%s layers, hidden %s, vocabulary %s, %s embeddings", print_count(info->layers).text,
               print_count(info->hidden).text, print_count(info->vocab).text,
               info->tied_embeddings ? "tied" : "untied");
    const char *step = has_experts(info) ? "a step of one token" : "a step";
    print_fact("parameters", "%s, of which %s reads %s as whole matrices", print_count(info->parameters_total).text,
               step, print_count(info->parameters_streamed).text);
    if (has_experts(info))
        print_fact("", "%s active for one token, input embedding included", print_count(info->parameters_active).text);
    print_fact("weights", "%s in %s, of which %s reads %s", print_bytes((double)info->weight_bytes_resident).text,
               format ? format : "?", step, print_bytes((double)info->weight_bytes_streamed).text);
    print_fact("KV cache", "%s bytes a token in %s", print_count(info->kv_bytes_per_token).text, format ? format : "?");
    if (info->kv_bytes_per_token_full != info->kv_bytes_per_token)
        print_fact("", "%s bytes a token beyond the windows", print_count(info->kv_bytes_per_token_full).text);
    if (info->state_bytes_per_sequence)
        print_fact("state", "%s a sequence", print_bytes((double)info->state_bytes_per_sequence).text);
    if (info->max_context_tokens)
        print_fact("context", "%s tokens, as the publisher states it", print_count(info->max_context_tokens).text);
    print_groups(model, info);
    notes_print(NULL, model, NULL);
}

int command_model(const argument_list *list) {
    roofline_model *model = NULL;
    roofline_model_info_result info = {.struct_size = sizeof info};
    roofline_error error;
    int status = input_model(list, argument_operand(list, 1), &model);
    if (!status && roofline_model_info(model, &info, &error) != ROOFLINE_OK)
        status = fail_error(list->command, NULL, &error);
    else if (!status && argument_given(list, "json"))
        print_json(model, &info);
    else if (!status)
        print_text(model, &info);
    roofline_model_free(model);
    return status;
}
