/* Rows of a column, picked from one view after the other into one array of one's own. */
#ifndef STOA_QUERY_GATHER_H
#define STOA_QUERY_GATHER_H

#include "arrow/build.h"
#include "arrow/read.h"

/* Zero-initialise; free with stoa_gather_clear(). */
typedef struct stoa_gather {
    const struct ArrowSchema *schema; /* borrowed */
    stoa_type type;
    int64_t n; /* rows so far */
    int64_t null_count;
    stoa_buffer validity; /* empty: nothing was missing yet */
    stoa_buffer values;   /* values, bits, codes, bytes of texts */
    stoa_buffer offsets;  /* texts */
    struct ArrowArray dictionary;
    stoa_buffer parts; /* nested types: struct ArrowArray, a view each */
} stoa_gather;

/* `n` rows will be added, or so: 0 if nobody knows. */
stoa_status stoa_gather_open(stoa_gather *gather, const struct ArrowSchema *schema,
                             const stoa_type *type, int64_t n, stoa_error *err);
/* Add rows `picks` of the view; NULL: its first n rows. */
stoa_status stoa_gather_add(stoa_gather *gather, const stoa_view *view, const uint32_t *picks,
                            int64_t n, stoa_error *err);
/* Room for n values of `size` bytes behind those so far; NULL where its type has no such values.
 * The next rows that are added without picks may lie there already. */
void *stoa_gather_room(stoa_gather *gather, size_t size, int64_t n);
/* What was gathered, and a view of it, which needs no check; the gather is empty then. */
stoa_status stoa_gather_finish(stoa_gather *gather, struct ArrowArray *out, stoa_view *view,
                               stoa_error *err);
void stoa_gather_clear(stoa_gather *gather);

#endif
