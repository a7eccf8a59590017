/* Reads datasets safely: without libhdf5, by decoding chunks here, or with libhdf5 after checks. */
#include "hdf/read/checked_reader.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/filter_fallback.h"
#include "hdf/chunk/filters.h"
#include "hdf/chunk/unpack.h"
#include "hdf/metadata/libhdf5_checks.h"

/* Whether libhdf5 must decode everything because of STOA_SLOW (direct.h). Only in a read-only file,
 * since libhdf5 may have a wrong mask in a file that is being written to. */
static bool is_slow_path(hid_t dataset)
{
    unsigned intent = H5F_ACC_RDWR;
    hid_t file = H5Iget_file_id(dataset);
    const bool is_known = file >= 0 && H5Fget_intent(file, &intent) >= 0;

    (void)stoa_hdf_close(&file, STOA_OK, NULL);
    return is_known && intent == H5F_ACC_RDONLY && stoa_direct_is_off();
}

stoa_status stoa_checked_reader_open_checked(stoa_checked_reader *reader, hid_t dataset,
                                             stoa_error *err)
{
    reader->dataset = dataset;
    STOA_RETURN_HDF_ERROR(err, reader->dcpl = stoa_dataset_properties(dataset),
                          "get the creation properties");
    STOA_RETURN_HDF_ERROR(err, reader->type = H5Dget_type(dataset), "get the datatype");
    reader->has_lengths = stoa_type_has_vlen(reader->type);
    if (H5Pget_layout(reader->dcpl) != H5D_CHUNKED) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(err,
                          reader->rank = H5Pget_chunk(reader->dcpl, H5S_MAX_RANK, reader->chunk),
                          "get the chunk shape");
    if (H5Pget_nfilters(reader->dcpl) <= 0) {
        return STOA_OK;
    }
    reader->chunk_bytes = stoa_stored_size(reader->type);
    for (int i = 0; i < reader->rank; i++) {
        reader->chunk_bytes *= reader->chunk[i];
    }
    reader->pipeline = stoa_alloc_zero(1, sizeof *reader->pipeline);
    STOA_RETURN_NO_MEMORY(err, reader->pipeline);
    reader->is_ours =
        stoa_chunk_is_unpacked_here(reader->dcpl, reader->chunk_bytes) &&
        stoa_type_is_flat(reader->type) && !is_slow_path(dataset) &&
        stoa_pipeline_of(reader->dcpl, H5Tget_size(reader->type),
                         reader->chunk_bytes / H5Tget_size(reader->type), reader->pipeline);
    reader->is_ours_alone = reader->is_ours && stoa_filter_is_lacking(reader->dcpl, NULL, 0);
    if (!reader->is_ours) {
        STOA_RETURN_NOT_OK(stoa_filter_fallback_for(reader->dcpl, err));
    }
    return STOA_OK;
}

bool stoa_checked_reader_lacks_filter(hid_t dataset, char *word, size_t size)
{
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    const bool lacks = stoa_checked_reader_open_checked(&reader, dataset, NULL) == STOA_OK &&
                       !reader.is_ours && stoa_filter_is_lacking(reader.dcpl, word, size);

    stoa_checked_reader_close(&reader);
    return lacks;
}

/* Open the dataset for reading without libhdf5, if that is possible. */
static stoa_status open_direct(stoa_checked_reader *reader, hid_t dataset, hid_t mem_type,
                               stoa_read_context *read_context, stoa_error *err)
{
    if (read_context == NULL) {
        STOA_RETURN_NOT_OK(stoa_read_context_open(&reader->own, err));
    }
    return stoa_direct_open(read_context != NULL ? read_context : reader->own, dataset, mem_type,
                            &reader->direct, err);
}

stoa_status stoa_checked_reader_open(stoa_checked_reader *reader, hid_t dataset, hid_t mem_type,
                                     stoa_read_context *read_context, stoa_error *err)
{
    reader->mem_type = mem_type;
    if (mem_type >= 0) {
        STOA_RETURN_NOT_OK(open_direct(reader, dataset, mem_type, read_context, err));
    }
    if (reader->direct == NULL) {
        STOA_RETURN_NOT_OK(stoa_chunks_check(dataset, err));
        STOA_RETURN_NOT_OK(stoa_checked_reader_open_checked(reader, dataset, err));
    }
    return STOA_OK;
}

