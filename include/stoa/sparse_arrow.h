/*
 * Sparse arrays as Arrow data: one row for each defined element, with a column for each dimension,
 * and the values last (docs/sparse-arrow.md). Arrow has no sparse column type. This form is COO,
 * which any Arrow program can read and write.
 *
 * Columns are called `index` and `value` in one dimension, `row`, `column` and `value` in two, and
 * `dim0`, `dim1`, ..., `value` in more. Indices are int64. The schema's metadata has what rows
 * cannot express: `stoa.sparse.shape`, such as "[3, 4]", and `stoa.sparse.fill` if that is not
 * zero. The fill value is a number, or 0x and the bytes of an element.
 */
#ifndef STOA_SPARSE_ARROW_H
#define STOA_SPARSE_ARROW_H

#include <stoa/arrow.h>
#include <stoa/progress.h>
#include <stoa/sparse.h>

STOA_BEGIN_DECLS

/**
 * Read the defined elements of a box, chunk by chunk, in row-major order within each chunk. Only a
 * few chunks are in memory at a time.
 *
 * Integers and floats keep their types. Enumerations of FALSE and TRUE become bool, compounds
 * structs, arrays fixed-size lists, opaque values fixed-size binary, and strings utf8.
 *
 * @param array  borrowed; must stay open and unused until the stream is released
 * @param start  shape (rank,); NULL: the whole array (count is then ignored)
 * @param count  shape (rank,)
 * @return STOA_ERANGE if the box exceeds the extent
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_stream(stoa_sparse *array, const uint64_t *start,
                                                        const uint64_t *count,
                                                        struct ArrowArrayStream *stream,
                                                        stoa_error *err);

/**
 * Define the elements of a stream. Column names are ignored. The last column has the values. The
 * others, of any integer type, are the indices, one for each dimension. If two rows have the same
 * indices, the later one wins.
 *
 * @param stream    consumed, you still release it; one batch is in memory at a time
 * @param listener  may be NULL
 * @param[out] n    rows; may be NULL
 * @return STOA_ERANGE if a row is outside of the extent; STOA_EDATA for a null; STOA_ETYPE for
 *         indices that are not integers, or values of variable length. Rows of earlier batches
 *         remain written
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_write_stream(stoa_sparse *array,
                                                              struct ArrowArrayStream *stream,
                                                              const stoa_listener *listener,
                                                              uint64_t *n, stoa_error *err);

/**
 * Create an array from a stream, with the type of its values. The stream's metadata gives the shape
 * and the fill value if you do not.
 *
 * @param extent   shape (rank,), where rank is the number of columns less one. NULL: the stream's
 *                 shape, or if it has no shape the smallest extent that contains every row
 * @param options  as in stoa_sparse_create(); options->fill is an element of the values' type
 * @param[out] array  yours, ended by stoa_sparse_commit() or _close(); NULL on failure. After a
 *                    failure, the rows written so far remain at `path`
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_from_stream(
    hid_t loc, const char *path, struct ArrowArrayStream *stream, const uint64_t *extent,
    const stoa_sparse_options *options, const stoa_sparse_access *access,
    const stoa_listener *listener, stoa_sparse **array, stoa_error *err);

STOA_END_DECLS

#endif
