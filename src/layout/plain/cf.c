/* What the CF conventions say of stored numbers: which are missing (2.5.1), how they are packed
 * (8.1), and that they count time (4.4). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/rows.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "layout/plain/plain.h"

enum { MAX_FILLS = 2 };

/* A stored value that means that there is none. */
typedef struct fill {
    int64_t integer; /* of an integer column; uint64 keeps its bits */
    double number;   /* of a float column */
} fill;

/* The attributes, and the column that they change. */
typedef struct decoded {
    stoa_column *raw;
    stoa_kind kind; /* of its items */
    size_t width;   /* of an item in Arrow */
    bool is_list;
    fill fills[MAX_FILLS];
    size_t n_fills;
    bool is_scaled;
    double scale;
    double offset;
    bool is_time; /* and its items become timestamps of `unit`: */
    stoa_time_unit unit;
    bool utc;
    double factor;   /* ticks per stored unit */
    double epoch;    /* ticks at the stored value 0 */
    stoa_view items; /* of the batch that is read */
    bool *is_beyond; /* set if a time of it does not fit */
} decoded;

/* --- attributes ------------------------------------------------------------------------------ */

/* Read a fill value in the type of the items, so that it is compared as it is stored. */
static stoa_status add_fill(hid_t object, const char *name, decoded *d, stoa_error *err)
{
    const stoa_element *const element = &d->raw->element;
    const stoa_element *const item = d->is_list ? element->items : element;
    stoa_error ignored = STOA_ERROR_INIT;
    uint8_t stored[16] = {0};
    bool found = false;
    fill own = {0, 0};

    const stoa_status status =
        stoa_attribute_read_scalar(object, name, item->mem_type, stored, &found, &ignored);
    if (status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    if (status != STOA_OK || !found) {
        return STOA_OK; /* of another class: netCDF itself would not use it */
    }
    const stoa_view one = {
        .type = {.kind = d->kind}, .length = 1, .values = stored, .offset = 0, .validity = NULL};
    if (stoa_kind_is_float(d->kind)) {
        own.number = stoa_view_f64(&one, 0);
    } else {
        own.integer = stoa_view_i64(&one, 0);
    }
    if (d->n_fills == 1 && memcmp(&d->fills[0], &own, sizeof own) == 0) {
        return STOA_OK;
    }
    d->fills[d->n_fills++] = own;
    return STOA_OK;
}

static void read_scale(hid_t object, decoded *d)
{
    d->scale = 1;
    d->offset = 0;
    const bool has_scale = stoa_plain_number(object, "scale_factor", &d->scale);
    d->is_scaled = stoa_plain_number(object, "add_offset", &d->offset) || has_scale;
}

/* Whether days of a calendar are those of Arrow. */
static bool is_usual(const char *calendar)
{
    static const char *const usual[] = {"standard", "gregorian", "proleptic_gregorian", "", NULL};

    return calendar == NULL || stoa_is_listed(calendar, usual);
}

/* Whether units count time in a calendar that is known. Otherwise the numbers stay numbers, and
 * their units name the calendar, so that no reader takes them for times. */
static stoa_status read_units(hid_t object, char **units, stoa_time_units *times, bool *are_times,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *calendar = NULL;

    *are_times = false;
    STOA_TRY(stoa_attribute_read_optional(object, "units", units, err));
    if (*units == NULL) { /* openPMD, vaex and h5py's users */
        STOA_TRY(stoa_attribute_read_optional(object, "unit", units, err));
    }
    if (*units == NULL) { /* GWOSC */
        STOA_TRY(stoa_attribute_read_optional(object, "Yunits", units, err));
    }
    if (*units == NULL || !stoa_parse_time_units(*units, times)) {
        goto done;
    }
    STOA_TRY(stoa_attribute_read_optional(object, "calendar", &calendar, err));
    *are_times = is_usual(calendar);
    if (!*are_times) {
        char *const all = stoa_format("%s, calendar %s", *units, calendar);
        free(*units);
        *units = all;
        STOA_TRY(all != NULL ? STOA_OK : stoa_fail_memory(err));
    }

done:
    free(calendar);
    return status;
}

/* --- values ---------------------------------------------------------------------------------- */

static double number_of(const decoded *d, int64_t i)
{
    const double stored = stoa_kind_is_float(d->kind) ? stoa_view_f64(&d->items, i)
                          : d->kind == STOA_KIND_UINT64
                              ? (double)(uint64_t)stoa_view_i64(&d->items, i)
                              : (double)stoa_view_i64(&d->items, i);

    return d->is_scaled ? stored * d->scale + d->offset : stored;
}

static bool is_missing(const decoded *d, int64_t i)
{
    bool is = stoa_view_is_null(&d->items, i);

    for (size_t k = 0; k < d->n_fills && !is; k++) {
        const fill *const f = &d->fills[k];
        if (stoa_kind_is_float(d->kind)) {
            const double value = stoa_view_f64(&d->items, i);
            is = value == f->number || (isnan(value) && isnan(f->number));
        } else {
            is = stoa_view_i64(&d->items, i) == f->integer;
        }
    }
    return is;
}

/* Missing items of lists are NaN where there is one, as in xarray; else they are null. */
static bool put_number(const void *context, int64_t i, uint8_t *values)
{
    const decoded *const d = context;
    const bool is_gone = is_missing(d, i);
    const double value = is_gone ? NAN : number_of(d, i);

    memcpy(values + (size_t)i * sizeof value, &value, sizeof value);
    return !is_gone || d->is_list;
}

static bool put_time(const void *context, int64_t i, uint8_t *values)
{
    const decoded *const d = context;
    const double ticks = is_missing(d, i) ? NAN : number_of(d, i) * d->factor + d->epoch;
    int64_t rounded = 0;

    if (isnan(ticks)) {
        return false;
    }
    if (!(fabs(ticks) < 9.2e18)) {
        *d->is_beyond = true;
        return false;
    }
    rounded = llround(ticks);
    memcpy(values + (size_t)i * sizeof rounded, &rounded, sizeof rounded);
    return true;
}

/* The stored value, or NaN. */
static bool put_stored(const void *context, int64_t i, uint8_t *values)
{
    const decoded *const d = context;
    const bool is_gone = is_missing(d, i);
    uint8_t *const to = values + (size_t)i * d->width;
    const float nan = NAN;

    if (!is_gone) {
        memcpy(to, (const uint8_t *)d->items.values + (size_t)(d->items.offset + i) * d->width,
               d->width);
    } else if (d->kind == STOA_KIND_FLOAT64) {
        memcpy(to, &(double){NAN}, sizeof(double));
    } else if (d->kind == STOA_KIND_FLOAT32) {
        memcpy(to, &nan, sizeof nan);
    }
    return !is_gone || (d->is_list && d->width > 2 && stoa_kind_is_float(d->kind));
}

static stoa_status read_decoded(void *context, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    decoded own = *(const decoded *)context;
    decoded *const d = &own;
    stoa_column_rows rows = {.array.release = NULL};
    struct ArrowArray items = {.release = NULL};
    bool is_beyond = false;

    out->release = NULL;
    STOA_TRY(stoa_column_rows_read(d->raw, first, count, &rows, err));
    d->items = rows.view;
    if (d->is_list) {
        STOA_TRY(stoa_view_child(&rows.view, 0, &d->items, err));
    }
    d->is_beyond = &is_beyond;
    const bool is_number = d->is_scaled && !d->is_time;
    STOA_TRY(stoa_array_put(d->is_list ? &items : out, d->items.length,
                            d->is_time || is_number ? sizeof(int64_t) : d->width,
                            d->is_time  ? put_time
                            : is_number ? put_number
                                        : put_stored,
                            d, err));
    if (is_beyond) {
        STOA_FAIL(err, STOA_ERANGE, "rows from %llu on hold a time that is too far from 1970",
                  (unsigned long long)first);
    }
    if (d->is_list) {
        STOA_TRY(stoa_array_list(out, rows.view.length, 0, 1, (void *const[]){NULL}, &items, err));
    }

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    stoa_array_release(&items);
    stoa_column_rows_clear(&rows);
    return status;
}

static void close_decoded(void *context)
{
    stoa_column_close(((decoded *)context)->raw);
    free(context);
}

/* --- columns --------------------------------------------------------------------------------- */

/* The field of the changed values. */
static stoa_status make_schema(const decoded *d, struct ArrowSchema *schema, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_type time = {.kind = STOA_KIND_TIMESTAMP, .unit = d->unit, .utc = d->utc};

    if (d->is_time) {
        return stoa_schema_make_type(schema, d->raw->name, &time, err);
    }
    if (d->is_scaled && !d->is_list) {
        return stoa_schema_make(schema, d->raw->name, stoa_kind_format(STOA_KIND_FLOAT64), err);
    }
    STOA_TRY(stoa_column_schema(d->raw, schema, err));
    if (d->is_scaled) {
        stoa_schema_release(schema->children[0]);
        STOA_TRY(stoa_schema_make(schema->children[0], "item", stoa_kind_format(STOA_KIND_FLOAT64),
                                  err));
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(schema);
    }
    return status;
}

static stoa_status decode(const decoded *d, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    decoded *own = stoa_alloc(1, sizeof *own);
    const uint64_t n_rows = d->raw->n_rows;

    *column = NULL;
    if (own == NULL || make_schema(d, &schema, err) != STOA_OK) {
        status = own == NULL ? stoa_fail_memory(err) : STOA_ENOMEM;
        free(own);
        stoa_column_close(d->raw);
        return status;
    }
    *own = *d;
    const stoa_column_source source = {
        .read_array = read_decoded, .close = close_decoded, .context = own};
    return stoa_column_of_source(&schema, n_rows, &source, column, err);
}

/* Whether the items are stored numbers, which the attributes are of. */
static bool find_items(stoa_column *raw, decoded *d)
{
    const stoa_element *const element = &raw->element;

    *d = (decoded){.raw = raw, .is_list = element->class == STOA_ELEMENT_ARRAY};
    const stoa_element *const item = d->is_list ? element->items : element;
    const bool are_numbers = (item->class == STOA_ELEMENT_INTEGER && !item->is_bitfield) ||
                             item->class == STOA_ELEMENT_FLOAT;
    d->kind = item->kind;
    d->width = are_numbers ? item->size : 0;
    return are_numbers && raw->source.read_array == NULL &&
           (d->is_list || stoa_kind_is_integer(raw->type.kind) ||
            stoa_kind_is_float(raw->type.kind));
}

/* `_Unsigned` of netCDF's classic types: signed integers stand for unsigned ones. */
static void read_sign(hid_t object, decoded *d)
{
    static const stoa_kind of_size[] = {[1] = STOA_KIND_UINT8,
                                        [2] = STOA_KIND_UINT16,
                                        [4] = STOA_KIND_UINT32,
                                        [8] = STOA_KIND_UINT64};
    stoa_element *const element = &d->raw->element;
    stoa_element *const item = d->is_list ? element->items : element;

    if (item->class == STOA_ELEMENT_INTEGER && stoa_kind_is_signed(item->kind) &&
        (stoa_attribute_is(object, "_Unsigned", "true") ||
         stoa_attribute_is(object, "_Unsigned", "True"))) {
        item->kind = of_size[item->size];
        d->kind = item->kind;
        stoa_column_resolve_type(d->raw);
    }
}

static void use_times(decoded *d, const stoa_time_units *times)
{
    d->is_time = true;
    d->unit = times->unit == STOA_TIME_NANO ? STOA_TIME_NANO : STOA_TIME_MICRO;
    d->utc = times->utc;
    const double ticks =
        (double)stoa_time_nanoseconds(times->unit) / (double)stoa_time_nanoseconds(d->unit);
    d->factor = (double)times->ticks_per * ticks;
    d->epoch = (double)times->epoch_ticks * ticks;
}

static stoa_status set_fill(const decoded *d, stoa_error *err)
{
    uint8_t stored[8];
    const float narrow = (float)d->fills[0].number;
    const uint16_t half = stoa_f32_to_f16(narrow);

    if (d->kind == STOA_KIND_FLOAT64) {
        memcpy(stored, &d->fills[0].number, sizeof stored);
    } else if (d->kind == STOA_KIND_FLOAT32) {
        memcpy(stored, &narrow, sizeof narrow);
    } else if (stoa_kind_is_float(d->kind)) {
        memcpy(stored, &half, sizeof half);
    } else {
        stoa_integer_put(stored, d->width, d->fills[0].integer);
    }
    return stoa_column_set_missing(d->raw, stored, err);
}

stoa_status stoa_plain_apply_cf(hid_t object, stoa_column *raw, stoa_column **column,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_time_units times;
    bool are_times = false;
    char *units = NULL;
    decoded d;

    *column = NULL;
    const bool are_numbers = find_items(raw, &d);
    STOA_TRY(read_units(object, &units, &times, &are_times, err));
    if (are_numbers) {
        read_sign(object, &d);
        read_scale(object, &d);
        STOA_TRY(add_fill(object, "_FillValue", &d, err));
        STOA_TRY(add_fill(object, "missing_value", &d, err));
    }
    const bool is_counted = are_numbers && are_times && !d.is_list && d.kind != STOA_KIND_UINT64;
    const bool is_native = is_counted && !d.is_scaled && stoa_kind_is_integer(d.kind);
    if (is_counted && !is_native) {
        use_times(&d, &times);
    }
    if (d.is_scaled || d.is_time || d.n_fills > 1 || (d.is_list && d.n_fills > 0)) {
        raw = NULL;
        STOA_TRY(decode(&d, column, err));
    } else {
        *column = raw;
        raw = NULL;
        STOA_TRY(d.n_fills == 1 ? set_fill(&d, err) : STOA_OK);
        if (is_native) {
            stoa_column_as_times(*column, &times);
        }
    }
    if (units != NULL && units[0] != '\0' && !d.is_time) {
        (*column)->units = units;
        units = NULL;
    }

done:
    free(units);
    stoa_column_close(raw);
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return status;
}
