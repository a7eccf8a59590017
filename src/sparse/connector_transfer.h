/* What the files of reads and writes under the connector share: connector_transfer.c walks the
 * selections and moves elements of fixed size, connector_variable.c has the others, and
 * connector_pieces.c has what both need. */
#ifndef STOA_SPARSE_CONNECTOR_TRANSFER_H
#define STOA_SPARSE_CONNECTOR_TRANSFER_H

#include "sparse/connector_dataset.h"
#include "sparse/selection.h"

/* A run of a selection, what is left of it. */
typedef struct stoa_side {
    stoa_selection_walk walk;
    bool is_plain; /* element after element from 0 on: H5S_BLOCK */
    uint64_t first;
    uint64_t n;
} stoa_side;

/* A run in both selections. */
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
    uint64_t n_left; /* elements */
    hid_t file_type;
    hid_t memory_type;
    hid_t dxpl;
    size_t file_size;   /* of an element, as libhdf5 has the file's in memory */
    size_t stored_size; /* the same in section 1 */
    size_t memory_size; /* of an element */
    bool converts;
    bool merges;             /* parts of an element may not be converted: they stay as they are */
    stoa_variable *variable; /* elements of variable length; NULL: they are of fixed size */
    stoa_buffer parts;
    stoa_buffer values;     /* room for a piece, converted in place */
    stoa_buffer background; /* what is where they go */
} stoa_transfer;

/* Where stored elements come from or go to, one after the other. */
typedef struct stoa_stream {
    uint8_t *to; /* NULL: they are written, `from` */
    const uint8_t *from;
    /* Their data of variable length; NULL: none. */
    uint64_t *lengths;
    stoa_buffer *heap;      /* appended to */
    const uint8_t *heap_at; /* the other way */
} stoa_stream;

/* Stored elements of all parts at hand, packed. */
stoa_status stoa_transfer_stored(const stoa_transfer *t, stoa_stream stream, stoa_error *err);
/* The same between the store and the buffer of the call, as no conversion is needed. */
stoa_status stoa_transfer_parts(const stoa_transfer *t, uint8_t *to, const uint8_t *from,
                                stoa_error *err);
/* Elements in memory of all parts, in and out of `packed`. */
void stoa_transfer_pack(const stoa_transfer *t, const uint8_t *buf, uint8_t *packed);
void stoa_transfer_unpack(const stoa_transfer *t, const uint8_t *packed, uint8_t *buf);

/* --- elements of variable length ------------------------------------------------------------- */

/* What moving them takes, in t->variable; free with stoa_variable_close() in any case. */
stoa_status stoa_variable_open(stoa_transfer *t, bool is_read, stoa_error *err);
void stoa_variable_close(stoa_transfer *t);
/* The parts at hand, n elements. */
stoa_status stoa_variable_read(stoa_transfer *t, uint64_t n, uint8_t *buf, stoa_error *err);
stoa_status stoa_variable_write(stoa_transfer *t, uint64_t n, const uint8_t *buf, stoa_error *err);

#endif
