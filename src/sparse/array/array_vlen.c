/*
 * Read variable-length elements of a sparse array into the caller's char * and hvl_t
 * (<stoa/sparse.h>). They come from the sections, or through libhdf5 if the data are in the file's
 * global heap.
 */
#include <stdlib.h>
#include <string.h>

#include "hdf/ids.h"
#include "sparse/array/array.h"
#include "sparse/store/selection.h"

static const stoa_vlen_memory own_memory = {.allocate = NULL};

/* --- defined elements ------------------------------------------------------------------------ */

stoa_status stoa_array_find(stoa_sparse *array, const stoa_box *box, stoa_sparse_points *points,
                            stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    stoa_buffer found = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_shape_holds(shape, box, err));
    STOA_TRY(stoa_store_defined(array->store, box, &found, err));
    const size_t n = found.size / sizeof(uint64_t);
    const uint64_t *elements = (const uint64_t *)(const void *)found.data;
    points->coordinates = stoa_alloc(n, shape->rank * sizeof *points->coordinates);
    STOA_TRY(points->coordinates != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        stoa_coordinates_of((int)shape->rank, shape->extent, elements[i],
                            points->coordinates + i * shape->rank);
    }
    points->n = n;

done:
    stoa_buffer_clear(&found);
    return status;
}

/* --- reading from the sections --------------------------------------------------------------- */

/* Elements read so far, in the form of the sections. */
typedef struct reading {
    stoa_buffer values;  /* section 1 */
    stoa_buffer lengths; /* of each element's data */
    stoa_buffer heap;    /* section 2 */
    size_t n;            /* number of elements */
} reading;

static stoa_status reading_open(const stoa_store *store, uint64_t n, reading *r, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(
        &r->values, (size_t)n * stoa_sparse_value_size(stoa_store_format(store)), err));
    return stoa_buffer_reserve(&r->lengths, (size_t)n * sizeof(uint64_t), err);
}

static void reading_close(reading *r)
{
    stoa_buffer_clear(&r->values);
    stoa_buffer_clear(&r->lengths);
    stoa_buffer_clear(&r->heap);
}

/* Read `n` elements along the last dimension. */
static stoa_status read_run(stoa_store *store, const uint64_t *at, uint64_t n, uint8_t *defined,
                            reading *r, stoa_error *err)
{
    const size_t size = stoa_sparse_value_size(stoa_store_format(store));
    const stoa_heap_sink sink = {.lengths = (uint64_t *)(void *)r->lengths.data + r->n,
                                 .bytes = &r->heap};
    const bool has_heap = stoa_store_format(store)->has_heap;

    STOA_RETURN_NOT_OK(stoa_store_read(store, at, n, r->values.data + r->n * size, defined,
                                       has_heap ? &sink : NULL, err));
    r->n += (size_t)n;
    return STOA_OK;
}

/* Convert elements from the form of the sections to the caller's type. `elements` has space for the
 * longer type. */
static stoa_status deliver(const stoa_sparse *array, const reading *r, hid_t to, uint8_t *elements,
                           stoa_error *err)
{
    const stoa_vlen_layout *stored = stoa_store_vlen(array->store);
    stoa_vlen_layout *wanted = NULL;
    uint8_t *background = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_vlen_layout_of(to, array->type, &wanted, err));
    status = stoa_vlen_unpack(stored, &own_memory, r->n, r->values.data, r->heap.data, r->heap.size,
                              elements, err);
    if (status == STOA_OK && H5Tequal(to, array->type) <= 0) {
        const stoa_vlen_conversion conversion = {.from_layout = stored,
                                                 .to_layout = wanted,
                                                 .from = array->type,
                                                 .to = to,
                                                 .dxpl = H5P_DATASET_XFER_DEFAULT,
                                                 .memory = &own_memory};
        background =
            stoa_alloc_zero(r->n, stored->size > wanted->size ? stored->size : wanted->size);
        if (background == NULL) {
            stoa_vlen_release(stored, &own_memory, r->n, elements, NULL);
            STOA_TRY(stoa_fail_memory(err));
        }
        STOA_TRY(stoa_vlen_convert(&conversion, r->n, elements, background, err));
    } else if (status != STOA_OK) {
        stoa_vlen_release(stored, &own_memory, r->n, elements, NULL);
    }

