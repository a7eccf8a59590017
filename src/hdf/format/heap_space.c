/*
 * Validates the free space of fractal heaps (HDF5 file format, III.H); see blocks.h.
 *
 * The header:
 *
 *     "FSHD"; version; client (0: a heap);
 *     free bytes, sections in all, listed sections, unlisted sections (four lengths);
 *     section classes (2 bytes); two percentages (2 each); bits of an offset (2);
 *     largest size of a section (a length); address of the list;
 *     used and allocated bytes of the list (lengths); checksum
 *
 * The list:
 *
 *     "FSSE"; version; address of the header; for each section size: number of sections, size, and
 *     for each section its offset in the heap, its class, and data of that class; checksum
 *
 * libhdf5 1.14 calls the functions of any class. It reads until it has found as many sections as
 * the header states. It stores objects where a section says, even past the end of a block.
 */
#include <string.h>

#include "core/memory.h"
#include "hdf/format/blocks.h"

enum {
    SINGLE = 0,   /* within a direct block */
    FIRST_ROW = 1 /* blocks that do not exist yet; libhdf5 lists no other classes */
};

/* Read position in the list. */
typedef struct sections {
    const stoa_heap_shape *shape;
    const uint8_t *at;
    const uint8_t *end;
    bool has_rows;
} sections;

static bool take(sections *s, size_t n, uint64_t *value)
{
    if ((size_t)(s->end - s->at) < n) {
        return false;
    }
    *value = stoa_little_endian(s->at, n);
    s->at += n;
    return true;
}

/* --- blocks of the heap ---------------------------------------------------------------------- */

/* Rows of blocks: those of the root, or of an indirect block that begins at `offset`. */
typedef struct table {
    uint64_t offset;
    uint64_t rows;
} table;

/* A block in a table. */
typedef struct place {
    uint64_t row;
    uint64_t column;
    uint64_t offset; /* in the heap */
    uint64_t size;
} place;

/* Find the block that contains an offset. False: there is none. */
static bool find_block(const stoa_heap_shape *shape, const table *in, uint64_t offset, place *found)
{
    uint64_t size = shape->first;
    uint64_t begin = in->offset;

    for (uint64_t row = 0; row < in->rows && offset >= begin; row++) {
        size *= row > 1 ? 2 : 1;
        const uint64_t column = (offset - begin) / size;
        if (column < shape->width) {
            *found = (place){row, column, begin + column * size, size};
            return true;
        }
        begin += shape->width * size;
    }
    return false;
}

/* An indirect block has as many rows as its size requires. */
static table table_in(const stoa_heap_shape *shape, const place *block)
{
    const unsigned in_row = stoa_log2_of(shape->first) + stoa_log2_of(shape->width);
    const unsigned in_block = stoa_log2_of(block->size) + 1;

    return (table){block->offset, in_block > in_row ? in_block - in_row : 0};
}

static bool is_single_sound(const stoa_heap_shape *shape, uint64_t offset, uint64_t size)
{
    table in = {0, shape->rows};
    place block = {.size = shape->first};

    if (shape->rows > 0) {
        do {
            if (!find_block(shape, &in, offset, &block)) {
                return false;
            }
            in = table_in(shape, &block);
        } while (block.size > shape->greatest);
    }
    const uint64_t within = offset - block.offset;
    return size > 0 && within >= shape->overhead && within < block.size &&
           size <= block.size - within;
}

/* Blocks that do not exist yet, from a row and column on of the table that begins at an offset. */
static bool are_blocks_sound(sections *s, uint64_t offset)
{
    const stoa_heap_shape *const shape = s->shape;
    table in = {0, shape->rows};
    place block;
    uint64_t begin = 0;
    uint64_t row = 0;
    uint64_t column = 0;
    uint64_t n = 0;

    s->has_rows = true;
    if (!take(s, (size_t)(shape->bits + 7) / 8, &begin) || !take(s, 2, &row) ||
        !take(s, 2, &column) || !take(s, 2, &n)) {
        return false;
    }
    while (find_block(shape, &in, offset, &block)) {
        if (in.offset == begin) {
            return block.row == row && block.column == column && block.offset == offset && n > 0 &&
                   n <= (in.rows - row) * shape->width - column;
        }
        if (block.size <= shape->greatest) {
            break;
        }
        in = table_in(shape, &block);
    }
    return false;
}

/* --- the list -------------------------------------------------------------------------------- */

