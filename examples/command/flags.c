/* SPDX-License-Identifier: Apache-2.0 */
#include "flags.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "roofline.h"

enum {
    DEVICES = 1 << 0,
    MODELS = 1 << 1,
    DEVICE = 1 << 2,
    MODEL = 1 << 3,
    STEP = 1 << 4,
    MEMORY = 1 << 5,
    KERNEL = 1 << 6,
    SWEEP = 1 << 7,
    COMPLETION = 1 << 8,
    MANUAL = 1 << 9,
    LAYOUT = 1 << 10,
    PLANNED = STEP | MEMORY | SWEEP,
    EVERY = (1 << 11) - 1
};

static const subcommand subcommands[] = {
    {DEVICES, "devices", "", 0, 0, COMPLETE_NOTHING, "list the devices of the catalogue",
     "Lists the devices of the embedded catalogue with their memory, bandwidth, dense peaks and the bf16 ridge: the "
     "FLOP per byte from which on a kernel is compute-bound.",
     "roofline devices", command_devices},
    {MODELS, "models", "", 0, 0, COMPLETE_NOTHING, "list the models of the catalogue",
     "Lists the models of the embedded catalogue with their parameters, weight bytes and KV cache bytes per token, in "
     "the format that each is published in.",
     "roofline models", command_models},
    {DEVICE, "device", "NAME|FILE|-", 1, 1, COMPLETE_DEVICE, "show one device: peaks, ridges, memory, links, source",
     "Shows the figures of one device and where they come from. The JSON form is a device file: edit it and give the "
     "file wherever a device is asked for.",
     "roofline device h100-sxm", command_device},
    {MODEL, "model", "NAME|FILE|DIR|-", 1, 1, COMPLETE_MODEL, "show one model: shape, parameters, bytes",
     "Shows the shape of one model and what it counts to. FILE is a Hugging Face config.json or a model file as --json "
     "writes it; DIR is a folder that holds a config.json.",
     "roofline model llama-3.1-8b", command_model},
    {STEP, "step", "", 0, 0, COMPLETE_NOTHING, "what one engine step costs, what limits it, and whether it fits",
     "Prices one step of an inference engine: the lower bound of its time, the regime, the traffic by kind, tokens per "
     "second and the memory that it needs. The flags of the work may be combined into one mixed step. A step that does "
     "not fit is priced all the same, with a warning.",
     "roofline step --model llama-3.1-8b --device h100-sxm --batch 8 --context 8192 --kernels", command_step},
    {MEMORY, "memory", "", 0, 0, COMPLETE_NOTHING, "where the memory goes, and how many sequences fit",
     "Splits the device's memory into weights, activations, reserve and KV cache, and says how many sequences of a "
     "context it holds. The exit status is 1 when the sequences (without --batch: one of them) do not fit.",
     "roofline memory --model llama-3.1-8b --device h100-sxm --context 8192 --batch 48", command_memory},
    {KERNEL, "kernel", "gemm|attention|given ...", 1, 1 << 20, COMPLETE_NOTHING,
     "the roofline of single kernels, without a model",
     "Bounds single kernels: a matrix product (gemm), the causal attention of one layer (attention), or any kernel by "
     "its work (given). Each kernel starts with its word, and the flags that follow belong to it. Several kernels on "
     "one command line are composed in that order.",
     "roofline kernel --device h100-sxm gemm --tokens 512 --k 4096 --n 6144", command_kernel},
    {SWEEP, "sweep", "", 0, 0, COMPLETE_NOTHING, "decode steps over a grid of batches and contexts, one row a point",
     "Prices a decode step at every pair of a batch and a context. A LIST is 1,2,8 or FIRST:LAST, which doubles up "
     "to LAST, or FIRST:LAST:STEP, which adds STEP.",
     "roofline sweep --model llama-3.1-8b --device h100-sxm --batch 1:512 --context 1024,8192", command_sweep},
    {COMPLETION, "completion", "bash", 1, 1, COMPLETE_NOTHING, "print the completion script of a shell",
     "Prints a script that completes subcommands, flags and the names of the catalogues.",
     "source <(roofline completion bash)", command_completion},
    {MANUAL, "manual", "", 0, 0, COMPLETE_NOTHING, "print the manual page roofline.1",
     "Prints the manual page in roff.", "roofline manual | man -l -", command_manual},
    {LAYOUT, "layout", "", 0, 0, COMPLETE_NOTHING, "print the layout of every public struct and every constant as JSON",
     "Prints the structs of the library's header as the running library lays them out, with offset, type and id of "
     "each field, and the text and value of every enumeration. Language bindings compare themselves with it.",
     "roofline layout", command_layout},
};

