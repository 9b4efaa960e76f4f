/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roofline.h - how fast a large language model can be served, what limits it, and whether it fits.
 *
 * THE IDEA. A kernel that performs F floating-point operations and moves Q bytes between the chip and its main memory
 * cannot finish sooner than max(F / peak, Q / bandwidth). A step of an inference engine is a list of such kernels: run
 * one after the other, each from cold caches, they cannot finish sooner than the sum of these. This library counts F
 * and Q for a model, a device and a batch of sequences, and says which of the two limits binds. Everything it counts
 * is written down in docs/theory.md, with the equation and the test of each figure.
 *
 * THE ROUTE, always in one direction:
 *
 *     device  ----+
 *     model   ----+--> plan (compiled, immutable) --> step cost (pure, nanoseconds) --> memory, limits, decisions
 *     deployment -+                                       ^
 *     sequences of one engine step -----------------------+
 *
 * THE CALLS OF A PROGRAM (a whole one stands in README.md)
 *
 *     roofline_device *device = NULL;
 *     roofline_model *model = NULL;
 *     roofline_plan *plan = NULL;
 *     roofline_error error;
 *     roofline_deployment deployment;
 *     roofline_deployment_init(&deployment, sizeof deployment);
 *     if (roofline_device_open("h100-sxm", &device, &error) != ROOFLINE_OK ||
 *         roofline_model_load("config.json", &model, &error) != ROOFLINE_OK ||
 *         roofline_plan_new(device, model, &deployment, &plan, &error) != ROOFLINE_OK) {
 *         fprintf(stderr, "%s: %s\n", error.path, error.message);
 *         return 1;
 *     }
 *     roofline_sequences decode = {.struct_size = sizeof decode, .count = 8, .new_tokens = 1, .context_tokens = 8192};
 *     roofline_step_result step = {.struct_size = sizeof step};
 *     if (roofline_step_groups(plan, &decode, 1, sizeof decode, &step, &error) == ROOFLINE_OK)
 *         printf("%.3f ms, %.0f tokens/s\n", 1e3 * step.kernel_s, step.tokens_per_s);
 *
 * RULES THAT HOLD EVERYWHERE
 *
 *   Units     SI: seconds, bytes, FLOP (a multiply-add is 2), FLOP/s, bytes/s. The names say them. GB is 1e9 bytes.
 *   Status    Every function that can fail returns a roofline_status: 0, or a negative error. "Does not fit", "never"
 *             and "cannot be attained" are answers, not errors: status 0, the answer in the result.
 *   Outputs   On a negative status no output is touched, except `needed`, `kernel_count` and `status[]`, where they
 *             are named. A number that does not exist is NaN, only in fields whose comment says so. JSON has null for
 *             NaN and for infinity.
 *   Errors    `error` may be NULL. Otherwise the library writes its 1024 bytes on every call that takes it, success
 *             included; the times below are for NULL.
 *   Structs   The caller sets `struct_size` to its own sizeof. Inputs: a field that an older caller does not have
 *             reads as 0; a larger struct is accepted when the part that is not known is zero. Outputs: the caller
 *             sets struct_size and nothing else; the library fills what it knows, zeroes the rest of the caller's
 *             struct, and leaves struct_size as it is. 0 in an input field means what its comment says of 0, mostly
 *             "the default"; where the usual value differs, `_init` writes it. `padding` is not read and is written as
 *             0.
 *   Arrays    of structs travel with `row_bytes`, the caller's sizeof of one element; element i is at i * row_bytes.
 *             The struct_size inside an element is not read; in an output array it becomes row_bytes.
 *   Strings   in and out are UTF-8 and end in NUL. A function that gives text takes (buffer, capacity, &needed):
 *             `needed` (may be NULL) is set whenever there is a text, and counts the NUL. With capacity 0 the call
 *             only asks and returns ROOFLINE_OK (buffer may be NULL then); too small a buffer is ROOFLINE_BUFFER_SIZE
 *             and nothing else is written. `const char *` results are static and live until the library is unloaded;
 *             NULL: no such entry.
 *   Threads   No globals, no locks, no environment, no callbacks, nothing thread-local. A `const` handle may be used
 *             by any number of threads at once, while no thread changes it. Only roofline_workload has functions that
 *             do.
 *   Handles   `_free(NULL)` does nothing, `_count(NULL)` is 0. A plan keeps what it needs: device and model may be
 *             freed at once.
 *   Numbers   IEEE doubles; the same input gives the same bits in every call form, thread and language. Whole numbers
 *             in doubles are exact up to 2^53. Counts that enter are int64_t (sizes of arrays: size_t) and checked:
 *             sequences <= 2^24, tokens <= 2^32, bytes <= 2^50. NaN, infinity, negatives and overflow are refused
 *             where they enter, with the field's name.
 *
 * STABILITY. ABI 0: names and layouts may still change from one release to the next (CHANGELOG.md says how). From ABI 1
 * on, functions, values and fields are only ever appended, and a program built against an older header keeps running.
 * The SONAME carries the ABI number. Language bindings read the layout of every struct from the library itself
 * (roofline_layout_at) and refuse to run on a mismatch.
 */
#ifndef ROOFLINE_H
#define ROOFLINE_H

#include <stddef.h>
#include <stdint.h>

#ifndef ROOFLINE_API
#if defined(_WIN32) && defined(ROOFLINE_BUILD)
#define ROOFLINE_API __declspec(dllexport)
#elif defined(_WIN32)
#define ROOFLINE_API __declspec(dllimport)
#elif defined(__GNUC__)
#define ROOFLINE_API __attribute__((visibility("default")))
#else
#define ROOFLINE_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------ versions -- */

enum {
    ROOFLINE_ABI_VERSION = 0,
    ROOFLINE_VERSION_MAJOR = 0,
    ROOFLINE_VERSION_MINOR = 1,
    ROOFLINE_VERSION_PATCH = 0
};

/* The version of the library that runs, "major.minor.patch". */
ROOFLINE_API const char *roofline_version(void);

/* The ABI of the library that runs; a caller compares it with ROOFLINE_ABI_VERSION of the header it was built with. */
ROOFLINE_API int32_t roofline_abi_version(void);

/* The date of the newest figure in the embedded catalogues, "YYYY-MM-DD". */
ROOFLINE_API const char *roofline_catalogue_date(void);

/* -------------------------------------------------------------------------------------------------------- status -- */

/* Values are frozen once released; gaps are left for more. */
enum {
    ROOFLINE_OK = 0,
    ROOFLINE_ARGUMENT = -1,     /* an argument contradicts another, or a pointer that must not be NULL is NULL */
    ROOFLINE_RANGE = -2,        /* a number is outside the range that its comment states, or not finite */
    ROOFLINE_STRUCT_SIZE = -3,  /* struct_size or row_bytes is impossible, or the unknown part is not zero */
    ROOFLINE_BUFFER_SIZE = -4,  /* the buffer or the array is too small: see `needed` or `count` */
    ROOFLINE_PARSE = -10,       /* the text is not strict JSON: see line and offset */
    ROOFLINE_SCHEMA = -11,      /* well-formed JSON, but a key is missing, unknown, twice there or of another type */
    ROOFLINE_UNSUPPORTED = -12, /* understood and refused: an architecture, format or option that is not modelled */
    ROOFLINE_NOT_FOUND = -13,   /* no such file, catalogue entry, row or name */
    ROOFLINE_IO = -14,          /* the file could not be read */
    ROOFLINE_NO_MEMORY = -20,   /* an allocation failed; nothing was made */
    ROOFLINE_OVERFLOW = -21     /* a product of valid numbers exceeds what the library counts exactly */
};
typedef int32_t roofline_status;

