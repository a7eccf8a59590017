/* Whether a SORTED_ROWS index is right, without sorting (HEP001 §10.5). */
#ifndef STOA_INDEX_SORTED_HOLDS_H
#define STOA_INDEX_SORTED_HOLDS_H

#include "index/sorted/sorted_store.h"

/* Whether stoa_sorted_prove() can tell within so many bytes: the column has numbers, not too many.
 */
bool stoa_sorted_can_be_proved(const stoa_sorted_store *store, uint64_t memory);
/* Compare the index and its fences with its column. STOA_EDATA if the index cannot be read. */
stoa_status stoa_sorted_prove(const stoa_sorted_store *store, const stoa_fences *hints,
                              const stoa_listener *listener, bool *holds, stoa_error *err);

#endif