#define FIELD(struct_name, field) #struct_name, #field
#define AT(struct_name, field) offsetof(struct_name, field)
#define NO_FIELD NULL, NULL
#define DEPLOYMENT(flag_name, value_name, kind_of_value, field, enumeration, text)                                     \
    {                                                                                                                  \
        flag_name, value_name, "Deployment", NULL, FIELD(roofline_deployment, field), enumeration, text,               \
            AT(roofline_deployment, field), kind_of_value, FLAG_OPTIONAL, COMPLETE_NOTHING, PLANNED                    \
    }
#define OF_KERNEL(word, flag_name, value_name, kind_of_value, rule, structure, field, enumeration, text)               \
    {                                                                                                                  \
        flag_name, value_name, "After the word " word, word, FIELD(structure, field), enumeration, text,               \
            AT(structure, field), kind_of_value, rule, COMPLETE_NOTHING, KERNEL                                        \
    }
#define WORK(flag_name, value_name, kind_of_value, rule, structure, field, takers, text)                               \
    {                                                                                                                  \
        flag_name, value_name, "Work", NULL, FIELD(structure, field), NULL, text, AT(structure, field), kind_of_value, \
            rule, COMPLETE_NOTHING, takers                                                                             \
    }
#define PLAIN(flag_name, value_name, section, rule, completion, takers, text)                                          \
    { flag_name, value_name, section, NULL, NO_FIELD, NULL, text, 0, VALUE_TEXT, rule, completion, takers }
#define SWITCH(flag_name, takers, text)                                                                                \
    { flag_name, NULL, "Output", NULL, NO_FIELD, NULL, text, 0, VALUE_NONE, FLAG_OPTIONAL, COMPLETE_NOTHING, takers }

