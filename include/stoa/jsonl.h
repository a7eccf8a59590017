/* JSON lines as Arrow streams: an object a line, types inferred over the whole file. */
#ifndef STOA_JSONL_H
#define STOA_JSONL_H

#include <stoa/csv.h>

STOA_BEGIN_DECLS

/**
 * Open a file of JSON lines and infer its types from all of it. The rows are read in a second pass.
 *
 * - The rows may also be the items of an array. Each of them ends on the line where it begins.
 * - Each key is a column. Arrays become lists, objects structs. A missing key is a missing value.
 * - If some object lacks a field that others have, no column can be a struct of them. Then each
 *   field is a column of its own, named by its path, "p.x". A field of objects in lists becomes a
 *   list.
 * - `name` and `options` are as in stoa_csv_open(). Options name a field of a struct by its path,
 *   such as "p.x", and set the type of a list's items. `delimiter`, `on_error`, `max_field_bytes`,
 *   `threads` and `block_bytes` do not apply.
 *
 * @param options      borrowed for this call; may be NULL
 * @param[out] stream  you release it; it does not borrow from `options`
 * @return STOA_ESYNTAX for malformed JSON, bad UTF-8, or a value that is not of an option's type;
 *         STOA_ETYPE for values of different types in a column; STOA_EDATA if no row has a key;
 *         STOA_EINVAL for a bad option
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_jsonl_open(const char *name,
                                                     const stoa_csv_options *options,
                                                     struct ArrowArrayStream *stream,
                                                     stoa_error *err);

STOA_END_DECLS

#endif
