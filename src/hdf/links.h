/* The links of a group, in the order of their names or of their making. */
#ifndef STOA_HDF_LINKS_H
#define STOA_HDF_LINKS_H

#include "hdf/ids.h"

/*
 * Call `visit` for each link until it returns other than 0; only a negative value is a failure.
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

#endif
