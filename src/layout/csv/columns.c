/* Columns of a CSV file: from the header row and options to Arrow fields and arrays. */
#include "layout/csv/columns.h"

#include <stdlib.h>
#include <stoa/version.h>
#include <string.h>

/* Names ------------------------------------------------------------------------------------- */

static stoa_status check_name(const stoa_csv_row *header, size_t k, stoa_error *err)
{
    const stoa_csv_field *field = &header->fields[k];

    if (field->flaw == STOA_CSV_SOUND) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ESYNTAX, "line %llu: the name of column %zu %s",
                     (unsigned long long)field->line, k + 1,
                     field->flaw == STOA_CSV_HAS_NUL
                         ? "has a NUL byte; is this a CSV file?"
                         : "is not UTF-8; name the encoding: --encoding latin1");
}

/* A column without a name is called by its position: column_3. */
static char *name_of(const stoa_csv_row *header, size_t k, bool has_names)
{
    const stoa_csv_field *field = &header->fields[k];

    return has_names && field->length != 0
               ? stoa_strndup(stoa_csv_row_text(header, field), field->length)
               : stoa_format("column_%zu", k + 1);
}

/* Give a repeated name the first number that no other column has. */
static stoa_status number_name(stoa_csv_columns *columns, stoa_csv_column *column, size_t k,
                               stoa_error *err)
{
    enum { MAX_TOLD = 1000 };
    char *const name = column->name;
    uint32_t first = 0;

    for (size_t number = 2; first != k; number++) {
        char *const own = stoa_format("%s_%zu", name, number);
        STOA_RETURN_NO_MEMORY(err, own);
        if (column->name != name) {
            free(column->name);
        }
        column->name = own;
        const stoa_status status =
            stoa_string_set_find(&columns->names, own, strlen(own), &first)
                ? STOA_OK
                : stoa_string_set_add(&columns->names, own, strlen(own), &first, err);
        if (status != STOA_OK) {
            free(name);
            return status;
        }
    }
    const stoa_status status =
        columns->renamed.size > MAX_TOLD
            ? STOA_OK
            : stoa_buffer_print(&columns->renamed, err, "%s'%s' in column %zu is '%s'",
                                columns->renamed.size > 0 ? ", " : "", name, k + 1, column->name);
    free(name);
    return status;
}

static stoa_status read_names(stoa_csv_columns *columns, const stoa_csv_row *header, bool has_names,
                              stoa_error *err)
{
    for (size_t k = 0; k < header->n_fields; k++) {
        stoa_csv_column *column = &columns->items[k];
        uint32_t first;
        STOA_RETURN_NOT_OK(has_names ? check_name(header, k, err) : STOA_OK);
        column->name = name_of(header, k, has_names);
        STOA_RETURN_NO_MEMORY(err, column->name);
        columns->n = k + 1;
        const size_t length = strlen(column->name);
        if (stoa_string_set_find(&columns->names, column->name, length, &first)) {
            STOA_RETURN_NOT_OK(number_name(columns, column, k, err));
        } else {
            STOA_RETURN_NOT_OK(
                stoa_string_set_add(&columns->names, column->name, length, &first, err));
        }
    }
    return STOA_OK;
}

/* Options ----------------------------------------------------------------------------------- */

/* Find a column for which an option is given. */
static stoa_status find_column(const stoa_csv_columns *columns, const char *name,
                               const char *option, stoa_csv_column **column, stoa_error *err)
{
    uint32_t number = 0;

    if (!stoa_string_set_find(&columns->names, name, strlen(name), &number)) {
        return stoa_fail(err, STOA_EINVAL, "there is no column '%s', for which %s is given", name,
                         option);
    }
    *column = &columns->items[number];
    return STOA_OK;
}

/* The types that a caller can name. A category is a string with labels. */
static const struct {
    const char *name;
    stoa_kind kind;
} type_names[] = {
    {"int8", STOA_KIND_INT8},         {"int16", STOA_KIND_INT16},
    {"int32", STOA_KIND_INT32},       {"int64", STOA_KIND_INT64},
    {"uint8", STOA_KIND_UINT8},       {"uint16", STOA_KIND_UINT16},
    {"uint32", STOA_KIND_UINT32},     {"uint64", STOA_KIND_UINT64},
    {"float32", STOA_KIND_FLOAT32},   {"float64", STOA_KIND_FLOAT64},
    {"bool", STOA_KIND_BOOL},         {"string", STOA_KIND_STRING},
    {"date", STOA_KIND_DATE},         {"timestamp", STOA_KIND_TIMESTAMP},
    {"duration", STOA_KIND_DURATION}, {"category", STOA_KIND_STRING},
};

