/* Locks are polled, since no system call waits for them with a timeout. */
#include "hdf/file/lock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/sysmacros.h>
#endif
#include <time.h>
#include <unistd.h>

#include "core/memory.h"
#include "hdf/journal/disk.h"
#include "hdf/journal/superblock.h"

/* A reader yields to a waiting writer for this long. By then the current readers have left, or one
 * of them is slow. In that case other readers need not wait for it. */
static const double courtesy_seconds = 0.05;
static const double tell_after_seconds = 1;

/* ---- Waiting -------------------------------------------------------------------------------- */

static void nap(double seconds)
{
    const struct timespec time = {0, (long)(seconds * 1e9)};

    (void)nanosleep(&time, NULL);
}

/* Name another holder of HDF5's lock: "process 12 (python3)"; "another program" if the system does
 * not tell. */
static void name_holder(int fd, char *text, size_t size)
{
    (void)snprintf(text, size, "another program (or is open already in this one)");
#if defined(__linux__)
    FILE *locks = fopen("/proc/locks", "r");
    struct stat about;
    char line[256];
    char file[64];

    if (locks == NULL || fstat(fd, &about) != 0) {
        if (locks != NULL) {
            (void)fclose(locks);
        }
        return;
    }
    (void)snprintf(file, sizeof file, " %02x:%02x:%" PRIuMAX " ", major(about.st_dev),
                   minor(about.st_dev), (uintmax_t)about.st_ino);
    while (fgets(line, sizeof line, locks) != NULL) {
        char *at = strstr(line, file);
        if (at == NULL || strstr(line, "FLOCK") == NULL || strstr(line, "->") != NULL) {
            continue;
        }
        while (at > line && at[-1] >= '0' && at[-1] <= '9') {
            at--;
        }
        const long process = strtol(at, NULL, 10);
        if (process <= 0 || process == (long)getpid()) {
            continue;
        }
        char path[64];
        char name[64] = "";
        (void)snprintf(path, sizeof path, "/proc/%ld/comm", process);
        FILE *comm = fopen(path, "r");
        if (comm != NULL) {
            if (fgets(name, sizeof name, comm) == NULL) {
                name[0] = '\0';
            }
            (void)fclose(comm);
            name[strcspn(name, "\n")] = '\0';
        }
        (void)snprintf(text, size, "another program: process %ld (%s)", process, name);
        break;
    }
    (void)fclose(locks);
#else
    (void)fd;
#endif
}

