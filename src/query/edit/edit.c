#include "query/edit/edit.h"

#include <stdlib.h>
#include <string.h>

#include "table/open/table.h"

/* Fields of structs become columns that can be read, but not written. */
static stoa_status find_fields(stoa_selection *selection, const char *where,
                               const char *const *values, size_t n_values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **const texts = stoa_alloc(n_values + 1, sizeof *texts);

    STOA_TRY(texts != NULL ? STOA_OK : stoa_fail_memory(err));
    texts[0] = where;
    for (size_t i = 0; i < n_values; i++) {
        texts[i + 1] = values[i];
    }
    STOA_TRY(stoa_fields_open(selection->table, texts, n_values + 1, &selection->fields, err));
    if (selection->fields != NULL) {
        selection->table = &selection->fields->table;
    }

done:
    free(texts);
    return status;
}

stoa_status stoa_selection_open(stoa_selection *selection, stoa_table *table, const char *where,
                                const char *const *values, size_t n_values,
                                const stoa_edit_options *options, stoa_error *err)
{
    const stoa_syntax *syntax = NULL;
    const stoa_binder binder = {&selection->scope, &selection->arena};

    *selection = (stoa_selection){.table = table};
    STOA_RETURN_NOT_OK(find_fields(selection, where, values, n_values, err));
    STOA_RETURN_NOT_OK(stoa_table_coded_schema(selection->table, &selection->schema, err));
    STOA_RETURN_NOT_OK(
        stoa_scope_open(&selection->schema, &selection->arena, &selection->scope, err));
    STOA_RETURN_NOT_OK(stoa_parameters_open(&selection->parameters, options->parameters,
                                            options->n_parameters, &selection->arena, err));
    selection->scope.parameters = &selection->parameters;
    selection->wanted =
        stoa_arena_zero(&selection->arena, selection->scope.n_columns, sizeof *selection->wanted);
    STOA_RETURN_NO_MEMORY(err, selection->wanted);
    if (where != NULL) {
        const stoa_names names = stoa_scope_names(&selection->scope);
        const char *text = stoa_arena_text(&selection->arena, where, strlen(where));
        STOA_RETURN_NO_MEMORY(err, text);
        STOA_RETURN_NOT_OK(stoa_parse("where", text, &names, &selection->arena, &syntax, err));
        STOA_RETURN_NOT_OK(stoa_bind_predicate(&binder, syntax, &selection->where, err));
    }
    return STOA_OK;
}

stoa_status stoa_selection_visit(stoa_selection *selection, const stoa_rowset *rows,
                                 const stoa_listener *listener, stoa_batch_visit visit,
                                 void *context, stoa_error *err)
{
    static const stoa_rowset none = {NULL, 0, 0};
    stoa_status status = STOA_OK;
    const stoa_scan_request request = {
        .table = selection->table,
        .scope = &selection->scope,
        .predicate = selection->where,
        .wanted = selection->wanted,
        .candidates = {rows, selection->where != NULL ? &none : rows},
        .listener = *listener,
    };
    stoa_walk walk = {.is_in_morsel = false};
    stoa_batch *batch = NULL;

    STOA_TRY(stoa_walk_open(&walk, &request, err));
    STOA_TRY(stoa_walk_next(&walk, &batch, err));
    while (batch != NULL) {
        STOA_TRY(visit(context, batch, err));
        STOA_TRY(stoa_walk_next(&walk, &batch, err));
    }

done:
    stoa_walk_clear(&walk);
    return status;
}

void stoa_selection_clear(stoa_selection *selection)
{
    stoa_schema_release(&selection->schema);
    stoa_arena_clear(&selection->arena);
    stoa_fields_close(selection->fields);
    *selection = (stoa_selection){.table = NULL};
}

stoa_status stoa_batch_rows(const stoa_batch *batch, uint64_t **rows, stoa_error *err)
{
    *rows = stoa_alloc((size_t)batch->n, sizeof **rows);
    STOA_RETURN_NO_MEMORY(err, *rows);
    for (int64_t i = 0; i < batch->n; i++) {
        (*rows)[i] = batch->rows != NULL ? batch->rows[i] : batch->first + (uint64_t)i;
    }
    return STOA_OK;
}