/* "range", ... of a status; "unknown" for a value that this library does not know. */
ROOFLINE_API const char *roofline_status_name(roofline_status status);

/* One plain sentence about a status. */
ROOFLINE_API const char *roofline_status_text(roofline_status status);

/*
 * What went wrong. Frozen at 1024 bytes for ever, owned by the caller, needs no initialisation.
 * path: a JSON pointer into the text that was read ("/peaks_flops/bf16"), "struct.field" of an argument, "/3/field" of
 * the element at index 3 of an array, or the name of a parameter, or "".
 * field_id: the `id` of a "struct.field" in the layout table (roofline_layout_at), 0 for every other path.
 * line, offset: 1-based line and 0-based byte where the text stopped to make sense; 0 when there is no text.
 * message: one sentence in English that says what is wrong and what to do. Bytes that came from a file are escaped.
 */
typedef struct roofline_error {
    int32_t status;
    int32_t field_id;
    int64_t line;
    int64_t offset;
    char path[232];
    char message[512];
    char reserved[256];
} roofline_error;

/* ------------------------------------------------------------------------------------- layout, for the bindings -- */

/* How a field is stored. An array field has count > 1; text is a char array. */
enum {
    ROOFLINE_STORAGE_INT32 = 1,
    ROOFLINE_STORAGE_UINT32 = 2,
    ROOFLINE_STORAGE_INT64 = 3,
    ROOFLINE_STORAGE_UINT64 = 4,
    ROOFLINE_STORAGE_DOUBLE = 5,
    ROOFLINE_STORAGE_TEXT = 6
};
typedef int32_t roofline_storage;

/* 0 or 1. JSON shows false or true. */
typedef int32_t roofline_bool;

/*
 * One field of one public struct, or (field = "") the struct itself. Field names are also the keys of every JSON that
 * the library and the command write. meaning: the typedef of the field when it is one of this header (the values of
 * "roofline_regime" are in the constants table), else "".
 */
typedef struct roofline_layout_row {
    uint32_t struct_size;
    roofline_storage storage;
    int32_t id; /* stable name of "struct.field", as in roofline_error.field_id */
    int32_t padding;
    int64_t offset_bytes;
    int64_t size_bytes;
    int64_t count;
    char struct_name[48];
    char field[48];
    char meaning[48];
} roofline_layout_row;

/* One named value of one enumeration: ("roofline_regime", "ROOFLINE_REGIME_MEMORY", "memory", 2). */
typedef struct roofline_constant_row {
    uint32_t struct_size;
    int32_t value;
    char meaning[48];
    char name[48];
    char text[48];
} roofline_constant_row;

/* Rows: [0, count). ROOFLINE_NOT_FOUND past the end. Allocate nothing, any thread. */
ROOFLINE_API int64_t roofline_layout_count(void);
ROOFLINE_API roofline_status roofline_layout_at(int64_t index, roofline_layout_row *out, roofline_error *error);
ROOFLINE_API int64_t roofline_constant_count(void);
ROOFLINE_API roofline_status roofline_constant_at(int64_t index, roofline_constant_row *out, roofline_error *error);

/*
 * Text and value of every enumeration, so that no binding keeps a list of its own: ("roofline_regime", 2) <-> "memory".
 * _text returns NULL for a value or an enumeration that this library does not have; _value gives ROOFLINE_NOT_FOUND and
 * lists the words that it knows. Linear in the size of the table (some hundred rows).
 */
ROOFLINE_API const char *roofline_constant_text(const char *meaning, int32_t value);
ROOFLINE_API roofline_status roofline_constant_value(const char *meaning, const char *text, int32_t *value,
                                                     roofline_error *error);

/* ------------------------------------------------------------------------------------------------ number formats -- */

/* How a number is stored. */
enum {
    ROOFLINE_FORMAT_DEFAULT = 0,
    ROOFLINE_FORMAT_FP32 = 1,
    ROOFLINE_FORMAT_FP16 = 2,
    ROOFLINE_FORMAT_BF16 = 3,
    ROOFLINE_FORMAT_FP8 = 4,  /* one scale a tensor, which is not counted */
    ROOFLINE_FORMAT_INT8 = 5, /* likewise */
    ROOFLINE_FORMAT_FP4 = 6,  /* likewise */
    ROOFLINE_FORMAT_INT4 = 7  /* likewise */
};
typedef int32_t roofline_format;

/*
 * What multiplies: each has its own peak on a device. Peaks are DENSE, with fp32 (int32 for integers) accumulation;
 * fp16_acc16 and fp8_acc16 accumulate in fp16, which is faster on some consumer chips. The _sparse ones need weights
 * pruned 2:4 and are never used, and never printed, unless asked for by name.
 */
enum {
    ROOFLINE_ARITHMETIC_DEFAULT = 0,
    ROOFLINE_ARITHMETIC_FP32 = 1,
    ROOFLINE_ARITHMETIC_TF32 = 2,
    ROOFLINE_ARITHMETIC_FP16 = 3,
    ROOFLINE_ARITHMETIC_BF16 = 4,
    ROOFLINE_ARITHMETIC_FP8 = 5,
    ROOFLINE_ARITHMETIC_INT8 = 6,
    ROOFLINE_ARITHMETIC_FP4 = 7,
    ROOFLINE_ARITHMETIC_FP16_ACC16 = 9,
    ROOFLINE_ARITHMETIC_FP8_ACC16 = 10,
    ROOFLINE_ARITHMETIC_TF32_SPARSE = 18,
    ROOFLINE_ARITHMETIC_FP16_SPARSE = 19,
    ROOFLINE_ARITHMETIC_BF16_SPARSE = 20,
    ROOFLINE_ARITHMETIC_FP8_SPARSE = 21,
    ROOFLINE_ARITHMETIC_INT8_SPARSE = 22,
    ROOFLINE_ARITHMETIC_FP4_SPARSE = 23
};
typedef int32_t roofline_arithmetic;

typedef struct roofline_format_info_result {
    uint32_t struct_size;
    roofline_format format;
    double bits_per_element;
    roofline_arithmetic arithmetic; /* the peak that numbers of this format compute on; 0: none of its own (int4) */
    int32_t padding;
} roofline_format_info_result;

/* Facts of one format. ROOFLINE_RANGE for a value that is none. Any thread; allocates nothing. */
ROOFLINE_API roofline_status roofline_format_info(roofline_format format, roofline_format_info_result *out,
                                                  roofline_error *error);

/* ------------------------------------------------------------------------------- what every result is made under -- */

/* What binds. At a tie a kernel is compute-bound (its intensity has reached the ridge). */
enum {
    ROOFLINE_REGIME_COMPUTE = 1,
    ROOFLINE_REGIME_MEMORY = 2,
    ROOFLINE_REGIME_LINK = 3,
    ROOFLINE_REGIME_LAUNCH = 4
};
typedef int32_t roofline_regime;

