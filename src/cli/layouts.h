/* What the command has of layouts, which their registry says: options, names, refusals. */
#ifndef STOA_CLI_LAYOUTS_H
#define STOA_CLI_LAYOUTS_H

#include "cli/args.h"
#include "layout/registry.h"

/* An option of a layout, and what was given. */
typedef struct cli_setting {
    const stoa_layout *layout;
    const stoa_layout_option *option;
    bool is_set; /* of a flag */
    const char *text;
    int choice; /* -1: none */
} cli_setting;

/* All of them; zero-initialise. */
typedef struct cli_settings {
    cli_setting *all;
    size_t n;
} cli_settings;

/* Declare every option of every layout. */
void cli_settings_declare(cli_args *args, cli_settings *settings);
/* Look at what was given, of the target that the options name, which gets them; false after a
 * complaint. They live as long as the args. */
bool cli_settings_accepted(cli_args *args, const cli_settings *settings, const stoa_layout *to,
                           stoa_layout_options *options);

/* "pytables, h5tb and lh5": of layouts that something holds of; lives as long as the args. */
typedef bool cli_layout_which(const stoa_layout *layout);
const char *cli_layout_names(cli_args *args, cli_layout_which *which);
/* Those that tables are written in: "hep001, pytables, ...". */
const char *cli_layouts_written(cli_args *args);

/* The layout of files that are called so, by their suffix: HEP001 of all that no other one has. */
const stoa_layout *cli_layout_of_file(const char *file);
/* Whether a file is called as those of one matrix are; and the i-th of the layouts that are such
 * files, NULL behind the last. */
bool cli_is_called_so(const stoa_matrix_file *matrix, const char *file);
const stoa_layout *cli_matrix_layout(size_t i);
/* Whether a table is of HEP001. */
bool cli_is_home(const stoa_table *table);

#endif
