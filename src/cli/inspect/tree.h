/* Prints the objects of a file as a tree, each with its LH5 type: `stoa ls --tree`. */
#ifndef STOA_CLI_TREE_H
#define STOA_CLI_TREE_H

#include <hdf5.h>

#include "cli/common/place.h"

/* Most levels of groups that are shown. */
enum { CLI_MAX_TREE_DEPTH = 64 };

/*
 * Print the objects below a group or dataset, one per line, with links sorted by name. Soft and
 * external links are shown with their target and not followed. A group is shown once; other links
 * to it name its first place. `unopened` is called for objects that cannot be opened.
 *
 * @param path  absolute path of `start`
 * @param depth  levels below `start`, at most CLI_MAX_TREE_DEPTH
 */
stoa_status cli_tree_print(hid_t start, const char *path, unsigned depth, cli_unopened *unopened,
                           FILE *out, stoa_error *err);

#endif
