/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of subcommands and flags. Parsing, --help, the man page and the shell completion are all made from it,
 * so that none of them can say something else than the others.
 */
#ifndef COMMAND_FLAGS_H
#define COMMAND_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

/* How the text after a flag is read, and what is stored in the flag's field. */
typedef enum value_kind {
    VALUE_NONE,              /* a switch */
    VALUE_TEXT,              /* read by the subcommand itself */
    VALUE_COUNT,             /* whole number, int64_t */
    VALUE_COUNT_ABOVE_0,     /* the same; the library would take 0 for the default, which leaving the flag out says */
    VALUE_RANKS,             /* whole number from 1 on, int32_t */
    VALUE_NUMBER,            /* double */
    VALUE_NUMBER_ABOVE_0,    /* as VALUE_COUNT_ABOVE_0 */
    VALUE_BYTES,             /* whole number with an optional suffix, int64_t */
    VALUE_BYTES_ABOVE_0,     /* as VALUE_COUNT_ABOVE_0 */
    VALUE_BYTES_OR_ESTIMATE, /* the same, or the word "estimate" */
    VALUE_WORK_BYTES,        /* number with an optional suffix, double */
    VALUE_WORD               /* a value of the enumeration `meaning`, int32_t */
} value_kind;

typedef enum flag_rule {
    FLAG_OPTIONAL,
    FLAG_REQUIRED,
    FLAG_REPEATABLE
} flag_rule;

/* What the shell completes after a flag. */
typedef enum completion_kind {
    COMPLETE_NOTHING,
    COMPLETE_DEVICE,
    COMPLETE_MODEL,
    COMPLETE_FILE
} completion_kind;

typedef struct flag_row {
    const char *name;        /* without the dashes */
    const char *value;       /* how the help calls the value: "FORMAT"; NULL: a switch */
    const char *section;     /* of the help */
    const char *word;        /* only after this operand (`kernel gemm --tokens`); NULL: anywhere */
    const char *struct_name; /* the public struct that it fills, or NULL */
    const char *field;
    const char *meaning; /* VALUE_WORD: the enumeration */
    const char *help;
    size_t offset_bytes; /* of the field */
    value_kind kind;
    flag_rule rule;
    completion_kind completion;
    unsigned commands; /* bits of the subcommands that take it */
} flag_row;

struct argument_list;

typedef struct subcommand {
    unsigned bit;
    const char *name;
    const char *operands; /* "NAME|FILE", or "" */
    int least_operands;
    int most_operands;
    completion_kind completion; /* of the operand */
    const char *summary;        /* one line, no full stop */
    const char *description;    /* paragraphs, separated by a newline */
    const char *example;
    int (*run)(const struct argument_list *arguments);
} subcommand;

/* In the order that the help lists them; NULL past the end. */
const subcommand *subcommand_at(size_t index);
const subcommand *subcommand_find(const char *name);

/* The flags of a subcommand in the table's order: `*index` starts at 0; NULL at the end. */
const flag_row *flag_next(const subcommand *command, size_t *index);

/* The flag of this name that may stand after the operand `word` (NULL: before any), or NULL. */
const flag_row *flag_find(const subcommand *command, const char *name, const char *word);

/* The first flag of this name, whatever operand it must follow, or NULL. */
const flag_row *flag_named(const subcommand *command, const char *name);

/* The flag of the subcommand that fills a field of a public struct, or NULL. */
const flag_row *flag_of_field(const subcommand *command, const char *struct_name, const char *field);

/* The words that a value of an enumeration may be, without "default". */
enum {
    FLAG_WORDS_BYTES = 512
};
void flag_words(const char *meaning, const char *separator, char text[FLAG_WORDS_BYTES]);

/* What the help says of every subcommand at once; also in the man page. */
extern const char flag_notes_on_values[];
extern const char flag_notes_on_exit[];

#endif
