/*
 * See heap.h. A global heap collection, of version 1 (HDF5 file format, III.E):
 *
 *     "GCOL", version, three reserved bytes, size of all this (a length)
 *     objects: index (2 bytes), references (2), reserved (4), size (a length), data, padded to 8
 *
 * Index 0 is what is left over; its size counts its own header too.
 */
#include "hdf/heap.h"

#include <string.h>

/* The largest headers: of lengths of eight bytes. */
enum { HEADER_SIZE = 16, WORD = 8 };

static uint64_t little_endian(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = size; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static uint64_t padded(uint64_t size)
{
    return size + (WORD - size % WORD) % WORD;
}

/* How far it is from an object to the next one; 0 if that cannot be. */
static uint64_t step_of(const uint8_t *object, unsigned length_size, uint64_t header, uint64_t left)
{
    const uint64_t size = little_endian(object + 8, length_size);

    if (size > left) {
        return 0;
    }
    return little_endian(object, 2) != 0 ? header + padded(size) : size < header ? 0 : size;
}

bool stoa_heap_is_sound(stoa_journal *journal, uint64_t address, const void *bytes, size_t n,
                        unsigned length_size)
{
    static const uint8_t magic[] = {'G', 'C', 'O', 'L', 1};
    const uint8_t *const heap = bytes;
    const uint64_t header = padded(8 + (uint64_t)length_size);

    if (length_size > 8 || n < HEADER_SIZE || memcmp(heap, magic, sizeof magic) != 0) {
        return true;
    }
    const uint64_t size = little_endian(heap + 8, length_size);
    for (uint64_t at = header; at <= size && size - at >= header;) {
        uint8_t room[HEADER_SIZE];
        const uint8_t *object = room;
        if (at <= n && n - at >= header) {
            object = heap + at;
        } else if (stoa_journal_read(journal, address + at, room, (size_t)header) != 0) {
            return false; /* where libhdf5 will read in a moment */
        }
        const uint64_t step = step_of(object, length_size, header, size - at);
        if (step == 0 || step > size - at) {
            return false;
        }
        at += step;
    }
    return true;
}

/* The header of a version 2 B-tree (HDF5 file format, III.A.2):
 *
 *     "BTHD", version, type, node size (4 bytes), record size (2), depth (2), two percentages,
 *     address of the root (an offset), records in the root (2), records in all (a length), checksum
 */
bool stoa_tree_is_sound(const void *bytes, size_t n, unsigned length_size)
{
    enum { NODE_SIZE = 6, RECORD_SIZE = 10, ROOT = 16, FIXED = 22, NODE_OVERHEAD = 10 };
    static const uint8_t magic[] = {'B', 'T', 'H', 'D', 0};
    const uint8_t *const header = bytes;

    if (n < FIXED + length_size || n - FIXED - length_size > 8 ||
        memcmp(header, magic, sizeof magic) != 0) {
        return true;
    }
    const size_t offset_size = n - FIXED - length_size;
    const uint64_t node = little_endian(header + NODE_SIZE, 4);
    const uint64_t record = little_endian(header + RECORD_SIZE, 2);
    const uint64_t n_records = little_endian(header + ROOT + offset_size, 2);

    return node >= NODE_OVERHEAD && n_records * record <= node - NODE_OVERHEAD;
}
