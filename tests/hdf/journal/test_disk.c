/* The system calls under the file driver: src/hdf/journal/disk.c. */
#include "hdf/journal/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"

static int open_file(const char *name, const void *bytes, size_t n)
{
    const int fd = open(check_path(name), O_RDWR | O_CREAT | O_TRUNC, 0644);

    CHECK(fd >= 0);
    CHECK_I64(pwrite(fd, bytes, n, 0), (int64_t)n);
    return fd;
}

static uint64_t size_of(int fd)
{
    uint64_t size = UINT64_MAX;

    CHECK_I64(stoa_disk_size(fd, &size), 0);
    return size;
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static void bytes_past_the_end_are_zeros_or_an_error(void)
{
    const int fd = open_file("a", "0123456789", 10);
    char found[8];

    for (uint64_t at = 0; at <= 12; at++) {
        char expected[8] = {0};
        const size_t n_there = at < 10 ? (10 - at < 6 ? 10 - (size_t)at : 6) : 0;
        memcpy(expected, &"0123456789"[at % 10], n_there);
        memset(expected + 6, 'x', 2);
        memset(found, 'x', sizeof found);
        CHECK_I64(stoa_disk_read(fd, at, found, 6), 0);
        CHECK_MEM(found, expected, sizeof found);
        memset(found, 'x', sizeof found);
        CHECK_I64(stoa_disk_read_whole(fd, at, found, 6), n_there == 6 ? 0 : ENODATA);
        CHECK_MEM(found, expected, n_there);
    }
    CHECK_I64(stoa_disk_read_whole(fd, 10, found, 0), 0);
    CHECK_I64(close(fd), 0);
    CHECK_I64(stoa_disk_read(fd, 0, found, 6), EBADF);
    CHECK_I64(stoa_disk_read_whole(fd, 0, found, 6), EBADF);
    CHECK_I64(stoa_disk_write(fd, 0, found, 6), EBADF);
    CHECK_I64(stoa_disk_truncate(fd, 0), EBADF);
    CHECK_I64(stoa_disk_sync(fd), EBADF);
    CHECK_I64(stoa_disk_size(fd, &(uint64_t){0}), EBADF);
}

static void what_no_file_reaches_is_refused(void)
{
    const uint64_t last = INT64_MAX;
    const int fd = open_file("a", "0123456789", 10);
    char found[4] = "xyz";

    CHECK_I64(stoa_disk_read(fd, last - 3, found, 3), 0);
    CHECK_MEM(found, "\0\0\0", 4);
    CHECK_I64(stoa_disk_read(fd, last - 2, found, 3), EOVERFLOW);
    CHECK_I64(stoa_disk_read(fd, UINT64_MAX, found, 3), EOVERFLOW);
    CHECK_I64(stoa_disk_read(fd, 0, found, SIZE_MAX), EOVERFLOW);
    CHECK_I64(stoa_disk_read(fd, 3, found, (size_t)INT64_MAX + 1), EOVERFLOW);
    CHECK_I64(stoa_disk_write(fd, last - 2, found, 3), EFBIG);
    CHECK_I64(stoa_disk_write(fd, UINT64_MAX, found, 3), EFBIG);
    CHECK_I64(stoa_disk_write(fd, 3, found, (size_t)INT64_MAX + 1), EFBIG);
    CHECK_I64(stoa_disk_truncate(fd, last + 1), EFBIG);
    CHECK(!stoa_disk_is_at_hand(fd, last));
    CHECK(!stoa_disk_is_at_hand(fd, UINT64_MAX));
    CHECK(!stoa_disk_is_at_hand(fd, 10));
    CHECK_U64(size_of(fd), 10);
    CHECK_I64(close(fd), 0);
}

static void bytes_are_written_where_they_belong(void)
{
    const int fd = open_file("a", "0123456789", 10);
    char found[16] = "";

    CHECK_I64(stoa_disk_write(fd, 4, "abc", 3), 0);
    CHECK_I64(stoa_disk_write(fd, 12, "de", 2), 0);
    CHECK_I64(stoa_disk_write(fd, 1, "x", 0), 0);
    CHECK_U64(size_of(fd), 14);
    CHECK_I64(stoa_disk_read_whole(fd, 0, found, 14), 0);
    CHECK_MEM(found, "0123abc789\0\0de", 14);
    CHECK_I64(stoa_disk_truncate(fd, 5), 0);
    CHECK_U64(size_of(fd), 5);
    CHECK_I64(stoa_disk_reserve(fd, 0, 8192), 0); /* changes neither bytes nor size */
    stoa_disk_hurry(fd);
    CHECK_I64(stoa_disk_sync(fd), 0);
    CHECK_U64(size_of(fd), 5);
    struct stat about;
    CHECK_I64(fstat(fd, &about), 0);
#if defined(__linux__)
    CHECK(about.st_blocks * 512 >= 8192 || stoa_disk_reserve(-1, 0, 1) == 0);
    CHECK_I64(stoa_disk_reserve(-1, 0, 1), EBADF);
    CHECK_I64(stoa_disk_reserve(fd, 0, 0), 0); /* EINVAL of the system */
#endif
    CHECK_I64(close(fd), 0);
}

/* --- Copies ---------------------------------------------------------------------------------- */

static uint8_t *random_bytes(size_t n)
{
    uint8_t *bytes = malloc(n);

    CHECK(bytes != NULL);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)check_random();
    }
    return bytes;
}

