/* Bytes as an HDF5 file in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/open_ids.h"

static uint64_t number(const uint8_t *bytes, size_t width)
{
    uint64_t value = 0;

    for (size_t i = 0; i < width; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

/* Whether the objects of a global heap collection, which begins `bytes`, follow each other. */
static bool heap_is_sound(const uint8_t *bytes, size_t n)
{
    const uint64_t size = number(bytes + 8, 8);
    uint64_t at = 16;

    while (at + 16 <= size && at + 16 <= n) {
        const uint64_t index = number(bytes + at, 2);
        const uint64_t length = number(bytes + at + 8, 8);
        if (length > size || (index == 0 && length < 16)) {
            return false;
        }
        at += index == 0 ? length : 16 + (length + 7) / 8 * 8;
    }
    return at <= size;
}

/* libhdf5 1.14 reads a damaged global heap for ever (docs/security.md): that is known, and would be
 * found again and again. */
static bool heaps_are_sound(const uint8_t *bytes, size_t n)
{
    for (size_t at = 0; at + 32 <= n; at++) {
        if (memcmp(bytes + at, "GCOL", 4) == 0 && !heap_is_sound(bytes + at, n - at)) {
            return false;
        }
    }
    return true;
}

hid_t fuzz_open(const uint8_t *bytes, size_t n)
{
    static unsigned n_files;
    char name[32];
    hid_t file = H5I_INVALID_HID;
    hid_t fapl = H5I_INVALID_HID;

    check_forget_ids();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    fapl = H5Pcreate(H5P_FILE_ACCESS);
    /* libhdf5 copies the image, though it does not say so in its prototype. */
    if (n > 0 && heaps_are_sound(bytes, n) && H5Pset_fapl_core(fapl, (size_t)1 << 16, false) >= 0 &&
        H5Pset_file_image(fapl, (void *)(uintptr_t)bytes, n) >= 0) {
        (void)snprintf(name, sizeof name, "image-%u.h5", ++n_files); /* no two are one file */
        file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
    }
    (void)H5Pclose(fapl);
    return file;
}

void fuzz_close(hid_t file)
{
    /* A file that libhdf5 cannot close is libhdf5's: what it holds goes with the process. */
    if (file >= 0 && H5Fclose(file) < 0) {
        check_forget_ids();
    } else if (!check_no_open_ids("the file")) {
        abort();
    }
}
