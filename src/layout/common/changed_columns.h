/* Rows with some of their columns made anew, on their way from a table to a writer. */
#ifndef STOA_LAYOUT_CHANGED_COLUMNS_H
#define STOA_LAYOUT_CHANGED_COLUMNS_H

#include "arrow/build.h"
#include "arrow/read.h"

/*
 * Make column i of a batch anew, as an array of the type of `field`. `out` stays released if the
 * column does not change.
 */
typedef stoa_status (*stoa_column_change)(const void *context, size_t i, const stoa_view *column,
                                          const struct ArrowSchema *field, struct ArrowArray *out,
                                          stoa_error *err);

/*
 * Replace a stream by one with changed columns.
 *
 * @param[in,out] stream  released on failure
 * @param schema          of the new stream; copied
 * @param context         passed to `change`; borrowed as long as the stream lives
 */
stoa_status stoa_stream_change_columns(struct ArrowArrayStream *stream,
                                       const struct ArrowSchema *schema, stoa_column_change change,
                                       const void *context, stoa_error *err);

/* The lists of a view, which have offsets, of other items. `items` is moved from in every case. */
stoa_status stoa_lists_with_items(const stoa_view *lists, struct ArrowArray *items,
                                  struct ArrowArray *out, stoa_error *err);

/* Copy units and description from another field, unless the field has its own. */
stoa_status stoa_field_keep_units(struct ArrowSchema *field, const struct ArrowSchema *from,
                                  stoa_error *err);

#endif
