#include "hdf/file/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif
#include <time.h>
#include <unistd.h>

#include "core/exit_cleanup.h"
#include "core/memory.h"
#include "hdf/file/descriptor.h"
#include "hdf/journal/disk.h"

static stoa_status exists(stoa_error *err)
{
    return stoa_fail(err, STOA_EEXISTS, "exists already");
}

static const char *base_name(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash == NULL ? name : slash + 1;
}

/* The directory of `name`. The caller frees it; NULL if memory runs out. */
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

/* -1 if the file system lacks O_TMPFILE, or /proc is missing, which is needed to name the file
 * later. The file then gets a temporary name. */
static int open_nameless(const char *directory, mode_t mode)
{
    const stoa_disk_call call = {STOA_DISK_NAMELESS, -1, 0, NULL, 0};
    const int fd =
        stoa_disk_ask(&call) != 0
            ? -1
            : stoa_descriptor_raise(open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
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
static int open_nameless(const char *directory, mode_t mode)
{
    (void)directory;
    (void)mode;
    return -1;
}

static int name_nameless(int fd, const char *name)
{
    (void)fd;
    (void)name;
    return ENOSYS;
}
#endif

/* `.NAME.stoa-PID-RANDOM`. Long names are cut; the random number makes the name unique. */
static char *temporary_name(const char *directory, const char *name, unsigned attempt)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t number = ((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec + attempt) *
                            UINT64_C(0x9E3779B97F4A7C15);
    return stoa_format("%s/.%.200s.stoa-%ld-%08" PRIx64, directory, base_name(name), (long)getpid(),
                       number >> 32);
}

/* The error for a directory that allows no new files may be that of a missing one. */
static stoa_status refuse(const char *directory, int failed, stoa_error *err)
{
    struct stat about;
    const bool is_there = stat(directory, &about) == 0 && S_ISDIR(about.st_mode);

    return (failed == ENOENT || failed == ENOTDIR) && !is_there
               ? stoa_fail(err, STOA_ENOTFOUND, "cannot be created: no directory '%s'", directory)
               : stoa_fail_errno(err, failed, "cannot be created in '%s'", directory);
}

/* Its file, if it existed, was deleted or renamed. */
static void drop_temporary(char **temporary)
{
    stoa_exit_cleanup_forget(*temporary);
    free(*temporary);
    *temporary = NULL;
}

static stoa_status open_temporary(stoa_new_file *file, const char *directory, mode_t mode,
                                  stoa_error *err)
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        file->temporary = temporary_name(directory, file->name, attempt);
        STOA_RETURN_NO_MEMORY(err, file->temporary);
        stoa_exit_cleanup_note(file->temporary);
        file->fd = stoa_descriptor_raise(
            open(file->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode));
        if (file->fd >= 0) {
            return STOA_OK;
        }
        const int failed = errno;
        drop_temporary(&file->temporary);
        if (failed != EEXIST) {
            return refuse(directory, failed, err);
        }
    }
    return stoa_fail(err, STOA_EIO, "cannot be created: no free temporary name in '%s'", directory);
}

/* Create a file in the directory of file->name, unnamed or with a temporary name. */
static stoa_status open_beside(stoa_new_file *file, mode_t mode, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *directory = directory_of(file->name);

    STOA_RETURN_NO_MEMORY(err, directory);
    file->fd = open_nameless(directory, mode);
    if (file->fd < 0) {
        status = open_temporary(file, directory, mode, err);
    }
    free(directory);
    return status;
}

/* Target of a symbolic link, relative to the same directory as `name`. NULL: not a link, or memory
 * ran out. */
static char *read_link(const char *name)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(name, target, sizeof target);

    if (length <= 0 || length == (ssize_t)sizeof target) {
        return NULL;
    }
    const int to_directory = target[0] == '/' ? 0 : (int)(base_name(name) - name);
    return stoa_format("%.*s%.*s", to_directory, name, (int)length, target);
}

char *stoa_new_file_name(const char *name)
{
    enum { MAX_LINKS = 40 }; /* as in the kernel */
    struct stat about;
    char *real = realpath(name, NULL);
    char *next = real != NULL ? NULL : stoa_strdup(name);

    if (real == NULL && stat(name, &about) == 0) { /* such as /dev/stdout, if it is a pipe */
        return next;
    }
    for (int i = 0; real == NULL && next != NULL && i <= MAX_LINKS; i++) {
        char *const target = read_link(next);

        if (target == NULL) { /* the end of the chain */
            real = next;
            next = NULL;
        } else {
            free(next);
            next = target;
        }
    }
    if (next != NULL) { /* a cycle: opening the file will report it */
        free(next);
        real = stoa_strdup(name);
    }
    return real;
}

stoa_status stoa_new_file_open(const char *name, stoa_new_file *file, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct stat about;

    *file = (stoa_new_file)STOA_NEW_FILE_INIT;
    if (base_name(name)[0] == '\0') {
        STOA_FAIL(err, STOA_EINVAL, "is no file name");
    }
    file->name = stoa_new_file_name(name);
    STOA_TRY(file->name != NULL ? STOA_OK : stoa_fail_memory(err));
    if (lstat(file->name, &about) == 0) {
        status = exists(err);
        goto done;
    }
    STOA_TRY(open_beside(file, 0666, err));

done:
    if (status != STOA_OK) {
        stoa_new_file_close(file);
    }
    return status;
}

/* Copy extended attributes, including access control lists. Those that cannot be read or set are
 * skipped, as in `cp --preserve`. */
