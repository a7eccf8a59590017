/* The section of a table in a report, and what could be done about it. */
#ifndef STOA_CLI_REPORT_TABLE_H
#define STOA_CLI_REPORT_TABLE_H

#include "cli/common/place.h"

/* A count in groups of three digits. */
enum { CLI_COUNT_SIZE = 64 };
void cli_spaced_count(uint64_t n, char out[CLI_COUNT_SIZE]);

/* Suggestions: HTML without a mark-up of their own around them. */
typedef struct cli_hints {
    char **all; /* owned */
    size_t n;
} cli_hints;

typedef struct cli_report_options {
    bool scans;   /* tables of any size are read whole */
    bool is_open; /* sections are unfolded */
    stoa_listener listener;
    size_t *n_left; /* columns that the page still has room for */
} cli_report_options;

/*
 * Write the section of the place's table, and add hints about it.
 *
 * A column that cannot be read is said in its line. A failure of the whole table leaves a section
 * that says why.
 *
 * @return whether all could be read
 */
bool cli_report_table(cli_args *args, cli_place *place, const cli_report_options *options,
                      cli_hints *hints, FILE *out, stoa_error *err);

void cli_hints_clear(cli_hints *hints);

#endif
