/* A descriptor of Stoa's own for the file that libhdf5 has open, to read past it. */
#ifndef STOA_HDF_DESCRIPTOR_H
#define STOA_HDF_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "hdf/ids.h"

/* A descriptor for the same above those of the standard streams, which a process may have closed:
 * what it says on stderr must not go into a file. -1 and errno where `fd` is -1 or none is free;
 * `fd` is closed where another takes its place. */
int stoa_descriptor_raise(int fd);

/* A file in memory, for reading, as long as somebody holds it. */
typedef struct stoa_file_map stoa_file_map;

typedef struct stoa_descriptor {
    int fd;              /* -1: there is no file to read, or it may change */
    uint64_t size;       /* of the file when it was opened */
    uint64_t user_block; /* bytes before the HDF5 file */
    stoa_file_map *map;  /* `size` bytes of it; NULL: it is not mapped */
} stoa_descriptor;

#define STOA_DESCRIPTOR_INIT                                                                       \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/*
 * Open the file of a dataset once more, if it is one file of the system whose bytes are as libhdf5
 * sees them: opened read-only, by the drivers sec2, stdio or Stoa's own. It takes no lock with it
 * and holds none of libhdf5's.
 */
stoa_status stoa_descriptor_open(stoa_descriptor *descriptor, hid_t dataset, stoa_error *err);
/* Whether nobody can write to an object's file through this process's libhdf5, and nobody is
 * expected to: SWMR readers see changes. */
bool stoa_file_of_is_read_only(hid_t object);
/* Map the file into memory, for reading, where the system can; else everything is read as before.
 */
void stoa_descriptor_map(stoa_descriptor *descriptor);
/*
 * n bytes from `start` on in the map; NULL where they must be read: there is no map, they are too
 * few for it, or the file has become shorter, which the read will tell of.
 *
 * If another program cuts the file short after this call, a look at the bytes raises SIGBUS; if it
 * writes to the file, they change. So whoever takes what they say for a place in memory takes a
 * copy of them first.
 */
const uint8_t *stoa_descriptor_mapped(const stoa_descriptor *descriptor, uint64_t start,
                                      uint64_t n);
/* Whether n bytes from `start` on are in the file, as long as it was when it was opened. */
static inline bool stoa_descriptor_has(const stoa_descriptor *descriptor, uint64_t start,
                                       uint64_t n)
{
    return start <= descriptor->size && n <= descriptor->size - start;
}
/* These bytes, out of the map or the file: the one way to them, on any thread. STOA_EIO where the
 * file was cut off meanwhile, too. */
stoa_status stoa_descriptor_read(const stoa_descriptor *descriptor, uint64_t start, uint64_t n,
                                 void *out, stoa_error *err);
/* Hold a map as well, so that its bytes stay where they are when the descriptor is closed. */
stoa_file_map *stoa_file_map_hold(stoa_file_map *map);
/* On any thread. */
void stoa_file_map_release(stoa_file_map *map);
void stoa_descriptor_close(stoa_descriptor *descriptor);

#endif
