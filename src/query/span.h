/*
 * The candidates of a scan, cut for threads.
 *
 * Rows lie on a grid of units, and units on a grid of spans. A span is what one thread does at a
 * time; a stretch is the candidates of one unit. The grid depends on the table and on the question,
 * never on the number of threads, and so nothing that is added up in the order of the spans does.
 */
#ifndef STOA_QUERY_SPAN_H
#define STOA_QUERY_SPAN_H

#include "index/rowset.h"

/* Both are borrowed. */
typedef struct stoa_candidates {
    const stoa_rowset *rows;
    const stoa_rowset *certain; /* of them, those that need no test */
} stoa_candidates;

/* How far a walk over the candidates has come. */
typedef struct stoa_cursor {
    size_t range;
    uint64_t done_in_range;
    size_t certain_range; /* certain ranges before it end before the next candidate */
} stoa_cursor;

/* A run of whole units. */
typedef struct stoa_span {
    uint64_t end;   /* rows from there on are another span's */
    uint64_t n;     /* candidates in it */
    uint64_t limit; /* rows wanted of it at most */
    stoa_cursor at; /* its next candidate */
} stoa_span;

/* The candidates of one unit that has any: n of [first, end). */
typedef struct stoa_stretch {
    uint64_t first;
    uint64_t end;
    uint64_t n;
    bool is_certain; /* all of them are */
    stoa_cursor at;  /* the first of them */
} stoa_stretch;

/* The span of the next candidate; the cursor goes behind it. False at the end. */
bool stoa_span_cut(const stoa_candidates *candidates, uint64_t span_rows, stoa_cursor *at,
                   stoa_span *out);
/* The next stretch of a span, of `room` candidates at most. False at the end. */
bool stoa_span_next(const stoa_candidates *candidates, stoa_span *span, uint64_t unit_rows,
                    uint64_t room, stoa_stretch *out);
/* The numbers of its rows: n of them. */
void stoa_stretch_rows(const stoa_candidates *candidates, const stoa_stretch *stretch,
                       uint64_t *rows);

#endif
