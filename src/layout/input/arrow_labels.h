/* The columns of Arrow data that label the rows, in the form of pandas and pyarrow: the metadata
 * `pandas` of a schema, JSON, has their names in "index_columns". */
#ifndef STOA_LAYOUT_ARROW_LABELS_H
#define STOA_LAYOUT_ARROW_LABELS_H

#include "core/string_set.h"
#include "table/open/table.h"

/* Collect the names, outermost first, as far as there are such columns. A schema without them, or
 * with other metadata of that name, has none. Fails only if memory runs out. */
stoa_status stoa_arrow_row_labels(const struct ArrowSchema *schema, stoa_string_set *names,
                                  stoa_error *err);
/* Let the streams of a table name its row labels so. It replaces no metadata. */
stoa_status stoa_arrow_note_row_labels(stoa_table *table, stoa_error *err);

#endif
