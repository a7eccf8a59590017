/* Strings that are categories in a table become categories again: the group keys of a query are
 * strings. */
#ifndef STOA_LAYOUT_TEXTS_AS_CATEGORIES_H
#define STOA_LAYOUT_TEXTS_AS_CATEGORIES_H

#include <stoa/table.h>

#include "arrow/build.h"

/* The labels of each column of a stream. */
typedef struct stoa_label_sets stoa_label_sets;
void stoa_label_sets_free(stoa_label_sets *sets);

/*
 * Replace string columns of a stream by dictionaries, where a column of that name in `table` has
 * categories that are strings. They get all its labels, in its order. The stream then fails with
 * STOA_EDATA at a string that the labels lack.
 *
 * @param[in,out] stream  released on failure
 * @param table           borrowed for the call
 * @param[out] sets       what the stream reads; freed by the caller after the stream
 */
stoa_status stoa_texts_as_categories(struct ArrowArrayStream *stream, stoa_table *table,
                                     stoa_label_sets **sets, stoa_error *err);

#endif
