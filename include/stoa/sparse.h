/*
 * Sparse arrays: HDF5 datasets that store the defined elements alone (docs/sparse-format.md).
 *
 * The fast way in and out, without dataspaces: elements as coordinates and values (COO). Which
 * elements are defined is exactly what was written, also where the value is the fill value (sparse
 * RFC §2). The datasets are ordinary chunked ones with one filter; any HDF5 program that finds that
 * filter reads them as dense arrays.
 *
 * Coordinates are uint64, shape (n, rank), row-major tuples; extents count elements. `type` is the
 * HDF5 datatype of elements in memory, borrowed; STOA_FILE_NATIVE stands for the native one of the
 * file's, H5Tget_native_type().
 *
 * Strings and sequences of variable length, also in compounds, in arrays and in each other, are
 * char * and hvl_t as HDF5 has them. What the caller hands over stays the caller's, and is copied
 * before the call returns. What a call hands out, but for a part that is visited, holds memory of
 * malloc(): the caller gives it back by stoa_sparse_reclaim(), or H5Treclaim(), before the values
 * themselves. A string of no characters is another value than NULL; both can be defined.
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
 * A sparse array in a file. One handle, one thread at a time; one handle an array at a time.
 *
 * Of a file that is open under Stoa's connector (docs/sparse.md) there may be several, and HDF5's
 * own calls beside them: all share what the connector has in memory, and see each other's edits
 * whether flushed or not. `cache_bytes` is the connector's then.
 *
 * Of a file that is open read-only, without the connector, all threads read chunks at once, past
 * libhdf5; STOA_SLOW=1 in the environment turns that off.
 */
typedef struct stoa_sparse stoa_sparse;

#define STOA_FILE_NATIVE ((hid_t)0)

/**
 * As stoa_file_open(), with the file under Stoa's connector: what H5Dwrite() and the RFC's calls do
 * to sparse datasets reaches the file wholly at stoa_file_commit(), or not at all
 * (docs/crash-safety.md).
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_file_open(const char *name, stoa_file_mode mode,
                                                           stoa_file **file, stoa_error *err);
/** The same with options; STOA_EINVAL if these have no size. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_file_open_with(const char *name,
                                                                stoa_file_mode mode,
                                                                const stoa_file_options *options,
                                                                stoa_file **file, stoa_error *err);

/** How an array is made. Start from STOA_SPARSE_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_sparse_options {
    size_t size;                /**< of this struct */
    const uint64_t *chunk;      /**< shape (rank,), elements; NULL: about 2^20 in all, squarish */
    const uint64_t *max_extent; /**< shape (rank,), H5S_UNLIMITED where it may grow for ever; NULL:
                                     everywhere */
    const void *fill;           /**< one element of `type`; NULL: zeros */
    const char *positions;      /**< filters of section 0: "none", "deflate[:1-9]", "zstd[:1-19]",
                                     "lz4" or "small"; NULL: "none", positions are packed anyway */
    const char *values;         /**< filters of section 1: the same, each after shuffle but "none";
                                     NULL: "none" */
    /* Of elements of variable length alone: */
    const char *heap;    /**< filters of section 2, where their data go: as those of positions */
    bool in_global_heap; /**< the data go into the file's global heap instead, where every program
                              with Stoa's filter reads them (docs/sparse.md) */
} stoa_sparse_options;

#define STOA_SPARSE_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(stoa_sparse_options), 0, 0, 0, 0, 0, 0, false                                       \
    }

/** How an array is used. Start from STOA_SPARSE_ACCESS_INIT; NULL stands for the defaults. */
typedef struct stoa_sparse_access {
    size_t size;        /**< of this struct */
    unsigned threads;   /**< that may work while the caller waits in a call; 0: one a processor */
    size_t cache_bytes; /**< memory for chunks that are edited, and at most a 16th of it for what
                             the last box was read into; 0: 64 MiB. Under the connector an array
                             shares what H5Dread() and H5Dwrite() use */
} stoa_sparse_access;

