/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan resolves a deployment to: field by field what 0 means, what `_init` writes, and what is refused. */
#include "fixtures.h"

static roofline_plan_info_result info_of(const roofline_plan *plan) {
    roofline_plan_info_result info = {.struct_size = sizeof info};
    roofline_error error;
    expect_ok(roofline_plan_info(plan, &info, &error), &error);
    return info;
}

static roofline_plan_info_result info_with(const roofline_deployment *deployment) {
    roofline_plan *plan = plan_of(h100(), llama_8b(), deployment);
    roofline_plan_info_result info = info_of(plan);
    roofline_plan_free(plan);
    return info;
}

/* --------------------------------------------------------------------------------------------------------- defaults */

/* A zeroed deployment means what the comment of each field says of 0. */
START_TEST(zero_means_what_the_header_says) {
    roofline_deployment zero = {.struct_size = sizeof zero};
    roofline_plan_info_result info = info_with(&zero);
    ck_assert_int_eq(info.traffic, ROOFLINE_TRAFFIC_COMPULSORY);
    ck_assert_int_eq(info.weights, ROOFLINE_FORMAT_BF16); /* as the model is stored */
    ck_assert_int_eq(info.activations, ROOFLINE_FORMAT_BF16);
    ck_assert_int_eq(info.kv, ROOFLINE_FORMAT_BF16);
    ck_assert_int_eq(info.residual, ROOFLINE_FORMAT_BF16);
    ck_assert_int_eq(info.head_weights, ROOFLINE_FORMAT_BF16);
    ck_assert_int_eq(info.linear_arithmetic, ROOFLINE_ARITHMETIC_BF16);
    ck_assert_int_eq(info.attention_arithmetic, ROOFLINE_ARITHMETIC_BF16);
    ck_assert_int_eq(info.head_arithmetic, ROOFLINE_ARITHMETIC_BF16);
    ck_assert_int_eq(info.ranks, 1);
    ck_assert_int_eq(info.capacity_bytes, 80000000000); /* nominal: this device does not say what is usable */
    ck_assert_int_eq(info.budget_bytes, 72000000000);   /* 0.9 of it */
    ck_assert_int_eq(info.reserve_bytes, 0);
    ck_assert_int_eq(info.activation_bytes, 0);
    ck_assert_int_eq(info.block_tokens, 16);
    ck_assert_int_eq(info.output_slots, 0);
    ck_assert_int_eq(info.calibrated, 0);
}
END_TEST

/* `_init` differs from 0 in the fields marked [init ...], and NULL is the same as `_init`. */
START_TEST(init_writes_the_usual_values) {
    roofline_deployment usual = usual_deployment();
    ck_assert_uint_eq(usual.struct_size, sizeof usual);
    ck_assert_double_eq(usual.memory_fraction, 0.9);
    ck_assert_int_eq(usual.activation_bytes, ROOFLINE_ESTIMATE);
    ck_assert_int_eq(usual.token_budget, 8192);
    ck_assert_int_eq(usual.block_tokens, 16);
    ck_assert_int_eq(usual.output_slots, 1);
    roofline_deployment rest = usual;
    rest.memory_fraction = 0;
    rest.activation_bytes = rest.token_budget = rest.block_tokens = rest.output_slots = 0;
    roofline_deployment zero = {.struct_size = sizeof zero};
    ck_assert_mem_eq(&rest, &zero, sizeof zero);

    roofline_plan_info_result info = info_with(&usual);
    ck_assert_int_eq(info.output_slots, 1);
    ck_assert_int_gt(info.activation_bytes, 0);
    roofline_plan_info_result null = info_with(NULL);
    ck_assert_mem_eq(&info, &null, sizeof info);
}
END_TEST

