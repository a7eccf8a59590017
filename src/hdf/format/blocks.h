/*
 * Validation of file structures (HDF5 file format, levels 1 and 2) before libhdf5 uses them.
 *
 * libhdf5 1.14 trusts the counts, sizes and kinds in a block's header. Checksums protect most of
 * these headers from accidents, but not from an attacker who writes the file. The driver (driver.c)
 * passes each block that libhdf5 reads to these checks. The table in block_kinds.c selects the
 * check.
 */
#ifndef STOA_HDF_BLOCKS_H
#define STOA_HDF_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdf/journal/journal.h"
#include "hdf/journal/superblock.h"

/* A block that libhdf5 has read. */
typedef struct stoa_block {
    const stoa_superblock *file; /* sizes of addresses and lengths, and the base of addresses */
    stoa_journal *journal;
    uint64_t address; /* physical address in the file */
    const uint8_t *bytes;
    size_t n;
    bool is_data;   /* elements of a dataset, or a global heap: libhdf5 reads both alike */
    bool is_object; /* an object header, or a block that libhdf5 classifies as one */
} stoa_block;

/* NULL if libhdf5 may use the bytes, else what is damaged: "a B-tree". Blocks of unknown kinds
 * pass. */
const char *stoa_block_fault(const stoa_block *block);

/* --- for the checks -------------------------------------------------------------------------- */

typedef bool stoa_block_check(const stoa_block *block);

stoa_block_check stoa_global_heap_is_sound; /* heap.c */
stoa_block_check stoa_local_heap_is_sound;
stoa_block_check stoa_fractal_heap_is_sound;
stoa_block_check stoa_tree_is_sound; /* trees.c */
stoa_block_check stoa_old_tree_is_sound;
stoa_block_check stoa_object_is_sound; /* objects.c */

/* Find the object of that index in a global heap: its address and size. The size is 0 if there is
 * no such object. False if the heap is damaged. */
bool stoa_global_heap_find(const stoa_block *block, uint64_t heap, uint32_t index, uint64_t *where,
                           uint64_t *size);
/* Whether libhdf5 may read the mapping of a virtual dataset of `rank` dimensions (0: any rank). The
 * mapping is object `index` of a global heap. */
bool stoa_mapping_is_sound(const stoa_block *block, uint64_t heap, uint32_t index, unsigned rank);

/* Block sizes of a fractal heap, from its header (heap.c). The sizes are powers of two. */
typedef struct stoa_heap_shape {
    uint64_t width;    /* blocks per row */
    uint64_t first;    /* bytes of a block in the first two rows; doubles with each later row */
    uint64_t greatest; /* bytes of the largest direct block */
    uint64_t bits;     /* of an offset in the heap */
    uint64_t rows;     /* of the root block; 0: the root is a direct block */
    uint64_t overhead; /* bytes at the beginning of a direct block that hold no object */
} stoa_heap_shape;

/* Parse a complete header, which may be damaged. */
stoa_heap_shape stoa_heap_shape_of(const stoa_superblock *file, const uint8_t *header);

/* Whether the free space of a fractal heap lies within its blocks (heap_space.c). `manager` is the
 * address of its free space header. */
bool stoa_heap_space_is_sound(const stoa_block *heap, const stoa_heap_shape *shape,
                              uint64_t manager);

/* Message types of object headers (IV.A.2). */
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

/* Visitor for the parts of an object header or a tree; returning false ends the visit. Addresses
 * are relative to the base, as stored in the file. */
typedef bool stoa_block_part(void *context, uint64_t address, uint64_t n);

typedef struct stoa_object_seen {
    stoa_block_part *part;
    /* is_shared: `message` holds the location of the message, which is stored elsewhere */
    bool (*message)(void *context, unsigned kind, bool is_shared, const uint8_t *message, size_t n);
    void *context;
} stoa_object_seen;

typedef struct stoa_tree_seen {
    stoa_block_part *node; /* called for the header, too; may be NULL */
    bool (*record)(void *context, const uint8_t *record, size_t n);
    void *context;
} stoa_tree_seen;

/* Visit an entire object header, whose first bytes are in the block. False: the visit ended
 * early. */
bool stoa_object_visit(const stoa_block *block, const stoa_object_seen *seen);
/* Visit an entire version 2 B-tree that `block` refers to. False: the visit ended early, or a node
 * is not a valid B-tree node. */
bool stoa_tree_visit(const stoa_block *block, uint64_t tree, const stoa_tree_seen *seen);

/* Whether byte `at` of any record of a version 2 B-tree has one of these bits set. True also if a
 * node is not a valid B-tree node. */
bool stoa_tree_sets(const stoa_block *block, uint64_t tree, size_t at, uint8_t bits);

/* Size of the file, including what the transaction has added. */
uint64_t stoa_block_file_size(const stoa_block *block);
/* Whether the address is undefined: all its bits are set. */
bool stoa_is_nowhere(const stoa_block *block, uint64_t address);

/* Reading other blocks, as they were before this transaction. A block that libhdf5 has changed may
 * refer to one that is not written yet. So other blocks may be checked only if
 * stoa_block_is_old(). */
bool stoa_block_is_old(const stoa_block *block);
/* @param address  as stored in the file
 * @return false if it cannot be read; bytes past the end of the file are zeros */
bool stoa_block_read_other(const stoa_block *block, uint64_t address, void *out, size_t n);
/* Whether a block that `block` refers to has the required kind. After the signature come a version
 * and a kind, which must be in [least, most]. True if the signature differs: libhdf5 refuses that
 * itself. */
bool stoa_block_leads_to(const stoa_block *block, uint64_t address, const char *signature,
                         unsigned least, unsigned most);

#endif
