/* Checks the chunks and lengths that libhdf5 is about to read. */
#include "hdf/read/checked_reader.h"

#include "core/memory.h"
#include "hdf/chunk/unpack.h"

/* Slots for the numbers of checked chunks; a number's slot is its remainder. */
enum { N_CHECKED = 4096 };

/* Record part `number` of a dataset as checked. *was_checked tells whether it was already. */
static stoa_status remember(stoa_checked_reader *reader, uint64_t number, bool *was_checked,
                            stoa_error *err)
{
    if (reader->checked == NULL) {
        reader->checked = stoa_alloc_zero(N_CHECKED, sizeof *reader->checked);
        STOA_RETURN_NO_MEMORY(err, reader->checked);
    }
    *was_checked = reader->checked[number % N_CHECKED] == number + 1;
    reader->checked[number % N_CHECKED] = number + 1;
    return STOA_OK;
}

static void forget(stoa_checked_reader *reader, uint64_t number)
{
    reader->checked[number % N_CHECKED] = 0;
}

static stoa_status check_chunk(stoa_checked_reader *reader, const hsize_t *offset, void *context,
                               stoa_error *err)
{
    (void)context;
    STOA_RETURN_NOT_OK(reader->chunk_bytes > 0
                           ? stoa_chunk_check(reader->dataset, reader->dcpl, offset,
                                              reader->chunk[0], reader->chunk_bytes, err)
                           : STOA_OK);
    return reader->has_lengths ? stoa_vlen_check_chunk(reader->lengths, offset, err) : STOA_OK;
}

/* Check a chunk of a one-dimensional dataset, unless that has been done. */
static stoa_status check_once(stoa_checked_reader *reader, uint64_t number, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hsize_t offset = number * reader->chunk[0];
    bool is_done = false;

    STOA_RETURN_NOT_OK(remember(reader, number, &is_done, err));
    status = is_done ? STOA_OK : check_chunk(reader, &offset, NULL, err);
    if (status != STOA_OK) {
        forget(reader, number);
    }
    return status;
}

/* --- without chunks -------------------------------------------------------------------------- */

/* Elements of a dataset without chunks that are checked together. */
enum { PART = 4096 };

/* The row-major index of the first element of a box; with `count`, of its last one. */
static uint64_t place_of(const hsize_t *extent, int rank, const hsize_t *start,
                         const hsize_t *count)
{
    uint64_t place = 0;

    for (int i = 0; i < rank; i++) {
        place = place * extent[i] + start[i] + (count != NULL ? count[i] - 1 : 0);
    }
    return place;
}

static stoa_status check_lengths(stoa_checked_reader *reader, const hsize_t *start,
                                 const hsize_t *count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t extent[H5S_MAX_RANK] = {0};
    hid_t space = H5I_INVALID_HID;
    int rank = 0;

    STOA_HDF(err, space = H5Dget_space(reader->dataset), "get the shape");
    STOA_HDF(err, rank = H5Sget_simple_extent_dims(space, extent, NULL), "get the shape");
    for (int i = 0; i < rank; i++) {
        if (count[i] == 0) {
            goto done;
        }
    }
    const uint64_t n = (uint64_t)H5Sget_simple_extent_npoints(space);
    const uint64_t last = place_of(extent, rank, start, count) / PART;
    for (uint64_t number = place_of(extent, rank, start, NULL) / PART; number <= last; number++) {
        const uint64_t first = number * PART;
        bool is_done = false;
        STOA_TRY(remember(reader, number, &is_done, err));
        if (is_done || first >= n) {
            continue;
        }
        status =
            stoa_vlen_check_rows(reader->lengths, first, n - first < PART ? n - first : PART, err);
        if (status != STOA_OK) {
            forget(reader, number);
            goto done;
        }
    }

done:
    return stoa_hdf_close(&space, status, err);
}

/* --- in chunks ------------------------------------------------------------------------------- */

stoa_status stoa_checked_reader_visit_chunks(stoa_checked_reader *reader, const hsize_t *start,
                                             const hsize_t *count, stoa_checked_reader_visit *visit,
                                             void *context, stoa_error *err)
{
    hsize_t offset[H5S_MAX_RANK];
    int i;

    for (i = 0; i < reader->rank; i++) {
        offset[i] = start[i] - start[i] % reader->chunk[i];
    }
    do {
        const stoa_status status = visit(reader, offset, context, err);
        if (status != STOA_OK) {
            return status;
        }
        for (i = reader->rank - 1; i >= 0; i--) {
            offset[i] += reader->chunk[i];
            if (offset[i] < start[i] + count[i]) {
                break;
            }
            offset[i] = start[i] - start[i] % reader->chunk[i];
        }
    } while (i >= 0);
    return STOA_OK;
}

stoa_status stoa_checked_reader_check(stoa_checked_reader *reader, const hsize_t *start,
                                      const hsize_t *count, stoa_error *err)
{
    if (reader->chunk_bytes == 0 && !reader->has_lengths) {
        return STOA_OK;
    }
    if (reader->has_lengths && reader->lengths == NULL) {
        STOA_RETURN_NOT_OK(stoa_vlen_check_open(reader->dataset, &reader->lengths, err));
    }
    if (reader->rank == 0) {
        STOA_RETURN_NOT_OK(check_lengths(reader, start, count, err));
        return STOA_OK;
    }
    for (int i = 0; i < reader->rank; i++) {
        if (count[i] == 0) {
            return STOA_OK;
        }
    }
    if (reader->rank > 1) {
        STOA_RETURN_NOT_OK(
            stoa_checked_reader_visit_chunks(reader, start, count, check_chunk, NULL, err));
        return STOA_OK;
    }
    for (uint64_t number = start[0] / reader->chunk[0];
         number <= (start[0] + count[0] - 1) / reader->chunk[0]; number++) {
        STOA_RETURN_NOT_OK(check_once(reader, number, err));
    }
    return STOA_OK;
}
