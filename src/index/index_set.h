/* The open search indexes of a column. Each is opened on first use. */
#ifndef STOA_INDEX_INDEX_SET_H
#define STOA_INDEX_INDEX_SET_H

#include "index/common/kind.h"

/* Zero-initialise; close with stoa_index_set_close(), before the column. */
typedef struct stoa_index_set {
    stoa_column *column; /* borrowed */
    stoa_index_link *links;
    size_t n_links;
    bool is_elsewhere;                /* values in other files may have changed without the index */
    struct stoa_opened_index *opened; /* parallel to `links` */
} stoa_index_set;

/* Find the column's links; see stoa_index_links(). */
stoa_status stoa_index_set_open(stoa_column *column, stoa_index_set *set, stoa_error *err);
/* Open an index of a known kind for n_rows rows. The set owns it. Fails like kind->open(), with the
 * same message each time. */
stoa_status stoa_index_set_get(stoa_index_set *set, size_t link, uint64_t n_rows,
                               stoa_index **index, stoa_error *err);
void stoa_index_set_close(stoa_index_set *set);

#endif
