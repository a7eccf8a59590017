/* The objects of a file as a tree, each with its LH5 type: `stoa ls --tree`. */
#ifndef STOA_CLI_TREE_H
#define STOA_CLI_TREE_H

#include <hdf5.h>

#include "cli/place.h"

/* Groups in each other that are shown. */
enum { CLI_DEEPEST_TREE = 64 };

/*
 * Print what lies below a group or dataset, a line each: links in the order of their names, soft
 * and external ones with where they lead, which is not followed. A group is shown once; elsewhere
 * the line says where it was. `unopened` hears of what cannot be opened.
 *
 * @param path  of `start`, absolute
 * @param depth  levels below `start`, at most CLI_DEEPEST_TREE
 */
stoa_status cli_tree_print(hid_t start, const char *path, unsigned depth, cli_unopened *unopened,
                           FILE *out, stoa_error *err);

#endif
