/*
 * Functions of lists, bound: `sum(v)`, `any(v > 5)`, `v[0]`.
 *
 * The argument of such a function is a body: an expression in which the name of the column of lists
 * means each of its items, and every other name the value in the row of the item. So whatever can
 * be said of values can be said of items, and is checked by the same rules.
 */
#include <string.h>

#include "query/eval.h"

typedef struct list_function {
    const char *name;
    stoa_list_op op;
    bool is_always; /* of lists, whatever its argument is; the others are of rows as well */
} list_function;

static const list_function functions[] = {
    {"all", STOA_LIST_ALL, true},        {"any", STOA_LIST_ANY, true},
    {"contains", STOA_LIST_ANY, true},   {"count", STOA_LIST_COUNT, false},
    {"length", STOA_LIST_LENGTH, false}, {"max", STOA_LIST_MAX, false},
    {"mean", STOA_LIST_MEAN, false},     {"min", STOA_LIST_MIN, false},
    {"sum", STOA_LIST_SUM, false},
};

static const list_function *find_function(const stoa_syntax *syntax)
{
    const stoa_token token = {
        .kind = STOA_TOKEN_NAME, .text = syntax->text, .length = syntax->length};

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (syntax->kind == STOA_SYNTAX_CALL && stoa_token_is(&token, functions[i].name)) {
            return &functions[i];
        }
    }
    return NULL;
}

static bool is_list(const stoa_type *type)
{
    return type->kind == STOA_KIND_LIST || type->kind == STOA_KIND_LARGE_LIST ||
           type->kind == STOA_KIND_FIXED_LIST;
}

/* The first name of a column of lists in a body; what other functions of lists are about is theirs.
 */
static stoa_status find_name(const stoa_binder *binder, const stoa_syntax *syntax,
                             const stoa_syntax **name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_scope *scope = binder->scope;

    if (syntax->kind == STOA_SYNTAX_NAME) {
        const size_t column = stoa_scope_find(scope, syntax->text, syntax->length);
        if (column != SIZE_MAX) {
            STOA_TRY(stoa_scope_know(scope, column, err));
            *name = is_list(&scope->columns[column].type) ? syntax : NULL;
        }
        return STOA_OK;
    }
    if (syntax->kind == STOA_SYNTAX_INDEX || find_function(syntax) != NULL) {
        return STOA_OK;
    }
    for (const stoa_syntax *arg = syntax->first; arg != NULL && *name == NULL; arg = arg->next) {
        STOA_TRY(find_name(binder, arg, name, err));
    }

done:
    return status;
}

stoa_status stoa_is_about_list(const stoa_binder *binder, const stoa_syntax *syntax, bool *is_so,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const list_function *function = find_function(syntax);
    const stoa_syntax *name = NULL;

    *is_so = syntax->kind == STOA_SYNTAX_INDEX || (function != NULL && function->is_always);
    if (function != NULL && !*is_so && syntax->first != NULL) {
        STOA_TRY(find_name(binder, syntax->first, &name, err));
        *is_so = name != NULL;
    }

done:
    return status;
}

stoa_status stoa_bind_in_body(const stoa_binder *binder, const stoa_syntax *syntax,
                              stoa_expr **expr, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_list_body *body = binder->scope->body;
    const stoa_value_type type = (*expr)->type;

    if (body == NULL) {
        return STOA_OK;
    }
    if ((*expr)->op == STOA_OP_COLUMN && (*expr)->column == body->column) {
        STOA_TRY(
            stoa_expr_make(binder, STOA_OP_ITEM, body->item.domain, syntax, 0, NULL, expr, err));
        (*expr)->type = body->item;
        return STOA_OK;
    }
    if (type.domain == STOA_DOMAIN_OTHER) {
        char source[STOA_SOURCE_SIZE];
        STOA_TRY(STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax,
                                  "%s is a list or a struct, and the items of '%s' are already "
                                  "what is looked at here, one list at a time",
                                  stoa_syntax_source(syntax, source),
                                  binder->scope->columns[body->column].name));
    }
    STOA_TRY(stoa_expr_make(binder, STOA_OP_EACH, type.domain, syntax, 1, expr, expr, err));
    (*expr)->type = type;
    (*expr)->memo = body->n_each++;

