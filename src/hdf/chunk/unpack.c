/* Decodes chunks as far as necessary to know their length, or in full. */
#include "hdf/chunk/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec/bytes.h"
#include "codec/kernels/scaleoffset.h"
#include "core/memory.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/chunk/filters.h"

/* A filtered chunk may be longer than its rows, but not by much more than this. */
#define SPARE_BYTES ((uint64_t)1 << 20)
/* Parameters of a filter that are read. */
#define N_PARAMETERS 8

/* A chunk while its filters are undone. */
typedef struct undoing {
    const uint8_t *bytes;
    uint64_t n_bytes;
    bool has_bytes; /* `bytes` are known, not only their number */
} undoing;

/* The inflated size, counted up to `enough`; 0 if the bytes are damaged. */
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

/* Whether scale-offset data has all bits of its elements. libhdf5 1.14 reads them without this
 * check. The first 4 bytes, little-endian, give the bits per element; the elements begin at
 * byte 21. */
static bool has_all_bits(const undoing *c, uint64_t n_elements, uint64_t element_size)
{
    enum { HEADER = 21 };

    if (c->n_bytes < HEADER) {
        return false;
    }
    const uint64_t bits = stoa_get_le32(c->bytes);
    return bits <= 8 * element_size && (n_elements * bits + 7) / 8 <= c->n_bytes - HEADER;
}

/* Whether n-bit or scale-offset leaves a chunk unchanged. Parameters 2 and 4 are the number and the
 * size of elements. Parameter 1 of n-bit says that it does nothing. Parameter 1 of scale-offset is
 * the number of bits of an integer that it stores, which may be all. */
static bool is_left_as_it_was(H5Z_filter_t filter, const unsigned *parameters)
{
    return filter == H5Z_FILTER_NBIT
               ? parameters[1] != 0
               : parameters[0] != H5Z_SO_FLOAT_DSCALE && parameters[1] == 8 * parameters[4];
}

/* Undo one filter as far as the length requires. */
static stoa_unpacked undo(H5Z_filter_t filter, const unsigned *parameters, uint64_t enough,
                          undoing *c)
{
    const bool needs_bytes = filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SZIP;

    if (needs_bytes && !c->has_bytes) {
        return STOA_UNPACKED_UNKNOWN;
    }
    switch (filter) {
    case H5Z_FILTER_FLETCHER32: /* a checksum after the bytes */
        if (c->n_bytes < 4) {
            return STOA_UNPACKED_SHORT;
        }
        c->n_bytes -= 4;
        return STOA_UNPACKED_WHOLE;
    case H5Z_FILTER_DEFLATE:
        c->n_bytes = inflated_size(c->bytes, c->n_bytes, enough);
        break;
    case H5Z_FILTER_SZIP: /* the decoded length before the bytes, little-endian */
        if (c->n_bytes < 4) {
            return STOA_UNPACKED_SHORT;
        }
        c->n_bytes = stoa_get_le32(c->bytes);
        break;
    case H5Z_FILTER_NBIT:
        if (is_left_as_it_was(filter, parameters)) {
            return STOA_UNPACKED_WHOLE;
        }
        c->n_bytes = (uint64_t)parameters[2] * parameters[4];
        break;
    case H5Z_FILTER_SCALEOFFSET:
        if (is_left_as_it_was(filter, parameters)) {
            return STOA_UNPACKED_WHOLE;
        }
        if (c->has_bytes && !has_all_bits(c, parameters[2], parameters[4])) {
            return STOA_UNPACKED_SHORT;
        }
        c->n_bytes = (uint64_t)parameters[2] * parameters[4];
        break;
    default: /* shuffle, which does not change the length */
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
            return STOA_UNPACKED_WHOLE; /* a plugin's, which must check its data itself */
        }
        /* Each filter before this one may have appended a checksum. */
        unpacked = undo(filter, parameters, chunk_bytes + 4 * (uint64_t)at, c);
    }
    if (unpacked == STOA_UNPACKED_WHOLE && c->n_bytes < chunk_bytes) {
        return STOA_UNPACKED_SHORT;
    }
    return unpacked;
}

