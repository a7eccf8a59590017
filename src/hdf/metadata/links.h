/* Iterates over the links of a group, in the order of names or of creation. */
#ifndef STOA_HDF_LINKS_H
#define STOA_HDF_LINKS_H

#include "hdf/ids.h"

/*
 * Call `visit` for each link until it returns nonzero; only a negative value is a failure.
 * Meanwhile the lock is not held, and libhdf5 prints nothing.
 *
 * This replaces H5Literate2() and H5Ovisit3(). libhdf5 1.14 sorts links by name in a table that it
 * does not initialise. If a link in the group's dense storage is damaged, it frees uninitialised
 * pointers. So links are read in storage order and sorted here. (Groups with more than eight links
 * have dense storage, and its content has no checksum.)
 */
stoa_status stoa_links_visit(hid_t group, H5L_iterate2_t visit, void *context, stoa_error *err);
/* In creation order if the group tracks it, else in the order of names. */
stoa_status stoa_links_visit_as_made(hid_t group, H5L_iterate2_t visit, void *context,
                                     stoa_error *err);

/* Soft links must not be moved or deleted in place of their target. STOA_EINVAL, with `what`
 * ("table") in the message, if the link at `path` is not a hard link. */
stoa_status stoa_link_must_be_hard(hid_t loc, const char *path, const char *what, stoa_error *err);

/*
 * Create the first link to an object that was created without a name. For other objects this is
 * H5Olink().
 *
 * libhdf5 1.14 does not write a link count of 0 to the header of such an object. The header may
 * leave the metadata cache before the link is made, for example in a table of a thousand columns.
 * Read back, it counts one link although there is none. The new link is then the second, and the
 * object remains marked for deletion. libhdf5 deletes it when it is closed, although it is linked.
 * So the count is raised, and written, while the link is made.
 */
herr_t stoa_link_nameless(hid_t object, hid_t group, const char *name, hid_t lcpl);
/* The same for links that other code makes: hold the object before, and release it afterwards,
 * whether the link was made or not. */
herr_t stoa_nameless_hold(hid_t object);
herr_t stoa_nameless_release(hid_t object);

#endif
