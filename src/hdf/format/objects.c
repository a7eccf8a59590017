/*
 * Validates object headers (HDF5 file format, IV.A); see blocks.h.
 *
 * Each message of an object refers to blocks of one kind, but libhdf5 1.14 accepts blocks of other
 * kinds. For example, it does not check the type of a B-tree, which determines how records are
 * compared. So the targets of messages are checked here, where the required kind is known.
 */
#include <string.h>

#include "core/memory.h"
#include "hdf/format/blocks.h"

/* A chunk of an object header. */
typedef struct part {
    uint64_t address;
    uint64_t n;
} part;

/* Validation state of one object. It allocates memory only for large objects. */
typedef struct object {
    const stoa_block *block;
    unsigned version;
    bool counts;         /* messages have a creation order */
    uint64_t n_messages; /* number of messages so far */
    bool is_damaged;     /* a message is invalid */
    bool is_refused;     /* by libhdf5 itself, for the size of a message */
    uint32_t has;
    bool is_filtered;
    part few[16]; /* chunks of the header; more of them are in `more` */
    stoa_buffer more;
    size_t n_parts;
    uint64_t n_bytes; /* of all parts */
    uint8_t layout[512];
    size_t n_layout;
    uint8_t space[8 + 16 * 32]; /* the dataspace */
    size_t n_space;
    uint64_t item_size;           /* of a variable-length dataset, else 0 */
    uint64_t n_items;             /* in the header's values and fill value, if of variable length */
    const stoa_object_seen *seen; /* visitor; NULL: the header is validated */
} object;

/* --- targets of messages --------------------------------------------------------------------- */

static uint64_t address_at(const object *o, const uint8_t *bytes)
{
    return stoa_little_endian(bytes, o->block->file->address_size);
}

static bool leads_to_tree(const object *o, const uint8_t *address, unsigned kind)
{
    return stoa_block_leads_to(o->block, address_at(o, address), "BTHD", kind, kind);
}

/* Whether a block contains this number in `n_bytes` bytes at `where`. True if the block has another
 * signature, since libhdf5 refuses that itself. */
static bool says(const object *o, uint64_t address, const char *signature, size_t where,
                 size_t n_bytes, uint64_t number)
{
    uint8_t head[16];

    return stoa_is_nowhere(o->block, address) ||
           !stoa_block_read_other(o->block, address, head, sizeof head) ||
           memcmp(head, signature, strlen(signature)) != 0 ||
           stoa_little_endian(head + where, n_bytes) == number;
}

/* A version 1 B-tree is of groups (0) or of chunks (1). libhdf5 checks this when it reads the tree,
 * but not if the tree is cached for another object. */
static bool leads_to_old_tree(const object *o, const uint8_t *address, unsigned kind)
{
    uint8_t head[5];
    const uint64_t at = address_at(o, address);

    return stoa_is_nowhere(o->block, at) ||
           !stoa_block_read_other(o->block, at, head, sizeof head) ||
           memcmp(head, "TREE", 4) != 0 || head[4] == kind;
}

/* Find the addresses of the B-trees of dense storage; returns their number. The message has a
 * version, flags, a number of `n_order` bytes (flag 1), a heap, a B-tree of names, and one of the
 * order (flag 2). */
static size_t find_trees(const object *o, const uint8_t *message, size_t n, size_t n_order,
                         const uint8_t *trees[2])
{
    const size_t address = o->block->file->address_size;
    size_t n_trees = 0;

    if (n >= 2) {
        const size_t names = 2 + ((message[1] & 1) != 0 ? n_order : 0) + address;
        const size_t n_said = (message[1] & 2) != 0 ? 2 : 1;
        while (n_trees < n_said && n >= names + (n_trees + 1) * address) {
            trees[n_trees] = message + names + n_trees * address;
            n_trees++;
        }
    }
    return n_trees;
}

