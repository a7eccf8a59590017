/*
 * The files that an Arkouda object lies in: one, or one of each locale (Arkouda notes §D, §K).
 */
#ifndef STOA_LAYOUT_ARKOUDA_SET_H
#define STOA_LAYOUT_ARKOUDA_SET_H

#include <stoa/file.h>

#include "hdf/ids.h"
#include "hdf/shelf.h"
#include "layout/arkouda/arkouda.h"

/* Held by everything that reads from it, and closed with the last. Not for several threads. */
typedef struct stoa_arkouda_set {
    size_t n_holders;
    size_t n;           /* files, in the order of their numbers */
    hid_t *roots;       /* of each file */
    char **names;       /* of each file */
    stoa_file **opened; /* those that the set itself has opened; NULL: the caller's */
    stoa_shelf *shelf;  /* of all datasets */
    bool widens;        /* files may hold an array in different widths; the opener's to set */
} stoa_arkouda_set;

/*
 * The files of an object of one of them.
 *
 * @param file      the name of its file
 * @param[out] set  the caller's, released by stoa_arkouda_set_release()
 * @return STOA_EDATA where a file of the set is missing, naming it; what stoa_file_open() fails
 *         with, of the others
 */
stoa_status stoa_arkouda_set_open(hid_t object, const char *file, stoa_arkouda_set **set,
                                  stoa_error *err);
stoa_arkouda_set *stoa_arkouda_set_hold(stoa_arkouda_set *set);
/* NULL is fine. */
void stoa_arkouda_set_release(stoa_arkouda_set *set);

/* An object by its absolute path in file k; H5I_INVALID_HID where it is not. */
hid_t stoa_arkouda_set_object(const stoa_arkouda_set *set, size_t k, const char *path);
/* stoa_at() an object in file k. */
stoa_status stoa_arkouda_set_at(const stoa_arkouda_set *set, size_t k, const char *path,
                                stoa_status status, stoa_error *err);
/* Whether a name has _LOCALE and four digits or more in its last part: *at, and *n_digits. */
bool stoa_arkouda_is_locale_file(const char *file, size_t *at, size_t *n_digits);
/* Whether a file is one of several, by its root or else by its name (§D). */
bool stoa_arkouda_is_distributed(hid_t root, const char *file);

#endif
