/* Descriptor 0 is one like any other, where a program has closed its standard input: no file that
 * src/hdf opens is taken for none, or left open. */
#include <stoa/edit.h>
#include <stoa/file.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf/file/descriptor.h"
#include "hdf/file/new_file.h"
#include "hdf/journal/disk.h"
#include "hdf/metadata/other_files.h"
#include "support/check.h"
#include "support/value.h"

static int kept = -1; /* the standard input */

static void free_zero(void)
{
    kept = kept >= 0 ? kept : fcntl(0, F_DUPFD_CLOEXEC, 100);
    (void)close(0);
}

/* Nothing is left open. */
static void expect_zero_free(void)
{
    const int fd = open("/dev/null", O_RDONLY);

    CHECK_I64(fd, 0);
    CHECK_I64(close(fd), 0);
}

static void put_zero_back(void)
{
    if (kept >= 0) {
        CHECK_I64(dup2(kept, 0), 0);
    }
}

static int value_of(const char *path)
{
    int value = 0;
    stoa_file *file = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &file, &err), &err);
    const hid_t attribute = CHECK_H5(H5Aopen(stoa_file_id(file), "value", H5P_DEFAULT));
    CHECK_H5(H5Aread(attribute, H5T_NATIVE_INT, &value));
    CHECK_H5(H5Aclose(attribute));
    stoa_file_close(file);
    return value;
}

static void edit(const char *path, stoa_file_mode mode, int value)
{
    stoa_file *file = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_open(path, mode, &file, &err), &err);
    put_value(stoa_file_id(file), value);
    CHECK_OK(stoa_file_commit(file, &err), &err);
    expect_zero_free();
}

static int without_names(void *context, const stoa_disk_call *call)
{
    (void)context;
    return call->op == STOA_DISK_NAMELESS ? 95 : 0;
}

static void every_edit_is_made_through_it(void)
{
    const char *const path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    bool changed = true;

    for (int named = 0; named < 2; named++) {
        free_zero();
        stoa_disk_watch(named ? without_names : NULL, NULL);
        edit(path, STOA_FILE_CREATE, 1);
        CHECK_I64(value_of(path), 1);
        expect_zero_free();
        edit(path, STOA_FILE_EDIT, 2);
        CHECK_I64(value_of(path), 2);
        edit(path, STOA_FILE_SAFE, 3);
        CHECK_I64(value_of(path), 3);
        edit(path, STOA_FILE_REPLACE, 4);
        CHECK_I64(value_of(path), 4);
        CHECK_OK(stoa_file_repack(path, path, NULL, &err), &err);
        CHECK_I64(value_of(path), 4);
        expect_zero_free();
        CHECK_OK(stoa_file_repack(path, check_path("b.h5"), NULL, &err), &err);
        CHECK_I64(value_of(check_path("b.h5")), 4);
        expect_zero_free();
        CHECK_STATUS(STOA_EEXISTS, stoa_file_open(path, STOA_FILE_CREATE, &file, &err));
        expect_zero_free();
        CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &file, NULL));
        CHECK_OK(stoa_file_unlock(file, NULL));
        CHECK_OK(stoa_file_lock(file, &changed, NULL));
        CHECK(!changed);
        CHECK_OK(stoa_file_unlock(file, NULL));
        CHECK_I64(unlink(path), 0);
        CHECK_STATUS(STOA_ENOTFOUND, stoa_file_lock(file, &changed, NULL));
        expect_zero_free();
        stoa_file_close(file);
        expect_zero_free();
        CHECK_I64(unlink(check_path("b.h5")), 0);
        stoa_disk_watch(NULL, NULL);
        put_zero_back();
    }
}

static void other_files_are_opened_and_closed_by_it(void)
{
    stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;
    int fd = -1;

    free_zero();
    edit(check_path("a.h5"), STOA_FILE_CREATE, 1);
    CHECK_I64(mkdir(check_path("sub"), 0777), 0);
    CHECK_OK(stoa_other_files_below(check_path("a.h5"), &elsewhere, NULL));
    CHECK_I64(stoa_other_files_open(&elsewhere, check_path("a.h5"), &fd), 0);
    CHECK(fd >= 0 && close(fd) == 0);
    edit(check_path("sub/b.h5"), STOA_FILE_CREATE, 1); /* by 0, another one, and 0 again */
    CHECK_I64(stoa_other_files_open(&elsewhere, check_path("sub/b.h5"), &fd), 0);
    CHECK_I64(fd, 0);
    CHECK_I64(close(fd), 0);
    CHECK(stoa_other_files_open(&elsewhere, check_path("sub/none"), &fd) != 0);
    CHECK(stoa_other_files_open(&elsewhere, check_path("sub"), &fd) != 0);
    expect_zero_free();
    put_zero_back();
}

static void a_descriptor_may_be_it(void)
{
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){2000}, NULL));
    const hid_t made = CHECK_H5(
        H5Dcreate2(file, "d", H5T_NATIVE_INT32, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    int32_t rows[2000] = {1};
    stoa_descriptor descriptor = STOA_DESCRIPTOR_INIT;

    CHECK_H5(H5Dwrite(made, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Dclose(made));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    for (int is_theirs = 0; is_theirs < 2; is_theirs++) { /* libhdf5's, or ours */
        free_zero();
        if (!is_theirs) {
            CHECK_I64(open("/dev/null", O_RDONLY), 0);
        }
        const hid_t again = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
        const hid_t dataset = CHECK_H5(H5Dopen2(again, "d", H5P_DEFAULT));
        if (!is_theirs) {
            CHECK_I64(close(0), 0);
        }
        CHECK_OK(stoa_descriptor_open(&descriptor, dataset, NULL));
        CHECK(descriptor.fd >= 0 && (is_theirs || descriptor.fd == 0));
        stoa_descriptor_map(&descriptor);
        CHECK(descriptor.map != NULL);
        stoa_descriptor_close(&descriptor);
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Fclose(again));
        expect_zero_free();
        put_zero_back();
    }
}

TEST_MAIN(TEST(every_edit_is_made_through_it), TEST(other_files_are_opened_and_closed_by_it),
          TEST(a_descriptor_may_be_it))
