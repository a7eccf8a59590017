/* Entries of a row of chunks side by side, on their way out of these, as CSR or as points: most
 * often too few of one chunk for a processor to foresee where they end. */
#ifndef STOA_SPARSE_ROWS_PUT_H
#define STOA_SPARSE_ROWS_PUT_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* What an entry is written as, besides its value. */
typedef enum stoa_place_form {
    STOA_PLACE_INT32 = 4,  /* the column */
    STOA_PLACE_INT64 = 8,  /* the same */
    STOA_PLACE_POINT = 16, /* row and column, a uint64_t each */
} stoa_place_form;

/* Where entries go. */
typedef struct stoa_rows_out {
    stoa_place_form form;
    size_t size;     /* of a value; 0: none are wanted */
    void *places;    /* shape (n,) */
    uint8_t *values; /* the same */
} stoa_rows_out;

/* What is left of a chunk. */
typedef struct stoa_row_cursor {
    const uint32_t *positions;
    const uint32_t *end;
    const uint8_t *values;
    uint64_t column; /* of the chunk's first element */
} stoa_row_cursor;

/* Where a row goes. */
typedef struct stoa_row_target {
    const stoa_rows_out *out;
    uint64_t to;
    uint64_t limit; /* from `to` on up to here entries may be written over: they are not put yet */
    uint64_t row;   /* its number, for points */
    uint64_t begin; /* its first position in a chunk */
    uint32_t end;   /* and the first behind it */
} stoa_row_target;

/* The entries that are in the row, cursor by cursor. */
typedef void stoa_put_row(stoa_row_cursor *cursors, size_t n, stoa_row_target *row);

/* One of each instruction set. */
stoa_put_row stoa_put_row_scalar;
#if defined(__x86_64__)
stoa_put_row stoa_put_row_avx512;
#endif

static inline stoa_put_row *stoa_put_row_of(stoa_simd simd)
{
    return STOA_KERNEL_OF(simd, stoa_put_row);
}

#endif
