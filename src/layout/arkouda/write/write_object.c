#include "layout/arkouda/write/write_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "layout/arkouda/write/write_parts.h"
#include "layout/common/column_datasets.h"

/* --- targets --------------------------------------------------------------------------------- */

static stoa_status close_target(stoa_arkouda_target *target, stoa_status status, stoa_error *err)
{
    for (uint32_t i = 0; target->limbs != NULL && i < target->shape->n_limbs; i++) {
        status = stoa_hdf_close(&target->limbs[i], status, err);
    }
    free(target->limbs);
    target->limbs = NULL;
    status = stoa_hdf_close(&target->segments, status, err);
    return stoa_hdf_close(&target->values, status, err);
}

/* Create `values` and `segments`. */
static stoa_status fill_strings_group(stoa_arkouda_target *target, hid_t group, uint64_t n,
                                      uint64_t n_bytes, stoa_error *err)
{
    STOA_RETURN_NOT_OK(
        stoa_arkouda_make_bytes(group, STOA_ARKOUDA_VALUES, n_bytes + n, &target->values, err));
    return target->has_offsets
               ? stoa_arkouda_make_array(group, STOA_ARKOUDA_SEGMENTS, STOA_KIND_INT64,
                                         STOA_ARKOUDA_PDARRAY, n, &target->segments, err)
               : STOA_OK;
}

static stoa_status make_limbs(stoa_arkouda_target *target, hid_t group, uint64_t n, stoa_error *err)
{
    const uint32_t n_limbs = target->shape->n_limbs;

    target->limbs = stoa_alloc(n_limbs, sizeof *target->limbs);
    STOA_RETURN_NO_MEMORY(err, target->limbs);
    for (uint32_t i = 0; i < n_limbs; i++) {
        target->limbs[i] = H5I_INVALID_HID;
    }
    for (uint32_t i = 0; i < n_limbs; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, STOA_ARKOUDA_LIMB "%u", (unsigned)i);
        STOA_RETURN_NOT_OK(stoa_arkouda_make_array(
            group, name, STOA_KIND_UINT64, STOA_ARKOUDA_PDARRAY, n, &target->limbs[i], err));
    }
    return STOA_OK;
}

/* In the order of §C: bigint's attributes, then the common ones. */
static stoa_status label_limbs(hid_t group, const stoa_arkouda_column_type *shape, int64_t kind,
                               stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_arkouda_write_number(group, STOA_ARKOUDA_IS_BIGINT, 1, err));
    STOA_RETURN_NOT_OK(
        stoa_arkouda_write_number(group, STOA_ARKOUDA_MAX_BITS, shape->max_bits, err));
    STOA_RETURN_NOT_OK(
        stoa_arkouda_write_number(group, STOA_ARKOUDA_NUM_LIMBS, shape->n_limbs, err));
    return stoa_arkouda_label(group, kind, false, err);
}

/* Create n elements called `name`. The elements of lists are labelled like objects of their own, in
 * one file too (§P 13). */
static stoa_status make_target(stoa_arkouda_target *target, hid_t parent, const char *name,
                               uint64_t n, uint64_t n_bytes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_arkouda_column_type *const shape = target->shape;
    hid_t group = H5I_INVALID_HID;

    if (shape->as == STOA_ARKOUDA_AS_NUMBERS) {
        STOA_TRY(stoa_arkouda_make_array(parent, name, shape->stored, target->kind, n,
                                         &target->values, err));
        goto done;
    }
    STOA_TRY(stoa_arkouda_make_group(parent, name, &group, err));
    if (shape->as == STOA_ARKOUDA_AS_LIMBS) {
        STOA_TRY(label_limbs(group, shape, target->kind, err));
        STOA_TRY(make_limbs(target, group, n, err));
    } else {
        STOA_TRY(stoa_arkouda_label(group, STOA_ARKOUDA_STRINGS, false, err));
        STOA_TRY(fill_strings_group(target, group, n, n_bytes, err));
    }

done:
    return stoa_hdf_close(&group, status, err);
}

/* --- categories ------------------------------------------------------------------------------ */

