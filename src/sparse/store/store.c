#include "sparse/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/read/direct.h"
#include "sparse/format/dense.h"
#include "sparse/format/long_chunk.h"
#include "sparse/format/positions.h"
#include "sparse/points/chunk_task.h"
#include "sparse/store/clip.h"
#include "sparse/store/store_parts.h"

/* --- opening and closing --------------------------------------------------------------------- */

static stoa_status write_back(void *context, stoa_cached *cached, stoa_error *err);

static stoa_status set_fill(stoa_store *store, const stoa_store_setup *setup, stoa_error *err)
{
    const stoa_sparse_format *format = &store->format;

    store->fill = stoa_alloc_zero(1, format->element_size);
    store->fill_value = stoa_alloc_zero(1, format->element_size);
    STOA_RETURN_NO_MEMORY(err, store->fill != NULL && store->fill_value != NULL);
    if (setup->fill_value != NULL) {
        memcpy(store->fill_value, setup->fill_value, stoa_sparse_value_size(format));
        STOA_RETURN_NOT_OK(
            stoa_buffer_append(&store->fill_heap, setup->fill_heap, setup->n_fill_heap, err));
        stoa_sparse_expand(format, store->fill_value, store->fill);
        return STOA_OK;
    }
    if (setup->fill != NULL) {
        memcpy(store->fill, setup->fill, format->element_size);
    } else if (format->element_size <= STOA_SPARSE_MAX_FILL) {
        memcpy(store->fill, format->fill, format->element_size);
    }
    stoa_sparse_shrink(format, store->fill, store->fill_value);
    return STOA_OK;
}

stoa_status stoa_store_open(const stoa_store_setup *setup, stoa_store **store, stoa_error *err)
{
    stoa_store *s = stoa_alloc_zero(1, sizeof *s);
    stoa_status status = STOA_OK;

    *store = NULL;
    STOA_RETURN_NO_MEMORY(err, s);
    s->io = setup->io;
    s->file = (stoa_descriptor)STOA_DESCRIPTOR_INIT;
    s->shape = setup->shape;
    s->format = *setup->format;
    s->most = setup->most_bytes != 0 ? setup->most_bytes : UINT32_MAX;
    s->heap = setup->vlen != NULL
                  ? (stoa_heap_measure){.context = setup->vlen, .measure = stoa_vlen_measure}
                  : setup->heap;
    s->cache =
        (stoa_cache){.bound = setup->cache_bytes != 0 ? setup->cache_bytes : STOA_STORE_CACHE,
                     .write_back = write_back,
                     .context = s};
    if (!s->format.is_bound || s->format.n_elements != s->shape.n_elements) {
        STOA_FAIL(err, STOA_EDATA, "the filter's parameters are not those of the dataset's chunks");
    }
    STOA_TRY(set_fill(s, setup, err));
    STOA_TRY(stoa_sparse_coder_open(&s->format, &s->coder, err));
    s->vlen = setup->vlen;
    *store = s;
    s = NULL;

done:
    stoa_store_close(s);
    return status;
}

stoa_status stoa_store_read_past(stoa_store *store, hid_t dataset, stoa_error *err)
{
    return stoa_direct_is_off() ? STOA_OK : stoa_descriptor_open(&store->file, dataset, err);
}

void stoa_store_close(stoa_store *store)
{
    if (store == NULL) {
        return;
    }
    stoa_chunk_tasks_clear(store->spare, store->n_spare);
    stoa_descriptor_close(&store->file);
    stoa_cache_clear(&store->cache);
    stoa_directory_clear(&store->directory);
    stoa_sparse_coder_close(&store->coder);
    stoa_sparse_chunk_clear(&store->chunk);
    stoa_buffer_clear(&store->raw);
    stoa_buffer_clear(&store->fill_heap);
    stoa_vlen_layout_free(store->vlen);
    free(store->fill);
    free(store->fill_value);
    free(store->own);
    free(store);
}

