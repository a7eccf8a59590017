/* Filters on stored values: values are not widened, and texts are not looked up. */
#include <stdlib.h>
#include <string.h>

#include "query/eval/eval.h"

/* Supported tests --------------------------------------------------------------------------- */

static const stoa_scope_column *stored_column(const stoa_scope *scope, const stoa_expr *expr)
{
    const stoa_scope_column *column =
        expr->op == STOA_OP_COLUMN ? &scope->columns[expr->column] : NULL;

    return column != NULL && !stoa_scope_column_is_coded(column) ? column : NULL;
}

static bool is_ordinal(stoa_value_domain domain)
{
    return stoa_domain_is_number(domain) || stoa_domain_is_ticks(domain);
}

static bool is_against_constant(const stoa_scope *scope, const stoa_expr *expr)
{
    return expr->op == STOA_OP_COMPARE && stored_column(scope, expr->args[0]) != NULL &&
           stoa_expr_is_constant(expr->args[1]) &&
           expr->args[0]->type.domain == expr->args[1]->type.domain;
}

bool stoa_is_range_predicate(const stoa_scope *scope, const stoa_expr *expr)
{
    return is_against_constant(scope, expr) && is_ordinal(expr->args[0]->type.domain);
}

/* The kind whose loop compares the two columns, or STOA_KIND_OTHER. */
static stoa_kind pair_kind(const stoa_scope *scope, const stoa_expr *expr)
{
    const stoa_scope_column *a = stored_column(scope, expr->args[0]);
    const stoa_scope_column *b = stored_column(scope, expr->args[1]);

    if (a == NULL || b == NULL || a->type.kind != b->type.kind ||
        a->type.kind == STOA_KIND_FLOAT16 || !is_ordinal(a->value.domain)) {
        return STOA_KIND_OTHER;
    }
    if (stoa_domain_is_ticks(a->value.domain)) {
        if (a->type.unit != b->type.unit) {
            return STOA_KIND_OTHER;
        }
        return stoa_kind_width(a->type.kind) == 4 ? STOA_KIND_INT32 : STOA_KIND_INT64;
    }
    return a->type.kind;
}

bool stoa_can_filter_stored(const stoa_scope *scope, const stoa_expr *expr)
{
    const stoa_scope_column *column = expr->n_args > 0 ? stored_column(scope, expr->args[0]) : NULL;

    switch (expr->op) {
    case STOA_OP_COLUMN:
        return expr->type.domain == STOA_DOMAIN_BOOL && stored_column(scope, expr) != NULL;
    case STOA_OP_DICTIONARY:
        return expr->type.domain == STOA_DOMAIN_BOOL;
    case STOA_OP_IS_NULL:
    case STOA_OP_ALWAYS:
    case STOA_OP_NEVER:
        return column != NULL;
    case STOA_OP_LIKE:
        return column != NULL && stoa_domain_is_bytes(column->value.domain);
    case STOA_OP_IN:
        return column != NULL &&
               (stoa_domain_is_bytes(column->value.domain) || is_ordinal(column->value.domain));
    case STOA_OP_COMPARE:
        return stoa_is_range_predicate(scope, expr) ||
               (is_against_constant(scope, expr) && stoa_domain_is_bytes(column->value.domain)) ||
               pair_kind(scope, expr) != STOA_KIND_OTHER;
    default:
        return false;
    }
}

/* Words ------------------------------------------------------------------------------------- */

static stoa_status make_words(stoa_evaluation *ev, uint64_t **out, stoa_error *err)
{
    *out = stoa_arena_alloc(&ev->arena, stoa_window_words(ev), sizeof **out);
    return *out != NULL ? STOA_OK : stoa_fail_memory(err);
}

static void fill_words(const stoa_evaluation *ev, bool value, uint64_t *words)
{
    memset(words, value ? 0xff : 0, stoa_window_words(ev) * sizeof *words);
}

/* The column's validity in the window; NULL: nothing is missing. */
static stoa_status load_known(stoa_evaluation *ev, const stoa_view *view, const uint64_t **out,
                              stoa_error *err)
{
    const uint8_t *bits = NULL;

    STOA_RETURN_NOT_OK(stoa_load_validity(ev, &ev->arena, view, &bits, err));
    *out = (const uint64_t *)(const void *)bits; /* the arena aligns it and rounds sizes up */
    return STOA_OK;
}

static const void *values_at(const stoa_evaluation *ev, const stoa_view *view, size_t width)
{
    if (view->values == NULL) { /* the column has no rows */
        return NULL;
    }
    return (const uint8_t *)view->values + (size_t)(view->offset + ev->first) * width;
}

/* Tests ------------------------------------------------------------------------------------- */

