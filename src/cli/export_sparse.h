/* What export does with sparse arrays: files of one matrix, Arrow files, groups of CSR and CSC, and
 * rows as text. */
#ifndef STOA_CLI_EXPORT_SPARSE_H
#define STOA_CLI_EXPORT_SPARSE_H

#include "cli/output.h"
#include "cli/place.h"

/* The formats of cli_formats, then those that sparse arrays alone have. */
enum {
    CLI_CSR = CLI_FORMAT_BY_NAME,
    CLI_CSC,
    CLI_MATRIX_FILE /* and further ones: cli_matrix_layout() from 0 */
};

/* Whether the place, whose file is open, is a dataset of structured chunks, and so no table. A path
 * that was left out is filled in where the file holds one such array, and no table. */
bool cli_is_sparse(cli_place *place);

/* Write the array at the place, whose file is open. @param[out] n  entries */
stoa_status cli_export_sparse(cli_place *place, int format, const cli_output *output,
                              const stoa_listener *listener, uint64_t *n, stoa_error *err);
/* The same as a group at the place `to`, which may lie in the same file: CLI_CSR or CLI_CSC. Opens
 * the file of `from`, too; publishes. */
stoa_status cli_export_group(cli_place *from, int format, cli_place *to, const char *codec,
                             uint64_t *n, stoa_error *err);

#endif
