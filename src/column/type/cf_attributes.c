#include "column/type/cf_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"

/* Arrow's, and that of HEP001's times. CF's default changes to the Julian calendar before 1582. */
static const char calendar[] = "proleptic_gregorian";

bool stoa_cf_has_fill(const stoa_element *element, stoa_kind kind, bool has_missing)
{
    if (element->class == STOA_ELEMENT_FLOAT) {
        return true;
    }
    return element->class == STOA_ELEMENT_INTEGER && !element->is_bitfield && !element->is_truth &&
           (element->size < sizeof(int64_t) || kind == STOA_KIND_DATE ||
            kind == STOA_KIND_TIMESTAMP || kind == STOA_KIND_DICTIONARY || has_missing);
}

stoa_status stoa_cf_write_fill(hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;
    void *fill = NULL;

    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    fill = stoa_alloc_zero(1, H5Tget_size(type));
    STOA_TRY(fill != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, H5Pget_fill_value(dcpl, type, fill), "get the fill value");
    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){1}, NULL), "make a dataspace");
    STOA_TRY(stoa_attribute_delete(dataset, STOA_CF_FILL, err));
    STOA_TRY(stoa_attribute_make(dataset, STOA_CF_FILL, type, space, &attribute, err));
    STOA_HDF(err, H5Awrite(attribute, type, fill), "write attribute '" STOA_CF_FILL "'");

done:
    free(fill);
    status = stoa_hdf_close(&attribute, status, err);
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_cf_write(hid_t dataset, const stoa_element *element, stoa_kind kind,
                          bool has_missing, stoa_error *err)
{
    const bool is_time = kind == STOA_KIND_DATE || kind == STOA_KIND_TIMESTAMP;

    if (stoa_cf_has_fill(element, kind, has_missing)) {
        STOA_RETURN_NOT_OK(stoa_cf_write_fill(dataset, err));
    }
    if (is_time && !stoa_attribute_exists(dataset, STOA_CF_CALENDAR)) {
        return stoa_attribute_write_ascii(dataset, STOA_CF_CALENDAR, calendar, err);
    }
    if (!is_time && stoa_attribute_is(dataset, STOA_CF_CALENDAR, calendar)) {
        return stoa_attribute_delete(dataset, STOA_CF_CALENDAR, err);
    }
    return STOA_OK;
}

/* --- flags ------------------------------------------------------------------------------------ */

enum { MAX_FLAGS = 256, MAX_FLAG_BYTES = 32 << 10 };

/* Whether a label is a word. CF separates words by blanks, and control characters would not show.
 */
static bool is_word(const char *label, size_t length)
{
    bool is = length > 0;

    for (size_t i = 0; i < length; i++) {
        is = is && (unsigned char)label[i] > ' ' && label[i] != 0x7f;
    }
    return is;
}

/* Join the labels by blanks; *words is NULL if they are no flags. */
static stoa_status join_words(const stoa_string_set *labels, char **words, stoa_error *err)
{
    size_t n_bytes = 0;

    *words = NULL;
    if (labels == NULL || labels->count == 0 || labels->count > MAX_FLAGS) {
        return STOA_OK;
    }
    for (uint32_t i = 0; i < labels->count; i++) {
        size_t length = 0;
        const char *label = stoa_string_set_get(labels, i, &length);
        n_bytes += length + 1;
        if (!is_word(label, length) || n_bytes > MAX_FLAG_BYTES) {
            return STOA_OK;
        }
    }
    char *const joined = stoa_alloc(n_bytes, 1);
    STOA_RETURN_NO_MEMORY(err, joined);
    for (size_t at = 0, i = 0; i < labels->count; i++) {
        size_t length = 0;
        const char *label = stoa_string_set_get(labels, (uint32_t)i, &length);
        memcpy(joined + at, label, length);
        at += length + 1;
        joined[at - 1] = at < n_bytes ? ' ' : '\0';
    }
    *words = joined;
    return STOA_OK;
}

/* Write the codes from 0 on, in the type of the dataset. */
static stoa_status write_values(hid_t dataset, uint32_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    int16_t codes[MAX_FLAGS];
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;

    for (uint32_t i = 0; i < n; i++) {
        codes[i] = (int16_t)i;
    }
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){n}, NULL), "make a dataspace");
    STOA_TRY(stoa_attribute_make(dataset, STOA_CF_FLAG_VALUES, type, space, &attribute, err));
    STOA_HDF(err, H5Awrite(attribute, H5T_NATIVE_INT16, codes),
             "write attribute '" STOA_CF_FLAG_VALUES "'");

done:
    status = stoa_hdf_close(&attribute, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_cf_write_flags(hid_t dataset, const stoa_string_set *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *words = NULL;

    STOA_TRY(stoa_attribute_delete(dataset, STOA_CF_FLAG_VALUES, err));
    STOA_TRY(stoa_attribute_delete(dataset, STOA_CF_FLAG_MEANINGS, err));
    STOA_TRY(join_words(labels, &words, err));
    if (words != NULL) {
        STOA_TRY(write_values(dataset, labels->count, err));
        STOA_TRY(stoa_attribute_write_utf8(dataset, STOA_CF_FLAG_MEANINGS, words, err));
    }

done:
    free(words);
    return status;
}