stoa_status stoa_filter_stored_range(stoa_evaluation *ev, size_t column,
                                     const stoa_range_predicate *band, stoa_truth *out,
                                     stoa_error *err)
{
    const stoa_view *view = NULL;
    stoa_bounds bounds;

    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, column, &view, err));
    STOA_RETURN_NOT_OK(make_words(ev, &out->bits, err));
    STOA_RETURN_NOT_OK(load_known(ev, view, &out->known, err));
    if (!stoa_range_predicate_bounds(band, view->type.kind, &bounds)) {
        fill_words(ev, band->others, out->bits);
        return STOA_OK;
    }
    const stoa_lane lane = stoa_lane_of(view->type.kind);
    ev->filter->within[lane](values_at(ev, view, stoa_lane_width(lane)), ev->n, &bounds, out->bits);
    for (size_t i = 0; band->others && i < stoa_window_words(ev); i++) {
        out->bits[i] = ~out->bits[i];
    }
    return STOA_OK;
}

static stoa_status test_pair(stoa_evaluation *ev, const stoa_expr *expr, stoa_truth *out,
                             stoa_error *err)
{
    const stoa_kind kind = pair_kind(ev->scope, expr);
    const size_t width = (size_t)stoa_kind_width(kind);
    const bool mirrored = expr->compare == STOA_GT || expr->compare == STOA_GE;
    const stoa_expr *const left = expr->args[mirrored];
    const stoa_expr *const right = expr->args[!mirrored];
    const stoa_view *a = NULL;
    const stoa_view *b = NULL;
    const uint64_t *known = NULL;
    int which = STOA_PAIR_EQ;

    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, left->column, &a, err));
    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, right->column, &b, err));
    STOA_RETURN_NOT_OK(make_words(ev, &out->bits, err));
    STOA_RETURN_NOT_OK(load_known(ev, a, &out->known, err));
    STOA_RETURN_NOT_OK(load_known(ev, b, &known, err));
    if (expr->compare == STOA_LT || expr->compare == STOA_GT) {
        which = STOA_PAIR_LT;
    } else if (expr->compare == STOA_LE || expr->compare == STOA_GE) {
        which = STOA_PAIR_LE;
    }
    ev->filter->pairs[kind][which](values_at(ev, a, width), values_at(ev, b, width), ev->n,
                                   out->bits);
    if (known != NULL && out->known != NULL) {
        uint64_t *both = NULL;
        STOA_RETURN_NOT_OK(make_words(ev, &both, err));
        for (size_t i = 0; i < stoa_window_words(ev); i++) {
            both[i] = known[i] & out->known[i];
        }
        known = both;
    }
    out->known = known != NULL ? known : out->known;
    for (size_t i = 0; expr->compare == STOA_NE && i < stoa_window_words(ev); i++) {
        out->bits[i] = ~out->bits[i];
    }
    return STOA_OK;
}

/* IS_NULL, ALWAYS and NEVER depend only on the validity. */
static stoa_status test_known(stoa_evaluation *ev, const stoa_expr *expr, stoa_truth *out,
                              stoa_error *err)
{
    const stoa_view *view = NULL;

    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, expr->args[0]->column, &view, err));
    STOA_RETURN_NOT_OK(make_words(ev, &out->bits, err));
    STOA_RETURN_NOT_OK(load_known(ev, view, &out->known, err));
    fill_words(ev, expr->op == STOA_OP_ALWAYS, out->bits);
    if (expr->op == STOA_OP_IS_NULL) {
        for (size_t i = 0; out->known != NULL && i < stoa_window_words(ev); i++) {
            out->bits[i] = ~out->known[i];
        }
        out->known = NULL;
    }
    return STOA_OK;
}

static stoa_status test_bools(stoa_evaluation *ev, size_t column, stoa_truth *out, stoa_error *err)
{
    const stoa_view *view = NULL;

    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, column, &view, err));
    STOA_RETURN_NOT_OK(make_words(ev, &out->bits, err));
    STOA_RETURN_NOT_OK(load_known(ev, view, &out->known, err));
    stoa_copy_bits(view->values, view->offset + ev->first, ev->n, (uint8_t *)out->bits);
    return STOA_OK;
}

/* Lists ------------------------------------------------------------------------------------- */

/* The bits of the stored values that equal one value of the list. There are at most two, for the
 * two zeros of floats. */
