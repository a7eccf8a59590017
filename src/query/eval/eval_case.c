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

static stoa_status choice_open(stoa_evaluation *ev, stoa_value_domain domain, choice *to,
                               stoa_error *err)
{
    stoa_arena *const arena = &ev->arena;
    const size_t size = stoa_domain_is_bytes(domain) ? sizeof(stoa_bytes) : sizeof(uint64_t);

    to->n_words = stoa_window_words(ev);
    to->values = stoa_arena_zero(arena, (size_t)ev->n, size);
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

/* `step` is 0 for a constant, else 1. */
STOA_CLONES static void put_words(const uint64_t *restrict from, int64_t step,
                                  const uint64_t *restrict words, int64_t n, uint64_t *restrict to)
{
    int64_t i = 0;

    for (; i + 64 <= n; i += 64) {
        const uint64_t word = words[i / 64];
        if (word == UINT64_MAX && step == 1) {
            memcpy(to + i, from + i, 64 * sizeof *to);
        } else if (word != 0 && step == 1) {
            for (int64_t k = 0; k < 64; k++) {
                to[i + k] = (word >> k & 1) != 0 ? from[i + k] : to[i + k];
            }
        } else if (word != 0) {
            const uint64_t value = from[0];
            for (int64_t k = 0; k < 64; k++) {
                to[i + k] = (word >> k & 1) != 0 ? value : to[i + k];
            }
        }
    }
    for (; i < n; i++) {
        to[i] = (words[i / 64] >> (i % 64) & 1) != 0 ? from[i * step] : to[i];
    }
}

void stoa_put_rows(const stoa_vector *from, const uint64_t *words, int64_t n, uint64_t *to)
{
    put_words(from->as.u64, !from->constant, words, n, to);
}

static void put_texts(const stoa_vector *from, const uint64_t *words, size_t n_words,
                      stoa_bytes *to)
{
    for (size_t i = 0; i < n_words; i++) {
        for (uint64_t left = words[i]; left != 0; left &= left - 1) {
            const size_t row = i * 64 + (size_t)__builtin_ctzll(left);
            to[row] = from->as.bytes[from->constant ? 0 : row];
        }
    }
}

/* Put a vector's values into the rows taken. Conditions are no constants. */
static void put(choice *to, const stoa_vector *from)
{
    const stoa_value_domain domain = from->type.domain;
    const uint64_t *const bits = (const uint64_t *)(const void *)from->as.bits;
    const uint64_t *const valid = (const uint64_t *)(const void *)from->validity;

    if (domain == STOA_DOMAIN_NULL || (from->constant && stoa_vector_is_null(from, 0))) {
        return;
    }
    for (size_t i = 0; i < to->n_words; i++) {
        to->known[i] |= to->taken[i] & (valid != NULL && !from->constant ? valid[i] : UINT64_MAX);
        if (domain == STOA_DOMAIN_BOOL) {
            ((uint64_t *)(void *)to->values)[i] |= to->taken[i] & bits[i];
        }
    }
    if (stoa_domain_is_bytes(domain)) {
        put_texts(from, to->taken, to->n_words, (stoa_bytes *)(void *)to->values);
    } else if (domain != STOA_DOMAIN_BOOL) {
        stoa_put_rows(from, to->taken, from->n, (uint64_t *)(void *)to->values);
    }
}

/* The vector of an operand. Numbers, times and texts may be constants. */
static stoa_status eval_part(stoa_evaluation *ev, const stoa_expr *expr, const uint64_t *selected,
                             stoa_vector *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_eval_rows(ev, expr, (const uint8_t *)selected, out, err));
    return out->type.domain == STOA_DOMAIN_BOOL ? stoa_vector_spread(&ev->arena, out, err)
                                                : STOA_OK;
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
            STOA_RETURN_NOT_OK(eval_part(ev, expr->args[i], to->open, &vector, err));
            if (vector.type.domain == STOA_DOMAIN_NULL ||
                !take(to, vector.as.bits, vector.validity)) {
                continue;
            }
        }
        STOA_RETURN_NOT_OK(eval_part(ev, expr->args[i + !is_else], to->taken, &vector, err));
        put(to, &vector);
    }
    return STOA_OK;
}

static stoa_status coalesce(stoa_evaluation *ev, const stoa_expr *expr, choice *to, stoa_error *err)
{
    stoa_vector vector;

    for (size_t i = 0; i < expr->n_args && !is_done(to); i++) {
        STOA_RETURN_NOT_OK(eval_part(ev, expr->args[i], to->open, &vector, err));
        const bool is_missing = vector.constant && stoa_vector_is_null(&vector, 0);
        if (vector.type.domain != STOA_DOMAIN_NULL && !is_missing &&
            take(to, NULL, vector.constant ? NULL : vector.validity)) {
            put(to, &vector);
        }
    }
    return STOA_OK;
}

stoa_status stoa_eval_case(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                           stoa_error *err)
{
    choice to;

    STOA_RETURN_NOT_OK(choice_open(ev, expr->type.domain, &to, err));
    STOA_RETURN_NOT_OK((expr->op == STOA_OP_CASE ? choose : coalesce)(ev, expr, &to, err));
    *out = (stoa_vector){.type = expr->type, .n = ev->n, .validity = (const uint8_t *)to.known};
    out->as.bits = to.values;
    return STOA_OK;
}
