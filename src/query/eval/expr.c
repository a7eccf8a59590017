/* Nodes of bound trees. */
#include <string.h>

#include "query/eval/eval.h"

stoa_status stoa_expr_make(const stoa_binder *binder, stoa_op op, stoa_value_domain domain,
                           const stoa_syntax *syntax, size_t n_args, stoa_expr *const *args,
                           stoa_expr **out, stoa_error *err)
{
    stoa_expr *expr = stoa_arena_zero(binder->arena, 1, sizeof *expr);
    stoa_expr **copy = stoa_arena_alloc(binder->arena, n_args, sizeof *copy);

    STOA_RETURN_NO_MEMORY(err, expr != NULL && copy != NULL);
    for (size_t i = 0; i < n_args; i++) {
        copy[i] = args[i];
    }
    expr->op = op;
    expr->type.domain = domain;
    expr->syntax = syntax;
    expr->n_args = n_args;
    expr->args = copy;
    *out = expr;
    return STOA_OK;
}

static size_t domain_size(stoa_value_domain domain)
{
    switch (domain) {
    case STOA_DOMAIN_BOOL:
        return 1;
    case STOA_DOMAIN_TEXT:
    case STOA_DOMAIN_BYTES:
        return sizeof(stoa_bytes);
    default:
        return sizeof(int64_t);
    }
}

stoa_status stoa_expr_constant(const stoa_binder *binder, const stoa_syntax *syntax,
                               stoa_value_domain domain, const void *value, stoa_expr **out,
                               stoa_error *err)
{
    const size_t size = domain_size(domain);
    uint8_t *copy = stoa_arena_alloc(binder->arena, 1, size);

    STOA_RETURN_NO_MEMORY(err, copy);
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_CONSTANT, domain, syntax, 0, NULL, out, err));
    memcpy(copy, value, size);
    (*out)->value = (stoa_vector){.type = (*out)->type, .n = 1, .constant = true};
    (*out)->value.as.bits = copy;
    return STOA_OK;
}

stoa_status stoa_expr_null(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                           stoa_error *err)
{
    static const uint8_t nothing[sizeof(stoa_bytes)];

    STOA_RETURN_NOT_OK(stoa_expr_constant(binder, syntax, STOA_DOMAIN_NULL, nothing, out, err));
    (*out)->value.validity = nothing;
    return STOA_OK;
}

stoa_status stoa_expr_fold(const stoa_binder *binder, stoa_expr **expr, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_scope no_columns = {0};
    stoa_evaluation ev = {0};
    stoa_vector value;
    stoa_expr *folded = NULL;

    for (size_t i = 0; i < (*expr)->n_args; i++) {
        if (!stoa_expr_is_constant((*expr)->args[i])) {
            return STOA_OK;
        }
    }
    STOA_TRY(stoa_evaluation_open(&ev, &no_columns, err));
    stoa_evaluation_move(&ev, NULL, 0, 1);
    STOA_TRY(stoa_eval(&ev, *expr, &value, err));
    if (stoa_vector_is_null(&value, 0)) {
        STOA_TRY(stoa_expr_null(binder, (*expr)->syntax, &folded, err));
    } else {
        stoa_bytes text;
        const void *bytes = value.as.bits;
        if (stoa_domain_is_bytes(value.type.domain)) {
            text = value.as.bytes[0];
            text.data = stoa_arena_text(binder->arena, text.data, text.length);
            STOA_TRY(text.data != NULL ? STOA_OK : stoa_fail_memory(err));
            bytes = &text;
        }
        STOA_TRY(
            stoa_expr_constant(binder, (*expr)->syntax, value.type.domain, bytes, &folded, err));
        folded->type = (*expr)->type;
        folded->value.type = (*expr)->type;
        folded->kind = (*expr)->kind;
    }
    *expr = folded;

done:
    stoa_evaluation_clear(&ev);
    return status;
}

static void use(stoa_use *uses, size_t column, stoa_use more)
{
    uses[column] = uses[column] > more ? uses[column] : more;
}

void stoa_expr_columns(const stoa_expr *expr, stoa_use *uses)
{
    const bool is_length = expr->op == STOA_OP_LIST && expr->list == STOA_LIST_LENGTH;

    if (expr->op == STOA_OP_COLUMN) {
        use(uses, expr->column, STOA_USE_VALUES);
    }
    for (size_t i = 0; i < expr->n_args; i++) {
        (is_length || expr->op == STOA_OP_IS_NULL ? stoa_expr_presence
                                                  : stoa_expr_columns)(expr->args[i], uses);
    }
}

void stoa_expr_presence(const stoa_expr *expr, stoa_use *uses)
{
    if (expr->op == STOA_OP_COLUMN) {
        use(uses, expr->column, STOA_USE_PLACES);
    } else {
        stoa_expr_columns(expr, uses);
    }
}

bool stoa_expr_may_fail(const stoa_expr *expr)
{
    const bool computes = expr->op == STOA_OP_NEGATE || expr->op == STOA_OP_ADD ||
                          expr->op == STOA_OP_SUBTRACT || expr->op == STOA_OP_MULTIPLY ||
                          expr->op == STOA_OP_DIVIDE || expr->op == STOA_OP_REMAINDER ||
                          expr->op == STOA_OP_CAST || expr->op == STOA_OP_FUNCTION ||
                          expr->op == STOA_OP_LIST;

    for (size_t i = 0; i < expr->n_args; i++) {
        if (stoa_expr_may_fail(expr->args[i])) {
            return true;
        }
    }
    return computes;
}
