/* Opening HDF5 files: src/hdf/file/file.c, and what each way of opening promises. */
#include <stoa/file.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif

#include "hdf/file/file.h"
#include "hdf/ids.h"
#include "hdf/journal/disk.h"
#include "support/check.h"
#include "support/sweep.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

/* The integer attribute `name` of the root group; -1: no attribute. */
static int value_of(hid_t file, const char *name)
{
    int value = -1;

    if (CHECK_H5(H5Aexists(file, name)) > 0) {
        const hid_t attribute = (hid_t)CHECK_H5(H5Aopen(file, name, H5P_DEFAULT));
        CHECK_H5(H5Aread(attribute, H5T_NATIVE_INT, &value));
        CHECK_H5(H5Aclose(attribute));
    }
    return value;
}

/* What a stock program sees of it. */
static int stock_value(const char *path, const char *name)
{
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const int value = value_of(file, name);

    CHECK_H5(H5Fclose(file));
    return value;
}

static void set_value(hid_t file, const char *name, int value)
{
    hid_t attribute;

    if (CHECK_H5(H5Aexists(file, name)) > 0) {
        attribute = (hid_t)CHECK_H5(H5Aopen(file, name, H5P_DEFAULT));
    } else {
        const hid_t scalar = (hid_t)CHECK_H5(H5Screate(H5S_SCALAR));
        attribute = (hid_t)CHECK_H5(
            H5Acreate2(file, name, H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Sclose(scalar));
    }
    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_INT, &value));
    CHECK_H5(H5Aclose(attribute));
}

/* A stock file whose root group says version = 1; `low` chooses the superblock's version. */
static void make_stock_file(const char *path, H5F_libver_t low)
{
    const hid_t access = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST));
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access));
    set_value(file, "version", 1);
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(access));
}

static void write_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    CHECK(file != NULL);
    CHECK_U64(fwrite(bytes, 1, n, file), n);
    CHECK_I64(fclose(file), 0);
}

static off_t size_of(const char *path)
{
    struct stat about;

    CHECK_I64(stat(path, &about), 0);
    return about.st_size;
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
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    (void)closedir(stream);
    return n;
}

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

static stoa_file *open_ok(const char *path, stoa_file_mode mode)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    CHECK_OK(open_patiently(path, mode, &file, &err), &err);
    return file;
}

/* Opening fails with this status, and the one line holds this text. */
static void check_refused(const char *path, stoa_file_mode mode, stoa_status status,
                          const char *text)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    CHECK_STATUS(status, open_patiently(path, mode, &file, &err), &err);
    CHECK(file == NULL);
    CHECK_CONTAINS(err.message, text);
    CHECK_STR(err.where, path);
    CHECK(strchr(err.message, '\n') == NULL);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static void a_file_is_read_under_the_name_it_was_given(void)
{
    const char *path = check_path("a.h5");

    make_stock_file(path, H5F_LIBVER_EARLIEST);
    stoa_file *file = open_ok(path, STOA_FILE_READ);
    CHECK_STR(stoa_file_name(file), path);
    CHECK(H5Aexists(stoa_file_id(file), "version") > 0);
    stoa_file_close(file);
}

static void each_kind_of_bad_file_has_its_own_status_and_line(void)
{
    const char *not_hdf5 = check_path("text.h5");
    const char *empty = check_path("empty.h5");
    const char *directory = check_path("directory.h5");
    const char *fifo = check_path("fifo.h5");
    const char *truncated = check_path("truncated.h5");

    write_bytes(not_hdf5, "station,value\n1,2\n", 18);
    write_bytes(empty, "", 0);
    CHECK_I64(mkdir(directory, 0755), 0);
    CHECK_I64(mkfifo(fifo, 0644), 0);
    make_stock_file(truncated, H5F_LIBVER_V18);
    CHECK_I64(truncate(truncated, size_of(truncated) - 1), 0);
    for (int mode = STOA_FILE_READ; mode <= STOA_FILE_EDIT; mode++) {
        const stoa_file_mode how = (stoa_file_mode)mode;
        check_refused(check_path("absent.h5"), how, STOA_ENOTFOUND, "no such file");
        check_refused(check_path("text.h5/x"), how, STOA_ENOTFOUND, "no such file");
        check_refused(not_hdf5, how, STOA_ELAYOUT, "is not an HDF5 file");
        check_refused(empty, how, STOA_ELAYOUT, "is empty");
        check_refused(directory, how, STOA_EIO, "is a directory");
        check_refused(fifo, how, STOA_EIO, "is not a regular file");
        check_refused(truncated, how, STOA_EDATA, "is truncated");
    }
}

