/* Columns, types, Arrow fields and arrays of the tree of keys. Recursion is as deep as a row may
 * be. */
#include "layout/jsonl/arrays.h"

#include <stdlib.h>
#include <string.h>

#include "layout/jsonl/read.h"

/* Types ------------------------------------------------------------------------------------- */

static bool is_nested(const stoa_jsonl_node *node)
{
    return (node->shapes & (STOA_JSONL_LIST | STOA_JSONL_OBJECT)) != 0;
}

static bool is_object(const stoa_jsonl_node *node)
{
    return is_nested(node) && node->item == NULL;
}

/* The list whose items a node is, or is a field of; NULL if there is none. */
static stoa_jsonl_node *list_above(const stoa_jsonl_node *node)
{
    stoa_jsonl_node *above = node->parent;

    while (above != NULL && above->item == NULL) {
        above = above->parent;
    }
    return above;
}

static void set_type(stoa_csv_column *column, stoa_kind kind)
{
    column->is_typed = true;
    column->type = (stoa_type){.kind = kind, .width = stoa_kind_width(kind)};
}

/* Numbers that inference takes for texts. It does so to keep a fill value free, which the table
 * may still find elsewhere, or since no type holds them. */
static stoa_status settle_numbers(stoa_jsonl_node *node, stoa_error *err)
{
    const stoa_csv_inference *const guess = &node->column.guess;
    const uint64_t max = guess->has_positive ? guess->max : 0;

    if (guess->is_integer && (max <= INT64_MAX || !guess->has_negative)) {
        set_type(&node->column, max <= INT64_MAX ? STOA_KIND_INT64 : STOA_KIND_UINT64);
        return STOA_OK;
    }
    if (guess->is_float && !guess->is_integer) {
        set_type(&node->column, STOA_KIND_FLOAT64);
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ETYPE,
                     "key '%s': no type holds all of its numbers exactly; --type '%s=float64' "
                     "rounds them, --type '%s=string' keeps their digits",
                     node->path, node->path, node->path);
}

static stoa_status settle_scalar(stoa_jsonl_node *node, bool is_top, stoa_error *err)
{
    stoa_csv_columns one = {.items = &node->column, .n = 1};
    const bool is_open =
        !node->column.is_typed && node->column.guess.category != STOA_CSV_CATEGORY_YES;

    if (!is_top &&
        (node->column.is_coded || node->column.guess.category == STOA_CSV_CATEGORY_YES)) {
        return stoa_fail(err, STOA_EINVAL,
                         "key '%s': values within lists and objects cannot be categories",
                         node->path);
    }
    if (is_open && node->shapes == 0 && !is_top) {
        set_type(&node->column, STOA_KIND_FLOAT64); /* nothing but empty lists and nulls */
    } else if (is_open && (node->shapes & STOA_JSONL_NUMBER) != 0 &&
               stoa_csv_inference_type(&node->column.guess).kind == STOA_KIND_STRING) {
        STOA_RETURN_NOT_OK(settle_numbers(node, err));
    }
    return stoa_csv_columns_settle(&one, err);
}

/* `is_flat`: the fields of objects are columns of their own. */
static stoa_status settle(stoa_jsonl_node *node, bool is_flat, stoa_error *err)
{
    if (!is_nested(node)) {
        const bool is_top = node->parent->parent == NULL || (is_flat && list_above(node) == NULL);
        return settle_scalar(node, is_top, err);
    }
    if (node->column.is_typed || node->column.guess.category == STOA_CSV_CATEGORY_YES) {
        return stoa_fail(err, STOA_EINVAL,
                         "key '%s' holds objects, which have no type of their own; name a key of "
                         "theirs: '%s.%s'",
                         node->path, node->path,
                         node->n_children > 0 ? node->children[0]->name : "x");
    }
    if (node->item != NULL) {
        return settle(node->item, is_flat, err);
    }
    if (node->n_children == 0) {
        return stoa_fail(err, STOA_ETYPE,
                         "key '%s' holds nothing but empty objects, which no type stands for",
                         node->path);
    }
    for (size_t k = 0; k < node->n_children; k++) {
        STOA_RETURN_NOT_OK(settle(node->children[k], is_flat, err));
        node->n_below += 1 + node->children[k]->n_below;
    }
    return STOA_OK;
}

