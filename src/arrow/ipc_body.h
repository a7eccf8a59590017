/* The body of a batch in an Arrow file: the buffers of its arrays, in order. */
#ifndef STOA_ARROW_IPC_BODY_H
#define STOA_ARROW_IPC_BODY_H

#include "arrow/read.h"
#include "core/memory.h"

/* Bytes of a body, borrowed from the array or owned by the body. */
typedef struct stoa_ipc_piece {
    const void *bytes;
    uint64_t size;
    void *own; /* NULL: borrowed */
} stoa_ipc_piece;

typedef struct stoa_ipc_body {
    stoa_buffer nodes;  /* pairs of int64_t: number of values, number of nulls */
    stoa_buffer pieces; /* stoa_ipc_piece */
} stoa_ipc_body;

/* Append an array with all its children. The body borrows from it. A sliced array is written from
 * its first value on; bits and offsets are shifted. */
stoa_status stoa_ipc_body_add(stoa_ipc_body *body, const stoa_view *view, stoa_error *err);
/* _clear() empties the body for the next batch; _free() also frees its memory. */
void stoa_ipc_body_clear(stoa_ipc_body *body);
void stoa_ipc_body_free(stoa_ipc_body *body);

const stoa_ipc_piece *stoa_ipc_body_pieces(const stoa_ipc_body *body);
size_t stoa_ipc_body_n_pieces(const stoa_ipc_body *body);
/* Size in bytes, with each piece padded to a multiple of 8. */
uint64_t stoa_ipc_body_size(const stoa_ipc_body *body);

/* Padding to the next multiple of 8 bytes. */
static inline uint64_t stoa_ipc_padding(uint64_t n)
{
    return (8 - n % 8) % 8;
}

#endif
