/*
 * The tree of keys of a file of JSON lines. A node is a key of the rows, a field of an object, or
 * the items of a list.
 *
 * A key of the rows is a column, unless some object below it lacks a field, or is missing in a
 * list: HEP001 has no missing values within a struct. Then each field is a column of its own,
 * "a.b". A field of objects in lists becomes a column of lists.
 */
#ifndef STOA_LAYOUT_JSONL_NODE_H
#define STOA_LAYOUT_JSONL_NODE_H

#include "layout/csv/columns.h"

/* What stands at a node: a bit each. */
enum {
    STOA_JSONL_BOOL = 1,
    STOA_JSONL_NUMBER = 2,
    STOA_JSONL_TEXT = 4,
    STOA_JSONL_LIST = 8,
    STOA_JSONL_OBJECT = 16,
    STOA_JSONL_WORD = 32, /* "NaN", "Infinity", "-Infinity": a number, or a text */
    STOA_JSONL_N_SHAPES = 6
};

/* More keys are taken for a mistake, such as keys that hold data. */
enum { STOA_JSONL_MAX_NODES = 65536 };

typedef struct stoa_jsonl_node stoa_jsonl_node;
struct stoa_jsonl_node {
    const char *name; /* the key; "item" in lists */
    char *path;       /* "a.b": for messages and options; items have that of their list */
    stoa_csv_column column;
    /* In lists, the builder has the end of each, and in structs nothing but who is missing. */
    unsigned shapes;
    uint64_t lines[STOA_JSONL_N_SHAPES]; /* where each shape stood first */

    stoa_jsonl_node *parent; /* NULL of the root */
    stoa_jsonl_node *item;   /* of lists */
    uint64_t null_line;      /* of an item: where one is missing first; 0: nowhere */

    stoa_jsonl_node **children; /* of objects */
    size_t n_children;
    stoa_string_set keys;
    uint64_t first_object; /* number of the first one */
    uint64_t n_below;      /* fields that are missing with it; known once settled */
    size_t next;           /* the child that is expected */

    /* Of a key of the rows, if a value below it is missing that a struct must have: */
    const stoa_jsonl_node *lacking; /* a field, or the items of a list; NULL if there is none */
    uint64_t lacking_line;

    /* Of a key: */
    uint64_t object; /* number of the last object that has this key */
    uint64_t value;  /* the same, with a value that is not null */
};

/* What all nodes share. Zero-initialise; free by stoa_jsonl_tree_clear(). */
typedef struct stoa_jsonl_tree {
    stoa_jsonl_node *root; /* an object: the rows */
    size_t n_nodes;
    stoa_jsonl_node **columns; /* borrowed nodes, known once settled */
    size_t n_columns;
    stoa_csv_columns named; /* those that options name, until they are found */
    bool no_category;       /* no column becomes a category by itself */
    stoa_string_set nulls;  /* texts that mean "missing" */
} stoa_jsonl_tree;

/* Make the root, and check the options as far as no columns are known. */
stoa_status stoa_jsonl_tree_make(stoa_jsonl_tree *tree, const stoa_csv_options *options,
                                 stoa_error *err);
/* The child for a key; NULL if there is none. */
stoa_jsonl_node *stoa_jsonl_find(stoa_jsonl_node *node, const char *key, size_t length);
/* Add a child for a key. */
stoa_status stoa_jsonl_add_key(stoa_jsonl_tree *tree, stoa_jsonl_node *node, const char *key,
                               size_t length, stoa_jsonl_node **child, stoa_error *err);
/* Note that an object on a line has no value for a field, or a list none for an item. */
void stoa_jsonl_lack(const stoa_jsonl_node *node, uint64_t line);
/* Make node->item, which takes over the type that the options give. */
stoa_status stoa_jsonl_add_item(stoa_jsonl_tree *tree, stoa_jsonl_node *node, stoa_error *err);
/* STOA_EINVAL for an option about a column that no row has. */
stoa_status stoa_jsonl_check_named(const stoa_jsonl_tree *tree, stoa_error *err);
/* Drop labels until the rest fit into the memory limit. */
void stoa_jsonl_limit_labels(stoa_jsonl_tree *tree);
void stoa_jsonl_tree_clear(stoa_jsonl_tree *tree);

#endif
