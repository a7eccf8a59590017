/* stoa subset: the rows of a structured file that pass a filter, and all that belongs to them. */
#include <stoa/subset.h>
#include <string.h>

#include "cli/common/place.h"
#include "cli/common/progress.h"

typedef struct request {
    cli_place *from;
    cli_place *by;
    cli_place *to;
    const char *obs;
    const char *var;
    const char *where;
    const char *other; /* --by */
    const char *map;   /* --tcm */
    cli_place *map_place;
    stoa_subset_options options;
    stoa_subset_filter filters[2];
} request;

static void add_filter(request *r, const char *table, const char *where)
{
    if (where != NULL) {
        r->filters[r->options.n_filters++] = (stoa_subset_filter){.table = table, .where = where};
    }
}

/* The path of the only table, if a place has none. */
static stoa_status find_path(cli_place *place, const stoa_file *file, stoa_error *err)
{
    char *path = NULL;

    if (place->place.path == NULL) {
        STOA_RETURN_NOT_OK(stoa_layout_only_table(stoa_file_id(file), &path, err));
        cli_place_set_path(place, path);
        stoa_free(path);
    }
    return STOA_OK;
}

/* A path alone is in IN. */
static stoa_status find_map(request *r, stoa_error *err)
{
    if (r->map == NULL || strchr(r->map, ':') == NULL) {
        r->options.map = r->map;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_parse(r->map_place, r->map, err));
    if (r->map_place->place.path == NULL) {
        return stoa_fail(err, STOA_EINVAL, "say where the map is, as %s:/hardware_tcm_1", r->map);
    }
    r->options.map = r->map_place->place.path;
    if (cli_is_same_file(r->map_place->place.file, r->from->place.file)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_open_file(r->map_place, STOA_FILE_READ, err));
    r->options.map_file = stoa_file_id(r->map_place->file);
    return STOA_OK;
}

/* Open the file of the table that --where tests, if that is another one. */
static stoa_status open_other(request *r, const char *from, stoa_error *err)
{
    STOA_RETURN_NOT_OK(cli_place_parse(r->by, r->other, err));
    if (cli_is_same_file(r->by->place.file, r->from->place.file)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_open_file(r->by, STOA_FILE_READ, err));
    r->options.by = stoa_file_id(r->by->file);
    return r->from->place.path == NULL && r->map == NULL
               ? stoa_fail(err, STOA_EINVAL,
                           "say which table or group of it is in step, as %s:/ch1/raw", from)
               : find_path(r->by, r->by->file, err);
}

static stoa_status find_rows(request *r, const char *from, stoa_error *err)
{
    cli_place *const by = r->other != NULL ? r->by : r->from;

    if (r->where == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(r->other != NULL ? open_other(r, from, err) : STOA_OK);
    STOA_RETURN_NOT_OK(find_path(by, by->file != NULL ? by->file : r->from->file, err));
    r->options.path = r->from->place.path;
    add_filter(r, by->place.path, r->where);
    return STOA_OK;
}

static void tell(const request *r, const char *to, const stoa_subset_counts *n)
{
    if (r->where == NULL) {
        cli_remark("%s: %llu of %llu observations, %llu of %llu variables", to,
                   (unsigned long long)n->n_rows, (unsigned long long)n->of_rows,
                   (unsigned long long)n->n_columns, (unsigned long long)n->of_columns);
    } else {
        const bool is_events = r->map != NULL;
        cli_remark("%s: %llu of %llu %s, in %llu %s", to, (unsigned long long)n->n_rows,
                   (unsigned long long)n->of_rows,
                   is_events ? cli_plural(n->of_rows, "event", "events")
                             : cli_plural(n->of_rows, "row", "rows"),
                   (unsigned long long)n->n_datasets,
                   cli_plural(n->n_datasets, "dataset", "datasets"));
    }
}

static stoa_status run(request *r, const char *from, const char *to, stoa_error *err)
{
    stoa_subset_counts counts = STOA_SUBSET_COUNTS_INIT;

    STOA_RETURN_NOT_OK(cli_place_parse(r->from, from, err));
    STOA_RETURN_NOT_OK(cli_place_open_file(r->from, STOA_FILE_READ, err));
    add_filter(r, "/obs", r->obs);
    add_filter(r, "/var", r->var);
    STOA_RETURN_NOT_OK(find_rows(r, from, err));
    STOA_RETURN_NOT_OK(find_map(r, err));
    r->options.filters = r->filters;
    STOA_RETURN_NOT_OK(cli_place_parse(r->to, to, err));
    if (r->to->place.path != NULL) {
        return stoa_fail(err, STOA_EINVAL, "a subset is a whole new file; leave out the path");
    }
    STOA_RETURN_NOT_OK(cli_place_open_file(r->to, STOA_FILE_CREATE, err));
    STOA_RETURN_NOT_OK(stoa_subset(stoa_file_id(r->from->file), stoa_file_id(r->to->file),
                                   &r->options, &counts, err));
    cli_progress_clear();
    STOA_RETURN_NOT_OK(cli_place_commit(r->to, false, err));
    tell(r, to, &counts);
    return STOA_OK;
}

static stoa_status subset(cli_args *args, stoa_error *err)
{
    request r = {.options = STOA_SUBSET_OPTIONS_INIT};
    const char *to = NULL;
    bool quiet = false;

    r.from = args->place = cli_place_new(args);
    r.by = cli_place_new(args);
    r.map_place = cli_place_new(args);
    r.to = cli_place_new(args);
    cli_text(args, &r.obs, "--obs EXPR", "observations to keep, of a file that has them");
    cli_text(args, &r.var, "--var EXPR", "variables to keep, of such a file");
    cli_text(args, &r.where, "-w, --where EXPR",
             "rows to keep of IN, a table or group, and of what has as many rows beside it");
    cli_text(args, &r.other, "--by PLACE",
             "table that --where tests, of this file or another one, row for row with IN");
    cli_text(args, &r.map, "--tcm PLACE",
             "time coincidence map, of IN (a path) or another file; --where selects events, "
             "and these the rows of every channel");
    cli_progress_option(args, &quiet);
    cli_operand(args, &args->subject, "IN", "FILE[:PATH]");
    cli_operand(args, &to, "OUT", "new file");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if ((r.where == NULL) == (r.obs == NULL && r.var == NULL)) {
        return cli_misused(args, r.where == NULL
                                     ? "say which rows to keep, by --obs and --var or by --where"
                                     : "--where is for files without obs and var");
    }
    if ((r.other != NULL || r.map != NULL) && r.where == NULL) {
        return cli_misused(args, "--by and --tcm belong to --where; give that, too");
    }
    r.options.listener = cli_listener(quiet);
    return run(&r, args->subject, to, err);
}

const cli_command cmd_subset = {
    "subset", "write the part of a structured file that passes a filter, all members in step",
    "stoa subset cells.h5ad --obs 'pct_mt < 5 and n_genes > 200' good.h5ad", subset};
