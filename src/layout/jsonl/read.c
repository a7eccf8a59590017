/* One row of JSON. The first pass learns the shape and type of each node, and the second stores
 * values. */
#include "layout/jsonl/read.h"

#include <string.h>

enum { MAX_DEPTH = 64 }; /* as deep as JSON is written: layout/text/export.c */

/* A missing object takes few bytes of text, but has as many fields as any other. */
#define MAX_FILLED_ROW ((uint64_t)64 * 1024 * 1024)

static const char *const shape_names[STOA_JSONL_N_SHAPES] = {"a boolean", "a number",  "a string",
                                                             "a list",    "an object", "a string"};

static int number_of(unsigned shape)
{
    int k = 0;

    while (shape >> k != 1) {
        k++;
    }
    return k;
}

/* The shapes that can stand in a column with a given one. */
static unsigned friends_of(const stoa_jsonl_node *node, unsigned shape)
{
    const unsigned scalars =
        STOA_JSONL_BOOL | STOA_JSONL_NUMBER | STOA_JSONL_TEXT | STOA_JSONL_WORD;

    if (shape == STOA_JSONL_LIST || shape == STOA_JSONL_OBJECT) {
        return shape;
    }
    if (node->column.is_typed || node->column.guess.category == STOA_CSV_CATEGORY_YES) {
        return scalars;
    }
    return shape == STOA_JSONL_BOOL   ? STOA_JSONL_BOOL
           : shape == STOA_JSONL_WORD ? STOA_JSONL_WORD | STOA_JSONL_NUMBER | STOA_JSONL_TEXT
                                      : shape | STOA_JSONL_WORD;
}

static stoa_status fail_changed(const stoa_jsonl_reader *reader, stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA, "line %llu: the file has changed since its types were found",
                     (unsigned long long)reader->json.line);
}

static stoa_status fail_mixed(const stoa_jsonl_reader *reader, const stoa_jsonl_node *node,
                              unsigned shape, unsigned other, stoa_error *err)
{
    const bool is_nested = ((shape | other) & (STOA_JSONL_LIST | STOA_JSONL_OBJECT)) != 0;
    const char *const path = node->path != NULL ? node->path : "";

    return stoa_fail(
        err, STOA_ETYPE, "line %llu, key '%s': %s where line %llu has %s; %s%s%s",
        (unsigned long long)reader->json.line, path, shape_names[number_of(shape)],
        (unsigned long long)node->lines[number_of(other)], shape_names[number_of(other)],
        is_nested ? "a column holds one of them, so give them different keys" : "--type '",
        is_nested ? "" : path, is_nested ? "" : "=string' keeps both as text");
}

static stoa_status note_shape(const stoa_jsonl_reader *reader, stoa_jsonl_node *node,
                              unsigned shape, stoa_error *err)
{
    const unsigned others = node->shapes & ~friends_of(node, shape);

    if (others != 0) {
        return reader->is_second ? fail_changed(reader, err)
                                 : fail_mixed(reader, node, shape, others & (0u - others), err);
    }
    if ((node->shapes & shape) != 0) {
        return STOA_OK;
    }
    if (reader->is_second) {
        return fail_changed(reader, err);
    }
    node->shapes |= shape;
    node->lines[number_of(shape)] = reader->json.line;
    return STOA_OK;
}

stoa_status stoa_jsonl_fill(stoa_jsonl_node *node, int64_t n, stoa_error *err)
{
    /* A list stores where each ends. Nothing but who is missing counts of a struct. */
    const stoa_type own = {.kind = (node->shapes & STOA_JSONL_LIST) != 0 ? STOA_KIND_INT32
                                                                         : STOA_KIND_BOOL,
                           .width = sizeof(int32_t)};
    const bool is_nested = (node->shapes & (STOA_JSONL_LIST | STOA_JSONL_OBJECT)) != 0;
    const stoa_csv_value missing = {.is_missing = true};

    while (node->column.builder.n_rows < n) {
        STOA_RETURN_NOT_OK(stoa_csv_builder_add(
            &node->column.builder, is_nested ? &own : &node->column.type, &missing, err));
    }
    return STOA_OK;
}

/* Scalars ----------------------------------------------------------------------------------- */

static bool is_word(const stoa_json *json)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    bool is = false;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        is |= strlen(words[i]) == json->length && memcmp(words[i], json->text, json->length) == 0;
    }
    return is;
}

static stoa_status fail_value(const stoa_jsonl_reader *reader, const stoa_jsonl_node *node,
                              stoa_error *err)
{
    const stoa_json *const json = &reader->json;
    const size_t n = stoa_utf8_valid(json->text, json->length < 60 ? json->length : 60);
    char name[64];

    return stoa_fail(err, STOA_ESYNTAX, "line %llu, key '%s': '%.*s%s' is no %s",
                     (unsigned long long)json->line, node->path, (int)n, json->text,
                     n < json->length ? "..." : "", stoa_type_name(&node->column.type, name));
}

