/* Stoa's own descriptor of a file that libhdf5 has open, for reads without libhdf5. */
#ifndef STOA_HDF_DESCRIPTOR_H
#define STOA_HDF_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "hdf/ids.h"

/*
 * Move a descriptor above those of the standard streams. A process may have closed these, and what
 * it then prints to stderr must not go into the file.
 *
 * @return a descriptor of the same file; -1 and errno if `fd` is -1 or no descriptor is free. `fd`
 *         is closed unless it is the one returned.
 */
int stoa_descriptor_raise(int fd);

/* A read-only map of a file. It is unmapped when its last holder releases it. */
typedef struct stoa_file_map stoa_file_map;

typedef struct stoa_descriptor {
    int fd;              /* -1: no such file, or it may change */
    uint64_t size;       /* size of the file when it was opened */
    uint64_t user_block; /* size of the user block before the HDF5 data */
    stoa_file_map *map;  /* its first `size` bytes; NULL: not mapped */
} stoa_descriptor;

#define STOA_DESCRIPTOR_INIT                                                                       \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/*
 * Open the file of a dataset again, if it is open read-only and is one file of the system with the
 * bytes that libhdf5 sees. That is so with the drivers sec2, stdio and Stoa's own. Otherwise the fd
 * is -1.
 *
 * No lock is acquired, and none of libhdf5's is held.
 */
stoa_status stoa_descriptor_open(stoa_descriptor *descriptor, hid_t dataset, stoa_error *err);
/* Whether the file of an object is open read-only and without SWMR, so its data is not expected to
 * change. */
bool stoa_file_of_is_read_only(hid_t object);
/* Map the file into memory for reading. If that is impossible, reads use the descriptor. */
void stoa_descriptor_map(stoa_descriptor *descriptor);
/*
 * n bytes from `start` on, in the map. NULL if they must be read: there is no map, they are too
 * few, or the file has become shorter. The read reports the last case.
 *
 * If another program truncates the file later, an access to these bytes raises SIGBUS. If it writes
 * to the file, they change. So copy values first that are used as offsets or indexes into memory.
 */
const uint8_t *stoa_descriptor_mapped(const stoa_descriptor *descriptor, uint64_t start,
                                      uint64_t n);
/* Whether n bytes from `start` on are within the size that the file had when it was opened. */
static inline bool stoa_descriptor_has(const stoa_descriptor *descriptor, uint64_t start,
                                       uint64_t n)
{
    return start <= descriptor->size && n <= descriptor->size - start;
}
/* Read these bytes from the map or the file, on any thread. All reads use this function. STOA_EIO
 * also if the file has been truncated since. */
stoa_status stoa_descriptor_read(const stoa_descriptor *descriptor, uint64_t start, uint64_t n,
                                 void *out, stoa_error *err);
/* Add a holder of a map. Its bytes then stay mapped when the descriptor is closed. */
stoa_file_map *stoa_file_map_hold(stoa_file_map *map);
/* NULL is allowed. May be called on any thread. */
void stoa_file_map_release(stoa_file_map *map);
void stoa_descriptor_close(stoa_descriptor *descriptor);

#endif
