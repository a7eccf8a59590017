/*
 * pandas HDFStore, fixed format (PyTables notes §9.2): a group of arrays, one block a column.
 *
 * Texts become one pickled array of objects each, as pandas has it; nothing else is pickled. pandas
 * puts columns of one type into one block, but reads any number of blocks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/strings.h"
#include "hdf/attributes.h"
#include "layout/lines.h"
#include "layout/pandas_shape.h"
#include "layout/pickle_write.h"
#include "layout/pytables.h"

/* A column under way. */
typedef struct putting {
    stoa_pandas_shape shape;
    bool is_index;
    bool is_level; /* one of several that are the index */
    size_t number; /* of the block, or of the level */
    hid_t dataset; /* of plain values; of a level its codes */
    stoa_buffer pickle;
    stoa_strings distinct; /* of a level: the bytes of its values */
} putting;

typedef struct frame {
    const stoa_layout_source *source;
    hid_t group;
    putting *columns;
    size_t n_columns;
} frame;

static bool is_objects(const putting *column)
{
    return column->shape.as == STOA_PANDAS_TEXT || column->shape.as == STOA_PANDAS_CATEGORY;
}

/* --- nodes ----------------------------------------------------------------------------------- */

static stoa_status say_truth(hid_t object, const char *name, bool value, stoa_error *err)
{
    const uint8_t bits = value;

    return stoa_attribute_write_scalar(object, name, H5T_STD_B8LE, H5T_NATIVE_B8, &bits, err);
}

static stoa_status say_count(hid_t object, const char *name, int64_t value, stoa_error *err)
{
    return stoa_attribute_write_scalar(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value, err);
}

/* As PyTables marks an array. */
static stoa_status mark_array(hid_t dataset, const char *class, const char *version,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_pytables_write_text(dataset, "CLASS", class, err));
    STOA_TRY(stoa_pytables_write_text(dataset, "VERSION", version, err));
    STOA_TRY(stoa_pytables_write_text(dataset, "TITLE", "", err));
    if (strcmp(class, "VLARRAY") != 0) {
        STOA_TRY(stoa_pytables_write_text(dataset, "FLAVOR", "numpy", err));
    }
    STOA_TRY(say_truth(dataset, "transposed", true, err));

done:
    return status;
}

/* The type that plain values are stored as; the caller's. */
static stoa_status stored_type(stoa_kind kind, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (kind != STOA_KIND_BOOL) {
        return stoa_line_stored(kind, type, err);
    }
    STOA_HDF(err, *type = H5Tcopy(H5T_STD_B8LE), "make a datatype");

done:
    return status;
}

static stoa_status write_plain(hid_t dataset, stoa_kind kind, uint64_t first, uint64_t n,
                               const void *values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err,
             type = kind == STOA_KIND_BOOL      ? H5Tcopy(H5T_NATIVE_B8)
                    : kind == STOA_KIND_FLOAT16 ? H5Dget_type(dataset)
                                                : H5Tcopy(stoa_line_native(kind)),
             "make a datatype");
    STOA_TRY(stoa_line_write(dataset, type, first, n, values, err));

done:
    return stoa_hdf_close(&type, status, err);
}

/* An axis of no length is one element, beside which stand its true shape and type. */
static stoa_status say_empty(hid_t dataset, const char *dtype, bool is_column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    const char *const shape = is_column ? "(I0\nI1\nt." : "(I0\nt.";

    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, strlen(shape)), "size a string type");
    STOA_TRY(stoa_attribute_write_scalar(dataset, "shape", type, type, shape, err));
    STOA_TRY(stoa_pytables_write_text(dataset, "value_type", dtype, err));

done:
    return stoa_hdf_close(&type, status, err);
}

static stoa_status make_plain(const frame *f, const char *name, stoa_kind kind, const char *dtype,
                              uint64_t n, bool is_column, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const codec = n > 0 ? f->source->options->codec : NULL;
    const bool is_packed = codec != NULL && strcmp(codec, "none") != 0;
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(stored_type(kind, &type, err));
    STOA_TRY(stoa_line_make(f->group, name, type, n > 0 ? n : 1, is_column, codec, dataset, err));
    STOA_TRY(mark_array(*dataset, is_packed ? "CARRAY" : "ARRAY", is_packed ? "1.1" : "2.4", err));
    if (n == 0) {
        STOA_TRY(say_empty(*dataset, dtype, is_column, err));
    }

done:
    return stoa_hdf_close(&type, status, err);
}

