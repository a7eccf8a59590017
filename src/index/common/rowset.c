/* Sets of rows as ascending ranges. Union, intersection and difference traverse both sets once. */
#include "index/common/rowset.h"

#include <stdlib.h>
#include <string.h>

static uint64_t end_of(const stoa_range *range)
{
    return range->first + range->count;
}

stoa_status stoa_rowset_reserve(stoa_rowset *set, size_t n_ranges, stoa_error *err)
{
    if (n_ranges > set->capacity) {
        stoa_range *const ranges = stoa_realloc(set->ranges, n_ranges, sizeof *ranges);
        STOA_RETURN_NO_MEMORY(err, ranges);
        set->ranges = ranges;
        set->capacity = n_ranges;
    }
    return STOA_OK;
}

stoa_status stoa_rowset_push(stoa_rowset *set, uint64_t first, uint64_t count, stoa_error *err)
{
    stoa_range *last = set->n_ranges != 0 ? &set->ranges[set->n_ranges - 1] : NULL;

    if (count == 0) {
        return STOA_OK;
    }
    if (count > UINT64_MAX - first || (last != NULL && first < last->first)) {
        return stoa_fail(err, STOA_ERANGE, "rows %llu to %llu + %llu come before the set's last",
                         (unsigned long long)first, (unsigned long long)first,
                         (unsigned long long)count);
    }
    if (last != NULL && first <= end_of(last)) {
        if (first + count > end_of(last)) {
            last->count = first + count - last->first;
        }
        return STOA_OK;
    }
    if (set->n_ranges == set->capacity) {
        STOA_RETURN_NOT_OK(
            stoa_rowset_reserve(set, set->capacity != 0 ? set->capacity * 2 : 16, err));
    }
    set->ranges[set->n_ranges++] = (stoa_range){first, count};
    return STOA_OK;
}

static bool is_equal(const stoa_rowset *a, const stoa_rowset *b)
{
    return a->n_ranges == b->n_ranges &&
           memcmp(a->ranges, b->ranges, a->n_ranges * sizeof *a->ranges) == 0;
}

/* Whether all rows of the other are known to lie in the set: it is one range, or the same. */
static bool is_around(const stoa_rowset *a, const stoa_rowset *b)
{
    return b->n_ranges == 0 || is_equal(a, b) ||
           (a->n_ranges == 1 && a->ranges[0].first <= b->ranges[0].first &&
            end_of(&a->ranges[0]) >= end_of(&b->ranges[b->n_ranges - 1]));
}

stoa_status stoa_rowset_copy(const stoa_rowset *set, stoa_rowset *out, stoa_error *err)
{
    out->n_ranges = 0;
    if (set->n_ranges > 0) {
        STOA_RETURN_NOT_OK(stoa_rowset_reserve(out, set->n_ranges, err));
        memcpy(out->ranges, set->ranges, set->n_ranges * sizeof *set->ranges);
        out->n_ranges = set->n_ranges;
    }
    return STOA_OK;
}

stoa_status stoa_rowset_intersect(const stoa_rowset *a, const stoa_rowset *b, stoa_rowset *out,
                                  stoa_error *err)
{
    size_t i = 0;
    size_t j = 0;

    out->n_ranges = 0;
    if (is_around(a, b) || is_around(b, a)) {
        return stoa_rowset_copy(is_around(a, b) ? b : a, out, err);
    }
    while (i < a->n_ranges && j < b->n_ranges) {
        const stoa_range *x = &a->ranges[i];
        const stoa_range *y = &b->ranges[j];
        const uint64_t first = x->first > y->first ? x->first : y->first;
        const uint64_t end = end_of(x) < end_of(y) ? end_of(x) : end_of(y);

        if (first < end) {
            STOA_RETURN_NOT_OK(stoa_rowset_push(out, first, end - first, err));
        }
        if (end_of(x) < end_of(y)) {
            i++;
        } else {
            j++;
        }
    }
    return STOA_OK;
}

