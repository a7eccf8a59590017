/*
 * Files whose checksums are wrong are read as if they were right.
 *
 * The newer parts of the HDF5 format carry checksums, so that nearly every change of a byte would
 * be refused before anything else looks at it. The linker sends libhdf5's comparison through
 * checksums.c, which lets all pass; a file that was found that way gets true checksums by
 * `fuzz_seal`, after which any libhdf5 reads it.
 */
#ifndef STOA_TESTS_FUZZ_CHECKSUMS_H
#define STOA_TESTS_FUZZ_CHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

/* From now on put each true checksum into these bytes, the file's. */
void fuzz_seal_into(uint8_t *bytes, size_t n);

#endif
