/*
 * Offsets of lists: where the entries of a level lie in its values. They are read as Arrow offsets.
 *
 * HEP001 stores n + 1 offsets of n entries, the first of which is 0. LH5 stores only the n ends.
 * They are integers of any width. None is trusted: each must be at least as large as the one before
 * it, and none may pass the values.
 */
#ifndef STOA_COLUMN_LIST_OFFSETS_H
#define STOA_COLUMN_LIST_OFFSETS_H

#include "column/column.h"
#include "core/buffer_pool.h"

/* The values of a range of entries. */
typedef struct stoa_list_span {
    uint64_t first;
    uint64_t count;
} stoa_list_span;

/* A column of numbers, and how it is read. */
typedef struct stoa_list_numbers {
    stoa_column *column;
    stoa_scratch *scratch; /* of this thread, to read without libhdf5; NULL: use libhdf5 */
} stoa_list_numbers;

/* Whether the elements of a column can be read without libhdf5. Call it only where libhdf5 may be
 * called. */
stoa_status stoa_list_numbers_find(stoa_column *column, stoa_read_context *read_context,
                                   bool *is_free, stoa_error *err);
/* Read rows [first, first + count) as elements in memory form. */
stoa_status stoa_list_numbers_read(const stoa_list_numbers *numbers, uint64_t first, uint64_t count,
                                   void *out, stoa_error *err);

/*
 * Read where entries [first, first + count) lie.
 *
 * @param list          has the offsets
 * @param scratch       as in stoa_list_numbers
 * @param blocks        buffers for the integers as stored
 * @param[out] offsets  count + 1 Arrow offsets, relative to the first value of these entries:
 *                      int64_t if `is_large`, otherwise int32_t
 * @return STOA_EDATA, naming the entry, if offsets descend or pass the values
 */
stoa_status stoa_list_offsets_read(const stoa_list *list, stoa_scratch *scratch, uint64_t first,
                                   uint64_t count, stoa_buffer_pool *blocks, bool is_large,
                                   void *offsets, stoa_list_span *span, stoa_error *err);
/* Read offset i, which is negative as an int64 if it is too large. Call it where libhdf5 may be
 * called. */
stoa_status stoa_list_offset_at(const stoa_list *list, uint64_t i, uint64_t *offset,
                                stoa_error *err);
/* Read the offset that ends the first `n` entries: how many values they have. STOA_EDATA if offsets
 * do not begin with 0. Call it where libhdf5 may be called. */
stoa_status stoa_list_offsets_end(const stoa_list *list, uint64_t n, uint64_t *end,
                                  stoa_error *err);

#endif
