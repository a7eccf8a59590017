/* Files that are locked while they are in use: src/hdf/file/idle.c, and stamps and steps of
 * src/hdf/file/file.c that only the rest of Stoa takes. */
#include "hdf/file/idle.h"

#include <H5VLnative.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf/file/file.h"
#include "hdf/file/lock.h"
#include "support/check.h"
#include "support/value.h"

static const char *make(int value)
{
    const char *const path = check_path("a.h5");
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    put_value(file, value);
    CHECK_H5(H5Fclose(file));
    return path;
}

static bool is_locked(const char *path)
{
    const int fd = open(path, O_RDWR);
    const bool is = flock(fd, LOCK_EX | LOCK_NB) != 0;

    CHECK(fd >= 0 && close(fd) == 0);
    return is;
}

static stoa_file *open_ok(const char *path, stoa_file_mode mode)
{
    stoa_file *file = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_open(path, mode, &file, &err), &err);
    return file;
}

static void the_first_user_takes_the_lock_and_the_last_one_lets_go(void)
{
    const char *const path = make(1);
    stoa_idle idle = {.file = open_ok(path, STOA_FILE_READ)};
    bool same = false;

    CHECK_OK(stoa_file_unlock(idle.file, NULL));
    CHECK(!is_locked(path));
    CHECK_OK(stoa_idle_begin(&idle, NULL));
    CHECK(idle.n_users == 1 && is_locked(path));
    CHECK_I64(get_value(stoa_file_id(idle.file)), 1);
    CHECK_OK(stoa_idle_try(&idle, &same, NULL));
    CHECK(same && idle.n_users == 2);
    stoa_idle_end(&idle);
    CHECK(idle.n_users == 1 && is_locked(path));
    stoa_idle_end(&idle);
    CHECK(idle.n_users == 0 && !is_locked(path));
    CHECK_OK(stoa_idle_begin(NULL, NULL)); /* of a file whose lock the caller holds */
    stoa_idle_end(NULL);
    stoa_file_close(idle.file);
}

static void a_file_that_has_changed_is_not_used(void)
{
    const char *const path = make(1);
    stoa_idle idle = {.file = open_ok(path, STOA_FILE_READ)};
    stoa_error err = STOA_ERROR_INIT;
    bool same = true;

    CHECK_OK(stoa_file_unlock(idle.file, NULL));
    (void)make(22);
    CHECK_OK(stoa_idle_try(&idle, &same, NULL));
    CHECK(!same && idle.n_users == 0 && !is_locked(path));
    CHECK_STATUS(STOA_EIO, stoa_idle_begin(&idle, &err), &err);
    CHECK_CONTAINS(err.message, "has changed since this column was taken from its table");
    CHECK(idle.n_users == 0 && !is_locked(path));
    stoa_file_close(idle.file);
}

/* ---- Rest ----------------------------------------------------------------------------------- */

static void a_file_rests_only_where_it_is_read(void)
{
    const char *const path = make(1);
    stoa_error err = STOA_ERROR_INIT;
    bool changed = true;
    bool same = false;
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);

    CHECK_STATUS(STOA_EINVAL, stoa_file_unlock(file, &err), &err);
    CHECK_CONTAINS(err.message, "is not open for reading alone");
    stoa_file_close(file);
    file = open_ok(path, STOA_FILE_READ);
    CHECK_OK(stoa_file_lock(file, &changed, NULL)); /* which it was */
    CHECK(!changed);
    CHECK_OK(stoa_file_lock_same(file, &same, NULL));
    CHECK(same);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(stoa_file_unlock(file, NULL));
        CHECK_OK(stoa_file_unlock(file, NULL)); /* twice is as once */
        CHECK(!is_locked(path));
        CHECK_OK(stoa_file_lock_same(file, &same, NULL));
        CHECK(same && is_locked(path));
    }
    CHECK_OK(stoa_file_unlock(file, NULL));
    (void)make(2);
    CHECK_OK(stoa_file_lock_same(file, &same, NULL));
    CHECK(!same && !is_locked(path));
    CHECK_OK(stoa_file_lock(file, &changed, NULL));
    CHECK(changed && is_locked(path));
    CHECK_I64(get_value(stoa_file_id(file)), 2);
    CHECK_OK(stoa_file_unlock(file, NULL));
    CHECK_OK(stoa_file_lock(file, &changed, NULL));
    CHECK(!changed);
    stoa_file_close(file);
}

