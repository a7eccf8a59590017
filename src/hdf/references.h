/* Object references: of H5T_STD_REF (HEP001 §5), but for one call. */
#ifndef STOA_HDF_REFERENCES_H
#define STOA_HDF_REFERENCES_H

#include "hdf/ids.h"

/* Write an attribute of object references to `targets`: scalar if `scalar` (then n == 1), else 1-D.
 * Replaces one that is there. */
stoa_status stoa_references_write(hid_t object, const char *name, const hid_t *targets, size_t n,
                                  bool scalar, stoa_error *err);

/*
 * Open what an attribute of references points to.
 *
 * *targets (free(), each id closed by the caller) has n ids; one that is null, dangling or no
 * object reference is H5I_INVALID_HID. An absent attribute gives n == 0. STOA_EDATA where the
 * attribute is not of H5T_STD_REF.
 */
stoa_status stoa_references_read(hid_t object, const char *name, hid_t **targets, size_t *n,
                                 stoa_error *err);

/* Open what an attribute with one object reference of the old kind (H5T_STD_REF_OBJ), or of the new
 * one, points to. STOA_EDATA where it points to no object. */
stoa_status stoa_reference_open_old(hid_t object, const char *name, hid_t *target, stoa_error *err);

/* Whether a reference of H5T_STD_REF, read from `object`, names another file. libhdf5 opens that to
 * resolve it, as it opens any file: ask before it does. */
bool stoa_reference_leads_elsewhere(const H5R_ref_t *reference, hid_t object);

/* Whether two open objects are the same object of the same file, whatever path led to them. */
bool stoa_same_object(hid_t a, hid_t b);

/* The name of the hard link in `group` that leads to an object; *name (free()) is NULL if there is
 * none. */
stoa_status stoa_link_name(hid_t group, hid_t object, char **name, stoa_error *err);

#endif
