#include "query/bind/fields.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/foreign.h"
#include "core/memory.h"
#include "query/bind/origins.h"

enum { MAX_FIELDS = 1 << 12, MAX_DEPTH = 32 };

/* --- a field ---------------------------------------------------------------------------------- */

typedef struct field {
    stoa_column *whole; /* the column of structs; borrowed */
    int64_t number;     /* index of the field */
} field;

/* If the struct is missing, so are its fields. */
static stoa_status read_field(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const field *const f = context;
    struct ArrowArray whole = {.release = NULL};

    out->release = NULL;
    STOA_TRY(stoa_column_read(f->whole, first, count, &whole, err));
    stoa_array_move(whole.children[f->number], out);
    out->offset += whole.offset;
    if (out->length != whole.length || whole.offset != 0) {
        out->length = whole.length;
        out->null_count = out->n_buffers > 0 && out->buffers[0] != NULL ? -1 : out->null_count;
    }
    if (whole.null_count != 0 && whole.buffers[0] != NULL) {
        STOA_TRY(stoa_array_hide(out, whole.buffers[0], whole.offset, err));
    }

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    stoa_array_release(&whole);
    return status;
}

static void close_field(void *context)
{
    free(context);
}

static stoa_status add_fields(stoa_fields *fields, stoa_column *whole, unsigned depth,
                              stoa_error *err);

/* Add a column, which is taken over. */
static stoa_status add_column(stoa_fields *fields, stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *const table = &fields->table;
    stoa_column **columns = NULL;

    STOA_TRY(stoa_column_note_place(table, column, err));
    columns = stoa_realloc(table->columns, table->n_columns + 1, sizeof(stoa_column *));
    STOA_TRY(columns != NULL ? STOA_OK : stoa_fail_memory(err));
    table->columns = columns;
    column->read_context = table->read_context;
    columns[table->n_columns++] = column;
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

static stoa_status add_field(stoa_fields *fields, stoa_column *whole, int64_t number,
                             const struct ArrowSchema *schema, unsigned depth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *const table = &fields->table;
    stoa_column *column = NULL;
    struct ArrowSchema own = {.release = NULL};
    field *f = stoa_alloc(1, sizeof *f);
    char *name = stoa_format("%s.%s", whole->name, schema->name);

    STOA_TRY(f != NULL && name != NULL ? STOA_OK : stoa_fail_memory(err));
    if (stoa_table_find(table, name) != NULL ||
        table->n_columns - fields->n_borrowed >= MAX_FIELDS) {
        goto done; /* the text means that column */
    }
    *f = (field){whole, number};
    STOA_TRY(stoa_schema_copy(schema, &own, err));
    STOA_TRY(stoa_schema_rename(&own, name, err));
    const stoa_column_source source = {
        .read_array = read_field, .close = close_field, .context = f};
    f = NULL;
    STOA_TRY(stoa_column_of_source(&own, whole->n_rows, &source, &column, err));
    stoa_column *const made = column;
    column = NULL;
    STOA_TRY(add_column(fields, made, err));
    if (made->type.kind == STOA_KIND_STRUCT && depth < MAX_DEPTH) {
        STOA_TRY(add_fields(fields, made, depth + 1, err));
    }

done:
    free(f);
    free(name);
    stoa_column_close(column);
    stoa_schema_release(&own);
    return status;
}

static stoa_status add_fields(stoa_fields *fields, stoa_column *whole, unsigned depth,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};

    STOA_TRY(stoa_column_schema(whole, &schema, err));
    for (int64_t i = 0; i < schema.n_children; i++) {
        STOA_TRY(add_field(fields, whole, i, schema.children[i], depth, err));
    }

done:
    stoa_schema_release(&schema);
    return status;
}

/* --- fields that texts name ------------------------------------------------------------------- */

/* Mark the columns of which a text may name a field: their name precedes a dot, bare or in
 * quotes. */