/*
 * Which bytes count.
 * compulsory (default): each kernel alone with cold caches: weights, KV cache read and written, activations in and out,
 *     embedding rows gathered. It bounds a kernel. Between kernels of a step an intermediate may stay in cache, so a
 *     step can in principle beat the sum.
 * streamed: weights and KV cache read, nothing else. The floor of a whole step that can be proven, as long as those
 *     exceed the last-level cache (cache_resident says when they do not): aggregate_s for an engine that overlaps its
 *     kernels, kernel_s for one that runs them in turn. A cache warm from the step before saves at most l2_bytes.
 */
enum {
    ROOFLINE_TRAFFIC_COMPULSORY = 0,
    ROOFLINE_TRAFFIC_STREAMED = 1
};
typedef int32_t roofline_traffic;

/* Where a device's figures come from. */
enum {
    ROOFLINE_SOURCE_SPEC = 0,
    ROOFLINE_SOURCE_MEASURED = 1
};
typedef int32_t roofline_source;

/* Answer to a question that may have none. */
enum {
    ROOFLINE_ANSWER_NO = 0,
    ROOFLINE_ANSWER_YES = 1,
    ROOFLINE_ANSWER_NEVER = 2,
    ROOFLINE_ANSWER_UNATTAINABLE = 3
};
typedef int32_t roofline_answer;

/* Why something does not fit. An open set: a newer library may return more. */
enum {
    ROOFLINE_REASON_NONE = 0,
    ROOFLINE_REASON_WEIGHTS = 1, /* weights, activations and reserve alone exceed the budget */
    ROOFLINE_REASON_KV = 2,      /* they fit, the KV cache of these sequences does not */
    ROOFLINE_REASON_CONTEXT = 3  /* a sequence is longer than the model's learned positions */
};
typedef int32_t roofline_reason;

/* Which figure a memory check took as the capacity. */
enum {
    ROOFLINE_CAPACITY_NOMINAL = 0, /* the device's memory_bytes */
    ROOFLINE_CAPACITY_USABLE = 1,  /* its memory_usable_bytes */
    ROOFLINE_CAPACITY_GIVEN = 2    /* the deployment's capacity_bytes */
};
typedef int32_t roofline_capacity;

/* What a note is about. An open set. */
enum {
    ROOFLINE_NOTE_SPEC_PEAKS = 1,            /* device: figures are a datasheet's, at boost clock */
    ROOFLINE_NOTE_UNVERIFIED_FIGURE = 2,     /* device: a figure without a stored source */
    ROOFLINE_NOTE_USABLE_MEMORY_UNKNOWN = 3, /* device: the nominal size stands in for what a driver reports */
    ROOFLINE_NOTE_UNKNOWN_KEY = 20,          /* model: a key of the config that the library does not know */
    ROOFLINE_NOTE_DEFAULT_USED = 21,         /* model: a key is missing and the architecture's default was taken */
    ROOFLINE_NOTE_FORMAT_ASSUMED = 22,       /* model: the config does not say how weights are stored */
    ROOFLINE_NOTE_WINDOW = 23,               /* model: some layers attend inside a window */
    ROOFLINE_NOTE_KEY_CONTRADICTED = 24,     /* model: a key's value is known not to mean what it says */
    ROOFLINE_NOTE_PREDICTION_LAYERS = 25,    /* model: layers that predict further tokens are not counted */
    ROOFLINE_NOTE_WEIGHT_ONLY = 40,          /* plan: weights are narrower than the arithmetic */
    ROOFLINE_NOTE_HEAD_FORMAT = 41,          /* plan: embedding and logits stay in a wider format */
    ROOFLINE_NOTE_ACTIVATION_ESTIMATE = 42,  /* plan: activation memory is an estimate */
    ROOFLINE_NOTE_TRAFFIC = 43,              /* plan: the byte policy and what it leaves out */
    ROOFLINE_NOTE_CAPACITY = 44,             /* plan: which memory size the budget is a fraction of */
    ROOFLINE_NOTE_UNCALIBRATED = 45,         /* plan: the prediction is the bound; nothing measured is in it */
    ROOFLINE_NOTE_BEYOND_TRAINED = 46,       /* plan: what the model's stated context length is */
    ROOFLINE_NOTE_EXPECTED_EXPERTS = 47      /* plan: how many experts a step reads is an expected number */
};
typedef int32_t roofline_note_code;

enum {
    ROOFLINE_SEVERITY_ASSUMPTION = 1,
    ROOFLINE_SEVERITY_LEFT_OUT = 2,
    ROOFLINE_SEVERITY_MISMATCH = 3,
    ROOFLINE_SEVERITY_ESTIMATE = 4
};
typedef int32_t roofline_severity;

/* One assumption behind a handle's figures; its sentence travels beside it. field: what it is about, or "". */
typedef struct roofline_note {
    uint32_t struct_size;
    roofline_note_code code;
    roofline_severity severity;
    int32_t padding;
    char field[64];
} roofline_note;

/* ------------------------------------------------------------------------------------------------------- devices -- */

typedef struct roofline_device roofline_device;

/* Everything that a device is made of, in and out. */
typedef struct roofline_device_spec {
    uint32_t struct_size;
    roofline_source kind; /* 0: the figures are a datasheet's */
    char name[64];        /* required */
    char vendor[32];
    char date[16];               /* when the figures were gathered, "YYYY-MM-DD", or "" */
    double peaks_flops[32];      /* FLOP/s by roofline_arithmetic; 0: the chip has no such units. At least one. */
    double memory_bytes_per_s;   /* required, > 0 */
    int64_t memory_bytes;        /* nominal, decimal: an "80 GB" part has 80000000000. Required, > 0 */
    int64_t memory_usable_bytes; /* what the driver reports; 0: not known */
    int64_t l2_bytes;            /* last-level cache as the chip has it ("50 MB" is 52428800); 0: not known */
    double tdp_w;                /* 0: not known */
    double price_per_hour;       /* in the caller's currency; 0: not known */
} roofline_device_spec;

/* One kind of link, its rate summed over the device's ports, in one direction. */
typedef struct roofline_link {
    uint32_t struct_size;
    int32_t padding;
    char name[48];
    double bytes_per_s;
} roofline_link;

/*
 * Four ways to make a device. The handle is immutable and owned by the caller.
 *   _open    from the embedded catalogue by id or alias ("h100-sxm", "H100"); spelling ignores case, '-', '_', '.' and
 *            ' '. ROOFLINE_NOT_FOUND names the nearest ids.
 *   _parse   from JSON text (`length` bytes, need not end in NUL; docs/device.md describes it).
 *   _load    from a JSON file of at most 16 MiB.
 *   _create  from numbers; `links` may be NULL when link_count is 0.
 * Allocate; microseconds. Errors: ARGUMENT, RANGE, STRUCT_SIZE, PARSE, SCHEMA, NOT_FOUND, IO, NO_MEMORY.
 */
ROOFLINE_API roofline_status roofline_device_open(const char *name, roofline_device **out, roofline_error *error);
ROOFLINE_API roofline_status roofline_device_parse(const char *json, size_t length, roofline_device **out,
                                                   roofline_error *error);
ROOFLINE_API roofline_status roofline_device_load(const char *path, roofline_device **out, roofline_error *error);
ROOFLINE_API roofline_status roofline_device_create(const roofline_device_spec *spec, const roofline_link *links,
                                                    size_t link_count, size_t row_bytes, roofline_device **out,
                                                    roofline_error *error);
ROOFLINE_API void roofline_device_free(roofline_device *device);

