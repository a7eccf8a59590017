/*
 * Matrix Market files (R. F. Boisvert, R. Pozo and K. A. Remington, NISTIR 5935): read into sparse
 * arrays, written from them.
 *
 * Reals become float64, integers int64, complex numbers a compound {r, i} of float64, as h5py has
 * them, and what a pattern names becomes uint8 1. Of symmetric, skew-symmetric and hermitian
 * matrices the other half is put in, too. Of the array format, which names every element, those
 * that are not 0 become defined.
 */
#ifndef STOA_LAYOUT_MATRIX_MARKET_H
#define STOA_LAYOUT_MATRIX_MARKET_H

#include <stdio.h>
#include <stoa/progress.h>
#include <stoa/sparse_matrix.h>

/* A complex number in memory, and its type as an array's elements have it: the caller's to close,
 * negative where libhdf5 failed. */
typedef struct stoa_complex {
    double r;
    double i;
} stoa_complex;
hid_t stoa_mtx_complex_type(void);

/* Whether a file begins as a Matrix Market file does, compressed or not; false where it cannot be
 * read. */
bool stoa_mtx_is_one(const char *name);

typedef struct stoa_mtx_options {
    const uint64_t *chunk; /* shape (2,); NULL: as stoa_sparse_create() chooses */
    const char *codec;     /* of values; NULL: none */
    stoa_listener listener;
} stoa_mtx_options;

/*
 * Read all of a file; entries at the same place are added up, as SciPy does, but for patterns.
 * Memory grows with the entries that are there, not with those that are announced.
 *
 * @param name         also .gz and .zst; "-" for standard input
 * @param[out] matrix  COO, the caller's; values of `type`
 * @param[out] type    the caller's to close; of elements in memory and in a file
 * @return STOA_EDATA with the line, where the file is no Matrix Market file
 */
stoa_status stoa_mtx_read(const char *name, const stoa_listener *listener, stoa_matrix *matrix,
                          hid_t *type, stoa_error *err);
/* Read a file, and make an array of it. @param[out] n_entries  of the array; n_rows, n_columns */
stoa_status stoa_mtx_import(const char *name, hid_t loc, const char *path,
                            const stoa_mtx_options *options, uint64_t *n_rows, uint64_t *n_columns,
                            uint64_t *n_entries, stoa_error *err);

/* Write an array of rank 2 as "coordinate general", chunk by chunk. STOA_ETYPE where values are
 * neither integers, floats nor complex numbers. @param[out] n  entries */
stoa_status stoa_mtx_write(stoa_sparse *array, FILE *out, const stoa_listener *listener,
                           uint64_t *n, stoa_error *err);

#endif
