/* The objects of a file as a tree, each with what it says it is: `stoa ls --tree`. */
#ifndef STOA_CLI_TREE_H
#define STOA_CLI_TREE_H

#include <hdf5.h>

#include "cli/common/place.h"

/* Most levels of groups that are shown. */
enum { CLI_MAX_TREE_DEPTH = 64 };

/* A line of the tree. Texts are borrowed for the call, and may contain control characters. */
typedef struct cli_tree_line {
    const char *branches; /* drawn before the name, as "│   └── " */
    unsigned level;       /* below the start */
    const char *name;
    const char *path;  /* NULL: a line about objects that are not there, or not shown */
    bool is_table;     /* what is inside it are columns and parts of them */
    const char *words; /* " · float64 · 100 · in mm"; or "" */
} cli_tree_line;

/* Return false to stop. */
typedef bool cli_tree_visitor(void *context, const cli_tree_line *line);

/* Visit the lines that cli_tree_print() prints, in their order. */
stoa_status cli_tree_visit(hid_t start, const char *path, unsigned depth, cli_unopened *unopened,
                           cli_tree_visitor *visit, void *context, stoa_error *err);

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
