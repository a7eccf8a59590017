/* Write LH5 histograms from rows of bins (LH5 notes §4.4). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/lh5/read/histogram.h"
#include "layout/lh5/write/writer.h"

/* An axis, as described by the metadata of the column of lower ends. */
typedef struct axis {
    const struct ArrowSchema *field;
    uint64_t n_bins;
    uint64_t n_times; /* consecutive rows of the same bin */
    double *edges;    /* NULL: evenly spaced */
} axis;

typedef struct binned {
    const stoa_layout_source *source;
    const stoa_lh5_storage *storage;
    axis axes[STOA_LH5_HIGHEST_RANK];
    size_t n_axes;
    size_t width;     /* bytes of a weight */
    uint8_t *weights; /* all weights */
} binned;

/* The number of bins if two columns are the ends of axis i; otherwise 0. */
static uint64_t bins_of(const struct ArrowSchema *low, const struct ArrowSchema *high, size_t i)
{
    char names[2][32];
    const char *text = NULL;
    size_t length = 0;
    uint64_t n = 0;

    (void)snprintf(names[0], sizeof names[0], "axis_%zu.low", i);
    (void)snprintf(names[1], sizeof names[1], "axis_%zu.high", i);
    return strcmp(low->name, names[0]) == 0 && strcmp(high->name, names[1]) == 0 &&
                   strcmp(low->format, "g") == 0 && strcmp(high->format, "g") == 0 &&
                   stoa_schema_get(low, "lh5.bins", &text, &length) &&
                   stoa_parse_u64(text, length, &n)
               ? n
               : 0;
}

bool stoa_lh5_is_binned(const stoa_layout_source *source)
{
    const int64_t n = source->schema->n_children;
    struct ArrowSchema *const *const fields = source->schema->children;
    uint64_t n_rows = 1;
    bool is = n >= 3 && n % 2 == 1 && n / 2 <= STOA_LH5_HIGHEST_RANK &&
              strcmp(fields[n - 1]->name, "weight") == 0 &&
              stoa_lh5_says(fields[n - 1], "lh5.object", "histogram");

    for (int64_t i = 0; is && i < n; i++) {
        is = source->columns[i].n_missing == 0;
    }
    for (size_t i = 0; is && i < (size_t)n / 2; i++) {
        is = !__builtin_mul_overflow(n_rows, bins_of(fields[2 * i], fields[2 * i + 1], i), &n_rows);
    }
    return is && n_rows == source->n_rows && n_rows > 0;
}

/* --- bins ------------------------------------------------------------------------------------ */

static stoa_status plan(binned *b, stoa_error *err)
{
    const struct ArrowSchema *const schema = b->source->schema;
    uint64_t n_times = 1;
    stoa_type type;

    b->n_axes = (size_t)schema->n_children / 2;
    STOA_RETURN_NOT_OK(stoa_type_of(schema->children[2 * b->n_axes], &type, err));
    if (!stoa_kind_is_integer(type.kind) && !stoa_kind_is_float(type.kind)) {
        return stoa_fail(err, STOA_ETYPE, "column 'weight' has no numbers");
    }
    b->width = (size_t)stoa_kind_width(type.kind);
    b->weights = stoa_alloc((size_t)b->source->n_rows, b->width);
    STOA_RETURN_NO_MEMORY(err, b->weights);
    for (size_t i = b->n_axes; i-- > 0;) {
        axis *const at = &b->axes[i];
        const char *text = NULL;
        size_t length = 0;
        at->field = schema->children[2 * i];
        at->n_bins = bins_of(at->field, schema->children[2 * i + 1], i);
        at->n_times = n_times;
        n_times *= at->n_bins;
        if (!stoa_schema_get(at->field, "lh5.spaced", &text, &length)) {
            at->edges = stoa_alloc_zero((size_t)at->n_bins + 1, sizeof *at->edges);
            STOA_RETURN_NO_MEMORY(err, at->edges);
        }
    }
    return STOA_OK;
}

