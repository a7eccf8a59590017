/* stoa update: change values in existing rows (HEP001 §11.5). */
#include "cli/edit/edit.h"

typedef struct update {
    const char *where;
    stoa_assignment *assignments;
    size_t n;
} update;

static stoa_status run(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err)
{
    const update *const u = context;

    return stoa_table_update(table, u->where, u->assignments, u->n, options, n, err);
}

static void say(void *context, const char *place, uint64_t n)
{
    (void)context;
    cli_remark("%s: %llu %s changed", place, (unsigned long long)n, cli_plural(n, "row", "rows"));
}

/* Split COL=VALUE pairs; false after a message. */
static bool split(cli_args *args, const cli_texts *pairs, update *u)
{
    u->assignments = cli_keep(args, cli_resize(NULL, pairs->n, sizeof *u->assignments));
    for (size_t i = 0; i < pairs->n; i++) {
        const char *value = NULL;
        const char *const column = cli_cut(args, pairs->items[i], '=', &value);

        if (value == NULL) {
            args->status = cli_misused(args, "--set takes COLUMN=VALUE, not '%s'", pairs->items[i]);
            return false;
        }
        u->assignments[u->n++] = (stoa_assignment){column, value};
    }
    if (u->n == 0) {
        args->status = cli_misused(args, "say what to change with --set COLUMN=VALUE");
        return false;
    }
    return true;
}

static int update_rows(cli_args *args)
{
    const char *text = NULL;
    cli_texts pairs = {0};
    bool all = false;
    cli_edit edit = {0};
    update u = {0};
    const cli_edit_job job = {run, say, &u};

    cli_text(args, &u.where, "-w, --where EXPR", "change the rows for which EXPR is true");
    cli_flag(args, &all, "--all", "change every row");
    cli_list(args, &pairs, "--set COLUMN=VALUE",
             "the column's new value: an expression of the row as it was, as energy*1.02, "
             "'unknown' or null; may be repeated");
    cli_edit_options(args, &edit);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    if (!cli_accepted(args) || !split(args, &pairs, &u)) {
        return args->status;
    }
    if (all == (u.where != NULL)) {
        return cli_misused(args, all ? "--all and -w exclude each other"
                                     : "say which rows with -w EXPR, or --all");
    }
    return cli_edit_place(&edit, text, &job);
}

const cli_command cmd_update = {
    "update", "change values in rows of a table",
    "stoa update run.h5:/events -w 'run = 7' --set 'energy=energy*1.02'", update_rows};
