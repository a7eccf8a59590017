/* Walks over the groups or datasets below an object of a file. Each is visited once, through its
 * hard links, in the order of paths. Soft and external links are not followed. Damaged objects are
 * skipped. In files that a program opened itself, datasets that stoa_open_with() refuses are
 * skipped, too. */
#ifndef STOA_HDF_WALK_H
#define STOA_HDF_WALK_H

#include <stdbool.h>

#include "hdf/ids.h"

/* @param path           absolute
 * @param[out] *goes_on  false ends the walk */
typedef stoa_status (*stoa_group_visit)(void *context, hid_t group, const char *path, bool *goes_on,
                                        stoa_error *err);
/* @param path  absolute */
typedef stoa_status (*stoa_dataset_visit)(void *context, hid_t dataset, const char *path,
                                          stoa_error *err);

/* Called for an object that cannot be opened, with libhdf5's reason. */
typedef void (*stoa_unopened_visit)(void *context, const char *path, const char *why);

/*
 * Called for a group before its datasets are visited.
 *
 * @param[out] *visits  false: skip its own datasets, but not the groups within it
 */
typedef stoa_status (*stoa_group_enter)(void *context, hid_t group, const char *path, bool *visits,
                                        stoa_error *err);

/* Visits a group before the groups within it. libhdf5 prints nothing meanwhile. */
stoa_status stoa_groups_visit(hid_t loc, stoa_group_visit visit, void *context, stoa_error *err);
/* The same, with paths that begin with `base`. libhdf5 walks through the whole file to name a group
 * that was opened by its token, so pass a base where the names are not needed. */
stoa_status stoa_groups_visit_in(hid_t loc, const char *base, stoa_group_visit visit, void *context,
                                 stoa_error *err);
/* Visits the datasets of a group before the groups within it. */
stoa_status stoa_datasets_visit(hid_t loc, stoa_dataset_visit visit, void *context,
                                stoa_error *err);
/* The same, and reports what cannot be opened. */
stoa_status stoa_datasets_visit_or_report(hid_t loc, stoa_dataset_visit visit,
                                          stoa_unopened_visit unopened, void *context,
                                          stoa_error *err);
/* The same for the groups that `enter` selects; NULL: for all. Paths begin with `base`; NULL: with
 * libhdf5's name of `loc`. `unopened` may be NULL. */
stoa_status stoa_datasets_visit_in(hid_t loc, const char *base, stoa_group_enter enter,
                                   stoa_dataset_visit visit, stoa_unopened_visit unopened,
                                   void *context, stoa_error *err);

#endif
