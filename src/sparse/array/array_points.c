/* Read and write elements of a sparse array in the caller's datatype (<stoa/sparse.h>). */
#include <stdlib.h>
#include <string.h>

#include "hdf/ids.h"
#include "sparse/array/array.h"
#include "sparse/store/clip.h"

stoa_box stoa_sparse_box(const stoa_sparse *array, const uint64_t *start, const uint64_t *count)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    stoa_box box = stoa_shape_all(shape);

    if (start != NULL) {
        memcpy(box.start, start, shape->rank * sizeof *start);
        memcpy(box.count, count, shape->rank * sizeof *count);
    }
    return box;
}

/* --- writing --------------------------------------------------------------------------------- */

stoa_status stoa_elements_to_file(const stoa_sparse *array, uint64_t n, const void *values,
                                  hid_t type, uint8_t **room, const uint8_t **out, stoa_error *err)
{
    const hid_t from = stoa_memory_type(array, type);
    const size_t size = H5Tget_size(from);

    *out = values;
    if (n > 0 && values == NULL) {
        return stoa_fail(err, STOA_EINVAL, "no values");
    }
    if (n == 0 || H5Tequal(from, array->type) > 0) {
        return STOA_OK;
    }
    *room = stoa_alloc((size_t)n, size);
    STOA_RETURN_NO_MEMORY(err, *room);
    memcpy(*room, values, (size_t)n * size);
    STOA_RETURN_NOT_OK(stoa_elements_convert(from, array->type, n, room, err));
    *out = *room;
    return STOA_OK;
}

stoa_status stoa_sparse_write(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                              const void *values, hid_t type, stoa_error *err)
{
    uint8_t *room = NULL;
    const uint8_t *stored = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_must_write(array, err));
    if (stoa_store_vlen(array->store) != NULL) {
        return stoa_array_write_variable(array, n, coordinates, values, type, err);
    }
    STOA_TRY(stoa_elements_to_file(array, n, values, type, &room, &stored, err));
    STOA_TRY(stoa_points_write(array->store, array->workers, n, coordinates, stored, err));

done:
    free(room);
    return status;
}

stoa_status stoa_sparse_erase(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                              stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_sparse_must_write(array, err));
    return stoa_store_vlen(array->store) != NULL
               ? stoa_array_erase_variable(array, n, coordinates, err)
               : stoa_points_write(array->store, array->workers, n, coordinates, NULL, err);
}

stoa_status stoa_sparse_erase_box(stoa_sparse *array, const uint64_t *start, const uint64_t *count,
                                  stoa_error *err)
{
    const stoa_box box = stoa_sparse_box(array, start, count);
    const stoa_status status = stoa_sparse_must_write(array, err);

    return status == STOA_OK ? stoa_store_erase_box(array->store, &box, err) : status;
}

/* Coordinates of appended elements, relative to the whole array. */
static stoa_status shift(const stoa_shape *shape, uint64_t n_rows, uint64_t n,
                         const uint64_t *coordinates, uint64_t *to, stoa_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        for (unsigned j = 0; j < shape->rank; j++) {
            const uint64_t at = coordinates[i * shape->rank + j];
            const uint64_t most = j == 0 ? n_rows : shape->extent[j];
            if (at >= most) {
                return stoa_fail(err, STOA_ERANGE,
                                 "point %llu is at %llu in dimension %u, of which the new part has "
                                 "%llu",
                                 (unsigned long long)i, (unsigned long long)at, j,
                                 (unsigned long long)most);
            }
            to[i * shape->rank + j] = j == 0 ? shape->extent[0] + at : at;
        }
    }
    return STOA_OK;
}

