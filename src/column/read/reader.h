/*
 * Rows of a column for one thread, in buffers that are reused: nothing is allocated from chunk to
 * chunk of numbers, times, bools, codes and fixed-length strings. Where the dataset can be read
 * past libhdf5 (hdf/read/direct.h) any number of readers of one column may be at work; otherwise
 * libhdf5 reads, one at a time.
 */
#ifndef STOA_COLUMN_READER_H
#define STOA_COLUMN_READER_H

#include "column/read/learned_dictionary.h"
#include "column/read/validity.h"
#include "core/threads.h"
#include "hdf/read/direct.h"

/* Zero-initialise; close with stoa_column_reader_close(). */
typedef struct stoa_column_reader {
    stoa_column *column;       /* borrowed */
    stoa_workers *workers;     /* whose lock guards libhdf5; borrowed, NULL: none do */
    const stoa_direct *direct; /* the column's; NULL: libhdf5 reads */
    const stoa_validity_kernels *marks;
    struct ArrowSchema schema;
    struct ArrowArray array; /* beneath the view: decoded rows, or nothing but the dictionary */
    stoa_view frame;         /* of the column's type, without rows */
    stoa_scratch scratch;
    const uint8_t *kept;  /* rows of the chunk that was unpacked last, in the scratch; or NULL */
    uint64_t kept_number; /* of that chunk */
    stoa_row_member_hold hold; /* of a member of rows: what it was picked from last */
    bool is_free;              /* by the column's source->read_free, without libhdf5 */
    bool keeps; /* the caller's to set: chunks may be wanted again, by others (stoa_direct_hold) */
    stoa_held_chunk *held; /* what `kept` is in, if not in the scratch */
    stoa_scratch own;      /* rows of several chunks, rows as presented, validity */
    const stoa_learned_dictionary
        *learned_dictionary; /* rows are read as its codes; NULL: as they are */
    stoa_held_chunk *codes;  /* of the chunk that was read last, or NULL */
    uint64_t codes_number;   /* of that chunk */
    /* The caller's to set: what learns from the rows that are read (NULL: nothing), and whether
     * codes are kept, those that are learned or those that are read. */
    stoa_learned_dictionary *learns;
    bool keeps_codes;
} stoa_column_reader;

/*
 * Call it where libhdf5 may be called.
 *
 * @param learned_dictionary  the column's, whole: rows are dictionaries of its labels; NULL: they
 * are of the column's own type
 */
stoa_status stoa_column_reader_open(stoa_column_reader *reader, stoa_column *column,
                                    const stoa_learned_dictionary *learned_dictionary,
                                    stoa_workers *workers, stoa_error *err);
/* Rows [first, first + count), of any number of chunks, below NROWS; the view is good until the
 * next call. Its `array` and `schema` are those of the column's type, for dictionaries with the
 * labels; missing rows of a dictionary have a code that is in it. */
stoa_status stoa_column_reader_rows(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err);
/* The rows that were read last as an array of the caller's, if they are in one that was made for
 * them; the view of them is good as long as the array. */
bool stoa_column_reader_take(stoa_column_reader *reader, uint64_t count, struct ArrowArray *out);
/* Bytes of an element in memory. */
static inline size_t stoa_column_reader_width(const stoa_column_reader *reader)
{
    return reader->column->element.size;
}
/* Whether rows of the column can be chosen: those that are numbers, times, bools or codes in chunks
 * that are read past libhdf5. */
bool stoa_column_reader_can_choose(const stoa_column_reader *reader);
/*
 * Those of rows [first, first + count), all of one chunk and below NROWS, whose bit is set: n of
 * them, as stoa_column_reader_rows() shows rows. Those that are left out are not looked at.
 *
 * @param bits  of an Arrow bitmap whose bit 0 is row `first`
 * @param room  n elements of it, where the values are afterwards if they are as stored; NULL: none
 */
stoa_status stoa_column_reader_chosen(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                      const uint8_t *bits, uint64_t n, void *room, stoa_view *view,
                                      stoa_error *err);
/*
 * Rows [first, first + count), below NROWS, as a view of elements where they lie in the map of the
 * file: none of them is looked at, so it says nothing of missing ones, for which there is
 * stoa_column_reader_keep(). *view has the length 0 where they have to be read.
 */
stoa_status stoa_column_reader_peek(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err);
/*
 * Of rows that are few, leave those that are not missing. Others are not looked at.
 *
 * @param elements  n of them, of such a view
 * @param mask      the bits of those rows, in whole words; those of missing ones are cleared
 * @param n_kept    [in,out] how many bits are set
 */
stoa_status stoa_column_reader_keep(stoa_column_reader *reader, const void *elements, uint64_t n,
                                    uint64_t *mask, uint64_t *n_kept, stoa_error *err);
/* Give back what it holds of the rows that were read; it may go on. */
void stoa_column_reader_pause(stoa_column_reader *reader);
void stoa_column_reader_close(stoa_column_reader *reader);

#endif
