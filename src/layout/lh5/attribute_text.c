/* See attribute_text.h. */
#include "layout/lh5/attribute_text.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "hdf/attributes.h"
#include "hdf/guard.h"
#include "hdf/kept.h"
#include "layout/lh5/attribute_type.h"
#include "layout/lh5/attribute_value.h"
#include "layout/lh5/writer.h"

/* Of the text, but of a scalar string: attributes hold less than 64 KiB, and it may become one
 * again (notes.c). Its values take up no more than so many bytes for each of its own. */
enum { MOST_BYTES = 60000, BYTES_EACH = 8 };

typedef struct shape {
    bool is_null; /* H5S_NULL: no values, and no shape */
    int rank;     /* 0 of a scalar */
    hsize_t extent[H5S_MAX_RANK];
    size_t n;
} shape;

static bool is_of_size(const shape *is, hid_t type)
{
    size_t bytes = 0;

    return is->n <= MOST_BYTES / 2 && !__builtin_mul_overflow(is->n, H5Tget_size(type), &bytes) &&
           bytes <= (size_t)MOST_BYTES * BYTES_EACH;
}

/* --- printing -------------------------------------------------------------------------------- */

static bool find_shape(hid_t space, shape *is)
{
    const H5S_class_t class = H5Sget_simple_extent_type(space);
    const hssize_t n = H5Sget_simple_extent_npoints(space);

    *is = (shape){.is_null = class == H5S_NULL, .n = n >= 0 ? (size_t)n : 0};
    is->rank = is->is_null ? 0 : H5Sget_simple_extent_dims(space, is->extent, NULL);
    return class != H5S_NO_CLASS && is->rank >= 0 && n >= 0;
}

static stoa_status print_shape(const shape *is, stoa_buffer *out, stoa_error *err)
{
    for (int i = 0; i < is->rank; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%c%llu", i == 0 ? '[' : ',',
                                             (unsigned long long)is->extent[i]));
    }
    return stoa_buffer_print(out, err, "%s", is->rank > 0 ? "]" : is->is_null ? "[null]" : "");
}

static stoa_status print_value(hid_t object, const stoa_kept *kept, const shape *is,
                               stoa_buffer *out, stoa_error *err)
{
    stoa_lh5_printing p = {.file = object, .out = out};
    const size_t size = H5Tget_size(kept->type);

    if (H5Tget_class(kept->type) == H5T_STRING && H5Tis_variable_str(kept->type) > 0) {
        p.can = true; /* there is one kind of them to those who read LH5 */
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "string"));
    } else {
        STOA_RETURN_NOT_OK(stoa_lh5_attribute_type_print(kept->type, out, &p.can, err));
    }
    STOA_RETURN_NOT_OK(print_shape(is, out, err));
    for (size_t i = 0; p.can && i < is->n; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_append(out, " ", 1, err));
        STOA_RETURN_NOT_OK(
            stoa_lh5_value_print(&p, kept->type, (const uint8_t *)kept->value + i * size, err));
    }
    if (!p.can || out->size > MOST_BYTES) {
        out->size = 0;
    }
    return STOA_OK;
}

/* Of any storage, and any length. */
static stoa_status print_text(hid_t object, const char *name, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    STOA_TRY(stoa_attribute_read_text(object, name, &text, err));
    STOA_TRY(stoa_buffer_print(out, err, "string %s", text));

done:
    free(text);
    return status;
}

/* How an attribute is printed, told without a look at its values, of which there may be many. */
typedef enum way { NOT_AT_ALL, AS_TEXT, BY_VALUES } way;

static stoa_status choose_way(hid_t object, const char *name, shape *is, way *found,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attribute = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;

    *found = NOT_AT_ALL;
    STOA_HDF(err, attribute = H5Aopen(object, name, H5P_DEFAULT), "open attribute '%s'", name);
    STOA_HDF(err, space = H5Aget_space(attribute), "get the shape of attribute '%s'", name);
    STOA_HDF(err, type = H5Aget_type(attribute), "get the type of attribute '%s'", name);
    if (!find_shape(space, is)) {
        goto done;
    }
    const bool is_text = H5Tget_class(type) == H5T_STRING && is->rank == 0 && !is->is_null;
    if (is_text && (H5Tis_variable_str(type) > 0 || strcmp(name, "datatype") == 0)) {
        *found = AS_TEXT;
    } else if (is_of_size(is, type)) {
        *found = BY_VALUES;
    }

done:
    status = stoa_hdf_close(&type, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&attribute, status, err);
}

stoa_status stoa_lh5_attribute_print(hid_t object, const char *name, stoa_buffer *out,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_kept kept = STOA_KEPT_INIT;
    shape is;
    way how;

    STOA_TRY(choose_way(object, name, &is, &how, err));
    if (how == AS_TEXT) {
        STOA_TRY(print_text(object, name, out, err));
    } else if (how == BY_VALUES) {
        STOA_TRY(stoa_attribute_keep(object, name, &kept, err));
        STOA_TRY(print_value(object, &kept, &is, out, err));
    }

done:
    stoa_kept_clear(&kept);
    return status;
}

