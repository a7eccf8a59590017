#include "layout/pandas/pandas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "layout/pickle/write.h"
#include "layout/pytables/pytables.h"

stoa_status stoa_pandas_pickle(hid_t object, const char *name, stoa_pickle **pickle,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    *pickle = NULL;
    STOA_TRY(stoa_attribute_read_text(object, name, &text, err));
    if (text != NULL) {
        STOA_TRY(stoa_pickle_read(text, strlen(text), pickle, err));
    }

done:
    free(text);
    return stoa_at(err, status, "attribute '%s'", name);
}

const stoa_pickled *stoa_pandas_root(const stoa_pickle *pickle)
{
    return pickle != NULL ? stoa_pickle_root(pickle) : NULL;
}

stoa_status stoa_pandas_write_pickle(hid_t object, const char *name, stoa_buffer *pickle,
                                     stoa_status status, stoa_error *err)
{
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(status);
    STOA_TRY(stoa_pickle_put(pickle, ".", err));
    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, pickle->size), "size a string type");
    STOA_TRY(stoa_attribute_write_scalar(object, name, type, type, pickle->data, err));

done:
    stoa_buffer_clear(pickle);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_pandas_write_pickle_of(hid_t object, const char *member, const char *suffix,
                                        stoa_buffer *pickle, stoa_status status, stoa_error *err)
{
    char *const name = status == STOA_OK ? stoa_format("%s%s", member, suffix) : NULL;

    status = status == STOA_OK && name == NULL ? stoa_fail_memory(err) : status;
    status = stoa_pandas_write_pickle(object, name, pickle, status, err);
    free(name);
    return status;
}

stoa_status stoa_pandas_write_of(hid_t object, const char *member, const char *suffix,
                                 const char *text, stoa_error *err)
{
    char *const name = stoa_format("%s%s", member, suffix);
    const stoa_status status =
        name != NULL ? stoa_pytables_write_text(object, name, text, err) : stoa_fail_memory(err);

    free(name);
    return status;
}

stoa_status stoa_pandas_nan_rep(hid_t object, const char *name, const char *otherwise, char **text,
                                stoa_error *err)
{
    *text = NULL;
    if (H5Aexists(object, name) > 0) {
        return stoa_attribute_read_optional(object, name, text, err);
    }
    if (otherwise != NULL) {
        *text = stoa_strdup(otherwise);
        STOA_RETURN_NO_MEMORY(err, *text);
    }
    return STOA_OK;
}

/* --- zones ----------------------------------------------------------------------------------- */

/* datetime.timezone(timedelta(days, seconds, microseconds)) as "+02:00". */
static char *offset_zone(const stoa_pickled *arguments)
{
    const stoa_pickled *const delta =
        stoa_pickled_call(stoa_pickled_item(arguments, 0), "timedelta");
    const stoa_pickled *const days = stoa_pickled_item(delta, 0);
    const stoa_pickled *const seconds = stoa_pickled_item(delta, 1);
    int64_t offset = 0;

    if (days == NULL || seconds == NULL || days->kind != STOA_PICKLE_INT ||
        seconds->kind != STOA_PICKLE_INT || days->as.integer < -1 || days->as.integer > 1 ||
        seconds->as.integer < 0 || seconds->as.integer >= 86400) {
        return stoa_strdup("UTC");
    }
    offset = days->as.integer * 86400 + seconds->as.integer;
    const char sign = offset < 0 ? '-' : '+';
    offset = offset < 0 ? -offset : offset;
    return offset == 0
               ? stoa_strdup("UTC")
               : stoa_format("%c%02d:%02d", sign, (int)(offset / 3600), (int)(offset / 60 % 60));
}

char *stoa_pandas_zone(const stoa_pickled *node)
{
    if (node == NULL || node->kind == STOA_PICKLE_NONE) {
        return NULL;
    }
    if (node->kind == STOA_PICKLE_TEXT) {
        return stoa_pickled_text(node);
    }
    if (stoa_pickled_call(node, "timezone") != NULL) {
        return offset_zone(stoa_pickled_call(node, "timezone"));
    }
    /* pytz's _p("Europe/Berlin", ...), and ZoneInfo's pickled form. */
    char *name = node->kind == STOA_PICKLE_OBJECT
                     ? stoa_pickled_text(stoa_pickled_item(node->as.items.at[1], 0))
                     : NULL;
    return name != NULL ? name
                        : stoa_strdup("UTC"); /* times are stored in UTC, whatever the zone */
}

