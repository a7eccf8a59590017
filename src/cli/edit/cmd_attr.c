/* stoa attr: descriptive attributes of a table and its columns (HEP001 §7.4, §8.5, §8.6). */
#include <stoa/edit.h>

#include "cli/edit/edit.h"
#include "cli/output/grid.h"

typedef struct request {
    const char *column; /* NULL: the table */
    cli_texts set;
    cli_texts remove;
} request;

typedef struct listing {
    cli_grid grid;
    const char *object;
} listing;

static bool list_attribute(void *context, const stoa_attribute *attribute)
{
    listing *const list = context;

    cli_grid_put(&list->grid, "%s", list->object);
    cli_grid_put(&list->grid, "%s", attribute->name);
    cli_grid_put(&list->grid, "%s", attribute->value);
    return true;
}

static stoa_status list_of(listing *list, const stoa_table *table, const char *column,
                           stoa_error *err)
{
    list->object = column != NULL ? column : "(table)";
    return stoa_attribute_visit(table, column, list_attribute, list, err);
}

static stoa_status list_all(const cli_place *place, const char *of, stoa_error *err)
{
    static const char *const titles[] = {"of", "attribute", "value"};
    listing list = {.object = ""};
    stoa_status status = STOA_OK;

    cli_grid_init(&list.grid, 3, titles, "lll");
    STOA_TRY(list_of(&list, place->table, of, err));
    for (size_t i = 0; of == NULL && i < stoa_table_n_columns(place->table); i++) {
        STOA_TRY(list_of(&list, place->table, stoa_table_column_name(place->table, i), err));
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
