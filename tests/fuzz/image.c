/* Bytes as a file that Stoa has opened. */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/file.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "support/check.h"
#include "support/open_ids.h"

static stoa_file *opened;

/* A file without a name, in memory where the system has such a place; the same one every time. */
static int scratch(void)
{
    static int fd = -1;

    for (unsigned i = 0; fd < 0 && i < 2; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s/stoa-fuzz-XXXXXX", i == 0 ? "/dev/shm" : "/tmp");
        fd = mkstemp(name);
        if (fd >= 0) {
            (void)unlink(name);
        }
    }
    return fd;
}

hid_t fuzz_open(const uint8_t *bytes, size_t n)
{
    const int fd = scratch();
    char name[32];

    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, bytes, n, 0) != (ssize_t)n) {
        abort();
    }
    (void)snprintf(name, sizeof name, "/dev/fd/%d", fd);
    check_forget_ids();
    return stoa_file_open(name, STOA_FILE_READ, &opened, NULL) == STOA_OK ? stoa_file_id(opened)
                                                                          : H5I_INVALID_HID;
}

void fuzz_close(hid_t file)
{
    /* Closing the file would close whatever is left open in it. */
    if (file >= 0 && check_n_open_ids() != 1) {
        (void)check_no_open_ids("the file");
        abort();
    }
    stoa_file_close(opened);
    opened = NULL;
}
