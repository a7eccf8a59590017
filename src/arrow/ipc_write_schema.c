/* Writes the schema of an Arrow file. */
#include "arrow/ipc_write.h"

#include <string.h>

#include "arrow/type.h"

enum { MAX_DEPTH = 32, TYPE_FIELDS = 3 };

typedef struct writing {
    stoa_flat_writer *flat;
    size_t next; /* number of the next dictionary, in field order */
} writing;

/* The fields of a type's table, if they are all numbers. */
typedef struct type_table {
    unsigned kind;
    uint8_t sizes[TYPE_FIELDS];
    uint64_t values[TYPE_FIELDS];
} type_table;

static bool describe_number(const stoa_type *type, type_table *table)
{
    const uint64_t bits = 8 * (uint64_t)stoa_kind_width(type->kind);

    if (stoa_kind_is_integer(type->kind)) {
        *table = (type_table){IPC_INT, {4, 1}, {bits, stoa_kind_is_signed(type->kind) ? 1 : 0}};
        return true;
    }
    if (stoa_kind_is_float(type->kind)) {
        *table = (type_table){IPC_FLOAT, {2}, {bits == 16 ? 0 : bits == 32 ? 1 : 2}};
        return true;
    }
    return false;
}

static bool describe_type(const stoa_type *type, type_table *table)
{
    static const struct {
        stoa_kind kind;
        unsigned is;
    } plain[] = {{STOA_KIND_BOOL, IPC_BOOL},
                 {STOA_KIND_STRING, IPC_UTF8},
                 {STOA_KIND_LARGE_STRING, IPC_LARGE_UTF8},
                 {STOA_KIND_BINARY, IPC_BINARY},
                 {STOA_KIND_LARGE_BINARY, IPC_LARGE_BINARY},
                 {STOA_KIND_LIST, IPC_LIST},
                 {STOA_KIND_LARGE_LIST, IPC_LARGE_LIST},
                 {STOA_KIND_STRUCT, IPC_STRUCT}};

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (type->kind == plain[i].kind) {
            *table = (type_table){.kind = plain[i].is};
            return true;
        }
    }
    switch (type->kind) {
    case STOA_KIND_FIXED_BINARY:
        *table = (type_table){IPC_FIXED_BINARY, {4}, {(uint64_t)type->width}};
        return true;
    case STOA_KIND_FIXED_LIST:
        *table = (type_table){IPC_FIXED_LIST, {4}, {(uint64_t)type->width}};
        return true;
    case STOA_KIND_DATE:
        *table = (type_table){IPC_DATE, {2}, {0}};
        return true;
    case STOA_KIND_DURATION:
        *table = (type_table){IPC_DURATION, {2}, {(uint64_t)(type->unit - STOA_TIME_SECOND)}};
        return true;
    case STOA_KIND_TIMESTAMP: /* the time zone is a string: see put_type() */
        *table = (type_table){IPC_TIMESTAMP, {2, 4}, {type->unit - STOA_TIME_SECOND}};
        return true;
    default:
        return describe_number(type, table);
    }
}

/* Types that tables do not have: decimals and times of day. */
static bool describe_other(const char *format, type_table *table)
{
    stoa_decimal decimal;

    if (stoa_decimal_of(format, &decimal)) {
        *table = (type_table){IPC_DECIMAL,
                              {4, 4, 4},
                              {(uint64_t)decimal.precision, (uint64_t)(uint32_t)decimal.scale,
                               8 * (uint64_t)decimal.width}};
        return true;
    }
    const char *const unit =
        strncmp(format, "tt", 2) == 0 && format[2] != '\0' ? strchr("smun", format[2]) : NULL;
    if (unit != NULL) {
        const uint64_t which = format[2] == 's'   ? 0
                               : format[2] == 'm' ? 1
                               : format[2] == 'u' ? 2
                                                  : 3;
        *table = (type_table){IPC_TIME, {2, 4}, {which, which < 2 ? 32 : 64}};
    }
    return unit != NULL;
}

static void put_metadata(stoa_flat_writer *flat, size_t at, const char *metadata)
{
    static const uint8_t sizes[] = {4, 4};
    int32_t n = 0;

    memcpy(&n, metadata, sizeof n);
    metadata += sizeof n;
    const size_t pairs = stoa_flat_put_vector(flat, at, (size_t)n, 4);
    for (int32_t i = 0; i < n; i++) {
        size_t where[2];
        stoa_flat_refer(flat, pairs + 4 * (size_t)i, stoa_flat_put_table(flat, sizes, 2, where));
        for (size_t k = 0; k < 2; k++) {
            int32_t length = 0;
            memcpy(&length, metadata, sizeof length);
            metadata += sizeof length;
            stoa_flat_put_string(flat, where[k], metadata, (size_t)length);
            metadata += length;
        }
    }
}

static stoa_status put_fields(writing *w, size_t at, const struct ArrowSchema *parent, int depth,
                              stoa_error *err);

