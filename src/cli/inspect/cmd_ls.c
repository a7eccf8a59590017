/* stoa ls: list every object in a file that Stoa knows. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/args.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/common/terminal.h"
#include "cli/inspect/sparse.h"
#include "cli/inspect/tree.h"
#include "cli/output/grid.h"
#include "cli/output/json.h"
#include "hdf/metadata/other_files.h"

typedef struct listing {
    cli_unopened unopened;
    cli_place *place;
    cli_grid grid;
    bool is_long;
    cli_json *json;     /* NULL: text */
    stoa_sink sections; /* section sizes of sparse arrays, for the long form */
    uint64_t n_objects;
    uint64_t n_tables;
    uint64_t n_rows; /* of all tables */
} listing;

static bool count_index(void *context, const stoa_index_info *info)
{
    (void)info;
    ++*(uint64_t *)context;
    return true;
}

static void put_bytes(listing *list, uint64_t n_bytes)
{
    char bytes[16];

    if (list->is_long) {
        cli_grid_put(&list->grid, "%llu", (unsigned long long)n_bytes);
    } else {
        cli_human_bytes(n_bytes, bytes);
        cli_grid_put(&list->grid, "%s", bytes);
    }
}

/* Add the columns of the long form. An object that cannot be opened is listed without them. */
static void put_details(listing *list, const stoa_object *object)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    const char *version = NULL;
    const char *title = NULL;
    uint64_t n_indexes = 0;

    if (stoa_table_open(stoa_file_id(list->place->file), object->path, &table, &err) == STOA_OK) {
        version = stoa_table_version(table);
        title = stoa_table_title(table);
        if (stoa_index_visit(table, count_index, &n_indexes, &err) != STOA_OK) {
            n_indexes = 0;
        }
    }
    cli_grid_put(&list->grid, "%s", version != NULL ? version : "-");
    cli_grid_put(&list->grid, "%llu", (unsigned long long)n_indexes);
    cli_grid_put(&list->grid, "%s", title != NULL ? title : "-");
    stoa_table_close(table);
}

/* Begin an object of JSON. Arrays have a shape, links a target, tables rows and columns. */
static void begin_json(listing *list, const char *path, const char *layout, const char *kind)
{
    cli_json_begin(list->json);
    cli_json_text(list->json, "file", list->place->place.file);
    cli_json_text(list->json, "path", path);
    cli_json_text(list->json, "layout", layout);
    cli_json_text(list->json, "kind", kind);
    list->n_objects++;
}

static bool put_object(void *context, const stoa_object *object)
{
    listing *const list = context;

    list->n_tables++;
    list->n_rows += object->n_rows;
    if (list->json != NULL) {
        begin_json(list, object->path, object->layout, object->kind);
        cli_json_count(list->json, "rows", object->n_rows);
        cli_json_count(list->json, "columns", object->n_columns);
        cli_json_count(list->json, "bytes", object->n_bytes);
        cli_json_finish(list->json);
        return true;
    }
    cli_grid_put(&list->grid, "%s", object->path);
    cli_grid_put(&list->grid, "%s", object->layout);
    cli_grid_put(&list->grid, "%s", object->kind);
    cli_grid_put(&list->grid, "%llu", (unsigned long long)object->n_rows);
    cli_grid_put(&list->grid, "%llu", (unsigned long long)object->n_columns);
    put_bytes(list, object->n_bytes);
    if (list->is_long) {
        put_details(list, object);
    }
    cli_place_tell_left_out(list->place, object->path, object->left_out);
    list->n_objects++;
    return true;
}

