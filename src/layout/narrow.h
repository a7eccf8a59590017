/*
 * Numbers of the type that they had before HEP001 widened them: where a column's values take all
 * of a type's, HEP001 has none left for missing ones (docs/hep001.md, `stoa_arrow_type`).
 */
#ifndef STOA_LAYOUT_NARROW_H
#define STOA_LAYOUT_NARROW_H

#include <stdbool.h>

#include "arrow/build.h"
#include "layout/writer.h"

/* Have the fields of a struct be of the type that they say they were of, where all values that the
 * facts (one a field) know of fit into it still. `any`: one of them became so. */
stoa_status stoa_narrow_fields(struct ArrowSchema *schema, const stoa_facts *facts, bool *any,
                               stoa_error *err);

/* The rows of `from`, borrowed like `to`, as that schema has them. */
stoa_status stoa_narrow_stream(struct ArrowArrayStream *from, const struct ArrowSchema *to,
                               struct ArrowArrayStream *out, stoa_error *err);

#endif
