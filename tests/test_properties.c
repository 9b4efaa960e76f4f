/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds for every device, model, deployment and step, on random ones. The seed is printed; ROOFLINE_SEED repeats a
 * run. No property has a tolerance unless it says why.
 */
#include "fixtures.h"

#include <inttypes.h>
#include <time.h>

enum {
    PLANS = 300,
    STEPS = 6
};

/* ---------------------------------------------------------------------------------------------------- random numbers */

/* splitmix64 (Steele, Lea and Flood 2014): small, and the same everywhere. */
static uint64_t state;

static uint64_t next_random(void) {
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int64_t between(int64_t least, int64_t most) {
    return least + (int64_t)(next_random() % (uint64_t)(most - least + 1));
}

/* From 1 to `most`, as often small as large. */
static int64_t scaled(int64_t most) {
    int64_t power = between(0, 62);
    int64_t value = between(1, INT64_C(1) << power);
    return value > most ? between(1, most) : value;
}

static int likely(int percent) {
    return between(1, 100) <= percent;
}

static uint64_t the_seed(void) {
    const char *text = getenv("ROOFLINE_SEED");
    return text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
}

/* Each test starts from the same seed, so that one can be repeated alone. */
static void start(const char *name) {
    state = the_seed();
    printf("%s: seed %" PRIu64 "\n", name, state);
}

/* ------------------------------------------------------------------------------------------------------ random cases */

static roofline_device_spec random_device(void) {
    roofline_device_spec spec = {.struct_size = sizeof spec, .name = "random"};
    double base = (double)between(1000000000, INT64_C(3000000000000000));
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP32] = base / 16;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP16] = base;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_BF16] = base;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_FP8] = 1.9 * base;
    spec.peaks_flops[ROOFLINE_ARITHMETIC_INT8] = 2 * base;
    spec.memory_bytes_per_s = base / (double)between(1, 2000);
    spec.memory_bytes = between(1000000000, INT64_C(1000000000000));
    spec.l2_bytes = likely(50) ? scaled(1000000000) : 0;
    return spec;
}

typedef struct random_case {
    roofline_device_spec device;
    roofline_model_spec model;
    roofline_layer_group groups[3];
    size_t group_count;
    roofline_deployment deployment;
} random_case;

static roofline_layer_group random_layers(int windows) {
    int64_t kv_heads = INT64_C(1) << between(0, 5);
    int64_t experts = likely(40) ? between(1, 512) : 0;
    return (roofline_layer_group){.struct_size = sizeof(roofline_layer_group),
                                  .gated_mlp = likely(70),
                                  .layers = between(1, 100),
                                  .query_heads = kv_heads * between(1, 16),
                                  .kv_heads = kv_heads,
                                  .head_dim = 8 * between(1, 32),
                                  .value_head_dim = likely(30) ? 8 * between(1, 32) : 0,
                                  .window_tokens = windows && likely(50) ? scaled(100000) : 0,
                                  .intermediate = likely(90) ? between(1, 40000) : 0,
                                  .vector_parameters = between(0, 100000),
                                  .experts = experts,
                                  .experts_per_token = experts ? between(1, experts) : 0,
                                  .expert_intermediate = experts ? between(1, 4000) : 0};
}

static random_case random_case_of(int windows) {
    static const roofline_format wide[] = {ROOFLINE_FORMAT_FP32, ROOFLINE_FORMAT_FP16, ROOFLINE_FORMAT_BF16};
    random_case drawn = {.device = random_device(), .group_count = (size_t)between(1, 3)};
    drawn.model = (roofline_model_spec){.struct_size = sizeof drawn.model,
                                        .format = wide[between(0, 2)],
                                        .name = "random",
                                        .architecture = "random",
                                        .hidden = between(1, 16384),
                                        .vocab = scaled(300000),
                                        .tied_embeddings = likely(50)};
    for (size_t i = 0; i < drawn.group_count; i++)
        drawn.groups[i] = random_layers(windows);
    drawn.deployment = usual_deployment();
    drawn.deployment.traffic = likely(50);
    drawn.deployment.block_tokens = likely(50) ? 16 : between(1, 100);
    drawn.deployment.host_s_per_step = likely(50) ? 1e-4 : 0;
    if (likely(40))
        drawn.deployment.weights = ROOFLINE_FORMAT_FP8;
    if (drawn.deployment.weights && likely(50))
        drawn.deployment.activations = ROOFLINE_FORMAT_FP8;
    if (likely(30))
        drawn.deployment.kv = ROOFLINE_FORMAT_FP8;
    return drawn;
}

