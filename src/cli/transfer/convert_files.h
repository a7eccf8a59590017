/* stoa convert to a layout that stores each table in files of its own. */
#ifndef STOA_CLI_CONVERT_FILES_H
#define STOA_CLI_CONVERT_FILES_H

#include "cli/common/place.h"
#include "layout/layout.h"

typedef struct cli_files {
    const stoa_layout *layout;
    const cli_place *from; /* whose file is open */
    const cli_place *to;
    const stoa_layout_options *options;
    const char *columns;     /* as in stoa_query_options; NULL: all */
    const char *where;       /* NULL: all rows */
    const cli_texts *paths;  /* of the tables; of several, each keeps the name it had */
    const cli_texts *listed; /* objects of the file, */
    const cli_texts *kinds; /* and the word of `stoa ls` for those that have this layout, else "" */
} cli_files;

/* Convert the tables and publish. No target file may be a source, since the edit would wait for its
 * own reader. */
stoa_status cli_files_convert(const cli_files *files, uint64_t *n_rows, stoa_error *err);

#endif
