/* H5Ocopy() under the connector: connector_copy.c copies datasets, connector_copy_tree.c copies
 * groups that contain such datasets, and connector_copy_check.c validates both beforehand. */
#ifndef STOA_SPARSE_CONNECTOR_COPY_H
#define STOA_SPARSE_CONNECTOR_COPY_H

#include "sparse/connector/connector_dataset.h"

/* Where the caller wants the copy, and how. */
typedef struct stoa_copy_target {
    stoa_link *at;
    const H5VL_loc_params_t *here;
    const char *name;
    hid_t ocpypl;
    hid_t lcpl;
    bool has_attributes;
} stoa_copy_target;

/* Open the dataset of that name. NULL if there is none, or if it cannot be opened. */
stoa_link *stoa_copy_open(const stoa_link *at, const H5VL_loc_params_t *there, const char *name,
                          hid_t dxpl);
/* Whether the dataset has variable-length elements, and the store knows which are defined. */
bool stoa_copy_is_variable(const stoa_link *dataset);

/* Append the names of all datasets that an object is or contains, each terminated by '\0'. */
stoa_status stoa_copy_list(const stoa_link *at, const H5VL_loc_params_t *there, const char *name,
                           hid_t dxpl, stoa_buffer *names, stoa_error *err);
/* Check that libhdf5 can copy each of these datasets without corrupting this process. STOA_EDATA if
 * a dataset has a chunk that is not completely in the file. */
stoa_status stoa_copy_check(const stoa_link *from, const H5VL_loc_params_t *there, const char *name,
                            hid_t dxpl, stoa_error *err);
/*
 * Check one dataset.
 *
 * @param n_file     size of its file in bytes
 * @param n_address  size of a file address in bytes
 */
stoa_status stoa_copy_check_chunks(const stoa_chunk_io *io, hid_t dcpl, hid_t type, hid_t space,
                                   uint64_t n_file, size_t n_address, stoa_error *err);

/* Create a dataset like the open dataset `from`, and fill it. */
stoa_status stoa_copy_alike(stoa_link *from, const stoa_copy_target *t, hid_t dxpl,
                            stoa_error *err);
/* Define in the copy the elements that are defined and empty in the source. libhdf5 does not see
 * them. */
stoa_status stoa_copy_empty(stoa_store *from, stoa_store *to, stoa_error *err);
/* Unlink the object at the target, if possible. */
void stoa_copy_remove(const stoa_copy_target *t, hid_t dxpl);

/*
 * Copy a dataset of variable-length elements that libhdf5 cannot copy completely.
 *
 * @param[out] is_one  false if it is not such a dataset; nothing was done then
 */
herr_t stoa_copy_dataset(stoa_link *from, const H5VL_loc_params_t *there, const char *name,
                         const stoa_copy_target *t, hid_t dxpl, bool *is_one);
/* Copy any other object with its contents. */
herr_t stoa_copy_tree(stoa_link *from, const H5VL_loc_params_t *there, const char *name,
                      const stoa_copy_target *t, hid_t dxpl);

#endif
