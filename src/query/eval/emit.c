/* Arrow arrays of computed vectors. */
#include <stdlib.h>
#include <string.h>

#include "query/eval/emit.h"

stoa_type stoa_type_of_values(const stoa_value_type *type)
{
    static const stoa_kind kinds[] = {
        [STOA_DOMAIN_NULL] = STOA_KIND_NULL,         [STOA_DOMAIN_BOOL] = STOA_KIND_BOOL,
        [STOA_DOMAIN_I64] = STOA_KIND_INT64,         [STOA_DOMAIN_U64] = STOA_KIND_UINT64,
        [STOA_DOMAIN_F64] = STOA_KIND_FLOAT64,       [STOA_DOMAIN_TEXT] = STOA_KIND_STRING,
        [STOA_DOMAIN_BYTES] = STOA_KIND_BINARY,      [STOA_DOMAIN_TIME] = STOA_KIND_TIMESTAMP,
        [STOA_DOMAIN_DURATION] = STOA_KIND_DURATION, [STOA_DOMAIN_OTHER] = STOA_KIND_OTHER,
    };
    stoa_type out = {.kind = kinds[type->domain], .unit = type->unit, .utc = type->utc};

    if (out.kind == STOA_KIND_TIMESTAMP && out.unit == STOA_TIME_DAY) {
        out.kind = STOA_KIND_DATE;
    }
    out.width = stoa_kind_width(out.kind);
    return out;
}

stoa_type stoa_type_of_expr(const stoa_expr *expr)
{
    stoa_type out = stoa_type_of_values(&expr->type);

    if (expr->kind != STOA_KIND_NULL) {
        out.kind = expr->kind;
        out.width = stoa_kind_width(out.kind);
    }
    return out;
}

/* Value i of a vector or of a constant. */
#define AT(field) vector->as.field[vector->constant ? 0 : i]

#define EMIT(ctype, field)                                                                         \
    do {                                                                                           \
        ctype *to = values;                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                          \
            to[i] = (ctype)AT(field);                                                              \
        }                                                                                          \
    } while (0)

static void emit_bits(const stoa_vector *vector, int64_t n, uint8_t *bits)
{
    for (int64_t i = 0; i < n; i++) {
        const uint64_t at = vector->constant ? 0 : (uint64_t)i;
        const bool set = vector->type.domain == STOA_DOMAIN_BOOL ? stoa_bit_get(vector->as.bits, at)
                                                                 : vector->as.i64[at] != 0;
        if (set) {
            stoa_bit_set(bits, (uint64_t)i);
        }
    }
}

static stoa_status emit_fixed(const stoa_vector *vector, stoa_kind kind, void **out,
                              stoa_error *err)
{
    const int64_t n = vector->n;
    void *values = kind == STOA_KIND_BOOL ? stoa_alloc_zero(stoa_bit_bytes((uint64_t)n), 1)
                                          : stoa_alloc((size_t)n, (size_t)stoa_kind_width(kind));

    *out = values;
    STOA_RETURN_NO_MEMORY(err, values);
    switch (kind) {
    case STOA_KIND_BOOL:
        emit_bits(vector, n, values);
        break;
    case STOA_KIND_INT8:
        EMIT(int8_t, i64);
        break;
    case STOA_KIND_INT16:
        EMIT(int16_t, i64);
        break;
    case STOA_KIND_INT32:
    case STOA_KIND_DATE:
        EMIT(int32_t, i64);
        break;
    case STOA_KIND_UINT8:
        EMIT(uint8_t, i64);
        break;
    case STOA_KIND_UINT16:
        EMIT(uint16_t, i64);
        break;
    case STOA_KIND_UINT32:
        EMIT(uint32_t, i64);
        break;
    case STOA_KIND_UINT64:
        EMIT(uint64_t, u64);
        break;
    case STOA_KIND_FLOAT16:
        for (int64_t i = 0; i < n; i++) {
            ((uint16_t *)values)[i] = stoa_f32_to_f16((float)AT(f64));
        }
        break;
    case STOA_KIND_FLOAT32:
        EMIT(float, f64);
        break;
    case STOA_KIND_FLOAT64:
        EMIT(double, f64);
        break;
    default:
        EMIT(int64_t, i64);
        break; /* INT64, TIMESTAMP, DURATION */
    }
    return STOA_OK;
}

