/* Collects the blocks of object headers and of what their messages refer to (HDF5 file format, III
 * and IV); see footprint.h. */
#include "hdf/format/footprint.h"

#include <stdlib.h>
#include <string.h>

/* An object, with fields from several of its messages. */
typedef struct collected {
    stoa_footprint_object o; /* first, since it is cast */
    uint64_t n_elements;     /* of the extent */
    uint64_t most[33];       /* the maximal extent */
    uint64_t element_bytes;
    uint8_t layout[512];
    size_t n_layout;
    uint64_t n_parts; /* of the header, and their bytes */
    uint64_t n_bytes;
} collected;

/* --- trees ----------------------------------------------------------------------------------- */

static uint64_t number_at(const stoa_footprint_object *o, const uint8_t *bytes, bool is_address)
{
    const stoa_superblock *const file = o->footprint->file.file;

    return stoa_little_endian(bytes, is_address ? file->address_size : file->length_size);
}

/* A version 1 B-tree (III.A.1). In leaves, the size of a chunk is in the key before it; symbol
 * table nodes of groups have a fixed size. */
typedef struct old_tree {
    unsigned kind;
    uint64_t key;
    uint64_t node; /* bytes */
} old_tree;

static bool collect_old_node(stoa_footprint_object *o, const old_tree *tree, uint64_t address,
                             unsigned most_levels);

static bool collect_entry(stoa_footprint_object *o, const old_tree *tree, const uint8_t *key,
                          unsigned level)
{
    const size_t address_size = o->footprint->file.file->address_size;
    const size_t length_size = o->footprint->file.file->length_size;
    const uint64_t entry = length_size + address_size + 24;
    const uint64_t child = number_at(o, key + tree->key, true);

    if (level > 0) {
        return collect_old_node(o, tree, child, level - 1);
    }
    if (tree->kind == 1) {
        return stoa_footprint_collect(o, child, stoa_little_endian(key, 4));
    }
    return !stoa_footprint_finds(o, child, "SNOD") ||
           stoa_footprint_collect(o, child, 8 + 2 * (uint64_t)o->footprint->group_leaf_k * entry);
}

static bool collect_old_node(stoa_footprint_object *o, const old_tree *tree, uint64_t address,
                             unsigned most_levels)
{
    enum { KIND = 4, LEVEL, ENTRIES, HEAD = 8 };
    const size_t address_size = o->footprint->file.file->address_size;
    const size_t entry = (size_t)tree->key + address_size;
    uint8_t head[HEAD];
    uint8_t *entries = NULL;
    bool goes_on = true;

    if (!stoa_footprint_finds(o, address, "TREE") ||
        !stoa_footprint_read(o, address, head, sizeof head)) {
        return true;
    }
    if (head[KIND] != tree->kind || head[LEVEL] > most_levels) {
        return stoa_footprint_pass_over(o);
    }
    if (!stoa_footprint_collect(o, address, tree->node)) {
        return false;
    }
    const size_t n = (size_t)stoa_little_endian(head + ENTRIES, 2);
    const uint64_t at = address + HEAD + 2 * address_size;
    entries = n != 0 && n * entry <= tree->node ? stoa_alloc(n, entry) : NULL;
    if (entries != NULL && stoa_footprint_read(o, at, entries, n * entry)) {
        for (size_t i = 0; goes_on && i < n; i++) {
            goes_on = collect_entry(o, tree, entries + i * entry, head[LEVEL]);
        }
    }
    free(entries);
    return goes_on;
}

static bool collect_old_tree(stoa_footprint_object *o, unsigned kind, uint64_t key, unsigned k,
                             uint64_t root)
{
    enum { MAX_LEVELS = 255 };
    const uint64_t address_size = o->footprint->file.file->address_size;
    const old_tree tree = {kind, key,
                           8 + 2 * address_size + 2 * (uint64_t)k * (address_size + key) + key};

    return collect_old_node(o, &tree, root, MAX_LEVELS);
}