static stoa_status learn(stoa_jsonl_reader *reader, stoa_jsonl_node *node, unsigned shape,
                         stoa_error *err)
{
    stoa_csv_inference *const guess = &node->column.guess;
    const stoa_json *const json = &reader->json;
    stoa_csv_value value;

    STOA_RETURN_NOT_OK(note_shape(reader, node, shape, err));
    if (node->column.is_typed &&
        !stoa_csv_value_parse(&node->column.type, NULL, json->text, json->length, &value)) {
        return fail_value(reader, node, err);
    }
    if (!stoa_csv_column_is_open(&node->column)) {
        return STOA_OK;
    }
    if (!node->column.is_typed && shape == STOA_JSONL_TEXT) {
        guess->is_bool = guess->is_integer = guess->is_float = false;
    }
    if (guess->category == STOA_CSV_CATEGORY_AUTO && guess->has_labels &&
        (shape & (STOA_JSONL_BOOL | STOA_JSONL_NUMBER)) != 0) {
        stoa_csv_inference_drop_labels(guess);
    }
    return stoa_csv_inference_add(guess, json->text, json->length, err);
}

static stoa_status store(stoa_jsonl_reader *reader, stoa_jsonl_node *node, unsigned shape,
                         stoa_error *err)
{
    stoa_csv_column *const column = &node->column;
    stoa_csv_value value;

    if ((node->shapes & shape) == 0 ||
        !stoa_csv_value_parse(&column->type, &column->labels, reader->json.text,
                              reader->json.length, &value)) {
        return fail_changed(reader, err);
    }
    value.i = column->codes != NULL ? column->codes[value.i] : value.i;
    return stoa_csv_builder_add(&column->builder, &column->type, &value, err);
}

static stoa_status read_scalar(stoa_jsonl_reader *reader, stoa_jsonl_node *node,
                               stoa_json_kind kind, stoa_error *err)
{
    const unsigned shape = kind == STOA_JSON_BOOL     ? STOA_JSONL_BOOL
                           : kind == STOA_JSON_NUMBER ? STOA_JSONL_NUMBER
                           : is_word(&reader->json)   ? STOA_JSONL_WORD
                                                      : STOA_JSONL_TEXT;

    return reader->is_second ? store(reader, node, shape, err) : learn(reader, node, shape, err);
}

/* Null, or a text that the caller takes for it. */
static bool is_null(const stoa_jsonl_reader *reader, stoa_json_kind kind)
{
    const stoa_json *const json = &reader->json;

    return kind == STOA_JSON_NULL ||
           (kind != STOA_JSON_ARRAY && kind != STOA_JSON_OBJECT &&
            stoa_string_set_find(&reader->tree->nulls, json->text, json->length, &(uint32_t){0}));
}

/* Lists and objects ------------------------------------------------------------------------- */

static stoa_status check_room(const stoa_jsonl_reader *reader, stoa_error *err)
{
    return reader->tree->n_nodes < STOA_JSONL_MAX_NODES
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA,
                           "line %llu: more than %d keys; keys that hold data belong into values",
                           (unsigned long long)reader->json.line, STOA_JSONL_MAX_NODES);
}

static stoa_status read_value(stoa_jsonl_reader *reader, stoa_jsonl_node *node, bool *is_missing,
                              stoa_error *err);

static stoa_status read_list(stoa_jsonl_reader *reader, stoa_jsonl_node *node, stoa_error *err)
{
    static const stoa_type end = {.kind = STOA_KIND_INT32, .width = sizeof(int32_t)};
    bool has_item = true;
    bool is_missing;

    STOA_RETURN_NOT_OK(note_shape(reader, node, STOA_JSONL_LIST, err));
    if (node->item == NULL) {
        STOA_RETURN_NOT_OK(check_room(reader, err));
        STOA_RETURN_NOT_OK(stoa_jsonl_add_item(reader->tree, node, err));
    }
    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(&reader->json, is_first, ']', &has_item, err));
        if (!has_item) {
            break;
        }
        STOA_RETURN_NOT_OK(read_value(reader, node->item, &is_missing, err));
        if (is_missing && node->item->null_line == 0) {
            node->item->null_line = reader->json.line;
        }
    }
    if (!reader->is_second) {
        return STOA_OK;
    }
    return stoa_csv_builder_add(&node->column.builder, &end,
                                &(stoa_csv_value){.i = node->item->column.builder.n_rows}, err);
}

/* Note the first field that an object has no value for. */
static void note_lacking(const stoa_jsonl_node *node, uint64_t object, uint64_t line)
{
    size_t k = 0;

    while (node->children[k]->value == object) {
        k++;
    }
    stoa_jsonl_lack(node->children[k], line);
}

