/*
 * What a table's groups link and refer to, held while an edit of its columns is made.
 *
 * An edit never changes a dataset that the table has: it makes another one and gives it the link.
 * So the old table is whole as long as somebody holds its datasets, and putting the links and the
 * references back is all that undoing takes.
 */
#ifndef STOA_TABLE_SNAPSHOT_H
#define STOA_TABLE_SNAPSHOT_H

#include <stdbool.h>

#include "hdf/kept.h"

/* A hard link of a group, and the object that it leads to. */
typedef struct stoa_member_link {
    char *name;
    hid_t object;
} stoa_member_link;

typedef struct stoa_member_links {
    hid_t group; /* H5I_INVALID_HID: there is no such group */
    stoa_member_link *items;
    size_t n;
} stoa_member_links;

/* An attribute that edits write, of the table's group or of a column. */
typedef struct stoa_kept_note {
    hid_t object; /* borrowed from the links */
    const char *name;
    stoa_kept kept;
    bool is_damaged; /* could not be taken, so it cannot be put back */
} stoa_kept_note;

/* Start from STOA_SNAPSHOT_INIT; free with stoa_snapshot_clear(). */
typedef struct stoa_snapshot {
    stoa_member_links table;
    stoa_member_links categories;
    stoa_member_links indexes;
    stoa_kept_note *notes;
    size_t n_notes;
    bool is_whole; /* half of one would undo too much */
} stoa_snapshot;

#define STOA_SNAPSHOT_INIT                                                                         \
    {                                                                                              \
        .table = {.group = H5I_INVALID_HID}, .categories = {.group = H5I_INVALID_HID},             \
        .indexes = {                                                                               \
            .group = H5I_INVALID_HID                                                               \
        }                                                                                          \
    }

stoa_status stoa_snapshot_take(hid_t group, stoa_snapshot *snapshot, stoa_error *err);
/* Hold one more attribute; `object` and `name` are borrowed. */
stoa_status stoa_snapshot_keep(stoa_snapshot *snapshot, hid_t object, const char *name,
                               stoa_error *err);
/* Put links and attributes back as they were, as far as that can be done, in silence. */
void stoa_snapshot_restore(const stoa_snapshot *snapshot);
void stoa_snapshot_clear(stoa_snapshot *snapshot);

#endif
