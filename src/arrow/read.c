/* Views of Arrow arrays: validated once, as far as the interface allows, then read without
 * checks. */
#include "arrow/read.h"

#include <string.h>

#include "arrow/metadata.h"

enum { VIEW_MAX_DEPTH = 64 };

/* Producers should align their buffers, but need not. With aligned buffers memcpy costs nothing. */
#define LOAD(type, values, i) load_##type(values, i)
#define DEFINE_LOAD(type)                                                                          \
    static type load_##type(const void *values, int64_t i)                                         \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, (const uint8_t *)values + i * (int64_t)sizeof value, sizeof value);         \
        return value;                                                                              \
    }
DEFINE_LOAD(int8_t)
DEFINE_LOAD(int16_t)
DEFINE_LOAD(int32_t)
DEFINE_LOAD(int64_t)
DEFINE_LOAD(uint8_t)
DEFINE_LOAD(uint16_t)
DEFINE_LOAD(uint32_t)
DEFINE_LOAD(float)
DEFINE_LOAD(double)

static bool is_variable_list(stoa_kind kind)
{
    return kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST;
}

/* The number of buffers that the format requires for a kind. */
static int64_t n_buffers_of(stoa_kind kind)
{
    switch (kind) {
    case STOA_KIND_NULL:
        return 0;
    case STOA_KIND_STRUCT:
    case STOA_KIND_FIXED_LIST:
        return 1;
    default:
        return stoa_kind_is_bytes(kind) ? 3 : 2;
    }
}

static const char *field_name(const struct ArrowSchema *schema)
{
    return schema->name != NULL ? schema->name : "";
}

static void count_nulls(stoa_view *view)
{
    if (view->type.kind == STOA_KIND_NULL) {
        view->null_count = view->length;
    } else if (view->validity == NULL || view->length == 0) {
        view->null_count = 0;
    } else {
        view->null_count =
            view->length -
            (int64_t)stoa_bit_count(view->validity, (uint64_t)view->offset, (uint64_t)view->length);
    }
}

/* Point a view at the array's buffers, without reading their contents. */
static stoa_status view_buffers(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                stoa_view *view, stoa_error *err)
{
    const char *name = field_name(schema);

    *view = (stoa_view){.schema = schema, .array = array};
    STOA_RETURN_NOT_OK(stoa_type_of(schema, &view->type, err));
    const stoa_kind kind = view->type.kind;

    if (kind == STOA_KIND_OTHER) {
        return stoa_fail(err, STOA_ETYPE,
                         "field '%s' has the Arrow format '%s', for which Stoa has no "
                         "column; cast it first",
                         name, schema->format);
    }
    if (array->length < 0 || array->offset < 0 || array->length > INT64_MAX / 16 - array->offset) {
        return stoa_fail(err, STOA_EDATA,
                         "field '%s': an Arrow array cannot have length %lld at offset "
                         "%lld",
                         name, (long long)array->length, (long long)array->offset);
    }
    if (array->n_buffers != n_buffers_of(kind) ||
        (array->n_buffers > 0 && array->buffers == NULL)) {
        char type_name[64];
        return stoa_fail(err, STOA_EDATA,
                         "field '%s': an Arrow array of %s has %lld buffers, not %lld", name,
                         stoa_type_name(&view->type, type_name), (long long)array->n_buffers,
                         (long long)n_buffers_of(kind));
    }
    view->length = array->length;
    view->offset = array->offset;
    if (array->n_buffers > 0) {
        view->validity = array->buffers[0];
    }
    if (stoa_kind_is_bytes(kind) || is_variable_list(kind)) {
        view->offsets = array->buffers[1];
    }
    if (!is_variable_list(kind) && array->n_buffers > 1) {
        view->values = array->buffers[array->n_buffers - 1];
    }
    if (view->validity == NULL && array->null_count > 0 && kind != STOA_KIND_NULL) {
        return stoa_fail(err, STOA_EDATA,
                         "field '%s': an Arrow array with %lld nulls has no validity "
                         "bitmap",
                         name, (long long)array->null_count);
    }
    count_nulls(view);
    return STOA_OK;
}

/* Whether offsets begin at 0 or above and never descend. The test combines the signs of all
 * differences and runs at memory speed. */
