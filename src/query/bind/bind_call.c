/* Binding of calls, casts and `like`. */
#include <stdio.h>
#include <string.h>

#include "query/aggregate/aggregate.h"
#include "query/functions/functions.h"

/* Which form of a function ------------------------------------------------------------------- */

static char lower_of(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* The letter of an argument; 0 if the form takes fewer. */
static char letter_of(const stoa_function *function, size_t place)
{
    size_t i = 0;
    char last = 0;

    for (const char *c = function->signature; *c != '>'; c++) {
        if (*c == '*') {
            return last;
        }
        if (*c != '?' && i++ == place) {
            return *c;
        }
        last = *c;
    }
    return 0;
}

/* The letter of the result. */
static char result_of(const stoa_function *function)
{
    return strchr(function->signature, '>')[1];
}

static bool takes_count(const stoa_function *function, size_t n_args)
{
    const size_t least = strcspn(function->signature, "?*>");

    return n_args >= least && (n_args == 0 || letter_of(function, n_args - 1) != 0);
}

/* Whether a text in quotes is a time or a duration. */
static bool is_written(const stoa_expr *arg, bool (*parse)(const char *, size_t, stoa_time *))
{
    stoa_time time;

    return arg->type.domain == STOA_DOMAIN_TEXT && stoa_expr_is_constant(arg) &&
           parse(arg->value.as.bytes[0].data, arg->value.as.bytes[0].length, &time);
}

static bool takes_domain(char letter, const stoa_expr *arg)
{
    const stoa_value_domain domain = arg->type.domain;
    const bool is_text = domain == STOA_DOMAIN_TEXT;

    if (domain == STOA_DOMAIN_NULL) {
        return true;
    }
    if (lower_of(letter) != letter && !stoa_expr_is_constant(arg)) {
        return false;
    }
    switch (lower_of(letter)) {
    case 'n':
    case 'f':
        return stoa_domain_is_number(domain);
    case 'i':
        return domain == STOA_DOMAIN_I64 || domain == STOA_DOMAIN_U64;
    case 's':
        return is_text;
    case 'b':
        return domain == STOA_DOMAIN_BOOL;
    case 't':
        return domain == STOA_DOMAIN_TIME || is_written(arg, stoa_parse_time);
    case 'd':
        return domain == STOA_DOMAIN_DURATION || is_written(arg, stoa_parse_duration);
    default:
        return domain != STOA_DOMAIN_OTHER;
    }
}

/* The first argument that the form does not take; n_args if it takes all. */
static size_t first_misfit(const stoa_function *function, size_t n_args, stoa_expr *const *args)
{
    size_t i = 0;

    while (i < n_args && takes_domain(letter_of(function, i), args[i])) {
        i++;
    }
    return i;
}

/* Messages ---------------------------------------------------------------------------------- */

static stoa_status fail_name(const stoa_syntax *syntax, stoa_error *err)
{
    if (stoa_aggregate_find(syntax->text, syntax->length) != NULL) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "%.*s is an aggregate, which speaks of many rows; it has no "
                                "place in an expression about one",
                                (int)syntax->length, syntax->text);
    }
    if (stoa_is_among(syntax->text, syntax->length, "log")) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "log() is the natural logarithm in NumPy and that of base 10 in "
                                "DuckDB; write ln() or log10()");
    }
    return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                            "there is no function '%.*s'; stoa functions lists all",
                            (int)syntax->length, syntax->text);
}

/* The usages of all forms, with " or " between them. */
static const char *forms_of(const stoa_function *function, char *out, size_t size)
{
    const char *const name = function->text.name;
    size_t n = 0;

    for (; function != NULL; function = stoa_function_next(name, strlen(name), function)) {
        const int more =
            snprintf(out + n, size - n, "%s%s", n > 0 ? " or " : "", function->text.usage);
        n = more > 0 && (size_t)more < size - n ? n + (size_t)more : n;
    }
    return out;
}

