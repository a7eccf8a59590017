/* What groups are made with, and emptied of: for those that become like another. */
#ifndef STOA_HDF_GROUPS_H
#define STOA_HDF_GROUPS_H

#include "hdf/ids.h"

/* The creation properties of a group, dataset or committed datatype: *list is the caller's. */
stoa_status stoa_creation_list(hid_t object, hid_t *list, stoa_error *err);

/* Creation properties of a group, into a list for new groups or files: the order and the storage of
 * links and attributes, and whether times are noted. (The list H5Gget_create_plist() gives makes no
 * new groups: it knows where the links of the old one are.) */
stoa_status stoa_group_inherit(hid_t group, hid_t list, stoa_error *err);
/* A list of those; the caller's. */
stoa_status stoa_group_creation(hid_t group, hid_t *list, stoa_error *err);

/* The comment of an object, if it has one, for another object. */
stoa_status stoa_comment_copy(hid_t from, hid_t to, stoa_error *err);

/* Take everything out of a group again: links and attributes. */
stoa_status stoa_group_empty(hid_t group, stoa_error *err);
/* Take the links out alone, as far as that can be done: where something failed anyhow. */
void stoa_group_unlink_all(hid_t group);

#endif
