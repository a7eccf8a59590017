/* Fields may share tables, so a small message could describe endless fields. So the fields and the
 * bytes of metadata are counted. */
#include "arrow/ipc_schema.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_DEPTH = 32,
    MAX_FIELDS = 1 << 16,
    MAX_PAIRS = 1 << 12, /* per field; all fields may have this many, plus for each field: */
    PAIRS_A_FIELD = 16,
    MAX_METADATA = 8 << 20 /* or the length of the message: texts may be shared */
};

typedef struct reading {
    stoa_flat *flat;
    size_t n_fields;
    size_t n_pairs;
    size_t n_metadata; /* bytes */
    stoa_buffer *dictionaries;
    stoa_error *err;
} reading;

/* --- types ----------------------------------------------------------------------------------- */

static const char *int_format(uint64_t bits, bool is_signed)
{
    switch (bits) {
    case 8:
        return is_signed ? "c" : "C";
    case 16:
        return is_signed ? "s" : "S";
    case 32:
        return is_signed ? "i" : "I";
    case 64:
        return is_signed ? "l" : "L";
    default:
        return NULL;
    }
}

static bool timestamp_format(stoa_flat *flat, const stoa_flat_table *type, char *room, size_t size)
{
    const uint64_t unit = stoa_flat_field(flat, type, 0, 2, 0);
    size_t length = 0;
    const char *zone = stoa_flat_string(flat, type, 1, &length);

    if (unit > 3 || length > size - 8) {
        return false;
    }
    (void)snprintf(room, size, "ts%c:%.*s", "smun"[unit], (int)length, zone);
    return true;
}

/* The unit defaults to milliseconds. */
static bool duration_format(stoa_flat *flat, const stoa_flat_table *type, char *room, size_t size)
{
    const uint64_t unit = stoa_flat_field(flat, type, 0, 2, 1);

    if (unit > 3) {
        return false;
    }
    (void)snprintf(room, size, "tD%c", "smun"[unit]);
    return true;
}

/* The unit defaults to milliseconds, and the bits to 32, which seconds have, too. */
static bool time_format(stoa_flat *flat, const stoa_flat_table *type, char *room, size_t size)
{
    const uint64_t unit = stoa_flat_field(flat, type, 0, 2, 1);

    if (unit > 3 || stoa_flat_field(flat, type, 1, 4, 32) != (unit < 2 ? 32 : 64)) {
        return false;
    }
    (void)snprintf(room, size, "tt%c", "smun"[unit]);
    return true;
}

static bool decimal_format(stoa_flat *flat, const stoa_flat_table *type, char *room, size_t size)
{
    const int32_t precision = (int32_t)stoa_flat_field(flat, type, 0, 4, 0);
    const int32_t scale = (int32_t)stoa_flat_field(flat, type, 1, 4, 0);
    const int32_t bits = (int32_t)stoa_flat_field(flat, type, 2, 4, 128);
    stoa_decimal decimal;

    if (precision < 1 || precision > 76 || scale < -76 || scale > 76) {
        return false;
    }
    (void)snprintf(room, size, bits == 128 ? "d:%d,%d" : "d:%d,%d,%d", (int)precision, (int)scale,
                   (int)bits);
    return stoa_decimal_of(room, &decimal);
}

