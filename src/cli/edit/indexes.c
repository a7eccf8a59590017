#include "cli/edit/indexes.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/progress.h"
#include "core/memory.h"

const char *const cli_index_kinds[] = {"minmax", "sorted", "bitmap", "bloom", NULL};

bool cli_is_index_kind(const char *name)
{
    for (size_t i = 0; cli_index_kinds[i] != NULL; i++) {
        if (strcmp(name, cli_index_kinds[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool collect(void *context, const stoa_index_info *info)
{
    cli_indexes *const indexes = context;

    indexes->items = cli_one_more(indexes->items, indexes->n, sizeof *indexes->items);
    indexes->items[indexes->n++] = (cli_index){
        .column = cli_copy(info->column),
        .kind = cli_copy(info->kind),
        .problem = cli_copy(info->problem),
        .n_entries = info->n_entries,
        .n_bytes = info->n_bytes,
        .usable = info->usable,
    };
    indexes->n_usable += info->usable;
    return true;
}

stoa_status cli_indexes_load(cli_indexes *indexes, const stoa_table *table, stoa_error *err)
{
    const stoa_status status = stoa_index_visit(table, collect, indexes, err);

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

void cli_indexes_clear(cli_indexes *indexes)
{
    for (size_t i = 0; i < indexes->n; i++) {
        free(indexes->items[i].column);
        free(indexes->items[i].kind);
        free(indexes->items[i].problem);
    }
    free(indexes->items);
    *indexes = (cli_indexes){0};
}

void cli_indexes_print(const cli_indexes *indexes, bool trusted, FILE *out)
{
    static const char *const titles[] = {"index on", "kind", "entries", "bytes", "state"};
    cli_grid grid;

    cli_grid_init(&grid, 5, titles, "llrrl");
    for (size_t i = 0; i < indexes->n; i++) {
        const cli_index *const index = &indexes->items[i];
        char bytes[16];

        cli_human_bytes(index->n_bytes, bytes);
        cli_grid_put(&grid, "%s", index->column);
        cli_grid_put(&grid, "%s", index->kind);
        cli_grid_put(&grid, "%llu", (unsigned long long)index->n_entries);
        cli_grid_put(&grid, "%s", bytes);
        cli_grid_put(&grid, "%s",
                     !index->usable ? index->problem
                     : trusted      ? "trusted"
                                    : "not verified");
    }
    cli_grid_print(&grid, out, true);
    cli_grid_clear(&grid);
}
