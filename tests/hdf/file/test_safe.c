/* Edits on a copy that takes the file's place: STOA_FILE_SAFE of src/hdf/file/file.c. */
#include <stoa/edit.h>
#include <stoa/file.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include "core/exit_cleanup.h"
#include "core/memory.h"
#include "hdf/journal/disk.h"
#include "support/check.h"
#include "support/value.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

static char *kept_path(const char *name)
{
    return strdup(check_path(name));
}

/* What a stock program reads. */
static int value_of(const char *path)
{
    int value = 0;
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t attribute = (hid_t)CHECK_H5(H5Aopen(file, "value", H5P_DEFAULT));

    CHECK_H5(H5Aread(attribute, H5T_NATIVE_INT, &value));
    H5Aclose(attribute);
    H5Fclose(file);
    return value;
}

static void make_file(const char *path, H5F_libver_t low)
{
    const hid_t access = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST));
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access));
    put_value(file, 1);
    H5Fclose(file);
    H5Pclose(access);
}

static stoa_file *open_ok(const char *path, stoa_file_mode mode)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    CHECK_OK(stoa_file_open(path, mode, &file, &err), &err);
    return file;
}

static void commit(stoa_file *file)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_commit(file, &err), &err);
}

static struct stat about(const char *path)
{
    struct stat found;

    CHECK_I64(stat(path, &found), 0);
    return found;
}

static char *bytes_of(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc((size_t)about(path).st_size + 1);

    CHECK(file != NULL && bytes != NULL);
    *n = fread(bytes, 1, (size_t)about(path).st_size, file);
    (void)fclose(file);
    return bytes;
}

