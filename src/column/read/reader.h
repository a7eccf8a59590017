/*
 * Reads rows of a column on one thread, into buffers that are reused. Numbers, times, booleans,
 * codes and fixed-length strings need no allocation per chunk.
 *
 * If the dataset can be read without libhdf5 (hdf/read/direct.h), any number of readers may work on
 * one column. Otherwise libhdf5 reads for one at a time.
 */
#ifndef STOA_COLUMN_READER_H
#define STOA_COLUMN_READER_H

#include "column/read/complete.h"
#include "column/read/learned_dictionary.h"
#include "column/read/validity.h"
#include "core/threads.h"
#include "hdf/read/direct.h"

/* Zero-initialise; close with stoa_column_reader_close(). */
typedef struct stoa_column_reader {
    stoa_column *column;       /* borrowed */
    stoa_workers *workers;     /* their lock guards libhdf5; borrowed. NULL: no other threads */
    const stoa_direct *direct; /* borrowed from the column; NULL: libhdf5 reads */
    const stoa_validity_kernels *marks;
    struct ArrowSchema schema;
    struct ArrowArray array; /* the array of the view: decoded rows, or only the dictionary */
    stoa_view frame;         /* a view of the column's type without rows */
    stoa_scratch scratch;
    const uint8_t *kept;       /* rows of the last chunk, in the scratch or `held`; or NULL */
    uint64_t kept_number;      /* number of that chunk */
    stoa_row_member_hold hold; /* for a member of a row-wise dataset */
    bool is_free;              /* column->source.read_free reads, without libhdf5 */
    bool is_bare;              /* column->source.read_bare reads */
    bool keeps; /* set by the caller: put chunks into the cache, since others may need them
                   (stoa_direct_hold) */
    stoa_held_chunk *held; /* the cached chunk that has `kept`, unless it is in the scratch */
    stoa_scratch own;      /* blocks for rows of several chunks, converted rows and validity */
    const stoa_learned_dictionary *learned_dictionary; /* whose codes are returned; NULL: values */
    stoa_held_chunk *codes; /* codes of the chunk that was read last, or NULL */
    uint64_t codes_number;  /* number of that chunk */
    /* Set by the caller: the dictionary that learns from the rows (NULL: none), and whether codes,
     * learned or read, are put into the cache. */
    stoa_learned_dictionary *learns;
    bool keeps_codes;
    stoa_learned *complete; /* chunks without missing values, set by the caller; NULL: unknown */
} stoa_column_reader;

/*
 * Open a reader. Call it where libhdf5 may be called.
 *
 * @param learned_dictionary  the column's complete dictionary: rows are then returned as its codes.
 *                            NULL: they have the column's own type.
 * @param is_bare  rows are returned as lists without items, if column->source can read these
 */
stoa_status stoa_column_reader_open(stoa_column_reader *reader, stoa_column *column,
                                    const stoa_learned_dictionary *learned_dictionary, bool is_bare,
                                    stoa_workers *workers, stoa_error *err);
/*
 * Read rows [first, first + count) of any number of chunks. They must be below NROWS. The view is
 * valid until the next call.
 *
 * The view's `array` and `schema` have the column's type. For dictionaries they include the labels,
 * and missing rows have a valid code.
 */
stoa_status stoa_column_reader_rows(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err);
/* Move the rows that were read last to the caller, if they are in an array of their own. The view
 * of them is valid as long as that array. */
bool stoa_column_reader_detach(stoa_column_reader *reader, uint64_t count, struct ArrowArray *out);
/* Bytes of an element in memory. */
static inline size_t stoa_column_reader_width(const stoa_column_reader *reader)
{
    return reader->column->element.size;
}
/* Whether stoa_column_reader_chosen() can be used: for numbers, times, booleans and codes in chunks
 * that are read without libhdf5. */
bool stoa_column_reader_can_choose(const stoa_column_reader *reader);
/*
 * Read those of rows [first, first + count) whose bit is set. The rows must be in one chunk and
 * below NROWS. Other rows are not checked. The view is like that of stoa_column_reader_rows().
 *
 * @param bits  an Arrow bitmap whose bit 0 is row `first`
 * @param n  the number of bits that are set
 * @param room  a buffer for n elements, which holds the values if they are returned as stored; or
 *              NULL
 */
stoa_status stoa_column_reader_chosen(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                      const uint8_t *bits, uint64_t n, void *room, stoa_view *view,
                                      stoa_error *err);
/*
 * Rows [first, first + count), below NROWS, as a view of elements in the map of the file. They are
 * not read, so the view has no validity. stoa_column_reader_keep() finds missing rows. The view's
 * length is 0 if the rows must be read.
 */
stoa_status stoa_column_reader_peek(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err);
/*
 * Drop missing rows from a small selection. Other rows are not read.
 *
 * @param elements  n elements of such a view
 * @param mask  a bit for each of the n elements, in whole words. Bits of missing ones are cleared.
 * @param n_kept  [in,out] the number of bits that are set
 */
stoa_status stoa_column_reader_keep(stoa_column_reader *reader, const void *elements, uint64_t n,
                                    uint64_t *mask, uint64_t *n_kept, stoa_error *err);
/* Release the rows that it holds. It can be used again. */
void stoa_column_reader_pause(stoa_column_reader *reader);
void stoa_column_reader_close(stoa_column_reader *reader);

#endif
