/* Bytes as a file, or a set of files, that Stoa has opened. */
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

/* Without libhdf5's own words, and no id counted that was open before. */
static hid_t open_named(const char *name)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    check_forget_ids();
    return stoa_file_open(name, STOA_FILE_READ, &opened, NULL) == STOA_OK ? stoa_file_id(opened)
                                                                          : H5I_INVALID_HID;
}

hid_t fuzz_open(const uint8_t *bytes, size_t n)
{
    const int fd = scratch();
    char name[32];

    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, bytes, n, 0) != (ssize_t)n) {
        abort();
    }
    (void)snprintf(name, sizeof name, "/dev/fd/%d", fd);
    return open_named(name);
}

/* --- sets ------------------------------------------------------------------------------------ */

static char directory[4096];

static const char *name_of(size_t locale)
{
    static char name[sizeof directory + 32];

    (void)snprintf(name, sizeof name, "%s/set_LOCALE%04zu.h5", directory, locale);
    return name;
}

static void remove_set(void)
{
    for (size_t k = 0; k < FUZZ_LOCALES; k++) {
        (void)unlink(name_of(k));
    }
    (void)rmdir(directory);
}

/* The same every time, in memory where the system has such a place. A process that crashes leaves
 * it: whoever expects that says where, by TMPDIR. */
static void make_directory(void)
{
    const char *const places[] = {getenv("TMPDIR"), "/dev/shm", "/tmp"};
    bool is_made = directory[0] != '\0';

    for (size_t i = 0; !is_made && i < sizeof places / sizeof places[0]; i++) {
        (void)snprintf(directory, sizeof directory, "%s/stoa-fuzz-XXXXXX",
                       places[i] != NULL ? places[i] : "/nowhere");
        is_made = mkdtemp(directory) != NULL && atexit(remove_set) == 0;
    }
    if (!is_made) {
        abort();
    }
}

hid_t fuzz_open_set(const uint8_t *bytes, size_t n)
{
    const size_t size = n / FUZZ_LOCALES;

    make_directory();
    for (size_t k = 0; k < FUZZ_LOCALES; k++) {
        FILE *const file = fopen(name_of(k), "wb");
        if (file == NULL || fwrite(bytes + k * size, 1, size, file) != size || fclose(file) != 0) {
            abort();
        }
    }
    return open_named(name_of(0));
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
    (void)H5garbage_collect(); /* where a sanitizer sees what libhdf5 has freed twice */
}
