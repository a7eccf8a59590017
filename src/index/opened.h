/* The search indexes of a column, each opened when it is first asked for. */
#ifndef STOA_INDEX_OPENED_H
#define STOA_INDEX_OPENED_H

#include "index/kind.h"

/* Zero-initialise; close with stoa_index_set_close(), before the column. */
typedef struct stoa_index_set {
    stoa_column *column; /* borrowed */
    stoa_index_link *links;
    size_t n_links;
    bool is_elsewhere; /* the column's values: they may have changed without the index */
    struct stoa_opened_index *opened; /* beside the links */
} stoa_index_set;

/* Find the links of the column; see stoa_index_links(). */
stoa_status stoa_index_set_open(stoa_column *column, stoa_index_set *set, stoa_error *err);
/* One of them, of a known kind, as it describes n_rows rows: it stays the set's. Fails as
 * kind->open() does, in the same words each time. */
stoa_status stoa_index_set_get(stoa_index_set *set, size_t link, uint64_t n_rows,
                               stoa_index **index, stoa_error *err);
void stoa_index_set_close(stoa_index_set *set);

#endif
