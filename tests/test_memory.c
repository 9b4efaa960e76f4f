/* SPDX-License-Identifier: Apache-2.0 */
/* Where memory goes and how many sequences fit, against counts by hand (the small model is derived in fixtures.h). */
#include "fixtures.h"

/* 1800 parameters at 2 bytes: 3600. K and V: 2 layers * 2 heads * (4 + 4) * 2 B = 64 B a token, 1024 B a block of 16. */
static roofline_plan *plan_with(const roofline_deployment *deployment) {
    return plan_of(small_device(), small_model(), deployment);
}

static roofline_memory_result memory_of(const roofline_plan *plan, int64_t context_tokens, int64_t sequences) {
    roofline_memory_query query = {
        .struct_size = sizeof query, .context_tokens = context_tokens, .sequences = sequences};
    roofline_memory_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_memory(plan, &query, &result, &error), &error);
    return result;
}

/*
 * 0.75 of 10000 is a budget of 7500; weights 3600, no activations, no reserve: a pool of 3900, three blocks of 1024.
 * A sequence of 10 tokens and one slot takes one block: three fit; four need 3600 + 4096 = 7696, 196 too much.
 */
START_TEST(memory_by_hand) {
    roofline_deployment deployment = {.struct_size = sizeof deployment, .memory_fraction = 0.75, .output_slots = 1};
    roofline_plan *plan = plan_with(&deployment);
    roofline_memory_result result = memory_of(plan, 10, 4);
    ck_assert_int_eq(result.capacity_bytes, 10000);
    ck_assert_int_eq(result.capacity_kind, ROOFLINE_CAPACITY_NOMINAL);
    ck_assert_int_eq(result.budget_bytes, 7500);
    ck_assert_int_eq(result.weight_bytes, 3600);
    ck_assert_int_eq(result.activation_bytes, 0);
    ck_assert_int_eq(result.reserve_bytes, 0);
    ck_assert_int_eq(result.pool_bytes, 3900);
    ck_assert_int_eq(result.blocks, 3);
    ck_assert_int_eq(result.block_tokens, 16);
    ck_assert_int_eq(result.pool_tokens, 48);
    ck_assert_int_eq(result.kv_bytes_per_token, 64);
    ck_assert_int_eq(result.kv_bytes_per_sequence, 1024);
    ck_assert_int_eq(result.state_bytes_per_sequence, 0);
    ck_assert_int_eq(result.max_sequences, 3);
    ck_assert_int_eq(result.required_bytes, 7696);
    ck_assert_int_eq(result.short_bytes, 196);
    ck_assert_int_eq(result.fits, 0);
    ck_assert_int_eq(result.reason, ROOFLINE_REASON_KV);

    result = memory_of(plan, 10, 3);
    ck_assert_int_eq(result.fits, 1);
    ck_assert_int_eq(result.reason, ROOFLINE_REASON_NONE);
    ck_assert_int_eq(result.required_bytes, 6672);
    ck_assert_int_eq(result.short_bytes, 0);
    roofline_plan_free(plan);
}
END_TEST

/* 15 tokens and a slot fill a block; 16 and a slot start the next. Without a slot, 16 fit into one. */
START_TEST(memory_counts_whole_blocks) {
    for (int64_t slots = 0; slots <= 2; slots++)
        for (int64_t block = 1; block <= 32; block++) {
            roofline_deployment deployment = {
                .struct_size = sizeof deployment, .block_tokens = block, .output_slots = slots};
            roofline_plan *plan = plan_with(&deployment);
            for (int64_t context = 1; context <= 70; context++) {
                int64_t blocks = 0;
                while (blocks * block < context + slots)
                    blocks++;
                ck_assert_int_eq(memory_of(plan, context, 1).kv_bytes_per_sequence, blocks * block * 64);
            }
            roofline_plan_free(plan);
        }
}
END_TEST

/*
 * Half the layers keep the last W positions only. The blocks that those touch, by walking over them: with 16-token
 * blocks a window of 128 straddles 9 of them at most positions, not 8.
 */
START_TEST(memory_of_windowed_layers_by_enumeration) {
    static const int64_t blocks_of[] = {1, 4, 16};
    for (size_t b = 0; b < 3; b++)
        for (int64_t window = 1; window <= 40; window++) {
            roofline_model_spec spec = small_spec();
            roofline_layer_group groups[] = {small_layers(), small_layers()};
            groups[0].layers = groups[1].layers = 1;
            groups[1].window_tokens = window;
            roofline_deployment deployment = {
                .struct_size = sizeof deployment, .block_tokens = blocks_of[b], .output_slots = 1};
            roofline_plan *plan = plan_of(small_device(), model_of(&spec, groups, 2), &deployment);
            for (int64_t context = 1; context <= 90; context++) {
                int64_t cells = context + 1, held = cells < window + 1 ? cells : window + 1;
                int64_t touched = 0;
                for (int64_t block = 0; block * blocks_of[b] < cells; block++)
                    touched += (block + 1) * blocks_of[b] > cells - held;
                int64_t full = (cells + blocks_of[b] - 1) / blocks_of[b];
                ck_assert_int_eq(memory_of(plan, context, 1).kv_bytes_per_sequence,
                                 (touched + full) * blocks_of[b] * 32);
            }
            roofline_plan_free(plan);
        }
}
END_TEST