/* The format string of the C data interface; NULL if the type is unsupported. */
static const char *format_of(stoa_flat *flat, uint64_t kind, const stoa_flat_table *type,
                             char *room, size_t size)
{
    static const char *const floats[] = {"e", "f", "g"};
    const bool is_short = kind == IPC_FLOAT || kind == IPC_DATE;
    const bool is_long = kind == IPC_INT || kind == IPC_FIXED_BINARY || kind == IPC_FIXED_LIST;
    const uint64_t first =
        is_short || is_long ? stoa_flat_field(flat, type, 0, is_short ? 2 : 4, 0) : 0;

    switch (kind) {
    case IPC_INT:
        return int_format(first, stoa_flat_field(flat, type, 1, 1, 0) != 0);
    case IPC_FLOAT:
        return first < 3 ? floats[first] : NULL;
    case IPC_BINARY:
        return "z";
    case IPC_UTF8:
        return "u";
    case IPC_BOOL:
        return "b";
    case IPC_DATE: /* the unit defaults to milliseconds */
        return stoa_flat_has(flat, type, 0) && first == 0 ? "tdD" : "tdm";
    case IPC_NULL:
        return "n";
    case IPC_TIME:
        return time_format(flat, type, room, size) ? room : NULL;
    case IPC_DECIMAL:
        return decimal_format(flat, type, room, size) ? room : NULL;
    case IPC_BINARY_VIEW:
        return "vz";
    case IPC_UTF8_VIEW:
        return "vu";
    case IPC_TIMESTAMP:
        return timestamp_format(flat, type, room, size) ? room : NULL;
    case IPC_DURATION:
        return duration_format(flat, type, room, size) ? room : NULL;
    case IPC_LIST:
        return "+l";
    case IPC_STRUCT:
        return "+s";
    case IPC_LARGE_BINARY:
        return "Z";
    case IPC_LARGE_UTF8:
        return "U";
    case IPC_LARGE_LIST:
        return "+L";
    case IPC_FIXED_BINARY:
    case IPC_FIXED_LIST: /* a list of width 0 could claim any number of rows */
        (void)snprintf(room, size, "%s:%d", kind == IPC_FIXED_LIST ? "+w" : "w", (int)first);
        return first > 0 && first <= INT32_MAX ? room : NULL;
    default:
        return NULL;
    }
}

/* For messages, as in Arrow's documentation. */
static const char *type_name(uint64_t kind)
{
    static const char *const names[] = {"none",
                                        "null",
                                        "int",
                                        "float",
                                        "binary",
                                        "utf8",
                                        "bool",
                                        "decimal",
                                        "date",
                                        "time",
                                        "timestamp",
                                        "interval",
                                        "list",
                                        "struct",
                                        "union",
                                        "fixed_size_binary",
                                        "fixed_size_list",
                                        "map",
                                        "duration",
                                        "large_binary",
                                        "large_utf8",
                                        "large_list",
                                        "run_end_encoded",
                                        "binary_view",
                                        "utf8_view",
                                        "list_view",
                                        "large_list_view"};

    return kind < sizeof names / sizeof *names ? names[kind] : "of a later version";
}

static bool has_children(uint64_t kind, uint32_t n)
{
    switch (kind) {
    case IPC_LIST:
    case IPC_LARGE_LIST:
    case IPC_FIXED_LIST:
        return n == 1;
    case IPC_STRUCT:
        return n > 0;
    default:
        return n == 0;
    }
}

/* --- fields ---------------------------------------------------------------------------------- */

static stoa_status read_text(reading *r, const stoa_flat_table *table, unsigned slot, char **text)
{
    size_t length = 0;
    const char *const bytes = stoa_flat_string(r->flat, table, slot, &length);

    r->n_metadata += length;
    if (r->n_metadata > MAX_METADATA && r->n_metadata > r->flat->size) {
        return stoa_fail(r->err, STOA_EDATA, "names and metadata that are longer than the file");
    }
    *text = stoa_strndup(bytes, length);
    return *text != NULL ? STOA_OK : stoa_fail_memory(r->err);
}

static stoa_status read_metadata(reading *r, const stoa_flat_table *table, unsigned slot,
                                 struct ArrowSchema *field)
{
    size_t at = 0;
    const uint32_t n = stoa_flat_vector(r->flat, table, slot, 4, &at);
    char *key = NULL;
    char *value = NULL;
    stoa_status status = STOA_OK;

