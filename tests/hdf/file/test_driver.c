/* The driver's calls, each for itself, as libhdf5 makes them: src/hdf/file/driver.c. */
#include "hdf/file/driver.h"

#include <H5FDdevelop.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "hdf/file/descriptor.h"
#include "hdf/journal/disk.h"
#include "support/check.h"

/* One file opened through the driver. */
typedef struct opened {
    int fd;
    stoa_journal *journal;
    hid_t fapl;
    hid_t driver;
    H5FD_t *file;
} opened;

static const stoa_superblock none;

static opened open_through(int fd, uint64_t published, bool is_plain,
                           const stoa_superblock *superblock, const stoa_other_files *elsewhere)
{
    opened o = {.fd = fd, .driver = H5I_INVALID_HID};
    stoa_error err = STOA_ERROR_INIT;

    CHECK(fd >= 0);
    CHECK_OK(is_plain ? stoa_journal_plain(fd, &o.journal, &err)
                      : stoa_journal_begin(fd, published, &o.journal, &err),
             &err);
    o.fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    CHECK_OK(stoa_driver_use(o.fapl, o.journal, superblock, elsewhere, &o.driver, &err), &err);
    o.file = H5FDopen("any name", H5F_ACC_RDWR, o.fapl, HADDR_UNDEF);
    CHECK(o.file != NULL);
    return o;
}

static void close_it(opened *o)
{
    CHECK_H5(H5FDclose(o->file));
    CHECK_H5(H5Pclose(o->fapl));
    stoa_driver_drop(&o->driver);
    CHECK_I64(o->driver, H5I_INVALID_HID);
    stoa_journal_end_transaction(o->journal);
    CHECK_I64(close(o->fd), 0);
}

static int make_file(const char *name, const char *text)
{
    const int fd = open(check_path(name), O_RDWR | O_CREAT | O_TRUNC, 0644);

    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    return fd;
}

/* What libhdf5 says of the call that failed last. */
static void check_failed(bool failed, const char *words)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK(failed);
    CHECK_STATUS(STOA_EHDF5, stoa_hdf_fail(&err, "do it"), &err);
    CHECK_CONTAINS(err.message, words);
}

#define CHECK_FAILED(call, words)                                                                  \
    do {                                                                                           \
        const stoa_error_stack errors = stoa_error_stack_begin();                                  \
        const bool failed = (call);                                                                \
        stoa_error_stack_end(&errors);                                                             \
        check_failed(failed, words);                                                               \
    } while (0)

/* ---- Tests ---------------------------------------------------------------------------------- */

static void bytes_go_to_the_journal_and_come_from_it(void)
{
    const stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;
    opened o = open_through(make_file("a", "0123456789"), 10, false, &none, &elsewhere);
    char found[12] = "";

    CHECK(H5FDis_driver_registered_by_value(497) > 0);
    CHECK_U64(H5FDget_eof(o.file, H5FD_MEM_DEFAULT), 10);
    CHECK_H5(H5FDset_eoa(o.file, H5FD_MEM_DEFAULT, 20));
    CHECK_U64(H5FDget_eoa(o.file, H5FD_MEM_DEFAULT), 20);
    CHECK_U64(stoa_journal_end(o.journal), 20);
    CHECK_H5(H5FDwrite(o.file, H5FD_MEM_DRAW, H5P_DEFAULT, 4, 3, "abc"));
    CHECK_H5(H5FDwrite(o.file, H5FD_MEM_SUPER, H5P_DEFAULT, 10, 2, "de"));
    CHECK_H5(H5FDread(o.file, H5FD_MEM_DRAW, H5P_DEFAULT, 0, 12, found));
    CHECK_MEM(found, "0123abc789de", 12);
    CHECK_U64(H5FDget_eof(o.file, H5FD_MEM_DEFAULT), 12);
    CHECK_I64(pread(o.fd, found, 10, 0), 10);
    CHECK_MEM(found, "0123456789", 10); /* what was published waits for the commit */
    CHECK_H5(H5FDtruncate(o.file, H5P_DEFAULT, true));
    CHECK_H5(H5FDlock(o.file, true)); /* nor is any lock taken: its caller has it */
    const int other = open(check_path("a"), O_RDONLY);
    CHECK_I64(flock(other, LOCK_EX | LOCK_NB), 0);
    CHECK_H5(H5FDunlock(o.file));
    CHECK_I64(close(other), 0);
    close_it(&o);
}

