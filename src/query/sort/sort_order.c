/*
 * Radix sort by one key, byte by byte, for those bytes that differ; rows with equal keys are then
 * sorted by the next key. Few rows, and long texts with equal beginnings, are merge-sorted instead.
 */
#include "query/sort/sort_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/progress.h"

enum { FEW = 64, INSERTED = 8, DIGITS = 256 };

typedef struct sorting {
    const stoa_sort_keys *keys;
    stoa_sort_row_of row_of;
    const void *rows;
    stoa_sort_entry *entries;
    stoa_sort_entry *spare;
    const stoa_listener *listener; /* NULL: none */
    uint32_t n;
    size_t n_since;     /* entries handled since the listener was told */
    stoa_status status; /* of the listener: a sort that it ended leaves the entries in no order */
    stoa_error *err;
} sorting;

/* Tell the listener if enough entries were handled. Returns false once the sort is to end. */
static bool go_on(sorting *s, size_t n_handled)
{
    s->n_since += n_handled;
    if (s->n_since >= STOA_SORT_LOOK && s->status == STOA_OK) {
        const stoa_progress progress = {.stage = "sorting", .total_rows = s->n};

        s->n_since = 0;
        s->status = stoa_report_progress(s->listener, &progress, s->err);
    }
    return s->status == STOA_OK;
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
                merge(s, k, entries + at, width, both, s->spare);
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

/* Sort entries [first, first + n) by key k alone. */
static void sort_by_digits(sorting *s, size_t k, size_t first, size_t n)
{
    for (size_t i = first; i < first + n && go_on(s, 1); i++) {
        stoa_sort_entry *entry = &s->entries[i];
        const stoa_sort_cell *cell = &s->row_of(s->rows, entry->row).cells[k];
        *entry = (stoa_sort_entry){cell->word, cell->class, cell->tail, entry->row};
    }
    const unsigned differ = digits_that_differ(s->entries + first, n);
    bool is_moved = false;
    for (unsigned number = 0; number < 10 && s->status == STOA_OK; number++) {
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

static void sort_entries(sorting *s, size_t k, size_t first, size_t n);

/* Sort entries whose cells of key k are equal. */
static void sort_alike(sorting *s, size_t k, size_t first, size_t n)
{
    const uint16_t tail = s->entries[first].tail;

    if (n > 1 && tail != 0 && tail == s->keys->keys[k].long_tail) {
        sort_by_comparing(s, k, first, n);
    } else if (n > 1 && k + 1 < s->keys->n) {
        sort_entries(s, k + 1, first, n);
    }
}

static bool is_alike(const stoa_sort_entry *a, const stoa_sort_entry *b)
{
    return a->word == b->word && a->class == b->class && a->tail == b->tail;
}

/* Sort entries [first, first + n) by the keys from number k on. */
static void sort_entries(sorting *s, size_t k, size_t first, size_t n)
{
    const size_t end = first + n;

    if (n <= FEW) {
        sort_by_comparing(s, k, first, n);
        return;
    }
    sort_by_digits(s, k, first, n);
    for (size_t at = first, next; at < end && s->status == STOA_OK; at = next) {
        const stoa_sort_entry entry = s->entries[at];
        for (next = at + 1; next < end && is_alike(&s->entries[next], &entry);) {
            next++;
        }
        sort_alike(s, k, at, next - at);
    }
}

stoa_status stoa_sort_order(const stoa_sort_keys *keys, stoa_sort_row_of row_of, const void *rows,
                            uint32_t n, const stoa_listener *listener, stoa_sort_entry **out,
                            stoa_error *err)
{
    sorting s = {.keys = keys,
                 .row_of = row_of,
                 .rows = rows,
                 .entries = stoa_alloc(n, sizeof *s.entries),
                 .spare = stoa_alloc(n, sizeof *s.spare),
                 .listener = listener,
                 .n = n,
                 .status = STOA_OK,
                 .err = err};

    *out = NULL;
    if (s.entries == NULL || s.spare == NULL) {
        free(s.entries);
        free(s.spare);
        return stoa_fail_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        s.entries[i].row = i;
    }
    sort_entries(&s, 0, 0, n);
    free(s.spare);
    if (s.status != STOA_OK) {
        free(s.entries);
        return s.status;
    }
    *out = s.entries;
    return STOA_OK;
}
