#include "layout/pandas/codes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/decode_dictionary.h"
#include "core/memory.h"
#include "layout/pandas/frame.h"

bool stoa_pandas_is_nan(const char *text, size_t length, const char *nan_rep)
{
    return nan_rep != NULL && length == strlen(nan_rep) && memcmp(text, nan_rep, length) == 0;
}

stoa_status stoa_pandas_refuse_nan(const stoa_pandas_shape *shape, const char *nan_rep,
                                   stoa_error *err)
{
    return stoa_fail(err, STOA_ELOSS,
                     "column '%s' has the text '%s', which pandas' table format takes for missing; "
                     "pandas-fixed does not",
                     shape->field->name, nan_rep);
}

void stoa_pandas_codes_clear(stoa_pandas_codes *codes)
{
    stoa_pandas_shape_clear(&codes->labels);
    stoa_buffer_clear(&codes->values);
    stoa_string_set_clear(&codes->distinct);
    stoa_array_release(&codes->dictionary);
    free(codes->numbers);
}

/* --- choosing codes -------------------------------------------------------------------------- */

/* Bytes of a label in pandas' form. */
static size_t label_width(const stoa_pandas_shape *labels)
{
    return labels->as == STOA_PANDAS_BOOL ? 1 : (size_t)stoa_kind_width(labels->kind);
}

/* The smallest kind that numbers all categories, as in pandas. */
static stoa_kind kind_for(uint64_t n)
{
    return n == 0 || n > INT16_MAX ? STOA_KIND_INT32
           : n > INT8_MAX          ? STOA_KIND_INT16
                                   : STOA_KIND_INT8;
}

static bool put_integer(const stoa_pickled *node, stoa_kind kind, uint8_t *out)
{
    if (node->kind != STOA_PICKLE_INT || !stoa_pandas_kind_holds(kind, node->as.integer)) {
        return false;
    }
    stoa_integer_put(out, (size_t)stoa_kind_width(kind), node->as.integer);
    return true;
}

static bool put_float(const stoa_pickled *node, stoa_kind kind, uint8_t *out)
{
    const float single = node->kind == STOA_PICKLE_FLOAT ? (float)node->as.number : 0;

    if (node->kind != STOA_PICKLE_FLOAT || isnan(node->as.number) || kind == STOA_KIND_FLOAT16) {
        return false;
    }
    memcpy(out, kind == STOA_KIND_FLOAT32 ? (const void *)&single : &node->as.number,
           (size_t)stoa_kind_width(kind));
    return true;
}

static bool put_time(const stoa_pickled *node, const stoa_pandas_shape *shape, uint8_t *out)
{
    stoa_pandas_time time;
    const bool is =
        stoa_pandas_time_of(node, &time) && time.ticks != INT64_MIN &&
        time.kind == (shape->as == STOA_PANDAS_TIME ? STOA_PANDAS_IS_TIME : STOA_PANDAS_IS_DELTA);
    const int64_t per = is ? stoa_time_nanoseconds(time.unit) : 1;

    if (!is || time.ticks > INT64_MAX / per || time.ticks < -(INT64_MAX / per)) {
        return false;
    }
    stoa_integer_put(out, sizeof(int64_t), time.ticks * per);
    return true;
}

/* Convert a label of the metadata to the type of the column. */
static bool put_noted(const stoa_pickled *node, const stoa_pandas_shape *shape, uint8_t *out)
{
    switch (shape->as) {
    case STOA_PANDAS_BOOL:
        *out = node->kind == STOA_PICKLE_BOOL && node->as.truth;
        return node->kind == STOA_PICKLE_BOOL;
    case STOA_PANDAS_NUMBER:
        return stoa_kind_is_float(shape->kind) ? put_float(node, shape->kind, out)
                                               : put_integer(node, shape->kind, out);
    case STOA_PANDAS_TIME:
    case STOA_PANDAS_DELTA:
        return put_time(node, shape, out);
    default:
        return false;
    }
}

