/* Arrow fields and arrays of the tree of keys. */
#ifndef STOA_LAYOUT_JSONL_ARRAYS_H
#define STOA_LAYOUT_JSONL_ARRAYS_H

#include "layout/jsonl/node.h"

/* After the first pass: find the columns, and choose the types of all nodes. */
stoa_status stoa_jsonl_settle(stoa_jsonl_tree *tree, stoa_error *err);
stoa_status stoa_jsonl_schema(const stoa_jsonl_tree *tree, struct ArrowSchema *schema,
                              stoa_error *err);
/* The rows in the builders, which are empty afterwards. */
stoa_status stoa_jsonl_batch(stoa_jsonl_tree *tree, struct ArrowArray *batch, stoa_error *err);

#endif
