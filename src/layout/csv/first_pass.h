/*
 * Values of a block that the first pass parsed, kept for the second: numbers, booleans and label
 * numbers. The second pass reads no text if all columns of all blocks are kept.
 *
 * Labels are numbered in order of their first occurrence in the file. Blocks that are parsed in
 * parallel number new labels after the ones known before, until they are merged.
 */
#ifndef STOA_LAYOUT_CSV_FIRST_PASS_H
#define STOA_LAYOUT_CSV_FIRST_PASS_H

#include "arrow/type.h"
#include "core/memory.h"
#include "layout/csv/text.h"

/* What is kept of a column. */
typedef enum stoa_csv_kind {
    STOA_CSV_KEPT_NOTHING,
    STOA_CSV_KEPT_LABELS,   /* label numbers */
    STOA_CSV_KEPT_INTEGERS, /* booleans, too, as 0 and 1 */
    STOA_CSV_KEPT_FLOATS
} stoa_csv_kind;

/* A column as it is parsed: eight bytes per value, or four per label. Zero-initialise, reuse for
 * each column, and free by stoa_csv_parsed_column_clear(). */
typedef struct stoa_csv_parsed_column {
    stoa_csv_kind kind;
    stoa_buffer values;   /* int64_t, double, or uint32_t with STOA_STRING_SET_NONE for missing */
    stoa_buffer validity; /* of integers and floats: one bit per row */
    size_t n_missing;
} stoa_csv_parsed_column;

/* Reserve numbers for n_rows rows, all valid at first. */
stoa_status stoa_csv_parsed_column_begin(stoa_csv_parsed_column *found, size_t n_rows,
                                         stoa_error *err);
void stoa_csv_parsed_column_clear(stoa_csv_parsed_column *found);

static inline int64_t *stoa_csv_parsed_column_integers(const stoa_csv_parsed_column *found)
{
    return (int64_t *)(void *)found->values.data;
}

static inline double *stoa_csv_parsed_column_floats(const stoa_csv_parsed_column *found)
{
    return (double *)(void *)found->values.data;
}

/* A missing value repeats its neighbour, so that it does not widen the packed integers. */
static inline void stoa_csv_parsed_column_leave_out(stoa_csv_parsed_column *found, size_t row)
{
    int64_t *values = stoa_csv_parsed_column_integers(found);

    values[row] = row > 0 ? values[row - 1] : 0;
    stoa_bit_clear(found->validity.data, row);
    found->n_missing++;
}

/* Convert the integers before `row` to floats. */
void stoa_csv_parsed_column_widen(stoa_csv_parsed_column *found, size_t row);

/* A column of a block as packed numbers of `width` bytes. Zero-initialise. */
typedef struct stoa_csv_kept_column {
    stoa_csv_kind kind;
    uint32_t width;
    int64_t base; /* of integers: added to the unsigned stored numbers */
    size_t rows;  /* offset of the values in the block's memory; all bits set for a missing label */
    size_t validity; /* of numbers: offset of the validity bits */
    size_t n_missing;
    uint32_t n_known; /* labels from this number on are the block's own */
    stoa_buffer own;  /* uint32_t: numbers of these labels in the whole file */
} stoa_csv_kept_column;

/* Append the column to `bytes`, in the smallest width. Label numbers are below `n_labels`, which is
 * 0 for other columns. */
stoa_status stoa_csv_kept_pack(stoa_csv_kept_column *column, const stoa_csv_parsed_column *found,
                               size_t n_rows, uint32_t n_labels, stoa_buffer *bytes,
                               stoa_error *err);
/* Whether values of the type can be read from what is kept. */
bool stoa_csv_kept_has(const stoa_csv_kept_column *column, const stoa_type *type);
/* The codes of n labels from `first` on: codes[number], or -1 if missing. */
void stoa_csv_kept_codes(const stoa_csv_kept_column *column, const uint8_t *bytes,
                         const uint32_t *codes, size_t first, size_t n, int64_t *out);
/* n integers from `first` on. Those of missing values are arbitrary. */
void stoa_csv_kept_integers(const stoa_csv_kept_column *column, const uint8_t *bytes, size_t first,
                            size_t n, int64_t *out);

/* An arena that the blocks of one worker share, since separate allocations would use small pages.
 * It is freed with its last user. One thread uses it at a time. */
typedef struct stoa_csv_arena {
    size_t size;
    size_t used;
    size_t n_users;
    uint8_t bytes[];
} stoa_csv_arena;

/* Allocate n bytes from the worker's arena, or from a new one that replaces it. The worker holds a
 * reference, and so does the user of the memory. Each drops it by stoa_csv_arena_leave(). */
stoa_status stoa_csv_arena_alloc(stoa_csv_arena **arena, size_t n, uint8_t **bytes,
                                 stoa_error *err);
void stoa_csv_arena_leave(stoa_csv_arena *arena);

/* A block. Zero-initialise; free by stoa_csv_kept_block_clear(). */
typedef struct stoa_csv_kept_block {
    stoa_csv_block block; /* the text itself is no longer valid */
    uint64_t n_rows;
    uint8_t *bytes;
    size_t n_bytes;
    stoa_csv_arena *arena;         /* the arena of `bytes`; NULL if nothing is kept */
    stoa_csv_kept_column *columns; /* NULL if nothing is kept */
    size_t n_columns;
} stoa_csv_kept_block;

void stoa_csv_kept_block_clear(stoa_csv_kept_block *block);

/* The kept blocks of a file, up to a memory limit. Zero-initialise; free by
 * stoa_csv_kept_clear(). */
typedef struct stoa_csv_kept {
    stoa_buffer blocks; /* of stoa_csv_kept_block */
    size_t n_bytes;
    bool is_full; /* a block exceeded the limit, and later blocks are not kept */
} stoa_csv_kept;

/* Add the next block in order. The content moves out of `block`. */
stoa_status stoa_csv_kept_add(stoa_csv_kept *kept, stoa_csv_kept_block *block, stoa_error *err);
/* The kept block with that number, if it is the same block; NULL if nothing of it is kept. */
const stoa_csv_kept_block *stoa_csv_kept_find(const stoa_csv_kept *kept, uint64_t number,
                                              const stoa_csv_block *block);
/* The position of a block, without its text. */
const stoa_csv_block *stoa_csv_kept_name(const stoa_csv_kept *kept, uint64_t number);
/* Drop what is kept of a block. */
void stoa_csv_kept_drop(stoa_csv_kept *kept, uint64_t number);
uint64_t stoa_csv_kept_count(const stoa_csv_kept *kept);
void stoa_csv_kept_clear(stoa_csv_kept *kept);

#endif
