/* Sorting records in memory: numbers by the bytes of their keys, byte strings by merging. */
#include "index/sorted_batch.h"

#include <stdlib.h>

#include "core/strings.h"

/* Records of the smallest batch, and of the first one of byte strings. */
enum { MIN_RECORDS = 256, FIRST_ENTRIES = 4096 };

stoa_status stoa_sort_batch_make(stoa_sort_batch *batch, bool is_bytes, uint64_t memory,
                                 uint64_t n_expected, stoa_error *err)
{
    const uint64_t fitting = memory / (2 * sizeof(stoa_sort_pair));

    *batch = (stoa_sort_batch){.is_bytes = is_bytes, .memory = memory};
    if (is_bytes) {
        return STOA_OK; /* grows as it is filled */
    }
    const uint64_t capacity = fitting < n_expected ? fitting : n_expected;
    batch->capacity = (size_t)(capacity > MIN_RECORDS ? capacity : MIN_RECORDS);
    batch->pairs = stoa_alloc(batch->capacity, sizeof *batch->pairs);
    return batch->pairs != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_sort_batch_clear(stoa_sort_batch *batch)
{
    free(batch->pairs);
    free(batch->entries);
    free(batch->scratch);
    stoa_buffer_clear(&batch->bytes);
    *batch = (stoa_sort_batch){.count = 0};
}

bool stoa_sort_batch_is_full(const stoa_sort_batch *batch, size_t length)
{
    if (!batch->is_bytes) {
        return batch->count == batch->capacity;
    }
    return batch->count != 0 &&
           (batch->count + 1) * 2 * sizeof *batch->entries + batch->bytes.size + length >
               batch->memory;
}

stoa_status stoa_sort_batch_add_bytes(stoa_sort_batch *batch, const stoa_sort_record *record,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (batch->count == batch->capacity) {
        const size_t capacity = batch->capacity != 0 ? 2 * batch->capacity : FIRST_ENTRIES;
        stoa_sort_entry *entries = stoa_realloc(batch->entries, capacity, sizeof *entries);
        if (entries == NULL) {
            STOA_TRY(stoa_fail_memory(err));
        }
        batch->entries = entries;
        batch->capacity = capacity;
    }
    const size_t offset = batch->bytes.size;
    STOA_TRY(stoa_buffer_reserve(&batch->bytes, record->length + 1, err)); /* never NULL */
    STOA_TRY(stoa_buffer_append(&batch->bytes, record->bytes, record->length, err));
    batch->entries[batch->count++] =
        (stoa_sort_entry){record->key, record->row, offset, record->length};

done:
    return status;
}

/* --- numbers: a stable distribution by one byte of the key after the other ------------------- */

static bool is_sorted(const stoa_sort_pair *pairs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (pairs[i - 1].key > pairs[i].key) {
            return false;
        }
    }
    return true;
}

static void count_bytes(const stoa_sort_pair *pairs, size_t n, size_t counts[8][256])
{
    memset(counts, 0, 8 * sizeof counts[0]);
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = pairs[i].key;
        for (unsigned k = 0; k < 8; k++) {
            counts[k][(key >> (8 * k)) & 0xff]++;
        }
    }
}

/* Turn counts into places. False if all keys share the byte: then nothing moves. */
static bool place_bytes(size_t counts[256], size_t n)
{
    size_t place = 0;

    for (unsigned value = 0; value < 256; value++) {
        const size_t count = counts[value];
        if (count == n) {
            return false;
        }
        counts[value] = place;
        place += count;
    }
    return true;
}

static void sort_pairs(stoa_sort_batch *batch)
{
    size_t counts[8][256];
    stoa_sort_pair *from = batch->pairs;
    stoa_sort_pair *to = batch->scratch;
    const size_t n = batch->count;

    count_bytes(from, n, counts);
    for (unsigned k = 0; k < 8; k++) {
        if (!place_bytes(counts[k], n)) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            to[counts[k][(from[i].key >> (8 * k)) & 0xff]++] = from[i];
        }
        stoa_sort_pair *const swapped = from;
        from = to;
        to = swapped;
    }
    batch->pairs = from;
    batch->scratch = to;
}

/* --- byte strings: merging from the bottom up ------------------------------------------------ */

static bool comes_after(const stoa_sort_batch *batch, const stoa_sort_entry *a,
                        const stoa_sort_entry *b)
{
    if (a->key != b->key) {
        return a->key > b->key;
    }
    return stoa_compare_bytes(batch->bytes.data + a->offset, a->length,
                              batch->bytes.data + b->offset, b->length) > 0;
}

static void merge_entries(const stoa_sort_batch *batch, const stoa_sort_entry *from, size_t n_left,
                          size_t n, stoa_sort_entry *to)
{
    size_t i = 0;
    size_t j = n_left;

    for (size_t at = 0; at < n; at++) {
        const bool from_right = i == n_left || (j < n && comes_after(batch, &from[i], &from[j]));
        to[at] = from_right ? from[j++] : from[i++];
    }
}

static void sort_entries(stoa_sort_batch *batch)
{
    stoa_sort_entry *from = batch->entries;
    stoa_sort_entry *to = batch->scratch;
    const size_t n = batch->count;

    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            const size_t left = n - at < width ? n - at : width;
            const size_t both = n - at < 2 * width ? n - at : 2 * width;
            merge_entries(batch, from + at, left, both, to + at);
        }
        stoa_sort_entry *const swapped = from;
        from = to;
        to = swapped;
    }
    batch->entries = from;
    batch->scratch = to;
}

stoa_status stoa_sort_batch_sort(stoa_sort_batch *batch, stoa_error *err)
{
    const size_t size = batch->is_bytes ? sizeof *batch->entries : sizeof *batch->pairs;

    if (batch->count < 2 || (!batch->is_bytes && is_sorted(batch->pairs, batch->count))) {
        return STOA_OK;
    }
    /* The two halves change places, so both have the capacity. */
    void *scratch = stoa_realloc(batch->scratch, batch->capacity, size);
    if (scratch == NULL) {
        return stoa_fail_memory(err);
    }
    batch->scratch = scratch;
    if (batch->is_bytes) {
        sort_entries(batch);
    } else {
        sort_pairs(batch);
    }
    return STOA_OK;
}

stoa_sort_record stoa_sort_batch_get(const stoa_sort_batch *batch, size_t i)
{
    if (!batch->is_bytes) {
        return (stoa_sort_record){.key = batch->pairs[i].key, .row = batch->pairs[i].row};
    }
    const stoa_sort_entry *entry = &batch->entries[i];
    return (stoa_sort_record){.key = entry->key,
                              .row = entry->row,
                              .bytes = (const char *)batch->bytes.data + entry->offset,
                              .length = entry->length};
}

void stoa_sort_batch_reset(stoa_sort_batch *batch)
{
    batch->count = 0;
    batch->bytes.size = 0;
}
