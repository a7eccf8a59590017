/*
 * List columns of HEP001 (HEP001-2026-07 §9): a group that has offsets, values and maybe a mask.
 *
 * Such a column is a stoa_column with a `list` (column.h). It is noted like others, and its members
 * are opened when it is loaded. From then on they can be read and written as columns.
 */
#ifndef STOA_COLUMN_LIST_H
#define STOA_COLUMN_LIST_H

#include "column/members.h"

/* Names of members. CHARS are the bytes of strings (§9.4). */
#define STOA_LIST_OFFSETS "OFFSETS"
#define STOA_LIST_VALUES "VALUES"
#define STOA_LIST_MASK "MASK"
#define STOA_LIST_CHARS "CHARS"
/* What CLASS and KIND of their groups say (§9.1, §9.4). */
#define STOA_LIST_CLASS "LIST_COLUMN"
#define STOA_LIST_TEXT_CLASS "STRING_VALUES"
#define STOA_LIST_KIND "OFFSETS"

/* Find out whether CLASS of a group says that it is a list column, in any form of string (§7.1).
 * Fails only with STOA_ENOMEM. */
stoa_status stoa_list_is_group(hid_t group, bool *is, stoa_error *err);

/*
 * Note a list column, like stoa_column_note() and stoa_column_note_link().
 *
 * @param object  its group, which is taken over in every case. H5I_INVALID_HID: `group` has it, and
 *                is borrowed
 */
stoa_status stoa_list_note(hid_t object, hid_t group, const char *name, uint64_t n_rows,
                           const char *vocabulary, stoa_column **column, stoa_error *err);

/* Open the MASK of a loaded level, which is in its group. Its first n_rows elements belong to the
 * table. */
stoa_status stoa_list_open_mask(stoa_column *column, uint64_t n_rows, stoa_error *err);
/* Forget the fill value and the range of OFFSETS, MASK or CHARS: every element is a value. */
void stoa_list_ignore_fill(stoa_column *member);

/* Refuse values of which hardly any was ever written: reading one list would allocate them all. */
stoa_status stoa_list_check_written(const stoa_column *values, stoa_error *err);

/* The innermost values of a loaded list column: a dataset's, or the strings (§9.4). */
const stoa_column *stoa_list_leaf(const stoa_column *column);

#endif