stoa_status stoa_rowset_unite(const stoa_rowset *a, const stoa_rowset *b, stoa_rowset *out,
                              stoa_error *err)
{
    size_t i = 0;
    size_t j = 0;

    out->n_ranges = 0;
    if (is_around(a, b) || is_around(b, a)) {
        return stoa_rowset_copy(is_around(a, b) ? a : b, out, err);
    }
    while (i < a->n_ranges || j < b->n_ranges) {
        const bool from_a =
            j == b->n_ranges || (i < a->n_ranges && a->ranges[i].first <= b->ranges[j].first);
        const stoa_range *next = from_a ? &a->ranges[i++] : &b->ranges[j++];
        STOA_RETURN_NOT_OK(stoa_rowset_push(out, next->first, next->count, err));
    }
    return STOA_OK;
}

stoa_status stoa_rowset_subtract(const stoa_rowset *a, const stoa_rowset *b, stoa_rowset *out,
                                 stoa_error *err)
{
    size_t j = 0;

    out->n_ranges = 0;
    for (size_t i = 0; i < a->n_ranges; i++) {
        const uint64_t end = end_of(&a->ranges[i]);
        uint64_t first = a->ranges[i].first;

        while (j < b->n_ranges && end_of(&b->ranges[j]) <= first) {
            j++;
        }
        /* A range of b that ends after this range of a may overlap the next one. */
        for (size_t k = j; k < b->n_ranges && b->ranges[k].first < end; k++) {
            if (b->ranges[k].first > first) {
                STOA_RETURN_NOT_OK(stoa_rowset_push(out, first, b->ranges[k].first - first, err));
            }
            first = end_of(&b->ranges[k]);
        }
        if (first < end) {
            STOA_RETURN_NOT_OK(stoa_rowset_push(out, first, end - first, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_rowset_combine(stoa_rowset *set, const stoa_rowset *other, bool unite,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_rowset both = {0};

    if (unite ? is_around(set, other) : is_around(other, set)) {
        return STOA_OK;
    }
    STOA_TRY(unite ? stoa_rowset_unite(set, other, &both, err)
                   : stoa_rowset_intersect(set, other, &both, err));
    stoa_rowset_clear(set);
    *set = both;
    both = (stoa_rowset){0};

done:
    stoa_rowset_clear(&both);
    return status;
}

stoa_status stoa_rowset_take(stoa_rowset *set, stoa_rowset *other, bool unite, stoa_error *err)
{
    if (unite ? is_around(other, set) : is_around(set, other)) {
        const stoa_rowset was = *set;
        *set = *other;
        *other = was;
        return STOA_OK;
    }
    return stoa_rowset_combine(set, other, unite, err);
}

void stoa_rowset_drop(stoa_rowset *set, uint64_t n)
{
    size_t i = 0;

    for (; i < set->n_ranges && n >= set->ranges[i].count; i++) {
        n -= set->ranges[i].count;
    }
    set->n_ranges -= i;
    if (set->n_ranges > 0) {
        memmove(set->ranges, set->ranges + i, set->n_ranges * sizeof *set->ranges);
        set->ranges[0].first += n;
        set->ranges[0].count -= n;
    }
}

uint64_t stoa_rowset_count(const stoa_rowset *set)
{
    uint64_t n_rows = 0;

    for (size_t i = 0; i < set->n_ranges; i++) {
        n_rows += set->ranges[i].count;
    }
    return n_rows;
}

uint64_t stoa_rowset_count_chunks(const stoa_rowset *set, uint64_t chunk_rows, uint64_t most)
{
    uint64_t n = 0;
    uint64_t next = 0; /* chunks before it are counted */
    uint64_t end = 0;  /* the first row of that chunk, or less */

    for (size_t r = 0; r < set->n_ranges && n <= most; r++) {
        if (end_of(&set->ranges[r]) <= end) {
            continue;
        }
        const uint64_t low = set->ranges[r].first / chunk_rows;
        const uint64_t high = (end_of(&set->ranges[r]) - 1) / chunk_rows + 1;
        const uint64_t from = low > next ? low : next;
        n += high > from ? high - from : 0;
        next = high;
        end = high <= UINT64_MAX / chunk_rows ? high * chunk_rows : 0;
    }
    return n;
}

void stoa_rowset_clear(stoa_rowset *set)
{
    free(set->ranges);
    *set = (stoa_rowset){0};
}
