/* Readers and writers of one file together (docs/crash-safety.md, "Locks"). */
#include <stoa/file.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf/journal/disk.h"
#include "support/check.h"
#include "support/value.h"

/* ---- Files with a number -------------------------------------------------------------------- */

/* Of what is opened from now on. */
static stoa_file_patience patience = {.size = sizeof patience, .seconds = 20};

static void wait_for(double seconds)
{
    patience.seconds = seconds;
}

static stoa_status open_patiently(const char *path, stoa_file_mode mode, stoa_file **file,
                                  stoa_error *err)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;

    options.patience = &patience;
    return stoa_file_open_with(path, mode, &options, file, err);
}

static void make_file(const char *path)
{
    wait_for(20);
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    put_value(file, 1);
    H5Fclose(file);
}

static int stock_value(const char *path)
{
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const int value = get_value(file);

    H5Fclose(file);
    return value;
}

/* New bytes past the published end, and changed ones below. */
static void change(hid_t file, int value)
{
    const hsize_t n = 100000;
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t dataset = (hid_t)CHECK_H5(
        H5Dcreate2(file, "new", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    static signed char bytes[100000];

    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_SCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes));
    H5Dclose(dataset);
    H5Sclose(space);
    put_value(file, value);
    CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
}

static stoa_file *open_ok(const char *path, stoa_file_mode mode)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    CHECK_OK(open_patiently(path, mode, &file, &err), &err);
    return file;
}

static int stoa_value(const char *path)
{
    stoa_file *file = open_ok(path, STOA_FILE_READ);
    const int value = get_value(stoa_file_id(file));

    stoa_file_close(file);
    return value;
}

static void commit_ok(stoa_file *file)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_commit(file, &err), &err);
}

static off_t size_of(const char *path)
{
    struct stat about;

    CHECK_I64(stat(path, &about), 0);
    return about.st_size;
}

static void check_refused(const char *path, stoa_file_mode mode)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    CHECK_STATUS(STOA_EIO, open_patiently(path, mode, &file, &err), &err);
    CHECK_CONTAINS(err.message, "is being used by another program");
}

/* ---- Other processes ------------------------------------------------------------------------ */

/* A process that locks the file as HDF5 does, says so, and lets go after `ms`. */
static pid_t hold(const char *path, int how, unsigned ms)
{
    int told[2];
    char byte = 0;

    CHECK_I64(pipe(told), 0);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int fd = open(path, O_RDWR);
        const int failed = flock(fd, how | LOCK_NB);
        if (failed != 0 || write(told[1], "x", 1) != 1) {
            _exit(1);
        }
        (void)usleep(ms * 1000);
        _exit(0);
    }
    (void)close(told[1]);
    CHECK_I64(read(told[0], &byte, 1), 1);
    (void)close(told[0]);
    return child;
}

static void let_go(pid_t child)
{
    (void)kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void a_file_that_is_edited_can_be_read_until_the_commit(void)
{
    const char *path = check_path("a.h5");

    make_file(path);
    const off_t old = size_of(path);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    change(stoa_file_id(file), 2);
    CHECK(size_of(path) > old); /* longer than its superblock says */
    CHECK_I64(stoa_value(path), 1);
    CHECK_I64(stock_value(path), 1);
    commit_ok(file);
    CHECK_I64(stoa_value(path), 2);
    CHECK_I64(stock_value(path), 2);
}

static void there_is_one_writer_of_whatever_kind(void)
{
    const char *path = check_path("a.h5");

    make_file(path);
    wait_for(0);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    const int next = open(path, O_RDWR);
    CHECK(next >= 0);
    CHECK(!stoa_disk_is_claimed(next, STOA_DISK_TURN)); /* which is the next one's */
    CHECK_I64(close(next), 0);
    check_refused(path, STOA_FILE_EDIT);
    check_refused(path, STOA_FILE_SAFE);
    CHECK(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT) < 0);
    stoa_file_close(file);
    file = open_ok(path, STOA_FILE_SAFE);
    check_refused(path, STOA_FILE_EDIT);
    CHECK(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT) < 0);
    stoa_file_close(file);
    stoa_file_close(open_ok(path, STOA_FILE_EDIT));
}

static stoa_file *open_held(const char *path)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_file *file = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.patience = &patience;
    options.holds_edits = true;
    CHECK_OK(stoa_file_open_with(path, STOA_FILE_READ, &options, &file, &err), &err);
    return file;
}

