/* Streams over plain C arrays, which the caller keeps. */
#include <stdlib.h>
#include <string.h>

#include <stoa/arrays.h>

#include "arrow/build.h"

enum { BATCH_ROWS = 65536 };

_Static_assert(sizeof(bool) == 1, "bools are looked at as bytes");

/* The borrowed parts of a column. Bools are read as bytes, because a byte written by another
 * language may be neither 0 nor 1. */
typedef struct borrowed_column {
    const uint8_t *values;
    const uint8_t *valid; /* NULL: every row is valid */
    const char *name;     /* borrowed from the schema */
    stoa_type type;
} borrowed_column;

typedef struct array_stream {
    borrowed_column *columns;
    size_t n_columns;
    uint64_t n_rows;
    uint64_t n_done; /* rows of batches handed out so far */
    struct ArrowSchema schema;
} array_stream;

/* A range of a column's rows. */
typedef struct column_part {
    const borrowed_column *column;
    uint64_t first;
    int64_t n_rows;
} column_part;

static bool is_valid(const column_part *part, int64_t i)
{
    return part->column->valid == NULL || part->column->valid[part->first + (uint64_t)i] != 0;
}

static bool put_bool(const void *context, int64_t i, uint8_t *values)
{
    const column_part *const part = context;

    if (part->column->values[part->first + (uint64_t)i] != 0) {
        stoa_bit_set(values, (uint64_t)i);
    }
    return is_valid(part, i);
}

/* The string, or NULL if the row is missing. */
static const char *string_at(const column_part *part, int64_t i)
{
    const char *const *const strings = (const char *const *)(const void *)part->column->values;

    return is_valid(part, i) ? strings[part->first + (uint64_t)i] : NULL;
}

static bool is_there(const column_part *part, int64_t i)
{
    return stoa_kind_is_string(part->column->type.kind) ? string_at(part, i) != NULL
                                                        : is_valid(part, i);
}

/* Make rows without a value missing in the array. */
static stoa_status hide_missing(const column_part *part, struct ArrowArray *array, stoa_error *err)
{
    uint8_t *bits = stoa_alloc_zero(stoa_bit_bytes((uint64_t)part->n_rows), 1);

    STOA_RETURN_NO_MEMORY(err, bits);
    for (int64_t i = 0; i < part->n_rows; i++) {
        if (is_there(part, i)) {
            stoa_bit_set(bits, (uint64_t)i);
        }
    }
    const stoa_status status = stoa_array_hide(array, bits, 0, err);
    free(bits);
    return status;
}

static void keep(void *lender)
{
    (void)lender; /* the caller frees it */
}

static stoa_status lend_values(const column_part *part, struct ArrowArray *out, stoa_error *err)
{
    const borrowed_column *const column = part->column;
    const uint8_t *const values =
        column->values != NULL ? column->values + part->first * (uint64_t)column->type.width : NULL;

    STOA_RETURN_NOT_OK(stoa_array_make_lent(out, part->n_rows, values, keep, NULL, err));
    return column->valid != NULL ? hide_missing(part, out, err) : STOA_OK;
}

/* Set the offset where string i begins and the previous one ends. */
static void put_end(const borrowed_column *column, void *ends, int64_t i, uint64_t end)
{
    if (column->type.kind == STOA_KIND_STRING) {
        ((int32_t *)ends)[i] = (int32_t)end;
    } else {
        ((int64_t *)ends)[i] = (int64_t)end;
    }
}

static stoa_status measure_strings(const column_part *part, void *ends, size_t *n_bytes,
                                   stoa_error *err)
{
    *n_bytes = 0;
    put_end(part->column, ends, 0, 0);
    for (int64_t i = 0; i < part->n_rows; i++) {
        const char *const text = string_at(part, i);

        *n_bytes += text != NULL ? strlen(text) : 0;
        if (part->column->type.kind == STOA_KIND_STRING && *n_bytes > INT32_MAX) {
            return stoa_fail(err, STOA_ERANGE,
                             "column '%s': %d strings in a row pass 2 GiB; give it the format 'U'",
                             part->column->name, BATCH_ROWS);
        }
        put_end(part->column, ends, i + 1, *n_bytes);
    }
    return STOA_OK;
}

static stoa_status copy_strings(const column_part *part, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_large = part->column->type.kind == STOA_KIND_LARGE_STRING;
    size_t n_bytes = 0;
    char *bytes = NULL;
    char *to = NULL;
    void *ends = stoa_alloc((size_t)part->n_rows + 1, is_large ? sizeof(int64_t) : sizeof(int32_t));

    STOA_TRY(ends != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(measure_strings(part, ends, &n_bytes, err));
    to = bytes = stoa_alloc(n_bytes, 1);
    STOA_TRY(bytes != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < part->n_rows; i++) {
        const char *const text = string_at(part, i);
        const size_t length = text != NULL ? strlen(text) : 0;

        memcpy(to, text != NULL ? text : "", length);
        to += length;
    }
    void *const buffers[] = {NULL, ends, bytes};
    ends = NULL;
    bytes = NULL;
    STOA_TRY(stoa_array_make(out, part->n_rows, 0, 3, buffers, err));
    STOA_TRY(hide_missing(part, out, err));

done:
    free(ends);
    free(bytes);
    return status;
}

static stoa_status make_part(const column_part *part, struct ArrowArray *out, stoa_error *err)
{
    if (part->column->type.kind == STOA_KIND_BOOL) {
        return stoa_array_put(out, part->n_rows, 1, put_bool, part, err);
    }
    return stoa_kind_is_string(part->column->type.kind) ? copy_strings(part, out, err)
                                                        : lend_values(part, out, err);
}

static stoa_status arrays_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const array_stream *const stream = self;

    return stoa_schema_copy(&stream->schema, out, err);
}

