#include "layout/common/values_as_categories.h"

#include <stdlib.h>
#include <string.h>

#include "core/string_set.h"
#include "layout/common/changed_columns.h"

static stoa_status make_schema(const struct ArrowSchema *from, const bool *which,
                               struct ArrowSchema *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(out, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, from->n_children, err));
    for (int64_t i = 0; i < from->n_children; i++) {
        const struct ArrowSchema *const field = from->children[i];
        struct ArrowSchema *const to = out->children[i];
        if (!which[i]) {
            STOA_RETURN_NOT_OK(stoa_schema_copy(field, to, err));
            continue;
        }
        STOA_RETURN_NOT_OK(
            stoa_schema_make(to, field->name, stoa_kind_format(STOA_KIND_INT32), err));
        STOA_RETURN_NOT_OK(stoa_schema_dictionary(to, field->format, err));
        STOA_RETURN_NOT_OK(stoa_field_keep_units(to, field, err));
    }
    return STOA_OK;
}

/* Number the different values of a column. Missing ones keep the code 0. */
static stoa_status number_values(const stoa_view *column, stoa_string_set *values, int32_t *codes,
                                 uint8_t *validity, stoa_error *err)
{
    const bool are_bits = column->type.kind == STOA_KIND_BOOL;
    const size_t width = are_bits ? 1 : (size_t)stoa_kind_width(column->type.kind);

    for (int64_t i = 0; i < column->length; i++) {
        const char bit = are_bits && stoa_view_i64(column, i) != 0;
        const char *const value =
            are_bits ? &bit : (const char *)column->values + (size_t)(column->offset + i) * width;
        uint32_t number = 0;
        if (!stoa_view_is_null(column, i)) {
            STOA_RETURN_NOT_OK(stoa_string_set_add(values, value, width, &number, err));
            stoa_bit_set(validity, (uint64_t)i);
        }
        codes[i] = (int32_t)number;
    }
    return STOA_OK;
}

/* The values as an array, in the order of their numbers. */
static stoa_status make_labels(const stoa_string_set *values, const stoa_type *type,
                               struct ArrowArray *out, stoa_error *err)
{
    const size_t n = values->count;
    const bool are_bits = type->kind == STOA_KIND_BOOL;
    const size_t size = are_bits ? stoa_bit_bytes(n) : n * (size_t)stoa_kind_width(type->kind);
    uint8_t *const labels = stoa_alloc_zero(size + 1, 1);

    STOA_RETURN_NO_MEMORY(err, labels);
    for (size_t i = 0; are_bits && i < n; i++) {
        if (values->bytes.data[i] != 0) {
            stoa_bit_set(labels, i);
        }
    }
    if (!are_bits && size > 0) {
        memcpy(labels, values->bytes.data, size);
    }
    return stoa_array_make(out, (int64_t)n, 0, 2, (void *[]){NULL, labels}, err);
}

static stoa_status encode(const void *context, size_t i, const stoa_view *column,
                          const struct ArrowSchema *field, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set values = {0};
    struct ArrowArray labels = {.release = NULL};
    int32_t *codes = NULL;
    uint8_t *validity = NULL;

    (void)context;
    (void)i;
    if (field->dictionary == NULL || column->type.kind == STOA_KIND_DICTIONARY) {
        return STOA_OK;
    }
    codes = stoa_alloc((size_t)column->length, sizeof *codes);
    validity = stoa_alloc_zero(stoa_bit_bytes((uint64_t)column->length), 1);
    STOA_TRY(codes != NULL && validity != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(number_values(column, &values, codes, validity, err));
    STOA_TRY(make_labels(&values, &column->type, &labels, err));
    void *const buffers[] = {validity, codes};
    validity = NULL;
    codes = NULL;
    STOA_TRY(stoa_array_make(out, column->length, column->null_count, 2, buffers, err));
    STOA_TRY(stoa_array_dictionary(out, &labels, err));

done:
    free(codes);
    free(validity);
    stoa_array_release(&labels);
    stoa_string_set_clear(&values);
    return status;
}

stoa_status stoa_values_as_categories(struct ArrowArrayStream *stream, const bool *which,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema plain = {.release = NULL};
    struct ArrowSchema coded = {.release = NULL};

    STOA_TRY(stoa_stream_schema(stream, &plain, err));
    STOA_TRY(make_schema(&plain, which, &coded, err));
    STOA_TRY(stoa_stream_change_columns(stream, &coded, encode, NULL, err));

done:
    stoa_schema_release(&plain);
    stoa_schema_release(&coded);
    return status;
}
