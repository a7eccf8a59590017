/* Memory of variable-length elements (H5Dvlen_get_buf_size()). */
#include <stdlib.h>

#include "hdf/ids.h"
#include "sparse/connector/connector_dataset.h"
#include "sparse/connector/connector_parts.h"
#include "sparse/format/vlen.h"

static void *count_bytes(size_t size, void *n_bytes)
{
    *(hsize_t *)n_bytes += size;
    return malloc(size);
}

static void free_counted(void *data, void *n_bytes)
{
    (void)n_bytes;
    free(data);
}

/* Read everything and free it, as libhdf5 does to determine the size. */
static stoa_status measure(stoa_link *link, hid_t mem_type, hid_t file_space, hsize_t *n_bytes,
                           stoa_error *err)
{
    const size_t size = H5Tget_size(mem_type);
    uint8_t *elements = NULL;
    stoa_vlen_layout *layout = NULL;
    hid_t dxpl = H5I_INVALID_HID;
    hssize_t n = 0;
    stoa_status status = STOA_OK;

    *n_bytes = 0;
    STOA_HDF(err, n = H5Sget_select_npoints(file_space), "count the selection");
    STOA_TRY(stoa_vlen_layout_of(mem_type, link->dataset->below.type, &layout, err));
    STOA_HDF(err, dxpl = H5Pcreate(H5P_DATASET_XFER), "make a transfer list");
    STOA_HDF(err, H5Pset_vlen_mem_manager(dxpl, count_bytes, n_bytes, free_counted, n_bytes),
             "set how memory is allocated");
    elements = stoa_alloc_zero((size_t)n, size);
    STOA_TRY(elements != NULL ? STOA_OK : stoa_fail_memory(err));
    if (stoa_linked_dataset_read(link, mem_type, H5S_BLOCK, file_space, dxpl, elements) < 0) {
        STOA_FAIL(err, STOA_EDATA, "the elements cannot be read");
    }
    const stoa_vlen_memory memory = {.free = NULL};
    stoa_vlen_release(layout, &memory, (size_t)n, elements, NULL);

done:
    stoa_vlen_layout_free(layout);
    free(elements);
    return stoa_hdf_close(&dxpl, status, err);
}

herr_t stoa_linked_dataset_measure(stoa_link *link, hid_t mem_type, hid_t file_space,
                                   hsize_t *n_bytes)
{
    stoa_error err = STOA_ERROR_INIT;

    return measure(link, mem_type, file_space, n_bytes, &err) == STOA_OK ? 0 : stoa_link_fail(&err);
}
