/*
 * Objects of LH5 files as columns of tables (LH5; LH5 notes §4).
 *
 * Columns of nested tables have their table's name and a dot before their own. Any other object
 * with rows is a table of one column, and a scalar is one row. Field metadata keep what Arrow types
 * cannot express:
 * - 'lh5.datatype', 'lh5.codec', 'lh5.codec_shift', 'units';
 * - 'lh5.stored': type of the items in the file;
 * - 'lh5.lengths': type of cumulative_length;
 * - 'lh5.units_of': the part that has the units;
 * - other scalar attributes, see attributes.c.
 */
#ifndef STOA_LAYOUT_LH5_H
#define STOA_LAYOUT_LH5_H

#include "codec/pipeline.h"
#include "column/read/foreign.h"
#include "core/buffer_pool.h"
#include "layout/layout.h"
#include "layout/lh5/common/datatype.h"
#include "table/open/foreign.h"

/* Members of vectors: where each vector ends, and the items. Members of encoded vectors: the bytes,
 * and the decoded sizes. */
#define STOA_LH5_LENGTHS "cumulative_length"
#define STOA_LH5_ITEMS "flattened_data"
#define STOA_LH5_ENCODED "encoded_data"
#define STOA_LH5_DECODED_SIZE "decoded_size"
/* What defines cumulative_length, for messages. */
#define STOA_LH5_VECTORS_RULE "LH5, vector of vectors"

/*
 * Read the datatype of an object.
 *
 * @param[out] text  as it is spelt; the caller frees it with free(). NULL if the object declares no
 *                   datatype; `type` is then empty. May be NULL if the caller does not need it
 * @return STOA_EDATA if the text is not a valid datatype
 */
stoa_status stoa_lh5_type_of(hid_t object, stoa_lh5_datatype *type, char **text, stoa_error *err);
/* The same, but an object whose datatype is invalid declares none. Fails only if memory runs
 * out. */
stoa_status stoa_lh5_type_if_valid(hid_t object, stoa_lh5_datatype *type, char **text,
                                   stoa_error *err);

/* Move the field names of a type to the caller. */
void stoa_lh5_move_names(stoa_lh5_datatype *type, stoa_layout_names *names);

/*
 * Open an object that is neither a struct nor a table as a column. Its declared datatype must agree
 * with its HDF5 type.
 *
 * @param object       borrowed
 * @param[out] column  owned by the caller until a table takes it
 */
stoa_status stoa_lh5_open_column(hid_t object, const char *name, stoa_column **column,
                                 stoa_error *err);
/* Open a member that must be a dataset. A group is refused, because a hard link could lead back to
 * its own parent. */
stoa_status stoa_lh5_open_numbers(hid_t group, const char *member, stoa_column **column,
                                  stoa_error *err);

/* Open a table without its nested tables, which have as many rows. STOA_EDATA if its columns differ
 * in rows. The table may have no columns at all. */
stoa_status stoa_lh5_open_alone(hid_t loc, const char *path, stoa_table **table, stoa_error *err);
/* The path of a column or nested table in the group of its table, by its name. A dot leads into the
 * nested table that is named before it, or is a part of a name. The caller frees the path with
 * free(); NULL if memory runs out. */
char *stoa_lh5_path_of(hid_t group, const char *name, size_t length);
/* The value of a remark on a column; NULL if there is none. */
const char *stoa_lh5_remark_of(const stoa_column *column, const char *key);

/* Count the columns of a table, including those of nested tables, count.c. *most is the limit above
 * which the table is not opened. The check returns STOA_EDATA above the limit. It opens no column,
 * so that all tables of a file can be checked before the first is written. */
size_t stoa_lh5_count_columns(hid_t group, const stoa_lh5_datatype *type, size_t *most);
stoa_status stoa_lh5_check_columns(hid_t group, const stoa_lh5_datatype *type, stoa_error *err);
/* Scalar attributes without a meaning to Stoa, attributes.c. The first takes those of a column's
 * object. The second takes those of a histogram, a table or a nested table. `path` has dots; "" is
 * the object itself. */
stoa_status stoa_lh5_read_attributes(hid_t object, stoa_column *column, stoa_error *err);
stoa_status stoa_lh5_read_part_attributes(hid_t object, const char *path, stoa_table *table,
                                          stoa_error *err);

/* Rows of an object; of a table, those of its first column. 0 if they cannot be told without
 * opening it. */
uint64_t stoa_lh5_count_rows(hid_t object);

/* --- kinds of columns, one file each ---------------------------------------------------------- */

/* Opens a member, which is a column itself. column.c provides it to the files that open each
 * kind. */
typedef stoa_status stoa_lh5_opener(hid_t group, const char *member, const char *name,
                                    bool is_array, stoa_column **column, stoa_error *err);
/* Open nested vectors, as `type` says. Each row is a list of items of flattened_data. */
stoa_status stoa_lh5_open_vectors(hid_t group, const char *name, const stoa_lh5_datatype *type,
                                  stoa_lh5_opener *open, stoa_column **column, stoa_error *err);
/* Open encoded arrays, which are decoded when read. The rows are lists of int32, of fixed length if
 * `is_equal`. */
stoa_status stoa_lh5_open_encoded(hid_t group, const char *name, bool is_equal,
                                  stoa_lh5_opener *open, stoa_column **column, stoa_error *err);
/* Read the attribute 'codec_shift', a number of any type (LH5 notes §6). */
stoa_status stoa_lh5_read_shift(hid_t group, double *shift, bool *found, stoa_error *err);

#endif
