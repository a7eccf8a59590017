/* Runs of elements, read from and written to the cached chunks of a store. */
#include <string.h>

#include "sparse/store/store_parts.h"

/* Whether `at` is in the chunk of the last run, and its position there. */
static bool is_here(const stoa_store *store, const uint64_t *at, uint64_t *position)
{
    uint64_t in_chunk = 0;

    if (store->here.cached == NULL) {
        return false;
    }
    for (unsigned i = 0; i < store->shape.rank; i++) {
        const uint64_t local = at[i] - store->here.offset[i];
        if (local >= store->here.inside[i]) {
            return false;
        }
        in_chunk = in_chunk * store->shape.chunk[i] + local;
    }
    *position = in_chunk;
    return true;
}

/*
 * The part of a run that lies in its first chunk.
 *
 * @param makes        create the chunk if it does not exist
 * @param[out] cached  NULL if it does not exist
 * @param[out] n       number of elements in the chunk, at most `most`
 */
static stoa_status find_chunk(stoa_store *store, bool makes, const uint64_t *at, uint64_t most,
                              stoa_cached **cached, uint32_t *position, uint32_t *n,
                              stoa_error *err)
{
    const stoa_shape *shape = &store->shape;
    const unsigned last = shape->rank - 1;
    uint64_t in_chunk = 0;

    *cached = store->here.cached;
    if (!is_here(store, at, &in_chunk)) {
        const uint64_t number = stoa_shape_locate(shape, at, &in_chunk);
        STOA_RETURN_NOT_OK(stoa_store_fetch(store, number, makes, cached, err));
        /* Trim now rather than after the edit: the chunk of this edit is the newest, and stays. */
        STOA_RETURN_NOT_OK(stoa_cache_trim(&store->cache, err));
        store->here.cached = *cached;
        stoa_shape_offset(shape, number, store->here.offset);
        for (unsigned i = 0; i < shape->rank; i++) {
            const uint64_t rest = shape->extent[i] - store->here.offset[i];
            store->here.inside[i] = rest < shape->chunk[i] ? rest : shape->chunk[i];
        }
    }
    const uint64_t rest = store->here.offset[last] + shape->chunk[last] - at[last];
    *position = (uint32_t)in_chunk;
    *n = (uint32_t)(rest < most ? rest : most);
    return STOA_OK;
}

static stoa_status is_inside(const stoa_store *store, const uint64_t *at, uint64_t n,
                             stoa_error *err)
{
    const stoa_shape *shape = &store->shape;
    const unsigned last = shape->rank - 1;

    for (unsigned i = 0; i < shape->rank; i++) {
        const uint64_t wanted = i == last ? n : 1;
        if (at[i] > shape->extent[i] || wanted > shape->extent[i] - at[i]) {
            return stoa_fail(err, STOA_ERANGE,
                             "dimension %u: %llu elements from %llu on leave the extent of %llu", i,
                             (unsigned long long)wanted, (unsigned long long)at[i],
                             (unsigned long long)shape->extent[i]);
        }
    }
    return STOA_OK;
}

/* Iterator over the chunks of a run. */
typedef struct run {
    uint64_t at[H5S_MAX_RANK]; /* coordinates after the current part */
    uint64_t n_left;
    stoa_cached *cached; /* the current chunk; NULL if it does not exist */
    uint32_t position;   /* of the part in the chunk */
    uint32_t n;          /* elements of the part */
} run;

static stoa_status run_begin(const stoa_store *store, const uint64_t *at, uint64_t n, run *r,
                             stoa_error *err)
{
    r->n_left = n;
    memcpy(r->at, at, store->shape.rank * sizeof *at);
    return is_inside(store, at, n, err);
}

/* Advance to the next part, which must exist. */
static stoa_status run_next(stoa_store *store, bool makes, run *r, stoa_error *err)
{
    STOA_RETURN_NOT_OK(
        find_chunk(store, makes, r->at, r->n_left, &r->cached, &r->position, &r->n, err));
    r->at[store->shape.rank - 1] += r->n;
    r->n_left -= r->n;
    return STOA_OK;
}

