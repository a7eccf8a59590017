/* What a table said and its copy in another layout no longer says. */
#ifndef STOA_LAYOUT_LOST_H
#define STOA_LAYOUT_LOST_H

#include "layout/layout.h"

/*
 * Report in one remark what is not in a copy of a table. Both tables are asked the same:
 *
 * - of each column the type, the zone, the units, the description and other attributes,
 * - which columns label the rows, and the order of the columns,
 * - the title and the attributes of the table,
 * - the facts that each layout lists (stoa_layout.visit_facts).
 *
 * A copy that says the same of all of them causes no remark.
 *
 * @param to      opened from what was written
 * @param path    of `from`, for the remark
 * @param layout  of `to`, for the remark
 */
stoa_status stoa_layout_tell_lost(const stoa_table *from, const stoa_table *to, const char *path,
                                  const stoa_layout *layout, stoa_layout_remark *remark,
                                  void *context, stoa_error *err);
/* The same for rows of a stream: units and descriptions of its columns, and of the parts of
 * structs. The copy is opened only if there are any. */
stoa_status stoa_layout_tell_lost_of(const struct ArrowSchema *rows, const char *file,
                                     const char *name, const stoa_layout *layout,
                                     stoa_layout_remark *remark, void *context, stoa_error *err);

#endif
