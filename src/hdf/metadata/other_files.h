/*
 * Access to other files through external links, external storage, virtual datasets and references
 * (docs/security.md).
 *
 * There are two checks. A file that Stoa opened uses Stoa's driver, and libhdf5 opens the targets
 * of its external links and virtual datasets by the same driver, which calls
 * stoa_other_files_open(). libhdf5 opens external storage itself. It also treats a source of a
 * virtual dataset that it may not open as absent, and its values as missing. So such a dataset is
 * checked before its values are read (stoa_values_may_be_read, in stoa_chunks_check) or written
 * (stoa_values_may_be_written).
 */
#ifndef STOA_HDF_OTHER_FILES_H
#define STOA_HDF_OTHER_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stoa/file.h>

#include "hdf/ids.h"

/* Which other files may be opened, and how. */
typedef struct stoa_other_files {
    stoa_file_patience patience;
    bool maps;                /* files are read from memory maps */
    bool is_followed;         /* regular files below `directory` may be opened; else none */
    char directory[PATH_MAX]; /* of the file that was opened first, symbolic links resolved */
} stoa_other_files;

/* No other file may be opened, unless the reader asks for it. */
#define STOA_OTHER_FILES_INIT                                                                      \
    {                                                                                              \
        .patience = STOA_FILE_PATIENCE_INIT                                                        \
    }

/* Allow files below the directory of `file`. The other members are not changed. */
stoa_status stoa_other_files_below(const char *file, stoa_other_files *elsewhere, stoa_error *err);

/*
 * Open another file read-only, if allowed: a regular file below the directory.
 *
 * Symbolic links in the name are resolved first. Then each component of the result is opened
 * relative to the one before it, and may not be a link. So the call fails if a component is
 * replaced by a link meanwhile. It never blocks, and does not open devices.
 *
 * @param[out] fd  closed by the caller
 * @return 0 or an errno value; EACCES: it may not be opened
 */
int stoa_other_files_open(const stoa_other_files *elsewhere, const char *name, int *fd);

/* Whether Stoa opened an object's file. Edits of such a file reach it at the commit only. */
bool stoa_is_in_own_file(hid_t object);

/* Whether the reader of an object's file allowed other files. */
bool stoa_follows_elsewhere(hid_t object);
/* How long it waits for locks; the default if a program opened the file itself. */
stoa_file_patience stoa_patience_of(hid_t object);
/* Whether it asked for memory maps (stoa_file_options.map). */
bool stoa_is_in_mapped_file(hid_t object);

/* Link access properties that follow no link into another file. They are needed in files that a
 * program opened itself, whose driver does not check. H5P_DEFAULT for a file that Stoa opened.
 * Close with stoa_access_close(). Negative on failure. */
hid_t stoa_access_here(hid_t loc);
void stoa_access_close(hid_t access);

/* Whether a dataset's extent may be queried. For a virtual dataset libhdf5 opens the sources to
 * answer, also in files that a program opened itself. */
bool stoa_extent_is_here(hid_t dataset);

/* H5Oopen() with such properties. In a file that a program opened itself, datasets whose extent may
 * not be queried are not opened. */
hid_t stoa_open_with(hid_t loc, const char *path, hid_t access);

/* Whether a dataset's values are in other files or datasets, which may change independently:
 * external storage and virtual datasets. */
bool stoa_values_are_elsewhere(hid_t dcpl);
/* The same for a dataset. False if that is unknown, since the dataset cannot be read then. */
bool stoa_dataset_is_elsewhere(hid_t dataset);

/*
 * Whether the values of a dataset with the creation properties `dcpl` may be read. They must be in
 * its own file, or in files that may and can be opened. Else the message names the file.
 *
 * Files that libhdf5 opens itself (external storage) are checked just before. Another process may
 * still replace them in between.
 */
stoa_status stoa_values_may_be_read(hid_t dataset, hid_t dcpl, stoa_error *err);
/* The same, looking up the properties. */
stoa_status stoa_dataset_may_be_read(hid_t dataset, stoa_error *err);
/* STOA_EINVAL for values in other files or datasets, which Stoa never writes. */
stoa_status stoa_values_may_be_written(hid_t dataset, stoa_error *err);

/* Replace the creation properties of such a dataset by those of one that stores its values itself:
 * contiguous, with the same fill value. `type` is the dataset's datatype. */
stoa_status stoa_creation_here(hid_t *creation, hid_t type, stoa_error *err);

/* Name of the other file that `path` leads into through an external link, following soft links.
 * NULL if there is none, or memory runs out. The caller frees it. No file is opened. */
char *stoa_path_leads_to(hid_t loc, const char *path);

/* Explain why the object at a path was not opened: it is damaged, it is in another file, or it does
 * not exist, as `what` says. `file` is named in a hint to run 'stoa ls'; NULL: no hint. */
stoa_status stoa_object_not_found(hid_t loc, const char *path, const char *what, const char *file,
                                  stoa_error *err);

#endif
