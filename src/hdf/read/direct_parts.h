/* Internals shared by direct.c, direct_open.c and direct_rows.c. */
#ifndef STOA_HDF_DIRECT_PARTS_H
#define STOA_HDF_DIRECT_PARTS_H

#include "hdf/chunk/chunk_map.h"
#include "hdf/file/descriptor.h"
#include "hdf/read/direct.h"

struct stoa_direct {
    const stoa_descriptor *file; /* borrowed from the read context */
    stoa_chunk_cache *cache;     /* borrowed from the read context */
    uint64_t owner;              /* cache key of chunks */
    uint64_t cell_owner;         /* cache key of cells: short runs of rows */
    uint64_t head_owner;         /* cache key of the headers of scale-offset chunks */
    uint64_t cell_rows;
    uint64_t extent;
    uint64_t chunk_rows;  /* of a unit that is read: a chunk, or a part of it if is_cut */
    uint64_t stored_rows; /* of a chunk */
    size_t element_size;
    bool swaps;     /* the stored elements are in the other byte order */
    bool is_shared; /* several readers read it at the same time */
    bool is_chunked;
    bool is_cut;        /* large chunks of a filter that packs blocks: these are decoded alone */
    uint64_t address;   /* of a contiguous dataset; HADDR_UNDEF if it was never written */
    stoa_chunk_map map; /* of a chunked dataset */
    uint64_t first_unfiltered; /* chunks from here on are unfiltered; UINT64_MAX: none */
    stoa_pipeline pipeline;    /* has no filters if the dataset is contiguous */
    uint8_t *fill;             /* one element in memory form; NULL: zero bytes */
};

/* Blocks of a scratch: the stored bytes, and the decoded chunk. The pipeline uses the third. */
enum { STOA_STORED_BLOCK = 0, STOA_CHUNK_BLOCK = 1 };

/* Bytes of a chunk, or of a part of one, when decoded. */
static inline size_t stoa_direct_chunk_bytes(const stoa_direct *direct)
{
    return (size_t)direct->chunk_rows * direct->element_size;
}

/* Whether a chunk is stored unfiltered. That of a part is found out where it is decoded. */
bool stoa_direct_is_raw(const stoa_direct *direct, uint64_t chunk, uint32_t mask);

/* Rows of a chunk that are within the extent. */
uint64_t stoa_direct_rows_in(const stoa_direct *direct, uint64_t chunk);
/* Get the address and size of a chunk. False if it was never written. The last block of a
 * contiguous dataset is as long as its rows. */
bool stoa_direct_locate(const stoa_direct *direct, uint64_t chunk, stoa_chunk_place *place);
/* Fail with the reason `why`, naming the chunk. The caller adds the dataset. */
stoa_status stoa_direct_blame(const stoa_direct *direct, uint64_t chunk, stoa_status status,
                              const stoa_error *why, stoa_error *err);
/* Read n stored bytes of a chunk from byte `skip` on. */
stoa_status stoa_direct_load(const stoa_direct *direct, const stoa_chunk_place *place,
                             uint64_t skip, uint64_t n, void *out, stoa_error *err);
/* Swap the bytes of n elements if direct->swaps. */
void stoa_direct_turn(const stoa_direct *direct, void *elements, uint64_t n);
/* Whether a chunk has more bytes than a filter can produce from its rows. */
bool stoa_direct_is_too_large(const stoa_direct *direct, const stoa_chunk_place *place);
/* Read the stored bytes of a filtered chunk. */
stoa_status stoa_direct_load_stored(const stoa_direct *direct, const stoa_chunk_place *place,
                                    stoa_scratch *scratch, uint8_t **stored, stoa_error *err);
/* Decode a whole chunk to memory form. The result is in `out` or elsewhere in the scratch. */
stoa_status stoa_direct_unpack(const stoa_direct *direct, uint64_t chunk,
                               const stoa_chunk_place *place, stoa_scratch *scratch, uint8_t *out,
                               const uint8_t **elements, stoa_error *err);

#endif