#define STOA_SPARSE_ACCESS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_sparse_access), 0, 0                                                           \
    }

/**
 * Make an empty array at `path`; intermediate groups are made.
 *
 * @param loc     file or group; borrowed, may be closed before the array
 * @param type    of elements in the file; borrowed
 * @param extent  shape (rank,)
 * @param[out] array  the caller's, released by stoa_sparse_close(); NULL on failure
 * @return STOA_EEXISTS if `path` is taken; STOA_ETYPE where elements hold more than 64 strings and
 *         sequences, or references beside them; STOA_EINVAL for a rank of 0, an unknown codec, or a
 *         fill value with data for the global heap; STOA_ERANGE if the extent has 2^63 elements or
 * more, or a chunk 4 GiB
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_create(hid_t loc, const char *path, hid_t type,
                                                        unsigned rank, const uint64_t *extent,
                                                        const stoa_sparse_options *options,
                                                        const stoa_sparse_access *access,
                                                        stoa_sparse **array, stoa_error *err);

/**
 * Open the array at `path`. It can be written where the file can; else what writes is STOA_EIO.
 *
 * @param loc     file or group; borrowed, may be closed before the array
 * @param[out] array  the caller's, released by stoa_sparse_close(); NULL on failure
 * @return STOA_ENOTFOUND; STOA_ELAYOUT if it is not a dataset of structured chunks; STOA_EDATA if
 *         the parameters of its filter make no sense
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_open(hid_t loc, const char *path,
                                                      const stoa_sparse_access *access,
                                                      stoa_sparse **array, stoa_error *err);

/** The same, of a dataset that is open already; the id is borrowed and must stay open. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_open_dataset(hid_t dataset,
                                                              const stoa_sparse_access *access,
                                                              stoa_sparse **array, stoa_error *err);

/**
 * Copy an array with its attributes, within a file or into another; intermediate groups are made.
 * What is defined stays so, and filters and chunks are the same.
 *
 * @param from, to  files or groups; borrowed. Where elements are of variable length, of files that
 *                  stoa_sparse_file_open() has opened
 * @return STOA_ENOTFOUND; STOA_ELAYOUT where `path` is no sparse array; STOA_EEXISTS where
 *         `new_path` is taken; STOA_ETYPE where the connector is needed
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_copy(hid_t from, const char *path, hid_t to,
                                                      const char *new_path, stoa_error *err);

/**
 * Give an array another path in its file; intermediate groups are made. Soft links do not follow.
 *
 * @param loc  file or group; borrowed
 * @return STOA_ENOTFOUND; STOA_ELAYOUT where `path` is no sparse array, STOA_EINVAL where it is a
 *         soft or external link to one; STOA_EEXISTS where `new_path` is taken
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_move(hid_t loc, const char *path,
                                                      const char *new_path, stoa_error *err);

/** Unlink an array, as stoa_sparse_move() would; stoa_file_repack() gives its space back. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_remove(hid_t loc, const char *path,
                                                        stoa_error *err);

/** Put every change into the file (not onto the disk: that is H5Fflush()). */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_flush(stoa_sparse *array, stoa_error *err);

/** Flush and release, the latter also where the former fails. NULL is fine. */
STOA_API stoa_status stoa_sparse_close(stoa_sparse *array, stoa_error *err);

