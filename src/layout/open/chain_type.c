/*
 * The type of a chain's column, found out part by part.
 *
 * A part whose rows are all missing takes the type of the others. Otherwise the type holds the
 * values of all parts exactly (arrow/cast/cast.h), and categories of strings have the labels of all
 * parts.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/cast/cast.h"
#include "arrow/read.h"
#include "core/memory.h"
#include "layout/open/chain.h"

enum { ROWS_AT_ONCE = 65536 };

/* Types ------------------------------------------------------------------------------------- */

bool stoa_chain_same_type(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    bool same = strcmp(a->format, b->format) == 0 && a->n_children == b->n_children &&
                (a->dictionary == NULL) == (b->dictionary == NULL) &&
                (a->dictionary == NULL || stoa_chain_same_type(a->dictionary, b->dictionary));

    for (int64_t i = 0; same && i < a->n_children; i++) {
        same = stoa_chain_same_type(a->children[i], b->children[i]) &&
               (a->format[1] != 's' || strcmp(a->children[i]->name, b->children[i]->name) == 0);
    }
    return same;
}

static const char *values_of(const struct ArrowSchema *schema)
{
    return schema->dictionary != NULL ? schema->dictionary->format : schema->format;
}

static bool is_string_category(const struct ArrowSchema *schema)
{
    return schema->dictionary != NULL && (strcmp(schema->dictionary->format, "u") == 0 ||
                                          strcmp(schema->dictionary->format, "U") == 0);
}

/* Whether both are integers, or both floats, or something else of the same kind. Others may be
 * alike because a part has only missing values. */
static bool is_one_kind(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    const char *const x = values_of(a);
    const char *const y = values_of(b);
    static const char *const kinds[] = {"csilCSIL", "efg", "uU", "zZ"};
    bool is = strcmp(x, y) == 0 || (strncmp(x, "ts", 2) == 0 && strncmp(y, "ts", 2) == 0) ||
              (strncmp(x, "tD", 2) == 0 && strncmp(y, "tD", 2) == 0) ||
              (x[0] == '+' && y[0] == '+');

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !is; i++) {
        is = x[1] == '\0' && y[1] == '\0' && strchr(kinds[i], x[0]) != NULL &&
             strchr(kinds[i], y[0]) != NULL;
    }
    return is;
}

const char *const stoa_chain_kept[] = {"units", "units_vocabulary", "description", NULL};

stoa_status stoa_chain_keep_texts(struct ArrowSchema *to, const struct ArrowSchema *from,
                                  stoa_error *err)
{
    for (size_t i = 0; stoa_chain_kept[i] != NULL; i++) {
        char *text = NULL;
        stoa_status status = stoa_schema_get_text(from, stoa_chain_kept[i], &text, err);
        if (status == STOA_OK && text != NULL) {
            status = stoa_schema_set(to, stoa_chain_kept[i], text, err);
        }
        free(text);
        STOA_RETURN_NOT_OK(status);
    }
    return STOA_OK;
}

/* Missing values ---------------------------------------------------------------------------- */

