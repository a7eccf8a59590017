/* Evaluation of a bound tree for one window, with three-valued logic on bitmaps. */
#include "query/eval/eval.h"

#include <string.h>

/* Results ----------------------------------------------------------------------------------- */

/* The output of an operation. It is allocated before the operands are evaluated, so the
 * operands' memory can be returned to the arena as soon as they are used. */
typedef struct result {
    uint8_t *values;
    uint8_t *validity;
    stoa_arena_mark mark;
} result;

static size_t bitmap_bytes(const stoa_evaluation *ev)
{
    return (size_t)stoa_bit_bytes((uint64_t)ev->n);
}

static stoa_status result_open(stoa_evaluation *ev, stoa_value_domain domain, result *to,
                               stoa_error *err)
{
    const bool texts = stoa_domain_is_bytes(domain);

    to->values = domain == STOA_DOMAIN_BOOL
                     ? stoa_arena_zero(&ev->arena, bitmap_bytes(ev), 1)
                     : stoa_arena_alloc(&ev->arena, (size_t)ev->n,
                                        texts ? sizeof(stoa_bytes) : sizeof(int64_t));
    to->validity = stoa_arena_alloc(&ev->arena, bitmap_bytes(ev), 1);
    to->mark = stoa_arena_here(&ev->arena);
    return to->values != NULL && to->validity != NULL ? STOA_OK : stoa_fail_memory(err);
}

static void result_close(stoa_evaluation *ev, const stoa_expr *expr, const result *from,
                         bool has_validity, stoa_vector *out)
{
    *out = (stoa_vector){.type = expr->type, .n = ev->n};
    out->as.bits = from->values;
    out->validity = has_validity ? from->validity : NULL;
    stoa_arena_reset(&ev->arena, from->mark);
}

/* Copy an operand's validity; repeat it for a constant. Returns whether anything can be missing. */
static bool copy_validity(const stoa_evaluation *ev, const stoa_vector *vector, uint8_t *to)
{
    if (vector->validity == NULL && vector->type.domain != STOA_DOMAIN_NULL) {
        return false;
    }
    if (vector->constant || vector->type.domain == STOA_DOMAIN_NULL) {
        memset(to, stoa_vector_is_null(vector, 0) ? 0 : 0xff, bitmap_bytes(ev));
    } else {
        memcpy(to, vector->validity, bitmap_bytes(ev));
    }
    return true;
}

/* Clear the validity of rows in which an operand is missing. Returns whether anything can be
 * missing; `may_miss`: whether it could before, else `to` is undefined. */
static bool narrow_to(const stoa_evaluation *ev, const stoa_vector *vector, bool may_miss,
                      uint8_t *to)
{
    if (!may_miss || vector->validity == NULL) {
        return may_miss || copy_validity(ev, vector, to);
    }
    for (size_t i = 0; i < bitmap_bytes(ev); i++) {
        to[i] = (uint8_t)(to[i] & (vector->constant ? 0u - (vector->validity[0] & 1u)
                                                    : vector->validity[i]));
    }
    return true;
}

/* Intersect the validity of two operands. Returns whether anything can be missing. */
static bool both_valid(const stoa_evaluation *ev, const stoa_vector *a, const stoa_vector *b,
                       uint8_t *to)
{
    return narrow_to(ev, b, copy_validity(ev, a, to), to);
}

/* Clear the validity of rows that are not in `bits` (`others`: of rows that are). */
static void narrow_validity(const stoa_evaluation *ev, const uint8_t *bits, bool others,
                            bool has_validity, uint8_t *validity)
{
    const unsigned flip = others ? 0xffu : 0u;

    for (size_t i = 0; i < bitmap_bytes(ev); i++) {
        const unsigned valid = has_validity ? validity[i] : 0xffu;
        validity[i] = (uint8_t)(valid & (bits[i] ^ flip));
    }
}

/* Evaluate an operand for a loop that does not support constants. */
static stoa_status eval_spread(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                               stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr, out, err));
    return stoa_vector_spread(&ev->arena, out, err);
}

/* Logic ------------------------------------------------------------------------------------- */

/* Mask of the window's rows in its last word. */
static uint64_t last_bits(const stoa_evaluation *ev)
{
    return UINT64_MAX >> ((64 - (ev->n & 63)) & 63);
}

/*
 * Logic with `and` and `or` keeps two bitmaps: rows known to be true and rows known to be false.
 * Rows in neither are missing.
 *
 * One false operand decides a row of an `and`, so later operands are skipped once all rows are
 * decided. Bitmaps are allocated in the arena, so they end with whole words.
 */