static stoa_status arrays_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    array_stream *const stream = self;
    const uint64_t n_left = stream->n_rows - stream->n_done;
    const int64_t n = n_left < BATCH_ROWS ? (int64_t)n_left : BATCH_ROWS;

    if (n == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_array_struct(out, n, (int64_t)stream->n_columns, err));
    for (size_t i = 0; i < stream->n_columns; i++) {
        const column_part part = {&stream->columns[i], stream->n_done, n};

        STOA_RETURN_NOT_OK(make_part(&part, out->children[i], err));
    }
    stream->n_done += (uint64_t)n;
    return STOA_OK;
}

static void arrays_release(void *self)
{
    array_stream *const stream = self;

    stoa_schema_release(&stream->schema);
    free(stream->columns);
    free(stream);
}

static const stoa_producer arrays_producer = {arrays_schema, arrays_next, arrays_release};

static bool is_plain(const stoa_type *type)
{
    return type->kind == STOA_KIND_BOOL || stoa_kind_is_integer(type->kind) ||
           stoa_kind_is_float(type->kind) || stoa_kind_is_string(type->kind) ||
           stoa_kind_is_ticks(type->kind) || type->kind == STOA_KIND_FIXED_BINARY;
}

static stoa_status add_field(const stoa_column_array *column, struct ArrowSchema *field,
                             borrowed_column *borrowed, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(field, column->name, column->format, err));
    STOA_RETURN_NOT_OK(stoa_type_of(field, &borrowed->type, err));
    if (!is_plain(&borrowed->type)) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' has the Arrow format '%s', which no plain "
                         "array has; see stoa/arrays.h",
                         column->name, column->format);
    }
    if (column->units != NULL) {
        STOA_RETURN_NOT_OK(stoa_schema_set(field, "units", column->units, err));
    }
    if (column->description != NULL) {
        STOA_RETURN_NOT_OK(stoa_schema_set(field, "description", column->description, err));
    }
    borrowed->name = field->name;
    borrowed->values = column->values;
    borrowed->valid = (const uint8_t *)(const void *)column->valid;
    return STOA_OK;
}

static stoa_status look_at(const stoa_column_array *column, size_t i, uint64_t n_rows,
                           const char *first, stoa_error *err)
{
    if (column->name == NULL || column->name[0] == '\0' || column->format == NULL) {
        return stoa_fail(err, STOA_EINVAL, "column %zu of the arrays has no %s", i + 1,
                         column->format == NULL ? "format" : "name");
    }
    if (column->n_rows != n_rows) {
        return stoa_fail(err, STOA_EINVAL, "column '%s' has %llu rows, and '%s' has %llu",
                         column->name, (unsigned long long)column->n_rows, first,
                         (unsigned long long)n_rows);
    }
    if (column->values == NULL && n_rows > 0) {
        return stoa_fail(err, STOA_EINVAL, "column '%s' has no values", column->name);
    }
    return STOA_OK;
}

static int order_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static stoa_status names_differ(const stoa_column_array *columns, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **names = stoa_alloc(n, sizeof *names);

    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        names[i] = columns[i].name;
    }
    qsort(names, n, sizeof *names, order_names);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            STOA_FAIL(err, STOA_EINVAL, "two columns have the name '%s'", names[i]);
        }
    }

done:
    free(names);
    return status;
}

static stoa_status fill_stream(array_stream *stream, const stoa_column_array *columns, size_t n,
                               stoa_error *err)
{
    stream->columns = stoa_alloc_zero(n, sizeof *stream->columns);
    STOA_RETURN_NO_MEMORY(err, stream->columns);
    STOA_RETURN_NOT_OK(stoa_schema_make(&stream->schema, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(&stream->schema, (int64_t)n, err));
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(
            add_field(&columns[i], stream->schema.children[i], &stream->columns[i], err));
    }
    stream->n_columns = n;
    stream->n_rows = columns[0].n_rows;
    return STOA_OK;
}

stoa_status stoa_stream_of_arrays(const stoa_column_array *columns, size_t n_columns,
                                  struct ArrowArrayStream *out, stoa_error *err)
{
    array_stream *stream = NULL;

    *out = (struct ArrowArrayStream){0};
    if (columns == NULL || n_columns == 0) {
        return stoa_fail(err, STOA_EINVAL, "a table of arrays has one column or more");
    }
    for (size_t i = 0; i < n_columns; i++) {
        STOA_RETURN_NOT_OK(look_at(&columns[i], i, columns[0].n_rows, columns[0].name, err));
    }
    STOA_RETURN_NOT_OK(names_differ(columns, n_columns, err));
    stream = stoa_alloc_zero(1, sizeof *stream);
    STOA_RETURN_NO_MEMORY(err, stream);
    const stoa_status status = fill_stream(stream, columns, n_columns, err);
    if (status != STOA_OK) {
        arrays_release(stream);
        return status;
    }
    return stoa_stream_make(out, &arrays_producer, stream, err);
}
