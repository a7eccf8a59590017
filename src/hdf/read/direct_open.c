/* Opens a dataset that is to be read without libhdf5, if that is possible. */
#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/chunk_list.h"
#include "hdf/chunk/filters.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/read/direct_parts.h"

/* The dataset that is being opened. */
typedef struct looking {
    hid_t dataset;
    hid_t dcpl;
    hid_t type;
    hid_t space;
    hid_t mem_type;
    stoa_read_context *read_context;
    stoa_direct *direct;
} looking;

/* --- elements -------------------------------------------------------------------------------- */

static bool is_number(H5T_class_t class)
{
    return class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_BITFIELD;
}

/* Whether the types differ only in byte order, and have no padding bits, which would need a
 * conversion. */
static bool differs_in_order(hid_t stored, hid_t wanted)
{
    const H5T_order_t order = H5Tget_order(wanted);
    hid_t turned = H5Tcopy(stored);
    const bool is_so =
        turned >= 0 && (order == H5T_ORDER_LE || order == H5T_ORDER_BE) &&
        (H5Tget_order(stored) == H5T_ORDER_LE || H5Tget_order(stored) == H5T_ORDER_BE) &&
        H5Tget_precision(stored) == 8 * H5Tget_size(stored) && H5Tset_order(turned, order) >= 0 &&
        H5Tequal(turned, wanted) > 0;

    (void)stoa_hdf_close(&turned, STOA_OK, NULL);
    return is_so;
}

bool stoa_direct_converts(hid_t stored, hid_t wanted, bool *swaps)
{
    const size_t size = H5Tget_size(stored);
    hid_t base = H5I_INVALID_HID;
    bool is_known = H5Tequal(stored, wanted) > 0;

    *swaps = false;
    if (!is_known && is_number(H5Tget_class(wanted)) && size <= 8) {
        base = H5Tget_class(stored) == H5T_ENUM ? H5Tget_super(stored) : H5Tcopy(stored);
        is_known = base >= 0 && H5Tequal(base, wanted) > 0;
        if (!is_known && base >= 0 && is_number(H5Tget_class(base))) {
            is_known = differs_in_order(base, wanted);
            *swaps = is_known && size > 1;
        }
        (void)stoa_hdf_close(&base, STOA_OK, NULL);
    }
    return is_known;
}

/* --- addresses ------------------------------------------------------------------------------- */

/* Whether nothing is allocated. libhdf5 adds the size of the user block even to HADDR_UNDEF. */
static bool is_nowhere(const stoa_direct *direct, haddr_t address)
{
    return address == HADDR_UNDEF || address == HADDR_UNDEF + direct->file->user_block;
}

/* Context of add_chunk(). */
typedef struct walk {
    stoa_direct *direct;
    stoa_status status;
    stoa_error *err;
} walk;

static int add_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                     void *context)
{
    walk *w = context;
    stoa_direct *direct = w->direct;
    const stoa_chunk_place place = {address, (uint32_t)size, mask};

    if (size == 0 || size > UINT32_MAX) {
        w->status = stoa_fail(w->err, STOA_EDATA, "chunk %llu has %llu bytes: the file is damaged",
                              (unsigned long long)(offset[0] / direct->chunk_rows),
                              (unsigned long long)size);
        return H5_ITER_STOP;
    }
    if (is_nowhere(direct, address)) {
        return H5_ITER_CONT;
    }
    if (offset[0] % direct->chunk_rows != 0 || address > UINT64_MAX - size) {
        w->status =
            stoa_fail(w->err, STOA_EDATA,
                      "a chunk is at row %llu, which is no multiple of %llu, or at no "
                      "address: the file is damaged",
                      (unsigned long long)offset[0], (unsigned long long)direct->chunk_rows);
    } else {
        w->status =
            stoa_chunk_map_add(&direct->map, offset[0] / direct->chunk_rows, &place, w->err);
    }
    return w->status == STOA_OK ? H5_ITER_CONT : H5_ITER_STOP;
}

/* Unfiltered chunks must be as long as their rows. libhdf5 does not check that (libhdf5_checks.h).
 */
