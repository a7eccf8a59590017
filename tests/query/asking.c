/* Expressions over batches in memory. */
#include "asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_SIZE = 8192 };

static void append(char *out, const char *text)
{
    CHECK(strlen(out) + strlen(text) + 1 < ANSWER_SIZE);
    strcat(out, text);
}

static void append_tree(char *out, const stoa_syntax *node)
{
    static const char *const names[] = {
        [STOA_SYNTAX_CALL] = "call",       [STOA_SYNTAX_MINUS] = "-",
        [STOA_SYNTAX_AND] = "and",         [STOA_SYNTAX_OR] = "or",
        [STOA_SYNTAX_NOT] = "not",         [STOA_SYNTAX_IN] = "in",
        [STOA_SYNTAX_BETWEEN] = "between", [STOA_SYNTAX_LIKE] = "like",
        [STOA_SYNTAX_IS_NULL] = "is-null", [STOA_SYNTAX_NULL] = "null",
        [STOA_SYNTAX_TRUE] = "true",       [STOA_SYNTAX_FALSE] = "false",
        [STOA_SYNTAX_INDEX] = "item",
    };
    static const char *const operators[] = {
        [STOA_TOKEN_EQ] = "=",    [STOA_TOKEN_NE] = "!=",     [STOA_TOKEN_LT] = "<",
        [STOA_TOKEN_LE] = "<=",   [STOA_TOKEN_GT] = ">",      [STOA_TOKEN_GE] = ">=",
        [STOA_TOKEN_PLUS] = "+",  [STOA_TOKEN_MINUS] = "-",   [STOA_TOKEN_STAR] = "*",
        [STOA_TOKEN_SLASH] = "/", [STOA_TOKEN_PERCENT] = "%",
    };
    char text[256];

    if (node->kind == STOA_SYNTAX_NUMBER || node->kind == STOA_SYNTAX_NAME) {
        snprintf(text, sizeof text, "%.*s", (int)node->length, node->text);
    } else if (node->kind == STOA_SYNTAX_TEXT) {
        snprintf(text, sizeof text, "'%s'", node->text);
    } else if (node->kind == STOA_SYNTAX_HEX) {
        snprintf(text, sizeof text, "hex:%zu", node->length);
    } else if (node->kind == STOA_SYNTAX_CALL) {
        snprintf(text, sizeof text, "%.*s", (int)node->length, node->text);
    } else if (node->kind == STOA_SYNTAX_ARITH || node->kind == STOA_SYNTAX_COMPARE) {
        snprintf(text, sizeof text, "%s", operators[node->op]);
    } else {
        snprintf(text, sizeof text, "%s", names[node->kind]);
    }
    if (node->n_args == 0 && node->kind != STOA_SYNTAX_CALL) {
        append(out, text);
        return;
    }
    append(out, "(");
    append(out, text);
    for (const stoa_syntax *arg = node->first; arg != NULL; arg = arg->next) {
        append(out, " ");
        append_tree(out, arg);
    }
    append(out, ")");
}

const char *tree_of(const char *text)
{
    static char out[ANSWER_SIZE];
    stoa_error err = STOA_ERROR_INIT;
    stoa_arena arena = {0};
    const stoa_syntax *tree = NULL;

    out[0] = '\0';
    if (stoa_parse("where", text, NULL, &arena, &tree, &err) == STOA_OK) {
        append_tree(out, tree);
    } else {
        CHECK_U64(err.status, STOA_ESYNTAX);
        append(out, err.message);
    }
    stoa_arena_clear(&arena);
    return out;
}

/* An expression bound to a batch and evaluated on all of it. */
typedef struct asking {
    stoa_arena arena;
    stoa_scope scope;
    stoa_view *views;
    stoa_expr *expr;
    stoa_evaluation ev;
} asking;

static stoa_status bind(asking *a, const batch *b, const char *text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_syntax *tree = NULL;
    const stoa_binder binder = {&a->scope, &a->arena};

    STOA_TRY(stoa_scope_open(&b->schema, &a->arena, &a->scope, err));
    STOA_TRY(stoa_parse("where", text, NULL, &a->arena, &tree, err));
    STOA_TRY(stoa_bind(&binder, tree, &a->expr, err));

done:
    return status;
}

