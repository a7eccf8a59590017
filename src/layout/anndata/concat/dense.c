/*
 * Dense arrays of joined files (concat.h). Threads copy blocks of rows. A chunk of the result that
 * has rows of several files is put together in memory.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/progress.h"
#include "core/threads.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/filters.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/concat/concat.h"
#include "layout/anndata/group/line_writer.h"
#include "layout/common/extent.h"
#include "layout/common/writer.h"

enum {
    MAX_THREADS = 8,
    BLOCK_BYTES = 1 << 20,
    MAX_BLOCK = 1 << 23, /* if chunks of the files are large */
    MAX_BYTES = 1 << 25, /* of the blocks of all threads */
    BLOCKS = 64          /* between two reports of progress */
};

/* What a thread needs. */
typedef struct worker {
    stoa_scratch scratch;
    uint8_t *in;  /* rows of a file; NULL if columns stay where they are */
    uint8_t *out; /* rows of the result */
} worker;

/* The array of one file. */
typedef struct source {
    uint64_t n_rows;
    uint64_t width;
    hsize_t extent[H5S_MAX_RANK];
    const uint32_t *places;
    stoa_checked_reader reader;
    stoa_read_context *context;
    const stoa_descriptor *file; /* of elements that lie together; NULL: libhdf5 must read */
    uint64_t address;
    uint64_t begin; /* rows of the job */
    uint64_t n;
    uint64_t to; /* the first one in the result */
} source;

typedef struct joiner {
    stoa_concat *c;
    const char *path;
    const stoa_concat_axis *axis;
    hid_t type; /* of elements in memory */
    size_t size;
    int rank;
    hsize_t extent[H5S_MAX_RANK]; /* of the result */
    uint64_t width;
    size_t cell; /* bytes of one row and column */
    size_t row;  /* bytes of a row of the result */
    hid_t dataset;
    stoa_pipeline pipeline;
    uint64_t chunk; /* rows of a chunk that is encoded here; 0: libhdf5 writes */
    uint64_t block; /* rows that a thread copies at once */
    stoa_workers *workers;
    worker each[MAX_THREADS];
    source *from;
    uint64_t first; /* row of the result that is written next */
    uint64_t n_held;
    uint8_t *held;    /* the first rows of a chunk */
    uint8_t *nothing; /* one cell that is missing */
} joiner;

/* --- writing --------------------------------------------------------------------------------- */

/* Encode and write a chunk of n rows, which has room for all. */
static stoa_status put_chunk(joiner *j, uint64_t first, uint64_t n, uint8_t *rows, worker *w,
                             stoa_error *err)
{
    const hsize_t start[H5S_MAX_RANK] = {first};
    const uint8_t *stored = NULL;
    size_t n_bytes = 0;
    uint32_t mask = 0;

    memset(rows + n * j->row, 0, (size_t)(j->chunk - n) * j->row);
    STOA_RETURN_NOT_OK(
        stoa_pipeline_apply(&j->pipeline, rows, &w->scratch, &stored, &n_bytes, &mask, err));
    STOA_RETURN_HDF_ERROR(err,
                          H5Dwrite_chunk(j->dataset, H5P_DEFAULT, mask, start, n_bytes, stored),
                          "write the chunk of row %llu", (unsigned long long)first);
    return STOA_OK;
}

/* Write rows of the result. Those of a chunk have room for the rest of it. */
static stoa_status put_rows(joiner *j, uint64_t first, uint64_t n, uint8_t *rows, worker *w,
                            stoa_error *err)
{
    hsize_t start[H5S_MAX_RANK] = {first};
    hsize_t count[H5S_MAX_RANK];

    if (j->chunk == 0) {
        memcpy(count, j->extent, sizeof count);
        count[0] = n;
        stoa_workers_lock(j->workers);
        const stoa_status status =
            stoa_dataset_write(j->dataset, j->type, start, count, rows, "rows", err);
        stoa_workers_unlock(j->workers);
        return status;
    }
    for (uint64_t at = 0; at < n; at += j->chunk) {
        STOA_RETURN_NOT_OK(put_chunk(j, first + at, n - at < j->chunk ? n - at : j->chunk,
                                     rows + at * j->row, w, err));
    }
    return STOA_OK;
}

