#include "sparse/format/shape.h"

#include <string.h>

stoa_status stoa_shape_make(unsigned rank, const uint64_t *extent, const uint64_t *chunk,
                            stoa_shape *shape, stoa_error *err)
{
    uint64_t n = 1;

    memset(shape, 0, sizeof *shape);
    if (rank == 0 || rank > H5S_MAX_RANK) {
        return stoa_fail(err, STOA_EINVAL, "a sparse array has 1 to %d dimensions, not %u",
                         H5S_MAX_RANK, rank);
    }
    shape->rank = rank;
    shape->n_elements = 1;
    for (unsigned i = 0; i < rank; i++) {
        if (chunk[i] == 0) {
            return stoa_fail(err, STOA_EINVAL, "dimension %u of a chunk is 0", i);
        }
        if (chunk[i] > UINT32_MAX / shape->n_elements) {
            return stoa_fail(err, STOA_ERANGE, "a chunk has 2^32 elements or more");
        }
        if (extent[i] != 0 && n > (uint64_t)INT64_MAX / extent[i]) {
            return stoa_fail(err, STOA_ERANGE, "the extent has 2^63 elements or more");
        }
        shape->n_elements *= chunk[i];
        shape->extent[i] = extent[i];
        shape->chunk[i] = chunk[i];
        shape->grid[i] = extent[i] / chunk[i] + (extent[i] % chunk[i] != 0);
        n *= extent[i] != 0 ? extent[i] : 1;
    }
    return STOA_OK;
}

void stoa_shape_offset(const stoa_shape *shape, uint64_t number, uint64_t *offset)
{
    for (unsigned i = shape->rank; i-- > 0;) {
        offset[i] = number % shape->grid[i] * shape->chunk[i];
        number /= shape->grid[i];
    }
}

void stoa_shape_element(const stoa_shape *shape, const uint64_t *offset, uint64_t position,
                        uint64_t *at)
{
    for (unsigned i = shape->rank; i-- > 0;) {
        at[i] = offset[i] + position % shape->chunk[i];
        position /= shape->chunk[i];
    }
}

bool stoa_shape_is_whole(const stoa_shape *shape, const uint64_t *offset)
{
    for (unsigned i = 0; i < shape->rank; i++) {
        if (shape->extent[i] - offset[i] < shape->chunk[i]) {
            return false;
        }
    }
    return true;
}

stoa_box stoa_shape_all(const stoa_shape *shape)
{
    stoa_box box;

    memset(&box, 0, sizeof box);
    memcpy(box.count, shape->extent, sizeof box.count);
    return box;
}

bool stoa_box_is_empty(const stoa_box *box, unsigned rank)
{
    for (unsigned i = 0; i < rank; i++) {
        if (box->count[i] == 0) {
            return true;
        }
    }
    return false;
}

bool stoa_box_of_chunk(const stoa_shape *shape, const stoa_box *box, const uint64_t *offset,
                       stoa_box *part)
{
    bool is_all = true;

    for (unsigned i = 0; i < shape->rank; i++) {
        const uint64_t rest = shape->extent[i] - offset[i];
        const uint64_t end = offset[i] + (rest < shape->chunk[i] ? rest : shape->chunk[i]);
        const uint64_t box_end = box->start[i] + box->count[i];
        const uint64_t from = box->start[i] > offset[i] ? box->start[i] : offset[i];
        const uint64_t to = box_end < end ? box_end : end;
        part->start[i] = from - offset[i];
        part->count[i] = to > from ? to - from : 0;
        is_all = is_all && from == offset[i] && to == end;
    }
    return is_all;
}

stoa_status stoa_shape_holds(const stoa_shape *shape, const stoa_box *box, stoa_error *err)
{
    for (unsigned i = 0; i < shape->rank; i++) {
        if (box->start[i] > shape->extent[i] || box->count[i] > shape->extent[i] - box->start[i]) {
            return stoa_fail(err, STOA_ERANGE,
                             "dimension %u: %llu elements from %llu on leave the extent of %llu", i,
                             (unsigned long long)box->count[i], (unsigned long long)box->start[i],
                             (unsigned long long)shape->extent[i]);
        }
    }
    return STOA_OK;
}

bool stoa_rows_begin(stoa_rows *rows, const stoa_shape *shape, const stoa_box *part)
{
    memset(rows, 0, sizeof *rows);
    rows->shape = shape;
    rows->part = part;
    rows->position = 0;
    for (unsigned i = 0; i < shape->rank; i++) {
        rows->position = rows->position * shape->chunk[i] + part->start[i];
    }
    rows->n = part->count[shape->rank - 1];
    return !stoa_box_is_empty(part, shape->rank);
}

bool stoa_rows_next(stoa_rows *rows)
{
    const stoa_shape *shape = rows->shape;
    uint64_t step = 1;

    for (unsigned i = shape->rank - 1; i-- > 0;) {
        step *= shape->chunk[i + 1];
        rows->position += step;
        if (++rows->at[i] < rows->part->count[i]) {
            return true;
        }
        rows->position -= step * rows->at[i];
        rows->at[i] = 0;
    }
    return false;
}
