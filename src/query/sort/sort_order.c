/*
 * Radix sort by one key, byte by byte, for those bytes that differ; rows with equal keys are then
 * sorted by the next key, or the next eight bytes of their texts. Few rows are merge-sorted
 * instead.
 *
 * Many rows are first parted by the first key, into buckets of about equal size. A bucket fits into
 * a cache, and each is sorted by one thread.
 */
#include "query/sort/sort_order.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/min_of.h"
#include "core/progress.h"

enum {
    FEW = 64,
    INSERTED = 8,
    DIGITS = 256,
    BUCKETS = 256,
    PARTED = 1 << 15, /* fewer rows are not parted */
    SLICE = 1 << 16,  /* rows that a thread parts at a time */
    SAMPLED = 32,     /* rows of the sample for each bucket */
    MOST_BYTES = 256  /* of a text that are sorted by; longer ones are compared */
};

typedef struct sorting {
    const stoa_sort_keys *keys;
    stoa_sort_row_of row_of;
    const void *rows;
    stoa_sort_entry *entries;
    stoa_sort_entry *spare;
    const stoa_listener *listener; /* NULL: none, or another thread tells it */
    uint32_t n;
    size_t n_since;         /* entries handled since the listener was told */
    _Atomic bool *is_ended; /* the listener said so: the entries are left in no order */
} sorting;

static stoa_status tell(sorting *s, stoa_error *err)
{
    const stoa_progress progress = {.stage = "sorting", .total_rows = s->n};
    const stoa_status status = stoa_report_progress(s->listener, &progress, err);

    s->n_since = 0;
    if (status != STOA_OK) {
        atomic_store(s->is_ended, true);
    }
    return status;
}

/* Tell the listener if enough entries were handled. Returns false once the sort is to end. */
static bool go_on(sorting *s, size_t n_handled)
{
    s->n_since += n_handled;
    if (s->n_since >= STOA_SORT_LOOK && !atomic_load(s->is_ended)) {
        (void)tell(s, NULL);
    }
    return !atomic_load_explicit(s->is_ended, memory_order_relaxed);
}

/* The end of the next entries that are handled without asking. */
static size_t step(size_t at, size_t n)
{
    return n - at < STOA_SORT_LOOK ? n : at + STOA_SORT_LOOK;
}

/* Comparing --------------------------------------------------------------------------------- */

static bool is_before(const sorting *s, size_t k, const stoa_sort_entry *a,
                      const stoa_sort_entry *b)
{
    const stoa_sort_row x = s->row_of(s->rows, a->row);
    const stoa_sort_row y = s->row_of(s->rows, b->row);

    return stoa_sort_compare(s->keys, k, &x, &y) < 0;
}

static void insert(const sorting *s, size_t k, stoa_sort_entry *entries, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const stoa_sort_entry entry = entries[i];
        size_t at = i;
        for (; at > 0 && is_before(s, k, &entry, &entries[at - 1]); at--) {
            entries[at] = entries[at - 1];
        }
        entries[at] = entry;
    }
}

/* Merge two sorted neighbours, using the spare buffer. */
static void merge(sorting *s, size_t k, stoa_sort_entry *entries, size_t middle, size_t n,
                  stoa_sort_entry *spare)
{
    size_t left = 0;
    size_t right = middle;
    size_t to = 0;

    memcpy(spare, entries, middle * sizeof *spare);
    while (left < middle && (to % STOA_SORT_LOOK != 0 || go_on(s, to > 0 ? STOA_SORT_LOOK : 0))) {
        const bool take_right = right < n && is_before(s, k, &entries[right], &spare[left]);
        entries[to++] = take_right ? entries[right++] : spare[left++];
    }
}