/* Reading one. Any thread; allocate nothing. */
ROOFLINE_API roofline_status roofline_device_info(const roofline_device *device, roofline_device_spec *out,
                                                  roofline_error *error);
/* Peak in FLOP/s, and ridge = peak / bandwidth in FLOP/byte. ROOFLINE_UNSUPPORTED when the chip has no such units. */
ROOFLINE_API roofline_status roofline_device_peak(const roofline_device *device, roofline_arithmetic arithmetic,
                                                  double *flops, roofline_error *error);
ROOFLINE_API roofline_status roofline_device_ridge(const roofline_device *device, roofline_arithmetic arithmetic,
                                                   double *flop_per_byte, roofline_error *error);
ROOFLINE_API int64_t roofline_device_link_count(const roofline_device *device);
ROOFLINE_API roofline_status roofline_device_link(const roofline_device *device, int64_t index, roofline_link *out,
                                                  roofline_error *error);
/* Where a figure is from. field: a key of the device's JSON ("memory_bytes", "peaks_flops/bf16"); "": of the whole. */
ROOFLINE_API roofline_status roofline_device_source(const roofline_device *device, const char *field, char *buffer,
                                                    size_t capacity, size_t *needed, roofline_error *error);
/* The device as JSON that _parse reads back to the same bits. Allocates while it runs. */
ROOFLINE_API roofline_status roofline_device_to_json(const roofline_device *device, char *buffer, size_t capacity,
                                                     size_t *needed, roofline_error *error);
ROOFLINE_API int64_t roofline_device_note_count(const roofline_device *device);
ROOFLINE_API roofline_status roofline_device_note(const roofline_device *device, int64_t index, roofline_note *out,
                                                  char *buffer, size_t capacity, size_t *needed, roofline_error *error);

/* The embedded catalogue: ids in [0, count); NULL past the end. */
ROOFLINE_API int64_t roofline_device_count(void);
ROOFLINE_API const char *roofline_device_id(int64_t index);

/* ------------------------------------------------------------------------------------------ one kernel, no model -- */

/* Any kernel, given by its work: use a measured byte count for the operational roofline. */
typedef struct roofline_work {
    uint32_t struct_size;
    roofline_arithmetic arithmetic; /* required when flops > 0 */
    double flops;                   /* >= 0 */
    double bytes;                   /* across the main-memory boundary, >= 0 */
} roofline_work;

typedef struct roofline_bound_result {
    uint32_t struct_size;
    roofline_regime regime;
    double bound_s;                 /* max(compute_s, memory_s): no run of this kernel is faster, caches cold */
    double compute_s;               /* flops / peak */
    double memory_s;                /* bytes / bandwidth */
    double intensity_flop_per_byte; /* flops / bytes; NaN when bytes is 0 */
    double ridge_flop_per_byte;     /* peak / bandwidth; NaN without an arithmetic */
    double attainable_flops_per_s;  /* min(peak, bandwidth * intensity); NaN without an arithmetic or without bytes */
    double fraction_of_peak;        /* attainable / peak; NaN likewise */
    roofline_arithmetic arithmetic;
    roofline_bool cache_resident; /* all bytes (more than 0) fit into l2_bytes: a warm run can be faster than bound_s */
    roofline_source source;
    int32_t padding;
} roofline_bound_result;

/*
 * The roofline itself (theory: 1). ROOFLINE_UNSUPPORTED when the device has no units for the arithmetic.
 * About 10 ns; allocates nothing; any thread.
 */
ROOFLINE_API roofline_status roofline_bound(const roofline_device *device, const roofline_work *work,
                                            roofline_bound_result *out, roofline_error *error);

typedef struct roofline_compose_result {
    uint32_t struct_size;
    roofline_regime regime; /* of the aggregate */
    double aggregate_s;     /* max(sum compute, sum memory): kernels overlap without limit */
    double kernel_s;        /* sum of the bounds: kernels run one after the other. Never below aggregate_s */
    double compute_s;       /* sum of flops_i / peak_i, each at its own peak */
    double memory_s;        /* sum of bytes_i / bandwidth */
    double flops;
    double bytes;
    double intensity_flop_per_byte; /* flops / bytes; NaN when bytes is 0 */
    double ridge_flop_per_byte;     /* of the mix: (flops / compute_s) / bandwidth; NaN when flops is 0 */
    double memory_bound_share;      /* share of kernel_s spent in memory-bound kernels, 0..1 */
    double compute_bound_share;
} roofline_compose_result;

/* A sequence of kernels composed both ways (theory: 5). 1 <= count <= 2^20. Linear in count; allocates nothing. */
ROOFLINE_API roofline_status roofline_compose(const roofline_device *device, const roofline_work *rows, size_t count,
                                              size_t row_bytes, roofline_compose_result *out, roofline_error *error);

/* A matrix product [tokens, k] x [k, n]. One row of tokens is the GEMV of decode. */
typedef struct roofline_gemm_shape {
    uint32_t struct_size;
    roofline_traffic traffic;
    int64_t tokens;                 /* rows of the activation, 1..2^32 */
    int64_t k;                      /* inner dimension, 1..2^32 */
    int64_t n;                      /* columns of the weight, 1..2^32 */
    int64_t output_columns;         /* 0: n. Half of n where a gated activation is fused (gate and up in one product) */
    roofline_format weight_format;  /* 0: bf16 */
    roofline_format input_format;   /* of the activations that enter; 0: bf16 */
    roofline_format output_format;  /* of the result; 0: bf16 */
    roofline_arithmetic arithmetic; /* 0: of the wider of weight and input */
} roofline_gemm_shape;

typedef struct roofline_gemm_result {
    uint32_t struct_size;
    roofline_arithmetic arithmetic;
    double flops;                   /* 2 tokens k n */
    double bytes;                   /* under the shape's traffic policy */
    double weight_bytes;            /* k n w */
    double activation_bytes;        /* tokens k a + tokens output_columns o; 0 when streamed */
    double intensity_flop_per_byte; /* flops / bytes */
    double limit_flop_per_byte;     /* intensity for tokens -> infinity; infinite (null in JSON) when streamed */
    roofline_traffic traffic;
    int32_t padding;
} roofline_gemm_result;

/* F and Q of a matrix product (theory: 2). About 10 ns; allocates nothing; any thread. */
ROOFLINE_API roofline_status roofline_gemm(const roofline_gemm_shape *shape, roofline_gemm_result *out,
                                           roofline_error *error);

/*
 * bound_s of one product for many token counts: seconds[i] for tokens[i] (shape->tokens is not read). Strides are in
 * bytes, may be 0 (tokens) or negative, need not be aligned. A bad count gives NaN and its own status[i] (status may be
 * NULL); the rest is computed and the call returns ROOFLINE_OK. Bit for bit what roofline_gemm and roofline_bound give.
 */
ROOFLINE_API roofline_status roofline_gemm_many(const roofline_device *device, const roofline_gemm_shape *shape,
                                                int64_t count, const void *tokens, int64_t tokens_stride, void *seconds,
                                                int64_t seconds_stride, int32_t *status, roofline_error *error);

typedef struct roofline_crossover_result {
    uint32_t struct_size;
    roofline_answer answer;          /* of the compulsory policy: YES, or NEVER */
    double tokens_streamed;          /* ridge w / 2: weight bytes only, whatever k and n */
    double tokens_compulsory;        /* real-valued; NaN when never */
    int64_t least_tokens_streamed;   /* the least whole number that is compute-bound */
    int64_t least_tokens_compulsory; /* 0 when never, or beyond 2^53 */
    double limit_flop_per_byte;      /* intensity for tokens -> infinity under compulsory */
    double ridge_flop_per_byte;
    roofline_arithmetic arithmetic;
    int32_t padding;
} roofline_crossover_result;