/* Write the type of a field's values. */
static stoa_status put_type(stoa_flat_writer *flat, const size_t *where,
                            const struct ArrowSchema *field, const char *name, stoa_error *err)
{
    size_t values[TYPE_FIELDS];
    stoa_type type;
    type_table table;

    STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
    if (!describe_type(&type, &table) && !describe_other(field->format, &table)) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' of Arrow format '%s' is not written", name,
                         field->format);
    }
    const bool is_time = table.kind == IPC_TIMESTAMP;
    const char *const zone = is_time ? strchr(field->format, ':') + 1 : "";
    if (is_time && zone[0] == '\0') {
        table.sizes[1] = 0;
    }
    stoa_flat_put(flat, where[FIELD_TYPE_KIND], 1, table.kind);
    stoa_flat_refer(flat, where[FIELD_TYPE],
                    stoa_flat_put_table(flat, table.sizes, TYPE_FIELDS, values));
    for (size_t i = 0; i < (is_time ? 1 : TYPE_FIELDS) && table.sizes[i] > 0; i++) {
        stoa_flat_put(flat, values[i], table.sizes[i], table.values[i]);
    }
    if (is_time && table.sizes[1] > 0) {
        stoa_flat_put_string(flat, values[1], zone, strlen(zone));
    }
    return STOA_OK;
}

/* Write the type of a field's indices, and the id of its dictionary. */
static stoa_status put_encoding(stoa_flat_writer *flat, size_t at, const struct ArrowSchema *field,
                                size_t id, stoa_error *err)
{
    static const uint8_t sizes[ENCODING_N] = {8, 4, 1, 0};
    size_t where[ENCODING_N];
    size_t values[2];
    stoa_type type;
    type_table table = {.kind = IPC_INT};

    STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
    stoa_flat_refer(flat, at, stoa_flat_put_table(flat, sizes, ENCODING_N, where));
    stoa_flat_put(flat, where[ENCODING_ID], 8, id);
    stoa_flat_put(flat, where[ENCODING_ORDERED], 1,
                  (field->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0);
    (void)describe_number(&(stoa_type){.kind = type.index}, &table);
    stoa_flat_refer(flat, where[ENCODING_INDEX], stoa_flat_put_table(flat, table.sizes, 2, values));
    stoa_flat_put(flat, values[0], table.sizes[0], table.values[0]);
    stoa_flat_put(flat, values[1], table.sizes[1], table.values[1]);
    return STOA_OK;
}

static stoa_status put_field(writing *w, size_t from, const struct ArrowSchema *field, int depth,
                             stoa_error *err)
{
    stoa_flat_writer *const flat = w->flat;
    const bool is_coded = field->dictionary != NULL;
    const uint8_t sizes[FIELD_N] = {
        4, 1, 1, 4, is_coded ? 4 : 0, 4, field->metadata != NULL ? 4 : 0};
    const char *const name = field->name != NULL ? field->name : "";
    size_t where[FIELD_N];

    if (depth > MAX_DEPTH) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' is nested too deep", name);
    }
    if (is_coded && field->dictionary->n_children > 0) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' has a dictionary of lists or structs", name);
    }
    stoa_flat_refer(flat, from, stoa_flat_put_table(flat, sizes, FIELD_N, where));
    stoa_flat_put_string(flat, where[FIELD_NAME], name, strlen(name));
    stoa_flat_put(flat, where[FIELD_NULLABLE], 1, (field->flags & ARROW_FLAG_NULLABLE) != 0);
    STOA_RETURN_NOT_OK(put_type(flat, where, is_coded ? field->dictionary : field, name, err));
    if (is_coded) {
        STOA_RETURN_NOT_OK(put_encoding(flat, where[FIELD_DICTIONARY], field, w->next++, err));
    }
    STOA_RETURN_NOT_OK(put_fields(w, where[FIELD_CHILDREN], field, depth + 1, err));
    if (field->metadata != NULL) {
        put_metadata(flat, where[FIELD_METADATA], field->metadata);
    }
    return STOA_OK;
}

static stoa_status put_fields(writing *w, size_t at, const struct ArrowSchema *parent, int depth,
                              stoa_error *err)
{
    const size_t fields = stoa_flat_put_vector(w->flat, at, (size_t)parent->n_children, 4);
    stoa_status status = w->flat->status;

    for (int64_t i = 0; status == STOA_OK && i < parent->n_children; i++) {
        status = put_field(w, fields + 4 * (size_t)i, parent->children[i], depth, err);
    }
    return status == STOA_OK ? w->flat->status : status;
}

static bool is_big_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;

    memcpy(&first, &one, 1);
    return first == 0;
}

stoa_status stoa_ipc_put_schema(stoa_flat_writer *flat, size_t at, const struct ArrowSchema *schema,
                                stoa_error *err)
{
    writing w = {.flat = flat};
    const uint8_t sizes[SCHEMA_N] = {2, 4, schema->metadata != NULL ? 4 : 0};
    size_t where[SCHEMA_N];

    stoa_flat_refer(flat, at, stoa_flat_put_table(flat, sizes, SCHEMA_N, where));
    stoa_flat_put(flat, where[SCHEMA_ENDIANNESS], 2, is_big_endian() ? 1 : 0);
    STOA_RETURN_NOT_OK(put_fields(&w, where[SCHEMA_FIELDS], schema, 0, err));
    if (schema->metadata != NULL) {
        put_metadata(flat, where[SCHEMA_METADATA], schema->metadata);
    }
    return STOA_OK;
}