void stoa_store_become(stoa_store *store, stoa_store *other)
{
    const stoa_store old = *store;

    *store = *other;
    *other = old;
    store->cache.context = store; /* all other pointers to the store's parts are to heap memory */
    other->cache.context = other;
    stoa_store_close(other);
}

const stoa_shape *stoa_store_shape(const stoa_store *store)
{
    return &store->shape;
}

const stoa_sparse_format *stoa_store_format(const stoa_store *store)
{
    return &store->format;
}

const uint8_t *stoa_store_fill(const stoa_store *store)
{
    return store->fill;
}

const stoa_chunk_io *stoa_store_io(const stoa_store *store)
{
    return &store->io;
}

const stoa_chunk_dataset *stoa_store_dataset(const stoa_store *store)
{
    return store->io.context;
}

const stoa_vlen_layout *stoa_store_vlen(const stoa_store *store)
{
    return store->vlen;
}

stoa_status stoa_store_check(const stoa_store *store, const stoa_sparse_chunk *chunk,
                             stoa_error *err)
{
    return store->format.has_heap ? stoa_content_check(&store->format, chunk, &store->heap, err)
                                  : STOA_OK;
}

bool stoa_store_is_dirty(const stoa_store *store)
{
    for (const stoa_cached *i = store->cache.newest; i != NULL; i = i->older) {
        if (i->is_dirty) {
            return true;
        }
    }
    return false;
}

stoa_status stoa_store_load(stoa_store *store, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (!store->is_loaded) {
        STOA_TRY(stoa_directory_load(&store->directory, &store->shape, &store->io, err));
        store->is_loaded = true;
    }

done:
    if (status != STOA_OK) {
        stoa_directory_clear(&store->directory);
    }
    return status;
}

/* --- reading chunks -------------------------------------------------------------------------- */

stoa_status stoa_store_at(const stoa_store *store, const uint64_t *offset, stoa_status status,
                          stoa_error *err)
{
    char text[400];
    size_t n = 0;

    if (status == STOA_OK) {
        return STOA_OK;
    }
    for (unsigned i = 0; i < store->shape.rank && n < sizeof text - 24; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%llu", i > 0 ? "," : "",
                              (unsigned long long)offset[i]);
    }
    return stoa_at(err, status, "chunk (%s)", text);
}

stoa_status stoa_store_collect(const stoa_store *store, const stoa_buffer *raw,
                               stoa_sparse_chunk *chunk, stoa_error *err)
{
    const stoa_sparse_format *format = &store->format;

    if (raw->size != format->n_elements * format->element_size) {
        return stoa_fail(err, STOA_EDATA, "a dense chunk of %zu bytes where %llu belong", raw->size,
                         (unsigned long long)(format->n_elements * format->element_size));
    }
    return stoa_sparse_collect(format, raw->data, format->is_sparse ? store->fill : NULL, chunk,
                               err);
}

void stoa_store_clip(const stoa_store *store, const uint64_t *offset, bool has_values,
                     stoa_sparse_chunk *chunk)
{
    const stoa_box all = stoa_shape_all(&store->shape);
    stoa_box part;

    if (!stoa_shape_is_whole(&store->shape, offset)) {
        (void)stoa_box_of_chunk(&store->shape, &all, offset, &part);
        stoa_clip(&store->shape, &part, has_values ? stoa_sparse_value_size(&store->format) : 0,
                  chunk, chunk);
    }
}

