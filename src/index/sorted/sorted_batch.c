/* Sorting records in memory: radix sort for numbers, merge sort for byte strings. */
#include "index/sorted/sorted_batch.h"

#include <stdlib.h>

#include "core/string_set.h"

/* Number of records of the smallest batch, and of the first allocation for byte strings. */
enum { MIN_RECORDS = 256, FIRST_ENTRIES = 4096 };
/* Fewer records are sorted faster than another thread can start. */
enum { PART_RECORDS = 1 << 16 };

stoa_status stoa_sort_batch_make(stoa_sort_batch *batch, bool is_bytes, uint64_t memory,
                                 uint64_t n_expected, stoa_error *err)
{
    const uint64_t fitting = memory / (2 * sizeof(stoa_sort_pair));

    *batch = (stoa_sort_batch){.is_bytes = is_bytes, .memory = memory};
    if (is_bytes) {
        return STOA_OK; /* grows on demand */
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
    if (batch->count == batch->capacity) {
        const size_t capacity = batch->capacity != 0 ? 2 * batch->capacity : FIRST_ENTRIES;
        stoa_sort_entry *entries = stoa_realloc(batch->entries, capacity, sizeof *entries);
        STOA_RETURN_NO_MEMORY(err, entries);
        batch->entries = entries;
        batch->capacity = capacity;
    }
    const size_t offset = batch->bytes.size;
    STOA_RETURN_NOT_OK(
        stoa_buffer_reserve(&batch->bytes, record->length + 1, err)); /* never NULL */
    STOA_RETURN_NOT_OK(stoa_buffer_append(&batch->bytes, record->bytes, record->length, err));
    batch->entries[batch->count++] =
        (stoa_sort_entry){record->key, record->row, offset, record->length};
    return STOA_OK;
}

/* --- Numbers: a stable radix sort, from the lowest byte of the key --------------------------- */

static bool is_sorted(const stoa_sort_pair *pairs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (pairs[i - 1].key > pairs[i].key) {
            return false;
        }
    }
    return true;
}

enum { KEY_BYTES = 8 };

/* For one part of the pairs: how many keys have each value of each byte; later, the next position
 * for that value. */
typedef size_t part_counts[KEY_BYTES][256];

/* One pass over one byte. The pairs of a part go after those with lower byte values, and after
 * those with the same value in earlier parts. The sort is therefore stable for any number of
 * parts. */
typedef struct radix_pass {
    const stoa_sort_pair *from;
    stoa_sort_pair *to;
    size_t n;
    size_t n_parts;
    unsigned byte;
    part_counts *counts; /* one per part */
} radix_pass;

static size_t start_of(const radix_pass *pass, uint64_t part)
{
    const size_t longer = pass->n % pass->n_parts; /* the first parts are longer by one */

    return pass->n / pass->n_parts * part + (part < longer ? part : longer);
}

static stoa_status count_all(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const radix_pass *pass = context;
    size_t(*counts)[256] = pass->counts[part];

    (void)worker;
    (void)err;
    memset(counts, 0, sizeof pass->counts[part]);
    for (size_t i = start_of(pass, part), end = start_of(pass, part + 1); i < end; i++) {
        const uint64_t key = pass->from[i].key;
        for (unsigned k = 0; k < KEY_BYTES; k++) {
            counts[k][(key >> (8 * k)) & 0xff]++;
        }
    }
    return STOA_OK;
}

/* Count one byte again, since the part now has other pairs. */
static stoa_status count_again(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const radix_pass *pass = context;
    size_t *counts = pass->counts[part][pass->byte];

    (void)worker;
    (void)err;
    memset(counts, 0, sizeof pass->counts[part][pass->byte]);
    for (size_t i = start_of(pass, part), end = start_of(pass, part + 1); i < end; i++) {
        counts[(pass->from[i].key >> (8 * pass->byte)) & 0xff]++;
    }
    return STOA_OK;
}

/* Whether all keys have the same value of the byte, so that nothing moves. */
static bool is_shared(const radix_pass *pass)
{
    const size_t value = (pass->from[0].key >> (8 * pass->byte)) & 0xff;
    size_t n = 0;

    for (size_t part = 0; part < pass->n_parts; part++) {
        n += pass->counts[part][pass->byte][value];
    }
    return n == pass->n;
}