/* A VLArray of one row, the pickle. */
static stoa_status make_objects(const frame *f, const char *name, const stoa_buffer *pickle,
                                hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hsize_t one = 1;
    const hsize_t unlimited = H5S_UNLIMITED;
    const hvl_t row = {pickle->size, pickle->data};
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Tvlen_create(H5T_STD_U8LE), "make a datatype");
    STOA_HDF(err, space = H5Screate_simple(1, &one, &unlimited), "make a dataspace");
    STOA_HDF(err, dcpl = H5Pcreate(H5P_DATASET_CREATE), "make a property list");
    STOA_HDF(err, H5Pset_chunk(dcpl, 1, &one), "set the chunks");
    STOA_HDF(err,
             *dataset = H5Dcreate2(f->group, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT),
             "make dataset '%s'", name);
    STOA_HDF(err, H5Dwrite(*dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &row), "write '%s'",
             name);
    STOA_TRY(mark_array(*dataset, "VLARRAY", "1.4", err));
    STOA_TRY(stoa_pytables_write_text(*dataset, "PSEUDOATOM", "object", err));

done:
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

/* --- labels of columns ----------------------------------------------------------------------- */

static stoa_status say_regular(const frame *f, const char *axis, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = stoa_format("%s_variety", axis);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pytables_write_text(f->group, name, "regular", err));

done:
    free(name);
    return status;
}

/* An axis of names, as fixed strings. */
static stoa_status put_names(const frame *f, const char *axis, const char *const *names, size_t n,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t width = 1;
    hid_t type = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;
    char *block = NULL;

    for (size_t i = 0; i < n; i++) {
        width = strlen(names[i]) > width ? strlen(names[i]) : width;
    }
    block = stoa_alloc_zero(n > 0 ? n : 1, width);
    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        memcpy(block + i * width, names[i], strlen(names[i]));
    }
    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, width), "size a string type");
    STOA_TRY(stoa_line_make(f->group, axis, type, n > 0 ? n : 1, 0, NULL, &dataset, err));
    STOA_TRY(mark_array(dataset, "ARRAY", "2.4", err));
    STOA_TRY(stoa_line_write(dataset, type, 0, n > 0 ? n : 1, block, err));
    STOA_TRY(stoa_pytables_write_text(dataset, "kind", "string", err));
    if (n == 0) {
        STOA_TRY(say_empty(dataset, "object", false, err));
    }
    STOA_TRY(say_regular(f, axis, err));

done:
    free(block);
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_hdf_close(&type, status, err);
}

static stoa_status put_all_names(const frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **names = stoa_alloc(f->n_columns, sizeof *names);
    size_t n = 0;
    char items[48];

    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < f->n_columns; i++) {
        const putting *const column = &f->columns[i];
        const char *const name = column->shape.field->name;
        if (strcmp(name, "nan") == 0) {
            STOA_FAIL(err, STOA_ETYPE, "a column called 'nan' has no name in pandas' files");
        }
        if (!column->is_index) {
            names[n++] = name;
            (void)snprintf(items, sizeof items, "block%zu_items", column->number);
            STOA_TRY(put_names(f, items, &name, 1, err));
        }
    }
    STOA_TRY(put_names(f, "axis0", names, n, err));
    STOA_TRY(say_count(f->group, "nblocks", (int64_t)n, err));

done:
    free(names);
    return status;
}

/* --- columns --------------------------------------------------------------------------------- */

static void name_node(const putting *column, char *name, size_t size)
{
    if (column->is_level) {
        (void)snprintf(name, size, "axis1_label%zu", column->number);
    } else if (column->is_index) {
        (void)snprintf(name, size, "axis1");
    } else {
        (void)snprintf(name, size, "block%zu_values", column->number);
    }
}

