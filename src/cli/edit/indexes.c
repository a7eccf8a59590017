#include "cli/edit/indexes.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/progress.h"
#include "core/memory.h"

typedef struct loading {
    cli_args *args;
    cli_indexes *indexes;
} loading;

static bool collect(void *context, const stoa_index_info *info)
{
    const loading *const l = context;
    cli_indexes *const indexes = l->indexes;

    indexes->items = cli_one_more(indexes->items, indexes->n, sizeof *indexes->items);
    indexes->items[indexes->n++] = (cli_index){
        .column = cli_kept(l->args, info->column),
        .kind = cli_kept(l->args, info->kind),
        .problem = cli_kept(l->args, info->problem),
        .n_entries = info->n_entries,
        .n_bytes = info->n_bytes,
        .usable = info->usable,
        .stale = info->stale,
    };
    indexes->n_usable += info->usable;
    return true;
}

stoa_status cli_indexes_load(cli_args *args, cli_indexes *indexes, const stoa_table *table,
                             stoa_error *err)
{
    loading l = {args, indexes};
    const stoa_status status = stoa_index_visit(table, collect, &l, err);

    cli_keep(args, indexes->items);
    return status == STOA_OK ? cli_refused(err) : status; /* an object that could not be read looks
                                                             damaged */
}

bool cli_indexes_cover(const cli_indexes *indexes, const char *column)
{
    for (size_t i = 0; i < indexes->n; i++) {
        if (strcmp(indexes->items[i].column, column) == 0) {
            return true;
        }
    }
    return false;
}

stoa_status cli_indexes_expect(const cli_indexes *indexes, const char *column, stoa_error *err)
{
    return cli_indexes_cover(indexes, column)
               ? STOA_OK
               : stoa_fail(err, STOA_ENOTFOUND,
                           "there is no index on '%s'; 'stoa index list' shows those there are",
                           column);
}

void cli_indexes_print(const cli_indexes *indexes, bool trusted, cli_json *json)
{
    const char *const titles[] = {json != NULL ? "column" : "index on", "kind", "entries", "bytes",
                                  "state"};
    cli_grid grid;

    cli_grid_init(&grid, 5, titles, "llrrl");
    grid.is_json = json != NULL;
    for (size_t i = 0; i < indexes->n; i++) {
        const cli_index *const index = &indexes->items[i];

        cli_grid_put(&grid, "%s", index->column);
        cli_grid_put(&grid, "%s", index->kind);
        cli_grid_count(&grid, index->n_entries);
        cli_grid_bytes(&grid, index->n_bytes);
        cli_grid_put(&grid, "%s",
                     !index->usable ? index->problem
                     : trusted      ? "trusted"
                                    : "not verified");
    }
    if (json != NULL) {
        cli_grid_print_json(&grid, json, "indexes");
    } else {
        cli_grid_print(&grid, stdout, true);
    }
    cli_grid_clear(&grid);
}
