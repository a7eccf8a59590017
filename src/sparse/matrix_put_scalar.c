/* A row's entries, one after the other; and which way a processor has. */
#include "sparse/chunk.h"
#include "sparse/matrix_put.h"

static inline void put_entries(stoa_row_cursor *c, stoa_row_target *r, unsigned index_size,
                               size_t size)
{
    const stoa_rows_out *out = r->out;
    const uint32_t *at = c->positions;
    uint64_t to = r->to;

    for (; at < c->end && *at < r->end; at++, to++) {
        if (index_size == 4) {
            ((int32_t *)out->indices)[to] = (int32_t)(*at + r->shift);
        } else {
            ((int64_t *)out->indices)[to] = (int64_t)(*at + r->shift);
        }
        stoa_value_copy(out->values + to * size, c->values, size);
        c->values += size;
    }
    c->positions = at;
    r->to = to;
}

/* With numbers that a compiler knows, for those that most matrices are of. */
void stoa_put_row_scalar(stoa_row_cursor *cursor, stoa_row_target *row)
{
    const size_t size = row->out->size;

    if (row->out->index_size == 4) {
        size == 4   ? put_entries(cursor, row, 4, 4)
        : size == 8 ? put_entries(cursor, row, 4, 8)
                    : put_entries(cursor, row, 4, size);
    } else {
        size == 4   ? put_entries(cursor, row, 8, 4)
        : size == 8 ? put_entries(cursor, row, 8, 8)
                    : put_entries(cursor, row, 8, size);
    }
}

stoa_put_row *stoa_put_row_of(stoa_simd simd)
{
#if defined(__x86_64__)
    if (simd == STOA_SIMD_AVX512) {
        return stoa_put_row_avx512;
    }
#endif
    (void)simd;
    return stoa_put_row_scalar;
}