/* Merge-sort entries [first, first + n) by the keys from number k on. */
static void sort_by_comparing(sorting *s, size_t k, size_t first, size_t n)
{
    stoa_sort_entry *entries = s->entries + first;

    for (size_t at = 0; at < n && go_on(s, INSERTED); at += INSERTED) {
        insert(s, k, entries + at, n - at < INSERTED ? n - at : INSERTED);
    }
    for (size_t width = INSERTED; width < n; width *= 2) {
        const size_t handled = 2 * width < STOA_SORT_LOOK ? 2 * width : 1; /* else merge() tells */
        for (size_t at = 0; at + width < n && go_on(s, handled); at += 2 * width) {
            const size_t both = n - at < 2 * width ? n - at : 2 * width;
            if (is_before(s, k, &entries[at + width], &entries[at + width - 1])) {
                merge(s, k, entries + at, width, both, s->spare + first);
            }
        }
    }
}

/* By digit ---------------------------------------------------------------------------------- */

/* A digit of an entry: 0 is the tail, 1 to 8 are the bytes of the word, 9 is the class. */
static unsigned digit_of(const stoa_sort_entry *entry, unsigned number)
{
    return number == 0   ? entry->tail
           : number == 9 ? entry->class
                         : (unsigned)(entry->word >> (8 * (number - 1))) & 255u;
}

/* A stable pass. */
static void sort_by_digit(sorting *s, size_t first, size_t n, unsigned number)
{
    size_t places[DIGITS] = {0};
    const stoa_sort_entry *from = s->entries + first;
    stoa_sort_entry *to = s->spare + first;
    size_t at = 0;

    for (size_t i = 0; i < n;) {
        const size_t end = step(i, n);
        const size_t begin = i;

        for (; i < end; i++) {
            places[digit_of(&from[i], number)]++;
        }
        if (!go_on(s, end - begin)) {
            return;
        }
    }
    for (size_t d = 0; d < DIGITS; d++) {
        const size_t count = places[d];
        places[d] = at;
        at += count;
    }
    for (size_t i = 0; i < n;) {
        const size_t end = step(i, n);
        const size_t begin = i;

        for (; i < end; i++) {
            to[places[digit_of(&from[i], number)]++] = from[i];
        }
        if (!go_on(s, end - begin)) {
            return;
        }
    }
}

/* A bitmap of the digits in which entries differ. */
static unsigned digits_that_differ(const stoa_sort_entry *entries, size_t n)
{
    uint64_t words = 0;
    unsigned differ = 0;

    for (size_t i = 1; i < n; i++) {
        words |= entries[i].word ^ entries[0].word;
        differ |= entries[i].tail != entries[0].tail ? 1u : 0u;
        differ |= entries[i].class != entries[0].class ? 1u << 9 : 0u;
    }
    for (unsigned b = 0; b < 8; b++) {
        differ |= (words >> (8 * b) & 255u) != 0 ? 2u << b : 0u;
    }
    return differ;
}

/* Take the keys' cells as the entries' values: of texts, what they are from this byte on. */
static void load(sorting *s, size_t k, size_t from, size_t first, size_t n)
{
    for (size_t i = first; i < first + n && go_on(s, 1); i++) {
        stoa_sort_entry *entry = &s->entries[i];
        const stoa_sort_row row = s->row_of(s->rows, entry->row);
        stoa_sort_cell cell = stoa_sort_cell_of(s->keys, k, &row);
        if (from > 0 && cell.class == STOA_SORT_VALUE) {
            cell = stoa_sort_cell_from(s->keys, k, &row, from);
        }
        *entry = (stoa_sort_entry){cell.word, cell.class, cell.tail, entry->row};
    }
}

/* Sort entries [first, first + n) by their values alone. */
static void sort_by_digits(sorting *s, size_t first, size_t n)
{
    const unsigned differ = digits_that_differ(s->entries + first, n);
    bool is_moved = false;

    for (unsigned number = 0; number < 10 && go_on(s, 0); number++) {
        if (differ >> number & 1u) {
            sort_by_digit(s, first, n, number);
            stoa_sort_entry *swap = s->entries;
            s->entries = s->spare;
            s->spare = swap;
            is_moved = !is_moved;
        }
    }
    if (is_moved) { /* the other entries stay where they are */
        memcpy(s->spare + first, s->entries + first, n * sizeof *s->spare);
        stoa_sort_entry *swap = s->entries;
        s->entries = s->spare;
        s->spare = swap;
    }
}

