/* The functions of expressions, one entry each, and the binding of calls and of `like`. */
#include <math.h>
#include <string.h>

#include "query/aggregate/aggregate.h"

static stoa_status abs_eval(const stoa_vector *arg, int64_t n, void *out, stoa_arena *arena,
                            stoa_error *err)
{
    (void)arena;
    if (arg->type.domain == STOA_DOMAIN_F64) {
        for (int64_t i = 0; i < n; i++) {
            ((double *)out)[i] = fabs(arg->as.f64[i]);
        }
        return STOA_OK;
    }
    bool any = false;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t bits = arg->as.u64[i];
        const bool negative = arg->type.domain == STOA_DOMAIN_I64 && arg->as.i64[i] < 0;
        ((uint64_t *)out)[i] = negative ? 0 - bits : bits;
        any |= negative && arg->as.i64[i] == INT64_MIN && !stoa_vector_is_null(arg, i);
    }
    return any ? stoa_fail(err, STOA_ERANGE, "abs() of -9223372036854775808 overflows int64")
               : STOA_OK;
}

static stoa_status sqrt_eval(const stoa_vector *arg, int64_t n, void *out, stoa_arena *arena,
                             stoa_error *err)
{
    (void)arena;
    (void)err;
    for (int64_t i = 0; i < n; i++) {
        ((double *)out)[i] = sqrt(arg->as.f64[i]);
    }
    return STOA_OK;
}

/* floor and ceil leave integers as they are. */
static stoa_status round_by(double (*round_to)(double), const stoa_vector *arg, int64_t n,
                            void *out)
{
    if (arg->type.domain != STOA_DOMAIN_F64) {
        memcpy(out, arg->as.i64, (size_t)n * sizeof(int64_t));
        return STOA_OK;
    }
    for (int64_t i = 0; i < n; i++) {
        ((double *)out)[i] = round_to(arg->as.f64[i]);
    }
    return STOA_OK;
}

static stoa_status floor_eval(const stoa_vector *arg, int64_t n, void *out, stoa_arena *arena,
                              stoa_error *err)
{
    (void)arena;
    (void)err;
    return round_by(floor, arg, n, out);
}

static stoa_status ceil_eval(const stoa_vector *arg, int64_t n, void *out, stoa_arena *arena,
                             stoa_error *err)
{
    (void)arena;
    (void)err;
    return round_by(ceil, arg, n, out);
}

static stoa_status isnan_eval(const stoa_vector *arg, int64_t n, void *out, stoa_arena *arena,
                              stoa_error *err)
{
    (void)arena;
    (void)err;
    for (int64_t i = 0; arg->type.domain == STOA_DOMAIN_F64 && i < n; i++) {
        if (isnan(arg->as.f64[i])) {
            stoa_bit_set(out, (uint64_t)i);
        }
    }
    return STOA_OK;
}

/* Texts ------------------------------------------------------------------------------------- */

/* Letters beyond ASCII are not changed, since their case depends on the language. */
static stoa_status shift_case(char first, char last, int by, const stoa_vector *arg, int64_t n,
                              stoa_bytes *out, stoa_arena *arena, stoa_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        const stoa_bytes text = arg->as.bytes[i];
        char *copy = stoa_arena_alloc(arena, text.length, 1);
        STOA_RETURN_NO_MEMORY(err, copy);
        for (size_t j = 0; j < text.length; j++) {
            const char c = text.data[j];
            copy[j] = (char)(c >= first && c <= last ? c + by : c);
        }
        out[i] = (stoa_bytes){copy, text.length};
    }
    return STOA_OK;
}

static stoa_status lower_eval(const stoa_vector *arg, int64_t n, void *out, stoa_arena *arena,
                              stoa_error *err)
{
    return shift_case('A', 'Z', 'a' - 'A', arg, n, out, arena, err);
}

static stoa_status upper_eval(const stoa_vector *arg, int64_t n, void *out, stoa_arena *arena,
                              stoa_error *err)
{
    return shift_case('a', 'z', 'A' - 'a', arg, n, out, arena, err);
}

/* Length in characters (code points), not bytes. */
static stoa_status length_eval(const stoa_vector *arg, int64_t n, void *out, stoa_arena *arena,
                               stoa_error *err)
{
    (void)arena;
    (void)err;
    for (int64_t i = 0; i < n; i++) {
        const stoa_bytes text = arg->as.bytes[i];
        int64_t length = 0;
        for (size_t j = 0; j < text.length; j++) {
            length += ((unsigned char)text.data[j] & 0xc0) != 0x80;
        }
        ((int64_t *)out)[i] = length;
    }
    return STOA_OK;
}

static const stoa_function functions[] = {
    {"abs", STOA_TAKES_NUMBER, STOA_GIVES_SAME, abs_eval},
    {"ceil", STOA_TAKES_NUMBER, STOA_GIVES_SAME, ceil_eval},
    {"floor", STOA_TAKES_NUMBER, STOA_GIVES_SAME, floor_eval},
    {"isnan", STOA_TAKES_NUMBER, STOA_GIVES_BOOL, isnan_eval},
    {"length", STOA_TAKES_TEXT, STOA_GIVES_I64, length_eval},
    {"lower", STOA_TAKES_TEXT, STOA_GIVES_TEXT, lower_eval},
    {"sqrt", STOA_TAKES_FLOAT, STOA_GIVES_F64, sqrt_eval},
    {"upper", STOA_TAKES_TEXT, STOA_GIVES_TEXT, upper_eval},
};

