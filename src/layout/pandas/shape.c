#include "layout/pandas/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "layout/common/column_datasets.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/period.h"

/* --- times ----------------------------------------------------------------------------------- */

/* Check that all times fit in 64 bits as nanoseconds, and none equals NaT. */
static stoa_status check_times(const stoa_pandas_shape *shape, const char *layout, stoa_error *err)
{
    const stoa_domain *const domain = &shape->stats->domain;
    const int64_t most = INT64_MAX / shape->per;
    const bool is_low = domain->has_negative && domain->low < -most;
    const bool is_high = domain->has_positive && domain->high > (uint64_t)most;

    return domain->n_values > 0 && (is_low || is_high)
               ? stoa_fail(err, STOA_ELOSS,
                           "column '%s' has %s, which %s, in nanoseconds of 64 bits, cannot hold",
                           shape->field->name,
                           shape->as == STOA_PANDAS_DELTA
                               ? "durations of more than 292 years"
                               : "times outside of the years 1678 to 2262",
                           layout)
               : STOA_OK;
}

/* "tsn:Europe/Berlin". */
static stoa_status parse_zone(stoa_pandas_shape *shape, stoa_error *err)
{
    const char *const colon = strchr(shape->field->format, ':');

    if (shape->type.kind == STOA_KIND_TIMESTAMP && colon != NULL && colon[1] != '\0') {
        shape->zone = stoa_strdup(colon + 1);
        STOA_RETURN_NO_MEMORY(err, shape->zone);
    }
    return STOA_OK;
}

/* --- shapes ---------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
    [STOA_KIND_BOOL] = "bool",       [STOA_KIND_INT8] = "int8",
    [STOA_KIND_INT16] = "int16",     [STOA_KIND_INT32] = "int32",
    [STOA_KIND_INT64] = "int64",     [STOA_KIND_UINT8] = "uint8",
    [STOA_KIND_UINT16] = "uint16",   [STOA_KIND_UINT32] = "uint32",
    [STOA_KIND_UINT64] = "uint64",   [STOA_KIND_FLOAT16] = "float16",
    [STOA_KIND_FLOAT32] = "float32", [STOA_KIND_FLOAT64] = "float64",
};

const char *stoa_pandas_dtype(stoa_kind kind)
{
    return kind_names[kind];
}

bool stoa_pandas_kind_holds(stoa_kind kind, int64_t value)
{
    return stoa_kind_is_signed(kind)
               ? value >= stoa_kind_min(kind) && value <= (int64_t)stoa_kind_max(kind)
               : value >= 0 && (uint64_t)value <= stoa_kind_max(kind);
}

static void set(stoa_pandas_shape *shape, stoa_pandas_as as, stoa_kind kind, const char *name)
{
    shape->as = as;
    shape->kind = kind;
    shape->name = name;
}

/* {r, i} of two floats of 4 or 8 bytes: PyTables' form of complex numbers. */
static bool is_complex(const struct ArrowSchema *field, stoa_kind *part)
{
    if (strcmp(field->format, "+s") != 0 || field->n_children != 2) {
        return false;
    }
    const char *const format = field->children[0]->format;

    *part = strcmp(format, "f") == 0 ? STOA_KIND_FLOAT32 : STOA_KIND_FLOAT64;
    return (strcmp(format, "f") == 0 || strcmp(format, "g") == 0) &&
           strcmp(field->children[1]->format, format) == 0 &&
           strcmp(field->children[0]->name, "r") == 0 && strcmp(field->children[1]->name, "i") == 0;
}

static stoa_status choose(stoa_pandas_shape *shape, stoa_error *err)
{
    const stoa_kind kind = shape->type.kind;
    stoa_kind part;
    char text[64];

    if (stoa_kind_is_time(kind)) {
        shape->per = stoa_time_nanoseconds(shape->type.unit);
        set(shape, STOA_PANDAS_TIME, STOA_KIND_INT64, "datetime64[ns]");
    } else if (kind == STOA_KIND_DURATION) {
        shape->per = stoa_time_nanoseconds(shape->type.unit);
        set(shape, STOA_PANDAS_DELTA, STOA_KIND_INT64, "timedelta64[ns]");
    } else if (kind == STOA_KIND_BOOL) {
        set(shape, STOA_PANDAS_BOOL, kind, kind_names[kind]);
    } else if (stoa_kind_is_integer(kind) || stoa_kind_is_float(kind)) {
        set(shape, STOA_PANDAS_NUMBER, kind, kind_names[kind]);
    } else if (stoa_kind_is_string(kind)) {
        set(shape, STOA_PANDAS_TEXT, kind, "object");
    } else if (kind == STOA_KIND_DICTIONARY) {
        set(shape, STOA_PANDAS_CATEGORY, kind, "category");
    } else if (is_complex(shape->field, &part)) {
        set(shape, STOA_PANDAS_COMPLEX, part,
            part == STOA_KIND_FLOAT32 ? "complex64" : "complex128");
    } else {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' is of type %s, which no column of pandas' files has; leave "
                         "it out",
                         shape->field->name, stoa_type_name(&shape->type, text));
    }
    return STOA_OK;
}

