/* SPDX-License-Identifier: Apache-2.0 */
/* roofline sweep: decode steps over batches x contexts, a chunk of points a call, written as they come. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "csv_out.h"
#include "fields.h"
#include "inputs.h"
#include "json_out.h"
#include "notes.h"
#include "number.h"
#include "print.h"
#include "step.h"

enum {
    CHUNK = 4096,
    POINT_LIMIT = 1000000,
    TABLE_LIMIT = 10000,
    LONG_SWEEP = 200000,
    QUANTITY_LIMIT = 64
};

/* One quantity of the sweep: its field in roofline_step_result and, for an enumeration, which. */
typedef struct column {
    roofline_quantity quantity;
    char name[48];
    char meaning[48];
} column;

typedef struct sweep {
    plan_input planned;
    number_list batches;
    number_list contexts;
    column columns[QUANTITY_LIMIT];
    int32_t column_count;
    int64_t points;
    int64_t refused; /* points with a status of their own */
} sweep;

/* A chunk of points and their quantities: values[quantity * CHUNK + point]. */
typedef struct chunk {
    int64_t first;
    int64_t count;
    int64_t batch[CHUNK];
    int64_t context[CHUNK];
    int32_t status[CHUNK];
    double *values;
} chunk;

/* ------------------------------------------------------------------------------------------------------- columns -- */

static void find_columns(sweep *out) {
    roofline_constant_row constant = {.struct_size = sizeof constant};
    roofline_layout_row field;
    for (int64_t i = 0; roofline_constant_at(i, &constant, NULL) == ROOFLINE_OK; i++) {
        if (strcmp(constant.meaning, "roofline_quantity") != 0 || out->column_count == QUANTITY_LIMIT)
            continue;
        column *next = &out->columns[out->column_count++];
        next->quantity = constant.value;
        memcpy(next->name, constant.text, sizeof next->name);
        for (int64_t index = 0; field_next("roofline_step_result", &index, &field);)
            if (!strcmp(field.field, next->name))
                memcpy(next->meaning, field.meaning, sizeof next->meaning);
    }
}

static double value_at(const chunk *points, int32_t quantity, int64_t point) {
    return points->values[(size_t)quantity * CHUNK + (size_t)point];
}

static double value_of(const sweep *of, const chunk *points, const char *name, int64_t point) {
    for (int32_t i = 0; i < of->column_count; i++)
        if (!strcmp(of->columns[i].name, name))
            return value_at(points, i, point);
    return NAN;
}

/* The word of an enumeration that came as a number, or NULL. */
static const char *word_of(const column *of, double value) {
    if (!of->meaning[0] || !isfinite(value))
        return NULL;
    if (!strcmp(of->meaning, "roofline_bool"))
        return value != 0 ? "true" : "false";
    return roofline_constant_text(of->meaning, (int32_t)value);
}

/* -------------------------------------------------------------------------------------------------------- output -- */

static void json_point(json_out *out, const sweep *of, const chunk *points, int64_t point) {
    json_row(out);
    json_integer(out, "count", points->batch[point]);
    json_integer(out, "new_tokens", 1);
    json_integer(out, "context_tokens", points->context[point]);
    json_text(out, "status", roofline_status_name(points->status[point]));
    for (int32_t i = 0; i < of->column_count; i++) {
        const column *next = &of->columns[i];
        double value = value_at(points, i, point);
        const char *word = word_of(next, value);
        if (word && !strcmp(next->meaning, "roofline_bool"))
            json_bool(out, next->name, value != 0);
        else if (word)
            json_text(out, next->name, word);
        else
            json_real(out, next->name, value);
    }
    json_object_end(out);
}

static void csv_heading(csv_out *out, const sweep *of) {
    csv_text(out, "count");
    csv_text(out, "new_tokens");
    csv_text(out, "context_tokens");
    csv_text(out, "status");
    for (int32_t i = 0; i < of->column_count; i++)
        csv_text(out, of->columns[i].name);
    csv_line_end(out);
}

static void csv_point(csv_out *out, const sweep *of, const chunk *points, int64_t point) {
    csv_real(out, (double)points->batch[point]);
    csv_real(out, 1);
    csv_real(out, (double)points->context[point]);
    csv_text(out, roofline_status_name(points->status[point]));
    for (int32_t i = 0; i < of->column_count; i++) {
        double value = value_at(points, i, point);
        const char *word = word_of(&of->columns[i], value);
        if (word)
            csv_text(out, word);
        else
            csv_real(out, value);
    }
    csv_line_end(out);
}

static void table_point(table *out, const sweep *of, const chunk *points, int64_t point) {
    const char *regime = roofline_constant_text("roofline_regime", (int32_t)value_of(of, points, "regime", point));
    bool valid = points->status[point] == ROOFLINE_OK;
    table_cell(out, print_count(points->batch[point]).text);
    table_cell(out, print_count(points->context[point]).text);
    table_cell(out, print_number(1e3 * value_of(of, points, "kernel_s", point)).text);
    table_cell(out, print_number(value_of(of, points, "tokens_per_s", point)).text);
    table_cell(out, print_number(value_of(of, points, "tokens_per_s_per_sequence", point)).text);
    table_cell(out, print_number(value_of(of, points, "intensity_flop_per_byte", point)).text);
    table_cell(out, print_share(value_of(of, points, "memory_bound_share", point)).text);
    table_cell(out, print_number(value_of(of, points, "required_bytes", point) / 1e9).text);
    table_cell(out, !valid ? "-" : value_of(of, points, "fits", point) != 0 ? "yes" : "no");
    table_cell(out, valid && regime ? regime : roofline_status_name(points->status[point]));
}

