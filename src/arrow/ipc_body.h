/* The body of a batch in an Arrow file: what its arrays are made of, one after the other. */
#ifndef STOA_ARROW_IPC_BODY_H
#define STOA_ARROW_IPC_BODY_H

#include "arrow/read.h"
#include "core/memory.h"

/* Bytes of a body: the array's, or the body's own. */
typedef struct stoa_ipc_piece {
    const void *bytes;
    uint64_t size;
    void *own; /* NULL: borrowed */
} stoa_ipc_piece;

typedef struct stoa_ipc_body {
    stoa_buffer nodes;  /* int64_t, two each: values, and how many of them are null */
    stoa_buffer pieces; /* stoa_ipc_piece */
} stoa_ipc_body;

/* One more array, and all in it. The body borrows from it. Parts of arrays begin with their first
 * value: bits and offsets are moved there. */
stoa_status stoa_ipc_body_add(stoa_ipc_body *body, const stoa_view *view, stoa_error *err);
/* Without arrays, for the next batch; and without memory. */
void stoa_ipc_body_clear(stoa_ipc_body *body);
void stoa_ipc_body_free(stoa_ipc_body *body);

const stoa_ipc_piece *stoa_ipc_body_pieces(const stoa_ipc_body *body);
size_t stoa_ipc_body_n_pieces(const stoa_ipc_body *body);
/* Each piece to the next multiple of 8 bytes. */
uint64_t stoa_ipc_body_size(const stoa_ipc_body *body);

/* Bytes that are missing to a multiple of 8. */
static inline uint64_t stoa_ipc_padding(uint64_t n)
{
    return (8 - n % 8) % 8;
}

#endif
