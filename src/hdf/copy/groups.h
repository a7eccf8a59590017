/* Creation properties, comments and contents of groups, for groups that become copies of others. */
#ifndef STOA_HDF_GROUPS_H
#define STOA_HDF_GROUPS_H

#include "hdf/ids.h"

/* The creation properties of a group, dataset or committed datatype. The caller closes *list. */
stoa_status stoa_creation_list(hid_t object, hid_t *list, stoa_error *err);

/* Copy a group's creation properties into a list for new groups or files: order and storage of
 * links and attributes, and whether times are tracked. (The list of H5Gget_create_plist() cannot
 * create groups: it contains the location of the old group's links.) */
stoa_status stoa_group_inherit(hid_t group, hid_t list, stoa_error *err);
/* A new list with these properties. The caller closes it. */
stoa_status stoa_group_creation(hid_t group, hid_t *list, stoa_error *err);

/* Copy the comment of an object, if it has one. */
stoa_status stoa_comment_copy(hid_t from, hid_t to, stoa_error *err);

/* Delete all links and attributes of a group. */
stoa_status stoa_group_empty(hid_t group, stoa_error *err);
/* Delete only the links, as far as possible. Used after a failure. */
void stoa_group_unlink_all(hid_t group);

#endif