static const flag_row flags[] = {
    PLAIN("model", "MODEL", "Input", FLAG_REQUIRED, COMPLETE_MODEL, PLANNED,
          "name from the catalogue, a config.json, a folder that holds one, or - for standard input"),
    PLAIN("device", "DEVICE", "Input", FLAG_REQUIRED, COMPLETE_DEVICE, PLANNED | KERNEL,
          "name from the catalogue, a device file in JSON, or - for standard input"),

    WORK("batch", "B", VALUE_COUNT, FLAG_OPTIONAL, roofline_sequences, count, STEP,
         "sequences that decode one token each; with --context"),
    WORK("context", "S", VALUE_COUNT, FLAG_OPTIONAL, roofline_sequences, context_tokens, STEP,
         "positions that each of them attends, the new one included"),
    PLAIN("prefill", "B:N", "Work", FLAG_REPEATABLE, COMPLETE_NOTHING, STEP, "B whole prompts of N tokens"),
    PLAIN("mix", "FILE", "Work", FLAG_OPTIONAL, COMPLETE_FILE, STEP,
          "groups of sequences in JSON, - for standard input: [{\"count\": 4, \"new_tokens\": 512, \"context_tokens\": "
          "2048, \"logit_rows\": -1}, ...]; context_tokens includes the new tokens; "
          "logit_rows 0 or left out is one row a sequence, -1 is none"),
    WORK("context", "S", VALUE_COUNT, FLAG_REQUIRED, roofline_memory_query, context_tokens, MEMORY,
         "tokens of every sequence"),
    WORK("batch", "B", VALUE_COUNT, FLAG_OPTIONAL, roofline_memory_query, sequences, MEMORY,
         "sequences that are to fit; left out: one"),
    PLAIN("batch", "LIST", "Work", FLAG_REQUIRED, COMPLETE_NOTHING, SWEEP, "numbers of sequences"),
    PLAIN("context", "LIST", "Work", FLAG_REQUIRED, COMPLETE_NOTHING, SWEEP,
          "positions that each sequence attends, the new one included"),

    OF_KERNEL("gemm", "tokens", "T", VALUE_COUNT, FLAG_REQUIRED, roofline_gemm_shape, tokens, NULL,
              "rows of the activation: tokens in the step"),
    OF_KERNEL("gemm", "k", "K", VALUE_COUNT, FLAG_REQUIRED, roofline_gemm_shape, k, NULL, "inner dimension"),
    OF_KERNEL("gemm", "n", "N", VALUE_COUNT, FLAG_REQUIRED, roofline_gemm_shape, n, NULL, "columns of the weight"),
    OF_KERNEL("gemm", "output-columns", "C", VALUE_COUNT_ABOVE_0, FLAG_OPTIONAL, roofline_gemm_shape, output_columns,
              NULL, "columns written, when a gated activation is fused; left out: N"),
    OF_KERNEL("gemm", "weights", "FORMAT", VALUE_WORD, FLAG_OPTIONAL, roofline_gemm_shape, weight_format,
              "roofline_format", "of the weight; left out: bf16"),
    OF_KERNEL("gemm", "activations", "FORMAT", VALUE_WORD, FLAG_OPTIONAL, roofline_gemm_shape, input_format,
              "roofline_format", "of the activations that enter; left out: bf16"),
    OF_KERNEL("gemm", "output", "FORMAT", VALUE_WORD, FLAG_OPTIONAL, roofline_gemm_shape, output_format,
              "roofline_format", "of the result; left out: bf16"),
    OF_KERNEL("gemm", "arithmetic", "ARITHMETIC", VALUE_WORD, FLAG_OPTIONAL, roofline_gemm_shape, arithmetic,
              "roofline_arithmetic", "what multiplies; left out: of the wider of weights and activations"),

    OF_KERNEL("attention", "count", "B", VALUE_COUNT_ABOVE_0, FLAG_OPTIONAL, roofline_attention_shape, count, NULL,
              "equal sequences; left out: 1"),
    OF_KERNEL("attention", "heads", "H", VALUE_COUNT, FLAG_REQUIRED, roofline_attention_shape, query_heads, NULL,
              "query heads"),
    OF_KERNEL("attention", "kv-heads", "G", VALUE_COUNT, FLAG_REQUIRED, roofline_attention_shape, kv_heads, NULL,
              "key and value heads; divides H"),
    OF_KERNEL("attention", "head-dim", "D", VALUE_COUNT, FLAG_REQUIRED, roofline_attention_shape, head_dim, NULL,
              "of queries and keys"),
    OF_KERNEL("attention", "value-head-dim", "D", VALUE_COUNT_ABOVE_0, FLAG_OPTIONAL, roofline_attention_shape,
              value_head_dim, NULL, "of values; left out: as --head-dim"),
    OF_KERNEL("attention", "new", "N", VALUE_COUNT, FLAG_REQUIRED, roofline_attention_shape, new_tokens, NULL,
              "new tokens of each sequence: 1 for decode"),
    OF_KERNEL("attention", "context", "S", VALUE_COUNT, FLAG_REQUIRED, roofline_attention_shape, context_tokens, NULL,
              "positions attended, the new ones included"),
    OF_KERNEL("attention", "window", "W", VALUE_COUNT_ABOVE_0, FLAG_OPTIONAL, roofline_attention_shape, window_tokens,
              NULL, "a position attends at most W positions, itself included; left out: all"),
    OF_KERNEL("attention", "kv", "FORMAT", VALUE_WORD, FLAG_OPTIONAL, roofline_attention_shape, kv_format,
              "roofline_format", "of the KV cache; left out: bf16"),
    OF_KERNEL("attention", "activations", "FORMAT", VALUE_WORD, FLAG_OPTIONAL, roofline_attention_shape,
              activation_format, "roofline_format", "of queries and result; left out: bf16"),
    OF_KERNEL("attention", "arithmetic", "ARITHMETIC", VALUE_WORD, FLAG_OPTIONAL, roofline_attention_shape, arithmetic,
              "roofline_arithmetic", "what multiplies; left out: of --activations"),

    OF_KERNEL("given", "flops", "F", VALUE_NUMBER, FLAG_REQUIRED, roofline_work, flops, NULL,
              "floating-point operations, a multiply-add is 2"),
    OF_KERNEL("given", "bytes", "Q", VALUE_WORK_BYTES, FLAG_REQUIRED, roofline_work, bytes, NULL,
              "bytes across the main-memory boundary, counted or measured"),
    OF_KERNEL("given", "format", "ARITHMETIC", VALUE_WORD, FLAG_OPTIONAL, roofline_work, arithmetic,
              "roofline_arithmetic", "what multiplies; needed when F is above 0"),

    {"traffic", "POLICY", "For all kernels", NULL, NO_FIELD, "roofline_traffic",
     "which bytes of gemm and attention count: compulsory (all operands once) or streamed (weights and KV cache only)",
     0, VALUE_WORD, FLAG_OPTIONAL, COMPLETE_NOTHING, KERNEL},
    {"measured-s", "SECONDS", "For all kernels", NULL, NO_FIELD, NULL,
     "a measured time of all the kernels together, to be compared with the bound", 0, VALUE_NUMBER, FLAG_OPTIONAL,
     COMPLETE_NOTHING, KERNEL},

    DEPLOYMENT("weights", "FORMAT", VALUE_WORD, weights, "roofline_format",
               "of the layers' matrices; left out: as the model is stored"),
    DEPLOYMENT("activations", "FORMAT", VALUE_WORD, activations, "roofline_format",
               "of what enters a product; left out: as --residual"),
    DEPLOYMENT("kv", "FORMAT", VALUE_WORD, kv, "roofline_format", "of the KV cache; left out: as --residual"),
    DEPLOYMENT(
        "residual", "FORMAT", VALUE_WORD, residual, "roofline_format",
        "of what leaves a product; left out: the weights' format if that has 16 or 32 bits, else the stored one"),
    DEPLOYMENT("head-weights", "FORMAT", VALUE_WORD, head_weights, "roofline_format",
               "of embedding, logits matrix and norms; left out: as --residual"),
    DEPLOYMENT("arithmetic", "ARITHMETIC", VALUE_WORD, linear_arithmetic, "roofline_arithmetic",
               "of the layers' products; left out: of the wider of weights and activations"),
    DEPLOYMENT("attention-arithmetic", "ARITHMETIC", VALUE_WORD, attention_arithmetic, "roofline_arithmetic",
               "of attention; left out: of --residual"),
    DEPLOYMENT("tp", "N", VALUE_RANKS, tp, NULL, "tensor-parallel ranks; only 1 is modelled yet"),
    DEPLOYMENT("pp", "N", VALUE_RANKS, pp, NULL, "pipeline stages; only 1 is modelled yet"),
    DEPLOYMENT("ep", "N", VALUE_RANKS, ep, NULL, "expert-parallel ranks; only 1 is modelled yet"),
    DEPLOYMENT("dp", "N", VALUE_RANKS, dp, NULL, "data-parallel replicas; only 1 is modelled yet"),
    DEPLOYMENT("traffic", "POLICY", VALUE_WORD, traffic, "roofline_traffic",
               "which bytes count: compulsory (default: weights, KV cache and activations, each kernel with cold "
               "caches) or streamed (weights and KV cache read, nothing else)"),
    DEPLOYMENT("memory-fraction", "F", VALUE_NUMBER_ABOVE_0, memory_fraction, NULL,
               "of the capacity that the engine may use, above 0 up to 1; left out: 0.9"),
    DEPLOYMENT("capacity-bytes", "BYTES", VALUE_BYTES_ABOVE_0, capacity_bytes, NULL,
               "memory of the device; left out: what its driver reports, else the nominal size"),
    DEPLOYMENT("reserve-bytes", "BYTES", VALUE_BYTES, reserve_bytes, NULL, "held back for the runtime; left out: 0"),
    DEPLOYMENT("activation-bytes", "BYTES|estimate", VALUE_BYTES_OR_ESTIMATE, activation_bytes, NULL,
               "memory for activations; left out: estimate, from --token-budget"),
    DEPLOYMENT("token-budget", "N", VALUE_COUNT_ABOVE_0, token_budget, NULL,
               "most new tokens in one step, for that estimate; left out: 8192"),
    DEPLOYMENT("block-tokens", "N", VALUE_COUNT_ABOVE_0, block_tokens, NULL,
               "KV cache is handed out in blocks of N tokens, at most 4096; left out: 16; 1: no rounding"),
    DEPLOYMENT("output-slots", "N", VALUE_COUNT, output_slots, NULL,
               "cells that a sequence holds beyond its context, for the token being sampled; left out: 1"),
    DEPLOYMENT("host-s-per-step", "SECONDS", VALUE_NUMBER, host_s_per_step, NULL,
               "scheduling and sampling, in the predicted time only; left out: 0"),

    SWITCH("kernels", STEP, "add the table of kernels (JSON always has it)"),
    SWITCH("json", EVERY & ~(COMPLETION | MANUAL), "print JSON: keys are field names of roofline.h, units are SI"),
    SWITCH("csv", DEVICES | MODELS | SWEEP, "print comma-separated values under a row of field names"),
    SWITCH("csv", STEP, "print the table of kernels as comma-separated values under a row of field names"),
    SWITCH("help", EVERY, "print this help"),
};