/* Setting one field of the usual deployment back to 0 changes what that field says, and nothing else. */
START_TEST(each_field_back_to_zero) {
    roofline_plan_info_result usual = info_with(NULL);
    roofline_deployment deployment = usual_deployment();
    deployment.memory_fraction = 0;
    ck_assert_int_eq(info_with(&deployment).budget_bytes, usual.budget_bytes);
    deployment = usual_deployment();
    deployment.token_budget = 0;
    ck_assert_int_eq(info_with(&deployment).activation_bytes, usual.activation_bytes);
    deployment = usual_deployment();
    deployment.block_tokens = 0;
    ck_assert_int_eq(info_with(&deployment).block_tokens, 16);
    deployment = usual_deployment();
    deployment.activation_bytes = 0;
    ck_assert_int_eq(info_with(&deployment).activation_bytes, 0);
    ck_assert_int_eq(info_with(&deployment).pool_bytes, usual.pool_bytes + usual.activation_bytes);
    deployment = usual_deployment();
    deployment.output_slots = 0;
    ck_assert_int_eq(info_with(&deployment).output_slots, 0);
    deployment = usual_deployment();
    deployment.capacity_bytes = 100000000000;
    ck_assert_int_eq(info_with(&deployment).capacity_bytes, 100000000000);
    ck_assert_int_eq(info_with(&deployment).budget_bytes, 90000000000);
    deployment = usual_deployment();
    deployment.tp = deployment.pp = deployment.ep = deployment.dp = 1; /* the same as 0 */
    ck_assert_int_eq(info_with(&deployment).pool_bytes, usual.pool_bytes);
    ck_assert_int_eq(info_with(&deployment).ranks, 1);
}
END_TEST

START_TEST(init_takes_the_sizes_of_a_struct) {
    for (size_t size = 0; size <= 4097; size++) {
        unsigned char bytes[4097 + 8];
        memset(bytes, 0x5a, sizeof bytes);
        roofline_status status = roofline_deployment_init((roofline_deployment *)(void *)bytes, size);
        if (size < sizeof(uint32_t) || size > 4096) {
            ck_assert_int_eq(status, ROOFLINE_STRUCT_SIZE);
            ck_assert_int_eq(bytes[0], 0x5a);
            continue;
        }
        ck_assert_int_eq(status, ROOFLINE_OK);
        uint32_t written;
        memcpy(&written, bytes, sizeof written);
        ck_assert_uint_eq(written, size);
        ck_assert_int_eq(bytes[size], 0x5a);
        const size_t known = sizeof(roofline_deployment);
        ck_assert(size <= known || all_bytes_are(bytes + known, size - known, 0));
    }
    ck_assert_int_eq(roofline_deployment_init(NULL, sizeof(roofline_deployment)), ROOFLINE_ARGUMENT);
}
END_TEST

