/* Filters of sections (RFC §2.3). */
#include "sparse/rfc/rfc.h"

#include <limits.h>
#include <string.h>

/* --- kinds of property lists ----------------------------------------------------------------- */

/*
 * Determine how a list stores a filter of a section. A list that is neither structured nor chunked
 * may become structured, because H5Pset_filter2() may precede H5Pset_struct_chunk(). A chunked
 * list, or a group's, has one section (RFC §2.3).
 */
static stoa_status is_plain(hid_t plist, uint64_t section, stoa_sparse_format *format,
                            bool *is_plain_list, stoa_error *err)
{
    stoa_status status = stoa_sparse_format_of_list(plist, format, NULL);

    *is_plain_list = false;
    if (status == STOA_OK) {
        return STOA_OK;
    }
    if (status != STOA_ENOTFOUND) {
        return stoa_sparse_format_of_list(plist, format, err);
    }
    *format = (stoa_sparse_format){.is_sparse = true};
    status = STOA_OK;
    const bool is_of_datasets = H5Pisa_class(plist, H5P_DATASET_CREATE) > 0;
    if (section == 0 && (!is_of_datasets || H5Pget_layout(plist) == H5D_CHUNKED)) {
        *is_plain_list = true;
    } else if (!is_of_datasets) {
        return stoa_fail(err, STOA_EINVAL,
                         "no creation list of datasets, and of one section therefore");
    }
    return status;
}

static herr_t edit_list(hid_t plist, uint64_t section, stoa_rfc_edit edit, const void *what)
{
    stoa_sparse_format format;
    stoa_error err = STOA_ERROR_INIT;
    bool plain = false;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_filter_register(&err));
    STOA_TRY(is_plain(plist, section, &format, &plain, &err));
    if (plain) {
        STOA_TRY(edit(plist, what, &err));
    } else {
        STOA_TRY(stoa_rfc_edit_sections(&format, section, edit, what, &err));
        STOA_TRY(stoa_sparse_format_to_list(plist, &format, &err));
    }

done:
    return stoa_rfc_result(status, &err);
}

/* --- edits ----------------------------------------------------------------------------------- */

typedef struct new_filter {
    H5Z_filter_t id;
    unsigned flags;
    size_t n;
    unsigned values[STOA_MAX_FILTER_VALUES];
} new_filter;

static stoa_status add(hid_t list, const void *what, stoa_error *err)
{
    const new_filter *filter = what;

    STOA_RETURN_HDF_ERROR(err,
                          H5Pset_filter(list, filter->id, filter->flags, filter->n, filter->values),
                          "set filter %d", (int)filter->id);
    return STOA_OK;
}

/* STOA_ENOTFOUND if the list does not have the filter. H5Pmodify_filter() would crash. */
static stoa_status must_have(hid_t list, H5Z_filter_t id, stoa_error *err)
{
    unsigned flags = 0;
    size_t n = 0;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const herr_t found = H5Pget_filter_by_id2(list, id, &flags, &n, NULL, 0, NULL, NULL);

    stoa_error_stack_discard(&errors);
    return found < 0 ? stoa_fail(err, STOA_ENOTFOUND, "filter %d is not there", (int)id) : STOA_OK;
}

static stoa_status modify(hid_t list, const void *what, stoa_error *err)
{
    const new_filter *filter = what;

    STOA_RETURN_NOT_OK(must_have(list, filter->id, err));
    STOA_RETURN_HDF_ERROR(
        err, H5Pmodify_filter(list, filter->id, filter->flags, filter->n, filter->values),
        "change filter %d", (int)filter->id);
    return STOA_OK;
}

static stoa_status remove_filter(hid_t list, const void *what, stoa_error *err)
{
    const H5Z_filter_t id = *(const H5Z_filter_t *)what;

    if (id != H5Z_FILTER_ALL) {
        STOA_RETURN_NOT_OK(must_have(list, id, err));
    }
    STOA_RETURN_HDF_ERROR(err, H5Premove_filter(list, id), "remove filter %d", (int)id);
    return STOA_OK;
}

/* --- filter parameters ----------------------------------------------------------------------- */

