/* Validates and walks B-trees; see blocks.h. */
#include "hdf/format/blocks.h"

#include <string.h>

#include "core/min_of.h"

/* --- version 2 ------------------------------------------------------------------------------- */

/* Types of libhdf5's trees. It has two more, 0 and 12, for its own tests. In a file it accepts them
 * like any other, and crashes. */
enum {
    OF_HUGE = 1, /* 1 to 4: huge objects in fractal heaps */
    OF_HUGE_FILTERED,
    OF_HUGE_DIRECT,
    OF_HUGE_DIRECT_FILTERED,
    OF_LINK_NAMES,
    OF_LINK_ORDER,
    OF_SHARED_MESSAGES,
    OF_ATTRIBUTE_NAMES,
    OF_ATTRIBUTE_ORDER,
    OF_CHUNKS,
    OF_FILTERED_CHUNKS
};

/* Whether records have the size that libhdf5 reads, which does not depend on the header. */
static bool is_record_sound(const stoa_superblock *file, unsigned kind, uint64_t size)
{
    enum { MASK = 4, COORDINATE = 8, MAX_RANK = 32, HASH = 4, LINK_ID = 7, ATTRIBUTE_ID = 8 };
    const uint64_t address = file->address_size;
    const uint64_t length = file->length_size;
    const uint64_t in_heap = 4 + ATTRIBUTE_ID;
    const uint64_t in_header = 1 + 2 + address;

    switch (kind) {
    case OF_HUGE:
        return size == address + 2 * length;
    case OF_HUGE_FILTERED:
        return size == address + 3 * length + MASK;
    case OF_HUGE_DIRECT:
        return size == address + length;
    case OF_HUGE_DIRECT_FILTERED:
        return size == address + 2 * length + MASK;
    case OF_LINK_NAMES:
        return size == HASH + LINK_ID;
    case OF_LINK_ORDER:
        return size == 8 + LINK_ID;
    case OF_SHARED_MESSAGES:
        return size == 1 + HASH + (in_heap > in_header ? in_heap : in_header);
    case OF_ATTRIBUTE_NAMES:
        return size == ATTRIBUTE_ID + 1 + 4 + HASH;
    case OF_ATTRIBUTE_ORDER:
        return size == ATTRIBUTE_ID + 1 + 4;
    case OF_CHUNKS:
        return size > address && (size - address) % COORDINATE == 0 &&
               size - address <= (uint64_t)MAX_RANK * COORDINATE;
    case OF_FILTERED_CHUNKS: /* plus a length of 1 to 8 bytes */
        return size > address + MASK + COORDINATE &&
               size <= address + MASK + (MAX_RANK + 1) * (uint64_t)COORDINATE;
    default:
        return false;
    }
}

/*
 * The header of a version 2 B-tree (HDF5 file format, III.A.2):
 *
 *     "BTHD"; version; type; node size (4 bytes); record size (2); depth (2); two percentages;
 *     address of the root (an offset); records in the root (2); records in all (a length); checksum
 *
 * A node has ten bytes and records. Above the leaves it also has one pointer more than records: an
 * address, and the number of records in that node. From the second level on, the total number of
 * records below follows.
 */
enum { ROOT = 16, OVERHEAD = 10, MAX_DEPTH = 64 };

/* The shape of the nodes, from a validated header. */
typedef struct tree_shape {
    uint64_t node;    /* bytes */
    uint64_t record;  /* bytes */
    uint64_t depth;   /* levels above the leaves */
    uint64_t in_leaf; /* maximum records in a leaf; no other node has more */
    uint64_t count_size;
    uint64_t pointer[MAX_DEPTH + 1]; /* bytes per level; leaves have no pointers */
    uint64_t n_records;              /* in the root */
} tree_shape;

/* False: libhdf5 would read out of bounds. The header is available up to the number of records in
 * the root. */
