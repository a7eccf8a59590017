/*
 * A part of a dataset: "/img[10:20, :, 5]" (layout/common/slice.h). A number drops its dimension,
 * and rows go along the first dimension that remains.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "column/read/foreign.h"
#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/read/checked_reader.h"
#include "layout/common/extent.h"
#include "layout/common/slice.h"
#include "layout/common/tensor.h"
#include "layout/plain/plain.h"
#include "sparse/tools/storage.h"

typedef struct slice {
    hid_t dataset; /* owned */
    hid_t item;    /* type in memory of one element */
    int rank;
    stoa_slice ranges[H5S_MAX_RANK];
    int row; /* the dimension of the rows; -1: there is one row */
    stoa_checked_reader reader;
} slice;

static void close_slice(void *context)
{
    slice *const s = context;

    if (s != NULL) {
        stoa_checked_reader_close(&s->reader);
        (void)stoa_hdf_close(&s->item, STOA_OK, NULL);
        (void)stoa_hdf_close(&s->dataset, STOA_OK, NULL);
        free(s);
    }
}

/* --- paths ----------------------------------------------------------------------------------- */

/* The length of the dataset's path in front of the brackets; 0 if there are none. */
static size_t before_brackets(const char *path)
{
    const size_t length = strlen(path);
    const char *const open = length > 2 && path[length - 1] == ']' ? strrchr(path, '[') : NULL;

    return open != NULL && open > path ? (size_t)(open - path) : 0;
}

static hid_t open_dataset(hid_t loc, const char *path)
{
    const size_t n = before_brackets(path);
    char *const own = n > 0 ? stoa_strndup(path, n) : NULL;
    hid_t dataset = own != NULL ? stoa_object_open(loc, own) : H5I_INVALID_HID;

    free(own);
    if (dataset >= 0 && (H5Iget_type(dataset) != H5I_DATASET || stoa_is_structured(dataset))) {
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    }
    return dataset;
}

