/* What import does where a sparse array is to be made, not a table: of Matrix Market files, of
 * AnnData's groups, and of anything with a row an element (--sparse). */
#ifndef STOA_CLI_IMPORT_MATRIX_H
#define STOA_CLI_IMPORT_MATRIX_H

#include "cli/place.h"
#include "cli/source.h"

typedef struct cli_matrix_import {
    const char *input;
    cli_source *rows;   /* of --sparse, accepted; NULL: the input is a matrix itself */
    cli_texts codecs;   /* as given: one at most */
    cli_texts chunks;   /* alike */
    const char *extent; /* "RxC", NULL: not given */
    bool force;
    bool follows; /* --follow-external */
    bool quiet;
    uint64_t chunk[H5S_MAX_RANK]; /* once accepted, with as many dimensions; 0: not given */
    unsigned chunk_rank;
    uint64_t shape[H5S_MAX_RANK];
    unsigned shape_rank;
} cli_matrix_import;

/* By its name (.mtx, also .mtx.gz and .mtx.zst), by how it begins, or a place that is a group of
 * AnnData's. */
bool cli_is_matrix(const char *input);
/* Look at the options: false after a complaint about usage. */
bool cli_matrix_accepted(cli_args *args, cli_matrix_import *import);
/* Make the array at the place, whose path is known; publish, and say so in a remark. */
stoa_status cli_matrix_run(cli_args *args, const cli_matrix_import *m, cli_place *target,
                           stoa_error *err);

#endif
