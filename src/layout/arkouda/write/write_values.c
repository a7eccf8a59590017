/* Writes Arrow values to open arrays as Arkouda's elements (write_object.h). */
#include "layout/arkouda/write/write_object.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "layout/arkouda/write/write_parts.h"
#include "layout/common/column_datasets.h"

/* --- numbers --------------------------------------------------------------------------------- */

static void fill_bools(const stoa_view *view, int64_t first, int64_t count, uint8_t *out)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] = !stoa_view_is_null(view, first + i) && stoa_view_i64(view, first + i) != 0;
    }
}

static void fill_floats(const stoa_view *view, int64_t first, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] = stoa_view_is_null(view, first + i) ? NAN : stoa_view_f64(view, first + i);
    }
}

static void fill_integers(const stoa_arkouda_column_type *shape, const stoa_view *view,
                          int64_t first, int64_t count, int64_t *out)
{
    const int64_t per = shape->per != 0 ? shape->per : 1;
    const int64_t missing = shape->per != 0 ? STOA_ARKOUDA_NAT : 0;

    for (int64_t i = 0; i < count; i++) {
        out[i] = stoa_view_is_null(view, first + i)
                     ? missing
                     : (int64_t)((uint64_t)stoa_view_i64(view, first + i) * (uint64_t)per);
    }
}

/* Whether the elements in memory are in storage form. */
static bool is_as_stored(const stoa_arkouda_column_type *shape, const stoa_view *view)
{
    return view->null_count == 0 && shape->per <= 1 &&
           stoa_kind_width(view->type.kind) == (int32_t)sizeof(int64_t);
}

static hid_t native_of(stoa_kind stored)
{
    return stored == STOA_KIND_BOOL ? H5T_NATIVE_UINT8 : stoa_column_dataset_native(stored);
}

static stoa_status put_numbers(stoa_arkouda_target *target, const stoa_view *view, int64_t first,
                               int64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_arkouda_column_type *const shape = target->shape;
    void *made = NULL;
    const void *values;

    if (is_as_stored(shape, view)) {
        values = (const int64_t *)view->values + view->offset + first;
    } else {
        made = stoa_alloc((size_t)count, stoa_arkouda_width(shape->stored));
        STOA_TRY(made != NULL ? STOA_OK : stoa_fail_memory(err));
        if (shape->stored == STOA_KIND_BOOL) {
            fill_bools(view, first, count, made);
        } else if (shape->stored == STOA_KIND_FLOAT64) {
            fill_floats(view, first, count, made);
        } else {
            fill_integers(shape, view, first, count, made);
        }
        values = made;
    }
    STOA_TRY(stoa_column_dataset_write(target->values, native_of(shape->stored), target->n,
                                       (uint64_t)count, values, err));

done:
    free(made);
    return status;
}

/* Bytes [8 limb, 8 limb + 8) of a little-endian value, as far as they exist. */
static uint64_t limb_of(const uint8_t *bytes, size_t length, size_t limb)
{
    uint64_t value = 0;

    for (size_t i = limb * 8; i < length && i < limb * 8 + 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * (i - limb * 8));
    }
    return value;
}

static stoa_status put_limbs(stoa_arkouda_target *target, const stoa_view *view, int64_t first,
                             int64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t *values = stoa_alloc((size_t)count, sizeof *values);

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint32_t limb = 0; limb < target->shape->n_limbs; limb++) {
        for (int64_t i = 0; i < count; i++) {
            size_t length = 0;
            const char *const bytes =
                stoa_view_is_null(view, first + i) ? "" : stoa_view_bytes(view, first + i, &length);
            values[i] = limb_of((const uint8_t *)bytes, length, limb);
        }
        STOA_TRY(stoa_column_dataset_write(target->limbs[limb], H5T_NATIVE_UINT64, target->n,
                                           (uint64_t)count, values, err));
    }

done:
    free(values);
    return status;
}

/* --- strings --------------------------------------------------------------------------------- */

