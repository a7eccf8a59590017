/* stoa ls: every object Stoa knows in a file. */
#include <stdlib.h>

#include "cli/args.h"
#include "cli/grid.h"
#include "cli/place.h"
#include "cli/progress.h"

typedef struct listing {
    cli_place *place;
    cli_grid grid;
    bool is_long;
    uint64_t n_objects;
} listing;

static bool count_index(void *context, const stoa_index_info *info)
{
    (void)info;
    ++*(uint64_t *)context;
    return true;
}

/* What the long form adds. An object that cannot be opened is listed all the same. */
static void put_details(listing *list, const stoa_object *object)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    stoa_table_info info = {0};
    uint64_t n_indexes = 0;

    if (stoa_table_open(stoa_file_id(list->place->file), object->path, &table, &err) == STOA_OK) {
        info = stoa_table_info_of(table);
        if (stoa_index_list(table, count_index, &n_indexes, &err) != STOA_OK) {
            n_indexes = 0;
        }
    }
    cli_grid_put(&list->grid, "%s", info.version != NULL ? info.version : "-");
    cli_grid_put(&list->grid, "%llu", (unsigned long long)n_indexes);
    cli_grid_put(&list->grid, "%s", info.title != NULL ? info.title : "-");
    stoa_table_close(table);
}

static bool put_object(void *context, const stoa_object *object)
{
    listing *const list = context;
    char bytes[16];

    cli_grid_put(&list->grid, "%s", object->path);
    cli_grid_put(&list->grid, "%s", object->layout);
    cli_grid_put(&list->grid, "%s", object->kind);
    cli_grid_put(&list->grid, "%llu", (unsigned long long)object->n_rows);
    cli_grid_put(&list->grid, "%llu", (unsigned long long)object->n_columns);
    if (list->is_long) {
        cli_grid_put(&list->grid, "%llu", (unsigned long long)object->n_bytes);
        put_details(list, object);
    } else {
        cli_human_bytes(object->n_bytes, bytes);
        cli_grid_put(&list->grid, "%s", bytes);
    }
    list->n_objects++;
    return true;
}

/* The group or file to look below. */
static stoa_status open_start(const cli_place *place, hid_t *start, stoa_error *err)
{
    const hid_t file = stoa_file_id(place->file);

    if (place->place.path == NULL) {
        *start = file;
        return STOA_OK;
    }
    *start = H5Gopen2(file, place->place.path, H5P_DEFAULT);
    return *start >= 0 ? STOA_OK
                       : stoa_at(err, stoa_fail(err, STOA_ENOTFOUND, "there is no such group"),
                                 "%s", place->name);
}

static int ls(cli_args *args)
{
    static const char *const titles[] = {"path",  "layout",  "kind",    "rows", "columns",
                                         "bytes", "version", "indexes", "title"};
    const char *text = NULL;
    cli_place place = {0};
    listing list = {.place = &place};
    hid_t start = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    cli_flag(args, &list.is_long, "-l, --long", "exact bytes, format version, indexes, title");
    cli_operand(args, &text, "PLACE", "FILE, or FILE:GROUP to look below a group");
    if (!cli_accepted(args)) {
        return args->status;
    }
    cli_grid_init(&list.grid, list.is_long ? 9 : 6, titles, "lllrrrlrl");
    STOA_TRY(cli_place_parse(&place, text, &err));
    STOA_TRY(cli_place_open_file(&place, STOA_FILE_READ, &err));
    STOA_TRY(open_start(&place, &start, &err));
    STOA_TRY(stoa_place_list(start, put_object, &list, &err));
    if (list.n_objects > 0) {
        cli_grid_print(&list.grid, stdout, true);
    } else {
        cli_remark("%s: nothing in it that Stoa knows", place.name);
    }
done:
    if (start >= 0 && start != stoa_file_id(place.file)) {
        H5Gclose(start);
    }
    cli_grid_clear(&list.grid);
    cli_place_close(&place);
    return status == STOA_OK ? CLI_DONE : cli_fail(text, &err);
}

const cli_command cmd_ls = {"ls", "list every object Stoa knows in a file", "stoa ls -l run.h5",
                            ls};