bool stoa_plain_is_slice(hid_t loc, const char *path)
{
    hid_t dataset = open_dataset(loc, path);
    const bool is = dataset >= 0;

    (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    return is;
}

/* --- reading --------------------------------------------------------------------------------- */

/* The box around the positions. */
static uint64_t surround(const stoa_slice *r, uint64_t from, uint64_t n, hsize_t *start,
                         hsize_t *count)
{
    const int64_t first = r->first + (int64_t)from * r->step;
    const int64_t last = first + (int64_t)(n - 1) * r->step;

    *start = (hsize_t)(first < last ? first : last);
    *count = (hsize_t)(first < last ? last - first : first - last) + 1;
    return *count;
}

/* Copy the elements at the positions out of a box of elements. */
static void gather(const slice *s, const stoa_slice *ranges, const hsize_t *start,
                   const hsize_t *count, const uint8_t *box, size_t size, uint8_t *out)
{
    uint64_t index[H5S_MAX_RANK] = {0};

    for (;;) {
        uint64_t at = 0;
        for (int d = 0; d < s->rank; d++) {
            const int64_t position = ranges[d].first + (int64_t)index[d] * ranges[d].step;
            at = at * count[d] + ((uint64_t)position - start[d]);
        }
        memcpy(out, box + at * size, size);
        out += size;
        int d = s->rank - 1;
        while (d >= 0 && ++index[d] == ranges[d].n) {
            index[d--] = 0;
        }
        if (d < 0) {
            return;
        }
    }
}

/* Read rows that are next to each other but for their steps. */
static stoa_status read_box(slice *s, uint64_t first, uint64_t count, uint8_t *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_slice ranges[H5S_MAX_RANK];
    hsize_t start[H5S_MAX_RANK];
    hsize_t box[H5S_MAX_RANK];
    size_t n_box = 1;
    uint8_t *elements = NULL;
    const size_t size = H5Tget_size(s->item);
    bool is_straight = true;

    for (int d = 0; d < s->rank; d++) {
        ranges[d] = s->ranges[d];
        if (d == s->row) {
            ranges[d].first += (int64_t)first * ranges[d].step;
            ranges[d].n = count;
        }
        if (__builtin_mul_overflow(n_box, surround(&ranges[d], 0, ranges[d].n, &start[d], &box[d]),
                                   &n_box)) {
            return stoa_fail_memory(err);
        }
        is_straight = is_straight && (ranges[d].step == 1 || ranges[d].n == 1);
    }
    if (is_straight) {
        return stoa_checked_reader_read_any(&s->reader, s->item, start, box, H5P_DEFAULT, out, err);
    }
    elements = stoa_alloc_zero(n_box, size);
    STOA_TRY(elements != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(
        stoa_checked_reader_read_any(&s->reader, s->item, start, box, H5P_DEFAULT, elements, err));
    gather(s, ranges, start, box, elements, size, out);

done:
    free(elements);
    return status;
}

/* Rows whose box is not too large. With steps it has more elements than the rows. */
static uint64_t rows_at_once(const slice *s)
{
    const double most = 0x1p24;
    double row = (double)H5Tget_size(s->item);
    hsize_t ignored;
    hsize_t count;

    for (int d = 0; d < s->rank; d++) {
        const stoa_slice *const r = &s->ranges[d];
        row *= d == s->row ? fabs((double)r->step) : (double)surround(r, 0, r->n, &ignored, &count);
    }
    return row < most ? (uint64_t)(most / row) : 1;
}

static stoa_status read_slice(void *context, uint64_t first, uint64_t count, void *out,
                              stoa_error *err)
{
    slice *const s = context;
    size_t row_bytes = H5Tget_size(s->item);

    for (int d = 0; d < s->rank; d++) {
        if (s->ranges[d].n == 0) {
            return STOA_OK;
        }
        row_bytes *= d == s->row ? 1 : (size_t)s->ranges[d].n;
    }
    const uint64_t most = s->row >= 0 ? rows_at_once(s) : count;
    for (uint64_t i = 0; i < count; i += most) {
        const uint64_t n = count - i < most ? count - i : most;
        STOA_RETURN_NOT_OK(read_box(s, first + i, n, (uint8_t *)out + i * row_bytes, err));
    }
    return STOA_OK;
}

/* --- opening --------------------------------------------------------------------------------- */

/* The type of a row: an element, or an array over the dimensions that remain after the first. */
static stoa_status describe(slice *s, stoa_element *element, hsize_t *cell, int *cell_rank,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t row = H5I_INVALID_HID;
    stoa_element item = {.mem_type = H5I_INVALID_HID};

    *cell_rank = 0;
    s->row = -1;
    for (int d = 0; d < s->rank; d++) {
        if (!s->ranges[d].is_one && s->row < 0) {
            s->row = d;
        } else if (!s->ranges[d].is_one) {
            cell[(*cell_rank)++] = s->ranges[d].n;
        }
    }
    for (int i = 0; i < *cell_rank; i++) {
        if (cell[i] == 0 || cell[i] > UINT32_MAX) {
            STOA_FAIL(err, STOA_EINVAL, "the slice has rows of %llu elements",
                      (unsigned long long)cell[i]);
        }
    }
    STOA_HDF(err, type = H5Dget_type(s->dataset), "get the datatype");
    STOA_TRY(stoa_element_of(type, &item, err));
    STOA_HDF(err, s->item = H5Tcopy(item.mem_type), "copy a datatype");
    if (*cell_rank == 0) {
        *element = item;
        item = (stoa_element){.mem_type = H5I_INVALID_HID};
        goto done;
    }
    STOA_HDF(err, row = H5Tarray_create2(type, (unsigned)*cell_rank, cell), "make an array type");
    STOA_TRY(stoa_element_of(row, element, err));

done:
    stoa_element_clear(&item);
    status = stoa_hdf_close(&row, status, err);
    return stoa_hdf_close(&type, status, err);
}

static bool is_gathered(const slice *s)
{
    bool is = false;

    for (int d = 0; d < s->rank; d++) {
        is = is || s->ranges[d].step != 1;
    }
    return is;
}

/* Make the column of a slice, whose ranges are set. Takes ownership of `s`, also on failure. */
static stoa_status make_column(slice *s, const char *name, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hsize_t cell[H5S_MAX_RANK];
    int cell_rank = 0;

    *column = NULL;
    STOA_TRY(stoa_chunks_check(s->dataset, err));
    STOA_TRY(describe(s, &element, cell, &cell_rank, err));
    if (is_gathered(s) && stoa_element_is_variable(&element)) {
        STOA_FAIL(err, STOA_EINVAL, "a slice of elements of variable length takes steps of 1");
    }
    STOA_TRY(stoa_checked_reader_open(&s->reader, s->dataset, H5I_INVALID_HID, NULL, err));
    const uint64_t n_rows = s->row >= 0 ? s->ranges[s->row].n : 1;
    const stoa_column_source source = {
        .read_elements = read_slice, .close = close_slice, .context = s};
    s = NULL;
    STOA_TRY(stoa_column_of_elements(name, &element, n_rows, &source, column, err));
    if (cell_rank > 1) {
        STOA_TRY(stoa_tensor_add_metadata(*column, cell_rank, cell, err));
    }

done:
    close_slice(s);
    stoa_element_clear(&element);
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return status;
}

static stoa_status open_ranges(hid_t dataset, const char *text, size_t length, slice **made,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t extent[H5S_MAX_RANK];
    slice *s = stoa_alloc_zero(1, sizeof *s);

    *made = NULL;
    STOA_RETURN_NO_MEMORY(err, s);
    s->dataset = H5I_INVALID_HID;
    s->item = H5I_INVALID_HID;
    s->reader = (stoa_checked_reader)STOA_CHECKED_READER_INIT;
    STOA_HDF(err, H5Iinc_ref(dataset), "hold the dataset");
    s->dataset = dataset;
    STOA_TRY(stoa_extent_read(dataset, &s->rank, extent, err));
    if (s->rank < 1) {
        STOA_FAIL(err, STOA_EINVAL, "it is a scalar, which has no slices");
    }
    STOA_TRY(stoa_slices_parse(text, length, s->rank, extent, s->ranges, err));
    *made = s;
    s = NULL;

done:
    close_slice(s);
    return status;
}

stoa_status stoa_plain_open_slice(hid_t loc, const char *path, const char *file, stoa_table **out,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = before_brackets(path);
    char *own = stoa_strndup(path, n);
    const char *const slash = own != NULL ? strrchr(own, '/') : NULL;
    hid_t dataset = open_dataset(loc, path);
    stoa_table *table = NULL;
    stoa_column *column = NULL;
    slice *s = NULL;

    *out = NULL;
    STOA_TRY(own != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, dataset, "open the dataset");
    STOA_TRY(open_ranges(dataset, path + n + 1, strlen(path) - n - 2, &s, err));
    const stoa_slice rows = s->ranges[0];
    const int rank = s->rank;
    STOA_TRY(make_column(s, slash != NULL ? slash + 1 : own, &column, err));
    STOA_TRY(stoa_plain_present(dataset, &column, err));
    const hid_t taken = dataset;
    dataset = H5I_INVALID_HID;
    STOA_TRY(stoa_foreign_begin(taken, path, file, "plain", column->n_rows, &table, err));
    if (rank == 1) {
        STOA_TRY(stoa_plain_add_axis(table, taken, (double)rows.first, (double)rows.step, err));
    }
    status = stoa_foreign_add(table, column, err);
    column = NULL;
    STOA_TRY(status);
    *out = table;
    table = NULL;

done:
    free(own);
    stoa_column_close(column);
    stoa_table_close(table);
    return stoa_hdf_close(&dataset, status, err);
}