stoa_status stoa_sparse_append(stoa_sparse *array, uint64_t n_rows, uint64_t n,
                               const uint64_t *coordinates, const void *values, hid_t type,
                               stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    uint64_t extent[H5S_MAX_RANK];
    uint64_t *shifted = NULL;
    stoa_variable_values variable = {.values = {NULL, 0, 0}};
    uint8_t *room = NULL;
    const uint8_t *stored = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_must_write(array, err));
    const bool is_variable = stoa_store_vlen(array->store) != NULL;
    if (n_rows > UINT64_MAX - shape->extent[0]) {
        STOA_FAIL(err, STOA_ERANGE, "more rows than any array has");
    }
    shifted = stoa_alloc((size_t)n, shape->rank * sizeof *shifted);
    STOA_TRY(shifted != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(shift(shape, n_rows, n, coordinates, shifted, err));
    STOA_TRY(is_variable ? stoa_variable_values_of(array, n, values, type, &variable, err)
                         : stoa_elements_to_file(array, n, values, type, &room, &stored, err));
    memcpy(extent, shape->extent, sizeof extent);
    extent[0] += n_rows;
    STOA_TRY(stoa_store_set_extent(array->store, extent, err));
    STOA_TRY(is_variable
                 ? stoa_variable_values_put(array, n, shifted, &variable, err)
                 : stoa_points_write(array->store, array->workers, n, shifted, stored, err));

done:
    stoa_variable_values_clear(&variable);
    free(room);
    free(shifted);
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

stoa_status stoa_sparse_read(stoa_sparse *array, const uint64_t *start, const uint64_t *count,
                             hid_t type, stoa_sparse_points *points, stoa_error *err)
{
    const stoa_box box = stoa_sparse_box(array, start, count);
    stoa_points found = {.n = 0};
    stoa_status status = STOA_OK;

    *points = (stoa_sparse_points){.n = 0};
    if (stoa_store_vlen(array->store) != NULL) {
        return stoa_array_read_variable(array, &box, stoa_memory_type(array, type), points, err);
    }
    STOA_TRY(stoa_points_read(array->store, array->workers, &box, true, &found, err));
    STOA_TRY(stoa_elements_convert(array->type, stoa_memory_type(array, type), found.n,
                                   &found.values, err));
    *points = (stoa_sparse_points){
        .n = found.n, .coordinates = found.coordinates, .values = found.values};
    found = (stoa_points){.n = 0};

done:
    stoa_points_clear(&found);
    return status;
}

stoa_status stoa_sparse_defined(stoa_sparse *array, const uint64_t *start, const uint64_t *count,
                                stoa_sparse_points *points, stoa_error *err)
{
    const stoa_box box = stoa_sparse_box(array, start, count);
    stoa_points found = {.n = 0};

    *points = (stoa_sparse_points){.n = 0};
    if (stoa_store_vlen(array->store) != NULL) {
        return stoa_array_find(array, &box, points, err);
    }
    STOA_RETURN_NOT_OK(stoa_points_read(array->store, array->workers, &box, false, &found, err));
    *points = (stoa_sparse_points){.n = found.n, .coordinates = found.coordinates};
    return STOA_OK;
}

stoa_status stoa_sparse_read_dense(stoa_sparse *array, const uint64_t *start, const uint64_t *count,
                                   hid_t type, void *values, uint8_t *defined, stoa_error *err)
{
    const stoa_box box = stoa_sparse_box(array, start, count);
    const stoa_shape *shape = stoa_store_shape(array->store);
    const hid_t to = stoa_memory_type(array, type);
    uint8_t *room = NULL;
    uint64_t n = 1;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_shape_holds(shape, &box, err));
    for (unsigned i = 0; i < shape->rank; i++) {
        n *= box.count[i];
    }
    if (stoa_store_vlen(array->store) != NULL) {
        return stoa_array_read_dense_variable(array, &box, n, to, values, defined, err);
    }
    if (H5Tequal(to, array->type) > 0) {
        STOA_TRY(stoa_points_read_dense(array->store, &box, values, defined, err));
        goto done;
    }
    room = stoa_alloc((size_t)n, H5Tget_size(array->type));
    STOA_TRY(room != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_points_read_dense(array->store, &box, room, defined, err));
    STOA_TRY(stoa_elements_convert(array->type, to, n, &room, err));
    memcpy(values, room, (size_t)n * H5Tget_size(to));

done:
    free(room);
    return status;
}

/* --- by chunk -------------------------------------------------------------------------------- */

/* The elements of a chunk that are in the box, in the caller's type. */
static stoa_status part_of(stoa_sparse *array, uint64_t number, const stoa_box *box, hid_t type,
                           const uint64_t *offset, stoa_points *points, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    const size_t size = H5Tget_size(array->type);
    const stoa_sparse_chunk *chunk = NULL;
    stoa_sparse_chunk clipped = {.n = 0};
    stoa_box part;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_store_read_chunk(array->store, number, true, &chunk, err));
    (void)stoa_box_of_chunk(shape, box, offset, &part);
    clipped.positions = stoa_alloc(chunk->n, sizeof *clipped.positions);
    points->coordinates = stoa_alloc(chunk->n, shape->rank * sizeof *points->coordinates);
    points->values = stoa_alloc(chunk->n, size);
    STOA_TRY(clipped.positions != NULL && points->coordinates != NULL && points->values != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    clipped.values = points->values;
    stoa_clip(shape, &part, size, chunk, &clipped);
    points->n = clipped.n;
    for (size_t i = 0; i < clipped.n; i++) {
        stoa_shape_element(shape, offset, clipped.positions[i],
                           points->coordinates + i * shape->rank);
    }
    STOA_TRY(stoa_elements_convert(array->type, type, points->n, &points->values, err));

done:
    free(clipped.positions);
    return status;
}