static bool is_unfiltered_edge(hid_t dataset, hid_t dcpl, const hsize_t *offset)
{
    hsize_t chunk[H5S_MAX_RANK];
    hsize_t extent[H5S_MAX_RANK];
    bool is_partial = false;

    if (!stoa_edges_are_unfiltered(dcpl)) {
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

static herr_t read_stored(hid_t dataset, const hsize_t *offset, stoa_loaded_chunk *chunk)
{
    return stoa_raw_chunk_read(dataset, offset, (size_t)chunk->n_bytes, chunk->bytes, &chunk->mask);
}

static int note_mask(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                     void *context)
{
    stoa_loaded_chunk *chunk = context;

    (void)offset;
    (void)address;
    (void)n_bytes;
    chunk->mask = mask;
    return H5_ITER_STOP;
}

/* Look up the mask of a dataset's only chunk in the index itself. libhdf5 (1.14, 2.1) remembers the
 * address of a chunk with its previous mask, so H5Dread_chunk() may return a wrong one after
 * H5Dwrite_chunk(). If there are more chunks, the writer makes libhdf5 forget it (chunk_writer.c).
 */
static void look_up_mask(hid_t dataset, hid_t dcpl, stoa_loaded_chunk *chunk)
{
    hsize_t n_rows[H5S_MAX_RANK];
    hsize_t length[H5S_MAX_RANK];
    hid_t space = H5Dget_space(dataset);

    if (H5Sget_simple_extent_ndims(space) == 1 &&
        H5Sget_simple_extent_dims(space, n_rows, NULL) == 1 && H5Pget_chunk(dcpl, 1, length) == 1 &&
        n_rows[0] <= length[0]) {
        (void)stoa_chunks_list(dataset, note_mask, chunk, NULL);
    }
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
}

bool stoa_chunk_is_huge(uint64_t n_stored, uint64_t chunk_bytes)
{
    return n_stored > 2 * chunk_bytes + SPARE_BYTES;
}

stoa_status stoa_chunk_load(hid_t dataset, hid_t dcpl, const hsize_t *offset, uint64_t chunk_bytes,
                            stoa_loaded_chunk *chunk, stoa_error *err)
{
    hsize_t n_bytes = 0;
    const stoa_error_stack errors = stoa_error_stack_begin();

    *chunk = (stoa_loaded_chunk){.bytes = NULL};
    if (stoa_chunk_stored_bytes(dataset, offset, &n_bytes, NULL) != STOA_OK) {
        n_bytes = 0;
    }
    if (n_bytes != 0) {
        chunk->n_bytes = n_bytes;
        chunk->is_huge = stoa_chunk_is_huge(n_bytes, chunk_bytes);
    }
    if (n_bytes != 0 && !chunk->is_huge) {
        chunk->bytes = stoa_alloc(1, (size_t)n_bytes);
        if (chunk->bytes != NULL && read_stored(dataset, offset, chunk) < 0) {
            free(chunk->bytes);
            chunk->bytes = NULL;
            /* A chunk of fill values in libhdf5's cache counts as stored until it is evicted. */
            if (stoa_chunk_stored_bytes(dataset, offset, &n_bytes, NULL) == STOA_OK) {
                chunk->n_bytes = n_bytes;
            }
        } else if (chunk->bytes == NULL) {
            stoa_error_stack_end(&errors);
            return stoa_fail_memory(err);
        } else {
            look_up_mask(dataset, dcpl, chunk);
        }
    }
    if (is_unfiltered_edge(dataset, dcpl, offset)) {
        chunk->mask = ~UINT32_C(0);
    }
    stoa_error_stack_discard(&errors);
    return STOA_OK;
}

stoa_status stoa_chunk_look_up(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                               uint64_t chunk_bytes, stoa_error *err)
{
    stoa_loaded_chunk chunk;
    uint8_t nothing[1];
    const stoa_status status = stoa_chunk_load(dataset, dcpl, offset, chunk_bytes, &chunk, err);

    if (status == STOA_OK && chunk.n_bytes == 0) {
        /* Fill values that were read may still be in libhdf5's cache. This read evicts them. */
        stoa_loaded_chunk none = {.bytes = nothing};
        const stoa_error_stack errors = stoa_error_stack_begin();
        (void)read_stored(dataset, offset, &none);
        stoa_error_stack_discard(&errors);
    }
    free(chunk.bytes);
    return status;
}

stoa_status stoa_chunk_unpacks(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                               uint64_t chunk_bytes, stoa_unpacked *unpacked, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_loaded_chunk chunk;

    *unpacked = STOA_UNPACKED_SHORT;
    STOA_TRY(stoa_chunk_load(dataset, dcpl, offset, chunk_bytes, &chunk, err));
    if (chunk.is_huge) {
        *unpacked = STOA_UNPACKED_HUGE;
    } else if (chunk.bytes != NULL) {
        undoing c = {chunk.bytes, chunk.n_bytes, true};
        *unpacked = undo_all(dcpl, chunk.mask, chunk_bytes, &c);
    }

done:
    free(chunk.bytes);
    return status;
}

stoa_status stoa_chunk_check(hid_t dataset, hid_t dcpl, const hsize_t *offset, hsize_t chunk_rows,
                             uint64_t chunk_bytes, stoa_error *err)
{
    const unsigned long long row = offset[0];
    const unsigned long long number = row / chunk_rows;
    stoa_unpacked unpacked = STOA_UNPACKED_SHORT;
    hsize_t n_stored = 0;

    STOA_RETURN_NOT_OK(stoa_chunk_stored_bytes(dataset, offset, &n_stored, err));
    if (n_stored == 0) {
        return STOA_OK; /* never written: reads as the fill value, which has been checked */
    }
    if (H5Pget_nfilters(dcpl) == 0) {
        unpacked = n_stored < chunk_bytes ? STOA_UNPACKED_SHORT : STOA_UNPACKED_WHOLE;
    } else {
        STOA_RETURN_NOT_OK(stoa_chunk_unpacks(dataset, dcpl, offset, chunk_bytes, &unpacked, err));
    }
    switch (unpacked) {
    case STOA_UNPACKED_SHORT:
        return stoa_fail(err, STOA_EDATA,
                         "chunk %llu (rows from %llu on) is damaged: it is shorter than its rows",
                         number, row);
    case STOA_UNPACKED_HUGE:
        return stoa_fail(err, STOA_EDATA,
                         "chunk %llu (rows from %llu on) is damaged: its %llu bytes are more than "
                         "a filter makes of its rows",
                         number, row, (unsigned long long)n_stored);
    case STOA_UNPACKED_UNKNOWN:
        return stoa_fail(
            err, STOA_EDATA,
            "the filters of chunk %llu (rows from %llu on) are in an order that cannot be "
            "undone safely",
            number, row);
    default:
        return STOA_OK;
    }
}

bool stoa_filters_fit(hid_t dcpl, uint64_t chunk_bytes)
{
    bool is_shorter = false; /* the filters before may have made it shorter than the chunk */

    for (int i = 0; i < H5Pget_nfilters(dcpl); i++) {
        unsigned parameters[N_PARAMETERS] = {0};
        size_t n = N_PARAMETERS;
        unsigned flags = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(dcpl, (unsigned)i, &flags, &n, parameters, 0, NULL, NULL);
        const bool counts = filter == H5Z_FILTER_NBIT || filter == H5Z_FILTER_SCALEOFFSET;
        if (counts && !is_left_as_it_was(filter, parameters) &&
            (is_shorter || (uint64_t)parameters[2] * parameters[4] != chunk_bytes)) {
            return false;
        }
        is_shorter =
            is_shorter || (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32);
    }
    return true;
}

/* --- full decoding --------------------------------------------------------------------------- */

stoa_status stoa_chunk_decode(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                              const stoa_pipeline *pipeline, stoa_scratch *scratch,
                              stoa_workers *workers, const uint8_t **bytes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    uint8_t *out = NULL;
    stoa_loaded_chunk chunk;

    *bytes = NULL;
    stoa_workers_lock(workers);
    status = stoa_chunk_load(dataset, dcpl, offset, pipeline->chunk_bytes, &chunk, err);
    stoa_workers_unlock(workers);
    if (status != STOA_OK) {
        goto done;
    }
    if (chunk.n_bytes == 0) {
        goto done; /* never written */
    }
    if (chunk.bytes == NULL) {
        STOA_FAIL(err, STOA_EDATA, "a chunk cannot be read: the file is damaged");
    }
    out = stoa_scratch_block(scratch, 0, pipeline->chunk_bytes);
    STOA_TRY(out != NULL ? STOA_OK : stoa_fail_memory(err));
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

/* Undo the filters behind scale-offset. `*bytes` is replaced by new memory. */
static stoa_status undo_behind(const stoa_pipeline *pipeline, uint32_t mask, stoa_scratch *scratch,
                               uint8_t **bytes, size_t *n, stoa_error *err)
{
    const size_t room = stoa_pipeline_bound(pipeline);
    stoa_status status = STOA_OK;

    for (size_t i = pipeline->n_filters - 1; i > 0 && status == STOA_OK; i--) {
        if ((mask >> i & 1) != 0) {
            continue;
        }
        uint8_t *const before = stoa_alloc_aligned(64, room);
        STOA_RETURN_NO_MEMORY(err, before);
        status = stoa_filter_undo(&pipeline->filters[i], *bytes, *n, scratch, before, room, n);
        free(*bytes);
        *bytes = before;
    }
    return status;
}

stoa_status stoa_chunk_float_packing(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                                     const stoa_pipeline *pipeline, stoa_scratch *scratch,
                                     stoa_float_packing *packing, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_loaded_chunk chunk = {.bytes = NULL};

    *packing = STOA_FLOATS_OTHERWISE;
    STOA_TRY(stoa_chunk_load(dataset, dcpl, offset, pipeline->chunk_bytes, &chunk, err));
    if (chunk.bytes != NULL && (chunk.mask & 1) == 0) {
        size_t n = (size_t)chunk.n_bytes;
        status = undo_behind(pipeline, chunk.mask, scratch, &chunk.bytes, &n, err);
        if (status == STOA_OK) {
            *packing = stoa_scaleoffset_is_rounded(chunk.bytes, n) ? STOA_FLOATS_ROUNDED
                                                                   : STOA_FLOATS_EXACT;
        }
        status = status == STOA_ENOMEM ? status : STOA_OK; /* damage is found by other checks */
    }

done:
    free(chunk.bytes);
    return status;
}