static stoa_status emit_texts(const stoa_vector *vector, void *buffers[3], stoa_error *err)
{
    int32_t *offsets = stoa_alloc_zero((size_t)vector->n + 1, sizeof *offsets);
    size_t total = 0;

    buffers[1] = offsets;
    STOA_RETURN_NO_MEMORY(err, offsets);
    for (int64_t i = 0; i < vector->n; i++) {
        total += stoa_vector_is_null(vector, i) ? 0 : AT(bytes).length;
        if (total > INT32_MAX) {
            return stoa_fail(err, STOA_ERANGE,
                             "%lld computed texts hold more than 2 GiB, the most one "
                             "batch can",
                             (long long)vector->n);
        }
        offsets[i + 1] = (int32_t)total;
    }
    char *to = stoa_alloc(total, 1);
    STOA_RETURN_NO_MEMORY(err, to);
    buffers[2] = to;
    for (int64_t i = 0; i < vector->n; i++) {
        if (offsets[i + 1] > offsets[i]) {
            memcpy(to + offsets[i], AT(bytes).data, AT(bytes).length);
        }
    }
    return STOA_OK;
}

static stoa_status emit_validity(const stoa_vector *vector, void **out, int64_t *null_count,
                                 stoa_error *err)
{
    *out = NULL;
    *null_count = 0;
    if (vector->validity == NULL) {
        return STOA_OK;
    }
    uint8_t *validity = stoa_alloc_zero(stoa_bit_bytes((uint64_t)vector->n), 1);
    STOA_RETURN_NO_MEMORY(err, validity);
    for (int64_t i = 0; i < vector->n; i++) {
        if (stoa_vector_is_null(vector, i)) {
            ++*null_count;
        } else {
            stoa_bit_set(validity, (uint64_t)i);
        }
    }
    *out = validity;
    return STOA_OK;
}

stoa_status stoa_emit(const stoa_vector *vector, const stoa_type *type, struct ArrowArray *out,
                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *buffers[3] = {NULL, NULL, NULL};
    int64_t null_count = 0;
    const bool texts = type->kind == STOA_KIND_STRING || type->kind == STOA_KIND_BINARY;

    *out = (struct ArrowArray){0};
    if (type->kind == STOA_KIND_NULL) {
        return stoa_array_make(out, vector->n, vector->n, 0, NULL, err);
    }
    STOA_TRY(emit_validity(vector, &buffers[0], &null_count, err));
    STOA_TRY(texts ? emit_texts(vector, buffers, err)
                   : emit_fixed(vector, type->kind, &buffers[1], err));
    status = stoa_array_make(out, vector->n, null_count, texts ? 3 : 2, buffers, err);
    memset(buffers, 0, sizeof buffers); /* taken over even on failure */
    STOA_TRY(status);

done:
    for (int i = 0; i < 3; i++) {
        free(buffers[i]);
    }
    return status;
}

stoa_status stoa_struct_of(int64_t n, size_t n_children, struct ArrowArray *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_array_make(out, n, 0, 1, (void *[]){NULL}, err));
    return stoa_array_children(out, (int64_t)n_children, err);
}

stoa_value_type stoa_value_type_of(const stoa_type *type, bool labels)
{
    stoa_value_type value = {.domain = STOA_DOMAIN_OTHER, .unit = type->unit, .utc = type->utc};

    if (type->kind == STOA_KIND_NULL) {
        value.domain = STOA_DOMAIN_NULL;
    } else if (type->kind == STOA_KIND_BOOL) {
        value.domain = STOA_DOMAIN_BOOL;
    } else if (type->kind == STOA_KIND_UINT64) {
        value.domain = STOA_DOMAIN_U64;
    } else if (stoa_kind_is_integer(type->kind)) {
        value.domain = STOA_DOMAIN_I64;
    } else if (stoa_kind_is_float(type->kind)) {
        value.domain = STOA_DOMAIN_F64;
    } else if (stoa_kind_is_string(type->kind) || labels) {
        value.domain = STOA_DOMAIN_TEXT;
    } else if (type->kind == STOA_KIND_BINARY || type->kind == STOA_KIND_LARGE_BINARY ||
               type->kind == STOA_KIND_FIXED_BINARY) {
        value.domain = STOA_DOMAIN_BYTES;
    } else if (stoa_kind_is_time(type->kind)) {
        value.domain = STOA_DOMAIN_TIME;
    } else if (type->kind == STOA_KIND_DURATION) {
        value.domain = STOA_DOMAIN_DURATION;
    }
    return value;
}
