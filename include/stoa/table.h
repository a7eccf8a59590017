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
#include <stoa/progress.h>

STOA_BEGIN_DECLS

/** A HEP001 table. One handle, one thread at a time. */
typedef struct stoa_table stoa_table;

/** Storage of one column, or (column == NULL) of all that have no entry of their own. */
typedef struct stoa_column_options {
    const char *column;
    const char *codec;   /**< "auto", "none", "small", "scaleoffset", "deflate[:1-9]",
                              "zstd[:1-19]", "lz4", "blosc" (docs/codecs.md); NULL: the table's */
    uint64_t chunk_rows; /**< rows in a chunk; 0: the table's; STOA_CONTIGUOUS: not chunked */
} stoa_column_options;

#define STOA_CONTIGUOUS UINT64_MAX

/** A search index that a new table gets (§10). */
typedef struct stoa_column_index {
    const char *column;
    const char *kind; /**< as stoa_index_add() takes it; NULL: "minmax" */
} stoa_column_index;

/** How a table is made. Start from STOA_TABLE_OPTIONS_INIT. */
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
    bool replace;              /**< replace a table that is there already */
    stoa_listener listener;
    unsigned threads;   /**< that pack, while the caller waits; 0: one a processor */
    bool plain_strings; /**< never keep columns of strings as categories (docs/codecs.md) */
} stoa_table_options;

/* "auto" codec, chunks of 64 Ki rows */
#define STOA_TABLE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_table_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0                  \
    }

/** How a table is opened. Start from STOA_OPEN_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_open_options {
    size_t size; /**< of this struct */
    bool map;    /**< read from a map of the file in memory, where it is open read-only and lies on
                      a disk: a column's first scan takes longer, every other one two thirds of the
                      time. If another program cuts the file short while a chunk is looked at, or
                      the disk fails, the system sends SIGBUS (docs/security.md); so it does to who
                      looks at lists of floats of LH5, which are not copied out of the map */
} stoa_open_options;

#define STOA_OPEN_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(stoa_open_options), 0                                                               \
    }

/**
 * Open the table stored in the group at `path`.
 *
 * Columns are found, no more: what one is made of is read when it is used first, and it is that
 * call which fails where a column is damaged.
 *
 * @param loc         file or group `path` starts from; borrowed, may be closed before the table
 * @param[out] table  the caller's, released by stoa_table_close(); NULL on failure
 * @return STOA_ENOTFOUND, STOA_ELAYOUT if CLASS is not COLUMN_TABLE (HEP001 §7.1),
 *         STOA_EVERSION if its MAJOR is newer than ours (§7.2), STOA_EDATA if it cannot be read
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open(hid_t loc, const char *path,
                                                     stoa_table **table, stoa_error *err);
/** The same with options; STOA_EINVAL if these have no size. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open_with(hid_t loc, const char *path,
                                                          const stoa_open_options *options,
                                                          stoa_table **table, stoa_error *err);
STOA_API void stoa_table_close(stoa_table *table);

/**
 * Lock the file of a table that stoa_layout_open_file() has opened, and read the table anew if the
 * file has changed since it was used last, or another one has its name now: then columns borrowed
 * from the table are void. Every success is followed by a stoa_table_rest(); uses may be nested.
 *
 * A query uses its table from stoa_query_open() to stoa_query_close(), and calls that are given the
 * table or a column do while they last; so this is for what must be of one content over several
 * calls. Of a table that was opened otherwise, nothing happens.
 *
 * @param[out] changed  whether it was read anew; may be NULL
 * @return STOA_EIO if the lock cannot be had in time, STOA_ENOTFOUND if the file or the table is
 *         gone: later uses try again
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_use(stoa_table *table, bool *changed,
                                                    stoa_error *err);
/** The last one of them lets go of the file. */
STOA_API void stoa_table_rest(stoa_table *table);

