#include "hdf/chunk/chunk_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/chunk/unpack.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"

/* Filtered chunks of a dataset are decoded to check their length only up to this size in all. Those
 * of larger datasets are checked when they are read (checked_reader.h). */
static const uint64_t max_unpacked_bytes = 1 << 20;

/* Maximum of chunks that are not stored, but looked up, when a dataset shrinks. */
static const double most_unstored = 1 << 24;

/* Iteration over a dataset's chunks. */
typedef struct chunk_walk {
    hid_t dcpl;
    unsigned all_filters; /* as a mask */
    int rank;
    uint64_t chunk_bytes;
    bool is_sound;
    uint64_t n_unpacked;  /* filtered chunks are decoded if there are at most this many */
    stoa_buffer filtered; /* their offsets, `rank` numbers each */
    stoa_status status;
    stoa_error *err;
} chunk_walk;

static int check_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                       void *context)
{
    chunk_walk *walk = context;

    (void)address;
    walk->is_sound = stoa_chunk_fits(walk->all_filters, mask, size, walk->chunk_bytes);
    if (walk->all_filters != 0 &&
        walk->filtered.size / ((size_t)walk->rank * sizeof *offset) <= walk->n_unpacked) {
        walk->status = stoa_buffer_append(&walk->filtered, offset,
                                          (size_t)walk->rank * sizeof *offset, walk->err);
    }
    return walk->is_sound && walk->status == STOA_OK ? H5_ITER_CONT : H5_ITER_STOP;
}

static stoa_status unpack_filtered(hid_t dataset, chunk_walk *walk)
{
    const size_t size = (size_t)walk->rank * sizeof(hsize_t);
    const size_t n = walk->filtered.size / size;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < n && n <= walk->n_unpacked; i++) {
        hsize_t offset[H5S_MAX_RANK];
        stoa_unpacked unpacked = STOA_UNPACKED_WHOLE;

        memcpy(offset, walk->filtered.data + i * size, size);
        status = stoa_chunk_unpacks(dataset, walk->dcpl, offset, walk->chunk_bytes, &unpacked,
                                    walk->err);
        if (status != STOA_OK || unpacked == STOA_UNPACKED_SHORT) {
            walk->is_sound = false;
            break;
        }
    }
    return status;
}

stoa_status stoa_chunks_check(hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hsize_t chunk[H5S_MAX_RANK] = {0};
    int rank = 0;
    bool fits = false;
    chunk_walk walk = {.dcpl = H5I_INVALID_HID, .is_sound = true, .err = err};

    STOA_HDF(err, walk.dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_TRY(stoa_values_may_be_read(dataset, walk.dcpl, err));
    STOA_TRY(stoa_fill_fits(walk.dcpl, type, &fits, err));
    if (!fits) {
        STOA_FAIL(err, STOA_EDATA,
                  "the fill value is not of the size of an element: the file is damaged");
    }
    if (H5Pget_layout(walk.dcpl) != H5D_CHUNKED) {
        goto done;
    }
    STOA_HDF(err, rank = H5Pget_chunk(walk.dcpl, H5S_MAX_RANK, chunk), "get the chunk shape");
    walk.rank = rank;
    walk.all_filters = stoa_mask_of_all(walk.dcpl);
    walk.chunk_bytes = stoa_stored_size(type);
    for (int i = 0; i < rank; i++) {
        walk.chunk_bytes *= chunk[i];
    }
    walk.n_unpacked = max_unpacked_bytes / (walk.chunk_bytes + 1);
    STOA_TRY(stoa_chunks_list(dataset, check_chunk, &walk, err));
    STOA_TRY(walk.status);
    if (walk.is_sound && walk.chunk_bytes > 0 && rank > 0) {
        STOA_TRY(unpack_filtered(dataset, &walk));
    }
    if (!walk.is_sound) {
        STOA_FAIL(err, STOA_EDATA, "a chunk is shorter than its rows: the file is damaged");
    }

done:
    stoa_buffer_clear(&walk.filtered);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&walk.dcpl, status, err);
}

