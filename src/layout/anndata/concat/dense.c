/* Dense arrays of joined files (concat.h), copied in blocks of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/progress.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/concat/concat.h"
#include "layout/common/extent.h"
#include "layout/common/writer.h"

enum { MAX_BYTES = 8 << 20 };

typedef struct joiner {
    stoa_concat *c;
    const char *path;
    const stoa_concat_axis *axis;
    hid_t type; /* of elements in memory */
    size_t size;
    int rank;
    hsize_t extent[H5S_MAX_RANK]; /* of the result */
    size_t cell;                  /* bytes of one row and column */
    hid_t dataset;
    uint64_t block; /* rows that are written at once: whole chunks */
    uint64_t first; /* row of the result at which `out` begins */
    uint64_t n;     /* rows in `out` */
    uint8_t *out;
    uint8_t *nothing; /* one cell that is missing */
} joiner;

static stoa_status flush(joiner *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t start[H5S_MAX_RANK] = {j->first};
    hsize_t count[H5S_MAX_RANK];
    hid_t space = H5I_INVALID_HID;
    hid_t memory = H5I_INVALID_HID;

    if (j->n == 0) {
        return STOA_OK;
    }
    memcpy(count, j->extent, sizeof count);
    count[0] = j->n;
    STOA_HDF(err, space = H5Dget_space(j->dataset), "get the shape");
    STOA_HDF(err, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL),
             "select rows");
    STOA_HDF(err, memory = H5Screate_simple(j->rank, count, NULL), "make a dataspace");
    STOA_HDF(err, H5Dwrite(j->dataset, j->type, memory, space, H5P_DEFAULT, j->out), "write rows");
    j->first += j->n;
    j->n = 0;

done:
    status = stoa_hdf_close(&memory, status, err);
    return stoa_hdf_close(&space, status, err);
}

/* Put one row of a file into the block. */
static void place_row(joiner *j, const uint8_t *row, const uint32_t *places, uint64_t n_columns)
{
    const uint64_t width = j->rank > 1 ? j->extent[1] : 1;
    uint8_t *const to = j->out + j->n * width * j->cell;

    if (places == NULL) {
        memcpy(to, row, (size_t)width * j->cell);
        return;
    }
    for (uint64_t k = 0; j->axis->is_widened && k < width; k++) {
        memcpy(to + k * j->cell, j->nothing, j->cell);
    }
    for (uint64_t k = 0; k < n_columns; k++) {
        if (places[k] != STOA_CONCAT_DROPPED) {
            memcpy(to + places[k] * j->cell, row + k * j->cell, j->cell);
        }
    }
}

static stoa_status copy_rows(joiner *j, size_t i, hid_t source, stoa_checked_reader *reader,
                             const hsize_t *extent, stoa_error *err)
{
    const uint64_t width = j->rank > 1 ? extent[1] : 1;
    const uint64_t row_bytes = width * j->cell;
    const uint64_t most = MAX_BYTES / (row_bytes > 0 ? row_bytes : 1);
    const uint64_t chunk = reader->chunk_bytes > 0 ? reader->chunk[0] : 1;
    const uint64_t at_once = most > chunk ? most / chunk * chunk : chunk;
    hsize_t start[H5S_MAX_RANK] = {0};
    hsize_t count[H5S_MAX_RANK];
    stoa_status status = STOA_OK;
    uint8_t *const in =
        stoa_alloc((size_t)(at_once < extent[0] ? at_once : extent[0]) + 1, (size_t)row_bytes + 1);

    (void)source;
    STOA_RETURN_NO_MEMORY(err, in);
    memcpy(count, extent, sizeof count);
    for (uint64_t row = 0; row < extent[0]; row += count[0]) {
        start[0] = row;
        count[0] = extent[0] - row < at_once ? extent[0] - row : at_once;
        STOA_TRY(row_bytes > 0 ? stoa_checked_reader_read_any(reader, j->type, start, count,
                                                              H5P_DEFAULT, in, err)
                               : STOA_OK);
        for (uint64_t k = 0; k < count[0]; k++) {
            place_row(j, in + k * row_bytes, j->axis->places[i], width);
            j->n++;
            STOA_TRY(j->n == j->block ? flush(j, err) : STOA_OK);
        }
        STOA_TRY(stoa_report_progress(&j->c->options.listener,
                                      &(stoa_progress){.stage = "writing",
                                                       .rows = j->first + j->n,
                                                       .total_rows = j->extent[0]},
                                      err));
    }

done:
    free(in);
    return status;
}

