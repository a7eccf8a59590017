/*
 * A snapshot of a table's links and references, held during an edit of its columns.
 *
 * An edit never changes a dataset of the table: it makes a new one and moves the link. The old
 * table therefore stays intact while its datasets are open. Restoring links and references undoes
 * the edit.
 */
#ifndef STOA_TABLE_SNAPSHOT_H
#define STOA_TABLE_SNAPSHOT_H

#include <stdbool.h>

#include "hdf/metadata/saved_attribute.h"

/* A hard link of a group, and the object it leads to. */
typedef struct stoa_member_link {
    char *name;
    hid_t object;
} stoa_member_link;

typedef struct stoa_member_links {
    hid_t group; /* H5I_INVALID_HID if the group does not exist */
    stoa_member_link *items;
    size_t n;
} stoa_member_links;

/* A saved attribute of the table's group or of a column, which an edit may write. */
typedef struct stoa_snapshot_attribute {
    hid_t object; /* borrowed from the links */
    const char *name;
    stoa_saved_attribute kept;
    bool is_damaged; /* could not be read, so it cannot be restored */
} stoa_snapshot_attribute;

/* Start from STOA_SNAPSHOT_INIT; free with stoa_snapshot_clear(). */
typedef struct stoa_snapshot {
    stoa_member_links table;
    stoa_member_links categories;
    stoa_member_links indexes;
    stoa_snapshot_attribute *notes;
    size_t n_notes;
    bool is_whole; /* complete; an incomplete snapshot must not be restored */
} stoa_snapshot;

#define STOA_SNAPSHOT_INIT                                                                         \
    {                                                                                              \
        .table = {.group = H5I_INVALID_HID}, .categories = {.group = H5I_INVALID_HID},             \
        .indexes = {                                                                               \
            .group = H5I_INVALID_HID                                                               \
        }                                                                                          \
    }

stoa_status stoa_snapshot_take(hid_t group, stoa_snapshot *snapshot, stoa_error *err);
/* Save one more attribute; `object` and `name` are borrowed. */
stoa_status stoa_snapshot_keep(stoa_snapshot *snapshot, hid_t object, const char *name,
                               stoa_error *err);
/* Restore links and attributes as far as possible. Errors are ignored. */
void stoa_snapshot_restore(const stoa_snapshot *snapshot);
void stoa_snapshot_clear(stoa_snapshot *snapshot);

#endif
