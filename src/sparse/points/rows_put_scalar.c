/* Write the entries of a row one by one. */
#include "sparse/format/chunk.h"
#include "sparse/points/rows_put.h"

static inline void put_place(const stoa_rows_out *out, uint64_t to, stoa_place_form form,
                             uint64_t row, uint64_t column)
{
    if (form == STOA_PLACE_INT32) {
        ((int32_t *)out->places)[to] = (int32_t)column;
    } else if (form == STOA_PLACE_INT64) {
        ((int64_t *)out->places)[to] = (int64_t)column;
    } else {
        ((uint64_t *)out->places)[2 * to] = row;
        ((uint64_t *)out->places)[2 * to + 1] = column;
    }
}

static inline void put_entries(stoa_row_cursor *c, stoa_row_target *r, stoa_place_form form,
                               size_t size)
{
    const stoa_rows_out *out = r->out;
    const uint64_t shift = c->column - r->begin; /* position + shift is the column */
    const uint32_t *at = c->positions;
    uint64_t to = r->to;

    for (; at < c->end && *at < r->end; at++, to++) {
        put_place(out, to, form, r->row, *at + shift);
        if (size > 0) {
            stoa_value_copy(out->values + to * size, c->values, size);
            c->values += size;
        }
    }
    c->positions = at;
    r->to = to;
}

static inline void put_form(stoa_row_cursor *cursors, size_t n, stoa_row_target *r,
                            stoa_place_form form)
{
    const size_t size = r->out->size;

    for (size_t i = 0; i < n; i++) {
        size == 4   ? put_entries(&cursors[i], r, form, 4)
        : size == 8 ? put_entries(&cursors[i], r, form, 8)
                    : put_entries(&cursors[i], r, form, size);
    }
}

/* Dispatch to put_form() with a form known at compile time. */
void stoa_put_row_scalar(stoa_row_cursor *cursors, size_t n, stoa_row_target *row)
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