const stoa_function *stoa_function_at(size_t i)
{
    return i < sizeof functions / sizeof functions[0] ? &functions[i] : NULL;
}

const stoa_function *stoa_function_find(const char *name, size_t length)
{
    const stoa_token token = {.kind = STOA_TOKEN_NAME, .text = name, .length = length};

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (stoa_token_is(&token, functions[i].name)) {
            return &functions[i];
        }
    }
    return NULL;
}

/* Binding ----------------------------------------------------------------------------------- */

static stoa_status fail_argument(const stoa_binder *binder, const stoa_function *function,
                                 const stoa_expr *arg, stoa_error *err)
{
    char source[STOA_SOURCE_SIZE];
    char type[64];

    return STOA_FAIL_SYNTAX(err, STOA_ETYPE, arg->syntax, "%s() takes a %s, and %s is %s",
                            function->name, function->takes == STOA_TAKES_TEXT ? "text" : "number",
                            stoa_syntax_source(arg->syntax, source),
                            stoa_expr_type_name(binder, arg, type));
}

stoa_status stoa_bind_call(const stoa_binder *binder, const stoa_syntax *syntax, size_t n_args,
                           stoa_expr *const *args, stoa_expr **out, stoa_error *err)
{
    static const stoa_value_domain domains[] = {
        [STOA_GIVES_F64] = STOA_DOMAIN_F64,
        [STOA_GIVES_I64] = STOA_DOMAIN_I64,
        [STOA_GIVES_BOOL] = STOA_DOMAIN_BOOL,
        [STOA_GIVES_TEXT] = STOA_DOMAIN_TEXT,
    };
    const stoa_function *function = stoa_function_find(syntax->text, syntax->length);

    if (function == NULL && stoa_aggregate_find(syntax->text, syntax->length) != NULL) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "%.*s is an aggregate, which speaks of many rows; it has no "
                                "place in an expression about one",
                                (int)syntax->length, syntax->text);
    }
    if (function == NULL) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "there is no function '%.*s' here; there are abs, ceil, floor, "
                                "isnan, length, lower, sqrt and upper, and of lists all, any, "
                                "contains, count, length, max, mean, min and sum",
                                (int)syntax->length, syntax->text);
    }
    if (n_args != 1) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax, "%s() takes one argument, not %zu",
                                function->name, n_args);
    }
    stoa_expr *arg = args[0];
    if (arg->type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    if (function->takes == STOA_TAKES_TEXT ? arg->type.domain != STOA_DOMAIN_TEXT
                                           : !stoa_domain_is_number(arg->type.domain)) {
        return fail_argument(binder, function, arg, err);
    }
    if (function->takes == STOA_TAKES_FLOAT) {
        STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_F64, &arg, err));
    }
    const stoa_value_domain domain =
        function->gives == STOA_GIVES_SAME ? arg->type.domain : domains[function->gives];
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_FUNCTION, domain, syntax, 1, &arg, out, err));
    (*out)->function = function;
    return stoa_expr_fold(binder, out, err);
}

static stoa_status escape_of(const stoa_expr *arg, int *escape, stoa_error *err)
{
    if (!stoa_expr_is_constant(arg) || arg->type.domain != STOA_DOMAIN_TEXT ||
        arg->value.as.bytes[0].length != 1) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, arg->syntax,
                                "escape takes one ASCII character in quotes, such as '\\'");
    }
    *escape = (unsigned char)arg->value.as.bytes[0].data[0];
    return STOA_OK;
}

stoa_status stoa_bind_like(const stoa_binder *binder, const stoa_syntax *syntax, size_t n_args,
                           stoa_expr *const *args, stoa_expr **out, stoa_error *err)
{
    stoa_expr *const text = args[0];
    const stoa_expr *pattern = args[1];
    char source[STOA_SOURCE_SIZE];
    char type[64];
    int escape = -1;

    if (n_args == 3) {
        STOA_RETURN_NOT_OK(escape_of(args[2], &escape, err));
    }
    if (text->type.domain == STOA_DOMAIN_NULL || pattern->type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    if (text->type.domain != STOA_DOMAIN_TEXT) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, text->syntax, "like looks at texts, and %s is %s",
                                stoa_syntax_source(text->syntax, source),
                                stoa_expr_type_name(binder, text, type));
    }
    if (!stoa_expr_is_constant(pattern) || pattern->type.domain != STOA_DOMAIN_TEXT) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, pattern->syntax,
                                "like takes a pattern in single quotes, such as 'abc%%'");
    }
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_LIKE, STOA_DOMAIN_BOOL, syntax, 1, &args[0], out, err));
    (*out)->value = pattern->value;
    (*out)->escape = escape;
    return stoa_expr_fold(binder, out, err);
}