/* Which formats and peaks a deployment resolves to, by the rules beside roofline_deployment. */
START_TEST(formats_resolve_by_the_rules) {
    enum {
        BF16 = ROOFLINE_FORMAT_BF16,
        FP16 = ROOFLINE_FORMAT_FP16,
        FP8 = ROOFLINE_FORMAT_FP8,
        FP32 = ROOFLINE_FORMAT_FP32,
        INT4 = ROOFLINE_FORMAT_INT4
    };
    static const struct {
        roofline_format stored, weights, activations, residual, head; /* given */
        roofline_format weights_, activations_, kv_, residual_, head_;
        roofline_arithmetic linear, attention, logits;
    } cases[] = {
        /* weight-only fp8: 16-bit arithmetic throughout */
        {BF16, FP8, 0, 0, 0, FP8, BF16, BF16, BF16, BF16, ROOFLINE_ARITHMETIC_BF16, ROOFLINE_ARITHMETIC_BF16,
         ROOFLINE_ARITHMETIC_BF16},
        /* W8A8 */
        {BF16, FP8, FP8, 0, 0, FP8, FP8, BF16, BF16, BF16, ROOFLINE_ARITHMETIC_FP8, ROOFLINE_ARITHMETIC_BF16,
         ROOFLINE_ARITHMETIC_BF16},
        /* a checkpoint in fp8: the residual falls back to bf16 */
        {FP8, 0, 0, 0, 0, FP8, BF16, BF16, BF16, BF16, ROOFLINE_ARITHMETIC_BF16, ROOFLINE_ARITHMETIC_BF16,
         ROOFLINE_ARITHMETIC_BF16},
        /* a 16-bit copy of weights stored in 32: the residual follows the weights */
        {FP32, FP16, 0, 0, 0, FP16, FP16, FP16, FP16, FP16, ROOFLINE_ARITHMETIC_FP16, ROOFLINE_ARITHMETIC_FP16,
         ROOFLINE_ARITHMETIC_FP16},
        {FP16, INT4, 0, 0, 0, INT4, FP16, FP16, FP16, FP16, ROOFLINE_ARITHMETIC_FP16, ROOFLINE_ARITHMETIC_FP16,
         ROOFLINE_ARITHMETIC_FP16},
        /* logits in fp32 beside a bf16 model */
        {BF16, 0, 0, 0, FP32, BF16, BF16, BF16, BF16, FP32, ROOFLINE_ARITHMETIC_BF16, ROOFLINE_ARITHMETIC_BF16,
         ROOFLINE_ARITHMETIC_FP32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        roofline_model_spec spec = llama_8b_spec();
        roofline_layer_group layers = llama_8b_layers();
        spec.format = cases[i].stored;
        roofline_deployment deployment = {.struct_size = sizeof deployment,
                                          .weights = cases[i].weights,
                                          .activations = cases[i].activations,
                                          .residual = cases[i].residual,
                                          .head_weights = cases[i].head};
        roofline_plan *plan = plan_of(h100(), model_of(&spec, &layers, 1), &deployment);
        roofline_plan_info_result info = info_of(plan);
        ck_assert_int_eq(info.weights, cases[i].weights_);
        ck_assert_int_eq(info.activations, cases[i].activations_);
        ck_assert_int_eq(info.kv, cases[i].kv_);
        ck_assert_int_eq(info.residual, cases[i].residual_);
        ck_assert_int_eq(info.head_weights, cases[i].head_);
        ck_assert_int_eq(info.linear_arithmetic, cases[i].linear);
        ck_assert_int_eq(info.attention_arithmetic, cases[i].attention);
        ck_assert_int_eq(info.head_arithmetic, cases[i].logits);
        roofline_plan_free(plan);
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------------ figures of a plan */

/* Llama-3.1-8B: 32 layers of 218,103,808, embedding and logits 525,336,576 each, norms 65 * 4096. */
START_TEST(info_of_the_8b_model) {
    roofline_plan_info_result info = info_with(NULL);
    ck_assert_int_eq(info.parameters_total, 8030261248);
    ck_assert_int_eq(info.parameters_streamed, 7504658432);
    ck_assert_int_eq(info.weight_bytes_resident, 16060522496);
    ck_assert_int_eq(info.weight_bytes_streamed, 15009316864);
    ck_assert_int_eq(info.kv_bytes_per_token, 131072);
    ck_assert_int_eq(info.kv_bytes_per_token_full, 131072);
    ck_assert_double_eq(info.peak_linear_flops, 989.4e12);
    ck_assert_double_eq(info.peak_attention_flops, 989.4e12);
    ck_assert_double_eq(info.peak_head_flops, 989.4e12);
    ck_assert_double_eq(info.memory_bytes_per_s, 3.35e12);
    ck_assert_int_eq(info.kernels, 7);
    ck_assert_str_eq(info.device, "H100 by its datasheet");
    ck_assert_str_eq(info.model, "Llama-3.1-8B by its numbers");
    ck_assert_int_ge(info.hash, 0);
}
END_TEST

/*
 * The estimate, by its equation: token_budget (2 hidden + the widest in + out of a product) 2 B + 256 rows of fp32
 * logits. Widest: gate and up, 4096 + 28672.
 */
START_TEST(activations_are_estimated_from_the_token_budget) {
    ck_assert_int_eq(info_with(NULL).activation_bytes,
                     INT64_C(8192) * (2 * 4096 + 4096 + 28672) * 2 + INT64_C(256) * 128256 * 4);
    roofline_deployment deployment = usual_deployment();
    deployment.token_budget = 100; /* fewer rows than 256 */
    ck_assert_int_eq(info_with(&deployment).activation_bytes,
                     INT64_C(100) * (2 * 4096 + 4096 + 28672) * 2 + INT64_C(100) * 128256 * 4);
}
END_TEST

/*
 * Small layers with experts: matrices 256 + 128, a router of 8 E, experts of 3 * 80. E = 4, k = 2, two layers: 768 + 64 +
 * 1920 = 2752, embedding and logits 256 each, vectors 40: 3304 in all. Of one token: 768 + 64 + 960 + 256 = 2048.
 */
START_TEST(info_of_experts_by_hand) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group layers = small_experts(4, 2);
    roofline_model *model = model_of(&spec, &layers, 1);
    roofline_model_info_result counted = {.struct_size = sizeof counted};
    ck_assert_int_eq(roofline_model_info(model, &counted, NULL), ROOFLINE_OK);
    ck_assert_int_eq(counted.parameters_total, 3304);
    ck_assert_int_eq(counted.parameters_streamed, 2048);
    ck_assert_int_eq(counted.parameters_active, 3304 - 960);
    ck_assert_int_eq(counted.weight_bytes_resident, 2 * 3304);
    ck_assert_int_eq(counted.weight_bytes_streamed, 2 * 2048);
    roofline_deployment deployment = {.struct_size = sizeof deployment, .weights = ROOFLINE_FORMAT_FP8};
    roofline_plan *plan = plan_of(small_device(), model, &deployment);
    roofline_plan_info_result info = info_of(plan);
    ck_assert_int_eq(info.parameters_total, 3304);
    ck_assert_int_eq(info.parameters_streamed, 2048);
    ck_assert_int_eq(info.weight_bytes_resident,
                     768 + 1920 + 2 * (3304 - 768 - 1920)); /* the router stays in 16 bits */
    ck_assert_int_eq(info.weight_bytes_streamed, 768 + 960 + 2 * (64 + 256));
    ck_assert_int_eq(info.kernels, 8);
    roofline_plan_free(plan);
}
END_TEST

/* A step of one token reads weight_bytes_streamed, to the byte. */
START_TEST(streamed_bytes_of_experts_are_those_of_one_token) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group groups[] = {small_layers(), small_experts(49, 3), small_experts(7, 1)};
    roofline_plan *plan = plan_of(small_device(), model_of(&spec, groups, 3), NULL);
    roofline_sequences decode = sequences_of(1, 1, 10);
    ck_assert_double_eq(step_of(plan, &decode, 1).weight_bytes, (double)info_of(plan).weight_bytes_streamed);
    roofline_plan_free(plan);
}
END_TEST

/* Between the two products there are k rows of a token: the widest is 8 in and 2 * 20 out, not 8 + 20. */
START_TEST(activations_of_experts_are_those_of_every_chosen_one) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group layers = small_experts(4, 2);
    roofline_deployment deployment = usual_deployment();
    deployment.token_budget = 100;
    roofline_plan *plan = plan_of(small_device(), model_of(&spec, &layers, 1), &deployment);
    ck_assert_int_eq(info_of(plan).activation_bytes, 100 * (2 * 8 + 8 + 40) * 2 + 100 * 32 * 4);
    roofline_plan_free(plan);
}
END_TEST

