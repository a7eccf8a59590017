/* Column statistics, collected from a stream before its rows are written (writer.h). */
#ifndef STOA_LAYOUT_FACTS_H
#define STOA_LAYOUT_FACTS_H

#include "arrow/read.h"
#include "layout/common/writer.h"

/* One for each column of a schema of structs, with those of nested fields. The caller frees them by
 * stoa_facts_free(). */
stoa_status stoa_facts_make(const struct ArrowSchema *schema, stoa_facts **facts, stoa_error *err);
void stoa_facts_free(stoa_facts *facts, size_t n);
/* Add the rows of one more batch. */
stoa_status stoa_facts_add(stoa_facts *facts, const struct ArrowSchema *schema,
                           const struct ArrowArray *batch, stoa_error *err);

#endif
