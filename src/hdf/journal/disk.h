/*
 * System calls below the file driver. Each completes or fails, never in part.
 *
 * Every call of Stoa that changes an HDF5 file goes through this file. So tests can stop the
 * process, or fail the call, at each of them.
 */
#ifndef STOA_HDF_DISK_H
#define STOA_HDF_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Unless stated otherwise, functions return 0 or an errno value. */

/* Bytes past the end of the file read as zeros, as in libhdf5's own driver. */
int stoa_disk_read(int fd, uint64_t offset, void *out, size_t n);
/* ENODATA if the file ends before. */
int stoa_disk_read_whole(int fd, uint64_t offset, void *out, size_t n);
/* The errno value of the first of these reads that failed in this process; 0 if none failed.
 * libhdf5 mistakes some failed reads for missing or damaged objects. */
int stoa_disk_refused_read(void);
/* Whether a byte is in the page cache. False if the system cannot tell without waiting. */
bool stoa_disk_is_at_hand(int fd, uint64_t offset);
int stoa_disk_write(int fd, uint64_t offset, const void *bytes, size_t n);
int stoa_disk_truncate(int fd, uint64_t size);
/* Allocate the blocks of the file from `offset` on, without changing its bytes or size, so that
 * overwriting them later needs no space. Does nothing if the system cannot. */
int stoa_disk_reserve(int fd, uint64_t offset, uint64_t n);
/* Start writeback of the file, if the system can, so that a later sync waits less. A hint: it
 * cannot fail. */
void stoa_disk_hurry(int fd);
/* Copy the first `n` bytes of one file to another, sharing blocks if the file system can. */
int stoa_disk_copy(int from, int to, uint64_t n);
/* Make everything written so far durable, including the size that is needed to find it. */
int stoa_disk_sync(int fd);
/* The same for the entries of a directory. File systems that do not support it are trusted. */
int stoa_disk_sync_directory(const char *directory);
int stoa_disk_size(int fd, uint64_t *size);

/* The advisory lock that libhdf5 takes, under the same rules: HDF5_USE_FILE_LOCKING, then the
 * default of the file access list. A file system without locks is accepted if libhdf5 accepts it.
 * EWOULDBLOCK: another process holds the lock. Closing `fd` releases it. */
int stoa_disk_lock(int fd, bool exclusive);
int stoa_disk_unlock(int fd);

/* Locks among Stoa's programs only. One open file description (with its duplicates) can hold each
 * of them. */
typedef enum stoa_disk_claim {
    STOA_DISK_WRITER, /* held while editing the file */
    STOA_DISK_TURN,   /* held by the next writer */
    STOA_DISK_COMMIT  /* held by a writer that waits for readers to leave */
} stoa_disk_claim;

/* Follows the same rules; shared if `fd` is open for reading only. EWOULDBLOCK: another process
 * holds it. ENOTSUP: the file has no such locks, or they would interfere with libhdf5's lock.
 * Closing `fd` releases them. */
int stoa_disk_acquire_claim(int fd, stoa_disk_claim what);
void stoa_disk_drop_claim(int fd, stoa_disk_claim what);
bool stoa_disk_is_claimed(int fd, stoa_disk_claim what);
/* Whether the file is on a network file system, or may be. */
bool stoa_disk_is_remote(int fd);

typedef enum stoa_disk_op {
    STOA_DISK_WRITE,    /* `n` bytes at `offset` */
    STOA_DISK_TRUNCATE, /* to `offset` bytes */
    STOA_DISK_SYNC,
    STOA_DISK_PUBLISH,    /* a new file gets its name */
    STOA_DISK_NAMELESS,   /* an unnamed new file is created; if refused, it gets a temporary name */
    STOA_DISK_RENAME,     /* to a name that must be free; if refused, a hard link is used */
    STOA_DISK_COPY,       /* `n` bytes of another file */
    STOA_DISK_REPLACE,    /* a new file replaces an old one */
    STOA_DISK_SYNC_NAMES, /* of the directory `fd` */
    STOA_DISK_SHARE,      /* a writer lets others read; if refused, it locks the whole file */
    STOA_DISK_READ        /* `n` bytes at `offset`; passed to the watcher of reads only */
} stoa_disk_op;

typedef struct stoa_disk_call {
    stoa_disk_op op;
    int fd;
    uint64_t offset;
    const void *bytes;
    size_t n;
} stoa_disk_call;

/* For tests: called before each call that changes a file. Returns 0 to let it proceed, or the errno
 * value that it shall fail with; or never returns. */
typedef int (*stoa_disk_watcher)(void *context, const stoa_disk_call *call);
void stoa_disk_watch(stoa_disk_watcher watcher, void *context);
/* For tests: the same before each read. */
void stoa_disk_watch_reads(stoa_disk_watcher watcher, void *context);

/* Ask the watcher, for callers that make such a system call themselves. */
int stoa_disk_ask(const stoa_disk_call *call);

#endif
