/*
 * Evaluation of list functions.
 *
 * The items of the window's lists are processed in windows of their own. The body is evaluated on
 * each of these like an expression on rows, and its values are added to the items' rows. So a
 * window of long lists (waveforms) needs no more memory than one of short lists.
 */
#include <math.h>

#include "core/string_set.h"
#include "query/aggregate/reduce.h"
#include "query/eval/lists.h"

__extension__ typedef __int128 wide;

/* The state of one row's list. */
typedef struct tally {
    int64_t n; /* values that are not missing */
    union {
        wide integer;
        double f64;
        stoa_bytes bytes;
        bool met; /* ANY: true was found; ALL: false was found */
    } as;
    double lost;      /* rounding error of a sum of floats */
    bool has_unknown; /* ANY, ALL: some result is missing */
} tally;

/* Resolving lists --------------------------------------------------------------------------- */

/* A list is represented by its position; its items stay in place. */
static stoa_status find_in_lists(stoa_evaluation *ev, const stoa_expr *expr, stoa_lists *lists,
                                 stoa_error *err)
{
    stoa_lists around;
    stoa_vector positions;
    stoa_view *const items = stoa_arena_alloc(&ev->arena, 1, sizeof *items);
    int64_t *const places = stoa_arena_alloc(&ev->arena, (size_t)ev->n, sizeof *places);

    STOA_RETURN_NO_MEMORY(err, items != NULL && places != NULL);
    STOA_RETURN_NOT_OK(stoa_lists_of(ev, expr->args[0], &around, err));
    STOA_RETURN_NOT_OK(stoa_view_child(around.view, 0, items, err));
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr->args[1], &positions, err));
    stoa_lists_find(&around, &positions, items, ev->n, places);
    *lists = (stoa_lists){.view = items, .places = places};
    return STOA_OK;
}

stoa_status stoa_lists_of(stoa_evaluation *ev, const stoa_expr *expr, stoa_lists *lists,
                          stoa_error *err)
{
    if (expr->op == STOA_OP_ITEM_AT) {
        return find_in_lists(ev, expr, lists, err);
    }
    *lists = (stoa_lists){.first = ev->first};
    return stoa_evaluation_view(ev, expr->column, &lists->view, err);
}

/* Tallies ----------------------------------------------------------------------------------- */

static void add_truth(tally *to, bool value, bool is_known, bool wanted)
{
    if (!is_known) {
        to->has_unknown = true;
    } else if (value == wanted) {
        to->as.met = true;
    }
}

static bool is_better(bool is_max, const tally *to, const stoa_vector *values, int64_t i)
{
    if (values->type.domain == STOA_DOMAIN_F64) {
        const double new = values->as.f64[i];
        const double old = to->as.f64;
        return (is_max ? new > old : new < old) || (isnan(old) && !isnan(new));
    }
    if (stoa_domain_is_bytes(values->type.domain)) {
        const stoa_bytes new = values->as.bytes[i];
        const int order =
            stoa_compare_bytes(new.data, new.length, to->as.bytes.data, to->as.bytes.length);
        return is_max ? order > 0 : order < 0;
    }
    const wide new =
        values->type.domain == STOA_DOMAIN_U64 ? (wide)values->as.u64[i] : values->as.i64[i];
    return is_max ? new > to->as.integer : new < to->as.integer;
}

static stoa_status pick(stoa_evaluation *ev, bool is_max, bool is_lasting, tally *to,
                        const stoa_vector *values, int64_t i, stoa_error *err)
{
    if (to->n > 0 && !is_better(is_max, to, values, i)) {
        return STOA_OK;
    }
    if (values->type.domain == STOA_DOMAIN_F64) {
        to->as.f64 = values->as.f64[i];
    } else if (stoa_domain_is_bytes(values->type.domain)) {
        to->as.bytes = values->as.bytes[i];
        if (!is_lasting) { /* made for these items, so copy it */
            to->as.bytes.data = stoa_arena_text(&ev->arena, to->as.bytes.data, to->as.bytes.length);
        }
        STOA_RETURN_NO_MEMORY(err, to->as.bytes.data);
    } else {
        to->as.integer =
            values->type.domain == STOA_DOMAIN_U64 ? (wide)values->as.u64[i] : values->as.i64[i];
    }
    return STOA_OK;
}

static void add_number(tally *to, const stoa_vector *values, int64_t i)
{
    if (values->type.domain == STOA_DOMAIN_F64) {
        stoa_two_sum(values->as.f64[i], &to->as.f64, &to->lost);
    } else if (values->type.domain == STOA_DOMAIN_U64) {
        to->as.integer += values->as.u64[i];
    } else {
        to->as.integer += values->as.i64[i];
    }
}