START_TEST(memory_when_the_weights_do_not_fit) {
    roofline_deployment deployment = {.struct_size = sizeof deployment, .memory_fraction = 1, .capacity_bytes = 3599};
    roofline_plan *plan = plan_with(&deployment);
    roofline_memory_result result = memory_of(plan, 10, 1);
    ck_assert_int_eq(result.capacity_bytes, 3599);
    ck_assert_int_eq(result.budget_bytes, 3599);
    ck_assert_int_eq(result.pool_bytes, 0);
    ck_assert_int_eq(result.max_sequences, 0);
    ck_assert_int_eq(result.fits, 0);
    ck_assert_int_eq(result.reason, ROOFLINE_REASON_WEIGHTS);
    ck_assert_int_eq(result.short_bytes, 1 + 1024);
    roofline_plan_free(plan);
}
END_TEST

START_TEST(memory_sets_aside_activations_and_a_reserve) {
    roofline_deployment deployment = {
        .struct_size = sizeof deployment, .memory_fraction = 1, .reserve_bytes = 1000, .activation_bytes = 2000};
    roofline_plan *plan = plan_with(&deployment);
    roofline_memory_result result = memory_of(plan, 10, 1);
    ck_assert_int_eq(result.activation_bytes, 2000);
    ck_assert_int_eq(result.reserve_bytes, 1000);
    ck_assert_int_eq(result.pool_bytes, 10000 - 3600 - 3000);
    ck_assert_int_eq(result.required_bytes, 3600 + 3000 + 1024);
    roofline_plan_free(plan);
}
END_TEST

/* What the driver reports is preferred to what the datasheet prints, and the result says so. */
START_TEST(memory_prefers_usable_capacity) {
    roofline_device_spec spec = h100_spec();
    spec.memory_usable_bytes = 79000000000;
    roofline_deployment deployment = {.struct_size = sizeof deployment, .memory_fraction = 0.5};
    roofline_plan *plan = plan_of(device_of(&spec), small_model(), &deployment);
    roofline_memory_result result = memory_of(plan, 10, 1);
    ck_assert_int_eq(result.capacity_bytes, 79000000000);
    ck_assert_int_eq(result.budget_bytes, 39500000000);
    ck_assert_int_eq(result.capacity_kind, ROOFLINE_CAPACITY_USABLE);
    roofline_plan_free(plan);
}
END_TEST

/* Layer matrices 1248 in fp8, everything else (552 elements) in 16 bits; the cache in fp8. A tied model has one table. */
START_TEST(memory_by_format_and_with_tied_embeddings) {
    roofline_deployment deployment = {.struct_size = sizeof deployment,
                                      .weights = ROOFLINE_FORMAT_FP8,
                                      .activations = ROOFLINE_FORMAT_FP8,
                                      .kv = ROOFLINE_FORMAT_FP8};
    roofline_plan *plan = plan_with(&deployment);
    roofline_memory_result result = memory_of(plan, 10, 1);
    ck_assert_int_eq(result.weight_bytes, 1248 + 2 * 552);
    ck_assert_int_eq(result.kv_bytes_per_sequence, 512);
    roofline_plan_free(plan);

    roofline_model_spec spec = small_spec();
    roofline_layer_group layers = small_layers();
    spec.tied_embeddings = 1;
    deployment = (roofline_deployment){.struct_size = sizeof deployment};
    plan = plan_of(small_device(), model_of(&spec, &layers, 1), &deployment);
    ck_assert_int_eq(memory_of(plan, 10, 1).weight_bytes, 3600 - 256 * 2);
    roofline_plan_free(plan);
}
END_TEST

/* A table of 64 learned positions ends at position 64, whatever the memory. */
START_TEST(memory_ends_at_learned_positions) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group layers = small_layers();
    spec.position_rows = 64;
    roofline_deployment deployment = {.struct_size = sizeof deployment, .capacity_bytes = 1000000};
    roofline_plan *plan = plan_of(small_device(), model_of(&spec, &layers, 1), &deployment);
    ck_assert_int_eq(memory_of(plan, 64, 1).fits, 1);
    roofline_memory_result beyond = memory_of(plan, 65, 1);
    ck_assert_int_eq(beyond.fits, 0);
    ck_assert_int_eq(beyond.reason, ROOFLINE_REASON_CONTEXT);
    ck_assert_int_eq(beyond.max_sequences, 0);
    roofline_sequences decode = sequences_of(1, 1, 65);
    roofline_step_result step = step_of(plan, &decode, 1);
    ck_assert_int_eq(step.fits, 0);
    ck_assert_int_eq(step.fit_reason, ROOFLINE_REASON_CONTEXT);
    ck_assert(isfinite(step.kernel_s)); /* priced all the same */
    roofline_plan_free(plan);
}
END_TEST