static int refuse(void *context, const stoa_disk_call *call)
{
    (void)context;
    (void)call;
    return EIO;
}

static void what_fails_is_told_in_libhdf5s_words(void)
{
    const stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;
    opened o = open_through(make_file("a", "0123456789"), 10, false, &none, &elsewhere);
    char found[4] = "";
    uint8_t *const much = calloc(1, (size_t)65 << 20);

    CHECK(much != NULL);
    CHECK_H5(H5FDset_eoa(o.file, H5FD_MEM_DEFAULT, (haddr_t)1 << 40));
    stoa_disk_watch_reads(refuse, NULL);
    CHECK_FAILED(H5FDread(o.file, H5FD_MEM_DRAW, H5P_DEFAULT, 0, 4, found) < 0,
                 "read: Input/output error");
    stoa_disk_watch_reads(NULL, NULL);
    CHECK_FAILED(H5FDwrite(o.file, H5FD_MEM_DRAW, H5P_DEFAULT, 0, (size_t)65 << 20, much) < 0,
                 "write: Input/output error");
    free(much);
    close_it(&o);
}

static void blocks_that_lead_libhdf5_astray_are_refused(void)
{
    const stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;
    const stoa_superblock wide = {.length_size = 8, .address_size = 8, .chunk_tree_k = 32};
    char heap[33] = "GCOL\1...\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const int fd = make_file("a", "");
    char found[32];

    CHECK_I64(pwrite(fd, heap, 32, 0), 32); /* its one object leads to itself */
    opened o = open_through(fd, 32, true, &wide, &elsewhere);
    CHECK_H5(H5FDset_eoa(o.file, H5FD_MEM_DEFAULT, 32));
    CHECK_FAILED(H5FDread(o.file, H5FD_MEM_GHEAP, H5P_DEFAULT, 0, 32, found) < 0,
                 "a global heap is damaged");
    CHECK_FAILED(H5FDread(o.file, H5FD_MEM_DRAW, H5P_DEFAULT, 0, 32, found) < 0,
                 "a global heap is damaged");
    CHECK_H5(H5FDread(o.file, H5FD_MEM_OHDR, H5P_DEFAULT, 0, 32, found));
    CHECK_MEM(found, heap, 32);
    close_it(&o);
}

/* An object header of version 1 has no signature: it is known by what it is read as. */
static void an_object_without_a_signature_is_one_where_objects_are_read(void)
{
    const stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;
    const stoa_superblock wide = {.length_size = 8, .address_size = 8, .chunk_tree_k = 32};
    uint8_t header[40] = {1, 0, 1, 0, 1, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 8, 0, 16};
    const int fd = make_file("a", "");
    char found[40];

    CHECK_I64(pwrite(fd, header, sizeof header, 0), sizeof header); /* a layout without a space */
    opened o = open_through(fd, sizeof header, true, &wide, &elsewhere);
    CHECK_H5(H5FDset_eoa(o.file, H5FD_MEM_DEFAULT, sizeof header));
    CHECK_FAILED(H5FDread(o.file, H5FD_MEM_OHDR, H5P_DEFAULT, 0, 40, found) < 0,
                 "an object header is damaged");
    CHECK_H5(H5FDread(o.file, H5FD_MEM_BTREE, H5P_DEFAULT, 0, 40, found));
    close_it(&o);
}