/* Tokens at which a product turns compute-bound, under both policies (theory: 2). shape->tokens is not read. */
ROOFLINE_API roofline_status roofline_gemm_crossover(const roofline_device *device, const roofline_gemm_shape *shape,
                                                     roofline_crossover_result *out, roofline_error *error);

/* Causal attention of one layer over `count` equal sequences. Decode: new_tokens 1; whole prompt: new = context. */
typedef struct roofline_attention_shape {
    uint32_t struct_size;
    roofline_traffic traffic;
    int64_t count;                     /* sequences, 1..2^24; 0: 1 */
    int64_t new_tokens;                /* per sequence, 1..2^32 */
    int64_t context_tokens;            /* positions attended, the new ones included, >= new_tokens */
    int64_t query_heads;               /* 1..2^20 */
    int64_t kv_heads;                  /* divides query_heads */
    int64_t head_dim;                  /* of queries and keys */
    int64_t value_head_dim;            /* 0: head_dim */
    int64_t window_tokens;             /* a position attends at most this many, itself included; 0: all */
    roofline_format kv_format;         /* of the cache; 0: bf16 */
    roofline_format activation_format; /* of q and of the result; 0: bf16 */
    roofline_arithmetic arithmetic;    /* 0: of activation_format */
    int32_t padding;
} roofline_attention_shape;

typedef struct roofline_attention_result {
    uint32_t struct_size;
    roofline_arithmetic arithmetic;
    double pairs; /* (query, key) pairs in all sequences, one head */
    double flops; /* 2 query_heads pairs (head_dim + value_head_dim) */
    double bytes; /* under the shape's traffic policy */
    double kv_read_bytes;
    double activation_bytes; /* q in and result out; 0 when streamed */
    double intensity_flop_per_byte;
    roofline_traffic traffic;
    int32_t padding;
} roofline_attention_result;

/*
 * F and Q of attention (theory: 3). K and V of the new tokens are written by the kernel that makes them (qkv), so they
 * are not in here. About 10 ns; allocates nothing; any thread.
 */
ROOFLINE_API roofline_status roofline_attention(const roofline_attention_shape *shape, roofline_attention_result *out,
                                                roofline_error *error);

/* -------------------------------------------------------------------------------------------------------- models -- */

typedef struct roofline_model roofline_model;

/* A run of layers of one shape. Layers of a group need not be neighbours: order does not change any figure. */
typedef struct roofline_layer_group {
    uint32_t struct_size;
    roofline_bool gated_mlp; /* 1: gate, up and down; 0: up and down */
    int64_t layers;          /* 1..2^20 */
    int64_t query_heads;
    int64_t kv_heads;            /* divides query_heads */
    int64_t head_dim;            /* explicit: it need not be hidden / query_heads */
    int64_t value_head_dim;      /* 0: head_dim */
    int64_t window_tokens;       /* 0: full attention */
    int64_t intermediate;        /* width of the MLP that every token passes (shared experts: together); 0: none */
    int64_t vector_parameters;   /* stored elements of ONE layer outside its matrices: norms and biases */
    int64_t experts;             /* routed experts of one layer; 0: none, and then the next two are 0 */
    int64_t experts_per_token;   /* 1..experts */
    int64_t expert_intermediate; /* width of one expert's MLP, gated as gated_mlp says */
} roofline_layer_group;

/* The rest of a decoder-only transformer. */
typedef struct roofline_model_spec {
    uint32_t struct_size;
    roofline_format format; /* as stored; 0: bf16, with a note */
    char name[128];
    char architecture[64];         /* the model_type, or anything of yours */
    int64_t hidden;                /* 1..2^24 */
    int64_t vocab;                 /* rows of the embedding as stored, 1..2^32 */
    roofline_bool tied_embeddings; /* 1: the logits matrix is the embedding, stored once */
    int32_t padding;
    int64_t position_rows;      /* rows of a learned position table; 0: none */
    int64_t vector_parameters;  /* stored, outside layers and matrices: final norm, embedding norm, head bias */
    int64_t max_context_tokens; /* as the publisher states it; 0: not stated */
} roofline_model_spec;

typedef struct roofline_model_info_result {
    uint32_t struct_size;
    roofline_format format;
    char name[128];
    char architecture[64];
    int64_t layers;
    int64_t layer_groups;
    int64_t hidden;
    int64_t vocab;
    int64_t parameters_total;  /* every stored element once, a tied embedding once */
    int64_t parameters_active; /* used for one token: all but the experts it is not routed to; input embedding in */
    int64_t
        parameters_streamed; /* in the matrices that a step of one token reads: layers (its experts only) and logits */
    int64_t weight_bytes_resident;    /* parameters_total in the stored format */
    int64_t weight_bytes_streamed;    /* parameters_streamed in the stored format */
    int64_t kv_bytes_per_token;       /* over every attention layer, KV in the stored format (inside their windows) */
    int64_t kv_bytes_per_token_full;  /* over layers without a window: the slope of long contexts */
    int64_t state_bytes_per_sequence; /* fixed recurrent state; 0 for transformers */
    int64_t max_context_tokens;
    roofline_bool tied_embeddings;
    int32_t padding;
} roofline_model_info_result;

/*
 * Four ways to make a model. The handle is immutable and owned by the caller.
 *   _open    from the embedded catalogue by id ("llama-3.1-8b") or published name ("meta-llama/Llama-3.1-8B"); spelling
 *            ignores case, '-', '_', '.' and ' '.
 *   _parse   from JSON text: a Hugging Face config.json, or what _to_json writes. Recognised by content.
 *   _load    from a file of at most 16 MiB, or a folder with a config.json in it.
 *   _create  from numbers: 1..64 groups.
 * An architecture that is not known is refused by name (ROOFLINE_UNSUPPORTED), never guessed; a key of the config that
 * is not known becomes a note; a known key whose value would change the count in a way that is not modelled is refused.
 * Allocate; below 100 us. Errors: ARGUMENT, RANGE, STRUCT_SIZE, PARSE, SCHEMA, UNSUPPORTED, NOT_FOUND, IO, NO_MEMORY.
 */
ROOFLINE_API roofline_status roofline_model_open(const char *name, roofline_model **out, roofline_error *error);
ROOFLINE_API roofline_status roofline_model_parse(const char *json, size_t length, roofline_model **out,
                                                  roofline_error *error);
ROOFLINE_API roofline_status roofline_model_load(const char *path, roofline_model **out, roofline_error *error);
ROOFLINE_API roofline_status roofline_model_create(const roofline_model_spec *spec, const roofline_layer_group *groups,
                                                   size_t group_count, size_t row_bytes, roofline_model **out,
                                                   roofline_error *error);
ROOFLINE_API void roofline_model_free(roofline_model *model);

/* Reading one. Any thread; allocate nothing. */
ROOFLINE_API roofline_status roofline_model_info(const roofline_model *model, roofline_model_info_result *out,
                                                 roofline_error *error);
ROOFLINE_API roofline_status roofline_model_get_spec(const roofline_model *model, roofline_model_spec *out,
                                                     roofline_error *error);