done:
    return status;
}

/* Lists ------------------------------------------------------------------------------------- */

/* The column of lists that a name means, as a node, and what its items compute as. */
static stoa_status bind_column(const stoa_binder *binder, const stoa_syntax *name,
                               stoa_list_body *body, stoa_expr **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char source[STOA_SOURCE_SIZE];
    char type[64];
    stoa_type item = {.kind = STOA_KIND_OTHER};

    STOA_TRY(stoa_bind_node(binder, name, out, err));
    if ((*out)->op != STOA_OP_COLUMN || !is_list(&binder->scope->columns[(*out)->column].type)) {
        STOA_TRY(STOA_FAIL_SYNTAX(err, STOA_ETYPE, name, "%s is %s, where a list should be",
                                  stoa_syntax_source(name, source),
                                  stoa_expr_type_name(binder, *out, type)));
    }
    const struct ArrowSchema *schema = binder->scope->columns[(*out)->column].schema;
    STOA_TRY(stoa_type_of(schema->children[0], &item, err));
    body->column = (*out)->column;
    body->item = stoa_value_type_of(&item, false);

done:
    return status;
}

static stoa_status check_items(const stoa_syntax *name, const stoa_list_body *body, stoa_error *err)
{
    char source[STOA_SOURCE_SIZE];

    if (body->item.domain != STOA_DOMAIN_OTHER && body->item.domain != STOA_DOMAIN_NULL) {
        return STOA_OK;
    }
    return STOA_FAIL_SYNTAX(err, STOA_ETYPE, name,
                            "the items of %s are no numbers, bools, times or texts; of such a "
                            "list only the length can be asked for",
                            stoa_syntax_source(name, source));
}

/* `v[i]` */
static stoa_status bind_index(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_list_body body = {0};
    stoa_expr *args[2] = {NULL};
    char source[STOA_SOURCE_SIZE];
    char type[64];

    STOA_TRY(bind_column(binder, syntax->first, &body, &args[0], err));
    STOA_TRY(check_items(syntax->first, &body, err));
    STOA_TRY(stoa_bind_node(binder, syntax->last, &args[1], err));
    if (args[1]->type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    if (args[1]->type.domain != STOA_DOMAIN_I64 && args[1]->type.domain != STOA_DOMAIN_U64) {
        STOA_TRY(STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax->last,
                                  "%s is %s, where the position of an item should be, an integer",
                                  stoa_syntax_source(syntax->last, source),
                                  stoa_expr_type_name(binder, args[1], type)));
    }
    STOA_TRY(stoa_expr_make(binder, STOA_OP_ITEM_AT, body.item.domain, syntax, 2, args, out, err));
    (*out)->type = body.item;

done:
    return status;
}

/* Bodies ------------------------------------------------------------------------------------ */

static stoa_status check_body(const stoa_binder *binder, const list_function *function,
                              stoa_expr **body, stoa_error *err)
{
    const stoa_value_domain domain = (*body)->type.domain;
    const bool is_truth = function->op == STOA_LIST_ANY || function->op == STOA_LIST_ALL;
    const bool adds = function->op == STOA_LIST_SUM || function->op == STOA_LIST_MEAN;
    char source[STOA_SOURCE_SIZE];

    if (domain == STOA_DOMAIN_BOOL && !is_truth && function->op != STOA_LIST_COUNT) {
        return stoa_expr_cast(binder, STOA_DOMAIN_I64, body, err);
    }
    if (is_truth ? domain == STOA_DOMAIN_BOOL || domain == STOA_DOMAIN_NULL
                 : !adds || stoa_domain_is_number(domain) || domain == STOA_DOMAIN_NULL) {
        return STOA_OK;
    }
    return STOA_FAIL_SYNTAX(err, STOA_ETYPE, (*body)->syntax, "%s() takes %s, which %s is not",
                            function->name, is_truth ? "a condition on items" : "numbers",
                            stoa_syntax_source((*body)->syntax, source));
}

/* contains(v, x) is any(v = x). */
static stoa_status bind_contains(const stoa_binder *binder, const stoa_syntax *syntax,
                                 stoa_expr **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_expr *item = NULL;
    stoa_expr *value = NULL;

    STOA_TRY(stoa_bind_node(binder, syntax->first, &item, err));
    STOA_TRY(stoa_bind_node(binder, syntax->last, &value, err));
    STOA_TRY(stoa_bind_compare(binder, syntax, STOA_EQ, item, value, out, err));

done:
    return status;
}

