/* HEP001 tables: one HDF5 group, one dataset per column. */
#ifndef STOA_TABLE_H
#define STOA_TABLE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/arrow.h>
#include <stoa/column.h>
#include <stoa/error.h>
#include <stoa/parameter.h>
#include <stoa/progress.h>
#include <stoa/revision.h>

STOA_BEGIN_DECLS

/** A HEP001 table. Use a handle from one thread at a time. Different threads may use different
 * handles at the same time. */
typedef struct stoa_table stoa_table;

/** Storage of one column, or (column == NULL) of all columns without an entry of their own. */
typedef struct stoa_column_options {
    const char *column;
    const char *codec;   /**< "auto", "none", "small", "scaleoffset", "decimal[:1-10]",
                              "deflate[:1-9]", "zstd[:1-19]", "lz4", "blosc" (docs/codecs.md);
                              NULL: the table's */
    uint64_t chunk_rows; /**< rows in a chunk; 0: the table's; STOA_CONTIGUOUS: not chunked */
} stoa_column_options;

#define STOA_CONTIGUOUS UINT64_MAX

/** A search index of a new table (§10). */
typedef struct stoa_column_index {
    const char *column;
    const char *kind; /**< as in stoa_index_add(); NULL: "minmax" */
} stoa_column_index;

struct stoa_missing_value; /* <stoa/layout.h> */

/** How a table is written. Start from STOA_TABLE_OPTIONS_INIT. The texts are UTF-8. */
typedef struct stoa_table_options {
    size_t size;                      /**< of this struct, as the caller's compiler knows it */
    const char *title;                /**< TITLE (§7.4); NULL: none */
    const char *description;          /**< description (§7.4); NULL: none */
    const char *units_vocabulary;     /**< §7.4; NULL: none */
    const char *const *index_columns; /**< row index columns, outermost first (§9); NULL: none */
    size_t n_index_columns;
    const stoa_column_index *indexes;
    size_t n_indexes;
    const stoa_column_options *columns;
    size_t n_columns;
    uint64_t preallocate_rows; /**< extent of every column at least this (§11.3) */
    bool replace;              /**< replace an existing table */
    stoa_listener listener;
    unsigned threads;       /**< number of compressor threads; 0: one per processor */
    bool plain_strings;     /**< never store string columns as categories (docs/codecs.md) */
    stoa_revision revision; /**< write what this one has; by default, what both revisions allow
                                 (docs/hep001.md) */
    bool object_references; /**< write references of the deprecated H5T_STD_REF_OBJ, for programs
                                 that know no other. No revision allows them */
    bool portable; /**< use only what every reader of HDF5 has: the codecs "deflate" (the default
                        then) and "none", and ASCII for strings that are all ASCII */
    const struct stoa_missing_value *fills; /**< chosen fill values (§8.5), each of one column, as
                                                 text of its type; "nan" for floats. A value that
                                                 equals one is refused (STOA_ELOSS). Codes of
                                                 categories are integers. Other columns get the
                                                 recommended fill value, or another that is no
                                                 value */
    size_t n_fills;
} stoa_table_options;

/* The defaults are the codec "auto" and chunks of 64 Ki rows. */
#define STOA_TABLE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_table_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0,                 \
            STOA_REVISION_TOLD, 0, 0, 0, 0                                                         \
    }

/** How a table is opened. Start from STOA_OPEN_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_open_options {
    size_t size;     /**< of this struct */
    bool map;        /**< read from a memory map, if the file is open read-only and on disk. The
                          first scan of a column is slower, and later ones need two thirds of the
                          time. If another program truncates the file while a chunk is read, or
                          the disk fails, the system sends SIGBUS (docs/security.md). Zero-copy LH5
                          float lists point into the map and carry the same risk */
    uint64_t memory; /**< most bytes of decoded data that the table keeps for later reads, half of
                          them in chunks; 0: 128 MiB. Arkouda's tables, and the up to 40 MiB that
                          each column of LH5 lists keeps for its batches, are not included */
} stoa_open_options;

#define STOA_OPEN_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(stoa_open_options), 0, 0                                                            \
    }

