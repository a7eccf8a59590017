/* The tree of keys, and the options of each. */
#include "layout/jsonl/node.h"

#include <stdlib.h>
#include <string.h>

/* Nodes ------------------------------------------------------------------------------------- */

static void node_free(stoa_jsonl_node *node)
{
    if (node == NULL) {
        return;
    }
    for (size_t k = 0; k < node->n_children; k++) {
        node_free(node->children[k]);
    }
    node_free(node->item);
    stoa_csv_column_clear(&node->column);
    stoa_string_set_clear(&node->keys);
    free(node->children);
    free(node->path);
    free(node);
}

static stoa_status make_node(stoa_jsonl_tree *tree, stoa_jsonl_node *parent, stoa_jsonl_node **node,
                             stoa_error *err)
{
    *node = stoa_alloc_zero(1, sizeof **node);
    STOA_RETURN_NO_MEMORY(err, *node);
    (*node)->parent = parent;
    tree->n_nodes++;
    return STOA_OK;
}

stoa_jsonl_node *stoa_jsonl_find(stoa_jsonl_node *node, const char *key, size_t length)
{
    uint32_t number;

    /* Rows mostly have the same keys in the same order. */
    if (node->next < node->n_children) {
        stoa_jsonl_node *const expected = node->children[node->next];
        if (strlen(expected->name) == length && memcmp(expected->name, key, length) == 0) {
            node->next++;
            return expected;
        }
    }
    if (!stoa_string_set_find(&node->keys, key, length, &number)) {
        return NULL;
    }
    node->next = (size_t)number + 1;
    return node->children[number];
}

/* Only whole columns become categories by themselves. */
static void limit_category(stoa_csv_inference *guess)
{
    if (guess->category == STOA_CSV_CATEGORY_AUTO) {
        guess->category = STOA_CSV_CATEGORY_NO;
        stoa_csv_inference_drop_labels(guess);
    }
}

void stoa_jsonl_lack(const stoa_jsonl_node *node, uint64_t line)
{
    stoa_jsonl_node *top = node->parent;

    while (top->parent->parent != NULL) {
        top = top->parent;
    }
    if (top->lacking == NULL) {
        top->lacking = node;
        top->lacking_line = line;
    }
}

/* Give a new column what the options say of it. */
static stoa_status set_column(stoa_jsonl_tree *tree, stoa_jsonl_node *node, bool is_top,
                              stoa_error *err)
{
    uint32_t number;

    if (stoa_string_set_find(&tree->named.names, node->path, strlen(node->path), &number) &&
        tree->named.items[number].name != NULL) {
        node->column = tree->named.items[number];
        tree->named.items[number] = (stoa_csv_column){0};
        if (!is_top) {
            limit_category(&node->column.guess);
        }
        if (!is_top && node->column.is_optional) {
            stoa_jsonl_lack(node, 0); /* the table that is appended to has it as a column */
        }
        return STOA_OK;
    }
    node->column.type.kind = STOA_KIND_STRING;
    node->column.name = stoa_strdup(node->name);
    STOA_RETURN_NO_MEMORY(err, node->column.name);
    stoa_csv_inference_begin(&node->column.guess, is_top && !tree->no_category
                                                      ? STOA_CSV_CATEGORY_AUTO
                                                      : STOA_CSV_CATEGORY_NO);
    /* A field of a compound has no attribute that tells a duration from a number. */
    node->column.guess.is_duration &= is_top;
    return STOA_OK;
}

stoa_status stoa_jsonl_add_key(stoa_jsonl_tree *tree, stoa_jsonl_node *node, const char *key,
                               size_t length, stoa_jsonl_node **child, stoa_error *err)
{
    const bool is_top = node == tree->root;
    uint32_t number;
    char *name;

    stoa_jsonl_node **const more =
        stoa_one_more(node->children, node->n_children, sizeof *node->children);
    STOA_RETURN_NO_MEMORY(err, more);
    node->children = more;
    STOA_RETURN_NOT_OK(stoa_string_set_add(&node->keys, key, length, &number, err));
    STOA_RETURN_NOT_OK(make_node(tree, node, child, err));
    node->children[node->n_children++] = *child;
    node->next = node->n_children;

    name = stoa_strndup(key, length);
    STOA_RETURN_NO_MEMORY(err, name);
    (*child)->path = is_top ? name : stoa_format("%s.%s", node->path, name);
    if (!is_top) {
        free(name);
    }
    STOA_RETURN_NO_MEMORY(err, (*child)->path);
    (*child)->name = (*child)->path + strlen((*child)->path) - length;
    return set_column(tree, *child, is_top, err);
}