static size_t stored_bits(const stoa_vector *list, int64_t i, stoa_kind kind, uint64_t out[2])
{
    const stoa_vector one = {.type = list->type, .n = 1, .as.i64 = list->as.i64 + i};
    const stoa_range_predicate band = stoa_range_predicate_of(STOA_EQ, &one);
    stoa_bounds bounds;

    if (!stoa_range_predicate_bounds(&band, kind, &bounds)) {
        return 0;
    }
    if (kind == STOA_KIND_FLOAT16) {
        out[0] = stoa_f16_key((uint16_t)bounds.low);
        out[1] = stoa_f16_key((uint16_t)(bounds.low + 1));
        return 1 + (size_t)bounds.span;
    }
    if (kind == STOA_KIND_FLOAT32) {
        const float value = (float)bounds.least;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        out[0] = bits & (value != 0 ? UINT32_MAX : 0);
        out[1] = (uint64_t)1 << 31;
        return value != 0 ? 1 : 2;
    }
    if (kind == STOA_KIND_FLOAT64) {
        memcpy(&out[0], &bounds.least, sizeof *out);
        out[0] &= bounds.least != 0 ? UINT64_MAX : 0;
        out[1] = (uint64_t)1 << 63;
        return bounds.least != 0 ? 1 : 2;
    }
    out[0] = bounds.low & UINT64_MAX >> (64 - 8 * stoa_kind_width(kind));
    return 1;
}

/* Make the list a set of stored bits, once per evaluation. */
static stoa_status make_list_set(stoa_evaluation *ev, const stoa_expr *expr, stoa_kind kind,
                                 stoa_error *err)
{
    static const stoa_lane lanes[] = {
        [1] = STOA_LANE_8, STOA_LANE_16, [4] = STOA_LANE_32, [8] = STOA_LANE_64};
    stoa_status status = STOA_OK;
    stoa_memo_sets *sets = &ev->sets[expr->memo];
    uint64_t *values = stoa_alloc((size_t)expr->value.n * 2, sizeof *values);
    int64_t n = 0;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < expr->value.n; i++) {
        n += (int64_t)stored_bits(&expr->value, i, kind, values + n);
    }
    stoa_in_sort(STOA_DOMAIN_U64, values, &n);
    STOA_TRY(stoa_set_of_list(lanes[stoa_kind_width(kind)], values, (size_t)n, &ev->kept,
                              &sets->yes, err));
    sets->made = true;

done:
    free(values);
    return status;
}

static stoa_status test_in(stoa_evaluation *ev, const stoa_expr *expr, const uint64_t *open,
                           stoa_truth *out, stoa_error *err)
{
    const stoa_memo_sets *sets = &ev->sets[expr->memo];
    const stoa_view *view = NULL;

    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, expr->args[0]->column, &view, err));
    STOA_RETURN_NOT_OK(make_words(ev, &out->bits, err));
    STOA_RETURN_NOT_OK(load_known(ev, view, &out->known, err));
    if (stoa_domain_is_bytes(expr->args[0]->type.domain)) {
        stoa_test_texts(ev->filter, expr, view, ev->first, ev->n, open, out->bits);
    } else {
        if (!sets->made) {
            STOA_RETURN_NOT_OK(make_list_set(ev, expr, view->type.kind, err));
        }
        const size_t width = stoa_lane_width(sets->yes.lane);
        stoa_set_test(ev->filter, &sets->yes, values_at(ev, view, width), ev->n, out->bits);
    }
    if (expr->has_null) { /* if not in the list, it may equal the list's missing entry */
        uint64_t *known = NULL;
        STOA_RETURN_NOT_OK(make_words(ev, &known, err));
        for (size_t i = 0; i < stoa_window_words(ev); i++) {
            known[i] = out->bits[i] & (out->known != NULL ? out->known[i] : UINT64_MAX);
        }
        out->known = known;
    }
    return STOA_OK;
}

static stoa_status test_text(stoa_evaluation *ev, const stoa_expr *expr, const uint64_t *open,
                             stoa_truth *out, stoa_error *err)
{
    const stoa_view *view = NULL;

    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, expr->args[0]->column, &view, err));
    STOA_RETURN_NOT_OK(make_words(ev, &out->bits, err));
    STOA_RETURN_NOT_OK(load_known(ev, view, &out->known, err));
    stoa_test_texts(ev->filter, expr, view, ev->first, ev->n, open, out->bits);
    return STOA_OK;
}

/* Dictionaries ------------------------------------------------------------------------------ */

