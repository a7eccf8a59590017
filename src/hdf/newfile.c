/* New files, published under their name in one step that never replaces anything. */
#include "hdf/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"
#include "hdf/disk.h"

static stoa_status exists(stoa_error *err)
{
    return stoa_fail(err, STOA_EEXISTS, "exists already");
}

static const char *base_name(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash == NULL ? name : slash + 1;
}

/* The directory `name` is in; NULL when memory runs out. */
static char *directory_of(const char *name)
{
    const size_t length = (size_t)(base_name(name) - name);

    if (length == 0) {
        return stoa_strdup(".");
    }
    return stoa_strndup(name, length > 1 ? length - 1 : 1);
}

#if defined(__linux__) && defined(O_TMPFILE)
static void path_of_fd(int fd, char *path, size_t size)
{
    (void)snprintf(path, size, "/proc/self/fd/%d", fd);
}

/* Without /proc the file could never get its name: then -1, as where O_TMPFILE is unknown. */
static int open_nameless(const char *directory)
{
    const stoa_disk_call call = {STOA_DISK_NAMELESS, -1, 0, NULL, 0};
    const int fd =
        stoa_disk_ask(&call) != 0 ? -1 : open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    char path[64];

    if (fd >= 0) {
        path_of_fd(fd, path, sizeof path);
        if (access(path, F_OK) != 0) {
            (void)close(fd);
            return -1;
        }
    }
    return fd;
}

static int name_nameless(int fd, const char *name)
{
    char path[64];

    path_of_fd(fd, path, sizeof path);
    return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}
#else
static int open_nameless(const char *directory)
{
    (void)directory;
    return -1;
}

static int name_nameless(int fd, const char *name)
{
    (void)fd;
    (void)name;
    return ENOSYS;
}
#endif

/* `.NAME.stoa-PID-RANDOM`; long names are cut, the number keeps it apart. */
static char *temporary_name(const char *directory, const char *name, unsigned attempt)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t number = ((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec + attempt) *
                            UINT64_C(0x9E3779B97F4A7C15);
    return stoa_format("%s/.%.200s.stoa-%ld-%08" PRIx64, directory, base_name(name), (long)getpid(),
                       number >> 32);
}

static stoa_status open_temporary(stoa_newfile *file, const char *directory, stoa_error *err)
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        file->temporary = temporary_name(directory, file->name, attempt);
        if (file->temporary == NULL) {
            return stoa_fail_memory(err);
        }
        file->fd = open(file->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
        if (file->fd >= 0) {
            return STOA_OK;
        }
        const int failed = errno;
        free(file->temporary);
        file->temporary = NULL;
        if (failed == ENOENT || failed == ENOTDIR) {
            return stoa_fail(err, STOA_ENOTFOUND, "cannot be created: no directory '%s'",
                             directory);
        }
        if (failed != EEXIST) {
            return stoa_fail_errno(err, failed, "cannot be created");
        }
    }
    return stoa_fail(err, STOA_EIO, "cannot be created: no free temporary name in '%s'", directory);
}

stoa_status stoa_newfile_open(const char *name, stoa_newfile *file, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *directory = NULL;
    struct stat about;

    *file = (stoa_newfile)STOA_NEWFILE_INIT;
    if (base_name(name)[0] == '\0') {
        STOA_FAIL(err, STOA_EINVAL, "is no file name");
    }
    if (lstat(name, &about) == 0) {
        status = exists(err);
        goto done;
    }
    file->name = stoa_strdup(name);
    directory = directory_of(name);
    if (file->name == NULL || directory == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    file->fd = open_nameless(directory);
    if (file->fd < 0) {
        status = open_temporary(file, directory, err);
    }

done:
    free(directory);
    if (status != STOA_OK) {
        stoa_newfile_close(file);
    }
    return status;
}

/* rename() that fails with EEXIST; ENOSYS or EINVAL where the system or file system has none. */
static int rename_exclusively(const char *from, const char *to)
{
    const int refused = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_RENAME, -1, 0, NULL, 0});

    if (refused != 0) {
        return refused;
    }
#if defined(__linux__) && defined(RENAME_NOREPLACE)
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
#elif defined(__APPLE__)
    return renamex_np(from, to, RENAME_EXCL) == 0 ? 0 : errno;
#else
    (void)from;
    (void)to;
    return ENOSYS;
#endif
}

static int name_temporary(stoa_newfile *file)
{
    int failed = rename_exclusively(file->temporary, file->name);

    if (failed == ENOSYS || failed == EINVAL || failed == ENOTSUP) {
        /* A second name, then one less: just as exclusive. */
        failed = link(file->temporary, file->name) == 0 ? 0 : errno;
        if (failed == 0) {
            (void)unlink(file->temporary);
        }
    }
    if (failed == 0) {
        free(file->temporary);
        file->temporary = NULL;
    }
    return failed;
}

stoa_status stoa_newfile_publish(stoa_newfile *file, stoa_error *err)
{
    char *directory = directory_of(file->name);

    if (directory == NULL) {
        return stoa_fail_memory(err);
    }
    int failed = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_PUBLISH, file->fd, 0, NULL, 0});
    if (failed == 0) {
        failed =
            file->temporary != NULL ? name_temporary(file) : name_nameless(file->fd, file->name);
    }
    if (failed == 0) {
        failed = stoa_disk_sync_directory(directory);
        if (failed != 0) {
            (void)unlink(file->name);
        }
    }
    free(directory);
    if (failed == EEXIST) {
        return exists(err);
    }
    return failed == 0 ? STOA_OK : stoa_fail_errno(err, failed, "cannot be created");
}

void stoa_newfile_close(stoa_newfile *file)
{
    if (file->fd >= 0) {
        (void)close(file->fd);
    }
    if (file->temporary != NULL) {
        (void)unlink(file->temporary);
    }
    free(file->temporary);
    free(file->name);
    *file = (stoa_newfile)STOA_NEWFILE_INIT;
}
