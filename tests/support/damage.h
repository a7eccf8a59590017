/*
 * Damaged files: a valid file in memory whose bytes are changed at random.
 *
 * A program that links this tells the sanitizers that malloc() may fail, because libhdf5 allocates
 * whatever a damaged header claims. Leaks are not checked either, since libhdf5 itself leaks over
 * damaged headers; the fixture counts our ids.
 *
 * On exit libhdf5 may print "infinite loop closing library" with many FL (its free lists). That
 * comes from a dataset that H5Dopen2() failed to open, for which no id was ever created.
 */
#ifndef STOA_TESTS_DAMAGE_H
#define STOA_TESTS_DAMAGE_H

#include <hdf5.h>
#include <stdint.h>

/* Create a file in memory. */
hid_t damage_new_file(void);
/* Get the bytes of such a file and close it. The caller calls free(). */
size_t damage_take_image(hid_t file, uint8_t **bytes);
/* Change one to three bytes. */
void damage_bytes(uint8_t *bytes, size_t n);
/* Open a file with a copy of these bytes; H5I_INVALID_HID if libhdf5 detects the damage. */
hid_t damage_open(void *bytes, size_t n, unsigned flags);
void damage_close(hid_t file);

#endif
