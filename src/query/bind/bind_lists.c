/*
 * Binding of list functions: `sum(v)`, `any(v > 5)`, `v[0]`.
 *
 * The argument of such a function is a body: an expression in which the name of the list column
 * means each of its items. Every other name means the value in the item's row. So any expression
 * can be used on items, with the same type rules.
 *
 * For a column `w` of lists of lists, the items are the innermost values, and `w[0]` is a list.
 * Where `v` is used below, it stands for a column's name or for such an element of one.
 */
#include <stoa/version.h>
#include <string.h>
#include <strings.h>

#include "query/aggregate/aggregate.h"
#include "query/functions/functions.h"

typedef struct list_function {
    stoa_function_text text;
    stoa_list_op op;
    bool is_always; /* applies to lists only; the others apply to rows as well */
} list_function;

static const list_function functions[] = {
    {{"all", NULL, "all(v > 5)",
      "whether the condition holds for all items; true of no items; missing if it is missing for "
      "some and false for none",
      NULL},
     STOA_LIST_ALL,
     true},
    {{"any", NULL, "any(v > 5)",
      "whether the condition holds for some item; false of no items; missing if it is missing for "
      "some and true for none",
      NULL},
     STOA_LIST_ANY,
     true},
    {{"contains", "list_contains list_has array_contains array_has", "contains(v, x)",
      "whether an item equals x; an item that is missing does not", NULL},
     STOA_LIST_ANY,
     false},
    {{"count", NULL, "count(v)", "the items that are not missing", NULL}, STOA_LIST_COUNT, false},
    {{"length", "len array_length", "length(v)", "the items, missing ones included", NULL},
     STOA_LIST_LENGTH,
     false},
    {{"list_extract", "list_element array_extract", "list_extract(v, i)",
      "the item at a position from 1, or from the end if negative; v[i] counts from 0", NULL},
     STOA_LIST_ITEM,
     true},
    {{"list_slice", "array_slice", "list_slice(v, i, j)",
      "the items from position i to j, both included; as list_extract()", NULL},
     STOA_LIST_SLICE,
     true},
    {{"max", "list_max", "max(v)", "the largest item; NaN only if there is nothing else", NULL},
     STOA_LIST_MAX,
     false},
    {{"mean", "avg list_avg", "mean(v)", "the mean of the items", NULL}, STOA_LIST_MEAN, false},
    {{"min", "list_min", "min(v)", "the least item; NaN only if there is nothing else", NULL},
     STOA_LIST_MIN,
     false},
    {{"sum", "list_sum", "sum(v)", "exact for integers, compensated for floats", NULL},
     STOA_LIST_SUM,
     false},
};

static const char aggregates[] = "Aggregates";

enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static const list_function *find_function(const stoa_syntax *syntax)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        if (syntax->kind == STOA_SYNTAX_CALL &&
            stoa_function_is(&functions[i].text, syntax->text, syntax->length)) {
            return &functions[i];
        }
    }
    return NULL;
}

static bool is_call_of(const stoa_syntax *syntax, stoa_list_op op, size_t n_args)
{
    const list_function *const function = find_function(syntax);

    return function != NULL && function->op == op && syntax->n_args == n_args;
}

static bool is_slice(const stoa_syntax *syntax)
{
    return is_call_of(syntax, STOA_LIST_SLICE, 3);
}

/* Whether it denotes an item of lists: `v[0]` or `list_extract(v, 1)`. */
static bool is_item(const stoa_syntax *syntax)
{
    return syntax->kind == STOA_SYNTAX_INDEX || is_call_of(syntax, STOA_LIST_ITEM, 2);
}

/* Whether it may denote lists. */
static bool may_be_lists(const stoa_syntax *syntax)
{
    return syntax->kind == STOA_SYNTAX_NAME || is_item(syntax) || is_slice(syntax);
}

