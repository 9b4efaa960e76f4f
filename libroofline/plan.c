/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a plan. Everything that can be wrong with a deployment is found here, so that the hot path checks nothing. */
#include "floating.h"

#include "plan.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "device.h"
#include "error.h"
#include "format.h"
#include "kernel.h"
#include "structs.h"

static const double DEFAULT_MEMORY_FRACTION = 0.9;
static const int64_t DEFAULT_TOKEN_BUDGET = 8192;
static const int64_t DEFAULT_BLOCK_TOKENS = 16;
static const int64_t BYTES_LIMIT = INT64_C(1) << 50;
static const int64_t ESTIMATE_LOGIT_ROWS = 256; /* of fp32 logits that the activation estimate holds */
static const int64_t BLOCK_LIMIT = 1 << 12;
static const double KV_BYTES_PER_TOKEN_LIMIT = 1 << 24;

roofline_status roofline_deployment_init(roofline_deployment *out, size_t size) {
    if (!out)
        return ROOFLINE_ARGUMENT;
    if (size < offsetof(roofline_deployment, traffic) || size > STRUCT_SIZE_LIMIT)
        return ROOFLINE_STRUCT_SIZE;
    roofline_deployment usual = {
        .struct_size = (uint32_t)size,
        .memory_fraction = DEFAULT_MEMORY_FRACTION,
        .activation_bytes = ROOFLINE_ESTIMATE,
        .token_budget = DEFAULT_TOKEN_BUDGET,
        .block_tokens = DEFAULT_BLOCK_TOKENS,
        .output_slots = 1,
    };
    memset(out, 0, size);
    memcpy(out, &usual, size < sizeof usual ? size : sizeof usual);
    return ROOFLINE_OK;
}

/* ------------------------------------------------------------------------------------------ checks and defaults -- */

static roofline_status check_ranks(int32_t ranks, const char *path, roofline_error *error) {
    if (ranks == 0 || ranks == 1)
        return ROOFLINE_OK;
    if (ranks < 0)
        return error_set(error, ROOFLINE_RANGE, path, "%s is %d; it must not be negative", path, (int)ranks);
    return error_set(error, ROOFLINE_UNSUPPORTED, path,
                     "%s is %d, and more than one device is not modelled by this version; leave it at 1", path,
                     (int)ranks);
}

static roofline_status check_formats(const roofline_deployment *deployment, roofline_error *error) {
    roofline_status status;
    if ((status = check_format(deployment->weights, "roofline_deployment.weights", error)) ||
        (status = check_format(deployment->activations, "roofline_deployment.activations", error)) ||
        (status = check_format(deployment->kv, "roofline_deployment.kv", error)) ||
        (status = check_format(deployment->residual, "roofline_deployment.residual", error)) ||
        (status = check_format(deployment->head_weights, "roofline_deployment.head_weights", error)) ||
        (status = check_arithmetic(deployment->linear_arithmetic, "roofline_deployment.linear_arithmetic", error)) ||
        (status =
             check_arithmetic(deployment->attention_arithmetic, "roofline_deployment.attention_arithmetic", error)))
        return status;
    if (deployment->residual && !format_get(deployment->residual)->wide_float)
        return error_set(error, ROOFLINE_UNSUPPORTED, "roofline_deployment.residual",
                         "the residual stream cannot be %s; it is fp32, fp16 or bf16 (narrower inputs of products are "
                         "`activations`)",
                         format_text(deployment->residual));
    return ROOFLINE_OK;
}

static roofline_status check_parallel(const roofline_deployment *deployment, roofline_error *error) {
    roofline_status status;
    if ((status = check_ranks(deployment->tp, "roofline_deployment.tp", error)) ||
        (status = check_ranks(deployment->pp, "roofline_deployment.pp", error)) ||
        (status = check_ranks(deployment->ep, "roofline_deployment.ep", error)))
        return status;
    return check_ranks(deployment->dp, "roofline_deployment.dp", error);
}

