/* Exports sparse arrays: as matrix files, Arrow files, CSR and CSC groups, or rows of text. */
#ifndef STOA_CLI_EXPORT_SPARSE_H
#define STOA_CLI_EXPORT_SPARSE_H

#include "cli/common/place.h"
#include "cli/output/output.h"
#include "layout/common/slice.h"
#include "layout/layout.h"

/* The formats of cli_formats, then those only for sparse arrays. Further ones are files of
 * matrices. */
enum {
    CLI_CSR = CLI_FORMAT_BY_NAME,
    CLI_CSC,
    CLI_WHOLE = -3 /* a whole new file, as its suffix says */
};

/* Whether the place, whose file is open, is a sparse array. If the path was left out and the file
 * holds one such array and no table, the path is filled in. */
bool cli_is_sparse(cli_place *place);
/* The same for any matrix of which a matrix file can be made. */
stoa_status cli_has_matrix(cli_place *place, bool *is_one, stoa_error *err);

/*
 * Write the array at the place, whose file is open.
 *
 * @param format  of rows, if `file` is NULL
 * @param form    of the matrix; STOA_MATRIX_COO: CSC if it is stored by columns, else CSR
 * @param[out] n  entries written
 */
stoa_status cli_export_sparse(cli_place *place, int format, const stoa_matrix_file *file,
                              stoa_matrix_form form, const cli_output *output,
                              const stoa_listener *listener, uint64_t *n, stoa_error *err);
/* Write the array as a group at the place `to`, possibly in the same file: CLI_CSR or CLI_CSC. Also
 * opens the file of `from`; publishes. */
stoa_status cli_export_group(cli_place *from, int format, cli_place *to, const char *codec,
                             const stoa_listener *listener, uint64_t *n, stoa_error *err);
/* Copy the entries of a box into a new array, without zeros of an array that has every element. */
stoa_status cli_copy_entries(stoa_table *table, const stoa_array_box *box, hid_t loc,
                             const char *path, const stoa_sparse_options *sparse,
                             const stoa_listener *listener, stoa_sparse **array, stoa_error *err);
/* The layout of which such a file is made of a matrix, as its suffix says; NULL if there is none.
 */
const stoa_layout *cli_whole_layout(const char *file);
/* Write the array as a whole new file of that layout. Also opens the file of `from`; publishes. */
stoa_status cli_export_whole(cli_place *from, cli_place *to, const char *codec,
                             const stoa_listener *listener, uint64_t *n, stoa_error *err);

#endif