/* The field `n_levels` of lists below, or the innermost one. */
static const struct ArrowSchema *items_below(const struct ArrowSchema *field, size_t n_levels)
{
    stoa_type type;

    while (n_levels-- > 0 && stoa_type_of(field, &type, NULL) == STOA_OK &&
           stoa_kind_is_list(type.kind)) {
        field = field->children[0];
    }
    return field;
}

static bool is_list_field(const struct ArrowSchema *field)
{
    stoa_type type;

    return stoa_type_of(field, &type, NULL) == STOA_OK && stoa_kind_is_list(type.kind);
}

const stoa_function_text *stoa_function_text_at(size_t i, const char **subject)
{
    const stoa_function_group *group;
    const char *unused;

    subject = subject != NULL ? subject : &unused;
    for (size_t g = 0; (group = stoa_function_group_at(g)) != NULL; g++) {
        *subject = group->title;
        if (i < group->n) {
            return &group->functions[i].text;
        }
        i -= group->n;
    }
    *subject = i < N_FUNCTIONS ? "Lists" : aggregates;
    return i < N_FUNCTIONS ? &functions[i].text : stoa_aggregate_text(i - N_FUNCTIONS);
}

/* Forms of a function follow each other, and it has one name. */
const char *stoa_function_name(size_t i)
{
    const char *subject = "";
    const char *last = "";
    const stoa_function_text *text;

    for (size_t k = 0;
         (text = stoa_function_text_at(k, &subject)) != NULL && strcmp(subject, aggregates) != 0;
         k++) {
        if (strcmp(text->name, last) != 0 && i-- == 0) {
            return text->name;
        }
        last = text->name;
    }
    return NULL;
}

/* Return `syntax` in *lists if it is a list column, `v`, or lists in it, `w[0]`. */
static stoa_status find_lists(stoa_scope *scope, const stoa_syntax *syntax,
                              const stoa_syntax **lists, stoa_error *err)
{
    const stoa_syntax *name = syntax;
    size_t n_levels = 0;

    for (; is_item(name) || is_slice(name); name = name->first) {
        n_levels += is_item(name);
    }
    const size_t column = name->kind == STOA_SYNTAX_NAME
                              ? stoa_scope_find(scope, name->text, name->length)
                              : SIZE_MAX;
    if (column != SIZE_MAX) {
        STOA_RETURN_NOT_OK(stoa_scope_know(scope, column, err));
        const struct ArrowSchema *field = scope->columns[column].schema;
        *lists = is_list_field(items_below(field, n_levels)) ? syntax : NULL;
    }
    return STOA_OK;
}

/* Find the first lists in a body, without those in the arguments of other list functions. */
static stoa_status find_name(const stoa_binder *binder, const stoa_syntax *syntax,
                             const stoa_syntax **name, stoa_error *err)
{
    if (may_be_lists(syntax)) {
        return find_lists(binder->scope, syntax, name, err);
    }
    if (find_function(syntax) != NULL) {
        return STOA_OK;
    }
    for (const stoa_syntax *arg = syntax->first; arg != NULL && *name == NULL; arg = arg->next) {
        STOA_RETURN_NOT_OK(find_name(binder, arg, name, err));
    }
    return STOA_OK;
}

stoa_status stoa_is_about_list(const stoa_binder *binder, const stoa_syntax *syntax, bool *is_so,
                               stoa_error *err)
{
    const list_function *function = find_function(syntax);
    const stoa_syntax *name = NULL;

    *is_so = syntax->kind == STOA_SYNTAX_INDEX ||
             (function != NULL &&
              (function->is_always || strncasecmp(syntax->text, "list_", strlen("list_")) == 0 ||
               strncasecmp(syntax->text, "array_", strlen("array_")) == 0));
    if (function != NULL && !*is_so && syntax->first != NULL) {
        STOA_RETURN_NOT_OK(find_name(binder, syntax->first, &name, err));
        *is_so = name != NULL;
    }
    return STOA_OK;
}

