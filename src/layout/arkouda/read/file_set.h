/* The files of an Arkouda object: a single file, or one per locale (Arkouda notes §D, §K). */
#ifndef STOA_LAYOUT_ARKOUDA_FILE_SET_H
#define STOA_LAYOUT_ARKOUDA_FILE_SET_H

#include <stoa/file.h>

#include "hdf/ids.h"
#include "hdf/read/read_context.h"
#include "layout/arkouda/read/arkouda.h"

/* Shared by all readers of it, and closed with the last. Not thread-safe. */
typedef struct stoa_arkouda_set {
    size_t n_holders;
    size_t n;                        /* number of files, which are ordered by their numbers */
    hid_t *roots;                    /* of each file */
    char **names;                    /* of each file */
    stoa_file **opened;              /* files that the set has opened; NULL for the caller's */
    stoa_read_context *read_context; /* read context of all datasets */
    bool widens; /* files may hold an array in different widths; set by the opener */
} stoa_arkouda_set;

/*
 * Open all files of the set that an object's file belongs to.
 *
 * @param file      name of the object's file
 * @param[out] set  the caller releases it by stoa_arkouda_set_release()
 * @return STOA_EDATA, naming a missing file of the set; or a failure of stoa_file_open() for
 *         another file
 */
stoa_status stoa_arkouda_set_open(hid_t object, const char *file, stoa_arkouda_set **set,
                                  stoa_error *err);
stoa_arkouda_set *stoa_arkouda_set_hold(stoa_arkouda_set *set);
/* Accepts NULL. */
void stoa_arkouda_set_release(stoa_arkouda_set *set);

/* Open an object by its absolute path in file k; H5I_INVALID_HID if it is missing. */
hid_t stoa_arkouda_set_object(const stoa_arkouda_set *set, size_t k, const char *path);
/* stoa_at() for an object in file k. */
stoa_status stoa_arkouda_set_at(const stoa_arkouda_set *set, size_t k, const char *path,
                                stoa_status status, stoa_error *err);
/* The number of the write that made a file of a set what it is; 0 if it has none. */
int64_t stoa_arkouda_write_of(hid_t root);
/* Say that a file of a set is of another write than the first. */
stoa_status stoa_arkouda_other_write(const char *file, const char *first, stoa_error *err);
/* Whether the last part of a name has _LOCALE and at least four digits. Sets *at and *n_digits. */
bool stoa_arkouda_is_locale_file(const char *file, size_t *at, size_t *n_digits);
/* Whether a file is one of several, by its root or else by its name (§D). */
bool stoa_arkouda_is_distributed(hid_t root, const char *file);

#endif
