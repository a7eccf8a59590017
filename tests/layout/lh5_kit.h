/* Objects of LH5 files, made by libhdf5 alone. */
#ifndef STOA_TESTS_LAYOUT_LH5_KIT_H
#define STOA_TESTS_LAYOUT_LH5_KIT_H

#include <hdf5.h>

/* Write a text attribute. */
void lh5_say(hid_t object, const char *name, const char *text);
/* Create a group with its datatype. */
void lh5_group(hid_t file, const char *path, const char *datatype);
/* Write a contiguous dataset of one dimension, or a scalar if n is 0. The file type is that of the
 * values. */
void lh5_put(hid_t file, const char *path, const char *datatype, hid_t type, hsize_t n,
             const void *values);

#endif
