/* stoa convert to a layout that stores each table in files of its own. */
#ifndef STOA_CLI_CONVERT_FILES_H
#define STOA_CLI_CONVERT_FILES_H

#include "cli/common/place.h"
#include "layout/layout.h"

/* Zero-initialise. */
typedef struct cli_files {
    const stoa_layout *layout;
    char *name; /* of the object in the target, borrowed from the place; NULL: not given */
    void *opened;
} cli_files;

stoa_status cli_files_open(cli_files *files, const cli_place *to,
                           const stoa_layout_options *options, stoa_error *err);
/* Check that no target file is also a source: the edit would wait for its own reader. */
stoa_status cli_files_check_source(const cli_files *files, const cli_place *from, stoa_error *err);
/* Write one table; of several, each keeps the name it had in its file. `kind` is the word of `stoa
 * ls` for an object that already has this layout, else "". */
stoa_status cli_files_write(cli_files *files, stoa_table *table, const char *kind,
                            bool is_one_of_several, const stoa_layout_options *options,
                            uint64_t *n_rows, stoa_error *err);
stoa_status cli_files_commit(cli_files *files, stoa_error *err);
void cli_files_close(cli_files *files);

#endif
