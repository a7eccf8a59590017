/* Shared by the files that write pandas' table format (table_write.c). These are in
 * table_attributes.c. */
#ifndef STOA_LAYOUT_PANDAS_TABLE_WRITE_H
#define STOA_LAYOUT_PANDAS_TABLE_WRITE_H

#include "layout/pandas/members.h"

stoa_status stoa_pandas_write_list(hid_t object, const char *name, const char *const *texts,
                                   size_t n, stoa_error *err);

/* Write attributes of a member: the labels of its columns, their dtype, and their meta type. */
stoa_status stoa_pandas_write_kind(hid_t dataset, const stoa_layout_source *source,
                                   const char *member, const char *const *labels, size_t n,
                                   stoa_error *err);
stoa_status stoa_pandas_write_dtype(hid_t dataset, const char *member, const char *dtype,
                                    size_t text_size, stoa_error *err);
stoa_status stoa_pandas_write_meta(hid_t dataset, const char *member, const char *meta,
                                   stoa_error *err);

/* Write the attributes that all pandas tables have. */
stoa_status stoa_pandas_write_frame(hid_t group, const char *pandas_type, const char *table_type,
                                    stoa_error *err);
/* [(1, [labels])]. */
stoa_status stoa_pandas_write_axes(hid_t group, const stoa_layout_source *source,
                                   const char *const *labels, size_t n, stoa_error *err);

/* Write rows as a table, and link it into the group. */
stoa_status stoa_pandas_put_table(const stoa_layout_source *rows, hid_t group, hid_t *dataset,
                                  stoa_error *err);
/* Write the labels of categoricals, after all rows (categories_write.c). */
stoa_status stoa_pandas_put_categories(const stoa_pandas_members *members, hid_t group,
                                       stoa_error *err);
/* The same for one of them, as meta/<member>/meta, in place of those that are there. Like pandas,
 * write nothing if there are none. */
stoa_status stoa_pandas_put_labels(const stoa_pandas_members *members,
                                   const stoa_pandas_member *member, hid_t group, stoa_error *err);

/* stoa_layout.append for frames of the table format (append.c). */
stoa_status stoa_pandas_append(const stoa_layout_source *source, stoa_table *table,
                               stoa_error *err);

#endif