/* Bytes of variable-length data of n elements; `lengths` may be NULL. */
static uint64_t sum(const uint64_t *lengths, uint32_t n)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; lengths != NULL && i < n; i++) {
        bytes += lengths[i];
    }
    return bytes;
}

stoa_status stoa_store_write(stoa_store *store, const uint64_t *at, uint64_t n,
                             const uint8_t *values, const stoa_heap_run *heap, stoa_error *err)
{
    const size_t size = stoa_sparse_value_size(&store->format);
    stoa_heap_run rest = {.lengths = heap != NULL ? heap->lengths : NULL,
                          .bytes = heap != NULL ? heap->bytes : NULL};
    run r;

    STOA_RETURN_NOT_OK(run_begin(store, at, n, &r, err));
    while (r.n_left > 0) {
        STOA_RETURN_NOT_OK(run_next(store, true, &r, err));
        STOA_RETURN_NOT_OK(stoa_store_edits(store, r.cached, r.n, sum(rest.lengths, r.n), err));
        const stoa_status put = stoa_content_put(r.cached->content, r.position, r.n, values,
                                                 heap != NULL ? &rest : NULL, err);
        STOA_RETURN_NOT_OK(stoa_store_edited(store, r.cached, err));
        STOA_RETURN_NOT_OK(put);
        for (uint32_t i = 0; heap != NULL && i < r.n; i++) {
            rest.bytes += rest.lengths[i];
        }
        rest.lengths = heap != NULL ? rest.lengths + r.n : NULL;
        values += r.n * size;
    }
    return STOA_OK;
}

/* The part of a line that lies in the current chunk. `first` is the position of its first element,
 * and `local` its coordinate in the chunk. */
static stoa_line line_in_chunk(const stoa_store *store, uint32_t first, uint64_t local,
                               unsigned along, uint64_t every, uint64_t most)
{
    const uint64_t fits = (store->shape.chunk[along] - 1 - local) / every + 1;
    stoa_line line = {.first = first, .n = (size_t)(fits < most ? fits : most)};
    uint64_t stride = line.n > 1 ? every : 1; /* otherwise it may exceed the chunk */

    for (unsigned i = along + 1; i < store->shape.rank; i++) {
        stride *= store->shape.chunk[i];
    }
    line.stride = (uint32_t)stride;
    return line;
}

stoa_status stoa_store_write_line(stoa_store *store, const uint64_t *at, unsigned along,
                                  uint64_t every, uint64_t n, const uint8_t *values, ptrdiff_t step,
                                  stoa_error *err)
{
    uint64_t next[H5S_MAX_RANK];

    memcpy(next, at, store->shape.rank * sizeof *at);
    while (n > 0) {
        stoa_cached *cached = NULL;
        uint32_t position = 0;
        uint32_t one = 0;
        STOA_RETURN_NOT_OK(is_inside(store, next, 1, err));
        STOA_RETURN_NOT_OK(find_chunk(store, true, next, 1, &cached, &position, &one, err));
        const uint64_t local = next[along] - store->here.offset[along];
        stoa_line line = line_in_chunk(store, position, local, along, every, n);
        line.values = values;
        line.step = step;
        next[along] += (line.n - 1) * every;
        STOA_RETURN_NOT_OK(is_inside(store, next, 1, err));
        const stoa_status put = stoa_content_put_line(cached->content, &line, err);
        STOA_RETURN_NOT_OK(stoa_store_edited(store, cached, err));
        STOA_RETURN_NOT_OK(put);
        next[along] += every;
        values += (ptrdiff_t)line.n * step;
        n -= line.n;
    }
    return STOA_OK;
}