/* All keys ---------------------------------------------------------------------------------- */

static void sort_entries(sorting *s, size_t k, size_t from, size_t first, size_t n);

/* Whether the values of an entry are the beginning of a longer text. */
static bool goes_on(const sorting *s, size_t k, const stoa_sort_entry *entry)
{
    return entry->tail != 0 && entry->tail == s->keys->keys[k].long_tail;
}

static bool is_alike(const stoa_sort_entry *a, const stoa_sort_entry *b)
{
    return a->word == b->word && a->class == b->class && a->tail == b->tail;
}

/* Sort entries that were loaded from this byte on by that, and then by what follows. */
static void sort_loaded(sorting *s, size_t k, size_t from, size_t first, size_t n)
{
    const size_t end = first + n;

    sort_by_digits(s, first, n);
    for (size_t at = first, next; at < end && go_on(s, 0); at = next) {
        const stoa_sort_entry entry = s->entries[at];
        for (next = at + 1; next < end && is_alike(&s->entries[next], &entry);) {
            next++;
        }
        if (next - at > 1 && goes_on(s, k, &entry)) {
            sort_entries(s, k, from + STOA_SORT_WORD_BYTES, at, next - at);
        } else if (next - at > 1 && k + 1 < s->keys->n) {
            sort_entries(s, k + 1, 0, at, next - at);
        }
    }
}

/* Sort entries [first, first + n) by the keys from number k on, of whose texts the bytes before
 * this one are equal. */
static void sort_entries(sorting *s, size_t k, size_t from, size_t first, size_t n)
{
    if (n <= FEW || from >= MOST_BYTES) {
        sort_by_comparing(s, k, first, n);
        return;
    }
    load(s, k, from, first, n);
    sort_loaded(s, k, from, first, n);
}

/* Buckets ----------------------------------------------------------------------------------- */

/* What the texts of a slice have in common. */
typedef struct slice {
    bool has_values; /* others are not texts, but missing */
    bool go_on;      /* all are longer than the entries' words */
    uint64_t word;   /* of the first of them */
    uint64_t differ; /* its bits that others have in another way */
} slice;

/* Entries that are parted by all threads, a slice each. */
typedef struct parting {
    sorting *workers; /* each has its own */
    size_t n;
    size_t from; /* of texts, the first byte that is looked at: those before are equal */
    uint64_t bounds[BUCKETS]; /* ascending: bucket b has words from bounds[b - 1] on; the last is no
                                 bound */
    slice *slices;
    uint8_t *buckets;            /* of each entry */
    uint32_t (*places)[BUCKETS]; /* of each slice: how many entries, then where the next one goes */
    size_t ends[BUCKETS];        /* of the buckets */
} parting;

static size_t n_slices(const parting *p)
{
    return (p->n + SLICE - 1) / SLICE;
}

static size_t slice_rows(const parting *p, uint64_t number)
{
    return stoa_min_of(SLICE, p->n - number * SLICE);
}

static stoa_status ended(const sorting *s)
{
    return atomic_load(s->is_ended) ? STOA_ECANCELLED : STOA_OK;
}

static slice common_of(const sorting *s, const stoa_sort_entry *entries, size_t n)
{
    slice found = {.go_on = true};

    for (size_t i = 0; i < n && found.go_on; i++) {
        if (entries[i].class == STOA_SORT_VALUE) {
            found.go_on = goes_on(s, 0, &entries[i]);
            found.word = found.has_values ? found.word : entries[i].word;
            found.differ |= entries[i].word ^ found.word;
            found.has_values = true;
        }
    }
    return found;
}