/* Turn counts into positions. */
static void place_bytes(const radix_pass *pass)
{
    size_t place = 0;

    for (unsigned value = 0; value < 256; value++) {
        for (size_t part = 0; part < pass->n_parts; part++) {
            size_t *const count = &pass->counts[part][pass->byte][value];
            const size_t next = place + *count;
            *count = place;
            place = next;
        }
    }
}

static stoa_status move_pairs(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const radix_pass *pass = context;
    const unsigned shift = 8 * pass->byte;
    const stoa_sort_pair *from = pass->from;
    stoa_sort_pair *to = pass->to;
    size_t *places = pass->counts[part][pass->byte];

    (void)worker;
    (void)err;
    for (size_t i = start_of(pass, part), end = start_of(pass, part + 1); i < end; i++) {
        to[places[(from[i].key >> shift) & 0xff]++] = from[i];
    }
    return STOA_OK;
}

static stoa_status sort_pairs(stoa_sort_batch *batch, stoa_workers *workers, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t wanted = batch->count / PART_RECORDS + 1;
    const size_t most = stoa_workers_count(workers);
    radix_pass pass = {
        .from = batch->pairs, .n = batch->count, .n_parts = wanted < most ? wanted : most};

    pass.counts = stoa_alloc(pass.n_parts, sizeof *pass.counts);
    STOA_TRY(pass.counts != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_workers_run(workers, pass.n_parts, count_all, &pass, err));
    for (pass.byte = 0; pass.byte < KEY_BYTES; pass.byte++) {
        if (is_shared(&pass)) {
            continue;
        }
        if (pass.n_parts > 1) {
            STOA_TRY(stoa_workers_run(workers, pass.n_parts, count_again, &pass, err));
        }
        place_bytes(&pass);
        pass.to = batch->scratch;
        STOA_TRY(stoa_workers_run(workers, pass.n_parts, move_pairs, &pass, err));
        batch->scratch = batch->pairs;
        batch->pairs = pass.to;
        pass.from = batch->pairs;
    }

done:
    free(pass.counts);
    return status;
}

/* --- Byte strings: a bottom-up merge sort ---------------------------------------------------- */

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

/* One pass: pairs of sorted runs of `width` records are merged. */
typedef struct merge_pass {
    const stoa_sort_batch *batch;
    const stoa_sort_entry *from;
    stoa_sort_entry *to;
    size_t width;
    size_t run; /* records per part; a multiple of 2 * width */
} merge_pass;

static stoa_status merge_runs(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const merge_pass *pass = context;
    const size_t n = pass->batch->count;
    const size_t first = (size_t)part * pass->run;
    const size_t end = n - first < pass->run ? n : first + pass->run;

    (void)worker;
    (void)err;
    for (size_t at = first; at < end; at += 2 * pass->width) {
        const size_t left = n - at < pass->width ? n - at : pass->width;
        const size_t both = n - at < 2 * pass->width ? n - at : 2 * pass->width;
        merge_entries(pass->batch, pass->from + at, left, both, pass->to + at);
    }
    return STOA_OK;
}

static stoa_status sort_entries(stoa_sort_batch *batch, stoa_workers *workers, stoa_error *err)
{
    const size_t n = batch->count;

    for (size_t width = 1; width < n; width *= 2) {
        merge_pass pass = {batch, batch->entries, batch->scratch, width,
                           2 * width > PART_RECORDS ? 2 * width : PART_RECORDS};
        STOA_RETURN_NOT_OK(
            stoa_workers_run(workers, (n - 1) / pass.run + 1, merge_runs, &pass, err));
        batch->scratch = batch->entries;
        batch->entries = pass.to;
    }
    return STOA_OK;
}

stoa_status stoa_sort_batch_sort(stoa_sort_batch *batch, stoa_workers *workers, stoa_error *err)
{
    const size_t size = batch->is_bytes ? sizeof *batch->entries : sizeof *batch->pairs;

    if (batch->count < 2 || (!batch->is_bytes && is_sorted(batch->pairs, batch->count))) {
        return STOA_OK;
    }
    /* The two arrays are swapped, so both need the full capacity. */
    void *scratch = stoa_realloc(batch->scratch, batch->capacity, size);
    STOA_RETURN_NO_MEMORY(err, scratch);
    batch->scratch = scratch;
    return (batch->is_bytes ? sort_entries : sort_pairs)(batch, workers, err);
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
