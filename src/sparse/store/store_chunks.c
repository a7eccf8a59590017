/* Whole chunks of a store, and its extent. */
#include <stdlib.h>
#include <string.h>

#include "core/min_of.h"
#include "sparse/format/long_chunk.h"
#include "sparse/store/clip.h"
#include "sparse/store/clip_rows.h"
#include "sparse/store/store_parts.h"

/* The entries (stoa_chunk_entry *) that meet a box. */
static stoa_status entries_of(stoa_store *store, const stoa_box *box, stoa_buffer *out,
                              stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_store_load(store, err));
    return stoa_directory_meet(&store->directory, &store->shape, box, out, err);
}

bool stoa_store_is_empty(const stoa_chunk_entry *entry)
{
    if (entry == NULL) {
        return true;
    }
    return entry->cached != NULL ? stoa_content_n(entry->cached->content) == 0
                                 : entry->n_defined == 0;
}

stoa_status stoa_store_chunks(stoa_store *store, const stoa_box *box, stoa_buffer *out,
                              stoa_error *err)
{
    stoa_buffer entries = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(entries_of(store, box, &entries, err));
    stoa_chunk_entry *const *entry = (stoa_chunk_entry *const *)(void *)entries.data;
    for (size_t i = 0; i < entries.size / sizeof(stoa_chunk_entry *); i++) {
        if (!stoa_store_is_empty(entry[i])) {
            STOA_TRY(stoa_buffer_append(out, &entry[i]->number, sizeof entry[i]->number, err));
        }
    }

done:
    stoa_buffer_clear(&entries);
    return status;
}

stoa_status stoa_store_read_chunk(stoa_store *store, uint64_t number, bool wants_values,
                                  const stoa_sparse_chunk **chunk, stoa_error *err)
{
    uint64_t offset[H5S_MAX_RANK];
    stoa_cached *cached = NULL;

    store->chunk.n = 0;
    *chunk = &store->chunk;
    STOA_RETURN_NOT_OK(stoa_store_load(store, err));
    stoa_chunk_entry *entry = stoa_directory_find(&store->directory, number);
    if (stoa_store_is_empty(entry)) {
        return STOA_OK;
    }
    if (entry->cached != NULL || store->format.has_heap) {
        STOA_RETURN_NOT_OK(stoa_store_fetch(store, number, false, &cached, err));
        STOA_RETURN_NOT_OK(stoa_cache_trim(&store->cache, err));
        if (cached != NULL) {
            STOA_RETURN_NOT_OK(stoa_content_list(cached->content, chunk, err));
        }
        return STOA_OK;
    }
    stoa_shape_offset(&store->shape, number, offset);
    STOA_RETURN_NOT_OK(stoa_store_unpack(store, entry, offset, wants_values ? 2 : 1, err));
    entry->n_defined = store->chunk.n;
    return STOA_OK;
}

