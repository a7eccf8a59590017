/*
 * List columns written anew (HEP001-2026-07 §9).
 *
 * Lists lie back to back in VALUES, so that removing one or changing its length moves all behind
 * it. No member of a column is overwritten for that: a new group is made that no link leads to, and
 * takes over the column's link when it is whole.
 */
#ifndef STOA_COLUMN_REWRITE_LIST_H
#define STOA_COLUMN_REWRITE_LIST_H

#include <stoa/progress.h>

#include "column/type/create_column.h"

/*
 * Make an unlinked list column like an open one, without entries. It has the same attributes,
 * datatypes, filters and fill values. All members can grow.
 *
 * @param[out] fresh  an open column of the same name; the caller closes it
 */
stoa_status stoa_list_twin(const stoa_column *column, stoa_column **fresh, stoa_error *err);
/* Let a twin of a column hold the rows of another one, too. It gets a MASK wherever that has one,
 * and innermost values of a type that holds those of both. */
stoa_status stoa_list_twin_widen(stoa_column *fresh, stoa_column *column, stoa_column *newer,
                                 stoa_error *err);
/* Whether elements of both have one form in memory, and the same ones are missing. */
bool stoa_list_are_alike(const stoa_column *from, const stoa_column *to);

/* Consecutive rows of the old column, or of one with new rows. */
typedef struct stoa_list_part {
    bool is_new;
    uint64_t first;
    uint64_t count;
} stoa_list_part;

/* Add a part behind n others, or to the last one if it continues that. An empty part adds
 * nothing. */
void stoa_list_part_add(stoa_list_part *parts, size_t *n, stoa_list_part part);

/*
 * Append rows to a twin of a column. Memory is bounded, whatever the lengths of the lists.
 *
 * @param newer  has the new rows; NULL: there are none
 * @param parts  in the order of their rows in the twin. Those of each column ascend
 */
stoa_status stoa_list_copy(stoa_column *column, stoa_column *newer, stoa_column *fresh,
                           const stoa_list_part *parts, size_t n, stoa_error *err);
/* Append empty entries to a twin, until it has `n` of them. */
stoa_status stoa_list_pad(stoa_column *fresh, uint64_t n, stoa_error *err);
/* Flush the members of a twin, and give them the extents of what they hold. */
stoa_status stoa_list_finish(stoa_column *fresh, stoa_error *err);

/*
 * Make an unlinked group like that of a list column, whose members have another storage. Only
 * elements that belong to the column's rows are copied, bit for bit.
 *
 * @param storage  chunk_rows 0: each member keeps its own. codec NULL: the same filters
 */
stoa_status stoa_list_rewrite_storage(stoa_column *column, const stoa_storage *storage,
                                      const stoa_listener *listener, hid_t *group, stoa_error *err);

/* Give the members of a list column the extents of what they hold, in place or in a new group that
 * takes over the column's link in `table`. */
stoa_status stoa_list_shrink(stoa_column *column, hid_t table, stoa_error *err);

#endif
