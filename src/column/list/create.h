/* Makes the groups and datasets of a new list column (HEP001-2026-07 §9). */
#ifndef STOA_COLUMN_LIST_CREATE_H
#define STOA_COLUMN_LIST_CREATE_H

#include "column/column.h"
#include "column/type/create_column.h"

/*
 * Whether the rows of a field can be a list column: lists of any depth, of all that has no
 * variable-length datatype below (§9.5). Lists of strings and bytes can, since these are levels of
 * their own. Lists of structs that hold strings or lists cannot.
 *
 * Lists of one length can if their elements would be too large for a fill value
 * (stoa_field_is_large_cell()). Every entry then has as many values, and STOA_COLUMN_ARROW_TYPE of
 * the group says how many.
 */
bool stoa_list_may_hold(const struct ArrowSchema *field);

/*
 * Create the unlinked group of a list column without rows.
 *
 * @param sample   the first rows; NULL: none. Codecs and datatypes are chosen for them
 * @param storage  of each member
 * @return like stoa_column_create()
 */
stoa_status stoa_list_create(hid_t loc, const struct ArrowSchema *field, const stoa_view *sample,
                             const stoa_storage *storage, hid_t *group, stoa_error *err);

/* Create the MASK of a level that has none (§9.3). Its first `n` entries are present. The member is
 * then open. */
stoa_status stoa_list_add_mask(stoa_column *level, uint64_t n, stoa_error *err);

/* Chunks for few rows: as long as these, but not too short for more rows to come. */
uint64_t stoa_fitted_chunk_rows(uint64_t n_rows);

#endif
