/*
 * Blocks of a file (HDF5 file format, level 1 and 2), looked at before libhdf5 believes them.
 *
 * libhdf5 1.14 takes counts, sizes and kinds from a block's header as they are. Checksums protect
 * most of these headers from accidents, but not from their author. The driver (driver.c) shows each
 * block that libhdf5 reads; the table in blocks.c says which check looks at it.
 */
#ifndef STOA_HDF_BLOCKS_H
#define STOA_HDF_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdf/journal.h"
#include "hdf/superblock.h"

/* What libhdf5 has read. */
typedef struct stoa_block {
    const stoa_superblock
        *file; /* sizes of addresses and lengths, and where addresses count from */
    stoa_journal *journal;
    uint64_t address; /* in the file as it lies on disk */
    const uint8_t *bytes;
    size_t n;
    bool is_data;   /* elements of a dataset, or a global heap: libhdf5 reads both alike */
    bool is_object; /* an object header, or something else that libhdf5 files with these */
} stoa_block;

/* NULL where the bytes are fit for libhdf5; else what is damaged: "a B-tree". Bytes of no kind that
 * is known are fit. */
const char *stoa_block_fault(const stoa_block *block);

/* --- for the checks -------------------------------------------------------------------------- */

typedef bool stoa_block_check(const stoa_block *block);

stoa_block_check stoa_global_heap_is_sound; /* heap.c */
stoa_block_check stoa_local_heap_is_sound;
stoa_block_check stoa_fractal_heap_is_sound;
stoa_block_check stoa_tree_is_sound; /* trees.c */
stoa_block_check stoa_old_tree_is_sound;
stoa_block_check stoa_object_is_sound; /* objects.c */

/* Where the object of that index in a global heap lies, and its size: 0 where there is none. False
 * where the heap is damaged. */
bool stoa_global_heap_find(const stoa_block *block, uint64_t heap, uint32_t index, uint64_t *where,
                           uint64_t *size);
/* Whether libhdf5 may read the mapping of a virtual dataset of `rank` dimensions (0: any), which is
 * object `index` of a global heap. */
bool stoa_mapping_is_sound(const stoa_block *block, uint64_t heap, uint32_t index, unsigned rank);
/* What a fractal heap's header says of its blocks (heap.c). The sizes are powers of two. */
typedef struct stoa_heap_shape {
    uint64_t width;    /* blocks in a row */
    uint64_t first;    /* bytes of a block in the first two rows; they double from there on */
    uint64_t greatest; /* bytes of the greatest direct block */
    uint64_t bits;     /* of an offset in the heap */
    uint64_t rows;     /* of the root block; 0: that is a direct one */
    uint64_t overhead; /* bytes at the beginning of a direct block that hold no object */
} stoa_heap_shape;

/* Whether the free space of a fractal heap, of which a header is at `manager`, lies in its blocks
 * (heap_space.c). */
bool stoa_heap_space_is_sound(const stoa_block *heap, const stoa_heap_shape *shape,
                              uint64_t manager);

/* Whether byte `at` of any record of a version 2 B-tree has one of these bits set; true where its
 * nodes are none of a tree, too. */
bool stoa_tree_sets(const stoa_block *block, uint64_t tree, size_t at, uint8_t bits);

/* The number in the first `size` bytes, at most 8. */
uint64_t stoa_little_endian(const uint8_t *bytes, size_t size);
bool stoa_is_power_of_two(uint64_t n);
unsigned stoa_log2_of(uint64_t power);
/* Bytes that a number up to `most` takes up. */
unsigned stoa_bytes_of(uint64_t most);
/* Bytes of the file, with what the transaction has added. */
uint64_t stoa_block_file_size(const stoa_block *block);
/* Whether all bits of an address are set: it leads nowhere. */
bool stoa_is_nowhere(const stoa_block *block, uint64_t address);

/*
 * Other blocks, as they were before this transaction. A block that libhdf5 has changed may refer to
 * one that it has not written yet, so look at others only where stoa_block_is_old().
 */
bool stoa_block_is_old(const stoa_block *block);
/* @param address  as the file says it
 * @return false where it cannot be read; past the end of the file there are zeros */
bool stoa_block_read_other(const stoa_block *block, uint64_t address, void *out, size_t n);
/* Whether a block that `block` refers to is of the kind that it must be: its signature is followed
 * by a version, and that by a kind in [least, most]. True where there is no such signature: libhdf5
 * refuses that by itself. */
bool stoa_block_leads_to(const stoa_block *block, uint64_t address, const char *signature,
                         unsigned least, unsigned most);

#endif
