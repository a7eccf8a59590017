/* Entries of a row of a chunk, on their way into CSR: most often too few for a processor to foresee
 * where they end. */
#ifndef STOA_SPARSE_MATRIX_PUT_H
#define STOA_SPARSE_MATRIX_PUT_H

#include "core/cpu.h"
#include "sparse/matrix.h"

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
    uint32_t end;   /* the first position behind the row */
    uint64_t shift; /* what makes a position the column */
} stoa_row_target;

/* The entries of a cursor that are in the row. */
typedef void stoa_put_row(stoa_row_cursor *cursor, stoa_row_target *row);

stoa_put_row *stoa_put_row_of(stoa_simd simd);

/* One of each instruction set. */
stoa_put_row stoa_put_row_scalar;
#if defined(__x86_64__)
stoa_put_row stoa_put_row_avx512;
#endif

#endif