uint64_t stoa_arkouda_count_bytes(const stoa_view *view, int64_t first, int64_t count)
{
    uint64_t n = 0;

    if (view->null_count == 0 && count > 0) { /* they are adjacent in memory */
        int64_t begin;
        int64_t last;
        int64_t length;
        stoa_view_range(view, first, &begin, &length);
        stoa_view_range(view, first + count - 1, &last, &length);
        return (uint64_t)(last + length - begin);
    }
    for (int64_t i = first; i < first + count; i++) {
        size_t length = 0;
        if (!stoa_view_is_null(view, i)) {
            (void)stoa_view_bytes(view, i, &length);
        }
        n += length;
    }
    return n;
}

/* Copy strings with a NUL after each. A missing string is empty. */
static void join(const stoa_view *view, int64_t first, int64_t count, uint64_t before,
                 uint8_t *bytes, int64_t *starts)
{
    uint64_t at = 0;

    for (int64_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *const text =
            stoa_view_is_null(view, first + i) ? "" : stoa_view_bytes(view, first + i, &length);
        starts[i] = (int64_t)(before + at);
        memcpy(bytes + at, text, length);
        bytes[at + length] = 0;
        at += length + 1;
    }
}

static stoa_status put_texts(stoa_arkouda_target *target, const stoa_view *view, int64_t first,
                             int64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_bytes = stoa_arkouda_count_bytes(view, first, count) + (uint64_t)count;
    uint8_t *bytes = stoa_alloc((size_t)n_bytes, 1);
    int64_t *starts = stoa_alloc((size_t)count, sizeof *starts);

    STOA_TRY(bytes != NULL && starts != NULL ? STOA_OK : stoa_fail_memory(err));
    join(view, first, count, target->n_bytes, bytes, starts);
    STOA_TRY(stoa_column_dataset_write(target->values, H5T_NATIVE_UINT8, target->n_bytes, n_bytes,
                                       bytes, err));
    if (target->segments >= 0) {
        STOA_TRY(stoa_column_dataset_write(target->segments, H5T_NATIVE_INT64, target->n,
                                           (uint64_t)count, starts, err));
    }
    target->n_bytes += n_bytes;

done:
    free(starts);
    free(bytes);
    return status;
}

stoa_status stoa_arkouda_put_values(stoa_arkouda_target *target, const stoa_view *view,
                                    int64_t first, int64_t count, stoa_error *err)
{
    if (count == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(target->shape->as == STOA_ARKOUDA_AS_TEXTS
                           ? put_texts(target, view, first, count, err)
                       : target->shape->as == STOA_ARKOUDA_AS_LIMBS
                           ? put_limbs(target, view, first, count, err)
                           : put_numbers(target, view, first, count, err));
    target->n += (uint64_t)count;
    return STOA_OK;
}

/* --- codes ----------------------------------------------------------------------------------- */

/* The category of each label of a batch, since batches may have different dictionaries. */
static stoa_status map_labels(const stoa_arkouda_labels *labels, const stoa_view *view,
                              int64_t **categories, stoa_error *err)
{
    stoa_view own;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &own, err));
    *categories = stoa_alloc((size_t)own.length, sizeof **categories);
    STOA_RETURN_NO_MEMORY(err, *categories);
    for (int64_t i = 0; i < own.length; i++) {
        size_t length = 0;
        const char *const text =
            stoa_view_is_null(&own, i) ? NULL : stoa_view_bytes(&own, i, &length);
        uint32_t number = 0;
        if (text != NULL && !stoa_string_set_find(labels->texts, text, length, &number)) {
            return stoa_fail(err, STOA_EDATA, "the labels have changed while the table was read");
        }
        (*categories)[i] = text != NULL ? (int64_t)number : labels->na_code;
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_put_codes(stoa_arkouda_target *target, const stoa_arkouda_labels *labels,
                                   const stoa_view *view, int64_t first, int64_t count,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t *categories = NULL;
    int64_t *codes = stoa_alloc((size_t)count, sizeof *codes);

    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(map_labels(labels, view, &categories, err));
    for (int64_t i = 0; i < count; i++) {
        codes[i] = stoa_view_is_null(view, first + i) ? labels->na_code
                                                      : categories[stoa_view_i64(view, first + i)];
    }
    STOA_TRY(stoa_column_dataset_write(target->values, H5T_NATIVE_INT64, target->n, (uint64_t)count,
                                       codes, err));
    target->n += (uint64_t)count;

done:
    free(categories);
    free(codes);
    return status;
}
