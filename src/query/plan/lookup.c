/*
 * Lookup in the indexes of one column.
 *
 * Cost decides which indexes are asked. The bounds of chunks are in memory once the index is open
 * and give few ranges, so they are always asked. Any other index is asked if its answer is short:
 * - at most 1 / RANGES_PART of the table, or 1 / LISTED_PART if it lists rows one by one, since a
 *   scan is faster than a longer list; but ALWAYS_LISTED rows are not too many
 * - at most LISTED_PER_ROW times the rows that are in question without it
 * - at most half of what the column's other indexes left; those that expect less are asked first
 *
 * If rows are only counted, a list saves reading them. It may then have up to most_counted rows,
 * and as many as other indexes left.
 */
#include "query/plan/lookup.h"

#include <stdlib.h>

#include "table/open/table.h"

enum { RANGES_PART = 4, LISTED_PART = 64, LISTED_PER_ROW = 64, ALWAYS_LISTED = 4096 };
static const uint64_t most_counted = UINT64_C(1) << 24;

stoa_status stoa_lookup_open(stoa_lookup *lookup, stoa_table *table, const stoa_scope *scope,
                             uint64_t n_rows, stoa_buffer *notes, stoa_error *err)
{
    *lookup = (stoa_lookup){.table = table, .scope = scope, .n_rows = n_rows, .notes = notes};
    lookup->columns = stoa_alloc_zero(scope->n_columns, sizeof *lookup->columns);
    return lookup->columns != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_lookup_clear(stoa_lookup *lookup)
{
    for (size_t c = 0; lookup->columns != NULL && c < lookup->scope->n_columns; c++) {
        stoa_lookup_column *asked = &lookup->columns[c];
        free(asked->indexes);
        stoa_index_set_close(&asked->own);
    }
    free(lookup->columns);
    free(lookup->problem);
    *lookup = (stoa_lookup){0};
}

stoa_status stoa_lookup_all(const stoa_lookup *lookup, stoa_rowset *rows, stoa_error *err)
{
    rows->n_ranges = 0;
    return stoa_rowset_push(rows, 0, lookup->n_rows, err);
}

/* Opening ----------------------------------------------------------------------------------- */

stoa_status stoa_lookup_problem(stoa_lookup *lookup, size_t column, const char *kind,
                                stoa_status problem, const stoa_error *why, stoa_error *err)
{
    if (problem == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    if (lookup->problem == NULL) {
        lookup->problem = stoa_format("the %s index of '%s' is left out, since it is damaged: %s",
                                      kind[0] != '\0' ? kind : "(nameless)",
                                      lookup->scope->columns[column].name, why->message);
        STOA_RETURN_NO_MEMORY(err, lookup->problem);
    }
    return stoa_buffer_print(lookup->notes, err, "note  the %s index of %s is left out: %s\n",
                             kind[0] != '\0' ? kind : "(nameless)",
                             lookup->scope->columns[column].name, why->message);
}

static stoa_status note_stale(const stoa_lookup *lookup, size_t column, const stoa_index_link *link,
                              stoa_error *err)
{
    char why[256];

    stoa_tokens_explain(&link->tokens, lookup->table->generation, why, sizeof why);
    return stoa_buffer_print(lookup->notes, err, "note  the %s index of %s is left out: %s\n",
                             link->kind_text, lookup->scope->columns[column].name, why);
}

static stoa_status open_index(stoa_lookup *lookup, size_t column, stoa_index_set *set, size_t i,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    stoa_lookup_column *asked = &lookup->columns[column];
    const stoa_index_link *link = &asked->links[i];

    if (link->is_stale) { /* as if it were not there: no error, and no hint */
        return lookup->dry ? STOA_OK : note_stale(lookup, column, link, err);
    }
    if (link->dataset < 0 || link->kind == NULL || link->kind->prune == NULL) {
        return lookup->dry
                   ? STOA_OK
                   : stoa_buffer_print(lookup->notes, err,
                                       "note  an index of %s of kind '%s' is unknown and "
                                       "left out\n",
                                       lookup->scope->columns[column].name, link->kind_text);
    }
    if (!lookup->dry) {
        status = stoa_index_set_get(set, i, lookup->n_rows, &asked->indexes[i], &why);
        if (status != STOA_OK) {
            return stoa_lookup_problem(lookup, column, link->kind_text, status, &why, err);
        }
    }
    asked->n_usable++;
    return STOA_OK;
}

stoa_status stoa_lookup_column_open(stoa_lookup *lookup, size_t column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    stoa_lookup_column *asked = &lookup->columns[column];
    stoa_column *opened = stoa_table_column(lookup->table, column);
    stoa_index_set *set = NULL;

    if (asked->tried) {
        return STOA_OK;
    }
    asked->tried = true;
    status = stoa_table_indexes_of(lookup->table, opened, &set, &why);
    if (status == STOA_OK && set == NULL) {
        set = &asked->own;
        status = stoa_index_set_open(opened, set, &why);
    }
    if (status != STOA_OK) {
        return lookup->dry && status != STOA_ENOMEM
                   ? STOA_OK
                   : stoa_lookup_problem(lookup, column, "search", status, &why, err);
    }
    asked->links = set->links;
    asked->n_links = set->n_links;
    asked->indexes = stoa_alloc_zero(asked->n_links, sizeof *asked->indexes);
    STOA_RETURN_NO_MEMORY(err, asked->indexes);
    for (size_t i = 0; i < asked->n_links; i++) {
        STOA_RETURN_NOT_OK(open_index(lookup, column, set, i, err));
    }
    return status;
}

/* Stop using an index that failed. */
static stoa_status give_up(stoa_lookup *lookup, size_t column, size_t i, stoa_status problem,
                           const stoa_error *why, stoa_error *err)
{
    stoa_lookup_column *asked = &lookup->columns[column];

    asked->indexes[i] = NULL;
    asked->n_usable--;
    return stoa_lookup_problem(lookup, column, asked->links[i].kind_text, problem, why, err);
}

/* Asking ------------------------------------------------------------------------------------ */

/* Whether the test consists of bounded intervals only. */
static bool asks_points(const stoa_test *test)
{
    bool points = !test->missing && !test->nan;

    for (size_t i = 0; i < test->n_intervals; i++) {
        points = points && test->intervals[i].has_low && test->intervals[i].has_high;
    }
    return points;
}

static bool link_can_help(const stoa_lookup *lookup, const stoa_index_predicate *ask, size_t i)
{
    const stoa_lookup_column *asked = &lookup->columns[ask->column];
    const stoa_index_link *link = &asked->links[i];

    return asked->indexes != NULL && link->dataset >= 0 && link->kind != NULL &&
           link->kind->prune != NULL && (lookup->dry || asked->indexes[i] != NULL) &&
           (!link->kind->only_points || asks_points(&ask->test));
}

bool stoa_lookup_can_help(const stoa_lookup *lookup, const stoa_index_predicate *ask)
{
    const stoa_lookup_column *asked = &lookup->columns[ask->column];
    bool can_help = false;

    for (size_t i = 0; i < asked->n_links && !can_help; i++) {
        can_help = link_can_help(lookup, ask, i);
    }
    return can_help;
}

stoa_status stoa_lookup_expect(stoa_lookup *lookup, const stoa_index_predicate *ask,
                               stoa_arena *arena, uint64_t **expected, uint64_t *least,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_lookup_column *asked = &lookup->columns[ask->column];

    *least = lookup->n_rows;
    *expected = stoa_arena_alloc(arena, asked->n_links, sizeof **expected);
    STOA_RETURN_NO_MEMORY(err, *expected);
    for (size_t i = 0; i < asked->n_links; i++) {
        stoa_error why = STOA_ERROR_INIT;
        uint64_t *n_rows = &(*expected)[i];
        *n_rows = UINT64_MAX;
        if (!link_can_help(lookup, ask, i)) {
            continue;
        }
        *n_rows = lookup->n_rows;
        if (asked->links[i].kind->estimate != NULL) {
            status = asked->links[i].kind->estimate(asked->indexes[i], &ask->test, n_rows, &why);
        }
        if (status != STOA_OK) {
            *n_rows = UINT64_MAX;
            STOA_RETURN_NOT_OK(give_up(lookup, ask->column, i, status, &why, err));
            status = STOA_OK;
            continue;
        }
        *n_rows = *n_rows < lookup->n_rows ? *n_rows : lookup->n_rows;
        *least = *n_rows < *least ? *n_rows : *least;
    }
    return status;
}

/* Whether the answer saves more than it costs. See the top of this file. */
static bool is_worth_it(const stoa_lookup *lookup, const stoa_index_kind *kind, uint64_t expected,
                        uint64_t n_left, uint64_t n_open)
{
    const uint64_t part = lookup->n_rows / (kind->lists_rows ? LISTED_PART : RANGES_PART);
    const uint64_t most =
        lookup->counting ? most_counted : (part > ALWAYS_LISTED ? part : ALWAYS_LISTED);
    const bool narrows =
        n_left == lookup->n_rows || expected <= (lookup->counting ? n_left : n_left / 2);

    return kind->is_cheap || kind->estimate == NULL ||
           (narrows && expected <= most && expected / LISTED_PER_ROW <= n_open);
}

/* The index that is expected to leave the fewest rows, of those not asked yet; SIZE_MAX: none. */
static size_t most_selective(const stoa_lookup_column *asked, const uint64_t *expected,
                             const bool *done)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < asked->n_links; i++) {
        if (asked->indexes[i] != NULL && expected[i] != UINT64_MAX && !done[i] &&
            (best == SIZE_MAX || expected[i] < expected[best] ||
             (expected[i] == expected[best] && asked->links[i].kind->is_cheap &&
              !asked->links[best].kind->is_cheap))) {
            best = i;
        }
    }
    return best;
}

