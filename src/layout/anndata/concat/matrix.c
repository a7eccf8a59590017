/*
 * CSR and CSC groups of joined files (concat.h). Rows of CSR follow each other, file by file. A
 * column of CSC has the entries of all files, so that these are open at the same time.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/progress.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/concat/concat.h"
#include "layout/anndata/group/line_writer.h"
#include "layout/common/writer.h"
#include "layout/subset/ends.h"

enum { MAX_LINES = 1 << 13 }; /* between two reports of progress */

static const char *const names[] = {"indptr", "indices", "data"};

typedef struct joiner {
    stoa_concat *c;
    const char *path;
    const stoa_concat_axis *axis;
    bool is_csr;
    hid_t type;                   /* of values in memory; H5I_INVALID_HID: as they are stored */
    hid_t types[STOA_LINE_PARTS]; /* of the result */
    hid_t datasets[STOA_LINE_PARTS];
    unsigned index_size;
    uint64_t most; /* entries that there may be */
    stoa_line_writer *writer;
} joiner;

/* --- reading --------------------------------------------------------------------------------- */

/* One file's group. */
typedef struct input {
    stoa_file *file;
    stoa_anndata_group group;
    stoa_line_source from;
    stoa_ends ends;
    uint32_t *lines; /* CSC: its line for each of the result */
} input;

static stoa_status check_input(const joiner *j, size_t i, const input *in, stoa_error *err)
{
    const uint64_t n_rows = j->c->n_obs[i];
    const uint64_t n_columns = j->axis->lengths[i];

    if (in->group.is_csr != j->is_csr) {
        return stoa_fail(err, STOA_ETYPE, "is %s, and %s in the first file",
                         in->group.is_csr ? "CSR" : "CSC", j->is_csr ? "CSR" : "CSC");
    }
    return in->group.shape[0] == n_rows && in->group.shape[1] == n_columns
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "is %llu x %llu; obs and var have %llu and %llu rows",
                           (unsigned long long)in->group.shape[0],
                           (unsigned long long)in->group.shape[1], (unsigned long long)n_rows,
                           (unsigned long long)n_columns);
}

static bool drops(const stoa_concat_axis *axis, size_t i)
{
    bool drops = false;

    for (uint64_t k = 0; axis->places[i] != NULL && k < axis->lengths[i]; k++) {
        drops = drops || axis->places[i][k] == STOA_CONCAT_DROPPED;
    }
    return drops;
}

/* Open a file's group. `first` is the row of the result at which its rows begin. */
static stoa_status open_input(const joiner *j, size_t i, uint64_t first, input *in, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(stoa_concat_open_apart(j->c, i, &in->file, err));
    STOA_TRY(stoa_anndata_group_open(stoa_file_id(in->file), j->path, j->type, &in->group, err));
    STOA_TRY(check_input(j, i, in, err));
    STOA_TRY(stoa_ends_open(&in->ends, in->group.pointers.dataset, in->group.n_lines, true, err));
    in->from = (stoa_line_source){.group = &in->group,
                                  .file = j->c->files[i],
                                  .path = j->path,
                                  .n_across = j->is_csr ? j->axis->lengths[i] : j->c->n_obs[i],
                                  .places = j->is_csr ? j->axis->places[i] : NULL,
                                  .drops = j->is_csr && drops(j->axis, i),
                                  .more = j->is_csr ? 0 : first};

done:
    return stoa_at(err, status, "%s:%s", j->c->files[i], j->path);
}

static stoa_status close_input(input *in, stoa_status status, stoa_error *err)
{
    stoa_ends_close(&in->ends);
    status = stoa_anndata_group_close(&in->group, status, err);
    free(in->lines);
    stoa_file_close(in->file);
    return status;
}

#define CLOSED_INPUT                                                                               \
    {                                                                                              \
        .group = {.group = H5I_INVALID_HID,                                                        \
                  .pointers = {H5I_INVALID_HID, H5I_INVALID_HID, 0, STOA_CHECKED_READER_INIT},     \
                  .indices = {H5I_INVALID_HID, H5I_INVALID_HID, 0, STOA_CHECKED_READER_INIT},      \
                  .values = {H5I_INVALID_HID, H5I_INVALID_HID, 0, STOA_CHECKED_READER_INIT}},      \
        .ends = {                                                                                  \
            .ends = STOA_CHECKED_READER_INIT                                                       \
        }                                                                                          \
    }