/* Append the defined elements of a chunk that are in the box. */
static stoa_status add_defined(stoa_store *store, const stoa_box *box, uint64_t number,
                               stoa_buffer *out, stoa_error *err)
{
    const stoa_shape *shape = &store->shape;
    const stoa_sparse_chunk *chunk = NULL;
    uint64_t offset[H5S_MAX_RANK];
    stoa_box part;
    size_t n = 0;

    stoa_shape_offset(shape, number, offset);
    STOA_RETURN_NOT_OK(stoa_store_read_chunk(store, number, false, &chunk, err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(out, chunk->n * sizeof(uint64_t), err));
    uint64_t *elements = (uint64_t *)(void *)(out->data + out->size);
    (void)stoa_box_of_chunk(shape, box, offset, &part);
    for (size_t i = 0; i < chunk->n;) {
        const stoa_clipped_row row = stoa_clipped_row_of(shape, &part, chunk->positions[i]);
        uint64_t at[H5S_MAX_RANK];
        stoa_shape_element(shape, offset, chunk->positions[i], at);
        const uint64_t shift = stoa_shape_number(shape, at) - chunk->positions[i];
        for (; i < chunk->n && chunk->positions[i] < row.end; i++) {
            const uint64_t position = chunk->positions[i];
            elements[n] = position + shift;
            n += position - row.from < row.to - row.from; /* others are overwritten */
        }
    }
    out->size += n * sizeof *elements;
    return STOA_OK;
}

/* The end of the ascending run that begins at `first`. */
static size_t end_of_run(const uint64_t *elements, size_t first, size_t n)
{
    size_t i = first + 1;

    while (i < n && elements[i - 1] < elements[i]) {
        i++;
    }
    return i < n ? i : n;
}

/* Merge two runs, first .. middle - 1 and middle .. end - 1. */
static void merge_two(const uint64_t *elements, size_t first, size_t middle, size_t end,
                      uint64_t *to)
{
    size_t i = first;
    size_t j = middle;

    for (to += first; i < middle && j < end; to++) { /* without a branch on which is less */
        const bool is_left = elements[i] < elements[j];
        *to = is_left ? elements[i] : elements[j];
        i += is_left;
        j += !is_left;
    }
    memcpy(to, elements + i, (middle - i) * sizeof *to);
    memcpy(to + (middle - i), elements + j, (end - j) * sizeof *to);
}

/* Sort elements that ascend within each chunk. Chunks next to each other share rows. */
static stoa_status sort_runs(uint64_t *elements, size_t n, stoa_error *err)
{
    uint64_t *from = elements;
    uint64_t *spare = NULL;

    if (n == 0 || end_of_run(elements, 0, n) == n) {
        return STOA_OK;
    }
    spare = stoa_alloc(n, sizeof *spare);
    STOA_RETURN_NO_MEMORY(err, spare);
    for (uint64_t *to = spare; end_of_run(from, 0, n) < n;) {
        for (size_t i = 0; i < n;) {
            const size_t middle = end_of_run(from, i, n);
            const size_t end = end_of_run(from, middle, n);
            merge_two(from, i, middle, end, to);
            i = end;
        }
        uint64_t *const merged = to;
        to = from;
        from = merged;
    }
    if (from != elements) {
        memcpy(elements, from, n * sizeof *elements);
    }
    free(spare);
    return STOA_OK;
}

stoa_status stoa_store_defined(stoa_store *store, const stoa_box *box, stoa_buffer *out,
                               stoa_error *err)
{
    stoa_buffer numbers = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_store_chunks(store, box, &numbers, err));
    const uint64_t *number = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; i < numbers.size / sizeof *number; i++) {
        STOA_TRY(add_defined(store, box, number[i], out, err));
    }
    STOA_TRY(sort_runs((uint64_t *)(void *)out->data, out->size / sizeof(uint64_t), err));

done:
    stoa_buffer_clear(&numbers);
    return status;
}

stoa_status stoa_store_merge(stoa_store *store, uint64_t number, const uint32_t *positions,
                             size_t n, const uint8_t *values, stoa_error *err)
{
    stoa_cached *cached = NULL;

    STOA_RETURN_NOT_OK(stoa_store_fetch(store, number, true, &cached, err));
    const stoa_status merged = stoa_content_merge(cached->content, positions, n, values, err);
    STOA_RETURN_NOT_OK(stoa_store_edited(store, cached, err));
    STOA_RETURN_NOT_OK(merged);
    return stoa_cache_trim(&store->cache, err);
}

stoa_status stoa_store_remove(stoa_store *store, uint64_t number, const uint32_t *positions,
                              size_t n, stoa_error *err)
{
    stoa_cached *cached = NULL;

    STOA_RETURN_NOT_OK(stoa_store_fetch(store, number, false, &cached, err));
    if (cached != NULL) {
        const uint64_t before = stoa_content_n(cached->content);
        const stoa_status removed = stoa_content_remove(cached->content, positions, n, err);
        if (stoa_content_n(cached->content) != before) {
            STOA_RETURN_NOT_OK(stoa_store_edited(store, cached, err));
        }
        STOA_RETURN_NOT_OK(removed);
        STOA_RETURN_NOT_OK(stoa_cache_trim(&store->cache, err));
    }
    return STOA_OK;
}

stoa_status stoa_store_empty(stoa_store *store, uint64_t number, stoa_error *err)
{
    stoa_sparse_chunk nothing = {.n = 0};
    stoa_cached *cached = NULL;

    STOA_RETURN_NOT_OK(stoa_store_load(store, err));
    stoa_chunk_entry *entry = stoa_directory_find(&store->directory, number);
    if (entry == NULL) {
        return STOA_OK;
    }
    entry->n_defined = 0; /* so that the chunk is not read */
    STOA_RETURN_NOT_OK(stoa_store_fetch(store, number, true, &cached, err));
    const stoa_status emptied = stoa_content_adopt(cached->content, &nothing, &store->heap, err);
    STOA_RETURN_NOT_OK(stoa_store_edited(store, cached, err));
    STOA_RETURN_NOT_OK(emptied);
    return stoa_cache_trim(&store->cache, err);
}

/* --- counting -------------------------------------------------------------------------------- */

/* The number of defined elements. The header suffices for a chunk completely inside of the
 * extent. */
