#include "sql/tree.h"

#include <string.h>

enum { MAX_DEPTH = 500 };

static stoa_status read_value(stoa_json *json, stoa_arena *arena, int depth, stoa_tree *to,
                              stoa_error *err)
{
    stoa_tree **end = &to->first;
    bool has_item = false;

    STOA_RETURN_NOT_OK(stoa_json_value(json, &to->kind, err));
    const bool is_object = to->kind == STOA_JSON_OBJECT;
    if (!is_object && to->kind != STOA_JSON_ARRAY) {
        to->length = json->length;
        to->text = stoa_arena_text(arena, json->text, json->length);
        STOA_RETURN_NO_MEMORY(err, to->text);
        return STOA_OK;
    }
    if (depth == MAX_DEPTH) {
        return stoa_fail(err, STOA_ESYNTAX, "JSON is nested more than %d deep", MAX_DEPTH);
    }
    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(
            stoa_json_has_item(json, is_first, is_object ? '}' : ']', &has_item, err));
        if (!has_item) {
            return STOA_OK;
        }
        stoa_tree *const item = stoa_arena_zero(arena, 1, sizeof *item);
        STOA_RETURN_NO_MEMORY(err, item);
        if (is_object) {
            STOA_RETURN_NOT_OK(stoa_json_key(json, err));
            item->key = stoa_arena_text(arena, json->text, json->length);
            STOA_RETURN_NO_MEMORY(err, item->key);
        }
        STOA_RETURN_NOT_OK(read_value(json, arena, depth + 1, item, err));
        *end = item;
        end = &item->next;
    }
}

stoa_status stoa_tree_read(stoa_arena *arena, const char *text, size_t length, stoa_tree **tree,
                           stoa_error *err)
{
    stoa_json json = {.start = NULL};

    *tree = stoa_arena_zero(arena, 1, sizeof **tree);
    STOA_RETURN_NO_MEMORY(err, *tree);
    stoa_json_begin(&json, text, length, 1);
    const stoa_status status = read_value(&json, arena, 0, *tree, err);
    stoa_json_clear(&json);
    return status;
}

const stoa_tree *stoa_tree_find(const stoa_tree *tree, const char *key)
{
    const stoa_tree *at = tree != NULL && tree->kind == STOA_JSON_OBJECT ? tree->first : NULL;

    while (at != NULL && strcmp(at->key, key) != 0) {
        at = at->next;
    }
    return at;
}

const char *stoa_tree_text(const stoa_tree *tree, const char *key)
{
    const stoa_tree *const member = stoa_tree_find(tree, key);

    return member != NULL && member->text != NULL ? member->text : "";
}

bool stoa_tree_is(const stoa_tree *tree, const char *key, const char *text)
{
    return strcmp(stoa_tree_text(tree, key), text) == 0;
}