/* libhdf5 has buffers for ids of one size, but does not check the size that a heap states. */
static bool is_dense_sound(const object *o, const uint8_t *message, size_t n, size_t n_order,
                           unsigned kind_of_names, size_t id_size)
{
    enum { ID_SIZE = 5 };
    const uint8_t *trees[2];
    const size_t n_trees = find_trees(o, message, n, n_order, trees);
    bool is_sound = true;

    if (n_trees > 0) {
        const uint64_t heap = address_at(o, trees[0] - o->block->file->address_size);
        is_sound = says(o, heap, "FRHP", ID_SIZE, 2, id_size);
    }
    for (size_t i = 0; i < n_trees; i++) {
        is_sound = is_sound && leads_to_tree(o, trees[i], kind_of_names + (unsigned)i);
    }
    return is_sound;
}

/* Attributes in dense storage may be in the heap of shared messages. libhdf5 does not check that
 * the file has such a heap. */
static bool are_attributes_sound(const object *o, const uint8_t *message, size_t n)
{
    enum { FLAGS = 8, SHARED = 2, ORDER = 2 }; /* in a record, after the heap id */
    const uint8_t *trees[2];
    const size_t n_trees = find_trees(o, message, n, ORDER, trees);
    bool is_sound = true;

    for (size_t i = 0; i < n_trees && !o->block->file->is_extended; i++) {
        is_sound = is_sound && !stoa_tree_sets(o->block, address_at(o, trees[i]), FLAGS, SHARED);
    }
    return is_sound;
}

/* Bytes of a filtered chunk's length in its index. No chunk has 4 GiB. */
static size_t length_size_of(uint64_t chunk_bytes)
{
    return 1 + (stoa_log2_of(chunk_bytes) + 8) / 8;
}

/* Whether an index has elements of that kind, with their size (`n_bytes` bytes at `where`). */
static bool is_index_sound(const object *o, uint64_t index, const char *signature, unsigned kind,
                           size_t where, size_t n_bytes, uint64_t size)
{
    enum { KIND = 5 };

    return says(o, index, signature, KIND, 1, kind) &&
           says(o, index, signature, where, n_bytes, size);
}

/* The layout of a virtual dataset: version, class, location of its mapping in a global heap. */
static bool is_virtual_sound(const object *o)
{
    enum { VERSION = 4, VIRTUAL = 3, HEAP = 2, RANK = 1 };
    const uint8_t *const m = o->layout;
    const size_t address = o->block->file->address_size;

    if (o->n_layout < HEAP + address + 4 || m[0] != VERSION || m[1] != VIRTUAL ||
        stoa_is_nowhere(o->block, address_at(o, m + HEAP))) {
        return true;
    }
    return stoa_mapping_is_sound(o->block, address_at(o, m + HEAP),
                                 (uint32_t)stoa_little_endian(m + HEAP + address, 4),
                                 o->n_space > RANK ? o->space[RANK] : 0);
}

/* Number of chunks that the maximal extent has room for, from a dataspace message of version 1 or
 * 2: the dimensions, then their maxima. 0 if unknown. */
static uint64_t count_chunks(const object *o, const uint8_t *chunk, size_t each, size_t rank)
{
    enum { RANK = 1, FLAGS = 2, HAS_GREATEST = 1 };
    const size_t length = o->block->file->length_size;
    const size_t head = o->space[0] == 1 ? 8 : 4;
    const size_t at = head + ((o->space[FLAGS] & HAS_GREATEST) != 0 ? rank * length : 0);
    uint64_t n = 1;

    if (o->n_space < at + rank * length || o->space[RANK] != rank) {
        return 0;
    }
    for (size_t i = 0; i < rank; i++) {
        const uint64_t most = stoa_little_endian(o->space + at + i * length, length);
        const uint64_t rows = stoa_little_endian(chunk + i * each, each);
        const uint64_t n_here = rows == 0 ? 0 : most / rows + (most % rows != 0);
        n = n_here != 0 && n > UINT64_MAX / n_here ? UINT64_MAX : n * n_here;
    }
    return n;
}

