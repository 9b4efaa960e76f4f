/* SPDX-License-Identifier: Apache-2.0 */
/* roofline kernel: prices the kernels of the command line one by one and composed. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "json_out.h"
#include "notes.h"

/* --------------------------------------------------------------------------------------------------- one kernel -- */

static int price_gemm(const argument_list *list, int operand, const kernel_sequence *of, priced_kernel *out) {
    roofline_error error;
    out->gemm_shape = (roofline_gemm_shape){.struct_size = sizeof out->gemm_shape, .traffic = of->traffic};
    out->gemm.struct_size = sizeof out->gemm;
    out->crossover.struct_size = sizeof out->crossover;
    int status = arguments_fill(list, "roofline_gemm_shape", operand, &out->gemm_shape);
    if (status)
        return status;
    if (roofline_gemm(&out->gemm_shape, &out->gemm, &error) != ROOFLINE_OK ||
        roofline_gemm_crossover(of->device, &out->gemm_shape, &out->crossover, &error) != ROOFLINE_OK)
        return fail_error(list->command, NULL, &error);
    out->work.flops = out->gemm.flops;
    out->work.bytes = out->gemm.bytes;
    out->work.arithmetic = out->gemm.arithmetic;
    return EXIT_DONE;
}

static int price_attention(const argument_list *list, int operand, const kernel_sequence *of, priced_kernel *out) {
    roofline_error error;
    out->attention_shape =
        (roofline_attention_shape){.struct_size = sizeof out->attention_shape, .traffic = of->traffic};
    out->attention.struct_size = sizeof out->attention;
    int status = arguments_fill(list, "roofline_attention_shape", operand, &out->attention_shape);
    if (status)
        return status;
    if (roofline_attention(&out->attention_shape, &out->attention, &error) != ROOFLINE_OK)
        return fail_error(list->command, NULL, &error);
    out->work.flops = out->attention.flops;
    out->work.bytes = out->attention.bytes;
    out->work.arithmetic = out->attention.arithmetic;
    return EXIT_DONE;
}

static int price_given(const argument_list *list, int operand, const kernel_sequence *of, priced_kernel *out) {
    (void)of;
    return arguments_fill(list, "roofline_work", operand, &out->work);
}

static const struct {
    const char *word;
    kernel_word kind;
    int (*price)(const argument_list *list, int operand, const kernel_sequence *of, priced_kernel *out);
} words[] = {
    {"gemm", KERNEL_GEMM, price_gemm},
    {"attention", KERNEL_ATTENTION, price_attention},
    {"given", KERNEL_GIVEN, price_given},
};