stoa_status stoa_store_unpack(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                              unsigned n_sections, stoa_error *err)
{
    stoa_sparse_chunk *chunk = &store->chunk;
    uint32_t mask = 0;
    stoa_status status = STOA_OK;

    chunk->n = 0;
    chunk->n_heap = 0;
    STOA_TRY(stoa_store_get(store, entry, offset, &store->raw, &mask, err));
    if (store->raw.size == 0) {
        goto done;
    }
    if (mask != 0 && store->format.n_slots > 0 && store->vlen != NULL) {
        STOA_TRY(stoa_store_adopt(store, offset, chunk, err));
    } else if (mask != 0) {
        STOA_TRY(stoa_store_collect(store, &store->raw, chunk, err));
    } else {
        STOA_TRY(stoa_sparse_chunk_unpack(&store->format, store->raw.data, store->raw.size,
                                          n_sections, &store->coder, chunk, err));
    }
    if (!store->format.has_heap) {
        stoa_store_clip(store, offset, n_sections > 1, chunk);
    }

done:
    return stoa_store_at(store, offset, status, err);
}

/* Undefine the elements of a content outside of the extent, for formats with a heap. */
static stoa_status clip_content(const stoa_store *store, const uint64_t *offset,
                                stoa_content *content, stoa_error *err)
{
    const stoa_box all = stoa_shape_all(&store->shape);
    const stoa_sparse_chunk *list = NULL;
    uint32_t *outside = NULL;
    stoa_box part;
    stoa_status status = STOA_OK;

    if (!store->format.has_heap || stoa_shape_is_whole(&store->shape, offset)) {
        return STOA_OK;
    }
    STOA_TRY(stoa_content_list(content, &list, err));
    outside = stoa_alloc(list->n, sizeof *outside);
    STOA_TRY(outside != NULL ? STOA_OK : stoa_fail_memory(err));
    (void)stoa_box_of_chunk(&store->shape, &all, offset, &part);
    const size_t n = stoa_clip_outside(&store->shape, &part, list, outside);
    STOA_TRY(stoa_content_remove(content, outside, n, err));

done:
    free(outside);
    return status;
}

static stoa_status load(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                        stoa_cached **cached, stoa_error *err)
{
    stoa_content *content = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_content_open(&store->format, &content, err));
    if (entry->n_bytes > 0 && entry->n_defined != 0) {
        STOA_TRY(stoa_store_unpack(store, entry, offset, STOA_MAX_SECTIONS, err));
        STOA_TRY(stoa_store_at(store, offset,
                               stoa_content_adopt(content, &store->chunk, &store->heap, err), err));
        STOA_TRY(clip_content(store, offset, content, err));
    }
    entry->n_defined = stoa_content_n(content);
    stoa_content *taken = content;
    content = NULL;
    STOA_TRY(stoa_cache_add(&store->cache, entry, taken, cached, err));

done:
    stoa_content_close(content);
    return status;
}

/* Fields may use half of the cache's bound. Chunks that use little memory have the other half, and
 * stay. */
static void allow(const stoa_store *store, const stoa_cached *cached)
{
    const size_t others = store->cache.n_bytes - cached->n_bytes;
    const size_t half = store->cache.bound / 2;

    stoa_content_allow(cached->content, others < half ? half - others : 0);
}

stoa_status stoa_store_fetch(stoa_store *store, uint64_t number, bool makes, stoa_cached **cached,
                             stoa_error *err)
{
    uint64_t offset[H5S_MAX_RANK];
    stoa_chunk_entry *entry = NULL;

    *cached = NULL;
    store->here.cached = NULL;
    STOA_RETURN_NOT_OK(stoa_store_load(store, err));
    entry = stoa_directory_find(&store->directory, number);
    if (entry == NULL && makes) {
        STOA_RETURN_NOT_OK(stoa_directory_add(&store->directory, number, &entry, err));
    }
    if (entry == NULL || (!makes && entry->n_defined == 0 && entry->cached == NULL)) {
        return STOA_OK;
    }
    if (entry->cached == NULL) {
        stoa_shape_offset(&store->shape, number, offset);
        STOA_RETURN_NOT_OK(load(store, entry, offset, &entry->cached, err));
    }
    *cached = entry->cached;
    stoa_cache_touch(&store->cache, *cached);
    allow(store, *cached);
    return STOA_OK;
}

/* --- writing chunks -------------------------------------------------------------------------- */

