/* Restores the integer width that numbers had before HEP001 widened them. HEP001 widens a column
 * whose values use the whole range of its type, since no value is left for missing ones. See
 * docs/hep001.md, `stoa_arrow_type`. */
#ifndef STOA_LAYOUT_RESTORE_INT_WIDTH_H
#define STOA_LAYOUT_RESTORE_INT_WIDTH_H

#include <stdbool.h>

#include "arrow/build.h"
#include "layout/common/writer.h"

/* Give fields of a struct, and items of lists, the type that they declare as their original one.
 * All values have to fit into it according to the facts, one per field. `any` is set if one
 * changed. stoa_stream_cast() casts the values. */
stoa_status stoa_restore_int_width_fields(struct ArrowSchema *schema,
                                          const stoa_column_stats *stats, bool *any,
                                          stoa_error *err);

#endif
