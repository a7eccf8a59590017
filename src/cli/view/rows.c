#include "cli/view/rows.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/progress.h"
#include "cli/output/batches.h"

/* Rows of a step, and how long one takes. */
enum { FIRST_STEP = 65536, LEAST_STEP = 4096, MOST_STEP = 1 << 22 };
static const double short_step = 0.03;
static const double long_step = 0.1;

/* Row numbers of an answer. */
typedef struct numbers {
    uint64_t *all;
    uint64_t n;
    bool only_last;
} numbers;

uint64_t cli_rows_count(const cli_rows *rows)
{
    return rows->sort != NULL    ? rows->n_sorted
           : rows->where != NULL ? rows->picks.n
           : rows->table != NULL ? stoa_table_n_rows(rows->table)
                                 : 0;
}

uint64_t cli_rows_at(const cli_rows *rows, uint64_t position)
{
    return rows->sort != NULL    ? rows->sorted[position]
           : rows->where != NULL ? cli_picks_at(&rows->picks, position)
                                 : position;
}

uint64_t cli_rows_find(const cli_rows *rows, uint64_t row)
{
    const uint64_t n = cli_rows_count(rows);

    if (rows->sort != NULL) {
        uint64_t at = 0;
        while (at < n && rows->sorted[at] != row) {
            at++;
        }
        return at;
    }
    return rows->where != NULL ? cli_picks_before(&rows->picks, row) : row < n ? row : n;
}

bool cli_rows_is_searching(const cli_rows *rows)
{
    return rows->where != NULL && rows->sort == NULL &&
           rows->n_scanned < stoa_table_n_rows(rows->table);
}

/* --- questions ------------------------------------------------------------------------------- */

static stoa_query_options options_of(const cli_rows *rows, const char *where,
                                     const stoa_listener *listener)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;

    options.where = where;
    options.row_numbers = true;
    options.use_indexes = rows->uses_indexes;
    options.use_trusted = true;
    if (listener != NULL) {
        options.listener = *listener;
    }
    return options;
}

static stoa_status add_numbers(void *context, const stoa_view *batch, stoa_error *err)
{
    numbers *const to = context;
    stoa_view column;

    STOA_RETURN_NOT_OK(stoa_view_child(batch, 0, &column, err));
    const uint64_t *const values = (const uint64_t *)column.values + column.offset;
    const uint64_t n = (uint64_t)column.length;
    if (to->only_last && n > 0) {
        to->n = 0;
    }
    for (uint64_t i = to->only_last && n > 0 ? n - 1 : 0; i < n; i++) {
        to->all = cli_one_more(to->all, (size_t)to->n, sizeof *to->all);
        to->all[to->n++] = values[i];
    }
    return STOA_OK;
}

static stoa_status ask(const cli_rows *rows, const stoa_query_options *options, numbers *to,
                       stoa_error *err)
{
    return cli_each_batch(rows->table, options, add_numbers, to, err);
}

/* --- filter ---------------------------------------------------------------------------------- */

static void forget_order(cli_rows *rows)
{
    free(rows->sort);
    free(rows->sorted);
    rows->sort = NULL;
    rows->sorted = NULL;
    rows->n_sorted = 0;
    rows->is_cut = false;
}

stoa_status cli_rows_filter(cli_rows *rows, const char *where, stoa_error *err)
{
    const bool is_none = where == NULL || where[strspn(where, " \t")] == '\0';
    stoa_query_options options = options_of(rows, where, NULL);
    stoa_query *query = NULL;

    if (!is_none) {
        const stoa_status status = stoa_query_open(rows->table, &options, &query, err);
        stoa_query_close(query);
        STOA_RETURN_NOT_OK(status);
    }
    char *const own = is_none ? NULL : cli_copy(where);
    free(rows->where);
    rows->where = own;
    forget_order(rows);
    cli_picks_clear(&rows->picks);
    rows->n_scanned = 0;
    rows->step = FIRST_STEP;
    return STOA_OK;
}

stoa_status cli_rows_step(cli_rows *rows, const stoa_listener *listener, stoa_error *err)
{
    const uint64_t left = stoa_table_n_rows(rows->table) - rows->n_scanned;
    stoa_query_options options = options_of(rows, rows->where, listener);
    numbers found = {.n = 0};
    stoa_error why = STOA_ERROR_INIT;
    const double began = cli_clock();

    options.first_row = rows->n_scanned;
    options.n_rows = rows->step < left ? rows->step : left;
    const stoa_status status = ask(rows, &options, &found, &why);
    const double took = cli_clock() - began;
    if (status == STOA_OK) {
        for (uint64_t i = 0; i < found.n; i++) {
            cli_picks_add(&rows->picks, found.all[i]);
        }
        rows->n_scanned += options.n_rows;
    }
    if ((status == STOA_ECANCELLED || took > long_step) && rows->step > LEAST_STEP) {
        rows->step /= 2;
    } else if (took < short_step && rows->step < MOST_STEP) {
        rows->step *= 2;
    }
    free(found.all);
    if (status != STOA_OK && status != STOA_ECANCELLED && err != NULL) {
        *err = why;
    }
    return status == STOA_ECANCELLED ? STOA_OK : status;
}

