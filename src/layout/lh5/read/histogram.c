/* Histograms: axes by their numbers, edges evenly spaced or one by one (LH5 notes §4.4). */
#include "layout/lh5/read/histogram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/read.h"
#include "column/read/rows.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"

bool stoa_lh5_is_histogram(const stoa_lh5_datatype *type)
{
    return type->kind == STOA_LH5_HISTOGRAM ||
           (type->kind == STOA_LH5_STRUCT && type->n_names == 3 &&
            stoa_lh5_datatype_has(type, "binning") && stoa_lh5_datatype_has(type, "weights") &&
            stoa_lh5_datatype_has(type, "isdensity"));
}

/* --- numbers --------------------------------------------------------------------------------- */

/* Read all values of a column of numbers or truth values. */
static stoa_status read_numbers(stoa_column *column, double *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_rows rows = {.array.release = NULL};
    const stoa_view *const view = &rows.view;

    STOA_TRY(stoa_column_rows_read(column, 0, column->n_rows, &rows, err));
    const bool is_float = stoa_kind_is_float(view->type.kind);
    if (!is_float && !stoa_kind_is_integer(view->type.kind) && view->type.kind != STOA_KIND_BOOL) {
        STOA_FAIL(err, STOA_EDATA, "%s is no number", column->name);
    }
    for (int64_t i = 0; i < view->length; i++) {
        out[i] = is_float                              ? stoa_view_f64(view, i)
                 : view->type.kind == STOA_KIND_UINT64 ? (double)(uint64_t)stoa_view_i64(view, i)
                                                       : (double)stoa_view_i64(view, i);
    }

done:
    stoa_column_rows_clear(&rows);
    return status;
}

/* Read a scalar member. If it is absent, *found is false; that is an error if `is_needed`. */
static stoa_status read_stored(hid_t group, const char *name, bool is_needed, double *value,
                               bool *found, char *stored, size_t size, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    *found = is_needed || stoa_object_exists(group, name);
    if (!*found) {
        return STOA_OK;
    }
    STOA_TRY(stoa_lh5_open_numbers(group, name, &column, err));
    if (column->n_rows != 1) {
        STOA_FAIL(err, STOA_EDATA, "%s is not one number", name);
    }
    STOA_TRY(read_numbers(column, value, err));
    (void)snprintf(stored, size, "%.*s", (int)size - 1, column->element.text);
    stored[strcspn(stored, " ")] = '\0';

done:
    stoa_column_close(column);
    return status;
}

static stoa_status read_scalar(hid_t group, const char *name, bool is_needed, double *value,
                               bool *found, stoa_error *err)
{
    char stored[32];

    return read_stored(group, name, is_needed, value, found, stored, sizeof stored, err);
}

/* --- axes ------------------------------------------------------------------------------------ */

/* Read {first,last,step}. Julia writes {first,last} with steps of 1, or {first,last,length} where
 * `length` counts edges. */