static stoa_status find_value(stoa_column *column, uint64_t n_rows, bool *has_value,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view view;

    *has_value = false;
    STOA_TRY(stoa_column_schema(column, &schema, err));
    if (strcmp(schema.format, "n") == 0) {
        goto done;
    }
    for (uint64_t at = 0; at < n_rows && !*has_value; at += ROWS_AT_ONCE) {
        const uint64_t n = n_rows - at < ROWS_AT_ONCE ? n_rows - at : ROWS_AT_ONCE;
        STOA_TRY(stoa_column_read(column, at, n, &array, err));
        STOA_TRY(stoa_view_of_sound(&schema, &array, &view, err));
        *has_value = view.null_count < view.length;
        stoa_array_release(&array);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

static stoa_status mark_absent(stoa_chain_column *column, size_t k, stoa_error *err)
{
    if (column->is_absent == NULL) {
        column->is_absent = stoa_alloc_zero(stoa_bit_bytes(column->chain->parts.n), 1);
        STOA_RETURN_NO_MEMORY(err, column->is_absent);
    }
    stoa_bit_set(column->is_absent, k);
    return STOA_OK;
}

/* Whether the parts before k have a value in the column. */
static stoa_status find_earlier(stoa_chain_column *column, size_t k, stoa_error *err)
{
    const stoa_table_part *const parts = column->chain->parts.items;

    for (size_t i = 0; i < k && !column->has_value; i++) {
        stoa_table *table = NULL;
        if (parts[i].n_rows > 0 && !stoa_chain_is_absent(column, i)) {
            STOA_RETURN_NOT_OK(stoa_chain_table(column->chain, i, &table, err));
            STOA_RETURN_NOT_OK(find_value(stoa_table_find(table, column->name), parts[i].n_rows,
                                          &column->has_value, err));
        }
    }
    return STOA_OK;
}

/* Labels ------------------------------------------------------------------------------------ */

static stoa_status add_labels(stoa_chain_column *column, stoa_column *from,
                              const struct ArrowSchema *schema, bool is_first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray array = {.release = NULL};
    stoa_view codes;
    stoa_view labels;
    const uint32_t n_before = column->labels.count;
    bool is_same = true;

    STOA_TRY(stoa_column_read(from, 0, 0, &array, err));
    STOA_TRY(stoa_view_of(schema, &array, &codes, err));
    STOA_TRY(stoa_view_dictionary(&codes, &labels, err));
    for (int64_t i = 0; i < labels.length; i++) {
        uint32_t number = 0;
        size_t length = 0;
        if (!stoa_view_is_null(&labels, i)) {
            const char *const text = stoa_view_bytes(&labels, i, &length);
            STOA_TRY(stoa_string_set_add(&column->labels, text, length, &number, err));
        }
        is_same = is_same && number == i;
    }
    is_same =
        is_same && (is_first || (n_before == labels.length && column->labels.count == n_before));
    column->is_ordered = is_same && (is_first || column->is_ordered) &&
                         (schema->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;

done:
    stoa_array_release(&array);
    return status;
}

/* The column ---------------------------------------------------------------------------------- */

/* Begin with the type of a part. */
static stoa_status begin(stoa_chain_column *column, stoa_column *from, struct ArrowSchema *own,
                         stoa_error *err)
{
    stoa_schema_release(&column->schema);
    stoa_string_set_clear(&column->labels);
    column->is_united = is_string_category(own);
    STOA_RETURN_NOT_OK(column->is_united ? add_labels(column, from, own, true, err) : STOA_OK);
    if (column->is_united || own->dictionary == NULL) {
        stoa_schema_move(own, &column->schema);
        return STOA_OK;
    }
    /* Categories of other values are those values. */
    STOA_RETURN_NOT_OK(stoa_cast_common(own, own, &column->schema, err));
    return column->schema.release != NULL ? stoa_chain_keep_texts(&column->schema, own, err)
                                          : stoa_fail(err, STOA_ETYPE,
                                                      "has labels of a type that "
                                                      "no column has");
}

/* Widen the type for another part. *fits is false if there is none for both. */
static stoa_status widen(stoa_chain_column *column, const struct ArrowSchema *own, bool *fits,
                         stoa_error *err)
{
    struct ArrowSchema common = {.release = NULL};

    STOA_RETURN_NOT_OK(stoa_cast_common(&column->schema, own, &common, err));
    *fits = common.release != NULL;
    if (*fits) {
        STOA_RETURN_NOT_OK(stoa_chain_keep_texts(&common, &column->schema, err));
        stoa_schema_release(&column->schema);
        stoa_schema_move(&common, &column->schema);
        column->is_united = false;
    }
    return STOA_OK;
}

/* Numbers of different units must not come together. */
static stoa_status check_units(const stoa_chain_column *column, const struct ArrowSchema *own,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *before = NULL;
    char *now = NULL;

    STOA_TRY(stoa_schema_get_text(&column->schema, "units", &before, err));
    STOA_TRY(stoa_schema_get_text(own, "units", &now, err));
    if (before != NULL && now != NULL && strcmp(before, now) != 0 &&
        column->schema.format[0] != 't') {
        STOA_FAIL(err, STOA_EDATA, "its column '%s' is in %s, in the files before in %s",
                  column->name, now, before);
    }

done:
    free(before);
    free(now);
    return status;
}

static stoa_status fail_type(const stoa_chain_column *column, const struct ArrowSchema *own,
                             stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA,
                     "its column '%s' is of another type than in the first file (Arrow's %s, not "
                     "%s)%s",
                     column->name, values_of(own), values_of(&column->schema),
                     stoa_chain_same_type(own, &column->schema) ? ""
                                                                : "; no type holds both exactly");
}

/* Settle a difference of kinds by the missing values. *is_done: there is nothing left to do. */
static stoa_status settle(stoa_chain_column *column, size_t k, stoa_column *from,
                          struct ArrowSchema *own, bool *is_done, stoa_error *err)
{
    bool has_value = false;

    *is_done = true;
    STOA_RETURN_NOT_OK(find_value(from, column->chain->parts.items[k].n_rows, &has_value, err));
    if (!has_value) {
        return mark_absent(column, k, err);
    }
    STOA_RETURN_NOT_OK(find_earlier(column, k, err));
    if (!column->has_value) {
        for (size_t i = 0; i < k; i++) {
            STOA_RETURN_NOT_OK(mark_absent(column, i, err));
        }
        column->has_value = true;
        return begin(column, from, own, err);
    }
    *is_done = false;
    return STOA_OK;
}

static stoa_status add(stoa_chain_column *column, size_t k, const stoa_files_options *options,
                       stoa_column *from, struct ArrowSchema *own, stoa_error *err)
{
    bool is_done = false;
    bool fits = false;

    if (column->schema.release == NULL) {
        return begin(column, from, own, err);
    }
    const bool is_same = stoa_chain_same_type(&column->schema, own) ||
                         (column->is_united && is_string_category(own));
    if (!is_same && options->strict) {
        return stoa_fail(err, STOA_EDATA,
                         "its column '%s' is of another type than in the first file (Arrow's %s, "
                         "not %s), which --strict refuses",
                         column->name, values_of(own), values_of(&column->schema));
    }
    if (!is_same && !is_one_kind(&column->schema, own)) {
        STOA_RETURN_NOT_OK(settle(column, k, from, own, &is_done, err));
    }
    if (is_done) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(check_units(column, own, err));
    if (column->is_united && is_string_category(own)) {
        return add_labels(column, from, own, false, err);
    }
    if (!is_same) {
        STOA_RETURN_NOT_OK(widen(column, own, &fits, err));
        return fits ? STOA_OK : fail_type(column, own, err);
    }
    return STOA_OK;
}

stoa_status stoa_chain_column_add(stoa_chain_column *column, size_t k,
                                  const stoa_files_options *options, stoa_column *from,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema own = {.release = NULL};

    if (from == NULL) {
        return mark_absent(column, k, err);
    }
    STOA_TRY(stoa_column_schema(from, &own, err));
    STOA_TRY(add(column, k, options, from, &own, err));

done:
    stoa_schema_release(&own);
    return status;
}