/* Put one row of a file among those of the result. */
static void place_cells(const joiner *j, const source *from, const uint8_t *row, uint8_t *to)
{
    for (uint64_t k = 0; j->axis->is_widened && k < j->width; k++) {
        memcpy(to + k * j->cell, j->nothing, j->cell);
    }
    for (uint64_t k = 0; k < from->width; k++) {
        if (from->places[k] != STOA_CONCAT_DROPPED) {
            memcpy(to + from->places[k] * j->cell, row + k * j->cell, j->cell);
        }
    }
}

/* The same for cells of 4 bytes. */
static void place_words(const joiner *j, const source *from, const uint8_t *row, uint8_t *to)
{
    const uint32_t *const cells = (const uint32_t *)(const void *)row;
    const uint32_t nothing = *(const uint32_t *)(const void *)j->nothing;
    uint32_t *const out = (uint32_t *)(void *)to;

    for (uint64_t k = 0; j->axis->is_widened && k < j->width; k++) {
        out[k] = nothing;
    }
    for (uint64_t k = 0; k < from->width; k++) {
        if (from->places[k] != STOA_CONCAT_DROPPED) {
            out[from->places[k]] = cells[k];
        }
    }
}

/* --- reading --------------------------------------------------------------------------------- */

static stoa_status read_stored(const joiner *j, source *from, uint64_t first, uint64_t n, worker *w,
                               uint8_t *out, stoa_error *err)
{
    const uint64_t row = from->width * j->cell;
    hsize_t start[H5S_MAX_RANK] = {first};
    hsize_t count[H5S_MAX_RANK];

    if (row == 0) {
        return STOA_OK;
    }
    if (from->file != NULL) {
        return stoa_descriptor_read(from->file, from->address + first * row, n * row, out, err);
    }
    memcpy(count, from->extent, sizeof count);
    count[0] = n;
    if (from->reader.is_ours) {
        return stoa_checked_reader_read_box(&from->reader, j->type, start, count, &w->scratch,
                                            j->workers, out, err);
    }
    stoa_workers_lock(j->workers);
    const stoa_status status =
        stoa_checked_reader_read_any(&from->reader, j->type, start, count, H5P_DEFAULT, out, err);
    stoa_workers_unlock(j->workers);
    return status;
}

/* Read at most a block of rows of a file, as the result has them. */
static stoa_status read_rows(const joiner *j, source *from, uint64_t first, uint64_t n, worker *w,
                             uint8_t *out, stoa_error *err)
{
    const size_t row = (size_t)from->width * j->cell;

    if (from->places == NULL) {
        return read_stored(j, from, first, n, w, out, err);
    }
    if (w->in == NULL) {
        w->in = stoa_alloc((size_t)j->block, (size_t)j->axis->most * j->cell + 1);
        STOA_RETURN_NO_MEMORY(err, w->in);
    }
    STOA_RETURN_NOT_OK(read_stored(j, from, first, n, w, w->in, err));
    for (uint64_t i = 0; i < n; i++) {
        (j->cell == sizeof(uint32_t) ? place_words : place_cells)(j, from, w->in + i * row,
                                                                  out + i * j->row);
    }
    return STOA_OK;
}

/* Copy one block. A stoa_part. */
static stoa_status copy_block(void *context, unsigned number, uint64_t part, stoa_error *err)
{
    joiner *const j = context;
    worker *const w = &j->each[number];
    const uint64_t skip = part * j->block;
    const uint64_t n = j->from->n - skip < j->block ? j->from->n - skip : j->block;

    if (w->out == NULL) {
        w->out = stoa_alloc_aligned(64, (size_t)j->block * j->row);
        STOA_RETURN_NO_MEMORY(err, w->out);
    }
    STOA_RETURN_NOT_OK(read_rows(j, j->from, j->from->begin + skip, n, w, w->out, err));
    return put_rows(j, j->from->to + skip, n, w->out, w, err);
}

/* Hold n rows of a file, which fit into the chunk that is put together. */
static stoa_status hold(joiner *j, source *from, uint64_t row, uint64_t n, stoa_error *err)
{
    STOA_RETURN_NOT_OK(read_rows(j, from, row, n, &j->each[0], j->held + j->n_held * j->row, err));
    j->n_held += n;
    if (j->n_held == j->chunk) {
        STOA_RETURN_NOT_OK(put_rows(j, j->first, j->chunk, j->held, &j->each[0], err));
        j->first += j->chunk;
        j->n_held = 0;
    }
    return STOA_OK;
}

