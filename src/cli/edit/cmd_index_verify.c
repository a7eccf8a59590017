/* stoa index verify: compare indexes with their columns; queries trust verified indexes (§16). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/args.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/edit/indexes.h"

static bool is_among(const cli_texts *columns, const char *name)
{
    for (size_t i = 0; i < columns->n; i++) {
        if (strcmp(columns->items[i], name) == 0) {
            return true;
        }
    }
    return columns->n == 0;
}

/* Whether it is the first index on its column. All indexes of a column are compared together. */
static bool is_first(const cli_indexes *indexes, size_t i)
{
    return i == 0 || strcmp(indexes->items[i - 1].column, indexes->items[i].column) != 0;
}

static stoa_status verify_column(const cli_place *place, const char *column,
                                 const stoa_index_options *options, bool *all_same, stoa_error *err)
{
    bool same = false;
    const stoa_status status =
        stoa_index_verify_with(place->table, column, NULL, options, &same, err);

    cli_progress_clear();
    if (status != STOA_OK) {
        return status;
    }
    if (same) {
        printf("%s: describes its column\n", column);
    } else {
        printf("%s: does NOT describe its column%s%s\n", column,
               err->message[0] != '\0' ? ": " : "", err->message);
        *err = (stoa_error)STOA_ERROR_INIT; /* an answer, not an error */
        *all_same = false;
    }
    return STOA_OK;
}

/* Compare, and print one line per column. */
static stoa_status verify(const cli_place *place, const cli_indexes *indexes,
                          const cli_texts *columns, const stoa_index_options *options,
                          bool *all_same, bool *all_seen, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < columns->n; i++) {
        STOA_RETURN_NOT_OK(cli_indexes_expect(indexes, columns->items[i], err));
    }
    for (size_t i = 0; i < indexes->n && status == STOA_OK; i++) {
        const cli_index *const index = &indexes->items[i];

        if (!is_among(columns, index->column)) {
            *all_seen = false;
            continue;
        }
        if (!index->usable) {
            printf("%s: %s is ignored: %s\n", index->column, index->kind, index->problem);
        }
        if (is_first(indexes, i)) {
            status = verify_column(place, index->column, options, all_same, err);
        }
    }
    return status;
}

/* Record trust in the table in the state that was compared. */
static stoa_status note(const cli_place *place, const char *stamp, stoa_error *err)
{
    uint64_t generation = 0;
    const bool has_generation =
        stoa_trust_generation(stoa_table_id(place->table), ".", &generation);

    return stoa_trust_record(place->place.file, place->place.path,
                             has_generation ? &generation : NULL, stamp, err);
}

static stoa_status index_verify(cli_args *args, stoa_error *err)
{
    cli_texts columns = {0};
    bool all_same = true;
    bool all_seen = true;
    cli_place *const place = cli_place_new(args);
    cli_indexes indexes = {0};
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    uint64_t threads = 0;
    bool quiet = false;
    char *stamp = NULL;
    stoa_error why = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    place->holds = true;
    cli_follow_option(args, &place->follows);
    cli_number(args, &threads, "--threads N", "threads at most; by default one a processor");
    cli_progress_option(args, &quiet);
    cli_operand(args, &args->subject, "PLACE", CLI_PLACE_HELP);
    cli_operands(args, &columns, "[COLUMN...]", "only the indexes on these columns");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    options.threads = threads < UINT_MAX ? (unsigned)threads : UINT_MAX;
    options.listener = cli_listener(quiet);
    STOA_RETURN_NOT_OK(cli_place_open_table(place, args->subject, STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(cli_indexes_load(args, &indexes, place->table, err));
    const stoa_status stamped = stoa_trust_stamp(place->place.file, &stamp, &why);
    STOA_TRY(verify(place, &indexes, &columns, &options, &all_same, &all_seen, err));
    args->status = all_same ? CLI_DONE : CLI_NO;
    if (indexes.n == 0) {
        cli_remark("%s: no index", place->name);
    } else if (!all_same) {
        cli_remark("%s: an index is wrong; drop it and add it again ('stoa index drop', 'add')",
                   place->name);
    } else if (all_seen) {
        *err = why;
        STOA_TRY(stamped);
        STOA_TRY(note(place, stamp, err));
        cli_remark("%s: queries use its indexes from now on, until the file changes", place->name);
    }
done:
    stoa_free(stamp);
    return status;
}

const cli_command cmd_index_verify = {"index verify",
                                      "compare indexes with their columns, and trust them if right",
                                      "stoa index verify run.h5:/events", index_verify};
