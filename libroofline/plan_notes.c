/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan's figures rest on, in sentences. */
#include "error.h"
#include "format.h"
#include "plan.h"
#include "structs.h"

static roofline_status note_traffic(roofline_plan *plan) {
    if (plan->info.traffic == ROOFLINE_TRAFFIC_STREAMED)
        return note_add(&plan->notes, ROOFLINE_NOTE_TRAFFIC, ROOFLINE_SEVERITY_LEFT_OUT, "traffic",
                        "Traffic 'streamed' counts weights and KV cache read, nothing else: a floor of the step.");
    return note_add(&plan->notes, ROOFLINE_NOTE_TRAFFIC, ROOFLINE_SEVERITY_ASSUMPTION, "traffic",
                    "Traffic 'compulsory' counts each kernel alone with cold caches; activations that stay in cache "
                    "between kernels can make a step faster than the bound. Norms, rotary and biases are taken as "
                    "fused.");
}

static roofline_status note_weight_only(roofline_plan *plan) {
    const roofline_plan_info_result *info = &plan->info;
    const char *weights = format_text(info->weights);
    const char *arithmetic = arithmetic_text(info->linear_arithmetic);
    if (format_get(info->weights)->arithmetic == ROOFLINE_ARITHMETIC_DEFAULT)
        return note_add(&plan->notes, ROOFLINE_NOTE_WEIGHT_ONLY, ROOFLINE_SEVERITY_ASSUMPTION, "weights",
                        "Weights are stored in %s and multiplied in %s (weight-only quantisation).", weights,
                        arithmetic);
    return note_add(&plan->notes, ROOFLINE_NOTE_WEIGHT_ONLY, ROOFLINE_SEVERITY_ASSUMPTION, "weights",
                    "Weights are stored in %s and multiplied in %s (weight-only quantisation); if the engine quantises "
                    "activations too, set activations to %s.",
                    weights, arithmetic, weights);
}

static roofline_status note_formats(roofline_plan *plan) {
    const roofline_plan_info_result *info = &plan->info;
    roofline_status status = ROOFLINE_OK;
    if (format_get(info->weights)->bits < format_get(info->activations)->bits)
        status = note_weight_only(plan);
    if (status == ROOFLINE_OK && info->head_weights != info->weights)
        status = note_add(&plan->notes, ROOFLINE_NOTE_HEAD_FORMAT, ROOFLINE_SEVERITY_ASSUMPTION, "head_weights",
                          "Embedding, logits, norms and biases are kept in %s.", format_text(info->head_weights));
    return status;
}

static roofline_status note_experts(roofline_plan *plan) {
    if (plan->experts_count == 0)
        return ROOFLINE_OK;
    return note_add(&plan->notes, ROOFLINE_NOTE_EXPECTED_EXPERTS, ROOFLINE_SEVERITY_ASSUMPTION, "active_experts",
                    "How many experts a step reads is the expected number when every token chooses its experts evenly "
                    "and apart from the others; a step of one token reads exactly the experts of that token; with "
                    "more, real routing is uneven and reads fewer, so a real step can be faster than the bound.");
}

static const char *capacity_text(roofline_capacity kind) {
    switch (kind) {
    case ROOFLINE_CAPACITY_GIVEN:
        return "as the deployment gives it";
    case ROOFLINE_CAPACITY_USABLE:
        return "what the driver reports as usable";
    default:
        return "the nominal size; what a driver reports differs";
    }
}

static roofline_status note_memory(roofline_plan *plan, const roofline_deployment *deployment) {
    const roofline_plan_info_result *info = &plan->info;
    roofline_status status =
        note_add(&plan->notes, ROOFLINE_NOTE_CAPACITY, ROOFLINE_SEVERITY_ASSUMPTION, "memory_fraction",
                 "The engine may use %s of %lld bytes of memory (%s).", number_text(deployment->memory_fraction).text,
                 (long long)info->capacity_bytes, capacity_text(info->capacity_kind));
    if (status == ROOFLINE_OK && deployment->activation_bytes == ROOFLINE_ESTIMATE)
        status =
            note_add(&plan->notes, ROOFLINE_NOTE_ACTIVATION_ESTIMATE, ROOFLINE_SEVERITY_ESTIMATE, "activation_bytes",
                     "Activation memory is an estimate for steps of %lld tokens and at most 256 rows of fp32 "
                     "logits; the runtime's own memory is what reserve_bytes says, %lld bytes.",
                     (long long)deployment->token_budget, (long long)deployment->reserve_bytes);
    return status;
}

roofline_status plan_add_notes(roofline_plan *plan, const roofline_deployment *deployment, int64_t max_context_tokens) {
    roofline_status status;
    if ((status = note_traffic(plan)) || (status = note_formats(plan)) || (status = note_experts(plan)) ||
        (status = note_memory(plan, deployment)) ||
        (status = note_add(&plan->notes, ROOFLINE_NOTE_UNCALIBRATED, ROOFLINE_SEVERITY_ASSUMPTION, "predicted_s",
                           "Uncalibrated: predicted_s is the bound plus host_s_per_step; launch gaps and kernel "
                           "efficiency are not in it, so a real step is slower.")))
        return status;
    if (max_context_tokens == 0)
        return ROOFLINE_OK;
    return note_add(&plan->notes, ROOFLINE_NOTE_BEYOND_TRAINED, ROOFLINE_SEVERITY_ASSUMPTION, "context_tokens",
                    "The model states a context of %lld tokens; longer ones are priced all the same.",
                    (long long)max_context_tokens);
}

int64_t roofline_plan_note_count(const roofline_plan *plan) {
    return plan ? (int64_t)plan->notes.count : 0;
}

roofline_status roofline_plan_note(const roofline_plan *plan, int64_t index, roofline_note *out, char *buffer,
                                   size_t capacity, size_t *needed, roofline_error *error) {
    if (!plan)
        return error_set(error, ROOFLINE_ARGUMENT, "plan", "the plan is NULL");
    return note_give(&plan->notes, index, out, buffer, capacity, needed, error);
}
