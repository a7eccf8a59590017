/* SciPy's sparse matrices in .npz files: scipy.sparse.save_npz() and load_npz(). */
#ifndef STOA_LAYOUT_NUMPY_MATRIX_H
#define STOA_LAYOUT_NUMPY_MATRIX_H

#include <stdio.h>
#include <stoa/progress.h>
#include <stoa/sparse_matrix.h>

/* See stoa_matrix_file. Entries at the same place are added up, as in SciPy; of booleans the later
 * one wins. The whole matrix is in memory meanwhile. */
bool stoa_npz_matrix_is_one(const char *file);
stoa_status stoa_npz_matrix_import(const char *file, hid_t loc, const char *path,
                                   const uint64_t *chunk, const char *codec,
                                   const stoa_listener *listener, stoa_error *err);
stoa_status stoa_npz_matrix_write(stoa_sparse *array, stoa_matrix_form form, FILE *out,
                                  const stoa_listener *listener, uint64_t *n, stoa_error *err);

#endif