static roofline_plan *plan_of_case(const random_case *drawn) {
    return plan_of(device_of(&drawn->device), model_of(&drawn->model, drawn->groups, drawn->group_count),
                   &drawn->deployment);
}

static roofline_sequences random_sequences(void) {
    int64_t new_tokens = likely(50) ? 1 : scaled(20000);
    roofline_sequences group = sequences_of(scaled(1000), new_tokens, new_tokens + scaled(200000) - 1);
    if (likely(20))
        group.logit_rows = likely(50) ? ROOFLINE_NO_LOGITS : between(1, new_tokens);
    return group;
}

typedef struct random_step {
    roofline_sequences rows[5];
    size_t count;
} random_step;

static random_step random_step_of(void) {
    random_step drawn = {.count = (size_t)between(1, 4)};
    for (size_t i = 0; i < drawn.count; i++)
        drawn.rows[i] = random_sequences();
    return drawn;
}

static roofline_step_result price(const roofline_plan *plan, const random_step *work) {
    return step_of(plan, work->rows, work->count);
}

/* -------------------------------------------------------------------------------------------------------- properties */

static void expect_order(const roofline_step_result *step) {
    ck_assert(step->aggregate_s > 0);
    ck_assert(step->aggregate_s <= step->phase_s);
    ck_assert(step->phase_s <= step->kernel_s);
    ck_assert(step->kernel_s <= step->predicted_s);
    ck_assert(step->kernel_s <= step->predicted_low_s);
    ck_assert(step->linear_s <= step->phase_s && step->attention_s <= step->phase_s);
    ck_assert(step->compute_s <= step->aggregate_s && step->memory_s <= step->aggregate_s);
}

START_TEST(bounds_keep_their_order) {
    start("order");
    for (int i = 0; i < PLANS; i++) {
        random_case drawn = random_case_of(1);
        roofline_plan *plan = plan_of_case(&drawn);
        for (int j = 0; j < STEPS; j++) {
            random_step work = random_step_of();
            roofline_step_result step = price(plan, &work);
            expect_order(&step);
        }
        roofline_plan_free(plan);
    }
}
END_TEST

/* Shares are quotients of sums: two roundings, 2^-52 in all. */
START_TEST(shares_add_up_to_one) {
    start("shares");
    const double rounding = ldexp(1, -52);
    for (int i = 0; i < PLANS; i++) {
        random_case drawn = random_case_of(1);
        roofline_plan *plan = plan_of_case(&drawn);
        random_step work = random_step_of();
        roofline_step_result step = price(plan, &work);
        ck_assert(step.memory_bound_share >= 0 && step.memory_bound_share <= 1 + rounding);
        ck_assert(step.compute_bound_share >= -rounding && step.compute_bound_share <= 1);
        double sum = step.memory_bound_share + step.compute_bound_share + step.launch_share + step.communication_share;
        ck_assert(fabs(sum - 1) <= rounding);
        ck_assert(step.mfu > 0 && step.mfu <= 1);
        ck_assert(step.mbu > 0 && step.mbu <= 1);
        ck_assert(fmax(step.mfu, step.mbu) * step.kernel_s >= step.aggregate_s * (1 - 2 * rounding));
        ck_assert(step.bytes >= step.weight_bytes + step.kv_read_bytes);
        roofline_plan_free(plan);
    }
}
END_TEST

static void expect_not_slower(const roofline_step_result *faster, const roofline_step_result *slower) {
    ck_assert(faster->aggregate_s <= slower->aggregate_s);
    ck_assert(faster->phase_s <= slower->phase_s);
    ck_assert(faster->kernel_s <= slower->kernel_s);
    ck_assert(faster->predicted_s <= slower->predicted_s);
    ck_assert(faster->linear_s <= slower->linear_s);
    ck_assert(faster->attention_s <= slower->attention_s);
}

START_TEST(a_better_device_is_never_slower) {
    start("better device");
    for (int i = 0; i < PLANS; i++) {
        random_case drawn = random_case_of(1);
        random_step work = random_step_of();
        roofline_plan *plan = plan_of_case(&drawn);
        roofline_step_result usual = price(plan, &work);
        double factor = 1 + ldexp((double)between(1, 1 << 20), (int)-between(10, 20));
        random_case wider = drawn, quicker = drawn;
        wider.device.memory_bytes_per_s *= factor;
        for (size_t a = 0; a < 32; a++)
            quicker.device.peaks_flops[a] *= factor;
        roofline_plan *wide_plan = plan_of_case(&wider), *quick_plan = plan_of_case(&quicker);
        roofline_step_result wide = price(wide_plan, &work), quick = price(quick_plan, &work);
        expect_not_slower(&wide, &usual);
        expect_not_slower(&quick, &usual);
        ck_assert(wide.flops == usual.flops && wide.bytes == usual.bytes);
        roofline_plan_free(plan);
        roofline_plan_free(wide_plan);
        roofline_plan_free(quick_plan);
    }
}
END_TEST