static stoa_status fail_argument(const stoa_binder *binder, const stoa_function *function,
                                 size_t place, const stoa_expr *arg, stoa_error *err)
{
    static const struct {
        char letter;
        const char *what;
    } whats[] = {{'n', "a number"},    {'f', "a number"}, {'i', "an integer"}, {'s', "a text"},
                 {'b', "a condition"}, {'t', "a time"},   {'d', "a duration"}, {'a', "a value"}};
    const char letter = letter_of(function, place);
    char source[STOA_SOURCE_SIZE];
    char type[64];
    size_t i = 0;

    while (whats[i].letter != lower_of(letter)) {
        i++;
    }
    return STOA_FAIL_SYNTAX(err, STOA_ETYPE, arg->syntax, "%s%s takes %s%s, and %s is %s",
                            function->text.name, function->text.name[0] != '|' ? "()" : "",
                            whats[i].what, letter != lower_of(letter) ? " that is a constant" : "",
                            stoa_syntax_source(arg->syntax, source),
                            stoa_expr_type_name(binder, arg, type));
}

static stoa_status find_form(const stoa_binder *binder, const stoa_syntax *syntax, size_t n_args,
                             stoa_expr *const *args, const stoa_function **out, stoa_error *err)
{
    const stoa_function *const first = stoa_function_next(syntax->text, syntax->length, NULL);
    const stoa_function *nearest = NULL; /* takes as many arguments, but not these */
    char forms[400];

    if (first == NULL) {
        return fail_name(syntax, err);
    }
    for (*out = first; *out != NULL;
         *out = stoa_function_next(syntax->text, syntax->length, *out)) {
        if (takes_count(*out, n_args)) {
            nearest = *out;
            if (first_misfit(*out, n_args, args) == n_args) {
                return STOA_OK;
            }
        }
    }
    if (nearest == NULL) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "%.*s() does not take %zu argument%s: %s", (int)syntax->length,
                                syntax->text, n_args, n_args == 1 ? "" : "s",
                                forms_of(first, forms, sizeof forms));
    }
    const size_t misfit = first_misfit(nearest, n_args, args);
    return fail_argument(binder, nearest, misfit, args[misfit], err);
}

/* Types of arguments and results ------------------------------------------------------------- */

/* Give all arguments of a letter one type. */
static stoa_status unify(const stoa_binder *binder, const stoa_function *function, char letter,
                         size_t n_args, stoa_expr **args, stoa_error *err)
{
    stoa_value_type unused;
    stoa_expr **some = stoa_arena_alloc(binder->arena, n_args, sizeof *some);
    size_t n = 0;

    STOA_RETURN_NO_MEMORY(err, some);
    for (size_t i = 0; i < n_args; i++) {
        if (letter_of(function, i) == letter) {
            some[n++] = args[i];
        }
    }
    STOA_RETURN_NOT_OK(stoa_bind_common(binder, n, some, &unused, err));
    n = 0;
    for (size_t i = 0; i < n_args; i++) {
        if (letter_of(function, i) == letter) {
            args[i] = some[n++];
        }
    }
    return STOA_OK;
}

static stoa_status convert_arguments(const stoa_binder *binder, const stoa_function *function,
                                     size_t n_args, stoa_expr **args, stoa_error *err)
{
    for (size_t i = 0; i < n_args; i++) {
        const char letter = lower_of(letter_of(function, i));
        const bool is_text = args[i]->type.domain == STOA_DOMAIN_TEXT;
        if (letter == 'f' || letter == 'i') {
            STOA_RETURN_NOT_OK(stoa_expr_cast(
                binder, letter == 'f' ? STOA_DOMAIN_F64 : STOA_DOMAIN_I64, &args[i], err));
        } else if ((letter == 't' || letter == 'd') && is_text) {
            STOA_RETURN_NOT_OK(stoa_expr_of_text(
                binder, letter == 't' ? STOA_DOMAIN_TIME : STOA_DOMAIN_DURATION, &args[i], err));
        }
    }
    return STOA_OK;
}

/* The type of the result. The arguments are converted. */
static stoa_value_type type_of_result(const stoa_function *function, size_t n_args,
                                      stoa_expr *const *args)
{
    static const struct {
        char letter;
        stoa_value_domain domain;
    } domains[] = {{'f', STOA_DOMAIN_F64},
                   {'i', STOA_DOMAIN_I64},
                   {'s', STOA_DOMAIN_TEXT},
                   {'b', STOA_DOMAIN_BOOL}};

    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++) {
        if (domains[i].letter == result_of(function)) {
            return (stoa_value_type){.domain = domains[i].domain};
        }
    }
    for (size_t i = 0; i < n_args; i++) {
        if (letter_of(function, i) == result_of(function) &&
            args[i]->type.domain != STOA_DOMAIN_NULL) {
            return args[i]->type;
        }
    }
    return (stoa_value_type){.domain = STOA_DOMAIN_NULL};
}

