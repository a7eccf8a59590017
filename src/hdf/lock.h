/*
 * Readers and writers of one file, kept apart only while they must be (docs/crash-safety.md,
 * "Locks"; the numbers are those of its invariants).
 *
 * Two locks, both of which vanish with their process: the one that HDF5's programs take as well,
 * shared or exclusive, and the writers' own, which lets one of them at a time prepare an edit while
 * others read.
 */
#ifndef STOA_HDF_LOCK_H
#define STOA_HDF_LOCK_H

#include <stdbool.h>

#include "core/error.h"

/* Waiting for one thing; start from {name}. The name is told. */
typedef struct stoa_lock_wait {
    const char *name;
    double waited; /* seconds */
    bool told;
} stoa_lock_wait;

/* Read the file: others may do so as well, and a writer may prepare. A writer that waits goes
 * first. */
stoa_status stoa_lock_to_read(int fd, stoa_lock_wait *wait, stoa_error *err);
/*
 * Be the file's one writer while others may read. `*alone`: where the system cannot do that, nobody
 * else reads either, from now to the end.
 */
stoa_status stoa_lock_to_write(int fd, stoa_lock_wait *wait, bool *alone, stoa_error *err);
/* Both locks at once, without waiting. */
bool stoa_lock_at_once(int fd);
/*
 * Of the one writer: have the readers leave. `*changed`: another program had the file meanwhile, or
 * may still have it, and left or leaves it changed; what was prepared is not for this file.
 */
stoa_status stoa_lock_exclude(int fd, stoa_lock_wait *wait, bool *changed, stoa_error *err);
/* ... and let them in again, where that is one step. */
void stoa_lock_readmit(int fd);

#endif
