/*
 * CSR from chunks with known numbers of entries. The output position of each band is then known, so
 * one pass over the chunks suffices.
 */
#include <stdlib.h>

#include "sparse/matrix/matrix.h"
#include "sparse/points/rows_merge.h"

typedef struct merging {
    const stoa_bands *bands;
    const stoa_shape *shape;
    const stoa_rows_out *out;
    uint64_t *starts;
    uint64_t *firsts; /* number of entries before each band; shape (bands->n + 1,) */
} merging;

/* Check that the chunks have as many entries as their headers claimed. */
static stoa_status must_be_as_counted(const merging *m, uint64_t band,
                                      const stoa_chunk_task *const *pieces, size_t n,
                                      stoa_error *err)
{
    const uint64_t *counts = m->bands->counts + m->bands->firsts[band];

    for (size_t i = 0; i < n; i++) {
        if (pieces[i]->list->n != counts[i]) {
            return stoa_fail(err, STOA_EDATA, "the file was changed while it was being read");
        }
    }
    return STOA_OK;
}

static stoa_status merge_band(void *context, uint64_t band, const stoa_chunk_task *const *pieces,
                              size_t n, stoa_error *err)
{
    const merging *m = context;

    STOA_RETURN_NOT_OK(must_be_as_counted(m, band, pieces, n, err));
    return stoa_rows_merge(m->shape, pieces, n, m->out, m->firsts[band], m->firsts[band + 1],
                           m->starts + pieces[0]->offset[0] + 1, err);
}

/* Rows of bands without chunks have no entries. */
static void fill_gaps(const merging *m)
{
    uint64_t *starts = m->starts;
    uint64_t next = 0; /* the first row after the previous band */

    starts[0] = 0;
    for (uint64_t i = 0; i <= m->bands->n; i++) {
        const uint64_t top = i < m->bands->n ? m->bands->numbers[m->bands->firsts[i]] /
                                                   m->shape->grid[1] * m->shape->chunk[0]
                                             : m->shape->extent[0];
        for (; next < top; next++) {
            starts[next + 1] = m->firsts[i];
        }
        next = top + m->shape->chunk[0];
    }
}

stoa_status stoa_bands_merge(const stoa_bands *bands, const stoa_rows_out *out, uint64_t *starts,
                             stoa_error *err)
{
    merging m = {.bands = bands,
                 .shape = stoa_store_shape(bands->array->store),
                 .out = out,
                 .starts = starts};
    stoa_status status = STOA_OK;

    m.firsts = stoa_alloc_zero((size_t)bands->n + 1, sizeof *m.firsts);
    STOA_RETURN_NO_MEMORY(err, m.firsts);
    for (uint64_t i = 0; i < bands->n; i++) {
        m.firsts[i + 1] = m.firsts[i];
        for (uint64_t k = bands->firsts[i]; k < bands->firsts[i + 1]; k++) {
            m.firsts[i + 1] += bands->counts[k];
        }
    }
    STOA_TRY(stoa_bands_process(bands, merge_band, &m, err));
    fill_gaps(&m);

done:
    free(m.firsts);
    return status;
}
