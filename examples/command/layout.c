/* SPDX-License-Identifier: Apache-2.0 */
/* roofline layout: what a language binding compares itself with. */
#include <string.h>

#include "commands.h"
#include "json_out.h"

static void write_struct(json_out *out, const roofline_layout_row *whole, int64_t index) {
    roofline_layout_row row = {.struct_size = sizeof row};
    json_object(out, NULL);
    json_text(out, "name", whole->struct_name);
    json_integer(out, "size_bytes", whole->size_bytes);
    json_array(out, "fields");
    while (roofline_layout_at(++index, &row, NULL) == ROOFLINE_OK && row.field[0]) {
        json_row(out);
        json_text(out, "field", row.field);
        json_text(out, "storage", roofline_constant_text("roofline_storage", row.storage));
        json_integer(out, "offset_bytes", row.offset_bytes);
        json_integer(out, "size_bytes", row.size_bytes);
        json_integer(out, "count", row.count);
        json_text(out, "meaning", row.meaning);
        json_integer(out, "id", row.id);
        json_object_end(out);
    }
    json_array_end(out);
    json_object_end(out);
}

int command_layout(const argument_list *list) {
    (void)list;
    json_out out = {0};
    roofline_layout_row row = {.struct_size = sizeof row};
    roofline_constant_row constant = {.struct_size = sizeof constant};
    json_object(&out, NULL);
    json_integer(&out, "abi_version", roofline_abi_version());
    json_text(&out, "version", roofline_version());
    json_array(&out, "structs");
    for (int64_t i = 0; roofline_layout_at(i, &row, NULL) == ROOFLINE_OK; i++)
        if (!row.field[0])
            write_struct(&out, &row, i);
    json_array_end(&out);
    json_array(&out, "constants");
    for (int64_t i = 0; roofline_constant_at(i, &constant, NULL) == ROOFLINE_OK; i++) {
        json_row(&out);
        json_fields(&out, "roofline_constant_row", &constant);
        json_object_end(&out);
    }
    json_array_end(&out);
    json_object_end(&out);
    return EXIT_DONE;
}