/* Whether both surely denote the same lists, such as `w[0]` twice. */
static bool is_same(const stoa_expr *a, const stoa_expr *b)
{
    bool is = a->op == b->op && a->column == b->column;

    if (a->op == STOA_OP_CONSTANT) {
        return is && a->type.domain == b->type.domain && a->value.as.i64[0] == b->value.as.i64[0];
    }
    is = is && a->from_one == b->from_one &&
         (a->op == STOA_OP_COLUMN || a->op == STOA_OP_ITEM_AT || a->op == STOA_OP_SLICE);
    for (size_t i = 0; is && i < a->n_args; i++) {
        is = is_same(a->args[i], b->args[i]);
    }
    return is;
}

stoa_status stoa_bind_in_body(const stoa_binder *binder, const stoa_syntax *syntax,
                              stoa_expr **expr, stoa_error *err)
{
    stoa_list_body *body = binder->scope->body;
    const stoa_value_type type = (*expr)->type;

    if (body == NULL) {
        return STOA_OK;
    }
    if (is_same(*expr, body->lists)) {
        STOA_RETURN_NOT_OK(
            stoa_expr_make(binder, STOA_OP_ITEM, body->item.domain, syntax, 0, NULL, expr, err));
        (*expr)->type = body->item;
        return STOA_OK;
    }
    if (type.domain == STOA_DOMAIN_OTHER) {
        char source[STOA_SOURCE_SIZE];
        char lists[STOA_SOURCE_SIZE];
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax,
                                "%s is a list or a struct, and the items of %s are already "
                                "what is looked at here, one list at a time",
                                stoa_syntax_source(syntax, source),
                                stoa_syntax_source(body->lists->syntax, lists));
    }
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_EACH, type.domain, syntax, 1, expr, expr, err));
    (*expr)->type = type;
    (*expr)->memo = body->n_each++;
    return STOA_OK;
}

/* Lists ------------------------------------------------------------------------------------- */

const struct ArrowSchema *stoa_expr_field(const stoa_scope *scope, const stoa_expr *expr)
{
    size_t n_levels = 0;

    for (; expr->op == STOA_OP_ITEM_AT || expr->op == STOA_OP_SLICE; expr = expr->args[0]) {
        n_levels += expr->op == STOA_OP_ITEM_AT;
    }
    return items_below(scope->columns[expr->column].schema, n_levels);
}

/* Bind the name of lists, and set the value type of their items, or of those `n_levels` below. */
static stoa_status bind_lists(const stoa_binder *binder, stoa_bind_any *bind,
                              const stoa_syntax *name, size_t n_levels, stoa_list_body *body,
                              stoa_expr **out, stoa_error *err)
{
    char source[STOA_SOURCE_SIZE];
    char type[64];
    stoa_type item = {.kind = STOA_KIND_OTHER};

    STOA_RETURN_NOT_OK(bind(binder, name, out, err));
    if (((*out)->op != STOA_OP_COLUMN && (*out)->op != STOA_OP_ITEM_AT &&
         (*out)->op != STOA_OP_SLICE) ||
        !is_list_field(stoa_expr_field(binder->scope, *out))) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, name, "%s is %s, where a list should be",
                                stoa_syntax_source(name, source),
                                stoa_expr_type_name(binder, *out, type));
    }
    const struct ArrowSchema *field = stoa_expr_field(binder->scope, *out);
    STOA_RETURN_NOT_OK(stoa_type_of(items_below(field, n_levels), &item, err));
    body->lists = *out;
    body->item = stoa_value_type_of(&item, false);
    return STOA_OK;
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