/* Names in the directory of `path`. */
static size_t n_neighbours(const char *path)
{
    char directory[1024];
    size_t n = 0;

    (void)snprintf(directory, sizeof directory, "%s", path);
    *strrchr(directory, '/') = '\0';
    DIR *stream = opendir(directory);
    CHECK(stream != NULL);
    for (struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        n += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    }
    (void)closedir(stream);
    return n;
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void a_committed_edit_takes_the_place_of_the_file(void)
{
    static const H5F_libver_t lows[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110};
    char *path = kept_path("a.h5");

    for (size_t i = 0; i < sizeof lows / sizeof lows[0]; i++) {
        make_file(path, lows[i]);
        const ino_t old = about(path).st_ino;
        stoa_file *file = open_ok(path, STOA_FILE_SAFE);
        put_value(stoa_file_id(file), 2);
        commit(file);
        CHECK_I64(value_of(path), 2);
        CHECK(about(path).st_ino != old);
        CHECK_U64(n_neighbours(path), 1);
        /* The next edit, of either kind, finds nothing unusual. */
        file = open_ok(path, STOA_FILE_EDIT);
        put_value(stoa_file_id(file), 3);
        commit(file);
        CHECK_I64(value_of(path), 3);
    }
    free(path);
}

static void a_new_file_takes_the_place_of_the_old_one(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    char *path = kept_path("a.h5");

    CHECK_STATUS(STOA_ENOTFOUND, stoa_file_open(path, STOA_FILE_REPLACE, &file, &err), &err);
    make_file(path, H5F_LIBVER_V18);
    CHECK(chmod(path, 0640) == 0);
    const ino_t old = about(path).st_ino;
    file = open_ok(path, STOA_FILE_REPLACE);
    H5G_info_t root;
    CHECK_H5(H5Gget_info(stoa_file_id(file), &root));
    CHECK_U64(root.nlinks, 0);
    stoa_file_close(file); /* discarded */
    CHECK_I64(value_of(path), 1);
    CHECK(about(path).st_ino == old);
    file = open_ok(path, STOA_FILE_REPLACE);
    const hid_t group = H5Gcreate2(stoa_file_id(file), "new", 0, 0, 0);
    CHECK_H5(H5Gclose(group));
    commit(file);
    CHECK(about(path).st_ino != old);
    CHECK_U64(about(path).st_mode & 0777, 0640);
    CHECK_U64(n_neighbours(path), 1);
    file = open_ok(path, STOA_FILE_READ);
    CHECK(H5Lexists(stoa_file_id(file), "new", H5P_DEFAULT) > 0);
    stoa_file_close(file);
    free(path);
}

static void until_the_commit_no_byte_of_the_file_changes(void)
{
    char *path = kept_path("a.h5");
    size_t n = 0;
    size_t n_now = 0;

    make_file(path, H5F_LIBVER_V18);
    char *old = bytes_of(path, &n);
    stoa_file *file = open_ok(path, STOA_FILE_SAFE);
    put_value(stoa_file_id(file), 2);
    CHECK_H5(H5Fflush(stoa_file_id(file), H5F_SCOPE_GLOBAL));
    char *now = bytes_of(path, &n_now);
    CHECK_U64(n_now, n);
    CHECK_MEM(now, old, n);
    stoa_file_close(file);
    free(now);
    now = bytes_of(path, &n_now);
    CHECK_U64(n_now, n);
    CHECK_MEM(now, old, n);
    CHECK_U64(n_neighbours(path), 1);
    free(now);
    free(old);
    free(path);
}

static void the_file_is_locked_to_writers_meanwhile(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *second = NULL;
    char *path = kept_path("a.h5");

    make_file(path, H5F_LIBVER_V18);
    stoa_file_patience none = STOA_FILE_PATIENCE_INIT;
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    none.seconds = 0;
    options.patience = &none;
    stoa_file *file = open_ok(path, STOA_FILE_SAFE);
    CHECK_STATUS(STOA_EIO, stoa_file_open_with(path, STOA_FILE_EDIT, &options, &second, &err),
                 &err);
    CHECK_CONTAINS(err.message, "used by another program");
    stoa_file *reader = open_ok(path, STOA_FILE_READ); /* but not to readers, nor do they hinder */
    put_value(stoa_file_id(file), 2);
    commit(file);
    stoa_file_close(reader);
    CHECK_I64(value_of(path), 2);
    free(path);
}

static void permissions_and_attributes_of_the_file_are_kept(void)
{
    char *path = kept_path("a.h5");

    make_file(path, H5F_LIBVER_V18);
    CHECK_I64(chmod(path, 0641), 0);
#if defined(__linux__)
    const bool has_attributes = setxattr(path, "user.note", "precious", 8, 0) == 0;
#endif
    stoa_file *file = open_ok(path, STOA_FILE_SAFE);
    put_value(stoa_file_id(file), 2);
    commit(file);
    CHECK_U64(about(path).st_mode & 07777, 0641);
#if defined(__linux__)
    char value[16] = "";
    if (has_attributes) {
        CHECK_I64(getxattr(path, "user.note", value, sizeof value), 8);
        CHECK_STR(value, "precious");
    }
#endif
    free(path);
}

static void a_symbolic_link_stays_one(void)
{
    struct stat link;
    char *path = kept_path("a.h5");
    char *name = kept_path("link.h5");

    make_file(path, H5F_LIBVER_V18);
    CHECK_I64(symlink("a.h5", name), 0);
    stoa_file *file = open_ok(name, STOA_FILE_SAFE);
    put_value(stoa_file_id(file), 2);
    commit(file);
    CHECK_I64(lstat(name, &link), 0);
    CHECK(S_ISLNK(link.st_mode));
    CHECK_I64(value_of(path), 2);
    CHECK_U64(n_neighbours(path), 2);
    free(name);
    free(path);
}

static void bytes_before_the_hdf5_file_are_kept(void)
{
    char *path = kept_path("a.h5");
    const hid_t creation = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_CREATE));
    char text[16] = "";

    CHECK_H5(H5Pset_userblock(creation, 512));
    const hid_t made = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, creation, H5P_DEFAULT));
    put_value(made, 1);
    H5Fclose(made);
    H5Pclose(creation);
    FILE *stream = fopen(path, "r+b");
    CHECK(stream != NULL);
    CHECK_U64(fwrite("user block", 1, 11, stream), 11);
    CHECK_I64(fclose(stream), 0);
    stoa_file *file = open_ok(path, STOA_FILE_SAFE);
    put_value(stoa_file_id(file), 2);
    commit(file);
    CHECK_OK(stoa_file_repack(path, path, NULL, NULL));
    CHECK_I64(value_of(path), 2);
    stream = fopen(path, "rb");
    CHECK(stream != NULL && fread(text, 1, 11, stream) == 11);
    CHECK_STR(text, "user block");
    (void)fclose(stream);
    free(path);
}

/* Calls that change a file: the n-th fails; or those without names are refused all along. */
typedef struct saboteur {
    uint64_t n;
    bool nameless_is_refused;
} saboteur;

static int sabotage(void *context, const stoa_disk_call *call)
{
    saboteur *s = context;

    if (call->op == STOA_DISK_NAMELESS) {
        return s->nameless_is_refused ? EOPNOTSUPP : 0;
    }
    if (call->op == STOA_DISK_SHARE) {
        return 0;
    }
    return s->n-- == 0 ? ENOSPC : 0;
}

static stoa_status edit(const char *path, stoa_error *err)
{
    stoa_file *file = NULL;
    const stoa_status status = stoa_file_open(path, STOA_FILE_SAFE, &file, err);

    if (status != STOA_OK) {
        return status;
    }
    put_value(stoa_file_id(file), 2);
    return stoa_file_commit(file, err);
}

static stoa_status repack(const char *path, stoa_error *err)
{
    return stoa_file_repack(path, path, NULL, err);
}

