/*
 * pandas HDFStore, fixed format (PyTables notes §9.2): a group of arrays, one block per column.
 *
 * Strings become one pickled array of objects per column, as in pandas, and fixed strings where
 * they label rows. Nothing else is pickled.
 * pandas joins columns of one type into a block, but reads any number of blocks.
 */
#include "layout/pandas/fixed_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/column_datasets.h"
#include "layout/pandas/codes.h"
#include "layout/pandas/frame.h"
#include "layout/pickle/write.h"
#include "layout/pytables/pytables.h"

static bool is_objects(const stoa_pandas_column_writer *column)
{
    return column->shape.as == STOA_PANDAS_TEXT || column->shape.as == STOA_PANDAS_CATEGORY;
}
/* --- labels that are texts ------------------------------------------------------------------- */

/*
 * The width of n texts as fixed strings, which pandas 3 reads as its dtype `str`; 0 if they have to
 * be objects. These are longer texts of unequal length, and those that end with a NUL.
 */
static size_t width_of(size_t longest, uint64_t n_bytes, uint64_t n)
{
    const size_t width = longest > 0 ? longest : 1;
    const bool is_wasteful = width > 256 && n > (8 * n_bytes + (1 << 20)) / width;

    return n == 0 || is_wasteful ? 0 : width;
}

static size_t width_of_index(const stoa_pandas_fixed *f, const stoa_pandas_column_writer *column)
{
    const stoa_column_stats *const stats = column->shape.stats;
    const bool has_missing = stats->n_missing > 0;
    const char *const dtype = stoa_pandas_strings_of(f->source, column->shape.field->name);
    const size_t least = has_missing ? strlen(STOA_PANDAS_NAN) : 1;
    const size_t longest = stats->domain.longest > least ? stats->domain.longest : least;

    /* Missing texts are objects, unless pandas had them as `str`. */
    return !column->is_index || column->is_level || stats->domain.has_last_nul ||
                   (has_missing && dtype == NULL)
               ? 0
               : width_of(longest, stats->domain.n_bytes, f->source->n_rows);
}

/* Make objects of the fixed strings, since one of them is what pandas takes for missing. */
static stoa_status as_objects(stoa_pandas_column_writer *column, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer texts = column->pickle;
    const size_t width = column->text_width;

    column->pickle = (stoa_buffer){0};
    column->text_width = 0;
    STOA_TRY(stoa_pickle_begin_objects(&column->pickle, n_rows, false, err));
    for (size_t at = 0; at < texts.size; at += width) {
        const char *const text = (const char *)texts.data + at;
        const size_t length = strnlen(text, width);
        STOA_TRY(stoa_pandas_is_nan(text, length, STOA_PANDAS_NAN)
                     ? stoa_pickle_put_nan(&column->pickle, err)
                     : stoa_pickle_put_object(&column->pickle, text, length, err));
    }

done:
    stoa_buffer_clear(&texts);
    return status;
}

/* Append a text of an index or a column; NULL if it is missing. */
static stoa_status put_text(stoa_pandas_column_writer *column, const char *text, size_t length,
                            uint64_t n_rows, stoa_error *err)
{
    static const char nan[] = STOA_PANDAS_NAN;

    if (column->text_width > 0 && text != NULL &&
        stoa_pandas_is_nan(text, length, STOA_PANDAS_NAN)) {
        STOA_RETURN_NOT_OK(as_objects(column, n_rows, err));
    }
    if (column->text_width > 0) {
        const size_t at = column->pickle.size;
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&column->pickle, column->text_width, err));
        memset(column->pickle.data + at, 0, column->text_width);
        memcpy(column->pickle.data + at, text != NULL ? text : nan,
               text != NULL ? length : strlen(nan));
        return STOA_OK;
    }
    return text != NULL ? stoa_pickle_put_object(&column->pickle, text, length, err)
                        : stoa_pickle_put_nan(&column->pickle, err);
}

/* --- columns --------------------------------------------------------------------------------- */