static stoa_status count_chunk(stoa_store *store, stoa_chunk_entry *entry, uint64_t *n,
                               stoa_error *err)
{
    uint64_t offset[H5S_MAX_RANK];
    const stoa_sparse_chunk *chunk = NULL;
    stoa_split_chunk split;
    uint32_t mask = 0;

    if (entry->cached != NULL) {
        *n = stoa_content_n(entry->cached->content);
        return STOA_OK;
    }
    if (entry->n_defined == STOA_UNKNOWN) {
        stoa_shape_offset(&store->shape, entry->number, offset);
        if (stoa_shape_is_whole(&store->shape, offset)) {
            STOA_RETURN_NOT_OK(store->io.read(store->io.context, offset, &store->raw, &mask, err));
            if (mask == 0 && store->raw.size > 0) {
                STOA_RETURN_NOT_OK(
                    stoa_store_at(store, offset,
                                  stoa_sparse_chunk_split(&store->format, store->raw.data,
                                                          store->raw.size, &split, err),
                                  err));
                entry->n_defined = split.n;
            }
        }
    }
    if (entry->n_defined == STOA_UNKNOWN) {
        STOA_RETURN_NOT_OK(stoa_store_read_chunk(store, entry->number, false, &chunk, err));
        *n = chunk->n;
        return STOA_OK;
    }
    *n = entry->n_defined;
    return STOA_OK;
}

stoa_status stoa_store_count(stoa_store *store, uint64_t *n, stoa_error *err)
{
    const stoa_box all = stoa_shape_all(&store->shape);
    stoa_buffer entries = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    *n = 0;
    STOA_TRY(entries_of(store, &all, &entries, err));
    stoa_chunk_entry *const *entry = (stoa_chunk_entry *const *)(void *)entries.data;
    for (size_t i = 0; i < entries.size / sizeof(stoa_chunk_entry *); i++) {
        uint64_t some = 0;
        STOA_TRY(count_chunk(store, entry[i], &some, err));
        *n += some;
    }

done:
    stoa_buffer_clear(&entries);
    return status;
}

stoa_status stoa_store_stored(stoa_store *store, uint64_t *n_chunks, uint64_t *n_bytes,
                              stoa_error *err)
{
    *n_chunks = 0;
    *n_bytes = 0;
    STOA_RETURN_NOT_OK(stoa_store_load(store, err));
    for (size_t i = 0; i < store->directory.n; i++) {
        *n_chunks += store->directory.entries[i]->n_bytes > 0;
        *n_bytes += store->directory.entries[i]->n_bytes;
    }
    return STOA_OK;
}

/* --- packed ---------------------------------------------------------------------------------- */

stoa_status stoa_store_get_packed(stoa_store *store, uint64_t number, stoa_buffer *bytes,
                                  uint32_t *mask, stoa_error *err)
{
    uint64_t offset[H5S_MAX_RANK];

    bytes->size = 0;
    *mask = 0;
    STOA_RETURN_NOT_OK(stoa_store_load(store, err));
    stoa_chunk_entry *entry = stoa_directory_find(&store->directory, number);
    if (entry == NULL) {
        return STOA_OK;
    }
    if (entry->cached != NULL && entry->cached->is_dirty) {
        STOA_RETURN_NOT_OK(store->cache.write_back(store->cache.context, entry->cached, err));
    }
    if (entry->n_bytes > 0) {
        stoa_shape_offset(&store->shape, number, offset);
        STOA_RETURN_NOT_OK(stoa_store_at(
            store, offset, stoa_store_get(store, entry, offset, bytes, mask, err), err));
    }
    return STOA_OK;
}

stoa_status stoa_store_put_packed(stoa_store *store, uint64_t number, const uint8_t *bytes,
                                  size_t n_bytes, uint64_t n_defined, stoa_error *err)
{
    uint64_t offset[H5S_MAX_RANK];
    stoa_chunk_entry *entry = NULL;

    STOA_RETURN_NOT_OK(stoa_store_load(store, err));
    STOA_RETURN_NOT_OK(stoa_directory_add(&store->directory, number, &entry, err));
    stoa_shape_offset(&store->shape, number, offset);
    STOA_RETURN_NOT_OK(stoa_store_put(store, entry, offset, bytes, n_bytes, n_defined, err));
    if (entry->cached != NULL) {
        store->here.cached = NULL;
        stoa_cache_drop(&store->cache, entry->cached);
    }
    return STOA_OK;
}

/* --- the extent ------------------------------------------------------------------------------ */

