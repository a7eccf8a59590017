/*
 * Every group, or every dataset, below a place of a file: each seen once by its hard links, in the
 * order of paths. Soft and external links are not followed; what is damaged is passed over, and in
 * files that a program opened itself what stoa_open_with() does not open.
 */
#ifndef STOA_HDF_WALK_H
#define STOA_HDF_WALK_H

#include <stdbool.h>

#include "hdf/ids.h"

/* @param path            absolute
 * @param[out] *goes_on   false ends the walk */
typedef stoa_status (*stoa_group_visit)(void *context, hid_t group, const char *path, bool *goes_on,
                                        stoa_error *err);
/* @param path  absolute */
typedef stoa_status (*stoa_dataset_visit)(void *context, hid_t dataset, const char *path,
                                          stoa_error *err);

/* What cannot be opened, and libhdf5's words for it. */
typedef void (*stoa_unopened_visit)(void *context, const char *path, const char *why);

/* A group before its datasets.
 *
 * @param[out] *visits  false: its own datasets are passed over; groups in it are not */
typedef stoa_status (*stoa_group_enter)(void *context, hid_t group, const char *path, bool *visits,
                                        stoa_error *err);

/* A group before those in it. libhdf5 prints nothing meanwhile. */
stoa_status stoa_groups_visit(hid_t loc, stoa_group_visit visit, void *context, stoa_error *err);
/* The datasets of a group before the groups in it. */
stoa_status stoa_datasets_visit(hid_t loc, stoa_dataset_visit visit, void *context,
                                stoa_error *err);
/* The same, and what cannot be opened. */
stoa_status stoa_datasets_visit_or_tell(hid_t loc, stoa_dataset_visit visit,
                                        stoa_unopened_visit unopened, void *context,
                                        stoa_error *err);
/* The same of the groups that `enter` says; NULL: of all. Paths begin with `base`; NULL: with what
 * libhdf5 calls `loc`. `unopened` may be NULL. */
stoa_status stoa_datasets_visit_in(hid_t loc, const char *base, stoa_group_enter enter,
                                   stoa_dataset_visit visit, stoa_unopened_visit unopened,
                                   void *context, stoa_error *err);

#endif
