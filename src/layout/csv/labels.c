/* Sorts labels bytewise by a radix sort on their first eight bytes after the common prefix, from
 * the last byte to the first. Only labels that are equal in all eight are compared. */
#include <stdlib.h>
#include <string.h>

#include "index/common/order_keys.h"
#include "layout/csv/columns.h"

enum { KEY_BYTES = 8, N_DIGITS = 256 };

/* A label, and its bytes after the common prefix. */
typedef struct label {
    uint64_t key; /* its next eight bytes */
    const char *text;
    uint32_t length;
    uint32_t number;
} label;

static int compare_labels(const void *a, const void *b)
{
    const label *left = a;
    const label *right = b;

    return stoa_compare_bytes(left->text, left->length, right->text, right->length);
}

/* The length of the common prefix of all labels. */
static size_t common_bytes(const stoa_string_set *labels)
{
    size_t n = 0;
    size_t length = 0;
    const char *first = labels->count != 0 ? stoa_string_set_get(labels, 0, &n) : NULL;

    for (uint32_t i = 1; i < labels->count; i++) {
        const char *text = stoa_string_set_get(labels, i, &length);
        n = length < n ? length : n;
        while (n > 0 && memcmp(first, text, n) != 0) {
            n--;
        }
    }
    return n;
}

static unsigned digit_of(const label *l, int place)
{
    return (unsigned)(l->key >> (8 * place)) & (N_DIGITS - 1);
}

/* Make the keys in numeric order, and count how often each byte occurs at each place. */
static void make_keys(const stoa_string_set *labels, label *taken,
                      uint32_t counts[KEY_BYTES][N_DIGITS])
{
    const size_t skip = common_bytes(labels);

    memset(counts, 0, KEY_BYTES * sizeof counts[0]);
    for (uint32_t i = 0; i < labels->count; i++) {
        size_t length;
        const char *text = stoa_string_set_get(labels, i, &length) + skip;
        length -= skip;
        taken[i] = (label){stoa_key_of_bytes(text, length), text, (uint32_t)length, i};
        for (int place = 0; place < KEY_BYTES; place++) {
            counts[place][digit_of(&taken[i], place)]++;
        }
    }
}

/* A stable counting sort by the byte at one place. */
static void sort_by(const label *from, uint32_t n, int place, const uint32_t *counts, label *to)
{
    uint32_t next[N_DIGITS];
    uint32_t sum = 0;

    for (int digit = 0; digit < N_DIGITS; digit++) {
        next[digit] = sum;
        sum += counts[digit];
    }
    for (uint32_t i = 0; i < n; i++) {
        to[next[digit_of(&from[i], place)]++] = from[i];
    }
}

static void sort_alike(label *sorted, uint32_t n)
{
    for (uint32_t first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && sorted[end].key == sorted[first].key) {
            end++;
        }
        if (end - first > 1) {
            qsort(sorted + first, end - first, sizeof *sorted, compare_labels);
        }
    }
}

stoa_status stoa_csv_order_labels(const stoa_string_set *labels, uint32_t *order, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint32_t n = labels->count;
    uint32_t counts[KEY_BYTES][N_DIGITS];
    label *sorted = stoa_alloc_large(n, sizeof *sorted);
    label *spare = stoa_alloc_large(n, sizeof *spare);

    STOA_TRY(sorted != NULL && spare != NULL ? STOA_OK : stoa_fail_memory(err));
    make_keys(labels, sorted, counts);
    for (int place = 0; place < KEY_BYTES && n > 0; place++) {
        if (counts[place][digit_of(&sorted[0], place)] !=
            n) { /* otherwise all have the same byte */
            sort_by(sorted, n, place, counts[place], spare);
            label *const swapped = sorted;
            sorted = spare;
            spare = swapped;
        }
    }
    sort_alike(sorted, n);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = sorted[i].number;
    }

done:
    free(sorted);
    free(spare);
    return status;
}
