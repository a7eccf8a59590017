/*
 * Attributes of object references (HEP001 §5), and their targets.
 *
 * A reference of H5T_STD_REF can name another file. To resolve it, libhdf5 would open that file for
 * writing. So such a reference is not resolved: it counts as leading out of the table.
 */
#include <stdlib.h>
#include <string.h>

#include "check/attributes.h"
#include "hdf/metadata/references.h"

/* Resolve one reference, read from an attribute of `object`. */
static void resolve(hid_t object, H5R_ref_t *reference, unsigned long fileno,
                    bool *is_object_reference, stoa_target *target)
{
    /* A null reference is all zero bytes, which reads as H5R_OBJECT1. H5T_STD_REF never holds that
     * type. */
    const H5R_type_t type = H5Rget_type(reference);
    hid_t id = H5I_INVALID_HID;
    H5O_info2_t info;

    *target = (stoa_target){0};
    *is_object_reference = true;
    if (type == H5R_OBJECT1) {
        target->is_null = true;
        return;
    }
    *is_object_reference = type == H5R_OBJECT2;
    if (type == H5R_BADTYPE || stoa_reference_leads_elsewhere(reference, object)) {
        return;
    }
    id = H5Ropen_object(reference, H5P_DEFAULT, H5P_DEFAULT);
    if (id >= 0 && H5Oget_info3(id, &info, H5O_INFO_BASIC) >= 0 && info.fileno == fileno) {
        target->resolves = true;
        target->token = info.token;
    }
    (void)stoa_hdf_close(&id, STOA_OK, NULL);
}

static stoa_target *read_targets(stoa_checker *checker, const stoa_subject *object,
                                 const char *name, const stoa_attribute *attribute,
                                 unsigned long fileno)
{
    const size_t n = (size_t)attribute->n;
    H5R_ref_t *references = stoa_alloc_zero(n, sizeof *references);
    stoa_target *targets = stoa_alloc_zero(n, sizeof *targets);
    const bool is_standard = H5Tequal(attribute->type, H5T_STD_REF) > 0;
    bool is_object_reference = true;

    if (references == NULL || targets == NULL) {
        stoa_check_memory(checker);
        free(references);
        free(targets);
        return NULL;
    }
    /* libhdf5 converts deprecated references to the new type, so that they can be resolved, too. */
    if (n > 0 && H5Aread(attribute->id, H5T_STD_REF, references) < 0) {
        stoa_check_report(checker, object->path, STOA_RULE_UNREADABLE,
                          "the references of attribute '%s' cannot be read", name);
        free(references);
        free(targets);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        resolve(object->id, &references[i], fileno, &is_object_reference, &targets[i]);
        if (!is_object_reference && is_standard) {
            stoa_check_report(checker, object->path, STOA_RULE_REF_OBJECT_KIND,
                              "reference %zu of attribute '%s' points to a region or an attribute",
                              i, name);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!targets[i].is_null) {
            (void)H5Rdestroy(&references[i]);
        }
    }
    free(references);
    return targets;
}

bool stoa_check_references(stoa_checker *checker, const stoa_subject *object, const char *name,
                           bool scalar, stoa_rule_id shape, unsigned long fileno,
                           stoa_target **targets, size_t *n)
{
    stoa_attribute attribute;
    bool has_shape = false;

    *targets = NULL;
    *n = 0;
    if (!stoa_attribute_open(checker, object, name, &attribute)) {
        return false;
    }
    has_shape = scalar ? attribute.shape == H5S_SCALAR
                       : attribute.shape == H5S_SIMPLE && attribute.rank == 1;
    if (!has_shape) {
        stoa_check_report(checker, object->path, shape, "attribute '%s' must be %s", name,
                          scalar ? "scalar" : "one-dimensional");
    }
    if (H5Tequal(attribute.type, H5T_STD_REF_OBJ) > 0) {
        checker->n_old_references += checker->muted ? 0 : attribute.n > 0 ? attribute.n : 1;
    } else if (H5Tequal(attribute.type, H5T_STD_REF) <= 0) {
        stoa_check_report(checker, object->path, STOA_RULE_REF_TYPE,
                          "attribute '%s' is %s; it must be of H5T_STD_REF", name,
                          attribute.class == H5T_REFERENCE ? "a deprecated reference"
                                                           : stoa_attribute_type_name(&attribute));
    }
    if (attribute.class != H5T_REFERENCE || attribute.shape == H5S_NULL) {
        ; /* nothing to resolve */
    } else if (attribute.n > STOA_CHECK_MAX_BYTES / sizeof(H5R_ref_t)) {
        stoa_check_report(checker, object->path, STOA_RULE_NOT_READ,
                          "attribute '%s' takes up more than 16 MiB", name);
    } else {
        *targets = read_targets(checker, object, name, &attribute, fileno);
        *n = *targets == NULL ? 0 : (size_t)attribute.n;
    }
    stoa_attribute_close(&attribute);
    return true;
}
