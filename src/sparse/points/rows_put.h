/* Write the entries of one row of horizontally adjacent chunks, as CSR or as points. Often a chunk
 * has so few entries in a row that a processor cannot predict where they end. */
#ifndef STOA_SPARSE_ROWS_PUT_H
#define STOA_SPARSE_ROWS_PUT_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* The output form of an entry's coordinates. */
typedef enum stoa_place_form {
    STOA_PLACE_INT32 = 4,  /* the column */
    STOA_PLACE_INT64 = 8,  /* the column */
    STOA_PLACE_POINT = 16, /* row and column, a uint64_t each */
} stoa_place_form;

/* The output. */
typedef struct stoa_rows_out {
    stoa_place_form form;
    size_t size;     /* of a value; 0 if no values are wanted */
    void *places;    /* shape (n,) */
    uint8_t *values; /* shape (n,) */
} stoa_rows_out;

/* The remaining entries of a chunk. */
typedef struct stoa_row_cursor {
    const uint32_t *positions;
    const uint32_t *end;
    const uint8_t *values;
    uint64_t column; /* of the chunk's first element */
} stoa_row_cursor;

/* The row to write. */
typedef struct stoa_row_target {
    const stoa_rows_out *out;
    uint64_t to;
    uint64_t limit; /* entries from `to` up to here may be overwritten; they are not written yet */
    uint64_t row;   /* of the array, for points */
    uint64_t begin; /* first position of the row in a chunk */
    uint32_t end;   /* end of its positions */
} stoa_row_target;

/* Write the entries of the row, cursor by cursor. */
typedef void stoa_put_row(stoa_row_cursor *cursors, size_t n, stoa_row_target *row);

/* One implementation per instruction set. */
stoa_put_row stoa_put_row_scalar;
#if defined(__x86_64__)
stoa_put_row stoa_put_row_avx2;
stoa_put_row stoa_put_row_avx512;
#endif

static inline stoa_put_row *stoa_put_row_of(stoa_simd simd)
{
    return STOA_SIMD_OF_X86(simd, stoa_put_row);
}

#endif
