/*
 * Sparse arrays: HDF5 datasets that store only the defined elements (docs/sparse-format.md).
 *
 * These calls read and write elements as coordinates and values (COO), without dataspaces. Exactly
 * the elements that you write are defined, even if their value is the fill value (sparse RFC §2).
 * The datasets are ordinary chunked ones with one filter. Any HDF5 program that finds the filter
 * reads them as dense arrays.
 *
 * Coordinates are uint64, shape (n, rank), row-major tuples. Extents count elements. `type` is the
 * HDF5 datatype of elements in memory, borrowed. STOA_FILE_NATIVE stands for the native type of the
 * file's type, H5Tget_native_type().
 *
 * Strings and sequences of variable length are char * and hvl_t, as in HDF5. They may also be in
 * compounds, in arrays and in each other.
 *
 * - Values that you pass in remain yours, and are copied before the call returns.
 * - Values that a call returns own memory from malloc(), except a part that is visited. Free it
 *   with stoa_sparse_reclaim(), or H5Treclaim(), before the values themselves.
 * - An empty string is not NULL. Both can be defined.
 */
#ifndef STOA_SPARSE_H
#define STOA_SPARSE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/error.h>
#include <stoa/file.h>

STOA_BEGIN_DECLS

/**
 * A sparse array in a file. Use a handle from one thread at a time. Different threads may use
 * different handles at the same time, but an array may have only one handle at a time.
 *
 * In a file that is open with Stoa's connector (docs/sparse.md) you may open several handles of an
 * array, and use HDF5's own calls beside them. All share the memory of the connector, and see each
 * other's edits whether flushed or not. `cache_bytes` is then the connector's.
 *
 * In a file that is open read-only, without the connector, all threads read chunks in parallel,
 * without libhdf5. STOA_SLOW=1 in the environment disables that.
 */
typedef struct stoa_sparse stoa_sparse;

#define STOA_FILE_NATIVE ((hid_t)0)

/** As stoa_file_open(), with Stoa's connector. Changes of sparse datasets by H5Dwrite() and the
 * RFC's calls take effect completely at stoa_file_commit(), or not at all
 * (docs/crash-safety.md). */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_file_open(const char *name, stoa_file_mode mode,
                                                           stoa_file **file, stoa_error *err);
/** The same with options; STOA_EINVAL if these have no size. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_file_open_with(const char *name,
                                                                stoa_file_mode mode,
                                                                const stoa_file_options *options,
                                                                stoa_file **file, stoa_error *err);

/** How an array is created. Start from STOA_SPARSE_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_sparse_options {
    size_t size;                /**< of this struct */
    const uint64_t *chunk;      /**< shape (rank,), elements; NULL: about 2^20 in all, squarish */
    const uint64_t *max_extent; /**< shape (rank,), H5S_UNLIMITED for no limit; NULL: no limit in
                                   any dimension */
    const void *fill;           /**< one element of `type`; NULL: zeros */
    const char *positions;      /**< filters of section 0: "none", "deflate[:1-9]", "zstd[:1-19]",
                                     "lz4" or "small"; NULL: "none" (these are compact anyway) */
    const char *values; /**< filters of section 1: the same, each except "none" preceded by shuffle;
                             NULL: "none" */
    /* Only for elements of variable length: */
    const char *heap;    /**< filters of section 2, which holds their data; as for positions */
    bool in_global_heap; /**< store the data in the file's global heap instead, where every program
                              with Stoa's filter reads them (docs/sparse.md) */
} stoa_sparse_options;

#define STOA_SPARSE_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(stoa_sparse_options), 0, 0, 0, 0, 0, 0, false                                       \
    }

/** How an array is used. Start from STOA_SPARSE_ACCESS_INIT; NULL stands for the defaults. */
typedef struct stoa_sparse_access {
    size_t size;        /**< of this struct */
    unsigned threads;   /**< number of worker threads, while the caller waits in a call; 0: one per
                             processor */
    size_t cache_bytes; /**< memory for edited chunks, and at most a 16th of it for the buffer of
                             the last box; 0: 64 MiB. With the connector, an array shares the memory
                             of H5Dread() and H5Dwrite() */
} stoa_sparse_access;

#define STOA_SPARSE_ACCESS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_sparse_access), 0, 0                                                           \
    }

