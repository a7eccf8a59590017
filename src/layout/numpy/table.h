/* NumPy's arrays as tables. */
#ifndef STOA_LAYOUT_NUMPY_TABLE_H
#define STOA_LAYOUT_NUMPY_TABLE_H

#include <stoa/arrow.h>
#include <stoa/error.h>
#include <stoa/progress.h>

/* Whether a file begins as .npy or .npz do. */
bool stoa_numpy_is_one(const char *name);

/*
 * Open the array of a .npy file, or the arrays of an .npz archive, as a stream of rows. Rows go
 * along the first dimension. A structured array has a column for each field, another one column
 * that is called after the file; each array of an archive has a column of its name. Further
 * dimensions make fixed-size lists. Bytes and characters are strings, complex numbers structs of r
 * and i. NaT is missing.
 *
 * @param listener  may be NULL
 * @return STOA_EDATA if the file is damaged, or arrays differ in length; STOA_ETYPE for Python
 *         objects, nested structures, times in months or years, and scalars
 */
stoa_status stoa_numpy_open(const char *name, const stoa_listener *listener,
                            struct ArrowArrayStream *stream, stoa_error *err);

#endif