/* More sequences, tokens, positions, rows of logits or a further group. */
static random_step more_work(const random_step *work) {
    random_step more = *work;
    roofline_sequences *group = &more.rows[between(0, (int64_t)more.count - 1)];
    int64_t rows = group->logit_rows == 0 ? 1 : group->logit_rows;
    switch (between(0, 4)) {
    case 0:
        group->count += scaled(1000);
        break;
    case 1:
        group->new_tokens = between(group->new_tokens, group->context_tokens);
        break;
    case 2:
        group->context_tokens += scaled(100000);
        break;
    case 3:
        if (rows != ROOFLINE_NO_LOGITS)
            group->logit_rows = between(rows, group->new_tokens);
        else
            group->logit_rows = 1;
        break;
    default:
        more.rows[more.count++] = random_sequences();
    }
    return more;
}

START_TEST(more_work_is_never_faster) {
    start("more work");
    for (int i = 0; i < PLANS; i++) {
        random_case drawn = random_case_of(1);
        roofline_plan *plan = plan_of_case(&drawn);
        for (int j = 0; j < STEPS; j++) {
            random_step work = random_step_of();
            random_step more = more_work(&work);
            roofline_step_result less_cost = price(plan, &work), more_cost = price(plan, &more);
            expect_not_slower(&less_cost, &more_cost);
            ck_assert(less_cost.flops <= more_cost.flops);
            ck_assert(less_cost.bytes <= more_cost.bytes);
        }
        roofline_plan_free(plan);
    }
}
END_TEST

/* Twice the peak and twice the bandwidth: half the time to the last bit, and everything without a unit of time stays. */
/* Experts that each kernel of a step of `tokens` decodes reads, by the place of the kernel in the table. */
static size_t active_experts(const roofline_plan *plan, int64_t tokens, double *active, size_t capacity) {
    roofline_kernel table[32];
    roofline_sequences decode = sequences_of(tokens, 1, 1);
    size_t count = 0;
    roofline_error error;
    expect_ok(roofline_step_kernels(plan, &decode, 1, sizeof decode, table, 32, sizeof *table, &count, &error), &error);
    ck_assert_uint_le(count, capacity);
    for (size_t i = 0; i < count; i++)
        active[i] = table[i].active_experts;
    return count;
}

/* k for one token; more tokens never read fewer; at most min(E, T k) and at least k. */
START_TEST(active_experts_are_within_what_can_be_chosen) {
    start("experts");
    for (int i = 0; i < PLANS; i++) {
        random_case drawn = random_case_of(1);
        drawn.group_count = 1;
        drawn.groups[0].experts = scaled(65536);
        drawn.groups[0].experts_per_token = between(1, drawn.groups[0].experts);
        drawn.groups[0].expert_intermediate = 1;
        double most = (double)drawn.groups[0].experts, k = (double)drawn.groups[0].experts_per_token;
        roofline_plan *plan = plan_of_case(&drawn);
        double first[32], fewer[32], more[32];
        size_t count = active_experts(plan, 1, first, 32);
        for (int j = 0; j < STEPS; j++) {
            int64_t tokens = scaled(500000);
            active_experts(plan, tokens, fewer, 32);
            active_experts(plan, likely(50) ? tokens + 1 : tokens + scaled(500000), more, 32);
            for (size_t row = 0; row < count; row++) {
                ck_assert(first[row] == 0 || first[row] == k);
                ck_assert(fewer[row] >= first[row] && more[row] >= fewer[row]);
                ck_assert(fewer[row] <= fmin(most, (double)tokens * k));
            }
        }
        roofline_plan_free(plan);
    }
}
END_TEST