static void name_node(const stoa_pandas_fixed *f, const stoa_pandas_column_writer *column,
                      char *name, size_t size)
{
    if (column->is_level) {
        (void)snprintf(name, size, "%s_label%zu", f->rows, column->number);
    } else if (column->is_index) {
        (void)snprintf(name, size, "%s", f->rows);
    } else if (f->is_series) {
        (void)snprintf(name, size, "values");
    } else {
        (void)snprintf(name, size, "block%zu_values", column->number);
    }
}

/* Write the value type where pandas cannot tell it. */
static stoa_status write_values(const stoa_pandas_column_writer *column, stoa_error *err)
{
    const stoa_pandas_shape *const shape = &column->shape;

    if (shape->as == STOA_PANDAS_TIME || shape->as == STOA_PANDAS_DELTA) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(
            column->dataset, "value_type",
            shape->as == STOA_PANDAS_TIME ? shape->name : "timedelta64", err));
    }
    if (shape->zone != NULL) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(column->dataset, "tz", shape->zone, err));
    }
    return STOA_OK;
}

static stoa_status begin_column(const stoa_pandas_fixed *f, stoa_pandas_column_writer *column,
                                stoa_error *err)
{
    const uint64_t n = f->source->n_rows;
    char name[48];

    stoa_pandas_fixed_expect_freq(f, column);
    name_node(f, column, name, sizeof name);
    if (column->is_level) {
        return stoa_pandas_fixed_make(f, name, STOA_KIND_INT32, "int32", n, false, &column->dataset,
                                      err);
    }
    if (is_objects(column)) {
        column->text_width = width_of_index(f, column);
        return column->text_width > 0
                   ? STOA_OK
                   : stoa_pickle_begin_objects(
                         &column->pickle, n,
                         !column->is_index && !f->is_series && column->dtype == NULL, err);
    }
    if (column->shape.as == STOA_PANDAS_COMPLEX) {
        return stoa_pandas_fixed_make_complex(f, name, column, err);
    }
    STOA_RETURN_NOT_OK(stoa_pandas_fixed_make(f, name, column->shape.kind, column->shape.name, n,
                                              !column->is_index && !f->is_series, &column->dataset,
                                              err));
    return column->is_index ? stoa_pandas_fixed_write_labels(f, column, column->dataset, err)
                            : write_values(column, err);
}

/* --- values ---------------------------------------------------------------------------------- */

static stoa_status check_labels(const stoa_pandas_column_writer *column, const stoa_view *view,
                                stoa_view *labels, stoa_error *err)
{
    if (column->shape.as == STOA_PANDAS_CATEGORY) {
        STOA_RETURN_NOT_OK(stoa_view_dictionary(view, labels, err));
        if (!stoa_kind_is_string(labels->type.kind)) {
            return stoa_fail(
                err, STOA_ETYPE,
                "column '%s' has categories that are no texts, which pandas' fixed format "
                "cannot hold; pandas-table can",
                column->shape.field->name);
        }
    }
    return STOA_OK;
}

static stoa_status put_texts(const stoa_pandas_fixed *f, stoa_pandas_column_writer *column,
                             const stoa_view *view, stoa_error *err)
{
    stoa_view labels = {.length = 0};

    STOA_RETURN_NOT_OK(check_labels(column, view, &labels, err));
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        const char *const text = stoa_column_dataset_text(view, &labels, i, &length);
        STOA_RETURN_NOT_OK(put_text(column, text, length, f->source->n_rows, err));
    }
    return STOA_OK;
}

static stoa_status put_plain(stoa_pandas_column_writer *column, const stoa_view *view,
                             uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *values = stoa_alloc((size_t)view->length, sizeof(uint64_t));

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_plain(&column->shape, view, values, err));
    for (int64_t i = 0; column->has_freq && i < view->length; i++) {
        stoa_pandas_run_on(&column->run, &column->freq, column->step,
                           stoa_view_is_null(view, i) ? INT64_MIN : stoa_view_i64(view, i));
    }
    STOA_TRY(stoa_pandas_fixed_put(column->dataset, column->shape.kind, first,
                                   (uint64_t)view->length, values, err));

done:
    free(values);
    return status;
}