ROOFLINE_API roofline_status roofline_model_get_group(const roofline_model *model, int64_t index,
                                                      roofline_layer_group *out, roofline_error *error);
/* The model as JSON ("roofline-model/1", docs/model.md) that _parse reads back. Allocates while it runs. */
ROOFLINE_API roofline_status roofline_model_to_json(const roofline_model *model, char *buffer, size_t capacity,
                                                    size_t *needed, roofline_error *error);
ROOFLINE_API int64_t roofline_model_note_count(const roofline_model *model);
ROOFLINE_API roofline_status roofline_model_note(const roofline_model *model, int64_t index, roofline_note *out,
                                                 char *buffer, size_t capacity, size_t *needed, roofline_error *error);

/* The embedded catalogue: ids in [0, count); NULL past the end. */
ROOFLINE_API int64_t roofline_model_count(void);
ROOFLINE_API const char *roofline_model_id(int64_t index);

/* ----------------------------------------------------------------------------------- the work of one engine step -- */

enum {
    ROOFLINE_NO_LOGITS = -1 /* logit_rows: the group needs no logits, e.g. a chunk that does not end its prompt */
};

/*
 * `count` sequences that each process new_tokens tokens in this step and, once those are written, attend context_tokens
 * positions. Decode: new 1. A whole prompt of p tokens: new p, context p. A chunk of c after p cached: new c, context
 * p + c. A verification of k drafts: new k + 1, logit_rows k + 1.
 */
typedef struct roofline_sequences {
    uint32_t struct_size;
    int32_t padding;
    int64_t count;          /* 1..2^24, all groups of a step together too */
    int64_t new_tokens;     /* 1..2^32, all sequences of a step together too */
    int64_t context_tokens; /* new_tokens..2^32 */
    int64_t logit_rows;     /* per sequence; 0: one; ROOFLINE_NO_LOGITS: none; <= new_tokens */
} roofline_sequences;

/* A reusable list of groups. One owner at a time. At most 2^16 groups. */
typedef struct roofline_workload roofline_workload;

/* _new allocates; the adding calls allocate only when the list outgrows every earlier use; _clear keeps the memory. */
ROOFLINE_API roofline_status roofline_workload_new(roofline_workload **out, roofline_error *error);
ROOFLINE_API void roofline_workload_free(roofline_workload *workload);
ROOFLINE_API void roofline_workload_clear(roofline_workload *workload);
ROOFLINE_API roofline_status roofline_workload_add(roofline_workload *workload, const roofline_sequences *group,
                                                   roofline_error *error);
/* `batch` sequences of one new token that attend `context_tokens` positions. */
ROOFLINE_API roofline_status roofline_workload_decode(roofline_workload *workload, int64_t batch,
                                                      int64_t context_tokens, roofline_error *error);
/* `batch` whole prompts of `tokens` tokens; each needs one row of logits. */
ROOFLINE_API roofline_status roofline_workload_prefill(roofline_workload *workload, int64_t batch, int64_t tokens,
                                                       roofline_error *error);
ROOFLINE_API int64_t roofline_workload_count(const roofline_workload *workload);
ROOFLINE_API roofline_status roofline_workload_get(const roofline_workload *workload, int64_t index,
                                                   roofline_sequences *out, roofline_error *error);

/* ----------------------------------------------------------------------------------------- deployments and plans -- */

enum {
    ROOFLINE_ESTIMATE = -1 /* activation_bytes: let the library estimate, and say so */
};

/*
 * How the model is run. A zeroed struct with its struct_size is valid and means what each comment says of 0;
 * roofline_deployment_init writes the usual values, which differ from 0 where marked [init ...].
 *
 * Which format computes on which peak (theory: 2): a product computes in the wider of its weights and activations, so
 * fp8 weights with 16-bit activations run on the 16-bit peak, and W8A8 needs activations = fp8 as well. Embedding and
 * logits stay in head_weights. Attention computes in `residual` whatever the cache is stored in. A device without units
 * for the arithmetic: ROOFLINE_UNSUPPORTED, never a silent substitute.
 */
typedef struct roofline_deployment {
    uint32_t struct_size;
    roofline_traffic traffic;
    roofline_format weights;     /* of the layers' matrices; 0: as the model is stored */
    roofline_format activations; /* of what enters a product; 0: residual */
    roofline_format kv;          /* of the KV cache; 0: residual */
    roofline_format residual; /* of what leaves a product; 0: weights if of 16 or 32 bits, else as stored, else bf16 */
    roofline_format head_weights;             /* of embedding, logits, norms, biases; 0: residual */
    roofline_arithmetic linear_arithmetic;    /* of the layers' products, e.g. tf32 or a sparse peak; 0: as above */
    roofline_arithmetic attention_arithmetic; /* 0: of residual */
    int32_t tp; /* tensor-parallel ranks; 0 or 1. More than one device is not modelled yet */
    int32_t pp; /* pipeline stages; likewise */
    int32_t ep; /* expert-parallel ranks; likewise */
    int32_t dp; /* data-parallel replicas; likewise */
    int32_t padding;
    double memory_fraction;   /* of the capacity that the engine may use, (0, 1]; 0: 0.9 [init 0.9] */
    int64_t capacity_bytes;   /* 0: the device's usable memory where known, else its nominal */
    int64_t reserve_bytes;    /* held back for the runtime: context, graphs, workspaces; 0: none */
    int64_t activation_bytes; /* 0: none; ROOFLINE_ESTIMATE: from token_budget [init ROOFLINE_ESTIMATE] */
    int64_t token_budget;     /* most new tokens in one step, for that estimate; 0: 8192 [init 8192] */
    int64_t block_tokens;     /* KV cache comes in blocks of so many tokens, <= 4096; 0: 16; 1: no rounding [init 16] */
    int64_t output_slots;     /* cells beyond the context, for the token being sampled, <= 4096; 0: none [init 1] */
    double host_s_per_step;   /* scheduling, sampling and the like, in predicted_s only; 0: none */
} roofline_deployment;

/* Zeroes `size` bytes and writes the usual values. ROOFLINE_STRUCT_SIZE when size is no size of this struct. */
ROOFLINE_API roofline_status roofline_deployment_init(roofline_deployment *out, size_t size);

typedef struct roofline_plan roofline_plan;

/*
 * Compiles device x model x deployment. All checks are made here; the handle is immutable, keeps copies of what it
 * needs, and is shared by any number of threads. Meant to be kept: one plan a (device, model, deployment).
 * `deployment` may be NULL: the values of roofline_deployment_init, which are not those of a zeroed struct
 * (output_slots, activation_bytes). Allocates; below 20 us.
 * Errors: ARGUMENT, RANGE, STRUCT_SIZE, UNSUPPORTED (no peak for the arithmetic; more than one device), OVERFLOW,
 * NO_MEMORY.
 */
ROOFLINE_API roofline_status roofline_plan_new(const roofline_device *device, const roofline_model *model,
                                               const roofline_deployment *deployment, roofline_plan **out,
                                               roofline_error *error);
ROOFLINE_API void roofline_plan_free(roofline_plan *plan);