static stoa_status copy_rows(joiner *j, source *from, stoa_error *err)
{
    const uint64_t room = j->n_held > 0 ? j->chunk - j->n_held : 0;
    uint64_t row = room < from->n_rows ? room : from->n_rows;

    STOA_RETURN_NOT_OK(row > 0 ? hold(j, from, 0, row, err) : STOA_OK);
    const uint64_t rest = j->chunk > 0 ? (from->n_rows - row) % j->chunk : 0;
    j->from = from;
    while (row < from->n_rows - rest) {
        const uint64_t left = from->n_rows - rest - row;
        from->begin = row;
        from->n = left < BLOCKS * j->block ? left : BLOCKS * j->block;
        from->to = j->first;
        STOA_RETURN_NOT_OK(
            stoa_workers_run(j->workers, (from->n - 1) / j->block + 1, copy_block, j, err));
        row += from->n;
        j->first += from->n;
        STOA_RETURN_NOT_OK(stoa_report_progress(
            &j->c->options.listener,
            &(stoa_progress){.stage = "writing", .rows = j->first, .total_rows = j->extent[0]},
            err));
    }
    return rest > 0 ? hold(j, from, row, rest, err) : STOA_OK;
}

/* --- files ----------------------------------------------------------------------------------- */

/* Find elements that lie together in the file as they are in memory. */
static stoa_status find_elements(const joiner *j, source *from, hid_t dataset, stoa_error *err)
{
    const uint64_t n_bytes = from->n_rows * from->width * j->cell;
    const stoa_descriptor *file = NULL;

    if (stoa_direct_is_off() || n_bytes == 0 ||
        H5Pget_layout(from->reader.dcpl) != H5D_CONTIGUOUS ||
        H5Pget_external_count(from->reader.dcpl) != 0 ||
        H5Tequal(from->reader.type, j->type) <= 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_read_context_open(&from->context, err));
    STOA_RETURN_NOT_OK(stoa_read_context_descriptor(from->context, dataset, &file, err));
    from->address = H5Dget_offset(dataset);
    const bool is_there = file->fd >= 0 && from->address != HADDR_UNDEF &&
                          H5Dget_storage_size(dataset) >= n_bytes &&
                          stoa_descriptor_has(file, from->address, n_bytes);
    from->file = is_there ? file : NULL;
    return STOA_OK;
}

static stoa_status add_file(joiner *j, size_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    source from = {.reader = STOA_CHECKED_READER_INIT, .places = j->axis->places[i]};
    hid_t file = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;
    int rank = 0;

    STOA_TRY(stoa_concat_open(j->c, i, &file, err));
    dataset = stoa_object_open(file, j->path);
    STOA_TRY(stoa_extent_read(dataset, &rank, from.extent, err));
    bool fits = rank == j->rank && from.extent[0] == j->c->n_obs[i] &&
                (rank < 2 || from.extent[1] == j->axis->lengths[i]);
    for (int k = 2; k < rank && fits; k++) {
        fits = from.extent[k] == j->extent[k];
    }
    if (!fits) {
        STOA_FAIL(err, STOA_EDATA, "has another shape than in the first file, or than obs and var");
    }
    from.n_rows = from.extent[0];
    from.width = rank > 1 ? from.extent[1] : 1;
    STOA_TRY(stoa_chunks_check(dataset, err));
    STOA_TRY(stoa_checked_reader_open_checked(&from.reader, dataset, err));
    STOA_TRY(find_elements(j, &from, dataset, err));
    STOA_TRY(j->row > 0 ? copy_rows(j, &from, err) : STOA_OK);

done:
    status = stoa_layout_error_at(file, j->path, status, err);
    stoa_checked_reader_close(&from.reader);
    stoa_read_context_close(from.context);
    return stoa_hdf_close(&dataset, status, err);
}

/* --- the result ------------------------------------------------------------------------------ */