/** What an array is. Pointers and ids are borrowed, and good until its next call. */
typedef struct stoa_sparse_info {
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

/** Flushes; reads every chunk that was not counted yet. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_describe(stoa_sparse *array,
                                                          stoa_sparse_info *info, stoa_error *err);

/* --- elements as coordinates and values ------------------------------------------------------ */

/** Elements, in row-major order where Stoa made them. Released by stoa_sparse_points_clear(). */
typedef struct stoa_sparse_points {
    uint64_t n;
    uint64_t *coordinates; /**< shape (n, rank) */
    void *values;          /**< shape (n,), of the type asked for; NULL where not asked for */
} stoa_sparse_points;

STOA_API void stoa_sparse_points_clear(stoa_sparse_points *points);

/**
 * Give back what `n` values of a type hold, as they were read from an array; nothing to do where
 * they are of fixed size. The values themselves stay, and hold nothing any more.
 *
 * @return STOA_ETYPE where the type is none of the array's
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_reclaim(stoa_sparse *array, hid_t type, uint64_t n,
                                                         void *values, stoa_error *err);

/**
 * Define elements, in any order; of two at one place the later one wins.
 *
 * @param coordinates  shape (n, rank)
 * @param values       shape (n,), of `type`
 * @return STOA_ERANGE where one is outside of the extent, STOA_ETYPE where `type` does not become
 *         that of the file: nothing is written then
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_write(stoa_sparse *array, uint64_t n,
                                                       const uint64_t *coordinates,
                                                       const void *values, hid_t type,
                                                       stoa_error *err);

/**
 * The defined elements of a box, in row-major order.
 *
 * @param start   shape (rank,); NULL: the whole array (then count is not looked at)
 * @param count   shape (rank,)
 * @param[out] points  the caller's; coordinates are those of the array, not of the box
 * @return STOA_ERANGE where the box leaves the extent; STOA_EDATA where a chunk is damaged
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
 * Every element of a box, the fill value where it is not defined.
 *
 * @param[out] values   shape (count[0], ..., count[rank - 1]), of `type`
 * @param[out] defined  the same shape, a byte each, 0 or 1; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_read_dense(stoa_sparse *array,
                                                            const uint64_t *start,
                                                            const uint64_t *count, hid_t type,
                                                            void *values, uint8_t *defined,
                                                            stoa_error *err);

/** Undefine elements (H5Derase(), sparse RFC §2.2); those that are not defined are no failure. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_erase(stoa_sparse *array, uint64_t n,
                                                       const uint64_t *coordinates,
                                                       stoa_error *err);
/** Undefine those of a box; start NULL: all. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_erase_box(stoa_sparse *array,
                                                           const uint64_t *start,
                                                           const uint64_t *count, stoa_error *err);

/**
 * Grow the first dimension by `n_rows` and define elements in the new part.
 *
 * @param coordinates  shape (n, rank); the first ones count from the old extent on
 * @return STOA_ERANGE where an element is outside of the new part: nothing has changed then
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_append(stoa_sparse *array, uint64_t n_rows,
                                                        uint64_t n, const uint64_t *coordinates,
                                                        const void *values, hid_t type,
                                                        stoa_error *err);

/** Define what is defined in `from`, of the same extent, with its values; they are converted. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_merge(stoa_sparse *array, stoa_sparse *from,
                                                       stoa_error *err);

/** Another extent, shape (rank,); what lies beyond it is gone (H5Dset_extent()). */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_set_extent(stoa_sparse *array,
                                                            const uint64_t *extent,
                                                            stoa_error *err);

/* --- chunk by chunk -------------------------------------------------------------------------- */

/** The defined elements of one chunk, in row-major order; borrowed for the call, and what they hold
 * with them. */
typedef struct stoa_sparse_part {
    const uint64_t *offset; /**< shape (rank,): coordinates of the chunk's first element */
    uint64_t n;
    const uint64_t *coordinates; /**< shape (n, rank), of the array */
    const void *values;          /**< shape (n,), of the type asked for */
} stoa_sparse_part;

/** Return false to stop: STOA_ECANCELLED. The array must not be touched meanwhile. */
typedef bool (*stoa_sparse_visit)(void *context, const stoa_sparse_part *part);

/** Each chunk that has elements in the box, in row-major order of chunks; start NULL: all. */
STOA_MUST_CHECK STOA_API stoa_status stoa_sparse_each(stoa_sparse *array, const uint64_t *start,
                                                      const uint64_t *count, hid_t type,
                                                      stoa_sparse_visit visit, void *context,
                                                      stoa_error *err);

STOA_END_DECLS

#endif