/* It has another number then, whatever its bytes. */
static void a_file_that_was_replaced_has_changed(void)
{
    const char *const path = make(1);
    char *const copy = strdup(check_path("copy.h5"));
    stoa_file *file = open_ok(path, STOA_FILE_READ);
    bool same = true;
    bool changed = false;

    CHECK_OK(stoa_file_unlock(file, NULL));
    const hid_t made = CHECK_H5(H5Fcreate(copy, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    put_value(made, 1);
    CHECK_H5(H5Fclose(made));
    CHECK_I64(rename(copy, path), 0);
    CHECK_OK(stoa_file_lock_same(file, &same, NULL));
    CHECK(!same);
    CHECK_I64(unlink(path), 0);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_file_lock(file, &changed, NULL));
    CHECK_OK(stoa_file_lock_same(file, &same, NULL)); /* there is none to be the same */
    CHECK(!same);
    (void)make(3);
    CHECK_OK(stoa_file_lock(file, &changed, NULL));
    CHECK(changed);
    CHECK_I64(get_value(stoa_file_id(file)), 3);
    stoa_file_close(file);
    free(copy);
}

/* Ids from before are of the other content. */
static void ids_end_where_the_file_is_read_anew(void)
{
    const char *const path = make(1);
    stoa_file *file = open_ok(path, STOA_FILE_READ);
    bool changed = false;

    const hid_t root = CHECK_H5(H5Gopen2(stoa_file_id(file), "/", H5P_DEFAULT));
    const hid_t again = CHECK_H5(H5Freopen(stoa_file_id(file)));
    CHECK_OK(stoa_file_unlock(file, NULL));
    (void)make(2);
    CHECK_OK(stoa_file_lock(file, &changed, NULL));
    CHECK(changed && H5Iis_valid(root) <= 0 && H5Iis_valid(again) <= 0);
    stoa_file_close(file);
}

/* ---- Stamps --------------------------------------------------------------------------------- */

/* "device number size modified changed ", of the file that has the name then. */
static void check_stamp(char *stamp, const char *path)
{
    struct stat about;
    char expected[256];

    CHECK_I64(stat(path, &about), 0);
    (void)snprintf(expected, sizeof expected, "%llu %llu %lld %lld.%09ld %lld.%09ld ",
                   (unsigned long long)about.st_dev, (unsigned long long)about.st_ino,
                   (long long)about.st_size, (long long)about.st_mtim.tv_sec,
                   (long)about.st_mtim.tv_nsec, (long long)about.st_ctim.tv_sec,
                   (long)about.st_ctim.tv_nsec);
    CHECK(stamp != NULL);
    CHECK_STR(stamp, expected);
    free(stamp);
}

static void a_commit_tells_how_the_file_is_that_it_leaves(void)
{
    static const stoa_file_mode modes[] = {STOA_FILE_CREATE, STOA_FILE_EDIT, STOA_FILE_SAFE,
                                           STOA_FILE_REPLACE};
    const char *const path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;

    for (int i = 0; i < 4; i++) {
        char *stamp = NULL;
        stoa_file *file = open_ok(path, modes[i]);
        put_value(stoa_file_id(file), i);
        CHECK_OK(stoa_file_commit_stamped(file, &stamp, &err), &err);
        check_stamp(stamp, path);
        CHECK(!is_locked(path));
        /* An edit that is not committed leaves the old file, or none. */
        file = open_ok(i == 0 ? check_path("none.h5") : path, modes[i]);
        put_value(stoa_file_id(file), i + 10);
        stoa_file_close_stamped(file, &stamp);
        if (i == 0) {
            CHECK(stamp == NULL);
        } else {
            check_stamp(stamp, path);
        }
    }
    char *stamp = NULL;
    stoa_file *file = open_ok(path, STOA_FILE_READ);
    CHECK_OK(stoa_file_commit_stamped(file, &stamp, &err), &err); /* of nothing */
    check_stamp(stamp, path);
}

static void stamps_are_equal_where_all_of_them_is(void)
{
    struct stat a = {.st_dev = 1, .st_ino = 2, .st_size = 3};
    struct stat b = a;

    a.st_mtim = b.st_mtim = (struct timespec){4, 5};
    a.st_ctim = b.st_ctim = (struct timespec){6, 7};
    CHECK(stoa_lock_is_untouched(&a, &b));
#define CHECK_FIELD(field)                                                                         \
    do {                                                                                           \
        b.field++;                                                                                 \
        CHECK(!stoa_lock_is_untouched(&a, &b));                                                    \
        b.field--;                                                                                 \
    } while (0)
    CHECK_FIELD(st_dev);
    CHECK_FIELD(st_ino);
    CHECK_FIELD(st_size);
    CHECK_FIELD(st_mtim.tv_sec);
    CHECK_FIELD(st_mtim.tv_nsec);
    CHECK_FIELD(st_ctim.tv_sec);
    CHECK_FIELD(st_ctim.tv_nsec);
    stoa_lock_state one = {.is_known = true, .about = a};
    stoa_lock_state two = {.is_known = true, .about = a};
    CHECK(stoa_lock_is_same(&one, &two));
    two.is_known = false;
    CHECK(!stoa_lock_is_same(&one, &two) && !stoa_lock_is_same(&two, &one));
    two.is_known = true;
    two.about.st_size++;
    CHECK(!stoa_lock_is_same(&one, &two));
    two = one;
    two.superblock.version++;
    CHECK(!stoa_lock_is_same(&one, &two));
    two = one;
    two.superblock.base++;
    CHECK(!stoa_lock_is_same(&one, &two));
    two = one;
    two.superblock.end++;
    CHECK(!stoa_lock_is_same(&one, &two));
    two = one;
    two.superblock.open_to_write = true;
    CHECK(!stoa_lock_is_same(&one, &two));
}

/* Once the clock that stamps files has gone on: at once, a moment later. */
static void a_look_waits_for_the_clock(void)
{
    const char *const path = make(1);
    const int fd = open(path, O_RDWR);
    CHECK(fd >= 0 && pwrite(fd, "\x89", 1, 0) == 1);
    const stoa_lock_state young = stoa_lock_read_state(fd);
    CHECK(young.is_known && young.is_settled);
    CHECK_I64(close(fd), 0);
    const stoa_lock_state none = stoa_lock_read_state(-1);
    CHECK(!none.is_known);
    make(1);
    const int text = open(check_path("text"), O_RDWR | O_CREAT, 0666);
    CHECK(write(text, "none", 4) == 4);
    CHECK(!stoa_lock_read_state(text).is_known);
    CHECK_I64(close(text), 0);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static void a_new_file_is_settled_before_it_gets_its_name(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const char *const path = check_path("new.h5");
    stoa_file *file = open_ok(path, STOA_FILE_CREATE);

    put_value(stoa_file_id(file), 7);
    CHECK_OK(stoa_file_settle(file, &err), &err);
    CHECK(access(path, F_OK) != 0);
    CHECK_OK(stoa_file_commit(file, &err), &err);
    file = open_ok(path, STOA_FILE_READ);
    CHECK_I64(get_value(stoa_file_id(file)), 7);
    stoa_file_close(file);
    file = open_ok(path, STOA_FILE_SAFE);
    put_value(stoa_file_id(file), 8);
    CHECK_OK(stoa_file_settle(file, &err), &err);
    stoa_file_close(file); /* and not given its name */
    file = open_ok(path, STOA_FILE_EDIT);
    CHECK_I64(get_value(stoa_file_id(file)), 7);
    CHECK_STATUS(STOA_EINVAL, stoa_file_settle(file, &err), &err);
    CHECK_CONTAINS(err.message, "is edited in place");
    stoa_file_close(file);
}

static void a_file_is_opened_under_a_connector(void)
{
    const char *const path = make(5);
    stoa_file *file = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_open_under(path, STOA_FILE_READ, H5VL_NATIVE, NULL, &file, &err), &err);
    CHECK_I64(get_value(stoa_file_id(file)), 5);
    CHECK_STATUS(STOA_EINVAL, stoa_file_unlock(file, &err)); /* whose state is the connector's */
    stoa_file_close(file);
}

/* Groups of the oldest format have symbol tables. */
static void new_files_are_of_the_formats_that_were_asked_for(void)
{
    for (int is_oldest = 0; is_oldest < 2; is_oldest++) {
        stoa_file *file = NULL;
        stoa_error err = STOA_ERROR_INIT;
        H5F_info2_t info;
        const char *const path = check_path(is_oldest ? "old.h5" : "new.h5");
        CHECK_OK((is_oldest ? stoa_file_open_oldest : stoa_file_open_with)(path, STOA_FILE_CREATE,
                                                                           NULL, &file, &err),
                 &err);
        CHECK_H5(H5Fget_info2(stoa_file_id(file), &info));
        CHECK_U64(info.super.version, is_oldest ? 0 : 2);
        CHECK_OK(stoa_file_commit(file, &err), &err);
        CHECK_OK((is_oldest ? stoa_file_open_oldest : stoa_file_open_with)(path, STOA_FILE_EDIT,
                                                                           NULL, &file, &err),
                 &err);
        const hid_t list = CHECK_H5(H5Fget_create_plist(stoa_file_id(file)));
        stoa_file *like = NULL;
        CHECK_OK(stoa_file_create_like(file, check_path("like.h5"), list, &like, &err), &err);
        CHECK_H5(H5Fget_info2(stoa_file_id(like), &info));
        CHECK_U64(info.super.version, is_oldest ? 0 : 2);
        stoa_file_close(like);
        CHECK_H5(H5Pclose(list));
        stoa_file_close(file);
    }
}

static void options_have_a_size(void)
{
    stoa_file *file = NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    const char *const path = make(5);

    options.size = 0;
    CHECK_STATUS(STOA_EINVAL, stoa_file_open_with(path, STOA_FILE_READ, &options, &file, &err),
                 &err);
    CHECK_CONTAINS(err.message, "start from STOA_FILE_OPTIONS_INIT");
    CHECK(file == NULL);
    options.size = sizeof options + 100; /* of a newer header */
    CHECK_OK(stoa_file_open_with(path, STOA_FILE_READ, &options, &file, NULL));
    stoa_file_close(file);
    CHECK_STATUS(STOA_EINVAL, stoa_file_open(path, (stoa_file_mode)77, &file, &err));
    CHECK(file == NULL);
}

TEST_MAIN(TEST(the_first_user_takes_the_lock_and_the_last_one_lets_go),
          TEST(a_file_that_has_changed_is_not_used), TEST(a_file_rests_only_where_it_is_read),
          TEST(a_file_that_was_replaced_has_changed), TEST(ids_end_where_the_file_is_read_anew),
          TEST(a_commit_tells_how_the_file_is_that_it_leaves),
          TEST(stamps_are_equal_where_all_of_them_is), TEST(a_look_waits_for_the_clock),
          TEST(a_new_file_is_settled_before_it_gets_its_name),
          TEST(a_file_is_opened_under_a_connector),
          TEST(new_files_are_of_the_formats_that_were_asked_for), TEST(options_have_a_size))
