/* Processing of one block of text by a worker. It checks the rows, and learns types from them or
 * parses them. */
#ifndef STOA_LAYOUT_CSV_READ_H
#define STOA_LAYOUT_CSV_READ_H

#include "layout/csv/columns.h"
#include "layout/csv/first_pass.h"
#include "layout/csv/grid.h"

/* Shared by all blocks of a pass, and constant during it. */
typedef struct stoa_csv_pass {
    const stoa_csv_columns *columns;
    const stoa_csv_options *options;
    const stoa_csv_nulls *nulls;
    const stoa_csv_scan *scan;
    const stoa_csv_spelling *spelling; /* of numbers and times; NULL: as usual */
    bool is_second;
    bool keeps; /* first pass: there is memory left to keep values */
} stoa_csv_pass;

/* State of a worker that is reused for each block. Zero-initialise; free by stoa_csv_worker_end().
 */
typedef struct stoa_csv_worker {
    stoa_csv_grid grid;
    stoa_csv_rows rows;
    stoa_csv_value *values;       /* of the current row, one per column */
    stoa_csv_parsed_column found; /* of the current column */
    stoa_buffer bytes;            /* packed values of the block */
    stoa_csv_arena *arena;        /* arena that they are copied to */
} stoa_csv_worker;

void stoa_csv_worker_end(stoa_csv_worker *own);

/* The result of a block. Zero-initialise; free by stoa_csv_block_result_end(). */
typedef struct stoa_csv_block_result {
    size_t n_columns;
    stoa_csv_inference *guesses;     /* first pass: one per column */
    stoa_csv_kept_block found;       /* first pass: values kept for the second */
    stoa_csv_builder *builders;      /* second pass */
    const stoa_csv_kept_block *kept; /* second pass: input from the first; NULL if none */
    uint64_t n_rows;
    uint64_t n_errors;
    stoa_status status;
    stoa_error error;
} stoa_csv_block_result;

/* Process a block. A failure is stored in `result`, so that the first one in block order can be
 * reported. */
void stoa_csv_read(const stoa_csv_pass *pass, stoa_csv_worker *own, const stoa_csv_block *block,
                   stoa_csv_block_result *result);
/* Whether all columns of a block are kept as values of their types, so that the second pass need
 * not read its text. `kept` may be NULL. */
bool stoa_csv_is_whole(const stoa_csv_columns *columns, const stoa_csv_kept_block *kept);
void stoa_csv_block_result_end(stoa_csv_block_result *result);

#endif