static void every_length_of_a_cut_file_is_refused(void)
{
    const char *whole = check_path("whole.h5");
    const char *cut = check_path("cut.h5");

    for (int low = H5F_LIBVER_EARLIEST; low <= H5F_LIBVER_V110; low++) {
        make_stock_file(whole, (H5F_libver_t)low);
        const off_t size = size_of(whole);
        for (off_t length = 0; length < size; length += length < 128 ? 1 : 37) {
            make_stock_file(cut, (H5F_libver_t)low);
            CHECK_I64(truncate(cut, length), 0);
            check_refused(cut, STOA_FILE_READ, length < 8 ? STOA_ELAYOUT : STOA_EDATA,
                          length < 8 ? "HDF5 file" : "is truncated");
        }
    }
}

static void a_superblock_from_the_future_is_a_version_problem(void)
{
    const char *path = check_path("future.h5");

    make_stock_file(path, H5F_LIBVER_V18);
    const int fd = open(path, O_RDWR);
    CHECK(fd >= 0);
    CHECK_I64(pwrite(fd, "\x09", 1, 8), 1); /* byte 8 is the version, in every version */
    CHECK_I64(close(fd), 0);
    check_refused(path, STOA_FILE_READ, STOA_EVERSION, "superblock version 9");
    check_refused(path, STOA_FILE_EDIT, STOA_EVERSION, "superblock version 9");
}

static void a_file_one_may_not_read_says_so(void)
{
    const char *path = check_path("secret.h5");
    const bool is_root = geteuid() == 0;

    make_stock_file(path, H5F_LIBVER_V18);
    CHECK_I64(chmod(path, 0), 0);
    CHECK_I64(chmod(check_path(""), is_root ? 0755 : 0555), 0);
    if (is_root) {
        CHECK_I64(seteuid(65534), 0); /* root may read everything */
    }
    check_refused(path, STOA_FILE_READ, STOA_EIO, "Permission denied");
    check_refused(path, STOA_FILE_EDIT, STOA_EIO, "Permission denied");
    check_refused(check_path("new.h5"), STOA_FILE_CREATE, STOA_EIO, "Permission denied");
    if (is_root) {
        CHECK_I64(seteuid(0), 0);
    }
    CHECK_I64(chmod(check_path(""), 0755), 0);
}

static void a_user_block_before_the_file_is_skipped(void)
{
    const char *path = check_path("block.h5");
    const hid_t creation = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_CREATE));

    CHECK_H5(H5Pset_userblock(creation, 2048));
    const hid_t made = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, creation, H5P_DEFAULT));
    set_value(made, "version", 1);
    CHECK_H5(H5Fclose(made));
    CHECK_H5(H5Pclose(creation));

    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    set_value(stoa_file_id(file), "version", 2);
    set_value(stoa_file_id(file), "more", 3);
    CHECK_OK(stoa_file_commit(file, &err), &err);
    CHECK_I64(stock_value(path, "version"), 2);
    CHECK_I64(stock_value(path, "more"), 3);
}

/* ---- Sharing -------------------------------------------------------------------------------- */

static void a_stock_writer_keeps_the_file_to_itself(void)
{
    const char *path = check_path("a.h5");

    make_stock_file(path, H5F_LIBVER_V18);
    const hid_t stock = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    wait_for(0);
    check_refused(path, STOA_FILE_READ, STOA_EIO, "is being used by another program");
    check_refused(path, STOA_FILE_EDIT, STOA_EIO, "is being used by another program");
    check_refused(path, STOA_FILE_SAFE, STOA_EIO, "is being used by another program");
    CHECK_H5(H5Fclose(stock));
}

static void locks_are_left_out_where_the_user_says_so(void)
{
    const char *path = check_path("a.h5");

    make_stock_file(path, H5F_LIBVER_V18);
    const int fd = open(path, O_RDWR);
    CHECK_I64(flock(fd, LOCK_EX | LOCK_NB), 0);
    wait_for(0);
    check_refused(path, STOA_FILE_EDIT, STOA_EIO, "is being used by another program");
    CHECK_I64(setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1), 0);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    CHECK_I64(unsetenv("HDF5_USE_FILE_LOCKING"), 0);
    stoa_file_close(file);
    CHECK_I64(close(fd), 0);
}

/* A file whose writer was killed. Its SWMR mode takes the latest formats. */
static void make_marked_file(const char *path, unsigned flags)
{
    make_stock_file(path, H5F_LIBVER_LATEST);
    if (fork() == 0) {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        (void)H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        const hid_t file = H5Fopen(path, H5F_ACC_RDWR | flags, access);
        (void)H5Fflush(file, H5F_SCOPE_GLOBAL);
        _exit(file < 0);
    }
    int how;
    CHECK(wait(&how) > 0);
    CHECK_I64(how, 0);
}

