#include "layout/arkouda/read/kind.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/arkouda/read/array.h"
#include "layout/common/extent.h"

/* Open a child that is a one-dimensional dataset; H5I_INVALID_HID if it is not. */
static hid_t open_line(hid_t group, const char *name)
{
    hid_t child = stoa_object_open(group, name);

    if (child >= 0 && (H5Iget_type(child) != H5I_DATASET || stoa_extent_rank(child) != 1)) {
        (void)stoa_hdf_close(&child, STOA_OK, NULL);
    }
    return child;
}

bool stoa_arkouda_is_text(hid_t dataset)
{
    hid_t type = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
    const bool is = type >= 0 && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 &&
                    H5Tget_sign(type) == H5T_SGN_NONE &&
                    stoa_arkouda_number(dataset, STOA_ARKOUDA_IS_BOOL, 0) != 1;

    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    return is;
}

static bool is_integers(hid_t dataset)
{
    return stoa_class_of(dataset) == H5T_INTEGER;
}

/* --- by structure ---------------------------------------------------------------------------- */

/* A group with `values` is Strings, unless its datasets cannot be strings (§I.3). Other programs
 * write such groups, too, but not with integer offsets. */
static void sort_values(hid_t group, bool trusts, stoa_arkouda_class *sort)
{
    hid_t values = stoa_object_open(group, STOA_ARKOUDA_VALUES);
    hid_t segments = open_line(group, STOA_ARKOUDA_SEGMENTS);
    const bool has_offsets = segments >= 0 && is_integers(segments);
    const bool is_text =
        values >= 0 && H5Iget_type(values) == H5I_DATASET && stoa_arkouda_is_text(values);

    sort->kind = is_text ? STOA_ARKOUDA_STRINGS : STOA_ARKOUDA_SEGARRAY;
    sort->is_known = values >= 0 && (has_offsets || (trusts && is_text));
    (void)stoa_hdf_close(&segments, STOA_OK, NULL);
    (void)stoa_hdf_close(&values, STOA_OK, NULL);
}

static void sort_group(hid_t group, bool trusts, stoa_arkouda_class *sort)
{
    hid_t booleans = H5I_INVALID_HID;

    sort->kind = STOA_ARKOUDA_PDARRAY;
    if (sort->is_bigint) {
        sort->is_known = true;
        return;
    }
    booleans = open_line(group, STOA_ARKOUDA_BOOLEANS);
    sort->is_booleans = booleans >= 0 && is_integers(booleans);
    (void)stoa_hdf_close(&booleans, STOA_OK, NULL);
    if (sort->is_booleans) {
        sort->is_known = true;
        return;
    }
    sort_values(group, trusts, sort);
}

static void sort_dataset(hid_t dataset, bool trusts, stoa_arkouda_class *sort)
{
    if (trusts && stoa_extent_rank(dataset) == 1) {
        const H5T_class_t class = stoa_class_of(dataset);
        sort->is_known = class == H5T_INTEGER || class == H5T_FLOAT;
        sort->kind = STOA_ARKOUDA_PDARRAY;
    }
}

/* --- by attribute ---------------------------------------------------------------------------- */

/* Read ObjType as a number, or as the text of 2022 (§L.4). */
static bool read_kind(hid_t object, int64_t *kind)
{
    if (!stoa_attribute_exists(object, STOA_ARKOUDA_OBJ_TYPE)) {
        return false;
    }
    *kind = stoa_arkouda_number(object, STOA_ARKOUDA_OBJ_TYPE, INT64_MIN);
    if (*kind == INT64_MIN && stoa_attribute_is(object, STOA_ARKOUDA_OBJ_TYPE, "ArrayView")) {
        *kind = STOA_ARKOUDA_ARRAYVIEW;
    }
    return *kind != INT64_MIN;
}

stoa_arkouda_class stoa_arkouda_class_of(hid_t object, bool trusts)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const H5I_type_t type = H5Iget_type(object);
    stoa_arkouda_class sort = {.kind = STOA_ARKOUDA_UNKNOWN, .is_group = type == H5I_GROUP};

    if (type == H5I_GROUP || type == H5I_DATASET) {
        sort.is_bigint =
            sort.is_group && stoa_arkouda_number(object, STOA_ARKOUDA_IS_BIGINT, 0) == 1;
        sort.is_known = read_kind(object, &sort.kind);
    }
    if (!sort.is_known && type == H5I_GROUP) {
        sort_group(object, trusts, &sort);
    } else if (!sort.is_known && type == H5I_DATASET) {
        sort_dataset(object, trusts, &sort);
    }
    stoa_error_stack_discard(&errors);
    return sort;
}

bool stoa_arkouda_is_column(const stoa_arkouda_class *sort)
{
    switch (sort->kind) {
    case STOA_ARKOUDA_GROUPBY:
    case STOA_ARKOUDA_DATAFRAME:
    case STOA_ARKOUDA_INDEX:
    case STOA_ARKOUDA_MULTIINDEX:
        return false;
    default:
        return sort->is_known;
    }
}

const char *stoa_arkouda_class_name(const stoa_arkouda_class *sort)
{
    const char *const word = stoa_arkouda_word(sort->kind);

    return word == NULL                                              ? "unknown"
           : sort->is_bigint && sort->kind != STOA_ARKOUDA_ARRAYVIEW ? "bigint"
                                                                     : word;
}

stoa_status stoa_arkouda_class_check(const stoa_arkouda_class *sort, stoa_error *err)
{
    const bool wants_group =
        sort->kind == STOA_ARKOUDA_STRINGS || sort->kind == STOA_ARKOUDA_SEGARRAY ||
        sort->kind == STOA_ARKOUDA_CATEGORICAL || !stoa_arkouda_is_column(sort);

    if (!sort->is_known) {
        return stoa_fail(err, STOA_EDATA, "has a shape that no object of Arkouda has");
    }
    if (stoa_arkouda_word(sort->kind) == NULL) {
        return stoa_fail(err, STOA_EDATA,
                         "has ObjType %lld, which no object of Arkouda's files has",
                         (long long)sort->kind);
    }
    if (wants_group != sort->is_group && !sort->is_bigint && !sort->is_booleans) {
        return stoa_fail(err, STOA_EDATA, "says by its ObjType that it is a %s, but is a %s",
                         stoa_arkouda_word(sort->kind), sort->is_group ? "group" : "dataset");
    }
    return STOA_OK;
}

/* --- files ----------------------------------------------------------------------------------- */

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    bool *const found = context;

    (void)info;
    *found = H5Aexists_by_name(group, name, STOA_ARKOUDA_OBJ_TYPE, H5P_DEFAULT) > 0;
    return *found;
}

bool stoa_arkouda_is_signed(hid_t object, const char *file)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    size_t at = 0;
    size_t n_digits = 0;
    const bool is = stoa_arkouda_is_locale_file(file, &at, &n_digits) ||
                    H5Aexists_by_name(object, "/", STOA_ARKOUDA_FILE_FORMAT, H5P_DEFAULT) > 0 ||
                    H5Lexists(object, "/" STOA_ARKOUDA_METADATA, H5P_DEFAULT) > 0;

    stoa_error_stack_discard(&errors);
    return is;
}

bool stoa_arkouda_is_file(hid_t root, const char *file)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    bool found = stoa_arkouda_is_signed(root, file);

    if (!found) {
        (void)!stoa_links_visit(root, see_link, &found, NULL);
    }
    stoa_error_stack_discard(&errors);
    return found;
}
