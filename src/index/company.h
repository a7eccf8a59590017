/* The datasets that accompany an index (HEP001 §10.1). */
#ifndef STOA_INDEX_COMPANY_H
#define STOA_INDEX_COMPANY_H

#include "index/kind.h"

/* Take one index out of the group (invalid: there is none), and what only it refers to; `column`
 * (NULL: none has) loses its reference to it. */
stoa_status stoa_index_take_out(hid_t indexes, stoa_column *column, hid_t dataset, stoa_error *err);

#endif