#define ASCEND(ctype, unsigned_type)                                                               \
    do {                                                                                           \
        const uint8_t *const from = offsets + (size_t)view->offset * sizeof(ctype);                \
        unsigned_type signs = 0;                                                                   \
        unsigned_type first;                                                                       \
        memcpy(&first, from, sizeof first);                                                        \
        for (size_t i = 0; i < (size_t)view->length; i++) {                                        \
            unsigned_type low;                                                                     \
            unsigned_type high;                                                                    \
            memcpy(&low, from + i * sizeof low, sizeof low);                                       \
            memcpy(&high, from + (i + 1) * sizeof high, sizeof high);                              \
            signs |= high | (high - low);                                                          \
        }                                                                                          \
        return (signs | first) >> (8 * sizeof signs - 1) == 0;                                     \
    } while (0)

static bool all_ascend(const stoa_view *view)
{
    const uint8_t *const offsets = view->offsets;

    if (stoa_kind_is_wide(view->type.kind)) {
        ASCEND(int64_t, uint64_t);
    }
    ASCEND(int32_t, uint32_t);
}

static stoa_status blame_offsets(const stoa_view *view, stoa_error *err)
{
    int64_t previous = 0;
    int64_t i = 0;

    while (i < view->length && stoa_view_offset(view, i) >= previous) {
        previous = stoa_view_offset(view, i++);
    }
    return stoa_fail(err, STOA_EDATA,
                     "field '%s': offset %lld of an Arrow array is %lld, after %lld",
                     field_name(view->schema), (long long)i, (long long)stoa_view_offset(view, i),
                     (long long)previous);
}

/* Check that required buffers exist and that offsets never descend. */
static stoa_status check_buffers(const stoa_view *view, stoa_error *err)
{
    const char *name = field_name(view->schema);
    const stoa_kind kind = view->type.kind;
    const bool has_offsets = stoa_kind_is_bytes(kind) || is_variable_list(kind);
    const bool has_values = !has_offsets && view->array->n_buffers > 1 &&
                            (kind != STOA_KIND_FIXED_BINARY || view->type.width > 0);

    if (view->length == 0) {
        return STOA_OK;
    }
    if ((has_values && view->values == NULL) || (has_offsets && view->offsets == NULL)) {
        return stoa_fail(err, STOA_EDATA, "field '%s': an Arrow array of %lld rows lacks its %s",
                         name, (long long)view->length, has_offsets ? "offsets" : "values");
    }
    if (!has_offsets) {
        return STOA_OK;
    }
    if (!all_ascend(view)) {
        return blame_offsets(view, err);
    }
    if (stoa_kind_is_bytes(kind) && view->values == NULL &&
        stoa_view_offset(view, view->length) > stoa_view_offset(view, 0)) {
        return stoa_fail(err, STOA_EDATA, "field '%s': an Arrow array lacks its bytes", name);
    }
    return STOA_OK;
}

#define GREATEST_CODE(ctype)                                                                       \
    do {                                                                                           \
        ctype greatest = 0;                                                                        \
        for (int64_t i = 0; i < view->length; i++) {                                               \
            ctype code;                                                                            \
            memcpy(&code, codes + (size_t)i * sizeof code, sizeof code);                           \
            greatest = code > greatest ? code : greatest;                                          \
        }                                                                                          \
        return greatest < (uint64_t)n_entries;                                                     \
    } while (0)

/* Combines the signs of all codes: few processors compare vectors of 64-bit numbers. */
static bool all_long_codes_inside(const uint8_t *codes, int64_t n, int64_t n_entries)
{
    const uint64_t last = (uint64_t)n_entries - 1;
    uint64_t signs = last;

    for (size_t i = 0; i < (size_t)n; i++) {
        uint64_t code;
        memcpy(&code, codes + i * sizeof code, sizeof code);
        signs |= code | (last - code);
    }
    return signs >> 63 == 0;
}

/* Whether all codes, including those of missing rows, refer to a dictionary entry. Most arrays pass
 * this test, which runs at memory speed. A negative code counts as a large one. */
static bool all_codes_inside(const stoa_view *view, int64_t n_entries)
{
    const size_t width = (size_t)stoa_kind_width(view->type.index);
    const uint8_t *const codes = (const uint8_t *)view->values + (size_t)view->offset * width;

    switch (width) {
    case 1:
        GREATEST_CODE(uint8_t);
    case 2:
        GREATEST_CODE(uint16_t);
    case 4:
        GREATEST_CODE(uint32_t);
    default:
        return all_long_codes_inside(codes, view->length, n_entries);
    }
}

