/* Recreate a column's dataset with another datatype, fill or storage (HEP001 §8.5). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "column/type/cf_attributes.h"
#include "column/type/dataset.h"
#include "column/type/datatype.h"
#include "column/type/fill.h"
#include "column/write/encode.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"

/* FALSE and TRUE leave no value for a missing one, so they become numbers. A value that is neither
 * would be lost. */
static stoa_status check_truths(const stoa_column *column, const stoa_domain *domain,
                                stoa_error *err)
{
    return !domain->has_negative && domain->high <= 1
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA,
                           "'%s' holds a value that is neither FALSE nor TRUE (HEP001-2026-07 "
                           "§8.8); see stoa check",
                           column->name);
}

/* Make the stored type for the column's values and the domain, at least as wide as the present
 * one. */
static stoa_status widen(const stoa_column *column, const stoa_domain *domain, uint64_t n_labels,
                         bool has_fill, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &column->element;
    stoa_kind kind = element->kind;
    stoa_fill ignored;
    stoa_domain codes = {.n_values = n_labels, .has_positive = n_labels > 0};
    hid_t old = H5I_INVALID_HID;

    codes.high = n_labels > 0 ? n_labels - 1 : 0;
    STOA_HDF(err, old = H5Dget_type(column->dataset), "get the datatype");
    if (element->is_truth) {
        if (domain->has_missing && column->fill == NULL) {
            STOA_TRY(check_truths(column, domain, err));
            STOA_HDF(err, *type = H5Tcopy(stoa_standard_type(STOA_KIND_UINT8)), "copy a datatype");
            goto done;
        }
    } else if (element->class == STOA_ELEMENT_INTEGER) {
        const stoa_domain *span = stoa_column_is_categorical(column) ? &codes : domain;
        if (!stoa_choose_integer(span, element->kind, &kind, &ignored) && !has_fill) {
            STOA_FAIL(err, STOA_ELOSS,
                      "no integer type holds all values and leaves one to stand for 'missing' "
                      "(HEP001 §8.5)");
        }
    } else if (element->class == STOA_ELEMENT_FLOAT) {
        kind = stoa_choose_float(domain, kind);
    } else if (element->class == STOA_ELEMENT_FIXED_STRING) {
        STOA_TRY(stoa_string_type(domain, element->charset == H5T_CSET_ASCII, type, err));
        goto done;
    } else if (element->class == STOA_ELEMENT_STRING && element->charset == H5T_CSET_ASCII &&
               domain->has_wide) {
        STOA_HDF(err, *type = H5Tcopy(old), "copy a datatype");
        STOA_HDF(err, H5Tset_cset(*type, H5T_CSET_UTF8), "set a character set");
        goto done;
    }
    if (kind == element->kind && !element->is_odd) {
        *type = old;
        old = H5I_INVALID_HID;
    } else {
        const hid_t wider = element->is_bitfield ? stoa_bits_type(kind) : stoa_standard_type(kind);
        STOA_HDF(err, *type = H5Tcopy(wider), "copy a datatype");
    }

done:
    return stoa_hdf_close(&old, status, err);
}

/* Copy the fill in the stored type itself: libhdf5 converts no integer to an enumeration. */
static stoa_status keep_fill(hid_t dataset, hid_t type, hid_t dcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t old = H5I_INVALID_HID;
    void *fill = stoa_alloc_zero(1, H5Tget_size(type));

    STOA_TRY(fill != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, old = stoa_dataset_properties(dataset), "get the creation properties");
    STOA_HDF(err, H5Pget_fill_value(old, type, fill), "get the fill value");
    STOA_HDF(err, H5Pset_fill_value(dcpl, type, fill), "set the fill value");

done:
    free(fill);
    return stoa_hdf_close(&old, status, err);
}

/* Keep the column's declared range if it still holds for the values and excludes the fill. A single
 * bound is no range: it is dropped if the new fill needs a range of its own. */
