/* pread, pwrite, flock and related calls, with the retries and limits that POSIX requires. */
#include "hdf/journal/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#if defined(__linux__)
#include <sys/vfs.h>
#endif
#include <unistd.h>

#include "core/memory.h"
#include "hdf/hdf5.h"

/* Below the limit of every kernel for one call. */
#define MAX_REQUEST ((size_t)1 << 30)

/* Watchers of tests. Outside of tests they are never set. */
typedef struct window {
    stoa_disk_watcher watcher;
    void *context;
} window;

static window changes;
static window reads;

void stoa_disk_watch(stoa_disk_watcher watcher, void *context)
{
    changes = (window){watcher, context};
}

void stoa_disk_watch_reads(stoa_disk_watcher watcher, void *context)
{
    reads = (window){watcher, context};
}

int stoa_disk_ask(const stoa_disk_call *call)
{
    const window *const through = call->op == STOA_DISK_READ ? &reads : &changes;

    return through->watcher != NULL ? through->watcher(through->context, call) : 0;
}

static atomic_int refused_read;

int stoa_disk_refused_read(void)
{
    return atomic_load(&refused_read);
}

static int refuse_read(int failed)
{
    int none = 0;

    (void)atomic_compare_exchange_strong(&refused_read, &none, failed);
    return failed;
}

static bool fits_off_t(uint64_t offset, size_t n)
{
    return offset <= INT64_MAX - n;
}

/* Read up to n bytes, fewer only at the end of the file. */
static int read_some(int fd, uint64_t offset, uint8_t *out, size_t n, size_t *n_read)
{
    *n_read = 0;
    if (n > INT64_MAX || !fits_off_t(offset, n)) {
        return EOVERFLOW;
    }
    const int refused = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_READ, fd, offset, NULL, n});
    if (refused != 0) {
        return refuse_read(refused);
    }
    while (*n_read < n) {
        const size_t left = n - *n_read;
        const ssize_t got = pread(fd, out + *n_read, left < MAX_REQUEST ? left : MAX_REQUEST,
                                  (off_t)(offset + *n_read));
        if (got < 0 && errno != EINTR) {
            return refuse_read(errno);
        }
        if (got == 0) {
            break;
        }
        *n_read += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

int stoa_disk_read(int fd, uint64_t offset, void *out, size_t n)
{
    size_t n_read = 0;
    const int failed = read_some(fd, offset, out, n, &n_read);

    if (failed == 0 && n_read < n) {
        memset((uint8_t *)out + n_read, 0, n - n_read);
    }
    return failed;
}

int stoa_disk_read_whole(int fd, uint64_t offset, void *out, size_t n)
{
    size_t n_read = 0;
    const int failed = read_some(fd, offset, out, n, &n_read);

    return failed == 0 && n_read < n ? ENODATA : failed;
}

bool stoa_disk_is_at_hand(int fd, uint64_t offset)
{
#if defined(RWF_NOWAIT)
    uint8_t byte;
    const struct iovec one = {&byte, 1};

    return fits_off_t(offset, 1) && preadv2(fd, &one, 1, (off_t)offset, RWF_NOWAIT) == 1;
#else
    (void)fd;
    (void)offset;
    return false;
#endif
}

int stoa_disk_write(int fd, uint64_t offset, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;

    if (n > INT64_MAX || !fits_off_t(offset, n)) {
        return EFBIG;
    }
    const int refused = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_WRITE, fd, offset, bytes, n});
    if (refused != 0) {
        return refused;
    }
    while (n != 0) {
        const ssize_t put = pwrite(fd, from, n < MAX_REQUEST ? n : MAX_REQUEST, (off_t)offset);
        if (put < 0 && errno != EINTR) {
            return errno;
        }
        if (put == 0) {
            return ENOSPC; /* POSIX allows 0; retrying could loop for ever */
        }
        if (put > 0) {
            from += put;
            offset += (uint64_t)put;
            n -= (size_t)put;
        }
    }
    return 0;
}

