/*
 * What a table that stays open has learned of a column by reading its rows: zones.h and lexicon.h.
 *
 * One set of rules for all of it. Whoever asks once does not pay for what another one may gain: it
 * is learned from the second call on, chunk by chunk, by the thread that reads a chunk first. Only
 * files that nobody writes to are learned, and only chunks that have to be unpacked. What was
 * learned is forgotten where NROWS is another, and when the column is loaded anew or closed.
 */
#ifndef STOA_COLUMN_LEARNED_H
#define STOA_COLUMN_LEARNED_H

#include <stdlib.h>

#include "column/column.h"

/* One kind of it. */
typedef struct stoa_learned_kind {
    size_t size; /* of the struct, whose first member is a stoa_learned */
    /* Room for what is to be learned, at the second call; after a failure there is none. */
    stoa_status (*begin)(stoa_learned *learned, const stoa_column *column, stoa_error *err);
    /* Frees that room. */
    void (*end)(stoa_learned *learned);
} stoa_learned_kind;

struct stoa_learned {
    const stoa_learned_kind *kind;
    uint64_t n_rows;
    uint64_t chunk_rows;
    uint64_t n_chunks;
    _Atomic unsigned char *chunks; /* how far each is known; NULL: nobody has asked twice */
};

/*
 * What was learned of a column, at `*place` in it. Call it where libhdf5 may be called, for a
 * column that is loaded and about to be read.
 *
 * @param[out] learned  borrowed; NULL: nothing is to be had (yet)
 */
stoa_status stoa_learned_ask(stoa_column *column, const stoa_learned_kind *kind,
                             stoa_learned **place, stoa_learned **learned, stoa_error *err);

/* Rows of one chunk. */
typedef struct stoa_learned_chunk {
    uint64_t number;
    uint64_t first;
    uint64_t n;
} stoa_learned_chunk;

/*
 * The next chunk that is whole in rows [*at, end), and that this thread is to learn: nobody else
 * has, or is at it. Say how that went by stoa_learned_settle(). False where there is none left.
 */
bool stoa_learned_claim(stoa_learned *learned, uint64_t *at, uint64_t end,
                        stoa_learned_chunk *chunk);
void stoa_learned_settle(stoa_learned *learned, const stoa_learned_chunk *chunk, bool is_known);
bool stoa_learned_knows(const stoa_learned *learned, uint64_t chunk);

/* NULL is fine. */
static inline void stoa_learned_free(stoa_learned *learned)
{
    if (learned != NULL && learned->chunks != NULL) {
        learned->kind->end(learned);
        free((void *)(uintptr_t)learned->chunks);
    }
    free(learned);
}

#endif
