/*
 * The system calls under the file driver: complete or failed, never in part.
 *
 * Every call of Stoa that changes an HDF5 file passes through here, so that a test can stop the
 * process, or fail the call, at each of them.
 */
#ifndef STOA_HDF_DISK_H
#define STOA_HDF_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of them return 0 or an errno value. */

/* Bytes past the end of the file read as zeros, as in libhdf5's own driver. */
int stoa_disk_read(int fd, uint64_t offset, void *out, size_t n);
/* ENODATA where the file ends before. */
int stoa_disk_read_whole(int fd, uint64_t offset, void *out, size_t n);
/* The errno value of the first of these reads in this process that the system refused; 0: none.
 * libhdf5 takes some for an answer: no such object, or a damaged one. */
int stoa_disk_refused_read(void);
/* Whether a byte is in memory, where the system can tell without waiting for it; else false. */
bool stoa_disk_is_at_hand(int fd, uint64_t offset);
int stoa_disk_write(int fd, uint64_t offset, const void *bytes, size_t n);
int stoa_disk_truncate(int fd, uint64_t size);
/* Give the file its blocks from `offset` on, changing neither bytes nor size, where the system can:
 * overwriting them later needs no space. */
int stoa_disk_reserve(int fd, uint64_t offset, uint64_t n);
/* Have the system begin to write the file out, where it can, so that a sync has less to wait for.
 * Promises nothing, and so cannot fail. */
void stoa_disk_hurry(int fd);
/* The first `n` bytes of one file into another, sharing blocks where the file system can. */
int stoa_disk_copy(int from, int to, uint64_t n);
/* Everything written so far is on the medium, and the size to find it. */
int stoa_disk_sync(int fd);
/* The same for a directory's entries; file systems that cannot are taken at their word. */
int stoa_disk_sync_directory(const char *directory);
int stoa_disk_size(int fd, uint64_t *size);

/* The advisory lock libhdf5 takes, under the same rules: HDF5_USE_FILE_LOCKING, then the default
 * of the file access list; a file system without locks is fine where libhdf5 says so.
 * EWOULDBLOCK: somebody else holds it. Closing `fd` releases it. */
int stoa_disk_lock(int fd, bool exclusive);
int stoa_disk_unlock(int fd);

/* What only Stoa's programs lock; of one file, one open descriptor (with its duplicates) has each.
 */
typedef enum stoa_disk_claim {
    STOA_DISK_WRITER, /* the edit of the file */
    STOA_DISK_TURN,   /* to be the next writer */
    STOA_DISK_COMMIT  /* the readers' leave */
} stoa_disk_claim;

/* Under the same rules, shared where `fd` is open to read alone. EWOULDBLOCK: taken; ENOTSUP: this
 * file has no such locks, or they get in the way of the other one. They go when `fd` is closed. */
int stoa_disk_take_claim(int fd, stoa_disk_claim what);
void stoa_disk_drop_claim(int fd, stoa_disk_claim what);
bool stoa_disk_is_claimed(int fd, stoa_disk_claim what);

typedef enum stoa_disk_op {
    STOA_DISK_WRITE,    /* `n` bytes at `offset` */
    STOA_DISK_TRUNCATE, /* to `offset` bytes */
    STOA_DISK_SYNC,
    STOA_DISK_PUBLISH,    /* a new file gets its name */
    STOA_DISK_NAMELESS,   /* a new file without a name is made; refused: it gets a temporary one */
    STOA_DISK_RENAME,     /* to a name that must be free; refused: a link takes it */
    STOA_DISK_COPY,       /* `n` bytes of another file */
    STOA_DISK_REPLACE,    /* a new file takes the name of an old one */
    STOA_DISK_SYNC_NAMES, /* of the directory `fd` */
    STOA_DISK_SHARE,      /* a writer lets others read; refused: it locks the whole file */
    STOA_DISK_READ        /* `n` bytes at `offset`; told to the watcher of reads alone */
} stoa_disk_op;

typedef struct stoa_disk_call {
    stoa_disk_op op;
    int fd;
    uint64_t offset;
    const void *bytes;
    size_t n;
} stoa_disk_call;

/* Tests only: called before each call that changes a file. Returns 0 to let it happen, else the
 * errno value it fails with; or never returns. */
typedef int (*stoa_disk_watcher)(void *context, const stoa_disk_call *call);
void stoa_disk_watch(stoa_disk_watcher watcher, void *context);
/* Tests only: the same before each read. */
void stoa_disk_watch_reads(stoa_disk_watcher watcher, void *context);

/* What the watcher says; for callers that make such a call themselves. */
int stoa_disk_ask(const stoa_disk_call *call);

#endif
