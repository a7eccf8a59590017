/* The objects of a file as a tree whose branches can be folded. */
#ifndef STOA_CLI_VIEW_OBJECT_LIST_H
#define STOA_CLI_VIEW_OBJECT_LIST_H

#include "cli/inspect/tree.h"

typedef struct cli_listed {
    char *name; /* owned, as are all texts */
    char *path; /* NULL: no object to open */
    char *words;
    unsigned level;
    bool is_table;
    bool has_inner; /* the next one is inside it */
    bool is_folded; /* what is inside is not shown */
} cli_listed;

/* Zero-initialise. */
typedef struct cli_object_list {
    cli_listed *all;
    size_t n;
    size_t *shown; /* those that no fold hides */
    size_t n_shown;
} cli_object_list;

/* Add the next line of the tree: a cli_tree_visitor. */
bool cli_object_list_add(void *list, const cli_tree_line *line);
/* After the last one: fold tables, whose members are columns, and find what is shown. */
void cli_object_list_finish(cli_object_list *list);

/* The object of a line that is shown; NULL beyond the end. */
const cli_listed *cli_object_list_at(const cli_object_list *list, uint64_t line);
/* Fold the object of a line, or unfold it. */
void cli_object_list_fold(cli_object_list *list, uint64_t line, bool is_folded);
/* The line of the object that a line's object is in; the line itself for the first. */
uint64_t cli_object_list_parent(const cli_object_list *list, uint64_t line);
/* The next line, after this one or before it, whose name contains a text in any case; UINT64_MAX:
 * there is none. What folds hide is found, too, and unfolded. */
uint64_t cli_object_list_find(cli_object_list *list, uint64_t from, const char *text,
                              bool is_backward);
void cli_object_list_clear(cli_object_list *list);

#endif
