/* A CSR or CSC group of AnnData, open for reading (<stoa/matrix_group.h>). A "line" is a row of
 * CSR, or a column of CSC. */
#ifndef STOA_LAYOUT_ANNDATA_GROUP_H
#define STOA_LAYOUT_ANNDATA_GROUP_H

#include <stoa/matrix_group.h>

#include "hdf/read/checked_reader.h"

/* One of the three datasets. */
typedef struct stoa_anndata_group_part {
    hid_t dataset;
    hid_t type; /* of elements in memory */
    uint64_t n;
    stoa_checked_reader reader;
} stoa_anndata_group_part;

typedef struct stoa_anndata_group {
    stoa_read_context *context; /* of its datasets, with little memory */
    hid_t group;
    bool is_csr;
    bool is_legacy; /* written before AnnData 0.7 */
    uint64_t shape[2];
    uint64_t n_lines;
    stoa_anndata_group_part pointers; /* int64_t */
    stoa_anndata_group_part indices;  /* of index_size bytes */
    stoa_anndata_group_part values;   /* in storage form */
    unsigned index_size;
    stoa_matrix_duplicates duplicates;
} stoa_anndata_group;

/* Open a group, and check all of it but pointers and indices. Close it in every case.
 *
 * @param type  of values in memory. H5I_INVALID_HID: they stay as they are stored, and indices are
 * int32 if that holds all of them, else int64 */
stoa_status stoa_anndata_group_open(hid_t loc, const char *path, hid_t type, stoa_anndata_group *g,
                                    stoa_error *err);
stoa_status stoa_anndata_group_close(stoa_anndata_group *g, stoa_status status, stoa_error *err);

/* Read where lines [first, first + count) begin, and where the last one ends. The numbers ascend
 * within the entries that there are.
 *
 * @param[out] pointers  shape (count + 1,) */
stoa_status stoa_anndata_group_pointers(stoa_anndata_group *g, uint64_t first, uint64_t count,
                                        int64_t *pointers, stoa_error *err);
/* Read indices and values of entries [first, first + n). `values` may be NULL. */
stoa_status stoa_anndata_group_entries(stoa_anndata_group *g, uint64_t first, uint64_t n,
                                       void *indices, void *values, stoa_error *err);

/* Index i, of 4 or 8 bytes. */
static inline int64_t stoa_anndata_index(const void *indices, unsigned size, uint64_t i)
{
    return size == 4 ? ((const int32_t *)indices)[i] : ((const int64_t *)indices)[i];
}
static inline void stoa_anndata_put_index(void *indices, unsigned size, uint64_t i, int64_t index)
{
    if (size == 4) {
        ((int32_t *)indices)[i] = (int32_t)index;
    } else {
        ((int64_t *)indices)[i] = index;
    }
}

#endif