/* What the values are, where pandas cannot see it. */
static stoa_status say_values(const putting *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_pandas_shape *const shape = &column->shape;

    if (shape->as == STOA_PANDAS_TIME || shape->as == STOA_PANDAS_DELTA) {
        STOA_TRY(stoa_pytables_write_text(
            column->dataset, "value_type",
            shape->as == STOA_PANDAS_TIME ? shape->name : "timedelta64", err));
    }
    if (shape->zone != NULL) {
        STOA_TRY(stoa_pytables_write_text(column->dataset, "tz", shape->zone, err));
    }

done:
    return status;
}

/* The same of labels, and what they are called. */
static stoa_status say_labels(const frame *f, const putting *column, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const name = stoa_pandas_index_name(f->source, column->number);

    STOA_TRY(stoa_pytables_write_text(dataset, "kind",
                                      stoa_pandas_label_kind(&column->shape, "object"), err));
    if (name != NULL) {
        STOA_TRY(stoa_pytables_write_text(dataset, "name", name, err));
    }
    if (column->shape.as == STOA_PANDAS_TIME) {
        STOA_TRY(stoa_pytables_write_text(dataset, "index_class", "datetime", err));
    }
    if (column->shape.zone != NULL) {
        STOA_TRY(stoa_pytables_write_text(dataset, "tz", column->shape.zone, err));
    }

done:
    return status;
}

static stoa_status begin_column(const frame *f, putting *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n = f->source->n_rows;
    char name[48];

    name_node(column, name, sizeof name);
    if (column->is_level) {
        return make_plain(f, name, STOA_KIND_INT32, "int32", n, false, &column->dataset, err);
    }
    if (is_objects(column)) {
        return stoa_pickle_begin_objects(&column->pickle, n, !column->is_index, err);
    }
    STOA_TRY(make_plain(f, name, column->shape.kind, column->shape.name, n, !column->is_index,
                        &column->dataset, err));
    STOA_TRY(column->is_index ? say_labels(f, column, column->dataset, err)
                              : say_values(column, err));

done:
    return status;
}

/* --- values ---------------------------------------------------------------------------------- */

static stoa_status look_at_labels(const putting *column, const stoa_view *view, stoa_view *labels,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (column->shape.as == STOA_PANDAS_CATEGORY) {
        STOA_TRY(stoa_view_dictionary(view, labels, err));
        if (!stoa_kind_is_string(labels->type.kind)) {
            STOA_FAIL(err, STOA_ETYPE,
                      "column '%s' has categories that are no texts, which pandas' fixed format "
                      "cannot hold; pandas-table can",
                      column->shape.field->name);
        }
    }

done:
    return status;
}

static stoa_status put_texts(putting *column, const stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels = {.length = 0};

    STOA_TRY(look_at_labels(column, view, &labels, err));
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        const char *const text = stoa_line_text(view, &labels, i, &length);
        STOA_TRY(text != NULL ? stoa_pickle_put_object(&column->pickle, text, length, err)
                              : stoa_pickle_put_nan(&column->pickle, err));
    }

done:
    return status;
}

static stoa_status put_plain(const putting *column, const stoa_view *view, uint64_t first,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *values = stoa_alloc((size_t)view->length, sizeof(uint64_t));

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_pandas_plain(&column->shape, view, values);
    STOA_TRY(write_plain(column->dataset, column->shape.kind, first, (uint64_t)view->length, values,
                         err));

done:
    free(values);
    return status;
}

static bool is_missing_label(const putting *column, const stoa_view *view, int64_t i)
{
    return stoa_view_is_null(view, i) ||
           (stoa_kind_is_float(column->shape.type.kind) && isnan(stoa_view_f64(view, i)));
}

/* Codes of a level of plain values: distinct are their bytes. */
static stoa_status code_plain(putting *column, const stoa_view *view, int32_t *codes,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t width =
        column->shape.as == STOA_PANDAS_BOOL ? 1 : (size_t)stoa_kind_width(column->shape.kind);
    uint8_t *values = stoa_alloc((size_t)view->length, sizeof(uint64_t));

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_pandas_plain(&column->shape, view, values);
    for (int64_t i = 0; i < view->length; i++) {
        uint32_t number = 0;
        codes[i] = -1;
        if (!is_missing_label(column, view, i)) {
            STOA_TRY(stoa_strings_add(&column->distinct, values + (size_t)i * width, width, &number,
                                      err));
            codes[i] = (int32_t)number;
        }
    }

done:
    free(values);
    return status;
}

