/* Lengths of lists and texts, looked at before libhdf5 believes them. */
#ifndef STOA_HDF_LENGTHS_H
#define STOA_HDF_LENGTHS_H

#include "hdf/ids.h"

/* Whether elements of a stored datatype have lists or texts of any length in them. */
bool stoa_type_has_lengths(hid_t type);

/* Where the lengths of a dataset lie; of one thread at a time. */
typedef struct stoa_lengths stoa_lengths;

/* Borrows the dataset until stoa_lengths_close(), which NULL is fine for. */
stoa_status stoa_lengths_open(hid_t dataset, stoa_lengths **lengths, stoa_error *err);
void stoa_lengths_close(stoa_lengths *lengths);

/*
 * Make sure that no list or text of rows [first, first + count) is longer than the file. Without
 * chunks, of whatever rank the dataset is, elements are counted along the last dimension first.
 *
 * In the file such an element is a length, and where its items lie. Before libhdf5 1.14 looks there
 * it makes, and zeroes, a block of that length: 16 bytes of a file have it fill 16 GiB. What
 * they lie in is never packed, so that they cannot be more than the file has bytes.
 *
 * Datasets of other types, in the file's headers or in other files, or whose filters are not known
 * here, are not looked into; nor, where there are no chunks, files that are written to; nor are
 * lists within lists, which lie in the heap.
 *
 * @return STOA_EDATA naming the row that is longer
 */
stoa_status stoa_lengths_check(stoa_lengths *lengths, uint64_t first, uint64_t count,
                               stoa_error *err);

/* The same of the chunk at `offset`, one number a dimension; it is unpacked to know, so that it has
 * all of its bytes, too. Of several dimensions the row that is named is the chunk's first. */
stoa_status stoa_lengths_check_chunk(stoa_lengths *lengths, const hsize_t *offset, stoa_error *err);

#endif