stoa_status stoa_lh5_attribute_try_print(hid_t object, const char *name, stoa_buffer *out,
                                         stoa_error *err)
{
    const size_t size = out->size;
    const stoa_quiet quiet = stoa_quiet_begin();
    const stoa_status status = stoa_lh5_attribute_print(object, name, out, NULL);

    stoa_quiet_drop(&quiet);
    out->size = status == STOA_OK ? out->size : size;
    return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

bool stoa_lh5_attribute_refers(hid_t object, const char *name)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const bool does = type >= 0 && H5Tdetect_class(type, H5T_REFERENCE) > 0;

    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    (void)stoa_hdf_close(&attribute, STOA_OK, NULL);
    return does;
}

/* --- saying ---------------------------------------------------------------------------------- */

/* `[2,2]`, behind which *at is left; nothing of the kind is a scalar's. False: it is no shape. */
static bool parse_shape(const char **at, shape *is)
{
    uint64_t extent = 0;

    *is = (shape){.n = 1};
    if (**at != '[') {
        return true;
    }
    if (strncmp(*at, "[null]", 6) == 0) {
        *is = (shape){.is_null = true};
        *at += 6;
        return true;
    }
    do {
        const char *const from = ++*at;
        *at += strspn(from, "0123456789");
        if (is->rank == H5S_MAX_RANK || !stoa_parse_u64(from, (size_t)(*at - from), &extent) ||
            extent == H5S_UNLIMITED || __builtin_mul_overflow(is->n, extent, &is->n) ||
            is->n > MOST_BYTES / 2) {
            return false;
        }
        is->extent[is->rank++] = extent;
    } while (**at == ',');
    return *(*at)++ == ']';
}

static stoa_status put(hid_t object, const char *name, const shape *is, stoa_kept *kept,
                       stoa_error *err)
{
    kept->space = is->is_null ? H5Screate(H5S_NULL) : H5Screate_simple(is->rank, is->extent, NULL);
    STOA_RETURN_HDF_ERROR(err, kept->space, "make a shape");
    return stoa_attribute_put(object, name, kept, err);
}

/* All values, and nothing behind them; else r->is becomes false. */
static stoa_status parse_values(stoa_lh5_reading *r, const shape *is, const stoa_kept *kept,
                                stoa_error *err)
{
    const size_t size = H5Tget_size(kept->type);

    for (size_t i = 0; r->is && i < is->n; i++) {
        r->is = *r->at == ' ';
        r->at += r->is ? 1 : 0;
        STOA_RETURN_NOT_OK(
            stoa_lh5_value_parse(r, kept->type, (uint8_t *)kept->value + i * size, err));
    }
    r->is = r->is && *r->at == '\0';
    return STOA_OK;
}

/* `at`: behind the type. */
static stoa_status say(hid_t object, const char *name, const char *at, stoa_kept *kept, char **lost,
                       stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_reading r = {.name = name, .file = object};
    shape is;

    if (!parse_shape(&at, &is) || !is_of_size(&is, kept->type)) {
        return STOA_OK;
    }
    kept->value = is.n > 0 ? stoa_alloc_zero(is.n, H5Tget_size(kept->type)) : NULL;
    STOA_TRY(is.n == 0 || kept->value != NULL ? STOA_OK : stoa_fail_memory(err));
    r.at = at;
    r.is = true;
    STOA_TRY(parse_values(&r, &is, kept, err));
    if (!r.is) {
        goto done;
    }
    if (r.lost == NULL) {
        STOA_TRY(put(object, name, &is, kept, err));
    }
    *lost = r.lost;
    r.lost = NULL;

done:
    stoa_lh5_reading_end(&r);
    free(kept->value); /* what it points to is not libhdf5's */
    kept->value = NULL;
    return status;
}

static stoa_status wait(hid_t object, const char *name, const char *text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const waiting = stoa_format(STOA_LH5_REFERENCE "%s", name);

    STOA_TRY(waiting != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lh5_say(object, waiting, text, err));

done:
    free(waiting);
    return status;
}

/* `waits`: it is not the time yet for one with references. */
static stoa_status say_of_type(hid_t object, const char *name, const char *text, bool waits,
                               char **lost, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_kept kept = STOA_KEPT_INIT;
    const char *at = text;

    STOA_TRY(stoa_lh5_attribute_type_parse(&at, &kept.type, err));
    if (waits && kept.type >= 0 && H5Tdetect_class(kept.type, H5T_REFERENCE) > 0) {
        STOA_TRY(wait(object, name, text, err));
    } else if (kept.type >= 0) {
        STOA_TRY(say(object, name, at, &kept, lost, err));
    }

done:
    stoa_kept_clear(&kept);
    return status;
}

stoa_status stoa_lh5_attribute_say(hid_t object, const char *name, const char *text,
                                   stoa_error *err)
{
    char *lost = NULL;

    if (strncmp(text, "string ", 7) == 0) {
        return stoa_lh5_say(object, name, text + 7, err);
    }
    const stoa_status status = say_of_type(object, name, text, true, &lost, err);
    free(lost);
    return status;
}

stoa_status stoa_lh5_attribute_point(hid_t object, const char *name, char **lost, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const waiting = stoa_format(STOA_LH5_REFERENCE "%s", name);
    char *text = NULL;

    *lost = NULL;
    STOA_TRY(waiting != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_read_note(object, waiting, &text, err));
    if (text == NULL) {
        goto done;
    }
    STOA_TRY(say_of_type(object, name, text, false, lost, err));
    if (stoa_attribute_exists(object, name)) {
        STOA_TRY(stoa_attribute_delete(object, waiting, err));
    }

done:
    free(waiting);
    free(text);
    return status;
}
