/*
 * Which revision of HEP001 a table follows.
 *
 * VERSION cannot tell, because it is 1.0 in each. A table that shows something of July is judged by
 * July. Where a table shows neither, both revisions come to the same verdict.
 */
#include "check/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"

/* A boolean column of June must have a fill value, one of July must not. */
static bool is_boolean_without_fill(hid_t dataset)
{
    H5D_fill_value_t state = H5D_FILL_VALUE_ERROR;
    hid_t type = H5Dget_type(dataset);
    const bool is_boolean = stoa_check_is_boolean(type);
    hid_t plist = is_boolean ? stoa_dataset_properties(dataset) : H5I_INVALID_HID;
    const bool is_without = plist >= 0 && H5Pfill_value_defined(plist, &state) >= 0 &&
                            state != H5D_FILL_VALUE_USER_DEFINED;

    (void)stoa_hdf_close(&plist, STOA_OK, NULL);
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    return is_without;
}

static bool is_of_july(stoa_checker *checker, hid_t file, const stoa_member *member)
{
    const bool is_group = member->kind == STOA_MEMBER_GROUP;
    hid_t id = H5I_INVALID_HID;
    bool is_july = false;

    if (!is_group && (member->kind != STOA_MEMBER_DATASET || member->rank != 1)) {
        return false;
    }
    id = stoa_member_open(checker, file, member);
    is_july = id >= 0 && (is_group ? stoa_check_has_class(checker, id, "LIST_COLUMN")
                                   : is_boolean_without_fill(id));
    (void)stoa_hdf_close(&id, STOA_OK, NULL);
    return is_july;
}

stoa_revision stoa_check_tell_revision(stoa_checker *checker, const stoa_subject *group,
                                       const stoa_members *members)
{
    bool is_july = H5Aexists(group->id, "GENERATION") > 0;

    for (size_t i = 0; i < members->n && !is_july && !stoa_check_over(checker); i++) {
        is_july = is_of_july(checker, group->id, &members->items[i]);
    }
    return is_july ? STOA_REVISION_2026_07 : STOA_REVISION_2026_06;
}
