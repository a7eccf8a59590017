#include "layout/input/arrow_labels.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"

#define PANDAS "pandas"

/* --- reading --------------------------------------------------------------------------------- */

static stoa_status skip(stoa_json *json, int depth, stoa_error *err)
{
    enum { MAX_DEPTH = 32 };
    stoa_json_kind kind;
    bool has = false;

    STOA_RETURN_NOT_OK(stoa_json_value(json, &kind, err));
    if (kind != STOA_JSON_ARRAY && kind != STOA_JSON_OBJECT) {
        return STOA_OK;
    }
    if (depth == MAX_DEPTH) {
        return stoa_fail(err, STOA_ESYNTAX, "is nested too deeply");
    }
    const bool is_array = kind == STOA_JSON_ARRAY;
    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(json, is_first, is_array ? ']' : '}', &has, err));
        if (!has) {
            return STOA_OK;
        }
        STOA_RETURN_NOT_OK(is_array ? STOA_OK : stoa_json_key(json, err));
        STOA_RETURN_NOT_OK(skip(json, depth + 1, err));
    }
}

static bool has_field(const struct ArrowSchema *schema, const char *name, size_t length)
{
    bool has = false;

    for (int64_t i = 0; i < schema->n_children && !has; i++) {
        const char *const own = schema->children[i]->name;
        has = own != NULL && strlen(own) == length && memcmp(own, name, length) == 0;
    }
    return has;
}

/* Names of columns. A RangeIndex is an object, of which no column is made. */
static stoa_status read_names(stoa_json *json, const struct ArrowSchema *schema,
                              stoa_string_set *names, stoa_error *err)
{
    stoa_json_kind kind;
    bool has = false;

    STOA_RETURN_NOT_OK(stoa_json_value(json, &kind, err));
    if (kind != STOA_JSON_ARRAY) {
        return stoa_fail(err, STOA_ESYNTAX, "is no array");
    }
    for (bool is_first = true;; is_first = false) {
        stoa_json ahead = *json;
        uint32_t ignored = 0;
        STOA_RETURN_NOT_OK(stoa_json_has_item(json, is_first, ']', &has, err));
        if (!has) {
            return STOA_OK;
        }
        ahead = *json;
        ahead.unescaped = (stoa_buffer){0};
        stoa_status status = stoa_json_value(&ahead, &kind, err);
        if (status == STOA_OK && kind == STOA_JSON_STRING &&
            has_field(schema, ahead.text, ahead.length)) {
            status = stoa_string_set_add(names, ahead.text, ahead.length, &ignored, err);
        }
        stoa_buffer_clear(&ahead.unescaped);
        STOA_RETURN_NOT_OK(status);
        STOA_RETURN_NOT_OK(skip(json, 0, err));
    }
}

static stoa_status read_all(stoa_json *json, const struct ArrowSchema *schema,
                            stoa_string_set *names, stoa_error *err)
{
    static const char wanted[] = "index_columns";
    stoa_json_kind kind;
    bool has = false;

    STOA_RETURN_NOT_OK(stoa_json_value(json, &kind, err));
    if (kind != STOA_JSON_OBJECT) {
        return stoa_fail(err, STOA_ESYNTAX, "is no object");
    }
    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(json, is_first, '}', &has, err));
        if (!has) {
            return STOA_OK;
        }
        STOA_RETURN_NOT_OK(stoa_json_key(json, err));
        const bool is =
            json->length == strlen(wanted) && memcmp(json->text, wanted, json->length) == 0;
        STOA_RETURN_NOT_OK(is ? read_names(json, schema, names, err) : skip(json, 0, err));
    }
}

stoa_status stoa_arrow_row_labels(const struct ArrowSchema *schema, stoa_string_set *names,
                                  stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_json json = {.start = NULL};
    const char *text = NULL;
    size_t length = 0;
    stoa_status status = STOA_OK;

    if (stoa_schema_get(schema, PANDAS, &text, &length)) {
        stoa_json_begin(&json, text, length, 1);
        status = read_all(&json, schema, names, &ignored);
        stoa_json_clear(&json);
    }
    if (status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    if (status != STOA_OK) {
        stoa_string_set_clear(names);
    }
    return STOA_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status put_column(stoa_buffer *out, const char *name, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "{\"name\": "));
    STOA_RETURN_NOT_OK(stoa_json_quote(out, name, strlen(name), err));
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, ", \"field_name\": "));
    STOA_RETURN_NOT_OK(stoa_json_quote(out, name, strlen(name), err));
    return stoa_buffer_print(
        out, err, ", \"pandas_type\": \"object\", \"numpy_type\": \"object\", \"metadata\": null}");
}

static stoa_status put_labels(const stoa_table *table, bool as_columns, stoa_buffer *out,
                              stoa_error *err)
{
    for (size_t i = 0; i < stoa_table_n_index_columns(table); i++) {
        const char *const name = stoa_column_name(stoa_table_index_column(table, i));
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%s", i > 0 ? ", " : ""));
        STOA_RETURN_NOT_OK(as_columns ? put_column(out, name, err)
                                      : stoa_json_quote(out, name, strlen(name), err));
    }
    return STOA_OK;
}

stoa_status stoa_arrow_note_row_labels(stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer json = {0};
    char *text = NULL;
    bool has = stoa_table_n_index_columns(table) == 0;

    for (size_t i = 0; i < table->n_metadata; i++) {
        has = has || strcmp(table->metadata[i].key, PANDAS) == 0;
    }
    if (has) {
        return STOA_OK;
    }
    STOA_TRY(stoa_buffer_print(&json, err, "{\"index_columns\": ["));
    STOA_TRY(put_labels(table, false, &json, err));
    STOA_TRY(stoa_buffer_print(&json, err, "], \"column_indexes\": [], \"columns\": ["));
    STOA_TRY(put_labels(table, true, &json, err));
    STOA_TRY(stoa_buffer_print(&json, err, "], \"pandas_version\": null}"));
    STOA_TRY(stoa_buffer_detach_text(&json, &text, err));
    STOA_TRY(stoa_field_metadata_add(&table->metadata, &table->n_metadata, PANDAS, text, err));

done:
    free(text);
    stoa_buffer_clear(&json);
    return status;
}