static stoa_status eval_logic(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                              stoa_error *err)
{
    const bool is_and = expr->op == STOA_OP_AND;
    const uint64_t flip = is_and ? UINT64_MAX : 0;
    const size_t n_words = stoa_window_words(ev);
    result to;

    STOA_RETURN_NOT_OK(result_open(ev, STOA_DOMAIN_BOOL, &to, err));
    uint64_t *const decided = (uint64_t *)(void *)to.values;  /* false for `and`, true for `or` */
    uint64_t *const agreed = (uint64_t *)(void *)to.validity; /* all operands said the opposite */
    memset(agreed, 0xff, n_words * sizeof *agreed);
    for (size_t i = 0; i < expr->n_args; i++) {
        stoa_vector arg;
        uint64_t open = 0;
        STOA_RETURN_NOT_OK(eval_spread(ev, expr->args[i], &arg, err));
        const uint64_t *bits = (const uint64_t *)(const void *)arg.as.bits;
        const uint64_t *known = (const uint64_t *)(const void *)arg.validity;
        for (size_t j = 0; j < n_words; j++) {
            const uint64_t valid = known != NULL ? known[j] : UINT64_MAX;
            const uint64_t deciding = bits[j] ^ flip;
            decided[j] |= deciding & valid;
            agreed[j] &= ~deciding & valid;
            open |= ~decided[j] & (j + 1 < n_words ? UINT64_MAX : last_bits(ev));
        }
        stoa_arena_reset(&ev->arena, to.mark);
        if (open == 0) {
            break;
        }
    }
    for (size_t j = 0; j < n_words; j++) {
        const uint64_t is_known = decided[j] | agreed[j];
        decided[j] = is_and ? agreed[j] : decided[j];
        agreed[j] = is_known;
    }
    result_close(ev, expr, &to, true, out);
    return STOA_OK;
}

static stoa_status eval_not(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                            stoa_error *err)
{
    stoa_vector arg;
    result to;

    STOA_RETURN_NOT_OK(result_open(ev, STOA_DOMAIN_BOOL, &to, err));
    STOA_RETURN_NOT_OK(eval_spread(ev, expr->args[0], &arg, err));
    for (size_t i = 0; i < bitmap_bytes(ev); i++) {
        to.values[i] = (uint8_t)~arg.as.bits[i];
    }
    const bool has_validity = copy_validity(ev, &arg, to.validity);
    result_close(ev, expr, &to, has_validity, out);
    return STOA_OK;
}

static stoa_status eval_is_null(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                stoa_error *err)
{
    stoa_vector arg;
    result to;

    STOA_RETURN_NOT_OK(result_open(ev, STOA_DOMAIN_BOOL, &to, err));
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr->args[0], &arg, err));
    if (copy_validity(ev, &arg, to.values)) {
        for (size_t i = 0; i < bitmap_bytes(ev); i++) {
            to.values[i] = (uint8_t)~to.values[i];
        }
    }
    result_close(ev, expr, &to, false, out);
    return STOA_OK;
}

/* ALWAYS, NEVER, LIKE and IN: one bit for each value of the operand, missing where the operand
 * is. */
static stoa_status eval_test(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                             stoa_error *err)
{
    stoa_vector arg;
    result to;

    STOA_RETURN_NOT_OK(result_open(ev, STOA_DOMAIN_BOOL, &to, err));
    STOA_RETURN_NOT_OK(eval_spread(ev, expr->args[0], &arg, err));
    bool has_validity = copy_validity(ev, &arg, to.validity);

    if (expr->op == STOA_OP_ALWAYS) {
        memset(to.values, 0xff, bitmap_bytes(ev));
    } else if (expr->op == STOA_OP_LIKE) {
        const stoa_bytes pattern = expr->value.as.bytes[0];
        for (int64_t i = 0; i < ev->n; i++) {
            const stoa_bytes text = arg.as.bytes[i];
            if (stoa_like(text.data, text.length, pattern.data, pattern.length, expr->escape)) {
                stoa_bit_set(to.values, (uint64_t)i);
            }
        }
    } else if (expr->op == STOA_OP_IN) {
        stoa_in_vector(&arg, expr, ev->n, to.values);
        if (expr->has_null) { /* if not in the list, it may equal the list's missing entry */
            narrow_validity(ev, to.values, false, has_validity, to.validity);
            has_validity = true;
        }
    }
    result_close(ev, expr, &to, has_validity, out);
    return STOA_OK;
}