/* Number the rows of a slice at first, and load their entries. */
static stoa_status load_slice(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    const parting *p = context;
    sorting *s = &p->workers[worker];
    const size_t first = number * SLICE;
    const size_t n = slice_rows(p, number);

    (void)err;
    for (size_t i = first; p->from == 0 && i < first + n; i++) {
        s->entries[i].row = (uint32_t)i;
    }
    load(s, 0, p->from, first, n);
    p->slices[number] = common_of(s, s->entries + first, n);
    return ended(s);
}

static uint8_t bucket_of(const parting *p, const stoa_sort_entry *entry)
{
    size_t at = 0;

    for (size_t half = BUCKETS / 2; half > 0; half /= 2) { /* without a branch to guess */
        at += half & -(size_t)(p->bounds[at + half - 1] <= entry->word);
    }
    return entry->class == STOA_SORT_VALUE ? (uint8_t)at : BUCKETS - 1;
}

/* Find the buckets of a slice's entries, and count them. */
static stoa_status count_slice(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    const parting *p = context;
    sorting *s = &p->workers[worker];
    const size_t end = number * SLICE + slice_rows(p, number);
    uint32_t *counts = p->places[number];

    (void)err;
    for (size_t i = number * SLICE; i < end && go_on(s, step(i, end) - i);) {
        for (const size_t to = step(i, end); i < to; i++) {
            counts[p->buckets[i] = bucket_of(p, &s->entries[i])]++;
        }
    }
    return ended(s);
}

static stoa_status move_slice(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    const parting *p = context;
    sorting *s = &p->workers[worker];
    const size_t end = number * SLICE + slice_rows(p, number);
    uint32_t *places = p->places[number];

    (void)err;
    for (size_t i = number * SLICE; i < end && go_on(s, step(i, end) - i);) {
        for (const size_t to = step(i, end); i < to; i++) {
            s->spare[places[p->buckets[i]]++] = s->entries[i];
        }
    }
    return ended(s);
}

static stoa_status sort_bucket(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    const parting *p = context;
    sorting *s = &p->workers[worker];
    const size_t first = number > 0 ? p->ends[number - 1] : 0;

    (void)err;
    if (p->ends[number] - first > 1) {
        sort_loaded(s, 0, p->from, first, p->ends[number] - first);
    }
    return ended(s);
}

/* How many more bytes all texts have in common, if all are longer than the entries' words. Missing
 * ones stay what they are. */
static size_t common_bytes(const parting *p)
{
    slice all = {.go_on = true};

    for (size_t i = 0; i < n_slices(p); i++) {
        const slice *here = &p->slices[i];
        all.go_on = all.go_on && here->go_on;
        if (here->has_values) {
            all.word = all.has_values ? all.word : here->word;
            all.differ |= here->differ | (here->word ^ all.word);
            all.has_values = true;
        }
    }
    return !all.go_on || !all.has_values || p->from >= MOST_BYTES ? 0
           : all.differ == 0                                      ? STOA_SORT_WORD_BYTES
                             : (size_t)__builtin_clzll(all.differ) / 8;
}

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Choose bounds from a sample, so that the buckets have about equal sizes. */
static void choose_bounds(parting *p)
{
    uint64_t sample[BUCKETS * SAMPLED];
    const sorting *s = p->workers;

    for (size_t i = 0; i < BUCKETS * SAMPLED; i++) {
        const stoa_sort_entry *entry =
            &s->entries[(size_t)((double)i / (BUCKETS * SAMPLED) * (double)p->n)];
        sample[i] = entry->class == STOA_SORT_VALUE ? entry->word : UINT64_MAX;
    }
    qsort(sample, BUCKETS * SAMPLED, sizeof *sample, compare_words);
    for (size_t b = 1; b < BUCKETS; b++) {
        p->bounds[b - 1] = sample[b * SAMPLED];
    }
}

