/* Reference attributes of LH5 objects, in a file that the objects are copied to. */
#ifndef STOA_LAYOUT_LH5_REFERENCE_ATTRIBUTES_H
#define STOA_LAYOUT_LH5_REFERENCE_ATTRIBUTES_H

#include "hdf/ids.h"

/* Visit the attributes of an object and of all below it; H5I_INVALID_HID has none. Paths begin with
 * `base`. The callback may create and delete attributes. */
typedef stoa_status (*stoa_lh5_attribute_visit)(void *context, hid_t object, const char *path,
                                                const char *attribute, stoa_error *err);
stoa_status stoa_lh5_each_attribute(hid_t object, const char *base, stoa_lh5_attribute_visit visit,
                                    void *context, stoa_error *err);

/* Name prefix of an attribute whose reference is pending; its text is the path of the target. */
#define STOA_LH5_REFERENCE "stoa_lh5_reference."

/* Whether an attribute holds references. *is_one: it is one object reference, as h5py makes them,
 * so that a path describes it completely. */
bool stoa_lh5_refers(hid_t object, const char *name, bool *is_one);
/* The path of the target of such a reference. NULL if the attribute is no reference, or refers to
 * nothing. The caller frees it with free(). */
stoa_status stoa_lh5_referred(hid_t object, const char *name, char **path, stoa_error *err);
/* Make the references of a copy's attributes, and of those of all objects below it, pending until
 * stoa_lh5_point() resolves them. References that a path cannot describe are deleted. */
stoa_status stoa_lh5_refer_again(hid_t from, hid_t to, stoa_error *err);

#endif
