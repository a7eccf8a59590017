/* Copies a group and everything that hard links below it lead to. */
#ifndef STOA_HDF_CLONE_H
#define STOA_HDF_CLONE_H

#include <stoa/progress.h>

#include "hdf/ids.h"

/* Callbacks for datasets that get another storage in the copy (other chunks or filters), and for
 * objects that are left out. */
typedef struct stoa_other_storage {
    void *context;
    /* Whether `source` gets another storage. `creation` holds the creation properties of `source`
     * and receives those of the copy, unless it is H5I_INVALID_HID. */
    stoa_status (*choose)(void *context, hid_t source, hid_t creation, bool *is_other,
                          stoa_error *err);
    /* Change the datatype of the copy, which begins as that of `source`. May be NULL. Called for
     * datasets that `choose` selects. */
    stoa_status (*retype)(void *context, hid_t source, hid_t type, stoa_error *err);
    /* Change the shape of the copy, which begins as that of `source`. May be NULL. Called for
     * datasets that `choose` selects. */
    stoa_status (*reshape)(void *context, hid_t source, hid_t space, stoa_error *err);
    /* Copy the elements. Called for references and variable-length elements only if `has_own` is
     * true for the dataset or its copy. */
    stoa_status (*fill)(void *context, hid_t source, hid_t copy, stoa_error *err);
    /* Whether libhdf5 cannot tell which variable-length elements of a dataset are defined, or
     * cannot read them. Such a dataset is copied by `copy` unless `choose` selects it. */
    bool (*has_own)(void *context, hid_t dataset);
    stoa_status (*copy)(void *context, hid_t source, hid_t copy, stoa_error *err);
    /* Whether hard links to an object are left out, with everything that is only reachable through
     * it. May be NULL. It has a context of its own because its owner differs from that of
     * `choose`. */
    bool (*is_left)(const void *left, const H5O_token_t *token);
    const void *left;
    bool is_earliest; /* of a whole file: objects get the earliest formats that can hold them */
    /* The copy replaces the whole file: links and storage in other files stay as they are. */
    bool keeps_elsewhere;
} stoa_other_storage;

/*
 * Make `to` a copy of the group `from`. `to` is an empty group of the same file or another one. It
 * may be unlinked, and has the creation properties of `from` as far as possible.
 *
 * Preserved are:
 * - datasets, with their storage unchanged, unless `other` chooses them or their elements are
 *   references or vary in length,
 * - hard links that are shared within or between groups, and soft, external and user-defined links,
 * - creation order, comments, and references of every type,
 * - attributes with their datatypes, and committed datatypes as one object.
 *
 * Links and objects come first, the attributes of `from` last, so that an incomplete copy is not
 * mistaken for a complete one.
 *
 * In the same file, committed datatypes and the targets of references outside of `from` are shared.
 * External storage and virtual datasets are kept. In another file, their values are written if they
 * may be read (other_files.h).
 *
 * @param other        NULL: all storage is kept
 * @param listener     progress in bytes of storage; may be NULL
 * @param total_bytes  the total that the listener is told
 * @return STOA_ELOSS, naming the object that cannot be copied without loss
 */
stoa_status stoa_clone_group(hid_t from, hid_t to, const stoa_other_storage *other,
                             const stoa_listener *listener, uint64_t total_bytes, stoa_error *err);

/* Bytes that a dataset occupies, for the progress; 0 if unknown. */
uint64_t stoa_stored_bytes(hid_t dataset);

#endif