/* Print a link as PyTables does: "/a -> /b", "/a -> other.h5:/b". */
static bool put_link(void *context, const stoa_link *link)
{
    listing *const list = context;
    const bool is_far = link->file != NULL;
    const char *const kind = link->is_dangling ? "dangling" : is_far ? "external" : "soft";

    if (list->json != NULL) {
        char *const target =
            cli_sprintf("%s%s%s", is_far ? link->file : "", is_far ? ":" : "", link->target);
        begin_json(list, link->path, "link", kind);
        cli_json_text(list->json, "target", target);
        cli_json_finish(list->json);
        free(target);
        return true;
    }
    cli_grid_take(&list->grid, cli_sprintf("%s -> %s%s%s", link->path, is_far ? link->file : "",
                                           is_far ? ":" : "", link->target));
    cli_grid_put(&list->grid, "link");
    cli_grid_put(&list->grid, "%s", kind);
    for (int i = 0; i < (list->is_long ? 6 : 3); i++) {
        cli_grid_put(&list->grid, "-");
    }
    list->n_objects++;
    return true;
}

static void put_sections(listing *list, const char *path)
{
    stoa_error why = STOA_ERROR_INIT;
    hid_t dataset = H5Dopen2(stoa_file_id(list->place->file), path, H5P_DEFAULT);

    stoa_sink_char(&list->sections, '\n');
    char *const line = cli_within_line(stdout, cli_copy(path));
    stoa_sink_text(&list->sections, line);
    free(line);
    stoa_sink_char(&list->sections, '\n');
    if (cli_sparse_sections(&list->sections, dataset, &why) != STOA_OK) {
        cli_remark("%s:%s: %s", list->place->place.file, path, why.message);
    }
    (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
}

static bool put_array(void *context, const stoa_array_object *array)
{
    listing *const list = context;

    if (list->json != NULL) {
        begin_json(list, array->path, array->layout, array->kind);
        cli_json_counts(list->json, "shape", array->extent, array->rank);
        cli_json_count(list->json, "bytes", array->n_bytes);
        cli_json_finish(list->json);
        return true;
    }
    cli_grid_put(&list->grid, "%s", array->path);
    cli_grid_put(&list->grid, "%s", array->layout);
    cli_grid_put(&list->grid, "%s", array->kind);
    cli_grid_take(&list->grid,
                  array->rank > 0 ? cli_extent(array->rank, array->extent) : cli_copy("-"));
    cli_grid_put(&list->grid, "-");
    put_bytes(list, array->n_bytes);
    for (int i = 0; i < (list->is_long ? 3 : 0); i++) {
        cli_grid_put(&list->grid, "-");
    }
    if (list->is_long && strcmp(array->layout, "sparse") == 0) {
        put_sections(list, array->path);
    }
    list->n_objects++;
    return true;
}

/* Open the group whose content is listed. */
static stoa_status open_start(const cli_place *place, hid_t *start, stoa_error *err)
{
    const char *const path = place->place.path != NULL ? place->place.path : "/";

    *start = H5Gopen2(stoa_file_id(place->file), path, H5P_DEFAULT);
    return *start >= 0 ? STOA_OK
                       : stoa_at(err,
                                 stoa_object_not_found(stoa_file_id(place->file), path,
                                                       "there is no such group", NULL, err),
                                 "%s", place->name);
}

static stoa_status print_list(listing *list, hid_t start, stoa_error *err)
{
    static const char *const titles[] = {"path",  "layout",  "kind",    "rows", "columns",
                                         "bytes", "version", "indexes", "title"};
    static const stoa_layout_visitors visitors = {sizeof visitors, put_object, put_array, put_link,
                                                  cli_tell_unopened};
    stoa_status status = STOA_OK;

    cli_grid_init(&list->grid, list->is_long ? 9 : 6, titles, "lllrrrlrl");
    STOA_TRY(stoa_layout_visit_all(start, &visitors, list, err));
    if (list->n_objects > 0 && list->json == NULL) {
        cli_grid_print(&list->grid, stdout, true);
        list->sections.out = stdout;
        list->sections.err = err;
        STOA_TRY(stoa_sink_flush(&list->sections));
    } else if (list->n_objects == 0) {
        cli_remark("%s: nothing in it that Stoa knows", list->place->name);
    }

done:
    cli_grid_clear(&list->grid);
    stoa_sink_clear(&list->sections);
    return status;
}

typedef struct request {
    bool is_long;
    bool is_tree;
    uint64_t depth;
    bool follows;
    char *last;       /* file */
    uint64_t n_files; /* listed so far, with their tables and rows */
    uint64_t n_tables;
    uint64_t n_rows;
    int format;
    cli_json json;
} request;

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_JSONL };

