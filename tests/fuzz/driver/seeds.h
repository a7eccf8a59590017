/* What writes the files that fuzzing starts from (seeds.c, structures.c). */
#ifndef STOA_TESTS_FUZZ_SEEDS_H
#define STOA_TESTS_FUZZ_SEEDS_H

#include <hdf5.h>

/* HDF5's formats: earliest, 1.8's, and, for structures alone, 1.10's. */
typedef struct seeds_format {
    const char *name;
    H5F_libver_t low;
} seeds_format;

/* A new file in memory, with as little empty space as can be; fcpl may be H5P_DEFAULT. */
hid_t seeds_file(H5F_libver_t low, hid_t fcpl);
/* Its bytes, as they are for fuzz_check and its kin, and with a tail for fuzz_command. */
void seeds_save(hid_t file, const char *name, const char *format);

/* Structures of HDF5 that tables have none of, and sparse arrays. */
void seeds_save_structures(void);

#endif
