/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "number.h"
#include "spelling.h"

enum {
    FIRST_CODE = 256
}; /* beyond every character that can be a short flag */

/*
 * Every name once: the same name may stand in the table for several operands. The list ends in a zeroed row. Each name
 * has a code of its own, or getopt would take a prefix of several names for the first of them.
 */
static struct option *options_of(const subcommand *command) {
    const flag_row *next;
    size_t rows = 0, count = 0;
    for (size_t index = 0; flag_next(command, &index);)
        rows++;
    struct option *options = reallocate(NULL, rows + 1, sizeof *options);
    for (size_t index = 0; (next = flag_next(command, &index));) {
        if (flag_named(command, next->name) != next)
            continue;
        options[count] = (struct option){.name = next->name,
                                         .has_arg = next->value ? required_argument : no_argument,
                                         .val = FIRST_CODE + (int)count};
        count++;
    }
    options[count] = (struct option){0};
    return options;
}

static void append(argument_list *list, const flag_row *flag, const char *value, int operand) {
    list->items = reallocate(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = (argument){.flag = flag, .value = value, .operand = operand};
}

static int fail_belongs(const subcommand *command, const char *name, const char *word) {
    char words[128] = "";
    const flag_row *next;
    for (size_t index = 0; (next = flag_next(command, &index));)
        if (!strcmp(next->name, name))
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", words[0] ? " or " : "", next->word);
    return fail(command, "--%s must follow the word %s%s%s", name, words, word ? ", not " : "", word ? word : "");
}

static int append_flag(argument_list *list, const char *name, const char *value, int operand) {
    const char *word = operand ? argument_operand(list, operand) : NULL;
    const flag_row *flag = flag_find(list->command, name, word);
    if (!flag)
        return fail_belongs(list->command, name, word);
    for (size_t i = 0; i < list->count && flag->rule != FLAG_REPEATABLE; i++)
        if (list->items[i].flag == flag && (!flag->word || list->items[i].operand == operand))
            return fail(list->command, "--%s is given twice; give it once", name);
    append(list, flag, value, operand);
    return EXIT_DONE;
}

/* getopt refused: optopt is a character, the code of a flag that was given a value but takes none, or 0. */
static int fail_unknown(const subcommand *command, const struct option *options, const char *text) {
    size_t length = strcspn(text, "=");
    char matches[256] = "";
    int count = 0;
    if (optopt >= FIRST_CODE)
        return fail(command, "--%s takes no value", options[optopt - FIRST_CODE].name);
    if (optopt)
        return fail(command, "-%c is unknown; `roofline %s --help` lists the flags", optopt, command->name);
    spelling meant = {.word = text + 2, .length = length > 2 ? length - 2 : 0};
    for (const struct option *option = options; option->name; option++) {
        spelling_offer(&meant, option->name);
        if (length > 2 && !strncmp(option->name, text + 2, length - 2) && ++count)
            snprintf(matches + strlen(matches), sizeof matches - strlen(matches), "%s--%s", matches[0] ? ", " : "",
                     option->name);
    }
    if (count > 1)
        return fail(command, "%.*s is short for several flags: %s", (int)length, text, matches);
    if (meant.nearest)
        return fail(command, "%.*s is unknown; did you mean --%s? `roofline %s --help` lists the flags", (int)length,
                    text, meant.nearest, command->name);
    return fail(command, "%.*s is unknown; `roofline %s --help` lists the flags", (int)length, text, command->name);
}

static int fail_missing_value(const subcommand *command, const struct option *option) {
    return fail(command, "--%s needs a value: %s", option->name, flag_named(command, option->name)->value);
}

static int check_operand_count(const argument_list *list, int operands) {
    const subcommand *command = list->command;
    if (argument_given(list, "help"))
        return EXIT_DONE;
    if (operands < command->least_operands)
        return fail(command, "needs %s, such as `%s`", command->operands, command->example);
    if (operands > command->most_operands)
        return fail(command, "does not know what to do with '%s'; `roofline %s --help` shows how it is used",
                    argument_operand(list, command->most_operands + 1), command->name);
    return EXIT_DONE;
}

int arguments_parse(const subcommand *command, int argc, char **argv, argument_list *out) {
    struct option *options = options_of(command);
    int operands = 0, status = EXIT_DONE;
    *out = (argument_list){.command = command};
    opterr = 0;
    while (!status) {
        int index = 0;
        /* "-": operands come in their place, as code 1; ":": a missing value is told from an unknown flag. */
        int code = getopt_long(argc, argv, "-:h", options, &index);
        if (code == -1)
            break;
        if (code == 1)
            append(out, NULL, optarg, ++operands);
        else if (code == 'h')
            status = append_flag(out, "help", NULL, operands);
        else if (code == ':')
            status = fail_missing_value(command, &options[optopt - FIRST_CODE]);
        else if (code == '?')
            status = fail_unknown(command, options, argv[optind - 1]);
        else
            status = append_flag(out, options[index].name, optarg, operands);
    }
    for (; !status && optind < argc; optind++) /* what follows "--" */
        append(out, NULL, argv[optind], ++operands);
    free(options);
    return status ? status : check_operand_count(out, operands);
}

void arguments_free(argument_list *list) {
    free(list->items);
    *list = (argument_list){0};
}

/* The argument that carries a flag, or NULL. */
static const argument *find(const argument_list *list, const flag_row *flag, int operand) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].flag == flag && (operand == ANYWHERE || list->items[i].operand == operand))
            return &list->items[i];
    return NULL;
}

