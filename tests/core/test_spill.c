/* The temporary file of a sort, for src/core/spill.c */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/spill.h"
#include "support/check.h"
#include "support/sweep.h"

static size_t count_names(const char *directory)
{
    DIR *d = opendir(directory);
    size_t n = 0;

    CHECK(d != NULL);
    while (readdir(d) != NULL) {
        n++;
    }
    (void)closedir(d);
    return n - 2; /* itself and its parent */
}

static void what_was_put_is_read_from_any_place(void)
{
    stoa_spill spill = {0};
    stoa_error err = STOA_ERROR_INIT;
    uint8_t bytes[1000];
    uint8_t found[1000];

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)check_random();
    }
    for (int round = 0; round < 2; round++) { /* it may be filled again */
        CHECK_OK(stoa_spill_append(&spill, bytes, 0, &err), &err);
        CHECK(!spill.is_open); /* nothing needs no file */
        for (size_t at = 0; at < sizeof bytes; at += 100) {
            errno = EINTR; /* of some earlier call */
            CHECK_OK(stoa_spill_append(&spill, bytes + at, 100, &err), &err);
            CHECK_U64(spill.size, at + 100);
        }
        for (size_t at = 0; at < sizeof bytes; at += 37) {
            const size_t n = sizeof bytes - at;
            errno = EINTR;
            CHECK_OK(stoa_spill_read(&spill, at, found, n, &err), &err);
            CHECK_MEM(found, bytes + at, n);
        }
        CHECK_STATUS(STOA_EIO, stoa_spill_read(&spill, sizeof bytes - 5, found, 6, &err), &err);
        err = (stoa_error)STOA_ERROR_INIT;
        const int descriptor = spill.descriptor;
        stoa_spill_close(&spill);
        CHECK(fcntl(descriptor, F_GETFD) == -1 && errno == EBADF);
        CHECK_U64(spill.size, 0);
    }
}

static void its_name_is_gone_at_once(void)
{
    stoa_spill spill = {0};
    stoa_error err = STOA_ERROR_INIT;
    const char *directory = check_path("here");

    CHECK(mkdir(directory, 0700) == 0 && setenv("TMPDIR", directory, 1) == 0);
    const stoa_status status = stoa_spill_append(&spill, "bytes", 5, &err);
    (void)unsetenv("TMPDIR");
    CHECK_OK(status, &err);
    struct stat about;
    struct stat here;
    CHECK(fstat(spill.descriptor, &about) == 0 && stat(directory, &here) == 0);
    CHECK_U64(about.st_nlink, 0);
    CHECK_U64(about.st_dev, here.st_dev);
    CHECK_U64(count_names(directory), 0);
    stoa_spill_close(&spill);
}

static void an_empty_tmpdir_is_none(void)
{
    stoa_spill spill = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK(setenv("TMPDIR", "", 1) == 0);
    const stoa_status status = stoa_spill_append(&spill, "bytes", 5, &err);
    (void)unsetenv("TMPDIR");
    CHECK_OK(status, &err);
    stoa_spill_close(&spill);
}

static void who_has_no_room_is_told_what_to_do(void)
{
    stoa_spill spill = {0};
    stoa_error err = STOA_ERROR_INIT;
    struct rlimit before;

    CHECK(setenv("TMPDIR", "/nowhere/at/all", 1) == 0);
    stoa_status status = stoa_spill_append(&spill, "bytes", 5, &err);
    (void)unsetenv("TMPDIR");
    CHECK_STATUS(STOA_ENOTFOUND, status, &err);
    CHECK_CONTAINS(err.message, "cannot make the temporary file '/nowhere/at/all/stoa-sort-");
    CHECK_CONTAINS(err.message, "set TMPDIR");
    CHECK(!spill.is_open);

    err = (stoa_error)STOA_ERROR_INIT;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){6, before.rlim_max}) == 0);
    CHECK_OK(stoa_spill_append(&spill, "bytes", 5, &err), &err);
    status = stoa_spill_append(&spill, "more bytes", 10, &err);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0 && signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
    CHECK_STATUS(STOA_EIO, status, &err);
    CHECK_CONTAINS(err.message, "cannot write the temporary file of a sort");
    CHECK_CONTAINS(err.message, "or allow the sort more memory");
    stoa_spill_close(&spill);
}

static stoa_status put_a_byte(stoa_error *err)
{
    stoa_spill spill = {0};
    const stoa_status status = stoa_spill_append(&spill, "1", 1, err);

    stoa_spill_close(&spill);
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    CHECK_U64(sweep_memory(put_a_byte), 1);
}

TEST_MAIN(TEST(what_was_put_is_read_from_any_place), TEST(its_name_is_gone_at_once),
          TEST(an_empty_tmpdir_is_none), TEST(who_has_no_room_is_told_what_to_do),
          TEST(no_allocation_is_taken_for_granted))
