/*
 * Matrix Market files (R. F. Boisvert, R. Pozo and K. A. Remington, NISTIR 5935), read into sparse
 * arrays and written from them.
 *
 * Reals become float64, integers int64, and complex numbers a compound {r, i} of float64, as in
 * h5py. The entries of a pattern become uint8 1. For symmetric, skew-symmetric and hermitian
 * matrices the other half is added. In the array format, which lists every element, the nonzero
 * ones become defined elements.
 */
#ifndef STOA_LAYOUT_MATRIX_MARKET_H
#define STOA_LAYOUT_MATRIX_MARKET_H

#include <stdio.h>
#include <stoa/progress.h>
#include <stoa/sparse_matrix.h>

/* A complex number in memory; and its element type, which the caller closes. Negative if libhdf5
 * failed. */
typedef struct stoa_complex {
    double r;
    double i;
} stoa_complex;

/* Whether a file, which may be compressed, begins as a Matrix Market file does; false if it cannot
 * be read. */
bool stoa_mtx_is_one(const char *name);

typedef struct stoa_mtx_options {
    const uint64_t *chunk; /* shape (2,); NULL for the default of stoa_sparse_create() */
    const char *codec;     /* of values; NULL for none */
    stoa_listener listener;
} stoa_mtx_options;

/*
 * Read a whole file. Values of duplicate entries are added, as in SciPy, except in patterns. Memory
 * grows with the entries that are present, not with the declared number.
 *
 * @param name         may end in .gz or .zst; "-" for standard input
 * @param[out] matrix  COO, with values of `type`; the caller frees it
 * @param[out] type    of elements in memory and in a file; the caller closes it
 * @return STOA_EDATA with the line number, if the file is no Matrix Market file
 */
stoa_status stoa_mtx_read(const char *name, const stoa_listener *listener, stoa_matrix *matrix,
                          hid_t *type, stoa_error *err);
/*
 * Read a file into a new array.
 *
 * @param[out] n_entries  of the array, as n_rows and n_columns
 */
stoa_status stoa_mtx_import(const char *name, hid_t loc, const char *path,
                            const stoa_mtx_options *options, uint64_t *n_rows, uint64_t *n_columns,
                            uint64_t *n_entries, stoa_error *err);

/*
 * Write an array of rank 2 as "coordinate general", chunk by chunk.
 *
 * @param form    ignored: entries have no order in such a file
 * @param[out] n  number of entries
 * @return STOA_ETYPE if values are neither integers, floats nor complex numbers
 */
stoa_status stoa_mtx_write(stoa_sparse *array, stoa_matrix_form form, FILE *out,
                           const stoa_listener *listener, uint64_t *n, stoa_error *err);

#endif