static void an_edit_does_not_begin_while_a_reader_holds_edits(void)
{
    const char *path = check_path("a.h5");
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_file *file = NULL;

    make_file(path);
    wait_for(0);
    stoa_file *const reader = open_held(path);
    stoa_file *const another = open_held(path);
    CHECK_I64(stoa_value(path), 1);
    check_refused(path, STOA_FILE_EDIT);
    stoa_file_close(reader);
    check_refused(path, STOA_FILE_SAFE);
    stoa_file_close(another);
    stoa_file *const writer = open_ok(path, STOA_FILE_EDIT);
    options.patience = &patience;
    options.holds_edits = true;
    CHECK_STATUS(STOA_EIO, stoa_file_open_with(path, STOA_FILE_READ, &options, &file, NULL));
    stoa_file_close(writer);
    stoa_file_close(open_held(path));
}

static void a_commit_waits_for_a_reader(void)
{
    const char *path = check_path("a.h5");

    make_file(path);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    change(stoa_file_id(file), 2);
    const pid_t reader = hold(path, LOCK_SH, 200);
    commit_ok(file);
    CHECK_I64(stock_value(path), 2);
    let_go(reader);
}

static void a_commit_that_waits_too_long_changes_nothing_and_names_the_reader(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;

    make_file(path);
    wait_for(0.1);
    const off_t old = size_of(path);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    change(stoa_file_id(file), 2);
    const pid_t reader = hold(path, LOCK_SH, 60000);
    CHECK_STATUS(STOA_EIO, stoa_file_commit(file, &err), &err);
    CHECK_CONTAINS(err.message, "is being used by another program");
    CHECK_CONTAINS(err.message, "--safe");
#if defined(__linux__)
    char name[40];
    (void)snprintf(name, sizeof name, "process %ld", (long)reader);
    CHECK_CONTAINS(err.message, name);
#endif
    CHECK_I64(size_of(path), old);
    CHECK_I64(stoa_value(path), 1);
    let_go(reader);
}

/* What was said to one who waits. */
typedef struct told {
    unsigned n;
    char file[512];
    char holder[160];
    unsigned n_asked, stops_at;
} told;

static void tell(void *context, const char *file, const char *holder)
{
    told *const t = context;

    t->n++;
    (void)snprintf(t->file, sizeof t->file, "%s", file);
    (void)snprintf(t->holder, sizeof t->holder, "%s", holder);
}

static bool stop(void *context)
{
    told *const t = context;

    return ++t->n_asked == t->stops_at;
}

/* Once, after a second; by whom the file is held, where the system tells. */
static void who_waits_for_long_is_told_for_whom(void)
{
    const char *path = check_path("a.h5");
    told t = {.n = 0};
    stoa_file *file = NULL;
    char expected[64];

    make_file(path);
    patience =
        (stoa_file_patience){.size = sizeof patience, .seconds = 20, .tell = tell, .context = &t};
    pid_t holder = hold(path, LOCK_EX, 300);
    CHECK_OK(open_patiently(path, STOA_FILE_READ, &file, NULL));
    stoa_file_close(file);
    let_go(holder);
    CHECK_U64(t.n, 0); /* a wait that is short is nobody's business */
    holder = hold(path, LOCK_EX, 1600);
    CHECK_OK(open_patiently(path, STOA_FILE_READ, &file, NULL));
    stoa_file_close(file);
    CHECK_U64(t.n, 1);
    CHECK_STR(t.file, path);
    (void)snprintf(expected, sizeof expected, "another program: process %ld (test_lock)",
                   (long)holder);
    CHECK_CONTAINS(t.holder, "another program");
#if defined(__linux__)
    if (strstr(t.holder, "process") != NULL) {
        CHECK_STR(t.holder, expected);
    }
#endif
    let_go(holder);
    patience = (stoa_file_patience){.size = sizeof patience, .seconds = 20};
}

static void a_wait_ends_when_it_is_told_to(void)
{
    const char *path = check_path("a.h5");
    stoa_file *file = NULL;
    stoa_error err = STOA_ERROR_INIT;
    told t = {.stops_at = 3};

    make_file(path);
    const pid_t holder = hold(path, LOCK_EX, 20000);
    patience =
        (stoa_file_patience){.size = sizeof patience, .seconds = 20, .stop = stop, .context = &t};
    CHECK_STATUS(STOA_EIO, open_patiently(path, STOA_FILE_READ, &file, &err), &err);
    CHECK_U64(t.n_asked, 3);
    patience = (stoa_file_patience){.size = sizeof patience, .seconds = 20};
    let_go(holder);
}

