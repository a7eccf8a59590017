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

/* Create an unlinked dataset of an element type, with a fill value outside the domain. The valid
 * range is declared if the fill is not the recommended one. */
stoa_status stoa_dataset_create(hid_t loc, hid_t type, const stoa_element *element,
                                const stoa_domain *domain, bool is_bool, uint64_t extent,
                                hid_t dcpl, hid_t *dataset, stoa_error *err);

#endif
