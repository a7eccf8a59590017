/*
 * Blocks of a file (HDF5 file format, level 1 and 2), looked at before libhdf5 believes them.
 *
 * libhdf5 1.14 takes counts, sizes and kinds from a block's header as they are. Checksums protect
 * most of these headers from accidents, but not from their author. The driver (driver.c) shows each
 * block that libhdf5 reads; the table in block_kinds.c says which check looks at it.
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

/* From all of a header, which need not be sound. */
stoa_heap_shape stoa_heap_shape_of(const stoa_superblock *file, const uint8_t *header);

/* Whether the free space of a fractal heap, of which a header is at `manager`, lies in its blocks
 * (heap_space.c). */
bool stoa_heap_space_is_sound(const stoa_block *heap, const stoa_heap_shape *shape,
                              uint64_t manager);

/* Messages of object headers (IV.A.2). */
enum {
    STOA_MESSAGE_DATASPACE = 0x01,
    STOA_MESSAGE_LINK_INFO = 0x02,
    STOA_MESSAGE_DATATYPE = 0x03,
    STOA_MESSAGE_OLD_FILL = 0x04,
    STOA_MESSAGE_FILL = 0x05,
    STOA_MESSAGE_EXTERNAL_FILES = 0x07,
    STOA_MESSAGE_LAYOUT = 0x08,
    STOA_MESSAGE_GROUP_INFO = 0x0a,
    STOA_MESSAGE_FILTERS = 0x0b,
    STOA_MESSAGE_ATTRIBUTE = 0x0c,
    STOA_MESSAGE_SHARED_TABLE = 0x0f,
    STOA_MESSAGE_CONTINUATION = 0x10,
    STOA_MESSAGE_SYMBOL_TABLE = 0x11,
    STOA_MESSAGE_ATTRIBUTE_INFO = 0x15,
    STOA_N_MESSAGES = 0x20
};

/* Who is shown what an object header, or a tree, consists of; false ends that. Addresses are as the
 * file says them. */
typedef bool stoa_block_part(void *context, uint64_t address, uint64_t n);

typedef struct stoa_object_seen {
    stoa_block_part *part;
    /* is_shared: the message is where another one lies */
    bool (*message)(void *context, unsigned kind, bool is_shared, const uint8_t *message, size_t n);
    void *context;
} stoa_object_seen;

typedef struct stoa_tree_seen {
    stoa_block_part *node; /* the header, too; NULL: nobody asks */
    bool (*record)(void *context, const uint8_t *record, size_t n);
    void *context;
} stoa_tree_seen;

/* All of an object header, whose first bytes are the block's. False: it ended before. */
bool stoa_object_visit(const stoa_block *block, const stoa_object_seen *seen);
/* All of a version 2 B-tree that `block` refers to. False: it ended before, or its nodes are none
 * of a tree. */
bool stoa_tree_visit(const stoa_block *block, uint64_t tree, const stoa_tree_seen *seen);

/* Whether byte `at` of any record of a version 2 B-tree has one of these bits set; true where its
 * nodes are none of a tree, too. */
bool stoa_tree_sets(const stoa_block *block, uint64_t tree, size_t at, uint8_t bits);

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
