/* Files that may be read past libhdf5, and what of them: src/hdf/file/descriptor.c, read_context.c.
 */
#include "hdf/file/descriptor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/memory.h"
#include "hdf/journal/disk.h"
#include "hdf/read/read_context.h"
#include "support/check.h"

enum { ROWS = 3000 };

static void make_file(const char *name, hsize_t user_block)
{
    const hid_t fcpl = CHECK_H5(H5Pcreate(H5P_FILE_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ROWS}, NULL));
    int32_t rows[ROWS];

    for (int32_t i = 0; i < ROWS; i++) {
        rows[i] = 5 * i + 1;
    }
    CHECK_H5(H5Pset_userblock(fcpl, user_block));
    const hid_t file = CHECK_H5(H5Fcreate(check_path(name), H5F_ACC_TRUNC, fcpl, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(
        H5Dcreate2(file, "d", H5T_NATIVE_INT32, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(fcpl));
}

static uint64_t size_of(const char *name)
{
    const int fd = open(check_path(name), O_RDONLY);
    uint64_t size = 0;

    CHECK_I64(stoa_disk_size(fd, &size), 0);
    CHECK_I64(close(fd), 0);
    return size;
}

/* How a dataset's file is opened once more: whether it is, and its size and user block. */
static void check_opened(hid_t file, bool is_opened, uint64_t size, uint64_t user_block)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    stoa_descriptor descriptor;
    stoa_error err = STOA_ERROR_INIT;
    int32_t row = 0;

    CHECK_OK(stoa_descriptor_open(&descriptor, dataset, &err), &err);
    CHECK((descriptor.fd >= 0) == is_opened);
    if (is_opened) {
        const uint64_t start = H5Dget_offset(dataset);
        CHECK_U64(descriptor.size, size);
        CHECK_U64(descriptor.user_block, user_block);
        CHECK_I64(stoa_disk_read_whole(descriptor.fd, start + 4, &row, 4), 0);
        CHECK_I64(row, 6);
        CHECK((fcntl(descriptor.fd, F_GETFD) & FD_CLOEXEC) != 0);
        CHECK((fcntl(descriptor.fd, F_GETFL) & O_ACCMODE) == O_RDONLY);
    }
    stoa_descriptor_close(&descriptor);
    CHECK(descriptor.fd == -1 && descriptor.map == NULL);
    CHECK_H5(H5Dclose(dataset));
}

static hid_t access_list(void)
{
    return CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
}

static void open_with(unsigned flags, hid_t fapl, bool is_opened, uint64_t size,
                      uint64_t user_block)
{
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), flags, fapl));

    CHECK(stoa_file_of_is_read_only(file) == (flags == H5F_ACC_RDONLY));
    check_opened(file, is_opened, size, user_block);
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(fapl));
}

static void one_file_of_the_system_that_is_only_read_is_opened_once_more(void)
{
    for (hsize_t user_block = 0; user_block <= 1024; user_block += 1024) {
        make_file("a.h5", user_block);
        const uint64_t size = size_of("a.h5");
        hid_t fapl = access_list();
        CHECK_H5(H5Pset_fapl_sec2(fapl));
        open_with(H5F_ACC_RDONLY, fapl, true, size, user_block);
        fapl = access_list();
        CHECK_H5(H5Pset_fapl_stdio(fapl));
        open_with(H5F_ACC_RDONLY, fapl, true, size, user_block);
        open_with(H5F_ACC_RDWR, access_list(), false, 0, 0);
        fapl = access_list();
        CHECK_H5(H5Pset_fapl_core(fapl, 4096, false));
        open_with(H5F_ACC_RDONLY, fapl, false, 0, 0);
        /* What another program prepares behind its end is not looked at. */
        CHECK_I64(truncate(check_path("a.h5"), (off_t)size + 5000), 0);
        open_with(H5F_ACC_RDONLY, access_list(), true, size, user_block);
    }
}

/* It takes no lock along, and shares none. */
static void it_leaves_libhdf5s_lock_alone(void)
{
    make_file("a.h5", 0);
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    stoa_descriptor descriptor;

    CHECK_OK(stoa_descriptor_open(&descriptor, dataset, NULL));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    const int fd = open(check_path("a.h5"), O_RDWR);
    CHECK_I64(flock(fd, LOCK_EX | LOCK_NB), 0);
    CHECK_I64(close(fd), 0);
    stoa_descriptor_close(&descriptor);
}

