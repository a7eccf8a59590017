/*
 * CSR and CSC groups of a subset (subset.h). Lines are selected as lists of entries. If entries
 * within lines are selected as well, they are counted first, and renumbered as they are copied.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_writer.h"
#include "layout/anndata/group/group.h"
#include "layout/anndata/subset/subset.h"
#include "layout/common/writer.h"
#include "layout/subset/ends.h"

enum { MAX_ENTRIES = 1 << 18, MAX_LINES = 1 << 16 }; /* read or written at a time */

typedef struct matrix {
    const char *path;              /* owned by the plan */
    const stoa_axis_lines *lines;  /* rows of CSR, columns of CSC; NULL: all */
    const stoa_axis_lines *across; /* the others */
} matrix;

/* Receives the entries that are kept, and writes them many at a time. */
typedef struct sink {
    bool is_writing;              /* else they are only counted */
    stoa_chunk_writer writers[3]; /* indptr, indices, data */
    uint64_t n_lines;
    uint64_t n_entries;
    int64_t *ends; /* of lines that are not written yet */
    size_t n_ends;
    uint8_t *indices; /* entries that are not written yet */
    uint8_t *values;
    size_t n_held;
} sink;

/* --- entries --------------------------------------------------------------------------------- */

typedef struct scratch {
    uint8_t *indices; /* int32_t or int64_t */
    uint8_t *values;
    uint32_t *places; /* of the lines across */
} scratch;

static stoa_status flush(sink *out, stoa_error *err)
{
    if (out->is_writing && out->n_held > 0) {
        const uint64_t first = out->n_entries - out->n_held;
        STOA_RETURN_NOT_OK(
            stoa_chunk_writer_write(&out->writers[1], first, out->n_held, out->indices, err));
        STOA_RETURN_NOT_OK(
            stoa_chunk_writer_write(&out->writers[2], first, out->n_held, out->values, err));
    }
    if (out->is_writing && out->n_ends > 0) {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_write(&out->writers[0], out->n_lines - out->n_ends + 1,
                                                   out->n_ends, out->ends, err));
    }
    out->n_held = out->n_ends = 0;
    return STOA_OK;
}

/* Entries [from, to) of the scratch, whose lines across get their new numbers. */
static stoa_status keep_entries(const stoa_anndata_group *g, const matrix *m, const scratch *s,
                                uint64_t from, uint64_t to, sink *out, stoa_error *err)
{
    const size_t size = H5Tget_size(g->values.type);

    for (uint64_t i = from; i < to; i++) {
        const int64_t index = stoa_anndata_index(s->indices, g->index_size, i);
        if (index < 0 || (uint64_t)index >= m->across->n) {
            return stoa_fail(err, STOA_EDATA, "'indices' has %lld; there are %llu %s",
                             (long long)index, (unsigned long long)m->across->n,
                             g->is_csr ? "columns" : "rows");
        }
        const uint32_t place = s->places[index];
        if (place == STOA_LINE_DROPPED) {
            continue;
        }
        if (out->is_writing) {
            stoa_anndata_put_index(out->indices, g->index_size, out->n_held, place);
            memcpy(out->values + out->n_held++ * size, s->values + i * size, size);
        }
        out->n_entries++;
    }
    return STOA_OK;
}

static stoa_status end_line(sink *out, stoa_error *err)
{
    out->n_lines++;
    if (out->is_writing) {
        out->ends[out->n_ends++] = (int64_t)out->n_entries;
    }
    return out->n_ends == MAX_LINES ? flush(out, err) : STOA_OK;
}

/* Take n lines, which end at the numbers `at`, in pieces that may hold many lines or a part. */
static stoa_status take_lines(stoa_anndata_group *g, const matrix *m, const scratch *s,
                              const int64_t *at, uint64_t n, sink *out, stoa_error *err)
{
    uint64_t begin = (uint64_t)at[0];

    if ((uint64_t)at[n] > g->values.n) {
        return stoa_fail(err, STOA_EDATA, "'indptr' has %lld; there are %llu entries",
                         (long long)at[n], (unsigned long long)g->values.n);
    }
    for (uint64_t line = 0; line < n;) {
        const uint64_t rest = (uint64_t)at[n] - begin;
        const uint64_t count = rest < MAX_ENTRIES ? rest : MAX_ENTRIES;
        uint64_t from = begin;
        if (count > 0) {
            STOA_RETURN_NOT_OK(
                stoa_anndata_group_entries(g, begin, count, s->indices, s->values, err));
            STOA_RETURN_NOT_OK(out->n_held + count > 2 * MAX_ENTRIES ? flush(out, err) : STOA_OK);
        }
        for (; line < n && (uint64_t)at[line + 1] <= begin + count; line++) {
            const uint64_t end = (uint64_t)at[line + 1];
            STOA_RETURN_NOT_OK(keep_entries(g, m, s, from - begin, end - begin, out, err));
            STOA_RETURN_NOT_OK(end_line(out, err));
            from = end;
        }
        if (line < n) { /* this one goes on */
            STOA_RETURN_NOT_OK(keep_entries(g, m, s, from - begin, count, out, err));
        }
        begin += count;
    }
    return STOA_OK;
}

