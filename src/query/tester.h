/*
 * One thread's part in a scan: it walks over spans, unit by unit, and tests their rows.
 *
 * Columns are fetched when an expression, or whoever takes in the rows, first asks for them.
 */
#ifndef STOA_QUERY_TESTER_H
#define STOA_QUERY_TESTER_H

#include "query/scan.h"

/* Zero-initialise; close with stoa_tester_close(). Not to be moved while open. */
typedef struct stoa_tester {
    stoa_scan *scan; /* NULL: not open */
    unsigned worker;
    stoa_fetch *fetches; /* a scope column; opened when first asked for */
    stoa_view *views;    /* of the unit; length -1 where not fetched */
    stoa_view *peeks;    /* the same where it lies; -1: not looked for, 0: there is none */
    stoa_evaluation evaluation;
    uint8_t *selected; /* a bit a row of the unit, once tested */
    stoa_span span;
    stoa_scan_counts counts; /* of the span */

    uint64_t first; /* the unit's rows */
    uint64_t n;
    uint64_t *rows;   /* their numbers; NULL: one after the other */
    bool is_untested; /* all of them pass */
    uint64_t *row_space;
} stoa_tester;

stoa_status stoa_tester_open(stoa_tester *tester, stoa_scan *scan, unsigned worker,
                             stoa_error *err);
void stoa_tester_begin(stoa_tester *tester, const stoa_span *span);
/* The span's next unit that has candidates, `room` of them at most; n is 0 at the end. */
stoa_status stoa_tester_next(stoa_tester *tester, uint64_t room, stoa_error *err);
/*
 * Go to rows [at, at + n) of the unit, a window of them at most, and test them.
 *
 * @param at          a multiple of STOA_WINDOW_ROWS
 * @param[out] n      the evaluation stands at these rows afterwards
 * @param[out] n_selected  those that pass: in `selected` from bit `at` on, unless the unit is
 *                         untested
 */
stoa_status stoa_tester_window(stoa_tester *tester, uint64_t at, uint64_t *n, uint64_t *n_selected,
                               stoa_error *err);
/* A column of the unit, all rows. */
stoa_status stoa_tester_view(stoa_tester *tester, size_t column, const stoa_view **view,
                             stoa_error *err);
/* Rows of a column, as stoa_fetch_rows(); the unit's view of it is lost. */
stoa_status stoa_tester_rows(stoa_tester *tester, size_t column, const uint64_t *rows,
                             uint64_t first, uint64_t n, struct ArrowArray *out, stoa_view *view,
                             stoa_error *err);
/* Whether the selected rows of the unit can be read of a column without a list of them. */
stoa_status stoa_tester_can_choose(stoa_tester *tester, size_t column, bool *can, stoa_error *err);
/* Those rows, n of them, as stoa_fetch_chosen(); the unit's view of the column is lost. */
stoa_status stoa_tester_chosen(stoa_tester *tester, size_t column, uint64_t n,
                               struct ArrowArray *out, stoa_view *view, stoa_error *err);
/* The span is done: its counts are whole. */
void stoa_tester_end(stoa_tester *tester);
void stoa_tester_close(stoa_tester *tester);

#endif
