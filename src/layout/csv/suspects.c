#include "layout/csv/suspects.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/read.h"
#include "core/memory.h"
#include "layout/csv/fast_parse.h"

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
        *one = (stoa_csv_suspect){.column = k, .look = look, .low = UINT64_MAX};
        stoa_csv_inference_begin(&one->clean, STOA_CSV_CATEGORY_NO);
        one->clean.spelling = column->guess.spelling;
        if (column->type.kind == STOA_KIND_DICTIONARY) {
            one->is_bad = stoa_alloc_zero(column->labels.count, 1);
            STOA_RETURN_NO_MEMORY(err, one->is_bad);
        }
    }
    return STOA_OK;
}

/* Take a number as most are written, such as 17, -3 and 0.25; false for every other text. This is
 * much faster than an inference. */
static inline bool take_number(stoa_csv_suspect *suspect, const char *text, size_t length)
{
    const bool is_negative = length > 0 && text[0] == '-';
    size_t at = is_negative;
    int64_t value = 0;

    if (length - at > 18 || suspect->look != STOA_CSV_LOOKS_NUMBER ||
        suspect->clean.spelling != NULL) {
        return false;
    }
    const size_t first = at;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; at++) {
        value = value * 10 + (text[at] - '0');
    }
    const size_t n_digits = at - first;
    if (n_digits == 0 || (n_digits > 1 && text[first] == '0') || (is_negative && value == 0)) {
        return false;
    }
    if (at == length) {
        value = is_negative ? -value : value;
        suspect->least = !suspect->has_integers || value < suspect->least ? value : suspect->least;
        suspect->greatest =
            !suspect->has_integers || value > suspect->greatest ? value : suspect->greatest;
        suspect->has_integers = true;
        return true;
    }
    const size_t point = at;
    for (at += text[at] == '.'; at < length && text[at] >= '0' && text[at] <= '9'; at++) {
    }
    if (at < length || at <= point + 1) {
        return false;
    }
    if (!suspect->has_fractions) {
        stoa_csv_inference_add_type(&suspect->clean, text, length);
        suspect->has_fractions = true;
    }
    return true;
}

/* Whether a value is bad. What is not is learned. */
static bool judge(stoa_csv_suspect *suspect, const char *text, size_t length)
{
    if (take_number(suspect, text, length)) {
        return false;
    }
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

/* Order integers of 1 to 15 digits by their length and first eight digits; false for other texts.
 * Eight bytes must be readable. */
static inline bool rank_integer(const char *text, size_t length, uint64_t *rank)
{
    const uint64_t zeros = UINT64_C(0x3030303030303030);
    const uint64_t tens = UINT64_C(0x7676767676767676); /* take bytes of 10 and more to 128 */
    uint64_t head = stoa_csv_word(text, 8) ^ zeros;
    uint64_t tail = head;

    if (length - 1 >= 15 || text[0] == '0') {
        return false;
    }
    if (length < 8) {
        head = tail = head << 8 * (8 - length);
    } else {
        tail = stoa_csv_word(text + length - 8, 8) ^ zeros;
    }
    *rank = (uint64_t)length << 60 | __builtin_bswap64(head);
    return (((head + tens) | head | (tail + tens) | tail) & UINT64_C(0x8080808080808080)) == 0;
}

/* Judge texts with 32-bit offsets, which all columns of strings have here. Nothing is learned from
 * an integer between two that were taken, and most are. */
static void count_texts(stoa_csv_suspect *suspect, const stoa_view *values)
{
    const bool has_ranks =
        suspect->look == STOA_CSV_LOOKS_NUMBER && suspect->clean.spelling == NULL;
    const int32_t *const offsets = (const int32_t *)values->offsets + values->offset;
    const char *const bytes = values->values;
    const int32_t end = has_ranks ? offsets[values->length] - 8 : -1; /* of what has eight bytes */
    uint64_t n_bad = 0;
    uint64_t rank = 0;

    for (int64_t first = 0, n = 0; (n = stoa_view_run(values, &first)) > 0; first += n) {
        for (int64_t i = first; i < first + n; i++) {
            const size_t length = (size_t)(offsets[i + 1] - offsets[i]);
            const bool has_rank =
                offsets[i] <= end && rank_integer(bytes + offsets[i], length, &rank);
            if (has_rank && rank > suspect->low && rank < suspect->high) {
                continue;
            }
            n_bad += judge(suspect, length > 0 ? bytes + offsets[i] : "", length);
            suspect->low = has_rank && rank < suspect->low ? rank : suspect->low;
            suspect->high = has_rank && rank > suspect->high ? rank : suspect->high;
        }
        suspect->n_values += (uint64_t)n;
    }
    suspect->n_bad += n_bad;
}

static stoa_status count(stoa_csv_suspect *suspect, const struct ArrowSchema *schema,
                         const struct ArrowArray *array, stoa_error *err)
{
    const bool is_coded = suspect->is_bad != NULL;
    stoa_view values;
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_of_sound(schema, array, &values, err));
    STOA_RETURN_NOT_OK(is_coded ? stoa_view_dictionary(&values, &labels, err) : STOA_OK);
    if (!is_coded) {
        count_texts(suspect, &values);
        return STOA_OK;
    }
    for (int64_t i = 0; i < values.length; i++) {
        size_t length = 0;
        if (stoa_view_is_null(&values, i)) {
            continue;
        }
        suspect->n_values++;
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

/* Learn the least and the greatest of the integers that were taken. */
static stoa_csv_inference *complete(stoa_csv_suspect *suspect)
{
    const int64_t bounds[] = {suspect->least, suspect->greatest};

    for (size_t i = 0; suspect->has_integers && i < 2; i++) {
        char text[STOA_NUMBER_SIZE];
        stoa_csv_inference_add_type(&suspect->clean, text, stoa_format_i64(bounds[i], text));
    }
    return &suspect->clean;
}

/* "--null NA --null null"; or, if other values are bad, an option for all of them. */
static stoa_status print_options(stoa_csv_suspect *suspect, const char *name, stoa_buffer *out)
{
    const char *word = NULL;
    char text[64];
    const stoa_type type = stoa_csv_inference_type(complete(suspect));

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

char *stoa_csv_suspect_text(stoa_csv_suspect *suspect, const stoa_csv_columns *columns)
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
