#include "sparse/points/rows_merge.h"

#include <stdlib.h>

bool stoa_rows_are_filled(const stoa_shape *shape, const stoa_chunk_task *pieces, size_t n)
{
    uint64_t n_elements = 0;

    if (shape->rank != 2 || n == 0) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        n_elements += pieces[i].list->n;
    }
    return pieces[0].part.count[0] <= n_elements / n;
}

stoa_status stoa_rows_merge(const stoa_shape *shape, const stoa_chunk_task *const *pieces, size_t n,
                            const stoa_rows_out *out, uint64_t first, uint64_t limit,
                            uint64_t *ends, stoa_error *err)
{
    const uint64_t width = shape->chunk[1];
    const stoa_box *part = &pieces[0]->part;
    stoa_put_row *put_row = stoa_put_row_of(stoa_simd_of_cpu());
    stoa_row_target r = {.out = out, .to = first, .limit = limit};
    stoa_row_cursor *cursors = stoa_alloc(n, sizeof *cursors);

    STOA_RETURN_NO_MEMORY(err, cursors);
    for (size_t i = 0; i < n; i++) {
        const stoa_sparse_chunk *list = pieces[i]->list;
        cursors[i] =
            (stoa_row_cursor){.positions = list->positions,
                              .end = list->n > 0 ? list->positions + list->n : list->positions,
                              .values = list->values,
                              .column = pieces[i]->offset[1]};
    }
    for (uint64_t i = 0; i < part->count[0]; i++) {
        const uint64_t row = part->start[0] + i;
        r.row = pieces[0]->offset[0] + row;
        r.begin = row * width;
        r.end = (uint32_t)(r.begin + width);
        put_row(cursors, n, &r);
        if (ends != NULL) {
            ends[i] = r.to;
        }
    }
    free(cursors);
    return STOA_OK;
}
