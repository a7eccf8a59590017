/* stoa convert into existing objects and files, in the modes of the layout. */
#ifndef STOA_CLI_CONVERT_INTO_H
#define STOA_CLI_CONVERT_INTO_H

#include "cli/common/args.h"
#include "cli/common/place.h"
#include "layout/registry.h"

/* The mode that the complete options request for an existing object. */
stoa_layout_mode cli_mode_of(const stoa_layout *to, const stoa_layout_options *options);

/* Whether the mode adds to an existing object. */
bool cli_mode_extends(stoa_layout_mode mode);
/* Append rows or columns from a table of any layout, or an Arrow file; publishes. */
stoa_status cli_extend(cli_args *args, const char *from, const char *to, const stoa_layout *layout,
                       bool safe, const stoa_layout_options *options, stoa_error *err);

/* Open the target's file as the mode says, or make it. */
stoa_status cli_open_target(cli_place *place, stoa_layout_mode mode, stoa_error *err);

#endif
