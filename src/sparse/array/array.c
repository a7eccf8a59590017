/* Create, open, describe and close sparse arrays (<stoa/sparse.h>). */
#include "sparse/array/array.h"

#include <stdlib.h>
#include <string.h>

#include "core/sized_struct.h"
#include "hdf/copy/object_storage.h"
#include "hdf/file/descriptor.h"
#include "hdf/ids.h"
#include "hdf/metadata/other_files.h"
#include "sparse/format/filter.h"
#include "sparse/store/connector_op.h"
#include "sparse/store/dataset.h"

enum { CHUNK_ELEMENTS = 1 << 20, CHUNK_BYTES = 64 << 20 }; /* approximate defaults */

/* --- creation -------------------------------------------------------------------------------- */

stoa_status stoa_sparse_own_options(const stoa_sparse_options *options, stoa_sparse_options *own,
                                    stoa_error *err)
{
    *own = (stoa_sparse_options)STOA_SPARSE_OPTIONS_INIT;
    return STOA_SIZED_COPY(own, options, values, "STOA_SPARSE_OPTIONS_INIT", err);
}

static stoa_status own_access(const stoa_sparse_access *access, stoa_sparse_access *own,
                              stoa_error *err)
{
    *own = (stoa_sparse_access)STOA_SPARSE_ACCESS_INIT;
    return STOA_SIZED_COPY(own, access, cache_bytes, "STOA_SPARSE_ACCESS_INIT", err);
}

/* Double the sides in turn, the last dimension first, up to the size of the array. */
static void choose_chunk(unsigned rank, const uint64_t *extent, const hsize_t *most, size_t size,
                         hsize_t *chunk)
{
    const uint64_t wanted =
        CHUNK_BYTES / size < CHUNK_ELEMENTS ? CHUNK_BYTES / size : CHUNK_ELEMENTS;
    uint64_t n = 1;
    bool grows = true;

    for (unsigned i = 0; i < rank; i++) {
        chunk[i] = 1;
    }
    while (grows) {
        grows = false;
        for (unsigned i = rank; i-- > 0;) {
            const uint64_t limit = most[i] != H5S_UNLIMITED ? most[i] : extent[i];
            if (2 * n <= wanted && chunk[i] < (limit != 0 ? limit : UINT64_MAX)) {
                chunk[i] *= 2;
                n *= 2;
                grows = true;
            }
        }
    }
    for (unsigned i = 0; i < rank; i++) { /* libhdf5 accepts no chunk longer than a fixed extent */
        chunk[i] =
            most[i] != H5S_UNLIMITED && most[i] != 0 && chunk[i] > most[i] ? most[i] : chunk[i];
    }
}

static stoa_status set_creation(hid_t loc, hid_t dcpl, hid_t type, unsigned rank,
                                const hsize_t *chunk, const stoa_sparse_options *options,
                                stoa_error *err)
{
    stoa_sparse_format format;

    memset(&format, 0, sizeof format);
    format.is_sparse = true;
    STOA_RETURN_NOT_OK(stoa_section_codec(options->positions, false,
                                          &format.sections[STOA_SECTION_POSITIONS], err));
    STOA_RETURN_NOT_OK(
        stoa_section_codec(options->values, true, &format.sections[STOA_SECTION_VALUES], err));
    STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(dcpl, (int)rank, chunk), "set the shape of chunks");
    if (options->fill != NULL) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_fill_value(dcpl, type, options->fill),
                              "set the fill value");
    }
    if (stoa_vlen_is_in(type)) {
        format.has_references = options->in_global_heap;
        format.has_heap = !options->in_global_heap;
        STOA_RETURN_NOT_OK(
            stoa_section_codec(options->heap, false, &format.sections[STOA_SECTION_HEAP], err));
        STOA_RETURN_NOT_OK(stoa_sparse_bind_variable(loc, dcpl, type, &format, err));
    }
    return stoa_sparse_format_to_list(dcpl, &format, err);
}

stoa_status stoa_sparse_path_is_free(hid_t loc, const char *path, stoa_error *err)
{
    htri_t exists = 0;

    const stoa_error_stack errors = stoa_error_stack_begin();
    exists = H5Lexists(loc, path, H5P_DEFAULT); /* fails if an intermediate group is missing */
    stoa_error_stack_discard(&errors);
    if (exists > 0) {
        return stoa_fail(err, STOA_EEXISTS, "'%s' is there already", path);
    }
    return STOA_OK;
}

