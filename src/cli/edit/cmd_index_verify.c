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

/* What the comparison found. */
typedef struct findings {
    bool wrong;   /* an index does not describe its column */
    bool stale;   /* an index is out of date, so that no query uses it */
    bool skipped; /* a column was not named */
} findings;

/* All indexes of a column are compared together. */
static stoa_status verify_column(const cli_place *place, const char *column,
                                 const stoa_index_options *options, findings *found,
                                 stoa_error *err)
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
        found->wrong = true;
    }
    return STOA_OK;
}

/* Print what is known of an index that is not compared. */
static void tell_unused(const cli_index *index)
{
    if (index->stale) {
        printf("%s: %s is ignored: %s; --repair renews it\n", index->column, index->kind,
               index->problem);
    } else if (!index->usable) {
        printf("%s: %s is ignored: %s\n", index->column, index->kind, index->problem);
    }
}

/* Compare, and print one line per column. Indexes that are out of date are not compared. */
static stoa_status verify(const cli_place *place, const cli_indexes *indexes,
                          const cli_texts *columns, const stoa_index_options *options,
                          findings *found, stoa_error *err)
{
    const char *last = NULL; /* column that was compared */

    for (size_t i = 0; i < columns->n; i++) {
        STOA_RETURN_NOT_OK(cli_indexes_expect(indexes, columns->items[i], err));
    }
    for (size_t i = 0; i < indexes->n; i++) {
        const cli_index *const index = &indexes->items[i];

        if (!is_among(columns, index->column)) {
            found->skipped = true;
            continue;
        }
        tell_unused(index);
        found->stale = found->stale || index->stale;
        if (!index->stale && (last == NULL || strcmp(last, index->column) != 0)) {
            last = index->column;
            STOA_RETURN_NOT_OK(verify_column(place, last, options, found, err));
        }
    }
    return STOA_OK;
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

static stoa_status compare(cli_args *args, cli_place *place, const cli_texts *columns,
                           const stoa_index_options *options, stoa_error *err)
{
    cli_indexes indexes = {0};
    findings found = {0};
    char *stamp = NULL;
    stoa_error why = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    place->holds = true;
    STOA_RETURN_NOT_OK(cli_place_open_table(place, args->subject, STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(cli_indexes_load(args, &indexes, place->table, err));
    const stoa_status stamped = stoa_trust_stamp(place->place.file, &stamp, &why);
    STOA_TRY(verify(place, &indexes, columns, options, &found, err));
    args->status = found.wrong || found.stale ? CLI_NO : CLI_DONE;
    if (indexes.n == 0) {
        cli_remark("%s: no index", place->name);
    } else if (found.wrong) {
        cli_remark("%s: an index is wrong; 'stoa index verify --repair %s' builds it again",
                   place->name, place->name);
    } else if (!found.skipped) {
        *err = why;
        STOA_TRY(stamped);
        STOA_TRY(note(place, stamp, err));
        cli_remark("%s: queries use its%s indexes from now on, until the file changes", place->name,
                   found.stale ? " other" : "");
    }

done:
    stoa_free(stamp);
    return status;
}

/* Print what was done with an index. */
static void tell_repair(void *context, const stoa_index_repaired *index)
{
    static const char *const done[] = {
        [STOA_REPAIR_NOTHING] = "describes its column",
        [STOA_REPAIR_TOKENS] = "describes its column, and its tokens say so now; it was",
        [STOA_REPAIR_REBUILT] = "was built again; it was wrong:",
        [STOA_REPAIR_DROPPED] = "was wrong and is gone; it cannot be built again:",
        [STOA_REPAIR_LEFT] = "is left as it is, and ignored:",
    };
    size_t *const n = context;

    cli_progress_clear();
    printf("%s: %s %s%s%s\n", index->column, index->kind[0] != '\0' ? index->kind : "index",
           done[index->done], index->problem[0] != '\0' ? " " : "", index->problem);
    ++*n;
}

/* Trust in the table is recorded, since every index was compared. */
static stoa_status repair(cli_args *args, cli_place *place, const stoa_index_options *options,
                          stoa_error *err)
{
    size_t n = 0;

    STOA_RETURN_NOT_OK(cli_place_open_table(place, args->subject, STOA_FILE_EDIT, err));
    STOA_RETURN_NOT_OK(stoa_index_repair_with(place->table, options, tell_repair, &n, err));
    if (n == 0) {
        cli_remark("%s: no index", place->name);
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_commit(place, true, err));
    cli_remark("%s: queries use its indexes from now on, until the file changes", place->name);
    return STOA_OK;
}

static stoa_status index_verify(cli_args *args, stoa_error *err)
{
    cli_texts columns = {0};
    cli_place *const place = args->place = cli_place_new(args);
    bool repairs = false;
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    uint64_t threads = 0;
    bool quiet = false;

    cli_flag(args, &repairs, "--repair",
             "renew the validity tokens of right indexes, and build wrong ones again");
    cli_safe_option(args, &place->safe);
    cli_follow_option(args, &place->follows);
    cli_number(args, &threads, "--threads N", "threads at most; by default one a processor");
    cli_progress_option(args, &quiet);
    cli_operand(args, &args->subject, "PLACE", CLI_ONE_PLACE_HELP);
    cli_operands(args, &columns, "[COLUMN...]", "only the indexes on these columns");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    options.threads = threads < UINT_MAX ? (unsigned)threads : UINT_MAX;
    options.listener = cli_listener(quiet);
    if (repairs && columns.n > 0) {
        cli_misused(args, "--repair is for all indexes of the table; name no column");
        return STOA_OK;
    }
    if (place->safe && !repairs) {
        cli_misused(args, "--safe is for --repair");
        return STOA_OK;
    }
    return repairs ? repair(args, place, &options, err)
                   : compare(args, place, &columns, &options, err);
}

const cli_command cmd_index_verify = {"index verify",
                                      "compare indexes with their columns, and trust them if right",
                                      "stoa index verify run.h5:/events", index_verify};
