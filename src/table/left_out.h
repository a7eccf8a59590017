/*
 * What lies in a table's group and is no part of the table that this library knows: no column, no
 * index, no category (HEP001 §7.6). The list columns of later revisions are such objects.
 *
 * Reading leaves it out, and says so (stoa_table_left_out()). An edit would bring everything else
 * out of step with it, and is refused (stoa_table_may_change()).
 */
#ifndef STOA_TABLE_LEFT_OUT_H
#define STOA_TABLE_LEFT_OUT_H

#include <stoa/table.h>

#include "hdf/links.h"

typedef struct stoa_left_outs {
    stoa_left_out *items; /* names are owned, kinds static */
    size_t n;
} stoa_left_outs;

/* Note what the link leads to, unless it is a rank-1 dataset, CATEGORIES, SEARCH_INDEXES, or a
 * table, which is one of its own. */
stoa_status stoa_left_outs_look(stoa_left_outs *list, hid_t group, const char *name,
                                const H5L_info2_t *info, stoa_error *err);
/* "'hits' (list column), 'x' (soft link)", to be freed; NULL if memory runs out. The first few are
 * named. */
char *stoa_left_outs_text(const stoa_left_outs *list);
void stoa_left_outs_clear(stoa_left_outs *list);

#endif