static stoa_status keep_range(const stoa_column *column, const stoa_domain *domain, hid_t dataset,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &column->element;
    const bool is_range = column->valid_min != NULL && column->valid_max != NULL;
    hid_t dcpl = H5I_INVALID_HID;
    uint8_t fill[8] = {0};

    if ((element->class != STOA_ELEMENT_INTEGER && element->class != STOA_ELEMENT_FLOAT) ||
        (column->valid_min == NULL && column->valid_max == NULL) ||
        !stoa_column_spans(column, domain)) {
        return STOA_OK;
    }
    /* Read in the old type: a fill outside it is clipped to one of its ends, and so counts as
     * inside a range that reaches there. */
    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    STOA_HDF(err, H5Pget_fill_value(dcpl, element->mem_type, fill), "get the fill value");
    const stoa_domain of_fill = stoa_domain_of(element->kind, fill);
    if (is_range ? !of_fill.has_nan && !stoa_column_spans(column, &of_fill)
                 : !stoa_attribute_exists(dataset, "valid_min")) {
        STOA_TRY(stoa_range_write(dataset, element, column->valid_min, column->valid_max, err));
    }

done:
    return stoa_hdf_close(&dcpl, status, err);
}

/* If numbers were widened only to make room for a fill, write their former type. The same is done
 * if that is known from the first rows on, and undone as soon as it does not hold all values. */
static stoa_status note_narrower(const stoa_column *column, const stoa_domain *domain,
                                 stoa_kind kind, hid_t dataset, stoa_error *err)
{
    const stoa_kind was = stoa_original_kind(column->narrower, column->element.kind);
    const stoa_type type = {.kind = was};
    char name[64];

    if (column->type.kind != column->element.kind) {
        return STOA_OK;
    }
    if (kind != was && stoa_domain_fits(domain, was)) {
        return stoa_attribute_write_utf8(dataset, STOA_COLUMN_ARROW_TYPE,
                                         stoa_type_name(&type, name), err);
    }
    return was != column->element.kind ? stoa_attribute_delete(dataset, STOA_COLUMN_ARROW_TYPE, err)
                                       : STOA_OK;
}

/* --- a fill value that stays ------------------------------------------------------------------ */

/* Whether a producer has chosen the fill value. Stoa's own choices are the recommended one, those
 * with a declared range, and control characters. */
static bool is_chosen(const stoa_column *column)
{
    const stoa_element *element = &column->element;
    const stoa_domain nothing = {0};
    stoa_fill usual;

    if (column->fill == NULL || column->valid_min != NULL || column->valid_max != NULL ||
        element->is_odd) {
        return false;
    }
    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
        return !element->is_truth && !element->is_bitfield &&
               stoa_fill_integer(&nothing, element->kind, &usual) &&
               memcmp(usual.value, column->fill, element->size) != 0;
    case STOA_ELEMENT_FLOAT:
        return stoa_fill_float(&nothing, element->kind, &usual) &&
               memcmp(usual.value, column->fill, element->size) != 0;
    case STOA_ELEMENT_FIXED_STRING: {
        const char *const text = (const char *)column->fill;
        const size_t length = stoa_fixed_string_length(text, element->size, element->padding);
        return length > 1 || (length == 1 && (unsigned char)*text >= ' ');
    }
    default:
        return false;
    }
}

/* Convert an element of the present type to another one, at least as wide. False if it is no value
 * of that. */
static bool carry_fill(const stoa_element *from, const void *value_of_from, const stoa_element *to,
                       uint8_t *fill)
{
    const char *const text = value_of_from;

    if (from->class != to->class) {
        return false;
    }
    if (to->class == STOA_ELEMENT_FIXED_STRING) {
        const size_t length = stoa_fixed_string_length(text, from->size, from->padding);
        memset(fill, to->padding == H5T_STR_SPACEPAD ? ' ' : 0, to->size);
        memcpy(fill, text, length < to->size ? length : to->size);
        return length <= to->size;
    }
    const stoa_domain value = stoa_domain_of(from->kind, value_of_from);
    if (to->class == STOA_ELEMENT_FLOAT) {
        stoa_float_put(fill, to->kind, value.has_number ? value.low_f : (double)NAN);
    } else {
        stoa_integer_put(fill, to->size, value.has_negative ? value.low : (int64_t)value.high);
    }
    return stoa_domain_fits(&value, to->kind);
}

/* The fill value to keep; NULL if the domain shall decide. No row equals the present one, but any
 * other that the domain does not know of may be a value. */
