/* What src/hdf/read/direct*.c share. */
#ifndef STOA_HDF_DIRECT_PARTS_H
#define STOA_HDF_DIRECT_PARTS_H

#include "hdf/chunk/chunk_map.h"
#include "hdf/file/descriptor.h"
#include "hdf/read/direct.h"

struct stoa_direct {
    const stoa_descriptor *file; /* the read context's */
    stoa_chunk_cache *cache;     /* the read context's */
    uint64_t owner;              /* in the cache, of chunks; */
    uint64_t cell_owner;         /* of cells: few rows next to each other; */
    uint64_t head_owner;         /* and of the heads of packed chunks */
    uint64_t cell_rows;
    uint64_t extent;
    uint64_t chunk_rows;
    size_t element_size;
    bool swaps;     /* the bytes of every element */
    bool is_shared; /* by readers that go through it at the same time */
    bool is_chunked;
    uint64_t address;          /* of a contiguous dataset; HADDR_UNDEF: never written */
    stoa_chunk_map map;        /* of a chunked one */
    uint64_t first_unfiltered; /* chunks from this one on passed no filter; UINT64_MAX: none such */
    stoa_pipeline pipeline;    /* contiguous: without filters */
    uint8_t *fill;             /* one element in memory form; NULL: zeros */
};

/* Blocks of a scratch: what lies in the file, and what it becomes. The pipeline has the third. */
enum { STOA_STORED_BLOCK = 0, STOA_CHUNK_BLOCK = 1 };

/* Whether a chunk lies in the file as its elements do. */
bool stoa_direct_is_raw(const stoa_direct *direct, uint64_t chunk, uint32_t mask);

/* Rows of a chunk that lie before the extent; 0 past it. */
uint64_t stoa_direct_rows_in(const stoa_direct *direct, uint64_t chunk);
/* Where a chunk lies; false where it was never written. The last one of a contiguous dataset is as
 * long as its rows. */
bool stoa_direct_locate(const stoa_direct *direct, uint64_t chunk, stoa_chunk_place *place);
/* Name the chunk; the caller knows the dataset. */
stoa_status stoa_direct_blame(const stoa_direct *direct, uint64_t chunk, stoa_status status,
                              const stoa_error *why, stoa_error *err);
/* n bytes from byte `skip` of the chunk on. */
stoa_status stoa_direct_load(const stoa_direct *direct, const stoa_chunk_place *place,
                             uint64_t skip, uint64_t n, void *out, stoa_error *err);
/* Swapped where that is what stands between the file and memory. */
void stoa_direct_turn(const stoa_direct *direct, void *elements, uint64_t n);
/* n elements of the fill value. */
void stoa_direct_fill(const stoa_direct *direct, uint64_t n, uint8_t *out);
/* More bytes than a filter makes of its rows. */
bool stoa_direct_is_too_large(const stoa_direct *direct, const stoa_chunk_place *place);
/* A filtered chunk as it lies in the file. */
stoa_status stoa_direct_load_stored(const stoa_direct *direct, const stoa_chunk_place *place,
                                    stoa_scratch *scratch, uint8_t **stored, stoa_error *err);
/* A whole chunk in memory form: in `out`, which is aligned, or elsewhere in the scratch. */
stoa_status stoa_direct_unpack(const stoa_direct *direct, uint64_t chunk,
                               const stoa_chunk_place *place, stoa_scratch *scratch, uint8_t *out,
                               const uint8_t **elements, stoa_error *err);

#endif
