/* Saved attributes: attributes that are held in memory, to be restored or written elsewhere. */
#ifndef STOA_HDF_KEPT_H
#define STOA_HDF_KEPT_H

#include "hdf/ids.h"

/* Start from STOA_KEPT_INIT, which also stands for an absent attribute. */
typedef struct stoa_kept {
    hid_t type;
    hid_t space;
    void *value; /* in `type`; libhdf5 allocated the variable-length parts */
} stoa_kept;

#define STOA_KEPT_INIT                                                                             \
    {                                                                                              \
        H5I_INVALID_HID, H5I_INVALID_HID, NULL                                                     \
    }

/* Save an attribute of any type; it may be absent. STOA_EDATA if it is damaged or exceeds 1 GiB.
 * Free with stoa_kept_clear(), also after a failure. */
stoa_status stoa_attribute_keep(hid_t object, const char *name, stoa_kept *kept, stoa_error *err);
/* Restore the object's attribute of that name: it is replaced, created, or deleted. */
stoa_status stoa_attribute_put(hid_t object, const char *name, const stoa_kept *kept,
                               stoa_error *err);
void stoa_kept_clear(stoa_kept *kept);

#endif
