#include "hdf/chunk/chunk_list.h"

#include <string.h>

#include "hdf/metadata/libhdf5_checks.h"

/* --- detecting wrong coordinates ------------------------------------------------------------- */

static int note_first(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                      void *context)
{
    (void)mask;
    (void)address;
    (void)n_bytes;
    memcpy(context, offset, sizeof *offset);
    return H5_ITER_STOP;
}

/* Whether this libhdf5 is affected, since no version number tells. It is tested with a dataset in
 * memory whose only chunk is at (1, 0). */
static stoa_status ask_libhdf5(bool *is_wrong, stoa_error *err)
{
    static const hsize_t extent[2] = {2, 1};
    static const hsize_t most[2] = {2, H5S_UNLIMITED};
    static const hsize_t chunk[2] = {1, 1};
    static const hsize_t offset[2] = {1, 0};
    const uint8_t byte = 0;
    hsize_t listed = 0;
    hid_t fapl = H5I_INVALID_HID;
    hid_t file = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, fapl = H5Pcreate(H5P_FILE_ACCESS), "make an access list");
    STOA_HDF(err, H5Pset_fapl_core(fapl, 4096, false), "keep a file in memory");
    STOA_HDF(err, H5Pset_vol(fapl, H5VL_NATIVE, NULL), "use the native connector");
    STOA_HDF(err, H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST),
             "use the latest format");
    STOA_HDF(err, file = H5Fcreate("chunks in memory", H5F_ACC_TRUNC, H5P_DEFAULT, fapl),
             "make a file in memory");
    STOA_HDF(err, space = H5Screate_simple(2, extent, most), "make a dataspace");
    STOA_HDF(err, dcpl = H5Pcreate(H5P_DATASET_CREATE), "make a creation list");
    STOA_HDF(err, H5Pset_chunk(dcpl, 2, chunk), "set the chunk shape");
    STOA_HDF(err,
             dataset = H5Dcreate2(file, "x", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT),
             "make a dataset");
    STOA_HDF(err, H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset, 1, &byte), "write a chunk");
    STOA_HDF(err, H5Dchunk_iter(dataset, H5P_DEFAULT, note_first, &listed), "list the chunks");
    *is_wrong = listed != offset[0];

done:
    status = stoa_hdf_close(&dataset, status, err);
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&file, status, err);
    return stoa_hdf_close(&fapl, status, err);
}

/* The only unlimited dimension. 0 if there is none, there are several, or it is the first. */
static int only_unlimited(const hsize_t *most, int rank)
{
    int unlimited = 0;
    int n = 0;

    for (int i = 0; i < rank; i++) {
        if (most[i] == H5S_UNLIMITED) {
            unlimited = i;
            n++;
        }
    }
    return n == 1 ? unlimited : 0;
}

stoa_status stoa_chunk_turn_find(hid_t space, hid_t dcpl, H5D_chunk_index_t index,
                                 stoa_chunk_turn *turn, stoa_error *err)
{
    hsize_t most[H5S_MAX_RANK];
    bool is_wrong = false;

    turn->unlimited = 0;
    STOA_RETURN_HDF_ERROR(err, turn->rank = H5Sget_simple_extent_dims(space, NULL, most),
                          "get the shape");
    const int unlimited = only_unlimited(most, turn->rank);
    if (unlimited == 0 || index != H5D_CHUNK_IDX_EARRAY) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(err, H5Pget_chunk(dcpl, turn->rank, turn->chunk), "get the chunk shape");
    for (int i = 0; i < turn->rank; i++) {
        if (most[i] == 0) {
            return STOA_OK; /* no room for a chunk */
        }
        turn->n_chunks[i] = (most[i] - 1) / turn->chunk[i] + 1;
    }
    STOA_RETURN_NOT_OK(ask_libhdf5(&is_wrong, err));
    turn->unlimited = is_wrong ? unlimited : 0;
    return STOA_OK;
}

