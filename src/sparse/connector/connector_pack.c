/* Move the current parts of a transfer between the store, the caller's buffer and packed
 * elements. */
#include <string.h>

#include "sparse/connector/connector_transfer.h"

/* Move elements of one row between store and stream. */
static stoa_status move_row(const stoa_transfer *t, const uint64_t *at, uint64_t n, stoa_stream *s,
                            stoa_error *err)
{
    const stoa_heap_sink sink = {.lengths = s->lengths, .bytes = s->heap};
    const stoa_heap_run run = {.lengths = s->lengths, .bytes = s->heap_at};

    if (s->to != NULL) {
        STOA_RETURN_NOT_OK(
            stoa_store_read(t->store, at, n, s->to, NULL, s->lengths != NULL ? &sink : NULL, err));
        s->to += n * t->stored_size;
    } else {
        STOA_RETURN_NOT_OK(
            stoa_store_write(t->store, at, n, s->from, s->lengths != NULL ? &run : NULL, err));
        s->from += n * t->stored_size;
        for (uint64_t i = 0; s->lengths != NULL && i < n; i++) {
            s->heap_at += s->lengths[i];
        }
    }
    s->lengths = s->lengths != NULL ? s->lengths + n : NULL;
    return STOA_OK;
}

/* Move a run of elements between store and stream. The run may span several rows. */
static stoa_status move_run(const stoa_transfer *t, uint64_t first, uint64_t n, stoa_stream *s,
                            stoa_error *err)
{
    const unsigned last = t->rank - 1;
    uint64_t at[H5S_MAX_RANK];

    stoa_coordinates_of((int)t->rank, t->extent, first, at);
    while (n > 0) {
        const uint64_t in_row = t->extent[last] - at[last];
        const uint64_t some = n < in_row ? n : in_row;
        STOA_RETURN_NOT_OK(move_row(t, at, some, s, err));
        n -= some;
        at[last] = 0; /* continue with the next row */
        for (unsigned i = last; n > 0 && i-- > 0 && ++at[i] == t->extent[i];) {
            at[i] = 0;
        }
    }
    return STOA_OK;
}

void stoa_transfer_pack(const stoa_transfer *t, const uint8_t *buf, uint8_t *packed)
{
    const stoa_run_part *parts = (const stoa_run_part *)(const void *)t->parts.data;

    for (size_t i = 0; i < t->parts.size / sizeof *parts; i++) {
        const size_t n = (size_t)parts[i].n * t->memory_size;
        memcpy(packed, buf + parts[i].in_memory * t->memory_size, n);
        packed += n;
    }
}

void stoa_transfer_unpack(const stoa_transfer *t, const uint8_t *packed, uint8_t *buf)
{
    const stoa_run_part *parts = (const stoa_run_part *)(const void *)t->parts.data;

    for (size_t i = 0; i < t->parts.size / sizeof *parts; i++) {
        const size_t n = (size_t)parts[i].n * t->memory_size;
        memcpy(buf + parts[i].in_memory * t->memory_size, packed, n);
        packed += n;
    }
}

stoa_status stoa_transfer_stored(const stoa_transfer *t, stoa_stream stream, stoa_error *err)
{
    const stoa_run_part *parts = (const stoa_run_part *)(const void *)t->parts.data;

    for (size_t i = 0; i < t->parts.size / sizeof *parts; i++) {
        STOA_RETURN_NOT_OK(move_run(t, parts[i].in_file, parts[i].n, &stream, err));
    }
    return STOA_OK;
}

stoa_status stoa_transfer_parts(const stoa_transfer *t, uint8_t *to, const uint8_t *from,
                                stoa_error *err)
{
    const stoa_run_part *parts = (const stoa_run_part *)(const void *)t->parts.data;

    for (size_t i = 0; i < t->parts.size / sizeof *parts; i++) {
        const uint64_t at = parts[i].in_memory * t->file_size;
        stoa_stream stream = {.to = to != NULL ? to + at : NULL,
                              .from = from != NULL ? from + at : NULL};
        STOA_RETURN_NOT_OK(move_run(t, parts[i].in_file, parts[i].n, &stream, err));
    }
    return STOA_OK;
}