static void mark_named(const stoa_table *table, size_t longest, const char *text, bool *named)
{
    for (const char *dot = strchr(text, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        for (size_t n = 1; n <= longest && n <= (size_t)(dot - text); n++) {
            const size_t number = stoa_table_number_of(table, dot - n, n);
            if (number != SIZE_MAX) {
                named[number] = true;
            }
        }
    }
}

static stoa_status find_named(const stoa_table *table, const char *const *texts, size_t n,
                              bool **named, stoa_error *err)
{
    size_t longest = 0;

    *named = stoa_alloc_zero(table->n_columns, sizeof **named);
    STOA_RETURN_NO_MEMORY(err, *named);
    for (size_t i = 0; i < table->n_columns; i++) {
        const size_t length = strlen(table->columns[i]->name);
        longest = length > longest ? length : longest;
    }
    for (size_t i = 0; i < n; i++) {
        if (texts[i] != NULL) {
            mark_named(table, longest, texts[i], *named);
        }
    }
    return STOA_OK;
}

static stoa_status begin(const stoa_table *table, stoa_fields **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_fields *fields = stoa_alloc(1, sizeof *fields);
    stoa_column **const columns = stoa_alloc(table->n_columns, sizeof(stoa_column *));

    STOA_TRY(fields != NULL && columns != NULL ? STOA_OK : stoa_fail_memory(err));
    *fields = (stoa_fields){.table = *table, .n_borrowed = table->n_columns};
    memcpy(columns, table->columns, table->n_columns * sizeof(stoa_column *));
    fields->table.columns = columns;
    fields->table.kept_indexes = NULL;
    fields->table.workers = NULL;
    fields->table.n_borrowers = 0;
    *out = fields;
    return STOA_OK;

done:
    free(fields);
    free(columns);
    return status;
}

/* Add the columns that tell where rows come from, if texts may name them. */
static stoa_status add_origins(const stoa_table *table, const char *const *texts, size_t n,
                               stoa_fields **fields, stoa_error *err)
{
    for (stoa_origin origin = 0; origin < STOA_N_ORIGINS; origin++) {
        const char *const name = stoa_origin_name(origin);
        stoa_column *column = NULL;
        bool is_named = false;
        for (size_t i = 0; i < n && !is_named; i++) {
            is_named = texts[i] != NULL && strstr(texts[i], name) != NULL;
        }
        if (!is_named || stoa_table_find_noted(table, name) != NULL) {
            continue;
        }
        if (*fields == NULL) {
            STOA_RETURN_NOT_OK(begin(table, fields, err));
        }
        STOA_RETURN_NOT_OK(stoa_origin_column(table, origin, &column, err));
        STOA_RETURN_NOT_OK(add_column(*fields, column, err));
    }
    return STOA_OK;
}

stoa_status stoa_fields_open(const stoa_table *table, const char *const *texts, size_t n,
                             stoa_fields **fields, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool *named = NULL;

    *fields = NULL;
    STOA_TRY(find_named(table, texts, n, &named, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        stoa_column *const column = table->columns[i];
        if (!named[i]) {
            continue;
        }
        STOA_TRY(stoa_column_load(column, err));
        if (column->type.kind != STOA_KIND_STRUCT) {
            continue;
        }
        if (*fields == NULL) {
            STOA_TRY(begin(table, fields, err));
        }
        STOA_TRY(add_fields(*fields, column, 0, err));
    }
    STOA_TRY(add_origins(table, texts, n, fields, err));

done:
    free(named);
    if (status != STOA_OK) {
        stoa_fields_close(*fields);
        *fields = NULL;
    }
    return status;
}

void stoa_fields_close(stoa_fields *fields)
{
    if (fields == NULL) {
        return;
    }
    stoa_table_close_indexes(&fields->table);
    stoa_workers_close(fields->table.workers);
    for (size_t i = fields->n_borrowed; i < fields->table.n_columns; i++) {
        stoa_column_close(fields->table.columns[i]);
    }
    free(fields->table.columns);
    free(fields);
}