static stoa_status check_sizes(const stoa_direct *direct, stoa_error *err)
{
    for (uint64_t i = stoa_chunk_map_next(&direct->map, 0); i != UINT64_MAX;
         i = stoa_chunk_map_next(&direct->map, i + 1)) {
        const stoa_chunk_place *place = stoa_chunk_map_find(&direct->map, i);
        if (place->n_bytes != direct->pipeline.chunk_bytes &&
            stoa_direct_is_raw(direct, i, place->mask)) {
            return stoa_fail(err, STOA_EDATA,
                             "chunk %llu is shorter than its rows: the file is damaged",
                             (unsigned long long)i);
        }
    }
    return STOA_OK;
}

/* Read parts of large chunks as if they were chunks, where they can be decoded alone. */
static void cut_chunks(stoa_direct *direct)
{
    direct->is_cut = direct->stored_rows >= 2 * STOA_DIRECT_ROWS &&
                     direct->first_unfiltered == UINT64_MAX &&
                     stoa_pipeline_has_parts(&direct->pipeline);
    if (direct->is_cut) {
        direct->chunk_rows = STOA_DIRECT_ROWS;
    }
}

static stoa_status find_chunks(looking *look, stoa_error *err)
{
    stoa_direct *const direct = look->direct;
    walk w = {.direct = direct, .err = err};

    STOA_RETURN_NOT_OK(stoa_chunks_list(look->dataset, add_chunk, &w, err));
    STOA_RETURN_NOT_OK(w.status);
    STOA_RETURN_NOT_OK(stoa_chunk_map_finish(&direct->map, err));
    if (stoa_edges_are_unfiltered(look->dcpl)) {
        direct->first_unfiltered = direct->extent / direct->chunk_rows;
    }
    STOA_RETURN_NOT_OK(check_sizes(direct, err));
    cut_chunks(direct);
    return STOA_OK;
}

/* Find the layout, the chunk shape and the filters. If chunks are too large and none was written,
 * the dataset is treated as an unwritten contiguous one. libhdf5 would allocate a chunk to read a
 * row. */
static bool find_layout(looking *look)
{
    stoa_direct *const direct = look->direct;
    hid_t filters = look->dcpl;
    const hsize_t most_rows = STOA_USUAL_CHUNK_BYTES / direct->element_size;
    const hsize_t usual_rows = most_rows < STOA_DIRECT_ROWS ? most_rows : STOA_DIRECT_ROWS;
    hsize_t rows = usual_rows;

    switch (H5Pget_layout(look->dcpl)) {
    case H5D_CHUNKED:
        if (H5Pget_chunk(look->dcpl, 1, &rows) != 1 || rows == 0) {
            return false;
        }
        direct->is_chunked = rows <= most_rows || H5Dget_storage_size(look->dataset) > 0;
        if (!direct->is_chunked) {
            rows = usual_rows;
            filters = H5P_DATASET_CREATE_DEFAULT;
        }
        break;
    case H5D_CONTIGUOUS:
        if (H5Pget_external_count(look->dcpl) != 0) {
            return false;
        }
        direct->address = H5Dget_offset(look->dataset);
        break;
    default:
        return false;
    }
    direct->chunk_rows = rows;
    direct->stored_rows = rows;
    return rows > 0 && rows <= UINT32_MAX &&
           stoa_chunk_is_unpacked_here(filters, rows * direct->element_size) &&
           stoa_pipeline_of(filters, direct->element_size, rows, &direct->pipeline);
}

/* --- opening --------------------------------------------------------------------------------- */

