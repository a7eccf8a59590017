#include "index/common/byte_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "column/type/codec.h"
#include "core/min_of.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/filters.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/read/checked_reader.h"

stoa_status stoa_byte_matrix_create(hid_t indexes, const char *name, uint64_t chunk_rows,
                                    uint64_t chunk_bytes, const char *codec, hid_t *dataset,
                                    stoa_error *err)
{
    static const stoa_element byte = {.class = STOA_ELEMENT_INTEGER, .size = 1};
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;
    const hsize_t none[] = {0, 0};
    const hsize_t unlimited[] = {H5S_UNLIMITED, H5S_UNLIMITED};
    const hsize_t chunk[] = {chunk_rows, chunk_bytes};

    STOA_HDF(err, space = H5Screate_simple(2, none, unlimited), "make a dataspace");
    STOA_TRY(stoa_index_properties(2, chunk, &creation, err));
    STOA_TRY(stoa_codec_apply(creation, codec, &byte, chunk_rows * chunk_bytes, NULL, err));
    STOA_HDF(err,
             *dataset =
                 H5Dcreate2(indexes, name, H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
             "create search index '%s'", name);

done:
    status = stoa_hdf_close(&creation, status, err);
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_byte_matrix_check(const char *name, const char *section, hid_t dataset,
                                   stoa_byte_matrix_part *all, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hsize_t dims[2] = {0, 0};

    STOA_HDF(err, type = H5Dget_type(dataset), "get the type of a %s index", name);
    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape of a %s index", name);
    if (H5Tget_class(type) != H5T_INTEGER || H5Tget_size(type) != 1 ||
        H5Tget_sign(type) != H5T_SGN_NONE || H5Tget_precision(type) != 8) {
        STOA_FAIL(err, STOA_EDATA, "a %s index is not of datatype uint8 (%s)", name, section);
    }
    if (H5Sget_simple_extent_type(space) != H5S_SIMPLE || H5Sget_simple_extent_ndims(space) != 2) {
        STOA_FAIL(err, STOA_EDATA, "a %s index is not two-dimensional (%s)", name, section);
    }
    STOA_HDF(err, H5Sget_simple_extent_dims(space, dims, NULL), "get the shape of a %s index",
             name);
    *all = (stoa_byte_matrix_part){.n_rows = dims[0], .n_bytes = dims[1]};

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_byte_matrix_resize(hid_t dataset, uint64_t n_rows, uint64_t n_bytes,
                                    stoa_error *err)
{
    return stoa_dataset_resize(dataset, (const hsize_t[]){n_rows, n_bytes}, err);
}

stoa_status stoa_byte_matrix_read(hid_t dataset, const stoa_byte_matrix_part *window, uint8_t *out,
                                  stoa_error *err)
{
    const hsize_t start[] = {window->row, window->byte};
    const hsize_t count[] = {window->n_rows, window->n_bytes};

    return window->n_rows == 0 || window->n_bytes == 0
               ? STOA_OK
               : stoa_chunks_read(dataset, true, H5T_NATIVE_UINT8, start, count, H5P_DEFAULT, out,
                                  err);
}

stoa_status stoa_byte_matrix_write(hid_t dataset, const stoa_byte_matrix_part *window,
                                   const uint8_t *bytes, stoa_error *err)
{
    const hsize_t start[] = {window->row, window->byte};
    const hsize_t count[] = {window->n_rows, window->n_bytes};

    return window->n_rows == 0 || window->n_bytes == 0
               ? STOA_OK
               : stoa_dataset_write(dataset, H5T_NATIVE_UINT8, start, count, bytes,
                                    "a search index", err);
}

/* --- Filling --------------------------------------------------------------------------------- */

/* Chunks that are packed before they are written. */
enum { CHUNKS_TOGETHER = 64 };

/* A chunk as the file stores it, unless it is all zeros. */
typedef struct packed_chunk {
    bool is_zero;
    stoa_buffer bytes;
    uint32_t mask;
} packed_chunk;

typedef struct packing {
    const stoa_byte_matrix_part *window;
    const uint8_t *bytes;
    hsize_t shape[2]; /* of a chunk */
    bool packs;       /* else libhdf5 does: it has the rest of these chunks, or their filters */
    stoa_pipeline pipeline;
    stoa_scratch *scratches; /* one per worker */
    packed_chunk chunks[CHUNKS_TOGETHER];
    uint64_t first; /* row of the window where the first of them begins */
} packing;

static bool is_zero(const uint8_t *bytes, size_t n)
{
    return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

static stoa_status pack_chunk(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    stoa_status status = STOA_OK;
    packing *const p = context;
    packed_chunk *const packed = &p->chunks[part];
    const size_t width = (size_t)p->window->n_bytes;
    const uint64_t row = p->first + part * p->shape[0];
    const size_t n_rows = (size_t)stoa_min_of(p->window->n_rows - row, p->shape[0]);
    const uint8_t *chunk = p->bytes + row * width;
    const uint8_t *stored = NULL;
    uint8_t *whole = NULL;
    size_t n = 0;

    packed->bytes.size = 0;
    packed->is_zero = is_zero(chunk, n_rows * width);
    if (packed->is_zero || !p->packs) {
        return STOA_OK;
    }
    if (n_rows < p->shape[0] || width < p->shape[1]) { /* beyond the matrix are zeros */
        whole = stoa_alloc_zero((size_t)p->shape[0], (size_t)p->shape[1]);
        STOA_TRY(whole != NULL ? STOA_OK : stoa_fail_memory(err));
        for (size_t i = 0; i < n_rows; i++) {
            memcpy(whole + i * p->shape[1], chunk + i * width, width);
        }
    }
    STOA_TRY(stoa_pipeline_apply(&p->pipeline, whole != NULL ? whole : chunk, &p->scratches[worker],
                                 &stored, &n, &packed->mask, err));
    STOA_TRY(stoa_buffer_append(&packed->bytes, stored, n, err));

done:
    free(whole);
    return status;
}

static stoa_status write_chunks(const packing *p, hid_t dataset, uint64_t n_chunks, stoa_error *err)
{
    for (uint64_t i = 0; i < n_chunks; i++) {
        const packed_chunk *packed = &p->chunks[i];
        const uint64_t row = p->first + i * p->shape[0];
        const hsize_t offset[] = {row, p->window->byte};
        const stoa_byte_matrix_part window = {row, p->window->byte,
                                              stoa_min_of(p->window->n_rows - row, p->shape[0]),
                                              p->window->n_bytes};
        if (packed->is_zero) {
            continue;
        }
        if (!p->packs) {
            STOA_RETURN_NOT_OK(
                stoa_byte_matrix_write(dataset, &window, p->bytes + row * window.n_bytes, err));
            continue;
        }
        STOA_RETURN_HDF_ERROR(err,
                              H5Dwrite_chunk(dataset, H5P_DEFAULT, packed->mask, offset,
                                             packed->bytes.size, packed->bytes.data),
                              "write a search index");
    }
    return STOA_OK;
}

/* The chunks of a part, and whether src/codec can pack them: they are whole, and it knows their
 * filters. */
static stoa_status look_at_chunks(packing *p, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_byte_matrix_part *window = p->window;
    hsize_t extent[2] = {0, 0};
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;

    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape of a search index");
    STOA_HDF(err, H5Sget_simple_extent_dims(space, extent, NULL), "get the shape of an index");
    if (H5Pget_layout(dcpl) != H5D_CHUNKED || H5Pget_chunk(dcpl, 2, p->shape) != 2) {
        p->shape[0] = window->n_rows;
        goto done;
    }
    p->packs = window->byte % p->shape[1] == 0 && window->n_bytes <= p->shape[1] &&
               (window->n_bytes == p->shape[1] || window->byte + window->n_bytes == extent[1]) &&
               !stoa_edges_are_unfiltered(dcpl) &&
               stoa_pipeline_of(dcpl, 1, p->shape[0] * p->shape[1], &p->pipeline);
    p->pipeline.packs_always = true; /* so that none has a filter mask (hdf/chunk/chunk_writer.h) */

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

stoa_status stoa_byte_matrix_fill(hid_t dataset, const stoa_byte_matrix_part *window,
                                  const uint8_t *bytes, stoa_workers *workers, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const unsigned n_workers = workers != NULL ? stoa_workers_count(workers) : 1;
    packing p = {.window = window, .bytes = bytes};
    uint64_t n = 0;

    p.scratches = stoa_alloc_zero(n_workers, sizeof *p.scratches);
    STOA_TRY(p.scratches != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(look_at_chunks(&p, dataset, err));
    for (; p.first < window->n_rows; p.first += n * p.shape[0]) {
        const uint64_t left = (window->n_rows - p.first - 1) / p.shape[0] + 1;
        n = stoa_min_of(left, CHUNKS_TOGETHER);
        STOA_TRY(stoa_workers_run(workers, n, pack_chunk, &p, err));
        STOA_TRY(write_chunks(&p, dataset, n, err));
    }

done:
    for (unsigned i = 0; p.scratches != NULL && i < n_workers; i++) {
        stoa_scratch_clear(&p.scratches[i]);
    }
    free(p.scratches);
    for (size_t i = 0; i < CHUNKS_TOGETHER; i++) {
        stoa_buffer_clear(&p.chunks[i].bytes);
    }
    return status;
}