static int price_one(const argument_list *list, int operand, const kernel_sequence *of, priced_kernel *out) {
    const char *word = argument_operand(list, operand);
    roofline_error error;
    size_t kind = 0;
    while (kind < sizeof words / sizeof *words && strcmp(words[kind].word, word) != 0)
        kind++;
    if (kind == sizeof words / sizeof *words)
        return fail(list->command, "'%s' is no kernel; the words are gemm, attention and given", word);
    *out = (priced_kernel){.kind = words[kind].kind,
                           .word = words[kind].word,
                           .work.struct_size = sizeof out->work,
                           .bound.struct_size = sizeof out->bound};
    int status = arguments_require(list, operand);
    if (!status)
        status = words[kind].price(list, operand, of, out);
    if (!status && roofline_bound(of->device, &out->work, &out->bound, &error) != ROOFLINE_OK)
        status = fail_error(list->command, NULL, &error);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ together -- */

static int compose(const argument_list *list, kernel_sequence *of) {
    roofline_work *rows = reallocate(NULL, of->count, sizeof *rows);
    roofline_error error;
    int status = EXIT_DONE;
    for (size_t i = 0; i < of->count; i++)
        rows[i] = of->kernels[i].work;
    if (roofline_compose(of->device, rows, of->count, sizeof *rows, &of->compose, &error) != ROOFLINE_OK)
        status = fail_error(list->command, NULL, &error);
    free(rows);
    return status;
}

/* The bound is of cold caches: a kernel whose bytes fit into the last-level cache may beat it when run warm. */
static int measure(const argument_list *list, kernel_sequence *of) {
    measurement *measured = &of->measured;
    int status = argument_read(list, "measured-s", &measured->measured_s);
    if (status || !argument_given(list, "measured-s"))
        return status;
    if (!(measured->measured_s > 0))
        return fail(list->command, "--measured-s must be above 0");
    measured->fraction_of_bound = of->compose.kernel_s / measured->measured_s;
    measured->flops_per_s = of->compose.flops / measured->measured_s;
    measured->bytes_per_s = of->compose.bytes / measured->measured_s;
    measured->mfu = of->compose.compute_s / measured->measured_s;
    measured->mbu = of->compose.memory_s / measured->measured_s;
    measured->faster_than_bound = measured->measured_s < of->compose.kernel_s;
    for (size_t i = 0; i < of->count; i++)
        measured->cache_resident = measured->cache_resident || of->kernels[i].bound.cache_resident;
    return EXIT_DONE;
}

static int price_all(const argument_list *list, kernel_sequence *of) {
    roofline_error error;
    int status = arguments_require(list, ANYWHERE);
    if (!status)
        status = argument_read(list, "traffic", &of->traffic);
    if (!status)
        status = input_device(list, argument_value(list, "device"), &of->device);
    if (!status && roofline_device_info(of->device, &of->spec, &error) != ROOFLINE_OK)
        status = fail_error(list->command, NULL, &error);
    for (int operand = 1; !status && argument_operand(list, operand); operand++) {
        of->kernels = reallocate(of->kernels, of->count + 1, sizeof *of->kernels);
        status = price_one(list, operand, of, &of->kernels[of->count++]);
    }
    if (!status)
        status = compose(list, of);
    return status ? status : measure(list, of);
}

/* ---------------------------------------------------------------------------------------------------------- JSON -- */

static void write_kernel(json_out *out, const priced_kernel *kernel) {
    json_object(out, NULL);
    json_text(out, "kind", kernel->word);
    if (kernel->kind == KERNEL_GEMM) {
        json_struct(out, "shape", "roofline_gemm_shape", &kernel->gemm_shape);
        json_struct(out, "work", "roofline_gemm_result", &kernel->gemm);
    } else if (kernel->kind == KERNEL_ATTENTION) {
        json_struct(out, "shape", "roofline_attention_shape", &kernel->attention_shape);
        json_struct(out, "work", "roofline_attention_result", &kernel->attention);
    } else {
        json_struct(out, "work", "roofline_work", &kernel->work);
    }
    json_struct(out, "bound", "roofline_bound_result", &kernel->bound);
    if (kernel->kind == KERNEL_GEMM)
        json_struct(out, "crossover", "roofline_crossover_result", &kernel->crossover);
    json_object_end(out);
}

static void write_measured(json_out *out, const measurement *measured) {
    json_object(out, "measured");
    json_real(out, "measured_s", measured->measured_s);
    json_real(out, "fraction_of_bound", measured->fraction_of_bound);
    json_bool(out, "faster_than_bound", measured->faster_than_bound);
    json_bool(out, "cache_resident", measured->cache_resident);
    json_real(out, "flops_per_s", measured->flops_per_s);
    json_real(out, "bytes_per_s", measured->bytes_per_s);
    json_real(out, "mfu", measured->mfu);
    json_real(out, "mbu", measured->mbu);
    json_object_end(out);
}

static void write_json(const kernel_sequence *of, bool measured) {
    json_out out = {0};
    char *device = device_json(of->device);
    json_object(&out, NULL);
    json_object(&out, "device");
    json_members(&out, device);
    json_object_end(&out);
    json_text(&out, "traffic", roofline_constant_text("roofline_traffic", of->traffic));
    json_array(&out, "kernels");
    for (size_t i = 0; i < of->count; i++)
        write_kernel(&out, &of->kernels[i]);
    json_array_end(&out);
    json_struct(&out, "compose", "roofline_compose_result", &of->compose);
    if (measured)
        write_measured(&out, &of->measured);
    notes_json(&out, of->device, NULL, NULL);
    json_object_end(&out);
    free(device);
}

int command_kernel(const argument_list *list) {
    kernel_sequence of = {.spec.struct_size = sizeof of.spec, .compose.struct_size = sizeof of.compose};
    int status = price_all(list, &of);
    if (!status && argument_given(list, "json"))
        write_json(&of, argument_given(list, "measured-s"));
    else if (!status)
        kernel_print(&of, argument_given(list, "measured-s"));
    free(of.kernels);
    roofline_device_free(of.device);
    return status;
}