static const char *category(const stoa_arkouda_labels *labels, uint64_t i, size_t *length)
{
    if (i < labels->texts->count) {
        return stoa_string_set_get(labels->texts, (uint32_t)i, length);
    }
    *length = strlen(labels->missing);
    return labels->missing;
}

/* Write this file's part of the categories as Strings. */
static stoa_status put_categories(const stoa_arkouda_locale *locale, hid_t parent,
                                  const stoa_arkouda_labels *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t first = stoa_arkouda_first_row(labels->n, locale->k, locale->n);
    const uint64_t n = stoa_arkouda_first_row(labels->n, locale->k + 1, locale->n) - first;
    int64_t *starts = stoa_alloc((size_t)n, sizeof *starts);
    stoa_buffer bytes = {0};
    hid_t group = H5I_INVALID_HID;
    hid_t values = H5I_INVALID_HID;

    STOA_TRY(starts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < n; i++) {
        size_t length;
        const char *const text = category(labels, first + i, &length);
        starts[i] = (int64_t)bytes.size;
        STOA_TRY(stoa_buffer_append(&bytes, text, length, err));
        STOA_TRY(stoa_buffer_append(&bytes, "", 1, err));
    }
    STOA_TRY(stoa_arkouda_make_group(parent, STOA_ARKOUDA_CATEGORIES, &group, err));
    STOA_TRY(stoa_arkouda_label(group, STOA_ARKOUDA_STRINGS, false, err));
    STOA_TRY(stoa_arkouda_make_bytes(group, STOA_ARKOUDA_VALUES, bytes.size, &values, err));
    STOA_TRY(stoa_column_dataset_write(values, H5T_NATIVE_UINT8, 0, bytes.size, bytes.data, err));
    STOA_TRY(stoa_arkouda_put_array(group, STOA_ARKOUDA_SEGMENTS, STOA_KIND_INT64, n, starts, err));

done:
    free(starts);
    stoa_buffer_clear(&bytes);
    status = stoa_hdf_close(&values, status, err);
    return stoa_hdf_close(&group, status, err);
}

/* There is one NA code, which the first file holds (§G.3). */
static stoa_status make_categorical(stoa_arkouda_entry *entry, const stoa_arkouda_locale *locale,
                                    hid_t group, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_arkouda_make_array(group, STOA_ARKOUDA_CODES, STOA_KIND_INT64,
                                               STOA_ARKOUDA_PDARRAY, entry->sizes[locale->k].n_rows,
                                               &entry->object.target.values, err));
    STOA_RETURN_NOT_OK(put_categories(locale, group, &entry->labels, err));
    return stoa_arkouda_put_array(group, STOA_ARKOUDA_NA_CODES, STOA_KIND_INT64, locale->k == 0,
                                  &entry->labels.na_code, err);
}

/* --- objects --------------------------------------------------------------------------------- */

/* A SegArray is labelled with the type of its elements (§F.2). */
static stoa_status make_segarray(stoa_arkouda_object *object, hid_t group,
                                 const stoa_arkouda_sizes *sizes, stoa_error *err)
{
    STOA_RETURN_NOT_OK(make_target(&object->target, group, STOA_ARKOUDA_VALUES, sizes->n_items,
                                   sizes->n_bytes, err));
    return stoa_arkouda_make_array(group, STOA_ARKOUDA_SEGMENTS, STOA_KIND_INT64,
                                   STOA_ARKOUDA_PDARRAY, sizes->n_rows, &object->segments, err);
}

stoa_status stoa_arkouda_object_make(const stoa_arkouda_locale *locale, stoa_arkouda_entry *entry,
                                     bool is_plain, bool no_offsets, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_arkouda_column *const column = &entry->column;
    const stoa_arkouda_sizes *const sizes = &entry->sizes[locale->k];
    const bool is_list = column->shape.as == STOA_ARKOUDA_AS_LISTS;
    stoa_arkouda_target *const target = &entry->object.target;
    hid_t group = H5I_INVALID_HID;

    entry->object = (stoa_arkouda_object)STOA_ARKOUDA_NO_OBJECT;
    target->shape = is_list ? &column->items : &column->shape;
    target->kind = is_plain ? STOA_ARKOUDA_PDARRAY : target->shape->kind;
    target->has_offsets = is_list || is_plain || !no_offsets;
    if (!is_list && column->shape.as != STOA_ARKOUDA_AS_CODES) {
        STOA_TRY(
            make_target(target, locale->parent, entry->name, sizes->n_rows, sizes->n_bytes, err));
        goto done;
    }
    STOA_TRY(stoa_arkouda_make_group(locale->parent, entry->name, &group, err));
    STOA_TRY(stoa_arkouda_label(group, column->shape.kind,
                                is_list && column->items.as == STOA_ARKOUDA_AS_NUMBERS &&
                                    column->items.stored == STOA_KIND_BOOL,
                                err));
    STOA_TRY(is_list ? make_segarray(&entry->object, group, sizes, err)
                     : make_categorical(entry, locale, group, err));

done:
    return stoa_hdf_close(&group, status, err);
}