static void a_file_of_a_swmr_writer_is_read_and_not_edited(void)
{
    const char *path = check_path("swmr.h5");
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    unsigned intent = 0;

    make_marked_file(path, H5F_ACC_SWMR_WRITE);
    CHECK_OK(open_patiently(path, STOA_FILE_READ, &file, &err), &err);
    CHECK_H5(H5Fget_intent(stoa_file_id(file), &intent));
    CHECK_U64(intent, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ);
    CHECK_I64(value_of(stoa_file_id(file), "version"), 1);
    stoa_file_close(file);
    check_refused(path, STOA_FILE_EDIT, STOA_EIO, "is marked as open for writing");
}

/* libhdf5 would read the block again for ever. */
static void damage_under_the_mark_of_a_swmr_writer_is_found_soon(void)
{
    const char *path = check_path("swmr.h5");
    uint8_t bytes[4096];
    const time_t start = time(NULL);
    stoa_file *file = NULL;
    hid_t group = H5I_INVALID_HID;

    make_marked_file(path, H5F_ACC_SWMR_WRITE);
    FILE *const stream = fopen(path, "r+b");
    CHECK(stream != NULL);
    const size_t n = fread(bytes, 1, sizeof bytes, stream);
    for (size_t i = 0; i + 4 < n; i++) {
        if (memcmp(bytes + i, "OHDR", 4) == 0) {
            CHECK(fseek(stream, (long)i + 8, SEEK_SET) == 0 &&
                  fputc(bytes[i + 8] ^ 1, stream) >= 0);
        }
    }
    CHECK(fclose(stream) == 0);
    (void)!open_patiently(path, STOA_FILE_READ, &file, NULL); /* it may be found there */
    if (file != NULL) {
        H5E_BEGIN_TRY
        {
            group = H5Gopen2(stoa_file_id(file), "/", H5P_DEFAULT);
        }
        H5E_END_TRY
    }
    CHECK(group < 0);
    stoa_file_close(file);
    CHECK(time(NULL) - start < 20);
}

#if defined(__linux__)
static bool is_nfs;

int fstatfs(int fd, struct statfs *about)
{
    const int failed = (int)syscall(SYS_fstatfs, fd, about);

    about->f_type = is_nfs ? 0x6969 : about->f_type;
    return failed;
}
#endif

static void a_file_of_a_swmr_writer_is_refused_on_a_network_file_system(void)
{
#if defined(__linux__)
    const char *path = check_path("swmr.h5");

    make_marked_file(path, H5F_ACC_SWMR_WRITE);
    is_nfs = true;
    check_refused(path, STOA_FILE_READ, STOA_EIO, "network file system does not keep the order");
    is_nfs = false;
#else
    SKIP("network file systems are told by fstatfs() on Linux alone");
#endif
}

static void a_mark_of_a_killed_writer_is_explained(void)
{
    const char *path = check_path("marked.h5");

    make_marked_file(path, 0);
    check_refused(path, STOA_FILE_READ, STOA_EIO, "h5clear");
    check_refused(path, STOA_FILE_EDIT, STOA_EIO, "h5clear");
}

/* ---- Editing -------------------------------------------------------------------------------- */

static void a_commit_is_seen_by_stock_programs(void)
{
    for (int low = H5F_LIBVER_EARLIEST; low <= H5F_LIBVER_V110; low++) {
        const char *path = check_path("a.h5");
        stoa_error err = STOA_ERROR_INIT;

        make_stock_file(path, (H5F_libver_t)low);
        stoa_file *file = open_ok(path, STOA_FILE_EDIT);
        set_value(stoa_file_id(file), "version", 2);
        CHECK_OK(stoa_file_commit(file, &err), &err);
        CHECK_I64(stock_value(path, "version"), 2);
    }
}

