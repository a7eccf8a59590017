/*
 * Arrays of an Arkouda file that lie beside each other, as one table: all of the root, or those
 * that a path names, FILE:/a,b; and objects of old files that are several datasets (Arkouda notes
 * §I.1, §M).
 */
#ifndef STOA_LAYOUT_ARKOUDA_LOOSE_H
#define STOA_LAYOUT_ARKOUDA_LOOSE_H

#include "table/foreign.h"

/* Whether a path means such a table: "/" of an Arkouda file, or a path that leads to no object, but
 * whose last part names several, or one that is there in pieces. */
bool stoa_arkouda_is_loose(hid_t loc, const char *path);
/*
 * @param path    as stoa_arkouda_is_loose() said; from the root, or from `loc`
 * @param widens  as stoa_arkouda_set has it
 * @return STOA_ENOTFOUND where a name leads to nothing; STOA_EDATA naming two of them if their
 *         lengths differ
 */
stoa_status stoa_arkouda_loose_open(hid_t loc, const char *path, const char *file, bool widens,
                                    stoa_table **table, stoa_error *err);

#endif