/* Begin a note: "index  x  CHUNK_MINMAX: ". */
static stoa_status note(stoa_lookup *lookup, const stoa_index_predicate *ask,
                        const stoa_index_link *link, stoa_error *err)
{
    return stoa_buffer_print(lookup->notes, err,
                             "index  %s  %s: ", lookup->scope->columns[ask->column].name,
                             link->kind_text);
}

/* Ask one index: intersect the candidates with its candidates, and add its certain rows. */
static stoa_status ask_one(stoa_lookup *lookup, const stoa_index_predicate *ask, size_t i,
                           uint64_t expected, stoa_rowset *candidates, stoa_rowset *certain,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_lookup_column *asked = &lookup->columns[ask->column];
    const stoa_index_link *link = &asked->links[i];
    stoa_error why = STOA_ERROR_INIT;
    stoa_rowset left = {0};
    stoa_rowset sure = {0};

    status = link->kind->prune(asked->indexes[i], &ask->test, &left, &sure, &why);
    if (status != STOA_OK) {
        STOA_TRY(give_up(lookup, ask->column, i, status, &why, err));
        status = STOA_OK;
        goto done;
    }
    if (++lookup->n_asked <= STOA_LOOKUP_LINES) {
        STOA_TRY(note(lookup, ask, link, err));
        STOA_TRY(stoa_buffer_print(lookup->notes, err, "%llu rows, about %llu expected",
                                   (unsigned long long)stoa_rowset_count(&left),
                                   (unsigned long long)expected));
        if (ask->is_exact && sure.n_ranges > 0) {
            STOA_TRY(stoa_buffer_print(lookup->notes, err, "; %llu of them certain",
                                       (unsigned long long)stoa_rowset_count(&sure)));
        }
        STOA_TRY(stoa_buffer_print(lookup->notes, err, "\n"));
    }
    STOA_TRY(stoa_rowset_take(candidates, &left, false, err));
    if (ask->is_exact) {
        STOA_TRY(stoa_rowset_take(certain, &sure, true, err));
    }

done:
    stoa_rowset_clear(&left);
    stoa_rowset_clear(&sure);
    return status;
}

