/* Types, Arrow fields and arrays of the tree of keys. Recursion is as deep as a row may be. */
#include "layout/jsonl/arrays.h"

#include <string.h>

#include "layout/jsonl/read.h"

/* Types ------------------------------------------------------------------------------------- */

static bool is_nested(const stoa_jsonl_node *node)
{
    return (node->shapes & (STOA_JSONL_LIST | STOA_JSONL_OBJECT)) != 0;
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

static stoa_status settle(stoa_jsonl_node *node, bool is_top, stoa_error *err)
{
    if (!is_nested(node)) {
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
        return settle(node->item, false, err);
    }
    if (node->n_children == 0) {
        return stoa_fail(err, STOA_ETYPE,
                         "key '%s' holds nothing but empty objects, which no type stands for",
                         node->path);
    }
    for (size_t k = 0; k < node->n_children; k++) {
        STOA_RETURN_NOT_OK(settle(node->children[k], false, err));
        node->n_below += 1 + node->children[k]->n_below;
    }
    return STOA_OK;
}

stoa_status stoa_jsonl_settle(stoa_jsonl_node *root, stoa_error *err)
{
    for (size_t k = 0; k < root->n_children; k++) {
        STOA_RETURN_NOT_OK(settle(root->children[k], true, err));
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

stoa_status stoa_jsonl_schema(const stoa_jsonl_node *root, struct ArrowSchema *schema,
                              stoa_error *err)
{
    const stoa_status status = struct_field(root, schema, err);

    if (status != STOA_OK) {
        stoa_schema_release(schema);
    }
    return status;
}

/* Arrays ------------------------------------------------------------------------------------ */

static stoa_status make_array(stoa_jsonl_node *node, int64_t n, struct ArrowArray *array,
                              stoa_error *err);

/* Take the validity out of a builder, and empty it. */
static void *take_validity(stoa_csv_builder *builder, int64_t *n_missing)
{
    *n_missing = builder->n_missing;
    if (builder->n_missing == 0) {
        stoa_buffer_clear(&builder->validity);
    }
    void *const validity = stoa_buffer_detach(&builder->validity);
    stoa_csv_builder_clear(builder);
    return validity;
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

static stoa_status list_array(stoa_jsonl_node *node, int64_t n, struct ArrowArray *array,
                              stoa_error *err)
{
    struct ArrowArray items = {.release = NULL};
    stoa_buffer offsets = {0};
    int64_t n_missing;

    STOA_RETURN_NOT_OK(make_array(node->item, node->item->column.builder.n_rows, &items, err));
    if (stoa_buffer_grow(&offsets, (size_t)(n + 1) * sizeof(int32_t), err) != STOA_OK) {
        stoa_array_release(&items);
        return STOA_ENOMEM;
    }
    /* After the first offset, which is 0, come the ends. A missing list has 0, and no items. */
    const int32_t *const ends = (const int32_t *)(const void *)node->column.builder.values.data;
    int32_t *const out = (int32_t *)(void *)offsets.data;
    for (int64_t i = 0; i < n; i++) {
        out[i + 1] = ends[i] > out[i] ? ends[i] : out[i];
    }
    void *const buffers[] = {take_validity(&node->column.builder, &n_missing),
                             stoa_buffer_detach(&offsets)};
    return stoa_array_list(array, n, n_missing, 2, buffers, &items, err);
}

static stoa_status struct_array(stoa_jsonl_node *node, int64_t n, struct ArrowArray *array,
                                stoa_error *err)
{
    int64_t n_missing;
    void *const buffers[] = {take_validity(&node->column.builder, &n_missing)};

    STOA_RETURN_NOT_OK(stoa_array_make(array, n, n_missing, 1, buffers, err));
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
           : node->item != NULL ? list_array(node, n, array, err)
                                : struct_array(node, n, array, err);
}

stoa_status stoa_jsonl_batch(stoa_jsonl_node *root, struct ArrowArray *batch, stoa_error *err)
{
    const stoa_status status = struct_array(root, root->column.builder.n_rows, batch, err);

    if (status != STOA_OK) {
        stoa_array_release(batch);
    }
    return status;
}
