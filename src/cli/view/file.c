/* The file of a view, and what is open of it. */
#include <stdlib.h>
#include <string.h>

#include "cli/view/screen.h"
#include "cli/view/view.h"

static bool stops_waiting(void *context)
{
    (void)context;
    return cli_screen_is_open() && cli_screen_is_cancelled();
}

static void tell_wait(void *context, const char *file, const char *holder)
{
    cli_view *const view = context;

    (void)file;
    if (cli_screen_is_open()) {
        view->job = "waiting for another program that uses the file";
        cli_view_draw_job(view, NULL);
    } else {
        cli_remark("%s: is used by %s; waiting", view->place->place.file, holder);
    }
}

stoa_status cli_view_open_file(cli_view *view, stoa_error *err)
{
    cli_place *const place = view->place;

    view->patience = *cli_patience();
    view->patience.tell = tell_wait;
    view->patience.stop = stops_waiting;
    view->patience.context = view;
    place->patience = &view->patience;
    STOA_RETURN_NOT_OK(cli_place_open_file(place, STOA_FILE_READ, err));
    view->has_objects = place->place.path == NULL && !cli_place_is_many(place);
    return STOA_OK;
}

static stoa_status load_objects(cli_view *view, stoa_error *err)
{
    cli_unopened unopened = {.file = view->place->place.file};
    hid_t root = H5Gopen2(stoa_file_id(view->place->file), "/", H5P_DEFAULT);
    stoa_status status = STOA_OK;

    cli_object_list_clear(&view->objects);
    STOA_TRY(cli_tree_visit(root, "/", CLI_MAX_TREE_DEPTH, &unopened, cli_object_list_add,
                            &view->objects, err));

done:
    cli_object_list_finish(&view->objects);
    return stoa_hdf_close(&root, status, err);
}

void cli_view_close_table(cli_view *view)
{
    cli_cells_clear(&view->cells);
    cli_columns_clear(&view->columns);
    cli_rows_clear(&view->rows);
    view->in_rows = (cli_scroll){.n = 0};
    stoa_table_close(view->place->table);
    view->place->table = NULL;
}

/* Open the object at the place's path, or the only table. */
static stoa_status open_table(cli_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_find_table(view->place, err));
    STOA_TRY(cli_columns_load(&view->columns, view->place->table, err));
    view->rows.table = view->place->table;
    view->rows.uses_indexes = !cli_place_is_many(view->place) && cli_place_is_trusted(view->place);

done:
    if (status != STOA_OK) {
        cli_view_close_table(view);
    }
    return status;
}

/* Open an object of the tree. A column of a table is shown in its table. */
stoa_status cli_view_open_object(cli_view *view, const char *path, stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    const char *const slash = strrchr(path, '/');

    cli_place_set_path(view->place, path);
    const stoa_status status = open_table(view, err);
    if (status == STOA_OK || slash == path) {
        return status;
    }
    char *const table = cli_sprintf("%.*s", (int)(slash - path), path);
    cli_place_set_path(view->place, table);
    free(table);
    if (open_table(view, &why) == STOA_OK) {
        for (size_t i = 0; i < view->columns.n; i++) {
            if (strcmp(view->columns.all[i].name, slash + 1) == 0) {
                view->columns.cursor = i;
                return STOA_OK;
            }
        }
        cli_view_close_table(view);
    }
    return status;
}

/* Read the file anew, because another program has changed it. */
static stoa_status reopen(cli_view *view, stoa_error *err)
{
    const bool has_table = view->place->table != NULL;
    const cli_scroll was = view->in_rows;
    const size_t first = view->columns.first;
    const size_t cursor = view->columns.cursor;
    char *const where = view->rows.where != NULL ? cli_copy(view->rows.where) : NULL;
    stoa_status status = STOA_OK;

    cli_view_close_table(view);
    cli_page_clear(&view->page);
    if (view->has_objects) {
        STOA_TRY(load_objects(view, err));
    }
    if (has_table) {
        STOA_TRY(open_table(view, err));
        STOA_TRY(cli_rows_filter(&view->rows, where, err));
        view->in_rows = was;
        view->columns.first = first < view->columns.n ? first : 0;
        view->columns.cursor = cursor < view->columns.n ? cursor : 0;
    }
    cli_view_say(view, false, "the file changed, and was read again");

done:
    free(where);
    return status;
}

/* Lock the file for what is read now. Between keys it is not locked, so that others can write. */
void cli_view_lock(cli_view *view)
{
    stoa_error why = STOA_ERROR_INIT;
    bool changed = false;

    view->is_locked = stoa_file_lock(view->place->file, &changed, &why) == STOA_OK;
    if (!view->is_locked || (changed && reopen(view, &why) != STOA_OK)) {
        cli_view_say_error(view, &why);
    }
}

void cli_view_unlock(cli_view *view)
{
    stoa_error ignored = STOA_ERROR_INIT;

    if (view->is_locked) {
        (void)!stoa_file_unlock(view->place->file, &ignored);
        view->is_locked = false;
    }
}

stoa_status cli_view_open(cli_view *view, stoa_error *err)
{
    view->is_locked = true;
    return view->has_objects ? load_objects(view, err) : open_table(view, err);
}