/* Define every element of a chunk, for dense data. */
static stoa_status complete(stoa_store *store, stoa_content *content, stoa_error *err)
{
    const stoa_sparse_format *format = &store->format;
    const uint64_t n_fill_heap = store->fill_heap.size;
    const stoa_heap_run heap = {.lengths = &n_fill_heap, .bytes = store->fill_heap.data};
    const stoa_sparse_chunk *list = NULL;
    uint8_t *there = NULL;
    stoa_status status = STOA_OK;

    if (format->is_sparse || stoa_content_n(content) == format->n_elements) {
        return STOA_OK;
    }
    STOA_TRY(stoa_content_list(content, &list, err));
    there = stoa_alloc_zero(1, (size_t)format->n_elements);
    STOA_TRY(there != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < list->n; i++) {
        there[list->positions[i]] = 1;
    }
    for (uint64_t i = 0; i < format->n_elements; i++) {
        if (there[i] == 0) {
            STOA_TRY(stoa_content_put(content, (uint32_t)i, 1, store->fill_value,
                                      format->has_heap ? &heap : NULL, err));
        }
    }

done:
    free(there);
    return status;
}

stoa_status stoa_store_get(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                           stoa_buffer *bytes, uint32_t *mask, stoa_error *err)
{
    STOA_RETURN_NOT_OK(store->io.read(store->io.context, offset, bytes, mask, err));
    const bool is_long = *mask == 0 && stoa_long_chunk_is(&store->format, bytes->data, bytes->size);
    if (is_long) {
        STOA_RETURN_NOT_OK(stoa_long_chunk_complete(&store->format, &store->io, bytes, err));
    }
    if (entry != NULL) {
        entry->is_long = is_long ? STOA_IS : STOA_IS_NOT;
    }
    return STOA_OK;
}

/* Read the stored chunk if it may have data in the heap; otherwise return nothing. */
static stoa_status read_old(const stoa_store *store, const stoa_chunk_entry *entry,
                            const uint64_t *offset, stoa_buffer *old, stoa_error *err)
{
    uint32_t mask = 0;

    old->size = 0;
    if (store->format.has_heap && entry->n_bytes > 0 && entry->is_long != STOA_IS_NOT) {
        STOA_RETURN_NOT_OK(store->io.read(store->io.context, offset, old, &mask, err));
        old->size = mask == 0 ? old->size : 0;
    }
    return STOA_OK;
}

/* Write new heap data first and free the old last, so that everything the file refers to exists at
 * any time. */
stoa_status stoa_store_put(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                           const uint8_t *bytes, size_t n_bytes, uint64_t n_defined,
                           stoa_error *err)
{
    const stoa_sparse_format *format = &store->format;
    const bool is_long = format->has_heap && n_bytes > stoa_long_chunk_from(format);
    stoa_buffer old = {NULL, 0, 0};
    stoa_buffer shorter = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    if (n_bytes > store->most) {
        STOA_FAIL(err, STOA_ERANGE,
                  "it would have %zu bytes, and HDF5 stores chunks of up to %llu; write shorter "
                  "values, or make chunks smaller",
                  n_bytes, (unsigned long long)store->most);
    }
    STOA_TRY(read_old(store, entry, offset, &old, err));
    if (is_long) {
        STOA_TRY(stoa_long_chunk_shorten(format, &store->io, bytes, n_bytes, &shorter, err));
        bytes = shorter.data;
        n_bytes = shorter.size;
    }
    STOA_TRY(store->io.write(store->io.context, offset, bytes, n_bytes, err));
    stoa_long_chunk_release(format, &store->io, old.data, old.size);
    shorter.size = 0; /* referenced by the file now */
    entry->n_bytes = n_bytes;
    entry->n_defined = n_defined;
    entry->is_clipped = n_defined != STOA_UNKNOWN;
    entry->is_long = is_long ? STOA_IS : STOA_IS_NOT;

done:
    stoa_long_chunk_release(format, &store->io, shorter.data, shorter.size);
    stoa_buffer_clear(&shorter);
    stoa_buffer_clear(&old);
    return stoa_store_at(store, offset, status, err);
}

