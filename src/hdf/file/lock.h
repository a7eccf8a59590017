/*
 * Locks between readers and writers of one file, which exclude each other only while necessary
 * (docs/crash-safety.md, "Locks"; numbers refer to its invariants).
 *
 * There are two locks, and both end with their process. The first is the one that HDF5's programs
 * use, shared or exclusive. The second is the writers' lock: its holder can prepare an edit while
 * others read.
 */
#ifndef STOA_HDF_LOCK_H
#define STOA_HDF_LOCK_H

#include <stdbool.h>
#include <stoa/file.h>
#include <sys/stat.h>

#include "core/error.h"
#include "hdf/journal/superblock.h"

/* Times of the last change of a file's bytes, and of anything in its inode, from a `const struct
 * stat *`. */
#if defined(__APPLE__)
#define STOA_STAT_MODIFIED(about) ((about)->st_mtimespec)
#define STOA_STAT_CHANGED(about) ((about)->st_ctimespec)
#else
#define STOA_STAT_MODIFIED(about) ((about)->st_mtim)
#define STOA_STAT_CHANGED(about) ((about)->st_ctim)
#endif

/* State of one wait. Start from {name, patience}, both borrowed. `name` is shown to the user. */
typedef struct stoa_lock_wait {
    const char *name;
    const stoa_file_patience *patience;
    double waited; /* seconds */
    bool told;
} stoa_lock_wait;

/* State of a file that changes with every edit by another program. */
typedef struct stoa_lock_state {
    struct stat about;
    stoa_superblock superblock;
    bool is_known;
    bool is_settled; /* any later change gives other times */
} stoa_lock_state;

/* Read the state. Waits until the file system's clock has ticked, so that any later change
 * differs. */
stoa_lock_state stoa_lock_read_state(int fd);
bool stoa_lock_is_same(const stoa_lock_state *a, const stoa_lock_state *b);
/* The file's entry in the ledger of trusted files. The caller frees it; NULL if memory runs out. */
char *stoa_lock_stamp(const struct stat *about);
/* Compare as far as stat() tells. This is sufficient if one of the two comes from
 * stoa_lock_read_state(). */
bool stoa_lock_is_untouched(const struct stat *a, const struct stat *b);

/* Lock the file for reading. Others may read it, and a writer may prepare an edit. Waiting writers
 * go first. */
stoa_status stoa_lock_to_read(int fd, stoa_lock_wait *wait, stoa_error *err);
/* The same, but writers wait before they prepare an edit, if the system supports that. */
stoa_status stoa_lock_to_hold(int fd, stoa_lock_wait *wait, stoa_error *err);
/* Become the file's only writer while others may read. If the system does not support that,
 * `*alone` is true and readers are excluded until the end. */
stoa_status stoa_lock_to_write(int fd, stoa_lock_wait *wait, bool *alone, stoa_error *err);
/* Take both locks without waiting. */
bool stoa_lock_at_once(int fd);
/* For the writer: wait until the readers have left, and exclude them. `*changed`: another program
 * used the file meanwhile, or may still use it, and changed it. The prepared edit does not fit this
 * file then. */
stoa_status stoa_lock_exclude(int fd, stoa_lock_wait *wait, bool *changed, stoa_error *err);
/* Let readers in again, if the system can do that in one step. */
void stoa_lock_readmit(int fd);

#endif