/**
 * Open the table at `path` in any layout (docs/layouts/); stoa_table_layout() returns which. Tables
 * in other layouts than HEP001 can be read and queried, but not edited.
 *
 * A path whose last part names several datasets, "/g/a,b", makes one table of them. "/img[0:9,5]"
 * is one of a part of a dataset (docs/layouts/plain.md). In Arkouda's files "/a,b" names arrays,
 * and "/" makes a table of all arrays in the root (docs/layouts/arkouda.md). An object of several
 * files, one for each locale, is read from all of them.
 *
 * A sparse array, or a matrix of AnnData, is a table of its entries, also a box of it,
 * "/X[10:20, :]" (docs/cli.md). Its layout is called "entries".
 *
 * @param loc         file or group that `path` is relative to; borrowed, may be closed before the
 *                    table
 * @param[out] table  yours, released by stoa_table_close(); NULL on failure
 * @return STOA_ENOTFOUND; STOA_ELAYOUT if it is not a table of a known layout; else as
 *         stoa_hep001_open()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open(hid_t loc, const char *path,
                                                     stoa_table **table, stoa_error *err);

/** The same with options; STOA_EINVAL if these have no size. They apply to tables in one file.
 * Arkouda's tables are always read without a map. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open_with(hid_t loc, const char *path,
                                                          const stoa_open_options *options,
                                                          stoa_table **table, stoa_error *err);

/**
 * stoa_table_open() for HEP001 tables only.
 *
 * The call only finds the columns. The details of a column are read when you first use it, and that
 * call fails if the column is damaged.
 *
 * @param loc         file or group that `path` is relative to; borrowed, may be closed before the
 *                    table
 * @param[out] table  yours, released by stoa_table_close(); NULL on failure
 * @return STOA_ENOTFOUND; STOA_ELAYOUT if CLASS is not COLUMN_TABLE (HEP001 §7.1); STOA_EVERSION if
 *         its MAJOR is newer than the library's (§7.2); STOA_EDATA if it cannot be read
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_hep001_open(hid_t loc, const char *path,
                                                      stoa_table **table, stoa_error *err);
/** The same with options; STOA_EINVAL if these have no size. */
STOA_MUST_CHECK STOA_API stoa_status stoa_hep001_open_with(hid_t loc, const char *path,
                                                           const stoa_open_options *options,
                                                           stoa_table **table, stoa_error *err);
STOA_API void stoa_table_close(stoa_table *table);

/**
 * Lock the file of a table that stoa_table_open_file() has opened. If the file has changed since
 * the last use, or another file has its name now, the table is read again. Columns that you
 * borrowed from the table then become invalid. Call stoa_table_release() after every success; uses
 * may be nested.
 *
 * A query uses its table from stoa_query_open() to stoa_query_close(). Other calls with the table
 * or a column use it until they return. So you need this call only if several calls must see the
 * same content. For a table that was opened by another call, it does nothing.
 *
 * @param[out] changed  whether it was read again; may be NULL
 * @return STOA_EIO if the lock is not free in time; STOA_ENOTFOUND if the file or the table no
 *         longer exists. Later uses try again
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_use(stoa_table *table, bool *changed,
                                                    stoa_error *err);
/** End a use. The last one releases the lock of the file. */
STOA_API void stoa_table_release(stoa_table *table);

/**
 * Write all rows of a stream as a new table (HEP001 §7, §8, §9).
 *
 * - Field metadata is used: "units", "units_vocabulary", "description". A reader that has seen all
 *   rows can add "stoa.max_bytes" and "stoa.mean_bytes" to a string column.
 * - Arrow nulls become the column's fill value, or another one if the data contains it (§8.5).
 * - Lists become list columns (HEP001-2026-07 §9). options->revision of June refuses them.
 * - Strings whose values repeat are stored as categories, and read as strings (docs/hep001.md).
 * - Intermediate groups are created. `path` does not exist until all rows are written.
 *
 * @param stream  consumed; you still release it
 * @param[out] n_rows  rows written; may be NULL
 * @return STOA_EEXISTS if `path` exists and options->replace is not set; STOA_ETYPE if no HEP001
 *         column can hold a field's type; STOA_EINVAL for a reserved or impossible name (§13)
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_write(hid_t loc, const char *path,
                                                      struct ArrowArrayStream *stream,
                                                      const stoa_table_options *options,
                                                      uint64_t *n_rows, stoa_error *err);

/** How a table is edited. Start from STOA_EDIT_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_edit_options {
    size_t size;       /**< of this struct */
    bool drop_indexes; /**< delete the indexes of changed columns instead of updating them */
    stoa_listener listener;
    unsigned threads; /**< number of threads that compress appended rows, or rows that a deletion
                           moves; 0: one per processor */
    const struct stoa_missing_value *missing; /**< for stoa_layout_append() and
                                                   stoa_layout_add_columns(): the replacement of
                                                   missing values; not needed for HEP001 */
    size_t n_missing;
    const struct stoa_file_patience *patience; /**< for files that the call opens:
                                                    stoa_file_repack(). NULL: 60 s */
    const stoa_parameter *parameters; /**< for stoa_table_update() and stoa_table_delete(): values
                                           of `?`, `?NNN` and `:name` in the texts. `?` is numbered
                                           in the order of the arguments. NULL: none */
    size_t n_parameters;
    bool portable; /**< for stoa_file_repack(): store datasets of one dimension as every reader of
                        HDF5 has it, by deflate and of ASCII where that is enough, and write the
                        earliest format */
} stoa_edit_options;