static roofline_status check_memory(const roofline_deployment *deployment, roofline_error *error) {
    roofline_status status;
    if (!(deployment->memory_fraction >= 0 && deployment->memory_fraction <= 1))
        return error_set(error, ROOFLINE_RANGE, "roofline_deployment.memory_fraction",
                         "memory_fraction is %s; it is the part of the memory that the engine may use, above 0 and at "
                         "most 1 (0 means 0.9)",
                         number_text(deployment->memory_fraction).text);
    if ((status =
             check_count(deployment->capacity_bytes, 0, BYTES_LIMIT, "roofline_deployment.capacity_bytes", error)) ||
        (status = check_count(deployment->reserve_bytes, 0, BYTES_LIMIT, "roofline_deployment.reserve_bytes", error)) ||
        (status = check_count(deployment->activation_bytes, ROOFLINE_ESTIMATE, BYTES_LIMIT,
                              "roofline_deployment.activation_bytes", error)) ||
        (status = check_count(deployment->token_budget, 0, TOKENS_LIMIT, "roofline_deployment.token_budget", error)) ||
        (status = check_count(deployment->block_tokens, 0, BLOCK_LIMIT, "roofline_deployment.block_tokens", error)))
        return status;
    return check_count(deployment->output_slots, 0, BLOCK_LIMIT, "roofline_deployment.output_slots", error);
}

static roofline_status check_deployment(const roofline_deployment *deployment, roofline_error *error) {
    roofline_status status;
    if ((status = check_traffic(deployment->traffic, "roofline_deployment.traffic", error)) ||
        (status = check_formats(deployment, error)) || (status = check_parallel(deployment, error)) ||
        (status = check_memory(deployment, error)))
        return status;
    if (!(deployment->host_s_per_step >= 0 && deployment->host_s_per_step <= 3600))
        return error_set(error, ROOFLINE_RANGE, "roofline_deployment.host_s_per_step",
                         "host_s_per_step is %s; it must be from 0 to 3600 seconds",
                         number_text(deployment->host_s_per_step).text);
    return ROOFLINE_OK;
}

static bool is_wide(roofline_format format) {
    return format != ROOFLINE_FORMAT_DEFAULT && format_get(format)->wide_float;
}

/* The rules beside roofline_deployment's fields. */
static void resolve_formats(roofline_deployment *deployment, const roofline_model *model) {
    if (!deployment->weights)
        deployment->weights = model->spec.format;
    if (!deployment->residual) {
        bool from_model = !is_wide(deployment->weights);
        roofline_format stored = is_wide(model->spec.format) ? model->spec.format : ROOFLINE_FORMAT_BF16;
        deployment->residual = from_model ? stored : deployment->weights;
    }
    if (!deployment->activations)
        deployment->activations = deployment->residual;
    if (!deployment->kv)
        deployment->kv = deployment->residual;
    if (!deployment->head_weights)
        deployment->head_weights = deployment->residual;
}

/* Every spelling of the same deployment becomes one: the hash is of what is left. */
static void resolve_rest(roofline_deployment *deployment) {
    deployment->tp = deployment->pp = deployment->ep = deployment->dp = 1;
    deployment->padding = 0;
    deployment->host_s_per_step += 0.0; /* no negative zero */
    if (deployment->memory_fraction == 0)
        deployment->memory_fraction = DEFAULT_MEMORY_FRACTION;
    if (deployment->token_budget == 0)
        deployment->token_budget = DEFAULT_TOKEN_BUDGET;
    if (deployment->block_tokens == 0)
        deployment->block_tokens = DEFAULT_BLOCK_TOKENS;
}

/* A peak, by the arithmetic that was asked for (`asked`, its field) or that follows from two operands' formats. */
static roofline_status resolve_peak(const roofline_device *device, roofline_arithmetic *arithmetic, const char *asked,
                                    roofline_format weights, roofline_format activations, const char *derived,
                                    double *peak, roofline_error *error) {
    if (*arithmetic != ROOFLINE_ARITHMETIC_DEFAULT)
        return device_peak(device, *arithmetic, asked, peak, error);
    *arithmetic = product_arithmetic(weights, activations);
    if (*arithmetic != ROOFLINE_ARITHMETIC_DEFAULT)
        return device_peak(device, *arithmetic, derived, peak, error);
    return error_set(error, ROOFLINE_UNSUPPORTED, derived,
                     "nothing multiplies %s weights with %s activations; choose other formats or name the arithmetic",
                     format_text(weights), format_text(activations));
}

