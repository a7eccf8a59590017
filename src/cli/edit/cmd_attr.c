/* stoa attr: descriptive attributes of a table and its columns (HEP001 §7.4, §8.5, §8.6). */
#include <stdlib.h>
#include <string.h>

#include "arrow/read.h"
#include "cli/edit/edit.h"
#include "cli/output/grid.h"
#include "column/column.h"
#include "column/type/cf_attributes.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/types.h"
#include "table/open/names.h"
#include "table/open/table.h"

typedef struct request {
    const char *column; /* NULL: the table */
    cli_texts set;
    cli_texts remove;
} request;

/* --- Listing ---------------------------------------------------------------------------------- */

typedef struct listing {
    cli_grid grid;
    const char *object;
    const stoa_column *column;
} listing;

/* Attributes that HEP001 itself maintains are shown by other commands, and those for programs that
 * do not know HEP001 repeat them. */
static bool is_shown(const char *name)
{
    static const char *const kept[] = {
        "column-order",  "_index", STOA_CF_FILL, STOA_CF_CALENDAR, STOA_CF_FLAG_VALUES,
        STOA_CF_FLAG_MEANINGS, STOA_COLUMN_CATEGORIES_PATH, NULL};

    return strcmp(name, "TITLE") == 0 || strncmp(name, "valid_", 6) == 0 ||
           (!stoa_is_listed(name, kept) && !stoa_name_is_reserved(name));
}

/* Format a bound like the column's values. */
static char *bound_text(const stoa_column *column, const char *name)
{
    const bool is_low = strcmp(name, "valid_min") == 0;
    struct ArrowSchema schema = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;
    char *text = NULL;
    char time[STOA_NUMBER_SIZE];
    int64_t count = 0;

    if (column == NULL || (is_low ? column->valid_min : column->valid_max) == NULL ||
        stoa_column_schema(column, &schema, &err) != STOA_OK) {
        return NULL;
    }
    if (stoa_schema_get_text(&schema, name, &text, &err) == STOA_OK && text != NULL &&
        column->is_time && stoa_parse_i64(text, strlen(text), &count) &&
        !__builtin_mul_overflow(count, column->time.ticks_per, &count) &&
        !__builtin_add_overflow(count, column->time.epoch_ticks, &count)) {
        (void)stoa_type_format_ticks(&column->type, count, time);
        free(text);
        text = cli_copy(time);
    }
    schema.release(&schema);
    return text;
}

/* A number of one element; otherwise the type and the count. */
static char *other_text(hid_t object, const char *name)
{
    char *text = NULL;
    double number = 0;
    int64_t integer = 0;
    bool found = false;
    char out[STOA_NUMBER_SIZE];
    stoa_error err = STOA_ERROR_INIT;

    if (stoa_attribute_read_scalar(object, name, H5T_NATIVE_INT64, &integer, &found, &err) ==
            STOA_OK &&
        found) {
        (void)stoa_format_i64(integer, out);
        return cli_copy(out);
    }
    if (stoa_attribute_read_scalar(object, name, H5T_NATIVE_DOUBLE, &number, &found, &err) ==
            STOA_OK &&
        found) {
        (void)stoa_format_f64(number, out);
        return cli_copy(out);
    }
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    if (type >= 0 && stoa_element_of(type, &element, &err) == STOA_OK) {
        text = cli_sprintf("(%lld of %s)", (long long)H5Sget_simple_extent_npoints(space),
                           element.text);
        stoa_element_clear(&element);
    }
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Aclose(attribute);
    return text != NULL ? text : cli_copy("(cannot be read)");
}

static herr_t list_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    listing *const list = context;
    stoa_error err = STOA_ERROR_INIT;
    char *text = NULL;

    (void)info;
    if (!is_shown(name)) {
        return 0;
    }
    if (strncmp(name, "valid_", 6) == 0) {
        text = bound_text(list->column, name);
    } else if (stoa_attribute_read_text(object, name, &text, &err) != STOA_OK) {
        text = NULL;
    }
    cli_grid_put(&list->grid, "%s", list->object);
    cli_grid_put(&list->grid, "%s", name);
    cli_grid_take(&list->grid, text != NULL ? text : other_text(object, name));
    return 0;
}