stoa_status stoa_jsonl_add_item(stoa_jsonl_tree *tree, stoa_jsonl_node *node, stoa_error *err)
{
    stoa_jsonl_node *item;

    STOA_RETURN_NOT_OK(make_node(tree, node, &item, err));
    node->item = item;
    item->name = "item";
    item->path = stoa_strdup(node->path);
    STOA_RETURN_NO_MEMORY(err, item->path);

    char *const name = stoa_strdup(item->name);
    STOA_RETURN_NO_MEMORY(err, name);
    /* The list keeps its name and units. */
    item->column = node->column;
    item->column.name = name;
    item->column.units = NULL;
    node->column = (stoa_csv_column){.name = node->column.name, .units = node->column.units};
    limit_category(&item->column.guess);
    return STOA_OK;
}

/* The options ------------------------------------------------------------------------------- */

/* Collect the columns that an option names, as if they were a header. */
typedef struct header {
    stoa_string_set names;
    stoa_buffer text;
    stoa_buffer fields;
} header;

static stoa_status add_name(header *h, const char *name, stoa_error *err)
{
    const uint32_t n = h->names.count;
    const stoa_csv_field field = {.start = h->text.size, .length = strlen(name), .line = 1};
    uint32_t number;

    if (field.length == 0 || strcmp(name, "*") == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_string_set_add(&h->names, name, field.length, &number, err));
    if (number < n) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_buffer_append(&h->text, name, field.length, err));
    return stoa_buffer_append(&h->fields, &field, sizeof field, err);
}

static stoa_status make_named(stoa_jsonl_tree *tree, const stoa_csv_options *options,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    header h = {0};

    for (size_t i = 0; i < options->n_types; i++) {
        STOA_TRY(add_name(&h, options->types[i].column, err));
    }
    for (size_t i = 0; i < options->n_units; i++) {
        STOA_TRY(add_name(&h, options->units[i].column, err));
    }
    for (size_t i = 0; i < options->n_category; i++) {
        STOA_TRY(add_name(&h, options->category[i], err));
    }
    for (size_t i = 0; i < options->n_no_category; i++) {
        tree->no_category |= strcmp(options->no_category[i], "*") == 0;
        STOA_TRY(add_name(&h, options->no_category[i], err));
    }
    const stoa_csv_row row = {.text = (const char *)h.text.data,
                              .fields = (const stoa_csv_field *)(const void *)h.fields.data,
                              .n_fields = h.names.count,
                              .line = 1};
    STOA_TRY(stoa_csv_columns_make(&tree->named, &row, options, NULL, err));

done:
    stoa_string_set_clear(&h.names);
    stoa_buffer_clear(&h.text);
    stoa_buffer_clear(&h.fields);
    return status;
}

stoa_status stoa_jsonl_tree_make(stoa_jsonl_tree *tree, const stoa_csv_options *options,
                                 stoa_error *err)
{
    for (size_t i = 0; i < options->n_null_texts; i++) {
        STOA_RETURN_NOT_OK(stoa_string_set_add(&tree->nulls, options->null_texts[i],
                                               strlen(options->null_texts[i]), &(uint32_t){0},
                                               err));
    }
    STOA_RETURN_NOT_OK(make_named(tree, options, err));
    STOA_RETURN_NOT_OK(make_node(tree, NULL, &tree->root, err));
    tree->root->name = "";
    return STOA_OK;
}

stoa_status stoa_jsonl_check_named(const stoa_jsonl_tree *tree, stoa_error *err)
{
    for (size_t k = 0; k < tree->named.n; k++) {
        if (tree->named.items[k].name != NULL && !tree->named.items[k].is_optional) {
            return stoa_fail(err, STOA_EINVAL,
                             "there is no column '%s', for which an option is given",
                             tree->named.items[k].name);
        }
    }
    return STOA_OK;
}

static stoa_csv_inference *guess_of(void *root, size_t k)
{
    return &((stoa_jsonl_node *)root)->children[k]->column.guess;
}

void stoa_jsonl_limit_labels(stoa_jsonl_tree *tree)
{
    stoa_csv_inference_limit(guess_of, tree->root, tree->root->n_children);
}

void stoa_jsonl_tree_clear(stoa_jsonl_tree *tree)
{
    node_free(tree->root);
    free(tree->columns);
    stoa_csv_columns_clear(&tree->named);
    stoa_string_set_clear(&tree->nulls);
    *tree = (stoa_jsonl_tree){0};
}