/* A dataset of a file that is mounted may show the id of the one that it is mounted on. */
static void a_mounted_file_is_not_the_one_it_is_mounted_on(void)
{
    make_file("a.h5", 0);
    make_file("b.h5", 512);
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t other = CHECK_H5(H5Fopen(check_path("b.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_descriptor descriptor;

    CHECK_H5(H5Fmount(file, "g", other, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "g/d", H5P_DEFAULT));
    CHECK_OK(stoa_descriptor_open(&descriptor, dataset, NULL));
    CHECK(descriptor.fd == -1 || descriptor.user_block == 512);
    stoa_descriptor_close(&descriptor);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Funmount(file, "g"));
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

/* Whether the process has a file of that name mapped; false where the system does not tell. */
static bool is_mapped(const char *name)
{
    char line[1024];
    bool is = false;
    FILE *const maps = fopen("/proc/self/maps", "r");

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        is = is || strstr(line, name) != NULL;
    }
    if (maps != NULL) {
        (void)fclose(maps);
    }
    return is;
}

static void a_map_goes_with_its_last_holder(void)
{
    make_file("mapped-once.h5", 0);
    const hid_t file = CHECK_H5(H5Fopen(check_path("mapped-once.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    stoa_descriptor descriptor;

    CHECK_OK(stoa_descriptor_open(&descriptor, dataset, NULL));
    stoa_descriptor_map(&descriptor);
    stoa_file_map *const map = stoa_file_map_hold(descriptor.map);
    const bool is_told = is_mapped("mapped-once.h5");
    stoa_descriptor_close(&descriptor);
    CHECK(is_mapped("mapped-once.h5") == is_told);
    stoa_file_map_release(map);
    CHECK(!is_mapped("mapped-once.h5"));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void a_map_has_the_files_bytes_but_for_few_of_them(void)
{
    enum { LEAST = 4096 };
    make_file("a.h5", 0);
    const uint64_t size = size_of("a.h5");
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    const uint64_t start = H5Dget_offset(dataset);
    stoa_descriptor descriptor;

    CHECK_OK(stoa_descriptor_open(&descriptor, dataset, NULL));
    CHECK(stoa_descriptor_mapped(&descriptor, start, LEAST) == NULL);
    stoa_descriptor_map(&descriptor);
    stoa_file_map *const map = descriptor.map;
    CHECK(map != NULL);
    stoa_descriptor_map(&descriptor);
    CHECK(descriptor.map == map); /* once is enough */
    const uint8_t *bytes = stoa_descriptor_mapped(&descriptor, start, LEAST);
    CHECK(bytes != NULL && memcmp(bytes + 4, &(int32_t){6}, 4) == 0);
    CHECK(stoa_descriptor_mapped(&descriptor, start, LEAST - 1) == NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, 0, size) != NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, 0, size + 1) == NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, 1, size) == NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, size - LEAST, LEAST) != NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, size - LEAST + 1, LEAST) == NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, size, LEAST) == NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, size + 1, LEAST) == NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, UINT64_MAX, LEAST) == NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, LEAST, UINT64_MAX) == NULL);
    CHECK_I64(truncate(check_path("a.h5"), (off_t)size - 1), 0);
    CHECK(stoa_descriptor_mapped(&descriptor, 0, size) == NULL);
    CHECK(stoa_descriptor_mapped(&descriptor, 0, size - 1) != NULL);
    stoa_descriptor_close(&descriptor);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));

    descriptor = (stoa_descriptor)STOA_DESCRIPTOR_INIT;
    descriptor.size = 5000;
    stoa_descriptor_map(&descriptor); /* of no file */
    CHECK(descriptor.map == NULL);
    stoa_file_map_release(NULL);
    descriptor.fd = open(check_path("a.h5"), O_RDONLY);
    descriptor.size = 0;
    stoa_descriptor_map(&descriptor);
    CHECK(descriptor.map == NULL);
    descriptor.size = 5000;
    stoa_memory_fail_after(0);
    stoa_descriptor_map(&descriptor);
    stoa_memory_fail_after(UINT64_MAX);
    CHECK(descriptor.map == NULL);
    stoa_descriptor_close(&descriptor);
}

/* --- shelves --------------------------------------------------------------------------------- */

