/*
 * Collects the blocks that objects occupy in a file: every block that libhdf5 frees when it deletes
 * them, or may free when it edits them.
 *
 * libhdf5 1.14 frees whatever an object claims as its own, and frees it twice if the object claims
 * it twice. Then it corrupts its own memory (H5MF_xfree()), or reuses space that other objects
 * still occupy.
 */
#ifndef STOA_HDF_FOOTPRINT_H
#define STOA_HDF_FOOTPRINT_H

#include "core/memory.h"
#include "hdf/format/blocks.h"

/* A range of bytes of the file. */
typedef struct stoa_file_range {
    uint64_t first; /* address as stored in the file */
    uint64_t n;
    uint64_t owner; /* address of the object */
} stoa_file_range;

/* Zero-initialise; free with stoa_footprint_clear(). */
typedef struct stoa_footprint {
    stoa_block file;       /* only `file` and `journal` are set */
    unsigned group_tree_k; /* half the entries of a node in version 1 B-trees of groups, */
    unsigned group_leaf_k; /* and of their symbol table nodes */
    unsigned chunk_tree_k;
    uint64_t end;           /* of the published file */
    stoa_buffer ranges;     /* stoa_file_range */
    stoa_buffer references; /* uint64_t: the objects that links and datatypes refer to */
    stoa_status status;     /* STOA_ENOMEM: the collection is incomplete */
    bool is_outside;        /* a block lies outside of the file */
    uint64_t broken; /* address of an object that refers to a block of another kind; 0: none does */
    uint64_t n_bytes; /* of all blocks; at most the file's size if they do not overlap */
} stoa_footprint;

/*
 * Add the blocks of one object, as they were before this transaction, and the datatypes that it
 * refers to.
 *
 * @param n_parts, n_bytes  of its header, according to libhdf5. If the header in the file differs,
 *                          its blocks are ignored: the object was created, or has grown, in this
 *                          transaction
 */
void stoa_footprint_add(stoa_footprint *footprint, uint64_t object, uint64_t n_parts,
                        uint64_t n_bytes);
/* Add one block. False: the collection shall end. */
bool stoa_footprint_add_block(stoa_footprint *footprint, uint64_t owner, uint64_t first,
                              uint64_t n);
/* Set the end of the file, which was unknown before. */
void stoa_footprint_end_at(stoa_footprint *footprint, uint64_t end);
void stoa_footprint_add_link(stoa_footprint *footprint, uint64_t object);

/* Whether the blocks from byte `from` of the list on do not overlap; sorts them. Otherwise `owners`
 * are the objects of two overlapping blocks. */
bool stoa_footprint_is_apart(stoa_footprint *footprint, size_t from, uint64_t owners[2]);
void stoa_footprint_clear(stoa_footprint *footprint);

/* --- for its parts --------------------------------------------------------------------------- */

/* The object whose blocks are being collected. */
typedef struct stoa_footprint_object {
    stoa_footprint *footprint;
    uint64_t address;
    uint64_t chunk_bytes; /* of an unfiltered chunk */
    bool is_filtered;
    unsigned rank;
} stoa_footprint_object;

/* Add a block of the object. False: the collection shall end. */
bool stoa_footprint_collect(void *object, uint64_t first, uint64_t n);
/* Read `n` bytes at an address of the file. False: there are none. */
bool stoa_footprint_read(const stoa_footprint_object *o, uint64_t address, void *out, size_t n);
/* Whether there is a block with that signature. False: the address is undefined, or refers to
 * another kind of block, which is recorded. */
bool stoa_footprint_finds(const stoa_footprint_object *o, uint64_t address, const char *signature);
/* Record that a block is damaged and continue without it. Returns true. */
bool stoa_footprint_pass_over(const stoa_footprint_object *o);

/* Each returns false if the collection shall end. */
bool stoa_footprint_fixed_array(stoa_footprint_object *o, uint64_t header); /* footprint_arrays.c */
bool stoa_footprint_extensible_array(stoa_footprint_object *o, uint64_t header);
bool stoa_footprint_fractal_heap(stoa_footprint_object *o, uint64_t header); /* footprint_heap.c */

#endif
