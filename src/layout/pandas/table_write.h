/* What the files that write pandas' table format have in common, table_say.c; see table_write.c. */
#ifndef STOA_LAYOUT_PANDAS_TABLE_WRITE_H
#define STOA_LAYOUT_PANDAS_TABLE_WRITE_H

#include "layout/pandas/members.h"

stoa_status stoa_pandas_say_list(hid_t object, const char *name, const char *const *texts, size_t n,
                                 stoa_error *err);

/* An attribute "values_block_0_dtype" of the member "values_block_0". */
stoa_status stoa_pandas_say_of_member(hid_t dataset, const char *member, const char *suffix,
                                      const char *text, stoa_error *err);
/* Of a member of the table: the labels of its columns, their dtype, what they stand for. */
stoa_status stoa_pandas_say_kind(hid_t dataset, const stoa_layout_source *source,
                                 const char *member, const char *const *labels, size_t n,
                                 stoa_error *err);
stoa_status stoa_pandas_say_dtype(hid_t dataset, const char *member, const char *dtype,
                                  size_t text_size, stoa_error *err);
stoa_status stoa_pandas_say_meta(hid_t dataset, const char *member, const char *meta,
                                 stoa_error *err);

/* What all of pandas' tables say. */
stoa_status stoa_pandas_say_frame(hid_t group, const char *pandas_type, const char *table_type,
                                  stoa_error *err);
/* [(1, [labels])]. */
stoa_status stoa_pandas_say_axes(hid_t group, const stoa_layout_source *source,
                                 const char *const *labels, size_t n, stoa_error *err);

/* Write rows as a table without a name, and put it into the group. */
stoa_status stoa_pandas_put_table(const stoa_layout_source *rows, hid_t group, hid_t *dataset,
                                  stoa_error *err);
/* What the codes of categoricals stand for, once all rows were written
 * (categories_write.c). */
stoa_status stoa_pandas_put_categories(const stoa_pandas_members *members, hid_t group,
                                       stoa_error *err);

#endif