/* Read elements of a chunk that does not exist. */
static stoa_status read_absent(const stoa_store *store, uint32_t n, uint8_t *values,
                               uint8_t *defined, const stoa_heap_sink *heap, stoa_error *err)
{
    const size_t size = stoa_sparse_value_size(&store->format);

    for (uint32_t i = 0; values != NULL && i < n; i++) {
        memcpy(values + i * size, store->fill_value, size);
    }
    if (defined != NULL) {
        memset(defined, 0, n);
    }
    for (uint32_t i = 0; heap->lengths != NULL && i < n; i++) {
        heap->lengths[i] = heap->n_fill;
        if (heap->n_fill > 0) {
            STOA_RETURN_NOT_OK(stoa_buffer_append(heap->bytes, heap->fill, heap->n_fill, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_store_read(stoa_store *store, const uint64_t *at, uint64_t n, uint8_t *values,
                            uint8_t *defined, const stoa_heap_sink *heap, stoa_error *err)
{
    const size_t size = stoa_sparse_value_size(&store->format);
    stoa_heap_sink rest = {.bytes = heap != NULL ? heap->bytes : NULL,
                           .lengths = heap != NULL ? heap->lengths : NULL,
                           .fill = store->fill_heap.data,
                           .n_fill = store->fill_heap.size};
    run r;

    STOA_RETURN_NOT_OK(run_begin(store, at, n, &r, err));
    while (r.n_left > 0) {
        STOA_RETURN_NOT_OK(run_next(store, false, &r, err));
        if (r.cached != NULL) {
            STOA_RETURN_NOT_OK(stoa_content_get(r.cached->content, r.position, r.n,
                                                store->fill_value, values, defined,
                                                heap != NULL ? &rest : NULL, err));
        } else {
            STOA_RETURN_NOT_OK(read_absent(store, r.n, values, defined, &rest, err));
        }
        values = values != NULL ? values + r.n * size : NULL;
        defined = defined != NULL ? defined + r.n : NULL;
        rest.lengths = rest.lengths != NULL ? rest.lengths + r.n : NULL;
    }
    return STOA_OK;
}

static stoa_status must_be_sparse(const stoa_store *store, stoa_error *err)
{
    return store->format.is_sparse
               ? STOA_OK
               : stoa_fail(err, STOA_EINVAL, "elements of a dense dataset cannot be erased");
}

stoa_status stoa_store_erase(stoa_store *store, const uint64_t *at, uint64_t n, stoa_error *err)
{
    run r;

    STOA_RETURN_NOT_OK(must_be_sparse(store, err));
    STOA_RETURN_NOT_OK(run_begin(store, at, n, &r, err));
    while (r.n_left > 0) {
        STOA_RETURN_NOT_OK(run_next(store, false, &r, err));
        if (r.cached != NULL) {
            const uint64_t before = stoa_content_n(r.cached->content);
            const stoa_status erased = stoa_content_erase(r.cached->content, r.position, r.n, err);
            if (stoa_content_n(r.cached->content) != before) {
                STOA_RETURN_NOT_OK(stoa_store_edited(store, r.cached, err));
            }
            STOA_RETURN_NOT_OK(erased);
        }
    }
    return STOA_OK;
}

/* Undefine the elements of one chunk that lie in a box. */
static stoa_status erase_part(stoa_store *store, uint64_t number, const stoa_box *box,
                              stoa_error *err)
{
    uint64_t offset[H5S_MAX_RANK];
    stoa_box part;
    stoa_rows rows;
    stoa_cached *cached = NULL;

    stoa_shape_offset(&store->shape, number, offset);
    if (stoa_box_of_chunk(&store->shape, box, offset, &part)) {
        STOA_RETURN_NOT_OK(stoa_store_empty(store, number, err));
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_store_fetch(store, number, false, &cached, err));
    if (cached == NULL) {
        return STOA_OK;
    }
    for (bool more = stoa_rows_begin(&rows, &store->shape, &part); more;
         more = stoa_rows_next(&rows)) {
        STOA_RETURN_NOT_OK(
            stoa_content_erase(cached->content, (uint32_t)rows.position, (uint32_t)rows.n, err));
    }
    STOA_RETURN_NOT_OK(stoa_store_edited(store, cached, err));
    return stoa_cache_trim(&store->cache, err);
}

stoa_status stoa_store_erase_box(stoa_store *store, const stoa_box *box, stoa_error *err)
{
    stoa_buffer numbers = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(must_be_sparse(store, err));
    STOA_TRY(stoa_shape_holds(&store->shape, box, err));
    STOA_TRY(stoa_store_chunks(store, box, &numbers, err));
    const uint64_t *number = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; i < numbers.size / sizeof *number; i++) {
        STOA_TRY(erase_part(store, number[i], box, err));
    }

done:
    stoa_buffer_clear(&numbers);
    return status;
}
