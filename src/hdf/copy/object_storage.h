/* Deletes and copies objects after checking where they are stored. */
#ifndef STOA_HDF_OBJECT_STORAGE_H
#define STOA_HDF_OBJECT_STORAGE_H

#include "hdf/ids.h"

/*
 * H5Ldelete(), unless the storage of the objects below the link cannot be freed safely.
 *
 * libhdf5 1.14 frees whatever an object claims as its own. If that includes the superblock, or the
 * same bytes twice, libhdf5 loops over its free space for ever, frees its own memory twice, or
 * reuses space that other objects occupy. So all blocks of the objects below the link are collected
 * first (footprint.h). They must lie within the file and not overlap. Otherwise the call is
 * refused, with an entry in libhdf5's error stack. In a file that a program opened itself, only the
 * storage of values is checked.
 */
herr_t stoa_unlink(hid_t loc, const char *name);
/* The same for objects that are dispensable, such as a search index. If their storage cannot be
 * freed, the link is deleted anyway. The bytes then remain in the file until it is repacked. */
herr_t stoa_unlink_or_leave(hid_t loc, const char *name);

/*
 * H5Ocopy(), unless a part of the object lies outside of the file.
 *
 * libhdf5 1.14 allocates a buffer of the size that the chunk index states. If the chunk cannot be
 * read, it frees the buffer twice.
 */
herr_t stoa_object_copy(hid_t from, const char *name, hid_t to, const char *new_name,
                        hid_t properties, hid_t lcpl);

/* Check an object's storage in the same way before the first change to it, since edits free blocks,
 * too. */
stoa_status stoa_storage_may_change(hid_t object, stoa_error *err);

#endif
