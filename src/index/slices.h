/* A column's rows in order, slice by slice, in bounded memory and without reading a chunk twice. */
#ifndef STOA_INDEX_SLICES_H
#define STOA_INDEX_SLICES_H

#include "column/block.h"
#include "index/kind.h"

/* What is done with rows [first, first + block->count). */
typedef stoa_status (*stoa_slice_visit)(void *context, uint64_t first, const stoa_block *block,
                                        stoa_error *err);

/* Visit rows [first, end). `listener` (NULL: nobody) is told before each slice, under `stage`
 * (static storage). */
stoa_status stoa_slices(stoa_column *column, uint64_t first, uint64_t end, const char *stage,
                        const stoa_listener *listener, stoa_slice_visit visit, void *context,
                        stoa_error *err);

#endif
