#include "index/sorted/sorted_fences.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/memory.h"
#include "hdf/ids.h"
#include "hdf/metadata/attributes.h"

enum { LEAST_SPACING = 256, LEAST_LENGTH = 16, HALF = STOA_MOST_FENCES / 2 };

/* The distance of fences among n_ordered ranks. */
static uint64_t spacing_of(uint64_t n_ordered)
{
    const uint64_t needed = n_ordered / HALF + 1;

    return needed > LEAST_SPACING ? needed : LEAST_SPACING;
}

stoa_status stoa_fences_make(stoa_fences *fences, uint64_t n_ordered, stoa_error *err)
{
    *fences = (stoa_fences){.spacing = spacing_of(n_ordered)};
    fences->items = stoa_alloc(STOA_MOST_FENCES, sizeof *fences->items);
    STOA_RETURN_NO_MEMORY(err, fences->items);
    fences->capacity = STOA_MOST_FENCES;
    return STOA_OK;
}

void stoa_fences_clear(stoa_fences *fences)
{
    free(fences->items);
    *fences = (stoa_fences){.n = 0};
}

void stoa_fences_merge(stoa_fences *fences, const stoa_fences *old, const stoa_sort_batch *batch,
                       const stoa_fences *fresh)
{
    size_t i = 0;
    size_t j = 0;
    size_t n_below = 0; /* records below the next old fence */

    while (i < old->n || j < fresh->n) {
        while (i < old->n && n_below < batch->count &&
               stoa_sort_batch_get(batch, n_below).key < old->items[i].key) {
            n_below++;
        }
        const uint64_t rank = i < old->n ? old->items[i].rank + n_below : UINT64_MAX;
        if (j == fresh->n || (i < old->n && rank <= fresh->items[j].rank)) {
            stoa_fences_add(fences, old->items[i++].key, rank);
        } else {
            stoa_fences_add(fences, fresh->items[j].key, fresh->items[j].rank);
            j++;
        }
    }
}

/* --- The attribute --------------------------------------------------------------------------- */

/* Whether the attribute is an array [n][2] of unsigned integers that is not too long. */
static bool has_form(hid_t attribute, hsize_t *n)
{
    hsize_t extent[2] = {0, 0};
    hid_t type = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute);
    const bool has = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_INTEGER &&
                     H5Tget_size(type) == sizeof(uint64_t) && H5Tget_sign(type) == H5T_SGN_NONE &&
                     H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
                     H5Sget_simple_extent_ndims(space) == 2 &&
                     H5Sget_simple_extent_dims(space, extent, NULL) == 2 && extent[1] == 2 &&
                     extent[0] <= STOA_MOST_FENCES;

    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    *n = has ? extent[0] : 0;
    return has;
}

/* Count the fences, which must be in order and among the ordered ranks; false if they are not. */
static bool count_fences(stoa_fences *fences, hsize_t length, uint64_t n_ordered)
{
    const stoa_fence *items = fences->items;

    for (fences->n = 0; fences->n < length && items[fences->n].rank != UINT64_MAX; fences->n++) {
        const stoa_fence *fence = &items[fences->n];
        if (fence->rank >= n_ordered ||
            (fences->n > 0 && (fence[-1].key > fence->key || fence[-1].rank >= fence->rank))) {
            return false;
        }
    }
    return true;
}

stoa_status stoa_fences_read(stoa_fences *fences, hid_t dataset, uint64_t n_ordered, char *flaw,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attribute = H5I_INVALID_HID;
    hsize_t length = 0;
    const char *wrong = "";

    *fences = (stoa_fences){.n = 0};
    if (stoa_attribute_exists(dataset, STOA_SORTED_HINTS)) {
        STOA_TRY(stoa_fences_make(fences, n_ordered, err));
        const stoa_error_stack errors = stoa_error_stack_begin();
        attribute = H5Aopen(dataset, STOA_SORTED_HINTS, H5P_DEFAULT);
        if (attribute < 0 || !has_form(attribute, &length) ||
            H5Aread(attribute, H5T_NATIVE_UINT64, fences->items) < 0) {
            wrong = "it is no array [n][2] of uint64";
        } else if (!count_fences(fences, length, n_ordered)) {
            wrong = "its fences are not in order";
        }
        stoa_error_stack_discard(&errors);
    }
    fences->n = wrong[0] == '\0' ? fences->n : 0;
    if (flaw != NULL) {
        (void)snprintf(flaw, 256, "%s%s", wrong[0] != '\0' ? STOA_SORTED_HINTS ": " : "", wrong);
    }

done:
    return stoa_hdf_close(&attribute, status, err);
}

/* Open the attribute if it is as long as needed. An attribute that is written again keeps its place
 * in the object header. */
static hid_t open_same(hid_t dataset, hsize_t length)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hsize_t n = 0;
    hid_t attribute = stoa_attribute_exists(dataset, STOA_SORTED_HINTS)
                          ? H5Aopen(dataset, STOA_SORTED_HINTS, H5P_DEFAULT)
                          : H5I_INVALID_HID;

    if (attribute >= 0 && (!has_form(attribute, &n) || n != length)) {
        (void)stoa_hdf_close(&attribute, STOA_OK, NULL);
    }
    stoa_error_stack_discard(&errors);
    return attribute;
}

static stoa_status make_attribute(hid_t dataset, hsize_t length, hid_t *attribute, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;

    if (stoa_attribute_exists(dataset, STOA_SORTED_HINTS)) {
        STOA_TRY(stoa_attribute_delete(dataset, STOA_SORTED_HINTS, err));
    }
    STOA_HDF(err, space = H5Screate_simple(2, (const hsize_t[]){length, 2}, NULL),
             "make a dataspace");
    STOA_TRY(stoa_attribute_make(dataset, STOA_SORTED_HINTS, H5T_STD_U64LE, space, attribute, err));

done:
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_fences_write(const stoa_fences *fences, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attribute = H5I_INVALID_HID;
    stoa_fence *items = stoa_alloc(STOA_MOST_FENCES, sizeof *items);
    hsize_t length = LEAST_LENGTH; /* a power of two, so that it seldom changes */

    STOA_TRY(items != NULL ? STOA_OK : stoa_fail_memory(err));
    while (length < fences->n) {
        length *= 2;
    }
    memcpy(items, fences->items, fences->n * sizeof *items);
    for (size_t i = fences->n; i < length; i++) {
        items[i] = (stoa_fence){UINT64_MAX, UINT64_MAX};
    }
    attribute = open_same(dataset, length);
    if (attribute < 0) {
        STOA_TRY(make_attribute(dataset, length, &attribute, err));
    }
    STOA_HDF(err, H5Awrite(attribute, H5T_NATIVE_UINT64, items), "write attribute '%s'",
             STOA_SORTED_HINTS);

done:
    free(items);
    return stoa_hdf_close(&attribute, status, err);
}
