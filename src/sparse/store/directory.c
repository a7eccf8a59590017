#include "sparse/store/directory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static size_t slot_of(const stoa_directory *directory, uint64_t number)
{
    return (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (directory->n_slots - 1);
}

/* The slot of a chunk, or the empty slot where it belongs. */
static uint32_t *find_slot(const stoa_directory *directory, uint64_t number)
{
    size_t i = slot_of(directory, number);

    while (directory->slots[i] != 0 &&
           directory->entries[directory->slots[i] - 1]->number != number) {
        i = (i + 1) & (directory->n_slots - 1);
    }
    return &directory->slots[i];
}

static void fill_slots(stoa_directory *directory)
{
    memset(directory->slots, 0, directory->n_slots * sizeof *directory->slots);
    for (size_t i = 0; i < directory->n; i++) {
        *find_slot(directory, directory->entries[i]->number) = (uint32_t)(i + 1);
    }
}

/* Make space for one more entry. */
static stoa_status make_room(stoa_directory *directory, stoa_error *err)
{
    if (directory->n == UINT32_MAX - 1) {
        return stoa_fail(err, STOA_ERANGE, "a dataset of 2^32 chunks");
    }
    if (directory->n == directory->capacity) {
        const size_t capacity = directory->capacity != 0 ? 2 * directory->capacity : FIRST_SLOTS;
        stoa_chunk_entry **entries =
            stoa_realloc(directory->entries, capacity, sizeof(stoa_chunk_entry *));
        STOA_RETURN_NO_MEMORY(err, entries);
        directory->entries = entries;
        directory->capacity = capacity;
    }
    if (2 * (directory->n + 1) > directory->n_slots) {
        const size_t n_slots = directory->n_slots != 0 ? 2 * directory->n_slots : FIRST_SLOTS;
        uint32_t *slots = stoa_alloc(n_slots, sizeof *slots);
        STOA_RETURN_NO_MEMORY(err, slots);
        free(directory->slots);
        directory->slots = slots;
        directory->n_slots = n_slots;
        fill_slots(directory);
    }
    return STOA_OK;
}

stoa_chunk_entry *stoa_directory_find(const stoa_directory *directory, uint64_t number)
{
    const uint32_t place = directory->n_slots != 0 ? *find_slot(directory, number) : 0;

    return place != 0 ? directory->entries[place - 1] : NULL;
}

stoa_status stoa_directory_add(stoa_directory *directory, uint64_t number, stoa_chunk_entry **entry,
                               stoa_error *err)
{
    stoa_chunk_entry *found = stoa_directory_find(directory, number);
    stoa_status status = STOA_OK;

    if (found == NULL) {
        STOA_TRY(make_room(directory, err));
        found = stoa_alloc(1, sizeof *found);
        STOA_TRY(found != NULL ? STOA_OK : stoa_fail_memory(err));
        *found = (stoa_chunk_entry){.number = number, .n_defined = 0};
        const size_t n = directory->n;
        directory->is_sorted =
            n == 0 || (directory->is_sorted && directory->entries[n - 1]->number < number);
        *find_slot(directory, number) = (uint32_t)(n + 1);
        directory->entries[directory->n++] = found;
    }

done:
    *entry = found;
    return status;
}

/* --- from the file --------------------------------------------------------------------------- */

typedef struct loader {
    stoa_directory *directory;
    const stoa_shape *shape;
} loader;

static stoa_status load_chunk(void *context, const stoa_stored_chunk *chunk, stoa_error *err)
{
    loader *l = context;
    uint64_t position = 0;
    stoa_chunk_entry *entry = NULL;

    for (unsigned i = 0; i < l->shape->rank; i++) {
        if (chunk->offset[i] >= l->shape->extent[i]) {
            return STOA_OK; /* libhdf5 ignores chunks beyond the extent */
        }
    }
    const uint64_t number = stoa_shape_locate(l->shape, chunk->offset, &position);
    STOA_RETURN_NOT_OK(stoa_directory_add(l->directory, number, &entry, err));
    entry->n_bytes = chunk->n_bytes;
    entry->address = chunk->address;
    entry->mask = chunk->mask;
    entry->n_defined = STOA_UNKNOWN;
    return STOA_OK;
}

stoa_status stoa_directory_load(stoa_directory *directory, const stoa_shape *shape,
                                const stoa_chunk_io *io, stoa_error *err)
{
    loader l = {.directory = directory, .shape = shape};

    return io->iterate(io->context, load_chunk, &l, err);
}

void stoa_directory_clear(stoa_directory *directory)
{
    for (size_t i = 0; i < directory->n; i++) {
        free(directory->entries[i]);
    }
    free(directory->entries);
    free(directory->slots);
    *directory = (stoa_directory){.n = 0};
}

/* --- by box ---------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const uint64_t x = (*(stoa_chunk_entry *const *)a)->number;
    const uint64_t y = (*(stoa_chunk_entry *const *)b)->number;

    return (x > y) - (x < y);
}

static void sort(stoa_directory *directory)
{
    if (!directory->is_sorted && directory->n > 0) {
        qsort(directory->entries, directory->n, sizeof *directory->entries, by_number);
        fill_slots(directory);
        directory->is_sorted = true;
    }
}

/* The first entry with at least this number. */
static size_t entry_from(const stoa_directory *directory, uint64_t number)
{
    size_t low = 0;
    size_t high = directory->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (directory->entries[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The chunks that meet a box, as coordinates in the grid. */
typedef struct chunk_box {
    uint64_t first[H5S_MAX_RANK], last[H5S_MAX_RANK];
    uint64_t lowest, highest; /* lowest and highest chunk number */
    uint64_t n;               /* chunks, stored or not; UINT64_MAX if very many */
} chunk_box;

static chunk_box chunks_of(const stoa_shape *shape, const stoa_box *box)
{
    chunk_box chunks = {.n = 1};

    for (unsigned i = 0; i < shape->rank; i++) {
        chunks.first[i] = box->start[i] / shape->chunk[i];
        chunks.last[i] = (box->start[i] + box->count[i] - 1) / shape->chunk[i];
        chunks.lowest = chunks.lowest * shape->grid[i] + chunks.first[i];
        chunks.highest = chunks.highest * shape->grid[i] + chunks.last[i];
        chunks.n *= chunks.last[i] - chunks.first[i] + 1; /* no more than elements, so below 2^63 */
    }
    return chunks;
}

static bool is_inside(const stoa_shape *shape, const chunk_box *chunks, uint64_t number)
{
    for (unsigned i = shape->rank; i-- > 0;) {
        const uint64_t c = number % shape->grid[i];
        if (c < chunks->first[i] || c > chunks->last[i]) {
            return false;
        }
        number /= shape->grid[i];
    }
    return true;
}

/* Look up each chunk of the box. */
static stoa_status probe(const stoa_directory *directory, const stoa_shape *shape,
                         const chunk_box *chunks, stoa_buffer *out, stoa_error *err)
{
    uint64_t at[H5S_MAX_RANK];

    memcpy(at, chunks->first, sizeof at);
    for (uint64_t n = 0; n < chunks->n; n++) {
        uint64_t number = 0;
        for (unsigned i = 0; i < shape->rank; i++) {
            number = number * shape->grid[i] + at[i];
        }
        stoa_chunk_entry *entry = stoa_directory_find(directory, number);
        if (entry != NULL) {
            STOA_RETURN_NOT_OK(stoa_buffer_append(out, &entry, sizeof(stoa_chunk_entry *), err));
        }
        for (unsigned i = shape->rank; i-- > 0;) {
            if (++at[i] <= chunks->last[i]) {
                break;
            }
            at[i] = chunks->first[i];
        }
    }
    return STOA_OK;
}

stoa_status stoa_directory_meet(stoa_directory *directory, const stoa_shape *shape,
                                const stoa_box *box, stoa_buffer *out, stoa_error *err)
{
    if (stoa_box_is_empty(box, shape->rank)) {
        return STOA_OK;
    }
    const chunk_box chunks = chunks_of(shape, box);
    sort(directory);
    const size_t first = entry_from(directory, chunks.lowest);
    const size_t end = entry_from(directory, chunks.highest + 1);
    if (chunks.n < end - first) {
        STOA_RETURN_NOT_OK(probe(directory, shape, &chunks, out, err));
        return STOA_OK;
    }
    for (size_t i = first; i < end; i++) {
        if (is_inside(shape, &chunks, directory->entries[i]->number)) {
            STOA_RETURN_NOT_OK(
                stoa_buffer_append(out, &directory->entries[i], sizeof(stoa_chunk_entry *), err));
        }
    }
    return STOA_OK;
}

void stoa_directory_renumber(stoa_directory *directory, const stoa_shape *before,
                             const stoa_shape *after)
{
    size_t n = 0;

    for (size_t i = 0; i < directory->n; i++) {
        stoa_chunk_entry *entry = directory->entries[i];
        uint64_t offset[H5S_MAX_RANK];
        uint64_t position = 0;
        bool stays = true;

        stoa_shape_offset(before, entry->number, offset);
        for (unsigned j = 0; j < after->rank; j++) {
            stays = stays && offset[j] < after->extent[j];
        }
        if (!stays) {
            free(entry);
            continue;
        }
        entry->number = stoa_shape_locate(after, offset, &position);
        directory->entries[n++] = entry;
    }
    directory->n = n;
    directory->is_sorted = false;
    if (directory->n_slots > 0) {
        fill_slots(directory);
    }
}
