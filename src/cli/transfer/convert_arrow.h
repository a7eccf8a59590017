/* stoa convert from an Arrow file, which holds one table. */
#ifndef STOA_CLI_CONVERT_ARROW_H
#define STOA_CLI_CONVERT_ARROW_H

#include "cli/common/place.h"
#include "layout/layout.h"

/*
 * Convert all rows of the file to a place, which must have a path, and publish.
 * @param[out] n_rows  rows written
 */
stoa_status cli_convert_arrow(const char *from, const char *to, stoa_layout_mode mode, bool safe,
                              const stoa_layout_options *options, uint64_t *n_rows,
                              stoa_error *err);

#endif