static const void *kept_fill(const stoa_column *column, const stoa_domain *domain,
                             const stoa_rewriting *how, const void *fill)
{
    const bool is_code = stoa_column_is_categorical(column);

    if (fill != NULL || how->fill_is_taken ||
        (is_code && !stoa_column_holds_codes(column, how->n_labels))) {
        return fill;
    }
    return is_chosen(column) || (!is_code && !stoa_fill_is_known(&column->element, domain))
               ? column->fill
               : NULL;
}

/* Bring a fill value that is kept into the new type. `room` has the size of an element. */
static stoa_fill_wish wish_of(const stoa_column *column, const void *fill, const stoa_element *to,
                              uint8_t *room)
{
    const stoa_element *from = &column->element;
    const bool is_alike = from->class != STOA_ELEMENT_INTEGER &&
                          from->class != STOA_ELEMENT_FLOAT &&
                          from->class != STOA_ELEMENT_FIXED_STRING;
    stoa_fill_wish wish = {.is_bool = column->type.kind == STOA_KIND_BOOL};

    if (fill != NULL && !wish.is_bool) {
        wish.fill = is_alike ? fill : carry_fill(from, fill, to, room) ? room : NULL;
    }
    return wish;
}

stoa_status stoa_column_rewrite_dataset(const stoa_column *column, const stoa_domain *domain,
                                        const stoa_rewriting *how, const void *fill, hid_t *dataset,
                                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_labels = how->n_labels;
    const stoa_storage *const storage = how->storage;
    uint8_t *room = NULL;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_domain codes = {.n_values = n_labels, .has_positive = n_labels > 0};
    /* These follow the fill. */
    static const char *const range[] = {"valid_min", "valid_max", STOA_CF_FILL, NULL};
    /* Some value is missing, or was once. */
    const bool had_missing = stoa_attribute_exists(column->dataset, STOA_CF_FILL) &&
                             !stoa_cf_has_fill(&column->element, column->type.kind, false);

    *dataset = H5I_INVALID_HID;
    codes.high = n_labels > 0 ? n_labels - 1 : 0;
    STOA_TRY(stoa_values_may_be_written(column->dataset, err));
    fill = kept_fill(column, domain, how, fill);
    STOA_TRY(widen(column, domain, n_labels, fill != NULL, &type, err));
    STOA_TRY(stoa_element_of(type, &element, err));
    room = stoa_alloc_zero(1, element.size);
    STOA_TRY(room != NULL ? STOA_OK : stoa_fail_memory(err));
    const stoa_fill_wish wish = wish_of(column, fill, &element, room);
    if (storage != NULL) {
        STOA_TRY(stoa_storage_plist(storage, &dcpl, err));
    } else if (column->chunk_rows == 0) {
        /* A dataset that cannot grow is replaced by one that can. */
        STOA_TRY(stoa_storage_plist(&(stoa_storage){.chunk_rows = STOA_CHUNK_ROWS}, &dcpl, err));
    } else {
        STOA_HDF(err, dcpl = stoa_dataset_properties(column->dataset),
                 "get the creation properties");
        /* Set it again, because the layout holds the old element size, which HDF5 2 compares. */
        STOA_HDF(err, H5Pset_chunk(dcpl, 1, &(hsize_t){column->chunk_rows}),
                 "set the chunk length");
    }
    if (element.class == STOA_ELEMENT_ENUM && (column->fill != NULL || !column->element.is_truth)) {
        STOA_TRY(keep_fill(column->dataset, type, dcpl, err));
    }
    STOA_TRY(stoa_dataset_create(column->dataset, type, &element,
                                 stoa_column_is_categorical(column) ? &codes : domain, &wish,
                                 how->extent, dcpl, dataset, err));
    STOA_TRY(stoa_attributes_copy(column->dataset, *dataset, range, err));
    STOA_TRY(keep_range(column, domain, *dataset, err));
    STOA_TRY(note_narrower(column, domain, element.kind, *dataset, err));
    STOA_TRY(stoa_cf_write(*dataset, &element, column->type.kind,
                           had_missing || domain->has_missing, err));

done:
    free(room);
    stoa_element_clear(&element);
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&type, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(dataset, status, NULL);
    }
    return status;
}