/* The position of an item, an integer or null. */
static stoa_status bind_position(const stoa_binder *binder, stoa_bind_any *bind,
                                 const stoa_syntax *syntax, stoa_expr **out, stoa_error *err)
{
    char source[STOA_SOURCE_SIZE];
    char type[64];

    STOA_RETURN_NOT_OK(bind(binder, syntax, out, err));
    if ((*out)->type.domain == STOA_DOMAIN_I64 || (*out)->type.domain == STOA_DOMAIN_U64 ||
        (*out)->type.domain == STOA_DOMAIN_NULL) {
        return STOA_OK;
    }
    return STOA_FAIL_SYNTAX(
        err, STOA_ETYPE, syntax, "%s is %s, where the position of an item should be, an integer",
        stoa_syntax_source(syntax, source), stoa_expr_type_name(binder, *out, type));
}

/* `v[i]`, `list_extract(v, i)` */
static stoa_status bind_index(const stoa_binder *binder, stoa_bind_any *bind,
                              const stoa_syntax *syntax, stoa_expr **out, stoa_error *err)
{
    stoa_list_body body = {0};
    stoa_expr *args[2] = {NULL};

    STOA_RETURN_NOT_OK(bind_lists(binder, bind, syntax->first, 1, &body, &args[0], err));
    if (!is_list_field(items_below(stoa_expr_field(binder->scope, args[0]), 1))) {
        STOA_RETURN_NOT_OK(check_items(syntax->first, &body, err));
    }
    STOA_RETURN_NOT_OK(bind_position(binder, bind, syntax->last, &args[1], err));
    if (args[1]->type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_ITEM_AT, body.item.domain, syntax, 2, args, out, err));
    (*out)->type = body.item;
    (*out)->from_one = syntax->kind == STOA_SYNTAX_CALL;
    return STOA_OK;
}

/* `list_slice(v, i, j)` */
static stoa_status bind_slice(const stoa_binder *binder, stoa_bind_any *bind,
                              const stoa_syntax *syntax, stoa_expr **out, stoa_error *err)
{
    stoa_list_body body = {0};
    stoa_expr *args[3] = {NULL};

    STOA_RETURN_NOT_OK(bind_lists(binder, bind, syntax->first, 1, &body, &args[0], err));
    STOA_RETURN_NOT_OK(bind_position(binder, bind, syntax->first->next, &args[1], err));
    STOA_RETURN_NOT_OK(bind_position(binder, bind, syntax->last, &args[2], err));
    return stoa_expr_make(binder, STOA_OP_SLICE, STOA_DOMAIN_OTHER, syntax, 3, args, out, err);
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
                            function->text.name, is_truth ? "a condition on items" : "numbers",
                            stoa_syntax_source((*body)->syntax, source));
}

/* contains(v, x) means any(v = x and (v is not null or x is null)). */
static stoa_status bind_contains(const stoa_binder *binder, stoa_bind_any *bind,
                                 const stoa_syntax *syntax, stoa_expr **out, stoa_error *err)
{
    stoa_expr *item = NULL;
    stoa_expr *value = NULL;
    stoa_expr *there[2] = {NULL};
    stoa_expr *parts[2] = {NULL};

    STOA_RETURN_NOT_OK(bind(binder, syntax->first, &item, err));
    STOA_RETURN_NOT_OK(bind(binder, syntax->last, &value, err));
    STOA_RETURN_NOT_OK(stoa_bind_compare(binder, syntax, STOA_EQ, item, value, &parts[0], err));
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_IS_NULL, STOA_DOMAIN_BOOL, syntax, 1, &item,
                                      &there[0], err));
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_NOT, STOA_DOMAIN_BOOL, syntax, 1, &there[0],
                                      &there[0], err));
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_IS_NULL, STOA_DOMAIN_BOOL, syntax, 1, &value,
                                      &there[1], err));
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_OR, STOA_DOMAIN_BOOL, syntax, 2, there, &parts[1], err));
    return stoa_expr_make(binder, STOA_OP_AND, STOA_DOMAIN_BOOL, syntax, 2, parts, out, err);
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

