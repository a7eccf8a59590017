/* The columns that expressions can name, and the types they compute with. */
#include <string.h>

#include "core/nearest_name.h"
#include "query/eval/expr.h"
#include "table/open/table.h"

static stoa_status learn(stoa_scope_column *column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_type_of(column->schema, &column->type, err));
    column->plain = column->type;
    if (column->type.kind == STOA_KIND_DICTIONARY) {
        stoa_type labels;
        STOA_RETURN_NOT_OK(stoa_type_of(column->schema->dictionary, &labels, err));
        column->is_dictionary = stoa_kind_is_string(labels.kind);
        column->is_labelled = stoa_kind_is_integer(labels.kind) ||
                              stoa_kind_is_float(labels.kind) || stoa_kind_is_ticks(labels.kind) ||
                              labels.kind == STOA_KIND_BOOL;
        column->plain = column->is_labelled ? labels : column->type;
    }
    column->value = stoa_value_type_of(&column->plain, column->is_dictionary);
    column->is_known = true;
    return STOA_OK;
}

stoa_status stoa_scope_open(const struct ArrowSchema *table, stoa_arena *arena, stoa_scope *scope,
                            stoa_error *err)
{
    *scope = (stoa_scope){.n_columns = (size_t)table->n_children};
    scope->columns = stoa_arena_zero(arena, scope->n_columns, sizeof *scope->columns);
    STOA_RETURN_NO_MEMORY(err, scope->columns);
    for (size_t i = 0; i < scope->n_columns; i++) {
        stoa_scope_column *column = &scope->columns[i];
        column->schema = table->children[i];
        column->name = column->schema->name != NULL ? column->schema->name : "";
        STOA_RETURN_NOT_OK(learn(column, err));
    }
    return STOA_OK;
}

stoa_status stoa_scope_of_table(stoa_table *table, struct ArrowSchema *schema, stoa_arena *arena,
                                stoa_scope *scope, stoa_error *err)
{
    *scope = (stoa_scope){.n_columns = table->n_columns, .table = table};
    STOA_RETURN_NOT_OK(stoa_schema_make(schema, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(schema, (int64_t)table->n_columns, err));
    scope->fields = schema->children;
    scope->columns = stoa_arena_zero(arena, scope->n_columns, sizeof *scope->columns);
    STOA_RETURN_NO_MEMORY(err, scope->columns);
    for (size_t i = 0; i < scope->n_columns; i++) {
        scope->columns[i].name = table->columns[i]->name;
        scope->columns[i].schema = schema->children[i];
    }
    return STOA_OK;
}

stoa_status stoa_scope_know(stoa_scope *scope, size_t column, stoa_error *err)
{
    stoa_scope_column *known = &scope->columns[column];

    if (known->is_known) {
        return STOA_OK;
    }
    stoa_column *const stored = scope->table->columns[column];
    STOA_RETURN_NOT_OK(stoa_column_load(stored, err));
    STOA_RETURN_NOT_OK(stoa_learned_dictionary_of(stored, &known->learned_dictionary, err));
    STOA_RETURN_NOT_OK(known->learned_dictionary != NULL
                           ? stoa_learned_dictionary_schema(known->learned_dictionary, known->name,
                                                            scope->fields[column], err)
                           : stoa_column_coded_schema(stored, scope->fields[column], err));
    return learn(known, err);
}

size_t stoa_scope_find(const stoa_scope *scope, const char *name, size_t length)
{
    if (scope->table != NULL) {
        return stoa_table_number_of(scope->table, name, length);
    }
    for (size_t i = 0; i < scope->n_columns; i++) {
        if (strlen(scope->columns[i].name) == length &&
            memcmp(scope->columns[i].name, name, length) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static bool scope_has(const void *context, const char *name, size_t length)
{
    return stoa_scope_find(context, name, length) != SIZE_MAX;
}

stoa_names stoa_scope_names(const stoa_scope *scope)
{
    return (stoa_names){scope_has, scope, scope->parameters};
}

const char *stoa_scope_nearest(const stoa_scope *scope, const char *name)
{
    stoa_nearest_name nearest = stoa_nearest_name_to(name, strlen(name), 0);

    for (size_t i = 0; i < scope->n_columns; i++) {
        stoa_nearest_name_try(&nearest, scope->columns[i].name, strlen(scope->columns[i].name));
    }
    return nearest.found;
}
