/* The attribute that leads from a column to its indexes (HEP001 §10.2), as references alone: which
 * kinds they are of is read by links.c. */
#ifndef STOA_INDEX_LINK_LIST_H
#define STOA_INDEX_LINK_LIST_H

#include "index/kind.h"

#define STOA_INDEX_LIST "SEARCH_INDEX_LIST"

/* What a reference leads to: an index, as far as can be told without its kind. */
bool stoa_index_is_dataset(hid_t target);
/* What stoa_references_read() has opened. NULL is fine. */
void stoa_index_targets_close(hid_t *targets, size_t n);

#endif