static stoa_status report(const joiner *j, uint64_t n, uint64_t n_all, stoa_error *err)
{
    return stoa_report_progress(
        &j->c->options.listener,
        &(stoa_progress){.stage = "writing", .rows = n, .total_rows = n_all}, err);
}

static stoa_status read_ends(input *in, stoa_range run, uint64_t *n, const int64_t **at,
                             stoa_error *err)
{
    return stoa_at(err, stoa_ends_read(&in->ends, run, n, at, err), "%s:%s/indptr", in->from.file,
                   in->from.path);
}

static stoa_status add_rows_of(const joiner *j, size_t i, uint64_t before, stoa_error *err)
{
    stoa_status status = STOA_OK;
    input in = CLOSED_INPUT;

    STOA_TRY(open_input(j, i, before, &in, err));
    for (uint64_t row = 0, n = 0; row < in.group.n_lines; row += n) {
        const uint64_t rest = in.group.n_lines - row;
        const stoa_range run = {row, rest < MAX_LINES ? rest : MAX_LINES};
        const int64_t *at = NULL;
        STOA_TRY(read_ends(&in, run, &n, &at, err));
        STOA_TRY(stoa_line_writer_lines(j->writer, &in.from, at, n, err));
        STOA_TRY(report(j, before + row + n, j->c->n_all, err));
    }
    STOA_TRY(stoa_line_writer_settle(j->writer, err));

done:
    return close_input(&in, status, err);
}

static stoa_status add_rows(const joiner *j, stoa_error *err)
{
    uint64_t before = 0;

    for (size_t i = 0; i < j->c->n; i++) {
        STOA_RETURN_NOT_OK(add_rows_of(j, i, before, err));
        before += j->c->n_obs[i];
    }
    return STOA_OK;
}

/* --- columns of CSC -------------------------------------------------------------------------- */

/* Find the line of a file for each one of the result. */
static stoa_status find_lines(const joiner *j, size_t i, input *in, stoa_error *err)
{
    const uint32_t *const places = j->axis->places[i];

    in->lines = stoa_alloc((size_t)j->axis->n + 1, sizeof *in->lines);
    STOA_RETURN_NO_MEMORY(err, in->lines);
    for (uint64_t k = 0; k < j->axis->n; k++) {
        in->lines[k] = places == NULL ? (uint32_t)k : STOA_CONCAT_DROPPED;
    }
    for (uint64_t k = 0; places != NULL && k < j->axis->lengths[i]; k++) {
        if (places[k] != STOA_CONCAT_DROPPED) {
            in->lines[places[k]] = (uint32_t)k;
        }
    }
    return STOA_OK;
}

static stoa_status add_column(const joiner *j, input *inputs, uint64_t column, stoa_error *err)
{
    for (size_t i = 0; i < j->c->n; i++) {
        const uint32_t line = inputs[i].lines[column];
        const int64_t *at = NULL;
        uint64_t unused = 0;
        if (line != STOA_CONCAT_DROPPED) {
            STOA_RETURN_NOT_OK(read_ends(&inputs[i], (stoa_range){line, 1}, &unused, &at, err));
            STOA_RETURN_NOT_OK(
                stoa_line_writer_entries(j->writer, &inputs[i].from, at[0], at[1], err));
        }
    }
    return stoa_line_writer_end_line(j->writer, err);
}

static stoa_status add_columns(const joiner *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    input *const inputs = stoa_alloc(j->c->n, sizeof *inputs);
    const input closed = CLOSED_INPUT;
    uint64_t before = 0;

    STOA_RETURN_NO_MEMORY(err, inputs);
    for (size_t i = 0; i < j->c->n; i++) {
        inputs[i] = closed;
    }
    for (size_t i = 0; i < j->c->n; i++) {
        STOA_TRY(open_input(j, i, before, &inputs[i], err));
        STOA_TRY(find_lines(j, i, &inputs[i], err));
        before += j->c->n_obs[i];
    }
    for (uint64_t k = 0; k < j->axis->n; k++) {
        STOA_TRY(add_column(j, inputs, k, err));
        STOA_TRY(k % MAX_LINES == 0 ? report(j, k, j->axis->n, err) : STOA_OK);
    }
    STOA_TRY(stoa_line_writer_settle(j->writer, err));

done:
    for (size_t i = 0; i < j->c->n; i++) {
        status = close_input(&inputs[i], status, err);
    }
    free(inputs);
    return status;
}