static bool shape_of(const stoa_block *header, tree_shape *shape)
{
    enum { KIND = 5, NODE = 6, RECORD = 10, DEPTH = 12 };
    enum { SMALL = 64 << 10 }; /* a tree without records has no node in the file */
    const uint8_t *const b = header->bytes;
    const size_t address = header->file->address_size;

    shape->node = stoa_little_endian(b + NODE, 4);
    shape->record = stoa_little_endian(b + RECORD, 2);
    shape->depth = stoa_little_endian(b + DEPTH, 2);
    shape->n_records = stoa_little_endian(b + ROOT + address, 2);
    if (!is_record_sound(header->file, b[KIND], shape->record) ||
        shape->node < OVERHEAD + shape->record || shape->depth > MAX_DEPTH) {
        return false;
    }
    /* libhdf5 allocates memory for a node, and frees the header twice if that fails. */
    if (shape->node > SMALL && shape->node > stoa_block_file_size(header)) {
        return false;
    }
    shape->in_leaf = (shape->node - OVERHEAD) / shape->record;
    shape->count_size = stoa_bytes_of(shape->in_leaf);
    uint64_t most = shape->in_leaf;
    uint64_t below = most;
    for (uint64_t level = 1; level <= shape->depth; level++) {
        const uint64_t pointer =
            address + shape->count_size + (level > 1 ? stoa_bytes_of(below) : 0);
        if (shape->node < OVERHEAD + 2 * pointer + shape->record) {
            return false;
        }
        shape->pointer[level] = pointer;
        most = (shape->node - OVERHEAD - pointer) / (shape->record + pointer);
        below = below > UINT64_MAX / (most + 1) - most ? UINT64_MAX : (most + 1) * below + most;
    }
    return shape->n_records <= most;
}

bool stoa_tree_is_sound(const stoa_block *block)
{
    tree_shape shape;

    return block->n < ROOT + block->file->address_size + 2 || shape_of(block, &shape);
}

/* State of a walk that visits each node at most once. */
typedef struct descent {
    const stoa_block *from;
    tree_shape shape;
    uint64_t n_nodes; /* that may still be visited */
    const stoa_tree_seen *seen;
} descent;

static bool visit_node(descent *d, uint64_t node, uint64_t n, uint64_t level);

static bool visit_children(descent *d, uint64_t pointers, uint64_t n, uint64_t level)
{
    const size_t address = d->from->file->address_size;
    uint8_t pointer[24] = {0};
    bool goes_on = true;

    for (uint64_t i = 0; i <= n && goes_on; i++) {
        if (!stoa_block_read_other(d->from, pointers + i * d->shape.pointer[level], pointer,
                                   (size_t)d->shape.pointer[level])) {
            return true;
        }
        goes_on = visit_node(d, stoa_little_endian(pointer, address),
                             stoa_little_endian(pointer + address, (size_t)d->shape.count_size),
                             level - 1);
    }
    return goes_on;
}

static bool visit_node(descent *d, uint64_t node, uint64_t n, uint64_t level)
{
    enum { PREFIX = 6 };
    const size_t record = (size_t)d->shape.record;
    uint8_t part[2048];
    const uint64_t n_at_once = sizeof part / record;

    if (n > d->shape.in_leaf || d->n_nodes == 0 || n_at_once == 0 ||
        (d->seen->node != NULL && !d->seen->node(d->seen->context, node, d->shape.node))) {
        return false;
    }
    d->n_nodes--;
    for (uint64_t i = 0; i < n; i += n_at_once) {
        const uint64_t n_here = stoa_min_of(n - i, n_at_once);
        if (!stoa_block_read_other(d->from, node + PREFIX + i * record, part,
                                   (size_t)n_here * record)) {
            return true;
        }
        for (uint64_t k = 0; k < n_here; k++) {
            if (!d->seen->record(d->seen->context, part + k * record, record)) {
                return false;
            }
        }
    }
    return level == 0 || visit_children(d, node + PREFIX + n * record, n, level);
}

bool stoa_tree_visit(const stoa_block *block, uint64_t tree, const stoa_tree_seen *seen)
{
    enum { SIGNATURE = 4, CHECKSUM = 4 };
    const size_t address = block->file->address_size;
    uint8_t head[ROOT + 8 + 2];
    stoa_block header = *block;
    descent d = {.from = block, .seen = seen};

    header.bytes = head;
    header.n = ROOT + address + 2;
    if (stoa_is_nowhere(block, tree) || !stoa_block_read_other(block, tree, head, header.n) ||
        memcmp(head, "BTHD", SIGNATURE) != 0 || !shape_of(&header, &d.shape)) {
        return true; /* libhdf5 refuses it when it reads it */
    }
    const uint64_t root = stoa_little_endian(head + ROOT, address);
    d.n_nodes = stoa_block_file_size(block) / d.shape.node + 1;
    return (seen->node == NULL ||
            seen->node(seen->context, tree, header.n + block->file->length_size + CHECKSUM)) &&
           (stoa_is_nowhere(block, root) || visit_node(&d, root, d.shape.n_records, d.shape.depth));
}