static void closing_without_commit_changes_nothing(void)
{
    const char *path = check_path("a.h5");

    make_stock_file(path, H5F_LIBVER_V18);
    const off_t size = size_of(path);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    set_value(stoa_file_id(file), "version", 2);
    for (int i = 0; i < 100; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "g%d", i);
        CHECK_H5(H5Gclose(
            CHECK_H5(H5Gcreate2(stoa_file_id(file), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    }
    CHECK_H5(H5Fflush(stoa_file_id(file), H5F_SCOPE_GLOBAL));
    stoa_file_close(file);
    CHECK_I64(stock_value(path, "version"), 1);
    CHECK_I64(size_of(path), size);
}

static void what_was_written_is_read_back_before_the_commit(void)
{
    const char *path = check_path("a.h5");
    int value = 0;

    make_stock_file(path, H5F_LIBVER_V18);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    set_value(stoa_file_id(file), "version", 77);
    CHECK_H5(H5Fflush(stoa_file_id(file), H5F_SCOPE_GLOBAL));
    const hid_t attribute = (hid_t)CHECK_H5(H5Aopen(stoa_file_id(file), "version", H5P_DEFAULT));
    CHECK_H5(H5Aread(attribute, H5T_NATIVE_INT, &value));
    CHECK_H5(H5Aclose(attribute));
    CHECK_I64(value, 77);
    stoa_file_close(file);
}

static void a_commit_of_nothing_leaves_every_byte_and_the_time(void)
{
    const char *path = check_path("a.h5");
    const struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    stoa_error err = STOA_ERROR_INIT;
    struct stat after;

    make_stock_file(path, H5F_LIBVER_V18);
    CHECK_I64(utimensat(AT_FDCWD, path, old, 0), 0);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    CHECK_OK(stoa_file_commit(file, &err), &err);
    CHECK_I64(stat(path, &after), 0);
    CHECK_I64(after.st_mtim.tv_sec, 1000000000);
    CHECK_I64(stock_value(path, "version"), 1);
}

static void a_forgotten_id_is_an_error_and_discards(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;

    make_stock_file(path, H5F_LIBVER_V18);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    const hid_t root = (hid_t)CHECK_H5(H5Gopen2(stoa_file_id(file), "/", H5P_DEFAULT));
    const hid_t again = (hid_t)CHECK_H5(H5Freopen(stoa_file_id(file)));
    set_value(root, "version", 2);
    CHECK_STATUS(STOA_EINVAL, stoa_file_commit(file, &err), &err);
    CHECK_CONTAINS(err.message, "2 of its objects are still open");
    CHECK(H5Iis_valid(root) <= 0);
    CHECK(H5Iis_valid(again) <= 0);
    CHECK_I64(stock_value(path, "version"), 1);
}

static void an_id_closed_behind_our_back_is_an_error(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;

    make_stock_file(path, H5F_LIBVER_V18);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    set_value(stoa_file_id(file), "version", 2);
    CHECK_H5(H5Fclose(stoa_file_id(file)));
    CHECK_STATUS(STOA_EINVAL, stoa_file_commit(file, &err), &err);
    CHECK_I64(stock_value(path, "version"), 1);
}

static void garbage_of_a_killed_program_is_cut_off(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;
    static char garbage[100000];

    make_stock_file(path, H5F_LIBVER_V18);
    const off_t size = size_of(path);
    memset(garbage, 'x', sizeof garbage);
    FILE *stream = fopen(path, "ab");
    CHECK_U64(fwrite(garbage, 1, sizeof garbage, stream), sizeof garbage);
    CHECK_I64(fclose(stream), 0);
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    set_value(stoa_file_id(file), "version", 2);
    CHECK_OK(stoa_file_commit(file, &err), &err);
    CHECK_I64(stock_value(path, "version"), 2);
    CHECK(size_of(path) < size + 50000);
}

/* An edit opens none, not even where it was asked for. */
static void a_linked_file_is_opened_to_read_and_only_where_that_is_asked_for(void)
{
    const char *path = check_path("a.h5");
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    make_stock_file(path, H5F_LIBVER_V18);
    make_stock_file(check_path("b.h5"), H5F_LIBVER_V18);
    file = open_ok(path, STOA_FILE_EDIT);
    CHECK_H5(
        H5Lcreate_external("b.h5", "/", stoa_file_id(file), "other", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_OK(stoa_file_commit(file, &err), &err);
    options.follow_external = true;
    for (int i = 0; i < 4; i++) {
        const bool is_opened = i == 3;
        CHECK_OK(stoa_file_open_with(path, i % 2 == 1 ? STOA_FILE_READ : STOA_FILE_EDIT,
                                     i >= 2 ? &options : NULL, &file, &err),
                 &err);
        const stoa_error_stack errors = stoa_error_stack_begin();
        const hid_t group = H5Gopen2(stoa_file_id(file), "other", H5P_DEFAULT);
        stoa_error_stack_end(&errors);
        CHECK((group >= 0) == is_opened);
        if (is_opened) {
            CHECK_H5(H5Aexists(group, "version"));
            CHECK_H5(H5Gclose(group));
        }
        stoa_file_close(file);
    }
    options.size = 0;
    CHECK_STATUS(STOA_EINVAL, stoa_file_open_with(path, STOA_FILE_READ, &options, &file, &err),
                 &err);
}

/* ---- Creating ------------------------------------------------------------------------------- */

static void a_new_file_appears_at_commit_and_alone(void)
{
    const char *path = check_path("new.h5");
    stoa_error err = STOA_ERROR_INIT;

    stoa_file *file = open_ok(path, STOA_FILE_CREATE);
    set_value(stoa_file_id(file), "version", 1);
    CHECK_I64(access(path, F_OK), -1);
    CHECK_OK(stoa_file_commit(file, &err), &err);
    CHECK_I64(stock_value(path, "version"), 1);
    CHECK_U64(n_neighbours(path), 1);
}

static void a_new_file_that_is_not_committed_never_was(void)
{
    const char *path = check_path("new.h5");

    CHECK_I64(mkdir(check_path("in"), 0755), 0);
    stoa_file *file = open_ok(check_path("in/new.h5"), STOA_FILE_CREATE);
    set_value(stoa_file_id(file), "version", 1);
    stoa_file_close(file);
    CHECK_U64(n_neighbours(check_path("in/new.h5")), 0);
    CHECK_I64(access(path, F_OK), -1);
}

static void a_taken_name_is_refused_at_open_and_at_commit(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;

    make_stock_file(path, H5F_LIBVER_V18);
    check_refused(path, STOA_FILE_CREATE, STOA_EEXISTS, "exists already");
    CHECK_I64(unlink(path), 0);
    stoa_file *file = open_ok(path, STOA_FILE_CREATE);
    set_value(stoa_file_id(file), "version", 9);
    make_stock_file(path, H5F_LIBVER_V18);
    CHECK_STATUS(STOA_EEXISTS, stoa_file_commit(file, &err), &err);
    CHECK_STR(err.where, path);
    CHECK_I64(stock_value(path, "version"), 1);
    CHECK_U64(n_neighbours(path), 1);
}

static void a_new_file_needs_its_directory(void)
{
    check_refused(check_path("no/such/new.h5"), STOA_FILE_CREATE, STOA_ENOTFOUND, "no directory");
    check_refused(check_path("x/"), STOA_FILE_CREATE, STOA_EINVAL, "is no file name");
}

static void of_a_directory_that_takes_no_file_it_is_said_what_the_system_says(void)
{
    if (access("/proc/self", F_OK) != 0) {
        SKIP("there is no /proc");
    }
    check_refused("/proc/new.h5", STOA_FILE_CREATE, STOA_ENOTFOUND,
                  "cannot be created in '/proc': No such file or directory");
}

static void the_same_content_makes_the_same_bytes(void)
{
    unsigned char bytes[2][4096];
    size_t n[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        const char *path = check_path(i == 0 ? "one.h5" : "two.h5");
        stoa_error err = STOA_ERROR_INIT;
        stoa_file *file = open_ok(path, STOA_FILE_CREATE);
        set_value(stoa_file_id(file), "version", 1);
        CHECK_OK(stoa_file_commit(file, &err), &err);
        FILE *stream = fopen(path, "rb");
        n[i] = fread(bytes[i], 1, sizeof bytes[i], stream);
        CHECK_I64(fclose(stream), 0);
        if (i == 0) {
            (void)sleep(1); /* HDF5's times count seconds */
        }
    }
    CHECK(n[0] > 0);
    CHECK_U64(n[0], n[1]);
    CHECK_MEM(bytes[0], bytes[1], n[0]);
}

static void new_files_have_a_superblock_that_survives_killed_writers(void)
{
    const char *path = check_path("new.h5");
    stoa_error err = STOA_ERROR_INIT;
    char head[9];

    stoa_file *file = open_ok(path, STOA_FILE_CREATE);
    CHECK_OK(stoa_file_commit(file, &err), &err);
    FILE *stream = fopen(path, "rb");
    CHECK_U64(fread(head, 1, sizeof head, stream), sizeof head);
    CHECK_I64(fclose(stream), 0);
    CHECK_I64(head[8], 2); /* 3 would have consistency flags */
}

/* ---- Disk full, as a limit on the size of files --------------------------------------------- */

/* Twice what libhdf5's chunk cache holds: writes fail in H5Dwrite, in H5Dclose and in H5Fclose. */
static stoa_status write_much(hid_t file)
{
    enum { ROWS = 2048, WIDTH = 1024 };
    const hsize_t shape[2] = {ROWS, WIDTH};
    const hsize_t chunk[2] = {16, WIDTH};
    static unsigned char rows[ROWS][WIDTH];
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < ROWS; i++) {
        memset(rows[i], (int)(i * 7 + 1), WIDTH);
    }
    const hid_t space = H5Screate_simple(2, shape, NULL);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_chunk(list, 2, chunk);
    H5E_BEGIN_TRY
    {
        const hid_t dataset =
            H5Dcreate2(file, "rows", H5T_STD_U8LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
        if (dataset < 0 ||
            H5Dwrite(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) < 0) {
            status = STOA_EHDF5;
        }
        if (dataset >= 0 && H5Dclose(dataset) < 0) {
            status = STOA_EHDF5;
        }
    }
    H5E_END_TRY(void) H5Pclose(list);
    (void)H5Sclose(space);
    return status;
}

/* One try with files limited to `limit` bytes; true if it came through. */
static bool try_with_limit(const char *path, stoa_file_mode mode, rlim_t limit)
{
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    const struct rlimit limited = {limit, RLIM_INFINITY};
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = open_ok(path, mode);
    stoa_status status;

    CHECK_I64(setrlimit(RLIMIT_FSIZE, &limited), 0);
    if (write_much(stoa_file_id(file)) == STOA_OK) {
        set_value(stoa_file_id(file), "version", 2);
        status = stoa_file_commit(file, &err);
    } else {
        stoa_file_close(file);
        status = STOA_EIO;
    }
    CHECK_I64(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    CHECK(status == STOA_OK || status == STOA_EIO);
    return status == STOA_OK;
}

static void a_full_disk_leaves_the_old_file_whole(void)
{
    const char *path = check_path("a.h5");
    bool through = false;
    uint64_t n_failed = 0;

    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    for (rlim_t limit = 1024; !through; limit += limit < 16384 ? 1024 : 60011) {
        make_stock_file(path, H5F_LIBVER_V18);
        const off_t size = size_of(path);
        through = try_with_limit(path, STOA_FILE_EDIT, limit);
        CHECK_I64(stock_value(path, "version"), through ? 2 : 1);
        CHECK(through || size_of(path) == size);
        n_failed += !through;
    }
    CHECK(n_failed > 10);
}

static void a_full_disk_leaves_no_new_file(void)
{
    const char *path = check_path("new.h5");
    bool through = false;

    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    for (rlim_t limit = 16384; !through; limit += 70011) {
        through = try_with_limit(path, STOA_FILE_CREATE, limit);
        CHECK_I64(access(path, F_OK), through ? 0 : -1);
    }
    CHECK_U64(n_neighbours(path), 1);
    CHECK_I64(stock_value(path, "version"), 2);
}

static int refuse_writes(void *context, const stoa_disk_call *call)
{
    (void)context;
    return call->op == STOA_DISK_WRITE ? ENOSPC : 0;
}

/* Once libhdf5 closes, it is not told of writes in vain, however many: it would leave all open. */
static void a_full_disk_leaves_nothing_open(void)
{
    enum { CHUNK = 1 << 20, N = 80 };
    const char *path = check_path("a.h5");
    uint8_t *bytes = calloc(N, CHUNK);
    const hid_t list = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t held = CHECK_H5(H5Pcreate(H5P_DATASET_ACCESS));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){(hsize_t)N * CHUNK}, NULL));

    CHECK(bytes != NULL);
    make_stock_file(path, H5F_LIBVER_V18);
    const off_t size = size_of(path);
    CHECK_H5(H5Pset_chunk(list, 1, &(hsize_t){CHUNK}));
    CHECK_H5(H5Pset_chunk_cache(held, 997, (size_t)(N + 10) * CHUNK, 0));
    stoa_file *file = open_ok(path, STOA_FILE_EDIT);
    const hid_t data =
        CHECK_H5(H5Dcreate2(stoa_file_id(file), "d", H5T_STD_U8LE, space, H5P_DEFAULT, list, held));
    stoa_disk_watch(refuse_writes, NULL);
    CHECK_H5(H5Dwrite(data, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes));
    stoa_file_close(file);
    stoa_disk_watch(NULL, NULL);
    CHECK_I64(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    CHECK(size_of(path) == size);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(held));
    CHECK_H5(H5Pclose(list));
    free(bytes);
}

/* ---- Where data lie ------------------------------------------------------------------------- */

static int count_unaligned(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                           void *context)
{
    (void)offset;
    (void)mask;
    (void)size;
    *(int *)context += address % 64 != 0;
    return H5_ITER_CONT;
}

/* Chunks of `rows` bytes between chunks of odd sizes; returns how many lie at no multiple of 64. */
static int write_chunks(hid_t file, const char *name, hsize_t rows)
{
    enum { MAX = 20000 };
    static uint8_t bytes[MAX];
    const hid_t list = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &(hsize_t){4 * rows}, NULL));
    int n = 0;

    CHECK(rows <= MAX);
    CHECK_H5(H5Pset_chunk(list, 1, &rows));
    CHECK_H5(H5Pset_fletcher32(list)); /* what is stored may be of any size */
    const hid_t data = (hid_t)CHECK_H5(
        H5Dcreate2(file, name, H5T_STD_U8LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
    for (hsize_t i = 0; i < 4; i++) {
        const size_t size = i % 2 == 0 ? 1001 + (size_t)i : (size_t)rows;
        CHECK_H5(H5Dwrite_chunk(data, H5P_DEFAULT, i % 2, &(hsize_t){i * rows}, size, bytes));
    }
    CHECK_H5(H5Fflush(file, H5F_SCOPE_LOCAL));
    CHECK_H5(H5Dchunk_iter(data, H5P_DEFAULT, count_unaligned, &n));
    CHECK_H5(H5Dclose(data));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(list));
    return n;
}

static void large_chunks_begin_where_a_line_of_the_caches_does(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = open_ok(path, STOA_FILE_CREATE);

    CHECK_I64(write_chunks(stoa_file_id(file), "large", 20000), 2); /* those that are not */
    CHECK_OK(stoa_file_commit(file, &err), &err);
    file = open_ok(path, STOA_FILE_EDIT);
    CHECK_I64(write_chunks(stoa_file_id(file), "more", 17000), 2);
    CHECK(write_chunks(stoa_file_id(file), "small", 5001) > 0);
    CHECK_OK(stoa_file_commit(file, &err), &err);
}

/* A daemon has closed its standard streams. What somebody says on stderr goes into no file. */
static void no_file_takes_the_place_of_a_standard_stream(void)
{
    const char *const path = check_path("a.h5");
    static const stoa_file_mode modes[] = {STOA_FILE_CREATE, STOA_FILE_EDIT, STOA_FILE_SAFE,
                                           STOA_FILE_REPLACE, STOA_FILE_READ};
    const int said = dup(STDERR_FILENO);
    const int asked = dup(STDIN_FILENO);
    const char *failed = NULL;

    (void)close(STDIN_FILENO);
    (void)close(STDERR_FILENO);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        stoa_file *file = NULL;
        if (stoa_file_open(path, modes[i], &file, NULL) != STOA_OK) {
            failed = "it cannot be opened";
        } else if (write(STDERR_FILENO, "!", 1) >= 0 || write(STDIN_FILENO, "!", 1) >= 0) {
            failed = "it is a standard stream";
        }
        if (modes[i] == STOA_FILE_READ) {
            stoa_file_close(file);
        } else if (stoa_file_commit(file, NULL) != STOA_OK) {
            failed = "it cannot be committed";
        }
    }
    CHECK(dup2(said, STDERR_FILENO) >= 0 && dup2(asked, STDIN_FILENO) >= 0);
    CHECK(close(said) == 0 && close(asked) == 0);
    CHECK_STR(failed != NULL ? failed : "", "");
}

/* ---- Free space that a file lists ------------------------------------------------------------ */

enum { ELEMENTS = 100000 };

static hid_t make_dataset(hid_t file, const char *name, int value)
{
    static int values[ELEMENTS];

    for (int i = 0; i < ELEMENTS; i++) {
        values[i] = value;
    }
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ELEMENTS}, NULL));
    const hid_t dataset = CHECK_H5(
        H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Sclose(space));
    return dataset;
}

