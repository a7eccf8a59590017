/*
 * Other files that a file leads to: by external links, external storage, virtual datasets, and
 * references (docs/security.md).
 *
 * Two doors are watched. A file that Stoa opened is read through its own driver, and libhdf5 opens
 * what external links and virtual datasets lead to by the same driver: it asks
 * stoa_elsewhere_open(). libhdf5 opens external storage itself, and takes a source of a virtual
 * dataset that it may not open for one that is not there, and so for missing values: the dataset
 * is looked at before its values are read (stoa_values_may_be_read, in stoa_chunks_check) or
 * written (stoa_values_may_be_written).
 */
#ifndef STOA_HDF_ELSEWHERE_H
#define STOA_HDF_ELSEWHERE_H

#include <limits.h>
#include <stdbool.h>
#include <stoa/file.h>

#include "hdf/ids.h"

/* Which other files may be opened, and how. */
typedef struct stoa_elsewhere {
    stoa_file_patience patience;
    bool is_followed;         /* regular files below the directory; else none is */
    char directory[PATH_MAX]; /* of the file that was opened first, symbolic links resolved */
} stoa_elsewhere;

/* None, unless a reader asks for them. */
#define STOA_ELSEWHERE_INIT                                                                        \
    {                                                                                              \
        .patience = STOA_FILE_PATIENCE_INIT                                                        \
    }

/* What a file may lead to, where its reader asks for that; the patience is left as it is. */
stoa_status stoa_elsewhere_below(const char *file, stoa_elsewhere *elsewhere, stoa_error *err);

/*
 * Open another file, read-only, if that may be: a regular file below the directory.
 *
 * Symbolic links in the name are resolved first; then every part of what they led to is opened in
 * the one before it, and none may be a link: if one becomes a link meanwhile, this fails. Nothing
 * waits, and devices are not opened.
 *
 * @param[out] fd  the caller's
 * @return 0 or an errno value; EACCES: it may not be opened
 */
int stoa_elsewhere_open(const stoa_elsewhere *elsewhere, const char *name, int *fd);

/* Whether Stoa opened an object's file: nothing of an edit is in it before its commit. */
bool stoa_is_in_own_file(hid_t object);

/* Whether the reader of an object's file asked for other files. */
bool stoa_follows_elsewhere(hid_t object);
/* For how long it waits; the default where a program opened the file itself. */
stoa_file_patience stoa_patience_of(hid_t object);

/*
 * Link access properties that lead into no other file, for names in a file that a program opened
 * itself: its driver asks nobody. The caller's; H5P_DEFAULT of a file that Stoa opened. Negative on
 * failure.
 */
hid_t stoa_access_here(hid_t loc);
void stoa_access_close(hid_t access);

/* Whether a dataset's extent may be asked for: of a virtual one, libhdf5 opens the sources for
 * that, in a file that a program opened itself, too. */
bool stoa_extent_is_here(hid_t dataset);

/* H5Oopen() with such properties. A dataset whose extent may not be asked for is not opened in a
 * file that a program opened itself. */
hid_t stoa_open_with(hid_t loc, const char *path, hid_t access);

/* Whether a dataset's values are in other files, or in other datasets, which may change on their
 * own: external storage and virtual datasets. */
bool stoa_values_are_elsewhere(hid_t dcpl);
/* The same of a dataset; false where that cannot be told, for it cannot be read either. */
bool stoa_dataset_is_elsewhere(hid_t dataset);

/*
 * Whether the values of a dataset, whose creation properties are `dcpl`, may be read: they lie in
 * its own file, or in files that may be opened, and can be. Else the message names the file.
 *
 * What libhdf5 opens by itself (external storage) was looked at a moment before: in that moment
 * another process can still put something else in its place.
 */
stoa_status stoa_values_may_be_read(hid_t dataset, hid_t dcpl, stoa_error *err);
/* The same, with the properties looked up. */
stoa_status stoa_dataset_may_be_read(hid_t dataset, stoa_error *err);
/* Values that are elsewhere are never written. */
stoa_status stoa_values_may_be_written(hid_t dataset, stoa_error *err);

/* Creation properties of a dataset whose values are elsewhere (its own datatype is `type`), made
 * over for one that holds them: contiguous, with the same fill value. */
stoa_status stoa_creation_here(hid_t *creation, hid_t type, stoa_error *err);

/* The name of the other file that an object at `path` lies in, by an external link on the way to
 * it, soft links followed: fresh (free()). NULL: in none; or memory runs out. No file is opened. */
char *stoa_path_leads_to(hid_t loc, const char *path);

/* Why an object at a path was not opened: it cannot be, for damage; it lies in another file; or
 * there is none, as `what` says. `file`: of what 'stoa ls' lists; NULL: it is not named. */
stoa_status stoa_object_not_found(hid_t loc, const char *path, const char *what, const char *file,
                                  stoa_error *err);

#endif
