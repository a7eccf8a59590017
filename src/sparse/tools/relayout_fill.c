/*
 * Copy the elements of a dataset into its new storage, box by box.
 *
 * A box consists of whole chunks of the copy, so each of these is written once. If memory permits,
 * it is also as large as the chunks of the source, so that these are unpacked only a few times.
 */
#include <stdlib.h>
#include <string.h>

#include "core/min_of.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"
#include "sparse/tools/relayout_fill.h"
#include "sparse/tools/storage.h"

enum {
    BOX_BYTES = 4 << 20,   /* of a box, if chunks are smaller */
    MAX_BYTES = 256 << 20, /* of a box that is as large as the source's chunks */
    UNWRITTEN = 1 << 30    /* elements above which a nearly unwritten dataset is refused */
};

/* --- boxes ----------------------------------------------------------------------------------- */

static void chunk_of(hid_t dataset, unsigned rank, uint64_t *chunk)
{
    hsize_t shape[H5S_MAX_RANK];
    hid_t dcpl = stoa_dataset_properties(dataset);
    const bool is_chunked = dcpl >= 0 && H5Pget_layout(dcpl) == H5D_CHUNKED &&
                            H5Pget_chunk(dcpl, (int)rank, shape) == (int)rank;

    for (unsigned i = 0; i < rank; i++) {
        chunk[i] = is_chunked ? shape[i] : 1;
    }
    (void)stoa_hdf_close(&dcpl, STOA_OK, NULL);
}

/* Memory per element, including its coordinates. */
static uint64_t weight_of(const stoa_filling *f, unsigned rank)
{
    return f->size + (f->to != NULL ? rank * sizeof(uint64_t) : 0);
}

static stoa_status choose_boxes(stoa_filling *f, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    uint64_t chunk[H5S_MAX_RANK];
    uint64_t box[H5S_MAX_RANK];
    uint64_t from[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_HDF_ERROR(err, rank = H5Sget_simple_extent_dims(f->space, extent, NULL),
                          "look up the extent");
    chunk_of(f->copy, (unsigned)rank, chunk);
    chunk_of(f->source, (unsigned)rank, from);
    for (int i = 0; i < rank; i++) {
        box[i] = (from[i] + chunk[i] - 1) / chunk[i] * chunk[i];
    }
    const uint64_t weight = weight_of(f, (unsigned)rank);
    if (stoa_filling_product(box, (unsigned)rank) > MAX_BYTES / weight) {
        memcpy(box, chunk, sizeof box);
    }
    for (int i = rank; i-- > 0;) {
        while (box[i] < extent[i] &&
               stoa_filling_product(box, (unsigned)rank) <= BOX_BYTES / weight / 2) {
            box[i] *= 2;
        }
    }
    return stoa_shape_make((unsigned)rank, extent, box, &f->grid, err);
}

static uint64_t n_boxes(const stoa_shape *grid)
{
    uint64_t n = 1;

    for (unsigned i = 0; i < grid->rank; i++) {
        n *= grid->grid[i];
    }
    return n;
}

/* --- dense elements -------------------------------------------------------------------------- */

/* Copy a box to a dense dataset. */
static stoa_status copy_box(stoa_filling *f, const stoa_box *box, stoa_error *err)
{
    const uint64_t n = stoa_filling_elements(f, box);
    hid_t memory = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    stoa_filling_let_go(f);
    STOA_TRY(stoa_buffer_grow(&f->values, (size_t)n * f->size, err));
    STOA_TRY(stoa_filling_read_box(f, box, f->values.data, err));
    STOA_TRY(stoa_filling_select(f, box, &memory, err));
    STOA_HDF(err, H5Dwrite(f->copy, f->type, memory, f->space, H5P_DEFAULT, f->values.data),
             "write elements");

done:
    return stoa_hdf_close(&memory, status, err);
}

/* --- all elements ---------------------------------------------------------------------------- */

/* Copy the defined elements of a box from a sparse array. */
static stoa_status copy_defined(stoa_filling *f, const stoa_box *box, stoa_error *err)
{
    stoa_sparse_points points = {.n = 0};
    uint64_t *coordinates = NULL;
    uint8_t *values = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_read(f->from, box->start, box->count, f->type, &points, err));
    if (points.n > 0) {
        STOA_TRY(stoa_filling_room(f, points.n, &coordinates, &values, err));
        memcpy(coordinates, points.coordinates,
               (size_t)points.n * f->grid.rank * sizeof *coordinates);
        memcpy(values, points.values, (size_t)points.n * f->size);
        points.n = 0; /* their data now belong to the buffer */
        STOA_TRY(stoa_filling_put(f, err));
    }

done:
    stoa_filling_release(f, points.values, (size_t)points.n);
    stoa_sparse_points_clear(&points);
    return status;
}