START_TEST(units_scale_exactly) {
    start("units");
    for (int i = 0; i < PLANS; i++) {
        random_case drawn = random_case_of(1);
        drawn.deployment.host_s_per_step = 0;
        random_step work = random_step_of();
        random_case twice = drawn;
        twice.device.memory_bytes_per_s *= 2;
        for (size_t a = 0; a < 32; a++)
            twice.device.peaks_flops[a] *= 2;
        roofline_plan *plan = plan_of_case(&drawn), *twice_plan = plan_of_case(&twice);
        roofline_step_result step = price(plan, &work), half = price(twice_plan, &work);
        ck_assert(same_bits(step.aggregate_s, 2 * half.aggregate_s));
        ck_assert(same_bits(step.phase_s, 2 * half.phase_s));
        ck_assert(same_bits(step.kernel_s, 2 * half.kernel_s));
        ck_assert(same_bits(step.predicted_s, 2 * half.predicted_s));
        ck_assert(same_bits(step.tokens_per_s, half.tokens_per_s / 2));
        ck_assert(same_bits(step.memory_bound_share, half.memory_bound_share));
        ck_assert(same_bits(step.mfu, half.mfu) && same_bits(step.mbu, half.mbu));
        ck_assert(same_bits(step.ridge_flop_per_byte, half.ridge_flop_per_byte));
        ck_assert_int_eq(step.regime, half.regime);
        roofline_plan_free(plan);
        roofline_plan_free(twice_plan);
    }
}
END_TEST

START_TEST(streamed_is_never_above_compulsory) {
    start("streamed");
    for (int i = 0; i < PLANS; i++) {
        random_case streamed = random_case_of(1);
        random_case compulsory = streamed;
        streamed.deployment.traffic = ROOFLINE_TRAFFIC_STREAMED;
        compulsory.deployment.traffic = ROOFLINE_TRAFFIC_COMPULSORY;
        random_step work = random_step_of();
        roofline_plan *fewer_plan = plan_of_case(&streamed), *all_plan = plan_of_case(&compulsory);
        roofline_step_result fewer = price(fewer_plan, &work), all = price(all_plan, &work);
        expect_not_slower(&fewer, &all);
        ck_assert(fewer.flops == all.flops && fewer.weight_bytes == all.weight_bytes);
        ck_assert(fewer.kv_read_bytes == all.kv_read_bytes);
        ck_assert(fewer.bytes == fewer.weight_bytes + fewer.kv_read_bytes);
        roofline_plan_free(fewer_plan);
        roofline_plan_free(all_plan);
    }
}
END_TEST

START_TEST(arrays_are_scalars_bit_for_bit) {
    static const roofline_quantity quantities[] = {
        ROOFLINE_QUANTITY_KERNEL_S, ROOFLINE_QUANTITY_AGGREGATE_S,        ROOFLINE_QUANTITY_PHASE_S,
        ROOFLINE_QUANTITY_BYTES,    ROOFLINE_QUANTITY_MEMORY_BOUND_SHARE, ROOFLINE_QUANTITY_REQUIRED_BYTES};
    enum {
        POINTS = 130,
        QUANTITIES = sizeof quantities / sizeof *quantities
    };
    start("arrays");
    for (int i = 0; i < PLANS / 3; i++) {
        random_case drawn = random_case_of(1);
        roofline_plan *plan = plan_of_case(&drawn);
        roofline_sequences rows[POINTS];
        for (int j = 0; j < POINTS; j++) {
            rows[j] = random_sequences();
            rows[j].logit_rows = 0;
        }
        double out[QUANTITIES][POINTS], alone[POINTS];
        roofline_error error;
        const int64_t stride = sizeof *rows;
        expect_ok(roofline_step_many(plan, POINTS, &rows->count, stride, &rows->new_tokens, stride,
                                     &rows->context_tokens, stride, quantities, QUANTITIES, out[0], sizeof out[0], NULL,
                                     &error),
                  &error);
        expect_ok(roofline_step_many(plan, POINTS, &rows->count, stride, &rows->new_tokens, stride,
                                     &rows->context_tokens, stride, quantities, 1, alone, 0, NULL, &error),
                  &error);
        int equal = 1;
        for (int j = 0; j < POINTS; j++) {
            roofline_step_result step = step_of(plan, &rows[j], 1);
            equal &= same_bits(out[0][j], step.kernel_s) && same_bits(alone[j], step.kernel_s) &&
                     same_bits(out[1][j], step.aggregate_s) && same_bits(out[2][j], step.phase_s) &&
                     same_bits(out[3][j], step.bytes) && same_bits(out[4][j], step.memory_bound_share) &&
                     same_bits(out[5][j], (double)step.required_bytes);
        }
        ck_assert(equal);
        roofline_plan_free(plan);
    }
}
END_TEST