/* Note items that are missing, if they are objects or within one. */
static void note_items(const stoa_jsonl_node *node, bool is_within)
{
    const bool is_one = is_object(node);

    if (node->null_line != 0 && (is_one || is_within)) {
        stoa_jsonl_lack(node, node->null_line);
    }
    if (node->item != NULL) {
        note_items(node->item, is_within);
    }
    for (size_t k = 0; k < node->n_children; k++) {
        note_items(node->children[k], is_within || is_one);
    }
}

/* Add a node to the columns, or its fields, if it is an object or a list of objects. */
static void add_flat(stoa_jsonl_tree *tree, stoa_jsonl_node *node)
{
    const stoa_jsonl_node *inner = node;

    while (inner->item != NULL) {
        inner = inner->item;
    }
    if (!is_object(inner)) {
        tree->columns[tree->n_columns++] = node;
        return;
    }
    for (size_t k = 0; k < inner->n_children; k++) {
        add_flat(tree, inner->children[k]);
    }
}

stoa_status stoa_jsonl_settle(stoa_jsonl_tree *tree, stoa_error *err)
{
    tree->columns = stoa_alloc(tree->n_nodes, sizeof *tree->columns);
    STOA_RETURN_NO_MEMORY(err, tree->columns);
    for (size_t k = 0; k < tree->root->n_children; k++) {
        stoa_jsonl_node *const key = tree->root->children[k];
        note_items(key, false);
        STOA_RETURN_NOT_OK(settle(key, key->lacking != NULL, err));
        if (key->lacking != NULL) {
            add_flat(tree, key);
        } else {
            tree->columns[tree->n_columns++] = key;
        }
    }
    return STOA_OK;
}

/* Fields ------------------------------------------------------------------------------------ */

static stoa_status make_field(const stoa_jsonl_node *node, struct ArrowSchema *field,
                              stoa_error *err);

static stoa_status scalar_field(const stoa_jsonl_node *node, struct ArrowSchema *field,
                                stoa_error *err)
{
    stoa_jsonl_node copy = *node;
    const stoa_csv_columns one = {.items = &copy.column, .n = 1};
    struct ArrowSchema schema = {.release = NULL};

    STOA_RETURN_NOT_OK(stoa_csv_columns_schema(&one, &schema, err));
    stoa_schema_move(schema.children[0], field);
    stoa_schema_release(&schema);
    /* In options its name is a path. */
    return stoa_schema_rename(field, node->name, err);
}

