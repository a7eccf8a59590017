/* Tables of other layouts than HEP001: found, opened, queried as if they were HEP001's. */
#ifndef STOA_LAYOUT_H
#define STOA_LAYOUT_H

#include <stoa/place.h>
#include <stoa/table.h>

STOA_BEGIN_DECLS

/**
 * Open the table at `path`, whatever layout it is stored in (docs/layouts/): stoa_table_info_of()
 * says which. All but HEP001's are for reading and queries; edits refuse them.
 *
 * @param loc         file or group `path` starts from; borrowed, may be closed before the table
 * @param[out] table  the caller's, released by stoa_table_close(); NULL on failure
 * @return STOA_ENOTFOUND; STOA_ELAYOUT if it is a table of no layout that is known; as
 *         stoa_table_open() else
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_open(hid_t loc, const char *path,
                                                      stoa_table **table, stoa_error *err);

/** Visit every table below `loc`, of any layout, as stoa_place_list() visits HEP001's. */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_list(hid_t loc, stoa_object_visitor visitor,
                                                      void *context, stoa_error *err);

/** The path of the only table below `loc`, of any layout: see stoa_place_only_table(). */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_only_table(hid_t loc, char **path,
                                                            stoa_error *err);

STOA_END_DECLS

#endif