int stoa_disk_truncate(int fd, uint64_t size)
{
    const stoa_disk_call call = {STOA_DISK_TRUNCATE, fd, size, NULL, 0};
    const int refused = !fits_off_t(size, 0) ? EFBIG : stoa_disk_ask(&call);

    if (refused != 0) {
        return refused;
    }
    while (ftruncate(fd, (off_t)size) != 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int stoa_disk_reserve(int fd, uint64_t offset, uint64_t n)
{
#if defined(__linux__)
    while (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)n) != 0) {
        if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) {
            return 0;
        }
        if (errno != EINTR) {
            return errno;
        }
    }
#else
    (void)fd;
    (void)offset;
    (void)n;
#endif
    return 0;
}

void stoa_disk_hurry(int fd)
{
#if defined(__linux__)
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* to its end */
#else
    (void)fd;
#endif
}

/* Copy through memory, if the system has no faster way. */
static int copy_through_memory(int from, int to, uint64_t offset, uint64_t n)
{
    enum { BLOCK = 1 << 18 };
    uint8_t *buffer = stoa_alloc(BLOCK, 1);
    int failed = buffer == NULL ? ENOMEM : 0;

    while (failed == 0 && n != 0) {
        const size_t piece = n < BLOCK ? (size_t)n : BLOCK;
        failed = stoa_disk_read(from, offset, buffer, piece);
        if (failed == 0) {
            failed = stoa_disk_write(to, offset, buffer, piece);
        }
        offset += piece;
        n -= piece;
    }
    free(buffer);
    return failed;
}

int stoa_disk_copy(int from, int to, uint64_t n)
{
    uint64_t done = 0;
    const int refused = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_COPY, to, 0, NULL, (size_t)n});

    if (refused != 0) {
        return refused;
    }
#if defined(__linux__)
    while (done < n) {
        off_t in = (off_t)done;
        off_t out = (off_t)done;
        const uint64_t left = n - done;
        const size_t piece = left < MAX_REQUEST ? (size_t)left : MAX_REQUEST;
        const ssize_t got = copy_file_range(from, &in, to, &out, piece, 0);
        if (got < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG)) {
            return errno;
        }
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break; /* an old kernel, or another file system: copy through memory */
        }
        done += (uint64_t)got;
    }
#endif
    return copy_through_memory(from, to, done, n - done);
}

static int flush_to_medium(int fd)
{
#if defined(__APPLE__)
    /* On macOS, fsync() does not flush the drive's cache. */
    if (fcntl(fd, F_FULLFSYNC) == 0) {
        return 0;
    }
    return fsync(fd);
#else
    return fdatasync(fd);
#endif
}

int stoa_disk_sync(int fd)
{
    const int refused = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_SYNC, fd, 0, NULL, 0});

    if (refused != 0) {
        return refused;
    }
    while (flush_to_medium(fd) != 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int stoa_disk_sync_directory(const char *directory)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = 0;

    if (fd < 0) {
        return errno;
    }
    failed = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_SYNC_NAMES, fd, 0, NULL, 0});
    if (failed == 0) {
        do {
            failed = fsync(fd) == 0 ? 0 : errno;
        } while (failed == EINTR);
    }
    failed = failed == EINVAL || failed == ENOTSUP || failed == EROFS ? 0 : failed;
    (void)close(fd);
    return failed;
}

int stoa_disk_size(int fd, uint64_t *size)
{
    struct stat about;

    if (fstat(fd, &about) != 0) {
        return errno;
    }
    *size = (uint64_t)about.st_size;
    return 0;
}