/* Of a handle that has nothing in memory only, and to who asks by the property. */
static void the_descriptor_is_told_where_bytes_are_the_files(void)
{
    const stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;

    for (int is_plain = 0; is_plain < 2; is_plain++) {
        opened o = open_through(make_file("a", "0123456789"), 10, is_plain, &none, &elsewhere);
        const hid_t list = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
        stoa_other_files where = {.is_followed = true};
        stoa_other_files *where_to = &where;
        int fd = -1;
        int *answer = &fd;
        void *handle = NULL;
        const stoa_error_stack errors = stoa_error_stack_begin();

        CHECK(H5FDget_vfd_handle(o.file, H5P_DEFAULT, &handle) < 0);
        CHECK(H5FDget_vfd_handle(o.file, list, &handle) < 0);
        CHECK(handle == NULL);
        CHECK_H5(H5Pinsert2(list, STOA_DESCRIPTOR_QUESTION, sizeof answer, (void *)&answer, NULL,
                            NULL, NULL, NULL, NULL, NULL));
        CHECK((H5FDget_vfd_handle(o.file, list, &handle) >= 0) == (is_plain != 0));
        CHECK_I64(fd, is_plain ? o.fd : -1);
        CHECK(handle == (is_plain ? (void *)answer : NULL));
        answer = NULL;
        CHECK_H5(H5Pset(list, STOA_DESCRIPTOR_QUESTION, (void *)&answer));
        CHECK(H5FDget_vfd_handle(o.file, list, &handle) < 0);
        CHECK_H5(H5Pinsert2(list, STOA_OTHER_FILES_QUESTION, sizeof where_to, (void *)&where_to,
                            NULL, NULL, NULL, NULL, NULL, NULL));
        CHECK_H5(H5FDget_vfd_handle(o.file, list, &handle));
        CHECK(!where.is_followed);
        CHECK(handle == (void *)where_to);
        CHECK_F64(where.patience.seconds, 60);
        where_to = NULL;
        CHECK_H5(H5Pset(list, STOA_OTHER_FILES_QUESTION, (void *)&where_to));
        CHECK(H5FDget_vfd_handle(o.file, list, &handle) < 0);
        stoa_error_stack_end(&errors);
        CHECK_H5(H5Pclose(list));
        close_it(&o);
    }
}

static void libhdf5_may_keep_room_but_not_blocks_beside_each_other(void)
{
    const stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;
    opened o = open_through(make_file("a", ""), 0, false, &none, &elsewhere);
    unsigned long flags = 0;

    CHECK_H5(H5FDquery(o.file, &flags));
    CHECK((flags & H5FD_FEAT_AGGREGATE_METADATA) != 0);
    CHECK((flags & H5FD_FEAT_AGGREGATE_SMALLDATA) != 0);
    CHECK((flags & H5FD_FEAT_DATA_SIEVE) != 0);
    CHECK((flags & H5FD_FEAT_DEFAULT_VFD_COMPATIBLE) != 0);
    CHECK((flags & H5FD_FEAT_ACCUMULATE_METADATA) == 0);
    CHECK((flags & H5FD_FEAT_POSIX_COMPAT_HANDLE) == 0);
    close_it(&o);
}

/* ---- Other files ---------------------------------------------------------------------------- */

/* As libhdf5 opens what a file leads to. */
static hid_t list_of_others(const stoa_other_files *elsewhere, hid_t *driver)
{
    const hid_t list = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_OK(stoa_driver_use(list, NULL, &none, elsewhere, driver, NULL));
    return list;
}

