/* Copies chunks without decoding them; see clone_values.h. */
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/copy/clone_values.h"

/* Chunks from libhdf5's list: offsets (`rank` numbers each) and stored sizes. */
typedef struct chunk_list {
    int rank;
    stoa_buffer offsets;
    stoa_buffer sizes;
    stoa_error *err;
    stoa_status status;
} chunk_list;

static int note_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                      void *context)
{
    chunk_list *list = context;

    (void)mask;
    (void)address;
    list->status =
        stoa_buffer_append(&list->offsets, offset, (size_t)list->rank * sizeof *offset, list->err);
    if (list->status == STOA_OK) {
        list->status = stoa_buffer_append(&list->sizes, &size, sizeof size, list->err);
    }
    return list->status == STOA_OK ? H5_ITER_CONT : H5_ITER_STOP;
}

static stoa_status copy_chunk(hid_t source, hid_t copy, const hsize_t *offset, hsize_t n_bytes,
                              stoa_buffer *bytes, stoa_error *err)
{
    uint32_t mask = 0;

    bytes->size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(bytes, (size_t)n_bytes, err));
    STOA_RETURN_HDF_ERROR(err,
                          stoa_raw_chunk_read(source, offset, (size_t)n_bytes, bytes->data, &mask),
                          "read a chunk");
    STOA_RETURN_HDF_ERROR(
        err, H5Dwrite_chunk(copy, H5P_DEFAULT, mask, offset, (size_t)n_bytes, bytes->data),
        "write a chunk");
    return STOA_OK;
}

static bool is_inside(const hsize_t *offset, const hsize_t *extent, int rank)
{
    bool is = true;

    for (int i = 0; i < rank; i++) {
        is = is && offset[i] < extent[i];
    }
    return is;
}

stoa_status stoa_clone_chunks(hid_t source, hid_t copy, stoa_error *err)
{
    stoa_status status = STOA_OK;
    chunk_list list = {.err = err};
    stoa_buffer bytes = {0};
    hid_t space = H5I_INVALID_HID;
    hsize_t extent[H5S_MAX_RANK];

    STOA_HDF(err, space = H5Dget_space(source), "get the shape");
    STOA_HDF(err, list.rank = H5Sget_simple_extent_dims(space, extent, NULL), "get the shape");
    STOA_TRY(stoa_chunks_list(source, note_chunk, &list, err));
    STOA_TRY(list.status);
    for (size_t i = 0; i < list.sizes.size / sizeof(hsize_t); i++) {
        hsize_t offset[H5S_MAX_RANK];
        hsize_t n_bytes = 0;
        const size_t step = (size_t)list.rank * sizeof *offset;

        memcpy(offset, list.offsets.data + i * step, step);
        memcpy(&n_bytes, list.sizes.data + i * sizeof n_bytes, sizeof n_bytes);
        if (is_inside(offset, extent, list.rank)) {
            STOA_TRY(copy_chunk(source, copy, offset, n_bytes, &bytes, err));
        }
    }

done:
    stoa_buffer_clear(&bytes);
    stoa_buffer_clear(&list.offsets);
    stoa_buffer_clear(&list.sizes);
    return stoa_hdf_close(&space, status, err);
}