static void show_progress(const sweep *of, const chunk *points) {
    if (of->points < LONG_SWEEP || !isatty(STDERR_FILENO) || isatty(STDOUT_FILENO))
        return;
    fprintf(stderr, "\r%3d %%", (int)(100 * (points->first + points->count) / of->points));
    if (points->first + points->count == of->points)
        fputs("\r     \r", stderr);
}

/* -------------------------------------------------------------------------------------------------------- points -- */

static int price(const argument_list *list, const sweep *of, chunk *points) {
    static const int64_t one = 1;
    roofline_quantity quantities[QUANTITY_LIMIT];
    roofline_error error;
    points->count = of->points - points->first < CHUNK ? of->points - points->first : CHUNK;
    for (int32_t i = 0; i < of->column_count; i++)
        quantities[i] = of->columns[i].quantity;
    for (int64_t i = 0; i < points->count; i++) {
        size_t place = (size_t)(points->first + i);
        points->context[i] = of->contexts.items[place / of->batches.count];
        points->batch[i] = of->batches.items[place % of->batches.count];
    }
    roofline_status status =
        roofline_step_many(of->planned.plan, points->count, points->batch, sizeof *points->batch, &one, 0,
                           points->context, sizeof *points->context, quantities, of->column_count, points->values,
                           CHUNK * (int64_t)sizeof(double), points->status, &error);
    return status == ROOFLINE_OK ? EXIT_DONE : fail_error(list->command, NULL, &error);
}

static int read_list(const argument_list *list, const char *name, number_list *out) {
    const char *problem = number_list_read(argument_value(list, name), out);
    return problem ? fail(list->command, "--%s: '%s' %s", name, argument_value(list, name), problem) : EXIT_DONE;
}

static int read_points(const argument_list *list, sweep *out) {
    int status = read_list(list, "batch", &out->batches);
    if (!status)
        status = read_list(list, "context", &out->contexts);
    if (status)
        return status;
    bool as_table = !argument_given(list, "csv") && !argument_given(list, "json");
    out->points = (int64_t)(out->batches.count * out->contexts.count);
    if (out->points > POINT_LIMIT)
        return fail(list->command, "%s points are more than %s; narrow --batch or --context",
                    print_count(out->points).text, print_count(POINT_LIMIT).text);
    if (as_table && out->points > TABLE_LIMIT)
        return fail(list->command, "%s points are too many for a table; add --csv or --json",
                    print_count(out->points).text);
    return EXIT_DONE;
}

static int run(const argument_list *list, sweep *of, chunk *points, table *rows) {
    bool json = argument_given(list, "json"), csv = argument_given(list, "csv");
    json_out objects = {0};
    csv_out lines = {0};
    int status = EXIT_DONE;
    if (json)
        json_array(&objects, NULL);
    else if (csv)
        csv_heading(&lines, of);
    for (points->first = 0; points->first < of->points && !status; points->first += CHUNK) {
        if ((status = price(list, of, points)))
            break;
        for (int64_t i = 0; i < points->count; i++) {
            of->refused += points->status[i] != ROOFLINE_OK;
            if (json)
                json_point(&objects, of, points, i);
            else if (csv)
                csv_point(&lines, of, points, i);
            else
                table_point(rows, of, points, i);
        }
        show_progress(of, points);
    }
    if (json)
        json_array_end(&objects);
    return status;
}

int command_sweep(const argument_list *list) {
    static const char *const headings[] = {"batch",     "context",      "bound ms", "tokens/s", "per sequence",
                                           "FLOP/byte", "memory-bound", "needs GB", "fits",     "regime"};
    sweep of = {0};
    table rows = {0};
    chunk *points = NULL;
    int status = input_plan(list, &of.planned);
    if (!status)
        status = read_points(list, &of);
    if (!status) {
        find_columns(&of);
        points = reallocate(NULL, 1, sizeof *points);
        points->values = reallocate(NULL, (size_t)of.column_count * CHUNK, sizeof *points->values);
        table_begin(&rows, "rrrrrrrrll", headings);
        status = run(list, &of, points, &rows);
        free(points->values);
    }
    if (!status && !argument_given(list, "json") && !argument_given(list, "csv")) {
        print_title("%s on %s, decode", of.planned.info.model, of.planned.info.device);
        plan_print(&of.planned);
        puts("");
        table_print(&rows);
        notes_print(of.planned.device, of.planned.model, of.planned.plan);
    }
    if (!status && of.refused)
        warn(list->command, "%s of %s points could not be priced; their status says why", print_count(of.refused).text,
             print_count(of.points).text);
    table_free(&rows);
    free(points);
    free(of.batches.items);
    free(of.contexts.items);
    plan_input_free(&of.planned);
    return status;
}
