/* An open table, as the files of this folder see it. */
#ifndef STOA_TABLE_TABLE_H
#define STOA_TABLE_TABLE_H

#include <stoa/place.h>
#include <stoa/table.h>

#include "core/string_set.h"
#include "core/threads.h"
#include "index/index_set.h"
#include "table/open/parts.h"
#include "table/open/unknown_objects.h"

typedef struct stoa_kept_indexes stoa_kept_indexes;

typedef struct stoa_keeper stoa_keeper;

struct stoa_table {
    hid_t group;
    char *path;         /* absolute */
    char *file;         /* file name, for messages */
    const char *layout; /* NULL: HEP001; else read-only (foreign.h); `group` may be a dataset */
    char *version;
    char *title;
    char *description;
    char *units_vocabulary;
    char *frame;            /* pandas: attributes of its layout beside the columns; NULL if none */
    const char *frame_name; /* the attribute of a HEP001 table that would hold it */
    stoa_field_metadata *metadata; /* of a foreign table: metadata pairs for streams */
    size_t n_metadata;
    bool has_user_attributes; /* of a foreign table: attributes of `group` may be the user's */
    uint64_t n_rows;
    stoa_generation *generation; /* HEP001-2026-07 §12.2; NULL in other layouts */
    bool is_apart;           /* its storage was checked for overlaps (stoa_table_may_change()) */
    bool is_read_only;       /* the file is open read-only: nothing about the table changes */
    bool has_old_references; /* an edit writes references of H5T_STD_REF_OBJ (reference_type.c) */
    stoa_read_context *read_context; /* the read context that the columns share */
    stoa_kept_indexes *kept_indexes;
    stoa_column **columns; /* in logical order (§7.4 column-order) */
    size_t n_columns;
    stoa_unknown_objects left_out;
    stoa_string_set names;             /* column names; a query's table may have further columns */
    const stoa_column **index_columns; /* row index columns (§9), borrowed from `columns` */
    size_t n_index_columns;
    stoa_workers *workers; /* NULL until they are borrowed */
    unsigned n_threads;    /* as requested when the workers were opened */
    unsigned n_borrowers;
    const stoa_table_parts *parts; /* of a table over several files or objects; else NULL */
    stoa_keeper *keeper;           /* keeps the file open; NULL if the caller does */
};

/* Open a table that owns its file. `file` is taken over even on failure and is open for reading.
 * stoa_table_use() reopens the table with `open`. */
typedef stoa_status stoa_table_opener(hid_t loc, const char *path, stoa_table **table,
                                      stoa_error *err);
stoa_status stoa_table_keep(stoa_file *file, const char *path, stoa_table_opener *open,
                            stoa_table **table, stoa_error *err);
/* Close the table's contents, but not its file. */
void stoa_table_clear(stoa_table *table);
/* stoa_table_use() and stoa_table_release() for calls that do not modify the table. */
stoa_status stoa_table_enter(const stoa_table *table, stoa_error *err);
void stoa_table_leave(const stoa_table *table);

/* Whether the group is a HEP001 table: whether CLASS is COLUMN_TABLE, in any string encoding
 * (§7.1). */
stoa_status stoa_table_probe(hid_t group, bool *is_table, stoa_error *err);

/* Describe a group for stoa_place_visit() if it is a HEP001 table, except for its path. `is_bare`
 * only tells whether it is one. The caller frees *left_out. */
stoa_status stoa_table_describe(hid_t group, bool is_bare, bool *is_table, stoa_object *object,
                                char **left_out, stoa_error *err);

/* Open a group as a table; `group` is taken over even on failure. `file` is for messages. So is
 * `path`, where libhdf5 has no name for the group yet. */
stoa_status stoa_table_open_group(hid_t group, const char *path, const char *file,
                                  stoa_table **table, stoa_error *err);

