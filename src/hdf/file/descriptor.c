#include "hdf/file/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/memory.h"
#include "hdf/file/driver.h"
#include "hdf/journal/disk.h"

/* The first access to a mapped page costs as much as reading 64 KiB, because the system maps its
 * neighbours as well. Scattered single rows are read instead. */
static const uint64_t least_mapped_bytes = 4096;

struct stoa_file_map {
    void *bytes;
    size_t n_bytes;
    atomic_size_t n_holders;
};

static bool is_read_only(hid_t file)
{
    unsigned intent = H5F_ACC_RDWR;

    return H5Fget_intent(file, &intent) >= 0 && intent == H5F_ACC_RDONLY;
}

bool stoa_file_of_is_read_only(hid_t object)
{
    hid_t file = H5Iget_file_id(object);
    const bool is_so = file >= 0 && is_read_only(file);

    (void)stoa_hdf_close(&file, STOA_OK, NULL);
    return is_so;
}

/* Whether a dataset is stored in this file. For one in a mounted file, libhdf5 gives the id of the
 * file that it is mounted on. */
static bool is_in(hid_t dataset, hid_t file)
{
    H5O_info2_t info;
    unsigned long number = 0;

    return H5Oget_info3(dataset, &info, H5O_INFO_BASIC) >= 0 && H5Fget_fileno(file, &number) >= 0 &&
           info.fileno == number;
}

int stoa_descriptor_raise(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO) {
        return fd;
    }
    const int raised = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int failed = errno;
    (void)close(fd);
    errno = failed;
    return raised;
}

/* The descriptor that libhdf5 uses; -1 if there is none. */
static int fd_under(hid_t file)
{
    void *handle = NULL;
    int fd = -1;
    hid_t access_list = H5Fget_access_plist(file);
    const hid_t driver = access_list >= 0 ? H5Pget_driver(access_list) : H5I_INVALID_HID;

    if (driver < 0) {
        fd = -1;
    } else if (driver == H5FD_SEC2) {
        fd = H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 ? *(int *)handle : -1;
    } else if (driver == H5FD_STDIO) {
        fd = H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 ? fileno(*(FILE **)handle) : -1;
    } else {
        (void)stoa_driver_descriptor(file, &fd);
    }
    (void)stoa_hdf_close(&access_list, STOA_OK, NULL);
    return fd;
}

/* Open the same file anew if the system can. A duplicate would share libhdf5's lock, and keep it
 * after libhdf5 has closed the file. */
static int open_again(int fd)
{
    char name[64];

    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const int again = open(name, O_RDONLY | O_CLOEXEC);
    return again >= 0 ? again : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static uint64_t user_block_of(hid_t file)
{
    hsize_t size = 0;
    hid_t creation = H5Fget_create_plist(file);

    if (creation < 0 || H5Pget_userblock(creation, &size) < 0) {
        size = 0;
    }
    (void)stoa_hdf_close(&creation, STOA_OK, NULL);
    return size;
}

/* Exclude bytes past the end of the HDF5 data. A writer prepares changes there, and may truncate
 * them while we read. */
static void limit_to_published(stoa_descriptor *descriptor, hid_t file)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    haddr_t end = 0;

    if (H5Fget_eoa(file, &end) >= 0 && end < descriptor->size) { /* includes the user block */
        descriptor->size = end;
    }
    stoa_error_stack_end(&errors);
}

stoa_status stoa_descriptor_open(stoa_descriptor *descriptor, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t file = H5I_INVALID_HID;
    const stoa_error_stack errors = stoa_error_stack_begin();

    *descriptor = (stoa_descriptor)STOA_DESCRIPTOR_INIT;
    file = H5Iget_file_id(dataset);
    if (file >= 0 && is_read_only(file) && is_in(dataset, file)) {
        const int fd = fd_under(file);
        descriptor->fd = fd >= 0 ? open_again(fd) : -1;
        descriptor->user_block = user_block_of(file);
    }
    stoa_error_stack_discard(&errors);
    if (descriptor->fd >= 0) {
        const int failed = stoa_disk_size(descriptor->fd, &descriptor->size);
        if (failed != 0) {
            STOA_TRY(stoa_fail_errno(err, failed, "cannot find out the size of the file"));
        }
        limit_to_published(descriptor, file);
    }

done:
    status = stoa_hdf_close(&file, status, err);
    if (status != STOA_OK) {
        stoa_descriptor_close(descriptor);
    }
    return status;
}

/* Pages are not populated in advance (MADV_POPULATE_READ), because that takes as long as the page
 * faults. */
void stoa_descriptor_map(stoa_descriptor *descriptor)
{
    const size_t n_bytes = (size_t)descriptor->size;

    if (descriptor->fd < 0 || descriptor->map != NULL || n_bytes == 0 ||
        n_bytes != descriptor->size) {
        return;
    }
    stoa_file_map *const made = stoa_alloc_zero(1, sizeof *made);
    void *const bytes =
        made != NULL ? mmap(NULL, n_bytes, PROT_READ, MAP_SHARED, descriptor->fd, 0) : MAP_FAILED;
    if (bytes == MAP_FAILED) {
        free(made);
        return;
    }
    made->bytes = bytes;
    made->n_bytes = n_bytes;
    atomic_init(&made->n_holders, 1);
    descriptor->map = made;
}

stoa_file_map *stoa_file_map_hold(stoa_file_map *map)
{
    atomic_fetch_add(&map->n_holders, 1);
    return map;
}

void stoa_file_map_release(stoa_file_map *map)
{
    if (map != NULL && atomic_fetch_sub(&map->n_holders, 1) == 1) {
        (void)munmap(map->bytes, map->n_bytes);
        free(map);
    }
}

const uint8_t *stoa_descriptor_mapped(const stoa_descriptor *descriptor, uint64_t start, uint64_t n)
{
    uint64_t size = 0;

    if (descriptor->map == NULL || n < least_mapped_bytes ||
        !stoa_descriptor_has(descriptor, start, n) || stoa_disk_size(descriptor->fd, &size) != 0 ||
        size < start + n) {
        return NULL;
    }
    return (const uint8_t *)descriptor->map->bytes + start;
}

stoa_status stoa_descriptor_read(const stoa_descriptor *descriptor, uint64_t start, uint64_t n,
                                 void *out, stoa_error *err)
{
    const uint8_t *mapped = stoa_descriptor_mapped(descriptor, start, n);

    if (mapped != NULL) {
        memcpy(out, mapped, (size_t)n);
        return STOA_OK;
    }
    const int failed = stoa_disk_read_whole(descriptor->fd, start, out, (size_t)n);
    if (failed == ENODATA) {
        return stoa_fail(err, STOA_EIO, "the file has been cut off while it was read");
    }
    return failed == 0 ? STOA_OK : stoa_fail_errno(err, failed, "it cannot be read");
}

void stoa_descriptor_close(stoa_descriptor *descriptor)
{
    stoa_file_map_release(descriptor->map);
    if (descriptor->fd >= 0) {
        (void)close(descriptor->fd);
    }
    *descriptor = (stoa_descriptor)STOA_DESCRIPTOR_INIT;
}
