/* Calls H5Dread(), after the chunks have been checked. */
#include "hdf/read/checked_reader.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/chunk/filters.h"

/* If elements are at least as large in memory as in the file, libhdf5 converts in place. After a
 * failure, the buffer has bytes of the file where the caller expects pointers to free. */
static void forget_unconverted(hid_t dataset, hid_t mem_type, hid_t space, void *out)
{
    hid_t type = H5Dget_type(dataset);
    const size_t size = H5Tget_size(mem_type);

    if (type < 0 || H5Tget_size(type) <= size) {
        memset(out, 0, (size_t)H5Sget_select_npoints(space) * size);
    }
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
}

static stoa_status read_box(const stoa_checked_reader *reader, hid_t mem_type, const hsize_t *start,
                            const hsize_t *count, hid_t transfer, void *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t memory = H5I_INVALID_HID;
    int rank = 0;
    bool is_tried = false;

    STOA_HDF(err, space = H5Dget_space(reader->dataset), "get the shape");
    STOA_HDF(err, rank = H5Sget_simple_extent_ndims(space), "get the shape");
    if (rank > 0) {
        STOA_HDF(err, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL),
                 "select elements");
        STOA_HDF(err, memory = H5Screate_simple(rank, count, NULL), "make a dataspace");
    }
    is_tried = true;
    STOA_HDF(err,
             H5Dread(reader->dataset, mem_type, rank > 0 ? memory : H5S_ALL,
                     rank > 0 ? space : H5S_ALL, transfer, out),
             rank == 1 ? "read rows %llu to %llu" : "read elements",
             rank == 1 ? (unsigned long long)*start : 0,
             rank == 1 ? (unsigned long long)(*start + *count) : 0);

done:
    if (status != STOA_OK && is_tried) {
        forget_unconverted(reader->dataset, mem_type, space, out);
    }
    status = stoa_filter_named(reader->dcpl, status, err);
    status = stoa_hdf_close(&memory, status, err);
    return stoa_hdf_close(&space, status, err);
}

/* --- fill values of variable length ---------------------------------------------------------- */

/* Whether the fill value must be written here. To read a chunk that was never written, libhdf5 1.14
 * writes the fill value into the file's heap. It fails if the file is read-only. */
static bool must_fill(const stoa_checked_reader *reader)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;

    return reader->has_lengths && reader->rank > 0 &&
           H5Pfill_value_defined(reader->dcpl, &defined) >= 0 &&
           defined == H5D_FILL_VALUE_USER_DEFINED;
}

typedef struct part {
    const void *elements;
    size_t n_bytes;
} part;

static herr_t give_part(const void **from, size_t *n_bytes, void *context)
{
    const part *const p = context;

    *from = p->elements;
    *n_bytes = p->n_bytes;
    return 0;
}

/* Free the variable-length parts of elements after a failure, and set the elements to zero. Those
 * that were not read must be zero already. */
static void give_back(hid_t mem_type, size_t n, void *elements)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t space = H5Screate_simple(1, &(hsize_t){n}, NULL);

    (void)H5Treclaim(mem_type, space, H5P_DEFAULT, elements);
    memset(elements, 0, n * H5Tget_size(mem_type));
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    stoa_error_stack_discard(&errors);
}

/* Read a part of one chunk into its place in the box of `count` elements at `start`. */
static stoa_status read_part(const stoa_checked_reader *reader, hid_t mem_type,
                             const hsize_t *start, const hsize_t *count, const hsize_t *from,
                             const hsize_t *some, void *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = H5Tget_size(mem_type);
    hid_t memory = H5I_INVALID_HID;
    hsize_t at[H5S_MAX_RANK];
    hsize_t n_stored = 0;
    size_t n = 1;
    uint8_t *elements = NULL;

    for (int i = 0; i < reader->rank; i++) {
        n *= (size_t)some[i];
        at[i] = from[i] - from[i] % reader->chunk[i];
    }
    elements = stoa_alloc_zero(n, size);
    STOA_TRY(elements != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_chunk_stored_bytes(reader->dataset, at, &n_stored, err));
    for (int i = 0; i < reader->rank; i++) {
        at[i] = from[i] - start[i];
    }
    STOA_HDF(err, memory = H5Screate_simple(reader->rank, count, NULL), "make a dataspace");
    STOA_HDF(err, H5Sselect_hyperslab(memory, H5S_SELECT_SET, at, NULL, some, NULL),
             "select elements");
    if (n_stored > 0) {
        STOA_TRY(read_box(reader, mem_type, from, some, H5P_DEFAULT, elements, err));
    }
    for (size_t i = 0; i < n && n_stored == 0; i++) { /* a copy each, since each is freed */
        STOA_HDF(err, H5Pget_fill_value(reader->dcpl, mem_type, elements + i * size),
                 "get the fill value");
    }
    STOA_HDF(err, H5Dscatter(give_part, &(part){elements, n * size}, mem_type, memory, out),
             "put elements in their places");

done:
    if (status != STOA_OK && elements != NULL) {
        give_back(mem_type, n, elements);
    }
    free(elements);
    return stoa_hdf_close(&memory, status, err);
}

/* Read a box chunk by chunk. A failure leaves zeros. */
static stoa_status read_parts(const stoa_checked_reader *reader, hid_t mem_type,
                              const hsize_t *start, const hsize_t *count, void *out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t from[H5S_MAX_RANK];
    hsize_t some[H5S_MAX_RANK];
    size_t n = 1;
    int d = 0;

    for (int i = 0; i < reader->rank; i++) {
        from[i] = start[i];
        n *= (size_t)count[i];
    }
    memset(out, 0, n * H5Tget_size(mem_type));
    while (n > 0 && d >= 0) {
        for (int i = 0; i < reader->rank; i++) {
            const hsize_t end = from[i] - from[i] % reader->chunk[i] + reader->chunk[i];
            some[i] = (end < start[i] + count[i] ? end : start[i] + count[i]) - from[i];
        }
        STOA_TRY(read_part(reader, mem_type, start, count, from, some, out, err));
        for (d = reader->rank - 1; d >= 0 && (from[d] += some[d]) == start[d] + count[d]; d--) {
            from[d] = start[d];
        }
    }

done:
    if (status != STOA_OK && n > 0) {
        give_back(mem_type, n, out);
    }
    return status;
}

stoa_status stoa_checked_reader_read_by_libhdf5(const stoa_checked_reader *reader, hid_t mem_type,
                                                const hsize_t *start, const hsize_t *count,
                                                hid_t transfer, void *out, stoa_error *err)
{
    return transfer == H5P_DEFAULT && must_fill(reader)
               ? read_parts(reader, mem_type, start, count, out, err)
               : read_box(reader, mem_type, start, count, transfer, out, err);
}