enum { N_TYPE_NAMES = sizeof type_names / sizeof *type_names };

const char *stoa_csv_type_name(size_t i)
{
    return i < N_TYPE_NAMES ? type_names[i].name : NULL;
}

static bool type_of_name(const char *name, stoa_type *type)
{
    for (size_t i = 0; i < N_TYPE_NAMES; i++) {
        if (strcmp(name, type_names[i].name) == 0) {
            *type = (stoa_type){.kind = type_names[i].kind,
                                .width = stoa_kind_width(type_names[i].kind),
                                .unit = STOA_TIME_DAY};
            return true;
        }
    }
    return false;
}

static stoa_status read_types(stoa_csv_columns *columns, const stoa_csv_options *options,
                              stoa_error *err)
{
    for (size_t i = 0; i < options->n_types; i++) {
        const stoa_csv_pair *pair = &options->types[i];
        stoa_csv_column *column = NULL;
        uint32_t number = 0;
        const bool may_lack = i >= options->n_types - options->n_known_types;
        if (may_lack &&
            !stoa_string_set_find(&columns->names, pair->column, strlen(pair->column), &number)) {
            continue;
        }
        STOA_RETURN_NOT_OK(find_column(columns, pair->column, "a type", &column, err));
        if (!type_of_name(pair->value, &column->type)) {
            return stoa_fail(
                err, STOA_EINVAL,
                "column '%s': there is no type '%s'; the types are int8 to int64, uint8 "
                "to uint64, float32, float64, bool, string, category, date, timestamp, duration",
                pair->column, pair->value);
        }
        column->is_typed = true;
        column->is_optional = may_lack;
        column->guess.category =
            strcmp(pair->value, "category") == 0 ? STOA_CSV_CATEGORY_YES : STOA_CSV_CATEGORY_NO;
    }
    return STOA_OK;
}

static stoa_status read_units(stoa_csv_columns *columns, const stoa_csv_options *options,
                              stoa_error *err)
{
    for (size_t i = 0; i < options->n_units; i++) {
        const stoa_csv_pair *pair = &options->units[i];
        stoa_csv_column *column = NULL;
        STOA_RETURN_NOT_OK(find_column(columns, pair->column, "a unit", &column, err));
        if (!stoa_is_utf8(pair->value)) {
            return stoa_fail(err, STOA_EINVAL, "the units of column '%s' are not UTF-8",
                             pair->column);
        }
        free(column->units);
        column->units = stoa_strdup(pair->value);
        STOA_RETURN_NO_MEMORY(err, column->units);
    }
    return STOA_OK;
}

static stoa_status fail_contradiction(const char *name, stoa_error *err)
{
    return stoa_fail(err, STOA_EINVAL,
                     "column '%s': the options contradict each other on whether it is a category",
                     name);
}

static stoa_status read_categories(stoa_csv_columns *columns, const stoa_csv_options *options,
                                   stoa_error *err)
{
    bool none = false;

    for (size_t i = 0; i < options->n_category; i++) {
        stoa_csv_column *column = NULL;
        STOA_RETURN_NOT_OK(find_column(columns, options->category[i], "a category", &column, err));
        column->is_coded = column->is_typed && column->type.kind != STOA_KIND_STRING;
        column->guess.category = column->is_coded ? STOA_CSV_CATEGORY_NO : STOA_CSV_CATEGORY_YES;
    }
    for (size_t i = 0; i < options->n_no_category; i++) {
        if (strcmp(options->no_category[i], "*") == 0) {
            none = true;
            continue;
        }
        stoa_csv_column *column = NULL;
        STOA_RETURN_NOT_OK(
            find_column(columns, options->no_category[i], "\"no category\"", &column, err));
        if (column->guess.category == STOA_CSV_CATEGORY_YES || column->is_coded) {
            return fail_contradiction(column->name, err);
        }
        column->guess.category = STOA_CSV_CATEGORY_NO;
    }
    for (size_t k = 0; none && k < columns->n; k++) {
        stoa_csv_inference *guess = &columns->items[k].guess;
        guess->category =
            guess->category == STOA_CSV_CATEGORY_AUTO ? STOA_CSV_CATEGORY_NO : guess->category;
    }
    return STOA_OK;
}

