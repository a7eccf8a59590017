/*
 * Write variable-length elements of a sparse array from the caller's char * and hvl_t
 * (<stoa/sparse.h>). They are converted and packed first, so that nothing is written if a value is
 * invalid. Then they are written chunk by chunk.
 */
#include <stdlib.h>
#include <string.h>

#include "hdf/ids.h"
#include "sparse/array/array.h"
#include "sparse/store/blobs.h"

static const stoa_vlen_memory own_memory = {.allocate = NULL};

void stoa_variable_values_clear(stoa_variable_values *v)
{
    stoa_buffer_clear(&v->values);
    stoa_buffer_clear(&v->ends);
    stoa_buffer_clear(&v->heap);
}

/* --- packing --------------------------------------------------------------------------------- */

/* Pack elements of the file's type in memory to the form of the sections. */
static stoa_status pack(const stoa_sparse *array, uint64_t n, const uint8_t *elements,
                        stoa_variable_values *v, stoa_error *err)
{
    const size_t value_size = stoa_sparse_value_size(stoa_store_format(array->store));
    uint64_t end = 0;

    STOA_RETURN_NOT_OK(stoa_buffer_grow(&v->values, (size_t)n * value_size, err));
    if (!stoa_store_format(array->store)->has_heap) {
        return stoa_blobs_write(stoa_store_dataset(array->store), stoa_store_vlen(array->store),
                                value_size, n, elements, v->values.data, err);
    }
    STOA_RETURN_NOT_OK(stoa_buffer_grow(&v->ends, (size_t)n * sizeof end, err));
    uint64_t *ends = (uint64_t *)(void *)v->ends.data;
    STOA_RETURN_NOT_OK(stoa_vlen_pack(stoa_store_vlen(array->store), (size_t)n, elements,
                                      v->values.data, ends, &v->heap, err));
    for (uint64_t i = 0; i < n; i++) { /* from lengths to ends */
        end += ends[i];
        ends[i] = end;
    }
    return STOA_OK;
}

/* libhdf5 copies pointers if nothing has to change. The caller keeps ownership of its data. */
static stoa_status pack_converted(const stoa_sparse *array, uint64_t n, const uint8_t *given,
                                  hid_t from, stoa_variable_values *v, stoa_error *err)
{
    const stoa_vlen_layout *stored = stoa_store_vlen(array->store);
    const size_t from_size = H5Tget_size(from);
    const size_t size = from_size > stored->size ? from_size : stored->size;
    stoa_vlen_layout *layout = NULL;
    stoa_buffer pointers = {NULL, 0, 0};
    uint8_t *elements = NULL;
    uint8_t *background = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_elements_must_convert(from, array->type, err));
    STOA_TRY(stoa_vlen_layout_of(from, array->type, &layout, err));
    STOA_TRY(stoa_vlen_collect(layout, (size_t)n, given, &pointers, err));
    elements = stoa_alloc((size_t)n, size);
    background = stoa_alloc_zero((size_t)n, size);
    STOA_TRY(elements != NULL && background != NULL ? STOA_OK : stoa_fail_memory(err));
    memcpy(elements, given, (size_t)n * from_size);
    STOA_HDF(err, H5Tconvert(from, array->type, (size_t)n, elements, background, H5P_DEFAULT),
             "convert elements");
    status = pack(array, n, elements, v, err);
    stoa_vlen_release(stored, &own_memory, (size_t)n, elements, &pointers);

done:
    free(background);
    free(elements);
    stoa_buffer_clear(&pointers);
    stoa_vlen_layout_free(layout);
    return status;
}

stoa_status stoa_variable_values_of(const stoa_sparse *array, uint64_t n, const void *given,
                                    hid_t type, stoa_variable_values *v, stoa_error *err)
{
    const hid_t from = stoa_memory_type(array, type);

    if (n == 0) {
        return STOA_OK;
    }
    if (given == NULL) {
        return stoa_fail(err, STOA_EINVAL, "no values");
    }
    return H5Tequal(from, array->type) > 0 ? pack(array, n, given, v, err)
                                           : pack_converted(array, n, given, from, v, err);
}