static stoa_status code_texts(putting *column, const stoa_view *view, int32_t *codes,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels = {.length = 0};

    STOA_TRY(look_at_labels(column, view, &labels, err));
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        uint32_t number = 0;
        const char *const text = stoa_line_text(view, &labels, i, &length);
        codes[i] = -1;
        if (text != NULL) {
            STOA_TRY(stoa_strings_add(&column->distinct, text, length, &number, err));
            codes[i] = (int32_t)number;
        }
    }

done:
    return status;
}

static stoa_status put_codes(putting *column, const stoa_view *view, uint64_t first,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    int32_t *codes = stoa_alloc((size_t)view->length, sizeof *codes);

    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(is_objects(column) ? code_texts(column, view, codes, err)
                                : code_plain(column, view, codes, err));
    if (column->distinct.count > INT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "column '%s' has over 2^31 labels", column->shape.field->name);
    }
    STOA_TRY(
        write_plain(column->dataset, STOA_KIND_INT32, first, (uint64_t)view->length, codes, err));

done:
    free(codes);
    return status;
}

static stoa_status put_batch(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    const frame *const f = context;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < f->n_columns; i++) {
        putting *const column = &f->columns[i];
        stoa_view view;
        STOA_TRY(stoa_view_child(rows, (int64_t)i, &view, err));
        STOA_TRY(column->is_level     ? put_codes(column, &view, first, err)
                 : is_objects(column) ? put_texts(column, &view, err)
                                      : put_plain(column, &view, first, err));
    }

done:
    return status;
}

/* --- what is known once all rows are there --------------------------------------------------- */

/* The distinct labels of a level, in the order of their codes. */
static stoa_status put_level_texts(const frame *f, putting *column, const char *name,
                                   hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_pickle_begin_objects(&column->pickle, column->distinct.count, false, err));
    for (uint32_t i = 0; i < column->distinct.count; i++) {
        size_t length;
        const char *const text = stoa_strings_get(&column->distinct, i, &length);
        STOA_TRY(stoa_pickle_put_object(&column->pickle, text, length, err));
    }
    STOA_TRY(stoa_pickle_end_objects(&column->pickle, err));
    STOA_TRY(make_objects(f, name, &column->pickle, dataset, err));

done:
    return status;
}

