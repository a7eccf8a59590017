/*
 * CSR and CSC groups of joined files (concat.h). Rows of CSR follow each other, file by file. A
 * column of CSC has the entries of all files, so that these are open at the same time.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/progress.h"
#include "hdf/chunk/chunk_writer.h"
#include "hdf/metadata/attributes.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/concat/concat.h"
#include "layout/anndata/group/group.h"
#include "layout/common/writer.h"
#include "layout/subset/ends.h"

enum { MAX_ENTRIES = 1 << 19, MAX_LINES = 1 << 16 }; /* read or written at a time */

enum { ENDS, INDICES, VALUES };
static const char *const names[] = {"indptr", "indices", "data"};

typedef struct joiner {
    stoa_concat *c;
    const char *path;
    const stoa_concat_axis *axis;
    bool is_csr;
    hid_t type;     /* of values in memory; H5I_INVALID_HID: as they are stored */
    hid_t types[3]; /* of the result */
    hid_t group;
    hid_t datasets[3];
    stoa_chunk_writer writers[3];
    hid_t in_memory[3];
    uint64_t n_lines;
    uint64_t n_entries; /* written or held */
    uint64_t most;      /* entries that there may be */
    int64_t *ends;
    size_t n_ends;
    uint8_t *indices; /* held, of index_size bytes each */
    unsigned index_size;
    uint8_t *values;
    size_t size;
    size_t n_held;
} joiner;

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status flush(joiner *j, stoa_error *err)
{
    const uint64_t first = j->n_entries - j->n_held;

    if (j->n_held > 0) {
        STOA_RETURN_NOT_OK(
            stoa_chunk_writer_write(&j->writers[INDICES], first, j->n_held, j->indices, err));
        STOA_RETURN_NOT_OK(
            stoa_chunk_writer_write(&j->writers[VALUES], first, j->n_held, j->values, err));
    }
    if (j->n_ends > 0) {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_write(&j->writers[ENDS], j->n_lines - j->n_ends + 1,
                                                   j->n_ends, j->ends, err));
    }
    j->n_held = j->n_ends = 0;
    return STOA_OK;
}

static stoa_status end_line(joiner *j, stoa_error *err)
{
    j->n_lines++;
    j->ends[j->n_ends++] = (int64_t)j->n_entries;
    return j->n_ends >= MAX_LINES ? flush(j, err) : STOA_OK;
}

/* The largest of n indices; a negative one counts as the largest of all. */
static uint64_t largest_of(const uint8_t *indices, unsigned size, uint64_t n)
{
    uint64_t largest = 0;

    if (size == sizeof(int32_t)) {
        const uint32_t *const narrow = (const uint32_t *)(const void *)indices;
        uint32_t most = 0;
        for (uint64_t i = 0; i < n; i++) {
            most = narrow[i] > most ? narrow[i] : most;
        }
        return most;
    }
    const uint64_t *const wide = (const uint64_t *)(const void *)indices;
    for (uint64_t i = 0; i < n; i++) {
        largest = wide[i] > largest ? wide[i] : largest;
    }
    return largest;
}

/* Hold entries [from, to) whose numbers stay as they are, all at once. */
static stoa_status keep_all(joiner *j, const stoa_anndata_group *g, const uint8_t *indices,
                            const uint8_t *values, uint64_t from, uint64_t to, uint64_t n_across,
                            stoa_error *err)
{
    const uint64_t n = to - from;
    const uint8_t *const first = indices + from * g->index_size;

    if (n > 0 && largest_of(first, g->index_size, n) >= n_across) {
        return stoa_fail(err, STOA_EDATA, "'indices' has numbers beyond its %llu %s",
                         (unsigned long long)n_across, g->is_csr ? "columns" : "rows");
    }
    memcpy(j->indices + j->n_held * j->index_size, first, (size_t)n * j->index_size);
    memcpy(j->values + j->n_held * j->size, values + from * j->size, (size_t)n * j->size);
    j->n_held += (size_t)n;
    j->n_entries += n;
    return STOA_OK;
}

