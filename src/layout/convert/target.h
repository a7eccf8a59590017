/* Checks of the path at which a table of another layout is written. */
#ifndef STOA_LAYOUT_TARGET_H
#define STOA_LAYOUT_TARGET_H

#include <stoa/layout.h>

/*
 * Whether an object can be created at `path`.
 *
 * @param replace  allow a table of a known layout at the path
 * @return STOA_EEXISTS if the path is in use, as the root always is; STOA_EINVAL if it lies inside
 *         a HEP001 table or below an object that is no group
 */
stoa_status stoa_layout_check_target(hid_t loc, const char *path, bool replace, stoa_error *err);

/* Remove what layouts keep beside the object at the path, which is about to be replaced. */
stoa_status stoa_layout_make_way(hid_t loc, const char *path, stoa_error *err);

#endif
