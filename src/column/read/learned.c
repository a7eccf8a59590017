#include "column/read/learned.h"

#include <stdatomic.h>

#include "core/memory.h"

/* Most chunks of a column. */
enum { MAX_CHUNKS = 65536 };

enum { UNKNOWN, BEING_LEARNED, KNOWN };

static bool has_few_chunks(const stoa_column *column)
{
    return column->chunk_rows != 0 && column->n_rows != 0 &&
           (column->n_rows - 1) / column->chunk_rows < MAX_CHUNKS;
}

/* Whether chunks must be decompressed and do not change. A file that is read directly, past
 * libhdf5, is not being written to. */
static bool is_worth_it(stoa_column *column)
{
    const stoa_direct *direct = NULL;

    if (stoa_column_direct(column, &direct, NULL) != STOA_OK) {
        return false; /* reading reports the error; an index may make that unnecessary */
    }
    return direct != NULL ? stoa_direct_is_packed(direct) : column->member.is_direct;
}

static stoa_status make(const stoa_column *column, const stoa_learned_kind *kind,
                        stoa_learned **place, stoa_error *err)
{
    stoa_learned *made = stoa_alloc_zero(1, kind->size);

    STOA_RETURN_NO_MEMORY(err, made);
    *made = (stoa_learned){.kind = kind,
                           .n_rows = column->n_rows,
                           .chunk_rows = column->chunk_rows,
                           .n_chunks = (column->n_rows - 1) / column->chunk_rows + 1};
    *place = made;
    return STOA_OK;
}

static stoa_status begin(stoa_learned *learned, const stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    _Atomic unsigned char *chunks =
        stoa_alloc_zero((size_t)learned->n_chunks, sizeof *learned->chunks);

    STOA_RETURN_NO_MEMORY(err, chunks);
    status = learned->kind->begin(learned, column, err);
    if (status != STOA_OK) {
        free((void *)(uintptr_t)chunks);
        return status;
    }
    learned->chunks = chunks;
    return STOA_OK;
}

stoa_status stoa_learned_ask(stoa_column *column, const stoa_learned_kind *kind,
                             stoa_learned **place, stoa_learned **learned, stoa_error *err)
{
    *learned = NULL;
    if (*place != NULL && (*place)->n_rows != column->n_rows) {
        stoa_learned_free(*place);
        *place = NULL;
    }
    if (!has_few_chunks(column)) {
        return STOA_OK;
    }
    if (*place == NULL) {
        return make(column, kind, place, err);
    }
    if ((*place)->chunks == NULL && is_worth_it(column)) {
        STOA_RETURN_NOT_OK(begin(*place, column, err));
    }
    *learned = (*place)->chunks != NULL ? *place : NULL;
    return STOA_OK;
}

bool stoa_learned_claim(stoa_learned *learned, uint64_t *at, uint64_t end,
                        stoa_learned_chunk *chunk)
{
    const uint64_t rows = learned->chunk_rows;

    for (uint64_t number = (*at + rows - 1) / rows; number * rows < end; number++) {
        const uint64_t first = number * rows;
        const uint64_t n = learned->n_rows - first < rows ? learned->n_rows - first : rows;
        unsigned char unknown = UNKNOWN;
        if (end - first < n) {
            return false;
        }
        if (atomic_load(&learned->chunks[number]) == UNKNOWN &&
            atomic_compare_exchange_strong(&learned->chunks[number], &unknown, BEING_LEARNED)) {
            *chunk = (stoa_learned_chunk){number, first, n};
            *at = first + n;
            return true;
        }
    }
    return false;
}

void stoa_learned_settle(stoa_learned *learned, const stoa_learned_chunk *chunk, bool is_known)
{
    atomic_store(&learned->chunks[chunk->number], is_known ? KNOWN : UNKNOWN);
}

bool stoa_learned_knows(const stoa_learned *learned, uint64_t chunk)
{
    return atomic_load(&learned->chunks[chunk]) == KNOWN;
}
