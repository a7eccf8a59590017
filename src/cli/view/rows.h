/* Which row of a table is at which position: all of them, those that pass a filter, or sorted. */
#ifndef STOA_CLI_VIEW_ROWS_H
#define STOA_CLI_VIEW_ROWS_H

#include "cli/common/cli.h"
#include "cli/view/picks.h"

/* Most rows of a sorted order. A longer one ends there. */
enum { CLI_MOST_SORTED = 10000000 };

/* Zero-initialise. The rows are read of `table`; set it, and whether its indexes may be used. */
typedef struct cli_rows {
    stoa_table *table; /* borrowed */
    bool uses_indexes;
    char *where;        /* the filter; NULL: all rows. Owned, as is: */
    char *sort;         /* "\"a\":desc"; NULL: in the order of the table */
    cli_picks picks;    /* rows that passed so far */
    uint64_t n_scanned; /* rows of the table that the filter has seen */
    uint64_t step;      /* rows of the next step */
    uint64_t *sorted;   /* row numbers; owned */
    uint64_t n_sorted;
    bool is_cut; /* there are more than CLI_MOST_SORTED */
} cli_rows;

/* How many are known, and the row number at a position below that. */
uint64_t cli_rows_count(const cli_rows *rows);
uint64_t cli_rows_at(const cli_rows *rows, uint64_t position);
/* The position of the first row from that number on; with an order, of that row. The count if there
 * is none. */
uint64_t cli_rows_find(const cli_rows *rows, uint64_t row);
/* Whether the filter has rows left to see. */
bool cli_rows_is_searching(const cli_rows *rows);

/* Filter by an expression of the query language (NULL or "": none), in the order of the table. An
 * expression with a mistake changes nothing. No row is read. */
stoa_status cli_rows_filter(cli_rows *rows, const char *where, stoa_error *err);
/* Let the filter see some more rows: so many that it takes a twentieth of a second. A step that the
 * listener ends is lost, and the next one is shorter; that is no error. */
stoa_status cli_rows_step(cli_rows *rows, const stoa_listener *listener, stoa_error *err);
/* Sort the rows that pass the filter; NULL: in the order of the table. After a failure, or
 * STOA_ECANCELLED, the order is what it was. */
stoa_status cli_rows_sort(cli_rows *rows, const char *sort, const stoa_listener *listener,
                          stoa_error *err);
/*
 * The next position, after `from` or before it, whose row fulfils a condition. At the end it goes
 * on at the other one.
 *
 * @param[out] position  UINT64_MAX: there is none
 */
stoa_status cli_rows_search(cli_rows *rows, const char *condition, uint64_t from, bool is_backward,
                            const stoa_listener *listener, uint64_t *position, stoa_error *err);

/* Forget filter and order, and the table. */
void cli_rows_clear(cli_rows *rows);

#endif