stoa_status stoa_store_pack(stoa_store *store, stoa_cached *cached, stoa_buffer *out,
                            stoa_error *err)
{
    const stoa_sparse_chunk *list = NULL;
    uint64_t offset[H5S_MAX_RANK];
    stoa_status status = STOA_OK;

    out->size = 0;
    stoa_shape_offset(&store->shape, cached->entry->number, offset);
    STOA_TRY(complete(store, cached->content, err));
    STOA_TRY(stoa_content_list(cached->content, &list, err));
    STOA_TRY(stoa_sparse_chunk_pack(&store->format, list, store->fill, &store->coder, out, err));

done:
    return stoa_store_at(store, offset, status, err);
}

/* A chunk without elements that is not stored is not written. */
static stoa_status write_back(void *context, stoa_cached *cached, stoa_error *err)
{
    stoa_store *store = context;
    stoa_chunk_entry *entry = cached->entry;
    uint64_t offset[H5S_MAX_RANK];

    const uint64_t n_defined = stoa_content_n(cached->content);
    if (n_defined > 0 || entry->n_bytes > 0) {
        STOA_RETURN_NOT_OK(stoa_store_pack(store, cached, &store->raw, err));
        stoa_shape_offset(&store->shape, entry->number, offset);
        STOA_RETURN_NOT_OK(
            stoa_store_put(store, entry, offset, store->raw.data, store->raw.size, n_defined, err));
    }
    entry->n_defined = n_defined;
    cached->is_dirty = false;
    stoa_content_unlist(cached->content);
    return STOA_OK;
}

stoa_status stoa_store_flush(stoa_store *store, stoa_error *err)
{
    return stoa_cache_flush(&store->cache, err);
}

void stoa_store_forget(stoa_store *store)
{
    store->here.cached = NULL;
    stoa_cache_clear(&store->cache);
}

stoa_status stoa_store_refresh(stoa_store *store, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_store_flush(store, err));
    stoa_store_forget(store);
    stoa_directory_clear(&store->directory);
    store->is_loaded = false;
    return STOA_OK;
}

/* Whether a chunk with n elements and n_heap bytes might be too long. */
static bool may_be_too_long(const stoa_store *store, uint64_t n, uint64_t n_heap)
{
    const stoa_sparse_format *format = &store->format;

    if (!format->has_heap) { /* its elements are less than 4 GiB */
        return false;
    }
    if (!format->is_sparse) { /* as complete() does */
        n_heap += n < format->n_elements ? (format->n_elements - n) * store->fill_heap.size : 0;
        n = format->n_elements;
    }
    const uint64_t n_bytes = STOA_CHUNK_HEAD + format->element_size +
                             stoa_positions_bound(format->n_elements) +
                             n * stoa_sparse_value_size(format) + n_heap;
    return n_bytes + n_bytes / 16 > store->most; /* for expansion by mandatory filters */
}

stoa_status stoa_store_edits(stoa_store *store, stoa_cached *cached, uint64_t n, uint64_t n_heap,
                             stoa_error *err)
{
    return cached->is_dirty && may_be_too_long(store, stoa_content_n(cached->content) + n,
                                               stoa_content_n_heap(cached->content) + n_heap)
               ? write_back(store, cached, err)
               : STOA_OK;
}

stoa_status stoa_store_edited(stoa_store *store, stoa_cached *cached, stoa_error *err)
{
    stoa_status status = STOA_OK;

    cached->is_dirty = true;
    stoa_cache_touch(&store->cache, cached);
    if (may_be_too_long(store, stoa_content_n(cached->content),
                        stoa_content_n_heap(cached->content))) {
        status = write_back(store, cached, err);
        if (status != STOA_OK) {
            store->here.cached = NULL;
            stoa_cache_drop(&store->cache, cached);
        }
    }
    return status;
}