static stoa_value_domain domain_of(stoa_list_op op, stoa_value_domain body)
{
    switch (op) {
    case STOA_LIST_LENGTH:
    case STOA_LIST_COUNT:
        return STOA_DOMAIN_I64;
    case STOA_LIST_MEAN:
        return STOA_DOMAIN_F64;
    case STOA_LIST_ANY:
    case STOA_LIST_ALL:
        return STOA_DOMAIN_BOOL;
    default:
        return body;
    }
}

static stoa_status bind_body(const stoa_binder *binder, const stoa_syntax *syntax,
                             const list_function *function, stoa_list_body *body, stoa_expr **out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;

    binder->scope->body = body;
    if (syntax->n_args == 2) {
        STOA_TRY(bind_contains(binder, syntax, out, err));
    } else {
        STOA_TRY(stoa_bind_node(binder, syntax->first, out, err));
    }
    STOA_TRY(check_body(binder, function, out, err));

done:
    binder->scope->body = NULL;
    return status;
}

/* Shape only: what the items are is not looked at. */
static stoa_status find_list(const stoa_binder *binder, const stoa_syntax *syntax,
                             const list_function *function, const stoa_syntax **name,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t wanted = strcmp(function->name, "contains") == 0 ? 2 : 1;
    const bool is_bare = wanted == 2 || function->op == STOA_LIST_LENGTH;
    char source[STOA_SOURCE_SIZE];

    *name = NULL;
    if (syntax->n_args != wanted) {
        STOA_TRY(STOA_FAIL_SYNTAX(
            err, STOA_ESYNTAX, syntax, "%s() takes %s, not %zu arguments", function->name,
            wanted == 2 ? "a list and a value" : "one argument", syntax->n_args));
    }
    if (!is_bare) {
        STOA_TRY(find_name(binder, syntax->first, name, err));
    } else if (syntax->first->kind == STOA_SYNTAX_NAME) {
        *name = syntax->first;
    }
    if (*name == NULL) {
        STOA_TRY(STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax->first,
                                  "%s() is about the items of a list, and %s names no column of "
                                  "lists",
                                  function->name, stoa_syntax_source(syntax->first, source)));
    }

done:
    return status;
}

static stoa_status bind_function(const stoa_binder *binder, const stoa_syntax *syntax,
                                 stoa_expr **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const list_function *function = find_function(syntax);
    const stoa_syntax *name = NULL;
    stoa_list_body body = {0};
    stoa_expr *args[2] = {NULL};
    const size_t n_args = function->op == STOA_LIST_LENGTH ? 1 : 2;

    STOA_TRY(find_list(binder, syntax, function, &name, err));
    STOA_TRY(bind_column(binder, name, &body, &args[0], err));
    if (n_args == 2) {
        STOA_TRY(check_items(name, &body, err));
        STOA_TRY(bind_body(binder, syntax, function, &body, &args[1], err));
        const stoa_value_domain domain = domain_of(function->op, args[1]->type.domain);
        if (domain == STOA_DOMAIN_NULL) {
            return stoa_expr_null(binder, syntax, out, err);
        }
    }
    const stoa_value_type type = n_args == 2 ? args[1]->type : (stoa_value_type){0};
    STOA_TRY(stoa_expr_make(binder, STOA_OP_LIST, domain_of(function->op, type.domain), syntax,
                            n_args, args, out, err));
    (*out)->type.unit = type.unit;
    (*out)->type.utc = type.utc;
    (*out)->list = function->op;
    (*out)->memo = body.n_each;

done:
    return status;
}

stoa_status stoa_bind_list(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_list_body *const around = binder->scope->body;

    binder->scope->body = NULL; /* a list within the body of another: a value of the row */
    status = syntax->kind == STOA_SYNTAX_INDEX ? bind_index(binder, syntax, out, err)
                                               : bind_function(binder, syntax, out, err);
    binder->scope->body = around;
    STOA_TRY(status);
    STOA_TRY(stoa_bind_in_body(binder, syntax, out, err));

done:
    return status;
}
