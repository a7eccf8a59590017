/* Saved attributes: attributes that are held in memory, to be restored or written elsewhere. */
#ifndef STOA_HDF_SAVED_ATTRIBUTE_H
#define STOA_HDF_SAVED_ATTRIBUTE_H

#include "hdf/ids.h"

/* Start from STOA_SAVED_ATTRIBUTE_INIT, which also stands for an absent attribute. */
typedef struct stoa_saved_attribute {
    hid_t type;
    hid_t space;
    void *value; /* in `type`; libhdf5 allocated the variable-length parts */
} stoa_saved_attribute;

#define STOA_SAVED_ATTRIBUTE_INIT                                                                  \
    {                                                                                              \
        H5I_INVALID_HID, H5I_INVALID_HID, NULL                                                     \
    }

/* Save an attribute of any type; it may be absent. STOA_EDATA if it is damaged or exceeds 1 GiB.
 * Free with stoa_saved_attribute_clear(), also after a failure. */
stoa_status stoa_attribute_save(hid_t object, const char *name, stoa_saved_attribute *kept,
                                stoa_error *err);
/* Restore the object's attribute of that name: it is replaced, created, or deleted. */
stoa_status stoa_attribute_put_back(hid_t object, const char *name,
                                    const stoa_saved_attribute *kept, stoa_error *err);
void stoa_saved_attribute_clear(stoa_saved_attribute *kept);

#endif
