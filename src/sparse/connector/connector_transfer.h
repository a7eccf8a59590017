/* Reads and writes under the connector. connector_transfer.c walks the selections and moves
 * elements of fixed size, connector_variable.c moves variable-length elements, and
 * connector_pack.c has what both need. */
#ifndef STOA_SPARSE_CONNECTOR_TRANSFER_H
#define STOA_SPARSE_CONNECTOR_TRANSFER_H

#include "sparse/connector/connector_dataset.h"
#include "sparse/store/selection.h"

/* The rest of the current run of a selection. */
typedef struct stoa_side {
    stoa_selection_walk walk;
    bool is_plain; /* H5S_BLOCK: consecutive elements from 0 on */
    uint64_t first;
    uint64_t n;
} stoa_side;

/* A run that is contiguous in both selections. */
typedef struct stoa_run_part {
    uint64_t in_file;
    uint64_t in_memory;
    uint64_t n;
} stoa_run_part;

typedef struct stoa_variable stoa_variable;

typedef struct stoa_transfer {
    const stoa_link *link;
    stoa_store *store;
    unsigned rank;
    uint64_t extent[H5S_MAX_RANK]; /* in which elements of the file are numbered */
    stoa_side file;
    stoa_side memory;
    hid_t file_space;
    hid_t memory_space; /* or H5S_BLOCK */
    uint64_t n_left;    /* in elements */
    hid_t file_type;
    hid_t memory_type;
    hid_t dxpl;
    size_t file_size;   /* of an element of the file's type in memory */
    size_t stored_size; /* of an element in section 1 */
    size_t memory_size; /* of an element */
    bool converts;
    bool merges; /* only some members of an element are converted; the others keep their value */
    stoa_variable *variable; /* variable-length elements; NULL if the size is fixed */
    stoa_buffer parts;
    stoa_buffer values;     /* values of a piece, converted in place */
    stoa_buffer background; /* current values at the destination */
} stoa_transfer;

/* Source or destination of stored elements, one after the other. */
typedef struct stoa_stream {
    uint8_t *to; /* destination of a read; NULL for a write, which uses `from` */
    const uint8_t *from;
    /* Variable-length data of the elements. NULL if there are none. */
    uint64_t *lengths;
    stoa_buffer *heap;      /* destination of a read; appended to */
    const uint8_t *heap_at; /* source of a write */
} stoa_stream;

/* Move the stored elements of all current parts to or from packed form. */
stoa_status stoa_transfer_stored(const stoa_transfer *t, stoa_stream stream, stoa_error *err);
/* Move elements directly between the store and the caller's buffer, when no conversion is
 * needed. */
stoa_status stoa_transfer_parts(const stoa_transfer *t, uint8_t *to, const uint8_t *from,
                                stoa_error *err);
/* Gather the elements of all parts from the caller's buffer to `packed`, and scatter them back. */
void stoa_transfer_pack(const stoa_transfer *t, const uint8_t *buf, uint8_t *packed);
void stoa_transfer_unpack(const stoa_transfer *t, const uint8_t *packed, uint8_t *buf);

/* --- elements that form no long runs --------------------------------------------------------- */

/* Move all elements, which have a fixed size: read into `to`, or write from `from` if `to` is
 * NULL. */
stoa_status stoa_scatter_move(const stoa_transfer *t, uint8_t *to, const uint8_t *from,
                              stoa_error *err);
/* Write a regular hyperslab of single elements, without merging members (connector_strided.c). */
stoa_status stoa_scatter_write_lines(const stoa_transfer *t, const uint8_t *from, stoa_error *err);

/* --- elements of variable length ------------------------------------------------------------- */

/* State of the transfer in t->variable. Free with stoa_variable_close(), also after a failure. */
stoa_status stoa_variable_open(stoa_transfer *t, bool is_read, stoa_error *err);
void stoa_variable_close(stoa_transfer *t);
/* Read or write the n elements of the current parts. */
stoa_status stoa_variable_read(stoa_transfer *t, uint64_t n, uint8_t *buf, stoa_error *err);
stoa_status stoa_variable_write(stoa_transfer *t, uint64_t n, const uint8_t *buf, stoa_error *err);

#endif
