/* The attribute that refers from a column to its indexes (HEP001 §10.2), as plain references.
 * links.c reads their kinds. */
#ifndef STOA_INDEX_LINK_LIST_H
#define STOA_INDEX_LINK_LIST_H

#include "index/common/kind.h"

#define STOA_INDEX_LIST "SEARCH_INDEX_LIST"

/* Whether the target of a reference can be an index, regardless of its kind. */
bool stoa_index_is_dataset(hid_t target);
/* Close what stoa_references_read() has opened. NULL is fine. */
void stoa_index_targets_close(hid_t *targets, size_t n);

#endif
