/* Gathers rows of a column, from one view after another, into one array. */
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
    stoa_buffer validity; /* empty: nothing was missing so far */
    stoa_buffer values;   /* values, bits, codes, or bytes of texts */
    stoa_buffer offsets;  /* texts */
    struct ArrowArray dictionary;
    stoa_buffer parts; /* nested types: one struct ArrowArray for each view */
} stoa_gather;

/* `n` is the expected number of rows; 0 if it is not known. */
stoa_status stoa_gather_open(stoa_gather *gather, const struct ArrowSchema *schema,
                             const stoa_type *type, int64_t n, stoa_error *err);
/* Add rows `picks` of the view; NULL: its first n rows. */
stoa_status stoa_gather_add(stoa_gather *gather, const stoa_view *view, const uint32_t *picks,
                            int64_t n, stoa_error *err);
/* Space for n values of `size` bytes after those so far. NULL if the type does not have values
 * of that size. The next rows added without picks may already be in that space. */
void *stoa_gather_room(stoa_gather *gather, size_t size, int64_t n);
/* Return the gathered rows as an array and a view of it, which needs no check. The gather is
 * empty afterwards. */
stoa_status stoa_gather_finish(stoa_gather *gather, struct ArrowArray *out, stoa_view *view,
                               stoa_error *err);
void stoa_gather_clear(stoa_gather *gather);

#endif
