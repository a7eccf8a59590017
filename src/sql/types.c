/* Arrow fields as types of DuckDB. */
#include "sql/types.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/read.h"
#include "sql/type_forms.h"

stoa_sql_form stoa_sql_form_of(const struct ArrowSchema *schema, stoa_type *type)
{
    static const struct {
        const char *format;
        int64_t ticks; /* of a second */
    } times[] = {{"tts", 1}, {"ttm", 1000}, {"ttu", 1000000}, {"ttn", 1000000000}};
    stoa_sql_form form = {.ticks = 0};

    form.is_decimal = stoa_decimal_of(schema->format, &form.decimal);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        form.ticks = strcmp(schema->format, times[i].format) == 0 ? times[i].ticks : form.ticks;
    }
    if (stoa_type_of(schema, type, NULL) != STOA_OK) {
        type->kind = STOA_KIND_OTHER;
    }
    return form;
}

static stoa_status refuse(const struct ArrowSchema *schema, stoa_error *err)
{
    return stoa_fail(err, STOA_ETYPE,
                     "column '%s' has the Arrow format '%s', for which DuckDB has no type",
                     schema->name != NULL ? schema->name : "", schema->format);
}

/* The id of a type without parameters; 0 for others. */
static int plain_type(const stoa_type *type, const stoa_sql_form *form)
{
    static const int kinds[] = {
        [STOA_KIND_NULL] = DUCK_INTEGER,
        [STOA_KIND_BOOL] = DUCK_BOOLEAN,
        [STOA_KIND_INT8] = DUCK_TINYINT,
        [STOA_KIND_INT16] = DUCK_SMALLINT,
        [STOA_KIND_INT32] = DUCK_INTEGER,
        [STOA_KIND_INT64] = DUCK_BIGINT,
        [STOA_KIND_UINT8] = DUCK_UTINYINT,
        [STOA_KIND_UINT16] = DUCK_USMALLINT,
        [STOA_KIND_UINT32] = DUCK_UINTEGER,
        [STOA_KIND_UINT64] = DUCK_UBIGINT,
        [STOA_KIND_FLOAT16] = DUCK_FLOAT,
        [STOA_KIND_FLOAT32] = DUCK_FLOAT,
        [STOA_KIND_FLOAT64] = DUCK_DOUBLE,
        [STOA_KIND_STRING] = DUCK_VARCHAR,
        [STOA_KIND_LARGE_STRING] = DUCK_VARCHAR,
        [STOA_KIND_BINARY] = DUCK_BLOB,
        [STOA_KIND_LARGE_BINARY] = DUCK_BLOB,
        [STOA_KIND_FIXED_BINARY] = DUCK_BLOB,
        [STOA_KIND_DATE] = DUCK_DATE,
        [STOA_KIND_DURATION] = DUCK_INTERVAL,
        [STOA_KIND_OTHER] = 0,
    };
    static const int naive[] = {
        [STOA_TIME_SECOND] = DUCK_TIMESTAMP_S,
        [STOA_TIME_MILLI] = DUCK_TIMESTAMP_MS,
        [STOA_TIME_MICRO] = DUCK_TIMESTAMP,
        [STOA_TIME_NANO] = DUCK_TIMESTAMP_NS,
    };

    if (form->ticks != 0) {
        return DUCK_TIME;
    }
    if (type->kind == STOA_KIND_TIMESTAMP) {
        return type->utc ? DUCK_TIMESTAMP_TZ : naive[type->unit];
    }
    return kinds[type->kind];
}

static stoa_status struct_type(const stoa_duckdb *duckdb, const struct ArrowSchema *schema,
                               duck_object *out, stoa_error *err)
{
    const uint64_t n = (uint64_t)schema->n_children;
    stoa_status status = STOA_OK;
    duck_object *types = stoa_alloc_zero((size_t)n, sizeof *types);
    const char **names = stoa_alloc_zero((size_t)n, sizeof *names);

    if (types == NULL || names == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (n == 0) {
        STOA_TRY(refuse(schema, err));
    }
    for (uint64_t i = 0; i < n; i++) {
        names[i] = schema->children[i]->name;
        STOA_TRY(stoa_sql_type_of(duckdb, schema->children[i], &types[i], err));
    }
    *out = duckdb->create_struct_type(types, names, n);

done:
    for (uint64_t i = 0; types != NULL && i < n; i++) {
        duckdb->destroy_logical_type(&types[i]);
    }
    free(types);
    free(names);
    return status;
}

bool stoa_sql_is_array(const stoa_type *type)
{
    enum { MAX_ARRAY = 100000 }; /* of DuckDB */

    return type->kind == STOA_KIND_FIXED_LIST && type->width > 0 && type->width <= MAX_ARRAY;
}

static stoa_status list_type(const stoa_duckdb *duckdb, const struct ArrowSchema *schema,
                             const stoa_type *type, duck_object *out, stoa_error *err)
{
    duck_object item = NULL;

    STOA_RETURN_NOT_OK(stoa_sql_type_of(duckdb, schema->children[0], &item, err));
    *out = stoa_sql_is_array(type) ? duckdb->create_array_type(item, (uint64_t)type->width)
                                   : duckdb->create_list_type(item);
    duckdb->destroy_logical_type(&item);
    return STOA_OK;
}

stoa_status stoa_sql_type_of(const stoa_duckdb *duckdb, const struct ArrowSchema *schema,
                             duck_object *out, stoa_error *err)
{
    enum { MAX_DIGITS = 38 }; /* of a DECIMAL */
    stoa_type type;
    const stoa_sql_form form = stoa_sql_form_of(schema, &type);

    *out = NULL;
    if (form.is_decimal) {
        const stoa_decimal *const d = &form.decimal;
        if (d->precision > MAX_DIGITS || d->scale < 0 || d->scale > d->precision || d->width > 16) {
            return refuse(schema, err);
        }
        *out = duckdb->create_decimal_type((uint8_t)d->precision, (uint8_t)d->scale);
    } else if (type.kind == STOA_KIND_DICTIONARY) {
        return stoa_sql_type_of(duckdb, schema->dictionary, out, err);
    } else if (type.kind == STOA_KIND_STRUCT) {
        return struct_type(duckdb, schema, out, err);
    } else if (stoa_kind_is_list(type.kind)) {
        return list_type(duckdb, schema, &type, out, err);
    } else if (plain_type(&type, &form) != 0) {
        *out = duckdb->create_logical_type(plain_type(&type, &form));
    }
    return *out != NULL ? STOA_OK : refuse(schema, err);
}