static stoa_status bind_body(const stoa_binder *binder, stoa_bind_any *bind,
                             const stoa_syntax *syntax, const list_function *function,
                             stoa_list_body *body, stoa_expr **out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    binder->scope->body = body;
    if (syntax->n_args == 2) {
        STOA_TRY(bind_contains(binder, bind, syntax, out, err));
    } else {
        STOA_TRY(bind(binder, syntax->first, out, err));
    }
    STOA_TRY(check_body(binder, function, out, err));

done:
    binder->scope->body = NULL;
    return status;
}

/* Find the lists in the arguments. Only checks their form, not the type of the items. */
static stoa_status find_argument(const stoa_binder *binder, const stoa_syntax *syntax,
                                 const list_function *function, const stoa_syntax **name,
                                 stoa_error *err)
{
    const bool has_value = strcmp(function->text.name, "contains") == 0;
    const size_t wanted = function->op == STOA_LIST_SLICE               ? 3
                          : has_value || function->op == STOA_LIST_ITEM ? 2
                                                                        : 1;
    const bool is_bare = wanted == 2 || function->op == STOA_LIST_LENGTH;
    char source[STOA_SOURCE_SIZE];

    *name = NULL;
    if (syntax->n_args != wanted) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax, "%s() takes %s, not %zu arguments",
                                function->text.name,
                                wanted == 3                 ? "a list and two positions"
                                : !has_value && wanted == 2 ? "a list and a position"
                                : wanted == 2               ? "a list and a value"
                                                            : "one argument",
                                syntax->n_args);
    }
    if (!is_bare) {
        STOA_RETURN_NOT_OK(find_name(binder, syntax->first, name, err));
    } else if (may_be_lists(syntax->first)) {
        *name = syntax->first;
    }
    if (*name == NULL) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax->first,
                                "%s() is about the items of a list, and %s names no column of "
                                "lists",
                                function->text.name, stoa_syntax_source(syntax->first, source));
    }
    return STOA_OK;
}

static stoa_status bind_function(const stoa_binder *binder, stoa_bind_any *bind,
                                 const stoa_syntax *syntax, stoa_expr **out, stoa_error *err)
{
    const list_function *function = find_function(syntax);
    const stoa_syntax *name = NULL;
    stoa_list_body body = {0};
    stoa_expr *args[2] = {NULL};
    const size_t n_args = function->op == STOA_LIST_LENGTH ? 1 : 2;

    STOA_RETURN_NOT_OK(find_argument(binder, syntax, function, &name, err));
    STOA_RETURN_NOT_OK(bind_lists(binder, bind, name, SIZE_MAX, &body, &args[0], err));
    if (n_args == 2) {
        STOA_RETURN_NOT_OK(check_items(name, &body, err));
        STOA_RETURN_NOT_OK(bind_body(binder, bind, syntax, function, &body, &args[1], err));
        const stoa_value_domain domain = domain_of(function->op, args[1]->type.domain);
        if (domain == STOA_DOMAIN_NULL) {
            return stoa_expr_null(binder, syntax, out, err);
        }
    }
    const stoa_value_type type = n_args == 2 ? args[1]->type : (stoa_value_type){0};
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_LIST, domain_of(function->op, type.domain),
                                      syntax, n_args, args, out, err));
    (*out)->type.unit = type.unit;
    (*out)->type.utc = type.utc;
    (*out)->list = function->op;
    (*out)->memo = body.n_each;
    return STOA_OK;
}

stoa_status stoa_bind_list(const stoa_binder *binder, stoa_bind_any *bind,
                           const stoa_syntax *syntax, stoa_expr **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_list_body *const around = binder->scope->body;

    binder->scope->body = NULL; /* a list within another list's body is a value of the row */
    status = (is_item(syntax)    ? bind_index
              : is_slice(syntax) ? bind_slice
                                 : bind_function)(binder, bind, syntax, out, err);
    binder->scope->body = around;
    STOA_RETURN_NOT_OK(status);
    return stoa_bind_in_body(binder, syntax, out, err);
}
