/* Writers of the seed files for fuzzing (seeds.c, structures.c). */
#ifndef STOA_TESTS_FUZZ_SEEDS_H
#define STOA_TESTS_FUZZ_SEEDS_H

#include <hdf5.h>

/* File formats of HDF5: earliest, 1.8, and, for structures only, 1.10. */
typedef struct seeds_format {
    const char *name;
    H5F_libver_t low;
} seeds_format;

/* Create a file in memory with as little empty space as possible; fcpl may be H5P_DEFAULT. */
hid_t seeds_file(H5F_libver_t low, hid_t fcpl);
/* Save a file's bytes for fuzz_check and similar targets, and with a tail for fuzz_command. */
void seeds_save(hid_t file, const char *name, const char *format);

/* Save HDF5 structures that tables do not use, and sparse arrays. */
void seeds_save_structures(void);

#endif
