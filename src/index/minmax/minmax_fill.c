/* Computing the entries of a CHUNK_MINMAX index (HEP001 §10.4) in parallel, and writing them in
 * order. */
#include <stdlib.h>

#include "core/progress.h"
#include "index/minmax/minmax_entry.h"

enum { BLOCK_ENTRIES = 256, BLOCK_BYTES = 1 << 20 };

uint64_t stoa_minmax_block(const stoa_minmax_format *format)
{
    const uint64_t fitting = BLOCK_BYTES / format->size;

    return fitting == 0 ? 1 : fitting < BLOCK_ENTRIES ? fitting : BLOCK_ENTRIES;
}

/* Entries of a block that are computed in parallel. */
typedef struct computing {
    const stoa_minmax_format *format;
    const stoa_block_readers *readers;
    uint64_t first; /* first chunk */
    uint64_t n_rows;
    uint8_t *entries; /* of the chunks from `first` on */
} computing;

static stoa_status compute_entry(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const computing *c = context;

    return stoa_minmax_compute(c->format, &c->readers->each[worker], c->first + part, c->n_rows,
                               c->entries + part * c->format->size, err);
}

/* In groups, so that the listener is called in between. */
stoa_status stoa_minmax_compute_all(const stoa_minmax_format *format,
                                    const stoa_block_readers *readers, uint64_t first, uint64_t n,
                                    uint64_t n_rows, const stoa_listener *listener,
                                    uint8_t *entries, stoa_error *err)
{
    const uint64_t together = readers->n;
    const uint64_t chunk_rows = stoa_index_chunk_rows(format->column, n_rows);
    computing c = {format, readers, first, n_rows, entries};

    while (n > 0) {
        const uint64_t count = n < together ? n : together;
        STOA_RETURN_NOT_OK(stoa_report_progress(listener,
                                                &(stoa_progress){.stage = "indexing",
                                                                 .rows = c.first * chunk_rows,
                                                                 .total_rows = n_rows},
                                                err));
        STOA_RETURN_NOT_OK(stoa_workers_run(readers->workers, count, compute_entry, &c, err));
        c.first += count;
        c.entries += count * format->size;
        n -= count;
    }
    return STOA_OK;
}

stoa_status stoa_minmax_fill(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                             uint64_t n_rows, const stoa_listener *listener, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_entries = stoa_index_n_chunks(format->column, n_rows);
    const uint64_t block = stoa_minmax_block(format);
    uint8_t *entries = stoa_alloc_zero((size_t)block, format->size);
    stoa_block_readers readers = {.n = 0};

    STOA_TRY(entries != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_block_readers_open(&readers, format->column, err));
    for (uint64_t at = first; at < n_entries; at += block) {
        const uint64_t count = n_entries - at < block ? n_entries - at : block;
        STOA_TRY(
            stoa_minmax_compute_all(format, &readers, at, count, n_rows, listener, entries, err));
        STOA_TRY(stoa_minmax_write(format, dataset, at, count, entries, err));
        stoa_minmax_forget(format, entries, count);
    }

done:
    stoa_block_readers_close(&readers);
    stoa_minmax_forget(format, entries, block);
    free(entries);
    return status;
}
