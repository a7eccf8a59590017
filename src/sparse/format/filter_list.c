#include "sparse/format/filter_list.h"

#include <string.h>

#include "hdf/ids.h"

/* Append one filter of an ordinary list to a section's filters. */
static stoa_status append_filter(hid_t list, unsigned i, stoa_section_filters *filters,
                                 H5Z_filter_t *id, stoa_error *err)
{
    unsigned flags = 0;
    unsigned values[STOA_MAX_FILTER_VALUES];
    size_t n = STOA_MAX_FILTER_VALUES;

    STOA_RETURN_HDF_ERROR(err, *id = H5Pget_filter2(list, i, &flags, &n, values, 0, NULL, NULL),
                          "look at a filter");
    if (*id == STOA_SPARSE_FILTER) {
        return STOA_OK;
    }
    if (n > STOA_MAX_FILTER_VALUES || filters->n == STOA_MAX_FILTERS) {
        return stoa_fail(
            err, STOA_ERANGE,
            "a section of a structured chunk has at most %d filters with at most %d values",
            STOA_MAX_FILTERS, STOA_MAX_FILTER_VALUES);
    }
    if (*id > UINT16_MAX) {
        return stoa_fail(err, STOA_EINVAL, "%d is no number of a filter", (int)*id);
    }
    stoa_filter *filter = &filters->filters[filters->n];
    *filter = (stoa_filter){.id = (uint32_t)*id, .n_values = (uint32_t)n};
    memcpy(filter->values, values, n * sizeof *values);
    if ((flags & H5Z_FLAG_OPTIONAL) != 0) {
        filters->optional |= UINT32_C(1) << filters->n;
    }
    filters->n++;
    return STOA_OK;
}

stoa_status stoa_sparse_filters_of_list(hid_t list, stoa_section_filters *filters, stoa_error *err)
{
    H5Z_filter_t id = 0;
    int n = 0;

    STOA_RETURN_HDF_ERROR(err, n = H5Pget_nfilters(list), "count filters");
    for (int i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(append_filter(list, (unsigned)i, filters, &id, err));
    }
    return STOA_OK;
}

stoa_status stoa_sparse_filters_to_list(hid_t list, const stoa_section_filters *filters,
                                        stoa_error *err)
{
    for (size_t i = 0; i < filters->n; i++) {
        const stoa_filter *filter = &filters->filters[i];
        const unsigned flags = (filters->optional >> i & 1) != 0 ? H5Z_FLAG_OPTIONAL : 0;
        STOA_RETURN_HDF_ERROR(
            err,
            H5Pset_filter(list, (H5Z_filter_t)filter->id, flags, filter->n_values, filter->values),
            "set filter %u", filter->id);
    }
    return STOA_OK;
}

stoa_status stoa_sparse_fold(hid_t dcpl, stoa_sparse_format *format, unsigned n_sections,
                             stoa_error *err)
{
    stoa_section_filters found = {.n = 0};

    STOA_RETURN_NOT_OK(stoa_sparse_filters_of_list(dcpl, &found, err));
    for (size_t i = 0; i < found.n; i++) {
        STOA_RETURN_HDF_ERROR(err, H5Premove_filter(dcpl, (H5Z_filter_t)found.filters[i].id),
                              "remove filter %u", found.filters[i].id);
        for (unsigned k = 0; k < n_sections; k++) {
            stoa_section_filters *section = &format->sections[k];
            if (section->n == STOA_MAX_FILTERS) {
                return stoa_fail(err, STOA_ERANGE, "a section has at most %d filters",
                                 STOA_MAX_FILTERS);
            }
            section->optional |= (found.optional >> i & 1) << section->n;
            section->filters[section->n++] = found.filters[i];
        }
    }
    return STOA_OK;
}