/* --- order ----------------------------------------------------------------------------------- */

stoa_status cli_rows_sort(cli_rows *rows, const char *sort, const stoa_listener *listener,
                          stoa_error *err)
{
    stoa_query_options options = options_of(rows, rows->where, listener);
    numbers found = {.n = 0};

    if (sort == NULL) {
        forget_order(rows);
        return STOA_OK;
    }
    options.sort = sort;
    options.limit = CLI_MOST_SORTED + 1;
    const stoa_status status = ask(rows, &options, &found, err);
    if (status != STOA_OK) {
        free(found.all);
        return status;
    }
    char *const own = cli_copy(sort);
    forget_order(rows);
    rows->sort = own;
    rows->sorted = found.all;
    rows->is_cut = found.n > CLI_MOST_SORTED;
    rows->n_sorted = rows->is_cut ? CLI_MOST_SORTED : found.n;
    return STOA_OK;
}

/* --- search ---------------------------------------------------------------------------------- */

/* The first row that fulfils a condition in [first, end), or the last one; UINT64_MAX: none. */
static stoa_status find_row(const cli_rows *rows, const char *where, uint64_t first, uint64_t end,
                            bool is_backward, const stoa_listener *listener, uint64_t *row,
                            stoa_error *err)
{
    stoa_query_options options = options_of(rows, where, listener);
    uint64_t step = FIRST_STEP;
    stoa_status status = STOA_OK;

    *row = UINT64_MAX;
    while (status == STOA_OK && *row == UINT64_MAX && first < end) {
        numbers found = {.only_last = is_backward};
        options.limit = is_backward ? -1 : 1;
        options.n_rows = is_backward && step < end - first ? step : end - first;
        options.first_row = is_backward ? end - options.n_rows : first;
        status = ask(rows, &options, &found, err);
        *row = status == STOA_OK && found.n > 0 ? found.all[0] : UINT64_MAX;
        *(is_backward ? &end : &first) = is_backward ? options.first_row : end;
        step *= step < MOST_STEP ? 2 : 1;
        free(found.all);
    }
    return status;
}

/* Of sorted rows: all that fulfil the condition, then the next one in the order. */
static stoa_status search_sorted(const cli_rows *rows, const char *where, uint64_t from,
                                 bool is_backward, const stoa_listener *listener,
                                 uint64_t *position, stoa_error *err)
{
    stoa_query_options options = options_of(rows, where, listener);
    const uint64_t n = rows->n_sorted;
    numbers found = {.n = 0};
    cli_picks picks = {.n = 0};

    const stoa_status status = ask(rows, &options, &found, err);
    for (uint64_t i = 0; status == STOA_OK && i < found.n; i++) {
        cli_picks_add(&picks, found.all[i]);
    }
    for (uint64_t i = 1; i <= n && *position == UINT64_MAX; i++) {
        const uint64_t at = (from + (is_backward ? n - i : i)) % n;
        *position = cli_picks_has(&picks, rows->sorted[at]) ? at : UINT64_MAX;
    }
    cli_picks_clear(&picks);
    free(found.all);
    return status;
}

stoa_status cli_rows_search(cli_rows *rows, const char *condition, uint64_t from, bool is_backward,
                            const stoa_listener *listener, uint64_t *position, stoa_error *err)
{
    const uint64_t n_rows = stoa_table_n_rows(rows->table);
    char *const where = rows->where != NULL ? cli_sprintf("(%s) and (%s)", rows->where, condition)
                                            : cli_copy(condition);
    uint64_t row = UINT64_MAX;
    stoa_status status = STOA_OK;

    *position = UINT64_MAX;
    if (cli_rows_count(rows) == 0) {
        goto done;
    }
    if (rows->sort != NULL) {
        STOA_TRY(search_sorted(rows, where, from, is_backward, listener, position, err));
        goto done;
    }
    const uint64_t here = cli_rows_at(rows, from);
    const uint64_t split = is_backward ? here : here + 1;
    STOA_TRY(find_row(rows, where, is_backward ? 0 : split, is_backward ? split : n_rows,
                      is_backward, listener, &row, err));
    if (row == UINT64_MAX) {
        STOA_TRY(find_row(rows, where, is_backward ? split : 0, is_backward ? n_rows : split,
                          is_backward, listener, &row, err));
    }
    while (row != UINT64_MAX && cli_rows_is_searching(rows) && rows->n_scanned <= row) {
        const uint64_t before = rows->n_scanned;
        STOA_TRY(cli_rows_step(rows, listener, err));
        if (rows->n_scanned == before) { /* the listener ended it */
            status = STOA_ECANCELLED;
            goto done;
        }
    }
    *position = row != UINT64_MAX ? cli_rows_find(rows, row) : UINT64_MAX;

done:
    free(where);
    return status;
}

void cli_rows_clear(cli_rows *rows)
{
    forget_order(rows);
    free(rows->where);
    cli_picks_clear(&rows->picks);
    *rows = (cli_rows){.table = NULL};
}
