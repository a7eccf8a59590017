/* Arrow arrays as vectors of DuckDB. Their values have the same layout, but for bits, texts and
 * units. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "arrow/take.h"
#include "sql/type_forms.h"
#include "sql/types.h"

/* Rows of an array to be written. */
typedef struct part {
    const stoa_duckdb *duckdb;
    duck_object vector;
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    stoa_type type;
    int64_t first; /* in the buffers: the array's offset is in it */
    int64_t n;
} part;

static const uint8_t *bits_of(const part *p)
{
    return p->array->n_buffers > 0 && p->array->null_count != 0 ? p->array->buffers[0] : NULL;
}

static bool is_null(const part *p, int64_t i)
{
    const uint8_t *const bits = bits_of(p);

    return p->type.kind == STOA_KIND_NULL ||
           (bits != NULL && !stoa_bit_get(bits, (uint64_t)(p->first + i)));
}

static void set_null(uint64_t *validity, int64_t i)
{
    validity[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static uint64_t *writable_validity(const part *p)
{
    p->duckdb->vector_ensure_validity_writable(p->vector);
    return p->duckdb->vector_get_validity(p->vector);
}

static void fill_validity(const part *p)
{
    if (bits_of(p) == NULL && p->type.kind != STOA_KIND_NULL) {
        return;
    }
    uint64_t *const validity = writable_validity(p);
    for (int64_t i = 0; i < p->n; i++) {
        if (is_null(p, i)) {
            set_null(validity, i);
        }
    }
}

/* Numbers and times -----------------------------------------------------------------------------
 */

static void fill_bools(const part *p)
{
    bool *const to = p->duckdb->vector_get_data(p->vector);
    const uint8_t *const bits = p->array->buffers[1];

    for (int64_t i = 0; i < p->n; i++) {
        to[i] = stoa_bit_get(bits, (uint64_t)(p->first + i));
    }
}

static void fill_float16(const part *p)
{
    float *const to = p->duckdb->vector_get_data(p->vector);
    const uint16_t *const from = (const uint16_t *)p->array->buffers[1] + p->first;

    for (int64_t i = 0; i < p->n; i++) {
        to[i] = stoa_f16_to_f32(from[i]);
    }
}

static void fill_same(const part *p, size_t width)
{
    if (p->n > 0) {
        memcpy(p->duckdb->vector_get_data(p->vector),
               (const uint8_t *)p->array->buffers[1] + (size_t)p->first * width,
               (size_t)p->n * width);
    }
}

/* Ticks as microseconds. What is smaller is cut off towards the past, so that order stays. */
static bool microseconds(int64_t ticks, int64_t per_second, int64_t *out)
{
    enum { MICROS = 1000000 };

    if (per_second <= MICROS) {
        return !__builtin_mul_overflow(ticks, MICROS / per_second, out);
    }
    const int64_t divisor = per_second / MICROS;
    *out = ticks / divisor - (ticks % divisor < 0 ? 1 : 0);
    return true;
}

static int64_t ticks_at(const part *p, int64_t i)
{
    const bool is_narrow =
        strcmp(p->schema->format, "tts") == 0 || strcmp(p->schema->format, "ttm") == 0; /* time32 */

    return is_narrow ? ((const int32_t *)p->array->buffers[1])[p->first + i]
                     : ((const int64_t *)p->array->buffers[1])[p->first + i];
}

static stoa_status fill_micros(const part *p, int64_t per_second, stoa_error *err)
{
    const bool is_interval = p->type.kind == STOA_KIND_DURATION;
    void *const to = p->duckdb->vector_get_data(p->vector);

    for (int64_t i = 0; i < p->n; i++) {
        int64_t micros = 0;

        if (!is_null(p, i) && !microseconds(ticks_at(p, i), per_second, &micros)) {
            return stoa_fail(err, STOA_ERANGE,
                             "column '%s': a time of more than 292,000 years is beyond DuckDB's "
                             "types, which count microseconds",
                             p->schema->name);
        }
        if (is_interval) {
            ((duck_interval *)to)[i] = (duck_interval){.microseconds = micros};
        } else {
            ((int64_t *)to)[i] = micros;
        }
    }
    return STOA_OK;
}

/* A decimal of `width` bytes in the integer that DuckDB has for its precision. */
static void fill_decimals(const part *p, const stoa_decimal *decimal)
{
    const size_t width = (size_t)decimal->width;
    const size_t to_width = decimal->precision <= 4    ? 2
                            : decimal->precision <= 9  ? 4
                            : decimal->precision <= 18 ? 8
                                                       : 16;
    uint8_t *const to = p->duckdb->vector_get_data(p->vector);
    const uint8_t *const from = p->array->buffers[1];

    if (width == 16 && to_width == 8) {
        for (int64_t i = 0; i < p->n; i++) {
            memcpy(to + (size_t)i * 8, from + (size_t)(p->first + i) * 16, 8);
        }
        return;
    }
    for (int64_t i = 0; i < p->n; i++) { /* little-endian both; the sign is extended */
        const uint8_t *const value = from + (size_t)(p->first + i) * width;
        const int sign = (value[width - 1] & 0x80) != 0 ? 0xff : 0;

        for (size_t b = 0; b < to_width; b++) {
            to[(size_t)i * to_width + b] = b < width ? value[b] : (uint8_t)sign;
        }
    }
}

/* Texts -----------------------------------------------------------------------------------------
 */

/* A text or blob as a vector has it; a long one is borrowed. */
static duck_string string_of(const char *bytes, size_t length)
{
    enum { PREFIX = 4 };
    duck_string string = {.length = (uint32_t)length};

    if (length <= DUCK_INLINED_BYTES) {
        memcpy(string.inlined, bytes, length);
    } else {
        memcpy(string.inlined, bytes, PREFIX);
        memcpy(string.inlined + PREFIX, &bytes, sizeof bytes);
    }
    return string;
}

/* The same for a short one in a block that goes on for DUCK_INLINED_BYTES. */
static duck_string short_string(const char *bytes, size_t length)
{
    static const uint8_t kept[2 * DUCK_INLINED_BYTES] = {255, 255, 255, 255, 255, 255,
                                                         255, 255, 255, 255, 255, 255};
    duck_string string = {.length = (uint32_t)length};

    for (size_t i = 0; i < DUCK_INLINED_BYTES; i++) {
        string.inlined[i] = (char)(bytes[i] & kept[DUCK_INLINED_BYTES - length + i]);
    }
    return string;
}

/* Copy a text or blob to the vector. It is UTF-8 if it is a text. */
static void assign(const part *p, int64_t i, const char *bytes, size_t length)
{
    (p->duckdb->unsafe_vector_assign_string_element_len != NULL
         ? p->duckdb->unsafe_vector_assign_string_element_len
         : p->duckdb->vector_assign_string_element_len)(p->vector, (uint64_t)i, bytes, length);
}

/* Write one text or blob. */
static stoa_status put_bytes(const part *p, int64_t i, const char *bytes, size_t length,
                             bool is_text, stoa_error *err)
{
    if (is_text && stoa_utf8_valid(bytes, length) != length) {
        return stoa_fail(err, STOA_EDATA,
                         "column '%s' has a text that is not UTF-8, which DuckDB does not take; "
                         "leave the column out",
                         p->schema->name != NULL ? p->schema->name : "");
    }
    if (length > UINT32_MAX) {
        return stoa_fail(err, STOA_ERANGE, "column '%s' has a text of 4 GiB or more",
                         p->schema->name != NULL ? p->schema->name : "");
    }
    if (length <= DUCK_INLINED_BYTES) {
        ((duck_string *)p->duckdb->vector_get_data(p->vector))[i] = string_of(bytes, length);
    } else {
        assign(p, i, bytes, length);
    }
    return STOA_OK;
}

/* Write all texts or blobs: their bytes lie together, and are checked and copied at once. False if
 * they must be written one by one: they are long, or one may not be UTF-8. */
static bool put_together(const part *p, const stoa_view *view, int64_t at, bool is_text)
{
    const int64_t start = stoa_view_offset(view, at);
    const size_t size = (size_t)(stoa_view_offset(view, at + p->n) - start);
    const char *const from = size > 0 ? (const char *)view->values + start : "";
    duck_string *const to = p->duckdb->vector_get_data(p->vector);
    const char *copy = from;

    if (size > INT32_MAX || (is_text && stoa_utf8_valid(from, size) != size)) {
        return false;
    }
    if (size > DUCK_INLINED_BYTES) { /* the first row is lent to get a place for all */
        assign(p, 0, from, size);
        memcpy(&copy, to->inlined + DUCK_INLINED_BYTES - sizeof copy, sizeof copy);
    }
    for (int64_t i = 0, first = 0; i < p->n; i++) {
        const int64_t end = stoa_view_offset(view, at + i + 1) - start;

        if (is_text && end > first && ((uint8_t)from[first] & 0xc0) == 0x80) {
            return false; /* it begins within a character */
        }
        if (end - first <= DUCK_INLINED_BYTES && first + DUCK_INLINED_BYTES <= (int64_t)size) {
            to[i] = short_string(from + first, (size_t)(end - first));
        } else {
            to[i] = string_of(copy + first, (size_t)(end - first));
        }
        first = end;
    }
    return true;
}

static stoa_status fill_bytes(const part *p, stoa_error *err)
{
    const bool is_text = stoa_kind_is_string(p->type.kind);
    stoa_view view;

    STOA_RETURN_NOT_OK(stoa_view_of_sound(p->schema, p->array, &view, err));
    const int64_t at = p->first - p->array->offset;
    if (stoa_kind_is_bytes(p->type.kind) && p->n > 0 && put_together(p, &view, at, is_text)) {
        return STOA_OK;
    }
    for (int64_t i = 0; i < p->n; i++) {
        size_t length = 0;

        if (!is_null(p, i)) {
            const char *const bytes = stoa_view_bytes(&view, at + i, &length);
            STOA_RETURN_NOT_OK(put_bytes(p, i, bytes, length, is_text, err));
        }
    }
    return STOA_OK;
}

/* Nested types ----------------------------------------------------------------------------------
 */

static stoa_status fill(const part *p, stoa_error *err);

static part child_of(const part *p, duck_object vector, const struct ArrowSchema *schema,
                     const struct ArrowArray *array, int64_t first, int64_t n)
{
    part child = {p->duckdb, vector, schema, array, {.kind = STOA_KIND_OTHER}, 0, n};

    child.first = array->offset + first;
    return child;
}

/* A null above is a null below, for functions of DuckDB that look at a member alone. */
static void hide_members(const part *p, const part *child, int64_t width)
{
    uint64_t *validity = NULL;

    for (int64_t i = 0; i < p->n; i++) {
        if (is_null(p, i)) {
            validity = validity != NULL ? validity : writable_validity(child);
            for (int64_t k = i * width; k < (i + 1) * width; k++) {
                set_null(validity, k);
            }
        }
    }
}

static stoa_status fill_struct(const part *p, stoa_error *err)
{
    for (int64_t c = 0; c < p->schema->n_children; c++) {
        const part child = child_of(p, p->duckdb->struct_vector_get_child(p->vector, (uint64_t)c),
                                    p->schema->children[c], p->array->children[c], p->first, p->n);

        STOA_RETURN_NOT_OK(fill(&child, err));
        hide_members(p, &child, 1);
    }
    return STOA_OK;
}

static stoa_status fill_array(const part *p, stoa_error *err)
{
    const int64_t width = p->type.width;
    const part child =
        child_of(p, p->duckdb->array_vector_get_child(p->vector), p->schema->children[0],
                 p->array->children[0], p->first * width, p->n * width);

    STOA_RETURN_NOT_OK(fill(&child, err));
    hide_members(p, &child, width);
    return STOA_OK;
}

static stoa_status fill_list(const part *p, stoa_error *err)
{
    duck_list_entry *const to = p->duckdb->vector_get_data(p->vector);
    stoa_view view;
    int64_t first = 0;
    int64_t end = 0;

    STOA_RETURN_NOT_OK(stoa_view_of_sound(p->schema, p->array, &view, err));
    const int64_t at = p->first - p->array->offset;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t begin = 0;
        int64_t count = 0;

        stoa_view_range(&view, at + i, &begin, &count);
        first = i == 0 ? begin : first;
        end = begin + count;
        to[i] = (duck_list_entry){(uint64_t)(begin - first), (uint64_t)count};
    }
    if (p->duckdb->list_vector_reserve(p->vector, (uint64_t)(end - first)) != 0 ||
        p->duckdb->list_vector_set_size(p->vector, (uint64_t)(end - first)) != 0) {
        return stoa_fail_memory(err);
    }
    const part child = child_of(p, p->duckdb->list_vector_get_child(p->vector),
                                p->schema->children[0], p->array->children[0], first, end - first);
    return fill(&child, err);
}

/* The label of each row; -1: none. */
static stoa_status find_labels(const part *p, int64_t *at, stoa_error *err)
{
    const struct ArrowArray *const labels = p->array->dictionary;
    stoa_view codes;

    STOA_RETURN_NOT_OK(stoa_view_of_sound(p->schema, p->array, &codes, err));
    for (int64_t i = 0; i < p->n; i++) {
        at[i] = is_null(p, i) ? -1 : stoa_view_i64(&codes, p->first - p->array->offset + i);
        at[i] = at[i] < labels->length ? at[i] : -1;
    }
    return STOA_OK;
}

static stoa_status fill_texts_of_labels(const part *p, const int64_t *at, stoa_error *err)
{
    const struct ArrowSchema *const schema = p->schema->dictionary;
    uint64_t *validity = NULL;
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_of_sound(schema, p->array->dictionary, &labels, err));
    for (int64_t i = 0; i < p->n; i++) {
        size_t length = 0;

        if (at[i] < 0 || stoa_view_is_null(&labels, at[i])) {
            validity = validity != NULL ? validity : writable_validity(p);
            set_null(validity, i);
        } else {
            const char *const bytes = stoa_view_bytes(&labels, at[i], &length);
            STOA_RETURN_NOT_OK(put_bytes(p, i, bytes, length, true, err));
        }
    }
    return STOA_OK;
}