const char flag_notes_on_values[] =
    "A model or device is read from the file of that name when there is one, else looked up in the catalogue, whose "
    "spelling ignores case, '-', '_', '.' and spaces.\n"
    "BYTES and Q take the suffixes k, M, G, T (powers of 1000) and Ki, Mi, Gi, Ti (powers of 1024): 80G, 1.5Gi. "
    "Numbers are written with a point, whatever the locale.\n"
    "Times are lower bounds unless they are called predicted. GB is 1e9 bytes; a multiply-add is 2 FLOP; peaks are "
    "dense.";

const char flag_notes_on_exit[] =
    "0: done. 1: the answer is no (memory: it does not fit). 2: bad input, with one message on standard error.";

const subcommand *subcommand_at(size_t index) {
    return index < sizeof subcommands / sizeof *subcommands ? &subcommands[index] : NULL;
}

const subcommand *subcommand_find(const char *name) {
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++)
        if (!strcmp(subcommands[i].name, name))
            return &subcommands[i];
    return NULL;
}

const flag_row *flag_next(const subcommand *command, size_t *index) {
    while (*index < sizeof flags / sizeof *flags) {
        const flag_row *candidate = &flags[(*index)++];
        if (candidate->commands & command->bit)
            return candidate;
    }
    return NULL;
}

