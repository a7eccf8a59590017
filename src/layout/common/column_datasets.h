/* One-dimensional datasets that are filled batch by batch, and the conversion of Arrow columns to
 * plain elements for them. For layouts that store one dataset per column. */
#ifndef STOA_LAYOUT_COLUMN_DATASETS_H
#define STOA_LAYOUT_COLUMN_DATASETS_H

#include "arrow/read.h"
#include "hdf/ids.h"

/*
 * Create a dataset of n rows.
 *
 * @param n_columns  size of a second dimension; 0 for none
 * @param codec      NULL or "none": contiguous; "deflate" or "deflate:1" to "deflate:9": chunked,
 *                   shuffled and compressed
 * @return STOA_EINVAL if the codec is unknown
 */
stoa_status stoa_column_dataset_make(hid_t group, const char *name, hid_t type, uint64_t n_rows,
                                     hsize_t n_columns, const char *codec, hid_t *dataset,
                                     stoa_error *err);
/* The same for a number of rows that is not known yet: it has none, and is chunked. */
stoa_status stoa_column_dataset_make_growing(hid_t group, const char *name, hid_t type,
                                             const char *codec, hid_t *dataset, stoa_error *err);
/* Give such a dataset n rows. */
stoa_status stoa_column_dataset_grow(hid_t dataset, uint64_t n_rows, stoa_error *err);
/* Fill rows [first, first + n). */
stoa_status stoa_column_dataset_write(hid_t dataset, hid_t mem_type, uint64_t first, uint64_t n,
                                      const void *values, stoa_error *err);

/* The native type of a numeric kind, borrowed. H5I_INVALID_HID for float16, which has none. */
hid_t stoa_column_dataset_native(stoa_kind kind);
/* Its little-endian storage type. The caller closes it. */
stoa_status stoa_column_dataset_stored(stoa_kind kind, hid_t *type, stoa_error *err);

/* Write all values to `out`, with the width of their kind. Missing values become NaN in floats, and
 * 0 elsewhere. */
void stoa_column_dataset_numbers(const stoa_view *view, void *out);
/* Booleans as bytes; missing ones become 0. */
void stoa_column_dataset_bools(const stoa_view *view, uint8_t *out);
/* 1 for each missing value. */
void stoa_column_dataset_mask(const stoa_view *view, uint8_t *out);

/* Row i of a string column, or of a dictionary column, whose labels are `labels`. NULL if it is
 * missing. */
const char *stoa_column_dataset_text(const stoa_view *view, const stoa_view *labels, int64_t i,
                                     size_t *length);
/* Strings or labels as C strings; missing ones are "". `texts` stores them, and *pointers has a
 * pointer to each. The caller frees it. The caller has checked that no string contains a NUL. */
stoa_status stoa_column_dataset_texts(const stoa_view *view, stoa_buffer *texts, char ***pointers,
                                      stoa_error *err);

#endif