/* What a link leads to: to read, where that was asked for, and only what HDF5 is. */
static void other_files_are_opened_to_read_where_they_may_be(void)
{
    stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;
    const hid_t made =
        CHECK_H5(H5Fcreate(check_path("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const char *const name = check_path("other.h5");
    hid_t driver = H5I_INVALID_HID;
    uint8_t found[8];
    uint64_t size = 0;

    CHECK_H5(H5Fclose(made));
    hid_t list = list_of_others(&elsewhere, &driver);
    CHECK_FAILED(H5FDopen(name, H5F_ACC_RDONLY, list, HADDR_UNDEF) == NULL,
                 "open: Permission denied");
    CHECK_H5(H5Pclose(list));
    stoa_driver_drop(&driver);
    CHECK_OK(stoa_other_files_below(name, &elsewhere, NULL));
    list = list_of_others(&elsewhere, &driver);
    const unsigned writing[] = {H5F_ACC_RDWR, H5F_ACC_RDWR | H5F_ACC_TRUNC,
                                H5F_ACC_RDWR | H5F_ACC_CREAT, H5F_ACC_CREAT, H5F_ACC_TRUNC};
    for (size_t i = 0; i < sizeof writing / sizeof writing[0]; i++) {
        CHECK_FAILED(H5FDopen(name, writing[i], list, HADDR_UNDEF) == NULL,
                     "open: Read-only file system");
    }
    const int text = make_file("text", "no HDF5 file at all");
    CHECK_FAILED(H5FDopen(check_path("text"), H5F_ACC_RDONLY, list, HADDR_UNDEF) == NULL,
                 "open: Input/output error");
    CHECK_I64(close(text), 0);
    CHECK_FAILED(H5FDopen(check_path("none"), H5F_ACC_RDONLY, list, HADDR_UNDEF) == NULL,
                 "open: No such file");

    H5FD_t *const other = H5FDopen(name, H5F_ACC_RDONLY, list, HADDR_UNDEF);
    CHECK(other != NULL);
    const int fd = open(name, O_RDWR);
    CHECK_I64(stoa_disk_size(fd, &size), 0);
    CHECK_U64(H5FDget_eof(other, H5FD_MEM_DEFAULT), size);
    CHECK_H5(H5FDset_eoa(other, H5FD_MEM_DEFAULT, size));
    CHECK_H5(H5FDread(other, H5FD_MEM_SUPER, H5P_DEFAULT, 0, 8, found));
    CHECK_MEM(found, "\x89HDF\r\n\x1a\n", 8);
    CHECK_H5(H5FDlock(other, false)); /* a lock of its own */
    CHECK_I64(flock(fd, LOCK_EX | LOCK_NB), -1);
    CHECK_H5(H5FDunlock(other));
    CHECK_I64(flock(fd, LOCK_EX | LOCK_NB), 0);
    CHECK_FAILED(H5FDlock(other, false) < 0, "lock: Resource temporarily unavailable");
    CHECK_I64(close(fd), 0);
    CHECK_H5(H5FDclose(other));
    CHECK_H5(H5Pclose(list));
    stoa_driver_drop(&driver);
}

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

static const char *make_hdf5(const char *path)
{
    CHECK_H5(H5Fclose(CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT))));
    return path;
}

/* Of one driver, by device and number, whatever they are called. */
static void files_are_compared_by_what_they_are(void)
{
    const stoa_other_files anywhere = {.is_followed = true, .directory = ""};
    char far[64];
    hid_t driver = H5I_INVALID_HID;
    const hid_t list = list_of_others(&anywhere, &driver);
    const char *const a = make_hdf5(check_path("a.h5"));
    const char *const b = make_hdf5(check_path("b.h5"));
    const char *const link = check_path("link.h5");
    H5FD_t *files[6];

    /* On a file system of its own, where there is one. */
    (void)snprintf(far, sizeof far, "/dev/shm/stoa-test-%ld.h5", (long)getpid());
    const bool has_far = access("/dev/shm", W_OK) == 0;
    CHECK_I64(symlink("a.h5", link), 0);
    const char *const names[] = {a, a, link, b, b, has_far ? make_hdf5(far) : b};
    static const int kinds[] = {0, 0, 0, 1, 1, 2};
    for (size_t i = 0; i < 6; i++) {
        files[i] = H5FDopen(names[i], H5F_ACC_RDONLY, list, HADDR_UNDEF);
        CHECK(files[i] != NULL);
    }
    (void)unlink(far);
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < 6; k++) {
            const int order = sign(H5FDcmp(files[i], files[k]));
            CHECK((order == 0) == (kinds[i] == kinds[k] || (!has_far && i > 2 && k > 2)));
            CHECK_I64(sign(H5FDcmp(files[k], files[i])), -order);
        }
    }
    if (has_far) { /* devices come first */
        CHECK_I64(sign(H5FDcmp(files[0], files[5])), sign(H5FDcmp(files[3], files[5])));
    }
    for (size_t i = 0; i < 6; i++) {
        CHECK_H5(H5FDclose(files[i]));
    }
    CHECK_H5(H5Pclose(list));
    stoa_driver_drop(&driver);
}

TEST_MAIN(TEST(bytes_go_to_the_journal_and_come_from_it),
          TEST(what_fails_is_told_in_libhdf5s_words),
          TEST(blocks_that_lead_libhdf5_astray_are_refused),
          TEST(an_object_without_a_signature_is_one_where_objects_are_read),
          TEST(the_descriptor_is_told_where_bytes_are_the_files),
          TEST(files_are_compared_by_what_they_are),
          TEST(libhdf5_may_keep_room_but_not_blocks_beside_each_other),
          TEST(other_files_are_opened_to_read_where_they_may_be))