static bool collect_no_record(void *context, const uint8_t *record, size_t n)
{
    (void)context;
    (void)record;
    (void)n;
    return true;
}

static bool collect_tree(stoa_footprint_object *o, uint64_t tree,
                         bool (*record)(void *context, const uint8_t *record, size_t n))
{
    const stoa_tree_seen seen = {.node = stoa_footprint_collect, .record = record, .context = o};

    return !stoa_footprint_finds(o, tree, "BTHD") ||
           stoa_tree_visit(&o->footprint->file, tree, &seen);
}

/* The address; for filtered chunks, a length and a filter mask (4 bytes); then eight bytes per
 * dimension. */
static bool collect_chunk_record(void *context, const uint8_t *record, size_t n)
{
    stoa_footprint_object *const o = context;
    const size_t address_size = o->footprint->file.file->address_size;
    const size_t others = address_size + 4 + 8 * (size_t)o->rank;
    const uint64_t n_bytes = !o->is_filtered || n <= others || n - others > 8
                                 ? o->chunk_bytes
                                 : stoa_little_endian(record + address_size, n - others);

    return stoa_footprint_collect(o, number_at(o, record, true), n_bytes);
}

/* --- groups and attributes ------------------------------------------------------------------- */

/* "HEAP", version, three bytes, size of the data (a length), a free block (a length), address of
 * the data. */
static bool collect_local_heap(stoa_footprint_object *o, uint64_t heap)
{
    const size_t length = o->footprint->file.file->length_size;
    const size_t n = 8 + 2 * length + o->footprint->file.file->address_size;
    uint8_t head[8 + 3 * 8];

    return !stoa_footprint_finds(o, heap, "HEAP") || !stoa_footprint_read(o, heap, head, n) ||
           (stoa_footprint_collect(o, heap, n) &&
            stoa_footprint_collect(o, number_at(o, head + 8 + 2 * length, true),
                                   number_at(o, head + 8, false)));
}

static bool collect_symbol_table(stoa_footprint_object *o, const uint8_t *message, size_t n)
{
    const size_t address = o->footprint->file.file->address_size;

    return n < 2 * address ||
           (collect_old_tree(o, 0, o->footprint->file.file->length_size, o->footprint->group_tree_k,
                             number_at(o, message, true)) &&
            collect_local_heap(o, number_at(o, message + address, true)));
}

/* Version, flags, a number of `n_order` bytes (flag 1), a heap, a B-tree of names, and one of the
 * order (flag 2). */
static bool collect_dense(stoa_footprint_object *o, const uint8_t *message, size_t n,
                          size_t n_order)
{
    const size_t address = o->footprint->file.file->address_size;
    const size_t at = n < 2 ? 2 : 2 + ((message[1] & 1) != 0 ? n_order : 0);
    const size_t n_trees = n >= 2 && (message[1] & 2) != 0 ? 2 : 1;

    if (n < at + (1 + n_trees) * address) {
        return true;
    }
    bool goes_on = stoa_footprint_fractal_heap(o, number_at(o, message + at, true));
    for (size_t i = 1; goes_on && i <= n_trees; i++) {
        goes_on =
            collect_tree(o, number_at(o, message + at + i * address, true), collect_no_record);
    }
    return goes_on;
}

/* --- values ---------------------------------------------------------------------------------- */

static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Version, rank, flags (1: the maximal extent follows), then five bytes in version 1, or one in
 * version 2. */
static void note_space(collected *c, const uint8_t *message, size_t n)
{
    const size_t length = c->o.footprint->file.file->length_size;
    const size_t at = n > 0 && message[0] == 1 ? 8 : 4;
    const size_t rank = n > 1 ? message[1] : 0;

    c->n_elements = 1;
    if (n < at + rank * length || rank > 32) {
        return;
    }
    const bool has_most = (message[2] & 1) != 0 && n >= at + 2 * rank * length;
    for (size_t i = 0; i < rank; i++) {
        c->n_elements = times(c->n_elements, number_at(&c->o, message + at + i * length, false));
        c->most[i] = number_at(&c->o, message + at + (i + (has_most ? rank : 0)) * length, false);
    }
}

