/* Thresholds: an expression of one comparison, whose constant is replaced. */
#include "query/run/threshold.h"

#include <math.h>

bool stoa_threshold_suits(const stoa_scope *scope, const stoa_expr *key)
{
    const stoa_value_domain domain = key->type.domain;

    return key->op == STOA_OP_COLUMN && !stoa_scope_column_is_coded(&scope->columns[key->column]) &&
           (stoa_domain_is_number(domain) || stoa_domain_is_ticks(domain) ||
            stoa_domain_is_bytes(domain));
}

/* Copy the value of a row that is not missing. Returns STOA_OK with is_set false for a NaN. */
static stoa_status take_value(stoa_threshold *out, const stoa_view *view, int64_t row,
                              stoa_error *err)
{
    const stoa_value_domain domain = out->constant.type.domain;

    out->is_set = true;
    if (domain == STOA_DOMAIN_F64) {
        out->value.f64 = stoa_view_f64(view, row);
        out->is_set = !isnan(out->value.f64);
        out->constant.value.as.f64 = &out->value.f64;
    } else if (domain == STOA_DOMAIN_U64) {
        out->value.u64 = (uint64_t)stoa_view_i64(view, row);
        out->constant.value.as.u64 = &out->value.u64;
    } else if (stoa_domain_is_bytes(domain)) {
        size_t length;
        const char *text = stoa_view_bytes(view, row, &length);
        out->text.size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_append(&out->text, text, length, err));
        out->value.bytes = (stoa_bytes){(const char *)out->text.data, length};
        out->constant.value.as.bytes = &out->value.bytes;
    } else {
        out->value.i64 = stoa_view_i64(view, row);
        out->constant.value.as.i64 = &out->value.i64;
    }
    return STOA_OK;
}

stoa_status stoa_threshold_set(stoa_threshold *out, const stoa_expr *key, const stoa_view *view,
                               int64_t row, bool is_descending, bool is_strict, stoa_error *err)
{
    out->is_set = false;
    if (stoa_view_is_null(view, row)) {
        return STOA_OK;
    }
    out->column = *key;
    out->constant = (stoa_expr){.op = STOA_OP_CONSTANT, .type = key->type};
    out->constant.value = (stoa_vector){.type = key->type, .n = 1, .constant = true};
    out->args[0] = &out->column;
    out->args[1] = &out->constant;
    out->test = (stoa_expr){.op = STOA_OP_COMPARE,
                            .type = {.domain = STOA_DOMAIN_BOOL},
                            .n_args = 2,
                            .args = out->args};
    out->test.compare =
        is_descending ? (is_strict ? STOA_GT : STOA_GE) : (is_strict ? STOA_LT : STOA_LE);
    return take_value(out, view, row, err);
}

void stoa_threshold_clear(stoa_threshold *threshold)
{
    stoa_buffer_clear(&threshold->text);
    threshold->is_set = false;
}