/* Interleave real and imaginary parts. */
static void join_parts(const uint8_t *parts, size_t n, size_t width, uint8_t *out)
{
    for (size_t i = 0; i < 2 * n; i++) {
        memcpy(out + (i % n * 2 + i / n) * width, parts + i * width, width);
    }
}

static stoa_status put_complex(const stoa_pandas_column_writer *column, const stoa_view *view,
                               uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)view->length;
    const size_t width = (size_t)stoa_kind_width(column->shape.kind);
    hid_t type = H5I_INVALID_HID;
    uint8_t *parts = stoa_alloc(n, 2 * width);
    uint8_t *values = stoa_alloc(n, 2 * width);

    STOA_TRY(parts != NULL && values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_part(&column->shape, view, 0, parts, err));
    STOA_TRY(stoa_pandas_part(&column->shape, view, 1, parts + n * width, err));
    join_parts(parts, n, width, values);
    STOA_HDF(err, type = stoa_complex_type(stoa_column_dataset_native(column->shape.kind)),
             "make a compound type");
    STOA_TRY(stoa_column_dataset_write(column->dataset, type, first, n, values, err));

done:
    free(values);
    free(parts);
    return stoa_hdf_close(&type, status, err);
}

static bool is_missing_label(const stoa_pandas_column_writer *column, const stoa_view *view,
                             int64_t i)
{
    return stoa_view_is_null(view, i) ||
           (stoa_kind_is_float(column->shape.type.kind) && isnan(stoa_view_f64(view, i)));
}

/* Codes of a level of plain values, which are distinct by their bytes. */
static stoa_status code_plain(stoa_pandas_column_writer *column, const stoa_view *view,
                              int32_t *codes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t width =
        column->shape.as == STOA_PANDAS_BOOL ? 1 : (size_t)stoa_kind_width(column->shape.kind);
    uint8_t *values = stoa_alloc((size_t)view->length, sizeof(uint64_t));

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_plain(&column->shape, view, values, err));
    for (int64_t i = 0; i < view->length; i++) {
        uint32_t number = 0;
        codes[i] = -1;
        if (!is_missing_label(column, view, i)) {
            STOA_TRY(stoa_string_set_add(&column->distinct, values + (size_t)i * width, width,
                                         &number, err));
            codes[i] = (int32_t)number;
        }
    }

done:
    free(values);
    return status;
}

static stoa_status code_texts(stoa_pandas_column_writer *column, const stoa_view *view,
                              int32_t *codes, stoa_error *err)
{
    stoa_view labels = {.length = 0};

    STOA_RETURN_NOT_OK(check_labels(column, view, &labels, err));
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        uint32_t number = 0;
        const char *const text = stoa_column_dataset_text(view, &labels, i, &length);
        codes[i] = -1;
        if (text != NULL) {
            STOA_RETURN_NOT_OK(stoa_string_set_add(&column->distinct, text, length, &number, err));
            codes[i] = (int32_t)number;
        }
    }
    return STOA_OK;
}

static stoa_status put_codes(stoa_pandas_column_writer *column, const stoa_view *view,
                             uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    int32_t *codes = stoa_alloc((size_t)view->length, sizeof *codes);

    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(is_objects(column) ? code_texts(column, view, codes, err)
                                : code_plain(column, view, codes, err));
    if (column->distinct.count > INT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "column '%s' has over 2^31 labels", column->shape.field->name);
    }
    STOA_TRY(stoa_pandas_fixed_put(column->dataset, STOA_KIND_INT32, first, (uint64_t)view->length,
                                   codes, err));

done:
    free(codes);
    return status;
}

static stoa_status put_batch(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    const stoa_pandas_fixed *const f = context;

    for (size_t i = 0; i < f->n_columns; i++) {
        stoa_pandas_column_writer *const column = &f->columns[i];
        stoa_view view;
        STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)i, &view, err));
        STOA_RETURN_NOT_OK(column->is_level     ? put_codes(column, &view, first, err)
                           : is_objects(column) ? put_texts(f, column, &view, err)
                           : column->shape.as == STOA_PANDAS_COMPLEX
                               ? put_complex(column, &view, first, err)
                               : put_plain(column, &view, first, err));
    }
    return STOA_OK;
}