static void check_copy(int from, size_t n_there, const uint8_t *bytes, size_t n)
{
    const int to = open_file("copy", "", 0);
    uint8_t *found = calloc(1, n + 1);

    CHECK(found != NULL);
    CHECK_I64(stoa_disk_copy(from, to, n), 0);
    CHECK_U64(size_of(to), n);
    CHECK_I64(pread(to, found, n, 0), (int64_t)n);
    CHECK_MEM(found, bytes, n < n_there ? n : n_there);
    free(found);
    CHECK_I64(close(to), 0);
}

/* On one file system, and from memory to a disk, which may have no shorter way than through memory;
 * the files of the kernel have none. */
static void a_copy_has_the_first_bytes_of_the_other_file(void)
{
    enum { SIZE = 600001 };
    static const size_t lengths[] = {0, 1, 4096, 1 << 18, (1 << 18) + 1, SIZE};
    uint8_t *bytes = random_bytes(SIZE);
    const int file = open_file("a", bytes, SIZE);
#if defined(__linux__)
    const int memory = memfd_create("a", MFD_CLOEXEC);
    const int kernel = open("/proc/version", O_RDONLY | O_CLOEXEC);
    uint8_t version[100];

    CHECK(memory >= 0 && pwrite(memory, bytes, SIZE, 0) == SIZE);
#endif
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        check_copy(file, SIZE, bytes, lengths[i]);
#if defined(__linux__)
        check_copy(memory, SIZE, bytes, lengths[i]);
#endif
    }
#if defined(__linux__)
    const ssize_t n = kernel >= 0 ? pread(kernel, version, sizeof version, 0) : -1;
    if (n > 0) {
        check_copy(kernel, (size_t)n, version, (size_t)n);
    }
    (void)close(kernel);
    CHECK_I64(close(memory), 0);
#endif
    CHECK_I64(stoa_disk_copy(-1, file, 5), EBADF);
    check_copy(file, SIZE, bytes, SIZE + 3); /* zeros follow, as where a file is read */
    CHECK_I64(close(file), 0);
    free(bytes);
}

/* ---- The watchers --------------------------------------------------------------------------- */

typedef struct seen {
    stoa_disk_call last;
    unsigned n;
    int answer;
} seen;

static int see(void *context, const stoa_disk_call *call)
{
    seen *const s = context;

    s->last = *call;
    s->n++;
    return s->answer;
}

static void check_seen(seen *s, int found, stoa_disk_op op, int fd, uint64_t offset, size_t n)
{
    CHECK_I64(found, s->answer);
    CHECK_U64(s->n, 1);
    CHECK_U64(s->last.op, op);
    CHECK_I64(s->last.fd, fd);
    CHECK_U64(s->last.offset, offset);
    CHECK_U64(s->last.n, n);
    s->n = 0;
}

