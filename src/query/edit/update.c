/*
 * Update of cells by expressions of their rows (HEP001 §11.5).
 *
 * There are two passes over the rows. The first one computes and checks every value, so types,
 * labels and fill values are settled before anything is written. The second one computes the values
 * again and writes them. All values of a block are computed before the first of them is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/type/create_column.h"
#include "column/write/encode.h"
#include "core/progress.h"
#include "query/edit/edit.h"
#include "query/edit/values.h"
#include "table/edit/cells.h"

/* A column that gets new values. */
typedef struct target {
    size_t column;
    stoa_expr *value;          /* or */
    stoa_list_value *list;     /* a list in brackets; else NULL */
    bool is_copied;            /* the value is a column, whose rows are taken as they are */
    stoa_type type;            /* of the values, or of a copied column */
    struct ArrowSchema schema; /* for `type` */
} target;

/* New values of a batch. */
typedef struct fresh_values {
    struct ArrowArray array;
    stoa_view view;
} fresh_values;

typedef struct update {
    stoa_selection selection;
    stoa_cells cells;
    stoa_evaluation evaluation;
    target *targets; /* owned by the arena */
    size_t n_targets;
    stoa_rowset spans; /* ranges in which rows change */
    uint64_t n_changed;
    uint64_t n_touched;
    fresh_values *values; /* one per target, of the batch that is written */
    uint64_t n_written;
} update;

/* Binding ----------------------------------------------------------------------------------- */

static stoa_status find_column(const update *u, const char *name, size_t *column, stoa_error *err)
{
    *column = stoa_scope_find(&u->selection.scope, name, strlen(name));
    if (*column != SIZE_MAX && *column >= stoa_table_n_columns(u->cells.table)) {
        return stoa_fail(err, STOA_EINVAL, "'%s' is a field of a struct, which cannot be set alone",
                         name);
    }
    if (*column == SIZE_MAX) {
        const char *nearest = stoa_scope_nearest(&u->selection.scope, name);
        return nearest != NULL
                   ? stoa_fail(err, STOA_ENOTFOUND,
                               "there is no column '%s' to set; did you mean '%s'?", name, nearest)
                   : stoa_fail(err, STOA_ENOTFOUND, "there is no column '%s' to set", name);
    }
    for (size_t i = 0; i < u->n_targets; i++) {
        if (u->targets[i].column == *column) {
            return stoa_fail(err, STOA_EINVAL, "column '%s' is set twice", name);
        }
    }
    return STOA_OK;
}

/* The Arrow type in which the values are made. */
static stoa_type type_for(const stoa_column *column, const stoa_expr *value)
{
    const stoa_type type = stoa_type_of_values(&value->type);

    if (column->type.kind == STOA_KIND_FIXED_BINARY && type.kind == STOA_KIND_BINARY) {
        return column->type;
    }
    return type;
}

/* Whether values of that type fit the column, tested with one value that represents all. */
static stoa_status check_type(update *u, const target *t, stoa_error *err)
{
    const stoa_column *column = stoa_table_column(u->cells.table, t->column);
    const stoa_binder binder = {&u->selection.scope, NULL};
    struct ArrowSchema schema = {.release = NULL};
    stoa_error reason = STOA_ERROR_INIT;
    stoa_view one = {.type = t->type, .length = 1, .schema = &schema};
    char type[64];
    char ours[64];
    char source[STOA_SOURCE_SIZE];

    one.null_count = t->value->type.domain == STOA_DOMAIN_NULL;
    if (t->value->type.domain == STOA_DOMAIN_TEXT) {
        one.type = (stoa_type){.kind = STOA_KIND_STRING}; /* labels too */
    }
    if (stoa_column_accepts(column, &one, &reason) != STOA_OK) {
        return STOA_FAIL_SYNTAX(
            err, STOA_ETYPE, t->value->syntax, "%s is %s, which does not go into column '%s' of %s",
            stoa_syntax_source(t->value->syntax, source),
            stoa_expr_type_name(&binder, t->value, type), column->name,
            column->element.is_reference         ? "references"
            : column->is_text                    ? "string"
            : stoa_column_is_categorical(column) ? "categories"
                                                 : stoa_type_name(&column->type, ours));
    }
    if (t->value->op != STOA_OP_COLUMN && t->type.kind == STOA_KIND_FIXED_BINARY &&
        !stoa_expr_is_null(t->value) &&
        t->value->value.as.bytes[0].length != (size_t)t->type.width) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, t->value->syntax,
                                "values of column '%s' have %d bytes, not %zu", column->name,
                                (int)t->type.width, t->value->value.as.bytes[0].length);
    }
    return STOA_OK;
}