static void a_shelf_opens_each_file_once(void)
{
    stoa_read_context *read_context = NULL;
    const stoa_descriptor *found[4];
    hid_t files[2];
    hid_t datasets[2];

    make_file("a.h5", 0);
    make_file("b.h5", 512);
    CHECK_OK(stoa_read_context_open(&read_context, NULL));
    for (size_t i = 0; i < 2; i++) {
        files[i] =
            CHECK_H5(H5Fopen(check_path(i == 0 ? "a.h5" : "b.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
        datasets[i] = CHECK_H5(H5Dopen2(files[i], "d", H5P_DEFAULT));
    }
    for (size_t i = 0; i < 4; i++) {
        CHECK_OK(stoa_read_context_descriptor(read_context, datasets[i % 2], &found[i], NULL));
        CHECK(found[i]->fd >= 0 && found[i]->map == NULL);
        CHECK_U64(found[i]->user_block, i % 2 == 0 ? 0 : 512);
    }
    CHECK(found[0] == found[2] && found[1] == found[3] && found[0] != found[1]);
    stoa_read_context_map(read_context);
    CHECK(found[0]->map != NULL && found[1]->map != NULL);
    for (size_t i = 0; i < 2; i++) {
        CHECK_H5(H5Dclose(datasets[i]));
        CHECK_H5(H5Fclose(files[i]));
    }
    stoa_read_context_close(read_context);
    stoa_read_context_close(NULL);
    /* One that maps maps those that it meets. */
    CHECK_OK(stoa_read_context_open(&read_context, NULL));
    stoa_read_context_map(read_context);
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK_OK(stoa_read_context_descriptor(read_context, dataset, &found[0], NULL));
    CHECK(found[0]->map != NULL);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    stoa_read_context_close(read_context);
}

/* No more than 16 buffers, of 16 MiB together. */
static void buffers_are_kept_up_to_a_number_and_a_size(void)
{
    enum { MOST = 16 };
    stoa_read_context *read_context = NULL;
    stoa_scratch all[MOST + 1] = {{.blocks = {NULL}}};
    size_t n_back = 0;

    CHECK_OK(stoa_read_context_open(&read_context, NULL));
    for (size_t i = 0; i <= MOST; i++) {
        CHECK(stoa_scratch_block(&all[i], 2, 1000) != NULL);
        all[i].kept = read_context;
    }
    for (size_t i = 0; i <= MOST; i++) {
        stoa_read_context_return(read_context, &all[i]);
        CHECK(all[i].blocks[2] == NULL);
    }
    for (size_t i = 0; i <= MOST; i++) {
        all[i] = stoa_read_context_borrow(read_context);
        CHECK(all[i].kept == NULL);
        n_back += all[i].blocks[2] != NULL;
    }
    CHECK_U64(n_back, MOST);
    for (size_t i = 0; i <= MOST; i++) {
        stoa_scratch_clear(&all[i]);
    }
    for (size_t n = 3; n <= 5; n++) { /* of four MiB each: four */
        for (size_t i = 0; i < n; i++) {
            CHECK(stoa_scratch_block(&all[i], 0, ((size_t)4 << 20) - 64) != NULL);
        }
        const size_t each = all[0].sizes[0];
        for (size_t i = 0; i < n; i++) {
            stoa_read_context_return(read_context, &all[i]);
        }
        n_back = 0;
        for (size_t i = 0; i < n; i++) {
            all[i] = stoa_read_context_borrow(read_context);
            n_back += all[i].blocks[0] != NULL;
        }
        const size_t most = ((size_t)16 << 20) / each;
        CHECK_U64(n_back, n < most ? n : most);
        for (size_t i = 0; i < n; i++) {
            stoa_scratch_clear(&all[i]);
        }
    }
    stoa_scratch none = {.blocks = {NULL}}; /* an empty one is none */
    stoa_read_context_return(read_context, &none);
    CHECK(stoa_read_context_borrow(read_context).blocks[0] == NULL);
    stoa_read_context_close(read_context);
}

static hid_t swept;

static stoa_status find_descriptor(stoa_error *err)
{
    stoa_read_context *read_context = NULL;
    const stoa_descriptor *found = NULL;
    stoa_status status = stoa_read_context_open(&read_context, err);

    status =
        status == STOA_OK ? stoa_read_context_descriptor(read_context, swept, &found, err) : status;
    CHECK((status == STOA_OK) == (found != NULL));
    stoa_read_context_close(read_context);
    return status;
}

static void memory_may_run_out(void)
{
    make_file("a.h5", 0);
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    uint64_t n = 0;

    swept = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    for (stoa_status status = STOA_ENOMEM; status != STOA_OK; n++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_memory_fail_after(n);
        status = find_descriptor(&err);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(status == STOA_OK || status == STOA_ENOMEM);
    }
    CHECK_U64(n, 5); /* the read context, its cache and the blocks of that, and a file of it */
    CHECK_H5(H5Dclose(swept));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(one_file_of_the_system_that_is_only_read_is_opened_once_more),
          TEST(it_leaves_libhdf5s_lock_alone), TEST(a_mounted_file_is_not_the_one_it_is_mounted_on),
          TEST(a_map_goes_with_its_last_holder),
          TEST(a_map_has_the_files_bytes_but_for_few_of_them), TEST(a_shelf_opens_each_file_once),
          TEST(buffers_are_kept_up_to_a_number_and_a_size), TEST(memory_may_run_out))