static stoa_status read_range(hid_t edges, stoa_axis *axis, stoa_error *err)
{
    double step = 1;
    double length = 0;
    bool found = false;
    char types[3][32];
    char numbers[3][STOA_NUMBER_SIZE];

    STOA_RETURN_NOT_OK(read_stored(edges, "first", true, &axis->first, &found, types[0], 32, err));
    STOA_RETURN_NOT_OK(read_stored(edges, "last", true, &axis->last, &found, types[1], 32, err));
    STOA_RETURN_NOT_OK(read_scalar(edges, "length", false, &length, &found, err));
    double n = length - 1;
    if (!found) {
        STOA_RETURN_NOT_OK(read_stored(edges, "step", false, &step, &found, types[2], 32, err));
        n = (axis->last - axis->first) / step;
    }
    if (!(n >= 0 && n < 9007199254740992.0) || fabs(n - round(n)) > 1e-6 * (n + 1)) {
        return stoa_fail(
            err, STOA_EDATA,
            "the edges from %g to %g are no whole number of bins apart (LH5 notes §4.4)",
            axis->first, axis->last);
    }
    axis->n_bins = (uint64_t)round(n);
    if (!found || length != 0) { /* Julia's forms: compute the step */
        memcpy(types[2], types[0], sizeof types[2]);
        step = axis->n_bins > 0 ? (axis->last - axis->first) / (double)axis->n_bins : 1;
    }
    (void)stoa_format_f64(axis->first, numbers[0]);
    (void)stoa_format_f64(axis->last, numbers[1]);
    (void)stoa_format_f64(step, numbers[2]);
    axis->spaced = stoa_format("%s %s %s %s %s %s", types[0], numbers[0], types[1], numbers[1],
                               types[2], numbers[2]);
    return axis->spaced != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status read_edges(hid_t edges, stoa_axis *axis, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    STOA_TRY(stoa_lh5_open_column(edges, "binedges", &column, err));
    if (column->n_rows < 1 || column->n_rows > STOA_MAX_EDGES) {
        STOA_FAIL(err, STOA_EDATA, "there are %llu edges", (unsigned long long)column->n_rows);
    }
    axis->n_bins = column->n_rows - 1;
    (void)snprintf(axis->stored, sizeof axis->stored, "%.31s", column->element.text);
    axis->edges = stoa_alloc((size_t)column->n_rows, sizeof *axis->edges);
    STOA_TRY(axis->edges != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_numbers(column, axis->edges, err));
    for (uint64_t i = 0; i < axis->n_bins; i++) {
        if (!(axis->edges[i] <= axis->edges[i + 1])) {
            STOA_FAIL(err, STOA_EDATA, "edge %llu is not above the one before it (LH5 notes §4.4)",
                      (unsigned long long)i + 1);
        }
    }

done:
    stoa_column_close(column);
    return status;
}

static stoa_status read_axis(hid_t group, stoa_axis *axis, stoa_error *err)
{
    stoa_status status = STOA_OK;
    double closed_left = 1;
    bool found = false;
    hid_t edges = stoa_object_open(group, "binedges");

    STOA_TRY(edges >= 0 ? STOA_OK : stoa_fail(err, STOA_EDATA, "there is no 'binedges'"));
    STOA_TRY(H5Iget_type(edges) == H5I_GROUP ? read_range(edges, axis, err)
                                             : read_edges(edges, axis, err));
    STOA_TRY(stoa_attribute_read_optional(edges, "units", &axis->units, err));
    STOA_TRY(read_scalar(group, "closedleft", true, &closed_left, &found, err));
    axis->is_closed_left = closed_left != 0;

done:
    (void)stoa_at(err, status, "binedges");
    return stoa_hdf_close(&edges, status, err);
}

/* The number of the first axis of `binning`: 0 or 1. */
static unsigned first_number(hid_t binning)
{
    return stoa_object_exists(binning, "axis_0") ? 0 : 1;
}

static stoa_status read_axes(hid_t group, stoa_histogram *histogram, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char name[16];
    hid_t axis = H5I_INVALID_HID;
    hid_t binning = stoa_object_open(group, "binning");

    STOA_TRY(binning >= 0 ? STOA_OK : stoa_fail(err, STOA_EDATA, "there is no 'binning'"));
    const unsigned first = first_number(binning);
    for (unsigned i = 0; i < histogram->n_axes; i++) {
        histogram->axes[i].number = first + i;
        (void)snprintf(name, sizeof name, "axis_%u", first + i);
        axis = stoa_object_open(binning, name);
        if (axis < 0) {
            STOA_FAIL(err, STOA_EDATA,
                      "there is no '%s', but the weights have %u dimensions (LH5 notes §4.4)", name,
                      histogram->n_axes);
        }
        STOA_TRY(stoa_at(err, read_axis(axis, &histogram->axes[i], err), "binning/%s", name));
        STOA_TRY(stoa_hdf_close(&axis, STOA_OK, err));
    }

done:
    status = stoa_hdf_close(&axis, status, err);
    return stoa_hdf_close(&binning, status, err);
}

/* --- whole histograms ------------------------------------------------------------------------- */

static stoa_status open_weights(hid_t group, stoa_histogram *histogram, hsize_t *extent,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    int rank = 0;

    histogram->weights = stoa_object_open(group, "weights");
    if (histogram->weights < 0 || H5Iget_type(histogram->weights) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "there is no dataset 'weights'");
    }
    STOA_HDF(err, space = H5Dget_space(histogram->weights), "get the shape of the weights");
    STOA_HDF(err, rank = H5Sget_simple_extent_dims(space, extent, NULL),
             "get the shape of the weights");
    if (rank == 0) {
        STOA_FAIL(err, STOA_EDATA, "the weights have no dimensions");
    }
    histogram->n_axes = (unsigned)rank;

done:
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_lh5_histogram_open(hid_t group, stoa_histogram *histogram, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t extent[H5S_MAX_RANK] = {0};
    double is_density = 0;
    bool found = false;

    *histogram = (stoa_histogram){.weights = H5I_INVALID_HID};
    STOA_TRY(open_weights(group, histogram, extent, err));
    STOA_TRY(read_axes(group, histogram, err));
    for (unsigned i = 0; i < histogram->n_axes; i++) {
        if (histogram->axes[i].n_bins != extent[i]) {
            STOA_FAIL(err, STOA_EDATA,
                      "axis %u has %llu bins, but the weights have %llu (LH5 notes §4.4)", i,
                      (unsigned long long)histogram->axes[i].n_bins, (unsigned long long)extent[i]);
        }
    }
    STOA_TRY(read_scalar(group, "isdensity", true, &is_density, &found, err));
    histogram->is_density = is_density != 0;

done:
    if (status != STOA_OK) {
        stoa_histogram_close(histogram);
    }
    return status;
}

stoa_status stoa_lh5_histogram_find(hid_t loc, const char *path, bool *is_one,
                                    stoa_histogram *histogram, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t object = stoa_object_open(loc, path);

    *is_one = false;
    STOA_TRY(object >= 0 ? stoa_lh5_type_if_valid(object, &type, NULL, err) : STOA_OK);
    if (stoa_lh5_is_histogram(&type) && H5Iget_type(object) == H5I_GROUP) {
        STOA_TRY(stoa_lh5_histogram_open(object, histogram, err));
        *is_one = true;
    }

done:
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&object, status, err);
}