/* Fields of the header. */
typedef struct manager {
    uint64_t n;        /* sections in all */
    uint64_t n_listed; /* sections in the list */
    uint64_t n_others;
    uint64_t bits;
    uint64_t greatest;
    uint64_t list;
    uint64_t size;
    uint64_t allocated;
} manager;

static bool are_sections_sound(const manager *m, sections *s)
{
    const size_t count_size = stoa_bytes_of(m->n_listed);
    const size_t length_size = stoa_bytes_of(m->greatest);
    const size_t offset_size = (size_t)(m->bits + 7) / 8;
    uint64_t left = m->n_listed;

    while (left > 0) {
        uint64_t n = 0;
        uint64_t size = 0;
        uint64_t offset = 0;
        uint64_t class = 0;
        if (!take(s, count_size, &n) || !take(s, length_size, &size) || n == 0 || n > left) {
            return false;
        }
        for (left -= n; n > 0; n--) {
            if (!take(s, offset_size, &offset) || !take(s, 1, &class) ||
                !(class == SINGLE      ? is_single_sound(s->shape, offset, size)
                  : class == FIRST_ROW ? are_blocks_sound(s, offset)
                                       : false)) {
                return false;
            }
        }
    }
    /* libhdf5 reads until it has all sections, including those that belong to rows. */
    return s->has_rows ? s->at == s->end : m->n_others == 0;
}

/* Read the list into `list`, which is large enough, and validate it. */
static bool is_list_sound(const stoa_block *heap, const stoa_heap_shape *shape, const manager *m,
                          uint8_t *list)
{
    const size_t prefix = 5 + heap->file->address_size;

    sections s = {shape, list + prefix, list + m->size - 4, false};
    return stoa_block_read_other(heap, m->list, list, (size_t)m->size) &&
           (memcmp(list, "FSSE", 4) != 0 || are_sections_sound(m, &s));
}

static void read_manager(const stoa_block *heap, const uint8_t *header, manager *m)
{
    enum { FIRST = 6 };
    const size_t length = heap->file->length_size;
    const size_t address = heap->file->address_size;
    const uint8_t *const counts = header + FIRST + length;
    const uint8_t *const bits = counts + 3 * length + 6;

    m->n = stoa_little_endian(counts, length);
    m->n_listed = stoa_little_endian(counts + length, length);
    m->n_others = stoa_little_endian(counts + 2 * length, length);
    m->bits = stoa_little_endian(bits, 2);
    m->greatest = stoa_little_endian(bits + 2, length);
    m->list = stoa_little_endian(bits + 2 + length, address);
    m->size = stoa_little_endian(bits + 2 + length + address, length);
    m->allocated = stoa_little_endian(bits + 2 + 2 * length + address, length);
}

bool stoa_heap_space_is_sound(const stoa_block *heap, const stoa_heap_shape *shape,
                              uint64_t address)
{
    enum { CLIENT = 5, OF_HEAP = 0, MAX_HEADER = 14 + 8 * 8 };
    const uint64_t file_size = stoa_block_file_size(heap);
    const size_t prefix = 5 + heap->file->address_size;
    uint8_t header[MAX_HEADER];
    uint8_t little[2048];
    stoa_buffer large = {0};
    manager m;

    /* Only edits use the free space, so a file whose free space is damaged can still be read. */
    if (stoa_journal_is_plain(heap->journal) || stoa_is_nowhere(heap, address) ||
        !stoa_block_read_other(heap, address, header, sizeof header) ||
        memcmp(header, "FSHD", 4) != 0) {
        return true; /* libhdf5 refuses that itself */
    }
    read_manager(heap, header, &m);
    if (header[CLIENT] != OF_HEAP || m.bits != shape->bits || m.greatest != shape->greatest ||
        m.n_listed > m.n || m.n_others != m.n - m.n_listed) {
        return false;
    }
    if (m.n_listed == 0 || stoa_is_nowhere(heap, m.list)) {
        return m.n == 0;
    }
    if (m.size < prefix + 4 || m.size != m.allocated || m.size > file_size) {
        return false;
    }
    const bool is_little = m.size <= sizeof little;
    const bool is_sound =
        (is_little || stoa_buffer_reserve(&large, (size_t)m.size, NULL) == STOA_OK) &&
        is_list_sound(heap, shape, &m, is_little ? little : large.data);
    stoa_buffer_clear(&large);
    return is_sound;
}