static stoa_status add_items(stoa_evaluation *ev, const stoa_expr *expr, const stoa_lists_walk *w,
                             const stoa_vector *values, tally *tallies, stoa_error *err)
{
    const stoa_list_op op = expr->list;
    const bool is_truth = op == STOA_LIST_ANY || op == STOA_LIST_ALL;
    const bool is_lasting = expr->args[1]->op == STOA_OP_ITEM;

    for (int64_t i = 0; i < w->n; i++) {
        tally *const to = &tallies[w->rows[i]];
        const bool is_known = !stoa_vector_is_null(values, i);
        if (is_truth) {
            add_truth(to, is_known && stoa_bit_get(values->as.bits, (uint64_t)i), is_known,
                      op == STOA_LIST_ANY);
        } else if (is_known) {
            if (op == STOA_LIST_SUM || op == STOA_LIST_MEAN) {
                add_number(to, values, i);
            } else if (op != STOA_LIST_COUNT) {
                STOA_RETURN_NOT_OK(pick(ev, op == STOA_LIST_MAX, is_lasting, to, values, i, err));
            }
            to->n++;
        }
    }
    return STOA_OK;
}

/* Add the numbers of one list, [from, to), to a tally. */
#define ADD_NUMBERS(type, add)                                                                     \
    do {                                                                                           \
        const type *const values_ = (const type *)items->values + items->offset;                   \
        for (int64_t i = from; i < to; i++) {                                                      \
            if (items->validity == NULL ||                                                         \
                stoa_bit_get(items->validity, (uint64_t)(items->offset + i))) {                    \
                add;                                                                               \
                sum.n++;                                                                           \
            }                                                                                      \
        }                                                                                          \
    } while (0)
#define ADD_FLOATS(type) ADD_NUMBERS(type, stoa_two_sum((double)values_[i], &sum.as.f64, &sum.lost))
#define ADD_INTEGERS(type) ADD_NUMBERS(type, sum.as.integer += values_[i])

static bool add_list(const stoa_view *items, int64_t from, int64_t to, tally *out)
{
    tally sum = {0}; /* in registers */

    switch (items->type.kind) {
    case STOA_KIND_INT16:
        ADD_INTEGERS(int16_t);
        break;
    case STOA_KIND_INT32:
        ADD_INTEGERS(int32_t);
        break;
    case STOA_KIND_INT64:
        ADD_INTEGERS(int64_t);
        break;
    case STOA_KIND_FLOAT32:
        ADD_FLOATS(float);
        break;
    case STOA_KIND_FLOAT64:
        ADD_FLOATS(double);
        break;
    default:
        return false;
    }
    *out = sum;
    return true;
}

/* Sum the numbers of lists where they lie, without a body that computes with them. Returns false,
 * and adds nothing, for all other functions and values. */
static stoa_status sum_lists(const stoa_evaluation *ev, const stoa_expr *expr,
                             const stoa_lists *lists, tally *tallies, bool *is_done,
                             stoa_error *err)
{
    stoa_view items;

    *is_done = false;
    if ((expr->list != STOA_LIST_SUM && expr->list != STOA_LIST_MEAN) ||
        expr->args[1]->op != STOA_OP_ITEM || lists->view->type.kind == STOA_KIND_FIXED_LIST) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_view_child(lists->view, 0, &items, err));
    *is_done = add_list(&items, 0, 0, &tallies[0]);
    for (int64_t row = 0; *is_done && row < ev->n; row++) {
        const int64_t place = stoa_lists_place(lists, row);
        int64_t first = 0;
        int64_t count = 0;
        if (place >= 0) {
            stoa_view_range(lists->view, place, &first, &count);
            (void)add_list(&items, first, first + count, &tallies[row]);
        }
    }
    return STOA_OK;
}

/* Evaluate the body on the items of all lists, and add its values to the rows' tallies. */
static stoa_status tally_items(stoa_evaluation *ev, const stoa_expr *expr, const stoa_lists *lists,
                               tally *tallies, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_evaluation inner = {0};
    stoa_items items = {.outer = ev};
    stoa_vector values;
    stoa_lists_walk w;

    STOA_TRY(stoa_evaluation_open(&inner, ev->scope, err));
    STOA_TRY(stoa_lists_walk_open(ev, lists, &w, err));
    const stoa_value_type type = stoa_value_type_of(&w.items.type, false);
    items.each = stoa_arena_alloc(&ev->arena, expr->memo + 1, sizeof *items.each);
    STOA_TRY(items.each != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < expr->memo; i++) {
        items.each[i].n = -1;
    }
    items.rows = w.rows;
    inner.items = &items;
    while (stoa_lists_walk_next(&w)) {
        stoa_evaluation_move(&inner, NULL, 0, w.n);
        items.values = (stoa_vector){.type = type, .n = w.n};
        STOA_TRY(stoa_load_values(&inner.loads, &w.items, w.first, w.n, &items.values, err));
        STOA_TRY(stoa_eval(&inner, expr->args[1], &values, err));
        STOA_TRY(stoa_vector_spread(&inner.arena, &values, err));
        STOA_TRY(add_items(ev, expr, &w, &values, tallies, err));
    }

done:
    stoa_evaluation_clear(&inner);
    return status;
}

