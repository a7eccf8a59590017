#include "hdf/chunk/chunk_writer.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/filters.h"
#include "hdf/chunk/unpack.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"
#include "hdf/read/checked_reader.h"

/* Larger chunks without filters are left to libhdf5. */
enum { MAX_COPIED = 1 << 24 };

/* --- opening --------------------------------------------------------------------------------- */

/* Get the fill value in stored form. `type` is the result of H5Dget_type(). */
static stoa_status read_fill(stoa_chunk_writer *writer, hid_t type, stoa_error *err)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    bool fits = false;

    writer->fill = stoa_alloc_zero(1, writer->pipeline.element_size);
    STOA_RETURN_NO_MEMORY(err, writer->fill);
    STOA_RETURN_NOT_OK(stoa_fill_fits(writer->dcpl, type, &fits, err));
    STOA_RETURN_HDF_ERROR(err, H5Pfill_value_defined(writer->dcpl, &defined),
                          "look for the fill value");
    if (!fits) {
        return stoa_fail(err, STOA_EDATA, "the fill value is not of the size of an element");
    }
    if (defined != H5D_FILL_VALUE_UNDEFINED) {
        STOA_RETURN_HDF_ERROR(err, H5Pget_fill_value(writer->dcpl, type, writer->fill),
                              "get the fill value");
    }
    return STOA_OK;
}

/* Set up writing by libhdf5. */
static stoa_status use_libhdf5(stoa_chunk_writer *writer, size_t size, hsize_t chunk_rows,
                               stoa_error *err)
{
    writer->their_rows = chunk_rows;
    writer->their_bytes = chunk_rows * size;
    if (writer->their_bytes > 0 && !stoa_filters_fit(writer->dcpl, writer->their_bytes)) {
        return stoa_fail(err, STOA_EDATA,
                         "its filters are for chunks of another size, or cannot follow each other");
    }
    return STOA_OK;
}

