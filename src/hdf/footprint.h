/*
 * Where in a file its objects lie: every block that libhdf5 gives back when it deletes them, or may
 * give back when it edits them.
 *
 * libhdf5 1.14 gives back what an object says is its own, twice if it says so twice: it frees its
 * own memory over that (H5MF_xfree()), or hands out what others still have.
 */
#ifndef STOA_HDF_FOOTPRINT_H
#define STOA_HDF_FOOTPRINT_H

#include "core/memory.h"
#include "hdf/blocks.h"

/* A stretch of the file. */
typedef struct stoa_stretch {
    uint64_t first; /* as the file says addresses */
    uint64_t n;
    uint64_t owner; /* the address of the object */
} stoa_stretch;

/* Zero-initialise; free with stoa_footprint_clear(). */
typedef struct stoa_footprint {
    stoa_block file;       /* `file` and `journal` */
    unsigned group_tree_k; /* half the entries of a node in version 1 B-trees of groups, */
    unsigned group_leaf_k; /* and of a node of their symbols */
    unsigned chunk_tree_k;
    uint64_t end;           /* of the published file */
    stoa_buffer stretches;  /* of stoa_stretch */
    stoa_buffer references; /* uint64_t: the objects that links and datatypes lead to */
    stoa_status status;     /* STOA_ENOMEM: not all was seen */
    bool is_outside;        /* a block lies outside of the file */
    uint64_t broken;        /* an object that leads to a block of another kind; 0: none does */
    uint64_t n_bytes;       /* of all blocks: no more than the file has, if they lie apart */
} stoa_footprint;

/*
 * The blocks of one more object, as they were before this transaction, and the datatypes that it
 * refers to.
 *
 * @param n_parts, n_bytes  of its header, as libhdf5 has it; another one there is passed over, too:
 *                          the object was made, or has grown, since
 */
void stoa_footprint_add(stoa_footprint *footprint, uint64_t object, uint64_t n_parts,
                        uint64_t n_bytes);
/* One more block, and one more link to an object. */
bool stoa_footprint_add_block(stoa_footprint *footprint, uint64_t owner, uint64_t first,
                              uint64_t n);
/* The file ends there, which was not known before. */
void stoa_footprint_end_at(stoa_footprint *footprint, uint64_t end);
void stoa_footprint_add_link(stoa_footprint *footprint, uint64_t object);

/* Whether the blocks from byte `from` of the list on lie apart; else the objects that two which
 * overlap belong to. Sorts them. */
bool stoa_footprint_is_apart(stoa_footprint *footprint, size_t from, uint64_t owners[2]);
void stoa_footprint_clear(stoa_footprint *footprint);

/* --- for its parts --------------------------------------------------------------------------- */

/* The object that is looked at. */
typedef struct stoa_footprint_object {
    stoa_footprint *footprint;
    uint64_t address;
    uint64_t chunk_bytes; /* of a chunk that no filter packed */
    bool is_filtered;
    unsigned rank;
} stoa_footprint_object;

/* A block of the object; false: the look is over. */
bool stoa_footprint_take(void *object, uint64_t first, uint64_t n);
/* `n` bytes at an address of the file; false: there are none. */
bool stoa_footprint_read(const stoa_footprint_object *o, uint64_t address, void *out, size_t n);
/* Whether there is a block with that signature; false: libhdf5 is led astray, or nowhere. */
bool stoa_footprint_finds(const stoa_footprint_object *o, uint64_t address, const char *signature);
/* A block cannot be what it should: the look goes on without it. */
bool stoa_footprint_pass_over(const stoa_footprint_object *o);

/* Each of them false where the look is over. */
bool stoa_footprint_fixed_array(stoa_footprint_object *o, uint64_t header); /* footprint_arrays.c */
bool stoa_footprint_extensible_array(stoa_footprint_object *o, uint64_t header);
bool stoa_footprint_fractal_heap(stoa_footprint_object *o, uint64_t header); /* footprint_heap.c */

#endif
