#include "sparse/points/chunk_task.h"

#include <stdlib.h>

#include "sparse/store/clip.h"

stoa_status stoa_chunk_task_open(stoa_store *store, const stoa_box *box, uint64_t number,
                                 stoa_chunk_task *p, stoa_error *err)
{
    stoa_shape_offset(&store->shape, number, p->offset);
    p->is_all = stoa_box_of_chunk(&store->shape, box, p->offset, &p->part);
    p->list = &p->chunk;
    p->chunk.n = 0;
    p->raw.size = 0;
    p->entry = NULL;
    const stoa_chunk_entry *entry = stoa_directory_find(&store->directory, number);
    if (entry->cached != NULL) {
        STOA_RETURN_NOT_OK(stoa_content_list(entry->cached->content, &p->list, err));
    } else if (stoa_store_reaches(store, entry)) {
        p->entry = entry;
        p->mask = entry->mask;
    } else {
        STOA_RETURN_NOT_OK(stoa_store_at(
            store, p->offset, store->io.read(store->io.context, p->offset, &p->raw, &p->mask, err),
            err));
    }
    return STOA_OK;
}

stoa_status stoa_chunk_task_load(const stoa_store *store, stoa_chunk_task *p, stoa_error *err)
{
    const stoa_chunk_entry *entry = p->entry;
    stoa_status status = STOA_OK;

    if (entry != NULL) {
        STOA_TRY(stoa_buffer_reserve(&p->raw, (size_t)entry->n_bytes, err));
        STOA_TRY(
            stoa_descriptor_read(&store->file, entry->address, entry->n_bytes, p->raw.data, err));
        p->raw.size = (size_t)entry->n_bytes;
        p->entry = NULL;
    }

done:
    return stoa_store_at(store, p->offset, status, err);
}

/* Clip into a copy, because a cached list must not change. */
static stoa_status clip_copy(const stoa_store *store, size_t value_size, stoa_chunk_task *p,
                             stoa_error *err)
{
    const stoa_sparse_chunk *list = p->list;

    STOA_RETURN_NOT_OK(stoa_sparse_chunk_room(&p->chunk, list->n, value_size, err));
    stoa_clip(&store->shape, &p->part, value_size, list, &p->chunk);
    p->list = &p->chunk;
    return STOA_OK;
}

stoa_status stoa_chunk_task_unpack(const stoa_store *store, size_t value_size,
                                   stoa_sparse_coder *coder, stoa_chunk_task *p, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (p->list != &p->chunk) {
        return p->is_all ? STOA_OK : clip_copy(store, value_size, p, err);
    }
    const stoa_status loaded = stoa_chunk_task_load(store, p, err);
    if (loaded != STOA_OK || p->raw.size == 0) {
        return loaded;
    }
    if (p->mask != 0) {
        STOA_TRY(stoa_store_collect(store, &p->raw, &p->chunk, err));
    } else {
        STOA_TRY(stoa_sparse_chunk_view(&store->format, p->raw.data, p->raw.size, value_size != 0,
                                        coder, &p->chunk, err));
    }
    if (!p->is_all || !stoa_shape_is_whole(&store->shape, p->offset)) {
        stoa_clip(&store->shape, &p->part, value_size, &p->chunk, &p->chunk);
    }
    const uint8_t *values = p->chunk.values;
    if (value_size == 0 || values == p->chunk.rooms[STOA_SECTION_VALUES].data) {
        stoa_buffer_clear(&p->raw); /* it holds no values of the piece */
    }

done:
    return stoa_store_at(store, p->offset, status, err);
}

stoa_sparse_coder *stoa_coders_open(const stoa_store *store, unsigned n)
{
    stoa_sparse_coder *coders = stoa_alloc_zero(n, sizeof *coders);

    for (unsigned i = 0; coders != NULL && i < n; i++) {
        coders[i].foreign = store->coder.foreign;
    }
    return coders;
}

void stoa_coders_close(stoa_sparse_coder *coders, unsigned n)
{
    for (unsigned i = 0; coders != NULL && i < n; i++) {
        stoa_sparse_coder_clear(&coders[i]);
    }
    free(coders);
}