void stoa_checked_reader_close(stoa_checked_reader *reader)
{
    stoa_direct_close(reader->direct);
    stoa_read_context_close(reader->own);
    stoa_scratch_clear(&reader->scratch);
    stoa_vlen_check_close(reader->lengths);
    free(reader->checked);
    free(reader->pipeline);
    (void)stoa_hdf_close(&reader->type, STOA_OK, NULL);
    (void)stoa_hdf_close(&reader->dcpl, STOA_OK, NULL);
    *reader = (stoa_checked_reader)STOA_CHECKED_READER_INIT;
}

/* --- reading --------------------------------------------------------------------------------- */

stoa_status stoa_convert(hid_t from_type, hid_t to_type, const void *from, uint64_t n, void *out,
                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t from_size = H5Tget_size(from_type);
    const size_t to_size = H5Tget_size(to_type);
    uint8_t *both = NULL;
    uint8_t *background = NULL;

    if (H5Tequal(from_type, to_type) > 0) {
        memcpy(out, from, (size_t)n * from_size);
        return STOA_OK;
    }
    both = stoa_alloc((size_t)n, from_size > to_size ? from_size : to_size);
    background = stoa_alloc_zero((size_t)n, from_size > to_size ? from_size : to_size);
    STOA_TRY(both != NULL && background != NULL ? STOA_OK : stoa_fail_memory(err));
    memcpy(both, from, (size_t)n * from_size);
    STOA_HDF(err, H5Tconvert(from_type, to_type, (size_t)n, both, background, H5P_DEFAULT),
             "convert rows");
    memcpy(out, both, (size_t)n * to_size);

done:
    free(background);
    free(both);
    return status;
}

/* A hyperslab of elements that is assembled from parts of chunks. */
typedef struct box {
    const hsize_t *start;
    const hsize_t *count;
    hid_t mem_type;
    size_t stored_size; /* of an element in the file */
    size_t size;        /* of an element in memory */
    uint8_t *fill;      /* value of unwritten elements; NULL: zeros */
    uint8_t *converted; /* buffer for a chunk in memory form; NULL: no conversion is needed */
    uint8_t *out;
    stoa_scratch *scratch;
    stoa_workers *workers;
} box;

/* The intersection of a box and a chunk. */
typedef struct part {
    hsize_t first[H5S_MAX_RANK];
    hsize_t end[H5S_MAX_RANK];
    uint64_t skip; /* elements of the chunk before its first one */
    uint64_t n;    /* elements of the chunk from its first one to its last one */
} part;

static part part_of(const stoa_checked_reader *reader, const box *b, const hsize_t *offset)
{
    part p = {.skip = 0};
    uint64_t last = 0;

    for (int i = 0; i < reader->rank; i++) {
        const hsize_t chunk_end = offset[i] + reader->chunk[i];
        const hsize_t box_end = b->start[i] + b->count[i];
        p.first[i] = offset[i] > b->start[i] ? offset[i] : b->start[i];
        p.end[i] = chunk_end < box_end ? chunk_end : box_end;
        p.skip = p.skip * reader->chunk[i] + (p.first[i] - offset[i]);
        last = last * reader->chunk[i] + (p.end[i] - 1 - offset[i]);
    }
    p.n = last - p.skip + 1;
    return p;
}

/* Copy n elements, or n fill values if `elements` is NULL. */
static void put_run(const box *b, const uint8_t *elements, uint64_t to, uint64_t n)
{
    uint8_t *const out = b->out + to * b->size;

    if (elements != NULL) {
        memcpy(out, elements, (size_t)n * b->size);
    } else {
        stoa_fill_put(b->fill, b->size, n, out);
    }
}

/* Copy line by line along the last dimension. `elements` starts with the part's first element. */
static void put_part(const stoa_checked_reader *reader, const box *b, const hsize_t *offset,
                     const part *p, const uint8_t *elements)
{
    const int last = reader->rank - 1;
    hsize_t at[H5S_MAX_RANK];
    int i;

    memcpy(at, p->first, sizeof at);
    do {
        uint64_t from = 0;
        uint64_t to = 0;
        for (i = 0; i <= last; i++) {
            from = from * reader->chunk[i] + (at[i] - offset[i]);
            to = to * b->count[i] + (at[i] - b->start[i]);
        }
        put_run(b, elements != NULL ? elements + (from - p->skip) * b->size : NULL, to,
                p->end[last] - p->first[last]);
        for (i = last - 1; i >= 0 && ++at[i] == p->end[i]; i--) {
            at[i] = p->first[i];
        }
    } while (i >= 0);
}

