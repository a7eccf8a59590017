/* Addresses of the stored chunks of a dataset, 16 bytes each. Chunks that are not stored take no
 * memory. */
#ifndef STOA_HDF_CHUNK_MAP_H
#define STOA_HDF_CHUNK_MAP_H

#include "core/memory.h"

typedef struct stoa_chunk_place {
    uint64_t address; /* physical, from the start of the file */
    uint32_t n_bytes; /* as stored */
    uint32_t mask;    /* filters that were skipped */
} stoa_chunk_place;

/* Zero-initialise. Add chunks, preferably in ascending order of their numbers, then finish. Free
 * with stoa_chunk_map_clear(). */
typedef struct stoa_chunk_map {
    stoa_buffer places;  /* stoa_chunk_place, ordered by chunk number */
    stoa_buffer numbers; /* uint64_t; empty: place i is that of chunk i */
    uint64_t n;
    uint64_t end;       /* end address of the chunk that was added last */
    bool is_disordered; /* numbers or addresses do not ascend */
} stoa_chunk_map;

stoa_status stoa_chunk_map_add(stoa_chunk_map *map, uint64_t number, const stoa_chunk_place *place,
                               stoa_error *err);
/* STOA_EDATA if a chunk is listed twice, or two chunks overlap. */
stoa_status stoa_chunk_map_finish(stoa_chunk_map *map, stoa_error *err);
void stoa_chunk_map_clear(stoa_chunk_map *map);

/* Number of the first stored chunk from `number` on; UINT64_MAX if there is none. */
uint64_t stoa_chunk_map_next(const stoa_chunk_map *map, uint64_t number);
/* NULL if the chunk was never written. */
const stoa_chunk_place *stoa_chunk_map_find(const stoa_chunk_map *map, uint64_t number);

#endif