static roofline_status resolve_peaks(roofline_plan_info_result *info, const roofline_device *device,
                                     const roofline_deployment *deployment, roofline_error *error) {
    info->linear_arithmetic = deployment->linear_arithmetic;
    info->attention_arithmetic = deployment->attention_arithmetic;
    roofline_status status;
    if ((status = resolve_peak(device, &info->linear_arithmetic, "roofline_deployment.linear_arithmetic", info->weights,
                               info->activations, "roofline_deployment.weights", &info->peak_linear_flops, error)) ||
        (status = resolve_peak(device, &info->attention_arithmetic, "roofline_deployment.attention_arithmetic",
                               info->residual, info->residual, "roofline_deployment.residual",
                               &info->peak_attention_flops, error)))
        return status;
    return resolve_peak(device, &info->head_arithmetic, "", info->head_weights, info->residual,
                        "roofline_deployment.head_weights", &info->peak_head_flops, error);
}

/* ------------------------------------------------------------------------------------------------- kernels -- */

/* What a kernel of a plan is made from, before it is turned into seconds. */
typedef struct product {
    roofline_kernel_kind kind;
    int64_t k;
    int64_t columns;
    int64_t matrices; /* that one row passes: 1, or the experts of a token */
    int64_t inputs;   /* elements that a row reads as activations */
    int64_t outputs;  /* and that it writes */
    double kv_elements;
    double input_bytes;  /* per element */
    double output_bytes; /* per element */
    double weight_bytes; /* per element */
    roofline_arithmetic arithmetic;
    double peak;
} product;

static bool is_streamed(const roofline_plan *plan) {
    return plan->info.traffic == ROOFLINE_TRAFFIC_STREAMED;
}

/* Work, bytes and seconds of `calls` products of one shape. */
static plan_linear compile_product(const roofline_plan *plan, const product *shape, int64_t calls) {
    double matrix = (double)shape->k * (double)shape->columns;
    double times = (double)calls;
    bool streamed = is_streamed(plan);
    double activation = (double)shape->inputs * shape->input_bytes + (double)shape->outputs * shape->output_bytes;
    plan_linear linear = {
        .flops_per_row = times * (2 * matrix * (double)shape->matrices),
        .weight_bytes = times * (matrix * shape->weight_bytes),
        .activation_bytes_per_row = streamed ? 0 : times * activation,
        .kv_write_bytes_per_row = streamed ? 0 : times * (shape->kv_elements * format_bytes(plan->info.kv)),
        .calls = calls,
        .kind = shape->kind,
        .arithmetic = shape->arithmetic,
        .k = shape->k,
        .columns = shape->columns,
        .outputs = shape->outputs,
    };
    linear.compute_s_per_row = linear.flops_per_row / shape->peak;
    linear.weight_s = linear.weight_bytes / plan->memory_bytes_per_s;
    linear.memory_s_per_row =
        (linear.activation_bytes_per_row + linear.kv_write_bytes_per_row) / plan->memory_bytes_per_s;
    return linear;
}

/* Layers of several groups whose products have the same shape run as one kernel. */
static int64_t take_equal(roofline_plan *plan, const product *shape) {
    for (int i = 0; i < plan->linear_count; i++) {
        plan_linear *linear = &plan->linear[i];
        if (linear->kind != shape->kind || linear->k != shape->k || linear->columns != shape->columns ||
            linear->outputs != shape->outputs)
            continue;
        int64_t calls = linear->calls;
        memmove(linear, linear + 1, (size_t)(plan->linear_count - i - 1) * sizeof *linear);
        plan->linear_count--;
        return calls;
    }
    return 0;
}

