/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "print.h"

enum {
    FLAG_COLUMN = 32,
    SUBCOMMAND_COLUMN = 14
};

static bool is_first_of_section(const subcommand *command, const flag_row *row) {
    const flag_row *next;
    for (size_t index = 0; (next = flag_next(command, &index));)
        if (!strcmp(next->section, row->section))
            return next == row;
    return false;
}

const char *help_section_next(const subcommand *command, size_t *index) {
    const flag_row *next;
    while ((next = flag_next(command, index)))
        if (is_first_of_section(command, next))
            return next->section;
    return NULL;
}

void help_synopsis(const subcommand *command, char *text, size_t size) {
    const flag_row *next;
    int used = snprintf(text, size, "roofline %s", command->name);
    for (size_t index = 0; (next = flag_next(command, &index));)
        if (next->rule == FLAG_REQUIRED && !next->word && (size_t)used < size)
            used += snprintf(text + used, size - (size_t)used, " --%s %s", next->name, next->value);
    if ((size_t)used < size)
        snprintf(text + used, size - (size_t)used, "%s%s [flags]", command->operands[0] ? " " : "", command->operands);
}

const char *help_rule(const flag_row *row) {
    return row->rule == FLAG_REQUIRED ? " (required)" : row->rule == FLAG_REPEATABLE ? " (may be repeated)" : "";
}

static void print_flag(const flag_row *row) {
    char left[FLAG_COLUMN + 32];
    size_t width = (size_t)snprintf(left, sizeof left, "  --%s%s%s", row->name, row->value ? " " : "",
                                    row->value ? row->value : "");
    fputs(left, stdout);
    if (width + 2 > FLAG_COLUMN)
        printf("\n%*s", FLAG_COLUMN, "");
    else
        printf("%*s", (int)(FLAG_COLUMN - width), "");
    char help[512];
    snprintf(help, sizeof help, "%s%s", row->help, help_rule(row));
    print_wrapped(help, FLAG_COLUMN, FLAG_COLUMN);
}

static void print_words(const char *label, const char *meaning) {
    char words[FLAG_WORDS_BYTES];
    flag_words(meaning, ", ", words);
    print_fact(label, "%s", words);
}

static bool takes(const subcommand *command, const char *meaning) {
    const flag_row *next;
    for (size_t index = 0; (next = flag_next(command, &index));)
        if (next->meaning && !strcmp(next->meaning, meaning))
            return true;
    return false;
}

void help_print_subcommand(const subcommand *command) {
    char synopsis[256];
    const char *section;
    help_synopsis(command, synopsis, sizeof synopsis);
    printf("usage: ");
    print_wrapped(synopsis, 7, 7);
    puts("");
    print_wrapped(command->description, 0, 0);
    for (size_t sections = 0; (section = help_section_next(command, &sections));) {
        const flag_row *next;
        puts("");
        print_title("%s", section);
        for (size_t index = 0; (next = flag_next(command, &index));)
            if (!strcmp(next->section, section))
                print_flag(next);
    }
    if (takes(command, "roofline_format")) {
        puts("");
        print_words("FORMAT", "roofline_format");
        print_words("ARITHMETIC", "roofline_arithmetic");
    }
    puts("");
    print_title("Example");
    printf("  %s\n\n", command->example);
    puts("`roofline --help` says how values are written and what the exit status means.");
}

void help_print(void) {
    const subcommand *command;
    puts("usage: roofline SUBCOMMAND [flags]\n");
    print_wrapped(
        "Says how fast a large language model can be served on given hardware, what limits it, and whether it fits.", 0,
        0);
    puts("");
    print_title("Subcommands");
    for (size_t i = 0; (command = subcommand_at(i)); i++)
        printf("  %-*s%s\n", SUBCOMMAND_COLUMN - 2, command->name, command->summary);
    puts("");
    print_wrapped(
        "`roofline SUBCOMMAND --help` lists the flags of one; `roofline --version` says what runs. Flags may be "
        "shortened to any unique beginning: --bat for --batch.",
        0, 0);
    puts("");
    print_title("Values");
    print_wrapped(flag_notes_on_values, 0, 0);
    puts("");
    print_title("Exit status");
    print_wrapped(flag_notes_on_exit, 0, 0);
}
