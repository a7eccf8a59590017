/* Arrow's IPC format:
 * https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format */
#include "sql/parquet_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/ipc.h"

/* --- base 64 (RFC 4648) ---------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static stoa_status encode(const uint8_t *bytes, size_t n, stoa_buffer *text, stoa_error *err)
{
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        const char four[] = {digits[three >> 18], digits[three >> 12 & 63],
                             left > 1 ? digits[three >> 6 & 63] : '=',
                             left > 2 ? digits[three & 63] : '='};
        STOA_RETURN_NOT_OK(stoa_buffer_append(text, four, sizeof four, err));
    }
    return STOA_OK;
}

/* Decode up to the first character that is no digit. */
static stoa_status decode(const char *text, size_t length, stoa_buffer *bytes, stoa_error *err)
{
    uint32_t bits = 0;
    unsigned n_bits = 0;

    for (size_t i = 0; i < length; i++) {
        const char *const digit = text[i] != '\0' ? strchr(digits, text[i]) : NULL;
        if (digit == NULL) {
            return STOA_OK;
        }
        bits = bits << 6 | (uint32_t)(digit - digits);
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            const uint8_t byte = (uint8_t)(bits >> n_bits);
            STOA_RETURN_NOT_OK(stoa_buffer_append(bytes, &byte, 1, err));
        }
    }
    return STOA_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status copy_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(self, out, err);
}

static stoa_status no_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    (void)self;
    (void)out;
    (void)err;
    return STOA_OK;
}

stoa_status stoa_parquet_encode_schema(const struct ArrowSchema *schema, stoa_buffer *text,
                                       stoa_error *err)
{
    static const stoa_producer producer = {copy_schema, no_batch, NULL};
    enum { END_OF_STREAM = 8 }; /* bytes behind the schema */
    struct ArrowArrayStream empty = {.release = NULL};
    stoa_status status = STOA_OK;
    char *bytes = NULL;
    size_t n = 0;
    FILE *const file = open_memstream(&bytes, &n);

    STOA_RETURN_NO_MEMORY(err, file);
    STOA_TRY(stoa_stream_make(&empty, &producer, (void *)(uintptr_t)schema, err));
    STOA_TRY(stoa_ipc_write_stream(&empty, file, NULL, NULL, err));
    STOA_TRY(fflush(file) == 0 ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(encode((const uint8_t *)bytes, n > END_OF_STREAM ? n - END_OF_STREAM : 0, text, err));

done:
    stoa_stream_release(&empty);
    (void)fclose(file);
    free(bytes);
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

static stoa_status read_bytes(void *context, void *bytes, size_t capacity, size_t *n,
                              stoa_error *err)
{
    stoa_buffer *const from = context; /* `capacity` is how much has been read */
    const size_t left = from->size - from->capacity;

    (void)err;
    *n = capacity < left ? capacity : left;
    memcpy(bytes, from->data + from->capacity, *n);
    from->capacity += *n;
    return STOA_OK;
}

stoa_status stoa_parquet_decode_schema(const char *text, size_t length, struct ArrowSchema *schema,
                                       stoa_error *err)
{
    stoa_buffer bytes = {0};
    stoa_error ignored = STOA_ERROR_INIT;
    struct ArrowArrayStream stream = {.release = NULL};

    *schema = (struct ArrowSchema){.release = NULL};
    stoa_status status = decode(text, length, &bytes, err);
    stoa_buffer from = {.data = bytes.data, .size = bytes.size};
    const stoa_ipc_source source = {.context = &from, .read = read_bytes};
    if (status == STOA_OK && bytes.size > 0) {
        status = stoa_ipc_open(&source, &stream, &ignored);
        status = status == STOA_OK ? stoa_stream_schema(&stream, schema, &ignored) : status;
        status = status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
    }
    stoa_stream_release(&stream);
    stoa_buffer_clear(&bytes);
    return status;
}

/* --- SQL ------------------------------------------------------------------------------------- */

bool stoa_sql_has_fixed_list(const struct ArrowSchema *field)
{
    bool has = strncmp(field->format, "+w", 2) == 0;

    for (int64_t i = 0; !has && i < field->n_children; i++) {
        has = stoa_sql_has_fixed_list(field->children[i]);
    }
    return has;
}

static stoa_status put_struct(stoa_buffer *sql, const struct ArrowSchema *field, bool keeps_sizes,
                              stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, "STRUCT("));
    for (int64_t i = 0; i < field->n_children; i++) {
        const char *const name = field->children[i]->name != NULL ? field->children[i]->name : "";
        STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, i > 0 ? ", " : ""));
        STOA_RETURN_NOT_OK(stoa_buffer_quote(sql, '"', name, strlen(name), err));
        STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, " "));
        STOA_RETURN_NOT_OK(stoa_sql_type(sql, field->children[i], keeps_sizes, err));
    }
    return stoa_buffer_print(sql, err, ")");
}