int arguments_require(const argument_list *list, int operand) {
    const char *word = operand == ANYWHERE ? NULL : argument_operand(list, operand);
    const flag_row *next;
    for (size_t index = 0; (next = flag_next(list->command, &index));) {
        bool here = word ? next->word && !strcmp(next->word, word) : !next->word;
        if (here && next->rule == FLAG_REQUIRED && !find(list, next, operand))
            return fail(list->command, "%s%sneeds --%s %s (%s)", word ? word : "", word ? " " : "", next->name,
                        next->value, next->help);
    }
    return EXIT_DONE;
}

static const argument *find_name(const argument_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].flag && !strcmp(list->items[i].flag->name, name))
            return &list->items[i];
    return NULL;
}

bool argument_given(const argument_list *list, const char *name) {
    return find_name(list, name) != NULL;
}

const char *argument_value(const argument_list *list, const char *name) {
    const argument *item = find_name(list, name);
    return item ? item->value : NULL;
}

const char *argument_operand(const argument_list *list, int number) {
    for (size_t i = 0; i < list->count; i++)
        if (!list->items[i].flag && list->items[i].operand == number)
            return list->items[i].value;
    return NULL;
}

static int fail_value(const argument_list *list, const argument *item, const char *expected) {
    return fail(list->command, "--%s: '%s' is no %s", item->flag->name, item->value, expected);
}

static int read_ranks(const argument_list *list, const argument *item, int32_t *out) {
    int64_t ranks;
    if (!number_integer(item->value, &ranks) || ranks > INT32_MAX || ranks < 1)
        return fail_value(list, item, "whole number that a count of ranks can be, such as 1");
    *out = (int32_t)ranks;
    return EXIT_DONE;
}

static int read_word(const argument_list *list, const argument *item, int32_t *out) {
    char words[FLAG_WORDS_BYTES];
    if (roofline_constant_value(item->flag->meaning, item->value, out, NULL) == ROOFLINE_OK)
        return EXIT_DONE;
    flag_words(item->flag->meaning, ", ", words);
    return fail(list->command, "--%s: '%s' is no %s; the words are %s", item->flag->name, item->value,
                item->flag->value, words);
}

/* An explicit 0 must not quietly become the default. */
static int require_above_0(const argument_list *list, const argument *item, bool above_0) {
    return above_0 ? EXIT_DONE
                   : fail(list->command, "--%s is %s; it must be above 0 (%s)", item->flag->name, item->value,
                          item->flag->help);
}

static int store_number(const argument_list *list, const argument *item, double *out) {
    if (!number_real(item->value, out))
        return fail_value(list, item, "number, such as 0.9 or 1.5e12");
    return item->flag->kind == VALUE_NUMBER ? EXIT_DONE : require_above_0(list, item, *out > 0);
}

/* Only sizes take a suffix: "4k" is no count. */
static bool has_suffix(const char *text) {
    double value;
    size_t length = strlen(text);
    return number_bytes(text, &value) && !strchr("0123456789.", text[length - 1]);
}

static int store_whole(const argument_list *list, const argument *item, int64_t *out) {
    bool bytes = item->flag->kind == VALUE_BYTES || item->flag->kind == VALUE_BYTES_ABOVE_0;
    if (number_too_large(item->value))
        return fail(list->command, "--%s: '%s' is too large", item->flag->name, item->value);
    if (bytes && !number_whole_bytes(item->value, out))
        return fail_value(list, item, "whole number of bytes, such as 80G or 79Gi (suffixes k M G T Ki Mi Gi Ti)");
    if (!bytes && !number_integer(item->value, out))
        return fail_value(list, item,
                          has_suffix(item->value) ? "whole number, such as 4096; counts take no suffix"
                                                  : "whole number, such as 4096");
    bool any = item->flag->kind == VALUE_COUNT || item->flag->kind == VALUE_BYTES;
    return any ? EXIT_DONE : require_above_0(list, item, *out > 0);
}

static int store(const argument_list *list, const argument *item, void *out) {
    switch (item->flag->kind) {
    case VALUE_COUNT:
    case VALUE_COUNT_ABOVE_0:
    case VALUE_BYTES:
    case VALUE_BYTES_ABOVE_0:
        return store_whole(list, item, out);
    case VALUE_RANKS:
        return read_ranks(list, item, out);
    case VALUE_NUMBER:
    case VALUE_NUMBER_ABOVE_0:
        return store_number(list, item, out);
    case VALUE_WORK_BYTES:
        return number_bytes(item->value, out) ? EXIT_DONE : fail_value(list, item, "number of bytes, such as 3.2G");
    case VALUE_BYTES_OR_ESTIMATE:
        if (!strcmp(item->value, "estimate")) {
            *(int64_t *)out = ROOFLINE_ESTIMATE;
            return EXIT_DONE;
        }
        if (!number_whole_bytes(item->value, out) || *(int64_t *)out < 0)
            return fail_value(list, item, "whole number of bytes, such as 2G or 512Mi, and not the word estimate");
        return EXIT_DONE;
    case VALUE_WORD:
        return read_word(list, item, out);
    case VALUE_NONE:
    case VALUE_TEXT:
        break;
    }
    return EXIT_DONE;
}

int arguments_fill(const argument_list *list, const char *struct_name, int operand, void *out) {
    int status = EXIT_DONE;
    for (size_t i = 0; i < list->count && !status; i++) {
        const argument *item = &list->items[i];
        bool here = operand == ANYWHERE || item->operand == operand;
        if (here && item->flag && item->flag->struct_name && !strcmp(item->flag->struct_name, struct_name))
            status = store(list, item, (char *)out + item->flag->offset_bytes);
    }
    return status;
}

int argument_read(const argument_list *list, const char *name, void *out) {
    const argument *item = find_name(list, name);
    return item ? store(list, item, out) : EXIT_DONE;
}
