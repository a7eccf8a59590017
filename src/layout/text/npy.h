/* Arrow streams as files of NumPy. */
#ifndef STOA_LAYOUT_NPY_H
#define STOA_LAYOUT_NPY_H

#include <stdio.h>
#include <stoa/arrow.h>

#include "core/error.h"
#include "core/memory.h"

/*
 * Write a stream as a .npy file (NEP 1): one column as an array of its type and shape, several as a
 * structured array. Numbers, booleans, times, complex numbers and fixed-size lists of them are
 * held. Missing floats become NaN, and missing times NaT.
 *
 * @param stream  consumed; the caller releases it
 * @param out     a file that can be rewound, since its first bytes tell the number of rows
 * @return STOA_ETYPE for a column of another type; STOA_ELOSS if other values are missing;
 *         STOA_EINVAL for a pipe
 */
stoa_status stoa_npy_write(struct ArrowArrayStream *stream, FILE *out, uint64_t *n_rows,
                           stoa_error *err);

/*
 * Write a stream as an .npz archive, as numpy.savez() makes it: a .npy file for each column, called
 * after it. Types are those of stoa_npy_write(), and texts and categories as `U`. Columns are
 * collected in temporary files, so that memory is bounded.
 *
 * @return STOA_ETYPE for a column of another type; STOA_ELOSS if values are missing that NumPy has
 *         no place for
 */
stoa_status stoa_npz_write(struct ArrowArrayStream *stream, FILE *out, uint64_t *n_rows,
                           stoa_error *err);

/* Make the header of a .npy file; the elements follow. `types` and `shape` are Python's literals:
 * "'<f8'", "(3,)". */
stoa_status stoa_npy_head(const char *types, const char *shape, stoa_buffer *out, stoa_error *err);

#endif
