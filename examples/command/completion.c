/* SPDX-License-Identifier: Apache-2.0 */
/* roofline completion bash: subcommands, flags, and the values of flags, from the same table as --help. */
#include <stdio.h>
#include <string.h>

#include "commands.h"

static void print_devices(void) {
    for (int64_t i = 0; i < roofline_device_count(); i++)
        printf("%s%s", i ? " " : "", roofline_device_id(i));
}

static void print_models(void) {
    for (int64_t i = 0; i < roofline_model_count(); i++)
        printf("%s%s", i ? " " : "", roofline_model_id(i));
}

/* The body of a case: what may stand there. */
static void print_candidates(completion_kind kind) {
    switch (kind) {
    case COMPLETE_DEVICE:
        fputs("compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -W \"$devices\" -- \"$current\") $(compgen -f -- "
              "\"$current\"))",
              stdout);
        break;
    case COMPLETE_MODEL:
        fputs("compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -W \"$models\" -- \"$current\") $(compgen -f -- "
              "\"$current\"))",
              stdout);
        break;
    case COMPLETE_FILE:
        fputs("compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\"))", stdout);
        break;
    case COMPLETE_NOTHING:
        fputs("COMPREPLY=()", stdout);
        break;
    }
}

static void print_value_case(const subcommand *command, const flag_row *row) {
    char words[FLAG_WORDS_BYTES];
    printf("        %s:--%s) ", command->name, row->name);
    if (row->meaning) {
        flag_words(row->meaning, " ", words);
        printf("COMPREPLY=($(compgen -W \"%s\" -- \"$current\"))", words);
    } else {
        print_candidates(row->completion);
    }
    puts("; return ;;");
}

static void print_value_cases(const subcommand *command) {
    const flag_row *next;
    for (size_t index = 0; (next = flag_next(command, &index));)
        if (next->value && flag_named(command, next->name) == next)
            print_value_case(command, next);
}

static void print_flag_case(const subcommand *command) {
    const flag_row *next;
    printf("            %s) flags=\"", command->name);
    for (size_t index = 0; (next = flag_next(command, &index));)
        if (flag_named(command, next->name) == next)
            printf("--%s ", next->name);
    puts("\" ;;");
}

static void print_operand_case(const subcommand *command) {
    static const char *const words[][2] = {{"kernel", "gemm attention given"}, {"completion", "bash"}};
    if (command->completion != COMPLETE_NOTHING) {
        printf("        %s) ", command->name);
        print_candidates(command->completion);
        puts(" ;;");
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], command->name))
            printf("        %s) COMPREPLY=($(compgen -W \"%s\" -- \"$current\")) ;;\n", command->name, words[i][1]);
}

static void print_each(void (*print)(const subcommand *command)) {
    const subcommand *command;
    for (size_t i = 0; (command = subcommand_at(i)); i++)
        print(command);
}

static void print_name(const subcommand *command) {
    printf("%s ", command->name);
}

static void print_script(void) {
    puts("# Bash completion of `roofline`, made by `roofline completion bash`.");
    puts("_roofline() {");
    puts("    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"");
    puts("    local subcommand=\"${COMP_WORDS[1]}\" devices models flags");
    fputs("    devices=\"", stdout);
    print_devices();
    fputs("\"\n    models=\"", stdout);
    print_models();
    puts("\"\n    if ((COMP_CWORD == 1)); then");
    fputs("        COMPREPLY=($(compgen -W \"", stdout);
    print_each(print_name);
    puts("--help --version\" -- \"$current\"))");
    puts("        return\n    fi");
    puts("    case \"$subcommand:$previous\" in");
    print_each(print_value_cases);
    puts("    esac\n    if [[ $current == -* ]]; then\n        case \"$subcommand\" in");
    print_each(print_flag_case);
    puts("        esac\n        COMPREPLY=($(compgen -W \"$flags\" -- \"$current\"))\n        return\n    fi");
    puts("    case \"$subcommand\" in");
    print_each(print_operand_case);
    puts("    esac\n}\ncomplete -F _roofline roofline");
}

int command_completion(const argument_list *list) {
    const char *shell = argument_operand(list, 1);
    if (strcmp(shell, "bash") != 0)
        return fail(list->command, "there is no script for '%s'; the shell is bash", shell);
    print_script();
    return EXIT_DONE;
}
