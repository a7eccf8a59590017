/*
 * Writes lists of Arrow as an awkward array (awkward_read.h), batch by batch. Missing lists,
 * strings, integers and booleans get a ByteMaskedArray, an option type. Missing floats are NaN, as
 * in frames.
 */
#ifndef STOA_LAYOUT_ANNDATA_AWKWARD_WRITE_H
#define STOA_LAYOUT_ANNDATA_AWKWARD_WRITE_H

#include "layout/common/writer.h"

typedef struct stoa_awkward_writer stoa_awkward_writer;

/*
 * Begin an array in a group without a name.
 *
 * @param file        any object of the file
 * @param field       borrowed until the writer is closed
 * @param[out] writer the caller closes it
 * @return STOA_ETYPE, naming the column, if its lists hold what AnnData does not write
 */
stoa_status stoa_awkward_writer_open(hid_t file, const struct ArrowSchema *field,
                                     const stoa_column_stats *stats, const char *codec,
                                     stoa_awkward_writer **writer, stoa_error *err);
/* Add the rows of a batch. */
stoa_status stoa_awkward_writer_put(stoa_awkward_writer *writer, const stoa_view *rows,
                                    stoa_error *err);
/* Write what is held, the form and the length. The group is then complete. */
stoa_status stoa_awkward_writer_finish(stoa_awkward_writer *writer, stoa_error *err);
/* Its group, borrowed. */
hid_t stoa_awkward_writer_group(const stoa_awkward_writer *writer);
void stoa_awkward_writer_close(stoa_awkward_writer *writer);

#endif