static bool has_null(size_t n_args, stoa_expr *const *args)
{
    for (size_t i = 0; i < n_args; i++) {
        if (args[i]->type.domain == STOA_DOMAIN_NULL) {
            return true;
        }
    }
    return false;
}

stoa_status stoa_bind_call(const stoa_binder *binder, const stoa_syntax *syntax, size_t n_args,
                           stoa_expr **args, stoa_expr **out, stoa_error *err)
{
    const stoa_function *function = NULL;

    STOA_RETURN_NOT_OK(find_form(binder, syntax, n_args, args, &function, err));
    if (!function->takes_missing && has_null(n_args, args)) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    STOA_RETURN_NOT_OK(convert_arguments(binder, function, n_args, args, err));
    STOA_RETURN_NOT_OK(unify(binder, function, 'n', n_args, args, err));
    STOA_RETURN_NOT_OK(unify(binder, function, 'a', n_args, args, err));
    const stoa_value_type type = type_of_result(function, n_args, args);
    if (type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    if (function->bind != NULL) {
        STOA_RETURN_NOT_OK(function->bind(binder, syntax, n_args, args, out, err));
    } else {
        STOA_RETURN_NOT_OK(
            stoa_expr_make(binder, STOA_OP_FUNCTION, type.domain, syntax, n_args, args, out, err));
        (*out)->function = function;
    }
    (*out)->type = type;
    if (function->check != NULL) {
        STOA_RETURN_NOT_OK(function->check(*out, err));
    }
    return stoa_expr_fold(binder, out, err);
}

/* Casts ------------------------------------------------------------------------------------- */

/* Whether values of a domain can be converted to those of another. Numbers are no times: epoch()
 * and its kin say in which unit. */
static bool can_cast(stoa_value_domain from, stoa_value_domain to)
{
    const bool is_plain = stoa_domain_is_number(from) || from == STOA_DOMAIN_BOOL;

    if (from == STOA_DOMAIN_OTHER || from == STOA_DOMAIN_BYTES) {
        return false;
    }
    if (stoa_domain_is_ticks(to)) {
        return from == to || from == STOA_DOMAIN_TEXT;
    }
    return to == STOA_DOMAIN_TEXT || is_plain || from == STOA_DOMAIN_TEXT;
}

stoa_status stoa_bind_cast(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr *arg,
                           stoa_expr **out, stoa_error *err)
{
    stoa_type type = {0};
    char source[STOA_SOURCE_SIZE];
    char name[64];

    if (!stoa_kind_of_name(syntax->text, syntax->length, &type.kind, &type.unit)) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "'%.*s' is no type; there are bool, int8 to int64, uint8 to "
                                "uint64, float32, float64, text, date, timestamp and duration",
                                (int)syntax->length, syntax->text);
    }
    stoa_value_type to = stoa_value_type_of(&type, false);
    if (arg->type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    if (!can_cast(arg->type.domain, to.domain)) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax, "%s is %s, which is not converted to %.*s",
                                stoa_syntax_source(arg->syntax, source),
                                stoa_expr_type_name(binder, arg, name), (int)syntax->length,
                                syntax->text);
    }
    to.utc = to.domain == STOA_DOMAIN_TIME && arg->type.utc && to.unit != STOA_TIME_DAY;
    if (to.domain == STOA_DOMAIN_TEXT && arg->type.domain == STOA_DOMAIN_TEXT) {
        *out = arg;
        return STOA_OK;
    }
    if (type.kind == STOA_KIND_FLOAT64 && stoa_domain_is_number(arg->type.domain)) {
        *out = arg;
        return stoa_expr_cast(binder, to.domain, out, err);
    }
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_FUNCTION, to.domain, syntax, 1, &arg, out, err));
    (*out)->function = stoa_function_of_cast(syntax->tries);
    (*out)->type = to;
    (*out)->kind = type.kind;
    return stoa_expr_fold(binder, out, err);
}

/* Patterns ---------------------------------------------------------------------------------- */

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