static void add_product(roofline_plan *plan, const product *shape, int64_t layers) {
    int64_t calls = layers + take_equal(plan, shape);
    plan->linear[plan->linear_count++] = compile_product(plan, shape, calls);
}

/* A product of the layers: every one but for its shape and what it writes. */
static product layer_product(const roofline_plan *plan, roofline_kernel_kind kind, int64_t k, int64_t columns) {
    return (product){
        .kind = kind,
        .k = k,
        .columns = columns,
        .matrices = 1,
        .inputs = k,
        .outputs = columns,
        .input_bytes = format_bytes(plan->info.activations),
        .output_bytes = format_bytes(plan->info.residual),
        .weight_bytes = format_bytes(plan->info.weights),
        .arithmetic = plan->info.linear_arithmetic,
        .peak = plan->info.peak_linear_flops,
    };
}

/* The router computes in the checkpoint's own format, and so does its output. */
static void add_router(roofline_plan *plan, int64_t hidden, const roofline_layer_group *group) {
    product router = layer_product(plan, ROOFLINE_KERNEL_ROUTER, hidden, group->experts);
    router.input_bytes = format_bytes(plan->info.residual);
    router.weight_bytes = format_bytes(plan->info.head_weights);
    router.arithmetic = plan->info.head_arithmetic;
    router.peak = plan->info.peak_head_flops;
    add_product(plan, &router, group->layers);
}

/* The experts of that shape, or room for them. */
static plan_experts *find_experts(roofline_plan *plan, const roofline_layer_group *group, roofline_kernel_kind up) {
    for (int i = 0; i < plan->experts_count; i++) {
        plan_experts *experts = &plan->experts[i];
        if (experts->experts == group->experts && experts->experts_per_token == group->experts_per_token &&
            experts->intermediate == group->expert_intermediate && experts->up.kind == up)
            return experts;
    }
    return &plan->experts[plan->experts_count++];
}

/* A token enters once and leaves once; between the two products there are k rows of it. The weights are those of one. */
static void add_experts(roofline_plan *plan, int64_t hidden, const roofline_layer_group *group) {
    roofline_kernel_kind kind = group->gated_mlp ? ROOFLINE_KERNEL_EXPERTS_GATE_UP : ROOFLINE_KERNEL_EXPERTS_UP;
    int64_t width = group->expert_intermediate;
    product up = layer_product(plan, kind, hidden, (group->gated_mlp ? 2 : 1) * width);
    product down = layer_product(plan, ROOFLINE_KERNEL_EXPERTS_DOWN, width, hidden);
    up.matrices = down.matrices = group->experts_per_token;
    up.outputs = down.inputs = group->experts_per_token * width;
    plan_experts *experts = find_experts(plan, group, kind);
    int64_t calls = experts->up.calls + group->layers;
    *experts = (plan_experts){
        .up = compile_product(plan, &up, calls),
        .down = compile_product(plan, &down, calls),
        .not_chosen = (double)(group->experts - group->experts_per_token) / (double)group->experts,
        .experts = group->experts,
        .experts_per_token = group->experts_per_token,
        .intermediate = width,
    };
}

static void add_layer_products(roofline_plan *plan, int64_t hidden, const roofline_layer_group *group) {
    int64_t query_columns = group->query_heads * group->head_dim;
    int64_t kv_columns = layer_kv_elements(group);
    product qkv = layer_product(plan, ROOFLINE_KERNEL_QKV, hidden, query_columns + kv_columns);
    qkv.outputs = query_columns; /* K and V go to the cache, in its format */
    qkv.kv_elements = (double)kv_columns;
    add_product(plan, &qkv, group->layers);
    product output =
        layer_product(plan, ROOFLINE_KERNEL_ATTENTION_OUTPUT, group->query_heads * group->value_head_dim, hidden);
    add_product(plan, &output, group->layers);
    if (group->experts > 0) {
        add_router(plan, hidden, group);
        add_experts(plan, hidden, group);
    }
    if (group->intermediate == 0)
        return;
    product up = layer_product(plan, group->gated_mlp ? ROOFLINE_KERNEL_GATE_UP : ROOFLINE_KERNEL_UP, hidden,
                               (group->gated_mlp ? 2 : 1) * group->intermediate);
    up.outputs = group->intermediate; /* the activation function is fused */
    add_product(plan, &up, group->layers);
    product down = layer_product(plan, ROOFLINE_KERNEL_DOWN, group->intermediate, hidden);
    add_product(plan, &down, group->layers);
}