static const char *name_of(const struct ArrowSchema *field, const stoa_type *type)
{
    static const char *const names[] = {
        [STOA_KIND_BOOL] = "BOOLEAN",        [STOA_KIND_INT8] = "TINYINT",
        [STOA_KIND_INT16] = "SMALLINT",      [STOA_KIND_INT32] = "INTEGER",
        [STOA_KIND_INT64] = "BIGINT",        [STOA_KIND_UINT8] = "UTINYINT",
        [STOA_KIND_UINT16] = "USMALLINT",    [STOA_KIND_UINT32] = "UINTEGER",
        [STOA_KIND_UINT64] = "UBIGINT",      [STOA_KIND_FLOAT16] = "FLOAT",
        [STOA_KIND_FLOAT32] = "FLOAT",       [STOA_KIND_FLOAT64] = "DOUBLE",
        [STOA_KIND_STRING] = "VARCHAR",      [STOA_KIND_LARGE_STRING] = "VARCHAR",
        [STOA_KIND_BINARY] = "BLOB",         [STOA_KIND_LARGE_BINARY] = "BLOB",
        [STOA_KIND_FIXED_BINARY] = "BLOB",   [STOA_KIND_DATE] = "DATE",
        [STOA_KIND_DURATION] = "BIGINT",     [STOA_KIND_DICTIONARY] = "VARCHAR",
        [STOA_KIND_TIMESTAMP] = "TIMESTAMP",
    };

    if (type->kind == STOA_KIND_TIMESTAMP && type->unit == STOA_TIME_NANO) {
        return "TIMESTAMP_NS";
    }
    if (type->kind == STOA_KIND_TIMESTAMP && type->utc) {
        return "TIMESTAMPTZ";
    }
    if (type->kind == STOA_KIND_OTHER) {
        return strncmp(field->format, "tt", 2) == 0 ? "TIME" : NULL;
    }
    return (size_t)type->kind < sizeof names / sizeof *names ? names[type->kind] : NULL;
}

stoa_status stoa_sql_type(stoa_buffer *sql, const struct ArrowSchema *field, bool keeps_sizes,
                          stoa_error *err)
{
    stoa_type type;
    stoa_decimal decimal;

    if (stoa_decimal_of(field->format, &decimal)) {
        return stoa_buffer_print(sql, err, "DECIMAL(%d,%d)", decimal.precision, decimal.scale);
    }
    STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
    if (type.kind == STOA_KIND_STRUCT) {
        return put_struct(sql, field, keeps_sizes, err);
    }
    if (stoa_kind_is_list(type.kind)) {
        STOA_RETURN_NOT_OK(stoa_sql_type(sql, field->children[0], keeps_sizes, err));
        return type.kind == STOA_KIND_FIXED_LIST && keeps_sizes
                   ? stoa_buffer_print(sql, err, "[%d]", (int)type.width)
                   : stoa_buffer_print(sql, err, "[]");
    }
    const char *const name = name_of(field, &type);
    return name != NULL ? stoa_buffer_print(sql, err, "%s", name)
                        : stoa_fail(err, STOA_ETYPE, "DuckDB has no type of Arrow format '%s'",
                                    field->format);
}
