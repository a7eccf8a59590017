/* stoa convert of an Arrow file, which is one table. */
#ifndef STOA_CLI_CONVERT_ARROW_H
#define STOA_CLI_CONVERT_ARROW_H

#include <stoa/layout.h>

#include "cli/place.h"

/* All rows of the file to a place, which must have a path; publishes.
 *
 * @param mode         of LH5 (lh5_mode.h)
 * @param[out] n_rows  written */
stoa_status cli_convert_arrow(const char *from, const char *to, int mode, bool safe,
                              const stoa_layout_options *options, uint64_t *n_rows,
                              stoa_error *err);

#endif
