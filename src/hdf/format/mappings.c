/*
 * Validates the mapping of a virtual dataset (HDF5 file format, III.E.1); see blocks.h.
 *
 * It is an object in a global heap:
 *
 *     version; number of entries (a length)
 *     entries: names of a file and of a dataset in it, each with a NUL; the selection in that
 *         dataset, and the selection in the virtual dataset
 *     checksum
 *
 * libhdf5 1.14 verifies the checksum last. Before that, it clears and fills as many elements of
 * arrays on its stack as a hyperslab claims dimensions. It also allocates a list of as many entries
 * as the mapping claims.
 */
#include <string.h>

#include "core/memory.h"
#include "hdf/format/blocks.h"

enum { MAX_RANK = 32 };

/* Read position. Once past the end, nothing more is read. */
typedef struct reader {
    const uint8_t *at;
    uint64_t left;
    bool is_past;
} reader;

static void skip(reader *r, uint64_t n)
{
    r->is_past = r->is_past || n > r->left;
    if (!r->is_past) {
        r->at += n;
        r->left -= n;
    }
}

/* 0 past the end. */
static uint64_t take(reader *r, size_t n)
{
    const uint8_t *const at = r->at;

    skip(r, n);
    return r->is_past ? 0 : stoa_little_endian(at, n);
}

static void skip_name(reader *r)
{
    const uint8_t *const end = r->is_past ? NULL : memchr(r->at, 0, (size_t)r->left);

    skip(r, end != NULL ? (uint64_t)(end - r->at) + 1 : r->left + 1);
}

/* Skip a count, and `n` numbers of `size` bytes for each counted item. */
static void skip_items(reader *r, uint64_t n, uint64_t size)
{
    const uint64_t n_items = take(r, (size_t)size);

    skip(r, n_items > r->left ? r->left + 1 : n_items * n * size);
}

/* A selection (III.F): its type, its version, and fields that depend on these. */
static bool skip_selection(reader *r, unsigned rank)
{
    enum { NONE, POINTS, HYPERSLAB, ALL };
    enum { REGULAR = 1, REST = 8, START_STRIDE_COUNT_BLOCK = 4, START_END = 2 };
    const uint64_t kind = take(r, 4);
    const uint64_t version = take(r, 4);
    uint64_t flags = 0;
    uint64_t size = 4; /* bytes of a number */

    if (kind == NONE || kind == ALL) {
        skip(r, REST);
        return !r->is_past;
    }
    if (version == 1) {
        skip(r, REST);
    } else {
        flags = kind == HYPERSLAB ? take(r, 1) : 0;
        size = kind == HYPERSLAB && version == 2 ? 8 : take(r, 1);
        skip(r, kind == HYPERSLAB && version == 2 ? 4 : 0);
    }
    const uint64_t n = take(r, 4);
    if (kind > ALL || n == 0 || n > MAX_RANK || (rank != 0 && n != rank) ||
        (size != 2 && size != 4 && size != 8)) {
        return false;
    }
    if ((flags & REGULAR) != 0) {
        skip(r, START_STRIDE_COUNT_BLOCK * n * size);
    } else {
        skip_items(r, kind == HYPERSLAB ? START_END * n : n, size);
    }
    return !r->is_past;
}

static bool are_entries_sound(reader *r, unsigned length_size, unsigned rank)
{
    const uint64_t version = take(r, 1);
    const uint64_t n = take(r, length_size);
    bool is_sound = !r->is_past;

    if (version != 0) {
        return true; /* libhdf5 1.14 refuses it itself */
    }
    for (uint64_t i = 0; i < n && is_sound; i++) {
        skip_name(r);
        skip_name(r);
        is_sound = skip_selection(r, 0) && skip_selection(r, rank);
    }
    return is_sound;
}

bool stoa_mapping_is_sound(const stoa_block *block, uint64_t heap, uint32_t index, unsigned rank)
{
    stoa_buffer bytes = {0};
    uint64_t where = 0;
    uint64_t size = 0;
    bool is_sound = false;

    if (!stoa_global_heap_find(block, heap, index, &where, &size)) {
        return true; /* libhdf5 refuses it when it reads it */
    }
    if (size > stoa_block_file_size(block) ||
        stoa_buffer_reserve(&bytes, (size_t)size, NULL) != STOA_OK) {
        return false;
    }
    if (size > 0 && stoa_block_read_other(block, where, bytes.data, (size_t)size)) {
        reader r = {bytes.data, size, false};
        is_sound = are_entries_sound(&r, block->file->length_size, rank);
    }
    stoa_buffer_clear(&bytes);
    return is_sound;
}