static stoa_status list_of(listing *list, hid_t object, const char *name, const stoa_column *column,
                           stoa_error *err)
{
    list->object = name;
    list->column = column;
    STOA_RETURN_HDF_ERROR(
        err, H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, list_attribute, list),
        "list the attributes of '%s'", name);
    return STOA_OK;
}

static stoa_status list_all(const cli_place *place, const char *of, stoa_error *err)
{
    static const char *const titles[] = {"of", "attribute", "value"};
    listing list = {.object = ""};
    stoa_status status = STOA_OK;

    cli_grid_init(&list.grid, 3, titles, "lll");
    if (of != NULL && stoa_table_find(place->table, of) == NULL) {
        STOA_TRY(stoa_table_fail_name(place->table, of, err));
    }
    if (of == NULL) {
        STOA_TRY(list_of(&list, stoa_table_id(place->table), "(table)", NULL, err));
    }
    for (size_t i = 0; i < stoa_table_n_columns(place->table); i++) {
        const stoa_column *const column = stoa_table_column(place->table, i);
        /* Columns inside rows have no attributes of their own. */
        if (!stoa_column_is_foreign(column) && (of == NULL || strcmp(of, column->name) == 0)) {
            STOA_TRY(stoa_column_reach(column, err));
            STOA_TRY(list_of(&list, column->dataset, column->name, column, err));
        }
    }
    if (list.grid.n_cells > 0) {
        cli_grid_print(&list.grid, stdout, true);
    } else {
        cli_remark("%s: no descriptive attribute", place->name);
    }
done:
    cli_grid_clear(&list.grid);
    return status;
}

static stoa_status change(cli_args *args, const request *r, cli_edit *edit, stoa_error *err)
{
    const size_t n = r->set.n + r->remove.n;

    STOA_RETURN_NOT_OK(cli_edit_open(args, edit, err));
    stoa_table *const table = edit->place->table;
    for (size_t i = 0; i < r->remove.n; i++) {
        STOA_RETURN_NOT_OK(stoa_table_annotate(table, r->column, r->remove.items[i], NULL, err));
    }
    for (size_t i = 0; i < r->set.n; i++) {
        const char *value = NULL;
        const char *const name = cli_cut(args, r->set.items[i], '=', &value);

        STOA_RETURN_NOT_OK(stoa_table_annotate(table, r->column, name, value, err));
    }
    return cli_edit_publish(edit, err, "%zu %s of %s changed", n,
                            cli_plural(n, "attribute", "attributes"),
                            r->column != NULL ? r->column : "the table");
}

static stoa_status attr(cli_args *args, stoa_error *err)
{
    request r = {0};
    cli_edit edit = {0};
    bool follows = false;

    cli_text(args, &r.column, "-c, --column COLUMN", "of this column, not of the table");
    cli_list(args, &r.remove, "--remove NAME", "take it away; may be repeated");
    cli_follow_option(args, &follows);
    cli_edit_place(args, &edit);
    cli_operands(args, &r.set, "[NAME=VALUE...]", "attributes to set; none: list them");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    for (size_t i = 0; i < r.set.n; i++) {
        const char *value = NULL;
        (void)cli_cut(args, r.set.items[i], '=', &value);
        if (value == NULL) {
            return cli_misused(args, "'%s': it takes NAME=VALUE", r.set.items[i]);
        }
    }
    if (r.set.n + r.remove.n > 0) {
        return change(args, &r, &edit, err);
    }
    edit.place->follows = follows;
    STOA_RETURN_NOT_OK(cli_place_open_table(edit.place, args->subject, STOA_FILE_READ, err));
    return list_all(edit.place, r.column, err);
}

const cli_command cmd_attr = {"attr",
                              "show, set and remove units, descriptions and other attributes",
                              "stoa attr run.h5:/events -c energy units=MeV valid_min=0", attr};