/* The number of values that HDF5's own filters take from the user; -1 if unknown. */
static int n_known(H5Z_filter_t id)
{
    switch (id) {
    case H5Z_FILTER_SHUFFLE:
    case H5Z_FILTER_FLETCHER32:
    case H5Z_FILTER_NBIT:
        return 0;
    case H5Z_FILTER_DEFLATE:
        return 1;
    case H5Z_FILTER_SZIP:
    case H5Z_FILTER_SCALEOFFSET:
        return 2;
    default:
        return -1;
    }
}

/* The RFC's revisions count in bytes or in values, and their examples do the opposite. For a known
 * filter, the count that fits it is used. Otherwise the type of the buffer decides. */
static stoa_status count_values(H5Z_filter_t id, size_t n, int is_words, size_t *n_values,
                                stoa_error *err)
{
    const int known = n_known(id);
    const size_t word = sizeof(unsigned);
    const bool are_words = known >= 0 && (n == (size_t)known || n == word * (size_t)known)
                               ? n == (size_t)known
                               : is_words != 0;

    if (!are_words && n % word != 0) {
        return stoa_fail(err, STOA_EINVAL, "%zu bytes are not a whole number of values", n);
    }
    *n_values = are_words ? n : n / word;
    return *n_values > STOA_MAX_FILTER_VALUES
               ? stoa_fail(err, STOA_ERANGE, "a filter of a section has at most %d values",
                           STOA_MAX_FILTER_VALUES)
               : STOA_OK;
}

static stoa_status describe(new_filter *filter, H5Z_filter_t id, uint64_t flags, size_t n,
                            const void *values, int is_words, stoa_error *err)
{
    *filter = (new_filter){.id = id, .flags = (unsigned)flags};
    if (flags > UINT_MAX) {
        return stoa_fail(err, STOA_EINVAL, "%llx are no flags of a filter",
                         (unsigned long long)flags);
    }
    STOA_RETURN_NOT_OK(count_values(id, n, is_words, &filter->n, err));
    if (filter->n > 0 && values == NULL) {
        return stoa_fail(err, STOA_EINVAL, "%zu values of a filter, but none given", filter->n);
    }
    if (filter->n > 0) {
        memcpy(filter->values, values, filter->n * sizeof *filter->values);
    }
    return STOA_OK;
}

/* --- by section ------------------------------------------------------------------------------ */

static herr_t edit_by_filter(hid_t plist, uint64_t section, stoa_rfc_edit edit, H5Z_filter_t filter,
                             uint64_t flags, size_t n, const void *values, int is_words)
{
    new_filter what;
    stoa_error err = STOA_ERROR_INIT;
    const stoa_status status = describe(&what, filter, flags, n, values, is_words, &err);

    return status == STOA_OK ? edit_list(plist, section, edit, &what)
                             : stoa_rfc_result(status, &err);
}

herr_t stoa_h5p_set_section_filter(hid_t plist, uint64_t section, H5Z_filter_t filter,
                                   uint64_t flags, size_t n, const void *values, int is_words)
{
    return edit_by_filter(plist, section, add, filter, flags, n, values, is_words);
}

herr_t stoa_h5p_modify_section_filter(hid_t plist, uint64_t section, H5Z_filter_t filter,
                                      uint64_t flags, size_t n, const void *values, int is_words)
{
    return edit_by_filter(plist, section, modify, filter, flags, n, values, is_words);
}

herr_t stoa_h5p_remove_section_filter(hid_t plist, uint64_t section, H5Z_filter_t filter)
{
    return edit_list(plist, section, remove_filter, &filter);
}

/* The filters of a section as an ordinary creation property list. The caller closes it. */
static stoa_status list_of(hid_t plist, uint64_t section, hid_t *list, stoa_error *err)
{
    stoa_sparse_format format;
    bool plain = false;

    STOA_RETURN_NOT_OK(is_plain(plist, section, &format, &plain, err));
    if (plain) {
        STOA_RETURN_HDF_ERROR(err, *list = H5Pcopy(plist), "copy a creation list");
    } else {
        STOA_RETURN_NOT_OK(stoa_rfc_section_list(&format, section, list, err));
    }
    return STOA_OK;
}