/* Rows of the embedding and of a learned position table: gathered, never read whole. */
static void add_embedding(roofline_plan *plan, const roofline_model_spec *spec) {
    double tables = spec->position_rows > 0 ? 2 : 1;
    double row_bytes =
        (double)spec->hidden * (tables * format_bytes(plan->info.head_weights) + format_bytes(plan->info.residual));
    plan_linear gather = {.kind = ROOFLINE_KERNEL_EMBEDDING, .calls = 1, .k = spec->hidden};
    if (!is_streamed(plan))
        gather.activation_bytes_per_row = row_bytes;
    gather.memory_s_per_row = gather.activation_bytes_per_row / plan->memory_bytes_per_s;
    plan->linear[plan->linear_count++] = gather;
}

static void compile_logits(roofline_plan *plan, const roofline_model_spec *spec) {
    product logits = {
        .kind = ROOFLINE_KERNEL_LOGITS,
        .k = spec->hidden,
        .columns = spec->vocab,
        .matrices = 1,
        .inputs = spec->hidden,
        .outputs = spec->vocab,
        .input_bytes = format_bytes(plan->info.residual),
        .output_bytes = format_bytes(plan->info.residual),
        .weight_bytes = format_bytes(plan->info.head_weights),
        .arithmetic = plan->info.head_arithmetic,
        .peak = plan->info.peak_head_flops,
    };
    plan->logits = compile_product(plan, &logits, 1);
}

static void compile_attention(roofline_plan *plan, plan_attention *attention) {
    double layers = (double)attention->calls;
    double width = (double)(attention->head_dim + attention->value_head_dim);
    double kv_bytes = (double)attention->kv_heads * width * format_bytes(plan->info.kv);
    double heads = (double)attention->query_heads;
    attention->window = (double)attention->window_tokens;
    attention->flops_per_pair = layers * (2 * heads * width);
    attention->kv_bytes_per_position = layers * kv_bytes;
    attention->activation_bytes_per_token =
        is_streamed(plan) ? 0 : layers * (heads * width * format_bytes(plan->info.residual));
    attention->compute_s_per_pair = attention->flops_per_pair / plan->info.peak_attention_flops;
    attention->memory_s_per_position = attention->kv_bytes_per_position / plan->memory_bytes_per_s;
    attention->memory_s_per_token = attention->activation_bytes_per_token / plan->memory_bytes_per_s;
    attention->block_bytes = (int64_t)ceil((double)plan->block_tokens * attention->kv_bytes_per_position);
}

static bool same_attention(const plan_attention *attention, const roofline_layer_group *group) {
    return attention->window_tokens == group->window_tokens && attention->query_heads == group->query_heads &&
           attention->kv_heads == group->kv_heads && attention->head_dim == group->head_dim &&
           attention->value_head_dim == group->value_head_dim;
}

static void add_attention(roofline_plan *plan, const roofline_layer_group *group) {
    plan_attention *attention = NULL;
    for (int i = 0; i < plan->attention_count && !attention; i++)
        if (same_attention(&plan->attention[i], group))
            attention = &plan->attention[i];
    if (!attention) {
        attention = &plan->attention[plan->attention_count++];
        *attention = (plan_attention){
            .window_tokens = group->window_tokens,
            .query_heads = group->query_heads,
            .kv_heads = group->kv_heads,
            .head_dim = group->head_dim,
            .value_head_dim = group->value_head_dim,
        };
    }
    attention->calls += group->layers;
}