START_TEST(hash_depends_on_every_number) {
    int64_t usual = info_with(NULL).hash;
    ck_assert_int_eq(info_with(NULL).hash, usual);
    roofline_deployment deployment = usual_deployment();
    deployment.traffic = ROOFLINE_TRAFFIC_STREAMED;
    ck_assert_int_ne(info_with(&deployment).hash, usual);
    deployment = usual_deployment();
    deployment.reserve_bytes = 1;
    ck_assert_int_ne(info_with(&deployment).hash, usual);
    roofline_device_spec spec = h100_spec();
    spec.memory_bytes_per_s += 1;
    roofline_plan *plan = plan_of(device_of(&spec), llama_8b(), NULL);
    ck_assert_int_ne(info_of(plan).hash, usual);
    roofline_plan_free(plan);
    roofline_model_spec model = llama_8b_spec();
    roofline_layer_group layers = llama_8b_layers();
    layers.window_tokens = 4096;
    plan = plan_of(h100(), model_of(&model, &layers, 1), NULL);
    ck_assert_int_ne(info_of(plan).hash, usual);
    roofline_plan_free(plan);
    int64_t hashes[4];
    for (int i = 0; i < 4; i++) {
        layers.experts = 8 + (i == 1);
        layers.experts_per_token = 2 + (i == 2);
        layers.expert_intermediate = 512 + (i == 3);
        plan = plan_of(h100(), model_of(&model, &layers, 1), NULL);
        hashes[i] = info_of(plan).hash;
        for (int j = 0; j < i; j++)
            ck_assert_int_ne(hashes[j], hashes[i]);
        roofline_plan_free(plan);
    }
}
END_TEST

