/* See slices.h. */
#include "index/slices.h"

#include "core/progress.h"

/* What a slice holds at most; a chunk larger than this is read in parts. */
static const uint64_t max_slice_bytes = 32u << 20;
static const uint64_t max_slice_rows = 1u << 18;

/* Whole chunks where they fit: libhdf5 keeps none of them from one read to the next. */
static uint64_t slice_rows(const stoa_column *column)
{
    const uint64_t fitting = max_slice_bytes / column->element.size + 1;
    const uint64_t wanted = fitting < max_slice_rows ? fitting : max_slice_rows;
    const uint64_t chunk = column->chunk_rows;

    if (chunk == 0 || chunk > fitting) {
        return wanted;
    }
    return chunk > wanted ? chunk : wanted / chunk * chunk;
}

stoa_status stoa_slices(stoa_column *column, uint64_t first, uint64_t end, const char *stage,
                        const stoa_listener *listener, stoa_slice_visit visit, void *context,
                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t rows = slice_rows(column);
    stoa_block block = {.elements = NULL};

    for (uint64_t at = first; at < end;) {
        const uint64_t boundary = at - at % rows + rows;
        const uint64_t next = boundary < end ? boundary : end;
        STOA_TRY(stoa_tell(listener,
                           &(stoa_progress){.stage = stage, .rows = at, .total_rows = end}, err));
        STOA_TRY(stoa_block_read(column, at, next - at, &block, err));
        STOA_TRY(visit(context, at, &block, err));
        stoa_block_clear(&column->element, &block);
        at = next;
    }

done:
    stoa_block_clear(&column->element, &block);
    return status;
}
