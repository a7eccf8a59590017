#include "layout/csv/suspects.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/read.h"
#include "core/memory.h"

enum { MOST_LIKE = 10, FEW = 1000 }; /* all samples but a tenth; one value in a thousand */

/* What nearly all samples look like. */
static stoa_csv_look look_of(const stoa_csv_inference *guess)
{
    uint64_t n = 0;
    int most = STOA_CSV_LOOKS_TEXT;

    for (int i = 0; i < STOA_CSV_N_LOOKS; i++) {
        n += guess->samples[i];
        most = guess->samples[i] > guess->samples[most] ? i : most;
    }
    return (n - guess->samples[most]) * MOST_LIKE <= n ? (stoa_csv_look)most : STOA_CSV_LOOKS_TEXT;
}

stoa_status stoa_csv_suspects_find(stoa_csv_suspects *suspects, const stoa_csv_columns *columns,
                                   stoa_error *err)
{
    for (size_t k = 0; k < columns->n; k++) {
        const stoa_csv_column *const column = &columns->items[k];
        const stoa_csv_look look = look_of(&column->guess);
        if (column->is_typed || column->guess.category == STOA_CSV_CATEGORY_YES ||
            !column->guess.spoiler.is_set || look == STOA_CSV_LOOKS_TEXT ||
            (column->type.kind != STOA_KIND_STRING && column->type.kind != STOA_KIND_DICTIONARY)) {
            continue;
        }
        stoa_csv_suspect *const items =
            stoa_one_more(suspects->items, suspects->n, sizeof *suspects->items);
        STOA_RETURN_NO_MEMORY(err, items);
        suspects->items = items;
        stoa_csv_suspect *const one = &items[suspects->n++];
        *one = (stoa_csv_suspect){.column = k, .look = look};
        stoa_csv_inference_begin(&one->clean, STOA_CSV_CATEGORY_NO);
        one->clean.spelling = column->guess.spelling;
        if (column->type.kind == STOA_KIND_DICTIONARY) {
            one->is_bad = stoa_alloc_zero(column->labels.count, 1);
            STOA_RETURN_NO_MEMORY(err, one->is_bad);
        }
    }
    return STOA_OK;
}

/* Whether a value is bad. What is not is learned. */
static bool judge(stoa_csv_suspect *suspect, const char *text, size_t length)
{
    const int word = stoa_csv_null_word(text, length);
    const bool is_bad =
        word >= 0 || stoa_csv_look_of(suspect->clean.spelling, text, length) != suspect->look;

    if (!is_bad) {
        stoa_csv_inference_add_type(&suspect->clean, text, length);
    } else if (word >= 0) {
        suspect->null_words |= UINT32_C(1) << word;
    } else {
        suspect->has_others = true;
    }
    return is_bad;
}

static stoa_status count(stoa_csv_suspect *suspect, const struct ArrowSchema *schema,
                         const struct ArrowArray *array, stoa_error *err)
{
    const bool is_coded = suspect->is_bad != NULL;
    stoa_view values;
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_of_sound(schema, array, &values, err));
    STOA_RETURN_NOT_OK(is_coded ? stoa_view_dictionary(&values, &labels, err) : STOA_OK);
    for (int64_t i = 0; i < values.length; i++) {
        size_t length = 0;
        if (stoa_view_is_null(&values, i)) {
            continue;
        }
        suspect->n_values++;
        if (!is_coded) {
            const char *const text = stoa_view_bytes(&values, i, &length);
            suspect->n_bad += judge(suspect, text, length);
            continue;
        }
        uint8_t *const is_bad = &suspect->is_bad[stoa_view_i64(&values, i)];
        if (*is_bad == 0) {
            const char *const text = stoa_view_bytes(&labels, stoa_view_i64(&values, i), &length);
            *is_bad = (uint8_t)(1 + judge(suspect, text, length));
        }
        suspect->n_bad += *is_bad == 2;
    }
    return STOA_OK;
}

stoa_status stoa_csv_suspects_count(stoa_csv_suspects *suspects, const struct ArrowSchema *schema,
                                    const struct ArrowArray *batch, stoa_error *err)
{
    for (size_t i = 0; i < suspects->n; i++) {
        const size_t k = suspects->items[i].column;
        STOA_RETURN_NOT_OK(
            count(&suspects->items[i], schema->children[k], batch->children[k], err));
    }
    return STOA_OK;
}

/* "--null NA --null null"; or, if other values are bad, an option for all of them. */
static stoa_status print_options(const stoa_csv_suspect *suspect, const char *name,
                                 stoa_buffer *out)
{
    const char *word = NULL;
    char text[64];
    const stoa_type type = stoa_csv_inference_type(&suspect->clean);

    if (suspect->has_others) {
        const char *const type_name = type.kind == STOA_KIND_TIMESTAMP ? "timestamp"
                                      : type.kind == STOA_KIND_DATE    ? "date"
                                                                    : stoa_type_name(&type, text);
        return stoa_buffer_print(out, NULL, "--type '%s=%s' --on-error null", name, type_name);
    }
    for (int i = 0, n = 0; (word = stoa_csv_null_word_name(i)) != NULL; i++) {
        if ((suspect->null_words >> i & 1) != 0) {
            STOA_RETURN_NOT_OK(
                stoa_buffer_print(out, NULL, "%s--null '%s'", n++ > 0 ? " " : "", word));
        }
    }
    return STOA_OK;
}

char *stoa_csv_suspect_text(const stoa_csv_suspect *suspect, const stoa_csv_columns *columns)
{
    static const char *const looks[] = {"number", "time", "boolean"};
    const stoa_csv_column *const column = &columns->items[suspect->column];
    const stoa_csv_spoiler *const first = &column->guess.spoiler;
    const bool is_one = suspect->n_bad == 1;
    const bool are_few = suspect->n_bad <= suspect->n_values / FEW;
    stoa_buffer out = {0};
    stoa_status status = STOA_OK;

    /* What kept the column from being typed may be a good value, if a bad one came first. */
    const bool is_bad =
        stoa_csv_null_word(first->text, first->length) >= 0 ||
        stoa_csv_look_of(suspect->clean.spelling, first->text, first->length) != suspect->look;
    if (suspect->n_bad == 0 || !is_bad || (suspect->has_others && !are_few)) {
        return NULL;
    }
    status = stoa_buffer_print(
        &out, NULL,
        "column '%s' is %s, because %llu of its %llu values %s no %s%s; the first is '%.*s' in "
        "line %llu; ",
        column->name, column->type.kind == STOA_KIND_DICTIONARY ? "a category" : "text",
        (unsigned long long)suspect->n_bad, (unsigned long long)suspect->n_values,
        is_one ? "is" : "are", looks[suspect->look], is_one ? "" : "s", (int)first->length,
        first->text, (unsigned long long)first->line);
    if (status == STOA_OK) {
        status = print_options(suspect, column->name, &out);
    }
    if (status == STOA_OK) {
        status = stoa_buffer_print(&out, NULL, " makes %s missing", is_one ? "it" : "them");
    }
    if (status != STOA_OK) {
        stoa_buffer_clear(&out);
        return NULL;
    }
    return stoa_buffer_detach(&out);
}

void stoa_csv_suspects_clear(stoa_csv_suspects *suspects)
{
    for (size_t i = 0; i < suspects->n; i++) {
        free(suspects->items[i].is_bad);
        stoa_csv_inference_clear(&suspects->items[i].clean);
    }
    free(suspects->items);
    *suspects = (stoa_csv_suspects){.n = 0};
}