static void sum_totals(roofline_plan *plan) {
    plan_totals *totals = &plan->totals;
    for (int i = 0; i < plan->linear_count; i++) {
        const plan_linear *linear = &plan->linear[i];
        totals->compute_s_per_token += linear->compute_s_per_row;
        totals->weight_s += linear->weight_s;
        totals->memory_s_per_token += linear->memory_s_per_row;
        totals->flops_per_token += linear->flops_per_row;
        totals->weight_bytes += linear->weight_bytes;
        totals->activation_bytes_per_token += linear->activation_bytes_per_row;
        totals->kv_write_bytes_per_token += linear->kv_write_bytes_per_row;
    }
}

static void compile_kernels(roofline_plan *plan, const roofline_model *model) {
    add_embedding(plan, &model->spec);
    for (size_t i = 0; i < model->group_count; i++) {
        add_layer_products(plan, model->spec.hidden, &model->groups[i]);
        add_attention(plan, &model->groups[i]);
    }
    for (int i = 0; i < plan->attention_count; i++)
        compile_attention(plan, &plan->attention[i]);
    compile_logits(plan, &model->spec);
    sum_totals(plan);
}

/* ---------------------------------------------------------------------------------------------------- memory -- */

/* Parameters in the layers' matrices but the routers; the rest of the model is kept in head_weights. */
typedef struct layer_parameters {
    int64_t stored;
    int64_t streamed; /* by a step of one token: of the experts only those it is routed to */
} layer_parameters;

static layer_parameters layer_parameters_of(const roofline_model *model) {
    layer_parameters sum = {0};
    for (size_t i = 0; i < model->group_count; i++) {
        const roofline_layer_group *group = &model->groups[i];
        layer_matrices matrices = layer_matrices_of(&model->spec, group);
        int64_t always = matrices.qkv + matrices.attention_output + matrices.gate_up + matrices.down;
        sum.stored += group->layers * (always + group->experts * matrices.expert);
        sum.streamed += group->layers * (always + group->experts_per_token * matrices.expert);
    }
    return sum;
}

static roofline_status count_weights(roofline_plan *plan, const roofline_model *model, roofline_error *error) {
    roofline_plan_info_result *info = &plan->info;
    roofline_model_info_result counted = {.struct_size = sizeof counted};
    roofline_status status = roofline_model_info(model, &counted, error);
    if (status)
        return status;
    layer_parameters layers = layer_parameters_of(model);
    info->parameters_total = counted.parameters_total;
    info->parameters_streamed = counted.parameters_streamed;
    double narrow = (double)layers.stored * format_bytes(info->weights);
    double wide = (double)(counted.parameters_total - layers.stored) * format_bytes(info->head_weights);
    double streamed = (double)layers.streamed * format_bytes(info->weights);
    double head = (double)(counted.parameters_streamed - layers.streamed) * format_bytes(info->head_weights);
    if (narrow + wide > (double)BYTES_LIMIT)
        return error_set(error, ROOFLINE_OVERFLOW, "roofline_deployment.weights",
                         "the weights take %s bytes; at most 2^50 are counted", number_text(narrow + wide).text);
    info->weight_bytes_resident = (int64_t)ceil(narrow + wide);
    info->weight_bytes_streamed = (int64_t)ceil(streamed + head);
    return ROOFLINE_OK;
}

static roofline_status count_kv(roofline_plan *plan, roofline_error *error) {
    double all = 0;
    double full = 0;
    for (int i = 0; i < plan->attention_count; i++) {
        const plan_attention *attention = &plan->attention[i];
        all += attention->kv_bytes_per_position;
        full += attention->window_tokens ? 0 : attention->kv_bytes_per_position;
    }
    if (all > KV_BYTES_PER_TOKEN_LIMIT)
        return error_set(error, ROOFLINE_OVERFLOW, "roofline_deployment.kv",
                         "one token of KV cache takes %s bytes; at most 2^24 are counted", number_text(all).text);
    plan->info.kv_bytes_per_token = (int64_t)ceil(all);
    plan->info.kv_bytes_per_token_full = (int64_t)ceil(full);
    return ROOFLINE_OK;
}

