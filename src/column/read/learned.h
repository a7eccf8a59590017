/*
 * State that an open table learns about a column while it reads rows: zone maps (zones.h), learned
 * dictionaries (learned_dictionary.h) and complete chunks (complete.h). The same rules apply to
 * all.
 *
 * - Learning begins with the second request, so a single query does not pay for later ones.
 * - Chunks are learned one by one, each by the thread that reads it first.
 * - Only files that are not being written to are learned.
 * - Only chunks that must be decompressed are learned.
 * - Learned state is dropped if NROWS changes, and when the column is reloaded or closed.
 */
#ifndef STOA_COLUMN_LEARNED_H
#define STOA_COLUMN_LEARNED_H

#include <stdlib.h>

#include "column/column.h"

/* A kind of learned state. */
typedef struct stoa_learned_kind {
    size_t size; /* of the struct, which begins with a stoa_learned */
    /* Allocate the state, at the second request. Frees everything on failure. */
    stoa_status (*begin)(stoa_learned *learned, const stoa_column *column, stoa_error *err);
    /* Free the state. */
    void (*end)(stoa_learned *learned);
} stoa_learned_kind;

struct stoa_learned {
    const stoa_learned_kind *kind;
    uint64_t n_rows;
    uint64_t chunk_rows;
    uint64_t n_chunks;
    _Atomic unsigned char *chunks; /* state of each chunk; NULL: not requested twice yet */
};

/*
 * Get the learned state of a column. Call it only where libhdf5 may be called, for a loaded column
 * that is about to be read.
 *
 * @param place         the column's member for this kind
 * @param[out] learned  borrowed; NULL: nothing is learned (yet)
 */
stoa_status stoa_learned_ask(stoa_column *column, const stoa_learned_kind *kind,
                             stoa_learned **place, stoa_learned **learned, stoa_error *err);

/* Rows of one chunk. */
typedef struct stoa_learned_chunk {
    uint64_t number;
    uint64_t first;
    uint64_t n;
} stoa_learned_chunk;

/* Claim the next chunk that lies entirely in rows [*at, end) and has not been learned or claimed by
 * another thread. Report the result with stoa_learned_settle(). False if there is none left. */
bool stoa_learned_claim(stoa_learned *learned, uint64_t *at, uint64_t end,
                        stoa_learned_chunk *chunk);
void stoa_learned_settle(stoa_learned *learned, const stoa_learned_chunk *chunk, bool is_known);
bool stoa_learned_knows(const stoa_learned *learned, uint64_t chunk);

/* NULL is allowed. */
static inline void stoa_learned_free(stoa_learned *learned)
{
    if (learned != NULL && learned->chunks != NULL) {
        learned->kind->end(learned);
        free((void *)(uintptr_t)learned->chunks);
    }
    free(learned);
}

#endif
