/* What PyTables writes besides data, for all layouts that stand on it (PyTables notes §1, §2). */
#ifndef STOA_LAYOUT_PYTABLES_H
#define STOA_LAYOUT_PYTABLES_H

#include "hdf/ids.h"
#include "layout/writer.h"

/* A text attribute as PyTables writes it: scalar, UTF-8, as long as the text, no terminator; empty
 * texts have a NULL dataspace. PyTables takes a terminator for a part of the text. */
stoa_status stoa_pytables_write_text(hid_t object, const char *name, const char *text,
                                     stoa_error *err);
/* CLASS, VERSION, TITLE of a group, and of the root PYTABLES_FORMAT_VERSION, unless they are there.
 * A root that is something else already (a HEP001 table) is left as it is. */
stoa_status stoa_pytables_mark_group(hid_t group, stoa_error *err);
stoa_status stoa_pytables_mark_root(hid_t root, stoa_error *err);

/* A row-wise table of the source without a name: PyTables', H5TB's. */
stoa_status stoa_pytables_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                                stoa_error *err);
stoa_status stoa_h5tb_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                            stoa_error *err);

/* "/p/_i_t" for "/p/t": where PyTables keeps the indexes of a table (notes §5.1); free(). */
char *stoa_pytables_index_path(const char *path);
/* Have PyTables not believe the indexes of the table at `path`, whose rows are about to change. */
stoa_status stoa_pytables_mark_indexes(hid_t loc, const char *path, stoa_error *err);
/* Append the source's rows, matched by name, to a row-wise table. */
stoa_status stoa_pytables_append(const stoa_layout_source *source, hid_t dataset, const char *path,
                                 stoa_error *err);

#endif
