/* Edit the filters of sections through ordinary creation property lists, so that libhdf5 itself
 * validates them and knows their names. */
#include "sparse/rfc/rfc.h"

#include "sparse/format/filter_list.h"

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
    STOA_TRY(stoa_sparse_filters_to_list(*list, &format->sections[section], err));

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(list, STOA_OK, NULL);
    }
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
    STOA_TRY(stoa_sparse_filters_of_list(list, &filters, err));
    format->sections[section] = filters;
    format->has_heap = format->has_heap || (section == STOA_SECTION_HEAP && filters.n > 0);

done:
    return stoa_hdf_close(&list, status, err);
}

stoa_status stoa_rfc_edit_sections(stoa_sparse_format *format, uint64_t section, stoa_rfc_edit edit,
                                   const void *what, stoa_error *err)
{
    const uint64_t first = section == H5_SECTION_NUM ? 0 : section;
    /* Whether there is a section 2 is unknown until a dataset is created (RFC §2.3.3). */
    const uint64_t n = format->is_bound ? stoa_sparse_n_sections(format) : STOA_MAX_SECTIONS;
    const uint64_t end = section == H5_SECTION_NUM ? n : section + 1;
    stoa_error missing = STOA_ERROR_INIT;
    bool is_found = false;

    for (uint64_t i = first; i < end; i++) {
        stoa_error why = STOA_ERROR_INIT;
        const stoa_status edited = edit_section(format, i, edit, what, &why);
        is_found = is_found || edited == STOA_OK;
        if (edited == STOA_ENOTFOUND) {
            missing = why;
        } else if (edited != STOA_OK) {
            return stoa_fail(err, edited, "%s", why.message);
        }
    }
    if (!is_found) {
        return stoa_fail(err, STOA_ENOTFOUND, "%s", missing.message);
    }
    return STOA_OK;
}