    for (uint32_t i = 0; i < n; i++) {
        const stoa_flat_table pair = stoa_flat_table_at(r->flat, at + 4 * (size_t)i);
        if (i >= MAX_PAIRS || ++r->n_pairs > MAX_PAIRS + PAIRS_A_FIELD * r->n_fields) {
            STOA_FAIL(r->err, STOA_EDATA,
                      "a field has more than %d pairs of metadata, or all have "
                      "more than %d each",
                      MAX_PAIRS, PAIRS_A_FIELD);
        }
        STOA_TRY(read_text(r, &pair, 0, &key));
        STOA_TRY(read_text(r, &pair, 1, &value));
        STOA_TRY(stoa_schema_set(field, key, value, r->err));
        free(key);
        free(value);
        key = NULL;
        value = NULL;
    }

done:
    free(key);
    free(value);
    return status;
}

static stoa_status read_fields(reading *r, const stoa_flat_table *parent, unsigned slot, int depth,
                               struct ArrowSchema *field);

/* Make a schema from a field's type and children. */
static stoa_status read_type(reading *r, const stoa_flat_table *table, const char *name, int depth,
                             struct ArrowSchema *field)
{
    const uint64_t kind = stoa_flat_field(r->flat, table, FIELD_TYPE_KIND, 1, 0);
    const stoa_flat_table type = stoa_flat_child(r->flat, table, FIELD_TYPE);
    char room[80];
    size_t at = 0;

    const char *const format = format_of(r->flat, kind, &type, room, sizeof room);
    const uint32_t n = stoa_flat_vector(r->flat, table, FIELD_CHILDREN, 4, &at);
    if (r->flat->is_bad) {
        return STOA_OK;
    }
    if (format == NULL || !has_children(kind, n)) {
        return stoa_fail(
            r->err, STOA_ETYPE,
            "column '%.60s' is of the Arrow type %s, which is not read; write it as another "
            "type, or leave it out",
            name, type_name(kind));
    }
    STOA_RETURN_NOT_OK(stoa_schema_make(field, name, format, r->err));
    return n > 0 ? read_fields(r, table, FIELD_CHILDREN, depth + 1, field) : STOA_OK;
}

static stoa_status note_dictionary(reading *r, int64_t id, const struct ArrowSchema *field,
                                   stoa_error *err)
{
    const stoa_ipc_dictionary made = {.id = id, .field = field};
    const stoa_ipc_dictionary *known = (const stoa_ipc_dictionary *)(void *)r->dictionaries->data;
    const size_t n = r->dictionaries->size / sizeof made;

    for (size_t i = 0; i < n; i++) { /* at most MAX_FIELDS */
        if (known[i].id == id) {
            return stoa_fail(err, STOA_ETYPE, "columns that share a dictionary are not read");
        }
    }
    return stoa_buffer_append(r->dictionaries, &made, sizeof made, err);
}

/* Read a dictionary-encoded field. Its type and children describe the values. */
static stoa_status read_encoded(reading *r, const stoa_flat_table *table, const char *name,
                                int depth, struct ArrowSchema *field)
{
    const stoa_flat_table encoding = stoa_flat_child(r->flat, table, FIELD_DICTIONARY);
    const bool says = stoa_flat_has(r->flat, &encoding, ENCODING_INDEX);
    const stoa_flat_table index = stoa_flat_child(r->flat, &encoding, ENCODING_INDEX);
    const char *const format = !says ? "i"
                                     : int_format(stoa_flat_field(r->flat, &index, 0, 4, 0),
                                                  stoa_flat_field(r->flat, &index, 1, 1, 0) != 0);
    const int64_t id = (int64_t)stoa_flat_field(r->flat, &encoding, ENCODING_ID, 8, 0);
    const size_t before = r->dictionaries->size;

    if (r->flat->is_bad) {
        return STOA_OK;
    }
    if (format == NULL || stoa_flat_field(r->flat, &encoding, ENCODING_KIND, 2, 0) != 0) {
        return stoa_fail(r->err, STOA_ETYPE,
                         "column '%.60s' has a dictionary of a kind that is not read", name);
    }
    STOA_RETURN_NOT_OK(stoa_schema_make(field, name, format, r->err));
    if (stoa_flat_field(r->flat, &encoding, ENCODING_ORDERED, 1, 0) != 0) {
        field->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
    }
    STOA_RETURN_NOT_OK(note_dictionary(r, id, field, r->err));
    STOA_RETURN_NOT_OK(stoa_schema_dictionary(field, "n", r->err));
    stoa_schema_release(field->dictionary);
    STOA_RETURN_NOT_OK(read_type(r, table, "", depth, field->dictionary));
    /* The buffer may have been reallocated. */
    ((stoa_ipc_dictionary *)(void *)(r->dictionaries->data + before))->n_inside =
        (r->dictionaries->size - before) / sizeof(stoa_ipc_dictionary) - 1;
    return STOA_OK;
}