stoa_status stoa_chunk_writer_open(stoa_chunk_writer *writer, hid_t dataset, hid_t mem_type,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hsize_t chunk_rows = 0;

    writer->dataset = dataset;
    writer->mem_type = mem_type;
    STOA_TRY(stoa_values_may_be_written(dataset, err));
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    /* libhdf5 does not convert integers to an enumeration, but to its base type. */
    STOA_HDF(err,
             writer->type = H5Tget_class(type) == H5T_ENUM ? H5Tget_super(type) : H5Tcopy(type),
             "get the datatype");
    STOA_HDF(err, writer->dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    writer->is_same = H5Tequal(writer->type, mem_type) > 0 || H5Tequal(type, mem_type) > 0;
    const bool is_in_rows = H5Pget_layout(writer->dcpl) == H5D_CHUNKED &&
                            H5Pget_chunk(writer->dcpl, 1, &chunk_rows) == 1;
    const bool is_copied = writer->is_new && is_in_rows && /* by one write */
                           chunk_rows <= MAX_COPIED / stoa_stored_size(type);
    writer->is_ours =
        (H5Pget_nfilters(writer->dcpl) > 0 || is_copied) && is_in_rows &&
        (stoa_type_is_plain(type) || (writer->is_same && stoa_type_is_flat(type))) &&
        !stoa_edges_are_unfiltered(writer->dcpl) && /* libhdf5 writes them */
        stoa_pipeline_of(writer->dcpl, stoa_stored_size(type), chunk_rows, &writer->pipeline);
    writer->is_enum = H5Tget_class(type) == H5T_ENUM;
    if (writer->is_ours) {
        writer->chunk_rows = chunk_rows;
        STOA_TRY(read_fill(writer, type, err));
    } else if (is_in_rows) {
        STOA_TRY(use_libhdf5(writer, stoa_stored_size(type), chunk_rows, err));
    }

done:
    return stoa_hdf_close(&type, status, err);
}

void stoa_chunk_writer_close(stoa_chunk_writer *writer)
{
    free(writer->fill);
    free(writer->chunk);
    stoa_scratch_clear(&writer->scratch);
    (void)stoa_hdf_close(&writer->type, STOA_OK, NULL);
    (void)stoa_hdf_close(&writer->dcpl, STOA_OK, NULL);
    *writer = (stoa_chunk_writer)STOA_CHUNK_WRITER_INIT;
}

/* --- loading and storing chunks -------------------------------------------------------------- */

static stoa_status extent_of(const stoa_chunk_writer *writer, uint64_t *extent, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hsize_t n = 0;

    *extent = 0;
    STOA_HDF(err, space = H5Dget_space(writer->dataset), "get the shape");
    STOA_HDF(err, H5Sget_simple_extent_dims(space, &n, NULL), "get the shape");
    *extent = n;

done:
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_chunk_writer_begin(stoa_chunk_writer *writer, uint64_t *extent, stoa_error *err)
{
    const stoa_status status = extent_of(writer, extent, err);

    writer->pipeline.packs_always = *extent <= writer->chunk_rows;
    return status;
}

/* Write the fill value into the rows of a chunk from `first` on. */
static void fill_rest(const stoa_chunk_writer *writer, uint8_t *chunk, uint64_t first)
{
    const size_t size = writer->pipeline.element_size;

    stoa_fill_put(writer->fill, size, writer->chunk_rows - first, chunk + (size_t)first * size);
}

static stoa_status need_chunk(stoa_chunk_writer *writer, stoa_error *err)
{
    if (writer->chunk == NULL) {
        writer->chunk = stoa_alloc_aligned(64, writer->pipeline.chunk_bytes);
    }
    return writer->chunk != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Load a chunk into writer->chunk; fill values if it was never written. */
static stoa_status load(stoa_chunk_writer *writer, uint64_t number, bool *exists, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n_bytes = writer->pipeline.chunk_bytes;
    const hsize_t offset = number * writer->chunk_rows;
    stoa_loaded_chunk stored = {.bytes = NULL};
    const uint8_t *chunk = NULL;

    STOA_TRY(stoa_chunk_load(writer->dataset, writer->dcpl, &offset, n_bytes, &stored, err));
    *exists = stored.n_bytes != 0;
    if (!*exists) {
        fill_rest(writer, writer->chunk, 0);
        goto done;
    }
    if (stored.bytes == NULL) {
        STOA_FAIL(err, STOA_EDATA, "the chunk of row %llu cannot be read: the file is damaged",
                  (unsigned long long)offset);
    }
    STOA_TRY(stoa_pipeline_undo(&writer->pipeline, stored.mask, stored.bytes,
                                (size_t)stored.n_bytes, &writer->scratch, writer->chunk, &chunk,
                                err));
    if (chunk != writer->chunk) {
        memcpy(writer->chunk, chunk, n_bytes);
    }

done:
    free(stored.bytes);
    return status;
}

/* Bytes that a chunk occupies in the file; 0 if it was never written. */
static hsize_t stored_size(hid_t dataset, hsize_t offset)
{
    hsize_t n = 0;
    const stoa_error_stack errors = stoa_error_stack_begin();

    if (H5Dget_chunk_storage_size(dataset, &offset, &n) < 0) {
        n = 0;
    }
    stoa_error_stack_discard(&errors);
    return n;
}

/* Make the index accept another mask (invariant 1). */
static stoa_status change_mask(stoa_chunk_writer *writer, const stoa_packed_chunk *packed,
                               const uint8_t *bytes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hsize_t offset = packed->number * writer->chunk_rows;
    stoa_loaded_chunk old = {.bytes = NULL};

    STOA_TRY(stoa_chunk_load(writer->dataset, writer->dcpl, &offset, writer->pipeline.chunk_bytes,
                             &old, err));
    if (old.mask != packed->mask && packed->n_bytes > 1) {
        STOA_HDF(err,
                 H5Dwrite_chunk(writer->dataset, H5P_DEFAULT, packed->mask, &offset,
                                packed->n_bytes - 1, bytes),
                 "write a chunk");
    }

done:
    free(old.bytes);
    return status;
}

stoa_status stoa_chunk_put(stoa_chunk_writer *writer, const stoa_packed_chunk *packed,
                           const uint8_t *bytes, stoa_error *err)
{
    const hsize_t offset = packed->number * writer->chunk_rows;

    const hsize_t n_old = stored_size(writer->dataset, offset);
    if (n_old == packed->n_bytes) {
        STOA_RETURN_NOT_OK(change_mask(writer, packed, bytes, err));
    }
    STOA_RETURN_HDF_ERROR(
        err,
        H5Dwrite_chunk(writer->dataset, H5P_DEFAULT, packed->mask, &offset, packed->n_bytes, bytes),
        "write the chunk of row %llu", (unsigned long long)offset);
    writer->is_stale = packed->mask != 0 || n_old != 0;
    writer->last = packed->number;
    writer->is_held = writer->is_held && writer->held != packed->number;
    return STOA_OK;
}

/* Make libhdf5 cache the lookup of another chunk (invariant 2). */
static stoa_status look_away(stoa_chunk_writer *writer, uint64_t number, stoa_error *err)
{
    const hsize_t offset = number != 0 ? 0 : writer->chunk_rows;

    return stoa_chunk_look_up(writer->dataset, writer->dcpl, &offset, writer->pipeline.chunk_bytes,
                              err);
}

stoa_status stoa_chunk_writer_settle(stoa_chunk_writer *writer, stoa_error *err)
{
    uint64_t extent = 0;

    if (writer->is_stale) {
        STOA_RETURN_NOT_OK(extent_of(writer, &extent, err));
        if (extent > writer->chunk_rows) { /* else later, in stoa_chunk_writer_resize() */
            STOA_RETURN_NOT_OK(look_away(writer, writer->last, err));
        }
        writer->is_stale = false;
    }
    return STOA_OK;
}

/* Encode a whole chunk, such as writer->chunk, and write it. */
static stoa_status store(stoa_chunk_writer *writer, uint64_t number, const uint8_t *chunk,
                         stoa_error *err)
{
    const uint8_t *stored = NULL;
    stoa_packed_chunk packed = {.number = number};

    STOA_RETURN_NOT_OK(stoa_pipeline_apply(&writer->pipeline, chunk, &writer->scratch, &stored,
                                           &packed.n_bytes, &packed.mask, err));
    return stoa_chunk_put(writer, &packed, stored, err);
}

/* Write the held chunk and make writer->chunk available. */
static stoa_status make_room(stoa_chunk_writer *writer, stoa_error *err)
{
    if (writer->is_held) {
        STOA_RETURN_NOT_OK(store(writer, writer->held, writer->chunk, err));
    }
    return need_chunk(writer, err);
}

stoa_status stoa_chunk_writer_flush(stoa_chunk_writer *writer, stoa_error *err)
{
    uint64_t extent = 0;

    if (writer->is_held) {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_begin(writer, &extent, err));
        STOA_RETURN_NOT_OK(store(writer, writer->held, writer->chunk, err));
        STOA_RETURN_NOT_OK(stoa_chunk_writer_settle(writer, err));
        stoa_scratch_clear(&writer->scratch); /* tables may have thousands of columns */
    }
    return STOA_OK;
}

stoa_status stoa_chunk_writer_hold(stoa_chunk_writer *writer, uint64_t first, stoa_error *err)
{
    const uint64_t number = first / writer->chunk_rows;
    bool exists = false;

    if (writer->is_held && writer->held == number) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(make_room(writer, err));
    STOA_RETURN_NOT_OK(load(writer, number, &exists, err));
    writer->is_held = true;
    writer->held = number;
    return STOA_OK;
}

stoa_status stoa_chunk_pack(const stoa_chunk_writer *writer, const void *elements, uint64_t n,
                            stoa_scratch *scratch, stoa_packed_chunk *packed, stoa_buffer *bytes,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = writer->pipeline.element_size;
    const uint8_t *stored = NULL;
    uint8_t *whole = NULL;

    if (n < writer->chunk_rows) {
        whole = stoa_alloc_aligned(64, writer->pipeline.chunk_bytes);
        STOA_TRY(whole != NULL ? STOA_OK : stoa_fail_memory(err));
        memcpy(whole, elements, (size_t)n * size);
        fill_rest(writer, whole, n);
    }
    STOA_TRY(stoa_pipeline_apply(&writer->pipeline, whole != NULL ? whole : elements, scratch,
                                 &stored, &packed->n_bytes, &packed->mask, err));
    STOA_TRY(stoa_buffer_append(bytes, stored, packed->n_bytes, err));

done:
    free(whole);
    return status;
}

stoa_status stoa_chunk_complete(stoa_chunk_writer *writer, uint64_t first, const void *elements,
                                uint64_t n, bool is_last, stoa_scratch *scratch,
                                stoa_packed_chunk *packed, stoa_buffer *bytes, uint64_t *n_taken,
                                bool *is_packed, stoa_error *err)
{
    const size_t size = writer->pipeline.element_size;
    const uint64_t skip = first % writer->chunk_rows;
    const uint64_t left = writer->chunk_rows - skip;

    *n_taken = n < left ? n : left;
    *is_packed = is_last || n >= left;
    memcpy(writer->chunk + (size_t)skip * size, elements, (size_t)*n_taken * size);
    packed->number = writer->held;
    return *is_packed ? stoa_chunk_pack(writer, writer->chunk, writer->chunk_rows, scratch, packed,
                                        bytes, err)
                      : STOA_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

/* libhdf5 reads a chunk before it writes or cuts off a part of it, without checking that it decodes
 * to all its rows. So check the chunk that contains `row`, unless `row` is its first one. */
static stoa_status check_before(stoa_chunk_writer *writer, uint64_t row, stoa_error *err)
{
    if (writer->their_bytes == 0 || row % writer->their_rows == 0 ||
        writer->sound == row / writer->their_rows + 1) {
        return STOA_OK;
    }
    const hsize_t offset = row - row % writer->their_rows;
    STOA_RETURN_NOT_OK(stoa_chunk_check(writer->dataset, writer->dcpl, &offset, writer->their_rows,
                                        writer->their_bytes, err));
    writer->sound = row / writer->their_rows + 1;
    return STOA_OK;
}

/* Write through libhdf5. */
static stoa_status write_there(stoa_chunk_writer *writer, uint64_t first, uint64_t count,
                               const void *elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID; /* of an enumeration, whose elements are converted already */
    hid_t file_space = H5I_INVALID_HID;
    hid_t mem_space = H5I_INVALID_HID;

    STOA_TRY(check_before(writer, first, err));
    STOA_TRY(check_before(writer, first + count, err));
    if (writer->is_enum) {
        STOA_HDF(err, type = H5Dget_type(writer->dataset), "get the datatype");
    }
    STOA_HDF(err, file_space = H5Dget_space(writer->dataset), "get the shape");
    STOA_HDF(err,
             H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &(hsize_t){first}, NULL,
                                 &(hsize_t){count}, NULL),
             "select rows");
    STOA_HDF(err, mem_space = H5Screate_simple(1, &(hsize_t){count}, NULL), "make a dataspace");
    STOA_HDF(err,
             H5Dwrite(writer->dataset, type >= 0 ? type : writer->mem_type, mem_space, file_space,
                      H5P_DEFAULT, elements),
             "write rows %llu to %llu", (unsigned long long)first,
             (unsigned long long)(first + count));

done:
    status = stoa_hdf_close(&mem_space, status, err);
    status = stoa_hdf_close(&file_space, status, err);
    return stoa_hdf_close(&type, status, err);
}

/* Convert elements to stored form. The caller frees *own, which is NULL if no conversion was
 * needed. */
static stoa_status to_stored(const stoa_chunk_writer *writer, uint64_t n, const void **elements,
                             void **own, stoa_error *err)
{
    const size_t from = H5Tget_size(writer->mem_type);
    const size_t to = H5Tget_size(writer->type);

    *own = NULL;
    if (writer->is_same) {
        return STOA_OK;
    }
    *own = stoa_alloc((size_t)n, from > to ? from : to);
    STOA_RETURN_NO_MEMORY(err, *own);
    memcpy(*own, *elements, (size_t)n * from);
    STOA_RETURN_HDF_ERROR(
        err, H5Tconvert(writer->mem_type, writer->type, (size_t)n, *own, NULL, H5P_DEFAULT),
        "convert rows");
    *elements = *own;
    return STOA_OK;
}

/* Write stored elements to rows [first, first + count) of one chunk. */
static stoa_status write_into(stoa_chunk_writer *writer, uint64_t first, uint64_t count,
                              uint64_t extent, const uint8_t *elements, stoa_error *err)
{
    const size_t size = writer->pipeline.element_size;
    const uint64_t number = first / writer->chunk_rows;
    const uint64_t skip = first % writer->chunk_rows;
    const bool is_here = writer->is_held && writer->held == number;

    if (count == writer->chunk_rows) {
        return store(writer, number, elements, err);
    }
    if (!is_here && skip == 0 && first + count == extent) { /* the old content does not matter */
        STOA_RETURN_NOT_OK(make_room(writer, err));
        fill_rest(writer, writer->chunk, count);
        writer->is_held = true;
        writer->held = number;
    } else {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_hold(writer, first, err));
    }
    memcpy(writer->chunk + (size_t)skip * size, elements, (size_t)count * size);
    return STOA_OK;
}

stoa_status stoa_chunk_writer_write(stoa_chunk_writer *writer, uint64_t first, uint64_t count,
                                    const void *elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const void *stored = elements;
    void *own = NULL;
    uint64_t extent = 0;

    if (count == 0) {
        return STOA_OK;
    }
    if (!writer->is_ours && !writer->is_enum) {
        return write_there(writer, first, count, elements, err);
    }
    STOA_TRY(to_stored(writer, count, &stored, &own, err));
    if (!writer->is_ours) {
        STOA_TRY(write_there(writer, first, count, stored, err));
        goto done;
    }
    STOA_TRY(stoa_chunk_writer_begin(writer, &extent, err));
    if (first > extent || count > extent - first) {
        STOA_FAIL(err, STOA_ERANGE, "rows %llu to %llu pass the extent %llu",
                  (unsigned long long)first, (unsigned long long)(first + count),
                  (unsigned long long)extent);
    }
    for (uint64_t at = 0; at < count;) {
        const uint64_t left = writer->chunk_rows - (first + at) % writer->chunk_rows;
        const uint64_t n = left < count - at ? left : count - at;
        STOA_TRY(write_into(writer, first + at, n, extent,
                            (const uint8_t *)stored + (size_t)at * writer->pipeline.element_size,
                            err));
        at += n;
    }
    STOA_TRY(stoa_chunk_writer_settle(writer, err));

done:
    free(own);
    return status;
}

stoa_status stoa_chunk_writer_resize(stoa_chunk_writer *writer, uint64_t extent, stoa_error *err)
{
    const uint64_t n_left = writer->is_ours ? extent % writer->chunk_rows : 0;
    stoa_packed_chunk edge = {.number = writer->is_ours ? extent / writer->chunk_rows : 0};
    const uint8_t *stored = NULL;
    uint64_t old_extent = 0;
    bool is_cut = false;

    STOA_RETURN_NOT_OK(extent_of(writer, &old_extent, err));
    STOA_RETURN_NOT_OK(check_before(writer, extent < old_extent ? extent : old_extent, err));
    if (extent < old_extent) {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_flush(writer, err));
    }
    if (extent < old_extent && n_left != 0) {
        STOA_RETURN_NOT_OK(need_chunk(writer, err));
        STOA_RETURN_NOT_OK(load(writer, edge.number, &is_cut, err));
    }
    if (is_cut) { /* encode the whole chunk before shrinking, so that nothing can fail in between */
        fill_rest(writer, writer->chunk, n_left);
        writer->pipeline.packs_always = extent <= writer->chunk_rows;
        STOA_RETURN_NOT_OK(stoa_pipeline_apply(&writer->pipeline, writer->chunk, &writer->scratch,
                                               &stored, &edge.n_bytes, &edge.mask, err));
        STOA_RETURN_NOT_OK(stoa_dataset_resize(writer->dataset, &(hsize_t){extent - n_left}, err));
    }
    STOA_RETURN_NOT_OK(stoa_dataset_resize(writer->dataset, &(hsize_t){extent}, err));
    if (is_cut) {
        STOA_RETURN_NOT_OK(stoa_chunk_put(writer, &edge, stored, err));
        STOA_RETURN_NOT_OK(stoa_chunk_writer_settle(writer, err));
    }
    if (writer->is_ours && old_extent <= writer->chunk_rows && extent > writer->chunk_rows) {
        STOA_RETURN_NOT_OK(look_away(writer, 0, err));
    }
    return STOA_OK;
}
