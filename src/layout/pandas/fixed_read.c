#include "layout/pandas/fixed_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/pandas/objects.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/period.h"
#include "layout/pickle/write.h"

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

/* An axis of length 0 is stored as one element, with its shape as an attribute. */
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

/* The zone of a node: a text attribute or a pickle. */
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
    return stoa_attribute_optional(dataset, "tz");
}

bool stoa_pandas_freq_at(hid_t group, const char *node, stoa_pandas_freq *freq, bool *is_of_periods)
{
    stoa_error ignored = STOA_ERROR_INIT;
    hid_t dataset = stoa_open_here(group, node);
    stoa_pickle *pickle = NULL;
    bool found = false;

    *is_of_periods = false;
    if (dataset >= 0 && stoa_pandas_pickle(dataset, "freq", &pickle, &ignored) == STOA_OK &&
        pickle != NULL) {
        *is_of_periods = stoa_attribute_is(dataset, "index_class", "period");
        found = stoa_pandas_freq_of(stoa_pickle_root(pickle), freq) &&
                (!*is_of_periods || stoa_pandas_is_of_periods(freq));
    }
    stoa_pickle_close(pickle);
    (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    return found;
}

/* Whether a text is a dtype that begins with `with`. */
static bool is_dtype(const char *text, const char *with)
{
    return text != NULL && strncmp(text, with, strlen(with)) == 0;
}

/*
 * Make a column without rows, whose type the attributes give. The default is strings.
 *
 * @param kind  of labels, which tells the kind of times
 */
static stoa_status make_empty(hid_t dataset, const char *name, const char *kind, const char *zone,
                              stoa_column **column, stoa_error *err)
{
    static const struct {
        const char *dtype;
        const char *format;
    } types[] = {{"bool", "b"},         {"int8", "c"},    {"int16", "s"},   {"int32", "i"},
                 {"int64", "l"},        {"uint8", "C"},   {"uint16", "S"},  {"uint32", "I"},
                 {"uint64", "L"},       {"float16", "e"}, {"float32", "f"}, {"float64", "g"},
                 {"timedelta64", "tDn"}};
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    const bool is_time = is_dtype(kind, "datetime64") || is_dtype(kind, "timedelta64");
    char *dtype = is_time ? stoa_strdup(kind) : stoa_attribute_optional(dataset, "value_type");
    const char unit = is_dtype(dtype, "datetime64[s]")    ? 's'
                      : is_dtype(dtype, "datetime64[ms]") ? 'm'
                      : is_dtype(dtype, "datetime64[us]") ? 'u'
                                                          : 'n';
    char *times = stoa_format("ts%c:%s", unit, zone != NULL ? zone : "");
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

stoa_status stoa_pandas_open_line(hid_t group, const char *node, const char *kind_attribute,
                                  int axis, hsize_t at, const char *name, stoa_column **column,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;
    stoa_pandas_objects objects = {.pickle = NULL};
    char *kind = NULL;
    char *zone = NULL;
    char *nan_rep = NULL;
    bool empty = false;

    *column = NULL;
    STOA_HDF(err, dataset = stoa_open_here(group, node), "open '%s'", node);
    kind = stoa_attribute_optional(dataset, kind_attribute);
    zone = zone_of(dataset);
    STOA_TRY(stoa_pandas_nan_rep(dataset, "nan_rep", "nan", &nan_rep, err));
    STOA_TRY(is_empty(dataset, &empty, err));
    const bool is_of_objects = is_list(dataset);
    if (empty && !is_of_objects) {
        STOA_TRY(make_empty(dataset, name, kind, zone, column, err));
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
        STOA_TRY(stoa_pandas_set_type(*column, kind, zone, nan_rep, err));
    }

done:
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    stoa_pandas_objects_clear(&objects);
    free(kind);
    free(zone);
    free(nan_rep);
    (void)stoa_at(err, status, "%s", node);
    return stoa_hdf_close(&dataset, status, err);
}

/* PyTables stores numbers and booleans as such, and an empty text with a NULL dataspace. */
static stoa_status read_number(hid_t object, stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    char number[STOA_NUMBER_SIZE];
    hid_t attribute = H5Aopen(object, "name", H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int64_t integer = 0;
    double value = 0;
    uint8_t bits = 0;
    bool found = false;

    if (class == H5T_STRING && H5Aget_storage_size(attribute) == 0) {
        label->is_text = true;
        label->name = stoa_strdup("");
        found = true;
    } else if (class == H5T_BITFIELD &&
               stoa_attribute_read_scalar(object, "name", H5T_NATIVE_B8, &bits, &found, &ignored) ==
                   STOA_OK) {
        label->name = stoa_strdup(bits != 0 ? "True" : "False");
        label->said = stoa_strdup(bits != 0 ? "I01\n" : "I00\n");
    } else if (class == H5T_INTEGER &&
               stoa_attribute_read_scalar(object, "name", H5T_NATIVE_INT64, &integer, &found,
                                          &ignored) == STOA_OK) {
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
    return !found || (label->name != NULL && (label->is_text || label->said != NULL))
               ? STOA_OK
               : stoa_fail_memory(err);
}

stoa_status stoa_pandas_read_name(hid_t object, const char *otherwise,
                                  stoa_pandas_label_text *label, stoa_error *err)
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
    STOA_TRY(stoa_attribute_read_optional(object, "name", &label->name, err));
    label->is_text = label->name != NULL;
    if (label->name == NULL) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        status = read_number(object, label, err);
        stoa_error_stack_end(&errors);
        STOA_TRY(status);
    }
    label->name = label->name != NULL ? label->name : stoa_strdup(otherwise);
    STOA_TRY(label->name != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    stoa_pickle_close(pickle);
    return status;
}

stoa_status stoa_pandas_name_of(hid_t group, const char *node, const char *otherwise,
                                stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;

    STOA_HDF(err, dataset = stoa_open_here(group, node), "open '%s'", node);
    STOA_TRY(stoa_pandas_read_name(dataset, otherwise, label, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* --- column labels --------------------------------------------------------------------------- */

/* Values that are labels. */
typedef struct elements {
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
    stoa_pandas_time like; /* of times: kind, unit and zone */
    bool are_periods;      /* of the kind of `like` */
} elements;

/* "tsn:Europe/Berlin", days, or a duration. */
static bool are_times(elements *all)
{
    const stoa_type *const type = &all->view.type;
    const char *const colon = strchr(all->schema.format, ':');

    if (all->are_periods) {
        return stoa_kind_is_integer(type->kind);
    }
    all->like.unit = type->unit;
    all->like.kind = type->kind == STOA_KIND_DURATION    ? STOA_PANDAS_IS_DELTA
                     : type->kind == STOA_KIND_TIMESTAMP ? STOA_PANDAS_IS_TIME
                                                         : STOA_PANDAS_IS_DATE;
    if (type->kind == STOA_KIND_TIMESTAMP && colon != NULL &&
        strlen(colon + 1) < sizeof all->like.zone) {
        memcpy(all->like.zone, colon + 1, strlen(colon + 1) + 1);
    }
    return stoa_kind_is_ticks(type->kind) &&
           (type->kind != STOA_KIND_DATE || type->unit == STOA_TIME_DAY);
}

static stoa_status time_label(const elements *all, int64_t i, stoa_pandas_label_text *label,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_time time = all->like;
    stoa_buffer said = {0};

    time.ticks = stoa_view_is_null(&all->view, i) ? INT64_MIN : stoa_view_i64(&all->view, i);
    label->name = stoa_pandas_time_label(&time);
    STOA_TRY(label->name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_put_time(&said, &time, STOA_PANDAS_FOR_STOA, err));
    STOA_TRY(stoa_buffer_detach_text(&said, &label->said, err));

done:
    stoa_buffer_clear(&said);
    return status;
}

static stoa_status text_label(const stoa_view *view, int64_t i, stoa_pandas_label_text *label,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer said = {0};
    size_t length = 0;
    const char *const text = stoa_view_bytes(view, i, &length);

    label->name = stoa_strndup(text, length);
    label->is_text = true;
    STOA_TRY(label->name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pickle_put_text(&said, label->name, err));
    STOA_TRY(stoa_buffer_detach_text(&said, &label->said, err));

done:
    stoa_buffer_clear(&said);
    return status;
}

/* Whether all labels are periods, which are stored as ordinals. */
static bool are_periods(hid_t group, const char *node, stoa_pandas_time *like)
{
    bool is_of_periods = false;

    if (!stoa_pandas_freq_at(group, node, &like->freq, &is_of_periods) || !is_of_periods) {
        return false;
    }
    like->kind = STOA_PANDAS_IS_PERIOD;
    return true;
}

/* Make a label of an element: as text, and as opcodes. */
static stoa_status label_of(elements *all, int64_t i, stoa_pandas_label_text *label,
                            stoa_error *err)
{
    const stoa_view *const view = &all->view;
    const stoa_kind kind = view->type.kind;
    stoa_pickled node = {.kind = STOA_PICKLE_NONE};
    char otherwise[32];

    if (are_times(all)) {
        return time_label(all, i, label, err);
    }
    if (stoa_view_is_null(view, i)) {
        node = (stoa_pickled){.kind = STOA_PICKLE_FLOAT, .as.number = NAN};
    } else if (kind == STOA_KIND_STRING) {
        return text_label(view, i, label, err);
    } else if (kind == STOA_KIND_BOOL) {
        node = (stoa_pickled){.kind = STOA_PICKLE_BOOL, .as.truth = stoa_view_i64(view, i) != 0};
    } else if (stoa_kind_is_integer(kind)) {
        node = (stoa_pickled){.kind = STOA_PICKLE_INT, .as.integer = stoa_view_i64(view, i)};
    } else if (stoa_kind_is_float(kind)) {
        node = (stoa_pickled){.kind = STOA_PICKLE_FLOAT, .as.number = stoa_view_f64(view, i)};
    }
    (void)snprintf(otherwise, sizeof otherwise, "column_%lld", (long long)i);
    return stoa_pandas_label_make(&node, otherwise, label, err);
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

/* @param periods  the frequency of labels that are periods; otherwise NULL */
static stoa_status labels_of(stoa_column *column, const stoa_pandas_time *periods,
                             stoa_pandas_label_text **out, size_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    elements all = {.are_periods = periods != NULL};

    if (periods != NULL) {
        all.like = *periods;
    }
    STOA_TRY(stoa_column_read_labels(column, &all.schema, &all.array, err));
    STOA_TRY(stoa_view_of(&all.schema, &all.array, &all.view, err));
    *out = stoa_alloc_zero((size_t)all.view.length, sizeof **out);
    STOA_TRY(*out != NULL ? STOA_OK : stoa_fail_memory(err));
    *n = (size_t)all.view.length;
    for (int64_t i = 0; i < all.view.length; i++) {
        STOA_TRY(label_of(&all, i, &(*out)[i], err));
    }

done:
    stoa_array_release(&all.array);
    stoa_schema_release(&all.schema);
    return status;
}

stoa_status stoa_pandas_labels_of(stoa_column *column, stoa_pandas_label_text **out, size_t *n,
                                  stoa_error *err)
{
    return labels_of(column, NULL, out, n, err);
}

static stoa_status read_elements(hid_t group, const char *node, stoa_pandas_label_text **out,
                                 size_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    stoa_pandas_time periods = {.ticks = 0};
    const bool has_periods = are_periods(group, node, &periods);

    STOA_TRY(stoa_pandas_open_line(group, node, "kind", 0, STOA_WHOLE_ROWS, node, &column, err));
    STOA_TRY(labels_of(column, has_periods ? &periods : NULL, out, n, err));

done:
    stoa_column_close(column);
    return status;
}

stoa_status stoa_pandas_read_labels(hid_t group, const char *node, stoa_pandas_label_text **out,
                                    size_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;

    *out = NULL;
    *n = 0;
    STOA_HDF(err, dataset = stoa_open_here(group, node), "open '%s'", node);
    if (!is_list(dataset)) {
        STOA_TRY(stoa_hdf_close(&dataset, STOA_OK, err));
        return read_elements(group, node, out, n, err);
    }
    const hid_t taken = dataset;
    dataset = H5I_INVALID_HID;
    status = read_objects(taken, out, n, err);
    (void)stoa_at(err, status, "%s", node);

done:
    return stoa_hdf_close(&dataset, status, err);
}