stoa_status stoa_sparse_visit(stoa_sparse *array, const uint64_t *start, const uint64_t *count,
                              hid_t type, stoa_sparse_visitor visit, void *context, stoa_error *err)
{
    const stoa_box box = stoa_sparse_box(array, start, count);
    const stoa_shape *shape = stoa_store_shape(array->store);
    stoa_buffer numbers = {NULL, 0, 0};
    stoa_points points = {.n = 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_shape_holds(shape, &box, err));
    STOA_TRY(stoa_store_chunks(array->store, &box, &numbers, err));
    if (stoa_store_vlen(array->store) != NULL) {
        STOA_TRY(stoa_array_each_variable(array, &box, stoa_memory_type(array, type), &numbers,
                                          visit, context, err));
        goto done;
    }
    const uint64_t *number = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; i < numbers.size / sizeof *number; i++) {
        uint64_t offset[H5S_MAX_RANK];
        stoa_shape_offset(shape, number[i], offset);
        STOA_TRY(
            part_of(array, number[i], &box, stoa_memory_type(array, type), offset, &points, err));
        const stoa_sparse_part part = {.offset = offset,
                                       .n = points.n,
                                       .coordinates = points.coordinates,
                                       .values = points.values};
        if (points.n > 0 && !visit(context, &part)) {
            STOA_FAIL(err, STOA_ECANCELLED, "stopped by the caller");
        }
        stoa_points_clear(&points);
    }

done:
    stoa_points_clear(&points);
    stoa_buffer_clear(&numbers);
    return status;
}

/* --- merging arrays -------------------------------------------------------------------------- */

/* State of merging variable-length elements. */
typedef struct merging {
    stoa_sparse *array;
    hid_t type;
    stoa_status status;
    stoa_error *err;
} merging;

static bool merge_part(void *context, const stoa_sparse_part *part)
{
    merging *m = context;

    m->status =
        stoa_sparse_write(m->array, part->n, part->coordinates, part->values, m->type, m->err);
    return m->status == STOA_OK;
}

/* Merge arrays of variable-length elements, with one chunk in memory at a time. */
static stoa_status merge_variable(stoa_sparse *array, stoa_sparse *from, stoa_error *err)
{
    merging m = {.array = array, .type = from->type, .status = STOA_OK, .err = err};
    stoa_error stopped = STOA_ERROR_INIT;
    const stoa_status status =
        stoa_sparse_visit(from, NULL, NULL, from->type, merge_part, &m, &stopped);

    if (m.status == STOA_OK && status != STOA_OK && err != NULL) {
        *err = stopped;
    }
    return m.status != STOA_OK ? m.status : status;
}

/* Merge the rows [first, first + n) of one array into the other. */
static stoa_status merge_rows(stoa_sparse *array, stoa_sparse *from, uint64_t first, uint64_t n,
                              stoa_error *err)
{
    stoa_box box = stoa_shape_all(stoa_store_shape(from->store));
    stoa_points points = {.n = 0};
    stoa_status status = STOA_OK;

    box.start[0] = first;
    box.count[0] = n;
    STOA_TRY(stoa_points_read(from->store, from->workers, &box, true, &points, err));
    STOA_TRY(stoa_elements_convert(from->type, array->type, points.n, &points.values, err));
    STOA_TRY(stoa_points_write(array->store, array->workers, points.n, points.coordinates,
                               points.values, err));

done:
    stoa_points_clear(&points);
    return status;
}

stoa_status stoa_sparse_merge(stoa_sparse *array, stoa_sparse *from, stoa_error *err)
{
    const stoa_shape *to = stoa_store_shape(array->store);
    const stoa_shape *shape = stoa_store_shape(from->store);
    const stoa_box all = stoa_shape_all(shape);
    stoa_buffer numbers = {NULL, 0, 0};
    uint64_t next = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_must_write(array, err));
    if (to->rank != shape->rank ||
        memcmp(to->extent, shape->extent, shape->rank * sizeof *shape->extent) != 0) {
        STOA_FAIL(err, STOA_ERANGE, "only arrays of the same extent can be merged");
    }
    if (array == from) {
        return STOA_OK;
    }
    if (stoa_store_vlen(array->store) != NULL || stoa_store_vlen(from->store) != NULL) {
        return merge_variable(array, from, err);
    }
    STOA_TRY(stoa_store_chunks(from->store, &all, &numbers, err));
    const uint64_t *number = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; i < numbers.size / sizeof *number; i++) {
        uint64_t offset[H5S_MAX_RANK];
        stoa_shape_offset(shape, number[i], offset);
        if (offset[0] < next) {
            continue; /* in the rows of the previous chunk */
        }
        const uint64_t rest = shape->extent[0] - offset[0];
        const uint64_t n = rest < shape->chunk[0] ? rest : shape->chunk[0];
        STOA_TRY(merge_rows(array, from, offset[0], n, err));
        next = offset[0] + n;
    }

done:
    stoa_buffer_clear(&numbers);
    return status;
}