/* Check that the codes of valid rows refer to a dictionary entry. */
static stoa_status check_codes(const stoa_view *view, int64_t n_entries, stoa_error *err)
{
    if (view->length == 0 || all_codes_inside(view, n_entries)) {
        return STOA_OK;
    }
    for (int64_t i = 0; i < view->length; i++) {
        if (stoa_view_is_null(view, i)) {
            continue;
        }
        const int64_t code = stoa_view_i64(view, i);
        if (code < 0 || code >= n_entries) {
            return stoa_fail(err, STOA_EDATA,
                             "field '%s': code %lld in row %lld is outside its dictionary of %lld "
                             "entries",
                             field_name(view->schema), (long long)code, (long long)i,
                             (long long)n_entries);
        }
    }
    return STOA_OK;
}

/* The number of rows that a child must have to cover its parent. */
static int64_t child_rows_needed(const stoa_view *view)
{
    if (view->type.kind == STOA_KIND_STRUCT) {
        return view->offset + view->length;
    }
    if (view->type.kind == STOA_KIND_FIXED_LIST) {
        const int64_t rows = view->offset + view->length;
        const int64_t width = view->type.width;
        return width != 0 && rows > INT64_MAX / width ? INT64_MAX : rows * width;
    }
    return view->length > 0 ? stoa_view_offset(view, view->length) : 0;
}

static stoa_status check_deep(const stoa_view *view, int depth, stoa_error *err);

static stoa_status check_nested(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                int64_t rows_needed, int depth, stoa_error *err)
{
    stoa_view view;

    if (schema == NULL || array == NULL || schema->release == NULL || array->release == NULL) {
        return stoa_fail(err, STOA_EDATA, "a nested Arrow array is missing or has been moved away");
    }
    STOA_RETURN_NOT_OK(view_buffers(schema, array, &view, err));
    if (view.length < rows_needed) {
        return stoa_fail(err, STOA_EDATA,
                         "field '%s': the nested Arrow array has %lld rows, its parent "
                         "needs %lld",
                         field_name(schema), (long long)view.length, (long long)rows_needed);
    }
    return check_deep(&view, depth + 1, err);
}

static stoa_status check_deep(const stoa_view *view, int depth, stoa_error *err)
{
    const struct ArrowSchema *schema = view->schema;
    const struct ArrowArray *array = view->array;
    const stoa_kind kind = view->type.kind;

    if (depth > VIEW_MAX_DEPTH) {
        return stoa_fail(err, STOA_ETYPE, "Arrow data is nested more than %d deep", VIEW_MAX_DEPTH);
    }
    if (schema->n_children != array->n_children || schema->n_children < 0 ||
        (stoa_kind_is_list(kind) && schema->n_children != 1) ||
        (schema->n_children > 0 && (schema->children == NULL || array->children == NULL))) {
        return stoa_fail(
            err, STOA_EDATA, "field '%s': the Arrow array has %lld children, its schema %lld",
            field_name(schema), (long long)array->n_children, (long long)schema->n_children);
    }
    STOA_RETURN_NOT_OK(check_buffers(view, err));
    for (int64_t i = 0; i < schema->n_children; i++) {
        STOA_RETURN_NOT_OK(check_nested(schema->children[i], array->children[i],
                                        child_rows_needed(view), depth, err));
    }
    if (kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(check_nested(schema->dictionary, array->dictionary, 0, depth, err));
        STOA_RETURN_NOT_OK(check_codes(view, array->dictionary->length, err));
    }
    return STOA_OK;
}

stoa_status stoa_view_of_sound(const struct ArrowSchema *schema, const struct ArrowArray *array,
                               stoa_view *view, stoa_error *err)
{
    if (schema->release == NULL || array->release == NULL) {
        *view = (stoa_view){0};
        return stoa_fail(err, STOA_EINVAL, "the Arrow data has been released already");
    }
    return view_buffers(schema, array, view, err);
}

stoa_status stoa_view_of(const struct ArrowSchema *schema, const struct ArrowArray *array,
                         stoa_view *view, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_view_of_sound(schema, array, view, err));
    return check_deep(view, 0, err);
}