/* --- values ---------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return text != NULL && strncmp(text, with, strlen(with)) == 0;
}

/* "datetime64[ms]". Without a unit, as pandas before 2 wrote it, nanoseconds. */
static stoa_time_unit unit_of(const char *dtype)
{
    const char *const bracket = strchr(dtype, '[');

    if (begins(bracket, "[s]")) {
        return STOA_TIME_SECOND;
    }
    if (begins(bracket, "[ms]")) {
        return STOA_TIME_MILLI;
    }
    return begins(bracket, "[us]") ? STOA_TIME_MICRO : STOA_TIME_NANO;
}

static stoa_status present_times(stoa_column *column, const char *dtype, const char *zone,
                                 stoa_error *err)
{
    const stoa_time_units units = {.unit = unit_of(dtype), .ticks_per = 1, .utc = zone != NULL};

    stoa_column_as_times(column, &units);
    if (zone != NULL) {
        free(column->zone);
        column->zone = stoa_strdup(zone);
        STOA_RETURN_NO_MEMORY(err, column->zone);
    }
    return stoa_column_set_missing(column, &(int64_t){INT64_MIN}, err);
}

static stoa_status present_strings(stoa_column *column, const char *nan_rep, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = column->element.size;
    const size_t length = nan_rep != NULL ? strlen(nan_rep) : size + 1;
    uint8_t *missing = NULL;

    if (length > size) {
        return STOA_OK; /* no string of the column can equal it */
    }
    missing = stoa_alloc_zero(1, size);
    STOA_TRY(missing != NULL ? STOA_OK : stoa_fail_memory(err));
    memcpy(missing, nan_rep, length);
    STOA_TRY(stoa_column_set_missing(column, missing, err));

done:
    free(missing);
    return status;
}

static stoa_status present_floats(stoa_column *column, stoa_error *err)
{
    switch (column->element.kind) {
    case STOA_KIND_FLOAT16:
        return stoa_column_set_missing(column, &(uint16_t){0x7e00}, err);
    case STOA_KIND_FLOAT32:
        return stoa_column_set_missing(column, &(float){NAN}, err);
    default:
        return stoa_column_set_missing(column, &(double){NAN}, err);
    }
}

stoa_status stoa_pandas_set_type(stoa_column *column, const char *dtype, const char *zone,
                                 const char *nan_rep, stoa_error *err)
{
    const stoa_element *const element = &column->element;
    const bool is_integer = element->class == STOA_ELEMENT_INTEGER && !element->is_bitfield;

    if (element->class == STOA_ELEMENT_INTEGER && element->is_bitfield && element->size == 1) {
        stoa_column_as_bools(column);
    } else if (is_integer && element->size == 8 && begins(dtype, "datetime64")) {
        return present_times(column, dtype, zone, err);
    } else if (is_integer && element->size == 8 && begins(dtype, "timedelta64")) {
        stoa_column_as_durations(column, unit_of(dtype));
        return stoa_column_set_missing(column, &(int64_t){INT64_MIN}, err);
    } else if (is_integer && dtype != NULL && strcmp(dtype, "date") == 0) {
        stoa_column_as_times(column,
                             &(stoa_time_units){.unit = STOA_TIME_DAY,
                                                .ticks_per = 1,
                                                .epoch_ticks = -STOA_PANDAS_ORDINAL_OF_EPOCH});
    } else if (element->class == STOA_ELEMENT_FIXED_STRING) {
        return present_strings(column, nan_rep, err);
    } else if (element->class == STOA_ELEMENT_FLOAT) {
        return present_floats(column, err);
    }
    return STOA_OK;
}

stoa_status stoa_pandas_set_missing_code(stoa_column *column, stoa_error *err)
{
    return stoa_column_set_missing(column, &(int64_t){-1}, err);
}

stoa_status stoa_pandas_no_labels(struct ArrowSchema *schema, struct ArrowArray *labels,
                                  stoa_error *err)
{
    int32_t *offsets = stoa_alloc_zero(1, sizeof *offsets);

    STOA_RETURN_NO_MEMORY(err, offsets);
    void *const buffers[] = {NULL, offsets, NULL};
    offsets = NULL;
    STOA_RETURN_NOT_OK(stoa_array_make(labels, 0, 0, 3, buffers, err));
    return stoa_schema_make(schema, "labels", "u", err);
}
