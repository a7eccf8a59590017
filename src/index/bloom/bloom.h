/* Opening and querying a CHUNK_BLOOM index (HEP001 §10.7). bloom.c builds and verifies it. */
#ifndef STOA_INDEX_BLOOM_H
#define STOA_INDEX_BLOOM_H

#include "index/bloom/bloom_filter.h"
#include "index/common/byte_matrix.h"

/* Our own attribute of an index, a scalar double: the false-positive rate it was built for. It
 * allows an equivalent rebuild; HEP001 has no place for it. */
#define STOA_BLOOM_RATE "stoa_false_positives"

stoa_status stoa_bloom_accepts(const stoa_column *column, stoa_error *err);

/* The number of distinct values in the chunk that has most of them; for a very large chunk, an
 * upper bound. */
stoa_status stoa_bloom_count(stoa_column *column, uint64_t n_rows, const stoa_listener *listener,
                             uint64_t *most, stoa_error *err);

/* Read how the filters were made from the attributes. STOA_EDATA if attributes, datatype or shape
 * differ from §10.7 for a column of n_rows rows. */
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