static stoa_status struct_field(const stoa_jsonl_node *node, struct ArrowSchema *field,
                                stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(field, node->name, "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(field, (int64_t)node->n_children, err));
    for (size_t k = 0; k < node->n_children; k++) {
        STOA_RETURN_NOT_OK(make_field(node->children[k], field->children[k], err));
    }
    return STOA_OK;
}

static stoa_status make_field(const stoa_jsonl_node *node, struct ArrowSchema *field,
                              stoa_error *err)
{
    if (!is_nested(node)) {
        return scalar_field(node, field, err);
    }
    if (node->item == NULL) {
        STOA_RETURN_NOT_OK(struct_field(node, field, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_schema_make(field, node->name, "+l", err));
        STOA_RETURN_NOT_OK(stoa_schema_children(field, 1, err));
        STOA_RETURN_NOT_OK(make_field(node->item, field->children[0], err));
    }
    return node->column.units != NULL ? stoa_schema_set(field, "units", node->column.units, err)
                                      : STOA_OK;
}

/* Replace a field by a list of it. */
static stoa_status list_of(struct ArrowSchema *field, stoa_error *err)
{
    struct ArrowSchema item = {.release = NULL};
    stoa_status status = STOA_OK;

    stoa_schema_move(field, &item);
    STOA_TRY(stoa_schema_make(field, "", "+l", err));
    STOA_TRY(stoa_schema_children(field, 1, err));
    stoa_schema_move(&item, field->children[0]);
    return stoa_schema_rename(field->children[0], "item", err);

done:
    stoa_schema_release(&item);
    return status;
}

static stoa_status column_field(const stoa_jsonl_node *node, struct ArrowSchema *field,
                                stoa_error *err)
{
    STOA_RETURN_NOT_OK(make_field(node, field, err));
    for (const stoa_jsonl_node *list = list_above(node); list != NULL; list = list_above(list)) {
        STOA_RETURN_NOT_OK(list_of(field, err));
    }
    if (node->column.units != NULL) {
        STOA_RETURN_NOT_OK(stoa_schema_set(field, "units", node->column.units, err));
    }
    return stoa_schema_rename(field, node->path, err);
}

static stoa_status make_schema(const stoa_jsonl_tree *tree, struct ArrowSchema *schema,
                               stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(schema, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(schema, (int64_t)tree->n_columns, err));
    for (size_t k = 0; k < tree->n_columns; k++) {
        STOA_RETURN_NOT_OK(column_field(tree->columns[k], schema->children[k], err));
    }
    return STOA_OK;
}

stoa_status stoa_jsonl_schema(const stoa_jsonl_tree *tree, struct ArrowSchema *schema,
                              stoa_error *err)
{
    const stoa_status status = make_schema(tree, schema, err);

    if (status != STOA_OK) {
        stoa_schema_release(schema);
    }
    return status;
}

/* Arrays ------------------------------------------------------------------------------------ */

static stoa_status make_array(stoa_jsonl_node *node, int64_t n, struct ArrowArray *array,
                              stoa_error *err);

/* Copy the validity of a builder, which several columns may share; NULL if no value is missing. */
static stoa_status copy_validity(const stoa_csv_builder *builder, void **validity, stoa_error *err)
{
    stoa_buffer copy = {0};

    if (builder->n_missing > 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_append(&copy, builder->validity.data,
                                              stoa_bit_bytes((uint64_t)builder->n_rows), err));
    }
    *validity = stoa_buffer_detach(&copy);
    return STOA_OK;
}

static stoa_status scalar_array(stoa_jsonl_node *node, int64_t n, struct ArrowArray *array,
                                stoa_error *err)
{
    stoa_csv_columns one = {.items = &node->column, .n = 1};
    struct ArrowArray batch = {.release = NULL};

    if (n == 0 && node->column.type.kind == STOA_KIND_STRING) {
        /* Even an array without strings has one offset. */
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&node->column.builder.values, sizeof(int32_t), err));
    }
    STOA_RETURN_NOT_OK(stoa_csv_columns_batch(&one, n, &batch, err));
    stoa_array_move(batch.children[0], array);
    stoa_array_release(&batch);
    return STOA_OK;
}

/* The lists of a node, with the given items. These are moved from in every case. */
static stoa_status lists_of(const stoa_jsonl_node *node, struct ArrowArray *items,
                            struct ArrowArray *array, stoa_error *err)
{
    const stoa_csv_builder *const builder = &node->column.builder;
    const int64_t n = builder->n_rows;
    stoa_buffer offsets = {0};
    void *validity = NULL;

    if (stoa_buffer_grow(&offsets, (size_t)(n + 1) * sizeof(int32_t), err) != STOA_OK ||
        copy_validity(builder, &validity, err) != STOA_OK) {
        stoa_buffer_clear(&offsets);
        stoa_array_release(items);
        return STOA_ENOMEM;
    }
    /* After the first offset, which is 0, come the ends. A missing list has 0, and no items. */
    const int32_t *const ends = (const int32_t *)(const void *)builder->values.data;
    int32_t *const out = (int32_t *)(void *)offsets.data;
    for (int64_t i = 0; i < n; i++) {
        out[i + 1] = ends[i] > out[i] ? ends[i] : out[i];
    }
    void *const buffers[] = {validity, stoa_buffer_detach(&offsets)};
    return stoa_array_list(array, n, builder->n_missing, 2, buffers, items, err);
}