typedef struct roofline_plan_info_result {
    uint32_t struct_size;
    roofline_traffic traffic;
    char device[64];
    char model[128];
    roofline_format weights;
    roofline_format activations;
    roofline_format kv;
    roofline_format residual;
    roofline_format head_weights;
    roofline_arithmetic linear_arithmetic;
    roofline_arithmetic attention_arithmetic;
    roofline_arithmetic head_arithmetic;
    roofline_source source;
    roofline_capacity capacity_kind;
    int32_t ranks;
    roofline_bool calibrated;
    int64_t kernels; /* rows that roofline_step_kernels gives */
    int64_t parameters_total;
    int64_t parameters_streamed;
    int64_t weight_bytes_resident; /* in the deployment's formats */
    int64_t weight_bytes_streamed;
    int64_t kv_bytes_per_token;
    int64_t kv_bytes_per_token_full;
    int64_t capacity_bytes;
    int64_t budget_bytes; /* floor of memory_fraction * capacity_bytes */
    int64_t activation_bytes;
    int64_t reserve_bytes;
    int64_t pool_bytes; /* budget - weights - activations - reserve; 0 when they do not fit */
    int64_t block_tokens;
    int64_t output_slots;
    double peak_linear_flops; /* FLOP/s of linear_arithmetic, and so on */
    double peak_attention_flops;
    double peak_head_flops;
    double memory_bytes_per_s;
    int64_t hash; /* of all that the plan was compiled from, below 2^53: for caches and logs */
} roofline_plan_info_result;

ROOFLINE_API roofline_status roofline_plan_info(const roofline_plan *plan, roofline_plan_info_result *out,
                                                roofline_error *error);
/* Name of a kernel row, by its name_id, 1..kernels ("gate and up", "attention, window 4096"). */
ROOFLINE_API roofline_status roofline_plan_kernel_name(const roofline_plan *plan, int32_t name_id, char *buffer,
                                                       size_t capacity, size_t *needed, roofline_error *error);
ROOFLINE_API int64_t roofline_plan_note_count(const roofline_plan *plan);
ROOFLINE_API roofline_status roofline_plan_note(const roofline_plan *plan, int64_t index, roofline_note *out,
                                                char *buffer, size_t capacity, size_t *needed, roofline_error *error);

/* ----------------------------------------------------------------------------------------------------- step cost -- */

/*
 * One engine step. Three lower bounds, always aggregate_s <= phase_s <= kernel_s <= predicted_s; `kernel_s` is "the
 * bound". All byte and FLOP counts are of one rank. Equations: docs/theory.md, by field.
 */
typedef struct roofline_step_result {
    uint32_t struct_size;
    /* the larger of compute_s and memory_s; a tie is compute; link and launch do not occur on one device */
    roofline_regime regime;
    double aggregate_s; /* max(sum F/peak, sum Q/bandwidth): every kernel overlaps every other */
    /*
     * linear_s + attention_s: linear kernels overlap each other, attention kernels too, the two kinds do not (not
     * prefill and decode)
     */
    double phase_s;
    double kernel_s;         /* sum over kernels of max(F/peak, Q/bandwidth): one after the other */
    double predicted_s;      /* kernel_s + host_s_per_step; launch gaps are added once calibrated */
    double predicted_low_s;  /* kernel_s until calibrated, and never below it */
    double predicted_high_s; /* NaN until calibrated: a bound says nothing of the slowest */
    double linear_s;         /* kernels whose main operand is a weight; the writing of new K and V is in here (qkv) */
    double attention_s;      /* kernels that read per-sequence state */
    double compute_s;        /* sum F/peak, each kernel at its own peak */
    double memory_s;         /* sum Q/bandwidth */
    double flops;
    double bytes; /* weight + kv_read + kv_write + activation: traffic to main memory, links not in it */
    /* traffic: matrices read whole (embedding rows are activation traffic); not what is resident */
    double weight_bytes;
    double kv_read_bytes;
    double kv_write_bytes;          /* 0 when streamed */
    double activation_bytes;        /* traffic; 0 when streamed; not memory held */
    double communication_bytes;     /* over links; 0 on one device */
    double intensity_flop_per_byte; /* flops / bytes */
    double ridge_flop_per_byte;     /* of the mix: (flops / compute_s) / bandwidth */
    double tokens_per_s; /* new tokens (prompt and output alike) / kernel_s: like every rate here an upper limit */
    double tokens_per_s_per_sequence; /* the mean over sequences; in a mixed step a decoding one gets 1 / kernel_s */
    double output_tokens_per_s;       /* rows of logits / kernel_s; drafts that a verification rejects count too */
    /* share of kernel_s in memory-bound kernels; the four shares add up to 1 but for rounding */
    double memory_bound_share;
    double compute_bound_share;
    double launch_share;        /* of kernel_s, not of a real step: 0, a bound has no launches */
    double communication_share; /* 0 on one device */
    double mfu; /* compute_s / kernel_s: the most that model FLOP utilisation can be; each kernel at its own peak */
    double mbu; /* memory_s / kernel_s: the same of bandwidth */
    int64_t sequences;
    int64_t new_tokens; /* in all */
    int64_t logit_rows; /* in all: 0 counts as one a sequence, ROOFLINE_NO_LOGITS as none */
    int64_t kv_bytes;   /* cache that these sequences hold, whole blocks, output slots in */
    /* memory held: resident weights + activation memory + reserve (roofline_plan_info) + kv_bytes */
    int64_t required_bytes;
    /* required - budget when positive, else 0 (also when only the context is too long: test `fits`) */
    int64_t short_bytes;
    roofline_traffic traffic;
    roofline_source source;   /* of peaks and bandwidth */
    roofline_bool calibrated; /* 0: this version has no calibration */
    /*
     * weights and KV read fit into the last-level cache: the bound holds for cold caches only; 0 too when l2_bytes
     * is 0
     */
    roofline_bool cache_resident;
    roofline_bool fits;
    roofline_reason fit_reason; /* the first that applies of weights, context, kv */
    int32_t ranks;
    int32_t padding;
} roofline_step_result;

/*
 * The cost of one step. About 40 ns (one group of sequences); no allocation, lock or system call; any thread.
 * 1..2^16 groups (an empty workload is ROOFLINE_RANGE); in all at most 2^24 sequences, 2^32 new tokens and
 * 2^38 positions of context.
 * Errors: ARGUMENT, RANGE (names the row: "/3/context_tokens"), STRUCT_SIZE.
 * A step that does not fit in memory is priced all the same, with fits = 0: a hypothetical time.
 */
ROOFLINE_API roofline_status roofline_step(const roofline_plan *plan, const roofline_workload *workload,
                                           roofline_step_result *out, roofline_error *error);
ROOFLINE_API roofline_status roofline_step_groups(const roofline_plan *plan, const roofline_sequences *rows,
                                                  size_t count, size_t row_bytes, roofline_step_result *out,
                                                  roofline_error *error);

enum {
    ROOFLINE_KERNEL_EMBEDDING = 1, /* rows of the embedding (and position) table gathered; nothing when streamed */
    ROOFLINE_KERNEL_QKV = 2,
    ROOFLINE_KERNEL_ATTENTION = 3,
    ROOFLINE_KERNEL_ATTENTION_OUTPUT = 4,
    ROOFLINE_KERNEL_GATE_UP = 5,
    ROOFLINE_KERNEL_UP = 6,
    ROOFLINE_KERNEL_DOWN = 7,
    ROOFLINE_KERNEL_LOGITS = 8,
    ROOFLINE_KERNEL_ROUTER = 9,
    ROOFLINE_KERNEL_EXPERTS_GATE_UP = 10,
    ROOFLINE_KERNEL_EXPERTS_UP = 11,
    ROOFLINE_KERNEL_EXPERTS_DOWN = 12
};
typedef int32_t roofline_kernel_kind;