/* Whether all days are in the range of Python's dates. */
static bool are_dates(const stoa_column_stats *stats)
{
    const stoa_domain *const domain = &stats->domain;

    return stats->n_missing == 0 &&
           (!domain->has_negative || domain->low >= 1 - STOA_PANDAS_ORDINAL_OF_EPOCH) &&
           (!domain->has_positive ||
            domain->high <= STOA_PANDAS_LAST_ORDINAL - STOA_PANDAS_ORDINAL_OF_EPOCH);
}

const char *stoa_pandas_dtype_of_unit(const stoa_type *type)
{
    static const char *const dtypes[][2] = {
        [STOA_TIME_SECOND] = {"datetime64[s]", "timedelta64[s]"},
        [STOA_TIME_MILLI] = {"datetime64[ms]", "timedelta64[ms]"},
        [STOA_TIME_MICRO] = {"datetime64[us]", "timedelta64[us]"},
    };
    const bool is_time = type->kind == STOA_KIND_TIMESTAMP;

    return (is_time || type->kind == STOA_KIND_DURATION) && type->unit >= STOA_TIME_SECOND &&
                   type->unit <= STOA_TIME_MICRO
               ? dtypes[type->unit][is_time ? 0 : 1]
               : NULL;
}

/* Refine the shape by the noted dtype. */
static void believe(stoa_pandas_shape *shape, const char *said)
{
    const stoa_type *const type = &shape->type;
    const bool has_days = type->kind == STOA_KIND_DATE && type->unit == STOA_TIME_DAY;
    const bool is_plain = type->kind == STOA_KIND_TIMESTAMP && shape->zone == NULL;
    const char *const dtype = stoa_pandas_dtype_of_unit(type);

    if (dtype != NULL && strcmp(dtype, said) == 0) {
        shape->per = 1;
        shape->name = dtype;
    } else if (has_days && strcmp(said, "date") == 0 && are_dates(shape->stats)) {
        set(shape, STOA_PANDAS_DATE, STOA_KIND_INT32, "int32");
    } else if ((has_days || is_plain) && stoa_pandas_period_of_dtype(said, &shape->freq) &&
               stoa_pandas_period_unit(&shape->freq) == type->unit) {
        set(shape, STOA_PANDAS_PERIOD, STOA_KIND_INT64, "int64");
    }
}

static bool shape_holds_missing(const stoa_pandas_shape *shape)
{
    return shape->as != STOA_PANDAS_BOOL &&
           (shape->as != STOA_PANDAS_NUMBER || stoa_kind_is_float(shape->kind));
}

bool stoa_pandas_holds_missing(const struct ArrowSchema *field)
{
    stoa_pandas_shape shape = {.field = field};
    stoa_error ignored = STOA_ERROR_INIT;

    return stoa_type_of(field, &shape.type, &ignored) == STOA_OK &&
           choose(&shape, &ignored) == STOA_OK && shape_holds_missing(&shape);
}

stoa_status stoa_pandas_shape_of(const struct ArrowSchema *field, const stoa_column_stats *stats,
                                 const char *said, const char *layout, stoa_pandas_shape *shape,
                                 stoa_error *err)
{
    *shape = (stoa_pandas_shape){.field = field, .stats = stats, .per = 1};
    STOA_RETURN_NOT_OK(stoa_type_of(field, &shape->type, err));
    STOA_RETURN_NOT_OK(choose(shape, err));
    STOA_RETURN_NOT_OK(parse_zone(shape, err));
    if (said != NULL) {
        believe(shape, said);
    }
    if (stats->n_missing > 0 && !shape_holds_missing(shape)) {
        return stoa_layout_refuse_missing(field->name, stats->n_missing, layout, "VALUE", err);
    }
    if (shape->as == STOA_PANDAS_TIME || shape->as == STOA_PANDAS_DELTA) {
        STOA_RETURN_NOT_OK(check_times(shape, layout, err));
    }
    return STOA_OK;
}

void stoa_pandas_shape_clear(stoa_pandas_shape *shape)
{
    free(shape->zone);
    shape->zone = NULL;
}

/* Refuse a time that is not the start of a period, such as one added later. It would change to
 * another time. */