/* However it fails, the old file is there, byte for byte, and nothing beside it. */
static void fail_everywhere(stoa_status (*change)(const char *, stoa_error *), bool nameless)
{
    char *path = kept_path("a.h5");
    stoa_status status = STOA_EIO;
    uint64_t n = 0;

    for (; status != STOA_OK; n++) {
        stoa_error err = STOA_ERROR_INIT;
        saboteur s = {n, !nameless};
        size_t size = 0;
        size_t now = 0;
        make_file(path, H5F_LIBVER_V18);
        char *old = bytes_of(path, &size);
        stoa_disk_watch(sabotage, &s);
        status = change(path, &err);
        stoa_disk_watch(NULL, NULL);
        CHECK_U64(n_neighbours(path), 1);
        if (status != STOA_OK) {
            CHECK_STATUS(STOA_EIO, status, &err);
            char *found = bytes_of(path, &now);
            CHECK_U64(now, size);
            CHECK_MEM(found, old, size);
            free(found);
        }
        free(old);
    }
    CHECK(n > 4);
    free(path);
}

static void an_edit_that_fails_at_any_call_leaves_the_old_file_alone(void)
{
    fail_everywhere(edit, true);
    fail_everywhere(edit, false);
}

static void a_repack_that_fails_at_any_call_leaves_the_old_file_alone(void)
{
    fail_everywhere(repack, true);
    fail_everywhere(repack, false);
}

/* The process ends at the n-th call, as a handler of signals ends it. */
static int end_there(void *context, const stoa_disk_call *call)
{
    saboteur *s = context;

    if (call->op == STOA_DISK_NAMELESS) {
        return s->nameless_is_refused ? EOPNOTSUPP : 0;
    }
    if (s->n-- == 0) {
        stoa_exit_cleanup_undo();
        _exit(7);
    }
    return 0;
}

/* Whether it came so far. */
static bool ends_at(const char *path, stoa_status (*change)(const char *, stoa_error *), uint64_t n,
                    bool nameless)
{
    int how = 0;
    const pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        saboteur s = {n, !nameless};
        stoa_disk_watch(end_there, &s);
        _exit(change(path, NULL) == STOA_OK ? 0 : 1);
    }
    CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how));
    CHECK(WEXITSTATUS(how) == 0 || WEXITSTATUS(how) == 7);
    return WEXITSTATUS(how) == 7;
}

static void end_everywhere(stoa_status (*change)(const char *, stoa_error *), bool nameless)
{
    char *path = kept_path("a.h5");
    bool ended = true;
    uint64_t n = 0;

    for (; ended; n++) {
        size_t size = 0;
        size_t now = 0;
        make_file(path, H5F_LIBVER_V18);
        char *old = bytes_of(path, &size);
        ended = ends_at(path, change, n, nameless);
        CHECK_U64(n_neighbours(path), 1);
        char *found = bytes_of(path, &now);
        CHECK(!ended || (now == size && memcmp(found, old, size) == 0) || value_of(path) == 2 ||
              change == repack);
        CHECK(value_of(path) == 1 || change != repack);
        free(found);
        free(old);
    }
    CHECK(n > 4);
    free(path);
}

static void a_process_that_ends_at_any_call_leaves_nothing_beside_the_file(void)
{
    end_everywhere(edit, true);
    end_everywhere(edit, false);
    end_everywhere(repack, true);
    end_everywhere(repack, false);
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Under libhdf5 it is libhdf5 that tells of it. */
static void starve(stoa_status (*change)(const char *, stoa_error *))
{
    char *path = kept_path("a.h5");
    stoa_status status = STOA_ENOMEM;
    uint64_t n = 0;

    make_file(path, H5F_LIBVER_V18);
    for (; status != STOA_OK; n++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_memory_fail_after(n);
        status = change(path, &err);
        stoa_memory_fail_after(UINT64_MAX);
        if (status != STOA_OK) {
            CHECK(status == STOA_ENOMEM || status == STOA_EHDF5 || status == STOA_EIO);
            CHECK_CONTAINS(err.message, "memory");
            CHECK_I64(value_of(path), 1);
        }
        CHECK_U64(n_neighbours(path), 1);
    }
    CHECK(n > 4);
    free(path);
}

static void memory_that_runs_out_leaves_the_old_file(void)
{
    starve(edit);
    starve(repack);
}

TEST_MAIN(TEST(a_committed_edit_takes_the_place_of_the_file),
          TEST(a_new_file_takes_the_place_of_the_old_one),
          TEST(until_the_commit_no_byte_of_the_file_changes),
          TEST(the_file_is_locked_to_writers_meanwhile),
          TEST(permissions_and_attributes_of_the_file_are_kept), TEST(a_symbolic_link_stays_one),
          TEST(bytes_before_the_hdf5_file_are_kept),
          TEST(an_edit_that_fails_at_any_call_leaves_the_old_file_alone),
          TEST(a_repack_that_fails_at_any_call_leaves_the_old_file_alone),
          TEST(a_process_that_ends_at_any_call_leaves_nothing_beside_the_file),
          TEST(memory_that_runs_out_leaves_the_old_file))
