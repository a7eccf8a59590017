/* The auxiliary datasets of an index (HEP001 §10.1). */
#ifndef STOA_INDEX_AUXILIARY_H
#define STOA_INDEX_AUXILIARY_H

#include "index/common/kind.h"

/* Delete an index and the datasets that only it refers to from the group `indexes`, which may be
 * invalid. `column`, which may be NULL, loses its reference to the index. */
stoa_status stoa_index_delete(hid_t indexes, stoa_column *column, hid_t dataset, stoa_error *err);

#endif
