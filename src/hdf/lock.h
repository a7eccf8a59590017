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
#include <stoa/file.h>
#include <sys/stat.h>

#include "core/error.h"
#include "hdf/superblock.h"

/* When a file's bytes, and when anything of it, changed last; of a `const struct stat *`. */
#if defined(__APPLE__)
#define STOA_STAT_MODIFIED(about) ((about)->st_mtimespec)
#define STOA_STAT_CHANGED(about) ((about)->st_ctimespec)
#else
#define STOA_STAT_MODIFIED(about) ((about)->st_mtim)
#define STOA_STAT_CHANGED(about) ((about)->st_ctim)
#endif

/* Waiting for one thing; start from {name, patience}, both borrowed. The name is told. */
typedef struct stoa_lock_wait {
    const char *name;
    const stoa_file_patience *patience;
    double waited; /* seconds */
    bool told;
} stoa_lock_wait;

/* What a program that changes the file cannot leave as it is. */
typedef struct stoa_lock_state {
    struct stat about;
    stoa_superblock superblock;
    bool is_known;
    bool is_settled; /* a change from now on has other times */
} stoa_lock_state;

/* A look that any later change differs from: clocks of files may tick slowly, and are waited for.
 */
stoa_lock_state stoa_lock_look(int fd);
bool stoa_lock_is_same(const stoa_lock_state *a, const stoa_lock_state *b);
/* What the ledger of trusted files notes of a file; fresh (free()), NULL when memory runs out. */
char *stoa_lock_stamp(const struct stat *about);
/* As far as the system tells of a file: enough where one of the two was looked at as above. */
bool stoa_lock_is_untouched(const struct stat *a, const struct stat *b);

/* Read the file: others may do so as well, and a writer may prepare. A writer that waits goes
 * first. */
stoa_status stoa_lock_to_read(int fd, stoa_lock_wait *wait, stoa_error *err);
/* The same, but no writer prepares meanwhile: they wait, where the system can do that. */
stoa_status stoa_lock_to_hold(int fd, stoa_lock_wait *wait, stoa_error *err);
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
