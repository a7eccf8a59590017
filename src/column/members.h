/*
 * The datasets that hold the rows of a column.
 *
 * A list column of HEP001 has several, its members (HEP001-2026-07 §9.2). Each is a column of its
 * own, so that what is done with datasets can be done with members, one after the other.
 */
#ifndef STOA_COLUMN_MEMBERS_H
#define STOA_COLUMN_MEMBERS_H

#include "column/column.h"

/* A dataset, and the lists or strings whose group links it: `level->list->offsets`, `mask` or
 * `values`. `level` is NULL if it is the column itself. */
typedef struct stoa_member {
    stoa_column *column;
    stoa_column *level;
} stoa_member;

/* Most levels of a column, strings among them. Hard links could nest a group in itself. */
#define STOA_LIST_MAX_LEVELS 32

/* Two in each level, and the innermost values. */
#define STOA_MAX_MEMBERS (2 * STOA_LIST_MAX_LEVELS + 1)

typedef struct stoa_members {
    stoa_member items[STOA_MAX_MEMBERS];
    size_t n;
} stoa_members;

/* Find the datasets of a loaded column, in the order in which an append writes them
 * (HEP001-2026-07 §12.3). The innermost values are first, then come MASK and OFFSETS of each level,
 * and the OFFSETS of the rows are last. A list column that is not loaded has none. */
void stoa_members_of(const stoa_column *column, stoa_members *members);

/* Whether more than one link leads to the dataset or group of a column or a member. Only then can
 * it be part of another column, too. */
stoa_status stoa_column_has_more_links(const stoa_column *column, bool *has, stoa_error *err);

#endif