/* Turn counts into places: bucket by bucket, and in each the slices in their order. */
static void make_places(parting *p)
{
    uint32_t at = 0;

    for (size_t b = 0; b < BUCKETS; b++) {
        for (size_t i = 0; i < n_slices(p); i++) {
            const uint32_t count = p->places[i][b];
            p->places[i][b] = at;
            at += count;
        }
        p->ends[b] = at;
    }
}

static stoa_status look(void *context, stoa_error *err)
{
    return tell(context, err);
}

/* Part the entries, and sort the buckets. */
static stoa_status sort_in_buckets(parting *p, stoa_workers *workers, stoa_error *err)
{
    const unsigned n_workers = workers != NULL ? stoa_workers_count(workers) : 1;

    for (size_t more = 1; more > 0; p->from += more) {
        STOA_RETURN_NOT_OK(stoa_workers_run(workers, n_slices(p), load_slice, p, err));
        more = common_bytes(p);
    }
    choose_bounds(p);
    STOA_RETURN_NOT_OK(stoa_workers_run(workers, n_slices(p), count_slice, p, err));
    make_places(p);
    STOA_RETURN_NOT_OK(stoa_workers_run(workers, n_slices(p), move_slice, p, err));
    for (unsigned i = 0; i < n_workers; i++) {
        stoa_sort_entry *swap = p->workers[i].entries;
        p->workers[i].entries = p->workers[i].spare;
        p->workers[i].spare = swap;
    }
    return stoa_workers_run(workers, BUCKETS, sort_bucket, p, err);
}

static stoa_status sort_many(sorting *s, stoa_workers *workers, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const unsigned n_workers = workers != NULL ? stoa_workers_count(workers) : 1;
    parting p = {.n = s->n};

    p.workers = stoa_alloc(n_workers, sizeof *p.workers);
    p.slices = stoa_alloc(n_slices(&p), sizeof *p.slices);
    p.buckets = stoa_alloc(s->n, 1);
    p.places = stoa_alloc_zero(n_slices(&p), sizeof *p.places);
    STOA_TRY(p.workers != NULL && p.slices != NULL && p.buckets != NULL && p.places != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    for (unsigned i = 0; i < n_workers; i++) {
        p.workers[i] = *s;
        p.workers[i].listener = i == 0 ? s->listener : NULL; /* the calling thread's */
    }
    stoa_workers_set_look(workers, look, &p.workers[0]);
    status = sort_in_buckets(&p, workers, err);
    stoa_workers_set_look(workers, NULL, NULL);
    s->entries = p.workers[0].entries;
    s->spare = p.workers[0].spare;

done:
    free(p.workers);
    free(p.slices);
    free(p.buckets);
    free(p.places);
    return status;
}

stoa_status stoa_sort_order(const stoa_sort_keys *keys, stoa_sort_row_of row_of, const void *rows,
                            uint32_t n, stoa_workers *workers, const stoa_listener *listener,
                            stoa_sort_entry **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    _Atomic bool is_ended = false;
    sorting s = {.keys = keys,
                 .row_of = row_of,
                 .rows = rows,
                 .entries = stoa_alloc_large(n, sizeof *s.entries),
                 .spare = stoa_alloc_large(n, sizeof *s.spare),
                 .listener = listener,
                 .n = n,
                 .is_ended = &is_ended};

    *out = NULL;
    STOA_TRY(s.entries != NULL && s.spare != NULL ? STOA_OK : stoa_fail_memory(err));
    if (n >= PARTED) {
        status = sort_many(&s, workers, err);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            s.entries[i].row = i;
        }
        sort_entries(&s, 0, 0, 0, n);
    }
    if (atomic_load(&is_ended)) {
        STOA_FAIL(err, STOA_ECANCELLED, "interrupted");
    }
    STOA_TRY(status);
    *out = s.entries;
    s.entries = NULL;

done:
    free(s.entries);
    free(s.spare);
    return status;
}
