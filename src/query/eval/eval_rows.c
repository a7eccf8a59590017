/*
 * Evaluation for selected rows only.
 *
 * Whole windows are evaluated first, because that is fastest. If that fails, the failure (such as
 * an overflow) may be in a row that was not selected. Then each selected row is evaluated by
 * itself, except for items of lists: there any failure counts.
 */
#include <string.h>

#include "query/eval/eval.h"

/* Copy the only value of a vector to row `row` of another. */
static stoa_status copy_value(stoa_arena *arena, const stoa_vector *from, int64_t row,
                              uint8_t *values, uint8_t *validity, stoa_error *err)
{
    if (stoa_vector_is_null(from, 0)) {
        return STOA_OK;
    }
    stoa_bit_set(validity, (uint64_t)row);
    if (stoa_domain_is_bytes(from->type.domain)) {
        const stoa_bytes text = from->as.bytes[0];
        const char *copy = stoa_arena_text(arena, text.data, text.length);
        STOA_RETURN_NO_MEMORY(err, copy);
        ((stoa_bytes *)(void *)values)[row] = (stoa_bytes){copy, text.length};
    } else if (from->type.domain != STOA_DOMAIN_BOOL) {
        ((uint64_t *)(void *)values)[row] = from->as.u64[0];
    } else if ((from->as.bits[0] & 1) != 0) {
        stoa_bit_set(values, (uint64_t)row);
    }
    return STOA_OK;
}

static stoa_status eval_one_by_one(stoa_evaluation *ev, const stoa_expr *expr,
                                   const uint8_t *selected, stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_evaluation one = {0};
    stoa_vector value;
    uint8_t *values = stoa_arena_zero(&ev->arena, (size_t)ev->n, sizeof(stoa_bytes));
    uint8_t *validity = stoa_arena_zero(&ev->arena, stoa_bit_bytes((uint64_t)ev->n), 1);

    STOA_TRY(values != NULL && validity != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_evaluation_open(&one, ev->scope, err));
    one.fetch = ev->fetch;
    one.fetch_context = ev->fetch_context;
    for (int64_t row = 0; row < ev->n; row++) {
        if (stoa_bit_get(selected, (uint64_t)row)) {
            stoa_evaluation_move(&one, ev->views, ev->first + row, 1);
            STOA_TRY(stoa_eval(&one, expr, &value, err));
            STOA_TRY(copy_value(&ev->arena, &value, row, values, validity, err));
        }
    }
    *out = (stoa_vector){.type = expr->type, .n = ev->n, .validity = validity};
    out->as.bits = values;

done:
    stoa_evaluation_clear(&one);
    return status;
}

stoa_status stoa_eval_rows(stoa_evaluation *ev, const stoa_expr *expr, const uint8_t *selected,
                           stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error overflow = STOA_ERROR_INIT;

    status = stoa_eval(ev, expr, out, selected != NULL ? &overflow : err);
    if (status == STOA_ERANGE && selected != NULL && ev->items == NULL && ev->operand == NULL) {
        status = eval_one_by_one(ev, expr, selected, out, err);
    } else if (status != STOA_OK && selected != NULL && err != NULL) {
        *err = overflow;
    }
    return status;
}
