/* stoa convert --wo-mode: what becomes of an object of LH5 that is there, in the words of LEGEND's
 * writer (LH5 notes §5.2). */
#ifndef STOA_CLI_LH5_MODE_H
#define STOA_CLI_LH5_MODE_H

#include <stoa/layout.h>

#include "cli/args.h"
#include "cli/place.h"

typedef enum cli_lh5_mode {
    CLI_LH5_WRITE_SAFE,     /* it is an error */
    CLI_LH5_APPEND,         /* it gets more rows; what is not there is written */
    CLI_LH5_OVERWRITE,      /* the new one takes its name when it is complete */
    CLI_LH5_OVERWRITE_FILE, /* the file is made anew, and takes the place of the old one */
    CLI_LH5_APPEND_COLUMN   /* a table gets more columns */
} cli_lh5_mode;

/* Declare --wo-mode; and look at it: false after a complaint. */
void cli_lh5_mode_option(cli_args *args, int *mode);
bool cli_lh5_mode_accepted(cli_args *args, int mode, stoa_layout_options *options);

/* Whether one object goes into another one. */
bool cli_lh5_mode_extends(int mode);
/* That: rows, or columns, of a table of any layout, or of an Arrow file; publishes. */
stoa_status cli_lh5_extend(cli_args *args, const char *from, const char *to, int mode, bool safe,
                           const stoa_layout_options *options, stoa_error *err);

/* How the file of a target is opened. */
stoa_file_mode cli_lh5_mode_of_file(int mode, const char *file);

#endif
