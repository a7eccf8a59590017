/* Entries of a CHUNK_MINMAX index (HEP001 §10.4): layout, computation and storage. */
#ifndef STOA_INDEX_MINMAX_ENTRY_H
#define STOA_INDEX_MINMAX_ENTRY_H

#include "column/read/block.h"
#include "index/common/order.h"

/* The last three fields of an entry. */
typedef struct stoa_minmax_counts {
    uint64_t nan_count;
    uint64_t fill_count;
    uint64_t n;
} stoa_minmax_counts;

/*
 * The layout of one column's entries: `min` and `max` as elements of the column, then the counts.
 *
 * In memory an entry has `size` bytes. Its strings are allocated by stoa_alloc().
 */
typedef struct stoa_minmax_format {
    stoa_column *column; /* borrowed */
    hid_t element_type;  /* the column's datatype in the file */
    hid_t file_type;
    hid_t mem_type;
    hid_t code_type; /* enums: file type with plain codes as bounds; else invalid */
    size_t size;
    size_t counts_at;
} stoa_minmax_format;

/* Set up the format. Clear it with stoa_minmax_format_clear(), also after a failure. */
stoa_status stoa_minmax_format_make(stoa_column *column, stoa_minmax_format *format,
                                    stoa_error *err);
stoa_status stoa_minmax_format_clear(stoa_minmax_format *format, stoa_status status,
                                     stoa_error *err);

stoa_minmax_counts stoa_minmax_counts_of(const stoa_minmax_format *format, const uint8_t *entry);
stoa_scalar stoa_minmax_min(const stoa_minmax_format *format, const uint8_t *entry);
stoa_scalar stoa_minmax_max(const stoa_minmax_format *format, const uint8_t *entry);
/* Whether all elements of the chunk are missing or NaN, so min and max mean nothing. With a NaN
 * fill, NaN elements also count as missing, so the two counts must not be added (notes A4). */
bool stoa_minmax_is_empty(const stoa_minmax_format *format, const uint8_t *entry);

/* Compute the entry of one chunk of a table with n_rows rows; `entry` must be zeroed. Threads with
 * their own readers may do so at the same time. */
stoa_status stoa_minmax_compute(const stoa_minmax_format *format, stoa_block_reader *reader,
                                uint64_t chunk, uint64_t n_rows, uint8_t *entry, stoa_error *err);

/* Entries [first, first + count) of the dataset. */
stoa_status stoa_minmax_read(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                             uint64_t count, uint8_t *entries, stoa_error *err);
stoa_status stoa_minmax_write(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                              uint64_t count, const uint8_t *entries, stoa_error *err);
/* Number of entries that are written, compared or stored together. */
uint64_t stoa_minmax_block(const stoa_minmax_format *format);
/* Compute n entries from chunk `first` on, by the threads of the readers. */
stoa_status stoa_minmax_compute_all(const stoa_minmax_format *format,
                                    const stoa_block_readers *readers, uint64_t first, uint64_t n,
                                    uint64_t n_rows, const stoa_listener *listener,
                                    uint8_t *entries, stoa_error *err);
/* Compute and write the entries from chunk `first` on, for a table of n_rows rows. */
stoa_status stoa_minmax_fill(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                             uint64_t n_rows, const stoa_listener *listener, stoa_error *err);
/* Free the strings of n entries and zero the entries. */
void stoa_minmax_forget(const stoa_minmax_format *format, uint8_t *entries, uint64_t n);

/* STOA_EDATA unless the dataset is one-dimensional, has the compound type of §10.4 for this column,
 * and at least `n_needed` entries. */
stoa_status stoa_minmax_check(const stoa_minmax_format *format, hid_t dataset, uint64_t n_needed,
                              stoa_error *err);

#endif
