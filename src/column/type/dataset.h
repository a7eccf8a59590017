/* Create the empty dataset of a column: storage, fill and declared range (HEP001 §8.4, §8.5). */
#ifndef STOA_COLUMN_DATASET_H
#define STOA_COLUMN_DATASET_H

#include "column/type/create_column.h"

/* Write valid_min and valid_max, given in memory form, as scalars of the dataset's own type. A NULL
 * bound is not written. */
stoa_status stoa_range_write(hid_t dataset, const stoa_element *element, const void *low,
                             const void *high, stoa_error *err);

/* Set the chunk length, of fewer than 2^32 rows: HDF5 before 2.0 reads no longer chunks. */
stoa_status stoa_chunk_rows_set(hid_t dcpl, uint64_t n_rows, stoa_error *err);

/* Make a chunked or contiguous creation property list without filters and fill. */
stoa_status stoa_storage_plist(const stoa_storage *storage, hid_t *dcpl, stoa_error *err);

/* What decides a new dataset's fill value. */
typedef struct stoa_fill_wish {
    const void *fill; /* one element in memory form; NULL: one outside of the domain */
    bool is_bool;     /* the values are booleans, 0 and 1 */
    bool is_none;     /* no value is to be missing */
} stoa_fill_wish;

/* Create an unlinked dataset of an element type, with a fill value. The valid range is declared if
 * the fill is not the recommended one, unless it was wished for and the recommended one is no
 * value. */
stoa_status stoa_dataset_create(hid_t loc, hid_t type, const stoa_element *element,
                                const stoa_domain *domain, const stoa_fill_wish *wish,
                                uint64_t extent, hid_t dcpl, hid_t *dataset, stoa_error *err);

#endif