/* Before version 4 the layout has a version, other fields, and a version 1 B-tree. Version 4 has a
 * version, class, flags, the number of dimensions, bytes per dimension, and the dimensions, the
 * last of which is the element size. Then follow the type of the index, its parameters and its
 * address. */
static bool is_layout_sound(const object *o)
{
    enum { VERSION = 4, CHUNKED = 2, DIMENSIONS = 3, FIELDS = 5, MASK = 4, MAX_DIMENSIONS = 33 };
    enum { FIXED_ARRAY = 3, EXTENSIBLE_ARRAY = 4, TREE = 5, OF_CHUNKS = 10 };
    const uint8_t *const m = o->layout;
    const size_t address = o->block->file->address_size;
    const size_t n_dimensions = m[DIMENSIONS];
    const size_t each = m[DIMENSIONS + 1];
    const size_t kind_at = FIELDS + n_dimensions * each;
    uint64_t bytes = 1;

    if (o->n_layout >= 8 + address && m[0] <= 3) { /* see footprint_objects.c */
        return m[m[0] < 3 ? 2 : 1] != CHUNKED || leads_to_old_tree(o, m + (m[0] < 3 ? 8 : 3), 1);
    }
    if (o->n_layout < FIELDS || m[0] != VERSION || m[1] != CHUNKED || n_dimensions < 2 ||
        n_dimensions > MAX_DIMENSIONS || each > 8) {
        return true;
    }
    for (size_t i = 0; i < n_dimensions; i++) {
        const uint64_t n = stoa_little_endian(m + FIELDS + i * each, each);
        bytes = n != 0 && bytes > UINT32_MAX / n ? UINT32_MAX : bytes * n;
    }
    const unsigned kind = m[kind_at];
    const size_t made_with = kind == FIXED_ARRAY ? 1 : kind == EXTENSIBLE_ARRAY ? 5 : 6;
    if (o->n_layout < kind_at + 1 + made_with + address) {
        return true;
    }
    const uint64_t index = address_at(o, m + kind_at + 1 + made_with);
    const uint64_t element = address + (o->is_filtered ? length_size_of(bytes) + MASK : 0);
    switch (kind) {
    case FIXED_ARRAY: {
        /* libhdf5 iterates over all elements, and sets any that the extent has room for. */
        const uint64_t n_chunks = count_chunks(o, m + FIELDS, each, n_dimensions - 1);
        return is_index_sound(o, index, "FAHD", o->is_filtered, 6, 1, element) &&
               (n_chunks == 0 || says(o, index, "FAHD", 8, o->block->file->length_size, n_chunks));
    }
    case EXTENSIBLE_ARRAY:
        return is_index_sound(o, index, "EAHD", o->is_filtered, 6, 1, element);
    case TREE:
        return is_index_sound(o, index, "BTHD", OF_CHUNKS + o->is_filtered, 10, 2,
                              element + 8 * (n_dimensions - 1));
    default:
        return true;
    }
}

/* --- variable-length values in the header ---------------------------------------------------- */

/* A variable-length value is a number of items (4 bytes) and their location in a global heap.
 * libhdf5 allocates memory for the items before it looks for them. Each value is stored separately,
 * so all of them together cannot exceed the file's size. */

/* Bytes per item, from a variable-length datatype (class 9): 8 bytes, then the type of an item,
 * whose second field is its size. 0 for other datatypes. */
static uint64_t item_size_of(const uint8_t *datatype, size_t n)
{
    enum { CLASS = 0x0f, VARIABLE_LENGTH = 9, HEAD = 8, SIZE_AT = 4 };

    return n < 2 * HEAD || (datatype[0] & CLASS) != VARIABLE_LENGTH
               ? 0
               : stoa_little_endian(datatype + HEAD + SIZE_AT, 4);
}

static uint64_t count_items(const object *o, const uint8_t *values, size_t n)
{
    const size_t each = 4 + o->block->file->address_size + 4;
    uint64_t items = 0;

    for (size_t at = 0; at + each <= n; at += each) {
        items += stoa_little_endian(values + at, 4);
    }
    return items;
}

