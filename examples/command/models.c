/* SPDX-License-Identifier: Apache-2.0 */
/* roofline models */
#include <stdbool.h>

#include "commands.h"
#include "csv_out.h"
#include "json_out.h"
#include "print.h"

static void add_row(table *rows, const char *id, const roofline_model_info_result *info) {
    const char *format = roofline_constant_text("roofline_format", info->format);
    table_cell(rows, id);
    table_cell(rows, info->architecture);
    table_cell(rows, print_scaled((double)info->parameters_total, "").text);
    table_cell(rows, format ? format : "-");
    table_cell(rows, print_bytes((double)info->weight_bytes_resident).text);
    table_cell(rows, print_count(info->kv_bytes_per_token).text);
    table_cell(rows, print_count(info->layers).text);
    table_cell(rows, info->max_context_tokens ? print_count(info->max_context_tokens).text : "-");
}

static void csv_row(csv_out *out, const char *id, const roofline_model_info_result *info) {
    csv_text(out, id);
    csv_fields(out, "roofline_model_info_result", info);
    csv_line_end(out);
}

static void csv_heading(csv_out *out) {
    csv_text(out, "id");
    csv_names(out, "roofline_model_info_result");
    csv_line_end(out);
}

static void json_element(json_out *out, const char *id, const roofline_model_info_result *info) {
    json_object(out, NULL);
    json_text(out, "id", id);
    json_fields(out, "roofline_model_info_result", info);
    json_object_end(out);
}

int command_models(const argument_list *list) {
    static const char *const headings[] = {"id",      "architecture", "parameters", "format",
                                           "weights", "KV B/token",   "layers",     "context"};
    bool json = argument_given(list, "json"), csv = argument_given(list, "csv");
    json_out objects = {0};
    csv_out lines = {0};
    table rows;
    table_begin(&rows, "llrlrrrr", headings);
    if (json)
        json_array(&objects, NULL);
    if (csv)
        csv_heading(&lines);
    int status = EXIT_DONE;
    for (int64_t i = 0; i < roofline_model_count() && !status; i++) {
        const char *id = roofline_model_id(i);
        roofline_model *model = NULL;
        roofline_model_info_result info = {.struct_size = sizeof info};
        roofline_error error;
        if (roofline_model_open(id, &model, &error) != ROOFLINE_OK ||
            roofline_model_info(model, &info, &error) != ROOFLINE_OK)
            status = fail_error(list->command, id, &error);
        else if (json)
            json_element(&objects, id, &info);
        else if (csv)
            csv_row(&lines, id, &info);
        else
            add_row(&rows, id, &info);
        roofline_model_free(model);
    }
    if (json)
        json_array_end(&objects);
    else if (!csv && !status)
        table_print(&rows);
    table_free(&rows);
    return status;
}