/* Items of consecutive rows without gaps are written together. */
static stoa_status put_lists(stoa_arkouda_object *object, const stoa_view *view, int64_t first,
                             int64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t *starts = stoa_alloc((size_t)count, sizeof *starts);
    stoa_view items;
    int64_t from = 0;
    int64_t to = 0;

    STOA_TRY(starts != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_view_child(view, 0, &items, err));
    for (int64_t i = 0; i < count; i++) {
        int64_t at = to;
        int64_t n = 0;
        if (!stoa_view_is_null(view, first + i)) {
            stoa_view_range(view, first + i, &at, &n);
        }
        if (at != to && n > 0) {
            STOA_TRY(stoa_arkouda_put_values(&object->target, &items, from, to - from, err));
            from = to = at;
        }
        starts[i] = (int64_t)object->target.n + (to - from);
        to += n;
    }
    STOA_TRY(stoa_arkouda_put_values(&object->target, &items, from, to - from, err));
    STOA_TRY(stoa_column_dataset_write(object->segments, H5T_NATIVE_INT64, object->n_rows,
                                       (uint64_t)count, starts, err));

done:
    free(starts);
    return status;
}

stoa_status stoa_arkouda_object_put(stoa_arkouda_entry *entry, const stoa_view *view, int64_t first,
                                    int64_t count, stoa_error *err)
{
    stoa_arkouda_object *const object = &entry->object;

    if (count == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(
        entry->column.shape.as == STOA_ARKOUDA_AS_LISTS ? put_lists(object, view, first, count, err)
        : entry->column.shape.as == STOA_ARKOUDA_AS_CODES
            ? stoa_arkouda_put_codes(&object->target, &entry->labels, view, first, count, err)
            : stoa_arkouda_put_values(&object->target, view, first, count, err));
    object->n_rows += (uint64_t)count;
    return STOA_OK;
}

stoa_status stoa_arkouda_object_close(stoa_arkouda_object *object, stoa_status status,
                                      stoa_error *err)
{
    status = close_target(&object->target, status, err);
    return stoa_hdf_close(&object->segments, status, err);
}

/* --- sizes ----------------------------------------------------------------------------------- */

static stoa_status measure_lists(const stoa_arkouda_column *column, const stoa_view *view,
                                 int64_t first, int64_t count, stoa_arkouda_sizes *sizes,
                                 stoa_error *err)
{
    stoa_view items;

    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
    for (int64_t i = first; i < first + count; i++) {
        int64_t at = 0;
        int64_t n = 0;
        if (!stoa_view_is_null(view, i)) {
            stoa_view_range(view, i, &at, &n);
        }
        sizes->n_items += (uint64_t)n;
        if (column->items.as == STOA_ARKOUDA_AS_TEXTS) {
            sizes->n_bytes += stoa_arkouda_count_bytes(&items, at, n);
        }
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_measure(const stoa_arkouda_column *column, const stoa_view *view,
                                 int64_t first, int64_t count, stoa_arkouda_sizes *sizes,
                                 stoa_error *err)
{
    sizes->n_rows += (uint64_t)count;
    if (column->shape.as == STOA_ARKOUDA_AS_TEXTS) {
        sizes->n_bytes += stoa_arkouda_count_bytes(view, first, count);
    } else if (column->shape.as == STOA_ARKOUDA_AS_LISTS) {
        STOA_RETURN_NOT_OK(measure_lists(column, view, first, count, sizes, err));
    }
    return STOA_OK;
}