static stoa_status list_array(stoa_jsonl_node *node, struct ArrowArray *array, stoa_error *err)
{
    struct ArrowArray items = {.release = NULL};

    STOA_RETURN_NOT_OK(make_array(node->item, node->item->column.builder.n_rows, &items, err));
    return lists_of(node, &items, array, err);
}

static stoa_status struct_array(stoa_jsonl_node *node, int64_t n, struct ArrowArray *array,
                                stoa_error *err)
{
    void *validity = NULL;

    STOA_RETURN_NOT_OK(copy_validity(&node->column.builder, &validity, err));
    STOA_RETURN_NOT_OK(
        stoa_array_make(array, n, node->column.builder.n_missing, 1, (void *[]){validity}, err));
    STOA_RETURN_NOT_OK(stoa_array_children(array, (int64_t)node->n_children, err));
    for (size_t k = 0; k < node->n_children; k++) {
        STOA_RETURN_NOT_OK(make_array(node->children[k], n, array->children[k], err));
    }
    return STOA_OK;
}

static stoa_status make_array(stoa_jsonl_node *node, int64_t n, struct ArrowArray *array,
                              stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_jsonl_fill(node, n, err));
    return !is_nested(node)     ? scalar_array(node, n, array, err)
           : node->item != NULL ? list_array(node, array, err)
                                : struct_array(node, n, array, err);
}

/* Let all objects and lists above a node have a value for each of those that hold them. */
static stoa_status fill_above(stoa_jsonl_node *node, stoa_error *err)
{
    if (node->parent == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(fill_above(node->parent, err));
    return is_object(node->parent) ? stoa_jsonl_fill(node, node->parent->column.builder.n_rows, err)
                                   : STOA_OK;
}

static stoa_status column_array(stoa_jsonl_node *node, struct ArrowArray *array, stoa_error *err)
{
    STOA_RETURN_NOT_OK(fill_above(node, err));
    STOA_RETURN_NOT_OK(make_array(node, node->column.builder.n_rows, array, err));
    for (const stoa_jsonl_node *list = list_above(node); list != NULL; list = list_above(list)) {
        struct ArrowArray items;
        stoa_array_move(array, &items);
        STOA_RETURN_NOT_OK(lists_of(list, &items, array, err));
    }
    return STOA_OK;
}

static stoa_status make_batch(const stoa_jsonl_tree *tree, struct ArrowArray *batch,
                              stoa_error *err)
{
    STOA_RETURN_NOT_OK(
        stoa_array_struct(batch, tree->root->column.builder.n_rows, (int64_t)tree->n_columns, err));
    for (size_t k = 0; k < tree->n_columns; k++) {
        STOA_RETURN_NOT_OK(column_array(tree->columns[k], batch->children[k], err));
    }
    return STOA_OK;
}

/* Empty the builders of lists and objects, which a batch has copied. */
static void clear_nested(stoa_jsonl_node *node)
{
    if (node == NULL || !is_nested(node)) {
        return;
    }
    stoa_csv_builder_clear(&node->column.builder);
    clear_nested(node->item);
    for (size_t k = 0; k < node->n_children; k++) {
        clear_nested(node->children[k]);
    }
}

stoa_status stoa_jsonl_batch(stoa_jsonl_tree *tree, struct ArrowArray *batch, stoa_error *err)
{
    const stoa_status status = make_batch(tree, batch, err);

    clear_nested(tree->root);
    if (status != STOA_OK) {
        stoa_array_release(batch);
    }
    return status;
}
