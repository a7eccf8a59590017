#include "hdf/metadata/references.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/links.h"

/* More references in one attribute are damage. */
#define MAX_REFERENCES ((hssize_t)1 << 20)

/* Make references of the type that HEP001 asks for, which libhdf5 must destroy. */
static stoa_status make_new(const char *name, const hid_t *targets, size_t n, H5R_ref_t *references,
                            size_t *n_made, stoa_error *err)
{
    for (; *n_made < n; ++*n_made) {
        STOA_RETURN_HDF_ERROR(
            err, H5Rcreate_object(targets[*n_made], ".", H5P_DEFAULT, &references[*n_made]),
            "make a reference for '%s'", name);
    }
    return STOA_OK;
}

static stoa_status make_old(const char *name, const hid_t *targets, size_t n,
                            hobj_ref_t *references, stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_HDF_ERROR(err, H5Rcreate(&references[i], targets[i], ".", H5R_OBJECT, -1),
                              "make a reference for '%s'", name);
    }
    return STOA_OK;
}

stoa_status stoa_references_write(hid_t object, const char *name, const hid_t *targets, size_t n,
                                  bool scalar, bool is_old, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t attr = H5I_INVALID_HID;
    const hid_t type = is_old ? H5T_STD_REF_OBJ : H5T_STD_REF;
    H5R_ref_t *references = stoa_alloc_zero(n, sizeof *references);
    hobj_ref_t *old = stoa_alloc_zero(n, sizeof *old);
    size_t n_made = 0;

    STOA_TRY(references != NULL && old != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(is_old ? make_old(name, targets, n, old, err)
                    : make_new(name, targets, n, references, &n_made, err));
    STOA_HDF(err, space = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &(hsize_t){n}, NULL),
             "make a dataspace");
    STOA_TRY(stoa_attribute_delete(object, name, err));
    STOA_TRY(stoa_attribute_make(object, name, type, space, &attr, err));
    if (n != 0) {
        STOA_HDF(err, H5Awrite(attr, type, is_old ? (void *)old : (void *)references),
                 "write attribute '%s'", name);
    }

done:
    for (size_t i = 0; i < n_made; i++) {
        (void)H5Rdestroy(&references[i]);
    }
    free(references);
    free(old);
    status = stoa_hdf_close(&attr, status, err);
    return stoa_hdf_close(&space, status, err);
}

bool stoa_references_are_old(hid_t object, const char *name)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const hid_t attr =
        H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    const hid_t type = attr >= 0 ? H5Aget_type(attr) : H5I_INVALID_HID;
    const bool are_old = type >= 0 && H5Tequal(type, H5T_STD_REF_OBJ) > 0;

    if (type >= 0) {
        (void)H5Tclose(type);
    }
    if (attr >= 0) {
        (void)H5Aclose(attr);
    }
    stoa_error_stack_discard(&errors);
    return are_old;
}

bool stoa_reference_leads_elsewhere(const H5R_ref_t *reference, hid_t object)
{
    char theirs[PATH_MAX]; /* longer names cannot be opened */
    char ours[PATH_MAX];
    const stoa_error_stack errors = stoa_error_stack_begin();
    const ssize_t n_theirs = H5Rget_file_name(reference, theirs, sizeof theirs);
    const ssize_t n_ours = H5Fget_name(object, ours, sizeof ours);

    stoa_error_stack_discard(&errors);
    return n_ours < 0 || n_ours >= PATH_MAX || n_theirs != n_ours ||
           memcmp(theirs, ours, (size_t)n_ours) != 0;
}

/* Open the target of a reference. H5I_INVALID_HID for null and dangling references, which are valid
 * data, and for references into other files. */
static hid_t resolve(H5R_ref_t *reference, hid_t object)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t target = H5I_INVALID_HID;

    if (H5Rget_type(reference) == H5R_OBJECT2 &&
        !stoa_reference_leads_elsewhere(reference, object)) {
        target = H5Ropen_object(reference, H5P_DEFAULT, H5P_DEFAULT);
    }
    stoa_error_stack_discard(&errors);
    return target < 0 ? H5I_INVALID_HID : target;
}

stoa_status stoa_references_read(hid_t object, const char *name, hid_t **targets, size_t *n,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attr = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    H5R_ref_t *references = NULL;
    hssize_t count = 0;
    bool is_read = false;

    *targets = NULL;
    *n = 0;
    if (!stoa_attribute_exists(object, name)) {
        return STOA_OK;
    }
    STOA_HDF(err, attr = H5Aopen(object, name, H5P_DEFAULT), "open attribute '%s'", name);
    STOA_HDF(err, type = H5Aget_type(attr), "get the type of attribute '%s'", name);
    STOA_HDF(err, space = H5Aget_space(attr), "get the shape of attribute '%s'", name);
    STOA_HDF(err, count = H5Sget_simple_extent_npoints(space), "get the shape of attribute '%s'",
             name);
    if (H5Tequal(type, H5T_STD_REF) <= 0 && H5Tequal(type, H5T_STD_REF_OBJ) <= 0) {
        STOA_FAIL(err, STOA_EDATA, "attribute '%s' is not of H5T_STD_REF (HEP001 §5)", name);
    }
    if (!stoa_attribute_fits(attr, type, (uint64_t)count)) {
        STOA_FAIL(err, STOA_EDATA,
                  "attribute '%s' is shorter than its references: the file is damaged", name);
    }
    if (count > MAX_REFERENCES) {
        STOA_FAIL(err, STOA_EDATA, "attribute '%s' has %lld references", name, (long long)count);
    }
    references = stoa_alloc_zero((size_t)count, sizeof *references);
    *targets = stoa_alloc((size_t)count, sizeof **targets);
    if (references == NULL || *targets == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    if (count > 0) { /* libhdf5 converts those of the old type */
        STOA_HDF(err, H5Aread(attr, H5T_STD_REF, references), "read attribute '%s'", name);
        is_read = true;
    }
    for (hssize_t i = 0; i < count; i++) {
        (*targets)[i] = resolve(&references[i], object);
    }
    *n = (size_t)count;

done:
    for (hssize_t i = 0; is_read && i < count; i++) {
        (void)H5Rdestroy(&references[i]);
    }
    free(references);
    if (status != STOA_OK) {
        free(*targets);
        *targets = NULL;
    }
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attr, status, err);
}

