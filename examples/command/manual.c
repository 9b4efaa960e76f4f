/* SPDX-License-Identifier: Apache-2.0 */
/* roofline manual: roofline.1 in the man macros, from the same table as --help. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "help.h"

/* Text for roff: a backslash is its escape, '-' would become a hyphen, a '.' or "'" at the start of a line a request.
 */
static void print_roff(const char *text) {
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        line_start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\'')
            fputs("\\(aq", stdout);
        else if (*text == '`')
            fputs("\\(ga", stdout);
        else if (*text == '\n')
            fputs("\n.PP\n", stdout);
        else
            putchar(*text);
    }
}

static void print_line(const char *before, const char *text, const char *after) {
    fputs(before, stdout);
    print_roff(text);
    fputs(after, stdout);
}

static void print_flag(const flag_row *row) {
    print_line(".TP\n\\fB\\-\\-", row->name, "\\fR");
    if (row->value)
        print_line(" \\fI", row->value, "\\fR");
    print_line("\n", row->help, help_rule(row));
    puts("");
}

static void print_flags(const subcommand *command) {
    const char *section;
    for (size_t sections = 0; (section = help_section_next(command, &sections));) {
        const flag_row *next;
        print_line(".PP\n", section, ":\n");
        puts(".RS");
        for (size_t index = 0; (next = flag_next(command, &index));)
            if (!strcmp(next->section, section))
                print_flag(next);
        puts(".RE");
    }
}

static void print_subcommand(const subcommand *command) {
    char synopsis[256];
    help_synopsis(command, synopsis, sizeof synopsis);
    print_line(".SS ", command->name, "\n");
    print_line("\\fB", synopsis, "\\fR\n.PP\n");
    print_line("", command->description, "\n");
    print_flags(command);
    print_line(".PP\nExample:\n.PP\n.RS\n", command->example, "\n.RE\n");
}

int command_manual(const argument_list *list) {
    const subcommand *command;
    (void)list;
    puts(".\\\" Made by `roofline manual`.");
    printf(".TH ROOFLINE 1 \"%s\" \"libroofline %s\" \"User Commands\"\n", roofline_catalogue_date(),
           roofline_version());
    puts(".SH NAME\nroofline \\- how fast a large language model can be served, what limits it, and whether it fits");
    puts(".SH SYNOPSIS\n\\fBroofline\\fR \\fISUBCOMMAND\\fR [\\fIflags\\fR]");
    puts(".SH DESCRIPTION");
    print_roff(
        "A kernel that performs F floating-point operations and moves Q bytes between the chip and its main memory "
        "cannot finish sooner than max(F / peak, Q / bandwidth). A step of an inference engine is a list of such "
        "kernels. This command counts F and Q exactly for a model, a device and a batch of sequences, and says "
        "which of the two limits binds.\n");
    print_line("", flag_notes_on_values, "\n");
    puts(".SH SUBCOMMANDS");
    for (size_t i = 0; (command = subcommand_at(i)); i++)
        print_subcommand(command);
    print_line(".SH EXIT STATUS\n", flag_notes_on_exit, "\n");
    puts(".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nWhen it is set and not empty, nothing is emphasised on a terminal.");
    return EXIT_DONE;
}