static stoa_status read_field(reading *r, const stoa_flat_table *table, int depth,
                              struct ArrowSchema *field)
{
    char *name = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(read_text(r, table, FIELD_NAME, &name));
    if (++r->n_fields > MAX_FIELDS || depth > MAX_DEPTH) {
        STOA_FAIL(r->err, STOA_EDATA, "more fields than any schema has");
    }
    STOA_TRY(stoa_flat_has(r->flat, table, FIELD_DICTIONARY)
                 ? read_encoded(r, table, name, depth, field)
                 : read_type(r, table, name, depth, field));
    if (r->flat->is_bad) {
        goto done;
    }
    if (stoa_flat_field(r->flat, table, FIELD_NULLABLE, 1, 0) == 0) {
        field->flags &= ~(int64_t)ARROW_FLAG_NULLABLE;
    }
    STOA_TRY(read_metadata(r, table, FIELD_METADATA, field));

done:
    free(name);
    return status;
}

static stoa_status read_fields(reading *r, const stoa_flat_table *parent, unsigned slot, int depth,
                               struct ArrowSchema *field)
{
    size_t at = 0;
    const uint32_t n = stoa_flat_vector(r->flat, parent, slot, 4, &at);

    if (n > MAX_FIELDS) {
        return stoa_fail(r->err, STOA_EDATA, "more fields than any schema has");
    }
    STOA_RETURN_NOT_OK(stoa_schema_children(field, n, r->err));
    for (uint32_t i = 0; i < n && !r->flat->is_bad; i++) {
        const stoa_flat_table child = stoa_flat_table_at(r->flat, at + 4 * (size_t)i);
        STOA_RETURN_NOT_OK(read_field(r, &child, depth, field->children[i]));
    }
    return STOA_OK;
}

stoa_status stoa_ipc_read_schema(stoa_flat *flat, const stoa_flat_table *table,
                                 struct ArrowSchema *schema, stoa_buffer *dictionaries,
                                 stoa_error *err)
{
    const uint16_t one = 1;
    const bool is_little = *(const uint8_t *)&one == 1;
    reading r = {.flat = flat, .dictionaries = dictionaries, .err = err};
    stoa_status status = STOA_OK;

    *schema = (struct ArrowSchema){.release = NULL};
    if ((stoa_flat_field(flat, table, SCHEMA_ENDIANNESS, 2, 0) == 0) != is_little) {
        STOA_FAIL(err, STOA_ETYPE, "values of the other byte order are not read");
    }
    STOA_TRY(stoa_schema_make(schema, "", "+s", err));
    schema->flags = 0; /* the struct itself is not nullable */
    STOA_TRY(read_fields(&r, table, SCHEMA_FIELDS, 0, schema));
    STOA_TRY(read_metadata(&r, table, SCHEMA_METADATA, schema));
    if (flat->is_bad) {
        STOA_FAIL(err, STOA_EDATA, "the schema is damaged");
    }
    if (schema->n_children == 0) {
        STOA_FAIL(err, STOA_ETYPE, "there are no columns");
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(schema);
        dictionaries->size = 0;
    }
    return status;
}
