/* The place that a table of another layout gets in a file. */
#ifndef STOA_LAYOUT_TARGET_H
#define STOA_LAYOUT_TARGET_H

#include <stoa/layout.h>

/* Whether an object can be put at `path`: STOA_EEXISTS if it is taken (by anything but a table of a
 * known layout if `replace`; the root is always), STOA_EINVAL if it lies inside a HEP001 table or
 * below something that is no group. */
stoa_status stoa_layout_check_target(hid_t loc, const char *path, bool replace, stoa_error *err);

/* An object at the path is about to be replaced: what layouts keep beside it goes. */
stoa_status stoa_layout_make_way(hid_t loc, const char *path, stoa_error *err);

#endif