/* Sleep for a moment. False: the wait is over. */
static bool wait_more(int fd, stoa_lock_wait *wait)
{
    const double step = wait->waited < 0.1 ? 0.0003 : wait->waited < 1 ? 0.001 : 0.005;

    const stoa_file_patience *const patience = wait->patience;

    if (wait->waited >= patience->seconds ||
        (patience->stop != NULL && patience->stop(patience->context))) {
        return false;
    }
    if (!wait->told && wait->waited >= tell_after_seconds && patience->tell != NULL) {
        char holder[160];
        name_holder(fd, holder, sizeof holder);
        patience->tell(patience->context, wait->name, holder);
        wait->told = true;
    }
    struct timespec before;
    struct timespec after;
    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    nap(step);
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    wait->waited +=
        (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    return true;
}

static stoa_status busy(int fd, int failed, const char *advice, stoa_error *err)
{
    char holder[160];

    if (failed != EWOULDBLOCK) {
        return stoa_fail_errno(err, failed, "cannot be locked");
    }
    name_holder(fd, holder, sizeof holder);
    return stoa_fail(err, STOA_EIO, "is being used by %s; try again when that is done%s", holder,
                     advice);
}

/* Wait for HDF5's lock. */
static int wait_for_lock(int fd, bool exclusive, stoa_lock_wait *wait)
{
    int failed = stoa_disk_lock(fd, exclusive);

    while (failed == EWOULDBLOCK && wait_more(fd, wait)) {
        failed = stoa_disk_lock(fd, exclusive);
    }
    return failed;
}

static int claim(int fd, stoa_disk_claim what, stoa_lock_wait *wait)
{
    int failed = stoa_disk_acquire_claim(fd, what);

    while (failed == EWOULDBLOCK && wait_more(fd, wait)) {
        failed = stoa_disk_acquire_claim(fd, what);
    }
    return failed;
}

/* ---- The locks ------------------------------------------------------------------------------ */

stoa_status stoa_lock_to_read(int fd, stoa_lock_wait *wait, stoa_error *err)
{
    while (wait->waited < courtesy_seconds && stoa_disk_is_claimed(fd, STOA_DISK_COMMIT) &&
           wait_more(fd, wait)) {
    }
    const int failed = wait_for_lock(fd, false, wait);
    return failed == 0 ? STOA_OK : busy(fd, failed, "", err);
}

/* A writer that has just finished must not overtake a waiting one. So only one writer at a time has
 * the turn, and drops it when it has the lock. */
static int claim_in_turn(int fd, stoa_lock_wait *wait)
{
    int failed = claim(fd, STOA_DISK_TURN, wait);

    if (failed == 0) {
        failed = claim(fd, STOA_DISK_WRITER, wait);
        stoa_disk_drop_claim(fd, STOA_DISK_TURN);
    }
    return failed;
}

/* Take the writers' lock first, as writers do, since a writer may be waiting for all readers to
 * leave. */
stoa_status stoa_lock_to_hold(int fd, stoa_lock_wait *wait, stoa_error *err)
{
    const int failed = claim_in_turn(fd, wait);

    return failed == 0 || failed == ENOTSUP ? stoa_lock_to_read(fd, wait, err)
                                            : busy(fd, failed, "", err);
}

stoa_status stoa_lock_to_write(int fd, stoa_lock_wait *wait, bool *alone, stoa_error *err)
{
    int failed = claim_in_turn(fd, wait);

    *alone = failed == ENOTSUP;
    if (failed == 0 || *alone) {
        failed = wait_for_lock(fd, *alone, wait);
    }
    return failed == 0 ? STOA_OK : busy(fd, failed, "", err);
}

bool stoa_lock_at_once(int fd)
{
    const int failed = stoa_disk_acquire_claim(fd, STOA_DISK_WRITER);

    return (failed == 0 || failed == ENOTSUP) && stoa_disk_lock(fd, true) == 0;
}

static stoa_lock_state read_state(int fd)
{
    stoa_lock_state now = {.is_known = false};

    now.is_known =
        fstat(fd, &now.about) == 0 &&
        stoa_superblock_read_fd(fd, (uint64_t)now.about.st_size, &now.superblock, NULL) == STOA_OK;
    return now;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

char *stoa_lock_stamp(const struct stat *about)
{
    return stoa_format(
        "%llu %llu %lld %lld.%09ld %lld.%09ld ", (unsigned long long)about->st_dev,
        (unsigned long long)about->st_ino, (long long)about->st_size,
        (long long)STOA_STAT_MODIFIED(about).tv_sec, (long)STOA_STAT_MODIFIED(about).tv_nsec,
        (long long)STOA_STAT_CHANGED(about).tv_sec, (long)STOA_STAT_CHANGED(about).tv_nsec);
}

bool stoa_lock_is_untouched(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           is_same_time(STOA_STAT_CHANGED(a), STOA_STAT_CHANGED(b)) &&
           is_same_time(STOA_STAT_MODIFIED(a), STOA_STAT_MODIFIED(b));
}

bool stoa_lock_is_same(const stoa_lock_state *a, const stoa_lock_state *b)
{
    return a->is_known && b->is_known && stoa_lock_is_untouched(&a->about, &b->about) &&
           a->superblock.version == b->superblock.version &&
           a->superblock.base == b->superblock.base && a->superblock.end == b->superblock.end &&
           a->superblock.open_to_write == b->superblock.open_to_write;
}

stoa_lock_state stoa_lock_read_state(int fd)
{
    stoa_lock_state now = read_state(fd);
    const double most = STOA_STAT_CHANGED(&now.about).tv_nsec == 0 ? 2.1 : 0.02;
#if defined(CLOCK_REALTIME_COARSE)
    const clockid_t clock = CLOCK_REALTIME_COARSE;
#else
    const clockid_t clock = CLOCK_REALTIME;
#endif

    for (double waited = 0; waited < most; waited += 0.001) {
        struct timespec tick;
        const struct timespec then = STOA_STAT_CHANGED(&now.about);
        const time_t coarse = then.tv_nsec == 0 ? 2 : 0;
        if (clock_gettime(clock, &tick) != 0 || tick.tv_sec > then.tv_sec + coarse ||
            (coarse == 0 && tick.tv_sec == then.tv_sec && tick.tv_nsec > then.tv_nsec)) {
            now.is_settled = true;
            break;
        }
        nap(0.001);
    }
    return now;
}

stoa_status stoa_lock_exclude(int fd, stoa_lock_wait *wait, bool *changed, stoa_error *err)
{
    const stoa_lock_state before = stoa_lock_read_state(fd);
    bool is_held = true;
    bool was_lost = false;

    (void)stoa_disk_acquire_claim(fd, STOA_DISK_COMMIT);
    int failed = stoa_disk_lock(fd, true);
    while (failed == EWOULDBLOCK) {
        was_lost = true; /* a failed attempt also releases the shared lock */
        is_held = stoa_disk_lock(fd, false) == 0;
        if (!wait_more(fd, wait)) {
            break;
        }
        failed = stoa_disk_lock(fd, true);
    }
    stoa_disk_drop_claim(fd, STOA_DISK_COMMIT);
    const stoa_lock_state after = read_state(fd);
    *changed = was_lost && ((failed != 0 && !is_held) || !stoa_lock_is_same(&before, &after));
    return failed == 0 ? STOA_OK
                       : busy(fd, failed,
                              ", wait longer (--wait), or edit a copy (--safe), which waits for no "
                              "reader",
                              err);
}

void stoa_lock_readmit(int fd)
{
#if defined(__linux__)
    (void)stoa_disk_lock(fd, false); /* atomic since Linux 4.0 */
#else
    (void)fd;
#endif
}