/**
 * Create an empty array at `path`; intermediate groups are created.
 *
 * @param loc     file or group; borrowed, may be closed before the array
 * @param type    of elements in the file; borrowed
 * @param extent  shape (rank,)
 * @param[out] array  yours, ended by stoa_sparse_commit() or _close(); NULL on failure
 * @return STOA_EEXISTS if `path` exists; STOA_ETYPE if elements have more than 64 strings and
 *         sequences, or references beside them; STOA_EINVAL for a rank of 0, an unknown codec, or a
 *         fill value with data for the global heap; STOA_ERANGE if the extent has 2^63 elements or
 *         more, or a chunk 4 GiB
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_create(hid_t loc, const char *path, hid_t type,
                                                        unsigned rank, const uint64_t *extent,
                                                        const stoa_sparse_options *options,
                                                        const stoa_sparse_access *access,
                                                        stoa_sparse **array, stoa_error *err);

/**
 * Open the array at `path`. You can write it if you can write the file; else writes fail with
 * STOA_EIO.
 *
 * @param loc     file or group; borrowed, may be closed before the array
 * @param[out] array  yours, ended by stoa_sparse_commit() or _close(); NULL on failure
 * @return STOA_ENOTFOUND; STOA_ELAYOUT if it is not a dataset of structured chunks; STOA_EDATA if
 *         the parameters of its filter are invalid
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_open(hid_t loc, const char *path,
                                                      const stoa_sparse_access *access,
                                                      stoa_sparse **array, stoa_error *err);

/** The same for a dataset that is already open. The id is borrowed and must stay open. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_open_dataset(hid_t dataset,
                                                              const stoa_sparse_access *access,
                                                              stoa_sparse **array, stoa_error *err);

/**
 * Copy an array with its attributes, within a file or to another. Intermediate groups are created.
 * The defined elements, filters and chunks stay the same.
 *
 * @param from  file or group, borrowed
 * @param to    likewise. If elements have variable length, stoa_sparse_file_open() must have opened
 *              both files
 * @return STOA_ENOTFOUND; STOA_ELAYOUT if `path` is not a sparse array; STOA_EEXISTS if `new_path`
 *         exists; STOA_ETYPE if the connector is needed
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_copy(hid_t from, const char *path, hid_t to,
                                                      const char *new_path, stoa_error *err);

/**
 * Move an array to another path in its file. Intermediate groups are created. Soft links to it are
 * not updated.
 *
 * @param loc  file or group; borrowed
 * @return STOA_ENOTFOUND; STOA_ELAYOUT if `path` is not a sparse array; STOA_EINVAL if it is a soft
 *         or external link to one; STOA_EEXISTS if `new_path` exists
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_move(hid_t loc, const char *path,
                                                      const char *new_path, stoa_error *err);

/** Unlink an array. Errors are those of stoa_sparse_move(). stoa_file_repack() releases its space.
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_remove(hid_t loc, const char *path,
                                                        stoa_error *err);

/** Write every change to the file. H5Fflush() then writes the file to disk. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_flush(stoa_sparse *array, stoa_error *err);

/** Flush, and end the handle in every case. NULL is allowed. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_commit(stoa_sparse *array, stoa_error *err);

/** End a handle of an array that you did not change, or after a failure. NULL is allowed. Unflushed
 * changes are written if possible; only stoa_sparse_commit() reports whether they were. */
STOA_API void stoa_sparse_close(stoa_sparse *array);

/** Properties of an array. Start from STOA_SPARSE_INFO_INIT. Pointers and ids are borrowed, and
 * valid until the next call with the array. */
typedef struct stoa_sparse_info {
    size_t size; /**< of this struct */
    unsigned rank;
    const uint64_t *extent; /**< shape (rank,) */
    const uint64_t *chunk;  /**< shape (rank,) */
    hid_t type;             /**< of elements in the file */
    hid_t native_type;      /**< what STOA_FILE_NATIVE stands for */
    hid_t dataset;
    uint64_t n_defined;      /**< elements */
    uint64_t n_chunks;       /**< in the file */
    uint64_t n_stored_bytes; /**< of chunks in the file */
} stoa_sparse_info;

#define STOA_SPARSE_INFO_INIT                                                                      \
    {                                                                                              \
        sizeof(stoa_sparse_info), 0, 0, 0, 0, 0, 0, 0, 0, 0                                        \
    }

/** Flushes the array, and reads every chunk that was not counted yet. STOA_EINVAL if `info` has no
 * size. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_describe(stoa_sparse *array,
                                                          stoa_sparse_info *info, stoa_error *err);

/* --- elements as coordinates and values ------------------------------------------------------ */

