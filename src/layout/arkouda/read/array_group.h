/* Separate arrays of an Arkouda file as one table: all of the root, or those that a path lists,
 * FILE:/a,b. Also objects of old files that consist of several datasets (Arkouda notes §I.1, §M).
 */
#ifndef STOA_LAYOUT_ARKOUDA_ARRAY_GROUP_H
#define STOA_LAYOUT_ARKOUDA_ARRAY_GROUP_H

#include "table/open/foreign.h"

/* Whether a path names such a table. It may be "/" of an Arkouda file, or a path to no object whose
 * last part lists several, or names one that is stored in pieces. */
bool stoa_arkouda_is_array_group(hid_t loc, const char *path);
/*
 * @param path    accepted by stoa_arkouda_is_array_group(); from the root, or relative to `loc`
 * @param widens  see stoa_arkouda_set
 * @return STOA_ENOTFOUND if a name leads to nothing; STOA_EDATA, naming two of them, if their
 *         lengths differ
 */
stoa_status stoa_arkouda_array_group_open(hid_t loc, const char *path, const char *file,
                                          bool widens, stoa_table **table, stoa_error *err);

#endif
