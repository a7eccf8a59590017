/* Bytes as an HDF5 file in memory. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "support/open_ids.h"

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
    if (n > 0 && H5Pset_fapl_core(fapl, (size_t)1 << 16, false) >= 0 &&
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
