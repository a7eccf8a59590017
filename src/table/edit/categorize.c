/* Converting values to categories and back (HEP001 §8.7). */
#include <stdlib.h>
#include <string.h>

#include "arrow/decode_dictionary.h"
#include "column/type/cf_attributes.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "table/edit/columns.h"

#define BATCH_ROWS UINT64_C(65536)

/* A column being converted, as a stream of one field. */
typedef struct conversion {
    stoa_column *column; /* borrowed */
    uint64_t n_rows;
    uint64_t next;
    bool to_categories;
    bool is_text; /* the values are strings */
} conversion;

/* --- Schema ----------------------------------------------------------------------------------- */

/* The labels give the string lengths in advance, so the column need not be widened while
 * writing. */
static stoa_status hint_lengths(const stoa_column *column, struct ArrowSchema *field,
                                stoa_error *err)
{
    stoa_view labels;
    uint64_t longest = 0;
    uint64_t total = 0;
    char text[STOA_NUMBER_SIZE];

    STOA_RETURN_NOT_OK(stoa_view_of(&column->dictionary_schema, &column->dictionary, &labels, err));
    for (int64_t i = 0; i < labels.length; i++) {
        size_t length = 0;
        (void)stoa_view_bytes(&labels, i, &length);
        longest = length > longest ? length : longest;
        total += length;
    }
    (void)stoa_format_u64(longest, text);
    STOA_RETURN_NOT_OK(stoa_schema_set(field, "stoa.max_bytes", text, err));
    (void)stoa_format_u64(labels.length > 0 ? total / (uint64_t)labels.length : 0, text);
    return stoa_schema_set(field, "stoa.mean_bytes", text, err);
}

/* Make the field a dictionary of the column's type. */
static stoa_status make_dictionary(const stoa_column *column, struct ArrowSchema *field,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};

    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_schema_dictionary(field, schema.format, err));

done:
    stoa_schema_release(&schema);
    return status;
}

/* The stream's only field. Attributes are copied from the old dataset later. */
static stoa_status conversion_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const conversion *c = self;

    STOA_TRY(stoa_schema_make(out, "", "+s", err));
    STOA_TRY(stoa_schema_children(out, 1, err));
    struct ArrowSchema *field = out->children[0];
    if (c->to_categories) {
        STOA_TRY(stoa_schema_make(field, c->column->name, "i", err));
        STOA_TRY(make_dictionary(c->column, field, err));
    } else if (c->is_text) {
        STOA_TRY(stoa_schema_make(field, c->column->name, "U", err));
        STOA_TRY(hint_lengths(c->column, field, err));
    } else {
        STOA_TRY(stoa_schema_copy(&c->column->dictionary_schema, field, err));
        STOA_TRY(stoa_schema_rename(field, c->column->name, err));
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}

/* --- Values ----------------------------------------------------------------------------------- */

/* Use the values as the dictionary, one entry per row. A missing entry is a missing value. The
 * categories merge equal entries in the order in which they first appear. */
static stoa_status as_categories(struct ArrowArray *values, struct ArrowArray *out, stoa_error *err)
{
    const int64_t n = values->length;
    int32_t *codes = stoa_alloc((size_t)n, sizeof *codes);

    STOA_RETURN_NO_MEMORY(err, codes);
    for (int64_t i = 0; i < n; i++) {
        codes[i] = (int32_t)i;
    }
    void *const buffers[] = {NULL, codes};
    STOA_RETURN_NOT_OK(stoa_array_make(out, n, 0, 2, buffers, err));
    return stoa_array_dictionary(out, values, err);
}

static stoa_status convert(const conversion *c, uint64_t count, struct ArrowArray *out,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray rows = {.release = NULL};
    stoa_view codes;
    stoa_view labels;

    if (c->to_categories) {
        STOA_TRY(stoa_column_read(c->column, c->next, count, &rows, err));
        STOA_TRY(as_categories(&rows, out, err));
    } else {
        STOA_TRY(stoa_column_read_coded(c->column, c->next, count, &rows, err));
        STOA_TRY(stoa_column_coded_schema(c->column, &schema, err));
        STOA_TRY(stoa_view_of(&schema, &rows, &codes, err));
        STOA_TRY(stoa_view_dictionary(&codes, &labels, err));
        STOA_TRY(c->is_text
                     ? stoa_decode_dictionary(&codes, &labels, STOA_KIND_LARGE_STRING, out, err)
                     : stoa_decode_values(&codes, &labels, out, err));
    }

done:
    stoa_array_release(&rows);
    stoa_schema_release(&schema);
    return status;
}

