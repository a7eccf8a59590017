/* Attributes as other programs write them, by libhdf5 alone. */
#ifndef STOA_TESTS_QUERY_FOREIGN_H
#define STOA_TESTS_QUERY_FOREIGN_H

#include <hdf5.h>

/* Write a scalar attribute. */
void foreign_put(hid_t object, const char *name, hid_t type, const void *value);
/* Write a fixed-length ASCII attribute. */
void foreign_put_ascii(hid_t object, const char *name, const char *text);

#endif
