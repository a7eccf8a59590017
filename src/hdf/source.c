/* See source.h. */
#include "hdf/source.h"

#include <stdlib.h>

/* Unpacked chunks that are kept. */
static const size_t max_cached_bytes = (size_t)64 << 20;

/* A file as libhdf5 numbers those it has open; a number is not given twice. */
typedef struct numbered {
    unsigned long number;
    stoa_descriptor descriptor;
} numbered;

struct stoa_source {
    stoa_buffer files; /* of numbered: one, as a rule */
    stoa_chunk_cache *cache;
};

stoa_status stoa_source_open(stoa_source **source, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_source *made = stoa_alloc_zero(1, sizeof *made);

    *source = NULL;
    if (made == NULL) {
        return stoa_fail_memory(err);
    }
    STOA_TRY(stoa_chunk_cache_open(max_cached_bytes, &made->cache, err));
    *source = made;
    made = NULL;

done:
    stoa_source_close(made);
    return status;
}

static numbered *files_of(const stoa_source *source)
{
    return (numbered *)(void *)source->files.data;
}

static size_t n_files(const stoa_source *source)
{
    return source->files.size / sizeof(numbered);
}

void stoa_source_close(stoa_source *source)
{
    if (source != NULL) {
        for (size_t i = 0; i < n_files(source); i++) {
            stoa_descriptor_close(&files_of(source)[i].descriptor);
        }
        stoa_buffer_clear(&source->files);
        stoa_chunk_cache_close(source->cache);
        free(source);
    }
}

stoa_status stoa_source_descriptor(stoa_source *source, hid_t dataset, stoa_descriptor *descriptor,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5O_info2_t info;
    numbered file = {.descriptor = STOA_DESCRIPTOR_INIT};

    *descriptor = (stoa_descriptor)STOA_DESCRIPTOR_INIT;
    STOA_HDF(err, H5Oget_info3(dataset, &info, H5O_INFO_BASIC), "look at a dataset");
    for (size_t i = 0; i < n_files(source); i++) {
        if (files_of(source)[i].number == info.fileno) {
            *descriptor = files_of(source)[i].descriptor;
            goto done;
        }
    }
    file.number = info.fileno;
    STOA_TRY(stoa_descriptor_open(&file.descriptor, dataset, err));
    STOA_TRY(stoa_buffer_append(&source->files, &file, sizeof file, err));
    *descriptor = file.descriptor;
    file.descriptor = (stoa_descriptor)STOA_DESCRIPTOR_INIT;

done:
    stoa_descriptor_close(&file.descriptor);
    return status;
}

stoa_chunk_cache *stoa_source_cache(stoa_source *source)
{
    return source->cache;
}
