/* The contents of an HDF5 file as text, to compare two files. */
#ifndef STOA_TESTS_HDF_TREE_H
#define STOA_TESTS_HDF_TREE_H

#include <hdf5.h>

/* Print all objects that hard links lead to, numbered in order of first visit. Each has its links,
 * attributes, datatypes, storage properties and values. A reference is the number of its target, or
 * null if the target does not exist. The caller calls free(). */
char *tree_of(hid_t file);

#endif