/* Theory 7: what a step of token_budget tokens keeps alive. */
static double estimate_activations(const roofline_plan *plan, const roofline_deployment *deployment, int64_t hidden,
                                   int64_t vocab) {
    double widest = 0;
    for (int i = 0; i < plan->linear_count; i++) {
        double width = (double)(plan->linear[i].k + plan->linear[i].columns);
        widest = width > widest ? width : widest;
    }
    for (int i = 0; i < plan->experts_count; i++) {
        const plan_experts *experts = &plan->experts[i];
        double width = (double)(experts->up.k + experts->experts_per_token * experts->up.columns);
        widest = width > widest ? width : widest;
    }
    int64_t tokens = deployment->token_budget;
    int64_t rows = tokens < ESTIMATE_LOGIT_ROWS ? tokens : ESTIMATE_LOGIT_ROWS;
    return (double)tokens * (2 * (double)hidden + widest) * format_bytes(plan->info.residual) +
           (double)rows * (double)vocab * 4;
}

static roofline_status budget_memory(roofline_plan *plan, const roofline_device *device, const roofline_model *model,
                                     const roofline_deployment *deployment, roofline_error *error) {
    roofline_plan_info_result *info = &plan->info;
    int64_t usable = device->spec.memory_usable_bytes;
    info->capacity_kind = usable ? ROOFLINE_CAPACITY_USABLE : ROOFLINE_CAPACITY_NOMINAL;
    info->capacity_bytes = usable ? usable : device->spec.memory_bytes;
    if (deployment->capacity_bytes) {
        info->capacity_kind = ROOFLINE_CAPACITY_GIVEN;
        info->capacity_bytes = deployment->capacity_bytes;
    }
    info->budget_bytes = (int64_t)floor(deployment->memory_fraction * (double)info->capacity_bytes);
    double activations = (double)deployment->activation_bytes;
    if (deployment->activation_bytes == ROOFLINE_ESTIMATE)
        activations = estimate_activations(plan, deployment, model->spec.hidden, model->spec.vocab);
    if (activations > (double)BYTES_LIMIT)
        return error_set(error, ROOFLINE_OVERFLOW, "roofline_deployment.token_budget",
                         "activations of token_budget tokens are estimated at %s bytes; at most 2^50 are counted",
                         number_text(activations).text);
    info->activation_bytes = (int64_t)ceil(activations);
    info->reserve_bytes = deployment->reserve_bytes;
    plan->fixed_bytes = info->weight_bytes_resident + info->activation_bytes + info->reserve_bytes;
    plan->budget_bytes = info->budget_bytes;
    info->pool_bytes = plan->budget_bytes > plan->fixed_bytes ? plan->budget_bytes - plan->fixed_bytes : 0;
    return ROOFLINE_OK;
}

/* ------------------------------------------------------------------------------------------------------ hash -- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Every number that the plan was compiled from; names are not part of it. */
static int64_t hash_inputs(const roofline_device *device, const roofline_model *model,
                           const roofline_deployment *deployment) {
    const roofline_device_spec *chip = &device->spec;
    const roofline_model_spec *spec = &model->spec;
    uint64_t hash = UINT64_C(14695981039346656037);
    hash = hash_bytes(hash, chip->peaks_flops,
                      sizeof *chip - offsetof(roofline_device_spec, peaks_flops)); /* all numbers, no padding */
    const int64_t numbers[] = {spec->format,
                               spec->hidden,
                               spec->vocab,
                               spec->tied_embeddings,
                               spec->position_rows,
                               spec->vector_parameters,
                               spec->max_context_tokens};
    hash = hash_bytes(hash, numbers, sizeof numbers);
    for (size_t i = 0; i < model->group_count; i++)
        hash = hash_bytes(hash, &model->groups[i], sizeof model->groups[i]);
    hash = hash_bytes(hash, deployment, sizeof *deployment);
    return (int64_t)(hash >> 11); /* 53 bits: JSON readers keep numbers as doubles */
}

/* -------------------------------------------------------------------------------------------------- the plan -- */