/* From the dimensions of layout version 4, `each` bytes per dimension; the last one is the element
 * size. */
static uint64_t n_chunks_at_most(const collected *c, const uint8_t *dimensions, size_t each)
{
    uint64_t n = 1;

    for (size_t i = 0; i < c->o.rank; i++) {
        const uint64_t chunk = stoa_little_endian(dimensions + i * each, each);
        n = times(n, chunk == 0 ? 1 : c->most[i] / chunk + (c->most[i] % chunk != 0));
    }
    return n;
}

/* Version, class, flags, number of dimensions, bytes per dimension, the dimensions, the type of the
 * index, its parameters, its address. */
static bool collect_chunks(collected *c)
{
    enum { FLAGS = 2, DIMENSIONS, EACH, FIELDS, ONE_FILTERED = 2 };
    enum { SINGLE = 1, IMPLICIT, FIXED_ARRAY, EXTENSIBLE_ARRAY, TREE };
    stoa_footprint_object *const o = &c->o;
    const uint8_t *const m = c->layout;
    const size_t address = o->footprint->file.file->address_size;
    const size_t length = o->footprint->file.file->length_size;
    const size_t each = c->n_layout > FIELDS ? m[EACH] : 9;
    const size_t n_dimensions = c->n_layout > FIELDS ? m[DIMENSIONS] : 0;
    const size_t kind_at = FIELDS + n_dimensions * each;

    if (each > 8 || n_dimensions < 2 || n_dimensions > 33 || c->n_layout <= kind_at) {
        return true;
    }
    const unsigned kind = m[kind_at];
    const bool is_one_filtered = kind == SINGLE && (m[FLAGS] & ONE_FILTERED) != 0;
    const size_t made_with = kind == SINGLE             ? (is_one_filtered ? length + 4 : 0)
                             : kind == FIXED_ARRAY      ? 1
                             : kind == EXTENSIBLE_ARRAY ? 5
                             : kind == TREE             ? 6
                                                        : 0;
    const uint8_t *const index = m + kind_at + 1 + made_with;
    if (c->n_layout < kind_at + 1 + made_with + address) {
        return true;
    }
    o->rank = (unsigned)n_dimensions - 1;
    o->chunk_bytes = 1;
    for (size_t i = 0; i < n_dimensions; i++) {
        o->chunk_bytes = times(o->chunk_bytes, stoa_little_endian(m + FIELDS + i * each, each));
    }
    const uint64_t at = number_at(o, index, true);
    switch (kind) {
    case SINGLE:
        return stoa_footprint_collect(
            o, at, is_one_filtered ? number_at(o, m + kind_at + 1, false) : o->chunk_bytes);
    case IMPLICIT:
        return stoa_footprint_collect(o, at,
                                      times(n_chunks_at_most(c, m + FIELDS, each), o->chunk_bytes));
    case FIXED_ARRAY:
        return stoa_footprint_fixed_array(o, at);
    case EXTENSIBLE_ARRAY:
        return stoa_footprint_extensible_array(o, at);
    case TREE:
        return collect_tree(o, at, collect_chunk_record);
    default:
        return true;
    }
}

/* Version, class, then address and size of a contiguous layout, or dimensions and B-tree of a
 * chunked one. Before version 3: version, dimensions, class, five bytes, the address. */