/* Integers cannot be missing, so they become floats if they are. */
static stoa_status choose_type(joiner *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_same = false;

    STOA_RETURN_NOT_OK(stoa_concat_type(j->c, j->path, &j->type, &is_same, err));
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
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(stoa_concat_open(j->c, 0, &file, err));
    dataset = stoa_object_open(file, j->path);
    STOA_TRY(stoa_extent_read(dataset, &j->rank, j->extent, err));
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
    j->width = j->rank > 1 ? j->extent[1] : 1;
    j->row = (size_t)j->width * j->cell;

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* Rows of a chunk of the first file; 1 if it has none. */
static stoa_status find_source_chunk(joiner *j, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t chunk[H5S_MAX_RANK] = {1};
    hid_t file = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;

    STOA_TRY(stoa_concat_open(j->c, 0, &file, err));
    hid_t dataset = stoa_object_open(file, j->path);
    creation = stoa_dataset_properties(dataset);
    if (creation >= 0 && H5Pget_layout(creation) == H5D_CHUNKED) {
        (void)H5Pget_chunk(creation, j->rank, chunk);
    }
    *n_rows = chunk[0] > 0 ? chunk[0] : 1;
    status = stoa_hdf_close(&dataset, status, err);

done:
    return stoa_hdf_close(&creation, status, err);
}

/* Rows of a block: whole chunks of the files, so that each is decoded once, and of the result. */
static stoa_status choose_block(joiner *j, stoa_error *err)
{
    const uint64_t row = j->axis->most * j->cell > j->row ? j->axis->most * j->cell : j->row;
    const uint64_t most = row > 0 && MAX_BLOCK / row > 0 ? MAX_BLOCK / row : 1;
    uint64_t chunk = 1;

    STOA_RETURN_NOT_OK(find_source_chunk(j, &chunk, err));
    const uint64_t usual = row > 0 && BLOCK_BYTES / row > 0 ? BLOCK_BYTES / row : 1;
    j->block = usual > chunk ? usual / chunk * chunk : chunk;
    j->block = j->block < most ? j->block : most;
    j->block = j->block < j->extent[0] ? j->block : j->extent[0] + 1;
    if (j->chunk > 0) {
        j->block = (j->block - 1) / j->chunk * j->chunk + j->chunk;
    }
    const uint64_t n = MAX_BYTES / (j->block * row + 1) / (j->axis->places[0] != NULL ? 2 : 1);
    const unsigned n_threads = n > MAX_THREADS ? MAX_THREADS : n > 0 ? (unsigned)n : 1;
    return stoa_line_writer_workers(j->c->options.threads, n_threads, &j->workers, err);
}

/* Chunks of whole rows are encoded here. */
static stoa_status find_chunk(joiner *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t chunk[H5S_MAX_RANK] = {0};
    hid_t creation = H5I_INVALID_HID;

    STOA_HDF(err, creation = stoa_dataset_properties(j->dataset), "get the properties");
    if (H5Pget_layout(creation) == H5D_CHUNKED && j->row > 0) {
        STOA_HDF(err, H5Pget_chunk(creation, j->rank, chunk), "get a chunk's shape");
        const bool has_rows = j->rank < 2 || chunk[1] >= j->extent[1];
        if (has_rows &&
            stoa_pipeline_of(creation, j->size, chunk[0] * (j->row / j->size), &j->pipeline)) {
            j->chunk = chunk[0];
        }
    }

done:
    return stoa_hdf_close(&creation, status, err);
}

static stoa_status allocate(joiner *j, stoa_error *err)
{
    j->held = stoa_alloc_aligned(64, (size_t)j->chunk * j->row + 1);
    j->nothing = stoa_alloc_zero(j->cell + 1, 1);
    if (j->held == NULL || j->nothing == NULL) {
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

static stoa_status close_joiner(joiner *j, stoa_status status, stoa_error *err)
{
    for (int i = 0; i < MAX_THREADS; i++) {
        stoa_scratch_clear(&j->each[i].scratch);
        free(j->each[i].in);
        free(j->each[i].out);
    }
    stoa_workers_close(j->workers);
    free(j->held);
    free(j->nothing);
    status = stoa_hdf_close(&j->dataset, status, err);
    return stoa_hdf_close(&j->type, status, err);
}

stoa_status stoa_concat_arrays(stoa_concat *c, const char *path, const stoa_concat_axis *axis,
                               stoa_error *err)
{
    joiner j = {
        .c = c, .path = path, .axis = axis, .type = H5I_INVALID_HID, .dataset = H5I_INVALID_HID};
    stoa_status status = STOA_OK;

    STOA_TRY(choose_type(&j, err));
    STOA_TRY(find_shape(&j, err));
    STOA_TRY(stoa_concat_make(c, path, j.type, j.rank, j.extent, false, &j.dataset, err));
    STOA_TRY(stoa_anndata_encode(j.dataset, "array", "0.2.0", err));
    STOA_TRY(find_chunk(&j, err));
    STOA_TRY(choose_block(&j, err));
    STOA_TRY(allocate(&j, err));
    for (size_t i = 0; i < c->n; i++) {
        STOA_TRY(add_file(&j, i, err));
    }
    STOA_TRY(j.n_held > 0 ? put_rows(&j, j.first, j.n_held, j.held, &j.each[0], err) : STOA_OK);

done:
    return close_joiner(&j, status, err);
}
