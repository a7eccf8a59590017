/* What an LH5 object is, in a few words, for listings. */
#ifndef STOA_LAYOUT_LH5_SHOW_H
#define STOA_LAYOUT_LH5_SHOW_H

#include "layout/layout.h"

/*
 * @param[out] shown  the caller's, also after a failure
 * @return STOA_EDATA, and others, where the object cannot be read, and why
 */
stoa_status stoa_lh5_show(hid_t object, stoa_layout_shown *shown, stoa_error *err);

#endif