stoa_status stoa_reference_open(hid_t object, const char *name, hid_t *target, stoa_error *err)
{
    hid_t *targets = NULL;
    size_t n = 0;

    *target = H5I_INVALID_HID;
    STOA_RETURN_NOT_OK(stoa_references_read(object, name, &targets, &n, err));
    *target = n > 0 ? targets[0] : H5I_INVALID_HID;
    for (size_t i = 1; i < n; i++) {
        (void)stoa_hdf_close(&targets[i], STOA_OK, NULL);
    }
    free(targets);
    return *target >= 0 ? STOA_OK
                        : stoa_fail(err, STOA_EDATA, "attribute '%s' points to no object", name);
}

/* Read the lists of an attribute, and open the first target. */
static hid_t first_of_lists(hid_t object, hid_t attr, hid_t space, hvl_t *lists)
{
    const hid_t items = H5Tvlen_create(H5T_STD_REF);
    hid_t target = H5I_INVALID_HID;

    if (items >= 0 && H5Aread(attr, items, lists) >= 0) {
        target = lists[0].len > 0 ? resolve(lists[0].p, object) : target;
        (void)H5Treclaim(items, space, H5P_DEFAULT, lists);
    }
    if (items >= 0) {
        (void)H5Tclose(items);
    }
    return target;
}

/* Whether the elements of an attribute are lists of references. */
static bool is_lists(hid_t type)
{
    const hid_t item = H5Tget_class(type) == H5T_VLEN ? H5Tget_super(type) : H5I_INVALID_HID;
    const bool is =
        item >= 0 && (H5Tequal(item, H5T_STD_REF) > 0 || H5Tequal(item, H5T_STD_REF_OBJ) > 0);

    if (item >= 0) {
        (void)H5Tclose(item);
    }
    return is;
}

stoa_status stoa_reference_open_first(hid_t object, const char *name, hid_t *target,
                                      stoa_error *err)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t attr = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    hid_t type = attr >= 0 ? H5Aget_type(attr) : H5I_INVALID_HID;
    hid_t space = attr >= 0 ? H5Aget_space(attr) : H5I_INVALID_HID;
    const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    const bool is_read = n > 0 && n <= H5S_MAX_RANK && type >= 0 && is_lists(type) &&
                         stoa_attribute_fits(attr, type, (uint64_t)n);
    hvl_t *lists = is_read ? stoa_alloc_zero((size_t)n, sizeof *lists) : NULL;

    *target = lists != NULL ? first_of_lists(object, attr, space, lists) : H5I_INVALID_HID;
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    (void)stoa_hdf_close(&attr, STOA_OK, NULL);
    stoa_error_stack_discard(&errors);
    const bool is_whole = lists != NULL || !is_read;
    free(lists);
    return is_whole ? STOA_OK : stoa_fail_memory(err);
}

bool stoa_same_object(hid_t a, hid_t b)
{
    H5O_info2_t info_a;
    H5O_info2_t info_b;
    int order = 1;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const bool same = H5Oget_info3(a, &info_a, H5O_INFO_BASIC) >= 0 &&
                      H5Oget_info3(b, &info_b, H5O_INFO_BASIC) >= 0 &&
                      info_a.fileno == info_b.fileno &&
                      H5Otoken_cmp(a, &info_a.token, &info_b.token, &order) >= 0 && order == 0;

    stoa_error_stack_end(&errors);
    return same;
}

/* Search for the link in a group that refers to an object. */
typedef struct link_search {
    H5O_token_t token;
    char *name;
    bool is_out_of_memory;
} link_search;

static herr_t match_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    link_search *search = context;

    (void)group;
    if (info->type != H5L_TYPE_HARD ||
        memcmp(&info->u.token, &search->token, sizeof search->token) != 0) {
        return 0;
    }
    search->name = stoa_strdup(name);
    search->is_out_of_memory = search->name == NULL;
    return 1;
}

stoa_status stoa_link_name(hid_t group, hid_t object, char **name, stoa_error *err)
{
    link_search search = {.name = NULL};
    H5O_info2_t above;
    H5O_info2_t info;

    *name = NULL;
    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(group, &above, H5O_INFO_BASIC), "look at a group");
    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(object, &info, H5O_INFO_BASIC), "look at an object");
    if (info.fileno != above.fileno) {
        return STOA_OK; /* hard links do not lead into other files */
    }
    search.token = info.token;
    STOA_RETURN_NOT_OK(stoa_links_visit(group, match_link, &search, err));
    *name = search.name;
    return search.is_out_of_memory ? stoa_fail_memory(err) : STOA_OK;
}