static void an_edit_on_a_copy_waits_for_no_reader(void)
{
    const char *path = check_path("a.h5");

    make_file(path);
    wait_for(0);
    const pid_t reader = hold(path, LOCK_SH, 60000);
    stoa_file *file = open_ok(path, STOA_FILE_SAFE);
    change(stoa_file_id(file), 2);
    commit_ok(file);
    CHECK_I64(stoa_value(path), 2);
    let_go(reader);
}

static void a_reader_waits_for_a_commit(void)
{
    const char *path = check_path("a.h5");

    make_file(path);
    const pid_t writer = hold(path, LOCK_EX, 200);
    CHECK_I64(stoa_value(path), 1);
    let_go(writer);
}

static void each_handle_waits_as_long_as_it_was_told(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *hurried = NULL;
    stoa_file *patient = NULL;

    make_file(path);
    patient = open_ok(path, STOA_FILE_READ);
    wait_for(0);
    CHECK_OK(open_patiently(path, STOA_FILE_READ, &hurried, &err), &err);
    CHECK_OK(stoa_file_unlock(patient, &err), &err);
    CHECK_OK(stoa_file_unlock(hurried, &err), &err);
    const pid_t writer = hold(path, LOCK_EX, 200);
    bool changed = true;
    CHECK_STATUS(STOA_EIO, stoa_file_lock(hurried, &changed, &err), &err);
    CHECK_OK(stoa_file_lock(patient, &changed, NULL));
    CHECK(!changed);
    let_go(writer);
    stoa_file_close(hurried);
    stoa_file_close(patient);
}

static void a_file_that_was_replaced_meanwhile_is_opened_anew(void)
{
    const char *path = check_path("a.h5");

    int go[2];

    make_file(path);
    CHECK_I64(pipe(go), 0);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) { /* waits for the old file, and must not edit that */
        stoa_file *second = NULL;
        char byte;
        if (read(go[0], &byte, 1) != 1) {
            _exit(9);
        }
        _exit(open_patiently(path, STOA_FILE_EDIT, &second, NULL) != STOA_OK
                  ? 1
                  : get_value(stoa_file_id(second)));
    }
    stoa_file *file = open_ok(path, STOA_FILE_SAFE);
    CHECK_I64(write(go[1], "x", 1), 1);
    (void)usleep(100000);
    change(stoa_file_id(file), 2);
    commit_ok(file);
    int how = 0;
    CHECK(waitpid(child, &how, 0) == child);
    CHECK_I64(WEXITSTATUS(how), 2);
    (void)close(go[0]);
    (void)close(go[1]);
}

static void an_edit_is_given_up_where_a_program_of_hdf5_wrote_meanwhile(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;

    make_file(path);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    change(stoa_file_id(file), 2);
    const pid_t reader = hold(path, LOCK_SH, 60000);
    (void)fflush(stdout);
    const pid_t writer = fork();
    if (writer == 0) { /* comes in as soon as nobody has the lock */
        (void)usleep(50000);
        (void)kill(reader, SIGKILL);
        (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        const int fd = open(path, O_RDWR);
        for (int i = 0; i < 20000; i++) {
            if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
                const int failed = pwrite(fd, "", 1, 4000) != 1; /* a byte of the file */
                _exit(failed ? 1 : 0);
            }
        }
        _exit(2);
    }
    const stoa_status status = stoa_file_commit(file, &err);
    int how = 0;
    CHECK(waitpid(writer, &how, 0) == writer);
    CHECK(waitpid(reader, NULL, 0) == reader);
    if (WEXITSTATUS(how) == 0 && status != STOA_OK) {
        CHECK_CONTAINS(err.message, "was changed or replaced by another program");
    } else {
        CHECK_OK(status, &err); /* it came too late, or not at all */
        CHECK_I64(stoa_value(path), 2);
    }
}

static int without_shared_writers(void *context, const stoa_disk_call *call)
{
    (void)context;
    return call->op == STOA_DISK_SHARE ? ENOTSUP : 0;
}

