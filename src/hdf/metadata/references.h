/* Object references of type H5T_STD_REF (HEP001 §5). Those of the older type H5T_STD_REF_OBJ are
 * read as well; they are written for programs that know no other. */
#ifndef STOA_HDF_REFERENCES_H
#define STOA_HDF_REFERENCES_H

#include "hdf/ids.h"

/* Write an attribute of object references to `targets`: a scalar if `scalar` (then n == 1), else
 * 1-D. `is_old`: of H5T_STD_REF_OBJ. Replaces an existing attribute. */
stoa_status stoa_references_write(hid_t object, const char *name, const hid_t *targets, size_t n,
                                  bool scalar, bool is_old, stoa_error *err);
/* Whether the attribute exists and is of H5T_STD_REF_OBJ. */
bool stoa_references_are_old(hid_t object, const char *name);

/*
 * Open the targets of an attribute of references.
 *
 * *targets has n ids. The caller frees it and closes each id. Null and dangling references, and
 * those to something other than an object, give H5I_INVALID_HID. An absent attribute gives n == 0.
 * STOA_EDATA if the attribute is of neither type.
 */
stoa_status stoa_references_read(hid_t object, const char *name, hid_t **targets, size_t *n,
                                 stoa_error *err);

/* Open the first target of an attribute of references. STOA_EDATA if it refers to no object. */
stoa_status stoa_reference_open(hid_t object, const char *name, hid_t *target, stoa_error *err);

/* Open the target of the first reference in the first element of an attribute of lists of
 * references, such as DIMENSION_LIST of dimension scales. H5I_INVALID_HID if there is no such
 * attribute, or it refers to no object of the file. Fails only if memory runs out. */
stoa_status stoa_reference_open_first(hid_t object, const char *name, hid_t *target,
                                      stoa_error *err);

/* Whether a reference of H5T_STD_REF, read from `object`, refers to another file. Check this before
 * libhdf5 resolves the reference, since it would open that file. */
bool stoa_reference_leads_elsewhere(const H5R_ref_t *reference, hid_t object);

/* Whether two open objects are the same object of the same file, regardless of their paths. */
bool stoa_same_object(hid_t a, hid_t b);

/* Name of the hard link in `group` that refers to an object; NULL if there is none. The caller
 * frees *name. */
stoa_status stoa_link_name(hid_t group, hid_t object, char **name, stoa_error *err);

#endif