static stoa_status inherit_attributes(int old, int fd, stoa_error *err)
{
#if defined(__linux__)
    enum { MAX_NAMES = 1 << 16, MAX_VALUE = 1 << 16 }; /* the kernel's limits */
    char *names = stoa_alloc(MAX_NAMES, 1);
    char *value = stoa_alloc(MAX_VALUE, 1);

    if (names == NULL || value == NULL) {
        free(names);
        free(value);
        return stoa_fail_memory(err);
    }
    const ssize_t length = flistxattr(old, names, MAX_NAMES);
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        const ssize_t size = fgetxattr(old, names + at, value, MAX_VALUE);
        if (size >= 0) {
            (void)fsetxattr(fd, names + at, value, (size_t)size, 0);
        }
    }
    free(names);
    free(value);
#else
    (void)old;
    (void)fd;
    (void)err;
#endif
    return STOA_OK;
}

/* Owner and group first, since chown() clears set-id bits. If the group cannot be set, the group's
 * permissions are not given to another group either. */
static stoa_status inherit(int old, int fd, stoa_error *err)
{
    struct stat about;
    mode_t mode;

    if (fstat(old, &about) != 0) {
        return stoa_fail_errno(err, errno, "cannot be looked at");
    }
    mode = about.st_mode & 07777;
    if (fchown(fd, about.st_uid, about.st_gid) != 0) {
        if (fchown(fd, (uid_t)-1, about.st_gid) != 0) {
            mode &= (mode_t) ~(S_ISGID | S_IRWXG);
        }
        mode &= (mode_t)~S_ISUID;
    }
    const stoa_status status = inherit_attributes(old, fd, err);
    if (status != STOA_OK) {
        return status;
    }
    return fchmod(fd, mode) == 0 ? STOA_OK
                                 : stoa_fail_errno(err, errno, "cannot be given its permissions");
}

stoa_status stoa_new_file_open_successor(const char *name, int old, stoa_new_file *file,
                                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *real = realpath(name, NULL);

    *file = (stoa_new_file)STOA_NEW_FILE_INIT;
    if (real == NULL) {
        return stoa_fail_errno(err, errno, "cannot be found again");
    }
    file->replaces = true;
    file->name = stoa_strdup(real);
    STOA_TRY(file->name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(open_beside(file, 0600, err));
    STOA_TRY(inherit(old, file->fd, err));

done:
    free(real);
    if (status != STOA_OK) {
        stoa_new_file_close(file);
    }
    return status;
}

/* rename() that fails with EEXIST. ENOSYS or EINVAL if the system or file system does not support
 * it. */
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

static int name_temporary(stoa_new_file *file)
{
    int failed = rename_exclusively(file->temporary, file->name);

    if (failed == ENOSYS || failed == EINVAL || failed == ENOTSUP) {
        /* Adding a second name and removing the first one is exclusive, too. */
        failed = link(file->temporary, file->name) == 0 ? 0 : errno;
        if (failed == 0) {
            (void)unlink(file->temporary);
        }
    }
    if (failed == 0) {
        drop_temporary(&file->temporary);
    }
    return failed;
}

/* Give a temporary name to an unnamed file. */
static int give_temporary_name(stoa_new_file *file, const char *directory)
{
    int failed = EEXIST;

    for (unsigned attempt = 0; failed == EEXIST && attempt < 100; attempt++) {
        char *temporary = temporary_name(directory, file->name, attempt);
        if (temporary == NULL) {
            return ENOMEM;
        }
        stoa_exit_cleanup_note(temporary);
        failed = name_nameless(file->fd, temporary);
        if (failed == 0) {
            file->temporary = temporary;
        } else {
            drop_temporary(&temporary);
        }
    }
    return failed;
}

/* An unnamed file cannot replace another in one step. So it has a temporary name between two calls,
 * and that is all that a killed process can leave. */
static int replace_old(stoa_new_file *file, const char *directory)
{
    int failed = file->temporary != NULL ? 0 : give_temporary_name(file, directory);

    if (failed == 0) {
        failed = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_REPLACE, file->fd, 0, NULL, 0});
    }
    if (failed == 0) {
        stoa_exit_cleanup_enter(STOA_CHANGED);
        failed = rename(file->temporary, file->name) == 0 ? 0 : errno;
    }
    if (failed == 0) {
        drop_temporary(&file->temporary);
        (void)stoa_disk_sync_directory(directory); /* too late to fail: the file is there */
    }
    return failed;
}

static stoa_status publish_successor(stoa_new_file *file, const char *directory, stoa_error *err)
{
    int failed = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_PUBLISH, file->fd, 0, NULL, 0});

    if (failed == 0) {
        failed = replace_old(file, directory);
    }
    return failed == 0 ? STOA_OK : stoa_fail_errno(err, failed, "cannot be replaced");
}

stoa_status stoa_new_file_publish(stoa_new_file *file, stoa_error *err)
{
    char *directory = directory_of(file->name);

    STOA_RETURN_NO_MEMORY(err, directory);
    if (file->replaces) {
        const stoa_status status = publish_successor(file, directory, err);
        free(directory);
        return status;
    }
    int failed = stoa_disk_ask(&(stoa_disk_call){STOA_DISK_PUBLISH, file->fd, 0, NULL, 0});
    if (failed == 0) {
        stoa_exit_cleanup_enter(STOA_CHANGED);
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

void stoa_new_file_close(stoa_new_file *file)
{
    if (file->fd >= 0) {
        (void)close(file->fd);
    }
    if (file->temporary != NULL) {
        (void)unlink(file->temporary);
    }
    drop_temporary(&file->temporary);
    free(file->name);
    *file = (stoa_new_file)STOA_NEW_FILE_INIT;
}
