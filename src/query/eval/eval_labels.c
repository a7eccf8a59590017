/* Expressions of one dictionary column: evaluated once on its labels, then looked up by code. */
#include <string.h>

#include "query/eval/eval.h"

/* Evaluate the expression for every label, and for a missing one. */
static stoa_status eval_on_labels(stoa_evaluation *ev, const stoa_expr *expr, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_evaluation inner = {0};
    stoa_vector *memo = &ev->memos[expr->memo];
    stoa_labels *labels = NULL;

    STOA_TRY(stoa_load_labels(ev, expr->column, &labels, err));
    STOA_TRY(stoa_evaluation_open(&inner, ev->scope, err));
    stoa_evaluation_move(&inner, NULL, 0, labels->n + 1);
    inner.columns[expr->column] = labels->values;
    inner.arena = ev->kept; /* borrowed, so that the values persist; temporary memory does too */
    STOA_TRY(stoa_eval(&inner, expr->args[0], memo, err));
    STOA_TRY(stoa_vector_spread(&inner.arena, memo, err));

done:
    ev->kept = inner.arena.first != NULL ? inner.arena : ev->kept;
    inner.arena = (stoa_arena){0};
    stoa_evaluation_clear(&inner);
    return status;
}

/* Whether the expression is a single test of the label itself, which is a text. */
static bool is_label_test(const stoa_expr *test)
{
    const bool tests = test->op == STOA_OP_LIKE || test->op == STOA_OP_IN ||
                       (test->op == STOA_OP_COMPARE && stoa_expr_is_constant(test->args[1]));

    return tests && test->args[0]->op == STOA_OP_COLUMN &&
           test->args[0]->type.domain == STOA_DOMAIN_TEXT;
}

/* Evaluate such a test on the dictionary in place. */
static stoa_status test_labels(stoa_evaluation *ev, const stoa_expr *expr,
                               const stoa_view *dictionary, stoa_error *err)
{
    const stoa_expr *test = expr->args[0];
    const int64_t n = dictionary->length;
    const size_t n_words = (size_t)n / 64 + 1; /* with a missing label after the last one */
    uint64_t *bits = stoa_arena_zero(&ev->kept, n_words, sizeof *bits);
    uint8_t *validity = stoa_arena_zero(&ev->kept, n_words, sizeof *bits);

    STOA_RETURN_NO_MEMORY(err, bits != NULL && validity != NULL);
    stoa_test_texts(ev->filter, test, dictionary, 0, n, NULL, bits);
    if (dictionary->null_count > 0) {
        stoa_copy_bits(dictionary->validity, dictionary->offset, n, validity);
    } else {
        memset(validity, 0xff, (size_t)n / 8);
        for (int64_t i = n / 8 * 8; i < n; i++) {
            stoa_bit_set(validity, (uint64_t)i);
        }
    }
    for (size_t i = 0; test->op == STOA_OP_IN && test->has_null && i < n_words * 8; i++) {
        validity[i] &= ((const uint8_t *)bits)[i]; /* others may equal the list's missing entry */
    }
    ev->memos[expr->memo] = (stoa_vector){.type = expr->type, .n = n + 1, .validity = validity};
    ev->memos[expr->memo].as.bits = (const uint8_t *)bits;
    return STOA_OK;
}

stoa_status stoa_eval_labels(stoa_evaluation *ev, const stoa_expr *expr, stoa_labels **labels,
                             stoa_error *err)
{
    stoa_view dictionary;

    STOA_RETURN_NOT_OK(stoa_load_dictionary(ev, expr->column, labels, &dictionary, err));
    if (ev->memos[expr->memo].n >= 0) {
        return STOA_OK;
    }
    return is_label_test(expr->args[0]) ? test_labels(ev, expr, &dictionary, err)
                                        : eval_on_labels(ev, expr, err);
}

/* Look up the texts or numbers of the window's rows. */
static stoa_status look_up_rows(stoa_evaluation *ev, const stoa_vector *memo, const uint32_t *codes,
                                stoa_vector *out, stoa_error *err)
{
    const bool texts = stoa_domain_is_bytes(memo->type.domain);
    uint8_t *values =
        stoa_arena_alloc(&ev->arena, (size_t)ev->n, texts ? sizeof(stoa_bytes) : sizeof(int64_t));
    uint8_t *validity = stoa_arena_zero(&ev->arena, stoa_bit_bytes((uint64_t)ev->n), 1);

    STOA_RETURN_NO_MEMORY(err, values != NULL && validity != NULL);
    stoa_look_up_labels(memo, codes, ev->n, values);
    for (int64_t i = 0; memo->validity != NULL && i < ev->n; i++) {
        if (stoa_bit_get(memo->validity, codes[i])) {
            stoa_bit_set(validity, (uint64_t)i);
        }
    }
    *out = (stoa_vector){.type = memo->type, .n = ev->n};
    out->as.bits = values;
    out->validity = memo->validity != NULL ? validity : NULL;
    return STOA_OK;
}

stoa_status stoa_eval_dictionary(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                 stoa_error *err)
{
    stoa_labels *labels = NULL;

    STOA_RETURN_NOT_OK(stoa_eval_labels(ev, expr, &labels, err));
    STOA_RETURN_NOT_OK(stoa_load_codes(ev, expr->column, &labels, err));
    STOA_RETURN_NOT_OK(look_up_rows(ev, &ev->memos[expr->memo], labels->codes, out, err));
    out->type = expr->type;
    return STOA_OK;
}
