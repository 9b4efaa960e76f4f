/* SPDX-License-Identifier: Apache-2.0 */
/* Where a device's memory goes, and how many sequences it holds. */
#include "checks.h"
#include "error.h"
#include "kernel.h"
#include "plan.h"
#include "structs.h"

static roofline_status check_query(const roofline_memory_query *query, roofline_error *error) {
    roofline_status status;
    if ((status = check_count(query->context_tokens, 1, TOKENS_LIMIT, "roofline_memory_query.context_tokens", error)) ||
        (status = check_count(query->sequences, 0, SEQUENCES_LIMIT, "roofline_memory_query.sequences", error)))
        return status;
    if (query->sequences * query->context_tokens > POSITIONS_LIMIT)
        return error_set(error, ROOFLINE_RANGE, "roofline_memory_query.sequences",
                         "%lld sequences of %lld tokens are more than 2^38 positions in all",
                         (long long)query->sequences, (long long)query->context_tokens);
    return ROOFLINE_OK;
}

/* Bytes of one block in every attention layer, as if none had a window. Never 0: a model has at least one layer. */
static int64_t block_bytes(const roofline_plan *plan) {
    int64_t bytes = 0;
    for (int i = 0; i < plan->attention_count; i++)
        bytes += plan->attention[i].block_bytes;
    return bytes;
}

roofline_status roofline_memory(const roofline_plan *plan, const roofline_memory_query *query,
                                roofline_memory_result *out, roofline_error *error) {
    if (!plan)
        return error_set(error, ROOFLINE_ARGUMENT, "plan", "the plan is NULL");
    roofline_memory_query given;
    roofline_status status = struct_read(&given, sizeof given, query, "roofline_memory_query", error);
    if (status || (status = check_query(&given, error)) ||
        (status = struct_check(out, "roofline_memory_result", error)))
        return status;
    const roofline_plan_info_result *info = &plan->info;
    int64_t per_sequence = plan_sequence_kv_bytes(plan, 1, given.context_tokens);
    int64_t sequences = given.sequences ? given.sequences : 1;
    roofline_memory_result result = {
        .capacity_bytes = info->capacity_bytes,
        .budget_bytes = info->budget_bytes,
        .weight_bytes = info->weight_bytes_resident,
        .activation_bytes = info->activation_bytes,
        .reserve_bytes = info->reserve_bytes,
        .pool_bytes = info->pool_bytes,
        .blocks = info->pool_bytes / block_bytes(plan), /* NOLINT(clang-analyzer-core.DivideZero) */
        .block_tokens = plan->block_tokens,
        .kv_bytes_per_token = info->kv_bytes_per_token,
        .kv_bytes_per_sequence = per_sequence,
        .max_sequences = info->pool_bytes / per_sequence,
        .required_bytes = plan->fixed_bytes + sequences * per_sequence,
        .capacity_kind = info->capacity_kind,
        .reason = plan_fit_reason(plan, given.context_tokens, sequences * per_sequence),
    };
    if (given.context_tokens > plan->position_limit)
        result.max_sequences = 0;
    result.pool_tokens = result.blocks * plan->block_tokens;
    int64_t excess = result.required_bytes - plan->budget_bytes;
    result.short_bytes = excess > 0 ? excess : 0;
    result.fits = result.reason == ROOFLINE_REASON_NONE;
    struct_write(out, &result, sizeof result);
    return error_clear(error);
}
