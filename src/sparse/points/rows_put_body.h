/*
 * Write the entries of a row, LANES at once. That many are copied, and only those in the row are
 * counted; the next ones overwrite the rest. Entries are written one by one where the output
 * belongs to another thread, or where the chunk has fewer than LANES left.
 *
 * The including file defines LANES and
 *
 * - count_below(positions, end): how many of LANES ascending positions are below `end`,
 * - copy(to, from, n_bytes): of a multiple of 4 * LANES bytes,
 * - put_places(out, to, positions, row, shift, form): of LANES entries; position + shift is the
 *   column.
 */
#include <immintrin.h>

#include "sparse/points/rows_put.h"

/* Prefetch the next row of a chunk, which may be as long as this one. It is used only after all
 * other chunks, and hardware prefetchers do not follow so many streams. */
static inline void want(const uint32_t *positions, const uint8_t *values, size_t n, size_t size)
{
    /* Its first entries have been loaded already, and a short row has no others. */
    for (size_t i = LANES; n >= LANES && i <= LANES + n; i += LANES) {
        _mm_prefetch((const void *)((uintptr_t)positions + i * sizeof *positions), _MM_HINT_T0);
        for (size_t k = 0; k < LANES * size; k += 64) {
            _mm_prefetch((const void *)((uintptr_t)values + i * size + k), _MM_HINT_T0);
        }
    }
}

/* Write the row with form and value size known at compile time. */
static inline void put_cursors(stoa_row_cursor *cursors, size_t n, stoa_row_target *row,
                               stoa_place_form form, size_t size)
{
    const stoa_rows_out out = *row->out;
    uint64_t to = row->to;

    for (size_t i = 0; i < n; i++) {
        stoa_row_cursor *c = &cursors[i];
        const uint32_t *at = c->positions;
        const uint8_t *values = c->values;
        unsigned n_put = LANES;
        while (n_put == LANES && c->end - at >= LANES && row->limit - to >= LANES) {
            n_put = count_below(at, row->end);
            put_places(&out, to, at, row->row, c->column - row->begin, form);
            if (size > 0) {
                copy(out.values + to * size, values, LANES * size);
            }
            at += n_put;
            values += n_put * size;
            to += n_put;
        }
        want(at, values, (size_t)(at - c->positions), size);
        c->positions = at;
        c->values = values;
        if (n_put == LANES) { /* the row may continue */
            row->to = to;
            stoa_put_row_scalar(c, 1, row);
            to = row->to;
        }
    }
    row->to = to;
}

static inline void put_form(stoa_row_cursor *cursors, size_t n, stoa_row_target *row,
                            stoa_place_form form)
{
    switch (row->out->size) {
    case 0:
        put_cursors(cursors, n, row, form, 0);
        break;
    case 4:
        put_cursors(cursors, n, row, form, 4);
        break;
    case 8:
        put_cursors(cursors, n, row, form, 8);
        break;
    default:
        stoa_put_row_scalar(cursors, n, row);
        break;
    }
}

static inline void put_row(stoa_row_cursor *cursors, size_t n, stoa_row_target *row)
{
    switch (row->out->form) {
    case STOA_PLACE_INT32:
        put_form(cursors, n, row, STOA_PLACE_INT32);
        break;
    case STOA_PLACE_INT64:
        put_form(cursors, n, row, STOA_PLACE_INT64);
        break;
    default:
        put_form(cursors, n, row, STOA_PLACE_POINT);
        break;
    }
}
