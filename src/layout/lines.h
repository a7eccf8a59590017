/*
 * One-dimensional datasets that are filled batch by batch, and Arrow columns as the plain elements
 * that go into them: for layouts that keep a dataset a column.
 */
#ifndef STOA_LAYOUT_LINES_H
#define STOA_LAYOUT_LINES_H

#include "arrow/read.h"
#include "hdf/ids.h"

/*
 * Make a dataset of n rows.
 *
 * @param n_columns  1 more dimension of that size; 0: none
 * @param codec      NULL or "none": contiguous; "deflate" or "deflate:1" to "deflate:9": chunked,
 *                   shuffled and compressed
 * @return STOA_EINVAL if there is no such codec
 */
stoa_status stoa_line_make(hid_t group, const char *name, hid_t type, uint64_t n_rows,
                           hsize_t n_columns, const char *codec, hid_t *dataset, stoa_error *err);
/* Fill rows [first, first + n). */
stoa_status stoa_line_write(hid_t dataset, hid_t mem_type, uint64_t first, uint64_t n,
                            const void *values, stoa_error *err);

/* The type of a number's kind in memory; borrowed. float16 has none: H5I_INVALID_HID. */
hid_t stoa_line_native(stoa_kind kind);
/* The same as it is stored: little-endian; the caller's. */
stoa_status stoa_line_stored(stoa_kind kind, hid_t *type, stoa_error *err);

/* All values of a number's kind into `out`, of the kind's width; missing ones become 0, or NaN
 * where they are floats. */
void stoa_line_numbers(const stoa_view *view, void *out);
/* Bools, as bytes; missing ones become 0. */
void stoa_line_bools(const stoa_view *view, uint8_t *out);
/* 1 where a value is missing. */
void stoa_line_mask(const stoa_view *view, uint8_t *out);

/* A string, or what the dictionary, of which `labels` is the view, says; NULL: missing. */
const char *stoa_line_text(const stoa_view *view, const stoa_view *labels, int64_t i,
                           size_t *length);
/* Strings, or what labels say, as C strings: `texts` holds them, *pointers (n of them, free()) lead
 * to each; missing ones are "". They hold no NUL, as the caller has made sure. */
stoa_status stoa_line_texts(const stoa_view *view, stoa_buffer *texts, char ***pointers,
                            stoa_error *err);

#endif