/* Make sets of the codes whose labels pass, and of those whose labels do not. */
static stoa_status make_code_sets(stoa_evaluation *ev, const stoa_expr *expr, int64_t n_labels,
                                  stoa_kind index, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_memo_sets *sets = &ev->sets[expr->memo];
    const stoa_vector *memo = &ev->memos[expr->memo];
    const size_t n_bytes = (size_t)stoa_bit_bytes((uint64_t)n_labels);
    const stoa_lane lane = stoa_lane_of(index);
    uint8_t *yes = stoa_alloc(n_bytes, 1);
    uint8_t *no = stoa_alloc(n_bytes, 1);

    STOA_TRY(yes != NULL && no != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n_bytes; i++) {
        const unsigned known = memo->validity != NULL ? memo->validity[i] : 0xffu;
        yes[i] = (uint8_t)(memo->as.bits[i] & known);
        no[i] = (uint8_t)(~(unsigned)memo->as.bits[i] & known);
    }
    sets->all_known = memo->validity == NULL ||
                      stoa_bit_count(memo->validity, 0, (uint64_t)n_labels) == (uint64_t)n_labels;
    STOA_TRY(stoa_set_of_bits(lane, yes, (uint64_t)n_labels, &ev->kept, &sets->yes, err));
    STOA_TRY(stoa_set_of_bits(lane, no, (uint64_t)n_labels, &ev->kept, &sets->no, err));
    sets->made = true;

done:
    free(yes);
    free(no);
    return status;
}

/* Set the result of missing rows to `answer`. */
static void answer_missing(const stoa_evaluation *ev, const uint64_t *there, bool answer,
                           uint64_t *words)
{
    for (size_t i = 0; there != NULL && i < stoa_window_words(ev); i++) {
        words[i] = (words[i] & there[i]) | (answer ? ~there[i] : 0);
    }
}

static stoa_status test_dictionary(stoa_evaluation *ev, const stoa_expr *expr, stoa_truth *out,
                                   stoa_error *err)
{
    const stoa_memo_sets *sets = &ev->sets[expr->memo];
    const stoa_vector *memo = &ev->memos[expr->memo];
    const stoa_view *view = NULL;
    const uint64_t *there = NULL;
    stoa_labels *labels = NULL;
    uint64_t *known = NULL;

    STOA_RETURN_NOT_OK(stoa_eval_labels(ev, expr, &labels, err));
    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, expr->column, &view, err));
    if (!sets->made) {
        STOA_RETURN_NOT_OK(make_code_sets(ev, expr, labels->n, view->type.index, err));
    }
    const void *codes = values_at(ev, view, stoa_lane_width(sets->yes.lane));
    const bool missing_known = !stoa_vector_is_null(memo, labels->n);
    const bool missing_yes = missing_known && stoa_bit_get(memo->as.bits, (uint64_t)labels->n);
    STOA_RETURN_NOT_OK(make_words(ev, &out->bits, err));
    STOA_RETURN_NOT_OK(load_known(ev, view, &there, err));
    stoa_set_test(ev->filter, &sets->yes, codes, ev->n, out->bits);
    out->known = missing_known ? NULL : there;
    if (!sets->all_known) {
        STOA_RETURN_NOT_OK(make_words(ev, &known, err));
        stoa_set_test(ev->filter, &sets->no, codes, ev->n, known);
        for (size_t i = 0; i < stoa_window_words(ev); i++) {
            known[i] |= out->bits[i];
        }
        answer_missing(ev, there, missing_known, known);
        out->known = known;
    }
    answer_missing(ev, there, missing_yes, out->bits);
    return STOA_OK;
}

stoa_status stoa_filter_stored(stoa_evaluation *ev, const stoa_expr *expr, const uint64_t *open,
                               stoa_truth *out, stoa_error *err)
{
    *out = (stoa_truth){0};
    switch (expr->op) {
    case STOA_OP_COLUMN:
        return test_bools(ev, expr->column, out, err);
    case STOA_OP_DICTIONARY:
        return test_dictionary(ev, expr, out, err);
    case STOA_OP_IS_NULL:
    case STOA_OP_ALWAYS:
    case STOA_OP_NEVER:
        return test_known(ev, expr, out, err);
    case STOA_OP_LIKE:
        return test_text(ev, expr, open, out, err);
    case STOA_OP_IN:
        return test_in(ev, expr, open, out, err);
    default:
        break; /* COMPARE */
    }
    if (stoa_is_range_predicate(ev->scope, expr)) {
        const stoa_range_predicate band =
            stoa_range_predicate_of(expr->compare, &expr->args[1]->value);
        return stoa_filter_stored_range(ev, expr->args[0]->column, &band, out, err);
    }
    return is_against_constant(ev->scope, expr) ? test_text(ev, expr, open, out, err)
                                                : test_pair(ev, expr, out, err);
}

stoa_status stoa_eval_stored(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                             stoa_error *err)
{
    stoa_truth truth;

    STOA_RETURN_NOT_OK(stoa_filter_stored(ev, expr, NULL, &truth, err));
    *out = (stoa_vector){.type = expr->type, .n = ev->n};
    out->as.bits = (const uint8_t *)truth.bits;
    out->validity = (const uint8_t *)truth.known;
    return STOA_OK;
}