/* Results ----------------------------------------------------------------------------------- */

static stoa_status fail_sum(const stoa_expr *expr, stoa_error *err)
{
    char source[STOA_SOURCE_SIZE];

    return STOA_FAIL_SYNTAX(err, STOA_ERANGE, expr->syntax,
                            "%s overflows %s in some row; sum(1.0 * x) may be inexact",
                            stoa_syntax_source(expr->syntax, source),
                            expr->type.domain == STOA_DOMAIN_U64 ? "uint64" : "int64");
}

static double float_sum(const tally *from)
{
    return isfinite(from->as.f64) ? from->as.f64 + from->lost : from->as.f64;
}

/* The numeric result of a row whose result is not missing. */
static stoa_status number_of(const stoa_expr *expr, const tally *from, stoa_word *out,
                             stoa_error *err)
{
    const bool is_float = expr->args[1]->type.domain == STOA_DOMAIN_F64;
    const bool is_sum = expr->list == STOA_LIST_SUM;

    if (expr->list == STOA_LIST_COUNT) {
        out->i64 = from->n;
    } else if (expr->list == STOA_LIST_MEAN) {
        out->f64 = (is_float ? float_sum(from) : (double)from->as.integer) / (double)from->n;
    } else if (is_float) {
        out->f64 = is_sum ? float_sum(from) : from->as.f64;
    } else if (expr->type.domain == STOA_DOMAIN_U64) {
        out->u64 = (uint64_t)from->as.integer;
        if (from->as.integer > UINT64_MAX) {
            return fail_sum(expr, err);
        }
    } else {
        out->i64 = (int64_t)from->as.integer;
        if (from->as.integer > INT64_MAX || from->as.integer < INT64_MIN) {
            return fail_sum(expr, err);
        }
    }
    return STOA_OK;
}

/* Store a row's result. *is_there is false if it is missing. */
static stoa_status put(const stoa_expr *expr, const tally *from, int64_t row, uint8_t *values,
                       bool *is_there, stoa_error *err)
{
    const bool is_any = expr->list == STOA_LIST_ANY;

    if (is_any || expr->list == STOA_LIST_ALL) {
        *is_there = from->as.met || !from->has_unknown;
        if (from->as.met == is_any) {
            stoa_bit_set(values, (uint64_t)row);
        }
        return STOA_OK;
    }
    *is_there = from->n > 0 || expr->list == STOA_LIST_COUNT;
    if (!*is_there) {
        return STOA_OK;
    }
    if (stoa_domain_is_bytes(expr->type.domain)) {
        ((stoa_bytes *)(void *)values)[row] = from->as.bytes;
        return STOA_OK;
    }
    return number_of(expr, from, &((stoa_word *)(void *)values)[row], err);
}