/* A chunk that must be written again under the new extent. Either libhdf5 would corrupt it, or
 * another program left elements outside of the extent in it. */
typedef struct kept {
    uint64_t offset[H5S_MAX_RANK];
    uint64_t n_defined;
    stoa_buffer bytes;
    stoa_buffer before; /* stored bytes; only with a heap */
} kept;

typedef enum chunk_fate { STAYS, GROWS, IS_CUT, GOES } chunk_fate;

/* How the part of a chunk inside of the extent changes. */
static chunk_fate fate_of(const stoa_shape *before, const stoa_shape *after, const uint64_t *offset)
{
    chunk_fate fate = STAYS;

    for (unsigned i = 0; i < before->rank; i++) {
        if (offset[i] >= after->extent[i]) {
            return GOES;
        }
        const uint64_t old = before->extent[i] - offset[i];
        const uint64_t new = after->extent[i] - offset[i];
        const uint64_t size = before->chunk[i];
        if (new < old &&new < size) {
            fate = IS_CUT;
        } else if (new > old && old < size &&fate == STAYS) {
            fate = GROWS;
        }
    }
    return fate;
}

/* Pack an entry's chunk, without the elements outside of either extent. */
static stoa_status keep(stoa_store *store, const stoa_shape *after, stoa_chunk_entry *entry,
                        kept *chunk, stoa_error *err)
{
    stoa_cached *cached = NULL;
    const stoa_sparse_chunk *list = NULL;
    uint32_t *outside = NULL;
    stoa_box part;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_store_fetch(store, entry->number, true, &cached, err));
    STOA_TRY(stoa_content_list(cached->content, &list, err));
    outside = stoa_alloc(list->n, sizeof *outside);
    STOA_TRY(outside != NULL ? STOA_OK : stoa_fail_memory(err));
    const stoa_box all = stoa_shape_all(after);
    (void)stoa_box_of_chunk(after, &all, chunk->offset, &part);
    const size_t n = stoa_clip_outside(after, &part, list, outside);
    STOA_TRY(stoa_content_remove(cached->content, outside, n, err));
    chunk->n_defined = stoa_content_n(cached->content);
    STOA_TRY(stoa_store_pack(store, cached, &chunk->bytes, err));

done:
    if (cached != NULL) { /* it has the new state, not that of the file */
        stoa_cache_drop(&store->cache, cached);
    }
    free(outside);
    return status;
}

/* Append all chunks to be rewritten to `out`, as `kept`. The caller clears them, also after a
 * failure. */
static stoa_status keep_all(stoa_store *store, const stoa_shape *after, stoa_buffer *out,
                            stoa_error *err)
{
    const stoa_box all = stoa_shape_all(&store->shape);
    stoa_buffer entries = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(entries_of(store, &all, &entries, err));
    stoa_chunk_entry *const *entry = (stoa_chunk_entry *const *)(void *)entries.data;
    for (size_t i = 0; i < entries.size / sizeof(stoa_chunk_entry *); i++) {
        kept chunk;
        memset(&chunk, 0, sizeof chunk);
        stoa_shape_offset(&store->shape, entry[i]->number, chunk.offset);
        const chunk_fate fate = fate_of(&store->shape, after, chunk.offset);
        /* libhdf5 cuts a chunk by rewriting it through the filter, which loses explicit fill
         * values. If the filter does not know the fill value, it refuses the chunk, or defines all
         * of it, even of an empty one. */
        const bool is_spoilt =
            fate == IS_CUT && (entry[i]->n_defined != 0 || store->format.fill_is_elsewhere ||
                               store->format.fill_is_variable);
        if (entry[i]->n_bytes > 0 && (is_spoilt || (fate == GROWS && !entry[i]->is_clipped))) {
            STOA_TRY(stoa_buffer_append(out, &chunk, sizeof chunk, err));
            kept *last = (kept *)(void *)(out->data + out->size - sizeof chunk);
            STOA_TRY(keep(store, after, entry[i], last, err));
        }
    }

done:
    stoa_buffer_clear(&entries);
    return status;
}

/* Pack a chunk in which every element is defined and has no variable-length data. */
static stoa_status pack_nothing(stoa_store *store, stoa_buffer *out, stoa_error *err)
{
    const stoa_sparse_format *format = &store->format;
    const size_t n = (size_t)format->n_elements;
    stoa_sparse_chunk chunk = {.n = n,
                               .positions = stoa_alloc(n, sizeof(uint32_t)),
                               .values = stoa_alloc_zero(n, stoa_sparse_value_size(format))};
    stoa_status status = STOA_OK;

    STOA_TRY(chunk.positions != NULL && chunk.values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        chunk.positions[i] = (uint32_t)i;
    }
    STOA_TRY(stoa_sparse_chunk_pack(format, &chunk, store->fill, &store->coder, out, err));

done:
    free(chunk.positions);
    free(chunk.values);
    return status;
}