done:
    free(background);
    stoa_vlen_layout_free(wanted);
    return status;
}

/* Allocate n elements in memory, large enough for both types. */
static stoa_status room_for(const stoa_sparse *array, hid_t to, uint64_t n, uint8_t **room,
                            stoa_error *err)
{
    const size_t size = H5Tget_size(to);
    const size_t stored = stoa_store_vlen(array->store)->size;

    *room = stoa_alloc_zero((size_t)n, size > stored ? size : stored);
    return *room != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* --- reading through libhdf5 ----------------------------------------------------------------- */

/* Read the selection of `space`, the dataset's, into zero-initialised memory. If a later chunk
 * fails, the data read so far are freed. */
static stoa_status read_by_hdf5(stoa_sparse *array, hid_t to, hid_t space, hsize_t n,
                                void *elements, stoa_error *err)
{
    hid_t memory = H5I_INVALID_HID;
    stoa_vlen_layout *layout = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_vlen_layout_of(to, array->type, &layout, err));
    STOA_TRY(stoa_store_flush(array->store, err));
    STOA_HDF(err, memory = H5Screate_simple(1, &n, NULL), "make a dataspace");
    STOA_HDF(err, H5Dread(array->dataset, to, memory, space, H5P_DEFAULT, elements),
             "read elements");

done:
    if (status != STOA_OK && layout != NULL) {
        stoa_vlen_release(layout, &own_memory, (size_t)n, elements, NULL);
    }
    stoa_vlen_layout_free(layout);
    return stoa_hdf_close(&memory, status, err);
}

static stoa_status points_by_hdf5(stoa_sparse *array, hid_t to, stoa_sparse_points *points,
                                  uint8_t *elements, stoa_error *err)
{
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, space = H5Dget_space(array->dataset), "look up the extent");
    STOA_HDF(err, H5Sselect_elements(space, H5S_SELECT_SET, (size_t)points->n, points->coordinates),
             "select elements");
    STOA_TRY(read_by_hdf5(array, to, space, points->n, elements, err));

done:
    return stoa_hdf_close(&space, status, err);
}

static stoa_status box_by_hdf5(stoa_sparse *array, hid_t to, const stoa_box *box, hsize_t n,
                               uint8_t *elements, stoa_error *err)
{
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, space = H5Dget_space(array->dataset), "look up the extent");
    STOA_HDF(err, H5Sselect_hyperslab(space, H5S_SELECT_SET, box->start, NULL, box->count, NULL),
             "select a box");
    STOA_TRY(read_by_hdf5(array, to, space, n, elements, err));

done:
    return stoa_hdf_close(&space, status, err);
}

/* --- public calls ---------------------------------------------------------------------------- */

stoa_status stoa_array_read_variable(stoa_sparse *array, const stoa_box *box, hid_t to,
                                     stoa_sparse_points *points, stoa_error *err)
{
    const unsigned rank = stoa_store_shape(array->store)->rank;
    uint8_t *elements = NULL;
    reading r = {.n = 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_elements_must_convert(array->type, to, err));
    STOA_TRY(stoa_array_find(array, box, points, err));
    STOA_TRY(room_for(array, to, points->n, &elements, err));
    if (points->n > 0 && !stoa_store_format(array->store)->has_heap) {
        STOA_TRY(points_by_hdf5(array, to, points, elements, err));
    } else {
        STOA_TRY(reading_open(array->store, points->n, &r, err));
        for (uint64_t i = 0; i < points->n; i++) {
            STOA_TRY(read_run(array->store, points->coordinates + i * rank, 1, NULL, &r, err));
        }
        STOA_TRY(deliver(array, &r, to, elements, err));
    }
    points->values = elements;
    elements = NULL;

done:
    reading_close(&r);
    free(elements);
    if (status != STOA_OK) {
        stoa_sparse_points_clear(points);
    }
    return status;
}

