/* Selects the check for each kind of block; see blocks.h. */
#include "hdf/format/blocks.h"

#include <string.h>

enum { SIGNATURE = 4 };

/* --- arrays of chunks ------------------------------------------------------------------------ */

/* Elements in an array of chunks. Client 0 stores an address per chunk. Client 1 also stores a
 * length (1 to 8 bytes) and a filter mask (4). Client 2 is for libhdf5's own tests, and crashes
 * elsewhere. */
static bool is_element_sound(const stoa_block *block)
{
    enum { KIND = 5, ELEMENT = 6 };
    const size_t address = block->file->address_size;
    const uint8_t size = block->bytes[ELEMENT];

    return block->bytes[KIND] == 0
               ? size == address
               : block->bytes[KIND] == 1 && size > address + 4 && size <= address + 4 + 8;
}

/*
 * The header of an extensible array (III.D.2):
 *
 *     signature; version; client; size of an element; bits of the maximal number of elements;
 *     elements in the index block; minimal elements in a data block; minimal data blocks in a super
 *     block; bits of the elements in a page; six lengths (super blocks and their bytes, data blocks
 *     and their bytes, the largest index that was set, the capacity in elements); address of the
 *     index block
 */
static bool extensible_array_is_sound(const stoa_block *block)
{
    enum { BITS = 7, INDEX_ELEMENTS, MIN_ELEMENTS, MIN_BLOCKS, PAGE_BITS, LENGTHS };
    const uint8_t *const b = block->bytes;
    const size_t length = block->file->length_size;

    if (block->n < LENGTHS + 6 * length || !is_element_sound(block) || b[BITS] == 0 ||
        b[BITS] > 64 || b[PAGE_BITS] > b[BITS] || !stoa_is_power_of_two(b[MIN_ELEMENTS]) ||
        !stoa_is_power_of_two(b[MIN_BLOCKS]) || stoa_log2_of(b[MIN_ELEMENTS]) > b[BITS]) {
        return false;
    }
    const uint64_t super_bytes = stoa_little_endian(b + LENGTHS + length, length);
    const uint64_t data_bytes = stoa_little_endian(b + LENGTHS + 3 * length, length);
    const uint64_t n_set = stoa_little_endian(b + LENGTHS + 4 * length, length);
    const unsigned n_super_blocks = 1 + b[BITS] - stoa_log2_of(b[MIN_ELEMENTS]);
    const uint64_t end = stoa_block_file_size(block);
    return 2 * stoa_log2_of(b[MIN_BLOCKS]) <= n_super_blocks && super_bytes <= end &&
           data_bytes <= end && (b[BITS] == 64 || n_set <= UINT64_C(1) << b[BITS]);
}

/* The header of a fixed array (III.C.2): signature, version, client, size of an element, bits of
 * the elements in a page, number of elements, address of the data block. The data block
 * holds all elements. libhdf5 iterates over all of them, even if there is no data block yet. */
static bool fixed_array_is_sound(const stoa_block *block)
{
    enum { ELEMENT = 6, PAGE_BITS, LENGTHS, MAX_UNSTORED = 1 << 30 };
    const uint8_t *const b = block->bytes;
    const size_t length = block->file->length_size;
    const size_t address = block->file->address_size;

    if (block->n < LENGTHS + length + address || !is_element_sound(block) || b[PAGE_BITS] >= 64) {
        return false;
    }
    const uint64_t n = stoa_little_endian(b + LENGTHS, length);
    const uint64_t data = stoa_little_endian(b + LENGTHS + length, address);
    return n <=
           (stoa_is_nowhere(block, data) ? MAX_UNSTORED : stoa_block_file_size(block) / b[ELEMENT]);
}

/* --- every kind ------------------------------------------------------------------------------ */

static const struct kind {
    char signature[SIGNATURE + 1];
    bool is_data;
    const char *name;
    stoa_block_check *is_sound;
} kinds[] = {
    {"GCOL", true, "a global heap", stoa_global_heap_is_sound},
    {"HEAP", false, "a local heap", stoa_local_heap_is_sound},
    {"FRHP", false, "a fractal heap", stoa_fractal_heap_is_sound},
    {"TREE", false, "a B-tree", stoa_old_tree_is_sound},
    {"BTHD", false, "a B-tree", stoa_tree_is_sound},
    {"EAHD", false, "an extensible array", extensible_array_is_sound},
    {"FAHD", false, "a fixed array", fixed_array_is_sound},
    {"OHDR", false, "an object header", stoa_object_is_sound},
};

const char *stoa_block_fault(const stoa_block *block)
{
    enum { OLD_VERSION = 1 };

    if (block->file->length_size == 0 || block->file->length_size > 8 || block->n < 8) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].is_data == block->is_data &&
            memcmp(block->bytes, kinds[i].signature, SIGNATURE) == 0) {
            return kinds[i].is_sound(block) ? NULL : kinds[i].name;
        }
    }
    /* Old object headers have no signature. */
    if (block->is_object && block->bytes[0] == OLD_VERSION && block->bytes[1] == 0) {
        return stoa_object_is_sound(block) ? NULL : "an object header";
    }
    return NULL;
}
