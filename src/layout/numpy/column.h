/* Elements of NumPy's arrays as Arrow arrays. */
#ifndef STOA_LAYOUT_NUMPY_COLUMN_H
#define STOA_LAYOUT_NUMPY_COLUMN_H

#include "arrow/build.h"
#include "layout/numpy/npy.h"

/* Make the Arrow field of a field of a type. STOA_ETYPE if Arrow has none. */
stoa_status stoa_npy_schema(const stoa_npy_field *field, const char *name, struct ArrowSchema *out,
                            stoa_error *err);
/*
 * Make an array of n rows.
 *
 * @param rows    the first of the structures, `stride` bytes apart
 * @return STOA_EDATA for text that is not UTF-8, or a time beyond 64 bits
 */
stoa_status stoa_npy_column(const stoa_npy_field *field, const uint8_t *rows, size_t stride,
                            uint64_t n, struct ArrowArray *out, stoa_error *err);

#endif