static stoa_status bind_value(update *u, const stoa_assignment *assignment, stoa_error *err)
{
    stoa_arena *arena = &u->selection.arena;
    const stoa_binder binder = {&u->selection.scope, arena};
    target *t = &u->targets[u->n_targets];
    const stoa_names names = stoa_scope_names(&u->selection.scope);
    const stoa_syntax *syntax = NULL;

    STOA_RETURN_NOT_OK(find_column(u, assignment->column, &t->column, err));
    const stoa_scope_column *column = &u->selection.scope.columns[t->column];
    const char *text = stoa_arena_text(arena, assignment->value, strlen(assignment->value));
    const size_t room = strlen(column->name) + sizeof "value of ";
    char *what = stoa_arena_alloc(arena, room, 1);
    STOA_RETURN_NO_MEMORY(err, text != NULL && what != NULL);
    (void)snprintf(what, room, "value of %s", column->name);
    STOA_RETURN_NOT_OK(stoa_parse(what, text, &names, arena, &syntax, err));
    if (syntax->kind == STOA_SYNTAX_LIST) {
        STOA_RETURN_NOT_OK(stoa_list_value_bind(&binder, syntax, column, &t->list, err));
        stoa_list_value_columns(t->list, u->selection.wanted);
        u->n_targets++;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_bind(&binder, syntax, &t->value, err));
    if (stoa_domain_is_ticks(column->value.domain) && stoa_expr_is_constant(t->value) &&
        (t->value->type.domain == STOA_DOMAIN_TEXT ||
         t->value->type.domain == column->value.domain)) {
        STOA_RETURN_NOT_OK(stoa_value_to_ticks(arena, column, t->value, err));
    }
    const stoa_column *const to = stoa_table_column(u->cells.table, t->column);
    const stoa_scope_column *const from =
        t->value->op == STOA_OP_COLUMN ? &u->selection.scope.columns[t->value->column] : NULL;
    /* labels that are numbers, times or booleans go into a plain column as values */
    t->is_copied = from != NULL && (!from->is_labelled || stoa_column_is_categorical(to));
    t->type = t->is_copied ? from->type : from != NULL ? from->plain : type_for(to, t->value);
    STOA_RETURN_NOT_OK(check_type(u, t, err));
    stoa_expr_columns(t->value, u->selection.wanted);
    u->n_targets++;
    return STOA_OK;
}

static stoa_status bind(update *u, const stoa_assignment *assignments, size_t n, stoa_error *err)
{
    if (n == 0) {
        return stoa_fail(err, STOA_EINVAL, "no column is given a value");
    }
    u->targets = stoa_arena_zero(&u->selection.arena, n, sizeof *u->targets);
    u->values = stoa_arena_zero(&u->selection.arena, n, sizeof *u->values);
    STOA_RETURN_NO_MEMORY(err, u->targets != NULL && u->values != NULL);
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(bind_value(u, &assignments[i], err));
        stoa_cells_touch(&u->cells, u->targets[i].column);
        if (stoa_column_is_categorical(u->cells.columns[u->targets[i].column].column)) {
            STOA_RETURN_NOT_OK(stoa_cells_open_categories(&u->cells, err));
        }
    }
    return stoa_evaluation_open(&u->evaluation, &u->selection.scope, err);
}

