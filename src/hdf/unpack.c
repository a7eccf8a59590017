/* Chunks unpacked as far as it takes to know how long they are. */
#include "hdf/unpack.h"

#include <stdlib.h>
#include <zlib.h>

#include "core/memory.h"

/* A packed chunk is hardly longer than an unpacked one. */
#define SPARE_BYTES ((uint64_t)1 << 20)
/* Parameters of a filter that are looked at. */
#define N_PARAMETERS 8

/* A chunk on its way back through the filters. */
typedef struct chunk {
    const uint8_t *bytes;
    uint64_t n_bytes;
    bool has_bytes; /* they are what the next filter would see */
} chunk;

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
                          chunk *c)
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

static stoa_unpacked undo_all(hid_t dcpl, uint32_t mask, uint64_t chunk_bytes, chunk *c)
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

stoa_status stoa_chunk_unpacks(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                               uint64_t chunk_bytes, stoa_unpacked *unpacked, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t n_bytes = 0;
    uint32_t mask = 0;
    uint8_t *bytes = NULL;
    chunk c = {.has_bytes = true};

    *unpacked = STOA_UNPACKED_SHORT;
    if (H5Dget_chunk_storage_size(dataset, offset, &n_bytes) < 0 || n_bytes == 0) {
        goto done;
    }
    if (n_bytes > 2 * chunk_bytes + SPARE_BYTES) {
        *unpacked = STOA_UNPACKED_UNKNOWN;
        goto done;
    }
    bytes = stoa_alloc(1, (size_t)n_bytes);
    if (bytes == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    if (H5Dread_chunk(dataset, H5P_DEFAULT, offset, &mask, bytes) >= 0) {
        c.bytes = bytes;
        c.n_bytes = n_bytes;
        *unpacked = undo_all(dcpl, mask, chunk_bytes, &c);
    }

done:
    free(bytes);
    return status;
}
