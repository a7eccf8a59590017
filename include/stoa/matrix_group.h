/* Sparse matrices as AnnData stores them: a group with the datasets data, indices and indptr. Its
 * attributes are encoding-type ("csr_matrix", "csc_matrix"), encoding-version ("0.1.0") and shape.
 * AnnData before 0.7 calls them h5sparse_format ("csr", "csc") and h5sparse_shape. A group of 10x
 * Genomics has no attributes: it is CSC, and has the datasets shape and barcodes as well. */
#ifndef STOA_MATRIX_GROUP_H
#define STOA_MATRIX_GROUP_H

#include <stoa/progress.h>
#include <stoa/sparse_matrix.h>

STOA_BEGIN_DECLS

/** Whether `path` is such a group; only its attributes are examined, and the names of its
 * members. */
STOA_API bool stoa_matrix_group_is_one(hid_t loc, const char *path);

/** What a matrix group says of itself. Start from STOA_MATRIX_GROUP_INFO_INIT. */
typedef struct stoa_matrix_group_info {
    size_t size;           /**< of this struct */
    stoa_matrix_form form; /**< STOA_MATRIX_CSR or STOA_MATRIX_CSC */
    uint64_t n_rows;
    uint64_t n_columns;
    uint64_t n_bytes; /**< size of its three datasets in the file; absent ones do not count */
} stoa_matrix_group_info;

#define STOA_MATRIX_GROUP_INFO_INIT                                                                \
    {                                                                                              \
        sizeof(stoa_matrix_group_info), STOA_MATRIX_COO, 0, 0, 0                                   \
    }

/**
 * @return STOA_ENOTFOUND, STOA_ELAYOUT, STOA_EVERSION, STOA_EDATA as stoa_matrix_group_import();
 *         STOA_EINVAL if `info` has no size
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_group_describe(hid_t loc, const char *path,
                                                                stoa_matrix_group_info *info,
                                                                stoa_error *err);

/**
 * Make a sparse array from a group. Only some lines (rows of CSR, columns of CSC) are in memory at
 * a time.
 *
 * Indices may have any integer type, and any order within a line. Entries at the same place are
 * added up, as in SciPy. If values are not numbers, such as booleans, the later one wins.
 *
 * @param group_loc  file or group that contains `group`
 * @param loc        of the array, as are `path`, `options` and `access`: see stoa_sparse_create()
 * @param listener   may be NULL
 * @param[out] array  yours, ended by stoa_sparse_commit() or _close(); NULL on failure. After a
 *                    failure, the entries written so far remain at `path`
 * @return STOA_ENOTFOUND; STOA_ELAYOUT if it is not such a group; STOA_EVERSION for another
 *         version; STOA_EDATA if it contradicts itself: lengths, pointers that do not ascend,
 *         indices outside of the shape; STOA_ETYPE for values of variable length
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_group_import(hid_t group_loc, const char *group,
                                                              hid_t loc, const char *path,
                                                              const stoa_sparse_options *options,
                                                              const stoa_sparse_access *access,
                                                              const stoa_listener *listener,
                                                              stoa_sparse **array, stoa_error *err);

/**
 * Read lines [first, first + count) of a group: rows of CSR, columns of CSC. No other entries are
 * read. Entries are those of the file: within a line they may have any order, and may repeat.
 *
 * @param type         of values in memory, borrowed; STOA_FILE_NATIVE
 * @param[out] matrix  in the group's form, with an index_size of 8 and pointers from 0. n_rows
 * (CSR) or n_columns (CSC) is `count`. Yours, released by stoa_matrix_clear(); empty after a
 * failure
 * @return STOA_ERANGE if there are fewer lines; STOA_ETYPE if values cannot be converted to `type`;
 *         else as stoa_matrix_group_import()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_group_read(hid_t loc, const char *path,
                                                            uint64_t first, uint64_t count,
                                                            hid_t type, stoa_matrix *matrix,
                                                            stoa_error *err);

/**
 * Write a sparse array of rank 2 as a new group, with entries in ascending order. The whole matrix
 * is in memory meanwhile. Indices are int32 if that is large enough, as in SciPy, else int64.
 *
 * @param form   STOA_MATRIX_CSR or STOA_MATRIX_CSC
 * @param path   intermediate groups are created
 * @param codec  of the three datasets, as in docs/codecs.md; NULL: "none"
 * @return STOA_EEXISTS if `path` exists; after another failure the new group is removed
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_group_export(stoa_sparse *array,
                                                              stoa_matrix_form form, hid_t loc,
                                                              const char *path, const char *codec,
                                                              stoa_error *err);

STOA_END_DECLS

#endif
