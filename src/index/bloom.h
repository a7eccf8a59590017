/* A CHUNK_BLOOM index in use (HEP001 §10.7): opened, asked. Its making is in bloom.c. */
#ifndef STOA_INDEX_BLOOM_H
#define STOA_INDEX_BLOOM_H

#include "index/bloom_filter.h"
#include "index/plane.h"

/* Our own attribute on an index: the rate of false positives it was built for, a scalar double, so
 * that it can be built again as it was. HEP001 has no place for it. */
#define STOA_BLOOM_RATE "stoa_false_positives"

stoa_status stoa_bloom_accepts(const stoa_column *column, stoa_error *err);

/* Rows that one filter covers, and filters that n_rows rows need. */
uint64_t stoa_bloom_chunk_rows(const stoa_column *column, uint64_t n_rows);
uint64_t stoa_bloom_n_filters(const stoa_column *column, uint64_t n_rows);

/* Distinct values of the chunk that has most of them; of a very large one, an upper bound. */
stoa_status stoa_bloom_count(stoa_column *column, uint64_t n_rows, const stoa_listener *listener,
                             uint64_t *most, stoa_error *err);

/* How the filters were made, as the attributes say; STOA_EDATA where these, the datatype or the
 * shape are not what §10.7 says for a column of n_rows rows. */
stoa_status stoa_bloom_load(const stoa_column *column, hid_t dataset, uint64_t n_rows,
                            stoa_bloom *bloom, stoa_error *err);

stoa_status stoa_bloom_open(stoa_column *column, hid_t dataset, uint64_t n_rows, stoa_index **index,
                            stoa_error *err);
stoa_status stoa_bloom_estimate(const stoa_index *index, const stoa_test *test, uint64_t *n_rows,
                                stoa_error *err);
stoa_status stoa_bloom_prune(const stoa_index *index, const stoa_test *test,
                             stoa_rowset *candidates, stoa_rowset *certain, stoa_error *err);
void stoa_bloom_close(stoa_index *index);

#endif