static stoa_status conversion_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    conversion *c = self;
    const uint64_t n_left = c->n_rows - c->next;
    const uint64_t count = n_left < BATCH_ROWS ? n_left : BATCH_ROWS;

    out->release = NULL;
    if (count == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_array_struct(out, (int64_t)count, 1, err));
    STOA_TRY(convert(c, count, out->children[0], err));
    c->next += count;

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

/* --- The edit --------------------------------------------------------------------------------- */

/* Whether labels can be of that kind. */
static bool can_be_labels(stoa_kind kind)
{
    return stoa_kind_is_string(kind) || stoa_kind_is_integer(kind) || stoa_kind_is_float(kind) ||
           stoa_kind_is_ticks(kind) || kind == STOA_KIND_BOOL;
}

/* *is_there: the column already has the wanted form. `values` is the type of its values. */
static stoa_status check_column(const stoa_column *column, bool categorical, stoa_type *values,
                                bool *is_there, stoa_error *err)
{
    const bool is_categorical = stoa_column_is_categorical(column);
    const bool is_category = is_categorical && !column->is_text;
    char type[64];

    *is_there = categorical ? is_category : !is_categorical;
    *values = column->type;
    if (is_categorical) {
        STOA_RETURN_NOT_OK(stoa_type_of(&column->dictionary_schema, values, err));
    }
    if (!*is_there && !can_be_labels(values->kind)) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' is %s; only strings, numbers, times and booleans can be "
                         "categories",
                         column->name, stoa_type_name(values, type));
    }
    return STOA_OK;
}

/* Write the converted column and copy the old one's attributes. */
static stoa_status make_converted(stoa_table *table, stoa_column *column, bool categorical,
                                  bool is_text, const stoa_edit_options *options, hid_t *holder,
                                  stoa_table **made, stoa_error *err)
{
    static const stoa_producer producer = {conversion_schema, conversion_next, NULL};
    /* The fill value and the valid range depend on the type, and times are counted by the units of
     * the labels. All other attributes stay. */
    const char *const except[] = {"CATEGORIES",
                                  "valid_min",
                                  "valid_max",
                                  STOA_CF_FILL,
                                  STOA_CF_FLAG_VALUES,
                                  STOA_CF_FLAG_MEANINGS,
                                  STOA_COLUMN_CATEGORIES_PATH,
                                  STOA_COLUMN_ARROW_TYPE,
                                  column->is_time ? "units" : NULL,
                                  STOA_COLUMN_TIME_ZONE,
                                  NULL};
    stoa_status status = STOA_OK;
    struct ArrowArrayStream stream = {.release = NULL};
    conversion c = {column, table->n_rows, 0, categorical, is_text};
    const stoa_column_options storage = {.chunk_rows = column->chunk_rows != 0 ? column->chunk_rows
                                                                               : STOA_CONTIGUOUS};

    STOA_TRY(stoa_column_may_be_rewritten(column, err));
    STOA_TRY(stoa_stream_make(&stream, &producer, &c, err));
    STOA_TRY(stoa_columns_make(table, &stream, &storage,
                               options != NULL ? &options->listener : NULL, holder, made, err));
    STOA_TRY(stoa_attributes_copy(column->dataset, (*made)->columns[0]->dataset, except, err));

done:
    stoa_stream_release(&stream);
    return status;
}

stoa_status stoa_column_categorize(stoa_table *table, const char *name, bool categorical,
                                   const stoa_edit_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
    stoa_column *column = NULL;
    hid_t holder = H5I_INVALID_HID;
    stoa_table *made = NULL;
    bool is_there = false;
    stoa_type values;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    STOA_TRY(stoa_column_edit_find_own(table, name, &column, err));
    STOA_TRY(check_column(column, categorical, &values, &is_there, err));
    if (is_there) {
        goto done;
    }
    STOA_TRY(make_converted(table, column, categorical, stoa_kind_is_string(values.kind), options,
                            &holder, &made, err));
    if (categorical) {
        STOA_TRY(stoa_columns_link_categories(table, made->columns[0], err));
    }
    STOA_TRY(stoa_column_edit_replace(&edit, column->name, made->columns[0]->dataset, err));
    STOA_TRY(stoa_column_edit_reopen(&edit, err));
    STOA_TRY(stoa_column_edit_mend(&edit, column->name, options, err));

done:
    status = stoa_column_edit_end(&edit, status, err);
    stoa_table_close(made);
    (void)stoa_hdf_close(&holder, STOA_OK, NULL);
    return status;
}
