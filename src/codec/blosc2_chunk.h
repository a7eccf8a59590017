/*
 * Decodes Blosc2 chunks block by block, without the library (c-blosc2's README_CHUNK_FORMAT). Also
 * decodes Blosc 1 chunks, which have a shorter header (c-blosc's README_CHUNK_FORMAT).
 *
 * Supports what writers of HDF5 files produce: codecs and filters built into Blosc2. Dictionaries,
 * delta, user-defined codecs and filters, lazy chunks and blocks of different lengths are refused.
 */
#ifndef STOA_CODEC_BLOSC2_CHUNK_H
#define STOA_CODEC_BLOSC2_CHUNK_H

#include "codec/filter.h"

enum { STOA_BLOSC2_FILTERS = 6, STOA_BLOSC2_BUFFERS = 3 };

/* Special chunks, by their number in the header. */
typedef enum stoa_blosc2_special {
    STOA_BLOSC2_BLOCKS = 0, /* not special: it has blocks */
    STOA_BLOSC2_ZEROS = 1,
    STOA_BLOSC2_NANS = 2,
    STOA_BLOSC2_VALUE = 3, /* one value, which follows the header */
    STOA_BLOSC2_UNSET = 4  /* undefined bytes: zeros here */
} stoa_blosc2_special;

typedef struct stoa_blosc2_chunk {
    const uint8_t *bytes;
    size_t n_bytes;
    size_t n_unpacked;
    size_t n_header;
    size_t block_bytes; /* of each block but the last; 1 to n_unpacked, or 0 if n_unpacked is 0 */
    size_t n_blocks;
    size_t item_bytes; /* element size that filters and streams use */
    unsigned codec;
    bool is_old;   /* Blosc 1 */
    bool is_split; /* one stream per byte of an element */
    bool is_plain; /* blocks are uncompressed and contiguous after the header */
    stoa_blosc2_special special;
    size_t n_filters;
    struct {
        bool is_bits; /* of bits, not bytes */
        size_t size;
    } shuffles[STOA_BLOSC2_FILTERS]; /* in the order of encoding */
} stoa_blosc2_chunk;

/* Working memory for decoding blocks. */
typedef struct stoa_blosc2_tools {
    stoa_coders *coders;
    uint8_t *buffers[STOA_BLOSC2_BUFFERS]; /* of block_bytes each; they do not overlap */
    stoa_simd simd;
} stoa_blosc2_tools;

/* Parse the header; false if it is invalid for n bytes, or unsupported. */
bool stoa_blosc2_chunk_of(const uint8_t *bytes, size_t n, stoa_blosc2_chunk *chunk);
/* The same for a Blosc 1 chunk; Snappy is also unsupported. */
bool stoa_blosc_chunk_of(const uint8_t *bytes, size_t n, stoa_blosc2_chunk *chunk);
/* The decoded size of a block in bytes. */
size_t stoa_blosc2_block_bytes(const stoa_blosc2_chunk *chunk, size_t block);
/* Decode one block of a chunk that has blocks into `out`; STOA_EDATA, STOA_ENOMEM. */
stoa_status stoa_blosc2_block(const stoa_blosc2_chunk *chunk, const stoa_blosc2_tools *tools,
                              size_t block, uint8_t *out);
/* Set up tools for blocks of n bytes. Returns one more buffer of that size; NULL if memory runs
 * out. */
uint8_t *stoa_blosc2_prepare(stoa_step *step, size_t n, stoa_blosc2_tools *tools);
/* Decode all blocks into the step's result. */
stoa_status stoa_blosc2_blocks(stoa_step *step, const stoa_blosc2_chunk *chunk);
/* Write bytes [first, first + n) of a special chunk. */
stoa_status stoa_blosc2_fill(const stoa_blosc2_chunk *chunk, size_t first, uint8_t *out, size_t n);

#endif