/* Codes as the values that they stand for. */
static stoa_status fill_labels(const part *p, stoa_error *err)
{
    const struct ArrowSchema *const schema = p->schema->dictionary;
    stoa_status status = STOA_OK;
    int64_t *const at = stoa_alloc((size_t)p->n, sizeof *at);
    struct ArrowArray taken = {.release = NULL};
    stoa_view labels;
    stoa_type type;

    STOA_RETURN_NO_MEMORY(err, at);
    STOA_TRY(find_labels(p, at, err));
    (void)stoa_sql_form_of(schema, &type);
    if (stoa_kind_is_string(type.kind)) {
        STOA_TRY(fill_texts_of_labels(p, at, err));
    } else {
        STOA_TRY(stoa_view_of_sound(schema, p->array->dictionary, &labels, err));
        STOA_TRY(stoa_take_rows(&labels, at, p->n, &taken, err));
        STOA_TRY(stoa_sql_fill(p->duckdb, p->vector, schema, &taken, 0, p->n, err));
    }

done:
    stoa_array_release(&taken);
    free(at);
    return status;
}

static stoa_status fill_values(const part *p, const stoa_sql_form *form, stoa_error *err)
{
    const stoa_kind kind = p->type.kind;

    if (form->is_decimal) {
        fill_decimals(p, &form->decimal);
    } else if (form->ticks != 0) {
        return fill_micros(p, form->ticks, err);
    } else if (kind == STOA_KIND_BOOL) {
        fill_bools(p);
    } else if (kind == STOA_KIND_FLOAT16) {
        fill_float16(p);
    } else if (stoa_kind_is_bytes(kind) || kind == STOA_KIND_FIXED_BINARY) {
        return fill_bytes(p, err);
    } else if (kind == STOA_KIND_DURATION || (kind == STOA_KIND_TIMESTAMP && p->type.utc)) {
        return fill_micros(p, INT64_C(1000000000) / stoa_time_nanoseconds(p->type.unit), err);
    } else if (kind == STOA_KIND_STRUCT) {
        return fill_struct(p, err);
    } else if (stoa_sql_is_array(&p->type)) {
        return fill_array(p, err);
    } else if (stoa_kind_is_list(kind)) {
        return fill_list(p, err);
    } else if (stoa_kind_width(kind) > 0) {
        fill_same(p, (size_t)stoa_kind_width(kind));
    }
    return STOA_OK;
}

static stoa_status fill(const part *p, stoa_error *err)
{
    part q = *p;
    const stoa_sql_form form = stoa_sql_form_of(p->schema, &q.type);

    if (q.type.kind == STOA_KIND_DICTIONARY) {
        return fill_labels(&q, err);
    }
    fill_validity(&q);
    return fill_values(&q, &form, err);
}

stoa_status stoa_sql_fill(const stoa_duckdb *duckdb, duck_object vector,
                          const struct ArrowSchema *schema, const struct ArrowArray *array,
                          int64_t first, int64_t n, stoa_error *err)
{
    const part p = {duckdb, vector, schema, array, {.kind = STOA_KIND_OTHER}, array->offset + first,
                    n};

    return fill(&p, err);
}
