/*
 * Cuts the candidates of a scan into pieces for threads.
 *
 * Terms of a scan:
 * - block: a part of the row grid, usually one or more whole chunks
 * - morsel: consecutive blocks, which one thread processes at a time
 * - run (`row_run`): the candidates of one block
 * - batch group: morsels whose output is held in memory together (run_plain.c)
 * - window: rows of a block that are evaluated at once, one vector per expression (eval.h)
 *
 * The grid depends on the table and the query, never on the number of threads. So results that are
 * added up in the order of the morsels do not depend on it either.
 */
#ifndef STOA_QUERY_MORSEL_H
#define STOA_QUERY_MORSEL_H

#include "index/common/rowset.h"

/* Both are borrowed. */
typedef struct stoa_candidates {
    const stoa_rowset *rows;
    const stoa_rowset *certain; /* those candidates that need no test */
} stoa_candidates;

/* The position of a walk over the candidates. */
typedef struct stoa_cursor {
    size_t range;
    uint64_t done_in_range;
    size_t certain_range; /* certain ranges before it end before the next candidate */
} stoa_cursor;

/* A morsel: a sequence of whole blocks. */
typedef struct stoa_morsel {
    uint64_t end;   /* first row after the morsel */
    uint64_t n;     /* number of candidates */
    uint64_t limit; /* most rows wanted from it */
    stoa_cursor at; /* next candidate */
} stoa_morsel;

/* A run: n candidates of one block, within rows [first, end). */
typedef struct stoa_row_run {
    uint64_t first;
    uint64_t end;
    uint64_t n;
    bool is_certain; /* all of them are certain */
    stoa_cursor at;  /* first candidate */
} stoa_row_run;

/* Cut the morsel of the next candidate and advance the cursor past it. Returns false at the end. */
bool stoa_morsel_cut(const stoa_candidates *candidates, uint64_t morsel_rows, stoa_cursor *at,
                     stoa_morsel *out);
/* The next run of a morsel, with at most `room` candidates. Returns false at the end. */
bool stoa_morsel_next(const stoa_candidates *candidates, stoa_morsel *morsel, uint64_t unit_rows,
                      uint64_t room, stoa_row_run *out);
/* The row numbers of a run, n of them. */
void stoa_row_run_rows(const stoa_candidates *candidates, const stoa_row_run *row_run,
                       uint64_t *rows);

#endif