/* Hold entries [from, to) of what was read. `places` NULL: `more` is added to their numbers. */
static stoa_status keep(joiner *j, const stoa_anndata_group *g, const uint8_t *indices,
                        const uint8_t *values, uint64_t from, uint64_t to, uint64_t n_across,
                        const uint32_t *places, uint64_t more, stoa_error *err)
{
    if (places == NULL && more == 0 && g->index_size == j->index_size) {
        return keep_all(j, g, indices, values, from, to, n_across, err);
    }
    for (uint64_t i = from; i < to; i++) {
        const int64_t index = stoa_anndata_index(indices, g->index_size, i);
        if (index < 0 || (uint64_t)index >= n_across) {
            return stoa_fail(err, STOA_EDATA, "'indices' has %lld; there are %llu %s",
                             (long long)index, (unsigned long long)n_across,
                             g->is_csr ? "columns" : "rows");
        }
        if (places == NULL || places[index] != STOA_CONCAT_DROPPED) {
            stoa_anndata_put_index(j->indices, j->index_size, j->n_held,
                                   places != NULL ? (int64_t)places[index] : index + (int64_t)more);
            memcpy(j->values + j->n_held++ * j->size, values + i * j->size, j->size);
            j->n_entries++;
        }
    }
    return STOA_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

/* One file's group. */
typedef struct input {
    stoa_file *file; /* of CSC; NULL if the concat owns it */
    stoa_anndata_group group;
    stoa_ends ends;
    uint32_t *lines; /* CSC: its line for each of the result */
} input;

typedef struct scratch {
    uint8_t *indices;
    uint8_t *values;
} scratch;

static stoa_status open_input(const joiner *j, size_t i, hid_t file, input *in, stoa_error *err)
{
    const uint64_t n_rows = j->c->n_obs[i];
    const uint64_t n_columns = j->axis->lengths[i];

    STOA_RETURN_NOT_OK(stoa_anndata_group_open(file, j->path, j->type, &in->group, err));
    STOA_RETURN_NOT_OK(
        stoa_ends_open(&in->ends, in->group.pointers.dataset, in->group.n_lines, true, err));
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

/* Take entries [begin, end) of a line, which may be long. */
static stoa_status take_entries(joiner *j, input *in, const scratch *s, int64_t begin, int64_t end,
                                uint64_t n_across, const uint32_t *places, uint64_t more,
                                stoa_error *err)
{
    if ((uint64_t)end > in->group.values.n) {
        return stoa_fail(err, STOA_EDATA, "'indptr' has %lld; there are %llu entries",
                         (long long)end, (unsigned long long)in->group.values.n);
    }
    for (uint64_t at = (uint64_t)begin, n; at < (uint64_t)end; at += n) {
        const uint64_t rest = (uint64_t)end - at;
        n = rest < MAX_ENTRIES ? rest : MAX_ENTRIES;
        STOA_RETURN_NOT_OK(
            stoa_anndata_group_entries(&in->group, at, n, s->indices, s->values, err));
        STOA_RETURN_NOT_OK(j->n_held + n > 2 * MAX_ENTRIES ? flush(j, err) : STOA_OK);
        STOA_RETURN_NOT_OK(
            keep(j, &in->group, s->indices, s->values, 0, n, n_across, places, more, err));
    }
    return STOA_OK;
}

/* Take n rows of CSR, which end at the numbers `at`: as many at once as fit, one if it is long. */
static stoa_status take_rows(joiner *j, input *in, size_t i, const scratch *s, const int64_t *at,
                             uint64_t n, stoa_error *err)
{
    const uint64_t n_across = j->axis->lengths[i];
    const uint32_t *const places = j->axis->places[i];

    if ((uint64_t)at[n] > in->group.values.n) {
        return stoa_fail(err, STOA_EDATA, "'indptr' has %lld; there are %llu entries",
                         (long long)at[n], (unsigned long long)in->group.values.n);
    }
    for (uint64_t row = 0, count; row < n; row += count) {
        for (count = 1; row + count < n && at[row + count + 1] - at[row] <= MAX_ENTRIES; count++) {
        }
        const uint64_t length = (uint64_t)(at[row + count] - at[row]);
        if (length > MAX_ENTRIES) {
            STOA_RETURN_NOT_OK(
                take_entries(j, in, s, at[row], at[row + 1], n_across, places, 0, err));
            STOA_RETURN_NOT_OK(end_line(j, err));
            continue;
        }
        STOA_RETURN_NOT_OK(j->n_held + length > 2 * MAX_ENTRIES ? flush(j, err) : STOA_OK);
        STOA_RETURN_NOT_OK(length > 0
                               ? stoa_anndata_group_entries(&in->group, (uint64_t)at[row], length,
                                                            s->indices, s->values, err)
                               : STOA_OK);
        if (places == NULL && in->group.index_size == j->index_size) {
            const uint64_t before = j->n_entries;
            STOA_RETURN_NOT_OK(
                keep_all(j, &in->group, s->indices, s->values, 0, length, n_across, err));
            j->n_entries = before; /* rows end one after the other */
            for (uint64_t k = row; k < row + count; k++) {
                j->n_entries = before + (uint64_t)(at[k + 1] - at[row]);
                j->n_lines++;
                j->ends[j->n_ends++] = (int64_t)j->n_entries;
            }
            STOA_RETURN_NOT_OK(j->n_ends >= MAX_LINES ? flush(j, err) : STOA_OK);
            continue;
        }
        for (uint64_t k = row; k < row + count; k++) {
            STOA_RETURN_NOT_OK(keep(j, &in->group, s->indices, s->values,
                                    (uint64_t)(at[k] - at[row]), (uint64_t)(at[k + 1] - at[row]),
                                    n_across, places, 0, err));
            STOA_RETURN_NOT_OK(end_line(j, err));
        }
    }
    return STOA_OK;
}

static stoa_status allocate(const joiner *j, scratch *s, stoa_error *err)
{
    s->indices = stoa_alloc(MAX_ENTRIES, sizeof(int64_t));
    s->values = stoa_alloc(MAX_ENTRIES, j->size);
    return s->indices != NULL && s->values != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status add_rows_of(joiner *j, size_t i, const scratch *s, stoa_error *err)
{
    stoa_status status = STOA_OK;
    input in = CLOSED_INPUT;
    hid_t file = H5I_INVALID_HID;

    STOA_TRY(stoa_concat_open(j->c, i, &file, err));
    STOA_TRY(open_input(j, i, file, &in, err));
    for (stoa_range run = {0, in.group.n_lines}; run.count > 0;) {
        const int64_t *at = NULL;
        uint64_t n = 0;
        STOA_TRY(stoa_ends_read(&in.ends, run, &n, &at, err));
        STOA_TRY(take_rows(j, &in, i, s, at, n, err));
        run = (stoa_range){run.first + n, run.count - n};
        STOA_TRY(stoa_report_progress(
            &j->c->options.listener,
            &(stoa_progress){.stage = "writing", .rows = j->n_lines, .total_rows = j->c->n_all},
            err));
    }

done:
    status = stoa_layout_error_at(file, j->path, status, err);
    return close_input(&in, status, err);
}

static stoa_status add_rows(joiner *j, const scratch *s, stoa_error *err)
{
    for (size_t i = 0; i < j->c->n; i++) {
        STOA_RETURN_NOT_OK(add_rows_of(j, i, s, err));
    }
    return STOA_OK;
}

/* --- columns of CSC -------------------------------------------------------------------------- */

static stoa_status open_apart(const joiner *j, size_t i, input *in, stoa_error *err)
{
    const uint32_t *const places = j->axis->places[i];

    STOA_RETURN_NOT_OK(stoa_concat_open_apart(j->c, i, &in->file, err));
    STOA_RETURN_NOT_OK(open_input(j, i, stoa_file_id(in->file), in, err));
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

static stoa_status add_column(joiner *j, input *inputs, uint64_t column, const scratch *s,
                              stoa_error *err)
{
    uint64_t first = 0;

    for (size_t i = 0; i < j->c->n; i++) {
        const uint32_t line = inputs[i].lines[column];
        const int64_t *at = NULL;
        uint64_t unused = 0;
        if (line != STOA_CONCAT_DROPPED) {
            STOA_RETURN_NOT_OK(
                stoa_ends_read(&inputs[i].ends, (stoa_range){line, 1}, &unused, &at, err));
            STOA_RETURN_NOT_OK(
                take_entries(j, &inputs[i], s, at[0], at[1], j->c->n_obs[i], NULL, first, err));
        }
        first += j->c->n_obs[i];
    }
    return end_line(j, err);
}

static stoa_status add_columns(joiner *j, const scratch *s, stoa_error *err)
{
    stoa_status status = STOA_OK;
    input *const inputs = stoa_alloc(j->c->n, sizeof *inputs);
    const input closed = CLOSED_INPUT;

    STOA_RETURN_NO_MEMORY(err, inputs);
    for (size_t i = 0; i < j->c->n; i++) {
        inputs[i] = closed;
    }
    for (size_t i = 0; i < j->c->n; i++) {
        status = open_apart(j, i, &inputs[i], err);
        STOA_TRY(stoa_at(err, status, "%s:%s", j->c->files[i], j->path));
    }
    for (uint64_t k = 0; k < j->axis->n; k++) {
        STOA_TRY(add_column(j, inputs, k, s, err));
    }

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

static stoa_status choose_types(joiner *j, hid_t *creation, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_same = false;
    char *const data = stoa_format("%s/data", j->path);

    STOA_RETURN_NO_MEMORY(err, data);
    status = stoa_concat_type(j->c, data, &j->types[VALUES], creation, &is_same, err);
    free(data);
    STOA_RETURN_NOT_OK(status);
    j->size = H5Tget_size(j->types[VALUES]);
    j->type = is_same ? H5I_INVALID_HID : j->types[VALUES];
    const uint64_t across = j->is_csr ? j->axis->n : j->c->n_all;
    j->types[ENDS] = j->most <= INT32_MAX ? H5T_STD_I32LE : H5T_STD_I64LE;
    j->types[INDICES] = across <= INT32_MAX ? H5T_STD_I32LE : H5T_STD_I64LE;
    j->index_size = across <= INT32_MAX ? 4 : 8;
    j->in_memory[ENDS] = H5T_NATIVE_INT64;
    j->in_memory[INDICES] = across <= INT32_MAX ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64;
    j->in_memory[VALUES] = j->types[VALUES];
    return STOA_OK;
}

static stoa_status make_group(joiner *j, hid_t creation, stoa_error *err)
{
    const uint64_t n_lines = j->is_csr ? j->c->n_all : j->axis->n;
    bool drops = false;

    for (size_t i = 0; i < j->c->n; i++) {
        for (uint64_t k = 0; j->axis->places[i] != NULL && k < j->axis->lengths[i]; k++) {
            drops = drops || j->axis->places[i][k] == STOA_CONCAT_DROPPED;
        }
    }
    for (int k = 0; k < 3; k++) {
        const hsize_t extent = k == ENDS ? n_lines + 1 : j->most;
        char *const path = stoa_format("%s/%s", j->path, names[k]);
        STOA_RETURN_NO_MEMORY(err, path);
        const stoa_status status =
            stoa_concat_make(j->c->to, path, j->types[k], creation, 1, &extent, k != ENDS && drops,
                             &j->datasets[k], err);
        free(path);
        STOA_RETURN_NOT_OK(status);
        STOA_RETURN_NOT_OK(stoa_anndata_encode(j->datasets[k], "array", "0.2.0", err));
        STOA_RETURN_NOT_OK(
            stoa_chunk_writer_open(&j->writers[k], j->datasets[k], j->in_memory[k], err));
    }
    STOA_RETURN_HDF_ERROR(err, j->group = stoa_open_here(j->c->to, j->path), "open '%s'", j->path);
    return stoa_anndata_encode(j->group, j->is_csr ? "csr_matrix" : "csc_matrix", "0.1.0", err);
}

static stoa_status write_shape(const joiner *j, stoa_error *err)
{
    const int64_t shape[] = {(int64_t)j->c->n_all, (int64_t)j->axis->n};
    hid_t space = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){2}, NULL), "make a dataspace");
    STOA_TRY(stoa_attribute_make(j->group, "shape", H5T_STD_I64LE, space, &attribute, err));
    STOA_HDF(err, H5Awrite(attribute, H5T_NATIVE_INT64, shape), "write an attribute");

done:
    status = stoa_hdf_close(&attribute, status, err);
    return stoa_hdf_close(&space, status, err);
}

static stoa_status finish(joiner *j, stoa_error *err)
{
    STOA_RETURN_NOT_OK(flush(j, err));
    for (int k = 0; k < 3; k++) {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_flush(&j->writers[k], err));
        if (k != ENDS && j->n_entries < j->most) {
            STOA_RETURN_NOT_OK(stoa_chunk_writer_resize(&j->writers[k], j->n_entries, err));
        }
    }
    return write_shape(j, err);
}

static stoa_status join(joiner *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    scratch s = {NULL, NULL};

    j->ends = stoa_alloc(2 * MAX_LINES, sizeof *j->ends);
    j->indices = stoa_alloc(2 * MAX_ENTRIES, j->index_size);
    j->values = stoa_alloc(2 * MAX_ENTRIES, j->size);
    STOA_TRY(j->ends != NULL && j->indices != NULL && j->values != NULL ? STOA_OK
                                                                        : stoa_fail_memory(err));
    STOA_TRY(allocate(j, &s, err));
    STOA_TRY(stoa_chunk_writer_write(&j->writers[ENDS], 0, 1, &(int64_t){0}, err));
    STOA_TRY(j->is_csr ? add_rows(j, &s, err) : add_columns(j, &s, err));
    STOA_TRY(finish(j, err));

done:
    free(s.indices);
    free(s.values);
    return status;
}

stoa_status stoa_concat_groups(stoa_concat *c, const char *path, bool is_csr,
                               const stoa_concat_axis *axis, stoa_error *err)
{
    joiner j = {
        .c = c,
        .path = path,
        .axis = axis,
        .is_csr = is_csr,
        .types = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID},
        .group = H5I_INVALID_HID,
        .datasets = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID},
        .writers = {STOA_CHUNK_WRITER_INIT, STOA_CHUNK_WRITER_INIT, STOA_CHUNK_WRITER_INIT}};
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;

    STOA_TRY(count_entries(&j, err));
    STOA_TRY(choose_types(&j, &creation, err));
    STOA_TRY(make_group(&j, creation, err));
    STOA_TRY(join(&j, err));

done:
    for (int k = 0; k < 3; k++) {
        stoa_chunk_writer_close(&j.writers[k]);
        status = stoa_hdf_close(&j.datasets[k], status, err);
    }
    free(j.ends);
    free(j.indices);
    free(j.values);
    status = stoa_hdf_close(&j.types[VALUES], status, err);
    status = stoa_hdf_close(&j.group, status, err);
    return stoa_hdf_close(&creation, status, err);
}
