/* stoa convert to a layout whose tables lie in files of their own, which are opened as one. */
#ifndef STOA_CLI_CONVERT_FILES_H
#define STOA_CLI_CONVERT_FILES_H

#include "cli/place.h"
#include "layout/layout.h"

/* Zero-initialise. */
typedef struct cli_files {
    const stoa_layout *layout;
    char *name; /* of the object in the target; NULL: not said. Borrowed from the place */
    void *opened;
} cli_files;

stoa_status cli_files_open(cli_files *files, const cli_place *to,
                           const stoa_layout_options *options, stoa_error *err);
/* The files are none of those that are read: an edit would wait for its own reader. */
stoa_status cli_files_check_source(const cli_files *files, const cli_place *from, stoa_error *err);
/* One table, called as in its file where there are several. `kind`: the word of `stoa ls` for what
 * is of this layout already; "" of others. */
stoa_status cli_files_write(cli_files *files, stoa_table *table, const char *kind,
                            bool is_one_of_several, const stoa_layout_options *options,
                            uint64_t *n_rows, stoa_error *err);
stoa_status cli_files_commit(cli_files *files, stoa_error *err);
void cli_files_close(cli_files *files);

#endif