/* Whether the test passes all values that are not missing. */
static bool is_any_value(const stoa_test *test)
{
    return !test->missing && test->nan && test->n_intervals == 1 && !test->intervals[0].has_low &&
           !test->intervals[0].has_high;
}

stoa_status stoa_lookup_count(stoa_lookup *lookup, const stoa_index_predicate *ask,
                              uint64_t *n_rows, bool *known, stoa_error *err)
{
    const stoa_lookup_column *asked = &lookup->columns[ask->column];
    const stoa_test *test = &ask->test;
    const bool is_missing = test->missing && !test->nan && test->n_intervals == 0;

    *known = false;
    if (!ask->is_exact || (!is_missing && !is_any_value(test))) {
        return STOA_OK;
    }
    for (size_t i = 0; asked->indexes != NULL && !*known && i < asked->n_links; i++) {
        const stoa_index_kind *kind = asked->links[i].kind;
        char low[64];
        char high[64];
        uint64_t n_missing = 0;
        if (asked->indexes[i] == NULL || kind->summary == NULL ||
            !kind->summary(asked->indexes[i], &n_missing, low, high, sizeof low) ||
            n_missing > lookup->n_rows) {
            continue;
        }
        *known = true;
        *n_rows = is_missing ? n_missing : lookup->n_rows - n_missing;
        lookup->n_asked++;
        STOA_RETURN_NOT_OK(note(lookup, ask, &asked->links[i], err));
        STOA_RETURN_NOT_OK(stoa_buffer_print(lookup->notes, err, "%llu rows counted\n",
                                             (unsigned long long)*n_rows));
    }
    return STOA_OK;
}