/* Whether numbers of one domain are compared with a constant of the same domain. */
static bool is_within(const stoa_vector *left, const stoa_vector *right)
{
    return right->constant && !left->constant && left->type.domain == right->type.domain &&
           stoa_domain_is_number(left->type.domain);
}

static void compare_constant(const stoa_evaluation *ev, stoa_compare compare,
                             const stoa_vector *left, const stoa_vector *right, uint64_t *words)
{
    const stoa_range_predicate band = stoa_range_predicate_of(compare, right);
    const bool floats = left->type.domain == STOA_DOMAIN_F64;
    const stoa_kind kind = floats                                 ? STOA_KIND_FLOAT64
                           : left->type.domain == STOA_DOMAIN_U64 ? STOA_KIND_UINT64
                                                                  : STOA_KIND_INT64;
    stoa_bounds bounds;

    if (stoa_range_predicate_bounds(&band, kind, &bounds)) {
        ev->filter->within[stoa_lane_of(kind)](left->as.bits, ev->n, &bounds, words);
    } /* otherwise the bits stay 0 */
    for (size_t i = 0; band.others && i < stoa_window_words(ev); i++) {
        words[i] = ~words[i];
    }
}

static stoa_status eval_compare(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                stoa_error *err)
{
    stoa_vector left;
    stoa_vector right;
    result to;

    STOA_RETURN_NOT_OK(result_open(ev, STOA_DOMAIN_BOOL, &to, err));
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr->args[0], &left, err));
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr->args[1], &right, err));
    if (is_within(&left, &right)) {
        compare_constant(ev, expr->compare, &left, &right, (uint64_t *)(void *)to.values);
    } else {
        stoa_compare_vectors(expr->compare, &left, &right, ev->n, to.values);
    }
    const bool has_validity = both_valid(ev, &left, &right, to.validity);
    result_close(ev, expr, &to, has_validity, out);
    return STOA_OK;
}

/* Numbers and functions --------------------------------------------------------------------- */

static stoa_status fail_overflow(const stoa_expr *expr, stoa_error *err)
{
    const char *const domain = expr->type.domain == STOA_DOMAIN_U64 ? "uint64" : "int64";
    static const char *const operators[] = {
        [STOA_OP_NEGATE] = "-",
        [STOA_OP_ADD] = "+",
        [STOA_OP_SUBTRACT] = "-",
        [STOA_OP_MULTIPLY] = "*",
        [STOA_OP_CAST] = "the conversion",
    };
    char source[STOA_SOURCE_SIZE];

    return STOA_FAIL_SYNTAX(err, STOA_ERANGE, expr->syntax,
                            "%s of %s overflows %s in some row; make one side a float, as in 1.0 * "
                            "x, if that may be inexact",
                            operators[expr->op], stoa_syntax_source(expr->syntax, source), domain);
}

static stoa_status eval_arithmetic(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                   stoa_error *err)
{
    stoa_vector left;
    stoa_vector right;
    result to;

    STOA_RETURN_NOT_OK(result_open(ev, expr->type.domain, &to, err));
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr->args[0], &left, err));
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr->args[1], &right, err));
    bool has_validity = both_valid(ev, &left, &right, to.validity);
    if (!stoa_arithmetic(expr->op, &left, &right, has_validity ? to.validity : NULL, ev->n,
                         to.values)) {
        return fail_overflow(expr, err);
    }
    if (expr->op == STOA_OP_REMAINDER && expr->type.domain != STOA_DOMAIN_F64) {
        uint8_t *holes = stoa_arena_alloc(&ev->arena, bitmap_bytes(ev), 1);
        STOA_RETURN_NO_MEMORY(err, holes);
        if (stoa_has_zeros(&right, ev->n, holes)) {
            narrow_validity(ev, holes, true, has_validity, to.validity);
            has_validity = true;
        }
    }
    result_close(ev, expr, &to, has_validity, out);
    return STOA_OK;
}

static stoa_status eval_unary(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                              stoa_error *err)
{
    stoa_vector arg;
    result to;

    STOA_RETURN_NOT_OK(result_open(ev, expr->type.domain, &to, err));
    STOA_RETURN_NOT_OK(eval_spread(ev, expr->args[0], &arg, err));
    const bool done_well = expr->op == STOA_OP_NEGATE
                               ? stoa_negate(&arg, ev->n, to.values)
                               : stoa_cast(&arg, &expr->type, ev->n, to.values);
    if (!done_well) {
        return fail_overflow(expr, err);
    }
    const bool has_validity = copy_validity(ev, &arg, to.validity);
    result_close(ev, expr, &to, has_validity, out);
    return STOA_OK;
}

