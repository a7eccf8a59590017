#include "sparse/direct_chunk.h"

#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <string.h>
#include <zlib.h>

#include "support/check.h"

/* Section 0: a selection as H5Sencode2() writes it, deflated where that is shorter. */
static hid_t decoded(const void *section, size_t size, size_t original)
{
    uint8_t *plain = malloc(original);
    uLongf n = (uLongf)original;
    hid_t space = H5I_INVALID_HID;

    CHECK(plain != NULL);
    if (size == original) {
        memcpy(plain, section, size);
    } else {
        CHECK(uncompress(plain, &n, section, (uLong)size) == Z_OK && n == original);
    }
    space = CHECK_H5(H5Sdecode(plain));
    free(plain);
    return space;
}

void direct_chunk_rewrite(hid_t dset, const hsize_t *offset, hid_t *space)
{
    uint16_t mask[2] = {0, 0};
    size_t size[2] = {0, 0};
    size_t original[2] = {0, 0};
    H5D_struct_chunk_info_t info = {
        .filter_mask = mask, .section_size = size, .section_orig_size = original};
    void *buffers[2] = {NULL, NULL};
    herr_t found = 0;

    *space = H5I_INVALID_HID;
    H5E_BEGIN_TRY
    {
        found = H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, &info, NULL);
    }
    H5E_END_TRY
    if (found < 0 || size[0] == 0) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        buffers[i] = malloc(size[i]);
        CHECK(size[i] > 0 && buffers[i] != NULL);
    }
    CHECK_H5(H5Dread_struct_chunk(dset, H5P_DEFAULT, offset, &info, buffers));
    *space = decoded(buffers[0], size[0], original[0]);
    CHECK_H5(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &info, buffers));
    free(buffers[0]);
    free(buffers[1]);
}