/* Labels that are not values of the column, or that repeat, do not belong to this column. */
static stoa_status take_noted(const stoa_pickled *list, stoa_pandas_codes *codes, bool *is_coded,
                              stoa_error *err)
{
    uint8_t value[sizeof(uint64_t)];
    uint32_t number = 0;

    *is_coded = true;
    for (size_t i = 1; *is_coded && i < stoa_pickled_count(list); i++) {
        *is_coded = put_noted(stoa_pickled_item(list, i), &codes->labels, value);
        if (*is_coded) {
            STOA_RETURN_NOT_OK(stoa_string_set_add(&codes->distinct, value,
                                                   label_width(&codes->labels), &number, err));
            *is_coded = number == i - 1;
        }
    }
    codes->is_noted = *is_coded;
    codes->is_ordered = stoa_pickled_item(list, 0)->as.truth;
    codes->kind = kind_for(codes->distinct.count);
    return STOA_OK;
}

stoa_status stoa_pandas_codes_plan(const stoa_layout_source *source, size_t column,
                                   stoa_pandas_codes *codes, bool *is_coded, stoa_error *err)
{
    static const stoa_column_stats none = {.n_missing = 0};
    const struct ArrowSchema *const field = source->schema->children[column];
    const stoa_column_stats *const stats = &source->columns[column];
    const stoa_pickled *const noted = stoa_pandas_categories_of(source, field->name);
    stoa_type labels;

    *is_coded = field->dictionary != NULL;
    codes->stats = *stats;
    codes->stats.n_missing = 0;
    if (*is_coded) {
        STOA_RETURN_NOT_OK(stoa_type_of(field->dictionary, &labels, err));
        codes->is_of_texts = stoa_kind_is_string(labels.kind);
        codes->is_ordered = (field->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
        codes->kind = kind_for(stats->labels.count);
        if (!codes->is_of_texts) {
            STOA_RETURN_NOT_OK(stoa_pandas_shape_of(field->dictionary, &none, NULL,
                                                    "pandas' table format", &codes->labels, err));
            STOA_RETURN_NOT_OK(stoa_type_of(field, &labels, err)); /* the codes for these labels */
            codes->kind = labels.index == STOA_KIND_INT8 || labels.index == STOA_KIND_INT16
                              ? labels.index
                              : STOA_KIND_INT32;
        }
    } else if (noted != NULL) {
        STOA_RETURN_NOT_OK(stoa_pandas_shape_of(field, &codes->stats, NULL, "pandas' table format",
                                                &codes->labels, err));
        STOA_RETURN_NOT_OK(take_noted(noted, codes, is_coded, err));
    }
    return STOA_OK;
}

stoa_status stoa_pandas_codes_of_column(const stoa_column *column, const struct ArrowSchema *field,
                                        const stoa_column_stats *stats, stoa_pandas_codes *codes,
                                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *values = NULL;
    uint32_t number = 0;
    stoa_view labels;

    codes->is_noted = true;
    codes->is_ordered = column->is_ordered;
    codes->kind = column->element.kind;
    codes->stats = *stats;
    codes->stats.n_missing = 0;
    STOA_TRY(stoa_pandas_shape_of(field, &codes->stats, NULL, "pandas' table format",
                                  &codes->labels, err));
    codes->is_of_texts = codes->labels.as == STOA_PANDAS_TEXT;
    STOA_TRY(stoa_view_of(&column->dictionary_schema, &column->dictionary, &labels, err));
    values = stoa_alloc_zero((size_t)labels.length + 1, sizeof(uint64_t));
    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    if (!codes->is_of_texts) {
        STOA_TRY(stoa_pandas_plain(&codes->labels, &labels, values, err));
    }
    for (int64_t i = 0; i < labels.length; i++) {
        size_t length = codes->is_of_texts ? 0 : label_width(&codes->labels);
        const void *const label = codes->is_of_texts
                                      ? (const void *)stoa_view_bytes(&labels, i, &length)
                                      : values + (size_t)i * length;
        STOA_TRY(stoa_string_set_add(&codes->distinct, label, length, &number, err));
        if (stoa_view_is_null(&labels, i) || number != i) {
            STOA_FAIL(err, STOA_EDATA,
                      "column '%s' has categories that are missing or there twice; write a new "
                      "table by stoa concat",
                      column->name);
        }
    }
    codes->is_complete = codes->is_ordered && labels.length > 0;

done:
    free(values);
    return status;
}

/* --- codes ----------------------------------------------------------------------------------- */

/* Check the times of labels, which the facts do not cover. */
static stoa_status check_times(const stoa_pandas_shape *shape, const stoa_view *labels,
                               const char *column, stoa_error *err)
{
    const int64_t most = INT64_MAX / shape->per;

    for (int64_t i = 0;
         (shape->as == STOA_PANDAS_TIME || shape->as == STOA_PANDAS_DELTA) && i < labels->length;
         i++) {
        const int64_t ticks = stoa_view_is_null(labels, i) ? 0 : stoa_view_i64(labels, i);
        if (ticks > most || ticks < -most) {
            return stoa_fail(err, STOA_ELOSS,
                             "column '%s' has categories outside of the years 1678 to 2262, which "
                             "pandas' table format, in nanoseconds of 64 bits, cannot hold",
                             column);
        }
    }
    return STOA_OK;
}

/* Keep labels that are not strings until they are written. All batches have those of the first
 * one. */
static stoa_status keep_labels(stoa_pandas_codes *codes, const stoa_view *labels,
                               const char *column, stoa_error *err)
{
    if (codes->is_of_texts || codes->n_labels > 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(check_times(&codes->labels, labels, column, err));
    STOA_RETURN_NOT_OK(
        stoa_buffer_grow(&codes->values, (size_t)labels->length * sizeof(uint64_t), err));
    STOA_RETURN_NOT_OK(stoa_pandas_plain(&codes->labels, labels, codes->values.data, err));
    codes->n_labels = (uint64_t)labels->length;
    return STOA_OK;
}

/* Find the number of each label of a dictionary; -1 if it is missing. */
static stoa_status number_labels(stoa_pandas_codes *codes, const stoa_pandas_shape *shape,
                                 const stoa_view *labels, stoa_error *err)
{
    free(codes->numbers);
    codes->numbers = stoa_alloc((size_t)labels->length, sizeof *codes->numbers);
    STOA_RETURN_NO_MEMORY(err, codes->numbers);
    for (int64_t i = 0; i < labels->length; i++) {
        uint32_t number = (uint32_t)i;
        size_t length = 0;
        const char *const text = codes->is_of_texts ? stoa_view_bytes(labels, i, &length) : NULL;
        const bool is_missing =
            stoa_view_is_null(labels, i) ||
            (text != NULL && !stoa_string_set_find(&shape->stats->labels, text, length, &number));
        if (!is_missing && text != NULL && stoa_pandas_is_nan(text, length, STOA_PANDAS_NAN)) {
            STOA_RETURN_NOT_OK(stoa_pandas_refuse_nan(shape, STOA_PANDAS_NAN, err));
        }
        codes->numbers[i] = is_missing ? -1 : (int32_t)number;
    }
    return STOA_OK;
}

static stoa_status number_rows(stoa_pandas_codes *codes, const stoa_pandas_shape *shape,
                               const stoa_view *view, uint8_t *out, stoa_error *err)
{
    const size_t width = (size_t)stoa_kind_width(codes->kind);
    bool is_same = false;
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    STOA_RETURN_NOT_OK(keep_labels(codes, &labels, shape->field->name, err));
    STOA_RETURN_NOT_OK(stoa_dictionary_keep(view, &codes->dictionary, &is_same, err));
    STOA_RETURN_NOT_OK(is_same ? STOA_OK : number_labels(codes, shape, &labels, err));
    for (int64_t i = 0; i < view->length; i++) {
        const bool is_missing = stoa_view_is_null(view, i);
        const int32_t code = is_missing ? -1 : codes->numbers[stoa_view_i64(view, i)];
        stoa_integer_put(out + (size_t)i * width, width, code);
    }
    return STOA_OK;
}

/* Add a value to the labels, if it is new, as far as the codes can number it. */
static stoa_status number_label(stoa_pandas_codes *codes, const void *label, size_t length,
                                uint32_t *number, stoa_error *err)
{
    const char *const column = codes->labels.field->name;

    if (codes->is_complete && !stoa_string_set_find(&codes->distinct, label, length, number)) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' has values that its ordered categories lack; give pandas the "
                         "categories in their order (set_categories)",
                         column);
    }
    STOA_RETURN_NOT_OK(stoa_string_set_add(&codes->distinct, label, length, number, err));
    return *number <= stoa_kind_max(codes->kind)
               ? STOA_OK
               : stoa_fail(err, STOA_ELOSS,
                           "column '%s' has more values than its codes, of %s, number; write a new "
                           "table by stoa concat",
                           column, stoa_pandas_dtype(codes->kind));
}

