/* What import does with Matrix Market files: a sparse array, not a table. */
#ifndef STOA_CLI_IMPORT_MATRIX_H
#define STOA_CLI_IMPORT_MATRIX_H

#include "cli/place.h"

typedef struct cli_matrix_import {
    const char *input;
    cli_texts codecs; /* as given: one at most */
    cli_texts chunks; /* alike */
    bool force;
    bool quiet;
    uint64_t chunk[2]; /* once accepted; 0: not given */
} cli_matrix_import;

/* By its name (.mtx, also .mtx.gz and .mtx.zst), or by how it begins. */
bool cli_is_matrix(const char *input);
/* Look at the options: false after a complaint about usage. */
bool cli_matrix_accepted(cli_args *args, cli_matrix_import *import);
/* Make the array at the place, whose path is known; publish, and say so in a remark. */
stoa_status cli_matrix_run(const cli_matrix_import *import, cli_place *target, stoa_error *err);

#endif
