/* Objects deleted and copied whole, once it is known where they are stored. */
#ifndef STOA_HDF_STORAGE_H
#define STOA_HDF_STORAGE_H

#include "hdf/ids.h"

/*
 * H5Ldelete(), unless the storage of what hangs on the link cannot be given back.
 *
 * libhdf5 1.14 gives back what the object says is its own. Where that is the superblock, or the
 * same bytes twice, it merges free space for ever, frees its own memory twice, or hands out what
 * others still have. So all blocks of the objects below the link (footprint.h) are looked at first:
 * they must lie within the file, and apart from each other. What does not is refused with a line in
 * libhdf5's error stack. In a file that a program opened itself, only the values are looked at.
 */
herr_t stoa_unlink(hid_t loc, const char *name);
/* The same of what nobody needs, as a search index: where its storage cannot be given back, the
 * link goes all the same, and the bytes stay in the file until that is repacked. */
herr_t stoa_unlink_or_leave(hid_t loc, const char *name);

/*
 * H5Ocopy(), unless a dataset lies outside of the file.
 *
 * libhdf5 1.14 makes room for a chunk that is as large as the index says, and where the chunk
 * cannot be read then, it frees the room twice.
 */
herr_t stoa_object_copy(hid_t from, const char *name, hid_t to, const char *new_name,
                        hid_t properties, hid_t lcpl);

/* Edits give blocks back, too: what lies below an object is looked at in the same way before the
 * first change to it. */
stoa_status stoa_storage_may_change(hid_t object, stoa_error *err);

#endif
