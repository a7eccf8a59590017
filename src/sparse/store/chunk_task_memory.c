/* Memory of pieces, kept for reuse (see chunk_task.h). */
#include <stdlib.h>
#include <string.h>

#include "sparse/points/chunk_task.h"

void stoa_chunk_task_clear(stoa_chunk_task *piece)
{
    stoa_buffer_clear(&piece->raw);
    stoa_sparse_chunk_clear(&piece->chunk);
}

enum { SPARE_SHARE = 16 }; /* up to this fraction of the cache's bound is kept */

void stoa_chunk_tasks_clear(stoa_chunk_task *pieces, size_t n)
{
    for (size_t i = 0; pieces != NULL && i < n; i++) {
        stoa_chunk_task_clear(&pieces[i]);
    }
    free(pieces);
}

static size_t bytes_of(const stoa_chunk_task *pieces, size_t n)
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

stoa_chunk_task *stoa_chunk_tasks_get(stoa_store *store, size_t n)
{
    stoa_chunk_task *pieces = store->spare;

    if (pieces == NULL || store->n_spare < n) {
        pieces = stoa_realloc(pieces, n, sizeof *pieces);
        if (pieces == NULL) {
            return NULL; /* the existing memory stays */
        }
        memset(pieces + store->n_spare, 0, (n - store->n_spare) * sizeof *pieces);
        store->n_spare = n;
    }
    store->spare = NULL;
    return pieces;
}

void stoa_chunk_tasks_put(stoa_store *store, stoa_chunk_task *pieces)
{
    if (pieces == NULL) {
        return;
    }
    if (bytes_of(pieces, store->n_spare) <= store->cache.bound / SPARE_SHARE) {
        store->spare = pieces;
    } else {
        stoa_chunk_tasks_clear(pieces, store->n_spare);
        store->n_spare = 0;
    }
}
