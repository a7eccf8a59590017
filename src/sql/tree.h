/* A JSON text as a tree, such as DuckDB's serialized statements. */
#ifndef STOA_SQL_TREE_H
#define STOA_SQL_TREE_H

#include "core/arena.h"
#include "core/json.h"

/* A value. All of it belongs to the arena. */
typedef struct stoa_tree {
    stoa_json_kind kind;
    const char *key;  /* of a member; NULL for items */
    const char *text; /* of a scalar */
    size_t length;
    struct stoa_tree *first; /* its items or members */
    struct stoa_tree *next;
} stoa_tree;

/* STOA_ESYNTAX also for one that is nested too deep. */
stoa_status stoa_tree_read(stoa_arena *arena, const char *text, size_t length, stoa_tree **tree,
                           stoa_error *err);

/* A member; NULL if there is none, or no tree. */
const stoa_tree *stoa_tree_find(const stoa_tree *tree, const char *key);
/* The text of a member; "" if there is none. */
const char *stoa_tree_text(const stoa_tree *tree, const char *key);
/* Whether a member is this text. */
bool stoa_tree_is(const stoa_tree *tree, const char *key, const char *text);

#endif
