/*
 * Reads rows of one column, for one thread.
 *
 * Rows that are far apart are read in pieces. A piece does not span a chunk without wanted rows,
 * and all rows of one chunk are in one piece. So no chunk is read needlessly, and none is read
 * twice.
 */
#ifndef STOA_QUERY_FETCH_H
#define STOA_QUERY_FETCH_H

#include "column/read/reader.h"
#include "query/eval/expr.h"
#include "query/scan/gather.h"

/* Longer pieces are split, whatever the chunk size. */
#define STOA_FETCH_MAX_ROWS 1048576

/* What is known of a column before it is read. Shared by all threads. */
typedef struct stoa_source {
    stoa_column *column; /* NULL: not read */
    bool is_bare;        /* its rows are read as lists without items */
    const struct ArrowSchema *schema;
    stoa_type type;
    uint64_t chunk_rows;    /* 0: not chunked */
    double bytes_per_row;   /* stored size; if few rows are read, size in memory */
    stoa_zones *zones;      /* zone map, borrowed; NULL: none. Set by the scan, as is: */
    stoa_learned *complete; /* chunks without missing values, borrowed; NULL: unknown */
    const stoa_learned_dictionary
        *learned_dictionary;         /* its rows are read as codes of this; NULL: as stored */
    stoa_learned_dictionary *learns; /* the dictionary that learns from rows read; NULL: none */
    bool keeps;       /* keep its chunks in the table's cache: they are few and may be read again */
    bool keeps_codes; /* the same for rows as codes */
} stoa_source;

/* Zero-initialise; close with stoa_fetch_close(). */
typedef struct stoa_fetch {
    const stoa_source *source; /* NULL: not opened */
    stoa_column_reader reader;
    struct ArrowArray picked; /* data beneath a view of rows that are not consecutive */
    stoa_buffer picks;        /* uint32_t, or bits */
    uint64_t counted_to;      /* chunks before this row are counted in `bytes` */
    double bytes;             /* stored bytes of the chunks that were read */
} stoa_fetch;

/* Borrows the column and its entry of the scope. Calls libhdf5; unless few rows are read, it
 * walks over all chunks of the column to find their stored size. `is_bare`: if they are lists,
 * their items need not be read. */
stoa_status stoa_source_open(stoa_source *source, stoa_column *column,
                             const stoa_scope_column *known, bool is_bare, bool are_few,
                             stoa_error *err);
/* Acquires the workers' lock. */
stoa_status stoa_fetch_open(stoa_fetch *fetch, const stoa_source *source, stoa_workers *workers,
                            stoa_error *err);
/* Restart counting bytes: chunks that were read before count again. */
void stoa_fetch_recount(stoa_fetch *fetch);
/*
 * Read n rows as a view, valid until the next call.
 *
 * @param rows  row numbers, ascending; NULL: rows [first, first + n)
 */
stoa_status stoa_fetch_view(stoa_fetch *fetch, const uint64_t *rows, uint64_t first, uint64_t n,
                            stoa_view *view, stoa_error *err);
/* Read the same rows as an array and a view of it. The caller releases the array. */
stoa_status stoa_fetch_rows(stoa_fetch *fetch, const uint64_t *rows, uint64_t first, uint64_t n,
                            struct ArrowArray *out, stoa_view *view, stoa_error *err);
/* View the rows in place, see stoa_column_reader_peek(). */
stoa_status stoa_fetch_peek(stoa_fetch *fetch, uint64_t first, uint64_t n, stoa_view *view,
                            stoa_error *err);
/* Whether rows [first, first + count) can be selected by a bitmap, without a list of row
 * numbers. Opens nothing. */
bool stoa_fetch_can_choose(const stoa_fetch *fetch, uint64_t first, uint64_t count);
/*
 * Read the rows of [first, first + count) whose bit is set, n of them, as an array and a view.
 *
 * @param bits  an Arrow bitmap whose bit 0 is row `first`
 */
stoa_status stoa_fetch_chosen(stoa_fetch *fetch, uint64_t first, uint64_t count,
                              const uint8_t *bits, uint64_t n, struct ArrowArray *out,
                              stoa_view *view, stoa_error *err);
void stoa_fetch_close(stoa_fetch *fetch);

#endif