stoa_status stoa_view_child(const stoa_view *view, int64_t i, stoa_view *child, stoa_error *err)
{
    if (i < 0 || i >= view->array->n_children) {
        *child = (stoa_view){0};
        return stoa_fail(err, STOA_ERANGE, "field '%s' has no child %lld", field_name(view->schema),
                         (long long)i);
    }
    STOA_RETURN_NOT_OK(
        view_buffers(view->schema->children[i], view->array->children[i], child, err));
    if (view->type.kind == STOA_KIND_STRUCT) {
        child->offset += view->offset;
        child->length = view->length;
        count_nulls(child);
    }
    return STOA_OK;
}

stoa_status stoa_view_dictionary(const stoa_view *view, stoa_view *dictionary, stoa_error *err)
{
    if (view->type.kind != STOA_KIND_DICTIONARY) {
        *dictionary = (stoa_view){0};
        return stoa_fail(err, STOA_ETYPE, "field '%s' has no dictionary", field_name(view->schema));
    }
    return view_buffers(view->schema->dictionary, view->array->dictionary, dictionary, err);
}

/* The position of the first bit of [at, end) that equals `bit`; other bits are skipped a byte at a
 * time. */
static uint64_t find_bit(const uint8_t *bits, uint64_t at, uint64_t end, bool bit)
{
    const uint8_t others = bit ? 0x00 : 0xff;

    while (at < end && stoa_bit_get(bits, at) != bit) {
        at++;
        while ((at & 7) == 0 && end - at >= 8 && bits[at >> 3] == others) {
            at += 8;
        }
    }
    return at;
}

int64_t stoa_view_run(const stoa_view *view, int64_t *first)
{
    if (view->type.kind == STOA_KIND_NULL || *first >= view->length) {
        return 0;
    }
    if (view->validity == NULL) {
        return view->length - *first;
    }
    const uint64_t end = (uint64_t)(view->offset + view->length);
    const uint64_t from = find_bit(view->validity, (uint64_t)(view->offset + *first), end, true);
    *first = (int64_t)from - view->offset;
    return (int64_t)(find_bit(view->validity, from, end, false) - from);
}

int64_t stoa_view_i64(const stoa_view *view, int64_t i)
{
    const int64_t at = view->offset + i;
    const stoa_kind kind =
        view->type.kind == STOA_KIND_DICTIONARY ? view->type.index : view->type.kind;

    switch (kind) {
    case STOA_KIND_BOOL:
        return stoa_bit_get(view->values, (uint64_t)at);
    case STOA_KIND_INT8:
        return LOAD(int8_t, view->values, at);
    case STOA_KIND_INT16:
        return LOAD(int16_t, view->values, at);
    case STOA_KIND_INT32:
    case STOA_KIND_DATE:
        return LOAD(int32_t, view->values, at);
    case STOA_KIND_UINT8:
        return LOAD(uint8_t, view->values, at);
    case STOA_KIND_UINT16:
        return LOAD(uint16_t, view->values, at);
    case STOA_KIND_UINT32:
        return LOAD(uint32_t, view->values, at);
    case STOA_KIND_INT64:
    case STOA_KIND_UINT64:
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        return LOAD(int64_t, view->values, at);
    default:
        return 0;
    }
}

double stoa_view_f64(const stoa_view *view, int64_t i)
{
    const int64_t at = view->offset + i;

    switch (view->type.kind) {
    case STOA_KIND_FLOAT16:
        return (double)stoa_f16_to_f32(LOAD(uint16_t, view->values, at));
    case STOA_KIND_FLOAT32:
        return (double)LOAD(float, view->values, at);
    case STOA_KIND_FLOAT64:
        return LOAD(double, view->values, at);
    default:
        return 0.0;
    }
}

void stoa_view_range(const stoa_view *view, int64_t i, int64_t *first, int64_t *count)
{
    if (view->type.kind == STOA_KIND_FIXED_LIST) {
        *first = (view->offset + i) * view->type.width;
        *count = view->type.width;
    } else {
        *first = stoa_view_offset(view, i);
        *count = stoa_view_offset(view, i + 1) - *first;
    }
}

bool stoa_schema_get(const struct ArrowSchema *schema, const char *key, const char **value,
                     size_t *length)
{
    return stoa_metadata_find(schema->metadata, key, value, length);
}

stoa_status stoa_schema_get_text(const struct ArrowSchema *schema, const char *key, char **value,
                                 stoa_error *err)
{
    const char *bytes;
    size_t length;

    *value = NULL;
    if (!stoa_schema_get(schema, key, &bytes, &length)) {
        return STOA_OK;
    }
    *value = stoa_strndup(bytes, length);
    return *value != NULL ? STOA_OK : stoa_fail_memory(err);
}