/* Values ------------------------------------------------------------------------------------ */

/* Emit opaque values: all are the same literal, or missing. */
static stoa_status emit_opaque(const stoa_vector *values, int32_t width, struct ArrowArray *out,
                               stoa_error *err)
{
    const size_t size = (size_t)width;
    uint8_t *bytes = stoa_alloc((size_t)values->n, size);

    STOA_RETURN_NO_MEMORY(err, bytes);
    for (int64_t i = 0; i < values->n; i++) {
        memcpy(bytes + (size_t)i * size, values->as.bytes[0].data, size);
    }
    return stoa_array_make(out, values->n, 0, 2, (void *[]){NULL, bytes}, err);
}

static stoa_status emit(const update *u, target *t, const stoa_vector *values, fresh_values *out,
                        stoa_error *err)
{
    const stoa_column *column = stoa_table_column(u->cells.table, t->column);
    const stoa_type type = stoa_value_type_for(column->type.kind, values, t->type);

    stoa_schema_release(&t->schema);
    STOA_RETURN_NOT_OK(stoa_schema_make_type(&t->schema, column->name, &type, err));
    STOA_RETURN_NOT_OK(type.kind == STOA_KIND_FIXED_BINARY
                           ? emit_opaque(values, type.width, &out->array, err)
                           : stoa_emit(values, &type, &out->array, err));
    return stoa_view_of(&t->schema, &out->array, &out->view, err);
}

static stoa_status compute(update *u, const stoa_batch *batch, target *t, fresh_values *out,
                           stoa_error *err)
{
    stoa_vector values;

    *out = (fresh_values){.array = {.release = NULL}};
    if (t->is_copied) {
        out->view = batch->views[t->value->column];
        return STOA_OK;
    }
    stoa_evaluation_move(&u->evaluation, batch->views, 0, batch->n);
    if (t->list != NULL) {
        stoa_schema_release(&t->schema);
        STOA_RETURN_NOT_OK(
            stoa_list_value_emit(t->list, &u->evaluation, batch->n, &t->schema, &out->array, err));
        return stoa_view_of(&t->schema, &out->array, &out->view, err);
    }
    STOA_RETURN_NOT_OK(stoa_eval(&u->evaluation, t->value, &values, err));
    return emit(u, t, &values, out, err);
}

/* The two passes ---------------------------------------------------------------------------- */

static stoa_status check_batch(void *context, const stoa_batch *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    update *u = context;
    fresh_values values = {.array = {.release = NULL}};
    uint64_t *rows = NULL;

    STOA_TRY(stoa_batch_rows(batch, &rows, err));
    for (size_t i = 0; i < u->n_targets; i++) {
        STOA_TRY(compute(u, batch, &u->targets[i], &values, err));
        STOA_TRY(stoa_cells_check(&u->cells, u->targets[i].column, &values.view, err));
        stoa_array_release(&values.array);
    }
    const size_t n = (size_t)batch->n;
    STOA_TRY(stoa_rowset_push(&u->spans, rows[0], rows[n - 1] - rows[0] + 1, err));
    u->n_changed += n;
    u->n_touched += stoa_overwrite_touches(rows, n);

done:
    stoa_array_release(&values.array);
    free(rows);
    return status;
}

/* The values of one target, for stoa_values_again. */
typedef struct showing {
    update *u;
    target *target;
    stoa_values_take take;
    void *taker;
} showing;

static stoa_status show_batch(void *context, const stoa_batch *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const showing *const s = context;
    fresh_values values = {.array = {.release = NULL}};

    STOA_TRY(compute(s->u, batch, s->target, &values, err));
    STOA_TRY(s->take(s->taker, &values.view, err));

done:
    stoa_array_release(&values.array);
    return status;
}

