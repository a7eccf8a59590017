/* See shelf.h. */
#include "hdf/shelf.h"

#include <stdlib.h>

/* Unpacked chunks that are kept. */
static const size_t max_cached_bytes = (size_t)64 << 20;

/* A file as libhdf5 numbers those it has open; a number is not given twice. */
typedef struct numbered {
    unsigned long number;
    stoa_descriptor descriptor;
} numbered;

struct stoa_shelf {
    stoa_buffer files; /* of numbered: one, as a rule */
    stoa_chunk_cache *cache;
};

stoa_status stoa_shelf_open(stoa_shelf **shelf, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_shelf *made = stoa_alloc_zero(1, sizeof *made);

    *shelf = NULL;
    if (made == NULL) {
        return stoa_fail_memory(err);
    }
    STOA_TRY(stoa_chunk_cache_open(max_cached_bytes, &made->cache, err));
    *shelf = made;
    made = NULL;

done:
    stoa_shelf_close(made);
    return status;
}

static numbered *files_of(const stoa_shelf *shelf)
{
    return (numbered *)(void *)shelf->files.data;
}

static size_t n_files(const stoa_shelf *shelf)
{
    return shelf->files.size / sizeof(numbered);
}

void stoa_shelf_close(stoa_shelf *shelf)
{
    if (shelf != NULL) {
        for (size_t i = 0; i < n_files(shelf); i++) {
            stoa_descriptor_close(&files_of(shelf)[i].descriptor);
        }
        stoa_buffer_clear(&shelf->files);
        stoa_chunk_cache_close(shelf->cache);
        free(shelf);
    }
}

stoa_status stoa_shelf_descriptor(stoa_shelf *shelf, hid_t dataset, stoa_descriptor *descriptor,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5O_info2_t info;
    numbered file = {.descriptor = STOA_DESCRIPTOR_INIT};

    *descriptor = (stoa_descriptor)STOA_DESCRIPTOR_INIT;
    STOA_HDF(err, H5Oget_info3(dataset, &info, H5O_INFO_BASIC), "look at a dataset");
    for (size_t i = 0; i < n_files(shelf); i++) {
        if (files_of(shelf)[i].number == info.fileno) {
            *descriptor = files_of(shelf)[i].descriptor;
            goto done;
        }
    }
    file.number = info.fileno;
    STOA_TRY(stoa_descriptor_open(&file.descriptor, dataset, err));
    STOA_TRY(stoa_buffer_append(&shelf->files, &file, sizeof file, err));
    *descriptor = file.descriptor;
    file.descriptor = (stoa_descriptor)STOA_DESCRIPTOR_INIT;

done:
    stoa_descriptor_close(&file.descriptor);
    return status;
}

stoa_chunk_cache *stoa_shelf_cache(stoa_shelf *shelf)
{
    return shelf->cache;
}
