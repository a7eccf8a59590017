/* A copy of a group and of everything that hard links lead to from it. */
#ifndef STOA_HDF_CLONE_H
#define STOA_HDF_CLONE_H

#include <stoa/progress.h>

#include "hdf/ids.h"

/* Datasets that are to lie otherwise in the copy: in other chunks, through other filters; and what
 * is not to be in it at all. */
typedef struct stoa_other_storage {
    void *context;
    /* Whether `source` is one of them. `creation`, unless it is H5I_INVALID_HID, has the creation
     * properties of `source` and gets those of the copy. */
    stoa_status (*choose)(void *context, hid_t source, hid_t creation, bool *is_other,
                          stoa_error *err);
    /* Its elements, into the copy. Asked where these refer to something or vary in length only if
     * `has_own` says so of the dataset or the copy. */
    stoa_status (*fill)(void *context, hid_t source, hid_t copy, stoa_error *err);
    /* Whether libhdf5 cannot tell which elements of variable length are defined in a dataset, or
     * not even read them. One that is none of the others is copied by `copy` then. */
    bool (*has_own)(void *context, hid_t dataset);
    stoa_status (*copy)(void *context, hid_t source, hid_t copy, stoa_error *err);
    /* Whether hard links to an object are left out, with everything that only it leads to; NULL:
     * none are. Its own context, for who leaves out is not who stores otherwise. */
    bool (*is_left)(const void *left, const H5O_token_t *token);
    const void *left;
    /* The copy takes the place of the whole file: what leads to other files stays as it is. */
    bool keeps_elsewhere;
} stoa_other_storage;

/*
 * Make `to` a copy of the group `from`: an empty group of the same file or another one, linked or
 * not, made with the creation properties of `from` as far as that could be done.
 *
 * What is kept: datasets with their storage as it lies on disk (where elements neither refer to
 * something nor vary in length, and `other` does not choose them), hard links that several groups
 * (or one) share, soft, external and user-defined links, creation order, attributes with their
 * datatypes, committed datatypes as one object, comments, references of every type. Links and
 * objects come first, attributes of `from` last, so that nobody takes half a copy for a whole one.
 *
 * In the same file, committed datatypes and what references outside of `from` lead to are shared,
 * and external storage and virtual datasets stay that. In another one their values are written,
 * where they may be read (elsewhere.h).
 *
 * @param other        NULL: none lie otherwise
 * @param listener     may be NULL; told bytes of storage
 * @param total_bytes  that it is told as the total
 * @return STOA_ELOSS naming the object that cannot be copied without loss
 */
stoa_status stoa_clone_group(hid_t from, hid_t to, const stoa_other_storage *other,
                             const stoa_listener *listener, uint64_t total_bytes, stoa_error *err);

/* Bytes that a dataset takes up, for the progress; 0 where that cannot be told. */
uint64_t stoa_stored_bytes(hid_t dataset);

#endif