static stoa_status read_bins(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    binned *const b = context;
    stoa_view view;

    for (size_t i = 0; i < 2 * b->n_axes; i++) {
        const axis *const at = &b->axes[i / 2];
        STOA_RETURN_NOT_OK(stoa_view_child(rows, i, &view, err));
        for (int64_t k = 0; at->edges != NULL && k < view.length; k++) {
            const uint64_t bin = (first + (uint64_t)k) / at->n_times % at->n_bins;
            at->edges[bin + i % 2] = stoa_view_f64(&view, k);
        }
    }
    STOA_RETURN_NOT_OK(stoa_view_child(rows, 2 * b->n_axes, &view, err));
    if (view.length > 0) {
        memcpy(b->weights + (size_t)first * b->width,
               (const uint8_t *)view.values + (size_t)view.offset * b->width,
               (size_t)view.length * b->width);
    }
    return STOA_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status put_bool(hid_t group, const char *name, bool value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int8_t byte = value;
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(stoa_boolean_type(&type, err));
    STOA_TRY(stoa_lh5_scalar_put(group, name, type, type, &byte, "bool", err));

done:
    return stoa_hdf_close(&type, status, err);
}

/* Write first, last and step from a text such as "int64 0 int64 12 int64 3". */
static stoa_status put_range(hid_t group, char *text, stoa_error *err)
{
    static const char *const names[] = {"first", "last", "step"};
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    char *rest = text;

    for (size_t i = 0; i < 3; i++) {
        const char *const stored = strtok_r(NULL, " ", &rest);
        const char *const number = strtok_r(NULL, " ", &rest);
        double value = 0;
        if (number == NULL || !stoa_parse_f64(number, strlen(number), &value)) {
            STOA_FAIL(err, STOA_EDATA, "metadata 'lh5.spaced' are not those of an axis");
        }
        STOA_TRY(stoa_lh5_number_type(stored, STOA_KIND_FLOAT64, &type, err));
        STOA_TRY(
            stoa_lh5_scalar_put(group, names[i], type, H5T_NATIVE_DOUBLE, &value, "real", err));
        STOA_TRY(stoa_hdf_close(&type, STOA_OK, err));
    }
    STOA_TRY(stoa_lh5_write_text(group, "datatype", "struct{first,last,step}", err));

done:
    return stoa_hdf_close(&type, status, err);
}

static stoa_status put_edges(const binned *b, const axis *at, hid_t group, hid_t *object,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_rows rows = {.dataset = H5I_INVALID_HID};
    stoa_lh5_storage storage = *b->storage;
    char *stored = NULL;
    hid_t type = H5I_INVALID_HID;

    storage.most_rows = at->n_bins + 1;
    STOA_TRY(stoa_schema_get_text(at->field, "lh5.stored", &stored, err));
    STOA_TRY(stoa_lh5_number_type(stored != NULL ? stored : "", STOA_KIND_FLOAT64, &type, err));
    STOA_TRY(stoa_lh5_rows_make(group, "binedges", type, 1, NULL, "array<1>{real}", &storage, &rows,
                                err));
    STOA_TRY(stoa_lh5_rows_put(&rows, H5T_NATIVE_DOUBLE, at->n_bins + 1, at->edges, err));
    *object = rows.dataset;
    rows.dataset = H5I_INVALID_HID;

done:
    free(stored);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&rows.dataset, status, err);
}

static stoa_status put_axis(const binned *b, const axis *at, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t edges = H5I_INVALID_HID;
    char *text = NULL;
    char *units = NULL;

    STOA_TRY(stoa_schema_get_text(at->field, "lh5.spaced", &text, err));
    STOA_TRY(stoa_schema_get_text(at->field, "units", &units, err));
    if (text != NULL) {
        STOA_TRY(stoa_lh5_make_group(group, "binedges", &edges, err));
        STOA_TRY(put_range(edges, text, err));
    } else {
        STOA_TRY(put_edges(b, at, group, &edges, err));
    }
    if (units != NULL) {
        STOA_TRY(stoa_lh5_write_text(edges, "units", units, err));
    }
    STOA_TRY(
        put_bool(group, "closedleft", !stoa_lh5_says(at->field, "lh5.closedleft", "false"), err));
    STOA_TRY(stoa_lh5_write_text(group, "datatype", "struct{binedges,closedleft}", err));

done:
    free(text);
    free(units);
    return stoa_hdf_close(&edges, status, err);
}