/* Read every row of a box, and which of its elements are defined. */
static stoa_status read_rows(stoa_store *store, const stoa_box *box, uint8_t *defined, reading *r,
                             stoa_error *err)
{
    const unsigned last = stoa_store_shape(store)->rank - 1;
    const uint64_t n = box->count[last];
    uint64_t at[H5S_MAX_RANK];
    bool more = !stoa_box_is_empty(box, last + 1);

    memcpy(at, box->start, sizeof at);
    while (more) {
        STOA_RETURN_NOT_OK(read_run(store, at, n, defined, r, err));
        defined = defined != NULL ? defined + n : NULL;
        more = false;
        for (unsigned i = last; !more && i-- > 0;) {
            more = ++at[i] < box->start[i] + box->count[i];
            at[i] = more ? at[i] : box->start[i];
        }
    }
    return STOA_OK;
}

stoa_status stoa_array_read_dense_variable(stoa_sparse *array, const stoa_box *box, uint64_t n,
                                           hid_t to, void *values, uint8_t *defined,
                                           stoa_error *err)
{
    uint8_t *elements = NULL;
    reading r = {.n = 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_elements_must_convert(array->type, to, err));
    STOA_TRY(room_for(array, to, n, &elements, err));
    STOA_TRY(reading_open(array->store, n, &r, err));
    STOA_TRY(read_rows(array->store, box, defined, &r, err));
    if (n > 0 && !stoa_store_format(array->store)->has_heap) {
        STOA_TRY(box_by_hdf5(array, to, box, n, elements, err));
    } else {
        STOA_TRY(deliver(array, &r, to, elements, err));
    }
    memcpy(values, elements, (size_t)n * H5Tget_size(to));

done:
    reading_close(&r);
    free(elements);
    return status;
}

stoa_status stoa_array_erase_variable(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                                      stoa_error *err)
{
    const unsigned rank = stoa_store_shape(array->store)->rank;

    STOA_RETURN_NOT_OK(
        stoa_array_places_are_inside(array, n, coordinates, err)); /* before anything changes */
    for (uint64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_store_erase(array->store, coordinates + i * rank, 1, err));
    }
    return STOA_OK;
}

/* --- by chunk -------------------------------------------------------------------------------- */

stoa_status stoa_sparse_reclaim(stoa_sparse *array, hid_t type, uint64_t n, void *values,
                                stoa_error *err)
{
    const hid_t of = stoa_memory_type(array, type);
    stoa_vlen_layout *layout = NULL;
    stoa_status status = STOA_OK;

    if (n == 0 || values == NULL || stoa_store_vlen(array->store) == NULL) {
        return STOA_OK;
    }
    STOA_TRY(stoa_vlen_layout_of(of, array->type, &layout, err));
    stoa_vlen_release(layout, &own_memory, (size_t)n, values, NULL);
    memset(values, 0, (size_t)n * layout->size);

done:
    stoa_vlen_layout_free(layout);
    return status;
}

/* The part of a chunk that is in the box and in the extent, as a box of the array. */
static stoa_box part_of(const stoa_shape *shape, const stoa_box *box, const uint64_t *offset)
{
    stoa_box part;

    (void)stoa_box_of_chunk(shape, box, offset, &part);
    for (unsigned i = 0; i < shape->rank; i++) {
        part.start[i] += offset[i];
    }
    return part;
}

stoa_status stoa_array_each_variable(stoa_sparse *array, const stoa_box *box, hid_t type,
                                     const stoa_buffer *numbers, stoa_sparse_visitor visit,
                                     void *context, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    const uint64_t *number = (const uint64_t *)(const void *)numbers->data;
    stoa_sparse_points points = {.n = 0};
    stoa_vlen_layout *layout = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_vlen_layout_of(type, array->type, &layout, err));
    for (size_t i = 0; i < numbers->size / sizeof *number; i++) {
        uint64_t offset[H5S_MAX_RANK];
        stoa_shape_offset(shape, number[i], offset);
        const stoa_box part = part_of(shape, box, offset);
        STOA_TRY(stoa_array_read_variable(array, &part, type, &points, err));
        const stoa_sparse_part shown = {.offset = offset,
                                        .n = points.n,
                                        .coordinates = points.coordinates,
                                        .values = points.values};
        const bool goes_on = points.n == 0 || visit(context, &shown);
        stoa_vlen_release(layout, &own_memory, (size_t)points.n, points.values, NULL);
        stoa_sparse_points_clear(&points);
        if (!goes_on) {
            STOA_FAIL(err, STOA_ECANCELLED, "stopped by the caller");
        }
    }

done:
    stoa_vlen_layout_free(layout);
    return status;
}