const flag_row *flag_find(const subcommand *command, const char *name, const char *word) {
    const flag_row *candidate;
    for (size_t index = 0; (candidate = flag_next(command, &index));)
        if (!strcmp(candidate->name, name) && (!candidate->word || (word && !strcmp(candidate->word, word))))
            return candidate;
    return NULL;
}

const flag_row *flag_named(const subcommand *command, const char *name) {
    const flag_row *candidate;
    for (size_t index = 0; (candidate = flag_next(command, &index));)
        if (!strcmp(candidate->name, name))
            return candidate;
    return NULL;
}

const flag_row *flag_of_field(const subcommand *command, const char *struct_name, const char *field) {
    const flag_row *candidate;
    for (size_t index = 0; (candidate = flag_next(command, &index));)
        if (candidate->field && !strcmp(candidate->struct_name, struct_name) && !strcmp(candidate->field, field))
            return candidate;
    return NULL;
}

void flag_words(const char *meaning, const char *separator, char text[FLAG_WORDS_BYTES]) {
    roofline_constant_row row = {.struct_size = sizeof row};
    size_t used = 0;
    text[0] = 0;
    for (int64_t i = 0; roofline_constant_at(i, &row, NULL) == ROOFLINE_OK && used < FLAG_WORDS_BYTES; i++)
        if (!strcmp(row.meaning, meaning) && strcmp(row.text, "default") != 0)
            used += (size_t)snprintf(text + used, FLAG_WORDS_BYTES - used, "%s%s", used ? separator : "", row.text);
}
