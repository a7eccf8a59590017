/*
 * What the first pass found in the columns of a block, kept for the second: numbers, bools and the
 * labels of categories, which the second pass then need not read again. Where all columns of all
 * blocks are kept, it reads no text at all.
 *
 * Labels are numbered as they were first met, in the whole file; a block that is read beside others
 * numbers those of its own behind the ones that were known before, until it is merged.
 */
#ifndef STOA_LAYOUT_CSV_KEPT_H
#define STOA_LAYOUT_CSV_KEPT_H

#include "arrow/type.h"
#include "core/memory.h"
#include "layout/csv/text.h"

/* What is kept of a column. */
typedef enum stoa_csv_kind {
    STOA_CSV_KEPT_NOTHING,
    STOA_CSV_KEPT_LABELS,   /* their numbers */
    STOA_CSV_KEPT_INTEGERS, /* bools too, as 0 and 1 */
    STOA_CSV_KEPT_FLOATS
} stoa_csv_kind;

/* The values of a column as they are met, eight bytes each, or four of labels. Zero-initialise;
 * used again for each column; free with stoa_csv_found_clear(). */
typedef struct stoa_csv_found {
    stoa_csv_kind kind;
    stoa_buffer values;   /* int64_t, double, or uint32_t: STOA_STRINGS_NONE of a missing value */
    stoa_buffer validity; /* of integers and floats: a bit a row */
    size_t n_missing;
} stoa_csv_found;

/* Room for the numbers of so many rows, none of which is missing so far. */
stoa_status stoa_csv_found_begin(stoa_csv_found *found, size_t n_rows, stoa_error *err);
void stoa_csv_found_clear(stoa_csv_found *found);

static inline int64_t *stoa_csv_found_integers(const stoa_csv_found *found)
{
    return (int64_t *)(void *)found->values.data;
}

static inline double *stoa_csv_found_floats(const stoa_csv_found *found)
{
    return (double *)(void *)found->values.data;
}

/* A missing value lies near its neighbour, so that it takes no more bytes than that. */
static inline void stoa_csv_found_leave_out(stoa_csv_found *found, size_t row)
{
    int64_t *values = stoa_csv_found_integers(found);

    values[row] = row > 0 ? values[row - 1] : 0;
    stoa_bit_clear(found->validity.data, row);
    found->n_missing++;
}

/* Integers before `row` were floats all the time. */
void stoa_csv_found_widen(stoa_csv_found *found, size_t row);

/* A column of a block: numbers of `width` bytes. Zero-initialise. */
typedef struct stoa_csv_kept_column {
    stoa_csv_kind kind;
    uint32_t width;
    int64_t base;    /* of integers: what is added to the unsigned numbers */
    size_t rows;     /* of the block's memory: where they begin; all ones for a missing label */
    size_t validity; /* of numbers: where a bit a row begins; */
    size_t n_missing;
    uint32_t n_known; /* labels from here on are the block's own, */
    stoa_buffer own;  /* uint32_t: their numbers in the whole file */
} stoa_csv_kept_column;

/* Behind what `bytes` holds, in as few bytes as will do. `n_labels`: numbers of labels are below it
 * (others: 0). */
stoa_status stoa_csv_kept_pack(stoa_csv_kept_column *column, const stoa_csv_found *found,
                               size_t n_rows, uint32_t n_labels, stoa_buffer *bytes,
                               stoa_error *err);
/* Are values of the type had from what is kept? */
bool stoa_csv_kept_has(const stoa_csv_kept_column *column, const stoa_type *type);
/* The codes of n labels from `first` on: codes[number]; -1 for a missing one. */
void stoa_csv_kept_codes(const stoa_csv_kept_column *column, const uint8_t *bytes,
                         const uint32_t *codes, size_t first, size_t n, int64_t *out);
/* n integers from `first` on; anything for a missing one. */
void stoa_csv_kept_integers(const stoa_csv_kept_column *column, const uint8_t *bytes, size_t first,
                            size_t n, int64_t *out);

/* Memory that the blocks of one worker share, since that of each by itself would come in small
 * pages. It is gone with the last of its users, who are one thread at a time. */
typedef struct stoa_csv_shelf {
    size_t size;
    size_t used;
    size_t n_users;
    uint8_t bytes[];
} stoa_csv_shelf;

/* Room for n bytes on a shelf that is the worker's, or a new one in its place. The worker uses it
 * until stoa_csv_shelf_leave(), and whoever has the room does too. */
stoa_status stoa_csv_shelf_take(stoa_csv_shelf **shelf, size_t n, uint8_t **bytes, stoa_error *err);
void stoa_csv_shelf_leave(stoa_csv_shelf *shelf);

/* A block. Zero-initialise; free with stoa_csv_kept_block_clear(). */
typedef struct stoa_csv_kept_block {
    stoa_csv_block block; /* its text is gone */
    uint64_t n_rows;
    uint8_t *bytes;
    size_t n_bytes;
    stoa_csv_shelf *shelf;         /* where they are; NULL: nothing is kept */
    stoa_csv_kept_column *columns; /* NULL: nothing */
    size_t n_columns;
} stoa_csv_kept_block;

void stoa_csv_kept_block_clear(stoa_csv_kept_block *block);

/* Of a file, as much as there is room for. Zero-initialise; free with stoa_csv_kept_clear(). */
typedef struct stoa_csv_kept {
    stoa_buffer blocks; /* stoa_csv_kept_block */
    size_t n_bytes;
    bool is_full; /* a block found no room; none that follows is kept */
} stoa_csv_kept;

/* Blocks come in their order; what it holds is taken. */
stoa_status stoa_csv_kept_add(stoa_csv_kept *kept, stoa_csv_kept_block *block, stoa_error *err);
/* The block of that number, if it is the one; NULL: nothing is kept of it. */
const stoa_csv_kept_block *stoa_csv_kept_find(const stoa_csv_kept *kept, uint64_t number,
                                              const stoa_csv_block *block);
/* Where a block lies, without its text. */
const stoa_csv_block *stoa_csv_kept_name(const stoa_csv_kept *kept, uint64_t number);
/* Forget what is kept of a block. */
void stoa_csv_kept_drop(stoa_csv_kept *kept, uint64_t number);
uint64_t stoa_csv_kept_count(const stoa_csv_kept *kept);
void stoa_csv_kept_clear(stoa_csv_kept *kept);

#endif
