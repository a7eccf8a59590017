/* An open HEP001 table, for the files of this room. */
#ifndef STOA_TABLE_TABLE_H
#define STOA_TABLE_TABLE_H

#include <stoa/place.h>
#include <stoa/table.h>

#include "core/strings.h"
#include "core/threads.h"
#include "index/opened.h"
#include "table/left_out.h"

typedef struct stoa_kept_indexes stoa_kept_indexes;

typedef struct stoa_keeper stoa_keeper;

struct stoa_table {
    hid_t group;
    char *path;         /* absolute */
    char *file;         /* name of the file, for messages */
    const char *layout; /* NULL: HEP001; else read alone (foreign.h); `group` may be a dataset */
    char *version;
    char *title;
    char *description;
    char *units_vocabulary;
    char *frame; /* of pandas: what its layout says beside the columns; NULL: nothing */
    stoa_column_remark *remarks; /* of a foreign table: metadata of what is asked of it */
    size_t n_remarks;
    uint64_t n_rows;
    bool is_apart;     /* its blocks overlap nowhere: it was looked at (stoa_table_may_change()) */
    bool is_read_only; /* so is its file: nothing about it changes */
    stoa_shelf *shelf; /* what the columns share */
    stoa_kept_indexes *kept_indexes;
    stoa_column **columns; /* in logical order (§7.4 column-order) */
    size_t n_columns;
    stoa_left_outs left_out;
    stoa_strings names;                /* of the columns, with their numbers; of the first ones,
                                          where a query adds fields to a copy of this */
    const stoa_column **index_columns; /* §9, borrowed from columns */
    size_t n_index_columns;
    stoa_workers *workers; /* NULL until somebody borrows them */
    unsigned n_threads;    /* as asked for when they were opened */
    unsigned n_borrowers;
    stoa_keeper *keeper; /* of its file; NULL: the caller has that open */
};

/* The table of a file that is taken over in every case, open for reading; stoa_table_use() opens it
 * anew by `open`. */
typedef stoa_status stoa_table_opener(hid_t loc, const char *path, stoa_table **table,
                                      stoa_error *err);
stoa_status stoa_table_keep(stoa_file *file, const char *path, stoa_table_opener *open,
                            stoa_table **table, stoa_error *err);
/* Close what a table consists of, but not its file. */
void stoa_table_clear(stoa_table *table);
/* stoa_table_use() and stoa_table_rest(), for calls that leave the table as it is. */
stoa_status stoa_table_enter(const stoa_table *table, stoa_error *err);
void stoa_table_leave(const stoa_table *table);

/* Is this group a HEP001 table: does CLASS say COLUMN_TABLE, however it is stored (§7.1)? */
stoa_status stoa_table_probe(hid_t group, bool *is_table, stoa_error *err);

/* What stoa_place_visit() shows of a group, if it is a HEP001 table, but for its path; `is_bare`:
 * no more than that it is one. *left_out is the caller's, to be freed. */
stoa_status stoa_table_show(hid_t group, bool is_bare, bool *is_table, stoa_object *object,
                            char **left_out, stoa_error *err);

/* Open a group as a table; `group` is taken over in every case. `path` and `file` are for messages
 * where libhdf5 has no name for the group yet. */
stoa_status stoa_table_open_group(hid_t group, const char *path, const char *file,
                                  stoa_table **table, stoa_error *err);

/* The search indexes of one of the table's columns, which stay open as long as the table; NULL
 * where it may change, so that they must be looked at anew each time. Fails as stoa_index_links()
 * does. */
stoa_status stoa_table_indexes_of(stoa_table *table, stoa_column *column, stoa_index_set **set,
                                  stoa_error *err);
void stoa_table_close_indexes(stoa_table *table);
/* FILE:PATH of a column of the table, which threads that read it cannot ask libhdf5 for. */
stoa_status stoa_column_note_place(const stoa_table *table, stoa_column *column, stoa_error *err);
/* STOA_EINVAL where options have no size; NULL stands for the defaults. */
stoa_status stoa_open_options_take(const stoa_open_options *options, stoa_open_options *own,
                                   stoa_error *err);
/* As they say of a table that was opened, and of which nothing was read yet. */
void stoa_open_options_apply(const stoa_open_options *options, stoa_table *table);
/* What stoa_column_load() reads, of all columns: opening a table only notes them. */
stoa_status stoa_table_load(const stoa_table *table, stoa_error *err);

/* The table as a struct of stoa_column_coded_schema(). */
stoa_status stoa_table_coded_schema(const stoa_table *table, struct ArrowSchema *out,
                                    stoa_error *err);

/* The table's threads, to be given back: `n_threads` of them, 0 for one a processor. Those who have
 * them at the same time share them, as many as the first one asked for. */
stoa_status stoa_table_borrow_workers(stoa_table *table, unsigned n_threads, stoa_workers **workers,
                                      stoa_error *err);
void stoa_table_return_workers(stoa_table *table);

/* Which of the table's columns has the name, SIZE_MAX: none. */
size_t stoa_table_number_of(const stoa_table *table, const char *name, size_t length);
/* stoa_table_find(), without looking into the column. */
stoa_column *stoa_table_find_noted(const stoa_table *table, const char *name);
/* It has no column of that name: STOA_ENOTFOUND, with the one that was meant. */
stoa_status stoa_table_fail_name(const stoa_table *table, const char *name, stoa_error *err);

/* Refuse a table of another layout (foreign.h), before it is copied or moved: STOA_ELAYOUT. */
stoa_status stoa_table_is_own(const stoa_table *table, stoa_error *err);
/* The same of one that holds what no edit would bring along (left_out.h). */
stoa_status stoa_table_is_known(const stoa_table *table, stoa_error *err);
/* The same before it is edited; and one whose blocks overlap (hdf/storage.h). */
stoa_status stoa_table_may_change(stoa_table *table, stoa_error *err);
/* The same of rows in chunks that were hardly ever written (stoa_column_may_be_rewritten()), which
 * new rows may lie in. */
stoa_status stoa_table_may_grow(const stoa_table *table, stoa_error *err);

/* Publish `n_rows`: flush, NROWS, flush (§11.2 step 5). */
stoa_status stoa_table_commit(stoa_table *table, uint64_t n_rows, stoa_error *err);

/* INDEX_COLUMNS and _index for these columns, outermost first (§7.4, §9). */
stoa_status stoa_table_write_index_columns(hid_t group, const stoa_column *const *columns, size_t n,
                                           stoa_error *err);
/* The same for the columns that it names already, some of which are other datasets now. */
stoa_status stoa_table_refer_to_columns(const stoa_table *table, stoa_error *err);

#endif