/* Write the axes. They are numbered from 0, as the Python writer does, or from 1 if the source was
 * (LH5 notes §1.3). */
static stoa_status put_binning(const binned *b, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char names[STOA_LH5_HIGHEST_RANK][16];
    char *listed[STOA_LH5_HIGHEST_RANK];
    hid_t one = H5I_INVALID_HID;

    const size_t first = stoa_lh5_says(b->axes[0].field, "lh5.number", "1");
    for (size_t i = 0; i < b->n_axes; i++) {
        (void)snprintf(names[i], sizeof names[i], "axis_%zu", first + i);
        listed[i] = names[i];
        STOA_TRY(stoa_lh5_make_group(group, names[i], &one, err));
        STOA_TRY(put_axis(b, &b->axes[i], one, err));
        STOA_TRY(stoa_hdf_close(&one, STOA_OK, err));
    }
    STOA_TRY(stoa_lh5_say_datatype(
        group, &(stoa_lh5_datatype){.kind = STOA_LH5_STRUCT, .names = listed, .n_names = b->n_axes},
        err));

done:
    return stoa_hdf_close(&one, status, err);
}

static stoa_status put_weights(const binned *b, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const struct ArrowSchema *const field = b->source->schema->children[2 * b->n_axes];
    const stoa_lh5_datatype none = {0};
    stoa_lh5_rows rows = {.dataset = H5I_INVALID_HID};
    stoa_lh5_items items = {.stored = H5I_INVALID_HID, .memory = H5I_INVALID_HID};
    stoa_lh5_storage storage = *b->storage;
    hsize_t shape[H5S_MAX_RANK];
    char datatype[32];

    for (size_t i = 1; i < b->n_axes; i++) {
        shape[i - 1] = b->axes[i].n_bins;
    }
    storage.most_rows = b->axes[0].n_bins;
    (void)snprintf(datatype, sizeof datatype, "array<%zu>{real}", b->n_axes);
    STOA_TRY(stoa_lh5_items_choose(field, field, field->name, &b->source->columns[2 * b->n_axes],
                                   &none, &items, err));
    STOA_TRY(stoa_lh5_rows_make(group, "weights", items.stored, (int)b->n_axes, shape, datatype,
                                &storage, &rows, err));
    STOA_TRY(stoa_lh5_rows_put(&rows, items.memory, b->axes[0].n_bins, b->weights, err));

done:
    status = stoa_lh5_items_close(&items, status, err);
    return stoa_hdf_close(&rows.dataset, status, err);
}

stoa_status stoa_lh5_write_histogram(const stoa_layout_source *source,
                                     const stoa_lh5_storage *storage, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    binned b = {.source = source, .storage = storage};
    hid_t binning = H5I_INVALID_HID;

    STOA_TRY(plan(&b, err));
    STOA_TRY(stoa_layout_each_batch(source, read_bins, &b, err));
    STOA_TRY(stoa_lh5_make_group(group, "binning", &binning, err));
    STOA_TRY(put_binning(&b, binning, err));
    STOA_TRY(put_weights(&b, group, err));
    STOA_TRY(put_bool(
        group, "isdensity",
        stoa_lh5_says(source->schema->children[2 * b.n_axes], "lh5.isdensity", "true"), err));
    STOA_TRY(stoa_lh5_write_text(group, "datatype", "struct{binning,isdensity,weights}", err));

done:
    for (size_t i = 0; i < b.n_axes; i++) {
        free(b.axes[i].edges);
    }
    free(b.weights);
    return stoa_hdf_close(&binning, status, err);
}
