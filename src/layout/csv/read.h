/* What a worker does with a block of text: judge its rows, and learn from them or keep them. */
#ifndef STOA_LAYOUT_CSV_READ_H
#define STOA_LAYOUT_CSV_READ_H

#include "layout/csv/columns.h"
#include "layout/csv/grid.h"
#include "layout/csv/kept.h"

/* What all blocks of a pass have in common; nobody changes it while they are read. */
typedef struct stoa_csv_pass {
    const stoa_csv_columns *columns;
    const stoa_csv_options *options;
    const stoa_csv_nulls *nulls;
    const stoa_csv_scan *scan;
    bool is_second;
    bool keeps; /* of the first pass: is there room to keep what it finds? */
} stoa_csv_pass;

/* What a worker uses again for each block. Zero-initialise; free with stoa_csv_desk_end(). */
typedef struct stoa_csv_desk {
    stoa_csv_grid grid;
    stoa_csv_rows rows;
    stoa_csv_value *values; /* of the row being judged, one a column */
    stoa_csv_found found;   /* of the column at hand */
    stoa_buffer bytes;      /* of the block, as they are kept, */
    stoa_csv_shelf *shelf;  /* and where they go */
} stoa_csv_desk;

void stoa_csv_desk_end(stoa_csv_desk *desk);

/* What a block held. Zero-initialise; free with stoa_csv_yield_end(). */
typedef struct stoa_csv_yield {
    size_t n_columns;
    stoa_csv_guess *guesses;         /* of the first pass, one a column */
    stoa_csv_kept_block found;       /* with them, what can be kept for the second */
    stoa_csv_builder *builders;      /* of the second */
    const stoa_csv_kept_block *kept; /* before it: what was kept; NULL: nothing */
    uint64_t n_rows;
    uint64_t n_errors;
    stoa_status status;
    stoa_error error;
} stoa_csv_yield;

/* Failures are kept in the yield: of several blocks the first one counts. */
void stoa_csv_read(const stoa_csv_pass *pass, stoa_csv_desk *desk, const stoa_csv_block *block,
                   stoa_csv_yield *yield);
/* Is all of a block kept, NULL: nothing of it, as values of the columns' types? Then the second
 * pass does not look at its text. */
bool stoa_csv_is_whole(const stoa_csv_columns *columns, const stoa_csv_kept_block *kept);
void stoa_csv_yield_end(stoa_csv_yield *yield);

#endif