static void every_call_is_shown_and_may_be_refused(void)
{
    const int fd = open_file("a", "0123456789", 10);
    char found[5] = "xxxx";

    for (int answer = 0; answer <= ENOSPC; answer += ENOSPC) {
        seen changes = {.answer = answer};
        seen reads = {.answer = answer};
        stoa_disk_watch(see, &changes);
        stoa_disk_watch_reads(see, &reads);
        check_seen(&changes, stoa_disk_write(fd, 3, "abc", 3), STOA_DISK_WRITE, fd, 3, 3);
        CHECK_MEM(changes.last.bytes, "abc", 3);
        check_seen(&changes, stoa_disk_truncate(fd, 8), STOA_DISK_TRUNCATE, fd, 8, 0);
        check_seen(&changes, stoa_disk_sync(fd), STOA_DISK_SYNC, fd, 0, 0);
        check_seen(&changes, stoa_disk_copy(fd, fd, 0), STOA_DISK_COPY, fd, 0, 0);
        CHECK_I64(stoa_disk_sync_directory(check_path(".")), answer);
        CHECK_U64(changes.last.op, STOA_DISK_SYNC_NAMES);
        CHECK_U64(reads.n, 0);
        check_seen(&reads, stoa_disk_read(fd, 1, found, 4), STOA_DISK_READ, fd, 1, 4);
        check_seen(&reads, stoa_disk_read_whole(fd, 2, found, 4), STOA_DISK_READ, fd, 2, 4);
        CHECK_MEM(found, answer == 0 ? "2abc" : "xxxx", 4);
        stoa_disk_watch(NULL, NULL);
        stoa_disk_watch_reads(NULL, NULL);
        CHECK_U64(size_of(fd), answer == 0 ? 8 : 10);
        CHECK_I64(pwrite(fd, "3456789", 7, 3), 7);
        memcpy(found, "xxxx", 4);
    }
    CHECK_I64(close(fd), 0);
}

static void directories_are_synced_as_far_as_they_can_be(void)
{
    CHECK_I64(stoa_disk_sync_directory(check_path(".")), 0);
    CHECK_I64(stoa_disk_sync_directory(check_path("none")), ENOENT);
    const int fd = open_file("a", "", 0);
    CHECK_I64(close(fd), 0);
    CHECK_I64(stoa_disk_sync_directory(check_path("a")), ENOTDIR);
}

/* ---- Locks ---------------------------------------------------------------------------------- */

static int open_again(const char *name, int how)
{
    const int fd = open(check_path(name), how);

    CHECK(fd >= 0);
    return fd;
}

static void the_lock_is_the_one_that_hdf5_takes(void)
{
    const int one = open_file("a", "", 0);
    const int two = open_again("a", O_RDWR);

    CHECK_I64(stoa_disk_lock(one, false), 0);
    CHECK_I64(stoa_disk_lock(two, false), 0);
    CHECK_I64(stoa_disk_lock(two, true), EWOULDBLOCK);
    CHECK_I64(stoa_disk_unlock(one), 0);
    CHECK_I64(stoa_disk_lock(two, true), 0);
    CHECK_I64(stoa_disk_lock(one, false), EWOULDBLOCK);
    CHECK_I64(close(two), 0);
    CHECK_I64(stoa_disk_lock(one, false), 0);
    CHECK_I64(stoa_disk_lock(-1, false), EBADF);
    CHECK_I64(close(one), 0);
}

/* HDF5_USE_FILE_LOCKING: each of its words, and others, which say nothing. */
static void locks_are_left_out_by_the_words_that_hdf5_knows(void)
{
    static const struct {
        const char *word;
        bool locks;
    } rules[] = {{"FALSE", false}, {"0", false}, {"TRUE", true},
                 {"1", true},      {"", true},   {"BEST_EFFORT", true}};
    const int one = open_file("a", "", 0);
    const int two = open_again("a", O_RDWR);

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const int expected = rules[i].locks ? EWOULDBLOCK : 0;
        CHECK_I64(setenv("HDF5_USE_FILE_LOCKING", "TRUE", 1), 0);
        CHECK_I64(stoa_disk_lock(one, true), 0);
        const int claimed = stoa_disk_acquire_claim(one, STOA_DISK_WRITER);
        CHECK_I64(setenv("HDF5_USE_FILE_LOCKING", rules[i].word, 1), 0);
        CHECK_I64(stoa_disk_lock(two, false), expected);
        CHECK_I64(stoa_disk_acquire_claim(two, STOA_DISK_WRITER),
                  claimed == 0 ? expected : claimed);
        CHECK(stoa_disk_is_claimed(two, STOA_DISK_WRITER) == (claimed == 0 && rules[i].locks));
        CHECK_I64(unsetenv("HDF5_USE_FILE_LOCKING"), 0);
        CHECK_I64(stoa_disk_unlock(one), 0);
        stoa_disk_drop_claim(one, STOA_DISK_WRITER);
    }
    CHECK_I64(close(two), 0);
    CHECK_I64(close(one), 0);
}