/* Where a dataset's elements lie; they are all `value`. */
static haddr_t place_of(hid_t file, const char *name, int value)
{
    static int found[ELEMENTS];
    const hid_t dataset = CHECK_H5(H5Dopen2(file, name, H5P_DEFAULT));
    const haddr_t place = H5Dget_offset(dataset);

    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (int i = 0; i < ELEMENTS; i++) {
        CHECK_I64(found[i], value);
    }
    CHECK_H5(H5Dclose(dataset));
    return place;
}

/* A file of two datasets, of which one was removed; where that lay. */
static haddr_t make_file_with_space(const char *path, H5F_fspace_strategy_t strategy)
{
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_FILE_CREATE));

    CHECK_H5(H5Pset_file_space_strategy(creation, strategy, true, 1));
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, creation, H5P_DEFAULT));
    CHECK_H5(H5Dclose(make_dataset(file, "gone", 1)));
    CHECK_H5(H5Dclose(make_dataset(file, "stays", 2)));
    const haddr_t place = place_of(file, "gone", 1);
    CHECK_H5(H5Ldelete(file, "gone", H5P_DEFAULT));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(creation));
    return place;
}

static void an_edit_does_not_believe_what_a_file_says_is_free(void)
{
    static const H5F_fspace_strategy_t strategies[] = {H5F_FSPACE_STRATEGY_FSM_AGGR,
                                                       H5F_FSPACE_STRATEGY_PAGE};

    for (int i = 0; i < 4; i++) {
        const char *const path = check_path(i < 2 ? "listed.h5" : "safe.h5");
        const haddr_t free_place = make_file_with_space(path, strategies[i % 2]);
        stoa_file *file = NULL;
        stoa_error err = STOA_ERROR_INIT;
        hsize_t free_bytes = 0;

        CHECK_OK(stoa_file_open(path, i < 2 ? STOA_FILE_EDIT : STOA_FILE_SAFE, &file, &err), &err);
        CHECK_H5(H5Dclose(make_dataset(stoa_file_id(file), "new", 3)));
        CHECK(place_of(stoa_file_id(file), "new", 3) >= free_place + 2 * sizeof(int) * ELEMENTS);
        CHECK_H5(H5Ldelete(stoa_file_id(file), "stays", H5P_DEFAULT));
        CHECK_OK(stoa_file_commit(file, &err), &err);

        /* What the edit itself made free is listed, for programs that believe it. */
        const hid_t stock = CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
        free_bytes = (hsize_t)H5Fget_freespace(stock);
        CHECK(free_bytes >= sizeof(int) * ELEMENTS);
        CHECK_H5(H5Dclose(make_dataset(stock, "newer", 4)));
        CHECK(place_of(stock, "newer", 4) < place_of(stock, "new", 3));
        CHECK_H5(H5Fclose(stock));
        CHECK_I64(remove(path), 0);
    }
}