static bool collect_layout(collected *c)
{
    enum { CONTIGUOUS = 1, CHUNKED };
    const uint8_t *const m = c->layout;
    const size_t address = c->o.footprint->file.file->address_size;
    const size_t length = c->o.footprint->file.file->length_size;

    if (c->n_layout < 8 + address) {
        return true;
    }
    const unsigned class = m[0] < 3 ? m[2] : m[1];
    const unsigned n_dimensions = m[0] < 3 ? m[1] : m[2];
    if (class == CONTIGUOUS) {
        const uint8_t *const at = m + (m[0] < 3 ? 8 : 2);
        return stoa_footprint_collect(&c->o, number_at(&c->o, at, true),
                                      m[0] < 3 || c->n_layout < 2 + address + length
                                          ? times(c->n_elements, c->element_bytes)
                                          : number_at(&c->o, at + address, false));
    }
    if (class == CHUNKED && m[0] <= 3) {
        return collect_old_tree(&c->o, 1, 8 + 8 * (uint64_t)n_dimensions,
                                c->o.footprint->chunk_tree_k,
                                number_at(&c->o, m + (m[0] < 3 ? 8 : 3), true));
    }
    return class != CHUNKED || collect_chunks(c);
}

/* --- objects --------------------------------------------------------------------------------- */

/* Location of a shared message: a version, seven bytes in version 1, else a type (1: in the heap of
 * shared messages). Then follows the address of the object that contains the message. */
static void note_reference(const collected *c, const uint8_t *message, size_t n)
{
    const size_t at = n > 0 && message[0] == 1 ? 8 : 2;

    if (n >= at + c->o.footprint->file.file->address_size && (message[0] == 1 || message[1] != 1)) {
        stoa_footprint_add_link(c->o.footprint, number_at(&c->o, message + at, true));
    }
}

static bool collect_message(void *context, unsigned kind, bool is_shared, const uint8_t *message,
                            size_t n)
{
    collected *const c = context;

    if (is_shared) {
        note_reference(c, message, n);
        return true;
    }
    switch (kind) {
    case STOA_MESSAGE_DATASPACE:
        note_space(c, message, n);
        return true;
    case STOA_MESSAGE_DATATYPE:
        c->element_bytes = n < 8 ? 0 : stoa_little_endian(message + 4, 4);
        return true;
    case STOA_MESSAGE_LINK_INFO:
        return collect_dense(&c->o, message, n, 8);
    case STOA_MESSAGE_ATTRIBUTE_INFO:
        return collect_dense(&c->o, message, n, 2);
    case STOA_MESSAGE_SYMBOL_TABLE:
        return collect_symbol_table(&c->o, message, n);
    case STOA_MESSAGE_FILTERS:
        c->o.is_filtered = n > 1 && message[1] > 0;
        return true;
    case STOA_MESSAGE_LAYOUT:
        c->n_layout = n < sizeof c->layout ? n : sizeof c->layout;
        memcpy(c->layout, message, c->n_layout);
        return true;
    default:
        return true;
    }
}

static bool collect_part(void *context, uint64_t first, uint64_t n)
{
    collected *const c = context;

    c->n_parts++;
    c->n_bytes += n;
    return stoa_footprint_collect(&c->o, first, n);
}

void stoa_footprint_add(stoa_footprint *f, uint64_t object, uint64_t n_parts, uint64_t n_bytes)
{
    uint8_t head[64];
    collected c = {.o = {.footprint = f, .address = object}};
    const stoa_object_seen seen = {collect_part, collect_message, &c};
    const stoa_footprint before = *f;
    uint64_t owners[2];
    stoa_block block = f->file;

    if (!stoa_footprint_read(&c.o, object, head, sizeof head) ||
        (memcmp(head, "OHDR", 4) != 0 && (head[0] != 1 || head[1] != 0))) {
        return;
    }
    block.address = f->file.file->base + object;
    block.bytes = head;
    block.n = sizeof head;
    if (stoa_object_visit(&block, &seen)) {
        (void)collect_layout(&c);
    }
    /* Overlapping blocks are damage, even if libhdf5 sees another header. */
    if ((c.n_parts != n_parts || c.n_bytes != n_bytes) &&
        stoa_footprint_is_apart(f, before.ranges.size, owners)) {
        f->ranges.size = before.ranges.size;
        f->references.size = before.references.size;
        f->is_outside = before.is_outside;
        f->broken = before.broken;
        f->n_bytes = before.n_bytes;
    }
}
