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

/* In a block of at least `room` bytes. */
static stoa_status load(hid_t dataset, hid_t dcpl, const hsize_t *offset, uint64_t chunk_bytes,
                        uint64_t room, stored *chunk, stoa_error *err)
{
    hsize_t n_bytes = 0;
    const stoa_quiet quiet = stoa_quiet_begin();

    *chunk = (stored){.bytes = NULL};
    if (H5Dget_chunk_storage_size(dataset, offset, &n_bytes) >= 0 && n_bytes != 0) {
        chunk->n_bytes = n_bytes;
        chunk->is_huge = n_bytes > 2 * chunk_bytes + SPARE_BYTES;
    }
    if (n_bytes != 0 && !chunk->is_huge) {
        chunk->bytes = stoa_alloc(1, (size_t)(n_bytes > room ? n_bytes : room));
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
    STOA_TRY(load(dataset, dcpl, offset, chunk_bytes, 0, &chunk, err));
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

/* --- shuffled and deflated ones in full ------------------------------------------------------ */

bool stoa_pipeline_is_plain(hid_t dcpl)
{
    const int n_filters = H5Pget_nfilters(dcpl);
    bool is_plain = n_filters > 0 && n_filters < 32;

    for (int i = 0; is_plain && i < n_filters; i++) {
        unsigned flags = 0;
        size_t n = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(dcpl, (unsigned)i, &flags, &n, NULL, 0, NULL, NULL);
        is_plain =
            filter == H5Z_FILTER_SHUFFLE || (filter == H5Z_FILTER_DEFLATE && i == n_filters - 1);
    }
    return is_plain;
}

/* Exactly `room` bytes, or the chunk is damaged. */
static bool inflate_whole(const uint8_t *bytes, uint64_t n_bytes, uint8_t *out, uint64_t room)
{
    uLongf n = (uLongf)room;

    return uncompress(out, &n, bytes, (uLong)n_bytes) == Z_OK && n == room;
}

/* First bytes of all elements, then second ones, and so on; what is no whole element follows. */
static void unshuffle(const uint8_t *bytes, uint64_t n_bytes, size_t size, uint8_t *out)
{
    const uint64_t n = size == 0 ? 0 : n_bytes / size;

    for (size_t k = 0; k < size; k++) {
        const uint8_t *from = bytes + k * n;
        uint8_t *to = out + k;
        for (uint64_t i = 0; i < n; i++, to += size) {
            *to = from[i];
        }
    }
    memcpy(out + n * size, bytes + n * size, (size_t)(n_bytes - n * size));
}

/* Undo the filters; the chunk's block and the spare one, both of `chunk_bytes` or more, take turns.
 */
static bool undo_plainly(hid_t dcpl, uint32_t mask, stored *chunk, uint64_t chunk_bytes,
                         uint8_t **spare)
{
    for (int i = H5Pget_nfilters(dcpl); i-- > 0;) {
        unsigned element_size[1] = {1};
        size_t n = 1;
        unsigned flags = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(dcpl, (unsigned)i, &flags, &n, element_size, 0, NULL, NULL);
        uint8_t *const before = chunk->bytes;

        if ((mask >> i & 1) != 0 || (filter == H5Z_FILTER_SHUFFLE && element_size[0] <= 1)) {
            continue;
        }
        if (filter == H5Z_FILTER_DEFLATE) {
            if (!inflate_whole(chunk->bytes, chunk->n_bytes, *spare, chunk_bytes)) {
                return false;
            }
        } else if (chunk->n_bytes != chunk_bytes) {
            return false;
        } else {
            unshuffle(chunk->bytes, chunk_bytes, element_size[0], *spare);
        }
        chunk->bytes = *spare;
        chunk->n_bytes = chunk_bytes;
        *spare = before;
    }
    return chunk->n_bytes == chunk_bytes;
}

stoa_status stoa_chunk_decode(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                              uint64_t chunk_bytes, uint8_t **bytes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *spare = NULL;
    stored chunk;

    *bytes = NULL;
    STOA_TRY(load(dataset, dcpl, offset, chunk_bytes, chunk_bytes, &chunk, err));
    if (chunk.n_bytes == 0) {
        goto done; /* never written */
    }
    spare = stoa_alloc(1, (size_t)chunk_bytes);
    if (spare == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (chunk.bytes == NULL || !undo_plainly(dcpl, chunk.mask, &chunk, chunk_bytes, &spare)) {
        STOA_FAIL(err, STOA_EDATA, "a chunk does not unpack to its rows: the file is damaged");
    }
    *bytes = chunk.bytes;
    chunk.bytes = NULL;

done:
    free(spare);
    free(chunk.bytes);
    return status;
}
