/* Entries of a CHUNK_MINMAX index (HEP001 §10.4): their layout, their computation, their
 * storage. */
#ifndef STOA_INDEX_MINMAX_ENTRY_H
#define STOA_INDEX_MINMAX_ENTRY_H

#include "column/block.h"
#include "index/order.h"

/* The last three fields of an entry. */
typedef struct stoa_minmax_counts {
    uint64_t nan_count;
    uint64_t fill_count;
    uint64_t n;
} stoa_minmax_counts;

/*
 * How the entries of one column lie: `min` and `max` as elements of the column, then the counts.
 *
 * Entries in memory are runs of `size` bytes; the strings in them come from stoa_alloc().
 */
typedef struct stoa_minmax_format {
    stoa_column *column; /* borrowed */
    hid_t element_type;  /* the column's datatype in the file */
    hid_t file_type;
    hid_t mem_type;
    hid_t code_type; /* enums: the file type with bare codes for bounds; else invalid */
    size_t size;
    size_t counts_at;
} stoa_minmax_format;

/* Set up the format; undone by stoa_minmax_format_clear(), also after a failure. */
stoa_status stoa_minmax_format_make(stoa_column *column, stoa_minmax_format *format,
                                    stoa_error *err);
stoa_status stoa_minmax_format_clear(stoa_minmax_format *format, stoa_status status,
                                     stoa_error *err);

/* Rows an entry covers, and entries that n_rows rows need. Columns that are not chunked are one
 * chunk (notes D5). */
uint64_t stoa_minmax_chunk_rows(const stoa_column *column, uint64_t n_rows);
uint64_t stoa_minmax_n_entries(const stoa_column *column, uint64_t n_rows);

stoa_minmax_counts stoa_minmax_counts_of(const stoa_minmax_format *format, const uint8_t *entry);
stoa_scalar stoa_minmax_min(const stoa_minmax_format *format, const uint8_t *entry);
stoa_scalar stoa_minmax_max(const stoa_minmax_format *format, const uint8_t *entry);
/* Has the chunk no element that is neither missing nor NaN? Then min and max say nothing. With a
 * NaN fill, NaN elements are counted as missing too, so they must not be added up (notes A4). */
bool stoa_minmax_is_empty(const stoa_minmax_format *format, const uint8_t *entry);

/* Compute the entry of chunk `chunk` of a table of n_rows rows; `entry` is zeroed before. Readers
 * of the column may do so at the same time. */
stoa_status stoa_minmax_compute(const stoa_minmax_format *format, stoa_block_reader *reader,
                                uint64_t chunk, uint64_t n_rows, uint8_t *entry, stoa_error *err);

/* Entries [first, first + count) of the dataset. */
stoa_status stoa_minmax_read(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                             uint64_t count, uint8_t *entries, stoa_error *err);
stoa_status stoa_minmax_write(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                              uint64_t count, const uint8_t *entries, stoa_error *err);
/* Entries that are written, compared or stored together. */
uint64_t stoa_minmax_block(const stoa_minmax_format *format);
/* Compute and write the entries of chunks from `first` on of a table of n_rows rows. */
stoa_status stoa_minmax_fill(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                             uint64_t n_rows, const stoa_listener *listener, stoa_error *err);
/* Free the strings that n entries hold; the entries themselves are zeroed. */
void stoa_minmax_forget(const stoa_minmax_format *format, uint8_t *entries, uint64_t n);

/* STOA_EDATA unless the dataset is 1-D, of the compound type that §10.4 prescribes for this column,
 * and at least `n_needed` entries long. */
stoa_status stoa_minmax_check(const stoa_minmax_format *format, hid_t dataset, uint64_t n_needed,
                              stoa_error *err);

#endif
