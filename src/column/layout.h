/* From an Arrow field to an HDF5 dataset: datatype, fill, storage (HEP001 §8.3-§8.5). */
#ifndef STOA_COLUMN_LAYOUT_H
#define STOA_COLUMN_LAYOUT_H

#include <stoa/progress.h>

#include "column/column.h"
#include "column/domain.h"

/* Rows in a chunk where nobody says otherwise: fits the second-level cache with its output, and
 * keeps an index at a few hundred entries for tens of millions of rows. */
#define STOA_CHUNK_ROWS UINT64_C(65536)

/* How a column's dataset is stored. */
typedef struct stoa_storage {
    uint64_t extent;
    uint64_t chunk_rows; /* 0: contiguous */
    const char *codec;   /* see stoa_codec_apply() */
    bool is_coded;       /* strings alone: as categories (STOA_COLUMN_ARROW_TYPE) */
} stoa_storage;

/*
 * Create the dataset of a column, without linking it.
 *
 * @param field   type and metadata ("units", "units_vocabulary", "description") of the column
 * @param domain  what the values seen so far span; decides string length and fill
 * @param sample  values to try codecs on; NULL: none
 * @param n_labels  DICTIONARY, or strings that are coded: labels in the code book, decides the
 * width of the codes
 * @return STOA_ETYPE if no HEP001 column holds the type; STOA_ELOSS if no fill value is left
 */
stoa_status stoa_column_create(hid_t group, const struct ArrowSchema *field,
                               const stoa_domain *domain, const stoa_view *sample,
                               uint64_t n_labels, const stoa_storage *storage, hid_t *dataset,
                               stoa_error *err);

/*
 * Create a dataset like an open column's, unlinked, with another datatype or fill, and the same
 * attributes; valid_min and valid_max follow the fill.
 *
 * @param domain   of all values the new dataset is to hold
 * @param storage  NULL: chunks and filters as they are, in chunks if it was contiguous
 */
stoa_status stoa_column_recreate(const stoa_column *column, const stoa_domain *domain,
                                 uint64_t n_labels, uint64_t extent, const stoa_storage *storage,
                                 hid_t *dataset, stoa_error *err);

/*
 * Create a dataset of a column's first rows in another storage, unlinked: the same datatype, fill
 * and attributes, the same bits in every element.
 *
 * @param storage  codec NULL: the filters as they are; codecs are for chunked datasets alone
 */
stoa_status stoa_column_copy_stored(stoa_column *column, uint64_t n_rows,
                                    const stoa_storage *storage, const stoa_listener *listener,
                                    hid_t *dataset, stoa_error *err);

#endif