static stoa_status end_level(const frame *f, putting *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint32_t n = column->distinct.count;
    hid_t dataset = H5I_INVALID_HID;
    char name[48];

    (void)snprintf(name, sizeof name, "axis1_level%zu", column->number);
    if (is_objects(column)) {
        STOA_TRY(put_level_texts(f, column, name, &dataset, err));
    } else {
        STOA_TRY(
            make_plain(f, name, column->shape.kind, column->shape.name, n, false, &dataset, err));
        STOA_TRY(n == 0 ? STOA_OK
                        : write_plain(dataset, column->shape.kind, 0, n,
                                      column->distinct.bytes.data, err));
    }
    STOA_TRY(say_labels(f, column, dataset, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status end_column(const frame *f, putting *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char name[48];

    if (column->is_level) {
        return end_level(f, column, err);
    }
    if (is_objects(column)) {
        name_node(column, name, sizeof name);
        STOA_TRY(stoa_pickle_end_objects(&column->pickle, err));
        STOA_TRY(make_objects(f, name, &column->pickle, &column->dataset, err));
        stoa_buffer_clear(&column->pickle);
        STOA_TRY(column->is_index ? say_labels(f, column, column->dataset, err) : STOA_OK);
    }

done:
    return status;
}

/* --- the index ------------------------------------------------------------------------------- */

/* Without labels: 0, 1 ... */
static stoa_status number_rows(const frame *f, stoa_error *err)
{
    enum { AT_ONCE = 65536 };
    stoa_status status = STOA_OK;
    const uint64_t n = f->source->n_rows;
    int64_t *numbers = stoa_alloc(AT_ONCE, sizeof *numbers);
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(numbers != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(make_plain(f, "axis1", STOA_KIND_INT64, "int64", n, false, &dataset, err));
    for (uint64_t first = 0; first < n; first += AT_ONCE) {
        const uint64_t now = n - first < AT_ONCE ? n - first : AT_ONCE;
        for (uint64_t i = 0; i < now; i++) {
            numbers[i] = (int64_t)(first + i);
        }
        STOA_TRY(write_plain(dataset, STOA_KIND_INT64, first, now, numbers, err));
    }
    STOA_TRY(stoa_pytables_write_text(dataset, "kind", "integer", err));

done:
    free(numbers);
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status say_index(const frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = f->source->n_index_columns;

    if (n < 2) {
        STOA_TRY(n == 0 ? number_rows(f, err) : STOA_OK);
        return say_regular(f, "axis1", err);
    }
    STOA_TRY(stoa_pytables_write_text(f->group, "axis1_variety", "multi", err));
    STOA_TRY(say_count(f->group, "axis1_nlevels", (int64_t)n, err));

done:
    return status;
}

/* --- all of it ------------------------------------------------------------------------------- */

static stoa_status plan(frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_source *const source = f->source;
    const size_t n = (size_t)source->schema->n_children;
    size_t n_blocks = 0;

    f->columns = stoa_alloc_zero(n, sizeof *f->columns);
    STOA_TRY(f->columns != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        putting *const column = &f->columns[f->n_columns++];
        column->dataset = H5I_INVALID_HID;
        column->is_index = stoa_pandas_is_index(source, i);
        column->is_level = column->is_index && source->n_index_columns > 1;
        STOA_TRY(stoa_pandas_shape_of(source->schema->children[i], &source->columns[i],
                                      "pandas' fixed format", &column->shape, err));
        column->number = column->is_index ? 0 : n_blocks++;
    }
    for (size_t i = 0; i < source->n_index_columns; i++) {
        f->columns[source->index_columns[i]].number = i;
    }

done:
    return status;
}

static stoa_status say_frame(const frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_pytables_mark_group(f->group, err));
    STOA_TRY(stoa_pytables_write_text(f->group, "pandas_type", "frame", err));
    STOA_TRY(stoa_pytables_write_text(f->group, "pandas_version", "0.15.2", err));
    STOA_TRY(stoa_pytables_write_text(f->group, "encoding", "UTF-8", err));
    STOA_TRY(stoa_pytables_write_text(f->group, "errors", "strict", err));
    STOA_TRY(say_count(f->group, "ndim", 2, err));
    STOA_TRY(say_index(f, err));
    STOA_TRY(put_all_names(f, err));

done:
    return status;
}

static stoa_status fill_group(frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(say_frame(f, err));
    for (size_t i = 0; i < f->n_columns; i++) {
        STOA_TRY(begin_column(f, &f->columns[i], err));
    }
    STOA_TRY(stoa_layout_each_batch(f->source, put_batch, f, err));
    for (size_t i = 0; i < f->n_columns; i++) {
        STOA_TRY(end_column(f, &f->columns[i], err));
    }

done:
    return status;
}

static stoa_status write_frame(const stoa_layout_source *source, hid_t file, hid_t *object,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    frame f = {.source = source, .group = H5I_INVALID_HID};

    *object = H5I_INVALID_HID;
    STOA_TRY(plan(&f, err));
    STOA_HDF(err, f.group = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    STOA_TRY(fill_group(&f, err));

done:
    for (size_t i = 0; i < f.n_columns; i++) {
        stoa_pandas_shape_clear(&f.columns[i].shape);
        stoa_buffer_clear(&f.columns[i].pickle);
        stoa_strings_clear(&f.columns[i].distinct);
        status = stoa_hdf_close(&f.columns[i].dataset, status, err);
    }
    free(f.columns);
    if (status != STOA_OK) {
        return stoa_hdf_close(&f.group, status, err);
    }
    *object = f.group;
    return status;
}

const stoa_layout_writer stoa_layout_write_pandas_fixed = {
    "pandas-fixed", write_frame, stoa_pytables_mark_root, stoa_pandas_holds_missing, NULL};