static stoa_status unpack_part(stoa_checked_reader *reader, const hsize_t *offset, void *context,
                               stoa_error *err)
{
    const box *const b = context;
    const part p = part_of(reader, b, offset);
    const uint8_t *chunk = NULL;

    STOA_RETURN_NOT_OK(stoa_chunk_decode(reader->dataset, reader->dcpl, offset, reader->pipeline,
                                         b->scratch, b->workers, &chunk, err));
    chunk = chunk != NULL ? chunk + p.skip * b->stored_size : NULL;
    if (chunk != NULL && b->converted != NULL) {
        stoa_workers_lock(b->workers);
        const stoa_status status =
            stoa_convert(reader->type, b->mem_type, chunk, p.n, b->converted, err);
        stoa_workers_unlock(b->workers);
        STOA_RETURN_NOT_OK(status);
        chunk = b->converted;
    }
    put_part(reader, b, offset, &p, chunk);
    return STOA_OK;
}

/* Find out the sizes and the fill value of the elements. Calls libhdf5. */
static stoa_status describe(const stoa_checked_reader *reader, box *b, bool *is_known,
                            stoa_error *err)
{
    b->stored_size = H5Tget_size(reader->type);
    b->size = H5Tget_size(b->mem_type);
    if (H5Tequal(reader->type, b->mem_type) <= 0) {
        b->converted = stoa_alloc((size_t)(reader->chunk_bytes / b->stored_size), b->size);
        STOA_RETURN_NO_MEMORY(err, b->converted);
    }
    return stoa_fill_find(reader->dataset, reader->dcpl, b->mem_type, &b->fill, is_known, err);
}

stoa_status stoa_checked_reader_read_box(stoa_checked_reader *reader, hid_t mem_type,
                                         const hsize_t *start, const hsize_t *count,
                                         stoa_scratch *scratch, stoa_workers *workers, void *out,
                                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_known = true;
    box b = {.start = start,
             .count = count,
             .mem_type = mem_type,
             .out = out,
             .scratch = scratch != NULL ? scratch : &reader->scratch,
             .workers = workers};

    for (int i = 0; i < reader->rank; i++) {
        if (count[i] == 0) {
            return STOA_OK;
        }
    }
    stoa_workers_lock(workers);
    status = describe(reader, &b, &is_known, err);
    if (status == STOA_OK && !is_known) {
        status = stoa_checked_reader_read_by_libhdf5(reader, mem_type, start, count, H5P_DEFAULT,
                                                     out, err);
    }
    stoa_workers_unlock(workers);
    if (status == STOA_OK && is_known) {
        status = stoa_checked_reader_visit_chunks(reader, start, count, unpack_part, &b, err);
    }
    free(b.fill);
    free(b.converted);
    return status;
}

/* --- choice of method ------------------------------------------------------------------------ */

/* Whether a box is decoded here: it covers whole chunks, libhdf5 lacks a filter, or libhdf5 may
 * have a wrong mask for the only chunk of the dataset (chunk_writer.h). Parts of other chunks are
 * left to libhdf5, which caches the chunks that it read last. */
static bool is_read_here(const stoa_checked_reader *reader, const hsize_t *extent,
                         const hsize_t *start, const hsize_t *count)
{
    bool is_whole = true;

    if (!reader->is_ours) {
        return false;
    }
    for (int i = 0; i < reader->rank; i++) {
        if (start[i] > extent[i] || count[i] > extent[i] - start[i]) {
            return false; /* libhdf5 reports the error */
        }
        const hsize_t end = start[i] + count[i];
        is_whole = is_whole && start[i] % reader->chunk[i] == 0 &&
                   (end % reader->chunk[i] == 0 || end == extent[i]);
    }
    return is_whole || reader->is_ours_alone ||
           (reader->rank == 1 && extent[0] <= reader->chunk[0]);
}

/* Rows of a box that libhdf5 reads at a time. It needs about 12 KB for each chunk of a read. */
static hsize_t rows_at_once(const stoa_checked_reader *reader, const hsize_t *start,
                            const hsize_t *count)
{
    enum { MAX_CHUNKS = 2048 };
    hsize_t n = 1; /* chunks across the other dimensions */

    for (int i = 1; i < reader->rank && n < MAX_CHUNKS; i++) {
        const hsize_t first = start[i] / reader->chunk[i];
        n *= (start[i] + count[i] - 1) / reader->chunk[i] - first + 1;
    }
    return (n < MAX_CHUNKS ? MAX_CHUNKS / n : 1) * reader->chunk[0];
}

