/* See pieces.h. */
#include "sparse/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "sparse/clip.h"

stoa_status stoa_piece_open(stoa_store *store, const stoa_box *box, uint64_t number, stoa_piece *p,
                            stoa_error *err)
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

stoa_status stoa_piece_load(const stoa_store *store, stoa_piece *p, stoa_error *err)
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

/* A cached list stays as it is. */
static stoa_status clip_copy(const stoa_store *store, size_t value_size, stoa_piece *p,
                             stoa_error *err)
{
    const stoa_sparse_chunk *list = p->list;

    STOA_RETURN_NOT_OK(stoa_room_for(&p->chunk.rooms[0], list->n * sizeof *list->positions, err));
    STOA_RETURN_NOT_OK(stoa_room_for(&p->chunk.rooms[1], list->n * value_size, err));
    p->chunk.positions = (uint32_t *)(void *)p->chunk.rooms[0].data;
    p->chunk.values = p->chunk.rooms[1].data;
    stoa_clip(&store->shape, &p->part, value_size, list, &p->chunk);
    p->list = &p->chunk;
    return STOA_OK;
}

stoa_status stoa_piece_unpack(const stoa_store *store, size_t value_size, stoa_sparse_coder *coder,
                              stoa_piece *p, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (p->list != &p->chunk) {
        return p->is_all ? STOA_OK : clip_copy(store, value_size, p, err);
    }
    const stoa_status loaded = stoa_piece_load(store, p, err);
    if (loaded != STOA_OK || p->raw.size == 0) {
        return loaded;
    }
    if (p->mask != 0) {
        STOA_TRY(stoa_store_collect(store, &p->raw, &p->chunk, err));
    } else {
        STOA_TRY(stoa_sparse_chunk_look(&store->format, p->raw.data, p->raw.size, value_size != 0,
                                        coder, &p->chunk, err));
    }
    if (!p->is_all || !stoa_shape_is_whole(&store->shape, p->offset)) {
        stoa_clip(&store->shape, &p->part, value_size, &p->chunk, &p->chunk);
    }
    const uint8_t *values = p->chunk.values;
    if (value_size == 0 || values == p->chunk.rooms[STOA_SECTION_VALUES].data) {
        stoa_buffer_clear(&p->raw); /* no values lie there */
    }

done:
    return stoa_store_at(store, p->offset, status, err);
}

void stoa_piece_clear(stoa_piece *piece)
{
    stoa_buffer_clear(&piece->raw);
    stoa_sparse_chunk_clear(&piece->chunk);
}

/* --- again and again ------------------------------------------------------------------------- */

enum { SPARE_SHARE = 16 }; /* as much stays as this part of what the cache may have */

void stoa_pieces_clear(stoa_piece *pieces, size_t n)
{
    for (size_t i = 0; pieces != NULL && i < n; i++) {
        stoa_piece_clear(&pieces[i]);
    }
    free(pieces);
}

static size_t bytes_of(const stoa_piece *pieces, size_t n)
{
    size_t n_bytes = n * sizeof *pieces;

    for (size_t i = 0; i < n; i++) {
        n_bytes += pieces[i].raw.capacity;
        for (unsigned k = 0; k < STOA_MAX_SECTIONS; k++) {
            n_bytes += pieces[i].chunk.rooms[k].size;
        }
    }
    return n_bytes;
}

stoa_piece *stoa_pieces_take(stoa_store *store, size_t n)
{
    stoa_piece *pieces = store->spare;

    if (pieces == NULL || store->n_spare < n) {
        pieces = stoa_realloc(pieces, n, sizeof *pieces);
        if (pieces == NULL) {
            return NULL; /* what there is stays */
        }
        memset(pieces + store->n_spare, 0, (n - store->n_spare) * sizeof *pieces);
        store->n_spare = n;
    }
    store->spare = NULL;
    return pieces;
}

void stoa_pieces_give_back(stoa_store *store, stoa_piece *pieces)
{
    if (pieces == NULL) {
        return;
    }
    if (bytes_of(pieces, store->n_spare) <= store->cache.bound / SPARE_SHARE) {
        store->spare = pieces;
    } else {
        stoa_pieces_clear(pieces, store->n_spare);
        store->n_spare = 0;
    }
}
