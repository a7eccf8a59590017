/* One-line descriptions of LH5 objects, for listings. */
#ifndef STOA_LAYOUT_LH5_DESCRIBE_H
#define STOA_LAYOUT_LH5_DESCRIBE_H

#include "layout/layout.h"

/*
 * Describe an object.
 *
 * @param[out] shown  cleared by the caller, also after a failure
 * @return STOA_EDATA or another error if the object cannot be read
 */
stoa_status stoa_lh5_describe(hid_t object, stoa_layout_description *shown, stoa_error *err);

#endif
