/* Opens other files for the driver: regular files below a directory; see other_files.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf/metadata/other_files.h"

stoa_status stoa_other_files_below(const char *file, stoa_other_files *elsewhere, stoa_error *err)
{
    char *const whole = realpath(file, NULL);
    char *const slash = whole != NULL ? strrchr(whole, '/') : NULL;
    stoa_status status = STOA_OK;

    elsewhere->is_followed = false;
    if (slash == NULL || slash - whole >= PATH_MAX) {
        status = stoa_fail_errno(err, whole == NULL ? errno : ENAMETOOLONG,
                                 "cannot find out the directory of the file");
    } else {
        memcpy(elsewhere->directory, whole, (size_t)(slash - whole)); /* "" for "/" */
        elsewhere->is_followed = true;
    }
    free(whole);
    return status;
}

/* Open one component of a path relative to *directory, and replace *directory by it. */
static int step_down(int *directory, const char *part, int how)
{
    const int next = openat(*directory, part, how | O_NOFOLLOW | O_CLOEXEC);
    const int failed = next < 0 ? errno : 0;

    (void)close(*directory);
    *directory = next;
    return failed;
}

/* `path` has no symbolic links when this is called, nor "." or "..". The file type is checked
 * before it is opened, too, since opening a device can have side effects. */
static int open_below(const char *directory, char *path, int *fd)
{
    struct stat about;
    char *rest = path;
    char *slash;
    int failed = 0;
    int at = open(directory[0] != '\0' ? directory : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (at < 0) {
        return errno;
    }
    while (failed == 0 && (slash = strchr(rest, '/')) != NULL) {
        *slash = '\0';
        failed = step_down(&at, rest, O_RDONLY | O_DIRECTORY);
        rest = slash + 1;
    }
    if (failed == 0 && fstatat(at, rest, &about, AT_SYMLINK_NOFOLLOW) != 0) {
        failed = errno;
    }
    if (failed == 0 && !S_ISREG(about.st_mode)) {
        failed = EACCES;
    }
    if (failed == 0) {
        failed = step_down(&at, rest, O_RDONLY | O_NONBLOCK);
    }
    if (failed == 0 && fstat(at, &about) != 0) {
        failed = errno;
    }
    if (failed == 0 && !S_ISREG(about.st_mode)) {
        failed = EACCES;
    }
    if (failed != 0 && at >= 0) {
        (void)close(at);
    }
    *fd = failed == 0 ? at : -1;
    return failed;
}

int stoa_other_files_open(const stoa_other_files *elsewhere, const char *name, int *fd)
{
    const size_t length = strlen(elsewhere->directory);
    char *whole = NULL;
    int failed = EACCES;

    *fd = -1;
    if (!elsewhere->is_followed) {
        return EACCES;
    }
    whole = realpath(name, NULL);
    if (whole == NULL) {
        return errno;
    }
    if (strncmp(whole, elsewhere->directory, length) == 0 && whole[length] == '/') {
        failed = open_below(elsewhere->directory, whole + length + 1, fd);
    }
    free(whole);
    return failed;
}
