/* Attributes taken into memory as they are, to be put back or put elsewhere. */
#ifndef STOA_HDF_KEPT_H
#define STOA_HDF_KEPT_H

#include "hdf/ids.h"

/* Start from STOA_KEPT_INIT, which is also what an absent attribute is kept as. */
typedef struct stoa_kept {
    hid_t type;
    hid_t space;
    void *value; /* in `type`, variable-length parts as libhdf5 gave them */
} stoa_kept;

#define STOA_KEPT_INIT                                                                             \
    {                                                                                              \
        H5I_INVALID_HID, H5I_INVALID_HID, NULL                                                     \
    }

/* Take an attribute of any type; an absent one is no failure. STOA_EDATA where it is damaged, or
 * larger than any honest one. Free with stoa_kept_clear(), after a failure as well. */
stoa_status stoa_attribute_keep(hid_t object, const char *name, stoa_kept *kept, stoa_error *err);
/* Make the object's attribute of that name be what was kept: replaced, made, or deleted. */
stoa_status stoa_attribute_put(hid_t object, const char *name, const stoa_kept *kept,
                               stoa_error *err);
void stoa_kept_clear(stoa_kept *kept);

#endif
