/*
 * Objects of LH5 files as columns of tables (LH5; LH5 notes §4).
 *
 * A table is its columns, those of tables in it by names with a dot between; whatever else has rows
 * is a table of one column. A scalar is one row. Field metadata keep what Arrow's types do not say:
 * 'lh5.datatype', 'lh5.codec', 'lh5.codec_shift', 'units'; 'lh5.stored', the type of the items in
 * the file, and 'lh5.lengths', the one of cumulative_length; 'lh5.units_of', the part that has the
 * units; and other scalar attributes, attributes.c.
 */
#ifndef STOA_LAYOUT_LH5_H
#define STOA_LAYOUT_LH5_H

#include "codec/pipeline.h"
#include "column/read/foreign.h"
#include "core/buffer_pool.h"
#include "layout/layout.h"
#include "layout/lh5/common/datatype.h"
#include "table/open/foreign.h"

/* The member of two that says where each vector ends, and the one of what is in them. */
#define STOA_LH5_LENGTHS "cumulative_length"
#define STOA_LH5_ITEMS "flattened_data"
#define STOA_LH5_ENCODED "encoded_data"
#define STOA_LH5_DECODED_SIZE "decoded_size"

/*
 * What an object says that it is.
 *
 * @param[out] text  as it is spelt, the caller's (free()); NULL where it says nothing: then the
 * type is empty
 * @return STOA_EDATA where that is no type
 */
stoa_status stoa_lh5_type_of(hid_t object, stoa_lh5_datatype *type, char **text, stoa_error *err);

/* The names of its fields, moved to the caller. */
void stoa_lh5_take_names(stoa_lh5_datatype *type, stoa_layout_names *names);

/*
 * An object that is neither a struct nor a table, as a column; what it says that it is and what it
 * is must agree.
 *
 * @param object       borrowed
 * @param[out] column  the caller's, until a table takes it
 */
stoa_status stoa_lh5_open_column(hid_t object, const char *name, stoa_column **column,
                                 stoa_error *err);
/* The same of a member that must be a dataset: a group could be the very one that it lies in. */
stoa_status stoa_lh5_open_numbers(hid_t group, const char *member, stoa_column **column,
                                  stoa_error *err);

/* A table without the tables in it, which have as many rows: STOA_EDATA where its columns have
 * others. It may have no column at all. */
stoa_status stoa_lh5_open_alone(hid_t loc, const char *path, stoa_table **table, stoa_error *err);
/* The name of a column as a path of objects: a dot is the way into a table in the table. The
 * caller's (free()); NULL: no memory. */
char *stoa_lh5_path_of(const char *name, size_t length);

/* Columns of a table, those of the tables in it among them, count.c; and the most that it may
 * have, beyond which it is not opened: STOA_EDATA. No column is opened for that, so that all tables
 * of a file can be looked at before the first is written; what is no table passes. */
size_t stoa_lh5_count_columns(hid_t group, const stoa_lh5_datatype *type, size_t *most);
stoa_status stoa_lh5_check_columns(hid_t group, const stoa_lh5_datatype *type, stoa_error *err);
stoa_status stoa_lh5_check_table(hid_t loc, const char *path, stoa_error *err);
/* Scalar attributes that Stoa gives no meaning to, attributes.c: of a column's object; and of a
 * histogram, a table or one in it, at a path with dots, "" of itself. */
stoa_status stoa_lh5_take_attributes(hid_t object, stoa_column *column, stoa_error *err);
stoa_status stoa_lh5_take_part(hid_t object, const char *path, stoa_table *table, stoa_error *err);

/* Rows of an object, of a table those of its first column; as far as can be told without opening
 * it, 0 otherwise. */
uint64_t stoa_lh5_count_rows(hid_t object);

/* Parts of it, one file each. --------------------------------------------------------------------
 */

/* How they open their members, which are columns themselves: column.c, which opens the parts. */
typedef stoa_status stoa_lh5_opener(hid_t group, const char *member, const char *name,
                                    bool is_array, stoa_column **column, stoa_error *err);
/* Vectors of vectors, as `type` says: lists of what flattened_data has. */
stoa_status stoa_lh5_open_vectors(hid_t group, const char *name, const stoa_lh5_datatype *type,
                                  stoa_lh5_opener *open, stoa_column **column, stoa_error *err);
/* Encoded arrays, decoded: lists, of fixed length where `is_equal`, of int32. */
stoa_status stoa_lh5_open_encoded(hid_t group, const char *name, bool is_equal,
                                  stoa_lh5_opener *open, stoa_column **column, stoa_error *err);
/* The attribute 'codec_shift', a number of any type (LH5 notes §6). */
stoa_status stoa_lh5_read_shift(hid_t group, double *shift, bool *found, stoa_error *err);

/* Which of the items of vectors are those of a range of rows. */
typedef struct stoa_lh5_span {
    uint64_t first;
    uint64_t count;
} stoa_lh5_span;

/* A column of numbers, and the way to them. */
typedef struct stoa_lh5_numbers {
    stoa_column *column;
    stoa_scratch *scratch; /* of this thread: they are read without libhdf5; NULL: as columns are */
} stoa_lh5_numbers;

/* Whether the numbers of a column can be read so, past libhdf5; where that may be called. */
stoa_status stoa_lh5_look_at_numbers(stoa_column *column, stoa_read_context *read_context,
                                     bool *is_free, stoa_error *err);
/* Rows [first, first + count) as elements in memory form. */
stoa_status stoa_lh5_read_numbers(const stoa_lh5_numbers *numbers, uint64_t first, uint64_t count,
                                  void *out, stoa_error *err);
/*
 * Where the vectors of rows [first, first + count) lie, which integers say.
 *
 * @param blocks        for integers as they are stored
 * @param[out] offsets  count + 1 of Arrow's, counted from the first item of these rows: int32_t, or
 *                      int64_t where `is_large`
 * @return STOA_EDATA where they descend, or go beyond the n_items that there are
 */
stoa_status stoa_lh5_read_offsets(const stoa_lh5_numbers *lengths, uint64_t first, uint64_t count,
                                  uint64_t n_items, stoa_buffer_pool *blocks, bool is_large,
                                  void *offsets, stoa_lh5_span *span, stoa_error *err);

#endif