/* Read a member's key, and find its node. */
static stoa_status read_key(stoa_jsonl_reader *reader, stoa_jsonl_node *node, uint64_t object,
                            stoa_jsonl_node **child, stoa_error *err)
{
    stoa_json *const json = &reader->json;

    STOA_RETURN_NOT_OK(stoa_json_key(json, err));
    *child = stoa_jsonl_find(node, json->text, json->length);
    if (*child == NULL) {
        if (reader->is_second) {
            return fail_changed(reader, err);
        }
        STOA_RETURN_NOT_OK(check_room(reader, err));
        if (memchr(json->text, '\0', json->length) != NULL) {
            return stoa_fail(
                err, STOA_ESYNTAX,
                "line %llu, byte %llu: a key with a NUL character cannot name a column",
                (unsigned long long)json->line, (unsigned long long)stoa_json_byte(json));
        }
        STOA_RETURN_NOT_OK(
            stoa_jsonl_add_key(reader->tree, node, json->text, json->length, child, err));
        if (node != reader->tree->root && object > node->first_object) {
            stoa_jsonl_lack(*child, node->lines[number_of(STOA_JSONL_OBJECT)]);
        }
    }
    if ((*child)->object == object) {
        return stoa_fail(err, STOA_ESYNTAX, "line %llu, byte %llu: the key '%s' is there twice",
                         (unsigned long long)json->line, (unsigned long long)stoa_json_byte(json),
                         (*child)->path);
    }
    (*child)->object = object;
    return STOA_OK;
}

static stoa_status read_object(stoa_jsonl_reader *reader, stoa_jsonl_node *node, stoa_error *err)
{
    static const stoa_type here = {.kind = STOA_KIND_BOOL};
    const uint64_t object = ++reader->n_objects;
    const int64_t row = node->column.builder.n_rows;
    size_t n_values = 0;
    bool has_member = true;

    STOA_RETURN_NOT_OK(note_shape(reader, node, STOA_JSONL_OBJECT, err));
    node->first_object = node->first_object == 0 ? object : node->first_object;
    node->next = 0;
    for (bool is_first = true;; is_first = false) {
        stoa_jsonl_node *child = NULL;
        bool is_missing;

        STOA_RETURN_NOT_OK(stoa_json_has_item(&reader->json, is_first, '}', &has_member, err));
        if (!has_member) {
            break;
        }
        STOA_RETURN_NOT_OK(read_key(reader, node, object, &child, err));
        if (reader->is_second) {
            STOA_RETURN_NOT_OK(stoa_jsonl_fill(child, row, err));
        }
        STOA_RETURN_NOT_OK(read_value(reader, child, &is_missing, err));
        child->value = is_missing ? child->value : object;
        n_values += !is_missing;
    }
    if (!reader->is_second && n_values < node->n_children && node != reader->tree->root) {
        note_lacking(node, object, reader->json.line);
    }
    return reader->is_second
               ? stoa_csv_builder_add(&node->column.builder, &here, &(stoa_csv_value){.i = 0}, err)
               : STOA_OK;
}

static stoa_status read_nested(stoa_jsonl_reader *reader, stoa_jsonl_node *node,
                               stoa_json_kind kind, stoa_error *err)
{
    if (reader->depth == MAX_DEPTH) {
        return stoa_fail(err, STOA_ESYNTAX,
                         "line %llu, byte %llu: lists and objects are more than %d deep",
                         (unsigned long long)reader->json.line,
                         (unsigned long long)stoa_json_byte(&reader->json), MAX_DEPTH);
    }
    reader->depth++;
    const stoa_status status =
        kind == STOA_JSON_ARRAY ? read_list(reader, node, err) : read_object(reader, node, err);
    reader->depth--;
    return status;
}

static stoa_status store_missing(stoa_jsonl_reader *reader, stoa_jsonl_node *node, stoa_error *err)
{
    reader->n_filled += node->n_below;
    if (reader->n_filled - reader->n_filled_row > MAX_FILLED_ROW) {
        return stoa_fail(err, STOA_EDATA,
                         "line %llu, key '%s': too many missing objects of many fields",
                         (unsigned long long)reader->json.line, node->path);
    }
    return stoa_jsonl_fill(node, node->column.builder.n_rows + 1, err);
}

static stoa_status read_value(stoa_jsonl_reader *reader, stoa_jsonl_node *node, bool *is_missing,
                              stoa_error *err)
{
    stoa_json_kind kind;

    STOA_RETURN_NOT_OK(stoa_json_value(&reader->json, &kind, err));
    *is_missing = is_null(reader, kind);
    if (*is_missing) {
        return reader->is_second ? store_missing(reader, node, err) : STOA_OK;
    }
    return kind == STOA_JSON_ARRAY || kind == STOA_JSON_OBJECT
               ? read_nested(reader, node, kind, err)
               : read_scalar(reader, node, kind, err);
}

stoa_status stoa_jsonl_read_row(stoa_jsonl_reader *reader, stoa_error *err)
{
    stoa_json_kind kind;

    reader->depth = 0;
    reader->n_filled_row = reader->n_filled;
    STOA_RETURN_NOT_OK(stoa_json_value(&reader->json, &kind, err));
    if (kind != STOA_JSON_OBJECT) {
        return stoa_fail(err, STOA_ESYNTAX,
                         "line %llu, byte %llu: a row is an object, such as {\"x\": 1}",
                         (unsigned long long)reader->json.line,
                         (unsigned long long)stoa_json_byte(&reader->json));
    }
    return read_nested(reader, reader->tree->root, kind, err);
}
