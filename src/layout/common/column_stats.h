/* Column statistics, collected from a stream before its rows are written (writer.h). */
#ifndef STOA_LAYOUT_COLUMN_STATS_H
#define STOA_LAYOUT_COLUMN_STATS_H

#include "arrow/read.h"
#include "core/threads.h"
#include "layout/common/writer.h"

/* One for each column of a schema of structs, with those of nested fields. The caller frees them by
 * stoa_column_stats_free(). */
stoa_status stoa_column_stats_make(const struct ArrowSchema *schema, stoa_column_stats **stats,
                                   stoa_error *err);
void stoa_column_stats_free(stoa_column_stats *stats, size_t n);
/* Add the rows of one more batch. The workers take a column each; `workers` may be NULL. */
stoa_status stoa_column_stats_add(stoa_column_stats *stats, const struct ArrowSchema *schema,
                                  const struct ArrowArray *batch, stoa_workers *workers,
                                  stoa_error *err);

#endif