/* Search for a chunk that is too large. */
typedef struct chunk_sizes {
    uint64_t most;
    bool outgrow;
} chunk_sizes;

static int compare_size(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                        void *context)
{
    chunk_sizes *sizes = context;

    (void)offset;
    (void)mask;
    (void)address;
    sizes->outgrow = size > sizes->most;
    return sizes->outgrow ? H5_ITER_STOP : H5_ITER_CONT;
}

stoa_status stoa_chunks_outgrow(hid_t dataset, bool *outgrow, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hsize_t chunk[H5S_MAX_RANK] = {0};
    int rank = 0;
    chunk_sizes sizes = {0};

    *outgrow = false;
    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    if (H5Pget_layout(dcpl) != H5D_CHUNKED) {
        goto done;
    }
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_HDF(err, rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk), "get the chunk shape");
    sizes.most = H5Tget_size(type);
    for (int i = 0; i < rank; i++) {
        sizes.most *= chunk[i];
    }
    STOA_TRY(stoa_chunks_list(dataset, compare_size, &sizes, err));
    *outgrow = sizes.outgrow;

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

/* Number of chunks that libhdf5 looks up, dimension by dimension, when the extent shrinks. */
static double count_cut(int rank, const hsize_t *old, const hsize_t *extent, const hsize_t *chunk)
{
    double n = 0;

    for (int i = 0; i < rank; i++) {
        double cut = extent[i] < old[i] ? (double)((old[i] - extent[i]) / chunk[i]) : 0;
        for (int j = 0; j < rank; j++) {
            if (j != i) {
                cut *= ceil((double)old[j] / (double)chunk[j]);
            }
        }
        n += cut;
    }
    return n;
}

stoa_status stoa_dataset_may_shrink(hid_t dataset, const hsize_t *extent, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hsize_t old[H5S_MAX_RANK] = {0};
    hsize_t chunk[H5S_MAX_RANK] = {0};
    hsize_t n_stored = 0;
    double n_cut = 0;
    char *name = NULL;

    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    if (H5Pget_layout(dcpl) == H5D_CHUNKED) {
        const int rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk);
        STOA_HDF(err, space = H5Dget_space(dataset), "get a dataspace");
        STOA_HDF(err, H5Sget_simple_extent_dims(space, old, NULL), "get an extent");
        n_cut = count_cut(rank, old, extent, chunk);
    }
    if (n_cut > most_unstored) {
        STOA_HDF(err, H5Dget_num_chunks(dataset, H5S_ALL, &n_stored), "count the chunks");
    }
    if (n_cut - (double)n_stored > most_unstored) {
        name = stoa_hdf_name(dataset, H5Iget_name);
        STOA_FAIL(err, STOA_EDATA,
                  "the extent of '%s' is far beyond what it stores: %llu chunks are there, and "
                  "over %.0f are not",
                  name != NULL ? name : "", (unsigned long long)n_stored, most_unstored);
    }

done:
    free(name);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

stoa_status stoa_dataset_resize(hid_t dataset, const hsize_t *extent, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_dataset_may_shrink(dataset, extent, err));
    STOA_RETURN_HDF_ERROR(err, H5Dset_extent(dataset, extent), "set an extent");
    return STOA_OK;
}

stoa_status stoa_dataset_write(hid_t dataset, hid_t mem_type, const hsize_t *start,
                               const hsize_t *count, const void *values, const char *what,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t memory = H5I_INVALID_HID;

    STOA_HDF(err, space = H5Dget_space(dataset), "get a dataspace");
    STOA_HDF(err, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL),
             "select a part of a dataset");
    STOA_HDF(err, memory = H5Screate_simple(H5Sget_simple_extent_ndims(space), count, NULL),
             "make a dataspace");
    STOA_HDF(err, H5Dwrite(dataset, mem_type, memory, space, H5P_DEFAULT, values), "write %s",
             what);

done:
    status = stoa_hdf_close(&memory, status, err);
    return stoa_hdf_close(&space, status, err);
}
