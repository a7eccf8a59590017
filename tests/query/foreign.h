/* What other programs put into a file, by libhdf5 alone. */
#ifndef STOA_TESTS_QUERY_FOREIGN_H
#define STOA_TESTS_QUERY_FOREIGN_H

#include <hdf5.h>

/* A scalar attribute. */
void foreign_put(hid_t object, const char *name, hid_t type, const void *value);
/* One of fixed-length ASCII. */
void foreign_put_ascii(hid_t object, const char *name, const char *text);

#endif
