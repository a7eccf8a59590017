/* What PyTables writes besides data, for all layouts that build on it (PyTables notes §1, §2). */
#ifndef STOA_LAYOUT_PYTABLES_H
#define STOA_LAYOUT_PYTABLES_H

#include "hdf/ids.h"
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

/* Write the source as an unnamed row-wise table of PyTables or H5TB. */
stoa_status stoa_pytables_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                                stoa_error *err);
stoa_status stoa_h5tb_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                            stoa_error *err);

/*
 * Write the source's rows to a dataset, from row `first` on.
 *
 * @param type  of the dataset's rows. Unless it is rows->stored itself, the rows are appended: they
 *              are converted, and the dataset grows
 */
stoa_status stoa_pytables_put_rows(const stoa_layout_source *source, stoa_pack *rows, hid_t dataset,
                                   hid_t type, uint64_t first, stoa_error *err);

/* "/p/_i_t" for "/p/t": where PyTables keeps the indexes of a table (notes §5.1). The caller frees
 * it. */
char *stoa_pytables_index_path(const char *path);
/* Make PyTables ignore the indexes of the table at `path`, whose rows are about to change. */
stoa_status stoa_pytables_mark_indexes(hid_t loc, const char *path, stoa_error *err);
/* Append the source's rows to a row-wise table. Columns are matched by name. */
stoa_status stoa_pytables_append(const stoa_layout_source *source, hid_t dataset, const char *path,
                                 stoa_error *err);

#endif
