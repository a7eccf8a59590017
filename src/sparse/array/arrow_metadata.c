/* Shape and fill value of a sparse array in the metadata of an Arrow schema
 * (docs/sparse-arrow.md). */
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "sparse/array/arrow.h"

/* --- shape ----------------------------------------------------------------------------------- */

stoa_status stoa_arrow_put_shape(struct ArrowSchema *schema, unsigned rank, const uint64_t *extent,
                                 stoa_error *err)
{
    stoa_buffer text = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    for (unsigned i = 0; i < rank; i++) {
        STOA_TRY(stoa_buffer_print(&text, err, "%s%llu", i == 0 ? "[" : ", ",
                                   (unsigned long long)extent[i]));
    }
    STOA_TRY(stoa_buffer_print(&text, err, "]"));
    STOA_TRY(stoa_schema_set(schema, STOA_ARROW_SHAPE, (const char *)text.data, err));

done:
    stoa_buffer_clear(&text);
    return status;
}

/* Parse a JSON array of exactly `rank` numbers. */
static stoa_status parse_shape(const char *text, unsigned rank, uint64_t *extent, bool *is_shape)
{
    stoa_json json = {0};
    stoa_json_kind kind = STOA_JSON_NULL;
    size_t n = 0;

    stoa_json_begin(&json, text, strlen(text), 1);
    stoa_status status = stoa_json_value(&json, &kind, NULL);
    if (status == STOA_OK && kind == STOA_JSON_ARRAY) {
        status = stoa_json_sizes(&json, extent, rank, &n, NULL);
    }
    *is_shape = status == STOA_OK && n == rank && stoa_json_is_blank(&json);
    for (unsigned i = 0; i < rank && *is_shape; i++) {
        *is_shape = extent[i] <= INT64_MAX;
    }
    stoa_json_clear(&json);
    return status == STOA_ENOMEM ? status : STOA_OK;
}

stoa_status stoa_arrow_get_shape(const struct ArrowSchema *schema, unsigned rank, uint64_t *extent,
                                 bool *found, stoa_error *err)
{
    char *text = NULL;
    bool is_shape = false;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_schema_get_text(schema, STOA_ARROW_SHAPE, &text, err));
    *found = text != NULL;
    if (*found && parse_shape(text, rank, extent, &is_shape) != STOA_OK) {
        status = stoa_fail_memory(err);
    } else if (*found && !is_shape) {
        STOA_FAIL(err, STOA_EDATA, "%s '%.60s' is not the shape of %u dimensions, as \"[3, 4]\"",
                  STOA_ARROW_SHAPE, text, rank);
    }

done:
    free(text);
    return status;
}

/* --- fill value ------------------------------------------------------------------------------ */

static bool is_wide_float(const stoa_element *element)
{
    return element->class == STOA_ELEMENT_FLOAT && element->kind != STOA_KIND_FLOAT16;
}

/* Floats are formatted as doubles, which represent them exactly. */
static void format_number(const stoa_element *element, const uint8_t *value, char *text)
{
    const stoa_view view = {.type = {.kind = element->kind}, .length = 1, .values = value};
    size_t n = 0;

    if (is_wide_float(element)) {
        n = stoa_format_f64(stoa_view_f64(&view, 0), text);
    } else if (stoa_kind_is_unsigned(element->kind)) {
        n = stoa_format_u64((uint64_t)stoa_view_i64(&view, 0), text);
    } else {
        n = stoa_format_i64(stoa_view_i64(&view, 0), text);
    }
    text[n] = '\0';
}

stoa_status stoa_arrow_put_fill(struct ArrowSchema *schema, const stoa_element *element,
                                const uint8_t *value, stoa_error *err)
{
    stoa_buffer text = {NULL, 0, 0};
    char number[STOA_NUMBER_SIZE + 1];
    size_t n_zero = 0;
    stoa_status status = STOA_OK;

    while (n_zero < element->size && value[n_zero] == 0) {
        n_zero++;
    }
    if (n_zero == element->size) {
        goto done;
    }
    if (element->class == STOA_ELEMENT_INTEGER || is_wide_float(element)) {
        format_number(element, value, number);
        STOA_TRY(stoa_schema_set(schema, STOA_ARROW_FILL, number, err));
        goto done;
    }
    STOA_TRY(stoa_buffer_print(&text, err, "0x"));
    for (size_t i = 0; i < element->size; i++) {
        STOA_TRY(stoa_buffer_print(&text, err, "%02x", value[i]));
    }
    STOA_TRY(stoa_schema_set(schema, STOA_ARROW_FILL, (const char *)text.data, err));

done:
    stoa_buffer_clear(&text);
    return status;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool parse_bytes(const char *text, size_t size, uint8_t *value)
{
    if (strlen(text) != 2 * size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        const int high = digit_of(text[2 * i]);
        const int low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        value[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

static bool parse_float(const char *text, const stoa_element *element, uint8_t *value)
{
    double wide = 0.0;

    if (!stoa_parse_f64(text, strlen(text), &wide)) {
        return false;
    }
    const float narrow = (float)wide;
    const uint16_t half = stoa_f32_to_f16(narrow);
    memcpy(value,
           element->kind == STOA_KIND_FLOAT16   ? (const void *)&half
           : element->kind == STOA_KIND_FLOAT32 ? (const void *)&narrow
                                                : &wide,
           element->size);
    return true;
}

static bool parse_integer(const char *text, const stoa_element *element, uint8_t *value)
{
    const unsigned bits = 8 * (unsigned)element->size;
    int64_t number = 0;
    uint64_t natural = 0;

    if (stoa_kind_is_unsigned(element->kind)) {
        if (!stoa_parse_u64(text, strlen(text), &natural) || natural > UINT64_MAX >> (64 - bits)) {
            return false;
        }
        number = (int64_t)natural;
    } else if (!stoa_parse_i64(text, strlen(text), &number) || number > INT64_MAX >> (64 - bits) ||
               number < INT64_MIN >> (64 - bits)) {
        return false;
    }
    stoa_integer_put(value, element->size, number);
    return true;
}

bool stoa_number_parse(const char *text, const stoa_element *element, uint8_t *value)
{
    return element->class == STOA_ELEMENT_FLOAT ? parse_float(text, element, value)
                                                : parse_integer(text, element, value);
}

static bool parse_fill(const char *text, const stoa_element *element, uint8_t *value)
{
    if (text[0] == '0' && text[1] == 'x') {
        return parse_bytes(text + 2, element->size, value);
    }
    return (is_wide_float(element) || element->class == STOA_ELEMENT_INTEGER) &&
           stoa_number_parse(text, element, value);
}

stoa_status stoa_arrow_get_fill(const struct ArrowSchema *schema, const stoa_element *element,
                                uint8_t *value, stoa_error *err)
{
    char *text = NULL;
    stoa_status status = STOA_OK;

    memset(value, 0, element->size);
    STOA_TRY(stoa_schema_get_text(schema, STOA_ARROW_FILL, &text, err));
    if (text != NULL && !parse_fill(text, element, value)) {
        STOA_FAIL(err, STOA_EDATA, "%s '%.60s' is no %s", STOA_ARROW_FILL, text, element->text);
    }

done:
    free(text);
    return status;
}
