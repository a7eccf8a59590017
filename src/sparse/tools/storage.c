#include "sparse/tools/storage.h"

#include <string.h>

#include "hdf/ids.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "sparse/format/chunk.h"
#include "sparse/store/chunk_io.h"
#include "sparse/store/connector_op.h"
#include "sparse/store/dataset.h"

const char *stoa_section_name(stoa_section section)
{
    static const char *const names[] = {"H5Z_FLAG_SPARSE_SELECTION", "H5Z_FLAG_SPARSE_FIXED_DATA",
                                        "H5Z_FLAG_SPARSE_VL_DATA"};

    return names[section];
}

static stoa_status what_it_is(hid_t dataset, stoa_sparse_storage *storage, stoa_error *err)
{
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "look up how a dataset was made");
    STOA_HDF(err, type = H5Dget_type(dataset), "look up the type of elements");
    STOA_HDF(err, space = H5Dget_space(dataset), "look up the extent");
    STOA_TRY(stoa_sparse_format_of(dcpl, type, &storage->format, err));
    STOA_TRY(stoa_sparse_shape_of(dcpl, space, &storage->shape, err));

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

/* Chunks are listed first. libhdf5 must not be asked for chunk data while it iterates. */
typedef struct noting {
    stoa_buffer offsets; /* hsize_t, rank numbers per chunk */
    stoa_sparse_storage *storage;
} noting;

static stoa_status note_chunk(void *context, const stoa_stored_chunk *chunk, stoa_error *err)
{
    noting *n = context;

    n->storage->n_chunks++;
    n->storage->n_bytes += chunk->n_bytes;
    return stoa_buffer_append(&n->offsets, chunk->offset,
                              n->storage->shape.rank * sizeof *chunk->offset, err);
}

static stoa_status add_chunk(stoa_sparse_storage *storage, const stoa_buffer *bytes, uint32_t mask,
                             stoa_error *err)
{
    stoa_section_bytes *values = &storage->sections[STOA_SECTION_VALUES];
    stoa_split_chunk split;

    if (mask != 0) {
        values->n_stored += bytes->size;
        values->n_original += bytes->size;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(
        stoa_sparse_chunk_split(&storage->format, bytes->data, bytes->size, &split, err));
    for (unsigned i = 0; i < stoa_sparse_n_sections(&storage->format); i++) {
        storage->sections[i].n_stored += split.sections[i].n_bytes;
        storage->sections[i].n_original += split.sections[i].n_original;
    }
    return STOA_OK;
}

stoa_status stoa_sparse_storage_of(hid_t dataset, stoa_sparse_storage *storage, stoa_error *err)
{
    stoa_chunk_dataset own;
    stoa_chunk_io io;
    noting noted = {.storage = storage};
    stoa_buffer bytes = {0};
    stoa_status status = STOA_OK;

    memset(storage, 0, sizeof *storage);
    STOA_TRY(what_it_is(dataset, storage, err));
    STOA_TRY(stoa_stored_chunks_of(dataset, &own, &io, err));
    STOA_TRY(io.iterate(io.context, note_chunk, &noted, err));
    const size_t step = storage->shape.rank * sizeof(hsize_t);
    for (size_t at = 0; at < noted.offsets.size; at += step) {
        const hsize_t *offset = (const hsize_t *)(const void *)(noted.offsets.data + at);
        uint32_t mask = 0;
        STOA_TRY(io.read(io.context, offset, &bytes, &mask, err));
        STOA_TRY(add_chunk(storage, &bytes, mask, err));
    }

done:
    stoa_buffer_clear(&bytes);
    stoa_buffer_clear(&noted.offsets);
    return status;
}
