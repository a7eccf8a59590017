/* Validates heaps; see blocks.h. */
#include "hdf/format/blocks.h"

#include "core/min_of.h"

/* --- global heaps ---------------------------------------------------------------------------- */

/*
 * A global heap collection of version 1 (HDF5 file format, III.E):
 *
 *     "GCOL"; version; three reserved bytes; size of the collection (a length)
 *     objects: index (2 bytes); references (2); reserved (4); size (a length); data, padded to 8
 *
 * Index 0 is the free space; its size includes its own header.
 *
 * libhdf5 1.14 walks from object to object without checks, so an object of size zero makes it loop
 * for ever. Heaps have no checksum, so any damage can cause this.
 */

/* Size of the largest headers, with lengths of eight bytes. */
enum { HEADER_SIZE = 16, WORD = 8 };

static uint64_t padded(uint64_t size)
{
    return size + (WORD - size % WORD) % WORD;
}

/* Distance from an object to the next one; 0 if it is impossible. */
static uint64_t step_of(const uint8_t *object, unsigned length_size, uint64_t header, uint64_t left)
{
    const uint64_t size = stoa_little_endian(object + 8, length_size);

    if (size > left) {
        return 0;
    }
    return stoa_little_endian(object, 2) != 0 ? header + padded(size) : size < header ? 0 : size;
}

/* A part of a heap that was read behind the block. */
typedef struct window {
    uint64_t at;
    uint64_t n;
    uint8_t bytes[4096];
} window;

/* The header at `at` of a heap of `size` bytes; NULL if it cannot be read. Headers are close to
 * each other, so many of them are read at once. */
static const uint8_t *read_header(const stoa_block *block, uint64_t at, uint64_t size,
                                  uint64_t header, window *near)
{
    if (at <= block->n && block->n - at >= header) {
        return (const uint8_t *)block->bytes + at;
    }
    if (at < near->at || at - near->at > near->n || near->n - (at - near->at) < header) {
        near->at = at;
        near->n = size - at < sizeof near->bytes ? size - at : sizeof near->bytes;
        if (stoa_journal_read(block->journal, block->address + at, near->bytes, (size_t)near->n) !=
            0) {
            near->n = header; /* the file may end before the heap does */
        }
        if (near->n == header && stoa_journal_read(block->journal, block->address + at, near->bytes,
                                                   (size_t)header) != 0) {
            return NULL;
        }
    }
    return near->bytes + (at - near->at);
}

bool stoa_global_heap_is_sound(const stoa_block *block)
{
    enum { VERSION = 4 };
    const uint8_t *const heap = block->bytes;
    const unsigned length_size = block->file->length_size;
    const uint64_t header = padded(8 + (uint64_t)length_size);
    window near = {.n = 0};

    if (block->n < HEADER_SIZE || heap[VERSION] != 1) {
        return true;
    }
    const uint64_t size = stoa_little_endian(heap + 8, length_size);
    for (uint64_t at = header; at <= size && size - at >= header;) {
        const uint8_t *const object = read_header(block, at, size, header, &near);
        if (object == NULL) {
            return false; /* libhdf5 will read the same bytes next */
        }
        const uint64_t step = step_of(object, length_size, header, size - at);
        if (step == 0 || step > size - at) {
            return false;
        }
        at += step;
    }
    return true;
}

bool stoa_global_heap_find(const stoa_block *block, uint64_t heap, uint32_t index, uint64_t *where,
                           uint64_t *size)
{
    const unsigned length_size = block->file->length_size;
    const uint64_t header = padded(8 + (uint64_t)length_size);
    uint8_t head[HEADER_SIZE];

    *size = 0;
    if (!stoa_block_read_other(block, heap, head, (size_t)header)) {
        return false;
    }
    const uint64_t end = stoa_little_endian(head + 8, length_size);
    for (uint64_t at = header; at <= end && end - at >= header;) {
        if (heap > UINT64_MAX - at ||
            !stoa_block_read_other(block, heap + at, head, (size_t)header)) {
            return false;
        }
        const uint64_t step = step_of(head, length_size, header, end - at);
        if (step == 0 || step > end - at) {
            return false;
        }
        if (stoa_little_endian(head, 2) == index) { /* libhdf5 uses the last of several */
            *where = heap + at + header;
            *size = stoa_little_endian(head + 8, length_size);
        }
        at += step;
    }
    return true;
}

/* --- local heaps ----------------------------------------------------------------------------- */

/*
 * The prefix of a local heap (III.D) is "HEAP", version, three reserved bytes, the size of the data
 * (a length), the offset of the first free block (a length; 1: there is none), and the address of
 * the data. A free block begins with the offset of the next one and its own size.
 *
 * libhdf5 1.14 follows the list of free blocks and allocates memory for each of them, for ever if
 * the list is cyclic.
 */