static int list_place(request *r, const char *text, bool is_named)
{
    cli_place place = {.follows = r->follows};
    listing list = {
        .place = &place, .is_long = r->is_long, .json = r->format != FORMAT_TEXT ? &r->json : NULL};
    hid_t start = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(&place, text, &err));
    STOA_TRY(cli_place_open_file(&place, STOA_FILE_READ, &err));
    list.unopened.file = place.place.file;
    STOA_TRY(open_start(&place, &start, &err));
    if (is_named && r->format == FORMAT_TEXT) {
        char *const name = cli_within_line(stdout, cli_copy(text));
        printf("%s:\n", name);
        free(name);
    }
    if (r->is_tree) {
        const char *const path = place.place.path != NULL ? place.place.path : "/";
        const unsigned levels =
            r->depth < CLI_MAX_TREE_DEPTH ? (unsigned)r->depth : CLI_MAX_TREE_DEPTH;
        STOA_TRY(cli_tree_print(start, path, levels, &list.unopened, stdout, &err));
    } else {
        STOA_TRY(print_list(&list, start, &err));
    }
done:
    if (status == STOA_OK && (r->last == NULL || strcmp(r->last, place.place.file) != 0)) {
        r->n_files++;
        free(r->last);
        r->last = cli_copy(place.place.file);
    }
    r->n_tables += list.n_tables;
    r->n_rows += list.n_rows;
    (void)stoa_hdf_close(&start, STOA_OK, NULL);
    cli_place_close(&place);
    return status != STOA_OK ? cli_fail(text, &err) : cli_unopened_status(&list.unopened);
}

static stoa_status ls(cli_args *args, stoa_error *err)
{
    static const char *const formats[] = {"text", "json", "jsonl", NULL};
    request r = {.depth = CLI_MAX_TREE_DEPTH};
    cli_texts operands = {0};
    cli_texts places = {0};

    cli_flag(args, &r.is_long, "-l, --long",
             "exact bytes, format version, indexes, title; sections of sparse arrays");
    cli_flag(
        args, &r.is_tree, "-t, --tree",
        "groups and datasets as a tree, with what they say they are, extents, units and codecs");
    cli_number(args, &r.depth, "--depth N", "levels of the tree, at most 64");
    cli_choice(args, &r.format, formats, "-f, --format FORMAT",
               "text (the default), json, one array, or jsonl, one object a line");
    cli_follow_option(args, &r.follows);
    cli_operands(args, &operands, "PLACE...", "FILE, or FILE:GROUP to look below a group");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if (r.format != FORMAT_TEXT && (r.is_tree || r.is_long)) {
        return cli_misused(args, "-f json and jsonl list tables, arrays and links; no -l, no -t");
    }
    args->subject = operands.items[0];
    r.json = (cli_json){stdout, .is_array = r.format == FORMAT_JSON};
    STOA_RETURN_NOT_OK(cli_places_expand(args, &operands, &places, err));
    for (size_t i = 0; i < places.n; i++) {
        printf("%s", i > 0 && r.format == FORMAT_TEXT ? "\n" : "");
        const int one = list_place(&r, places.items[i], places.n > 1);
        args->status = one != CLI_DONE ? one : args->status; /* continue with the other places */
    }
    if (places.n > 1 && !r.is_tree) {
        cli_tell_totals(r.n_files, r.n_tables, r.n_rows);
    }
    free(r.last);
    if (r.format == FORMAT_JSON) {
        cli_json_end(&r.json);
    }
    return STOA_OK;
}

const cli_command cmd_ls = {"ls", "list every object Stoa knows in a file", "stoa ls -l run.h5",
                            ls};
