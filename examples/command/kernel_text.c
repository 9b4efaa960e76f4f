/* SPDX-License-Identifier: Apache-2.0 */
/* Priced kernels for people. */
#include <math.h>
#include <stdio.h>

#include "kernel.h"
#include "notes.h"
#include "print.h"

static const char *word(const char *meaning, int32_t value) {
    const char *text = roofline_constant_text(meaning, value);
    return text ? text : "?";
}

static const char *format_word(roofline_format format) {
    return word("roofline_format", format == ROOFLINE_FORMAT_DEFAULT ? ROOFLINE_FORMAT_BF16 : format);
}

static void print_gemm(const priced_kernel *kernel) {
    const roofline_gemm_shape *shape = &kernel->gemm_shape;
    print_title("gemm: %s tokens, K %s, N %s", print_count(shape->tokens).text, print_count(shape->k).text,
                print_count(shape->n).text);
    print_fact("formats", "weight %s, activations %s, result %s", format_word(shape->weight_format),
               format_word(shape->input_format), format_word(shape->output_format));
    print_fact("bytes", "%s: weight %s, activations %s", print_bytes(kernel->gemm.bytes).text,
               print_bytes(kernel->gemm.weight_bytes).text, print_bytes(kernel->gemm.activation_bytes).text);
}

static void print_attention(const priced_kernel *kernel) {
    const roofline_attention_shape *shape = &kernel->attention_shape;
    int64_t count = shape->count ? shape->count : 1;
    print_title("attention: %s sequence%s, %s new, context %s%s%s", print_count(count).text, count == 1 ? "" : "s",
                print_count(shape->new_tokens).text, print_count(shape->context_tokens).text,
                shape->window_tokens ? ", window " : "",
                shape->window_tokens ? print_count(shape->window_tokens).text : "");
    print_fact("heads", "%s query, %s KV, of %s", print_count(shape->query_heads).text,
               print_count(shape->kv_heads).text, print_count(shape->head_dim).text);
    print_fact("formats", "KV cache %s, activations %s", format_word(shape->kv_format),
               format_word(shape->activation_format));
    print_fact("bytes", "%s: KV cache read %s, activations %s", print_bytes(kernel->attention.bytes).text,
               print_bytes(kernel->attention.kv_read_bytes).text, print_bytes(kernel->attention.activation_bytes).text);
}

static void print_given(const priced_kernel *kernel) {
    print_title("given");
    print_fact("bytes", "%s", print_bytes(kernel->work.bytes).text);
}

static void print_bound(const priced_kernel *kernel) {
    const roofline_bound_result *bound = &kernel->bound;
    const char *arithmetic = bound->arithmetic ? word("roofline_arithmetic", bound->arithmetic) : NULL;
    print_fact("operations", "%s%s%s", print_scaled(kernel->work.flops, "FLOP").text, arithmetic ? " in " : "",
               arithmetic ? arithmetic : "");
    if (isfinite(bound->intensity_flop_per_byte) && isfinite(bound->ridge_flop_per_byte))
        print_fact("intensity", "%s FLOP/byte; the ridge is %s", print_number(bound->intensity_flop_per_byte).text,
                   print_number(bound->ridge_flop_per_byte).text);
    if (isfinite(bound->attainable_flops_per_s))
        print_fact("attainable", "%s, %s of the peak", print_scaled(bound->attainable_flops_per_s, "FLOP/s").text,
                   print_share(bound->fraction_of_peak).text);
    if (bound->bound_s > 0)
        print_fact("bound", "%s, %s-bound: compute %s, memory %s", print_seconds(bound->bound_s).text,
                   word("roofline_regime", bound->regime), print_seconds(bound->compute_s).text,
                   print_seconds(bound->memory_s).text);
    else
        print_fact("bound", "%s: there is no work", print_seconds(bound->bound_s).text);
    if (bound->cache_resident)
        print_fact("", "all bytes fit into the last-level cache: a warm run can be faster");
}

static void print_crossover(const roofline_crossover_result *crossover) {
    if (crossover->answer == ROOFLINE_ANSWER_YES)
        print_fact("compute-bound", "from %s tokens on (%s when only the weight is counted)",
                   print_count(crossover->least_tokens_compulsory).text,
                   print_count(crossover->least_tokens_streamed).text);
    else
        print_fact("compute-bound",
                   "never: the intensity stays below %s FLOP/byte (from %s tokens on when only the weight "
                   "is counted)",
                   print_number(crossover->limit_flop_per_byte).text,
                   print_count(crossover->least_tokens_streamed).text);
}

static void print_kernel(const priced_kernel *kernel) {
    puts("");
    if (kernel->kind == KERNEL_GEMM)
        print_gemm(kernel);
    else if (kernel->kind == KERNEL_ATTENTION)
        print_attention(kernel);
    else
        print_given(kernel);
    print_bound(kernel);
    if (kernel->kind == KERNEL_GEMM)
        print_crossover(&kernel->crossover);
}

static void print_compose(const kernel_sequence *of) {
    const roofline_compose_result *compose = &of->compose;
    puts("");
    print_title("composed");
    print_fact("aggregate", "%-12s the kernels overlap without limit", print_seconds(compose->aggregate_s).text);
    print_fact("kernel", "%-12s one after the other", print_seconds(compose->kernel_s).text);
    if (!(compose->kernel_s > 0)) {
        print_fact("work", "none");
        return;
    }
    print_fact("work", "%s, %s, %s FLOP/byte; the ridge of this mix is %s", print_scaled(compose->flops, "FLOP").text,
               print_bytes(compose->bytes).text, print_number(compose->intensity_flop_per_byte).text,
               print_number(compose->ridge_flop_per_byte).text);
    print_fact("limited by", "%s: %s of the time in memory-bound kernels", word("roofline_regime", compose->regime),
               print_share(compose->memory_bound_share).text);
}

static void print_measured(const measurement *measured) {
    puts("");
    print_title("measured");
    print_fact("time", "%s: %s of the bound's speed", print_seconds(measured->measured_s).text,
               print_share(measured->fraction_of_bound).text);
    print_fact("reached", "%s (MFU %s), %s (MBU %s)", print_scaled(measured->flops_per_s, "FLOP/s").text,
               print_share(measured->mfu).text, print_scaled(measured->bytes_per_s, "B/s").text,
               print_share(measured->mbu).text);
    if (measured->faster_than_bound && measured->cache_resident)
        print_alarm(
            "", "faster than the bound, which is of cold caches: these bytes fit into the last-level cache and were "
                "probably there already");
    else if (measured->faster_than_bound)
        print_alarm("",
                    "faster than the bound: work that was not done, another device or clock, or a wrong figure; check "
                    "the shape, the formats and the device");
}

void kernel_print(const kernel_sequence *of, bool measured) {
    print_title("%s, memory %s, traffic %s", of->spec.name, print_scaled(of->spec.memory_bytes_per_s, "B/s").text,
                word("roofline_traffic", of->traffic));
    for (size_t i = 0; i < of->count; i++)
        print_kernel(&of->kernels[i]);
    if (of->count > 1)
        print_compose(of);
    if (measured)
        print_measured(&of->measured);
    notes_print(of->device, NULL, NULL);
}
