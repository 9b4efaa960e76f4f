/* SPDX-License-Identifier: Apache-2.0 */
/* roofline: the command line on libroofline's public header. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "spelling.h"

static int print_version(void) {
    printf("roofline %d.%d.%d\n", ROOFLINE_VERSION_MAJOR, ROOFLINE_VERSION_MINOR, ROOFLINE_VERSION_PATCH);
    printf("libroofline %s, ABI %d\n", roofline_version(), (int)roofline_abi_version());
    printf("catalogue of %s: %lld devices, %lld models\n", roofline_catalogue_date(),
           (long long)roofline_device_count(), (long long)roofline_model_count());
    return EXIT_DONE;
}

static int fail_subcommand(const char *name) {
    const subcommand *command;
    spelling meant = {.word = name, .length = strlen(name)};
    for (size_t i = 0; (command = subcommand_at(i)); i++)
        spelling_offer(&meant, command->name);
    fprintf(stderr, "roofline: '%s' is no subcommand; ", name);
    if (meant.nearest)
        fprintf(stderr, "did you mean %s? ", meant.nearest);
    fputs(meant.nearest ? "There are" : "there are", stderr);
    for (size_t i = 0; (command = subcommand_at(i)); i++)
        fprintf(stderr, "%s %s", i ? "," : "", command->name);
    fputs(". `roofline --help` says what they do\n", stderr);
    return EXIT_BAD_INPUT;
}

static int run_subcommand(const subcommand *command, int argc, char **argv) {
    argument_list list;
    int status = arguments_parse(command, argc, argv, &list);
    if (!status && argument_given(&list, "help"))
        help_print_subcommand(command);
    else if (!status && argument_given(&list, "json") && argument_given(&list, "csv"))
        status = fail(command, "--json and --csv exclude each other; give one");
    else if (!status)
        status = command->run(&list);
    arguments_free(&list);
    return status;
}

/* `roofline help` and `roofline help SUBCOMMAND`, for those who try that first. */
static int run_help(const char *name) {
    const subcommand *command = name ? subcommand_find(name) : NULL;
    if (name && !command)
        return fail_subcommand(name);
    if (command)
        help_print_subcommand(command);
    else
        help_print();
    return EXIT_DONE;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2)
        return fail(NULL, "a subcommand is missing; `roofline --help` lists them");
    const char *first = argv[1];
    if (!strcmp(first, "--version") || !strcmp(first, "-V"))
        return print_version();
    if (!strcmp(first, "--help") || !strcmp(first, "-h")) {
        help_print();
        return EXIT_DONE;
    }
    if (!strcmp(first, "help"))
        return run_help(argc > 2 ? argv[2] : NULL);
    const subcommand *command = subcommand_find(first);
    return command ? run_subcommand(command, argc - 1, argv + 1) : fail_subcommand(first);
}

int main(int argc, char **argv) {
    if (roofline_abi_version() != ROOFLINE_ABI_VERSION)
        return fail(NULL, "was built for ABI %d of libroofline and found ABI %d; install the two of one release",
                    ROOFLINE_ABI_VERSION, (int)roofline_abi_version());
    int status = dispatch(argc, argv);
    if (fflush(stdout) || ferror(stdout))
        return fail(NULL, "standard output cannot be written: %s", strerror(errno));
    return status;
}