START_TEST(kernels_have_names) {
    roofline_model_spec spec = llama_8b_spec();
    roofline_layer_group groups[] = {llama_8b_layers(), llama_8b_layers()};
    groups[1].window_tokens = 4096;
    roofline_plan *plan = plan_of(h100(), model_of(&spec, groups, 2), NULL);
    roofline_sequences decode = sequences_of(1, 1, 100);
    roofline_kernel table[16];
    size_t count = 0, needed = 0;
    roofline_error error;
    expect_ok(roofline_step_kernels(plan, &decode, 1, sizeof decode, table, 16, sizeof *table, &count, &error), &error);
    int windowed = 0;
    for (size_t i = 0; i < count; i++) {
        char name[64] = "";
        expect_ok(roofline_plan_kernel_name(plan, table[i].name_id, NULL, 0, &needed, &error), &error);
        ck_assert_uint_gt(needed, 2);
        expect_ok(roofline_plan_kernel_name(plan, table[i].name_id, name, needed, &needed, &error), &error);
        ck_assert_uint_eq(strlen(name) + 1, needed);
        expect_error(roofline_plan_kernel_name(plan, table[i].name_id, name, needed - 1, &needed, &error),
                     ROOFLINE_BUFFER_SIZE, &error, "");
        windowed += strcmp(name, "attention, window 4096") == 0;
    }
    ck_assert_int_eq(windowed, 1);
    char name[64];
    expect_error(roofline_plan_kernel_name(plan, 0, name, sizeof name, &needed, &error), ROOFLINE_NOT_FOUND, &error,
                 "");
    expect_error(roofline_plan_kernel_name(plan, 1000, name, sizeof name, &needed, &error), ROOFLINE_NOT_FOUND, &error,
                 "");
    roofline_plan_free(plan);
}
END_TEST

/* Which notes a plan carries, by what it was made from. */
static int note_severity(const roofline_deployment *deployment, roofline_note_code code) {
    roofline_plan *plan = plan_of(h100(), llama_8b(), deployment);
    int severity = 0;
    for (int64_t i = 0; i < roofline_plan_note_count(plan); i++) {
        roofline_note note = {.struct_size = sizeof note};
        roofline_error error;
        char text[1024];
        size_t needed = 0;
        expect_ok(roofline_plan_note(plan, i, &note, text, sizeof text, &needed, &error), &error);
        ck_assert_uint_gt(strlen(text), 20);
        ck_assert_uint_eq(strlen(text) + 1, needed);
        ck_assert_ptr_nonnull(roofline_constant_text("roofline_severity", note.severity));
        severity = note.code == code ? note.severity : severity;
    }
    roofline_plan_free(plan);
    return severity;
}

