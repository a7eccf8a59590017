/*
 * Damaged files: the bytes of a sound file, changed at random, in memory.
 *
 * A program that links this tells the sanitizers that malloc() may fail, because libhdf5 asks it
 * for what a damaged header says, and that leaks are not looked for: what libhdf5 leaks over a
 * damaged header is its own, and our ids are counted by the fixture. libhdf5 may notice the leak as
 * it ends and say "infinite loop closing library" with many an FL (its free lists): that is a
 * dataset that H5Dopen2() could not open, of which no id was ever made.
 */
#ifndef STOA_TESTS_DAMAGE_H
#define STOA_TESTS_DAMAGE_H

#include <hdf5.h>
#include <stdint.h>

/* A new file in memory. */
hid_t damage_new_file(void);
/* The bytes of such a file, which is closed; free() them. */
size_t damage_take_image(hid_t file, uint8_t **bytes);
/* Change one to three bytes. */
void damage_bytes(uint8_t *bytes, size_t n);
/* A file with these bytes (copied); H5I_INVALID_HID where libhdf5 sees through it. */
hid_t damage_open(void *bytes, size_t n, unsigned flags);
void damage_close(hid_t file);

#endif
