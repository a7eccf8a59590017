/* The links of a group, in the order of their names or of their making. */
#ifndef STOA_HDF_LINKS_H
#define STOA_HDF_LINKS_H

#include "hdf/ids.h"

/*
 * Call `visit` for each link until it returns other than 0; only a negative value is a failure.
 * The lock is not held meanwhile, and libhdf5 prints nothing.
 *
 * In place of H5Literate2() and H5Ovisit3(). libhdf5 1.14 sorts links by name in a table that it
 * does not initialise: where one link in the group's dense storage is damaged, it frees what it
 * finds there. Links are therefore taken as they lie, and sorted here. (Dense storage is what a
 * group of more than eight links has, and nothing protects its contents by a checksum.)
 */
stoa_status stoa_links_visit(hid_t group, H5L_iterate2_t visit, void *context, stoa_error *err);
/* In the order in which they were made, where the group knows it; else in that of their names. */
stoa_status stoa_links_visit_as_made(hid_t group, H5L_iterate2_t visit, void *context,
                                     stoa_error *err);

/* Soft links stay where they are: moving or deleting one would not touch the object. STOA_EINVAL,
 * with `what` in the message ("table"). */
stoa_status stoa_link_must_be_hard(hid_t loc, const char *path, const char *what, stoa_error *err);

/*
 * The first link to an object that was made without a name; H5Olink() otherwise.
 *
 * libhdf5 1.14 writes no count of 0 into the header of such an object. If the header has left the
 * metadata cache meanwhile (a table of a thousand columns, a dataset of many chunks) and comes
 * back, it counts one link where there is none; the link made then is the second, and the object
 * stays marked to be deleted when it is closed, with its link and without a word. So it is held
 * while it is linked, by a count that is written.
 */
herr_t stoa_link_nameless(hid_t object, hid_t group, const char *name, hid_t lcpl);
/* The same where others make the link: hold it before, let it go behind, made or not. */
herr_t stoa_nameless_hold(hid_t object);
herr_t stoa_nameless_release(hid_t object);

#endif
