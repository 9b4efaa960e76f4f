/* SPDX-License-Identifier: Apache-2.0 */
/* roofline memory */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "json_out.h"
#include "notes.h"
#include "print.h"
#include "step.h"

static void write_json(const plan_input *planned, const roofline_memory_query *query,
                       const roofline_memory_result *result) {
    roofline_model_info_result model = {.struct_size = sizeof model};
    json_out out = {0};
    char *device = device_json(planned->device);
    roofline_model_info(planned->model, &model, NULL);
    json_object(&out, NULL);
    json_struct(&out, "model", "roofline_model_info_result", &model);
    json_object(&out, "device");
    json_members(&out, device);
    json_object_end(&out);
    json_struct(&out, "plan", "roofline_plan_info_result", &planned->info);
    json_fields(&out, "roofline_memory_query", query);
    json_fields(&out, "roofline_memory_result", result);
    notes_json(&out, planned->device, planned->model, planned->plan);
    json_object_end(&out);
    free(device);
}

static void print_answer(const roofline_memory_query *query, const roofline_memory_result *result) {
    int64_t sequences = query->sequences ? query->sequences : 1;
    const char *plural = sequences == 1 ? "" : "s";
    if (result->fits)
        print_fact("fits", "yes: %s sequence%s of %s tokens", print_count(sequences).text, plural,
                   print_count(query->context_tokens).text);
    else if (result->reason == ROOFLINE_REASON_CONTEXT)
        print_alarm("fits", "no: the model has no positions for a context of %s tokens",
                    print_count(query->context_tokens).text);
    else if (result->reason == ROOFLINE_REASON_WEIGHTS)
        print_alarm("fits", "no: weights, activations and reserve alone exceed the budget");
    else
        print_alarm("fits", "no: %s sequence%s of %s tokens need more KV cache than is left",
                    print_count(sequences).text, plural, print_count(query->context_tokens).text);
}

static void print_text(const plan_input *planned, const roofline_memory_query *query,
                       const roofline_memory_result *result) {
    const char *kind = roofline_constant_text("roofline_capacity", result->capacity_kind);
    print_title("%s on %s", planned->info.model, planned->info.device);
    print_answer(query, result);
    print_fact("capacity", "%s (%s)", print_bytes((double)result->capacity_bytes).text, kind ? kind : "?");
    print_fact("budget", "%s that the engine may use", print_bytes((double)result->budget_bytes).text);
    print_fact("weights", "%s", print_bytes((double)result->weight_bytes).text);
    print_fact("activations", "%s%s", print_bytes((double)result->activation_bytes).text,
               planned->deployment.activation_bytes == ROOFLINE_ESTIMATE ? ", an estimate" : "");
    print_fact("reserve", "%s", print_bytes((double)result->reserve_bytes).text);
    print_fact("left for KV", "%s: %s tokens in %s blocks of %s", print_bytes((double)result->pool_bytes).text,
               print_count(result->pool_tokens).text, print_count(result->blocks).text,
               print_count(result->block_tokens).text);
    print_fact("one sequence", "%s at %s bytes a token", print_bytes((double)result->kv_bytes_per_sequence).text,
               print_count(result->kv_bytes_per_token).text);
    print_fact("room for", "%s sequence%s of %s tokens", print_count(result->max_sequences).text,
               result->max_sequences == 1 ? "" : "s", print_count(query->context_tokens).text);
    if (query->sequences)
        print_fact("needed", "%s for %s", print_bytes((double)result->required_bytes).text,
                   print_count(query->sequences).text);
    if (result->short_bytes)
        print_fact("short by", "%s", print_bytes((double)result->short_bytes).text);
    notes_print(planned->device, planned->model, planned->plan);
}

int command_memory(const argument_list *list) {
    plan_input planned;
    roofline_memory_query query = {.struct_size = sizeof query};
    roofline_memory_result result = {.struct_size = sizeof result};
    roofline_error error;
    int status = input_plan(list, &planned);
    if (!status)
        status = arguments_fill(list, "roofline_memory_query", ANYWHERE, &query);
    if (!status && argument_given(list, "batch") && query.sequences == 0)
        status = fail(list->command, "--batch is 0; give 1 or more, or leave it out to ask how many fit");
    if (!status && roofline_memory(planned.plan, &query, &result, &error) != ROOFLINE_OK)
        status = fail_error(list->command, NULL, &error);
    if (!status && argument_given(list, "json"))
        write_json(&planned, &query, &result);
    else if (!status)
        print_text(&planned, &query, &result);
    plan_input_free(&planned);
    return status ? status : result.fits ? EXIT_DONE : EXIT_NO;
}