/* libhdf5 is about to read these chunks, but the filter cannot decode them. Replace them by chunks
 * that it can. */
static stoa_status hide_heaps(stoa_store *store, const stoa_buffer *chunks, stoa_error *err)
{
    kept *chunk = (kept *)(void *)chunks->data;
    stoa_buffer nothing = {NULL, 0, 0};
    uint32_t mask = 0;
    stoa_status status = STOA_OK;

    if (!store->format.has_heap || chunks->size == 0) {
        return STOA_OK;
    }
    STOA_TRY(pack_nothing(store, &nothing, err));
    for (size_t i = 0; i < chunks->size / sizeof *chunk; i++) {
        STOA_TRY(store->io.read(store->io.context, chunk[i].offset, &chunk[i].before, &mask, err));
        if (mask != 0) { /* a dense chunk of libhdf5's */
            chunk[i].before.size = 0;
        }
    }
    for (size_t i = 0; i < chunks->size / sizeof *chunk; i++) {
        if (chunk[i].before.size > 0) {
            STOA_TRY(store->io.write(store->io.context, chunk[i].offset, nothing.data, nothing.size,
                                     err));
        }
    }

done:
    stoa_buffer_clear(&nothing);
    return status;
}

/* Restore the chunks after a failure. The extent is unchanged. */
static void show_heaps(stoa_store *store, const stoa_buffer *chunks)
{
    const kept *chunk = (const kept *)(const void *)chunks->data;

    for (size_t i = 0; i < chunks->size / sizeof *chunk; i++) {
        if (chunk[i].before.size > 0) {
            (void)store->io.write(store->io.context, chunk[i].offset, chunk[i].before.data,
                                  chunk[i].before.size, NULL);
        }
    }
}

/* After success, free the chunks' data in the file's global heap, to which nothing refers any
 * more. */
static void release_heaps(const stoa_store *store, const stoa_buffer *chunks)
{
    const kept *chunk = (const kept *)(const void *)chunks->data;

    for (size_t i = 0; i < chunks->size / sizeof *chunk; i++) {
        stoa_long_chunk_release(&store->format, &store->io, chunk[i].before.data,
                                chunk[i].before.size);
    }
}

/* Write the chunks under the new extent. Continues after a failure. */
static stoa_status put_all(stoa_store *store, const stoa_buffer *chunks, stoa_error *err)
{
    const kept *chunk = (const kept *)(const void *)chunks->data;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < chunks->size / sizeof *chunk; i++) {
        uint64_t position = 0;
        const uint64_t number = stoa_shape_locate(&store->shape, chunk[i].offset, &position);
        const stoa_status put = stoa_store_put_packed(store, number, chunk[i].bytes.data,
                                                      chunk[i].bytes.size, chunk[i].n_defined, err);
        status = status != STOA_OK ? status : put;
    }
    return status;
}

stoa_status stoa_store_set_extent(stoa_store *store, const uint64_t *extent, stoa_error *err)
{
    const stoa_shape before = store->shape;
    stoa_shape after;
    stoa_buffer chunks = {NULL, 0, 0};
    bool is_hidden = false;
    stoa_status status = STOA_OK;

    if (store->io.set_extent == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "this extent does not change");
    }
    STOA_TRY(stoa_shape_make(before.rank, extent, before.chunk, &after, err));
    STOA_TRY(stoa_store_flush(store, err));
    STOA_TRY(keep_all(store, &after, &chunks, err));
    is_hidden = true;
    STOA_TRY(hide_heaps(store, &chunks, err));
    STOA_TRY(store->io.set_extent(store->io.context, extent, err));
    is_hidden = false;
    stoa_store_forget(store);
    stoa_directory_renumber(&store->directory, &before, &after);
    store->shape = after;
    STOA_TRY(put_all(store, &chunks, err));
    release_heaps(store, &chunks);

done:
    if (is_hidden) {
        show_heaps(store, &chunks);
    }
    for (size_t i = 0; i < chunks.size / sizeof(kept); i++) {
        stoa_buffer_clear(&((kept *)(void *)chunks.data)[i].bytes);
        stoa_buffer_clear(&((kept *)(void *)chunks.data)[i].before);
    }
    stoa_buffer_clear(&chunks);
    return status;
}
