/* Writes sparse arrays as CSR and CSC groups of AnnData (<stoa/matrix_group.h>). */
#include <stdlib.h>
#include <stoa/matrix_group.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/common/matrix_dataset.h"

stoa_status stoa_anndata_write_shape(hid_t group, const uint64_t *shape, stoa_error *err)
{
    hid_t space = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){2}, NULL), "make a dataspace");
    STOA_TRY(stoa_attribute_make(group, "shape", H5T_STD_I64LE, space, &attribute, err));
    STOA_HDF(err, H5Awrite(attribute, H5T_NATIVE_UINT64, shape), "write an attribute");

done:
    status = stoa_hdf_close(&attribute, status, err);
    return stoa_hdf_close(&space, status, err);
}

static stoa_status fill_group(hid_t group, const stoa_matrix *m, hid_t type, const char *codec,
                              stoa_error *err)
{
    const bool is_csr = m->form == STOA_MATRIX_CSR;
    const hid_t integer = m->index_size == 4 ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64;

    STOA_RETURN_NOT_OK(
        stoa_anndata_encode(group, is_csr ? "csr_matrix" : "csc_matrix", "0.1.0", err));
    STOA_RETURN_NOT_OK(
        stoa_anndata_write_shape(group, (const uint64_t[]){m->n_rows, m->n_columns}, err));
    STOA_RETURN_NOT_OK(stoa_matrix_dataset_write(group, "data", type, m->n, m->values, codec, err));
    STOA_RETURN_NOT_OK(stoa_matrix_dataset_write(group, "indices", integer, m->n,
                                                 is_csr ? m->columns : m->rows, codec, err));
    return stoa_matrix_dataset_write(
        group, "indptr", integer, (is_csr ? m->n_rows : m->n_columns) + 1, m->pointers, codec, err);
}

/* The group is filled before it has a name, so that a failure leaves nothing behind. */
stoa_status stoa_anndata_write_matrix(hid_t loc, const char *path, const stoa_matrix *m, hid_t type,
                                      const char *codec, stoa_error *err)
{
    hid_t group = H5I_INVALID_HID;
    hid_t lcpl = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, lcpl = H5Pcreate(H5P_LINK_CREATE), "make a list");
    STOA_HDF(err, H5Pset_create_intermediate_group(lcpl, 1), "make groups on the way");
    STOA_HDF(err, group = H5Gcreate_anon(loc, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    STOA_TRY(fill_group(group, m, type, codec, err));
    STOA_HDF(err, stoa_link_nameless(group, loc, path, lcpl), "make '%s'", path);

done:
    status = stoa_hdf_close(&group, status, err);
    return stoa_hdf_close(&lcpl, status, err);
}

static bool is_taken(hid_t loc, const char *path)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const htri_t exists =
        H5Lexists(loc, path, H5P_DEFAULT); /* fails if a group on the way is missing */

    stoa_error_stack_discard(&errors);
    return exists > 0;
}

stoa_status stoa_matrix_group_export(stoa_sparse *array, stoa_matrix_form form, hid_t loc,
                                     const char *path, const char *codec, stoa_error *err)
{
    stoa_matrix m = {.n = 0};
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_status status = STOA_OK;

    if (form != STOA_MATRIX_CSR && form != STOA_MATRIX_CSC) {
        STOA_FAIL(err, STOA_EINVAL, "AnnData has CSR and CSC matrices");
    }
    if (is_taken(loc, path)) {
        STOA_FAIL(err, STOA_EEXISTS, "'%s' is there already", path);
    }
    STOA_TRY(stoa_sparse_describe(array, &info, err));
    if (info.rank != 2) {
        STOA_FAIL(err, STOA_EINVAL, "a matrix has 2 dimensions, this array %u", info.rank);
    }
    const bool is_narrow =
        info.extent[0] <= INT32_MAX && info.extent[1] <= INT32_MAX && info.n_defined <= INT32_MAX;
    const hid_t type = info.native_type; /* owned by the array while it is open */
    STOA_TRY(stoa_matrix_read(array, form, is_narrow ? 4 : 8, STOA_FILE_NATIVE, &m, err));
    STOA_TRY(stoa_anndata_write_matrix(loc, path, &m, type, codec, err));

done:
    stoa_matrix_clear(&m);
    return status;
}
