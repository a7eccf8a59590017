/*
 * Sparse arrays as Arrow data: a row each defined element, a column each dimension, the values last
 * (docs/sparse-arrow.md). Arrow has no sparse type for columns; this is COO, as any Arrow program
 * can read and make it.
 *
 * Columns are called `index` and `value` in one dimension, `row`, `column` and `value` in two, and
 * `dim0`, `dim1`, ..., `value` in more. Indices are int64. The schema's metadata say what rows
 * cannot: `stoa.sparse.shape`, as "[3, 4]", and `stoa.sparse.fill` where that is not zero: a
 * number, or 0x and the bytes of an element.
 */
#ifndef STOA_SPARSE_ARROW_H
#define STOA_SPARSE_ARROW_H

#include <stoa/arrow.h>
#include <stoa/progress.h>
#include <stoa/sparse.h>

STOA_BEGIN_DECLS

/**
 * The defined elements of a box, chunk by chunk, in row-major order within each; some chunks are in
 * memory at a time.
 *
 * Values are integers and floats as they are, enumerations of FALSE and TRUE as bool, compounds as
 * structs, arrays as fixed-size lists, opaque ones as fixed-size binary, strings as utf8.
 *
 * @param array  borrowed; must stay open, and must not be touched, while the stream is there
 * @param start  shape (rank,); NULL: the whole array (then count is not looked at)
 * @param count  shape (rank,)
 * @return STOA_ERANGE where the box leaves the extent
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_stream(stoa_sparse *array, const uint64_t *start,
                                                        const uint64_t *count,
                                                        struct ArrowArrayStream *stream,
                                                        stoa_error *err);

/**
 * Define what a stream says. Names of columns do not matter: the last are the values, the others,
 * of any integer type, the indices, one a dimension. Of two at one place the later one wins.
 *
 * @param stream    consumed, the caller still releases it; one batch is in memory at a time
 * @param listener  may be NULL
 * @param[out] n    rows; may be NULL
 * @return STOA_ERANGE where a row is outside of the extent; STOA_EDATA for a null; STOA_ETYPE for
 *         indices that are no integers, for values of variable length; rows of earlier batches are
 *         written then
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_write_stream(stoa_sparse *array,
                                                              struct ArrowArrayStream *stream,
                                                              const stoa_listener *listener,
                                                              uint64_t *n, stoa_error *err);

/**
 * Make an array of a stream: of its values' type, with the shape and the fill value that its
 * metadata say where they are not given.
 *
 * @param extent   shape (rank,), one less than there are columns; NULL: the stream's, or where that
 *                 says none the smallest that holds every row
 * @param options  as in stoa_sparse_create(); options->fill is an element of the values' type
 * @param[out] array  the caller's, released by stoa_sparse_close(); NULL on failure, which leaves
 *                    at `path` what was written until then
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_from_stream(
    hid_t loc, const char *path, struct ArrowArrayStream *stream, const uint64_t *extent,
    const stoa_sparse_options *options, const stoa_sparse_access *access,
    const stoa_listener *listener, stoa_sparse **array, stoa_error *err);

STOA_END_DECLS

#endif