static stoa_status fill_box(stoa_filling *f, uint64_t number, stoa_error *err)
{
    stoa_box box;

    stoa_filling_box(f, number, &box);
    STOA_RETURN_NOT_OK(stoa_filling_report(f, err));
    if (f->to == NULL) {
        STOA_RETURN_NOT_OK(copy_box(f, &box, err));
    } else if (f->from != NULL) {
        STOA_RETURN_NOT_OK(copy_defined(f, &box, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_filling_read_all(f, &box, err));
        STOA_RETURN_NOT_OK(stoa_filling_put(f, err));
    }
    return STOA_OK;
}

/* Append the boxes that a chunk of the source meets. */
static stoa_status add_boxes(const stoa_filling *f, uint64_t chunk, stoa_buffer *boxes,
                             stoa_error *err)
{
    const stoa_shape *const shape = stoa_store_shape(f->from->store);
    const unsigned rank = shape->rank;
    uint64_t offset[H5S_MAX_RANK];
    uint64_t at[H5S_MAX_RANK];
    uint64_t first[H5S_MAX_RANK];
    uint64_t unused = 0;
    stoa_box met = {.start = {0}};

    stoa_shape_offset(shape, chunk, offset);
    for (unsigned i = 0; i < rank; i++) {
        const uint64_t left = shape->extent[i] - offset[i];
        const uint64_t count = left < shape->chunk[i] ? left : shape->chunk[i];
        met.start[i] = offset[i] / f->grid.chunk[i];
        met.count[i] = (offset[i] + count - 1) / f->grid.chunk[i] - met.start[i] + 1;
    }
    memcpy(at, met.start, sizeof at);
    for (uint64_t n = stoa_filling_elements(f, &met); n > 0; n--) {
        for (unsigned i = 0; i < rank; i++) {
            first[i] = at[i] * f->grid.chunk[i];
        }
        const uint64_t number = stoa_shape_locate(&f->grid, first, &unused);
        const stoa_status status = stoa_buffer_append(boxes, &number, sizeof number, err);
        if (status != STOA_OK) {
            return status;
        }
        stoa_filling_step(f, &met, at);
    }
    return STOA_OK;
}

/* Of a sparse array, copy only the boxes with stored chunks. There may be any number of other
 * boxes. */
static stoa_status fill_where_chunks_are(stoa_filling *f, stoa_error *err)
{
    const stoa_box all = stoa_shape_all(stoa_store_shape(f->from->store));
    stoa_buffer chunks = {NULL, 0, 0};
    stoa_buffer boxes = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_store_chunks(f->from->store, &all, &chunks, err));
    const uint64_t *const chunk = (const uint64_t *)(const void *)chunks.data;
    for (size_t i = 0; i < chunks.size / sizeof *chunk; i++) {
        STOA_TRY(add_boxes(f, chunk[i], &boxes, err));
    }
    uint64_t *const number = (uint64_t *)(void *)boxes.data;
    const size_t n = boxes.size / sizeof *number;
    if (n > 0) {
        qsort(number, n, sizeof *number, stoa_order_u64);
    }
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || number[i] != number[i - 1]) {
            STOA_TRY(fill_box(f, number[i], err));
        }
    }

done:
    stoa_buffer_clear(&boxes);
    stoa_buffer_clear(&chunks);
    return status;
}

/* A file of a few bytes may claim 2^62 elements. Refuse to read that many fill values. */
static stoa_status check_written(const stoa_filling *f, stoa_error *err)
{
    const uint64_t n = (uint64_t)H5Sget_simple_extent_npoints(f->space);

    return n > UNWRITTEN && H5Dget_storage_size(f->source) < n >> 20
               ? stoa_fail(
                     err, STOA_ERANGE,
                     "%llu elements are to be read, and hardly any was ever written: they are "
                     "fill values",
                     (unsigned long long)n)
               : STOA_OK;
}

static stoa_status fill_all(stoa_filling *f, stoa_error *err)
{
    const uint64_t n = n_boxes(&f->grid);

    STOA_RETURN_NOT_OK(check_written(f, err));
    for (uint64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(fill_box(f, i, err));
    }
    return STOA_OK;
}

/* --- whole datasets -------------------------------------------------------------------------- */