static stoa_status eval_function(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                 stoa_error *err)
{
    stoa_vector *args = stoa_arena_alloc(&ev->arena, expr->n_args, sizeof *args);
    result to;

    STOA_RETURN_NO_MEMORY(err, args);
    STOA_RETURN_NOT_OK(result_open(ev, expr->type.domain, &to, err));
    stoa_call call = {.expr = expr,
                      .args = args,
                      .n_args = expr->n_args,
                      .n = ev->n,
                      .out = to.values,
                      .validity = to.validity,
                      .arena = &ev->arena,
                      .filter = ev->filter};
    const bool spreads =
        expr->n_args == 1 || (expr->function->takes_missing && !expr->function->takes_constants);
    for (size_t i = 0; i < expr->n_args; i++) {
        STOA_RETURN_NOT_OK((spreads ? eval_spread : stoa_eval)(ev, expr->args[i], &args[i], err));
        call.has_validity = !expr->function->takes_missing &&
                            narrow_to(ev, &args[i], call.has_validity, to.validity);
    }
    STOA_RETURN_NOT_OK(expr->function->loop(&call, err));
    if (stoa_domain_is_bytes(expr->type.domain) || call.out != to.values) {
        to.mark = stoa_arena_here(&ev->arena); /* keep the texts, or the argument passed on */
        to.values = call.out;
    }
    result_close(ev, expr, &to, call.has_validity, out);
    return STOA_OK;
}

static stoa_status eval_let(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_vector *outer = ev->operand;
    stoa_vector operand;

    STOA_TRY(stoa_eval(ev, expr->args[0], &operand, err));
    ev->operand = &operand;
    STOA_TRY(stoa_eval(ev, expr->args[1], out, err));

done:
    ev->operand = outer;
    return status;
}

/* Dispatch: once per operation and window, not per row -------------------------------------- */

static bool is_test(stoa_op op)
{
    return op == STOA_OP_IS_NULL || op == STOA_OP_COMPARE || op == STOA_OP_ALWAYS ||
           op == STOA_OP_NEVER || op == STOA_OP_IN || op == STOA_OP_LIKE ||
           op == STOA_OP_DICTIONARY;
}

stoa_status stoa_eval(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out, stoa_error *err)
{
    if (is_test(expr->op) && stoa_can_filter_stored(ev->scope, expr)) {
        return stoa_eval_stored(ev, expr, out, err);
    }
    switch (expr->op) {
    case STOA_OP_CONSTANT:
        *out = expr->value;
        out->n = ev->n;
        return STOA_OK;
    case STOA_OP_COLUMN:
        return stoa_load_column(ev, expr->column, out, err);
    case STOA_OP_OPERAND:
        *out = *ev->operand;
        return STOA_OK;
    case STOA_OP_AND:
    case STOA_OP_OR:
        return eval_logic(ev, expr, out, err);
    case STOA_OP_NOT:
        return eval_not(ev, expr, out, err);
    case STOA_OP_IS_NULL:
        return eval_is_null(ev, expr, out, err);
    case STOA_OP_COMPARE:
        return eval_compare(ev, expr, out, err);
    case STOA_OP_ALWAYS:
    case STOA_OP_NEVER:
    case STOA_OP_LIKE:
    case STOA_OP_IN:
        return eval_test(ev, expr, out, err);
    case STOA_OP_NEGATE:
    case STOA_OP_CAST:
        return eval_unary(ev, expr, out, err);
    case STOA_OP_FUNCTION:
        return eval_function(ev, expr, out, err);
    case STOA_OP_CASE:
    case STOA_OP_COALESCE:
        return stoa_eval_case(ev, expr, out, err);
    case STOA_OP_LET:
        return eval_let(ev, expr, out, err);
    case STOA_OP_DICTIONARY:
        return stoa_eval_dictionary(ev, expr, out, err);
    case STOA_OP_LIST:
    case STOA_OP_ITEM:
    case STOA_OP_EACH:
    case STOA_OP_ITEM_AT:
    case STOA_OP_SLICE:
        return stoa_eval_list(ev, expr, out, err);
    default:
        return eval_arithmetic(ev, expr, out, err);
    }
}
