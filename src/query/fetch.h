/*
 * Rows of one column, wherever they lie.
 *
 * Rows far apart are read in pieces. A piece never reaches over a chunk that holds none of the
 * rows, and rows of one chunk are one piece: no chunk is read in vain, and none twice.
 */
#ifndef STOA_QUERY_FETCH_H
#define STOA_QUERY_FETCH_H

#include <stoa/table.h>

#include "arrow/read.h"

/* Pieces longer than this are cut, whatever the chunks are. */
#define STOA_FETCH_MAX_ROWS 1048576

typedef struct stoa_fetch {
    stoa_column *column; /* NULL: not opened */
    const struct ArrowSchema *schema;
    uint64_t chunk_rows;  /* 0: not chunked */
    double bytes_per_row; /* as stored */
    uint64_t counted_to;  /* rows before are in `bytes` already */
    double bytes;         /* as stored, of the chunks that were read, each once */
} stoa_fetch;

/* Column and schema are borrowed. Nothing is to be closed. */
stoa_status stoa_fetch_open(stoa_fetch *fetch, stoa_column *column,
                            const struct ArrowSchema *schema, stoa_error *err);
/*
 * Read n rows.
 *
 * @param rows      their numbers, ascending; NULL: they are [first, first + n)
 * @param[out] out  n values, the caller's
 */
stoa_status stoa_fetch_rows(stoa_fetch *fetch, const uint64_t *rows, uint64_t first, uint64_t n,
                            struct ArrowArray *out, stoa_error *err);
/* Parts of a column as one array; `out` may be the only one of them, moved. */
stoa_status stoa_fetch_join(const stoa_fetch *fetch, struct ArrowArray *parts, size_t n_parts,
                            struct ArrowArray *out, stoa_error *err);

#endif