/* Allocate zeroed values and validity of n rows. Missing texts are empty, so they can be read. */
static stoa_status make_result(stoa_evaluation *ev, const stoa_expr *expr, uint8_t **values,
                               uint8_t **validity, stoa_vector *out, stoa_error *err)
{
    *values = stoa_arena_zero(&ev->arena, (size_t)ev->n, sizeof(stoa_bytes));
    *validity = stoa_arena_zero(&ev->arena, stoa_bit_bytes((uint64_t)ev->n), 1);
    *out = (stoa_vector){.type = expr->type, .n = ev->n, .validity = *validity};
    out->as.bits = *values;
    return *values != NULL && *validity != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status eval_function(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                 stoa_error *err)
{
    stoa_lists lists;
    uint8_t *values = NULL;
    uint8_t *validity = NULL;

    STOA_RETURN_NOT_OK(make_result(ev, expr, &values, &validity, out, err));
    tally *const tallies = stoa_arena_zero(&ev->arena, (size_t)ev->n, sizeof *tallies);
    STOA_RETURN_NO_MEMORY(err, tallies);
    STOA_RETURN_NOT_OK(stoa_lists_of(ev, expr->args[0], &lists, err));
    bool is_done = expr->list == STOA_LIST_LENGTH;
    if (!is_done) {
        STOA_RETURN_NOT_OK(sum_lists(ev, expr, &lists, tallies, &is_done, err));
    }
    if (!is_done) {
        STOA_RETURN_NOT_OK(tally_items(ev, expr, &lists, tallies, err));
    }
    for (int64_t row = 0; row < ev->n; row++) {
        const int64_t place = stoa_lists_place(&lists, row);
        bool is_there = true;
        int64_t first = 0;
        if (place < 0) {
            continue;
        }
        if (expr->list == STOA_LIST_LENGTH) {
            stoa_view_range(lists.view, place, &first, &((int64_t *)(void *)values)[row]);
        } else {
            STOA_RETURN_NOT_OK(put(expr, &tallies[row], row, values, &is_there, err));
        }
        if (is_there) {
            stoa_bit_set(validity, (uint64_t)row);
        }
    }
    return STOA_OK;
}

/* Items by position ------------------------------------------------------------------------- */

static void put_item(const stoa_view *items, stoa_value_domain domain, int64_t at, int64_t row,
                     uint8_t *values)
{
    stoa_bytes *const bytes = &((stoa_bytes *)(void *)values)[row];
    stoa_word *const word = &((stoa_word *)(void *)values)[row];

    switch (domain) {
    case STOA_DOMAIN_BOOL:
        if (stoa_view_i64(items, at) != 0) {
            stoa_bit_set(values, (uint64_t)row);
        }
        break;
    case STOA_DOMAIN_F64:
        word->f64 = stoa_view_f64(items, at);
        break;
    case STOA_DOMAIN_TEXT:
    case STOA_DOMAIN_BYTES:
        bytes->data = stoa_view_bytes(items, at, &bytes->length);
        break;
    case STOA_DOMAIN_OTHER:
        break; /* lists have no value; only their validity is used */
    default:
        word->i64 = stoa_view_i64(items, at);
        break;
    }
}

static stoa_status eval_item_at(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                stoa_error *err)
{
    stoa_lists items; /* the items themselves, handled like lists in lists */
    uint8_t *values = NULL;
    uint8_t *validity = NULL;

    STOA_RETURN_NOT_OK(make_result(ev, expr, &values, &validity, out, err));
    STOA_RETURN_NOT_OK(stoa_lists_of(ev, expr, &items, err));
    for (int64_t row = 0; row < ev->n; row++) {
        const int64_t place = stoa_lists_place(&items, row);
        if (place >= 0) {
            put_item(items.view, expr->type.domain, place, row, values);
            stoa_bit_set(validity, (uint64_t)row);
        }
    }
    return STOA_OK;
}

/* In the body ------------------------------------------------------------------------------- */

/* The row's value for each of its items. */
static stoa_status eval_each(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                             stoa_error *err)
{
    const stoa_items *items = ev->items;
    stoa_vector *const of_rows = &items->each[expr->memo];
    uint8_t *values = NULL;
    uint8_t *validity = NULL;

    if (of_rows->n < 0) {
        STOA_RETURN_NOT_OK(stoa_eval(items->outer, expr->args[0], of_rows, err));
        STOA_RETURN_NOT_OK(stoa_vector_spread(&items->outer->arena, of_rows, err));
    }
    STOA_RETURN_NOT_OK(make_result(ev, expr, &values, &validity, out, err));
    for (int64_t i = 0; i < ev->n; i++) {
        const int64_t row = items->rows[i];
        if (stoa_vector_is_null(of_rows, row)) {
            continue;
        }
        stoa_bit_set(validity, (uint64_t)i);
        if (expr->type.domain == STOA_DOMAIN_BOOL) {
            if (stoa_bit_get(of_rows->as.bits, (uint64_t)row)) {
                stoa_bit_set(values, (uint64_t)i);
            }
        } else if (stoa_domain_is_bytes(expr->type.domain)) {
            ((stoa_bytes *)(void *)values)[i] = of_rows->as.bytes[row];
        } else {
            ((int64_t *)(void *)values)[i] = of_rows->as.i64[row];
        }
    }
    return STOA_OK;
}

stoa_status stoa_eval_list(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                           stoa_error *err)
{
    switch (expr->op) {
    case STOA_OP_ITEM:
        *out = ev->items->values;
        return STOA_OK;
    case STOA_OP_EACH:
        return eval_each(ev, expr, out, err);
    case STOA_OP_ITEM_AT:
        return eval_item_at(ev, expr, out, err);
    default:
        return eval_function(ev, expr, out, err);
    }
}
