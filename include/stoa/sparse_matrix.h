/*
 * Sparse matrices: sparse arrays of two dimensions (<stoa/sparse.h>), in the three forms that
 * programs use. Computations work chunk by chunk, without a dense copy.
 *
 * The forms are those of SciPy: CSR has the entries row by row, CSC column by column, COO each with
 * its row and column. Every defined element is an entry, even if its value is zero. The bits of a
 * result do not depend on the number of threads.
 */
#ifndef STOA_SPARSE_MATRIX_H
#define STOA_SPARSE_MATRIX_H

#include <stoa/sparse.h>

STOA_BEGIN_DECLS

typedef enum stoa_matrix_form {
    STOA_MATRIX_COO, /**< rows and columns; no pointers */
    STOA_MATRIX_CSR, /**< pointers and columns; no rows */
    STOA_MATRIX_CSC  /**< pointers and rows; no columns */
} stoa_matrix_form;

/** A matrix in memory. stoa_matrix_clear() releases the arrays of a matrix that Stoa read. */
typedef struct stoa_matrix {
    stoa_matrix_form form;
    unsigned index_size; /**< bytes of pointers, rows and columns: 4 (int32_t) or 8 (int64_t) */
    uint64_t n_rows;
    uint64_t n_columns;
    uint64_t n;     /**< entries */
    void *pointers; /**< CSR: shape (n_rows + 1,), entries of row i begin with pointers[i] and end
                         before pointers[i + 1]; CSC: shape (n_columns + 1,), by column */
    void *rows;     /**< shape (n,); CSR: NULL */
    void *columns;  /**< shape (n,); CSC: NULL */
    void *values;   /**< shape (n,), of the requested type */
} stoa_matrix;

STOA_API void stoa_matrix_clear(stoa_matrix *matrix);

/** How entries at the same place are combined. */
typedef enum stoa_matrix_duplicates {
    STOA_MATRIX_LAST, /**< the later one wins */
    STOA_MATRIX_SUM   /**< they are added up in their order, in the file's type, as in SciPy;
                           integers wrap around; needs 28 bytes of memory per entry */
} stoa_matrix_duplicates;

/**
 * Define the entries of a matrix, in any order within a row (CSR) or column (CSC). Existing entries
 * at the same places are replaced, not added to. Other entries remain.
 *
 * @param array   of rank 2 and an extent of at least n_rows x n_columns
 * @param matrix  borrowed; not changed
 * @param type    of values in memory, borrowed; STOA_FILE_NATIVE
 * @return STOA_ERANGE if an index is not below n_rows or n_columns, or pointers do not ascend from
 *         0 to n (no entry is then written); STOA_ETYPE for a sum of values that are not numbers;
 *         STOA_EINVAL for another rank or index_size
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_write(stoa_sparse *array,
                                                       const stoa_matrix *matrix, hid_t type,
                                                       stoa_matrix_duplicates duplicates,
                                                       stoa_error *err);

/**
 * Read all entries, row by row (COO, CSR) or column by column (CSC), in ascending order within
 * each.
 *
 * @param index_size   4 or 8
 * @param type         of values in memory, borrowed; STOA_FILE_NATIVE
 * @param[out] matrix  yours, released by stoa_matrix_clear(); empty after a failure
 * @return STOA_ERANGE if rows, columns or entries exceed the range of the index; STOA_EDATA if a
 *         chunk is damaged
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_read(stoa_sparse *array, stoa_matrix_form form,
                                                      unsigned index_size, hid_t type,
                                                      stoa_matrix *matrix, stoa_error *err);

/* --- computations ------------------------------------------------------------------------------
 * In double precision; undefined elements are ignored. Memory: one chunk for each thread. */

/**
 * y = A x.
 *
 * @param x       shape (n_columns,)
 * @param[out] y  shape (n_rows,); products of a row are added up in the order of columns
 * @return STOA_ETYPE if values are not real numbers
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_multiply(stoa_sparse *array, const double *x,
                                                          double *y, stoa_error *err);
/** y = A^T x: x has shape (n_rows,), y (n_columns,). */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_multiply_transposed(stoa_sparse *array,
                                                                     const double *x, double *y,
                                                                     stoa_error *err);

/** The axis of a reduction, as in NumPy. */
typedef enum stoa_matrix_axis {
    STOA_MATRIX_DOWN,   /**< axis 0: a result for each column */
    STOA_MATRIX_ACROSS, /**< axis 1: a result for each row */
    STOA_MATRIX_ALL     /**< one result */
} stoa_matrix_axis;

typedef enum stoa_matrix_reduction {
    STOA_MATRIX_TOTAL, /**< sum of the defined elements, 0 if there are none; exact for integers
                            below 2^53 */
    STOA_MATRIX_MIN,   /**< minimum of the defined elements; NaN if there are none, or if one is
                            NaN */
    STOA_MATRIX_MAX
} stoa_matrix_reduction;

/** @param[out] out  shape (n_columns,), (n_rows,) or (1,) */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_reduce(stoa_sparse *array,
                                                        stoa_matrix_reduction reduction,
                                                        stoa_matrix_axis axis, double *out,
                                                        stoa_error *err);
/** Count defined elements, of any type.
 * @param[out] out  as in stoa_matrix_reduce() */
STOA_MUST_CHECK STOA_API stoa_status stoa_matrix_count(stoa_sparse *array, stoa_matrix_axis axis,
                                                       uint64_t *out, stoa_error *err);

STOA_END_DECLS

#endif
