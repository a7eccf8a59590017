/* References from LH5 objects to others of the same file, in a file that they are copied to. */
#ifndef STOA_LAYOUT_LH5_REFERENCE_ATTRIBUTES_H
#define STOA_LAYOUT_LH5_REFERENCE_ATTRIBUTES_H

#include "hdf/ids.h"

/* Attributes of an object and of all below it; H5I_INVALID_HID: of none. Paths begin with `base`.
 * Attributes may be made and deleted meanwhile. */
typedef stoa_status (*stoa_lh5_attribute_visit)(void *context, hid_t object, const char *path,
                                                const char *attribute, stoa_error *err);
stoa_status stoa_lh5_each_attribute(hid_t object, const char *base, stoa_lh5_attribute_visit visit,
                                    void *context, stoa_error *err);

/* Before the name of an attribute that waits for what it refers to; its text is the path. */
#define STOA_LH5_REFERENCE "stoa_lh5_reference."

/* Whether there are references in an attribute; and whether it is one to an object, as h5py makes
 * them, whose path says all of it. */
bool stoa_lh5_refers(hid_t object, const char *name, bool *is_one);
/* The path of what such a one refers to, the caller's (free()); NULL where it is none, or refers to
 * nothing. */
stoa_status stoa_lh5_referred(hid_t object, const char *name, char **path, stoa_error *err);
/* Let attributes of a copy that have references, and those of all below it, wait for
 * stoa_lh5_point(); those that cannot are deleted. */
stoa_status stoa_lh5_refer_again(hid_t from, hid_t to, stoa_error *err);

#endif
