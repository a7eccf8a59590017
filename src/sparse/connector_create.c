/* Creation lists of sparse datasets under the connector (sparse fact sheet §2.5, §6). */
#include "hdf/ids.h"
#include "sparse/connector_dataset.h"
#include "sparse/filter.h"

/* Filter `i` of a list as one of a section's. */
static stoa_status look_at(hid_t dcpl, unsigned i, stoa_filter *filter, unsigned *flags,
                           stoa_error *err)
{
    unsigned values[STOA_SPARSE_MAX_WORDS];
    size_t n = STOA_SPARSE_MAX_WORDS;
    H5Z_filter_t id = 0;
    stoa_status status = STOA_OK;

    *filter = (stoa_filter){.id = 0};
    STOA_HDF(err, id = H5Pget_filter2(dcpl, i, flags, &n, values, 0, NULL, NULL),
             "look at a filter");
    filter->id = (uint32_t)id;
    if (id == STOA_SPARSE_FILTER) {
        goto done;
    }
    if (n > sizeof filter->values / sizeof *filter->values) {
        STOA_FAIL(err, STOA_ERANGE, "filter %d has more parameters than sections have room for",
                  id);
    }
    filter->n_values = (uint32_t)n;
    for (size_t k = 0; k < n; k++) {
        filter->values[k] = values[k];
    }

done:
    return status;
}

static stoa_status add_to_sections(stoa_sparse_format *format, const stoa_filter *filter,
                                   bool is_optional, stoa_error *err)
{
    for (unsigned s = 0; s < stoa_sparse_n_sections(format); s++) {
        stoa_section_filters *section = &format->sections[s];
        if (section->n == STOA_MAX_FILTERS) {
            return stoa_fail(err, STOA_ERANGE, "more than %d filters in a section",
                             STOA_MAX_FILTERS);
        }
        section->optional |= (uint32_t)is_optional << section->n;
        section->filters[section->n++] = *filter;
    }
    return STOA_OK;
}

/* The other filters of a list become those of each section (sparse RFC §2.3.3). */
static stoa_status fold(hid_t dcpl, stoa_sparse_format *format, stoa_error *err)
{
    int n = 0;
    stoa_status status = STOA_OK;

    STOA_HDF(err, n = H5Pget_nfilters(dcpl), "count filters");
    for (int i = 0; i < n; i++) {
        stoa_filter filter;
        unsigned flags = 0;
        STOA_TRY(look_at(dcpl, (unsigned)i, &filter, &flags, err));
        if (filter.id != STOA_SPARSE_FILTER) {
            STOA_TRY(add_to_sections(format, &filter, (flags & H5Z_FLAG_OPTIONAL) != 0, err));
        }
    }
    STOA_HDF(err, H5Premove_filter(dcpl, H5Z_FILTER_ALL), "take the filters out");

done:
    return status;
}

stoa_status stoa_linked_dataset_list(hid_t dcpl, hid_t type, hid_t *made, stoa_error *err)
{
    unsigned options = 0;
    stoa_sparse_format format;
    stoa_status status = STOA_OK;

    *made = H5I_INVALID_HID;
    if (H5Pget_layout(dcpl) != H5D_CHUNKED ||
        stoa_sparse_format_of_list(dcpl, &format, NULL) == STOA_ENOTFOUND) {
        return STOA_OK;
    }
    STOA_HDF(err, H5Pget_chunk_opts(dcpl, &options), "look up how chunks are stored");
    if ((options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0) {
        STOA_FAIL(err, STOA_EINVAL,
                  "structured chunks pass their filter at the edges, too; leave "
                  "H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS out");
    }
    STOA_TRY(stoa_sparse_format_of_list(dcpl, &format, err));
    STOA_HDF(err, *made = H5Pcopy(dcpl), "copy a creation list");
    STOA_TRY(fold(*made, &format, err));
    STOA_TRY(stoa_sparse_format_bind(&format, *made, type, err));
    STOA_TRY(stoa_sparse_format_to_list(*made, &format, err));

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(made, STOA_OK, NULL);
    }
    return status;
}
