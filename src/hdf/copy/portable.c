#include "hdf/copy/portable.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/copy/clone_values.h"
#include "hdf/copy/stored_elements.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"

#define DEFLATE_LEVEL 4

/* --- looking ---------------------------------------------------------------------------------- */

/* What is to be changed of a dataset. */
typedef struct change {
    bool filters;
    bool charset;
} change;

static bool has_rare_filter(hid_t creation)
{
    const int n = H5Pget_nfilters(creation);
    bool has = false;

    for (int i = 0; i < n; i++) {
        unsigned flags = 0;
        size_t n_values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(creation, (unsigned)i, &flags, &n_values, NULL, 0, NULL, NULL);
        has = has || (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
                      filter != H5Z_FILTER_FLETCHER32);
    }
    return has;
}

/* Get the fill value that a dataset of strings was given; NULL if there is none. Free it with
 * drop_fill(). */
static stoa_status get_fill(hid_t creation, hid_t type, void **fill, stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    void *room = NULL;

    *fill = NULL;
    STOA_HDF(err, H5Pfill_value_defined(creation, &defined), "look for the fill value");
    if (defined != H5D_FILL_VALUE_USER_DEFINED) {
        return STOA_OK;
    }
    room = stoa_alloc_zero(1, H5Tget_size(type));
    STOA_TRY(room != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, H5Pget_fill_value(creation, type, room), "get the fill value");
    *fill = room;
    room = NULL;

done:
    free(room);
    return status;
}

static void drop_fill(hid_t type, void *fill)
{
    if (fill != NULL && H5Tis_variable_str(type) > 0) {
        (void)H5free_memory(*(char **)fill);
    }
    free(fill);
}

static bool is_ascii(hid_t type, const void *elements, size_t n)
{
    const char *const *const texts = elements;
    bool is = true;

    if (H5Tis_variable_str(type) <= 0) {
        return stoa_is_ascii(elements, n * H5Tget_size(type));
    }
    for (size_t i = 0; is && i < n; i++) {
        is = texts[i] == NULL || stoa_is_ascii(texts[i], strlen(texts[i]));
    }
    return is;
}

static stoa_status look_at(void *context, const stoa_box *box, stoa_error *err)
{
    bool *const are_ascii = context;

    (void)err;
    *are_ascii = *are_ascii && is_ascii(box->type, box->elements, box->n);
    return STOA_OK;
}

/* Whether all strings of a dataset are ASCII. It is read once. */
static stoa_status look_into(stoa_portable *portable, hid_t dataset, hid_t creation, hid_t type,
                             bool *are_ascii, stoa_error *err)
{
    H5O_info2_t info;
    uint32_t number = 0;
    void *fill = NULL;

    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(dataset, &info, H5O_INFO_BASIC), "look at a dataset");
    if (!stoa_string_set_find(&portable->known, &info.token, sizeof info.token, &number)) {
        STOA_RETURN_NOT_OK(get_fill(creation, type, &fill, err));
        *are_ascii = fill == NULL || is_ascii(type, fill, 1);
        drop_fill(type, fill);
        if (*are_ascii) {
            STOA_RETURN_NOT_OK(stoa_stored_elements_visit(dataset, look_at, are_ascii, err));
        }
        STOA_RETURN_NOT_OK(
            stoa_string_set_add(&portable->known, &info.token, sizeof info.token, &number, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&portable->are_ascii, are_ascii, 1, err));
    }
    *are_ascii = portable->are_ascii.data[number] != 0;
    return STOA_OK;
}

static stoa_status find_change(stoa_portable *portable, hid_t source, change *todo, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;

    *todo = (change){false, false};
    if (stoa_dataset_is_elsewhere(source)) {
        return STOA_OK;
    }
    STOA_HDF(err, type = H5Dget_type(source), "get the datatype");
    STOA_HDF(err, creation = stoa_dataset_properties(source), "get the creation properties");
    if (portable->stays != NULL && portable->stays(creation)) {
        goto done;
    }
    todo->filters = has_rare_filter(creation);
    if (H5Tget_class(type) == H5T_STRING && H5Tget_cset(type) == H5T_CSET_UTF8 &&
        H5Tcommitted(type) <= 0) {
        STOA_TRY(look_into(portable, source, creation, type, &todo->charset, err));
    }

done:
    status = stoa_hdf_close(&creation, status, err);
    return stoa_hdf_close(&type, status, err);
}