/* Codes of plain values. */
static stoa_status number_values(stoa_pandas_codes *codes, const stoa_view *view, uint8_t *out,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t width = (size_t)stoa_kind_width(codes->kind);
    const bool is_float = stoa_kind_is_float(view->type.kind);
    uint8_t *values = stoa_alloc((size_t)view->length + 1, sizeof(uint64_t));

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    if (!codes->is_of_texts) {
        STOA_TRY(stoa_pandas_plain(&codes->labels, view, values, err));
    }
    for (int64_t i = 0; i < view->length; i++) {
        uint32_t number = 0;
        size_t length = codes->is_of_texts ? 0 : label_width(&codes->labels);
        const bool is_missing =
            stoa_view_is_null(view, i) || (is_float && isnan(stoa_view_f64(view, i)));
        if (!is_missing) {
            const void *const label = codes->is_of_texts
                                          ? (const void *)stoa_view_bytes(view, i, &length)
                                          : values + (size_t)i * length;
            if (codes->is_of_texts && stoa_pandas_is_nan(label, length, STOA_PANDAS_NAN)) {
                STOA_TRY(stoa_pandas_refuse_nan(&codes->labels, STOA_PANDAS_NAN, err));
            }
            STOA_TRY(number_label(codes, label, length, &number, err));
        }
        stoa_integer_put(out + (size_t)i * width, width, is_missing ? -1 : (int64_t)number);
    }

done:
    free(values);
    return status;
}

