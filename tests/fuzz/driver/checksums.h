/*
 * Read files with wrong checksums as if the checksums were right.
 *
 * The newer parts of the HDF5 format carry checksums, so that nearly every changed byte would be
 * refused before any other code sees it. The linker redirects libhdf5's comparison to checksums.c,
 * which accepts all. `fuzz_seal` writes the right checksums to a file that was found that way; then
 * any libhdf5 reads it.
 */
#ifndef STOA_TESTS_FUZZ_CHECKSUMS_H
#define STOA_TESTS_FUZZ_CHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

/* From now on, write the right checksums into these bytes of a file. */
void fuzz_seal_into(uint8_t *bytes, size_t n);

#endif