/* Read with libhdf5, a limited number of chunks at a time. */
static stoa_status read_in_steps(stoa_checked_reader *reader, hid_t mem_type, const hsize_t *start,
                                 const hsize_t *count, hid_t transfer, void *out, stoa_error *err)
{
    const hsize_t most = reader->rank > 0 ? rows_at_once(reader, start, count) : 0;
    size_t row = H5Tget_size(mem_type);
    hsize_t from[H5S_MAX_RANK];
    hsize_t some[H5S_MAX_RANK];

    if (reader->rank == 0 || count[0] <= most) {
        return stoa_checked_reader_read_by_libhdf5(reader, mem_type, start, count, transfer, out,
                                                   err);
    }
    memcpy(from, start, (size_t)reader->rank * sizeof *from);
    memcpy(some, count, (size_t)reader->rank * sizeof *some);
    for (int i = 1; i < reader->rank; i++) {
        row *= (size_t)count[i];
    }
    memset(out, 0, (size_t)count[0] * row); /* so that a failure leaves zeros */
    for (hsize_t done = 0; done < count[0]; done += some[0]) {
        from[0] = start[0] + done;
        some[0] = most - from[0] % reader->chunk[0];
        some[0] = some[0] < count[0] - done ? some[0] : count[0] - done;
        const stoa_status status = stoa_checked_reader_read_by_libhdf5(
            reader, mem_type, from, some, transfer, (uint8_t *)out + (size_t)done * row, err);
        if (status != STOA_OK) {
            return status;
        }
    }
    return STOA_OK;
}

stoa_status stoa_checked_reader_read_any(stoa_checked_reader *reader, hid_t mem_type,
                                         const hsize_t *start, const hsize_t *count, hid_t transfer,
                                         void *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hsize_t extent[H5S_MAX_RANK] = {0};
    int rank = 0;

    STOA_HDF(err, space = H5Dget_space(reader->dataset), "get the shape");
    STOA_HDF(err, rank = H5Sget_simple_extent_dims(space, extent, NULL), "get the shape");
    for (int i = 0; i < rank; i++) {
        if (count[i] == 0) {
            goto done;
        }
    }
    if (rank == reader->rank && is_read_here(reader, extent, start, count)) {
        STOA_TRY(
            stoa_checked_reader_read_box(reader, mem_type, start, count, NULL, NULL, out, err));
        goto done;
    }
    STOA_TRY(stoa_checked_reader_check(reader, start, count, err));
    STOA_TRY(read_in_steps(reader, mem_type, start, count, transfer, out, err));

done:
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_checked_reader_read(stoa_checked_reader *reader, uint64_t first, uint64_t count,
                                     stoa_scratch *scratch, stoa_workers *workers, void *out,
                                     stoa_error *err)
{
    const stoa_direct *const direct = reader->direct;
    const hid_t mem_type = reader->mem_type;

    scratch = scratch != NULL ? scratch : &reader->scratch;
    if (direct != NULL) {
        const bool is_little = workers == NULL && count < stoa_direct_chunk_rows(direct);
        return (is_little ? stoa_direct_look_up : stoa_direct_read)(direct, first, count, scratch,
                                                                    out, err);
    }
    if (workers != NULL && reader->is_ours) {
        return stoa_checked_reader_read_box(reader, mem_type, &first, &count, scratch, workers, out,
                                            err);
    }
    stoa_workers_lock(workers);
    const stoa_status status =
        stoa_checked_reader_read_any(reader, mem_type, &first, &count, H5P_DEFAULT, out, err);
    stoa_workers_unlock(workers);
    return status;
}

stoa_status stoa_chunks_read(hid_t dataset, bool is_checked, hid_t mem_type, const hsize_t *start,
                             const hsize_t *count, hid_t transfer, void *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;

    STOA_TRY(is_checked ? stoa_checked_reader_open_checked(&reader, dataset, err)
                        : stoa_checked_reader_open(&reader, dataset, H5I_INVALID_HID, NULL, err));
    STOA_TRY(stoa_checked_reader_read_any(&reader, mem_type, start, count, transfer, out, err));

done:
    stoa_checked_reader_close(&reader);
    return status;
}