static int shift_of(int64_t block_tokens) {
    int shift = 0;
    while ((INT64_C(1) << shift) < block_tokens)
        shift++;
    return (INT64_C(1) << shift) == block_tokens ? shift : -1;
}

static int64_t position_limit(const roofline_model_spec *spec) {
    if (spec->position_rows == 0)
        return INT64_MAX;
    bool shorter = spec->max_context_tokens > 0 && spec->max_context_tokens < spec->position_rows;
    return shorter ? spec->max_context_tokens : spec->position_rows;
}

static void fill_info(roofline_plan *plan, const roofline_device *device, const roofline_model *model,
                      const roofline_deployment *deployment) {
    roofline_plan_info_result *info = &plan->info;
    info->traffic = deployment->traffic;
    memcpy(info->device, device->spec.name, sizeof info->device);
    memcpy(info->model, model->spec.name, sizeof info->model);
    info->weights = deployment->weights;
    info->activations = deployment->activations;
    info->kv = deployment->kv;
    info->residual = deployment->residual;
    info->head_weights = deployment->head_weights;
    info->source = device->spec.kind;
    info->ranks = 1;
    info->block_tokens = deployment->block_tokens;
    info->output_slots = deployment->output_slots;
    info->memory_bytes_per_s = device->spec.memory_bytes_per_s;
    info->hash = hash_inputs(device, model, deployment);
}

static roofline_status compile(roofline_plan *plan, const roofline_device *device, const roofline_model *model,
                               const roofline_deployment *deployment, roofline_error *error) {
    fill_info(plan, device, model, deployment);
    plan->memory_bytes_per_s = device->spec.memory_bytes_per_s;
    plan->l2_bytes = (double)device->spec.l2_bytes;
    plan->host_s_per_step = deployment->host_s_per_step;
    plan->block_tokens = deployment->block_tokens;
    plan->block_shift = shift_of(deployment->block_tokens);
    plan->output_slots = deployment->output_slots;
    plan->position_limit = position_limit(&model->spec);
    roofline_status status = resolve_peaks(&plan->info, device, deployment, error);
    if (status)
        return status;
    compile_kernels(plan, model);
    plan->info.kernels = plan->linear_count + plan->attention_count + 2 * plan->experts_count + 1;
    if ((status = count_weights(plan, model, error)) || (status = count_kv(plan, error)) ||
        (status = budget_memory(plan, device, model, deployment, error)))
        return status;
    status = plan_add_notes(plan, deployment, model->spec.max_context_tokens);
    return status ? error_set(error, status, "", "no memory for the plan's notes") : ROOFLINE_OK;
}

roofline_status roofline_plan_new(const roofline_device *device, const roofline_model *model,
                                  const roofline_deployment *deployment, roofline_plan **out, roofline_error *error) {
    if (!device || !model || !out)
        return error_set(error, ROOFLINE_ARGUMENT, "", "the device, the model or the output pointer is NULL");
    roofline_deployment resolved;
    roofline_status status = roofline_deployment_init(&resolved, sizeof resolved);
    if (deployment)
        status = struct_read(&resolved, sizeof resolved, deployment, "roofline_deployment", error);
    if (status || (status = check_deployment(&resolved, error)))
        return status;
    resolve_formats(&resolved, model);
    resolve_rest(&resolved);
    roofline_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return error_set(error, ROOFLINE_NO_MEMORY, "", "no memory for a plan");
    status = compile(plan, device, model, &resolved, error);
    if (status) {
        roofline_plan_free(plan);
        return status;
    }
    *out = plan;
    return error_clear(error);
}

void roofline_plan_free(roofline_plan *plan) {
    if (plan)
        note_list_free(&plan->notes);
    free(plan);
}

roofline_status roofline_plan_info(const roofline_plan *plan, roofline_plan_info_result *out, roofline_error *error) {
    if (!plan)
        return error_set(error, ROOFLINE_ARGUMENT, "plan", "the plan is NULL");
    roofline_status status = struct_check(out, "roofline_plan_info_result", error);
    if (status)
        return status;
    struct_write(out, &plan->info, sizeof plan->info);
    return error_clear(error);
}