static stoa_status refuse_time(const stoa_pandas_shape *shape, int64_t ticks, int64_t ordinal,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_pandas_time time = {
        .kind = STOA_PANDAS_IS_TIME, .unit = shape->type.unit, .ticks = ticks};
    char dtype[STOA_PANDAS_DTYPE_SIZE];
    char *const is = stoa_pandas_time_label(&time);
    char *const becomes = stoa_pandas_period_label(&shape->freq, ordinal);

    STOA_TRY(is != NULL && becomes != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_pandas_period_dtype(&shape->freq, dtype);
    STOA_FAIL(err, STOA_ELOSS,
              "column '%s' has %s, which does not begin a period: pandas said that it is of %s, "
              "where that would become %s; let it begin one (stoa update), or forget what pandas "
              "said of the table (stoa attr --remove %s)",
              shape->field->name, is, dtype, becomes, STOA_PANDAS_FRAME);

done:
    free(is);
    free(becomes);
    return status;
}

static stoa_status number_periods(const stoa_pandas_shape *shape, const stoa_view *view,
                                  int64_t *out, stoa_error *err)
{
    for (int64_t i = 0; i < view->length; i++) {
        const bool is_missing = stoa_view_is_null(view, i);
        const int64_t ticks = is_missing ? 0 : stoa_view_i64(view, i);
        int64_t begin = 0;

        out[i] = is_missing ? INT64_MIN : stoa_pandas_period_at(&shape->freq, ticks);
        if (!is_missing &&
            (!stoa_pandas_period_start(&shape->freq, out[i], &begin) || begin != ticks)) {
            return refuse_time(shape, ticks, out[i], err);
        }
    }
    return STOA_OK;
}

stoa_status stoa_pandas_plain(const stoa_pandas_shape *shape, const stoa_view *view, void *out,
                              stoa_error *err)
{
    int64_t *const ticks = out;
    int32_t *const days = out;

    if (shape->as == STOA_PANDAS_BOOL) {
        stoa_column_dataset_bools(view, out);
    } else if (shape->as == STOA_PANDAS_NUMBER) {
        stoa_column_dataset_numbers(view, out);
    } else if (shape->as == STOA_PANDAS_DATE) {
        for (int64_t i = 0; i < view->length; i++) {
            days[i] = (int32_t)stoa_view_i64(view, i) + STOA_PANDAS_ORDINAL_OF_EPOCH;
        }
    } else if (shape->as == STOA_PANDAS_PERIOD) {
        return number_periods(shape, view, ticks, err);
    } else {
        for (int64_t i = 0; i < view->length; i++) {
            ticks[i] = stoa_view_is_null(view, i) ? INT64_MIN : stoa_view_i64(view, i) * shape->per;
        }
    }
    return STOA_OK;
}

stoa_status stoa_pandas_part(const stoa_pandas_shape *shape, const stoa_view *view, int part,
                             void *out, stoa_error *err)
{
    stoa_view values;

    STOA_RETURN_NOT_OK(stoa_view_child(view, part, &values, err));
    stoa_column_dataset_numbers(&values, out);
    for (int64_t i = 0; view->null_count > 0 && i < view->length; i++) {
        if (stoa_view_is_null(view, i) && shape->kind == STOA_KIND_FLOAT32) {
            ((float *)out)[i] = NAN;
        } else if (stoa_view_is_null(view, i)) {
            ((double *)out)[i] = NAN;
        }
    }
    return STOA_OK;
}

/* --- the index ------------------------------------------------------------------------------- */

const char *stoa_pandas_label_kind(const stoa_pandas_shape *shape, const char *of_texts)
{
    switch (shape->as) {
    case STOA_PANDAS_TIME:
        return shape->name;
    case STOA_PANDAS_PERIOD:
        return "integer";
    case STOA_PANDAS_DATE:
        return "date";
    case STOA_PANDAS_DELTA: /* pandas before 3.1 does not read the other units */
        return strcmp(shape->name, "timedelta64[ns]") == 0 ? "timedelta64" : shape->name;
    case STOA_PANDAS_BOOL:
        return "bool";
    case STOA_PANDAS_NUMBER:
        return stoa_kind_is_float(shape->kind) ? "float" : "integer";
    default:
        return of_texts;
    }
}

const char *stoa_pandas_index_name(const stoa_layout_source *source, size_t level)
{
    const char *const name = source->schema->children[source->index_columns[level]]->name;
    char unnamed[32];

    (void)snprintf(unnamed, sizeof unnamed, source->n_index_columns > 1 ? "level_%zu" : "index",
                   level);
    return strcmp(name, unnamed) == 0 ? NULL : name;
}

bool stoa_pandas_is_index(const stoa_layout_source *source, size_t column)
{
    for (size_t i = 0; i < source->n_index_columns; i++) {
        if (source->index_columns[i] == column) {
            return true;
        }
    }
    return false;
}
