/* Options, names and error messages for layouts, built from their registry. */
#ifndef STOA_CLI_LAYOUTS_H
#define STOA_CLI_LAYOUTS_H

#include "cli/common/args.h"
#include "layout/registry.h"

/* An option of a layout, and the value given. */
typedef struct cli_setting {
    const stoa_layout *layout;
    const stoa_layout_option *option;
    bool is_set; /* for a flag */
    const char *text;
    int choice; /* -1: none */
} cli_setting;

/* All options; zero-initialise. */
typedef struct cli_settings {
    cli_setting *all;
    size_t n;
} cli_settings;

/* Declare every option of every layout, or those of one alone. */
void cli_settings_declare(cli_args *args, cli_settings *settings);
void cli_settings_declare_of(cli_args *args, cli_settings *settings, const stoa_layout *layout);
/* The first of the options that was given, as "--revision"; NULL if none was. */
const char *cli_settings_given(cli_args *args, const cli_settings *settings);
/* Check the options given for the layout `to`, and store them in `options`; false after a message.
 * They live as long as the args. */
bool cli_settings_accepted(cli_args *args, const cli_settings *settings, const stoa_layout *to,
                           stoa_layout_options *options);

/* Names of the layouts that satisfy `which`, as "pytables, h5tb and lh5"; live as long as the
 * args. */
typedef bool cli_layout_which(const stoa_layout *layout);
const char *cli_layout_names(cli_args *args, cli_layout_which *which);
/* Names of the layouts that can be written, as "hep001, pytables, ...". */
const char *cli_layouts_written(cli_args *args);

/* The layout that files with this suffix have; HEP001 if no layout claims it. */
const stoa_layout *cli_layout_of_file(const char *file);
/* Whether a file has the suffix of a matrix file format; and the i-th of these formats, NULL after
 * the last. */
bool cli_is_called_so(const stoa_matrix_file *matrix, const char *file);
const stoa_layout *cli_matrix_layout(size_t i);
/* Whether a table is a HEP001 table. */
bool cli_is_home(const stoa_table *table);

#endif
