/* SPDX-License-Identifier: Apache-2.0 */
#include "fail.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

static void say_who(const subcommand *command) {
    fflush(stdout);
    fprintf(stderr, command ? "roofline %s: " : "roofline: ", command ? command->name : "");
}

int fail(const subcommand *command, const char *format, ...) {
    va_list arguments;
    say_who(command);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return EXIT_BAD_INPUT;
}

void warn(const subcommand *command, const char *format, ...) {
    va_list arguments;
    say_who(command);
    fputs("warning: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* The flag that fills the field an error is about. Fields that several structs share have an id each. */
static const flag_row *flag_of_error(const subcommand *command, const roofline_error *error) {
    roofline_layout_row row = {.struct_size = sizeof row};
    if (!command || !error->field_id)
        return NULL;
    for (int64_t i = 0; roofline_layout_at(i, &row, NULL) == ROOFLINE_OK; i++)
        if (row.id == error->field_id)
            return flag_of_field(command, row.struct_name, row.field);
    return NULL;
}

int fail_error(const subcommand *command, const char *about, const roofline_error *error) {
    const flag_row *culprit = flag_of_error(command, error);
    size_t path_length = strlen(error->path);
    say_who(command);
    if (culprit && !strncmp(error->message, error->path, path_length)) { /* "struct.field is ...": "--flag is ..." */
        fprintf(stderr, "--%s%s\n", culprit->name, error->message + path_length);
        return EXIT_BAD_INPUT;
    }
    if (culprit)
        fprintf(stderr, "--%s: ", culprit->name);
    else if (about)
        fprintf(stderr, "%s: ", about);
    if (error->line > 0 && strncmp(error->message, "line ", 5) != 0)
        fprintf(stderr, "line %lld: ", (long long)error->line);
    if (!culprit && error->path[0] == '/')
        fprintf(stderr, "%s: ", error->path);
    fprintf(stderr, "%s\n", error->message);
    return EXIT_BAD_INPUT;
}

void *reallocate(void *pointer, size_t count, size_t size) {
    bool countable = count > 0 && size > 0 && count <= SIZE_MAX / size;
    void *result = countable ? realloc(pointer, count * size) : NULL;
    if (!result) {
        fputs("roofline: there is not enough memory\n", stderr);
        exit(EXIT_BAD_INPUT);
    }
    return result;
}
