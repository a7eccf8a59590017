/* Heaps and trees of a file, looked at before libhdf5 believes them. */
#ifndef STOA_HDF_HEAP_H
#define STOA_HDF_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdf/journal.h"

/*
 * Whether `bytes`, read at `address`, are fit for libhdf5: false if they begin a global heap whose
 * objects do not follow each other up to its end.
 *
 * libhdf5 1.14 walks from object to object without looking where that leads: an object of no length
 * keeps it there for ever. Nothing protects a heap by a checksum, so that any damage will do.
 *
 * @param length_size  bytes of a length in this file
 */
bool stoa_heap_is_sound(stoa_journal *journal, uint64_t address, const void *bytes, size_t n,
                        unsigned length_size);

/*
 * Whether `bytes` are fit for libhdf5: false if they are the header of a version 2 B-tree whose
 * root node cannot hold as many records as the header says.
 *
 * libhdf5 1.14 reads so many records from the node, and past its end; a checksum protects the
 * header, but not from its author.
 */
bool stoa_tree_is_sound(const void *bytes, size_t n, unsigned length_size);

#endif