int stoa_h5p_count_section_filters(hid_t plist, uint64_t section)
{
    stoa_error err = STOA_ERROR_INIT;
    hid_t list = H5I_INVALID_HID;
    int n = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(list_of(plist, section, &list, &err));
    STOA_HDF(&err, n = H5Pget_nfilters(list), "count filters");

done:
    status = stoa_hdf_close(&list, status, &err);
    return status == STOA_OK ? n : stoa_rfc_result(status, &err);
}

herr_t stoa_h5p_get_section_nfilters(hid_t plist, uint64_t section, int *n)
{
    const int found = stoa_h5p_count_section_filters(plist, section);

    if (found >= 0 && n != NULL) {
        *n = found;
    }
    return found < 0 ? -1 : 0;
}

/* Destination of a filter's properties. */
typedef struct wanted {
    void *flags;
    bool is_unsigned; /* `flags` is unsigned */
    size_t *n;
    void *values;
    bool is_words; /* `n` counts values instead of bytes */
    size_t n_name;
    char *name;
    unsigned *config;
} wanted;

/* @param idx  of the filter in the list; -1 to search by id */
static H5Z_filter_t tell(hid_t plist, uint64_t section, int idx, H5Z_filter_t id, const wanted *to)
{
    const size_t unit = to->is_words ? 1 : sizeof(unsigned);
    size_t n = to->n != NULL ? *to->n / unit : 0;
    unsigned flags = 0;
    stoa_error err = STOA_ERROR_INIT;
    hid_t list = H5I_INVALID_HID;
    unsigned *const values = to->n != NULL && n > 0 ? to->values : NULL;
    stoa_status status = STOA_OK;

    if (values == NULL) {
        n = 0; /* otherwise an uninitialised count may be too large for libhdf5 */
    }
    STOA_TRY(list_of(plist, section, &list, &err));
    if (idx >= 0) {
        STOA_HDF(&err,
                 id = H5Pget_filter2(list, (unsigned)idx, &flags, &n, values, to->n_name, to->name,
                                     to->config),
                 "look at filter %d of section %d", idx, (int)section);
    } else {
        STOA_TRY(must_have(list, id, &err));
        STOA_HDF(
            &err,
            H5Pget_filter_by_id2(list, id, &flags, &n, values, to->n_name, to->name, to->config),
            "look at filter %d of section %d", (int)id, (int)section);
    }
    if (to->n != NULL) {
        *to->n = n * unit;
    }
    if (to->flags != NULL && to->is_unsigned) {
        *(unsigned *)to->flags = flags;
    } else if (to->flags != NULL) {
        *(uint64_t *)to->flags = flags;
    }

done:
    status = stoa_hdf_close(&list, status, &err);
    return status == STOA_OK ? id : (H5Z_filter_t)stoa_rfc_result(status, &err);
}

static wanted want(void *flags, int is_unsigned, size_t *n, void *values, int is_words,
                   size_t n_name, char *name, unsigned *config)
{
    return (wanted){.flags = flags,
                    .is_unsigned = is_unsigned != 0,
                    .n = n,
                    .values = values,
                    .is_words = is_words != 0 || (values == NULL && is_unsigned != 0),
                    .n_name = n_name,
                    .name = name,
                    .config = config};
}

H5Z_filter_t stoa_h5p_get_section_filter(hid_t plist, uint64_t section, unsigned idx, void *flags,
                                         int is_unsigned, size_t *n, void *values, int is_words,
                                         size_t n_name, char *name, unsigned *config)
{
    const wanted to = want(flags, is_unsigned, n, values, is_words, n_name, name, config);

    return tell(plist, section, idx > INT_MAX ? INT_MAX : (int)idx, 0, &to);
}

H5Z_filter_t stoa_h5p_get_section_filter_by_id(hid_t plist, uint64_t section, H5Z_filter_t filter,
                                               void *flags, int is_unsigned, size_t *n,
                                               void *values, int is_words, size_t n_name,
                                               char *name, unsigned *config)
{
    const wanted to = want(flags, is_unsigned, n, values, is_words, n_name, name, config);

    return tell(plist, section, -1, filter, &to);
}

