/* What src/hdf/direct*.c share. */
#ifndef STOA_HDF_DIRECT_PARTS_H
#define STOA_HDF_DIRECT_PARTS_H

#include "hdf/chunk_map.h"
#include "hdf/descriptor.h"
#include "hdf/direct.h"

struct stoa_direct {
    stoa_descriptor file;
    bool owns_file;
    stoa_chunk_cache *cache; /* borrowed; NULL: none */
    uint64_t owner;          /* in the cache, of chunks; */
    uint64_t cell_owner;     /* of cells: few rows next to each other; */
    uint64_t head_owner;     /* and of the heads of packed chunks */
    uint64_t cell_rows;
    uint64_t extent;
    uint64_t chunk_rows;
    size_t element_size;
    bool swaps; /* the bytes of every element */
    bool is_chunked;
    uint64_t address;          /* of a contiguous dataset; HADDR_UNDEF: never written */
    stoa_chunk_map map;        /* of a chunked one */
    uint64_t first_unfiltered; /* chunks from this one on passed no filter; UINT64_MAX: none such */
    stoa_pipeline pipeline;    /* contiguous: without filters */
    uint8_t *fill;             /* one element in memory form; NULL: zeros */
};

/* Whether a chunk lies in the file as its elements do. */
bool stoa_direct_is_raw(const stoa_direct *direct, uint64_t chunk, uint32_t mask);

#endif
