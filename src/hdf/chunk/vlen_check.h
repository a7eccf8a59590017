/* Checks of the lengths of lists and variable-length texts, before libhdf5 uses them. */
#ifndef STOA_HDF_VLEN_CHECK_H
#define STOA_HDF_VLEN_CHECK_H

#include "hdf/ids.h"

/* Whether elements of a stored datatype contain variable-length lists or texts. */
bool stoa_type_has_vlen(hid_t type);

/* Locations of the lengths of a dataset. For one thread at a time. */
typedef struct stoa_vlen_check stoa_vlen_check;

/* Borrows the dataset until stoa_vlen_check_close(), which accepts NULL. */
stoa_status stoa_vlen_check_open(hid_t dataset, stoa_vlen_check **lengths, stoa_error *err);
void stoa_vlen_check_close(stoa_vlen_check *lengths);

/*
 * Check that no list or text in rows [first, first + count) has more items than the file has room
 * for. In a dataset without chunks, of any rank, elements are counted with the last dimension
 * fastest.
 *
 * In the file such an element is a length and a heap location. Before libhdf5 1.14 reads the heap,
 * it allocates and zeroes a block of that length. So 16 bytes of a file can make it fill 16 GiB.
 * Heaps are not compressed, so a valid list is never longer than the file.
 *
 * Not checked are:
 * - datasets of other types, in other files or in the file's headers, or with filters unknown to
 *   src/codec,
 * - files that are open for writing, if the dataset has no chunks,
 * - lists within lists, which are stored in the heap.
 *
 * @return STOA_EDATA, naming the row with the wrong length
 */
stoa_status stoa_vlen_check_rows(stoa_vlen_check *lengths, uint64_t first, uint64_t count,
                                 stoa_error *err);

/* The same for the chunk at `offset` (one number per dimension). The chunk is decoded, so its size
 * is checked, too. With several dimensions, the message names the first row of the chunk. */
stoa_status stoa_vlen_check_chunk(stoa_vlen_check *lengths, const hsize_t *offset, stoa_error *err);

#endif
