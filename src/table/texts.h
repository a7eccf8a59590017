/*
 * Columns of strings that are kept as categories, because few of the strings differ (HEP001 §8.7).
 *
 * A stream is seen once, so that such a column begins as codes whatever its first rows look like.
 * It goes on as plain strings, and so do the rows that it has, from the moment its code book is
 * past STOA_CODEBOOK_LABELS or STOA_CODEBOOK_BYTES, or when at the end of the stream each label
 * stands for fewer than STOA_CODEBOOK_REPEATS rows.
 */
#ifndef STOA_TABLE_TEXTS_H
#define STOA_TABLE_TEXTS_H

#include "table/append.h"

/* Whether a new column of that field and codec is tried as categories. */
bool stoa_text_may_be_coded(const struct ArrowSchema *field, const char *codec,
                            const stoa_table_options *options);
/*
 * Number a column's first values.
 *
 * @param is_all  there are no more of them
 * @param[out] codes  as integers
 * @param[out] is_coded  whether the column is to begin as categories; if not, the book is empty
 */
stoa_status stoa_text_begin(const stoa_view *values, bool is_all, stoa_codebook *book,
                            stoa_plain *codes, bool *is_coded, stoa_error *err);

/* Rows are going to be appended to a table that there is: its columns of strings keep their form as
 * long as the file can hold the labels. */
void stoa_texts_limit(stoa_appender *appender);
/* Columns that the batch, which was looked at, has made plain: those whose book is full. They are
 * looked at again. */
stoa_status stoa_texts_give_up(stoa_appender *appender, const stoa_view *rows, stoa_error *err);
/* The same for columns of a new table whose labels turn out to be rare, once all rows are in. */
stoa_status stoa_texts_settle(stoa_appender *appender, stoa_error *err);

#endif