static stoa_status show_again(void *context, size_t which, stoa_values_take take, void *taker,
                              stoa_error *err)
{
    static const stoa_listener none;
    update *const u = context;
    showing s = {u, &u->targets[which], take, taker};

    return stoa_selection_visit(&u->selection, &u->spans, &none, show_batch, &s, err);
}

static stoa_status put_batch(void *context, const stoa_batch *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    update *u = context;
    uint64_t *rows = NULL;

    STOA_TRY(stoa_batch_rows(batch, &rows, err));
    for (size_t i = 0; i < u->n_targets; i++) {
        STOA_TRY(compute(u, batch, &u->targets[i], &u->values[i], err));
    }
    for (size_t i = 0; i < u->n_targets; i++) {
        STOA_TRY(stoa_cells_put(&u->cells, u->targets[i].column, &u->values[i].view, rows, err));
    }
    u->n_written += (uint64_t)batch->n;
    STOA_TRY(stoa_report_progress(
        &u->cells.options.listener,
        &(stoa_progress){.stage = "writing", .rows = u->n_written, .total_rows = u->n_changed},
        err));

done:
    for (size_t i = 0; i < u->n_targets; i++) {
        stoa_array_release(&u->values[i].array);
        u->values[i].array.release = NULL;
    }
    free(rows);
    return status;
}

static void clear(update *u)
{
    for (size_t i = 0; i < u->n_targets; i++) {
        stoa_schema_release(&u->targets[i].schema);
    }
    stoa_evaluation_clear(&u->evaluation);
    stoa_rowset_clear(&u->spans);
    stoa_cells_clear(&u->cells);
    stoa_selection_clear(&u->selection);
}

stoa_status stoa_table_update(stoa_table *table, const char *where,
                              const stoa_assignment *assignments, size_t n_assignments,
                              const stoa_edit_options *options, uint64_t *n_changed,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    update u = {.cells = STOA_CELLS_INIT};
    const char **values = NULL;
    stoa_range all = {0, table->n_rows};
    const stoa_rowset rows = {.ranges = &all, .n_ranges = 1};
    const stoa_listener none = {NULL, NULL};

    if (n_changed != NULL) {
        *n_changed = 0;
    }
    STOA_TRY(stoa_cells_begin(table, options, &u.cells, err));
    values = stoa_alloc(n_assignments, sizeof *values);
    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n_assignments; i++) {
        values[i] = assignments[i].value;
    }
    STOA_TRY(stoa_selection_open(&u.selection, table, where, values, n_assignments,
                                 &u.cells.options, err));
    STOA_TRY(bind(&u, assignments, n_assignments, err));
    STOA_TRY(stoa_parameters_check_used(&u.selection.parameters, err));
    for (size_t i = 0; where == NULL && i < u.n_targets; i++) {
        STOA_TRY(stoa_column_may_be_scanned(stoa_table_column(table, u.targets[i].column),
                                            table->n_rows, err));
    }
    STOA_TRY(
        stoa_selection_visit(&u.selection, &rows, &u.cells.options.listener, check_batch, &u, err));
    if (u.n_changed > 0) {
        for (size_t i = 0; i < u.n_targets; i++) {
            u.cells.columns[u.targets[i].column].again = (stoa_values_again){show_again, &u, i};
        }
        STOA_TRY(stoa_cells_prepare(&u.cells, u.n_touched, err));
        STOA_TRY(stoa_selection_visit(&u.selection, &u.spans, &none, put_batch, &u, err));
        STOA_TRY(stoa_cells_finish(&u.cells, u.spans.ranges[0].first, table->n_rows, err));
        for (size_t i = 0; i < u.n_targets; i++) {
            STOA_TRY(stoa_column_keep_original(table->columns[u.targets[i].column], NULL, err));
        }
    }
    if (n_changed != NULL) {
        *n_changed = u.n_changed;
    }

done:
    if (status != STOA_OK) {
        stoa_cells_abort(&u.cells);
    }
    clear(&u);
    free(values);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