static stoa_status evaluate(asking *a, const batch *b, stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    a->views = stoa_alloc_zero(a->scope.n_columns, sizeof *a->views);
    CHECK(a->views != NULL);
    for (size_t i = 0; i < a->scope.n_columns; i++) {
        CHECK_OK(stoa_view_of(b->schema.children[i], b->array.children[i], &a->views[i], NULL));
    }
    STOA_TRY(stoa_evaluation_open(&a->ev, &a->scope, err));
    stoa_evaluation_move(&a->ev, a->views, 0, b->array.length);
    STOA_TRY(stoa_eval(&a->ev, a->expr, out, err));

done:
    return status;
}

static void asking_clear(asking *a)
{
    stoa_evaluation_clear(&a->ev);
    free(a->views);
    stoa_arena_clear(&a->arena);
}

const char *verdicts(const batch *b, const char *where)
{
    static char out[ANSWER_SIZE];
    stoa_error err = STOA_ERROR_INIT;
    asking a = {.ev = {0}};
    stoa_vector vector;

    out[0] = '\0';
    stoa_status status = bind(&a, b, where, &err);
    if (status == STOA_OK) {
        status = evaluate(&a, b, &vector, &err);
    }
    if (status == STOA_OK) {
        CHECK_OK(stoa_vector_spread(&a.ev.arena, &vector, NULL));
        for (int64_t i = 0; i < b->array.length; i++) {
            append(out, stoa_vector_is_null(&vector, i)             ? "-"
                        : stoa_bit_get(vector.as.bits, (uint64_t)i) ? "1"
                                                                    : "0");
        }
    } else {
        append(out, err.message);
    }
    asking_clear(&a);
    return out;
}

const char *selected(const batch *b, const char *where)
{
    static char out[ANSWER_SIZE];
    uint8_t bits[ANSWER_SIZE / 8];
    asking a = {.ev = {0}};
    stoa_vector vector;
    int64_t n_selected = -1;

    out[0] = '\0';
    CHECK_OK(bind(&a, b, where, NULL));
    CHECK_OK(evaluate(&a, b, &vector, NULL));
    stoa_evaluation_move(&a.ev, a.views, 0, b->array.length);
    CHECK_OK(stoa_eval_filter(&a.ev, a.expr, bits, &n_selected, NULL));
    CHECK_I64(n_selected, (int64_t)stoa_bit_count(bits, 0, (uint64_t)b->array.length));
    for (int64_t i = 0; i < b->array.length; i++) {
        append(out, stoa_bit_get(bits, (uint64_t)i) ? "1" : "0");
    }
    asking_clear(&a);
    return out;
}

const char *values_of(const batch *b, const char *text)
{
    static char out[ANSWER_SIZE];
    stoa_error err = STOA_ERROR_INIT;
    asking a = {.ev = {0}};
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    stoa_vector vector;
    stoa_view view;

    out[0] = '\0';
    stoa_status status = bind(&a, b, text, &err);
    if (status == STOA_OK) {
        status = evaluate(&a, b, &vector, &err);
    }
    if (status == STOA_OK) {
        const stoa_type type = stoa_type_of_values(&a.expr->type);
        CHECK_OK(stoa_emit(&vector, &type, &array, &err), &err);
        CHECK_OK(stoa_schema_make_type(&schema, "x", &type, &err), &err);
        CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
        for (int64_t i = 0; i < view.length; i++) {
            append(out, i > 0 ? " " : "");
            append(out, value_text(&view, i));
        }
    } else {
        append(out, err.message);
    }
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    asking_clear(&a);
    return out;
}

stoa_status refusal(const batch *b, const char *text, stoa_error *err)
{
    asking a = {.ev = {0}};

    *err = (stoa_error)STOA_ERROR_INIT;
    const stoa_status status = bind(&a, b, text, err);
    asking_clear(&a);
    return status;
}
