/* Some rows of columns: blocks at even distances, so that few chunks are read. */
#ifndef STOA_CLI_REPORT_SAMPLE_H
#define STOA_CLI_REPORT_SAMPLE_H

#include "arrow/type.h"
#include "cli/plot/spread.h"
#include "core/string_set.h"

/* Rows that are looked at, at most, and columns that are read together. */
enum { CLI_SAMPLE_ROWS = 16384, CLI_SAMPLE_COLUMNS = 64 };

/* What the sample holds of a column. Zero-initialise. */
typedef struct cli_sample {
    const char *name; /* of the column; borrowed */
    stoa_type type;
    uint64_t n_rows;
    uint64_t n_missing;
    long double *numbers; /* of a column of numbers or times; owned */
    size_t n_numbers;
    stoa_string_set labels; /* of a column of texts or categories */
    uint64_t *counts;       /* of each label; owned */
    stoa_buffer bytes;      /* values of fixed width, as they lie in memory */
} cli_sample;

/* Read a sample of `n` columns, CLI_SAMPLE_COLUMNS at most, whose names are set. */
stoa_status cli_sample_read(stoa_table *table, cli_sample *samples, size_t n,
                            const stoa_listener *listener, stoa_error *err);
void cli_sample_clear(cli_sample *sample);

/* How many times smaller shuffle and deflate make the values, about; 0 if that is unknown. */
double cli_sample_ratio(const cli_sample *sample);

#endif