static stoa_status allocate(const stoa_anndata_group *g, const matrix *m, sink *out, scratch *s,
                            stoa_error *err)
{
    const size_t size = H5Tget_size(g->values.type);
    bool is_there = true;

    s->indices = stoa_alloc(MAX_ENTRIES, g->index_size);
    if (out->is_writing) {
        s->values = stoa_alloc(MAX_ENTRIES, size);
        out->ends = stoa_alloc(MAX_LINES, sizeof *out->ends);
        out->indices = stoa_alloc(2 * MAX_ENTRIES, g->index_size);
        out->values = stoa_alloc(2 * MAX_ENTRIES, size);
        is_there =
            s->values != NULL && out->ends != NULL && out->indices != NULL && out->values != NULL;
    }
    STOA_RETURN_NO_MEMORY(err, s->indices != NULL && is_there);
    return stoa_axis_lines_places(m->across, &s->places, err);
}

static stoa_status take_all(stoa_anndata_group *g, const matrix *m, sink *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    scratch s = {NULL, NULL, NULL};
    stoa_line_cursor cursor = {0};
    stoa_range run;
    stoa_ends ends;

    STOA_TRY(stoa_ends_open(&ends, g->pointers.dataset, g->n_lines, true, err));
    STOA_TRY(allocate(g, m, out, &s, err));
    while (stoa_axis_lines_next(m->lines, &cursor, g->n_lines, UINT64_MAX, &run)) {
        while (run.count > 0) {
            const int64_t *at = NULL;
            uint64_t n = 0;
            STOA_TRY(stoa_ends_read(&ends, run, &n, &at, err));
            STOA_TRY(take_lines(g, m, &s, at, n, out, err));
            run = (stoa_range){run.first + n, run.count - n};
        }
    }
    STOA_TRY(flush(out, err));

done:
    free(s.indices);
    free(s.values);
    free(s.places);
    free(out->ends);
    free(out->indices);
    free(out->values);
    stoa_ends_close(&ends);
    return status;
}

/* --- the copy -------------------------------------------------------------------------------- */

static stoa_status open_writer(hid_t group, const char *name, hid_t type, hid_t *dataset,
                               stoa_chunk_writer *writer, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *dataset = stoa_open_here(group, name), "open '%s'", name);
    return stoa_chunk_writer_open(writer, *dataset, type, err);
}

/* A stoa_subset_step.run. */
static stoa_status write_matrix(void *context, hid_t from, hid_t to, stoa_error *err)
{
    static const char *const names[] = {"indptr", "indices", "data"};
    const matrix *const m = context;
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    hid_t datasets[3] = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    sink out = {
        .is_writing = true,
        .writers = {STOA_CHUNK_WRITER_INIT, STOA_CHUNK_WRITER_INIT, STOA_CHUNK_WRITER_INIT}};
    stoa_anndata_group g;

    STOA_TRY(stoa_anndata_group_open(from, m->path, H5I_INVALID_HID, &g, err));
    const hid_t types[] = {H5T_NATIVE_INT64, g.indices.type, g.values.type};
    STOA_HDF(err, group = stoa_open_here(to, m->path), "open the copy");
    for (size_t i = 0; i < 3; i++) {
        STOA_TRY(open_writer(group, names[i], types[i], &datasets[i], &out.writers[i], err));
    }
    STOA_TRY(stoa_chunk_writer_write(&out.writers[0], 0, 1, &(int64_t){0}, err));
    STOA_TRY(take_all(&g, m, &out, err));
    for (size_t i = 0; i < 3; i++) {
        STOA_TRY(stoa_chunk_writer_flush(&out.writers[i], err));
    }

done:
    for (size_t i = 0; i < 3; i++) {
        stoa_chunk_writer_close(&out.writers[i]);
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
    sink counted = {.is_writing = false};
    matrix *const own = stoa_alloc(1, sizeof *own);

    STOA_RETURN_NO_MEMORY(err, own);
    *own = *m;
    STOA_RETURN_NOT_OK(
        stoa_subset_add_step(plan, (stoa_subset_step){write_matrix, free, own}, err));
    STOA_RETURN_NOT_OK(take_all(g, m, &counted, err));
    STOA_RETURN_NOT_OK(add_written(plan, g->pointers.dataset, counted.n_lines + 1, err));
    STOA_RETURN_NOT_OK(add_written(plan, g->indices.dataset, counted.n_entries, err));
    return add_written(plan, g->values.dataset, counted.n_entries, err);
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
