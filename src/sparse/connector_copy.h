/* What the files of H5Ocopy() under the connector share: connector_copy.c has datasets,
 * connector_copy_tree.c groups with such in them, and connector_copy_check.c looks at both first.
 */
#ifndef STOA_SPARSE_CONNECTOR_COPY_H
#define STOA_SPARSE_CONNECTOR_COPY_H

#include "sparse/connector_dataset.h"

/* What the caller wants, where. */
typedef struct stoa_copy_target {
    stoa_link *at;
    const H5VL_loc_params_t *here;
    const char *name;
    hid_t ocpypl;
    hid_t lcpl;
    bool has_attributes;
} stoa_copy_target;

/* The dataset of that name; NULL: there is none, or it cannot be opened. */
stoa_link *stoa_copy_open(const stoa_link *at, const H5VL_loc_params_t *there, const char *name,
                          hid_t dxpl);
/* Whether its elements are of variable length, and the store can tell which are defined. */
bool stoa_copy_is_variable(const stoa_link *dataset);

/* Names of the datasets that an object is or holds, below it, each with its '\0'; appended. */
stoa_status stoa_copy_list(const stoa_link *at, const H5VL_loc_params_t *there, const char *name,
                           hid_t dxpl, stoa_buffer *names, stoa_error *err);
/* Whether libhdf5 can copy each of them without harm to this process: STOA_EDATA where one has a
 * chunk that is not whole in the file. */
stoa_status stoa_copy_check(const stoa_link *from, const H5VL_loc_params_t *there, const char *name,
                            hid_t dxpl, stoa_error *err);
/* The same of one dataset. `n_file`: bytes of its file; `n_address`: of an address there. */
stoa_status stoa_copy_check_chunks(const stoa_chunk_io *io, hid_t dcpl, hid_t type, hid_t space,
                                   uint64_t n_file, size_t n_address, stoa_error *err);

/* One of those, which is open, made alike and filled. */
stoa_status stoa_copy_alike(stoa_link *from, const stoa_copy_target *t, hid_t dxpl,
                            stoa_error *err);
/* Define in the copy what is defined in the source and empty, which libhdf5 does not see. */
stoa_status stoa_copy_empty(stoa_store *from, stoa_store *to, stoa_error *err);
/* Unlink whatever is at the target, as far as that can be. */
void stoa_copy_remove(const stoa_copy_target *t, hid_t dxpl);

/*
 * A dataset of elements of variable length, which libhdf5 cannot copy, or not all of.
 *
 * @param[out] is_one  false: it is none, nothing was done
 */
herr_t stoa_copy_dataset(stoa_link *from, const H5VL_loc_params_t *there, const char *name,
                         const stoa_copy_target *t, hid_t dxpl, bool *is_one);
/* Anything else, and what is in it. */
herr_t stoa_copy_tree(stoa_link *from, const H5VL_loc_params_t *there, const char *name,
                      const stoa_copy_target *t, hid_t dxpl);

#endif
