/* Everything that an HDF5 file holds, as text: for asking whether two files hold the same. */
#ifndef STOA_TESTS_HDF_TREE_H
#define STOA_TESTS_HDF_TREE_H

#include <hdf5.h>

/*
 * All objects that hard links lead to, numbered as they are met, with their links, attributes,
 * datatypes, storage properties and values; a reference is the number of what it leads to, and one
 * that leads nowhere is null. To be freed.
 */
char *tree_of(hid_t file);

#endif
