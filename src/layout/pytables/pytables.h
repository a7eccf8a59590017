/* What PyTables writes besides data, for all layouts that build on it (PyTables notes §1, §2). */
#ifndef STOA_LAYOUT_PYTABLES_H
#define STOA_LAYOUT_PYTABLES_H

#include "layout/common/pack.h"
#include "layout/common/writer.h"

/* Write a string attribute as PyTables does: scalar, UTF-8, as long as the text, without a
 * terminator. An empty text has a NULL dataspace. PyTables would include a terminator in the text.
 */
stoa_status stoa_pytables_write_text(hid_t object, const char *name, const char *text,
                                     stoa_error *err);
/* Write CLASS, VERSION and TITLE of a group, and PYTABLES_FORMAT_VERSION of the root, unless they
 * exist. A root that is another kind of object, such as a HEP001 table, is not changed. */
stoa_status stoa_pytables_mark_group(hid_t group, stoa_error *err);
stoa_status stoa_pytables_mark_root(hid_t root, stoa_error *err);

/* Write the source as an unnamed row-wise table of PyTables or H5TB. PyTables' tables hold no
 * columns of lists: ragged.h. */
stoa_status stoa_pytables_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                                stoa_error *err);
stoa_status stoa_h5tb_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                            stoa_error *err);

/* How PyTables' columns are packed. */
extern const stoa_pack_rules stoa_pytables_rules;
/* Make such a table of PyTables without its rows. The caller closes the dataset and clears the
 * pack, also on failure. */
stoa_status stoa_pytables_begin(const stoa_layout_source *source, hid_t file, stoa_pack *rows,
                                hid_t *dataset, stoa_error *err);
/* Make an unnamed dataset of one dimension that can grow, with chunks and filters as the source's
 * options say. `layout` is for messages. */
stoa_status stoa_pytables_make_dataset(const stoa_layout_source *source, hid_t file, hid_t type,
                                       const char *layout, hid_t *dataset, stoa_error *err);
/* Write the names of columns as attributes: FIELD_n_NAME (PyTables notes §3.1). */
typedef stoa_status (*stoa_text_writer)(hid_t object, const char *name, const char *text,
                                        stoa_error *err);
stoa_status stoa_pytables_write_names(hid_t object, const struct ArrowSchema *schema,
                                      stoa_text_writer write, stoa_error *err);
/* Write the metadata of a column as attributes (PyTables notes §3.3): units, description, and what
 * tells times and durations from numbers. `field` is the column's, and `pack` its cell, or the cell
 * of its items. */
stoa_status stoa_pytables_write_notes(hid_t object, const char *prefix,
                                      const struct ArrowSchema *field, const stoa_pack *pack,
                                      stoa_error *err);

/* "/p/_i_t" for "/p/t": where PyTables keeps the indexes of a table (notes §5.1). The caller frees
 * it. */
char *stoa_pytables_index_path(const char *path);
/* Make PyTables ignore the indexes of the table at `path`, whose rows are about to change. */
stoa_status stoa_pytables_mark_indexes(hid_t loc, const char *path, stoa_error *err);
/* Append the source's rows to a row-wise table. Columns are matched by name. */
stoa_status stoa_pytables_append(const stoa_layout_source *source, hid_t dataset, const char *path,
                                 stoa_error *err);

#endif
