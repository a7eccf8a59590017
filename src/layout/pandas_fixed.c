/*
 * pandas HDFStore, fixed format: a group of arrays, the labels of two axes and one block of values
 * for each type (PyTables notes §9.2).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "core/memory.h"
#include "hdf/attributes.h"
#include "hdf/links.h"
#include "layout/layout.h"
#include "layout/pandas.h"
#include "layout/pandas_frame.h"
#include "layout/pandas_objects.h"
#include "layout/pickle_write.h"

/* More blocks or levels are damage. */
enum { MAX_PARTS = 100000 };

typedef struct fixed {
    hid_t group;
    stoa_table *table;
    stoa_pandas_label_text *labels; /* of the frame's columns, in order */
    size_t n_labels;
    stoa_pandas_notes notes;
    stoa_column *
        *columns; /* those of the blocks, by their place in the frame; NULL: not found yet */
} fixed;

/* --- which objects --------------------------------------------------------------------------- */

static bool is_series(hid_t group)
{
    return stoa_attribute_is(group, "pandas_type", "series");
}

/* Rows, as far as the size of a node says. */
static uint64_t count_rows(hid_t group, const char *name)
{
    const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    const bool is_sentinel = dataset >= 0 && stoa_attribute_exists(dataset, "shape");
    const hssize_t n = space >= 0 && !is_sentinel ? H5Sget_simple_extent_npoints(space) : 0;

    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    if (dataset >= 0) {
        (void)H5Dclose(dataset);
    }
    return n > 0 ? (uint64_t)n : 0;
}

/* Of an axis of labels, or of codes. */
static uint64_t count_labels(hid_t group, const char *axis, const char *codes)
{
    return count_rows(group, H5Lexists(group, axis, H5P_DEFAULT) > 0 ? axis : codes);
}

static herr_t weigh(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    uint64_t *const n_bytes = context;
    const hid_t object = info->type == H5L_TYPE_HARD ? H5Oopen(group, name, H5P_DEFAULT) : -1;

    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
        *n_bytes += H5Dget_storage_size(object);
    }
    if (object >= 0) {
        (void)H5Oclose(object);
    }
    return 0;
}

static stoa_status look(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *kind = NULL;

    *is_one = false;
    if (type == H5I_GROUP) {
        STOA_TRY(stoa_attribute_read_note(object, "pandas_type", &kind, err));
    }
    *is_one = kind != NULL && (strcmp(kind, "series") == 0 || strcmp(kind, "frame") == 0);
    if (*is_one) {
        const stoa_quiet quiet = stoa_quiet_begin();
        const bool is_frame = !is_series(object);
        shown->layout = "pandas";
        shown->kind = "table";
        shown->n_rows = count_labels(object, is_frame ? "axis1" : "index",
                                     is_frame ? "axis1_label0" : "index_label0");
        shown->n_columns = is_frame ? count_rows(object, "axis0") : 1;
        status = stoa_links_visit(object, weigh, &shown->n_bytes, err);
        (void)H5Eclear2(H5E_DEFAULT);
        stoa_quiet_end(&quiet);
    }

done:
    free(kind);
    return status;
}

/* --- one node -------------------------------------------------------------------------------- */

static bool is_list(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset);
    const bool is = type >= 0 && H5Tget_class(type) == H5T_VLEN;

    if (type >= 0) {
        (void)H5Tclose(type);
    }
    return is;
}

/* An axis of length 0 is stored as one element, and its shape beside it. */
static stoa_status is_empty(hid_t dataset, bool *empty, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pickle *shape = NULL;

    *empty = false;
    STOA_TRY(stoa_pandas_pickle(dataset, "shape", &shape, err));
    for (size_t i = 0; shape != NULL && i < stoa_pickled_count(stoa_pickle_root(shape)); i++) {
        const stoa_pickled *const size = stoa_pickled_item(stoa_pickle_root(shape), i);
        *empty = *empty || (size->kind == STOA_PICKLE_INT && size->as.integer == 0);
    }

done:
    stoa_pickle_close(shape);
    return status;
}