/* --- correcting them ------------------------------------------------------------------------- */

/* An extensible array numbers chunks with the unlimited dimension as the slowest, and the others in
 * their order. libhdf5 decodes the number as if all dimensions were in their order. So it gets
 * zeros before the unlimited one, which receives the quotient that the later dimensions leave. */
int stoa_chunk_turn_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                         void *context)
{
    const stoa_chunk_turn *turn = context;
    hsize_t right[H5S_MAX_RANK];
    hsize_t number = 0;

    if (turn->unlimited == 0) {
        return turn->visit(offset, mask, address, n_bytes, turn->context);
    }
    for (int i = turn->unlimited; i < turn->rank; i++) {
        number =
            (i > turn->unlimited ? number * turn->n_chunks[i] : 0) + offset[i] / turn->chunk[i];
    }
    for (int i = turn->rank; i-- > 0;) {
        if (i != turn->unlimited) {
            right[i] = number % turn->n_chunks[i] * turn->chunk[i];
            number /= turn->n_chunks[i];
        }
    }
    right[turn->unlimited] = number * turn->chunk[turn->unlimited];
    return turn->visit(right, mask, address, n_bytes, turn->context);
}

stoa_status stoa_chunks_list(hid_t dataset, H5D_chunk_iter_op_t visit, void *context,
                             stoa_error *err)
{
    stoa_chunk_turn turn = {.visit = visit, .context = context};
    H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    if (H5Sget_simple_extent_ndims(space) > 1) {
        STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "get the creation properties");
        STOA_HDF(err, H5Dget_chunk_index_type(dataset, &index), "look at the index of chunks");
        STOA_TRY(stoa_chunk_turn_find(space, dcpl, index, &turn, err));
    }
    STOA_HDF(err, H5Dchunk_iter(dataset, H5P_DEFAULT, stoa_chunk_turn_step, &turn),
             "list the chunks");

done:
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&space, status, err);
}

/* --- a single chunk -------------------------------------------------------------------------- */

int stoa_chunk_search_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                           void *context)
{
    stoa_chunk_search *search = context;

    (void)mask;
    if (memcmp(offset, search->offset, (size_t)search->rank * sizeof *offset) != 0) {
        return H5_ITER_CONT;
    }
    search->address = address;
    search->n_bytes = n_bytes;
    return H5_ITER_STOP;
}

/* Look at the innermost frame of libhdf5's error stack. */
static herr_t see_absence(unsigned n, const H5E_error2_t *frame, void *is_absent)
{
    if (n == 0) {
        *(bool *)is_absent = strcmp(frame->func_name, "H5D__get_chunk_storage_size") == 0;
    }
    return 0;
}

/* Search the list of all chunks. Listing also flushes chunks that are only in libhdf5's cache. */
static stoa_status search_list(hid_t dataset, stoa_chunk_search *search, stoa_error *err)
{
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    STOA_HDF(err, search->rank = H5Sget_simple_extent_ndims(space), "get the shape");
    STOA_TRY(stoa_chunks_list(dataset, stoa_chunk_search_step, search, err));

done:
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_chunk_stored_bytes(hid_t dataset, const hsize_t *offset, hsize_t *n_bytes,
                                    stoa_error *err)
{
    stoa_chunk_search search = {.offset = offset, .address = HADDR_UNDEF};
    bool is_absent = false;

    *n_bytes = 0;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const bool is_known = H5Dget_chunk_storage_size(dataset, offset, n_bytes) >= 0 && *n_bytes > 0;
    if (!is_known) {
        /* The call failed. Either libhdf5 found no such chunk, or the index is damaged or was never
         * written. */
        (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, see_absence, &is_absent);
    }
    stoa_error_stack_discard(&errors);
    if (!is_known && !is_absent) {
        STOA_RETURN_NOT_OK(search_list(dataset, &search, err));
        *n_bytes = search.address != HADDR_UNDEF ? search.n_bytes : 0;
    }
    return STOA_OK;
}