typedef struct bits_at {
    size_t at;
    uint8_t bits;
} bits_at;

static bool lacks_bits(void *context, const uint8_t *record, size_t n)
{
    const bits_at *const b = context;

    return b->at >= n || (record[b->at] & b->bits) == 0;
}

bool stoa_tree_sets(const stoa_block *block, uint64_t tree, size_t at, uint8_t bits)
{
    bits_at b = {at, bits};
    const stoa_tree_seen seen = {.record = lacks_bits, .context = &b};

    return !stoa_tree_visit(block, tree, &seen);
}

/* --- version 1 ------------------------------------------------------------------------------- */

/*
 * A node of a version 1 B-tree (III.A.1):
 *
 *     "TREE"; type (0: groups, 1: chunks); level; entries (2); two siblings (addresses);
 *     then a key, and for each entry an address and a key
 *
 * The key of a chunk is its size (4), a filter mask (4) and eight bytes per dimension. These
 * include the element dimension, which is always 0. Keys ascend, except for the one after the last
 * entry.
 *
 * libhdf5 1.14 descends recursively without checking levels, so a node that refers to an ancestor
 * overflows the stack. If a key is out of order, libhdf5 does not find its chunk, and treats its
 * elements as never written. But it lists that chunk.
 */
enum { CHUNKS = 1, KEY_FIXED = 8, COORDINATE = 8 };

static uint64_t key_size_of(const stoa_block *block, size_t fixed)
{
    enum { KIND = 4, MAX_DIMENSIONS = 33 };
    const uint64_t address = block->file->address_size;
    const uint64_t n = 2 * (uint64_t)block->file->chunk_tree_k; /* capacity in entries */

    if (block->bytes[KIND] == 0) {
        return block->file->length_size;
    }
    for (uint64_t i = 2; i <= MAX_DIMENSIONS; i++) {
        const uint64_t key = KEY_FIXED + COORDINATE * i;
        if (block->n == fixed + n * (address + key) + key) {
            return key;
        }
    }
    return 0;
}

/* Whether chunk `a` comes before `b`. */
static bool is_before(const uint8_t *a, const uint8_t *b, size_t key)
{
    for (size_t at = KEY_FIXED; at < key; at += COORDINATE) {
        const uint64_t x = stoa_little_endian(a + at, COORDINATE);
        const uint64_t y = stoa_little_endian(b + at, COORDINATE);
        if (x != y) {
            return x < y;
        }
    }
    return false;
}

static bool are_keys_sound(const uint8_t *keys, uint64_t n, size_t key, size_t step)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *const one = keys + i * step;
        if (stoa_little_endian(one + key - COORDINATE, COORDINATE) != 0 ||
            (i > 0 && !is_before(one - step, one, key))) {
            return false;
        }
    }
    return true;
}

bool stoa_old_tree_is_sound(const stoa_block *block)
{
    enum { KIND = 4, LEVEL = 5, ENTRIES = 6, SIBLINGS = 8 };
    const uint8_t *const b = block->bytes;
    const size_t address = block->file->address_size;
    const size_t fixed = SIBLINGS + 2 * address;

    if (b[KIND] > CHUNKS || block->n < fixed) {
        return true;
    }
    const uint64_t n_entries = stoa_little_endian(b + ENTRIES, 2);
    const uint64_t key = key_size_of(block, fixed);
    if (key == 0 || n_entries > (block->n - fixed) / (address + key)) {
        return key == 0; /* libhdf5 refuses too many entries itself */
    }
    /* An extension of the superblock may give nodes another number of entries. */
    if (b[KIND] == CHUNKS && !block->file->is_extended &&
        !are_keys_sound(b + fixed, n_entries, key, address + key)) {
        return false;
    }
    if (b[LEVEL] == 0 || !stoa_block_is_old(block)) {
        return true;
    }
    for (uint64_t i = 0; i < n_entries; i++) {
        const uint8_t *const child = b + fixed + i * (address + key) + key;
        const unsigned level = b[LEVEL] - 1u;
        if (!stoa_block_leads_to(block, stoa_little_endian(child, address), "TREE", level, level)) {
            return false;
        }
    }
    return true;
}