/* --- after all rows -------------------------------------------------------------------------- */

/* Write the fixed strings or objects that were collected. */
static stoa_status put_labels(const stoa_pandas_fixed *f, stoa_pandas_column_writer *column,
                              const char *name, hid_t *dataset, stoa_error *err)
{
    const size_t width = column->text_width;

    if (width > 0) {
        STOA_RETURN_NOT_OK(stoa_pandas_fixed_texts(f, name, width, column->pickle.data,
                                                   column->pickle.size / width, dataset, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_pickle_end_objects(&column->pickle, err));
        STOA_RETURN_NOT_OK(stoa_pandas_fixed_objects(f, name, &column->pickle, dataset, err));
    }
    stoa_buffer_clear(&column->pickle);
    return STOA_OK;
}

/* Write the distinct labels of a level, in the order of their codes. */
static stoa_status put_level_texts(const stoa_pandas_fixed *f, stoa_pandas_column_writer *column,
                                   const char *name, hid_t *dataset, stoa_error *err)
{
    const uint32_t n = column->distinct.count;
    const stoa_domain *const domain = &column->shape.stats->domain;

    column->text_width =
        domain->has_last_nul ? 0 : width_of(domain->longest, column->distinct.bytes.size, n);
    STOA_RETURN_NOT_OK(column->text_width > 0
                           ? STOA_OK
                           : stoa_pickle_begin_objects(&column->pickle, n, false, err));
    for (uint32_t i = 0; i < n; i++) {
        size_t length;
        const char *const text = stoa_string_set_get(&column->distinct, i, &length);
        STOA_RETURN_NOT_OK(put_text(column, text, length, n, err));
    }
    return put_labels(f, column, name, dataset, err);
}

static stoa_status end_level(const stoa_pandas_fixed *f, stoa_pandas_column_writer *column,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint32_t n = column->distinct.count;
    hid_t dataset = H5I_INVALID_HID;
    char name[48];

    (void)snprintf(name, sizeof name, "%s_level%zu", f->rows, column->number);
    if (is_objects(column)) {
        STOA_TRY(put_level_texts(f, column, name, &dataset, err));
    } else {
        STOA_TRY(stoa_pandas_fixed_make(f, name, column->shape.kind, column->shape.name, n, false,
                                        &dataset, err));
        STOA_TRY(n == 0 ? STOA_OK
                        : stoa_pandas_fixed_put(dataset, column->shape.kind, 0, n,
                                                column->distinct.bytes.data, err));
    }
    STOA_TRY(stoa_pandas_fixed_write_labels(f, column, dataset, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status end_column(const stoa_pandas_fixed *f, stoa_pandas_column_writer *column,
                              stoa_error *err)
{
    char name[48];

    if (column->is_level) {
        return end_level(f, column, err);
    }
    STOA_RETURN_NOT_OK(stoa_pandas_fixed_write_true_freq(f, column, err));
    if (is_objects(column)) {
        name_node(f, column, name, sizeof name);
        STOA_RETURN_NOT_OK(put_labels(f, column, name, &column->dataset, err));
        STOA_RETURN_NOT_OK(column->is_index
                               ? stoa_pandas_fixed_write_labels(f, column, column->dataset, err)
                               : STOA_OK);
        STOA_RETURN_NOT_OK(
            column->dtype != NULL
                ? stoa_pytables_write_text(column->dataset, "value_type", column->dtype, err)
                : STOA_OK);
    }
    return STOA_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

/* Choose the shape of a column. pandas keeps the dtype of row labels, but only knows nanoseconds
 * for values. */
static stoa_status shape_column(const stoa_layout_source *source, size_t i,
                                stoa_pandas_column_writer *column, stoa_error *err)
{
    const struct ArrowSchema *const field = source->schema->children[i];
    stoa_status status = STOA_OK;
    char *said = NULL;

    STOA_TRY(column->is_index ? stoa_pandas_dtype_of(source, field->name, &said, err) : STOA_OK);
    STOA_TRY(stoa_pandas_shape_of(field, &source->columns[i], said, "pandas' fixed format",
                                  &column->shape, err));

done:
    free(said);
    return status;
}

static stoa_status plan(stoa_pandas_fixed *f, stoa_error *err)
{
    const stoa_layout_source *const source = f->source;
    const size_t n = (size_t)source->schema->n_children;
    size_t n_blocks = 0;

    f->columns = stoa_alloc_zero(n, sizeof *f->columns);
    STOA_RETURN_NO_MEMORY(err, f->columns);
    for (size_t i = 0; i < n; i++) {
        stoa_pandas_column_writer *const column = &f->columns[f->n_columns++];
        column->dataset = H5I_INVALID_HID;
        column->is_index = stoa_pandas_is_index(source, i);
        column->is_level = column->is_index && source->n_index_columns > 1;
        STOA_RETURN_NOT_OK(shape_column(source, i, column, err));
        if (column->is_index && column->shape.as == STOA_PANDAS_COMPLEX) {
            return stoa_fail(err, STOA_ETYPE, "column '%s' labels the rows, with complex numbers",
                             column->shape.field->name);
        }
        if (column->shape.as == STOA_PANDAS_TEXT && !column->is_index) {
            column->dtype = stoa_pandas_strings_of(source, column->shape.field->name);
        }
        column->number = column->is_index ? 0 : n_blocks++;
    }
    for (size_t i = 0; i < source->n_index_columns; i++) {
        f->columns[source->index_columns[i]].number = i;
    }
    f->is_series = stoa_pandas_is_series(source);
    f->rows = f->is_series ? "index" : "axis1";
    return stoa_pandas_fixed_plan_labels(f, err);
}

static stoa_status write_frame(const stoa_pandas_fixed *f, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pytables_mark_group(f->group, err));
    STOA_RETURN_NOT_OK(
        stoa_pytables_write_text(f->group, "pandas_type", f->is_series ? "series" : "frame", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(f->group, "pandas_version", "0.15.2", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(f->group, "encoding", "UTF-8", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(f->group, "errors", "strict", err));
    STOA_RETURN_NOT_OK(stoa_pandas_fixed_write_index(f, err));
    if (f->is_series) {
        return stoa_pandas_write_series_name(f, err);
    }
    STOA_RETURN_NOT_OK(stoa_pandas_write_count(f->group, "ndim", 2, err));
    return stoa_pandas_fixed_labels(f, err);
}

static stoa_status fill_group(stoa_pandas_fixed *f, stoa_error *err)
{
    STOA_RETURN_NOT_OK(write_frame(f, err));
    for (size_t i = 0; i < f->n_columns; i++) {
        STOA_RETURN_NOT_OK(begin_column(f, &f->columns[i], err));
    }
    STOA_RETURN_NOT_OK(stoa_layout_each_batch(f->source, put_batch, f, err));
    for (size_t i = 0; i < f->n_columns; i++) {
        STOA_RETURN_NOT_OK(end_column(f, &f->columns[i], err));
    }
    return STOA_OK;
}

stoa_status stoa_pandas_write_fixed(const stoa_layout_source *source, hid_t file, hid_t *object,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_source own;
    stoa_pickle *frame = NULL;
    stoa_pandas_fixed f = {.source = &own, .group = H5I_INVALID_HID};

    *object = H5I_INVALID_HID;
    STOA_TRY(stoa_pandas_recall(source, &own, &frame, err));
    STOA_TRY(plan(&f, err));
    STOA_HDF(err, f.group = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    STOA_TRY(fill_group(&f, err));

done:
    for (size_t i = 0; i < f.n_columns; i++) {
        stoa_pandas_shape_clear(&f.columns[i].shape);
        stoa_buffer_clear(&f.columns[i].pickle);
        stoa_string_set_clear(&f.columns[i].distinct);
        status = stoa_hdf_close(&f.columns[i].dataset, status, err);
    }
    free(f.columns);
    free(f.levels);
    stoa_pickle_close(frame);
    if (status != STOA_OK) {
        return stoa_hdf_close(&f.group, status, err);
    }
    *object = f.group;
    return status;
}
