/* stoa convert into objects and files that are there, in the modes of the layout. */
#ifndef STOA_CLI_EXTEND_H
#define STOA_CLI_EXTEND_H

#include "cli/args.h"
#include "cli/place.h"
#include "layout/registry.h"

/* What the options, which are complete, want to become of an object that is there. */
stoa_layout_mode cli_mode_of(const stoa_layout *to, const stoa_layout_options *options);

/* Whether one object goes into another one. */
bool cli_mode_extends(stoa_layout_mode mode);
/* That: rows, or columns, of a table of any layout, or of an Arrow file; publishes. */
stoa_status cli_extend(cli_args *args, const char *from, const char *to, const stoa_layout *layout,
                       bool safe, const stoa_layout_options *options, stoa_error *err);

/* How the file of a target is opened. */
stoa_file_mode cli_mode_of_file(stoa_layout_mode mode, const char *file);

#endif
