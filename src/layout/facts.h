/* What the rows of a stream hold, learned before they are written (writer.h). */
#ifndef STOA_LAYOUT_FACTS_H
#define STOA_LAYOUT_FACTS_H

#include "arrow/read.h"
#include "layout/writer.h"

/* One a column of a schema of structs, with those of their fields; the caller's, released by
 * stoa_facts_free(). */
stoa_status stoa_facts_make(const struct ArrowSchema *schema, stoa_facts **facts, stoa_error *err);
void stoa_facts_free(stoa_facts *facts, size_t n);
/* Learn from one more batch. */
stoa_status stoa_facts_add(stoa_facts *facts, const struct ArrowSchema *schema,
                           const struct ArrowArray *batch, stoa_error *err);

#endif
