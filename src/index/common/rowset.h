/* A set of rows as sorted, disjoint, non-adjacent ranges, such as the candidates that an index
 * leaves. */
#ifndef STOA_INDEX_ROWSET_H
#define STOA_INDEX_ROWSET_H

#include "core/memory.h"

/* Rows [first, first + count). */
typedef struct stoa_range {
    uint64_t first;
    uint64_t count;
} stoa_range;

/* Zero-initialise (the empty set); free with stoa_rowset_clear(). */
typedef struct stoa_rowset {
    stoa_range *ranges;
    size_t n_ranges;
    size_t capacity;
} stoa_rowset;

/* Make room for so many ranges. */
stoa_status stoa_rowset_reserve(stoa_rowset *set, size_t n_ranges, stoa_error *err);
/* Add rows at or after the last row of the set. Adjacent ranges are merged. */
stoa_status stoa_rowset_push(stoa_rowset *set, uint64_t first, uint64_t count, stoa_error *err);
/* Set `out`, which is another set, to the same rows. */
stoa_status stoa_rowset_copy(const stoa_rowset *set, stoa_rowset *out, stoa_error *err);
/* Set `out` to the intersection, the union, or the rows in `a` only. `out` is cleared first and
 * must not be a or b. */
stoa_status stoa_rowset_intersect(const stoa_rowset *a, const stoa_rowset *b, stoa_rowset *out,
                                  stoa_error *err);
stoa_status stoa_rowset_unite(const stoa_rowset *a, const stoa_rowset *b, stoa_rowset *out,
                              stoa_error *err);
stoa_status stoa_rowset_subtract(const stoa_rowset *a, const stoa_rowset *b, stoa_rowset *out,
                                 stoa_error *err);
/* Replace `set` by its intersection with `other`, or by their union. */
stoa_status stoa_rowset_combine(stoa_rowset *set, const stoa_rowset *other, bool unite,
                                stoa_error *err);
/* The same, but `other` holds any rows afterwards: its memory may be used. */
stoa_status stoa_rowset_take(stoa_rowset *set, stoa_rowset *other, bool unite, stoa_error *err);
/* Remove the first n rows, or all if there are fewer. */
void stoa_rowset_drop(stoa_rowset *set, uint64_t n);
uint64_t stoa_rowset_count(const stoa_rowset *set);
/* Count the chunks of `chunk_rows` rows that hold rows of the set, up to one more than `most`. */
uint64_t stoa_rowset_count_chunks(const stoa_rowset *set, uint64_t chunk_rows, uint64_t most);
void stoa_rowset_clear(stoa_rowset *set);

#endif