/* Get the rows as a bitmap, using the threads that will run the query. */
static stoa_status rows_of(stoa_lookup *lookup, const stoa_index_predicate *ask, size_t i,
                           stoa_row_bits **rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const column = stoa_table_column(lookup->table, ask->column);
    const stoa_lookup_column *const asked = &lookup->columns[ask->column];

    STOA_RETURN_NOT_OK(
        stoa_table_borrow_workers(lookup->table, lookup->n_threads, &column->workers, err));
    status = asked->links[i].kind->rows(asked->indexes[i], &ask->test, rows, err);
    stoa_table_return_workers(lookup->table);
    column->workers = NULL;
    return status;
}

stoa_status stoa_lookup_rows(stoa_lookup *lookup, const stoa_index_predicate *ask,
                             stoa_row_bits **rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_lookup_column *asked = &lookup->columns[ask->column];

    *rows = NULL;
    for (size_t i = 0; ask->is_exact && *rows == NULL && i < asked->n_links; i++) {
        stoa_error why = STOA_ERROR_INIT;
        if (!link_can_help(lookup, ask, i) || asked->links[i].kind->rows == NULL) {
            continue;
        }
        status = rows_of(lookup, ask, i, rows, &why);
        if (status != STOA_OK) {
            STOA_TRY(give_up(lookup, ask->column, i, status, &why, err));
            status = STOA_OK;
        } else if (*rows != NULL && ++lookup->n_asked <= STOA_LOOKUP_LINES) {
            STOA_TRY(note(lookup, ask, &asked->links[i], err));
            STOA_TRY(stoa_buffer_print(lookup->notes, err, "rows are tested by its bits\n"));
        }
    }

done:
    if (status != STOA_OK) {
        stoa_row_bits_release(*rows);
        *rows = NULL;
    }
    return status;
}

static stoa_status pass_over(stoa_lookup *lookup, const stoa_index_predicate *ask, size_t i,
                             uint64_t expected, stoa_error *err)
{
    if (++lookup->n_asked <= STOA_LOOKUP_LINES) {
        STOA_RETURN_NOT_OK(note(lookup, ask, &lookup->columns[ask->column].links[i], err));
        STOA_RETURN_NOT_OK(
            stoa_buffer_print(lookup->notes, err,
                              "passed over, about %llu rows expected: asking costs more than "
                              "it saves\n",
                              (unsigned long long)expected));
    }
    return STOA_OK;
}

stoa_status stoa_lookup_skip(stoa_lookup *lookup, const stoa_index_predicate *ask, stoa_error *err)
{
    if (lookup->dry || ++lookup->n_asked > STOA_LOOKUP_LINES) {
        return STOA_OK;
    }
    return stoa_buffer_print(lookup->notes, err,
                             "index  %s: not asked, as another part of an 'or' may be any row\n",
                             lookup->scope->columns[ask->column].name);
}

stoa_status stoa_lookup_ask(stoa_lookup *lookup, const stoa_index_predicate *ask,
                            const uint64_t *expected, uint64_t n_open, stoa_rowset *candidates,
                            stoa_rowset *certain, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_lookup_column *asked = &lookup->columns[ask->column];
    const uint64_t chunk_rows = stoa_table_column(lookup->table, ask->column)->chunk_rows;
    bool *done_with = stoa_alloc_zero(asked->n_links, sizeof *done_with);

    certain->n_ranges = 0;
    STOA_TRY(done_with != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lookup_all(lookup, candidates, err));
    for (uint64_t n_left = lookup->n_rows;;) {
        const size_t i = most_selective(asked, expected, done_with);
        if (i == SIZE_MAX || n_left == stoa_rowset_count(certain)) {
            break;
        }
        done_with[i] = true;
        if (!is_worth_it(lookup, asked->links[i].kind, expected[i], n_left,
                         n_left < n_open ? n_left : n_open)) {
            STOA_TRY(pass_over(lookup, ask, i, expected[i], err));
            continue;
        }
        STOA_TRY(ask_one(lookup, ask, i, expected[i], candidates, certain, err));
        STOA_TRY(stoa_rowset_combine(certain, candidates, false, err));
        n_left = stoa_rowset_count(candidates);
        lookup->chunk_rows = chunk_rows > lookup->chunk_rows ? chunk_rows : lookup->chunk_rows;
    }

done:
    free(done_with);
    return status;
}
