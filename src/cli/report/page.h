/* The HTML page about a file. */
#ifndef STOA_CLI_REPORT_PAGE_H
#define STOA_CLI_REPORT_PAGE_H

#include "cli/report/table.h"

/*
 * Write the page about the file of a place, whose path is not set.
 *
 * @param options.is_open  set by the page, where there are few tables
 * @param[out] is_whole    whether all objects could be read; the page says which could not
 */
stoa_status cli_report_page(cli_args *args, cli_place *place, cli_report_options options, FILE *out,
                            bool *is_whole, stoa_error *err);

#endif
