/* stoa index add: build search indexes (HEP001 §10). */
#include <limits.h>
#include <string.h>

#include "cli/common/args.h"
#include "cli/common/index_kinds.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/edit/indexes.h"
#include "core/text.h"

/* The indexes to build: a kind for each column. */
typedef struct request {
    cli_texts columns;
    cli_texts kinds;
    bool automatic;
    stoa_index_options options;
} request;

/* Choose a kind for each column without an index, if one is advised. */
static stoa_status choose(cli_args *args, const stoa_table *table, request *r, stoa_error *err)
{
    cli_indexes have = {0};

    STOA_RETURN_NOT_OK(cli_indexes_load(args, &have, table, err));
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const char *const column = stoa_table_column_name(table, i);
        const char *kind = NULL;

        if (cli_indexes_cover(&have, column)) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_index_advise(table, column, &kind, err));
        if (kind != NULL) {
            /* Copied, because the names are printed after the table is closed. */
            cli_texts_add(args, &r->columns, cli_kept(args, column));
            cli_texts_add(args, &r->kinds, kind);
        }
    }
    return STOA_OK;
}

/* Build one index. An advised index, chosen from a sample of rows, may turn out not to help. Then a
 * remark says so, and `kind` becomes NULL. */
static stoa_status add_one(const cli_place *place, const request *r, const char *column,
                           const char **kind, stoa_error *err)
{
    const stoa_status status = stoa_index_add(place->table, column, *kind, &r->options, err);

    if (status != STOA_ERANGE || !r->automatic) {
        return status;
    }
    cli_progress_clear();
    cli_remark("%s: no index on %s: %s", place->name, column, err->message);
    *err = (stoa_error)STOA_ERROR_INIT;
    *kind = NULL;
    return STOA_OK;
}

static stoa_status add_all(cli_args *args, cli_place *place, request *r, stoa_error *err)
{
    cli_indexes before = {0};

    STOA_RETURN_NOT_OK(cli_indexes_load(args, &before, place->table, err));
    for (size_t i = 0; i < r->columns.n; i++) {
        STOA_RETURN_NOT_OK(add_one(place, r, r->columns.items[i], &r->kinds.items[i], err));
    }
    cli_progress_clear();
    /* Trust applies to a whole table, and an index of unknown origin rules it out (§16). */
    STOA_RETURN_NOT_OK(cli_place_commit(place, before.n_usable == 0, err));
    for (size_t i = 0; i < r->columns.n; i++) {
        if (r->kinds.items[i] != NULL) {
            cli_remark("%s: %s index on %s added", place->name, r->kinds.items[i],
                       r->columns.items[i]);
        }
    }
    if (before.n_usable > 0 && !cli_place_was_trusted(place)) {
        cli_remark("%s: its older indexes were never verified, so queries use none; "
                   "run 'stoa index verify %s'",
                   place->name, place->name);
    }
    return STOA_OK;
}

/* --memory and --bare apply only to sorted indexes. */
static bool accept_sorted(cli_args *args, request *r, const char *memory, bool may_be_sorted)
{
    if ((memory != NULL || r->options.bare) && !may_be_sorted) {
        cli_misused(args, "--memory and --bare are for --kind sorted");
        return false;
    }
    return cli_accepted_memory(args, memory, &r->options.memory);
}

/* --false-positives and --seed apply only to Bloom filters. */
static bool accept_bloom(cli_args *args, request *r, const char *rate, uint64_t seed,
                         bool may_be_bloom)
{
    if ((rate != NULL || seed != 0) && !may_be_bloom) {
        cli_misused(args, "--false-positives and --seed are for --kind bloom");
        return false;
    }
    if (rate != NULL && (!stoa_parse_f64(rate, strlen(rate), &r->options.false_positives) ||
                         !(r->options.false_positives > 0 && r->options.false_positives < 1))) {
        cli_misused(args, "--false-positives '%s': give a rate between 0 and 1", rate);
        return false;
    }
    if (seed > UINT32_MAX) {
        cli_misused(args, "--seed: give a number below 2^32");
        return false;
    }
    r->options.seed = (uint32_t)seed;
    return true;
}

static bool accept(cli_args *args, request *r, bool *safe, bool *quiet)
{
    const char *memory = NULL;
    const char *rate = NULL;
    uint64_t seed = 0;
    uint64_t n_threads = 0;
    int kind = -1;

    cli_choice(args, &kind, cli_index_kinds, "--kind KIND", CLI_INDEX_KINDS "; by default minmax");
    cli_flag(args, &r->automatic, "--auto",
             "choose columns that have no index, and kinds by a look at their rows");
    cli_text(args, &memory, "--memory SIZE",
             "sorted: bytes to sort in, as 512M; by default a quarter of the machine's, at "
             "most 768M");
    cli_flag(args, &r->options.bare, "--bare", "sorted: row positions alone, slower to look up");
    cli_text(args, &rate, "--false-positives RATE",
             "bloom: chunks that are looked at in vain, 0.01 if not said");
    cli_number(args, &seed, "--seed N", "bloom: of the hash function, 0 if not said");
    cli_number(args, &n_threads, "--threads N", "threads at most; by default one a processor");
    cli_safe_option(args, safe);
    cli_progress_option(args, quiet);
    cli_operand(args, &args->subject, "PLACE", CLI_ONE_PLACE_HELP);
    cli_operands(args, &r->columns, "[COLUMN...]", "columns that get an index");
    if (!cli_accepted(args)) {
        return false;
    }
    if (r->automatic == (r->columns.n > 0)) {
        cli_misused(args, "name the columns, or let --auto choose them");
        return false;
    }
    if (r->automatic && kind >= 0) {
        cli_misused(args, "--auto chooses the kinds itself; leave --kind out, or name columns");
        return false;
    }
    r->options.threads = n_threads < UINT_MAX ? (unsigned)n_threads : UINT_MAX;
    const char *const name = cli_index_kinds[kind < 0 ? 0 : kind];
    for (size_t i = 0; i < r->columns.n; i++) {
        cli_texts_add(args, &r->kinds, name);
    }
    return accept_sorted(args, r, memory, r->automatic || strcmp(name, "sorted") == 0) &&
           accept_bloom(args, r, rate, seed, r->automatic || strcmp(name, "bloom") == 0);
}

static stoa_status index_add(cli_args *args, stoa_error *err)
{
    request r = {.options = STOA_INDEX_OPTIONS_INIT};
    bool quiet = false;
    cli_place *const place = args->place = cli_place_new(args);

    if (!accept(args, &r, &place->safe, &quiet)) {
        return STOA_OK;
    }
    r.options.listener = cli_listener(quiet);
    STOA_RETURN_NOT_OK(cli_place_open_table(place, args->subject, STOA_FILE_EDIT, err));
    if (r.automatic) {
        STOA_RETURN_NOT_OK(choose(args, place->table, &r, err));
    }
    if (r.columns.n == 0) {
        cli_remark("%s: no column needs another index", place->name);
        return STOA_OK;
    }
    return add_all(args, place, &r, err);
}

const cli_command cmd_index_add = {"index add",
                                   "build search indexes, which let queries skip chunks",
                                   "stoa index add run.h5:/events time energy", index_add};
