/* Objects of LH5 files, made by libhdf5 alone. */
#ifndef STOA_TESTS_LAYOUT_LH5_KIT_H
#define STOA_TESTS_LAYOUT_LH5_KIT_H

#include <hdf5.h>

/* An attribute that is a text. */
void lh5_say(hid_t object, const char *name, const char *text);
/* A group, and what it says that it is. */
void lh5_group(hid_t file, const char *path, const char *datatype);
/* A contiguous dataset of one dimension, or a scalar where n is 0, in the type of its values. */
void lh5_put(hid_t file, const char *path, const char *datatype, hid_t type, hsize_t n,
             const void *values);

#endif
