/* Chunks unpacked as far as it takes to know how long they are. */
#include "hdf/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/memory.h"

/* A packed chunk is hardly longer than an unpacked one. */
#define SPARE_BYTES ((uint64_t)1 << 20)
/* Parameters of a filter that are looked at. */
#define N_PARAMETERS 8

/* A chunk on its way back through the filters. */
typedef struct undoing {
    const uint8_t *bytes;
    uint64_t n_bytes;
    bool has_bytes; /* they are what the next filter would see */
} undoing;

/* How long deflated bytes are, up to `enough`; 0 if they are damaged. */
static uint64_t inflated_size(const uint8_t *bytes, uint64_t n_bytes, uint64_t enough)
{
    static const uInt most = (uInt)1 << 30;
    uint8_t scratch[4096];
    uint64_t n = 0;
    int result = Z_OK;
    z_stream stream = {.next_in = NULL};

    if (inflateInit(&stream) != Z_OK) {
        return 0;
    }
    stream.next_in = (z_const Bytef *)(uintptr_t)bytes;
    stream.avail_in = n_bytes < most ? (uInt)n_bytes : most;
    while (result == Z_OK && n < enough) {
        stream.next_out = scratch;
        stream.avail_out = sizeof scratch;
        result = inflate(&stream, Z_SYNC_FLUSH);
        n += sizeof scratch - stream.avail_out;
    }
    (void)inflateEnd(&stream);
    return result == Z_OK || result == Z_STREAM_END ? n : 0;
}

/* Undo one filter as far as the length goes. */
static stoa_unpacked undo(H5Z_filter_t filter, const unsigned *parameters, uint64_t enough,
                          undoing *c)
{
    const bool needs_bytes = filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SZIP;

    if (needs_bytes && !c->has_bytes) {
        return STOA_UNPACKED_UNKNOWN;
    }
    switch (filter) {
    case H5Z_FILTER_FLETCHER32: /* a checksum behind the bytes */
        if (c->n_bytes < 4) {
            return STOA_UNPACKED_SHORT;
        }
        c->n_bytes -= 4;
        return STOA_UNPACKED_WHOLE;
    case H5Z_FILTER_DEFLATE:
        c->n_bytes = inflated_size(c->bytes, c->n_bytes, enough);
        break;
    case H5Z_FILTER_SZIP: /* its length before the bytes, little-endian */
        if (c->n_bytes < 4) {
            return STOA_UNPACKED_SHORT;
        }
        c->n_bytes = (uint64_t)c->bytes[0] | (uint64_t)c->bytes[1] << 8 |
                     (uint64_t)c->bytes[2] << 16 | (uint64_t)c->bytes[3] << 24;
        break;
    case H5Z_FILTER_NBIT: /* number and size of elements; the second parameter: left as it was */
        c->n_bytes = parameters[1] != 0 ? c->n_bytes : (uint64_t)parameters[2] * parameters[4];
        break;
    case H5Z_FILTER_SCALEOFFSET:
        c->n_bytes = (uint64_t)parameters[2] * parameters[4];
        break;
    default: /* shuffle, which keeps the length */
        break;
    }
    c->has_bytes = false;
    return STOA_UNPACKED_WHOLE;
}

static stoa_unpacked undo_all(hid_t dcpl, uint32_t mask, uint64_t chunk_bytes, undoing *c)
{
    stoa_unpacked unpacked = STOA_UNPACKED_WHOLE;

    for (int i = H5Pget_nfilters(dcpl); i > 0 && unpacked == STOA_UNPACKED_WHOLE; i--) {
        const unsigned at = (unsigned)i - 1;
        unsigned parameters[N_PARAMETERS] = {0};
        size_t n = N_PARAMETERS;
        unsigned flags = 0;
        const H5Z_filter_t filter = H5Pget_filter2(dcpl, at, &flags, &n, parameters, 0, NULL, NULL);

        if (at < 32 && (mask >> at & 1) != 0) {
            continue;
        }
        if (filter < 0) {
            return STOA_UNPACKED_SHORT;
        }
        if (filter > H5Z_FILTER_SCALEOFFSET) {
            return STOA_UNPACKED_WHOLE; /* a plugin's, which must know what it is doing */
        }
        unpacked = undo(filter, parameters, chunk_bytes, c);
    }
    if (unpacked == STOA_UNPACKED_WHOLE && c->n_bytes < chunk_bytes) {
        return STOA_UNPACKED_SHORT;
    }
    return unpacked;
}

/* The bytes of a chunk as they lie in the file. */
typedef struct stored {
    uint8_t *bytes; /* NULL: not there, or not to be read */
    uint64_t n_bytes;
    uint32_t mask;
    bool is_huge; /* more bytes than an honest chunk takes up */
} stored;

/* Edge chunks may be left as they are, whatever filters the others pass: then no mask says so. */
static bool is_never_filtered(hid_t dataset, hid_t dcpl, const hsize_t *offset)
{
    unsigned options = 0;
    hsize_t chunk[H5S_MAX_RANK];
    hsize_t extent[H5S_MAX_RANK];
    bool is_partial = false;

    if (H5Pget_chunk_opts(dcpl, &options) < 0 ||
        (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) == 0) {
        return false;
    }
    hid_t space = H5Dget_space(dataset);
    const int rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk);
    if (rank > 0 && H5Sget_simple_extent_dims(space, extent, NULL) == rank) {
        for (int i = 0; i < rank; i++) {
            is_partial = is_partial || offset[i] > extent[i] || extent[i] - offset[i] < chunk[i];
        }
    }
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    return is_partial;
}