/* The zone of a node: a text of its own, or a pickle. */
static char *zone_of(hid_t dataset)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_pickle *pickle = NULL;
    char *zone = NULL;

    if (stoa_pandas_pickle(dataset, "tz", &pickle, &ignored) == STOA_OK) {
        zone = pickle != NULL ? stoa_pandas_zone(stoa_pickle_root(pickle)) : NULL;
        stoa_pickle_close(pickle);
        return zone;
    }
    return stoa_attribute_note(dataset, "tz");
}

/* A column without rows, whose type the sentinel says beside it: texts where it is no other. */
static stoa_status make_empty(hid_t dataset, const char *name, const char *zone,
                              stoa_column **column, stoa_error *err)
{
    static const struct {
        const char *dtype;
        const char *format;
    } types[] = {{"bool", "b"},       {"int8", "c"},    {"int16", "s"},   {"int32", "i"},
                 {"int64", "l"},      {"uint8", "C"},   {"uint16", "S"},  {"uint32", "I"},
                 {"uint64", "L"},     {"float16", "e"}, {"float32", "f"}, {"float64", "g"},
                 {"timedelta64", "l"}};
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    char *dtype = stoa_attribute_note(dataset, "value_type");
    char *times = stoa_format("tsn:%s", zone != NULL ? zone : "");
    const char *format = "u";
    int32_t *offsets = NULL;

    STOA_TRY(times != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; dtype != NULL && i < sizeof types / sizeof *types; i++) {
        const size_t n = strlen(types[i].dtype);
        format = strncmp(dtype, types[i].dtype, n) == 0 && (dtype[n] == '\0' || dtype[n] == '[')
                     ? types[i].format
                     : format;
    }
    format = dtype != NULL && strncmp(dtype, "datetime64", 10) == 0 ? times : format;
    STOA_TRY(stoa_schema_make(&schema, name, format, err));
    if (dtype != NULL && strncmp(dtype, "timedelta64", 11) == 0) {
        STOA_TRY(stoa_schema_set(&schema, "units", "ns", err));
    }
    offsets = stoa_alloc_zero(1, sizeof(int64_t));
    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    void *const buffers[] = {NULL, offsets, NULL};
    offsets = NULL;
    STOA_TRY(stoa_array_make(&array, 0, 0, strcmp(format, "u") == 0 ? 3 : 2, buffers, err));
    STOA_TRY(stoa_column_of_array(&schema, &array, column, err));

done:
    free(offsets);
    free(times);
    free(dtype);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* One line of a node as a column: of labels, which say their kind, or of values. */
static stoa_status open_line(hid_t group, const char *node, const char *kind_attribute, int axis,
                             hsize_t at, const char *name, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;
    stoa_pandas_objects objects = {.pickle = NULL};
    char *kind = NULL;
    char *zone = NULL;
    bool empty = false;

    *column = NULL;
    STOA_HDF(err, dataset = H5Dopen2(group, node, H5P_DEFAULT), "open '%s'", node);
    kind = stoa_attribute_note(dataset, kind_attribute);
    zone = zone_of(dataset);
    STOA_TRY(is_empty(dataset, &empty, err));
    const bool is_of_objects = is_list(dataset);
    if (empty && !is_of_objects) {
        STOA_TRY(make_empty(dataset, name, zone, column, err));
        goto done;
    }
    const hid_t taken = dataset;
    dataset = H5I_INVALID_HID;
    if (is_of_objects) {
        STOA_TRY(stoa_pandas_objects_read(taken, &objects, err));
        STOA_TRY(stoa_pandas_objects_column(&objects, at == STOA_WHOLE_ROWS ? 0 : at, name, column,
                                            err));
    } else {
        STOA_TRY(stoa_column_of_dataset(name, taken, axis, at, column, err));
        STOA_TRY(stoa_pandas_show(*column, kind, zone, "nan", err));
    }

done:
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    stoa_pandas_objects_clear(&objects);
    free(kind);
    free(zone);
    (void)stoa_at(err, status, "%s", node);
    return stoa_hdf_close(&dataset, status, err);
}

/* PyTables keeps numbers as such. */
static stoa_status read_number(hid_t object, stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    char number[STOA_NUMBER_SIZE];
    hid_t attribute = H5Aopen(object, "name", H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int64_t integer = 0;
    double value = 0;
    bool found = false;

    if (class == H5T_INTEGER && stoa_attribute_read_scalar(object, "name", H5T_NATIVE_INT64,
                                                           &integer, &found, &ignored) == STOA_OK) {
        label->name = stoa_format("%lld", (long long)integer);
        label->said = stoa_format("I%lld\n", (long long)integer);
    } else if (class == H5T_FLOAT &&
               stoa_attribute_read_scalar(object, "name", H5T_NATIVE_DOUBLE, &value, &found,
                                          &ignored) == STOA_OK) {
        (void)stoa_format_f64(value, number);
        label->name = stoa_strdup(number);
        label->said = stoa_format("F%s\n", number);
    }
    (void)H5Eclear2(H5E_DEFAULT);
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    (void)stoa_hdf_close(&attribute, STOA_OK, NULL);
    return !found || (label->name != NULL && label->said != NULL) ? STOA_OK : stoa_fail_memory(err);
}

/* What an object is called by its attribute "name": a text, a pickle or a number; `otherwise` where
 * it is called nothing. */
static stoa_status read_name(hid_t object, const char *otherwise, stoa_pandas_label_text *label,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_pickle *pickle = NULL;

    if (stoa_pandas_pickle(object, "name", &pickle, &ignored) == STOA_OK) {
        const stoa_pickled *const root = pickle != NULL ? stoa_pickle_root(pickle) : NULL;
        const bool is_named = root != NULL && root->kind != STOA_PICKLE_NONE;
        STOA_TRY(stoa_pandas_label_make(is_named ? root : NULL, otherwise, label, err));
        goto done;
    }
    STOA_TRY(stoa_attribute_read_note(object, "name", &label->name, err));
    label->is_text = label->name != NULL;
    if (label->name == NULL) {
        const stoa_quiet quiet = stoa_quiet_begin();
        status = read_number(object, label, err);
        stoa_quiet_end(&quiet);
        STOA_TRY(status);
    }
    label->name = label->name != NULL ? label->name : stoa_strdup(otherwise);
    STOA_TRY(label->name != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    stoa_pickle_close(pickle);
    return status;
}

/* The same of a node of the frame. */
static stoa_status name_of(hid_t group, const char *node, const char *otherwise,
                           stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;

    STOA_HDF(err, dataset = H5Dopen2(group, node, H5P_DEFAULT), "open '%s'", node);
    STOA_TRY(read_name(dataset, otherwise, label, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* --- the row labels -------------------------------------------------------------------------- */

static stoa_status add_labels(fixed *f, stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (f->table->n_columns == 0) {
        f->table->n_rows = column->n_rows;
    }
    STOA_TRY(stoa_foreign_add(f->table, column, err));
    STOA_TRY(stoa_foreign_label_rows(f->table, f->table->n_columns - 1, err));

done:
    return status;
}

/* A level of a MultiIndex: codes into its distinct labels; -1 is missing. */
static stoa_status add_level(fixed *f, const char *axis, unsigned i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *level = stoa_format("%s_level%u", axis, i);
    char *codes = stoa_format("%s_label%u", axis, i);
    char *otherwise = stoa_format("level_%u", i);
    stoa_pandas_label_text label = {NULL, NULL, false};
    stoa_column *labels = NULL;
    stoa_column *column = NULL;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    STOA_TRY(level != NULL && codes != NULL && otherwise != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(name_of(f->group, level, otherwise, &label, err));
    STOA_TRY(open_line(f->group, level, "kind", 0, STOA_WHOLE_ROWS, "labels", &labels, err));
    STOA_TRY(open_line(f->group, codes, "kind", 0, STOA_WHOLE_ROWS, label.name, &column, err));
    if (column->element.class != STOA_ELEMENT_INTEGER || column->source.read_elements == NULL) {
        STOA_FAIL(err, STOA_EDATA, "'%s' does not hold codes", codes);
    }
    STOA_TRY(stoa_column_schema(labels, &schema, err));
    STOA_TRY(stoa_column_read(labels, 0, labels->n_rows, &array, err));
    stoa_column_show_labels(column, &schema, &array, false);
    STOA_TRY(stoa_pandas_show_missing_code(column, err));
    status = add_labels(f, column, err);
    column = NULL;

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_column_close(labels);
    stoa_column_close(column);
    free(level);
    free(codes);
    free(otherwise);
    stoa_pandas_label_clear(&label);
    return status;
}

/* What one index column is called, where its name alone does not say it. */
static stoa_status note_index(fixed *f, const stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (label->said != NULL) {
        STOA_TRY(stoa_pickle_put(&f->notes.index, label->said, err));
        STOA_TRY(stoa_pickle_put(&f->notes.index, "a", err));
    } else if (label->is_text && strcmp(label->name, "index") == 0) {
        STOA_TRY(stoa_pickle_put(&f->notes.index, "Vindex\na", err));
    }

done:
    return status;
}

static stoa_status read_count(hid_t group, const char *what, const char *suffix, uint64_t *n,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool found = false;
    char *name = stoa_format("%s%s", what, suffix);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_read_u64(group, name, n, &found, err));
    if (!found || *n > MAX_PARTS) {
        STOA_FAIL(err, STOA_EDATA, "attribute '%s' is missing, or no count", name);
    }

done:
    free(name);
    return status;
}

static stoa_status add_row_labels(fixed *f, const char *axis, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *variety = stoa_format("%s_variety", axis);
    stoa_pandas_label_text label = {NULL, NULL, false};
    stoa_column *column = NULL;
    uint64_t n_levels = 0;

    STOA_TRY(variety != NULL ? STOA_OK : stoa_fail_memory(err));
    if (!stoa_attribute_is(f->group, variety, "multi")) {
        STOA_TRY(name_of(f->group, axis, "index", &label, err));
        STOA_TRY(open_line(f->group, axis, "kind", 0, STOA_WHOLE_ROWS, label.name, &column, err));
        STOA_TRY(add_labels(f, column, err));
        STOA_TRY(note_index(f, &label, err));
        goto done;
    }
    STOA_TRY(read_count(f->group, axis, "_nlevels", &n_levels, err));
    for (unsigned i = 0; i < n_levels; i++) {
        STOA_TRY(add_level(f, axis, i, err));
    }

done:
    free(variety);
    stoa_pandas_label_clear(&label);
    return status;
}

/* --- the column labels ----------------------------------------------------------------------- */

/* A label that is an element: in words, and as opcodes. */
static stoa_status label_of(const stoa_view *view, int64_t i, stoa_pandas_label_text *label,
                            stoa_error *err)
{
    char number[STOA_NUMBER_SIZE];
    size_t length = 0;

    if (stoa_view_is_null(view, i)) {
        label->name = stoa_strdup("nan");
        label->said = stoa_strdup("Fnan\n");
    } else if (view->type.kind == STOA_KIND_STRING) {
        const char *const text = stoa_view_bytes(view, i, &length);
        label->name = stoa_strndup(text, length);
        label->is_text = true;
    } else if (view->type.kind == STOA_KIND_BOOL) {
        label->name = stoa_strdup(stoa_view_i64(view, i) != 0 ? "True" : "False");
        label->said = stoa_strdup(stoa_view_i64(view, i) != 0 ? "I01\n" : "I00\n");
    } else if (stoa_kind_is_integer(view->type.kind)) {
        label->name = stoa_format("%lld", (long long)stoa_view_i64(view, i));
        label->said = stoa_format("I%lld\n", (long long)stoa_view_i64(view, i));
    } else if (stoa_kind_is_float(view->type.kind)) {
        (void)stoa_format_f64(stoa_view_f64(view, i), number);
        label->name = stoa_strdup(number);
        label->said = stoa_format("F%s\n", number);
    } else if (stoa_kind_is_time(view->type.kind)) {
        (void)stoa_format_time(stoa_view_i64(view, i), view->type.unit, view->type.utc, number);
        label->name = stoa_strdup(number); /* which is all that is kept of it */
    } else {
        label->name = stoa_format("column_%lld", (long long)i);
    }
    return label->name != NULL ? STOA_OK : stoa_fail_memory(err);
}

static void free_labels(stoa_pandas_label_text *labels, size_t n)
{
    for (size_t i = 0; labels != NULL && i < n; i++) {
        stoa_pandas_label_clear(&labels[i]);
    }
    free(labels);
}

/* Labels of several kinds are pickled. */
static stoa_status read_objects(hid_t dataset, stoa_pandas_label_text **out, size_t *n,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_objects objects = {.pickle = NULL};

    STOA_TRY(stoa_pandas_objects_read(dataset, &objects, err));
    *out = stoa_alloc_zero((size_t)objects.n_rows, sizeof **out);
    STOA_TRY(*out != NULL ? STOA_OK : stoa_fail_memory(err));
    *n = (size_t)objects.n_rows;
    for (size_t i = 0; i < *n; i++) {
        STOA_TRY(stoa_pandas_label_make(objects.items[i * objects.n_columns], "column", &(*out)[i],
                                        err));
    }

done:
    stoa_pandas_objects_clear(&objects);
    return status;
}

static stoa_status read_elements(hid_t group, const char *node, stoa_pandas_label_text **out,
                                 size_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view view;

    STOA_TRY(open_line(group, node, "kind", 0, STOA_WHOLE_ROWS, node, &column, err));
    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_column_read(column, 0, column->n_rows, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    *out = stoa_alloc_zero((size_t)view.length, sizeof **out);
    STOA_TRY(*out != NULL ? STOA_OK : stoa_fail_memory(err));
    *n = (size_t)view.length;
    for (int64_t i = 0; i < view.length; i++) {
        STOA_TRY(label_of(&view, i, &(*out)[i], err));
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_column_close(column);
    return status;
}

/* All labels of a node; *out is the caller's after a failure, too. */
static stoa_status read_labels(hid_t group, const char *node, stoa_pandas_label_text **out,
                               size_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;

    *out = NULL;
    *n = 0;
    STOA_HDF(err, dataset = H5Dopen2(group, node, H5P_DEFAULT), "open '%s'", node);
    if (!is_list(dataset)) {
        status = stoa_hdf_close(&dataset, status, err);
        return read_elements(group, node, out, n, err);
    }
    const hid_t taken = dataset;
    dataset = H5I_INVALID_HID;
    status = read_objects(taken, out, n, err);
    (void)stoa_at(err, status, "%s", node);

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* --- the blocks ------------------------------------------------------------------------------ */

/* Whether a block's dataset has the rows first: pandas says that it is transposed. */
static bool has_rows_first(hid_t group, const char *node)
{
    stoa_error ignored = STOA_ERROR_INIT;
    const hid_t dataset = H5Dopen2(group, node, H5P_DEFAULT);
    uint8_t value = 0;
    bool found = false;

    /* PyTables writes a bit field, which libhdf5 converts to no integer. */
    if (dataset >= 0 && stoa_attribute_read_scalar(dataset, "transposed", H5T_NATIVE_B8, &value,
                                                   &found, &ignored) != STOA_OK) {
        uint64_t number = 0;
        found =
            stoa_attribute_read_u64(dataset, "transposed", &number, &found, &ignored) == STOA_OK &&
            found;
        value = number != 0;
    }
    if (dataset >= 0) {
        (void)H5Dclose(dataset);
    }
    return found && value != 0;
}

/* The first place of that name that no block has taken: columns may be called alike. */
static size_t place_of(const fixed *f, const char *name)
{
    for (size_t i = 0; i < f->n_labels; i++) {
        if (f->columns[i] == NULL && strcmp(f->labels[i].name, name) == 0) {
            return i;
        }
    }
    return f->n_labels;
}

static stoa_status open_block(fixed *f, unsigned number, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *items = stoa_format("block%u_items", number);
    char *values = stoa_format("block%u_values", number);
    stoa_pandas_label_text *labels = NULL;
    size_t n = 0;

    STOA_TRY(items != NULL && values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_labels(f->group, items, &labels, &n, err));
    const int axis = has_rows_first(f->group, values) ? 0 : 1;
    for (size_t i = 0; i < n; i++) {
        const size_t place = place_of(f, labels[i].name);
        if (place == f->n_labels) {
            STOA_FAIL(err, STOA_EDATA, "'%s' names a column '%s' that the frame has not", items,
                      labels[i].name);
        }
        STOA_TRY(open_line(f->group, values, "value_type", axis, i, labels[i].name,
                           &f->columns[place], err));
    }

done:
    free_labels(labels, n);
    free(items);
    free(values);
    return status;
}

static stoa_status add_values(fixed *f, stoa_pandas_label_text *label, stoa_column **column,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const added = *column;
    char *name = NULL;

    STOA_TRY(stoa_pandas_note_column(&f->notes, f->table, label, err));
    name = stoa_strdup(label->name);
    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    free(added->name);
    added->name = name;

    if (added->n_rows < f->table->n_rows) {
        STOA_FAIL(err, STOA_EDATA, "column '%s' has %llu rows, the frame %llu", added->name,
                  (unsigned long long)added->n_rows, (unsigned long long)f->table->n_rows);
    }
    *column = NULL;
    STOA_TRY(stoa_foreign_add(f->table, added, err));

done:
    return status;
}

/* What the axis of columns is called. */
static stoa_status note_axis(fixed *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_label_text label = {NULL, NULL, false};
    stoa_buffer said = {0};

    STOA_TRY(name_of(f->group, "axis0", "", &label, err));
    if (label.is_text) {
        STOA_TRY(stoa_pickle_put_text(&said, label.name, err));
        STOA_TRY(stoa_buffer_append(&said, "", 1, err));
    }
    if (label.is_text || label.said != NULL) {
        STOA_TRY(stoa_pandas_note_name(&f->notes,
                                       label.is_text ? (const char *)said.data : label.said, err));
    }

done:
    stoa_buffer_clear(&said);
    stoa_pandas_label_clear(&label);
    return status;
}

static stoa_status add_frame(fixed *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t n_blocks = 0;

    STOA_TRY(add_row_labels(f, "axis1", err));
    STOA_TRY(read_labels(f->group, "axis0", &f->labels, &f->n_labels, err));
    STOA_TRY(note_axis(f, err));
    f->columns = stoa_alloc_zero(f->n_labels, sizeof(stoa_column *));
    STOA_TRY(f->columns != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_count(f->group, "nblocks", "", &n_blocks, err));
    for (unsigned i = 0; i < n_blocks; i++) {
        STOA_TRY(open_block(f, i, err));
    }
    for (size_t i = 0; i < f->n_labels; i++) {
        if (f->columns[i] == NULL) {
            STOA_FAIL(err, STOA_EDATA, "no block holds column '%s'", f->labels[i].name);
        }
        STOA_TRY(add_values(f, &f->labels[i], &f->columns[i], err));
    }

done:
    return status;
}

static stoa_status add_series(fixed *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    stoa_pandas_label_text label = {NULL, NULL, false};

    f->notes.is_series = true;
    STOA_TRY(add_row_labels(f, "index", err));
    STOA_TRY(read_name(f->group, "values", &label, err));
    STOA_TRY(
        open_line(f->group, "values", "value_type", 0, STOA_WHOLE_ROWS, label.name, &column, err));
    STOA_TRY(add_values(f, &label, &column, err));

done:
    stoa_pandas_label_clear(&label);
    stoa_column_close(column);
    return status;
}

/* --- all of it ------------------------------------------------------------------------------- */

static stoa_status open_fixed(hid_t group, const char *path, const char *file, stoa_table **table,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    fixed f = {.group = group};

    *table = NULL;
    STOA_TRY(stoa_foreign_begin(group, path, file, "pandas", 0, &f.table, err));
    STOA_TRY(is_series(group) ? add_series(&f, err) : add_frame(&f, err));
    STOA_TRY(stoa_pandas_notes_end(&f.notes, f.table, err));
    *table = f.table;
    f.table = NULL;

done:
    for (size_t i = 0; f.columns != NULL && i < f.n_labels; i++) {
        stoa_column_close(f.columns[i]);
    }
    free(f.columns);
    free_labels(f.labels, f.n_labels);
    stoa_pandas_notes_clear(&f.notes);
    stoa_table_close(f.table);
    return status;
}

const stoa_layout_class stoa_layout_pandas_fixed = {look, open_fixed};
