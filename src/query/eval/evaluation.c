/* Evaluations: open, move and clear, with their columns, labels and windows. */
#include <stdlib.h>
#include <string.h>

#include "query/eval/eval.h"

stoa_status stoa_evaluation_open(stoa_evaluation *ev, const stoa_scope *scope, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *ev = (stoa_evaluation){
        .scope = scope, .filter = stoa_filter_of(stoa_simd_of_cpu()), .row = UINT64_MAX};
    ev->columns = stoa_alloc(scope->n_columns, sizeof *ev->columns);
    ev->labels = stoa_alloc(scope->n_columns, sizeof *ev->labels);
    ev->memos = stoa_alloc(scope->n_memos, sizeof *ev->memos);
    ev->sets = stoa_alloc_zero(scope->n_memos, sizeof *ev->sets);
    ev->touched = stoa_alloc(scope->n_columns, sizeof *ev->touched);
    STOA_TRY(ev->columns != NULL && ev->labels != NULL && ev->memos != NULL && ev->sets != NULL &&
                     ev->touched != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    for (size_t i = 0; i < scope->n_columns; i++) {
        ev->columns[i].n = -1;
        ev->labels[i] = (stoa_labels){.n = -1};
    }
    for (size_t i = 0; i < scope->n_memos; i++) {
        ev->memos[i].n = -1;
    }

done:
    if (status != STOA_OK) {
        stoa_evaluation_clear(ev);
    }
    return status;
}

void stoa_evaluation_unit(stoa_evaluation *ev, stoa_view *views)
{
    for (size_t i = 0; i < ev->scope->n_columns; i++) {
        views[i].length = -1;
    }
    ev->views = views;
    ev->is_new_unit = true;
}

stoa_status stoa_evaluation_view(stoa_evaluation *ev, size_t column, const stoa_view **out,
                                 stoa_error *err)
{
    stoa_view *view = &ev->views[column];

    *out = view;
    return view->length < 0 ? ev->fetch(ev->fetch_context, column, view, err) : STOA_OK;
}

void stoa_evaluation_move(stoa_evaluation *ev, stoa_view *views, int64_t first, int64_t n)
{
    const stoa_arena_mark start = {0};

    ev->views = views;
    ev->first = first;
    ev->n = n;
    ev->is_new_unit = ev->is_new_unit || first == 0;
    stoa_arena_reset(&ev->arena, start);
    stoa_arena_reset(&ev->loads, start);
    const bool listed = ev->n_touched <= ev->scope->n_columns;
    const size_t n_touched = listed ? ev->n_touched : ev->scope->n_columns;
    for (size_t i = 0; i < n_touched; i++) {
        const size_t column = listed ? ev->touched[i] : i;
        ev->columns[column].n = -1;
        ev->labels[column].codes = NULL;
    }
    ev->n_touched = 0;
}

void stoa_evaluation_clear(stoa_evaluation *ev)
{
    stoa_arena_clear(&ev->arena);
    stoa_arena_clear(&ev->loads);
    stoa_arena_clear(&ev->kept);
    free(ev->columns);
    free(ev->labels);
    free(ev->memos);
    free(ev->sets);
    free(ev->touched);
    free(ev->conjuncts);
    *ev = (stoa_evaluation){0};
}

static void fill_texts(stoa_bytes *to, size_t n, stoa_bytes text)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = text;
    }
}

static void fill_words(uint64_t *to, size_t n, uint64_t word)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = word;
    }
}

stoa_status stoa_vector_spread(stoa_arena *arena, stoa_vector *vector, stoa_error *err)
{
    const bool texts = stoa_domain_is_bytes(vector->type.domain);
    const size_t n = (size_t)vector->n;
    const bool missing = stoa_vector_is_null(vector, 0);
    uint8_t *values;

    if (!vector->constant) {
        return STOA_OK;
    }
    if (vector->type.domain == STOA_DOMAIN_BOOL || vector->type.domain == STOA_DOMAIN_NULL) {
        values = stoa_arena_alloc(arena, stoa_bit_bytes(n), 1);
        if (values != NULL) {
            memset(values, vector->as.bits[0] & 1 ? 0xff : 0, stoa_bit_bytes(n));
        }
    } else {
        values = stoa_arena_alloc(arena, n, texts ? sizeof(stoa_bytes) : sizeof(uint64_t));
        if (values != NULL && texts) {
            fill_texts((stoa_bytes *)(void *)values, n, vector->as.bytes[0]);
        } else if (values != NULL) {
            fill_words((uint64_t *)(void *)values, n, vector->as.u64[0]);
        }
    }
    uint8_t *validity = missing ? stoa_arena_zero(arena, stoa_bit_bytes(n), 1) : NULL;
    if (values == NULL || (missing && validity == NULL)) {
        return stoa_fail_memory(err);
    }
    vector->constant = false;
    vector->validity = validity;
    vector->as.bits = values;
    return STOA_OK;
}