/* A table of 64 rows with an offset of 2 serves 62 positions; a publisher's larger figure does not make it longer. */
START_TEST(memory_takes_the_shorter_of_table_and_statement) {
    static const int64_t stated[] = {0, 62, 4096};
    static const int64_t longest[] = {64, 62, 64};
    for (size_t i = 0; i < 3; i++) {
        roofline_model_spec spec = small_spec();
        roofline_layer_group layers = small_layers();
        spec.position_rows = 64;
        spec.max_context_tokens = stated[i];
        roofline_deployment deployment = {.struct_size = sizeof deployment, .capacity_bytes = 1000000};
        roofline_plan *plan = plan_of(small_device(), model_of(&spec, &layers, 1), &deployment);
        ck_assert_int_eq(memory_of(plan, longest[i], 1).fits, 1);
        ck_assert_int_eq(memory_of(plan, longest[i] + 1, 1).reason, ROOFLINE_REASON_CONTEXT);
        roofline_plan_free(plan);
    }
}
END_TEST

/* max_sequences is the largest number that fits, and a step of that many agrees. */
START_TEST(memory_and_step_agree) {
    roofline_deployment deployment = {.struct_size = sizeof deployment, .output_slots = 1};
    roofline_plan *plan = plan_of(h100(), llama_8b(), &deployment);
    for (int64_t context = 100; context < 100000; context = context * 3 / 2) {
        int64_t most = memory_of(plan, context, 0).max_sequences;
        ck_assert_int_ge(most, 1);
        for (int64_t sequences = most; sequences <= most + 1; sequences++) {
            roofline_memory_result memory = memory_of(plan, context, sequences);
            roofline_sequences decode = sequences_of(sequences, 1, context);
            roofline_step_result step = step_of(plan, &decode, 1);
            ck_assert_int_eq(memory.fits, sequences == most);
            ck_assert_int_eq(step.fits, memory.fits);
            ck_assert_int_eq(step.fit_reason, memory.reason);
            ck_assert_int_eq(step.required_bytes, memory.required_bytes);
            ck_assert_int_eq(step.short_bytes, memory.short_bytes);
            ck_assert_int_eq(step.kv_bytes, sequences * memory.kv_bytes_per_sequence);
        }
    }
    roofline_plan_free(plan);
}
END_TEST

/* With 0 sequences the question is whether one fits, and the bytes are those of one. */
START_TEST(memory_without_sequences_asks_about_one) {
    roofline_deployment deployment = {.struct_size = sizeof deployment, .memory_fraction = 1, .capacity_bytes = 4000};
    roofline_plan *plan = plan_with(&deployment);
    roofline_memory_result result = memory_of(plan, 10, 0);
    ck_assert_int_eq(result.fits, 0); /* 3600 + 1024 > 4000 */
    ck_assert_int_eq(result.reason, ROOFLINE_REASON_KV);
    ck_assert_int_eq(result.required_bytes, 3600 + 1024);
    ck_assert_int_eq(result.max_sequences, 0);
    roofline_plan_free(plan);
}
END_TEST

START_TEST(memory_refuses_bad_queries) {
    static const struct {
        int64_t context_tokens, sequences;
        const char *path;
    } bad[] = {
        {0, 1, "context_tokens"},
        {-1, 1, "context_tokens"},
        {INT64_MAX, 1, "context_tokens"},
        {((int64_t)1 << 32) + 1, 1, "context_tokens"},
        {1, -1, "sequences"},
        {1, ((int64_t)1 << 24) + 1, "sequences"},
        {1, INT64_MIN, "sequences"},
        {1, INT64_MAX, "sequences"},
    };
    roofline_plan *plan = plan_with(NULL);
    roofline_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        roofline_memory_query query = {
            .struct_size = sizeof query, .context_tokens = bad[i].context_tokens, .sequences = bad[i].sequences};
        roofline_memory_result result = {.struct_size = sizeof result, .pool_bytes = 42};
        expect_error(roofline_memory(plan, &query, &result, &error), ROOFLINE_RANGE, &error, bad[i].path);
        ck_assert_int_eq(result.pool_bytes, 42);
    }
    roofline_memory_query query = {.struct_size = sizeof query, .context_tokens = 1};
    roofline_memory_result result = {.struct_size = sizeof result};
    expect_error(roofline_memory(NULL, &query, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_memory(plan, NULL, &result, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_memory(plan, &query, NULL, &error), ROOFLINE_ARGUMENT, &error, "");
    query.struct_size = 3;
    expect_error(roofline_memory(plan, &query, &result, &error), ROOFLINE_STRUCT_SIZE, &error, "");
    roofline_plan_free(plan);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        memory_by_hand,
        memory_counts_whole_blocks,
        memory_of_windowed_layers_by_enumeration,
        memory_when_the_weights_do_not_fit,
        memory_sets_aside_activations_and_a_reserve,
        memory_prefers_usable_capacity,
        memory_by_format_and_with_tied_embeddings,
        memory_ends_at_learned_positions,
        memory_takes_the_shorter_of_table_and_statement,
        memory_and_step_agree,
        memory_without_sequences_asks_about_one,
        memory_refuses_bad_queries,
    };
    return run_tests("memory", tests, sizeof tests / sizeof *tests);
}
