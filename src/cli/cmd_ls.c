/* stoa ls: every object Stoa knows in a file. */
#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cell.h"
#include "cli/grid.h"
#include "cli/place.h"
#include "cli/progress.h"
#include "cli/sparse.h"
#include "cli/tree.h"
#include "hdf/attributes.h"
#include "hdf/walk.h"
#include "sparse/storage.h"

typedef struct listing {
    cli_place *place;
    cli_grid grid;
    bool is_long;
    stoa_sink sections; /* of sparse arrays, for the long form */
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

    if (stoa_layout_open(stoa_file_id(list->place->file), object->path, &table, &err) == STOA_OK) {
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

/* Where it leads, as PyTables has it: "/a -> /b", "/a -> other.h5:/b". */
static bool put_link(void *context, const stoa_link *link)
{
    listing *const list = context;
    const bool is_far = link->file != NULL;

    cli_grid_take(&list->grid, cli_sprintf("%s -> %s%s%s", link->path, is_far ? link->file : "",
                                           is_far ? ":" : "", link->target));
    cli_grid_put(&list->grid, "link");
    cli_grid_put(&list->grid, "%s", link->is_dangling ? "dangling" : is_far ? "external" : "soft");
    for (int i = 0; i < (list->is_long ? 6 : 3); i++) {
        cli_grid_put(&list->grid, "-");
    }
    list->n_objects++;
    return true;
}

/* "13 x 10" */
static void put_extent(cli_grid *grid, int rank, const hsize_t *extent)
{
    char *shape = cli_copy(rank > 0 ? "" : "-");

    for (int i = 0; i < rank; i++) {
        char *const longer =
            cli_sprintf("%s%s%llu", shape, i > 0 ? " x " : "", (unsigned long long)extent[i]);
        free(shape);
        shape = longer;
    }
    cli_grid_take(grid, shape);
}

static int rank_of(hid_t dataset, hsize_t extent[H5S_MAX_RANK])
{
    hid_t space = H5Dget_space(dataset);
    const int rank = space >= 0 ? H5Sget_simple_extent_dims(space, extent, NULL) : 0;

    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    return rank;
}

/* What has no rows and columns of its own kind: up to its bytes. */
static void put_array(listing *list, const char *path, const char *layout, const char *kind,
                      int rank, const hsize_t *extent)
{
    cli_grid_put(&list->grid, "%s", path);
    cli_grid_put(&list->grid, "%s", layout);
    cli_grid_put(&list->grid, "%s", kind);
    put_extent(&list->grid, rank, extent);
    cli_grid_put(&list->grid, "-");
    list->n_objects++;
}

static void put_bytes(listing *list, uint64_t n_bytes)
{
    char bytes[16];

    cli_human_bytes(n_bytes, bytes);
    if (!list->is_long) {
        cli_grid_put(&list->grid, "%s", bytes);
        return;
    }
    cli_grid_put(&list->grid, "%llu", (unsigned long long)n_bytes);
    for (int i = 0; i < 3; i++) {
        cli_grid_put(&list->grid, "-");
    }
}

/* A damaged array is listed all the same. */
static void put_sparse(listing *list, hid_t dataset, const char *path)
{
    stoa_error why = STOA_ERROR_INIT;
    hsize_t extent[H5S_MAX_RANK];

    put_array(list, path, "sparse", "array", rank_of(dataset, extent), extent);
    put_bytes(list, H5Dget_storage_size(dataset));
    if (list->is_long) {
        stoa_sink_char(&list->sections, '\n');
        cli_escaped(&list->sections, path, strlen(path));
        stoa_sink_char(&list->sections, '\n');
        if (cli_sparse_sections(&list->sections, dataset, &why) != STOA_OK) {
            cli_remark("%s:%s: %s", list->place->place.file, path, why.message);
        }
    }
}

/* Sparse arrays, and the matrices that AnnData keeps as they are. */
static stoa_status see_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    listing *const list = context;
    hsize_t extent[H5S_MAX_RANK];

    (void)err;
    if (stoa_is_structured(dataset)) {
        put_sparse(list, dataset, path);
    } else if (stoa_attribute_is(dataset, "encoding-type", "array")) {
        const int rank = rank_of(dataset, extent);
        if (rank >= 2) {
            put_array(list, path, "anndata", "array", rank, extent);
            put_bytes(list, H5Dget_storage_size(dataset));
        }
    }
    return STOA_OK;
}

/* A damaged matrix is listed all the same. */
static stoa_status see_group(void *context, hid_t group, const char *path, bool *visits,
                             stoa_error *err)
{
    listing *const list = context;
    stoa_matrix_group_info info = {0};
    stoa_error why = STOA_ERROR_INIT;

    (void)err;
    *visits = !stoa_matrix_group_is_one(group, ".");
    if (!*visits) {
        const bool is_sound = stoa_matrix_group_describe(group, ".", &info, &why) == STOA_OK;
        put_array(list, path, "anndata", info.form == STOA_MATRIX_CSC ? "csc" : "csr",
                  is_sound ? 2 : 0, (const hsize_t[]){info.n_rows, info.n_columns});
        put_bytes(list, info.n_bytes);
    }
    return STOA_OK;
}

/* The group to look below. */
static stoa_status open_start(const cli_place *place, hid_t *start, stoa_error *err)
{
    const char *const path = place->place.path != NULL ? place->place.path : "/";

    *start = H5Gopen2(stoa_file_id(place->file), path, H5P_DEFAULT);
    return *start >= 0 ? STOA_OK
                       : stoa_at(err, stoa_fail(err, STOA_ENOTFOUND, "there is no such group"),
                                 "%s", place->name);
}

static stoa_status print_list(listing *list, hid_t start, stoa_error *err)
{
    static const char *const titles[] = {"path",  "layout",  "kind",    "rows", "columns",
                                         "bytes", "version", "indexes", "title"};
    stoa_status status = STOA_OK;

    cli_grid_init(&list->grid, list->is_long ? 9 : 6, titles, "lllrrrlrl");
    STOA_TRY(stoa_layout_list(start, put_object, list, err));
    STOA_TRY(stoa_datasets_visit_in(start, NULL, see_group, see_dataset, list, err));
    STOA_TRY(stoa_layout_list_links(start, put_link, list, err));
    if (list->n_objects > 0) {
        cli_grid_print(&list->grid, stdout, true);
        list->sections.out = stdout;
        STOA_TRY(stoa_sink_flush(&list->sections));
    } else {
        cli_remark("%s: nothing in it that Stoa knows", list->place->name);
    }

done:
    cli_grid_clear(&list->grid);
    stoa_sink_clear(&list->sections);
    return status;
}

static int ls(cli_args *args)
{
    const char *text = NULL;
    bool is_tree = false;
    uint64_t depth = CLI_DEEPEST_TREE;
    cli_place place = {0};
    listing list = {.place = &place};
    hid_t start = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    cli_flag(args, &list.is_long, "-l, --long",
             "exact bytes, format version, indexes, title; sections of sparse arrays");
    cli_flag(args, &is_tree, "-t, --tree",
             "groups and datasets as a tree, with LH5 types, extents, units and codecs");
    cli_number(args, &depth, "--depth N", "levels of the tree, at most 64");
    cli_operand(args, &text, "PLACE", "FILE, or FILE:GROUP to look below a group");
    if (!cli_accepted(args)) {
        return args->status;
    }
    STOA_TRY(cli_place_parse(&place, text, &err));
    STOA_TRY(cli_place_open_file(&place, STOA_FILE_READ, &err));
    STOA_TRY(open_start(&place, &start, &err));
    if (is_tree) {
        const char *const path = place.place.path != NULL ? place.place.path : "/";
        const unsigned levels = depth < CLI_DEEPEST_TREE ? (unsigned)depth : CLI_DEEPEST_TREE;
        STOA_TRY(cli_tree_print(start, path, levels, stdout, &err));
    } else {
        STOA_TRY(print_list(&list, start, &err));
    }
done:
    (void)stoa_hdf_close(&start, STOA_OK, NULL);
    cli_place_close(&place);
    return status == STOA_OK ? CLI_DONE : cli_fail(text, &err);
}

const cli_command cmd_ls = {"ls", "list every object Stoa knows in a file", "stoa ls -l run.h5",
                            ls};