/* --- copying ---------------------------------------------------------------------------------- */

/* Give creation properties a fill value of the type that the copy has: libhdf5 does not convert
 * between character sets. */
static stoa_status retype_fill(hid_t creation, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t ascii = H5I_INVALID_HID;
    void *fill = NULL;

    STOA_TRY(get_fill(creation, type, &fill, err));
    if (fill != NULL) {
        STOA_HDF(err, ascii = H5Tcopy(type), "copy a datatype");
        STOA_HDF(err, H5Tset_cset(ascii, H5T_CSET_ASCII), "set a character set");
        STOA_HDF(err, H5Pset_fill_value(creation, ascii, fill), "set the fill value");
    }

done:
    drop_fill(type, fill);
    return stoa_hdf_close(&ascii, status, err);
}

static stoa_status make_creation(hid_t source, const change *todo, hid_t creation, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Dget_type(source), "get the datatype");
    if (todo->filters) {
        STOA_HDF(err, H5Premove_filter(creation, H5Z_FILTER_ALL), "remove the old filters");
        if (H5Tget_size(type) > 1) {
            STOA_HDF(err, H5Pset_shuffle(creation), "set the shuffle filter");
        }
        STOA_HDF(err, H5Pset_deflate(creation, DEFLATE_LEVEL), "set the deflate filter");
    }
    if (todo->charset) {
        STOA_TRY(retype_fill(creation, type, err));
    }

done:
    return stoa_hdf_close(&type, status, err);
}

static stoa_status choose_inner(const stoa_portable *portable, hid_t source, hid_t creation,
                                bool *is_other, stoa_error *err)
{
    *is_other = false;
    return portable->inner.choose != NULL
               ? portable->inner.choose(portable->inner.context, source, creation, is_other, err)
               : STOA_OK;
}

static stoa_status choose(void *context, hid_t source, hid_t creation, bool *is_other,
                          stoa_error *err)
{
    stoa_portable *const portable = context;
    change todo;

    STOA_RETURN_NOT_OK(choose_inner(portable, source, creation, is_other, err));
    if (*is_other) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(find_change(portable, source, &todo, err));
    *is_other = todo.filters || todo.charset;
    return *is_other && creation >= 0 ? make_creation(source, &todo, creation, err) : STOA_OK;
}

static stoa_status retype(void *context, hid_t source, hid_t type, stoa_error *err)
{
    stoa_portable *const portable = context;
    bool is_other = false;
    change todo;

    STOA_RETURN_NOT_OK(choose_inner(portable, source, H5I_INVALID_HID, &is_other, err));
    if (is_other) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(find_change(portable, source, &todo, err));
    if (todo.charset) {
        STOA_RETURN_HDF_ERROR(err, H5Tset_cset(type, H5T_CSET_ASCII), "set a character set");
    }
    return STOA_OK;
}

static stoa_status fill(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    static const stoa_object_map none; /* clone.c copies references itself */
    const stoa_portable *const portable = context;
    bool is_other = false;

    STOA_RETURN_NOT_OK(choose_inner(portable, source, H5I_INVALID_HID, &is_other, err));
    return is_other ? portable->inner.fill(portable->inner.context, source, copy, err)
                    : stoa_clone_elements(&none, source, copy, err);
}

static bool has_own(void *context, hid_t dataset)
{
    const stoa_portable *const portable = context;

    return portable->inner.has_own != NULL &&
           portable->inner.has_own(portable->inner.context, dataset);
}

static stoa_status copy_inner(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    const stoa_portable *const portable = context;

    return portable->inner.copy(portable->inner.context, source, copy, err);
}

stoa_other_storage stoa_portable_storage(stoa_portable *portable)
{
    stoa_other_storage other = portable->inner;

    other.context = portable;
    other.choose = choose;
    other.retype = retype;
    other.fill = fill;
    other.has_own = has_own;
    other.copy = copy_inner;
    other.is_earliest = true;
    return other;
}

void stoa_portable_clear(stoa_portable *portable)
{
    stoa_string_set_clear(&portable->known);
    stoa_buffer_clear(&portable->are_ascii);
}