/* Each of one descriptor at a time, whatever else it has. */
static void claims_are_three_and_each_is_one_descriptors(void)
{
    static const stoa_disk_claim claims[] = {STOA_DISK_WRITER, STOA_DISK_TURN, STOA_DISK_COMMIT};
    const int one = open_file("a", "", 0);
    const int two = open_again("a", O_RDWR);
    const int reader = open_again("a", O_RDONLY);

    if (stoa_disk_acquire_claim(one, STOA_DISK_WRITER) == ENOTSUP) {
        SKIP("this system has no such locks");
    }
    stoa_disk_drop_claim(one, STOA_DISK_WRITER);
    for (size_t i = 0; i < 3; i++) {
        CHECK_I64(stoa_disk_acquire_claim(one, claims[i]), 0);
        for (size_t k = 0; k < 3; k++) {
            CHECK(stoa_disk_is_claimed(two, claims[k]) == (k == i));
            CHECK(stoa_disk_is_claimed(reader, claims[k]) == (k == i));
            CHECK(!stoa_disk_is_claimed(one, claims[k])); /* by another one */
            CHECK_I64(stoa_disk_acquire_claim(two, claims[k]), k == i ? EWOULDBLOCK : 0);
            CHECK(k == i || stoa_disk_is_claimed(one, claims[k]));
            if (k != i) {
                stoa_disk_drop_claim(two, claims[k]);
            }
        }
        CHECK_I64(stoa_disk_lock(two, true), 0); /* the other lock is apart from them */
        CHECK_I64(stoa_disk_unlock(two), 0);
        stoa_disk_drop_claim(one, claims[i]);
        CHECK(!stoa_disk_is_claimed(two, claims[i]));
    }
    CHECK_I64(stoa_disk_acquire_claim(one, STOA_DISK_TURN), 0);
    CHECK_I64(close(one), 0);
    CHECK(!stoa_disk_is_claimed(two, STOA_DISK_TURN));
    const int other = open_again("a", O_RDONLY); /* who cannot write shares */
    CHECK_I64(stoa_disk_acquire_claim(reader, STOA_DISK_WRITER), 0);
    CHECK_I64(stoa_disk_acquire_claim(other, STOA_DISK_WRITER), 0);
    CHECK_I64(stoa_disk_acquire_claim(two, STOA_DISK_WRITER), EWOULDBLOCK);
    stoa_disk_drop_claim(reader, STOA_DISK_WRITER);
    CHECK_I64(stoa_disk_acquire_claim(two, STOA_DISK_WRITER), EWOULDBLOCK);
    CHECK_I64(close(other), 0);
    CHECK_I64(stoa_disk_acquire_claim(two, STOA_DISK_WRITER), 0);
    CHECK_I64(stoa_disk_acquire_claim(reader, STOA_DISK_WRITER), EWOULDBLOCK);
    stoa_disk_drop_claim(two, STOA_DISK_WRITER);
    CHECK_I64(stoa_disk_acquire_claim(-1, STOA_DISK_WRITER), ENOTSUP);
    CHECK(!stoa_disk_is_claimed(-1, STOA_DISK_WRITER));
    seen shared = {.answer = ENOTSUP};
    stoa_disk_watch(see, &shared);
    CHECK_I64(stoa_disk_acquire_claim(two, STOA_DISK_TURN), ENOTSUP);
    check_seen(&shared, ENOTSUP, STOA_DISK_SHARE, two, 0, 0);
    CHECK_I64(stoa_disk_acquire_claim(two, STOA_DISK_WRITER), 0);
    CHECK_U64(shared.n, 0);
    stoa_disk_watch(NULL, NULL);
    CHECK_I64(close(reader), 0);
    CHECK_I64(close(two), 0);
}

TEST_MAIN(TEST(bytes_past_the_end_are_zeros_or_an_error), TEST(what_no_file_reaches_is_refused),
          TEST(bytes_are_written_where_they_belong),
          TEST(a_copy_has_the_first_bytes_of_the_other_file),
          TEST(every_call_is_shown_and_may_be_refused),
          TEST(directories_are_synced_as_far_as_they_can_be),
          TEST(the_lock_is_the_one_that_hdf5_takes),
          TEST(locks_are_left_out_by_the_words_that_hdf5_knows),
          TEST(claims_are_three_and_each_is_one_descriptors))