bool stoa_local_heap_is_sound(const stoa_block *block)
{
    enum { FIELDS = 8, NO_MORE = 1 };
    const unsigned length_size = block->file->length_size;
    const unsigned address_size = block->file->address_size;
    uint8_t offset[8];

    if (block->n < FIELDS + 2 * (size_t)length_size + address_size || !stoa_block_is_old(block)) {
        return true;
    }
    const uint64_t size = stoa_little_endian(block->bytes + FIELDS, length_size);
    uint64_t next = stoa_little_endian(block->bytes + FIELDS + length_size, length_size);
    const uint64_t data =
        stoa_little_endian(block->bytes + FIELDS + 2 * (size_t)length_size, address_size);
    /* Each free block occupies two lengths. That bounds their number by the size of the heap, and
     * by that of the file. */
    const uint64_t most = stoa_min_of(size, stoa_journal_size(block->journal));
    for (uint64_t left = most / (2 * (uint64_t)length_size); next != NO_MORE; left--) {
        if (left == 0 || next >= size || data > INT64_MAX - next ||
            !stoa_block_read_other(block, data + next, offset, length_size)) {
            return false;
        }
        next = stoa_little_endian(offset, length_size);
    }
    return true;
}

/* --- fractal heaps --------------------------------------------------------------------------- */

/* Bytes needed for values below 2^bits. */
static uint64_t bytes_of(uint64_t bits)
{
    return (bits + 7) / 8;
}

enum { HUGE_ID = 14 };

/* The doubling table is at the end of the header. */
static const uint8_t *table_of(const stoa_superblock *file, const uint8_t *header)
{
    return header + HUGE_ID + 10 * (size_t)file->length_size + 2 * (size_t)file->address_size;
}

stoa_heap_shape stoa_heap_shape_of(const stoa_superblock *file, const uint8_t *header)
{
    enum { FLAGS = 9, HAS_CHECKSUMS = 2 };
    const size_t length = file->length_size;
    const size_t address = file->address_size;
    const uint8_t *const table = table_of(file, header);
    const uint64_t bits = stoa_little_endian(table + 2 + 2 * length, 2);

    return (stoa_heap_shape){
        .width = stoa_little_endian(table, 2),
        .first = stoa_little_endian(table + 2, length),
        .greatest = stoa_little_endian(table + 2 + length, length),
        .bits = bits,
        .rows = stoa_little_endian(table + 6 + 2 * length + address, 2),
        /* "FHDB", version, address of the header, offset in the heap, optional checksum */
        .overhead = 5 + address + bytes_of(bits) + ((header[FLAGS] & HAS_CHECKSUMS) != 0 ? 4 : 0),
    };
}

/*
 * The header of a fractal heap (III.G) has these fields; (A) marks addresses:
 *
 *     "FRHP"; version; size of an id (2); size of filters (2); flags; largest managed object (4);
 *     next huge id (a length); tree of huge objects (A); free space (a length); its manager (A);
 *     eight counts (lengths);
 *     the doubling table: width (2); size of the first block; size of the largest direct block;
 *     bits of the heap's size (2); initial rows (2); root block (A); its rows (2)
 *
 * libhdf5 1.14 allocates tables with as many rows as the sizes imply, and more if they are not
 * powers of two or contradict each other. It writes ids of the stated size into buffers of 7 bytes
 * (links) or 8 bytes (attributes, shared messages). An id consists of a byte, the offset in the
 * heap and a length.
 */
bool stoa_fractal_heap_is_sound(const stoa_block *block)
{
    enum { ID_SIZE = 5, GREATEST = 10, MAX_ID_SIZE = 8 };
    enum { OF_HUGE_INDIRECT = 1, OF_HUGE_FILTERED = 4 };
    const size_t length = block->file->length_size;
    const size_t address = block->file->address_size;
    const uint8_t *const b = block->bytes;

    if (block->n < HUGE_ID + 12 * length + 3 * address + 8) {
        return true; /* libhdf5 reads as much as it needs */
    }
    const stoa_heap_shape shape = stoa_heap_shape_of(block->file, b);
    const uint64_t first_rows = stoa_little_endian(table_of(block->file, b) + 4 + 2 * length, 2);
    const uint64_t greatest = stoa_little_endian(b + GREATEST, 4);
    if (!stoa_is_power_of_two(shape.width) || !stoa_is_power_of_two(shape.first) ||
        !stoa_is_power_of_two(shape.greatest) || shape.greatest < shape.first ||
        shape.greatest > UINT32_MAX || greatest > shape.greatest || shape.bits > 64 ||
        stoa_log2_of(shape.first) + stoa_log2_of(shape.width) > shape.bits) {
        return false;
    }
    const uint64_t max_rows =
        shape.bits - stoa_log2_of(shape.first) - stoa_log2_of(shape.width) + 1;
    const uint64_t id_size = stoa_little_endian(b + ID_SIZE, 2);
    const uint64_t in_id =
        1 + bytes_of(shape.bits) +
        stoa_min_of(bytes_of(stoa_log2_of(shape.greatest)), bytes_of(stoa_log2_of(greatest) + 1));
    return first_rows <= max_rows && shape.rows <= max_rows && id_size >= in_id &&
           id_size <= MAX_ID_SIZE &&
           (!stoa_block_is_old(block) ||
            (stoa_block_leads_to(block, stoa_little_endian(b + HUGE_ID + length, address), "BTHD",
                                 OF_HUGE_INDIRECT, OF_HUGE_FILTERED) &&
             stoa_heap_space_is_sound(
                 block, &shape, stoa_little_endian(b + HUGE_ID + 2 * length + address, address))));
}