/* Copy a dataset without dimensions, which is dense in both files. */
static stoa_status fill_scalar(stoa_filling *f, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_grow(&f->values, f->size, err));
    STOA_RETURN_NOT_OK(stoa_checked_reader_read_any(&f->reader, f->type, NULL, NULL, H5P_DEFAULT,
                                                    f->values.data, err));
    STOA_RETURN_HDF_ERROR(err,
                          H5Dwrite(f->copy, f->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, f->values.data),
                          "write elements");
    return STOA_OK;
}

static stoa_status open_both(stoa_filling *f, stoa_error *err)
{
    hid_t dcpl = H5I_INVALID_HID;
    H5D_fill_time_t time = H5D_FILL_TIME_IFSET;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_dataset_may_be_read(f->source, err));
    STOA_HDF(err, f->type = H5Dget_type(f->source), "look up the type of elements");
    STOA_HDF(err, f->space = H5Dget_space(f->source), "look up the extent");
    f->size = H5Tget_size(f->type);
    if (f->size == 0) {
        STOA_FAIL(err, STOA_EDATA, "has elements of no size: the file is damaged");
    }
    if (stoa_vlen_is_in(f->type)) {
        STOA_TRY(stoa_vlen_layout_of(f->type, H5I_INVALID_HID, &f->layout, err));
    }
    STOA_HDF(err, dcpl = stoa_dataset_properties(f->copy), "look up how a dataset was made");
    STOA_HDF(err, H5Pget_fill_time(dcpl, &time), "ask when fill values are written");
    f->may_have_gaps = H5Pget_layout(dcpl) == H5D_CHUNKED && time != H5D_FILL_TIME_NEVER;
    if (stoa_is_structured(f->source)) {
        STOA_TRY(stoa_sparse_open_dataset(f->source, NULL, &f->from, err));
    }
    if (f->from == NULL || f->layout == NULL) {
        STOA_TRY(stoa_checked_reader_open(&f->reader, f->source, H5I_INVALID_HID, NULL, err));
    }
    if (stoa_is_structured(f->copy)) {
        STOA_TRY(stoa_sparse_open_dataset(f->copy, NULL, &f->to, err));
        if (f->all->exclude != NULL) {
            STOA_TRY(stoa_one_value_of(f->all->exclude, f->type, &f->value, err));
        }
    }

done:
    return stoa_hdf_close(&dcpl, status, err);
}

static stoa_status fill(stoa_filling *f, stoa_error *err)
{
    const H5S_class_t kind = H5Sget_simple_extent_type(f->space);

    if (kind == H5S_NULL) {
        return STOA_OK;
    }
    if (kind == H5S_SCALAR) {
        return fill_scalar(f, err);
    }
    STOA_RETURN_NOT_OK(choose_boxes(f, err));
    if (f->to != NULL && f->list != NULL) {
        STOA_RETURN_NOT_OK(stoa_filling_listed(f, err));
    } else if (f->from != NULL && (f->to != NULL || f->may_have_gaps)) {
        STOA_RETURN_NOT_OK(fill_where_chunks_are(f, err));
    } else {
        STOA_RETURN_NOT_OK(fill_all(f, err));
    }
    return STOA_OK;
}

stoa_status stoa_relayout_fill(const stoa_relayouts *all, const stoa_relayout *one, hid_t source,
                               hid_t copy, stoa_error *err)
{
    stoa_filling f = {.all = all,
                      .list =
                          all->defined != NULL ? stoa_regions_of(all->defined, one->path) : NULL,
                      .source = source,
                      .copy = copy,
                      .type = H5I_INVALID_HID,
                      .space = H5I_INVALID_HID,
                      .reader = STOA_CHECKED_READER_INIT,
                      .value = STOA_ONE_VALUE_INIT};
    stoa_status status = STOA_OK;

    STOA_TRY(open_both(&f, err));
    STOA_TRY(fill(&f, err));

done:
    stoa_filling_let_go(&f);
    stoa_checked_reader_close(&f.reader);
    stoa_vlen_layout_free(f.layout);
    stoa_buffer_clear(&f.coordinates);
    stoa_buffer_clear(&f.values);
    stoa_buffer_clear(&f.flags);
    stoa_one_value_clear(&f.value);
    const stoa_status closed = stoa_sparse_commit(f.to, status == STOA_OK ? err : NULL);
    status = status != STOA_OK ? status : closed;
    stoa_sparse_close(f.from);
    status = stoa_hdf_close(&f.space, status, err);
    return stoa_hdf_close(&f.type, status, err);
}
