/*
 * Rows of one column for one thread, wherever they lie.
 *
 * Rows far apart are read in pieces. A piece never reaches over a chunk that holds none of the
 * rows, and rows of one chunk are one piece: no chunk is read in vain, and none twice.
 */
#ifndef STOA_QUERY_FETCH_H
#define STOA_QUERY_FETCH_H

#include "column/reader.h"
#include "query/expr.h"
#include "query/gather.h"

/* Pieces longer than this are cut, whatever the chunks are. */
#define STOA_FETCH_MAX_ROWS 1048576

/* What is known of a column before it is read; any thread may look at it. */
typedef struct stoa_source {
    stoa_column *column; /* NULL: nobody reads it */
    const struct ArrowSchema *schema;
    stoa_type type;
    uint64_t chunk_rows;         /* 0: not chunked */
    double bytes_per_row;        /* as stored; where few rows are read, as they are in memory */
    stoa_zones *zones;           /* borrowed; NULL: none. Set by the scan, as is: */
    const stoa_lexicon *lexicon; /* it is read as codes of this; NULL: as it is stored */
    stoa_lexicon *learns;        /* its rows are learned; NULL: they are not */
    bool keeps; /* its chunks may be wanted again, and are few: they are kept in the table's cache
                 */
    bool keeps_codes; /* the same of its rows as codes */
} stoa_source;

/* Zero-initialise; close with stoa_fetch_close(). */
typedef struct stoa_fetch {
    const stoa_source *source; /* NULL: not opened */
    stoa_column_reader reader;
    struct ArrowArray picked; /* rows that do not stand one after the other, beneath a view */
    stoa_buffer picks;        /* uint32_t, or bits */
    uint64_t counted_to;      /* rows before are in `bytes` already */
    double bytes;             /* as stored, of the chunks that were read */
} stoa_fetch;

/* The column, and what the scope has of it, are borrowed. Calls libhdf5, which walks over all
 * chunks of the column to know what they take up, unless few rows are read. */
stoa_status stoa_source_open(stoa_source *source, stoa_column *column,
                             const stoa_scope_column *known, bool are_few, stoa_error *err);
/* Takes the workers' lock. */
stoa_status stoa_fetch_open(stoa_fetch *fetch, const stoa_source *source, stoa_workers *workers,
                            stoa_error *err);
/* Begin to count bytes anew: those of a chunk that was read before count again. */
void stoa_fetch_recount(stoa_fetch *fetch);
/*
 * n rows as a view, good until the next call.
 *
 * @param rows  their numbers, ascending; NULL: they are [first, first + n)
 */
stoa_status stoa_fetch_view(stoa_fetch *fetch, const uint64_t *rows, uint64_t first, uint64_t n,
                            stoa_view *view, stoa_error *err);
/* The same rows as an array, the caller's, and a view of it. */
stoa_status stoa_fetch_rows(stoa_fetch *fetch, const uint64_t *rows, uint64_t first, uint64_t n,
                            struct ArrowArray *out, stoa_view *view, stoa_error *err);
/* The rows where they lie, see stoa_column_reader_peek(). */
stoa_status stoa_fetch_peek(stoa_fetch *fetch, uint64_t first, uint64_t n, stoa_view *view,
                            stoa_error *err);
/* Whether rows [first, first + count) can be chosen by bits, without a list of them. Opens nothing.
 */
bool stoa_fetch_can_choose(const stoa_fetch *fetch, uint64_t first, uint64_t count);
/*
 * Those of rows [first, first + count) whose bit is set, n of them, as an array and a view of it.
 *
 * @param bits  of an Arrow bitmap whose bit 0 is row `first`
 */
stoa_status stoa_fetch_chosen(stoa_fetch *fetch, uint64_t first, uint64_t count,
                              const uint8_t *bits, uint64_t n, struct ArrowArray *out,
                              stoa_view *view, stoa_error *err);
void stoa_fetch_close(stoa_fetch *fetch);

#endif