static bool can_be_in_file(const object *o, uint64_t items, uint64_t item_size)
{
    return item_size == 0 || items <= stoa_journal_size(o->block->journal) / item_size;
}

/* The fill value follows its size (4 bytes). Before these, the new message has a version, two times
 * and whether there is a value; from version 3 on, a version and flags. */
static uint64_t count_fill_items(const object *o, unsigned kind, const uint8_t *message, size_t n)
{
    const size_t head = 4 + (kind == STOA_MESSAGE_OLD_FILL ? 0 : n > 0 && message[0] < 3 ? 4 : 2);

    return n > head ? count_items(o, message + head, n - head) : 0;
}

/* The fields are a version, flags, and the sizes of name, datatype and dataspace (2 bytes each).
 * From version 3 on, the encoding of the name follows. Then come name, datatype, dataspace and
 * values. Version 1 pads each of the first three to eight bytes. Flags tell that datatype or
 * dataspace are shared. */
static bool is_attribute_sound(const object *o, const uint8_t *message, size_t n)
{
    enum { ELSEWHERE = 3 };
    const size_t head = n > 0 && message[0] == 3 ? 9 : 8;

    if (n < head || (message[0] > 1 && (message[1] & ELSEWHERE) != 0)) {
        return true;
    }
    const size_t pad = message[0] == 1 ? 7 : 0;
    const size_t type_at = head + (((size_t)stoa_little_endian(message + 2, 2) + pad) & ~pad);
    const size_t space_at = type_at + (((size_t)stoa_little_endian(message + 4, 2) + pad) & ~pad);
    const size_t values_at = space_at + (((size_t)stoa_little_endian(message + 6, 2) + pad) & ~pad);
    return n < values_at || can_be_in_file(o, count_items(o, message + values_at, n - values_at),
                                           item_size_of(message + type_at, space_at - type_at));
}

/* --- the header ------------------------------------------------------------------------------ */

static bool add_part(object *o, uint64_t address, uint64_t n)
{
    const part one = {address, n};
    const uint64_t size = stoa_journal_size(o->block->journal);

    o->n_bytes += n;
    /* Parts do not overlap, so together they cannot exceed the file's size. */
    if (n > size || o->n_bytes > size) {
        return false;
    }
    if (o->n_parts < sizeof o->few / sizeof *o->few) {
        o->few[o->n_parts++] = one;
        return true;
    }
    o->n_parts++;
    return stoa_buffer_append(&o->more, &one, sizeof one, NULL) == STOA_OK;
}

static bool check_message(object *o, unsigned kind, const uint8_t *message, size_t n)
{
    enum { OF_LINKS = 5, LINK_ID = 7, OF_ATTRIBUTES = 8, ATTRIBUTE_ID = 8, COMPACT = 0 };
    const size_t address = o->block->file->address_size;
    const size_t length = o->block->file->length_size;

    switch (kind) {
    case STOA_MESSAGE_LINK_INFO:
        return is_dense_sound(o, message, n, 8, OF_LINKS, LINK_ID);
    case STOA_MESSAGE_ATTRIBUTE_INFO:
        return is_dense_sound(o, message, n, 2, OF_ATTRIBUTES, ATTRIBUTE_ID) &&
               are_attributes_sound(o, message, n);
    case STOA_MESSAGE_DATASPACE:
        o->n_space = n < sizeof o->space ? n : sizeof o->space;
        memcpy(o->space, message, o->n_space);
        return true;
    case STOA_MESSAGE_DATATYPE:
        o->item_size = item_size_of(message, n);
        return true;
    case STOA_MESSAGE_ATTRIBUTE:
        return is_attribute_sound(o, message, n);
    case STOA_MESSAGE_SYMBOL_TABLE:
        return n < address || leads_to_old_tree(o, message, 0);
    case STOA_MESSAGE_SHARED_TABLE: /* version, address, count: libhdf5 has room for 8 */
        return n < 2 + o->block->file->address_size ||
               message[1 + o->block->file->address_size] <= 8;
    case STOA_MESSAGE_FILTERS:
        o->is_filtered = n > 1 && message[1] > 0;
        return true;
    case STOA_MESSAGE_LAYOUT:
        o->n_layout = n < sizeof o->layout ? n : sizeof o->layout;
        memcpy(o->layout, message, o->n_layout);
        /* version and class; compact layouts continue with the values' size and the values */
        o->n_items += n > 4 && message[1] == COMPACT ? count_items(o, message + 4, n - 4) : 0;
        return true;
    case STOA_MESSAGE_OLD_FILL:
    case STOA_MESSAGE_FILL:
        o->n_items += count_fill_items(o, kind, message, n);
        return true;
    case STOA_MESSAGE_CONTINUATION:
        return n < address + length ||
               add_part(o, address_at(o, message), stoa_little_endian(message + address, length));
    default:
        return true;
    }
}