bool stoa_direct_is_off(void)
{
    const char *value = getenv("STOA_SLOW");

    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

/* The checks that need neither the chunk addresses nor the descriptor. */
static stoa_status check_properties(looking *look, bool *is_possible, stoa_error *err)
{
    hsize_t extent = 0;

    *is_possible = false;
    STOA_RETURN_HDF_ERROR(err, look->type = H5Dget_type(look->dataset), "get the datatype");
    STOA_RETURN_HDF_ERROR(err, look->space = H5Dget_space(look->dataset), "get the shape");
    STOA_RETURN_HDF_ERROR(err, look->dcpl = stoa_dataset_properties(look->dataset),
                          "get the creation properties");
    if (H5Sget_simple_extent_type(look->space) != H5S_SIMPLE ||
        H5Sget_simple_extent_dims(look->space, NULL, NULL) != 1 || !stoa_type_is_flat(look->type)) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(err, H5Sget_simple_extent_dims(look->space, &extent, NULL),
                          "get the shape");
    look->direct->extent = extent;
    const stoa_error_stack errors = stoa_error_stack_begin();
    look->direct->element_size = H5Tget_size(look->type);
    *is_possible = stoa_direct_converts(look->type, look->mem_type, &look->direct->swaps) &&
                   look->direct->element_size != 0 && find_layout(look);
    stoa_error_stack_discard(&errors);
    return STOA_OK;
}

/* A cell has about as many bytes as a read of one row costs anyway. */
static void find_cells(stoa_direct *direct, stoa_read_context *read_context)
{
    enum { CELL_ROWS = 256, CELL_BYTES = 2048 };
    const uint64_t fitting = CELL_BYTES / direct->element_size;

    direct->cell_rows = fitting > CELL_ROWS ? CELL_ROWS : fitting > 0 ? fitting : 1;
    direct->cache = stoa_read_context_cache(read_context);
    direct->owner = stoa_chunk_cache_owner(direct->cache);
    direct->cell_owner = stoa_chunk_cache_owner(direct->cache);
    direct->head_owner = stoa_chunk_cache_owner(direct->cache);
}

static stoa_status check_chunks(looking *look, bool *is_possible, stoa_error *err)
{
    bool fits = false;

    STOA_RETURN_NOT_OK(
        stoa_read_context_descriptor(look->read_context, look->dataset, &look->direct->file, err));
    *is_possible = look->direct->file->fd >= 0;
    if (!*is_possible) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_fill_fits(look->dcpl, look->type, &fits, err));
    if (!fits) {
        return stoa_fail(err, STOA_EDATA,
                         "the fill value is not of the size of an element: the file is damaged");
    }
    STOA_RETURN_NOT_OK(stoa_fill_find(look->dataset, look->dcpl, look->mem_type,
                                      &look->direct->fill, is_possible, err));
    if (is_nowhere(look->direct, look->direct->address)) {
        look->direct->address = HADDR_UNDEF;
    }
    if (*is_possible && look->direct->is_chunked) {
        STOA_RETURN_NOT_OK(find_chunks(look, err));
    }
    find_cells(look->direct, look->read_context);
    return STOA_OK;
}

stoa_status stoa_direct_open(stoa_read_context *read_context, hid_t dataset, hid_t mem_type,
                             stoa_direct **direct, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_possible = false;
    looking look = {.dataset = dataset,
                    .dcpl = H5I_INVALID_HID,
                    .type = H5I_INVALID_HID,
                    .space = H5I_INVALID_HID,
                    .mem_type = mem_type,
                    .read_context = read_context};

    *direct = NULL;
    if (stoa_direct_is_off()) {
        return STOA_OK;
    }
    look.direct = stoa_alloc_zero(1, sizeof *look.direct);
    STOA_RETURN_NO_MEMORY(err, look.direct);
    look.direct->address = HADDR_UNDEF;
    look.direct->first_unfiltered = UINT64_MAX;
    STOA_TRY(check_properties(&look, &is_possible, err));
    if (is_possible) {
        STOA_TRY(check_chunks(&look, &is_possible, err));
    }
    if (is_possible) {
        *direct = look.direct;
        look.direct = NULL;
    }

done:
    stoa_direct_close(look.direct);
    status = stoa_hdf_close(&look.dcpl, status, err);
    status = stoa_hdf_close(&look.space, status, err);
    return stoa_hdf_close(&look.type, status, err);
}

void stoa_direct_close(stoa_direct *direct)
{
    if (direct != NULL) {
        stoa_chunk_map_clear(&direct->map);
        free(direct->fill);
        free(direct);
    }
}