/** Elements, in row-major order if Stoa made them. Released by stoa_sparse_points_clear(). */
typedef struct stoa_sparse_points {
    uint64_t n;
    uint64_t *coordinates; /**< shape (n, rank) */
    void *values;          /**< shape (n,), of the requested type; NULL if not requested */
} stoa_sparse_points;

STOA_API void stoa_sparse_points_clear(stoa_sparse_points *points);

/**
 * Free the memory that `n` values own, which were read from an array. Values of fixed size own no
 * memory. The values themselves remain, and are then empty.
 *
 * @return STOA_ETYPE if the type does not match the array
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_reclaim(stoa_sparse *array, hid_t type, uint64_t n,
                                                         void *values, stoa_error *err);

/**
 * Define elements, in any order. If two have the same coordinates, the later one wins.
 *
 * @param coordinates  shape (n, rank)
 * @param values       shape (n,), of `type`
 * @return STOA_ERANGE if an element is outside of the extent; STOA_ETYPE if `type` cannot be
 *         converted to that of the file. Nothing is then written
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_write(stoa_sparse *array, uint64_t n,
                                                       const uint64_t *coordinates,
                                                       const void *values, hid_t type,
                                                       stoa_error *err);

/**
 * Read the defined elements of a box, in row-major order.
 *
 * @param start   shape (rank,); NULL: the whole array (count is then ignored)
 * @param count   shape (rank,)
 * @param[out] points  yours; coordinates are those of the array, not of the box
 * @return STOA_ERANGE if the box exceeds the extent; STOA_EDATA if a chunk is damaged
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_read(stoa_sparse *array, const uint64_t *start,
                                                      const uint64_t *count, hid_t type,
                                                      stoa_sparse_points *points, stoa_error *err);

/** The same without values (points->values is NULL): H5Dget_defined() without a dataspace. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_defined(stoa_sparse *array, const uint64_t *start,
                                                         const uint64_t *count,
                                                         stoa_sparse_points *points,
                                                         stoa_error *err);

/**
 * Read every element of a box. Undefined elements have the fill value.
 *
 * @param[out] values   shape (count[0], ..., count[rank - 1]), of `type`
 * @param[out] defined  the same shape, one byte each, 0 or 1; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_read_dense(stoa_sparse *array,
                                                            const uint64_t *start,
                                                            const uint64_t *count, hid_t type,
                                                            void *values, uint8_t *defined,
                                                            stoa_error *err);

/** Undefine elements (H5Derase(), sparse RFC §2.2). It is no error if an element is not defined. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_erase(stoa_sparse *array, uint64_t n,
                                                       const uint64_t *coordinates,
                                                       stoa_error *err);
/** Undefine the elements of a box; start NULL: all. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_erase_box(stoa_sparse *array,
                                                           const uint64_t *start,
                                                           const uint64_t *count, stoa_error *err);

/**
 * Grow the first dimension by `n_rows` and define elements in the new part.
 *
 * @param coordinates  shape (n, rank); the first coordinate of the first new row is 0
 * @return STOA_ERANGE if an element is outside of the new part. Nothing has then changed
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_append(stoa_sparse *array, uint64_t n_rows,
                                                        uint64_t n, const uint64_t *coordinates,
                                                        const void *values, hid_t type,
                                                        stoa_error *err);

/** Define the elements of `from`, which must have the same extent. Values are converted. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_merge(stoa_sparse *array, stoa_sparse *from,
                                                       stoa_error *err);

/** Set the extent, shape (rank,). Elements beyond it are removed (H5Dset_extent()). */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_set_extent(stoa_sparse *array,
                                                            const uint64_t *extent,
                                                            stoa_error *err);

/* --- chunk by chunk -------------------------------------------------------------------------- */

/** The defined elements of one chunk, in row-major order. They and the memory that they own are
 * borrowed for the call. */
typedef struct stoa_sparse_part {
    const uint64_t *offset; /**< shape (rank,): coordinates of the chunk's first element */
    uint64_t n;
    const uint64_t *coordinates; /**< shape (n, rank), of the array */
    const void *values;          /**< shape (n,), of the requested type */
} stoa_sparse_part;

/** Return false to stop (STOA_ECANCELLED). Do not use the array meanwhile. */
typedef bool (*stoa_sparse_visitor)(void *context, const stoa_sparse_part *part);

/** Visit each chunk with elements in the box, in row-major order of chunks; start NULL: all. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_visit(stoa_sparse *array, const uint64_t *start,
                                                       const uint64_t *count, hid_t type,
                                                       stoa_sparse_visitor visit, void *context,
                                                       stoa_error *err);

STOA_END_DECLS

#endif