/* Like libhdf5: the environment variable overrides the access list. */
static void read_lock_rules(bool *locks, bool *may_be_missing)
{
    const char *rule = getenv("HDF5_USE_FILE_LOCKING");
    hbool_t use = true;
    hbool_t ignore = true;

    (void)H5Pget_file_locking(H5P_FILE_ACCESS_DEFAULT, &use, &ignore);
    if (rule != NULL && (strcmp(rule, "FALSE") == 0 || strcmp(rule, "0") == 0)) {
        use = false;
    } else if (rule != NULL && (strcmp(rule, "TRUE") == 0 || strcmp(rule, "1") == 0)) {
        use = true;
        ignore = false;
    } else if (rule != NULL && strcmp(rule, "BEST_EFFORT") == 0) {
        use = true;
        ignore = true;
    }
    *locks = use;
    *may_be_missing = ignore;
}

static int lock_with(int fd, int how)
{
    bool locks;
    bool may_be_missing;

    read_lock_rules(&locks, &may_be_missing);
    if (!locks) {
        return 0;
    }
    while (flock(fd, how) != 0) {
        if (errno == ENOSYS && may_be_missing) {
            return 0;
        }
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int stoa_disk_lock(int fd, bool exclusive)
{
    return lock_with(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
}

int stoa_disk_unlock(int fd)
{
    return lock_with(fd, LOCK_UN);
}

bool stoa_disk_is_remote(int fd)
{
#if defined(__linux__)
    static const unsigned long kinds[] = {0x6969, 0x517b, 0xff534d42, 0xfe534d42}; /* NFS, SMB */
    struct statfs about;

    if (fstatfs(fd, &about) != 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (((unsigned long)about.f_type & 0xffffffff) == kinds[i]) {
            return true;
        }
    }
#endif
    return false;
}

#if defined(F_OFD_SETLK)
/* Lock a byte far beyond the end of any file, where other programs lock none. */
static int byte_lock(int fd, int command, stoa_disk_claim what, struct flock *lock)
{
    lock->l_whence = SEEK_SET;
    lock->l_start = ((off_t)1 << 62) + (off_t)what;
    lock->l_len = 1;
    while (fcntl(fd, command, lock) != 0) {
        if (errno != EINTR) {
            return errno == EACCES ? EWOULDBLOCK : errno;
        }
    }
    return 0;
}

int stoa_disk_acquire_claim(int fd, stoa_disk_claim what)
{
    const bool is_shared = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    struct flock lock = {.l_type = is_shared ? F_RDLCK : F_WRLCK};
    bool locks;
    bool may_be_missing;

    read_lock_rules(&locks, &may_be_missing);
    if (!locks) {
        return 0;
    }
    /* There, flock() is made of byte-range locks, so that the two kinds would conflict. */
    if (stoa_disk_is_remote(fd) ||
        (what == STOA_DISK_TURN &&
         stoa_disk_ask(&(stoa_disk_call){STOA_DISK_SHARE, fd, 0, NULL, 0}) != 0)) {
        return ENOTSUP;
    }
    const int failed = byte_lock(fd, F_OFD_SETLK, what, &lock);
    return failed == 0 || failed == EWOULDBLOCK ? failed : ENOTSUP;
}

void stoa_disk_drop_claim(int fd, stoa_disk_claim what)
{
    struct flock lock = {.l_type = F_UNLCK};

    (void)byte_lock(fd, F_OFD_SETLK, what, &lock);
}

bool stoa_disk_is_claimed(int fd, stoa_disk_claim what)
{
    struct flock lock = {.l_type = F_RDLCK};
    bool locks;
    bool may_be_missing;

    read_lock_rules(&locks, &may_be_missing);
    return locks && byte_lock(fd, F_OFD_GETLK, what, &lock) == 0 && lock.l_type != F_UNLCK &&
           !stoa_disk_is_remote(fd);
}
#else
int stoa_disk_acquire_claim(int fd, stoa_disk_claim what)
{
    (void)fd;
    (void)what;
    return ENOTSUP;
}

void stoa_disk_drop_claim(int fd, stoa_disk_claim what)
{
    (void)fd;
    (void)what;
}

bool stoa_disk_is_claimed(int fd, stoa_disk_claim what)
{
    (void)fd;
    (void)what;
    return false;
}
#endif