static bool take_message(object *o, unsigned kind, bool is_shared, const uint8_t *message, size_t n)
{
    if (o->seen != NULL && kind != STOA_MESSAGE_CONTINUATION) {
        return o->seen->message(o->seen->context, kind, is_shared, message, n);
    }
    const bool is_fine = is_shared || check_message(o, kind, message, n);
    o->is_damaged = o->is_damaged || !is_fine;
    return o->seen == NULL || !o->is_damaged;
}

/* The messages in [at, end). Each has a type, a size (2 bytes), flags, and an optional creation
 * order (2 bytes). In version 1 the type has two bytes, and three reserved bytes follow the flags.
 * Shared messages are stored elsewhere. */
static bool check_messages(object *o, const uint8_t *at, const uint8_t *end)
{
    enum { SHARED = 2, ALIGNED = 8 };
    const size_t kind_size = o->version == 1 ? 2 : 1;
    const size_t head = o->version == 1 ? 8 : o->counts ? 6 : 4;

    while ((size_t)(end - at) >= head) {
        const unsigned kind = (unsigned)stoa_little_endian(at, kind_size);
        const size_t n = (size_t)stoa_little_endian(at + kind_size, 2);
        const unsigned flags = at[kind_size + 2];
        at += head;
        if (n > (size_t)(end - at) || (o->version == 1 && n % ALIGNED != 0)) {
            o->is_refused = true;
            return true;
        }
        o->n_messages++;
        if (kind < STOA_N_MESSAGES) {
            o->has |= UINT32_C(1) << kind;
        }
        if (!take_message(o, kind, (flags & SHARED) != 0, at, n)) {
            return false;
        }
        at += n;
    }
    return true;
}

/* Find the first messages. They follow "OHDR", version, flags, four times and two numbers (if the
 * flags say so), and the size of the messages. In version 1 they follow 16 bytes, which contain the
 * size. */
static bool find_first_part(object *o)
{
    enum { VERSION = 4, FLAGS = 5, TIMES = 0x20, NUMBERS = 0x10, COUNTS = 0x04, SIZE = 0x03 };
    const uint8_t *const b = o->block->bytes;
    const uint64_t address = o->block->address - o->block->file->base;

    if (b[0] == 1) {
        o->version = 1;
        return o->block->n < 16 || add_part(o, address + 16, stoa_little_endian(b + 8, 4));
    }
    o->version = b[VERSION];
    o->counts = (b[FLAGS] & COUNTS) != 0;
    const size_t head =
        6 + ((b[FLAGS] & TIMES) != 0 ? 16u : 0u) + ((b[FLAGS] & NUMBERS) != 0 ? 4u : 0u);
    const size_t size = (size_t)1 << (b[FLAGS] & SIZE);
    return o->version != 2 || o->block->n < head + size ||
           add_part(o, address + head + size, stoa_little_endian(b + head, size));
}

static part part_of(const object *o, size_t i)
{
    const size_t n_few = sizeof o->few / sizeof *o->few;
    part one;

    if (i < n_few) {
        one = o->few[i];
    } else {
        memcpy(&one, o->more.data + (i - n_few) * sizeof one, sizeof one);
    }
    return one;
}

