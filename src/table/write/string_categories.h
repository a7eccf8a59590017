/*
 * String columns stored as categories because they have few distinct strings (HEP001 §8.7).
 *
 * A stream can be read only once, so every such column starts as codes. It becomes plain strings
 * when its categories exceed STOA_CATEGORIES_LABELS or STOA_CATEGORIES_BYTES. The same happens if
 * the stream ends with fewer than STOA_CATEGORIES_REPEATS rows per label. Rows already written are
 * converted.
 */
#ifndef STOA_TABLE_STRING_CATEGORIES_H
#define STOA_TABLE_STRING_CATEGORIES_H

#include "table/write/append.h"

/* Whether a new column of that field and codec starts as categories. */
bool stoa_text_may_be_coded(const struct ArrowSchema *field, const char *codec,
                            const stoa_table_options *options);
/*
 * Encode a column's first values.
 *
 * @param is_all  these are all values
 * @param[out] codes  the codes, as integers
 * @param[out] is_coded  whether the column starts as categories; if not, the categories are empty
 */
stoa_status stoa_text_begin(const stoa_view *values, bool is_all, stoa_categories *book,
                            stoa_stored_form *codes, bool *is_coded, stoa_error *err);

/* Prepare for appending to an existing table. Its string columns keep their form as long as the
 * file can hold the labels. */
void stoa_texts_limit(stoa_appender *appender);
/* Convert columns to plain strings if this batch has filled their categories. The batch has been
 * looked at; such columns are looked at again. */
stoa_status stoa_texts_give_up(stoa_appender *appender, const stoa_view *rows, stoa_error *err);
/* The same for columns of a new table with too few rows per label, once all rows are written. */
stoa_status stoa_texts_settle(stoa_appender *appender, stoa_error *err);

#endif