stoa_status stoa_pandas_codes_make(stoa_pandas_codes *codes, const stoa_pandas_shape *shape,
                                   const stoa_view *view, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *numbers =
        stoa_alloc_zero((size_t)view->length + 1, (size_t)stoa_kind_width(codes->kind));

    STOA_TRY(numbers != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(codes->is_noted ? number_values(codes, view, numbers, err)
                             : number_rows(codes, shape, view, numbers, err));
    void *const buffers[] = {NULL, numbers};
    numbers = NULL;
    STOA_TRY(stoa_array_make(out, view->length, 0, 2, buffers, err));

done:
    free(numbers);
    return status;
}

uint64_t stoa_pandas_codes_count(const stoa_pandas_codes *codes, const stoa_column_stats *stats)
{
    return codes->is_noted      ? codes->distinct.count
           : codes->is_of_texts ? stats->labels.count
                                : codes->n_labels;
}

const stoa_string_set *stoa_pandas_codes_texts(const stoa_pandas_codes *codes,
                                               const stoa_column_stats *stats)
{
    return codes->is_noted ? &codes->distinct : &stats->labels;
}

const uint8_t *stoa_pandas_codes_values(const stoa_pandas_codes *codes)
{
    return codes->is_noted ? codes->distinct.bytes.data : codes->values.data;
}
