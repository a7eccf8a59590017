/*
 * One structured chunk: from positions and values to the bytes in the file, and back
 * (docs/sparse-format.md §3).
 *
 * A chunk in the file is a header, the positions of its defined elements (section 0), their values
 * in the file's datatype (section 1) and, where these have variable length, their data (section 2),
 * each section through filters of its own. Every byte that is read is taken for hostile.
 */
#ifndef STOA_SPARSE_CHUNK_H
#define STOA_SPARSE_CHUNK_H

#include <string.h>

#include "sparse/format.h"

typedef struct stoa_foreign stoa_foreign;

/* What one thread needs to pack and unpack chunks. Zero-initialise. */
typedef struct stoa_sparse_coder {
    stoa_scratch scratch;
    stoa_foreign *foreign; /* borrowed; filters that src/codec does not have. NULL: none of them */
    stoa_buffer packed;    /* positions, before their filters */
} stoa_sparse_coder;

void stoa_sparse_coder_clear(stoa_sparse_coder *coder);

/* Bytes aligned to 64, reused. */
typedef struct stoa_room {
    uint8_t *data;
    size_t size;
} stoa_room;

stoa_status stoa_room_for(stoa_room *room, size_t size, stoa_error *err);

/* A chunk's defined elements in memory. Zero-initialise; free with stoa_sparse_chunk_clear(). */
typedef struct stoa_sparse_chunk {
    size_t n;            /* of them */
    uint32_t *positions; /* ascending, none twice */
    uint8_t *values;     /* n times stoa_sparse_value_size() */
    uint8_t *heap;       /* data of variable length, in the order of elements and slots */
    size_t n_heap;       /* bytes */
    stoa_room rooms[STOA_MAX_SECTIONS]; /* that the pointers point into */
} stoa_sparse_chunk;

void stoa_sparse_chunk_clear(stoa_sparse_chunk *chunk);

/* The place of the first element from `position` on; chunk->n where there is none. */
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

/* One value, most often of a number. */
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

/* One section as it lies in the file. */
typedef struct stoa_stored_section {
    const uint8_t *bytes;
    size_t n_bytes;
    size_t n_original; /* before its filters */
    uint32_t mask;     /* bit i: filter i was left out */
} stoa_stored_section;

/* A chunk taken to pieces, nothing unpacked. Points into the chunk. */
typedef struct stoa_split_chunk {
    size_t n;        /* defined elements */
    bool is_long;    /* section 2 lies elsewhere, and what refers to it here (long_chunk.h) */
    unsigned n_sums; /* sections with a checksum: the first ones */
    stoa_stored_section sections[STOA_MAX_SECTIONS];
    const uint8_t *fill; /* where format->fill_is_elsewhere: element_size bytes, or NULL */
} stoa_split_chunk;

/*
 * Take a chunk to pieces and test its checksums: of all sections, or of all but the last in chunks
 * of before that had one (sparse RFC §2.3.4).
 *
 * @return STOA_EDATA where header, lengths or checksums disagree with each other or the format
 */
stoa_status stoa_sparse_chunk_split(const stoa_sparse_format *format, const uint8_t *bytes,
                                    size_t n_bytes, stoa_split_chunk *chunk, stoa_error *err);
/* Whether a chunk says so of its section 2, as far as its first bytes tell. */
bool stoa_sparse_chunk_says_long(const uint8_t *bytes, size_t n_bytes);
/* Bytes that are enough for stoa_sparse_chunk_claim(). */
#define STOA_CHUNK_HEAD 128
/*
 * How many elements a chunk says that it has, which no checksum has tested.
 *
 * @param head    its first bytes, n_head of them: STOA_CHUNK_HEAD or all
 * @param n_bytes of the chunk
 * @return whether sizes make sense, and it is no more than so many bytes may well hold
 */
bool stoa_sparse_chunk_claim(const stoa_sparse_format *format, const uint8_t *head, size_t n_head,
                             uint64_t n_bytes, uint64_t *n);
/* The other way: sections that passed their filters already, appended to `out`. */
stoa_status stoa_sparse_chunk_join(const stoa_sparse_format *format, const stoa_split_chunk *chunk,
                                   stoa_buffer *out, stoa_error *err);

/* Whether src/codec has all filters of a section; those of others a coder needs its foreign for. */
bool stoa_sparse_section_is_ours(const stoa_sparse_format *format, stoa_section which);

/*
 * One section through its filters, and back.
 *
 * @param n_original  bytes it must unpack to
 * @param out         room for n_original bytes, aligned to 64; unless nothing had to be undone, the
 *                    bytes; *found says where they are
 */
stoa_status stoa_sparse_section_undo(const stoa_sparse_format *format, stoa_section which,
                                     const stoa_stored_section *section, stoa_sparse_coder *coder,
                                     uint8_t *out, const uint8_t **found, stoa_error *err);
/* @param[out] section  its bytes are in the coder's scratch, or are `bytes`; good until the next */
stoa_status stoa_sparse_section_apply(const stoa_sparse_format *format, stoa_section which,
                                      const uint8_t *bytes, size_t n_bytes,
                                      stoa_sparse_coder *coder, stoa_stored_section *section,
                                      stoa_error *err);

/*
 * Pack a chunk; nothing of it is changed.
 *
 * @param out  the bytes are appended; a chunk without elements has some, too
 */
stoa_status stoa_sparse_chunk_pack(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                                   const uint8_t *fill, stoa_sparse_coder *coder, stoa_buffer *out,
                                   stoa_error *err);

/* Unpack the first `n_sections` of a chunk: 1 gives the positions alone. */
stoa_status stoa_sparse_chunk_unpack(const stoa_sparse_format *format, const uint8_t *bytes,
                                     size_t n_bytes, unsigned n_sections, stoa_sparse_coder *coder,
                                     stoa_sparse_chunk *chunk, stoa_error *err);

/* The same of positions and, where those are wanted, values, which may stay where they are in
 * `bytes`: these must stay, too, and may be written to as the chunk. Formats without a heap. */
stoa_status stoa_sparse_chunk_look(const stoa_sparse_format *format, uint8_t *bytes, size_t n_bytes,
                                   bool wants_values, stoa_sparse_coder *coder,
                                   stoa_sparse_chunk *chunk, stoa_error *err);

#endif