/**
 * Write a new table of everything a stream holds (HEP001 §7, §8, §9).
 *
 * Field metadata that is honoured: "units", "units_vocabulary", "description"; "stoa.max_bytes" and
 * "stoa.mean_bytes" of a string column, from a reader that has seen all rows. Arrow nulls become
 * the column's fill value; a fill that the data holds is replaced by another one (§8.5). Strings
 * whose values repeat are kept as categories, and read as strings (docs/hep001.md).
 * Intermediate groups are made. Nothing is seen under `path` until all rows are written.
 *
 * @param stream  consumed; the caller still releases it
 * @param[out] n_rows  rows written; may be NULL
 * @return STOA_EEXISTS if `path` is taken and options->replace is not set, STOA_ETYPE if a field
 * has a type no HEP001 column can hold, STOA_EINVAL for a reserved or impossible name (§13)
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_write(hid_t loc, const char *path,
                                                      struct ArrowArrayStream *stream,
                                                      const stoa_table_options *options,
                                                      uint64_t *n_rows, stoa_error *err);

struct stoa_missing_value; /* <stoa/layout.h> */

/** How a table is edited. Start from STOA_EDIT_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_edit_options {
    size_t size;       /**< of this struct */
    bool drop_indexes; /**< delete the indexes of changed columns instead of bringing them along */
    stoa_listener listener;
    unsigned threads; /**< that pack appended rows, while the caller waits; 0: one a processor */
    const struct stoa_missing_value *missing; /**< stoa_layout_append() and
                                                   stoa_layout_add_columns(): what stands for
                                                   missing values; HEP001 holds them */
    size_t n_missing;
    const struct stoa_file_patience *patience; /**< of files that the call opens:
                                                  stoa_file_repack(). NULL: 60 s */
} stoa_edit_options;

#define STOA_EDIT_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(stoa_edit_options), 0, {0, 0}, 0, 0, 0, 0                                           \
    }

/**
 * Append a stream's rows by HEP001 §11.2: data, indexes, flush, NROWS, flush.
 *
 * Columns are matched by name; every column must be there, none may be extra. Values that do not
 * fit the column's type (wider integers, longer strings, the fill value itself) make the column be
 * rewritten in a type or with a fill that holds them, before NROWS changes.
 *
 * @return STOA_ETYPE naming the column if columns are missing, extra or of another kind
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_append(stoa_table *table,
                                                       struct ArrowArrayStream *stream,
                                                       const stoa_edit_options *options,
                                                       uint64_t *n_appended, stoa_error *err);

/** NROWS: the authoritative row count (§7.3). */
STOA_API uint64_t stoa_table_n_rows(const stoa_table *table);
STOA_API size_t stoa_table_n_columns(const stoa_table *table);
/** Column `i` in logical order (column-order, else link-name order); borrowed; NULL if i is out. */
STOA_API stoa_column *stoa_table_column(const stoa_table *table, size_t i);
/** The column of that name; borrowed; NULL if there is none. */
STOA_API stoa_column *stoa_table_find(const stoa_table *table, const char *name);
/** Absolute path of the table's group; borrowed. */
STOA_API const char *stoa_table_path(const stoa_table *table);
/** The group's id; borrowed. */
STOA_API hid_t stoa_table_id(const stoa_table *table);

/**
 * Something in the table's group that is no column, index or category this library knows (§7.6):
 * a list column of a later revision, say.
 *
 * No call reads it, and every edit of the table is refused (STOA_ELAYOUT), since it would stay
 * behind what the edit changes. A table may be copied, moved and removed as a whole.
 */
typedef struct stoa_left_out {
    const char *name; /**< of the link; borrowed from the table */
    const char *kind; /**< "list column", "group", "soft link" ... */
} stoa_left_out;
STOA_API size_t stoa_table_n_left_out(const stoa_table *table);
/** The i-th, in the order of names; { NULL, NULL } if i is out. */
STOA_API stoa_left_out stoa_table_left_out(const stoa_table *table, size_t i);

/** Descriptive attributes (§7.4), each NULL where absent; borrowed from the table. */
typedef struct stoa_table_info {
    const char *layout; /**< "hep001"; others: <stoa/layout.h> */
    const char *version;
    const char *title;
    const char *description;
    const char *units_vocabulary;
    size_t n_index_columns;
    const stoa_column *const *index_columns; /**< row index columns, outermost first (§9) */
} stoa_table_info;
STOA_API stoa_table_info stoa_table_info_of(const stoa_table *table);

/** The table as an Arrow schema: a struct of its columns (stoa_column_schema()). */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_schema(const stoa_table *table,
                                                       struct ArrowSchema *out, stoa_error *err);

STOA_END_DECLS

#endif
