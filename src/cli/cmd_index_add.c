/* stoa index add: build search indexes (HEP001 §10). */
#include <string.h>

#include "arrow/build.h"
#include "arrow/type.h"
#include "cli/args.h"
#include "cli/indexes.h"
#include "cli/place.h"
#include "cli/progress.h"
#include "core/text.h"

/* Numbers and times without an index: where bounds of chunks are most likely to help. */
static stoa_status choose(cli_args *args, const stoa_table *table, cli_texts *columns,
                          stoa_error *err)
{
    cli_indexes have = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(cli_indexes_load(&have, table, err));
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        struct ArrowSchema schema = {0};
        stoa_type type;

        STOA_TRY(stoa_column_schema(column, &schema, err));
        status = stoa_type_of(&schema, &type, err);
        stoa_schema_release(&schema);
        if (status != STOA_OK) {
            goto done;
        }
        if ((stoa_kind_is_integer(type.kind) || stoa_kind_is_float(type.kind) ||
             stoa_kind_is_time(type.kind)) &&
            !cli_indexes_cover(&have, stoa_column_name(column))) {
            /* A copy: the names are told after the table is closed. */
            cli_texts_add(args, columns, cli_keep(args, cli_copy(stoa_column_name(column))));
        }
    }
done:
    cli_indexes_clear(&have);
    return status;
}

/* "268435456", "256M", "2G": bytes. */
static bool parse_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    const size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, text[length - 1]) : NULL;
    const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;

    if (!stoa_parse_u64(text, unit != NULL ? length - 1 : length, bytes) ||
        *bytes > UINT64_MAX >> shift) {
        return false;
    }
    *bytes <<= shift;
    return true;
}

static stoa_status add_all(cli_place *place, const cli_texts *columns, const char *kind,
                           const stoa_index_options *chosen, bool quiet, stoa_error *err)
{
    stoa_index_options options = *chosen;
    cli_indexes before = {0};
    stoa_status status = STOA_OK;

    options.listener = cli_listener(quiet);
    STOA_TRY(cli_indexes_load(&before, place->table, err));
    for (size_t i = 0; i < columns->n; i++) {
        STOA_TRY(stoa_index_add(place->table, columns->items[i], kind, &options, err));
    }
    cli_progress_clear();
    /* Trust is given to a table as a whole: an index of unknown origin keeps it away (§16). */
    STOA_TRY(cli_place_commit(place, before.n_usable == 0, err));
    for (size_t i = 0; i < columns->n; i++) {
        cli_remark("%s: %s index on %s added", place->name, kind, columns->items[i]);
    }
    if (before.n_usable > 0 && !cli_place_is_trusted(place)) {
        cli_remark("%s: its older indexes were never verified, so queries use none; "
                   "run 'stoa index verify %s'",
                   place->name, place->name);
    }
done:
    cli_indexes_clear(&before);
    return status;
}

static int index_add(cli_args *args)
{
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    const char *memory = NULL;
    const char *text = NULL;
    cli_texts columns = {0};
    int kind = 0;
    bool automatic = false;
    bool quiet = false;
    cli_place place = {0};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    int exit_status;

    cli_choice(args, &kind, cli_index_kinds, "--kind KIND", CLI_INDEX_KINDS "; by default minmax");
    cli_text(args, &memory, "--memory SIZE",
             "sorted: bytes to sort in, as 512M; by default a quarter of the machine's");
    cli_flag(args, &options.bare, "--bare",
             "sorted: row positions alone, smaller and slower to look up");
    cli_flag(args, &automatic, "--auto", "choose the columns: numbers and times without an index");
    cli_safe_option(args, &place.safe);
    cli_progress_option(args, &quiet);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operands(args, &columns, "[COLUMN...]", "columns that get an index");
    if (!cli_accepted(args)) {
        return args->status;
    }
    if (automatic == (columns.n > 0)) {
        return cli_misused(args, "name the columns, or let --auto choose them");
    }
    if (memory != NULL && !parse_size(memory, &options.memory)) {
        return cli_misused(args, "--memory wants a size, as 512M, not '%s'", memory);
    }
    STOA_TRY(cli_place_open_table(&place, text, STOA_FILE_EDIT, &err));
    if (automatic) {
        STOA_TRY(choose(args, place.table, &columns, &err));
    }
    if (columns.n == 0) {
        cli_remark("%s: no column needs another index", place.name);
        goto done;
    }
    STOA_TRY(add_all(&place, &columns, cli_index_kinds[kind], &options, quiet, &err));
done:
    exit_status =
        status == STOA_OK ? CLI_DONE : cli_fail(place.name != NULL ? place.name : text, &err);
    cli_place_close(&place);
    return exit_status;
}

const cli_command cmd_index_add = {"index add",
                                   "build search indexes, which let queries skip chunks",
                                   "stoa index add run.h5:/events time energy", index_add};