/* The search indexes of a column, kept open as long as the table. NULL if the table may change,
 * since they must then be reopened each time. Fails like stoa_index_links(). */
stoa_status stoa_table_indexes_of(stoa_table *table, stoa_column *column, stoa_index_set **set,
                                  stoa_error *err);
void stoa_table_close_indexes(stoa_table *table);
/* Store FILE:PATH of a column for messages, since threads that read it must not ask libhdf5. */
stoa_status stoa_column_note_place(const stoa_table *table, stoa_column *column, stoa_error *err);
/* Copy the options; NULL gives the defaults. STOA_EINVAL if they have no size. */
stoa_status stoa_open_options_copy(const stoa_open_options *options, stoa_open_options *own,
                                   stoa_error *err);
/* Apply options to a table from which nothing was read yet. */
void stoa_open_options_apply(const stoa_open_options *options, stoa_table *table);
/* Call stoa_column_load() for all columns. Opening a table only records them. */
stoa_status stoa_table_load(const stoa_table *table, stoa_error *err);

/* The table's rows as a struct of stoa_column_coded_schema(). */
stoa_status stoa_table_coded_schema(const stoa_table *table, struct ArrowSchema *out,
                                    stoa_error *err);

/* Borrow the table's worker threads; return them afterwards. `n_threads` 0 means one per processor.
 * Simultaneous borrowers share the threads that the first one asked for. */
stoa_status stoa_table_borrow_workers(stoa_table *table, unsigned n_threads, stoa_workers **workers,
                                      stoa_error *err);
void stoa_table_return_workers(stoa_table *table);

/* Number of the column of that name, or SIZE_MAX. */
size_t stoa_table_number_of(const stoa_table *table, const char *name, size_t length);
/* stoa_table_find() without loading the column. */
stoa_column *stoa_table_find_noted(const stoa_table *table, const char *name);
/* Fail with STOA_ENOTFOUND for an unknown column and suggest the nearest name. */
stoa_status stoa_table_fail_name(const stoa_table *table, const char *name, stoa_error *err);

/* Refuse a table of another layout (foreign.h), before it is copied or moved: STOA_ELAYOUT. */
stoa_status stoa_table_is_own(const stoa_table *table, stoa_error *err);
/* The same, and refuse a table with objects that an edit would not update (unknown_objects.h). */
stoa_status stoa_table_is_known(const stoa_table *table, stoa_error *err);
/* The same, before an edit. Also refuse a table whose storage blocks overlap
 * (hdf/copy/object_storage.h).
 */
stoa_status stoa_table_may_change(stoa_table *table, stoa_error *err);

/* Attribute of Stoa's own on a table: "object", its references are of H5T_STD_REF_OBJ. */
#define STOA_TABLE_REFERENCES "stoa_references"
#define STOA_TABLE_REFERENCES_OLD "object"
/* Find out which type the table's references are of, before an edit adds one. */
void stoa_table_settle_references(stoa_table *table);
/* Write references of H5T_STD_REF_OBJ from now on. */
void stoa_table_use_old_references(stoa_table *table);
/* Refuse to append to columns with mostly unwritten chunks (stoa_column_may_be_rewritten()), which
 * new rows might be in. */
stoa_status stoa_table_may_grow(const stoa_table *table, stoa_error *err);

/* Publish `n_rows`: flush, write GENERATION and NROWS, flush (§11.2 step 5, HEP001-2026-07 §12.3).
 */
stoa_status stoa_table_commit(stoa_table *table, uint64_t n_rows, stoa_error *err);

/* Write INDEX_COLUMNS and _index for these columns, outermost first (§7.4, §9). Delete both if
 * there are none. */
stoa_status stoa_table_write_index_columns(const stoa_table *table, const char *const *names,
                                           size_t n, stoa_error *err);
/* The same for the present row index columns, some of which may have new datasets. */
stoa_status stoa_table_refer_to_columns(const stoa_table *table, stoa_error *err);

#endif