/* --- HDF5's filter calls, applied to every section (RFC §2.3.3) ------------------------------ */

/* HDF5's call for a filter. */
typedef struct own_call {
    H5Z_filter_t id;
    unsigned one; /* level or options */
    H5Z_SO_scale_type_t scale;
    int other; /* factor or pixels per block */
} own_call;

static herr_t call_own(hid_t list, const own_call *call)
{
    switch (call->id) {
    case H5Z_FILTER_DEFLATE:
        return H5Pset_deflate(list, call->one);
    case H5Z_FILTER_SHUFFLE:
        return H5Pset_shuffle(list);
    case H5Z_FILTER_FLETCHER32:
        return H5Pset_fletcher32(list);
    case H5Z_FILTER_NBIT:
        return H5Pset_nbit(list);
    case H5Z_FILTER_SCALEOFFSET:
        return H5Pset_scaleoffset(list, call->scale, call->other);
    default:
        return H5Pset_szip(list, call->one, (unsigned)call->other);
    }
}

static stoa_status add_own(hid_t list, const void *what, stoa_error *err)
{
    const own_call *call = what;

    STOA_RETURN_HDF_ERROR(err, call_own(list, call), "set filter %d", (int)call->id);
    return STOA_OK;
}

static herr_t set_own(hid_t plist, const own_call *call)
{
    return stoa_list_is_structured(plist) ? edit_list(plist, H5_SECTION_NUM, add_own, call)
                                          : call_own(plist, call);
}

herr_t stoa_h5p_set_deflate(hid_t plist, unsigned level)
{
    return set_own(plist, &(own_call){.id = H5Z_FILTER_DEFLATE, .one = level});
}

herr_t stoa_h5p_set_shuffle(hid_t plist)
{
    return set_own(plist, &(own_call){.id = H5Z_FILTER_SHUFFLE});
}

herr_t stoa_h5p_set_fletcher32(hid_t plist)
{
    return set_own(plist, &(own_call){.id = H5Z_FILTER_FLETCHER32});
}

herr_t stoa_h5p_set_nbit(hid_t plist)
{
    return set_own(plist, &(own_call){.id = H5Z_FILTER_NBIT});
}

herr_t stoa_h5p_set_scaleoffset(hid_t plist, H5Z_SO_scale_type_t type, int factor)
{
    return set_own(plist,
                   &(own_call){.id = H5Z_FILTER_SCALEOFFSET, .scale = type, .other = factor});
}

herr_t stoa_h5p_set_szip(hid_t plist, unsigned options, unsigned pixels_per_block)
{
    return set_own(
        plist, &(own_call){.id = H5Z_FILTER_SZIP, .one = options, .other = (int)pixels_per_block});
}

herr_t stoa_h5p_set_filter(hid_t plist, H5Z_filter_t filter, unsigned flags, size_t n,
                           const unsigned *values)
{
    /* Our own filter is set by callers that know its parameters. */
    return stoa_list_is_structured(plist) && filter != STOA_SPARSE_FILTER
               ? stoa_h5p_set_section_filter(plist, H5_SECTION_NUM, filter, flags, n, values, 1)
               : H5Pset_filter(plist, filter, flags, n, values);
}

herr_t stoa_h5p_modify_filter(hid_t plist, H5Z_filter_t filter, unsigned flags, size_t n,
                              const unsigned *values)
{
    return stoa_list_is_structured(plist) && filter != STOA_SPARSE_FILTER
               ? stoa_h5p_modify_section_filter(plist, H5_SECTION_NUM, filter, flags, n, values, 1)
               : H5Pmodify_filter(plist, filter, flags, n, values);
}

herr_t stoa_h5p_remove_filter(hid_t plist, H5Z_filter_t filter)
{
    return stoa_list_is_structured(plist) && filter != STOA_SPARSE_FILTER
               ? stoa_h5p_remove_section_filter(plist, H5_SECTION_NUM, filter)
               : H5Premove_filter(plist, filter);
}