static void begin_guess(stoa_csv_column *column, const stoa_csv_spelling *spelling)
{
    stoa_csv_inference_begin(&column->guess, column->guess.category);
    column->guess.spelling = spelling;
    column->guess.is_lax = column->is_typed && column->type.kind == STOA_KIND_DURATION;
}

stoa_status stoa_csv_columns_make(stoa_csv_columns *columns, const stoa_csv_row *header,
                                  const stoa_csv_options *options,
                                  const stoa_csv_spelling *spelling, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *columns = (stoa_csv_columns){0};
    columns->items = stoa_alloc_zero(header->n_fields, sizeof *columns->items);
    STOA_RETURN_NO_MEMORY(err, columns->items);
    STOA_TRY(read_names(columns, header, !options->no_header, err));
    for (size_t k = 0; k < columns->n; k++) {
        columns->items[k].type.kind = STOA_KIND_STRING;
    }
    STOA_TRY(read_types(columns, options, err));
    STOA_TRY(read_units(columns, options, err));
    STOA_TRY(read_categories(columns, options, err));
    for (size_t k = 0; k < columns->n; k++) {
        begin_guess(&columns->items[k], spelling);
    }

done:
    if (status != STOA_OK) {
        stoa_csv_columns_clear(columns);
    }
    return status;
}

/* Types ------------------------------------------------------------------------------------- */

static stoa_csv_inference *guess_of(void *columns, size_t k)
{
    return &((stoa_csv_columns *)columns)->items[k].guess;
}

void stoa_csv_columns_limit(stoa_csv_columns *columns)
{
    stoa_csv_inference_limit(guess_of, columns, columns->n);
}

void stoa_csv_columns_defer(stoa_csv_columns *columns)
{
    for (size_t k = 0; k < columns->n; k++) {
        stoa_csv_column *column = &columns->items[k];
        stoa_csv_inference *guess = &column->guess;
        if (guess->category == STOA_CSV_CATEGORY_AUTO && guess->has_labels &&
            guess->n_values != 0 && stoa_csv_inference_is_typed(guess)) {
            stoa_csv_inference_drop_labels(guess);
            column->is_deferred = true;
        }
    }
}

bool stoa_csv_columns_need_again(stoa_csv_columns *columns)
{
    bool need = false;

    for (size_t k = 0; k < columns->n; k++) {
        stoa_csv_column *column = &columns->items[k];
        /* A column of another type needs no labels. */
        const bool wants = stoa_csv_inference_type(&column->guess).kind == STOA_KIND_STRING;
        need |= column->is_deferred && wants;
        column->is_deferred &= !wants;
    }
    for (size_t k = 0; need && k < columns->n; k++) {
        stoa_csv_inference *guess = &columns->items[k].guess;
        stoa_csv_inference_clear(guess);
        begin_guess(&columns->items[k], columns->items[k].guess.spelling);
        guess->has_labels &= !columns->items[k].is_deferred;
    }
    return need;
}

/* Sort the labels bytewise, number the codes by that order, and make the dictionary. */
static stoa_status settle_labels(stoa_csv_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint32_t *order = NULL;

    column->labels = column->guess.labels;
    column->guess.labels = (stoa_string_set){0};
    const uint32_t n = column->labels.count;
    order = stoa_alloc(n, sizeof *order);
    column->codes = stoa_alloc(n, sizeof *column->codes);
    STOA_TRY(order != NULL && column->codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_csv_order_labels(&column->labels, order, err));
    for (uint32_t i = 0; i < n; i++) {
        column->codes[order[i]] = i;
    }
    STOA_TRY(stoa_csv_strings_array(&column->labels, order, &column->dictionary, err));

done:
    free(order);
    return status;
}

static stoa_status settle(stoa_csv_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_csv_inference *guess = &column->guess;

    if (!column->is_typed) {
        column->type = stoa_csv_inference_type(guess);
    } else if (column->type.kind == STOA_KIND_TIMESTAMP) {
        if (!stoa_csv_inference_timestamp(guess, &column->type)) {
            STOA_FAIL(err, STOA_ETYPE, "column '%s' is no timestamp: %s", column->name,
                      guess->has_zone && guess->has_naive
                          ? "some of its times have a zone and some have none"
                          : "its times are too far from 1970 for the finest of their fractions");
        }
    } else if (column->type.kind == STOA_KIND_DURATION) {
        if (!stoa_csv_inference_duration(guess, &column->type)) {
            STOA_FAIL(err, STOA_ETYPE,
                      "column '%s' is no duration: some are too long for the finest of their "
                      "fractions",
                      column->name);
        }
    } else if (guess->category == STOA_CSV_CATEGORY_YES) {
        column->type = stoa_csv_inference_dictionary(guess);
    }
    if (column->type.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(settle_labels(column, err));
    }

done:
    stoa_csv_inference_drop_labels(&column->guess);
    return status;
}

