/* Imports sparse arrays: from Matrix Market files, AnnData groups, and any source with one row per
 * element (--sparse). */
#ifndef STOA_CLI_IMPORT_MATRIX_H
#define STOA_CLI_IMPORT_MATRIX_H

#include "cli/common/place.h"
#include "cli/common/source.h"

typedef struct cli_matrix_import {
    const char *input;
    cli_source *rows;   /* the source of --sparse, accepted; NULL: the input is a matrix itself */
    cli_texts codecs;   /* as given: at most one */
    cli_texts chunks;   /* as given: at most one */
    const char *extent; /* "RxC"; NULL: not given */
    bool force;
    bool follows; /* --follow-external */
    bool quiet;
    uint64_t chunk[H5S_MAX_RANK]; /* of that rank, once accepted; 0: not given */
    unsigned chunk_rank;
    uint64_t shape[H5S_MAX_RANK];
    unsigned shape_rank;
} cli_matrix_import;

/* Whether the input is a matrix. Decided by its name (.mtx, also .mtx.gz and .mtx.zst), by its
 * first bytes, or because it is the place of an AnnData group. */
bool cli_is_matrix(const char *input);
/* Check the options; false after a usage error. */
bool cli_matrix_accepted(cli_args *args, cli_matrix_import *import);
/* Make the array at the place, whose path is known; publish and print a remark. */
stoa_status cli_matrix_run(cli_args *args, const cli_matrix_import *m, cli_place *target,
                           stoa_error *err);

#endif