#define STOA_EDIT_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(stoa_edit_options), 0, {0, 0}, 0, 0, 0, 0, 0, 0, 0                                  \
    }

/**
 * Append a stream's rows by HEP001 §11.2: data, indexes, flush, NROWS, flush.
 *
 * Columns are matched by name. The stream must have every column of the table and no other. If a
 * value does not fit (a wider integer, a longer string, the fill value itself), the column is
 * rewritten before NROWS changes. The new type or fill value then holds all values.
 *
 * @return STOA_ETYPE naming the column if columns are missing, extra or of another kind
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_append(stoa_table *table,
                                                       struct ArrowArrayStream *stream,
                                                       const stoa_edit_options *options,
                                                       uint64_t *n_appended, stoa_error *err);

/** NROWS: the number of rows (§7.3). */
STOA_API uint64_t stoa_table_n_rows(const stoa_table *table);
STOA_API size_t stoa_table_n_columns(const stoa_table *table);
/** Column `i` in logical order (column-order, else link-name order); borrowed; NULL beyond the end.
 */
STOA_API stoa_column *stoa_table_column(const stoa_table *table, size_t i);
/** The name of column `i`; borrowed; NULL beyond the end. Reads nothing of the column, unlike
 * stoa_table_column(). */
STOA_API const char *stoa_table_column_name(const stoa_table *table, size_t i);
/** The column of that name; borrowed; NULL if there is no such column. */
STOA_API stoa_column *stoa_table_find(const stoa_table *table, const char *name);
/** Absolute path of the table's group; borrowed. */
STOA_API const char *stoa_table_path(const stoa_table *table);
/** The group's id; borrowed. */
STOA_API hid_t stoa_table_id(const stoa_table *table);

/**
 * An object in the table's group that is not a column, index or category known to this library
 * (§7.6).
 *
 * No call reads it. Every edit of the table is refused (STOA_ELAYOUT), because the object would not
 * be edited along. You may copy, move and remove the table as a whole.
 */
typedef struct stoa_left_out {
    const char *name; /**< of the link; borrowed from the table */
    const char *kind; /**< "group", "scalar dataset", "soft link" ... */
} stoa_left_out;
STOA_API size_t stoa_table_n_left_out(const stoa_table *table);
/** Left-out object `i`, sorted by name; borrowed; NULL beyond the end. */
STOA_API const stoa_left_out *stoa_table_left_out(const stoa_table *table, size_t i);

/** The layout of the table, "hep001" or one of docs/layouts/; static storage. */
STOA_API const char *stoa_table_layout(const stoa_table *table);
/* Descriptive attributes (§7.2, §7.4), each NULL if absent; borrowed from the table. */
STOA_API const char *stoa_table_version(const stoa_table *table);
STOA_API const char *stoa_table_title(const stoa_table *table);
STOA_API const char *stoa_table_description(const stoa_table *table);
STOA_API const char *stoa_table_units_vocabulary(const stoa_table *table);
/** The number of columns that label the rows (§9). */
STOA_API size_t stoa_table_n_index_columns(const stoa_table *table);
/** Row label column `i`, outermost first; borrowed; NULL beyond the end. */
STOA_API const stoa_column *stoa_table_index_column(const stoa_table *table, size_t i);

/** The table as an Arrow schema: a struct of its columns (stoa_column_schema()). */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_schema(const stoa_table *table,
                                                       struct ArrowSchema *out, stoa_error *err);

STOA_END_DECLS

#endif