/* A table of kernels is the step: sums in another order, so up to a rounding a row. */
START_TEST(kernel_rows_add_up) {
    start("rows");
    for (int i = 0; i < PLANS; i++) {
        random_case drawn = random_case_of(1);
        roofline_plan *plan = plan_of_case(&drawn);
        random_step work = random_step_of();
        roofline_step_result step = price(plan, &work);
        roofline_kernel table[32];
        size_t count = 0;
        roofline_error error;
        expect_ok(roofline_step_kernels(plan, work.rows, work.count, sizeof *work.rows, table, 32, sizeof *table,
                                        &count, &error),
                  &error);
        double bound_s = 0, flops = 0, bytes = 0;
        for (size_t j = 0; j < count; j++) {
            bound_s += table[j].bound_s;
            flops += table[j].flops;
            bytes += table[j].bytes;
            ck_assert(table[j].bound_s == fmax(table[j].compute_s, table[j].memory_s));
        }
        ck_assert(fabs(bound_s - step.kernel_s) <= 1e-13 * step.kernel_s);
        ck_assert(fabs(flops - step.flops) <= 1e-13 * step.flops);
        ck_assert(fabs(bytes - step.bytes) <= 1e-13 * step.bytes);
        roofline_plan_free(plan);
    }
}
END_TEST

static roofline_memory_result memory_of(const random_case *drawn, int64_t context_tokens, int64_t sequences) {
    roofline_plan *plan = plan_of_case(drawn);
    roofline_memory_query query = {
        .struct_size = sizeof query, .context_tokens = context_tokens, .sequences = sequences};
    roofline_memory_result result = {.struct_size = sizeof result};
    roofline_error error;
    expect_ok(roofline_memory(plan, &query, &result, &error), &error);
    roofline_plan_free(plan);
    return result;
}

/*
 * More memory, a larger share of it, a smaller reserve or a shorter context never hold fewer sequences. Without windows:
 * a window's edges fall on block boundaries at some lengths and not at others.
 */
START_TEST(memory_is_monotone) {
    start("memory");
    for (int i = 0; i < PLANS; i++) {
        random_case drawn = random_case_of(0);
        drawn.deployment.memory_fraction = (double)between(1, 1000) / 1000;
        drawn.deployment.reserve_bytes = between(0, INT64_C(20000000000));
        int64_t context = scaled(1000000), most = memory_of(&drawn, context, 0).max_sequences;
        random_case larger = drawn, fuller = drawn, freer = drawn;
        larger.device.memory_bytes += scaled(INT64_C(1000000000000));
        fuller.deployment.memory_fraction += (1 - fuller.deployment.memory_fraction) / 2;
        freer.deployment.reserve_bytes /= 2;
        ck_assert_int_ge(memory_of(&larger, context, 0).max_sequences, most);
        ck_assert_int_ge(memory_of(&fuller, context, 0).max_sequences, most);
        ck_assert_int_ge(memory_of(&freer, context, 0).max_sequences, most);
        ck_assert_int_ge(memory_of(&drawn, between(1, context), 0).max_sequences, most);
    }
}
END_TEST

/* `fits` is required <= budget, and max_sequences is where that turns. */
START_TEST(memory_fits_up_to_max_sequences) {
    start("fits");
    for (int i = 0; i < PLANS; i++) {
        random_case drawn = random_case_of(1);
        int64_t context = scaled(100000), most = memory_of(&drawn, context, 0).max_sequences;
        most = most > 1000000 ? 1000000 : most;
        int64_t sequences = between(1, 2 * most + 2);
        roofline_memory_result result = memory_of(&drawn, context, sequences);
        ck_assert_int_eq(result.fits, result.required_bytes <= result.budget_bytes);
        ck_assert_int_eq(result.fits, sequences <= result.max_sequences);
        ck_assert_int_eq(result.fits, result.reason == ROOFLINE_REASON_NONE);
        ck_assert_int_eq(result.short_bytes, result.fits ? 0 : result.required_bytes - result.budget_bytes);
        ck_assert(result.pool_bytes >= 0 && result.pool_tokens >= 0 && result.blocks >= 0);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        bounds_keep_their_order,
        shares_add_up_to_one,
        a_better_device_is_never_slower,
        more_work_is_never_faster,
        units_scale_exactly,
        streamed_is_never_above_compulsory,
        arrays_are_scalars_bit_for_bit,
        kernel_rows_add_up,
        memory_is_monotone,
        memory_fits_up_to_max_sequences,
        active_experts_are_within_what_can_be_chosen,
    };
    return run_tests("properties", tests, sizeof tests / sizeof *tests);
}