static bool check_part(object *o, size_t i, stoa_buffer *room)
{
    uint8_t little[2048];
    const part one = part_of(o, i);

    room->size = 0;
    if (one.n > sizeof little && stoa_buffer_reserve(room, (size_t)one.n, NULL) != STOA_OK) {
        return false;
    }
    uint8_t *at = one.n > sizeof little ? room->data : little;
    if (!stoa_block_read_other(o->block, one.address, at, (size_t)one.n)) {
        return false;
    }
    uint8_t *end = at + one.n;
    if (o->version == 2 && i > 0) { /* "OCHK", messages, a checksum */
        if (one.n < 8) {
            return true;
        }
        at += 4;
        end -= 4;
    }
    return check_messages(o, at, end);
}

static bool has(const object *o, unsigned kind)
{
    return (o->has >> kind & 1) != 0;
}

/* Whether the messages belong to one kind of object: libhdf5 copies each message according to the
 * kind of object that it detects. */
static bool is_one(const object *o)
{
    const bool is_group = has(o, STOA_MESSAGE_LINK_INFO) || has(o, STOA_MESSAGE_GROUP_INFO) ||
                          has(o, STOA_MESSAGE_SYMBOL_TABLE);
    const bool is_stored = has(o, STOA_MESSAGE_DATASPACE) && has(o, STOA_MESSAGE_DATATYPE);
    const bool has_storage = has(o, STOA_MESSAGE_LAYOUT) || has(o, STOA_MESSAGE_FILL) ||
                             has(o, STOA_MESSAGE_OLD_FILL) || has(o, STOA_MESSAGE_EXTERNAL_FILES);

    return (!has_storage || (is_stored && !is_group)) &&
           (!has(o, STOA_MESSAGE_FILTERS) || is_stored || is_group);
}

/* Pass parts to the visitor as they are found. The first one starts with the header's prefix, and
 * ends with a checksum except in version 1. */
static bool show_part(const object *o, size_t i)
{
    const part one = part_of(o, i);
    const uint64_t first = i == 0 ? o->block->address - o->block->file->base : one.address;
    const uint64_t checksum = i == 0 && o->version == 2 ? 4 : 0;

    return o->seen == NULL ||
           o->seen->part(o->seen->context, first, one.address - first + one.n + checksum);
}

static bool check_parts(object *o)
{
    stoa_buffer room = {0};
    bool goes_on = find_first_part(o);

    for (size_t i = 0; goes_on && i < o->n_parts; i++) {
        goes_on = show_part(o, i) && check_part(o, i, &room);
    }
    stoa_buffer_clear(&room);
    return goes_on;
}

bool stoa_object_is_sound(const stoa_block *block)
{
    enum { N_MESSAGES = 2 };
    object o = {.block = block};
    bool is_sound = true;

    if (!stoa_block_is_old(block)) {
        return true; /* it was validated when it was first read, before it was changed */
    }
    is_sound = check_parts(&o) && !o.is_damaged && is_one(&o) && is_layout_sound(&o) &&
               is_virtual_sound(&o) && can_be_in_file(&o, o.n_items, o.item_size);
    if (o.version == 1) {
        /* Old headers have no signature. A block whose message count differs, or that libhdf5
         * would refuse, is a continuation, not a header. A dataspace at its start looks like a
         * header of 24 messages. libhdf5 itself refuses a header without messages. */
        const uint64_t n = stoa_little_endian(block->bytes + N_MESSAGES, 2);
        is_sound = is_sound || o.is_refused || n == 0 || n != o.n_messages;
    }
    stoa_buffer_clear(&o.more);
    return is_sound;
}

bool stoa_object_visit(const stoa_block *block, const stoa_object_seen *seen)
{
    object o = {.block = block, .seen = seen};
    const bool goes_on = check_parts(&o);

    stoa_buffer_clear(&o.more);
    return goes_on;
}
