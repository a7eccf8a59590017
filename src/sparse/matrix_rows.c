/*
 * CSR out of chunks that are unpacked and in memory: the chunks of a band take turns row by row, so
 * that the entries of the band are written one after the other, and counted by the way.
 */
#include <stdlib.h>

#include "sparse/matrix.h"
#include "sparse/matrix_put.h"
#include "sparse/pieces.h"

typedef struct merging {
    const stoa_bands *bands;
    const stoa_shape *shape;
    const stoa_rows_out *out;
    uint64_t *firsts; /* entries before each band; shape (bands->n + 1,) */
    stoa_put_row *put_row;
} merging;

static stoa_status merge_band(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const merging *m = context;
    const stoa_piece *pieces = &m->bands->kept[m->bands->firsts[part]];
    const size_t n = (size_t)(m->bands->firsts[part + 1] - m->bands->firsts[part]);
    const uint64_t width = m->shape->chunk[1];
    const uint64_t top = pieces[0].offset[0];
    const uint64_t rest = m->shape->extent[0] - top;
    const uint64_t height = rest < m->shape->chunk[0] ? rest : m->shape->chunk[0];
    stoa_row_target r = {.out = m->out, .to = m->firsts[part], .limit = m->firsts[part + 1]};
    stoa_row_cursor *cursors = stoa_alloc(n, sizeof *cursors);

    (void)worker;
    if (cursors == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        const stoa_sparse_chunk *list = pieces[i].list;
        cursors[i] =
            (stoa_row_cursor){.positions = list->positions,
                              .end = list->n > 0 ? list->positions + list->n : list->positions,
                              .values = list->values,
                              .column = pieces[i].offset[1]};
    }
    for (uint64_t i = 0; i < height; i++) {
        r.end = (uint32_t)((i + 1) * width);
        for (size_t k = 0; k < n; k++) {
            r.shift = cursors[k].column - i * width;
            m->put_row(&cursors[k], &r);
        }
        m->out->starts[top + i + 1] = r.to;
    }
    free(cursors);
    return STOA_OK;
}

uint64_t stoa_bands_count(const stoa_bands *bands)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < bands->firsts[bands->n]; i++) {
        n += bands->kept[i].list->n;
    }
    return n;
}

/* Rows of bands that are not there have no entries. */
static void fill_gaps(const merging *m)
{
    uint64_t *starts = m->out->starts;
    uint64_t next = 0; /* the first row that no band has had yet */

    starts[0] = 0;
    for (uint64_t i = 0; i <= m->bands->n; i++) {
        const uint64_t top =
            i < m->bands->n ? m->bands->kept[m->bands->firsts[i]].offset[0] : m->shape->extent[0];
        for (; next < top; next++) {
            starts[next + 1] = m->firsts[i];
        }
        next = top + m->shape->chunk[0];
    }
}

stoa_status stoa_bands_merge(const stoa_bands *bands, const stoa_rows_out *out, stoa_error *err)
{
    merging m = {.bands = bands,
                 .shape = stoa_store_shape(bands->array->store),
                 .out = out,
                 .put_row = stoa_put_row_of(stoa_simd_of_cpu())};
    stoa_status status = STOA_OK;

    m.firsts = stoa_alloc_zero((size_t)bands->n + 1, sizeof *m.firsts);
    if (m.firsts == NULL) {
        return stoa_fail_memory(err);
    }
    for (uint64_t i = 0; i < bands->n; i++) {
        m.firsts[i + 1] = m.firsts[i];
        for (uint64_t k = bands->firsts[i]; k < bands->firsts[i + 1]; k++) {
            m.firsts[i + 1] += bands->kept[k].list->n;
        }
    }
    STOA_TRY(stoa_workers_run(bands->array->workers, bands->n, merge_band, &m, err));
    fill_gaps(&m);

done:
    free(m.firsts);
    return status;
}
