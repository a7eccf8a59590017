/*
 * Encoding and decoding of one structured chunk (docs/sparse-format.md §3).
 *
 * A stored chunk has a header and two or three sections, each with filters of its own. Section 0
 * holds the positions of the defined elements, section 1 their values in the file's datatype.
 * Section 2 holds the data of variable-length elements, if there are any. The input is untrusted.
 */
#ifndef STOA_SPARSE_CHUNK_H
#define STOA_SPARSE_CHUNK_H

#include <string.h>

#include "sparse/format/format.h"

typedef struct stoa_libhdf5_filter stoa_libhdf5_filter;

/* The state that one thread needs to pack and unpack chunks. Zero-initialise. */
typedef struct stoa_sparse_coder {
    stoa_scratch scratch;
    stoa_libhdf5_filter *foreign; /* filters that src/codec lacks; borrowed; may be NULL */
    stoa_buffer packed;           /* positions, before their filters */
} stoa_sparse_coder;

void stoa_sparse_coder_clear(stoa_sparse_coder *coder);
/* Open `foreign` of a coder if src/codec lacks a filter of the format. stoa_sparse_coder_close()
 * closes it and clears the coder. */
stoa_status stoa_sparse_coder_open(const stoa_sparse_format *format, stoa_sparse_coder *coder,
                                   stoa_error *err);
void stoa_sparse_coder_close(stoa_sparse_coder *coder);

/* A reusable buffer, aligned to 64 bytes. */
typedef struct stoa_room {
    uint8_t *data;
    size_t size;
} stoa_room;

stoa_status stoa_room_for(stoa_room *room, size_t size, stoa_error *err);

/* The defined elements of a chunk in memory. Zero-initialise; free with
 * stoa_sparse_chunk_clear(). */
typedef struct stoa_sparse_chunk {
    size_t n;            /* number of defined elements */
    uint32_t *positions; /* ascending, without duplicates */
    uint8_t *values;     /* n times stoa_sparse_value_size() */
    uint8_t *heap;       /* variable-length data, in the order of elements and slots */
    size_t n_heap;       /* in bytes */
    stoa_room rooms[STOA_MAX_SECTIONS]; /* storage behind the pointers above */
} stoa_sparse_chunk;

void stoa_sparse_chunk_clear(stoa_sparse_chunk *chunk);
/* Make space for n elements, which replace the current ones. */
stoa_status stoa_sparse_chunk_room(stoa_sparse_chunk *chunk, size_t n, size_t value_size,
                                   stoa_error *err);

/* Index of the first element at or after `position`; chunk->n if there is none. */
static inline size_t stoa_sparse_chunk_find(const stoa_sparse_chunk *chunk, uint32_t position)
{
    size_t low = 0;
    size_t high = chunk->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (chunk->positions[middle] < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Copy one value. Sizes of common numbers have their own branch. */
static inline void stoa_value_copy(uint8_t *to, const uint8_t *value, size_t size)
{
    if (size == 8) {
        memcpy(to, value, 8);
    } else if (size == 4) {
        memcpy(to, value, 4);
    } else {
        memcpy(to, value, size);
    }
}

/* One section as stored in the file. */
typedef struct stoa_stored_section {
    const uint8_t *bytes;
    size_t n_bytes;
    size_t n_original; /* before its filters */
    uint32_t mask;     /* bit i: filter i was skipped */
} stoa_stored_section;

/* A chunk split into its sections, still packed. Points into the chunk. */
typedef struct stoa_split_chunk {
    size_t n;        /* number of defined elements */
    bool is_long;    /* section 2 is in the global heap (long_chunk.h) */
    unsigned n_sums; /* number of leading sections with a checksum */
    stoa_stored_section sections[STOA_MAX_SECTIONS];
    const uint8_t *fill; /* if format->fill_is_elsewhere: element_size bytes, or NULL */
} stoa_split_chunk;

/*
 * Split a chunk into its sections and verify its checksums. Older chunks have no checksum of their
 * last section (sparse RFC §2.3.4).
 *
 * @return STOA_EDATA if header, lengths or checksums contradict each other or the format
 */
stoa_status stoa_sparse_chunk_split(const stoa_sparse_format *format, const uint8_t *bytes,
                                    size_t n_bytes, stoa_split_chunk *chunk, stoa_error *err);
/* Whether the first bytes of a chunk mark its section 2 as stored in the heap. */
bool stoa_sparse_chunk_is_marked_long(const uint8_t *bytes, size_t n_bytes);
/* Number of bytes that suffice for stoa_sparse_chunk_claim(). */
#define STOA_CHUNK_HEAD 128
/*
 * Read the number of defined elements from a chunk's header, before any checksum is verified.
 *
 * @param head     the first n_head bytes: STOA_CHUNK_HEAD, or the whole chunk
 * @param n_bytes  of the chunk
 * @return whether the sizes are consistent and the number is plausible for a chunk of n_bytes
 */
bool stoa_sparse_chunk_claim(const stoa_sparse_format *format, const uint8_t *head, size_t n_head,
                             uint64_t n_bytes, uint64_t *n);
/* Append a chunk with these sections to `out`. The sections have passed their filters already. */
stoa_status stoa_sparse_chunk_join(const stoa_sparse_format *format, const stoa_split_chunk *chunk,
                                   stoa_buffer *out, stoa_error *err);

/* Whether src/codec has all filters of a section. Other filters need coder->foreign. */
bool stoa_sparse_section_is_ours(const stoa_sparse_format *format, stoa_section which);

/*
 * Reverse the filters of one section.
 *
 * @param n_original  bytes that the section must unpack to
 * @param out         space for n_original bytes, aligned to 64
 * @param[out] found  the unpacked bytes: `out`, or section->bytes if there was nothing to reverse
 */
stoa_status stoa_sparse_section_undo(const stoa_sparse_format *format, stoa_section which,
                                     const stoa_stored_section *section, stoa_sparse_coder *coder,
                                     uint8_t *out, const uint8_t **found, stoa_error *err);
/*
 * Apply the filters of one section.
 *
 * @param[out] section  points to the coder's scratch or to `bytes`; valid until the next call
 */
stoa_status stoa_sparse_section_apply(const stoa_sparse_format *format, stoa_section which,
                                      const uint8_t *bytes, size_t n_bytes,
                                      stoa_sparse_coder *coder, stoa_stored_section *section,
                                      stoa_error *err);

/* Pack a chunk and append it to `out`. A chunk without defined elements is packed to a few bytes
 * too. */
stoa_status stoa_sparse_chunk_pack(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                                   const uint8_t *fill, stoa_sparse_coder *coder, stoa_buffer *out,
                                   stoa_error *err);

/* Unpack the first `n_sections` of a chunk; 1 gives the positions only. */
stoa_status stoa_sparse_chunk_unpack(const stoa_sparse_format *format, const uint8_t *bytes,
                                     size_t n_bytes, unsigned n_sections, stoa_sparse_coder *coder,
                                     stoa_sparse_chunk *chunk, stoa_error *err);

/* Unpack positions and, if requested, values, for formats without a heap. The chunk may point into
 * `bytes`, which must then outlive it, and may modify them. */
stoa_status stoa_sparse_chunk_view(const stoa_sparse_format *format, uint8_t *bytes, size_t n_bytes,
                                   bool wants_values, stoa_sparse_coder *coder,
                                   stoa_sparse_chunk *chunk, stoa_error *err);

#endif
