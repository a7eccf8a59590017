/* Where the chunks of a dataset lie: 16 bytes a stored chunk, and none for others. */
#ifndef STOA_HDF_CHUNK_MAP_H
#define STOA_HDF_CHUNK_MAP_H

#include "core/memory.h"

typedef struct stoa_chunk_place {
    uint64_t address; /* in the file, from its first byte on */
    uint32_t n_bytes; /* as stored */
    uint32_t mask;    /* filters that were left out */
} stoa_chunk_place;

/* Zero-initialise; add chunks, in ascending order of their numbers where that is no trouble, then
 * finish; free with stoa_chunk_map_clear(). */
typedef struct stoa_chunk_map {
    stoa_buffer places;  /* of stoa_chunk_place, by number */
    stoa_buffer numbers; /* of uint64_t; empty: place i is of chunk i */
    uint64_t n;
    uint64_t end;       /* of the bytes of all chunks so far */
    bool is_disordered; /* numbers or addresses do not ascend */
} stoa_chunk_map;

stoa_status stoa_chunk_map_add(stoa_chunk_map *map, uint64_t number, const stoa_chunk_place *place,
                               stoa_error *err);
/* STOA_EDATA where a chunk is there twice, or two share bytes. */
stoa_status stoa_chunk_map_finish(stoa_chunk_map *map, stoa_error *err);
void stoa_chunk_map_clear(stoa_chunk_map *map);

/* Number of the first chunk from `number` on that is stored; UINT64_MAX where there is none. */
uint64_t stoa_chunk_map_next(const stoa_chunk_map *map, uint64_t number);
/* NULL: never written. */
const stoa_chunk_place *stoa_chunk_map_find(const stoa_chunk_map *map, uint64_t number);

#endif