/* --- writing to chunks ----------------------------------------------------------------------- */

/* The location of an element. */
typedef struct place {
    uint64_t chunk;
    uint64_t position;
    uint64_t index; /* in the input; of equal coordinates the later one is written last */
} place;

static int by_place(const void *a, const void *b)
{
    const place *x = a;
    const place *y = b;

    if (x->chunk != y->chunk) {
        return x->chunk < y->chunk ? -1 : 1;
    }
    if (x->position != y->position) {
        return x->position < y->position ? -1 : 1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

stoa_status stoa_array_places_are_inside(const stoa_sparse *array, uint64_t n,
                                         const uint64_t *coordinates, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);

    for (uint64_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < shape->rank; k++) {
            if (coordinates[i * shape->rank + k] >= shape->extent[k]) {
                return stoa_fail(err, STOA_ERANGE, "point %llu is outside of the extent",
                                 (unsigned long long)i);
            }
        }
    }
    return STOA_OK;
}

/* The length of the run of places, at least one, along the last dimension with consecutive
 * values. */
static uint64_t run_of(const stoa_shape *shape, const place *places, uint64_t n,
                       const uint64_t *coordinates)
{
    const unsigned last = shape->rank - 1;
    uint64_t k = 1;

    while (k < n && places[k].index == places[0].index + k) {
        const uint64_t *one = coordinates + places[0].index * shape->rank;
        const uint64_t *other = one + k * shape->rank;
        if (memcmp(one, other, last * sizeof *one) != 0 || other[last] != one[last] + k) {
            break;
        }
        k++;
    }
    return k;
}

static stoa_status put_run(stoa_store *store, const uint64_t *at, uint64_t n, uint64_t index,
                           const stoa_variable_values *v, uint64_t *lengths, stoa_error *err)
{
    const size_t size = stoa_sparse_value_size(stoa_store_format(store));
    const uint64_t *ends = (const uint64_t *)(const void *)v->ends.data;
    uint64_t before = 0;
    stoa_heap_run heap = {.lengths = lengths};

    if (!stoa_store_format(store)->has_heap) {
        return stoa_store_write(store, at, n, v->values.data + index * size, NULL, err);
    }
    before = index > 0 ? ends[index - 1] : 0;
    heap.bytes = v->heap.data != NULL ? v->heap.data + before : NULL;
    for (uint64_t i = 0; i < n; i++) {
        lengths[i] = ends[index + i] - before;
        before = ends[index + i];
    }
    return stoa_store_write(store, at, n, v->values.data + index * size, &heap, err);
}

stoa_status stoa_variable_values_put(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                                     const stoa_variable_values *v, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    place *places = stoa_alloc((size_t)n, sizeof *places);
    uint64_t *lengths = stoa_alloc((size_t)n, sizeof *lengths);
    stoa_status status = STOA_OK;

    STOA_TRY(places != NULL && lengths != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < n; i++) {
        places[i].index = i;
        places[i].chunk =
            stoa_shape_locate(shape, coordinates + i * shape->rank, &places[i].position);
    }
    if (n > 1) {
        qsort(places, (size_t)n, sizeof *places, by_place);
    }
    for (uint64_t i = 0; i < n;) {
        const uint64_t index = places[i].index;
        const uint64_t run = run_of(shape, places + i, n - i, coordinates);
        STOA_TRY(
            put_run(array->store, coordinates + index * shape->rank, run, index, v, lengths, err));
        i += run;
    }

done:
    free(lengths);
    free(places);
    return status;
}

stoa_status stoa_array_write_variable(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                                      const void *values, hid_t type, stoa_error *err)
{
    stoa_variable_values v = {.values = {NULL, 0, 0}};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_array_places_are_inside(array, n, coordinates, err));
    STOA_TRY(stoa_variable_values_of(array, n, values, type, &v, err));
    STOA_TRY(stoa_variable_values_put(array, n, coordinates, &v, err));

done:
    stoa_variable_values_clear(&v);
    return status;
}
