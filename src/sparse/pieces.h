/* Chunks that are read by one thread and unpacked by another, as far as a box has them. */
#ifndef STOA_SPARSE_PIECES_H
#define STOA_SPARSE_PIECES_H

#include "sparse/store_parts.h"

/* Zero-initialise; free with stoa_piece_clear(). */
typedef struct stoa_piece {
    uint64_t offset[H5S_MAX_RANK];
    stoa_box part;                 /* of it in the box */
    const stoa_chunk_entry *entry; /* whose bytes are yet to be read into `raw`; NULL: none */
    stoa_buffer raw;
    uint32_t mask;
    const stoa_sparse_chunk *list; /* what is in the box; `chunk`, or a cached one's */
    bool is_all;                   /* the box has all of it */
    stoa_sparse_chunk chunk;
} stoa_piece;

/* What is to be unpacked, or is there already. Of a chunk that stoa_store_chunks() names; one
 * thread of a store at a time. */
stoa_status stoa_piece_open(stoa_store *store, const stoa_box *box, uint64_t number,
                            stoa_piece *piece, stoa_error *err);
/* The bytes, if stoa_piece_open() has left them to others, on any thread. */
stoa_status stoa_piece_load(const stoa_store *store, stoa_piece *piece, stoa_error *err);
/* On any thread. @param value_size  0: positions alone */
stoa_status stoa_piece_unpack(const stoa_store *store, size_t value_size, stoa_sparse_coder *coder,
                              stoa_piece *piece, stoa_error *err);
void stoa_piece_clear(stoa_piece *piece);

/* All of an array, which is freed. NULL is fine. */
void stoa_pieces_clear(stoa_piece *pieces, size_t n);
/* An array of `n` pieces with the memory that the last one left behind; NULL where memory ran out.
 * And back, before another is taken: if it is little, it stays for that; NULL is fine. */
stoa_piece *stoa_pieces_take(stoa_store *store, size_t n);
void stoa_pieces_give_back(stoa_store *store, stoa_piece *pieces);

#endif