static herr_t read_stored(hid_t dataset, const hsize_t *offset, stored *chunk)
{
#if H5_VERSION_GE(2, 0, 0)
    size_t n = (size_t)chunk->n_bytes;
    const herr_t read =
        H5Dread_chunk2(dataset, H5P_DEFAULT, offset, &chunk->mask, chunk->bytes, &n);
    return n == chunk->n_bytes ? read : -1;
#else
    return H5Dread_chunk(dataset, H5P_DEFAULT, offset, &chunk->mask, chunk->bytes);
#endif
}

static stoa_status load(hid_t dataset, hid_t dcpl, const hsize_t *offset, uint64_t chunk_bytes,
                        stored *chunk, stoa_error *err)
{
    hsize_t n_bytes = 0;
    const stoa_quiet quiet = stoa_quiet_begin();

    *chunk = (stored){.bytes = NULL};
    if (H5Dget_chunk_storage_size(dataset, offset, &n_bytes) >= 0 && n_bytes != 0) {
        chunk->n_bytes = n_bytes;
        chunk->is_huge = n_bytes > 2 * chunk_bytes + SPARE_BYTES;
    }
    if (n_bytes != 0 && !chunk->is_huge) {
        chunk->bytes = stoa_alloc(1, (size_t)n_bytes);
        if (chunk->bytes != NULL && read_stored(dataset, offset, chunk) < 0) {
            free(chunk->bytes);
            chunk->bytes = NULL;
        } else if (chunk->bytes == NULL) {
            stoa_quiet_end(&quiet);
            return stoa_fail_memory(err);
        }
    }
    if (is_never_filtered(dataset, dcpl, offset)) {
        chunk->mask = ~UINT32_C(0);
    }
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    return STOA_OK;
}

stoa_status stoa_chunk_unpacks(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                               uint64_t chunk_bytes, stoa_unpacked *unpacked, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stored chunk;

    *unpacked = STOA_UNPACKED_SHORT;
    STOA_TRY(load(dataset, dcpl, offset, chunk_bytes, &chunk, err));
    if (chunk.is_huge) {
        *unpacked = STOA_UNPACKED_UNKNOWN;
    } else if (chunk.bytes != NULL) {
        undoing c = {chunk.bytes, chunk.n_bytes, true};
        *unpacked = undo_all(dcpl, chunk.mask, chunk_bytes, &c);
    }

done:
    free(chunk.bytes);
    return status;
}

/* --- in full --------------------------------------------------------------------------------- */

bool stoa_pipeline_of(hid_t dcpl, size_t element_size, uint64_t chunk_rows, stoa_pipeline *pipeline)
{
    const int n = H5Pget_nfilters(dcpl);

    *pipeline = (stoa_pipeline){.chunk_bytes = (size_t)chunk_rows * element_size,
                                .element_size = element_size,
                                .simd = stoa_simd_of_cpu()};
    if (n < 0 || n > STOA_MAX_FILTERS) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        stoa_filter *filter = &pipeline->filters[i];
        unsigned flags = 0;
        size_t n_values = STOA_MAX_FILTER_VALUES;
        const H5Z_filter_t id =
            H5Pget_filter2(dcpl, (unsigned)i, &flags, &n_values, filter->values, 0, NULL, NULL);
        if (id < 0 || n_values > STOA_MAX_FILTER_VALUES) {
            return false;
        }
        filter->id = (uint32_t)id;
        filter->n_values = (uint32_t)n_values;
    }
    pipeline->n_filters = (size_t)n;
    return n == 0 || stoa_pipeline_is_known(pipeline);
}

stoa_status stoa_chunk_decode(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                              const stoa_pipeline *pipeline, stoa_scratch *scratch,
                              const uint8_t **bytes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    uint8_t *out = NULL;
    stored chunk;

    *bytes = NULL;
    STOA_TRY(load(dataset, dcpl, offset, pipeline->chunk_bytes, &chunk, err));
    if (chunk.n_bytes == 0) {
        goto done; /* never written */
    }
    if (chunk.bytes == NULL) {
        STOA_FAIL(err, STOA_EDATA, "a chunk cannot be read: the file is damaged");
    }
    out = stoa_scratch_block(scratch, 0, pipeline->chunk_bytes);
    if (out == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    status = stoa_pipeline_undo(pipeline, chunk.mask, chunk.bytes, (size_t)chunk.n_bytes, scratch,
                                out, bytes, &why);
    if (status != STOA_OK) {
        STOA_FAIL(err, status, "the chunk from row %llu on: %s", (unsigned long long)offset[0],
                  why.message);
    }
    if (*bytes == chunk.bytes) {
        memcpy(out, *bytes, pipeline->chunk_bytes);
        *bytes = out;
    }

done:
    free(chunk.bytes);
    return status;
}