static void where_the_two_locks_would_meet_an_edit_has_the_file_to_itself(void)
{
    const char *path = check_path("a.h5");

    make_file(path);
    wait_for(0);
    stoa_disk_watch(without_shared_writers, NULL);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    stoa_disk_watch(NULL, NULL);
    check_refused(path, STOA_FILE_READ);
    check_refused(path, STOA_FILE_EDIT);
    change(stoa_file_id(file), 2);
    check_refused(path, STOA_FILE_READ);
    commit_ok(file);
    CHECK_I64(stoa_value(path), 2);
}

static void a_waiting_writer_goes_before_new_readers(void)
{
    const char *path = check_path("a.h5");

    make_file(path);
    const int fd = open(path, O_RDWR);
    CHECK_I64(stoa_disk_acquire_claim(fd, STOA_DISK_COMMIT), 0);
    const int other = open(path, O_RDONLY);
    CHECK(stoa_disk_is_claimed(other, STOA_DISK_COMMIT));
    CHECK(!stoa_disk_is_claimed(other, STOA_DISK_WRITER));
    CHECK_I64(stoa_value(path), 1); /* not for ever: the writer may be waiting for a slow one */
    CHECK_I64(close(other), 0);
    CHECK_I64(close(fd), 0); /* the claim vanishes with its process, or with this */
    const int again = open(path, O_RDWR);
    CHECK(!stoa_disk_is_claimed(again, STOA_DISK_COMMIT));
    CHECK_I64(close(again), 0);
}

static void an_idle_handle_hinders_no_writer_and_sees_what_changed(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;
    bool changed = true;

    make_file(path);
    wait_for(0);
    stoa_file *reader = open_ok(path, STOA_FILE_READ);
    CHECK_I64(get_value(stoa_file_id(reader)), 1);
    CHECK_OK(stoa_file_unlock(reader, &err), &err);
    CHECK_OK(stoa_file_lock(reader, &changed, &err), &err);
    CHECK(!changed);
    CHECK_I64(get_value(stoa_file_id(reader)), 1);
    for (int value = 2; value < 6; value++) {
        CHECK_OK(stoa_file_unlock(reader, &err), &err);
        stoa_file *writer = open_ok(path, value % 2 == 0 ? STOA_FILE_EDIT : STOA_FILE_SAFE);
        put_value(stoa_file_id(writer), value);
        commit_ok(writer);
        CHECK_OK(stoa_file_lock(reader, &changed, &err), &err);
        CHECK(changed);
        CHECK_I64(get_value(stoa_file_id(reader)), value);
    }
    /* Awake, it reads on. */
    stoa_file *writer = open_ok(path, STOA_FILE_EDIT);
    put_value(stoa_file_id(writer), 9);
    CHECK_STATUS(STOA_EIO, stoa_file_commit(writer, &err), &err);
    CHECK_I64(get_value(stoa_file_id(reader)), 5);

    /* Its file is gone for a while. */
    CHECK_OK(stoa_file_unlock(reader, &err), &err);
    char away[1100];
    (void)snprintf(away, sizeof away, "%s.away", path);
    CHECK_I64(rename(path, away), 0);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_file_lock(reader, &changed, &err), &err);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_file_lock(reader, &changed, &err), &err);
    CHECK_I64(rename(away, path), 0);
    CHECK_OK(stoa_file_lock(reader, &changed, &err), &err);
    CHECK(changed);
    CHECK_I64(get_value(stoa_file_id(reader)), 5);
    stoa_file_close(reader);
}

TEST_MAIN(TEST(a_file_that_is_edited_can_be_read_until_the_commit),
          TEST(there_is_one_writer_of_whatever_kind),
          TEST(an_edit_does_not_begin_while_a_reader_holds_edits),
          TEST(a_commit_waits_for_a_reader),
          TEST(a_commit_that_waits_too_long_changes_nothing_and_names_the_reader),
          TEST(who_waits_for_long_is_told_for_whom), TEST(a_wait_ends_when_it_is_told_to),
          TEST(an_edit_on_a_copy_waits_for_no_reader), TEST(a_reader_waits_for_a_commit),
          TEST(each_handle_waits_as_long_as_it_was_told),
          TEST(a_file_that_was_replaced_meanwhile_is_opened_anew),
          TEST(an_edit_is_given_up_where_a_program_of_hdf5_wrote_meanwhile),
          TEST(where_the_two_locks_would_meet_an_edit_has_the_file_to_itself),
          TEST(a_waiting_writer_goes_before_new_readers),
          TEST(an_idle_handle_hinders_no_writer_and_sees_what_changed))