/* Which part of phase_s a kernel belongs to. */
enum {
    ROOFLINE_GROUP_LINEAR = 1,
    ROOFLINE_GROUP_ATTENTION = 2,
    ROOFLINE_GROUP_LINK = 3
};
typedef int32_t roofline_kernel_group;

/* One line of the table. Figures are of all `count` calls together. */
typedef struct roofline_kernel {
    uint32_t struct_size;
    int32_t name_id;
    roofline_kernel_kind kind;
    roofline_kernel_group group;
    roofline_arithmetic arithmetic;
    roofline_regime regime;
    /* the bytes of all calls together fit into the last-level cache; 0 when there are none or l2_bytes is 0 */
    roofline_bool cache_resident;
    int32_t padding;
    int64_t count; /* calls in the step: one a layer that has it */
    double flops;
    double bytes;
    double weight_bytes;
    double kv_read_bytes;
    double kv_write_bytes;
    double activation_bytes;
    double intensity_flop_per_byte; /* NaN when bytes is 0 */
    double compute_s;
    double memory_s;
    double bound_s;        /* max of the two; the rows add up to kernel_s but for rounding */
    double active_experts; /* experts of a layer whose weights are read: an expected number; 0 for other kernels */
} roofline_kernel;

/*
 * The table behind roofline_step_groups. `kernel_count` (may be NULL) is set to the number of rows, which is the plan's
 * own (roofline_plan_info_result.kernels) and the same for every step. Capacity 0 only asks; too small is
 * ROOFLINE_BUFFER_SIZE. A kernel without work in this step (logits without rows, the embedding when streamed) has
 * amounts and times of 0 and intensity NaN.
 */
ROOFLINE_API roofline_status roofline_step_kernels(const roofline_plan *plan, const roofline_sequences *rows,
                                                   size_t count, size_t row_bytes, roofline_kernel *kernels,
                                                   size_t capacity, size_t kernel_row_bytes, size_t *kernel_count,
                                                   roofline_error *error);

/* Fields of roofline_step_result that roofline_step_many can give, by the field's name; integers become doubles. */
enum {
    ROOFLINE_QUANTITY_KERNEL_S = 1,
    ROOFLINE_QUANTITY_AGGREGATE_S = 2,
    ROOFLINE_QUANTITY_PHASE_S = 3,
    ROOFLINE_QUANTITY_PREDICTED_S = 4,
    ROOFLINE_QUANTITY_LINEAR_S = 5,
    ROOFLINE_QUANTITY_ATTENTION_S = 6,
    ROOFLINE_QUANTITY_COMPUTE_S = 7,
    ROOFLINE_QUANTITY_MEMORY_S = 8,
    ROOFLINE_QUANTITY_FLOPS = 10,
    ROOFLINE_QUANTITY_BYTES = 11,
    ROOFLINE_QUANTITY_WEIGHT_BYTES = 12,
    ROOFLINE_QUANTITY_KV_READ_BYTES = 13,
    ROOFLINE_QUANTITY_KV_WRITE_BYTES = 14,
    ROOFLINE_QUANTITY_ACTIVATION_BYTES = 15,
    ROOFLINE_QUANTITY_INTENSITY_FLOP_PER_BYTE = 16,
    ROOFLINE_QUANTITY_TOKENS_PER_S = 20,
    ROOFLINE_QUANTITY_TOKENS_PER_S_PER_SEQUENCE = 21,
    ROOFLINE_QUANTITY_OUTPUT_TOKENS_PER_S = 22,
    ROOFLINE_QUANTITY_MEMORY_BOUND_SHARE = 23,
    ROOFLINE_QUANTITY_MFU = 24,
    ROOFLINE_QUANTITY_MBU = 25,
    ROOFLINE_QUANTITY_REGIME = 30,
    ROOFLINE_QUANTITY_FITS = 31,
    ROOFLINE_QUANTITY_FIT_REASON = 32,
    ROOFLINE_QUANTITY_CACHE_RESIDENT = 33,
    ROOFLINE_QUANTITY_KV_BYTES = 34,
    ROOFLINE_QUANTITY_REQUIRED_BYTES = 35
};
typedef int32_t roofline_quantity;

/*
 * Many steps of one group each, in one call: point i has count[i], new_tokens[i], context_tokens[i] (one logit row a
 * sequence). Columns are int64_t; strides are in bytes, 0 broadcasts one value, negative and unaligned are right.
 * The quantity at place q of `quantities` goes, for point i, to the double at byte q * out_stride + 8 * i of `out`.
 * A bad point gets NaN in every quantity and its status in status[i] (contiguous; may be NULL); the rest is computed
 * and the call returns ROOFLINE_OK. Bit for bit what roofline_step_groups gives. kernel_s alone: about 10 ns a point.
 * 0 <= n <= 2^48; 1..64 quantities; |out_stride| >= 8 n when there is more than one. Allocates nothing; any thread.
 */
ROOFLINE_API roofline_status roofline_step_many(const roofline_plan *plan, int64_t n, const void *count,
                                                int64_t count_stride, const void *new_tokens, int64_t new_tokens_stride,
                                                const void *context_tokens, int64_t context_tokens_stride,
                                                const roofline_quantity *quantities, int32_t quantity_count, void *out,
                                                int64_t out_stride, int32_t *status, roofline_error *error);

/* -------------------------------------------------------------------------------------------------------- memory -- */

typedef struct roofline_memory_query {
    uint32_t struct_size;
    int32_t padding;
    /* of every sequence, 1..2^32: positions attended, the new one included; output_slots come on top */
    int64_t context_tokens;
    int64_t sequences; /* 0: only ask how many fit */
} roofline_memory_query;

typedef struct roofline_memory_result {
    uint32_t struct_size;
    roofline_bool fits; /* `sequences` of them do (with 0: one does) */
    int64_t capacity_bytes;
    int64_t budget_bytes;
    int64_t weight_bytes;     /* resident; a step reads fewer (roofline_step_result.weight_bytes) */
    int64_t activation_bytes; /* memory held, as the deployment gives it or estimates it from token_budget */
    int64_t reserve_bytes;
    int64_t pool_bytes;  /* left for KV; 0 when the rest does not fit */
    int64_t pool_tokens; /* blocks * block_tokens: what one very long context without windows could hold */
    int64_t blocks;      /* pool_bytes / (block_tokens * kv_bytes_per_token), whole ones */
    int64_t block_tokens;
    int64_t kv_bytes_per_token;
    int64_t kv_bytes_per_sequence; /* at context_tokens + output slots, whole blocks, windows respected */
    int64_t state_bytes_per_sequence;
    int64_t max_sequences;  /* at that context */
    int64_t required_bytes; /* weights + activations + reserve + kv_bytes_per_sequence * sequences (with 0: of one) */
    int64_t short_bytes;    /* required - budget when positive, else 0 */
    roofline_capacity capacity_kind;
    roofline_reason reason; /* the first that applies of weights, context, kv */
} roofline_memory_result;

/* Where the device's memory goes, and how many sequences it holds (theory: 7). About 50 ns; allocates nothing. */
ROOFLINE_API roofline_status roofline_memory(const roofline_plan *plan, const roofline_memory_query *query,
                                             roofline_memory_result *out, roofline_error *error);

#ifdef __cplusplus
}
#endif

#endif
