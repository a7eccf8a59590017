/* Read chunks that a program without Stoa's connector wrote into a dataset with a section 2. They
 * are dense and refer to the file's global heap, because the filter cannot move these data. */
#include <stdlib.h>
#include <string.h>

#include "sparse/store/store_parts.h"

/* The elements of a chunk inside of the extent, in both forms. */
typedef struct adoption {
    stoa_box part;
    size_t n;
    uint8_t *elements; /* in memory, as libhdf5 returns them */
    uint8_t *values;   /* in the form of section 1 */
    uint64_t *lengths;
    stoa_buffer heap;
} adoption;

static stoa_status read_elements(const stoa_store *store, const uint64_t *offset, adoption *a,
                                 stoa_error *err)
{
    const stoa_box all = stoa_shape_all(&store->shape);

    (void)stoa_box_of_chunk(&store->shape, &all, offset, &a->part);
    a->n = 1;
    for (unsigned i = 0; i < store->shape.rank; i++) {
        a->n *= (size_t)a->part.count[i];
    }
    a->elements = stoa_alloc_zero(a->n, store->vlen->size);
    a->values = stoa_alloc(a->n, store->vlen->packed_size);
    a->lengths = stoa_alloc(a->n, sizeof *a->lengths);
    STOA_RETURN_NO_MEMORY(err, a->elements != NULL && a->values != NULL && a->lengths != NULL);
    STOA_RETURN_NOT_OK(
        store->io.follow(store->io.context, offset, a->part.count, a->elements, err));
    return stoa_vlen_pack(store->vlen, a->n, a->elements, a->values, a->lengths, &a->heap, err);
}

static void clear(const stoa_store *store, adoption *a)
{
    const stoa_vlen_memory memory = {.allocate = NULL};

    if (a->elements != NULL) {
        stoa_vlen_release(store->vlen, &memory, a->n, a->elements, NULL);
    }
    free(a->elements);
    free(a->values);
    free(a->lengths);
    stoa_buffer_clear(&a->heap);
}

/* Allocate for the case that all elements are defined. */
static stoa_status make_room(const stoa_store *store, const adoption *a, stoa_sparse_chunk *chunk,
                             stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_sparse_chunk_room(chunk, a->n, store->vlen->packed_size, err));
    STOA_RETURN_NOT_OK(stoa_room_for(&chunk->rooms[2], a->heap.size, err));
    chunk->heap = chunk->rooms[2].data;
    return STOA_OK;
}

/* As in every chunk of other programs, an element equal to the fill value is undefined. */
static bool is_defined(const stoa_store *store, const uint8_t *value, const uint8_t *heap,
                       uint64_t length)
{
    return !store->format.is_sparse ||
           memcmp(value, store->fill_value, store->vlen->packed_size) != 0 ||
           length != store->fill_heap.size ||
           (length > 0 && memcmp(heap, store->fill_heap.data, (size_t)length) != 0);
}

stoa_status stoa_store_adopt(const stoa_store *store, const uint64_t *offset,
                             stoa_sparse_chunk *chunk, stoa_error *err)
{
    const size_t size = store->vlen->packed_size;
    adoption a = {.n = 0};
    stoa_rows rows;
    const uint8_t *heap = NULL;
    size_t i = 0;
    stoa_status status = STOA_OK;

    chunk->n = 0;
    chunk->n_heap = 0;
    STOA_TRY(read_elements(store, offset, &a, err));
    STOA_TRY(make_room(store, &a, chunk, err));
    heap = a.heap.data;
    for (bool more = stoa_rows_begin(&rows, &store->shape, &a.part); more;
         more = stoa_rows_next(&rows)) {
        for (uint64_t k = 0; k < rows.n; k++, i++) {
            const uint8_t *value = a.values + i * size;
            if (is_defined(store, value, heap, a.lengths[i])) {
                chunk->positions[chunk->n] = (uint32_t)(rows.position + k);
                memcpy(chunk->values + chunk->n++ * size, value, size);
                if (a.lengths[i] > 0) {
                    memcpy(chunk->heap + chunk->n_heap, heap, (size_t)a.lengths[i]);
                    chunk->n_heap += (size_t)a.lengths[i];
                }
            }
            heap = heap != NULL ? heap + a.lengths[i] : NULL;
        }
    }

done:
    clear(store, &a);
    return status;
}