START_TEST(notes_name_the_assumptions) {
    roofline_deployment weight_only = usual_deployment();
    weight_only.weights = ROOFLINE_FORMAT_INT4;
    ck_assert_int_ne(note_severity(&weight_only, ROOFLINE_NOTE_WEIGHT_ONLY), 0);
    ck_assert_int_ne(note_severity(&weight_only, ROOFLINE_NOTE_HEAD_FORMAT), 0);
    ck_assert_int_eq(note_severity(NULL, ROOFLINE_NOTE_WEIGHT_ONLY), 0);
    ck_assert_int_eq(note_severity(NULL, ROOFLINE_NOTE_HEAD_FORMAT), 0);
    ck_assert_int_eq(note_severity(NULL, ROOFLINE_NOTE_ACTIVATION_ESTIMATE), ROOFLINE_SEVERITY_ESTIMATE);
    roofline_deployment zero = {.struct_size = sizeof zero};
    ck_assert_int_eq(note_severity(&zero, ROOFLINE_NOTE_ACTIVATION_ESTIMATE), 0);
    ck_assert_int_ne(note_severity(NULL, ROOFLINE_NOTE_TRAFFIC), 0);
    ck_assert_int_ne(note_severity(NULL, ROOFLINE_NOTE_UNCALIBRATED), 0);
    ck_assert_int_ne(note_severity(NULL, ROOFLINE_NOTE_CAPACITY), 0);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- refusals */

static void expect_refused(const roofline_deployment *deployment, roofline_status expected, const char *path) {
    roofline_device *device = h100();
    roofline_model *model = llama_8b();
    roofline_plan *plan = NULL;
    roofline_error error;
    expect_error(roofline_plan_new(device, model, deployment, &plan, &error), expected, &error, path);
    ck_assert_ptr_null(plan);
    roofline_device_free(device);
    roofline_model_free(model);
}

#define REFUSE(status, field, value)                                                                                   \
    do {                                                                                                               \
        roofline_deployment deployment_ = usual_deployment();                                                          \
        deployment_.field = (value);                                                                                   \
        expect_refused(&deployment_, status, "roofline_deployment." #field);                                           \
    } while (0)

START_TEST(plan_refuses_every_bad_field) {
    static const int32_t no_values[] = {-1, 8, 1000, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof no_values / sizeof *no_values; i++) {
        REFUSE(ROOFLINE_RANGE, traffic, no_values[i]);
        REFUSE(ROOFLINE_RANGE, weights, no_values[i]);
        REFUSE(ROOFLINE_RANGE, activations, no_values[i]);
        REFUSE(ROOFLINE_RANGE, kv, no_values[i]);
        REFUSE(ROOFLINE_RANGE, residual, no_values[i]);
        REFUSE(ROOFLINE_RANGE, head_weights, no_values[i]);
        REFUSE(ROOFLINE_RANGE, linear_arithmetic, no_values[i]);
        REFUSE(ROOFLINE_RANGE, attention_arithmetic, no_values[i]);
    }
    static const double no_fractions[] = {-0.1, 1.0000001, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof no_fractions / sizeof *no_fractions; i++) {
        REFUSE(ROOFLINE_RANGE, memory_fraction, no_fractions[i]);
        REFUSE(ROOFLINE_RANGE, host_s_per_step, no_fractions[i] == no_fractions[1] ? -1 : no_fractions[i]);
    }
    static const int64_t no_bytes[] = {-2, ((int64_t)1 << 50) + 1, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof no_bytes / sizeof *no_bytes; i++) {
        REFUSE(ROOFLINE_RANGE, capacity_bytes, no_bytes[i]);
        REFUSE(ROOFLINE_RANGE, reserve_bytes, no_bytes[i]);
        REFUSE(ROOFLINE_RANGE, activation_bytes, no_bytes[i]);
        REFUSE(ROOFLINE_RANGE, token_budget, no_bytes[i]);
        REFUSE(ROOFLINE_RANGE, block_tokens, no_bytes[i]);
        REFUSE(ROOFLINE_RANGE, output_slots, no_bytes[i]);
    }
    static const int32_t no_ranks[] = {-1, INT32_MIN};
    for (size_t i = 0; i < sizeof no_ranks / sizeof *no_ranks; i++) {
        REFUSE(ROOFLINE_RANGE, tp, no_ranks[i]);
        REFUSE(ROOFLINE_RANGE, pp, no_ranks[i]);
        REFUSE(ROOFLINE_RANGE, ep, no_ranks[i]);
        REFUSE(ROOFLINE_RANGE, dp, no_ranks[i]);
    }
}
END_TEST

/* Two spellings of one deployment are one plan to a cache; another number is another. */
START_TEST(hash_is_of_what_counts) {
    roofline_deployment usual = usual_deployment();
    roofline_deployment spelled = usual;
    spelled.padding = 5;
    spelled.tp = spelled.pp = spelled.ep = spelled.dp = 1;
    spelled.host_s_per_step = -0.0;
    spelled.weights = ROOFLINE_FORMAT_BF16; /* as the model is stored */
    roofline_deployment other = usual;
    other.block_tokens = 32;
    const roofline_deployment *deployments[] = {&usual, &spelled, &other, NULL};
    int64_t hashes[4];
    for (int i = 0; i < 4; i++) {
        roofline_plan *plan = plan_of(small_device(), small_model(), deployments[i]);
        roofline_plan_info_result info = {.struct_size = sizeof info};
        ck_assert_int_eq(roofline_plan_info(plan, &info, NULL), ROOFLINE_OK);
        hashes[i] = info.hash;
        roofline_plan_free(plan);
    }
    ck_assert_int_eq(hashes[0], hashes[1]);
    ck_assert_int_eq(hashes[0], hashes[3]);
    ck_assert_int_ne(hashes[0], hashes[2]);
    ck_assert_int_lt(hashes[0], INT64_C(1) << 53);
}
END_TEST

/* Layers with other heads have kernels of their own, and each kernel a name of its own. */
START_TEST(kernels_have_names_of_their_own) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group groups[3] = {small_layers(), small_layers(), small_layers()};
    groups[1].query_heads = 8;
    groups[2].window_tokens = 128;
    roofline_plan *plan = plan_of(small_device(), model_of(&spec, groups, 3), NULL);
    roofline_plan_info_result info = {.struct_size = sizeof info};
    ck_assert_int_eq(roofline_plan_info(plan, &info, NULL), ROOFLINE_OK);
    char names[32][64];
    ck_assert_int_eq(info.kernels, 11); /* embedding, 2 qkv, 3 attentions, 2 outputs, gate and up, down, logits */
    for (int32_t i = 0; i < info.kernels; i++) {
        ck_assert_int_eq(roofline_plan_kernel_name(plan, i + 1, names[i], sizeof names[i], NULL, NULL), ROOFLINE_OK);
        for (int32_t j = 0; j < i; j++)
            ck_assert_str_ne(names[i], names[j]);
    }
    roofline_plan_free(plan);
}
END_TEST

/* So do layers with other experts; the name says which. Layers of one shape share their kernels. */
START_TEST(experts_have_names_of_their_own) {
    roofline_model_spec spec = small_spec();
    roofline_layer_group groups[4] = {small_experts(4, 2), small_experts(8, 2), small_experts(4, 1),
                                      small_experts(4, 2)};
    groups[3].window_tokens = 128;
    roofline_plan *plan = plan_of(small_device(), model_of(&spec, groups, 4), NULL);
    char names[32][64];
    int32_t kernels = (int32_t)info_of(plan).kernels, named = 0;
    ck_assert_int_eq(kernels, 14); /* embedding, qkv, 2 attentions, output, 2 routers, 3 pairs of experts, logits */
    for (int32_t i = 0; i < kernels; i++) {
        ck_assert_int_eq(roofline_plan_kernel_name(plan, i + 1, names[i], sizeof names[i], NULL, NULL), ROOFLINE_OK);
        for (int32_t j = 0; j < i; j++)
            ck_assert_str_ne(names[i], names[j]);
        named += strcmp(names[i], "experts down, 2 of 8, 10 wide") == 0;
    }
    ck_assert_int_eq(named, 1);
    roofline_plan_free(plan);
}
END_TEST

START_TEST(plan_refuses_what_is_not_modelled) {
    REFUSE(ROOFLINE_UNSUPPORTED, tp, 2);
    REFUSE(ROOFLINE_UNSUPPORTED, pp, 2);
    REFUSE(ROOFLINE_UNSUPPORTED, ep, 8);
    REFUSE(ROOFLINE_UNSUPPORTED, dp, 2);
    REFUSE(ROOFLINE_UNSUPPORTED, residual, ROOFLINE_FORMAT_FP8);
    /* this device has no fp4 units, and nothing multiplies int4 with int4 */
    roofline_deployment deployment = usual_deployment();
    deployment.weights = deployment.activations = ROOFLINE_FORMAT_FP4;
    expect_refused(&deployment, ROOFLINE_UNSUPPORTED, "roofline_deployment");
    deployment.weights = deployment.activations = ROOFLINE_FORMAT_INT4;
    expect_refused(&deployment, ROOFLINE_UNSUPPORTED, "roofline_deployment");
    REFUSE(ROOFLINE_UNSUPPORTED, linear_arithmetic, ROOFLINE_ARITHMETIC_BF16_SPARSE);
    REFUSE(ROOFLINE_UNSUPPORTED, attention_arithmetic, ROOFLINE_ARITHMETIC_FP8_ACC16);
}
END_TEST

START_TEST(plan_refuses_bad_pointers_and_sizes) {
    roofline_device *device = h100();
    roofline_model *model = llama_8b();
    roofline_plan *plan = NULL;
    roofline_error error;
    expect_error(roofline_plan_new(NULL, model, NULL, &plan, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_plan_new(device, NULL, NULL, &plan, &error), ROOFLINE_ARGUMENT, &error, "");
    expect_error(roofline_plan_new(device, model, NULL, NULL, &error), ROOFLINE_ARGUMENT, &error, "");
    roofline_deployment deployment = usual_deployment();
    deployment.struct_size = 0;
    expect_error(roofline_plan_new(device, model, &deployment, &plan, &error), ROOFLINE_STRUCT_SIZE, &error, "");
    struct {
        roofline_deployment deployment;
        int64_t later_field;
    } newer = {.deployment = usual_deployment()};
    newer.deployment.struct_size = sizeof newer;
    expect_ok(roofline_plan_new(device, model, &newer.deployment, &plan, &error), &error);
    roofline_plan_free(plan);
    plan = NULL;
    newer.later_field = 1;
    expect_error(roofline_plan_new(device, model, &newer.deployment, &plan, &error), ROOFLINE_STRUCT_SIZE, &error, "");
    ck_assert_ptr_null(plan);
    roofline_plan_free(NULL);
    roofline_device_free(device);
    roofline_model_free(model);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        zero_means_what_the_header_says,
        init_writes_the_usual_values,
        each_field_back_to_zero,
        init_takes_the_sizes_of_a_struct,
        formats_resolve_by_the_rules,
        info_of_the_8b_model,
        activations_are_estimated_from_the_token_budget,
        info_of_experts_by_hand,
        streamed_bytes_of_experts_are_those_of_one_token,
        activations_of_experts_are_those_of_every_chosen_one,
        hash_depends_on_every_number,
        kernels_have_names,
        notes_name_the_assumptions,
        plan_refuses_every_bad_field,
        hash_is_of_what_counts,
        kernels_have_names_of_their_own,
        experts_have_names_of_their_own,
        plan_refuses_what_is_not_modelled,
        plan_refuses_bad_pointers_and_sizes,
    };
    return run_tests("plan", tests, sizeof tests / sizeof *tests);
}