static stoa_status check_new(hid_t loc, const char *path, unsigned rank, stoa_error *err)
{
    if (rank == 0 || rank > H5S_MAX_RANK) {
        return stoa_fail(err, STOA_EINVAL, "a sparse array has 1 to %d dimensions, not %u",
                         H5S_MAX_RANK, rank);
    }
    return stoa_sparse_path_is_free(loc, path, err);
}

static stoa_status make_dataset(hid_t loc, const char *path, hid_t type, unsigned rank,
                                const uint64_t *extent, const stoa_sparse_options *options,
                                hid_t *dataset, stoa_error *err)
{
    hsize_t most[H5S_MAX_RANK];
    hsize_t chunk[H5S_MAX_RANK];
    stoa_shape shape;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t lcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(check_new(loc, path, rank, err));
    for (unsigned i = 0; i < rank; i++) {
        most[i] = options->max_extent != NULL ? options->max_extent[i] : H5S_UNLIMITED;
    }
    choose_chunk(rank, extent, most, H5Tget_size(type), chunk);
    if (options->chunk != NULL) {
        memcpy(chunk, options->chunk, rank * sizeof *chunk);
    }
    STOA_TRY(stoa_shape_make(rank, extent, chunk, &shape, err));
    STOA_TRY(stoa_sparse_filter_register(err));
    STOA_HDF(err, dcpl = H5Pcreate(H5P_DATASET_CREATE), "make a list");
    STOA_TRY(set_creation(loc, dcpl, type, rank, chunk, options, err));
    STOA_HDF(err, lcpl = H5Pcreate(H5P_LINK_CREATE), "make a list");
    STOA_HDF(err, H5Pset_create_intermediate_group(lcpl, 1), "make groups on the way");
    STOA_HDF(err, space = H5Screate_simple((int)rank, extent, most), "make a dataspace");
    STOA_HDF(err, *dataset = H5Dcreate2(loc, path, type, space, lcpl, dcpl, H5P_DEFAULT),
             "make '%s'", path);

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&lcpl, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

/* --- handles --------------------------------------------------------------------------------- */

static void release(stoa_sparse *a)
{
    if (a != NULL) {
        if (!a->is_shared) {
            stoa_store_close(a->store);
        }
        stoa_workers_close(a->workers);
        (void)stoa_hdf_close(&a->native, STOA_OK, NULL);
        (void)stoa_hdf_close(&a->type, STOA_OK, NULL);
        if (!a->is_borrowed) {
            (void)stoa_hdf_close(&a->dataset, STOA_OK, NULL);
        }
        free(a);
    }
}

/* Use the connector's store if the dataset was opened under it. Writes through this handle and
 * through H5Dwrite() are then visible to each other before a flush. Otherwise open a store. */
static stoa_status open_store(stoa_sparse *a, size_t cache_bytes, stoa_error *err)
{
    stoa_connected connected;
    stoa_status status = stoa_connected_dataset(a->dataset, &connected, NULL);

    if (status == STOA_ENOTFOUND) {
        return stoa_store_of_dataset(a->dataset, cache_bytes, &a->store, err);
    }
    if (status != STOA_OK) {
        STOA_RETURN_NOT_OK(stoa_connected_dataset(a->dataset, &connected, err));
    }
    if (connected.store == NULL) {
        /* Fails with the reason. A store of our own would bypass the connector. */
        STOA_RETURN_NOT_OK(stoa_store_of_dataset(a->dataset, 0, &a->store, err));
        return stoa_fail(err, STOA_ETYPE, "elements refer to data elsewhere");
    }
    a->is_shared = true;
    a->is_read_only = !connected.can_write;
    a->store = connected.store;
    return STOA_OK;
}

/* Make an array from an open dataset, which it owns, also after a failure, unless it is
 * borrowed. */
static stoa_status open_array(hid_t dataset, bool is_borrowed, const stoa_sparse_access *access,
                              stoa_sparse **array, stoa_error *err)
{
    stoa_sparse_access own;
    stoa_sparse *a = stoa_alloc_zero(1, sizeof *a);
    stoa_status status = STOA_OK;

    if (a == NULL) {
        if (!is_borrowed) {
            (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
        }
        return stoa_fail_memory(err);
    }
    *a = (stoa_sparse){.dataset = dataset,
                       .is_borrowed = is_borrowed,
                       .is_read_only = stoa_file_of_is_read_only(dataset),
                       .type = H5I_INVALID_HID,
                       .native = H5I_INVALID_HID};
    STOA_TRY(own_access(access, &own, err));
    STOA_TRY(stoa_sparse_filter_register(err));
    STOA_TRY(open_store(a, own.cache_bytes, err));
    STOA_HDF(err, a->type = H5Dget_type(dataset), "look up the type of elements");
    STOA_HDF(err, a->native = H5Tget_native_type(a->type, H5T_DIR_ASCEND),
             "look up the native type of elements");
    STOA_TRY(stoa_workers_open(own.threads, &a->workers, err));
    *array = a;
    a = NULL;

done:
    release(a);
    return status;
}

stoa_status stoa_sparse_create(hid_t loc, const char *path, hid_t type, unsigned rank,
                               const uint64_t *extent, const stoa_sparse_options *options,
                               const stoa_sparse_access *access, stoa_sparse **array,
                               stoa_error *err)
{
    stoa_sparse_options own;
    stoa_sparse_access unused;
    hid_t dataset = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    *array = NULL;
    STOA_TRY(own_access(access, &unused, err)); /* check before creating anything */
    STOA_TRY(stoa_sparse_own_options(options, &own, err));
    STOA_TRY(make_dataset(loc, path, type, rank, extent, &own, &dataset, err));
    STOA_TRY(open_array(dataset, false, access, array, err));
    (*array)->is_apart = true;

done:
    return stoa_at(err, status, "%s", path);
}

stoa_status stoa_sparse_open(hid_t loc, const char *path, const stoa_sparse_access *access,
                             stoa_sparse **array, stoa_error *err)
{
    hid_t object = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    *array = NULL;
    object = stoa_object_open(loc, path);
    if (object < 0) {
        STOA_TRY(stoa_object_not_found(loc, path, "no such object", NULL, err));
    }
    if (H5Iget_type(object) != H5I_DATASET) {
        STOA_FAIL(err, STOA_ELAYOUT, "no dataset");
    }
    const hid_t dataset = object;
    object = H5I_INVALID_HID;
    STOA_TRY(open_array(dataset, false, access, array, err));

done:
    status = stoa_hdf_close(&object, status, err);
    return stoa_at(err, status, "%s", path);
}

stoa_status stoa_sparse_open_dataset(hid_t dataset, const stoa_sparse_access *access,
                                     stoa_sparse **array, stoa_error *err)
{
    *array = NULL;
    return open_array(dataset, true, access, array, err);
}

hid_t stoa_memory_type(const stoa_sparse *array, hid_t type)
{
    return type == STOA_FILE_NATIVE ? array->native : type;
}

stoa_status stoa_sparse_must_write(stoa_sparse *array, stoa_error *err)
{
    if (array->is_read_only) {
        return stoa_fail(err, STOA_EIO, "the file was opened for reading alone");
    }
    if (!array->is_apart) {
        STOA_RETURN_NOT_OK(stoa_storage_may_change(array->dataset, err));
        array->is_apart = true;
    }
    return STOA_OK;
}

stoa_status stoa_sparse_flush(stoa_sparse *array, stoa_error *err)
{
    return stoa_store_flush(array->store, err);
}

stoa_status stoa_sparse_commit(stoa_sparse *array, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (array != NULL) {
        status = stoa_store_flush(array->store, err);
        if (!array->is_borrowed) {
            if (!array->is_shared) {
                stoa_store_close(array->store);
            }
            array->store = NULL;
            status = stoa_hdf_close(&array->dataset, status, err);
        }
        release(array);
    }
    return status;
}

void stoa_sparse_close(stoa_sparse *array)
{
    (void)!stoa_sparse_commit(array, NULL);
}

stoa_status stoa_sparse_describe(stoa_sparse *array, stoa_sparse_info *info, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);

    stoa_sparse_info own = {.rank = shape->rank,
                            .extent = shape->extent,
                            .chunk = shape->chunk,
                            .type = array->type,
                            .native_type = array->native,
                            .dataset = array->dataset};

    STOA_RETURN_NOT_OK(STOA_SIZED_CHECK(info, n_stored_bytes, "STOA_SPARSE_INFO_INIT", err));
    STOA_RETURN_NOT_OK(stoa_store_flush(array->store, err));
    STOA_RETURN_NOT_OK(stoa_store_count(array->store, &own.n_defined, err));
    STOA_RETURN_NOT_OK(stoa_store_stored(array->store, &own.n_chunks, &own.n_stored_bytes, err));
    STOA_SIZED_GIVE(&own, info);
    return STOA_OK;
}

stoa_status stoa_sparse_set_extent(stoa_sparse *array, const uint64_t *extent, stoa_error *err)
{
    const stoa_status status = stoa_sparse_must_write(array, err);

    return status == STOA_OK ? stoa_store_set_extent(array->store, extent, err) : status;
}

void stoa_sparse_points_clear(stoa_sparse_points *points)
{
    free(points->coordinates);
    free(points->values);
    *points = (stoa_sparse_points){.n = 0};
}
