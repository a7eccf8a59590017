/*
 * CSR and CSC groups of a subset (subset.h). Lines are selected as lists of entries. If entries
 * within lines are selected as well, they are counted first, and renumbered as they are copied.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "layout/anndata/group/line_writer.h"
#include "layout/anndata/subset/subset.h"
#include "layout/common/writer.h"
#include "layout/subset/ends.h"

typedef struct matrix {
    const char *path;              /* owned by the plan */
    const stoa_axis_lines *lines;  /* rows of CSR, columns of CSC; NULL: all */
    const stoa_axis_lines *across; /* the others */
} matrix;

/* --- the copy -------------------------------------------------------------------------------- */

/* Take the lines that are kept, and of these the entries that are kept. */
static stoa_status take_all(stoa_anndata_group *g, const matrix *m, stoa_line_writer *writer,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint32_t *places = NULL;
    stoa_line_cursor cursor = {0};
    stoa_range run;
    stoa_ends ends;

    STOA_TRY(stoa_ends_open(&ends, g->pointers.dataset, g->n_lines, true, err));
    STOA_TRY(stoa_axis_lines_places(m->across, &places, err));
    const stoa_line_source from = {
        .group = g, .n_across = m->across->n, .places = places, .drops = true};
    while (stoa_axis_lines_next(m->lines, &cursor, g->n_lines, UINT64_MAX, &run)) {
        while (run.count > 0) {
            const int64_t *at = NULL;
            uint64_t n = 0;
            STOA_TRY(stoa_ends_read(&ends, run, &n, &at, err));
            STOA_TRY(stoa_line_writer_lines(writer, &from, at, n, err));
            run = (stoa_range){run.first + n, run.count - n};
        }
    }
    STOA_TRY(stoa_line_writer_finish(writer, err));

done:
    free(places);
    stoa_ends_close(&ends);
    return status;
}

/* A stoa_subset_step.run. */
static stoa_status write_matrix(void *context, hid_t from, hid_t to, stoa_error *err)
{
    static const char *const names[] = {"indptr", "indices", "data"};
    const matrix *const m = context;
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    hid_t datasets[] = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    stoa_line_writer *writer = NULL;
    stoa_anndata_group g;

    STOA_TRY(stoa_anndata_group_open(from, m->path, H5I_INVALID_HID, &g, err));
    STOA_HDF(err, group = stoa_open_here(to, m->path), "open the copy");
    for (size_t i = 0; i < STOA_LINE_PARTS; i++) {
        STOA_HDF(err, datasets[i] = stoa_open_here(group, names[i]), "open '%s'", names[i]);
    }
    STOA_TRY(stoa_line_writer_open(datasets, g.values.type, g.index_size, 0, &writer, err));
    STOA_TRY(take_all(&g, m, writer, err));

done:
    stoa_line_writer_close(writer);
    for (size_t i = 0; i < STOA_LINE_PARTS; i++) {
        status = stoa_hdf_close(&datasets[i], status, err);
    }
    status = stoa_hdf_close(&group, status, err);
    status = stoa_layout_error_at(from, m->path, status, err);
    return stoa_anndata_group_close(&g, status, err);
}

/* --- the plan -------------------------------------------------------------------------------- */

static stoa_status add_written(stoa_subset_plan *plan, hid_t dataset, uint64_t n, stoa_error *err)
{
    const stoa_subset_item item = {.is_written = true, .extent = n};

    return stoa_subset_add(plan, dataset, &item, err);
}

/* Lines, and entries within them. */
static stoa_status select_both(stoa_subset_plan *plan, stoa_anndata_group *g, const matrix *m,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_line_writer *counted = NULL;
    matrix *const own = stoa_alloc(1, sizeof *own);

    STOA_RETURN_NO_MEMORY(err, own);
    *own = *m;
    STOA_TRY(stoa_subset_add_step(plan, (stoa_subset_step){write_matrix, free, own}, err));
    STOA_TRY(stoa_line_writer_open(NULL, g->values.type, g->index_size, 0, &counted, err));
    STOA_TRY(take_all(g, m, counted, err));
    const uint64_t n_lines = m->lines != NULL ? m->lines->n_kept : g->n_lines;
    const uint64_t n_entries = stoa_line_writer_n_entries(counted);
    STOA_TRY(add_written(plan, g->pointers.dataset, n_lines + 1, err));
    STOA_TRY(add_written(plan, g->indices.dataset, n_entries, err));
    STOA_TRY(add_written(plan, g->values.dataset, n_entries, err));

done:
    stoa_line_writer_close(counted);
    return status;
}

static stoa_status select_lines(stoa_subset_plan *plan, const stoa_anndata_group *g,
                                const matrix *m, stoa_error *err)
{
    const stoa_axis_lines *entries = NULL;

    STOA_RETURN_NOT_OK(stoa_subset_select_lists(plan, g->pointers.dataset, m->lines, true,
                                                g->values.n, &entries, err));
    STOA_RETURN_NOT_OK(stoa_subset_select(plan, g->indices.dataset, entries, NULL, err));
    return stoa_subset_select(plan, g->values.dataset, entries, NULL, err);
}

static stoa_status must_be_shaped(const stoa_anndata_group *g,
                                  const stoa_axis_lines *const lines[2], stoa_error *err)
{
    for (int i = 0; i < 2; i++) {
        if (lines[i] != NULL && lines[i]->n != g->shape[i]) {
            return stoa_fail(err, STOA_EDATA, "has %llu %s; %llu are needed",
                             (unsigned long long)g->shape[i], i == 0 ? "rows" : "columns",
                             (unsigned long long)lines[i]->n);
        }
    }
    return STOA_OK;
}

static stoa_status select_matrix(stoa_subset_plan *plan, stoa_anndata_group *g, const char *path,
                                 const stoa_axis_lines *const lines[2], stoa_error *err)
{
    const matrix m = {path, lines[g->is_csr ? 0 : 1], lines[g->is_csr ? 1 : 0]};
    uint64_t shape[2];

    STOA_RETURN_NOT_OK(must_be_shaped(g, lines, err));
    for (int i = 0; i < 2; i++) {
        shape[i] = lines[i] != NULL ? lines[i]->n_kept : g->shape[i];
    }
    STOA_RETURN_NOT_OK(stoa_subset_set_attribute(
        plan, path, g->is_legacy ? "h5sparse_shape" : "shape", shape, 2, err));
    return m.across != NULL ? select_both(plan, g, &m, err) : select_lines(plan, g, &m, err);
}

stoa_status stoa_anndata_select_matrix(stoa_subset_plan *plan, const char *path,
                                       const stoa_axis_lines *rows, const stoa_axis_lines *columns,
                                       stoa_error *err)
{
    const stoa_axis_lines *const lines[2] = {rows, columns};
    stoa_status status = STOA_OK;
    char *const own = stoa_strdup(path);
    stoa_anndata_group g;

    STOA_RETURN_NO_MEMORY(err, own);
    STOA_RETURN_NOT_OK(stoa_subset_own(plan, own, err));
    STOA_TRY(stoa_anndata_group_open(plan->from, path, H5I_INVALID_HID, &g, err));
    STOA_TRY(select_matrix(plan, &g, own, lines, err));

done:
    status = stoa_layout_error_at(plan->from, path, status, err);
    return stoa_anndata_group_close(&g, status, err);
}
