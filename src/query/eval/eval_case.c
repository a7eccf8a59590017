/* Expressions that choose a value for each row: CASE and COALESCE. */
#include <string.h>

#include "query/eval/eval.h"

typedef struct choice {
    uint8_t *values;
    uint64_t *known; /* rows whose value was put and is not missing */
    uint64_t *open;  /* rows without a value */
    uint64_t *taken; /* rows that take the value at hand */
    size_t n_words;
} choice;

static stoa_status choice_open(stoa_evaluation *ev, choice *to, stoa_error *err)
{
    stoa_arena *const arena = &ev->arena;

    to->n_words = stoa_window_words(ev);
    to->values = stoa_arena_zero(arena, (size_t)ev->n, sizeof(stoa_bytes));
    to->known = stoa_arena_zero(arena, to->n_words, sizeof *to->known);
    to->open = stoa_arena_zero(arena, to->n_words, sizeof *to->open);
    to->taken = stoa_arena_zero(arena, to->n_words, sizeof *to->taken);
    if (to->values == NULL || to->known == NULL || to->open == NULL || to->taken == NULL) {
        return stoa_fail_memory(err);
    }
    for (int64_t i = 0; i < ev->n; i += 64) {
        const int64_t n = ev->n - i < 64 ? ev->n - i : 64;
        to->open[i / 64] = UINT64_MAX >> (64 - n);
    }
    return STOA_OK;
}

/* Take the open rows that are set in `bits` and in `valid` (NULL: all). Returns whether there are
 * any. They are no longer open. */
static bool take(choice *to, const uint8_t *bits, const uint8_t *valid)
{
    uint64_t any = 0;

    for (size_t i = 0; i < to->n_words; i++) {
        uint64_t word = to->open[i];
        uint64_t mask;
        if (bits != NULL) {
            memcpy(&mask, bits + i * sizeof mask, sizeof mask);
            word &= mask;
        }
        if (valid != NULL) {
            memcpy(&mask, valid + i * sizeof mask, sizeof mask);
            word &= mask;
        }
        to->taken[i] = word;
        to->open[i] &= ~word;
        any |= word;
    }
    return any != 0;
}

static bool is_done(const choice *to)
{
    uint64_t any = 0;

    for (size_t i = 0; i < to->n_words; i++) {
        any |= to->open[i];
    }
    return any == 0;
}

#define PUT(ctype)                                                                                 \
    for (int64_t k = 0; k < n; k++) {                                                              \
        ctype *const at = &((ctype *)(void *)to->values)[first + k];                               \
        *at =                                                                                      \
            (taken >> k & 1) != 0 ? ((const ctype *)(const void *)from->as.bits)[first + k] : *at; \
    }

/* Put a vector's values into the rows taken. */
static void put(choice *to, const stoa_vector *from)
{
    const bool is_bytes = stoa_domain_is_bytes(from->type.domain);

    for (size_t i = 0; from->type.domain != STOA_DOMAIN_NULL && i < to->n_words; i++) {
        const int64_t first = (int64_t)i * 64;
        const int64_t n = from->n - first < 64 ? from->n - first : 64;
        const uint64_t taken = to->taken[i];
        uint64_t word = UINT64_MAX;
        if (taken == 0) {
            continue;
        }
        if (from->validity != NULL) {
            memcpy(&word, from->validity + i * sizeof word, sizeof word);
        }
        to->known[i] |= taken & word;
        if (from->type.domain == STOA_DOMAIN_BOOL) {
            memcpy(&word, from->as.bits + i * sizeof word, sizeof word);
            ((uint64_t *)(void *)to->values)[i] |= taken & word;
        } else if (is_bytes) {
            PUT(stoa_bytes)
        } else {
            PUT(uint64_t)
        }
    }
}

/* The rows of the first condition that is true take its value; the other rows take the last. */
static stoa_status choose(stoa_evaluation *ev, const stoa_expr *expr, choice *to, stoa_error *err)
{
    stoa_vector vector;

    for (size_t i = 0; i < expr->n_args && !is_done(to); i += 2) {
        const bool is_else = i + 1 == expr->n_args;
        if (is_else) {
            take(to, NULL, NULL);
        } else {
            STOA_RETURN_NOT_OK(
                stoa_eval_rows(ev, expr->args[i], (const uint8_t *)to->open, &vector, err));
            if (vector.type.domain == STOA_DOMAIN_NULL ||
                !take(to, vector.as.bits, vector.validity)) {
                continue;
            }
        }
        STOA_RETURN_NOT_OK(
            stoa_eval_rows(ev, expr->args[i + !is_else], (const uint8_t *)to->taken, &vector, err));
        put(to, &vector);
    }
    return STOA_OK;
}

static stoa_status coalesce(stoa_evaluation *ev, const stoa_expr *expr, choice *to, stoa_error *err)
{
    stoa_vector vector;

    for (size_t i = 0; i < expr->n_args && !is_done(to); i++) {
        STOA_RETURN_NOT_OK(
            stoa_eval_rows(ev, expr->args[i], (const uint8_t *)to->open, &vector, err));
        if (vector.type.domain != STOA_DOMAIN_NULL && take(to, NULL, vector.validity)) {
            put(to, &vector);
        }
    }
    return STOA_OK;
}

stoa_status stoa_eval_case(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                           stoa_error *err)
{
    choice to;

    STOA_RETURN_NOT_OK(choice_open(ev, &to, err));
    STOA_RETURN_NOT_OK((expr->op == STOA_OP_CASE ? choose : coalesce)(ev, expr, &to, err));
    *out = (stoa_vector){.type = expr->type, .n = ev->n, .validity = (const uint8_t *)to.known};
    out->as.bits = to.values;
    return STOA_OK;
}