/* --- the result ------------------------------------------------------------------------------ */

static stoa_status count_entries(joiner *j, stoa_error *err)
{
    hid_t file = H5I_INVALID_HID;

    for (size_t i = 0; i < j->c->n; i++) {
        stoa_status status = STOA_OK;
        stoa_anndata_group g;
        STOA_RETURN_NOT_OK(stoa_concat_open(j->c, i, &file, err));
        status = stoa_anndata_group_open(file, j->path, H5I_INVALID_HID, &g, err);
        j->most += status == STOA_OK ? g.values.n : 0;
        status = stoa_layout_error_at(file, j->path, status, err);
        STOA_RETURN_NOT_OK(stoa_anndata_group_close(&g, status, err));
    }
    return STOA_OK;
}

static stoa_status choose_types(joiner *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_same = false;
    char *const data = stoa_format("%s/data", j->path);

    STOA_RETURN_NO_MEMORY(err, data);
    status = stoa_concat_type(j->c, data, &j->types[STOA_LINE_VALUES], &is_same, err);
    free(data);
    STOA_RETURN_NOT_OK(status);
    const uint64_t across = j->is_csr ? j->axis->n : j->c->n_all;
    j->type = is_same ? H5I_INVALID_HID : j->types[STOA_LINE_VALUES];
    j->types[STOA_LINE_ENDS] = j->most <= INT32_MAX ? H5T_STD_I32LE : H5T_STD_I64LE;
    j->types[STOA_LINE_INDICES] = across <= INT32_MAX ? H5T_STD_I32LE : H5T_STD_I64LE;
    j->index_size = across <= INT32_MAX ? 4 : 8;
    return STOA_OK;
}

static stoa_status make_group(joiner *j, stoa_error *err)
{
    const uint64_t shape[] = {j->c->n_all, j->axis->n};
    hid_t group = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    for (int k = 0; k < STOA_LINE_PARTS; k++) {
        const hsize_t extent =
            k == STOA_LINE_ENDS ? (j->is_csr ? shape[0] : shape[1]) + 1 : j->most;
        char *const path = stoa_format("%s/%s", j->path, names[k]);
        STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
        status = stoa_concat_make(j->c, path, j->types[k], 1, &extent, true, &j->datasets[k], err);
        free(path);
        STOA_TRY(status);
        STOA_TRY(stoa_anndata_encode(j->datasets[k], "array", "0.2.0", err));
    }
    STOA_HDF(err, group = stoa_open_here(j->c->to, j->path), "open '%s'", j->path);
    STOA_TRY(stoa_anndata_encode(group, j->is_csr ? "csr_matrix" : "csc_matrix", "0.1.0", err));
    STOA_TRY(stoa_anndata_write_shape(group, shape, err));

done:
    return stoa_hdf_close(&group, status, err);
}

stoa_status stoa_concat_groups(stoa_concat *c, const char *path, bool is_csr,
                               const stoa_concat_axis *axis, stoa_error *err)
{
    joiner j = {.c = c,
                .path = path,
                .axis = axis,
                .is_csr = is_csr,
                .types = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID},
                .datasets = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID}};
    stoa_status status = STOA_OK;

    STOA_TRY(count_entries(&j, err));
    STOA_TRY(choose_types(&j, err));
    STOA_TRY(make_group(&j, err));
    STOA_TRY(stoa_line_writer_open(j.datasets, j.types[STOA_LINE_VALUES], j.index_size,
                                   c->options.threads, &j.writer, err));
    STOA_TRY(is_csr ? add_rows(&j, err) : add_columns(&j, err));
    STOA_TRY(stoa_line_writer_finish(j.writer, err));

done:
    stoa_line_writer_close(j.writer);
    for (int k = 0; k < STOA_LINE_PARTS; k++) {
        status = stoa_hdf_close(&j.datasets[k], status, err);
    }
    return stoa_hdf_close(&j.types[STOA_LINE_VALUES], status, err);
}
