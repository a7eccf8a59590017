/*
 * Chunks of Blosc2, unpacked block by block without its library (c-blosc2's README_CHUNK_FORMAT),
 * and those of Blosc, whose header is shorter (c-blosc's README_CHUNK_FORMAT).
 *
 * Only what writers of HDF5 files make: codecs and filters of Blosc2's own. Dictionaries, delta,
 * codecs and filters of users, lazy chunks and blocks of different lengths are refused.
 */
#ifndef STOA_CODEC_BLOSC2_CHUNK_H
#define STOA_CODEC_BLOSC2_CHUNK_H

#include "codec/filter.h"

enum { STOA_BLOSC2_FILTERS = 6, STOA_BLOSC2_BUFFERS = 3 };

/* What stands in a chunk's place, by the numbers of its header. */
typedef enum stoa_blosc2_special {
    STOA_BLOSC2_BLOCKS = 0, /* nothing: it has blocks */
    STOA_BLOSC2_ZEROS = 1,
    STOA_BLOSC2_NANS = 2,
    STOA_BLOSC2_VALUE = 3, /* one, which follows the header */
    STOA_BLOSC2_UNSET = 4  /* any bytes: zeros here */
} stoa_blosc2_special;

typedef struct stoa_blosc2_chunk {
    const uint8_t *bytes;
    size_t n_bytes;
    size_t n_unpacked;
    size_t n_header;
    size_t block_bytes; /* of each block but the last; 1 to n_unpacked, unless that is 0 */
    size_t n_blocks;
    size_t item_bytes; /* what filters and streams take for an element */
    unsigned codec;
    bool is_old;   /* of Blosc */
    bool is_split; /* a stream for each byte of an element */
    bool is_plain; /* blocks lie as they are behind the header */
    stoa_blosc2_special special;
    size_t n_filters;
    struct {
        bool is_bits; /* of bits, or of bytes */
        size_t size;
    } shuffles[STOA_BLOSC2_FILTERS]; /* as they were applied */
} stoa_blosc2_chunk;

/* Where blocks are unpacked. */
typedef struct stoa_blosc2_tools {
    stoa_coders *coders;
    uint8_t *buffers[STOA_BLOSC2_BUFFERS]; /* block_bytes each, that do not overlap */
    stoa_simd simd;
} stoa_blosc2_tools;

/* What the header says; false where that makes no sense in n bytes, or is refused. */
bool stoa_blosc2_chunk_of(const uint8_t *bytes, size_t n, stoa_blosc2_chunk *chunk);
/* The same of a chunk of Blosc; Snappy is refused as well. */
bool stoa_blosc_chunk_of(const uint8_t *bytes, size_t n, stoa_blosc2_chunk *chunk);
/* Bytes of a block. */
size_t stoa_blosc2_block_bytes(const stoa_blosc2_chunk *chunk, size_t block);
/* One block of a chunk that has blocks, into `out`; STOA_EDATA, STOA_ENOMEM. */
stoa_status stoa_blosc2_block(const stoa_blosc2_chunk *chunk, const stoa_blosc2_tools *tools,
                              size_t block, uint8_t *out);
/* The tools for blocks of so many bytes, and one more buffer of them; NULL: no memory. */
uint8_t *stoa_blosc2_prepare(stoa_step *step, size_t n, stoa_blosc2_tools *tools);
/* All blocks, one behind the other, as the step's result. */
stoa_status stoa_blosc2_blocks(stoa_step *step, const stoa_blosc2_chunk *chunk);
/* n bytes of a chunk that has none. */
stoa_status stoa_blosc2_fill(const stoa_blosc2_chunk *chunk, uint8_t *out, size_t n);

#endif