static stoa_status add_file(joiner *j, size_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    hsize_t extent[H5S_MAX_RANK] = {0};
    hid_t file = H5I_INVALID_HID;
    hid_t source = H5I_INVALID_HID;
    int rank = 0;

    STOA_TRY(stoa_concat_open(j->c, i, &file, err));
    source = stoa_object_open(file, j->path);
    STOA_TRY(stoa_extent_read(source, &rank, extent, err));
    bool fits = rank == j->rank && extent[0] == j->c->n_obs[i] &&
                (rank < 2 || extent[1] == j->axis->lengths[i]);
    for (int k = 2; k < rank && fits; k++) {
        fits = extent[k] == j->extent[k];
    }
    if (!fits) {
        STOA_FAIL(err, STOA_EDATA, "has another shape than in the first file, or than obs and var");
    }
    STOA_TRY(stoa_chunks_check(source, err));
    STOA_TRY(stoa_checked_reader_open_checked(&reader, source, err));
    STOA_TRY(copy_rows(j, i, source, &reader, extent, err));

done:
    status = stoa_layout_error_at(file, j->path, status, err);
    stoa_checked_reader_close(&reader);
    return stoa_hdf_close(&source, status, err);
}

/* Integers cannot be missing, so they become floats if they are. */
static stoa_status choose_type(joiner *j, hid_t *creation, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_same = false;

    STOA_RETURN_NOT_OK(stoa_concat_type(j->c, j->path, &j->type, creation, &is_same, err));
    if (!stoa_type_is_flat(j->type)) {
        return stoa_fail(err, STOA_ETYPE, "has elements that are not their bytes alone");
    }
    if (j->axis->is_widened && H5Tget_class(j->type) != H5T_FLOAT) {
        STOA_RETURN_NOT_OK(stoa_hdf_close(&j->type, status, err));
        STOA_RETURN_HDF_ERROR(err, j->type = H5Tcopy(H5T_NATIVE_DOUBLE), "copy a type");
    }
    j->size = H5Tget_size(j->type);
    return STOA_OK;
}

/* The shape of the result, but for the first two dimensions that of the first file. */
static stoa_status find_shape(joiner *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t file = H5I_INVALID_HID;
    hid_t source = H5I_INVALID_HID;

    STOA_TRY(stoa_concat_open(j->c, 0, &file, err));
    source = stoa_object_open(file, j->path);
    STOA_TRY(stoa_extent_read(source, &j->rank, j->extent, err));
    if (j->rank < 1) {
        STOA_FAIL(err, STOA_EDATA, "has no rows");
    }
    j->extent[0] = j->c->n_all;
    if (j->rank > 1) {
        j->extent[1] = j->axis->n;
    }
    j->cell = j->size;
    for (int k = 2; k < j->rank; k++) {
        j->cell *= (size_t)j->extent[k];
    }

done:
    return stoa_hdf_close(&source, status, err);
}

static stoa_status allocate(joiner *j, hid_t creation, stoa_error *err)
{
    const uint64_t row = (j->rank > 1 ? j->extent[1] : 1) * j->cell;
    const uint64_t most = MAX_BYTES / (row > 0 ? row : 1);
    hsize_t chunk[H5S_MAX_RANK] = {1};

    if (H5Pget_layout(creation) == H5D_CHUNKED) {
        STOA_RETURN_HDF_ERROR(err, H5Pget_chunk(creation, j->rank, chunk), "get a chunk's shape");
    }
    j->block = most > chunk[0] ? most / chunk[0] * chunk[0] : chunk[0];
    j->block = j->block < j->extent[0] + 1 ? j->block : j->extent[0] + 1;
    j->out = stoa_alloc((size_t)j->block, (size_t)row + 1);
    j->nothing = stoa_alloc_zero(j->cell + 1, 1);
    if (j->out == NULL || j->nothing == NULL) {
        return stoa_fail_memory(err);
    }
    if (j->axis->is_widened) {
        STOA_RETURN_NOT_OK(
            stoa_convert(H5T_NATIVE_DOUBLE, j->type, &(double){NAN}, 1, j->nothing, err));
        for (size_t k = 1; k < j->cell / j->size; k++) {
            memcpy(j->nothing + k * j->size, j->nothing, j->size);
        }
    }
    return STOA_OK;
}

stoa_status stoa_concat_arrays(stoa_concat *c, const char *path, const stoa_concat_axis *axis,
                               stoa_error *err)
{
    joiner j = {
        .c = c, .path = path, .axis = axis, .type = H5I_INVALID_HID, .dataset = H5I_INVALID_HID};
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;

    STOA_TRY(choose_type(&j, &creation, err));
    STOA_TRY(find_shape(&j, err));
    STOA_TRY(
        stoa_concat_make(c->to, path, j.type, creation, j.rank, j.extent, false, &j.dataset, err));
    STOA_TRY(stoa_anndata_encode(j.dataset, "array", "0.2.0", err));
    STOA_TRY(stoa_hdf_close(&creation, STOA_OK, err));
    STOA_HDF(err, creation = stoa_dataset_properties(j.dataset), "get the properties");
    STOA_TRY(allocate(&j, creation, err));
    for (size_t i = 0; i < c->n; i++) {
        STOA_TRY(add_file(&j, i, err));
    }
    STOA_TRY(flush(&j, err));

done:
    free(j.out);
    free(j.nothing);
    status = stoa_hdf_close(&creation, status, err);
    status = stoa_hdf_close(&j.dataset, status, err);
    return stoa_hdf_close(&j.type, status, err);
}