/* ---- Memory --------------------------------------------------------------------------------- */

static const stoa_file *model;

static stoa_status make_like_it(stoa_error *err)
{
    const hid_t list = CHECK_H5(H5Fget_create_plist(stoa_file_id(model)));
    stoa_file *like = NULL;
    const stoa_status status =
        stoa_file_create_like(model, check_path("like.h5"), list, &like, err);

    CHECK((status == STOA_OK) == (like != NULL));
    stoa_file_close(like);
    CHECK_H5(H5Pclose(list));
    return status;
}

static void without_memory_no_file_is_made_like_another(void)
{
    stoa_file *file = NULL;

    CHECK_OK(stoa_file_open(check_path("model.h5"), STOA_FILE_CREATE, &file, NULL));
    model = file;
    CHECK(sweep_memory(make_like_it) >= 3);
    stoa_file_close(file);
}

TEST_MAIN(
    TEST(without_memory_no_file_is_made_like_another),
    TEST(no_file_takes_the_place_of_a_standard_stream),
    TEST(a_file_is_read_under_the_name_it_was_given),
    TEST(large_chunks_begin_where_a_line_of_the_caches_does),
    TEST(each_kind_of_bad_file_has_its_own_status_and_line),
    TEST(every_length_of_a_cut_file_is_refused),
    TEST(a_superblock_from_the_future_is_a_version_problem), TEST(a_file_one_may_not_read_says_so),
    TEST(a_user_block_before_the_file_is_skipped), TEST(a_stock_writer_keeps_the_file_to_itself),
    TEST(locks_are_left_out_where_the_user_says_so), TEST(a_mark_of_a_killed_writer_is_explained),
    TEST(a_file_of_a_swmr_writer_is_read_and_not_edited),
    TEST(damage_under_the_mark_of_a_swmr_writer_is_found_soon),
    TEST(a_file_of_a_swmr_writer_is_refused_on_a_network_file_system),

    TEST(a_commit_is_seen_by_stock_programs), TEST(closing_without_commit_changes_nothing),
    TEST(what_was_written_is_read_back_before_the_commit),
    TEST(an_edit_does_not_believe_what_a_file_says_is_free),
    TEST(a_commit_of_nothing_leaves_every_byte_and_the_time),
    TEST(a_forgotten_id_is_an_error_and_discards), TEST(an_id_closed_behind_our_back_is_an_error),
    TEST(garbage_of_a_killed_program_is_cut_off),
    TEST(a_linked_file_is_opened_to_read_and_only_where_that_is_asked_for),
    TEST(a_new_file_appears_at_commit_and_alone), TEST(a_new_file_that_is_not_committed_never_was),
    TEST(a_taken_name_is_refused_at_open_and_at_commit), TEST(a_new_file_needs_its_directory),
    TEST(of_a_directory_that_takes_no_file_it_is_said_what_the_system_says),
    TEST(the_same_content_makes_the_same_bytes),
    TEST(new_files_have_a_superblock_that_survives_killed_writers),
    TEST(a_full_disk_leaves_the_old_file_whole), TEST(a_full_disk_leaves_no_new_file),
    TEST(a_full_disk_leaves_nothing_open))
