/* What `info` says of arrays: shape, storage, and statistics of all values. */
#ifndef STOA_CLI_ARRAY_SUMMARY_H
#define STOA_CLI_ARRAY_SUMMARY_H

#include <hdf5.h>

#include "cli/common/cli.h"
#include "cli/output/grid.h"

/* Texts are owned; NULL where there is nothing to say. */
typedef struct cli_array_facts {
    char *type;    /* of an element, as it is stored */
    unsigned rank; /* of the rows */
    uint64_t shape[H5S_MAX_RANK + 1];
    unsigned chunk_rank;          /* 0: not chunked */
    uint64_t chunk[H5S_MAX_RANK]; /* of the dataset, whose dimensions may be in another order */
    char *filters;                /* "shuffle, deflate:4" */
    uint64_t n_bytes;             /* of the dataset, as it is stored */
} cli_array_facts;

/* Describe a table of a dataset that is an array. Clear the facts also after a failure. */
stoa_status cli_array_describe(const stoa_table *table, cli_array_facts *facts, stoa_error *err);
void cli_array_facts_clear(cli_array_facts *facts);

/* Make the grid for them; `of` is the title of the names. */
void cli_array_statistics_grid(cli_grid *grid, const char *of);
/* Read all values, and add a line for each column of numbers to that grid: name, values, missing
 * ones, NaN, least, greatest, mean, standard deviation. The last is of a sample, as stddev() of
 * queries has it. */
stoa_status cli_array_statistics(stoa_table *table, const stoa_listener *listener, cli_grid *grid,
                                 stoa_error *err);

#endif
