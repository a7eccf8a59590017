/* Filters of sections, edited as those of ordinary lists: so that libhdf5 itself judges them, and
 * knows their names. */
#include "sparse/rfc.h"

#include <string.h>

herr_t stoa_rfc_result(stoa_status status, const stoa_error *err)
{
    H5E_auto2_t print = NULL;
    void *context = NULL;

    if (status == STOA_OK) {
        return 0;
    }
    (void)H5Eclear2(H5E_DEFAULT);
    (void)H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_DATASET,
                   H5E_CANTOPERATE, "%s%s%s", err->where, err->where[0] != 0 ? ": " : "",
                   err->message);
    if (H5Eget_auto2(H5E_DEFAULT, &print, &context) >= 0 && print != NULL) {
        (void)print(H5E_DEFAULT, context);
    }
    return -1;
}

stoa_status stoa_rfc_section_list(const stoa_sparse_format *format, uint64_t section, hid_t *list,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;

    *list = H5I_INVALID_HID;
    if (section >= STOA_MAX_SECTIONS) {
        STOA_FAIL(err, STOA_EINVAL, "a structured chunk has no section %llu",
                  (unsigned long long)section);
    }
    STOA_HDF(err, *list = H5Pcreate(H5P_DATASET_CREATE), "make a creation list");
    const stoa_section_filters *filters = &format->sections[section];
    for (size_t i = 0; i < filters->n; i++) {
        const stoa_filter *filter = &filters->filters[i];
        const unsigned flags = (filters->optional >> i & 1) != 0 ? H5Z_FLAG_OPTIONAL : 0;
        STOA_HDF(
            err,
            H5Pset_filter(*list, (H5Z_filter_t)filter->id, flags, filter->n_values, filter->values),
            "set filter %u", filter->id);
    }

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(list, STOA_OK, NULL);
    }
    return status;
}

/* One filter of an ordinary list, added to a section's. */
static stoa_status take_filter(hid_t list, unsigned i, stoa_section_filters *filters,
                               H5Z_filter_t *id, stoa_error *err)
{
    unsigned flags = 0;
    unsigned values[STOA_MAX_FILTER_VALUES];
    size_t n = STOA_MAX_FILTER_VALUES;
    stoa_status status = STOA_OK;

    STOA_HDF(err, *id = H5Pget_filter2(list, i, &flags, &n, values, 0, NULL, NULL),
             "look at a filter");
    if (*id == STOA_SPARSE_FILTER) {
        goto done;
    }
    if (n > STOA_MAX_FILTER_VALUES || filters->n == STOA_MAX_FILTERS) {
        STOA_FAIL(err, STOA_ERANGE,
                  "a section of a structured chunk has at most %d filters with at most %d values",
                  STOA_MAX_FILTERS, STOA_MAX_FILTER_VALUES);
    }
    if (*id > UINT16_MAX) {
        STOA_FAIL(err, STOA_EINVAL, "%d is no number of a filter", (int)*id);
    }
    stoa_filter *filter = &filters->filters[filters->n];
    *filter = (stoa_filter){.id = (uint32_t)*id, .n_values = (uint32_t)n};
    memcpy(filter->values, values, n * sizeof *values);
    if ((flags & H5Z_FLAG_OPTIONAL) != 0) {
        filters->optional |= UINT32_C(1) << filters->n;
    }
    filters->n++;

done:
    return status;
}

static stoa_status take_filters(hid_t list, stoa_section_filters *filters, stoa_error *err)
{
    H5Z_filter_t id = 0;
    int n = 0;
    stoa_status status = STOA_OK;

    STOA_HDF(err, n = H5Pget_nfilters(list), "count filters");
    for (int i = 0; i < n; i++) {
        STOA_TRY(take_filter(list, (unsigned)i, filters, &id, err));
    }

done:
    return status;
}

static stoa_status edit_section(stoa_sparse_format *format, uint64_t section, stoa_rfc_edit edit,
                                const void *what, stoa_error *err)
{
    stoa_section_filters filters = {.n = 0};
    hid_t list = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_rfc_section_list(format, section, &list, err));
    STOA_TRY(edit(list, what, err));
    STOA_TRY(take_filters(list, &filters, err));
    format->sections[section] = filters;
    format->has_heap = format->has_heap || (section == STOA_SECTION_HEAP && filters.n > 0);

done:
    return stoa_hdf_close(&list, status, err);
}

stoa_status stoa_rfc_edit_sections(stoa_sparse_format *format, uint64_t section, stoa_rfc_edit edit,
                                   const void *what, stoa_error *err)
{
    const uint64_t first = section == H5_SECTION_NUM ? 0 : section;
    const uint64_t end = section == H5_SECTION_NUM ? stoa_sparse_n_sections(format) : section + 1;
    stoa_error missing = STOA_ERROR_INIT;
    bool is_found = false;
    stoa_status status = STOA_OK;

    for (uint64_t i = first; i < end; i++) {
        stoa_error why = STOA_ERROR_INIT;
        const stoa_status edited = edit_section(format, i, edit, what, &why);
        is_found = is_found || edited == STOA_OK;
        if (edited == STOA_ENOTFOUND) {
            missing = why;
        } else if (edited != STOA_OK) {
            STOA_FAIL(err, edited, "%s", why.message);
        }
    }
    if (!is_found) {
        STOA_FAIL(err, STOA_ENOTFOUND, "%s", missing.message);
    }

done:
    return status;
}

stoa_status stoa_rfc_fold(hid_t dcpl, stoa_sparse_format *format, stoa_error *err)
{
    stoa_section_filters found = {.n = 0};
    stoa_status status = STOA_OK;

    STOA_TRY(take_filters(dcpl, &found, err));
    for (size_t i = 0; i < found.n; i++) {
        STOA_HDF(err, H5Premove_filter(dcpl, (H5Z_filter_t)found.filters[i].id), "remove filter %u",
                 found.filters[i].id);
        for (unsigned k = 0; k < stoa_sparse_n_sections(format); k++) {
            stoa_section_filters *section = &format->sections[k];
            if (section->n == STOA_MAX_FILTERS) {
                STOA_FAIL(err, STOA_ERANGE, "a section has at most %d filters", STOA_MAX_FILTERS);
            }
            section->optional |= (found.optional >> i & 1) << section->n;
            section->filters[section->n++] = found.filters[i];
        }
    }

done:
    return status;
}

static bool are_equal(const stoa_filter *one, const stoa_filter *other)
{
    return one->id == other->id && one->n_values == other->n_values &&
           memcmp(one->values, other->values, one->n_values * sizeof *one->values) == 0;
}

void stoa_rfc_add_heap(stoa_sparse_format *format)
{
    const stoa_section_filters *const positions = &format->sections[STOA_SECTION_POSITIONS];
    const stoa_section_filters *const values = &format->sections[STOA_SECTION_VALUES];
    stoa_section_filters *const heap = &format->sections[STOA_SECTION_HEAP];

    if (format->has_heap) {
        return;
    }
    format->has_heap = true;
    *heap = (stoa_section_filters){.n = 0};
    for (size_t i = 0; i < positions->n; i++) {
        for (size_t j = 0; j < values->n; j++) {
            if (are_equal(&positions->filters[i], &values->filters[j])) {
                heap->optional |= (positions->optional >> i & 1) << heap->n;
                heap->filters[heap->n++] = positions->filters[i];
                break;
            }
        }
    }
}