stoa_status stoa_csv_columns_settle(stoa_csv_columns *columns, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t k = 0; k < columns->n && status == STOA_OK; k++) {
        status = settle(&columns->items[k], err);
    }
    return status;
}

/* Arrow ------------------------------------------------------------------------------------- */

static stoa_status set_number(struct ArrowSchema *field, const char *key, uint64_t value,
                              stoa_error *err)
{
    char text[STOA_NUMBER_SIZE];

    (void)stoa_format_u64(value, text);
    return stoa_schema_set(field, key, text, err);
}

static stoa_status make_field(const stoa_csv_column *column, struct ArrowSchema *field,
                              stoa_error *err)
{
    const stoa_csv_inference *guess = &column->guess;

    STOA_RETURN_NOT_OK(stoa_schema_make_type(field, column->name, &column->type, err));
    if (column->type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(stoa_schema_dictionary(field, "u", err));
    }
    if (column->units != NULL) {
        STOA_RETURN_NOT_OK(stoa_schema_set(field, "units", column->units, err));
    }
    if (column->type.kind == STOA_KIND_STRING) {
        const uint64_t n = guess->n_values != 0 ? guess->n_values : 1;
        STOA_RETURN_NOT_OK(set_number(field, "stoa.max_bytes", guess->max_bytes, err));
        STOA_RETURN_NOT_OK(
            set_number(field, "stoa.mean_bytes", (guess->total_bytes + n - 1) / n, err));
    }
    return STOA_OK;
}

stoa_status stoa_csv_columns_schema(const stoa_csv_columns *columns, struct ArrowSchema *schema,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_schema_make(schema, "", "+s", err));
    STOA_TRY(stoa_schema_children(schema, (int64_t)columns->n, err));
    for (size_t k = 0; k < columns->n; k++) {
        STOA_TRY(make_field(&columns->items[k], schema->children[k], err));
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(schema);
    }
    return status;
}

static stoa_status finish_column(stoa_csv_column *column, struct ArrowArray *array, stoa_error *err)
{
    struct ArrowArray dictionary = {.release = NULL};

    STOA_RETURN_NOT_OK(stoa_csv_builder_finish(&column->builder, &column->type, array, err));
    if (column->type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(stoa_array_share(&column->dictionary, &dictionary, err));
        STOA_RETURN_NOT_OK(stoa_array_dictionary(array, &dictionary, err));
    }
    return STOA_OK;
}

stoa_status stoa_csv_columns_batch(stoa_csv_columns *columns, int64_t n_rows,
                                   struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_array_struct(batch, n_rows, (int64_t)columns->n, err));
    for (size_t k = 0; k < columns->n; k++) {
        STOA_TRY(finish_column(&columns->items[k], batch->children[k], err));
    }

done:
    if (status != STOA_OK) {
        stoa_array_release(batch);
    }
    return status;
}

void stoa_csv_columns_discard(stoa_csv_columns *columns)
{
    for (size_t k = 0; k < columns->n; k++) {
        stoa_csv_builder_clear(&columns->items[k].builder);
    }
}

void stoa_csv_column_clear(stoa_csv_column *column)
{
    free(column->name);
    free(column->units);
    stoa_csv_inference_clear(&column->guess);
    stoa_string_set_clear(&column->labels);
    free(column->codes);
    stoa_array_release(&column->dictionary);
    stoa_csv_builder_clear(&column->builder);
    *column = (stoa_csv_column){0};
}

void stoa_csv_columns_clear(stoa_csv_columns *columns)
{
    stoa_buffer_clear(&columns->renamed);
    stoa_string_set_clear(&columns->names);
    for (size_t k = 0; k < columns->n; k++) {
        stoa_csv_column_clear(&columns->items[k]);
    }
    free(columns->items);
    *columns = (stoa_csv_columns){0};
}
