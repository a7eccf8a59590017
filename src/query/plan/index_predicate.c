/*
 * Leaves of a predicate as tests that an index can answer: intervals of stored values.
 *
 * `not (x > 3)` selects the rows for which x > 3 is false: those with x <= 3, and NaNs. A
 * comparison with a missing value is neither true nor false, so missing rows match only `is null`.
 */
#include "query/plan/index_predicate.h"

#include <stdlib.h>
#include <string.h>

#include "core/calendar.h"

/* Indexes are not faster with more intervals than this; one interval around all is used instead. */
enum { MAX_INTERVALS = 1024 };

/* Convert a time to stored ticks: time = stored * ticks_per + epoch_ticks. Returns false if it
 * is out of range. A bound between two stored values moves outward, to a value that is not part
 * of the answer, and becomes open. The interval still holds the same stored values. */
static bool stored_ticks(const stoa_column *column, int64_t presented, bool low, int64_t *stored,
                         bool *open)
{
    const int64_t per = column->time.ticks_per;
    int64_t offset;

    if (per <= 0 || __builtin_sub_overflow(presented, column->time.epoch_ticks, &offset)) {
        return false;
    }
    const int64_t whole = stoa_floor_div(offset, per);
    const bool exact = whole * per == offset;
    *stored = low || exact ? whole : whole + 1;
    *open = exact ? *open : true;
    return true;
}

/* Convert a bound to the index's type. Returns false if no value of the column lies there, so
 * there is no bound. */
static bool scalar_of(const stoa_column *column, const stoa_vector *list, int64_t i, bool low,
                      stoa_scalar *out, bool *open)
{
    switch (list->type.domain) {
    case STOA_DOMAIN_I64:
        *out = (stoa_scalar){STOA_SCALAR_I64, {.i64 = list->as.i64[i]}};
        break;
    case STOA_DOMAIN_U64:
        *out = (stoa_scalar){STOA_SCALAR_U64, {.u64 = list->as.u64[i]}};
        break;
    case STOA_DOMAIN_F64:
        *out = (stoa_scalar){STOA_SCALAR_F64, {.f64 = list->as.f64[i]}};
        break;
    case STOA_DOMAIN_TIME:
    case STOA_DOMAIN_DURATION:
        out->kind = STOA_SCALAR_I64;
        return stored_ticks(column, list->as.i64[i], low, &out->as.i64, open);
    default:
        out->kind = STOA_SCALAR_BYTES;
        out->as.bytes.data = list->as.bytes[i].data;
        out->as.bytes.length = list->as.bytes[i].length;
        break;
    }
    return true;
}

/* A leaf being converted. */
typedef struct asking {
    const stoa_column *column;
    stoa_arena *arena;
    stoa_interval *intervals;
    size_t n;
    bool is_wider; /* the intervals also hold values that do not match */
} asking;

/* Add the interval between entries `low` and `high` of the list; -1: no bound on that side. */
static void add_interval(asking *a, const stoa_vector *list, int64_t low, bool low_open,
                         int64_t high, bool high_open)
{
    stoa_interval *to = &a->intervals[a->n++];

    *to = (stoa_interval){.low_open = low_open, .high_open = high_open};
    to->has_low = low >= 0 && scalar_of(a->column, list, low, true, &to->low, &to->low_open);
    to->has_high = high >= 0 && scalar_of(a->column, list, high, false, &to->high, &to->high_open);
    a->is_wider = a->is_wider || to->has_low != (low >= 0) || to->has_high != (high >= 0);
}

static stoa_status make_room(asking *a, size_t n, stoa_error *err)
{
    a->intervals = stoa_arena_alloc(a->arena, n, sizeof *a->intervals);
    a->n = 0;
    return a->intervals != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status ask_everything(asking *a, stoa_error *err)
{
    STOA_RETURN_NOT_OK(make_room(a, 1, err));
    add_interval(a, NULL, -1, false, -1, false);
    return STOA_OK;
}

static stoa_compare opposite(stoa_compare compare)
{
    static const stoa_compare opposites[] = {
        [STOA_EQ] = STOA_NE, [STOA_NE] = STOA_EQ, [STOA_LT] = STOA_GE,
        [STOA_LE] = STOA_GT, [STOA_GT] = STOA_LE, [STOA_GE] = STOA_LT,
    };

    return opposites[compare];
}

static stoa_status ask_compare(asking *a, const stoa_expr *expr, bool wanted, stoa_error *err)
{
    const stoa_vector *value = &expr->args[1]->value;

    STOA_RETURN_NOT_OK(make_room(a, 2, err));
    switch (wanted ? expr->compare : opposite(expr->compare)) {
    case STOA_EQ:
        add_interval(a, value, 0, false, 0, false);
        break;
    case STOA_NE:
        add_interval(a, value, -1, false, 0, true);
        add_interval(a, value, 0, true, -1, false);
        break;
    case STOA_LT:
        add_interval(a, value, -1, false, 0, true);
        break;
    case STOA_LE:
        add_interval(a, value, -1, false, 0, false);
        break;
    case STOA_GT:
        add_interval(a, value, 0, true, -1, false);
        break;
    default:
        add_interval(a, value, 0, false, -1, false);
        break;
    }
    return STOA_OK;
}

/* Each entry as a point, or the gaps between entries. */
static stoa_status ask_list(asking *a, const stoa_expr *expr, bool wanted, stoa_error *err)
{
    const stoa_vector *list = &expr->value;
    const int64_t n = list->n;

    STOA_RETURN_NOT_OK(make_room(a, (size_t)n + 1, err));
    if (!wanted && expr->has_null) {
        /* `x in (1, null)` is true or missing, never false */
    } else if (!wanted) {
        for (int64_t i = 0; i <= n; i++) {
            add_interval(a, list, i - 1, true, i < n ? i : -1, true);
        }
    } else if (n > MAX_INTERVALS) {
        add_interval(a, list, 0, false, n - 1, false);
        a->is_wider = true;
    } else {
        for (int64_t i = 0; i < n; i++) {
            add_interval(a, list, i, false, i, false);
        }
    }
    return STOA_OK;
}

/* Texts from `low` up to `high`, exclusive unless `is_one`; or all other texts. */
static stoa_status ask_texts(asking *a, stoa_bytes low, stoa_bytes high, bool is_one, bool wanted,
                             stoa_error *err)
{
    stoa_vector list = {.type = {.domain = STOA_DOMAIN_TEXT}, .n = 2};
    stoa_bytes *bounds = stoa_arena_alloc(a->arena, 2, sizeof *bounds);

    STOA_RETURN_NO_MEMORY(err, bounds);
    bounds[0] = low;
    bounds[1] = high;
    list.as.bytes = bounds;
    STOA_RETURN_NOT_OK(make_room(a, 2, err));
    if (wanted) {
        add_interval(a, &list, 0, false, 1, !is_one);
    } else {
        add_interval(a, &list, -1, false, 0, true);
        add_interval(a, &list, 1, is_one, -1, false);
    }
    return STOA_OK;
}

/* `like 'abc'` means equal to abc. `like 'abc%'` is the range from 'abc' to before 'abd'. For
 * other patterns only the part before the first wildcard is used. */
static stoa_status ask_like(asking *a, const stoa_expr *expr, bool wanted, bool *known,
                            stoa_error *err)
{
    const stoa_bytes pattern = expr->value.as.bytes[0];
    size_t n = 0;
    size_t rest;

    while (n < pattern.length && pattern.data[n] != '%' && pattern.data[n] != '_' &&
           (unsigned char)pattern.data[n] != expr->escape) {
        n++;
    }
    for (rest = n; rest < pattern.length && pattern.data[rest] == '%' && expr->escape != '%';) {
        rest++;
    }
    a->is_wider = rest < pattern.length;
    const bool is_one = n == pattern.length;
    *known = is_one || (n > 0 && (unsigned char)pattern.data[n - 1] < 0xff);
    if (!*known || (a->is_wider && !wanted)) {
        *known = false;
        return STOA_OK;
    }
    char *above = stoa_arena_text(a->arena, pattern.data, n);
    STOA_RETURN_NO_MEMORY(err, above);
    if (!is_one) {
        above[n - 1] = (char)((unsigned char)above[n - 1] + 1);
    }
    return ask_texts(a, (stoa_bytes){pattern.data, n}, (stoa_bytes){above, n}, is_one, wanted, err);
}

/* Dictionaries ------------------------------------------------------------------------------ */

static int order_codes(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The codes whose labels match, sorted. */
static stoa_status matching_codes(const asking *a, const stoa_vector *answers, int64_t n_labels,
                                  bool wanted, bool matching, int64_t **codes, int64_t *n,
                                  stoa_error *err)
{
    *n = 0;
    *codes = stoa_arena_alloc(a->arena, (size_t)n_labels, sizeof **codes);
    STOA_RETURN_NO_MEMORY(err, *codes);
    for (int64_t i = 0; i < n_labels; i++) {
        const bool matches = !stoa_vector_is_null(answers, i) &&
                             stoa_bit_get(answers->as.bits, (uint64_t)i) == wanted;
        if (matches == matching) {
            (*codes)[(*n)++] = stoa_column_code(a->column, i);
        }
    }
    qsort(*codes, (size_t)*n, sizeof **codes, order_codes);
    return STOA_OK;
}

/* Each run of consecutive codes becomes an interval. */
static stoa_status ask_codes(asking *a, const int64_t *codes, int64_t n, stoa_error *err)
{
    stoa_vector list = {.type = {.domain = STOA_DOMAIN_I64}, .n = n};

    list.as.i64 = codes;
    STOA_RETURN_NOT_OK(make_room(a, (size_t)n, err));
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && codes[end] == codes[end - 1] + 1; end++) {
        }
        add_interval(a, &list, i, false, end - 1, false);
    }
    if (a->n > MAX_INTERVALS) {
        a->n = 0;
        add_interval(a, &list, 0, false, n - 1, false);
        a->is_wider = true;
    }
    return STOA_OK;
}

/* All integers except the codes. */
static stoa_status ask_other_codes(asking *a, const int64_t *codes, int64_t n, stoa_error *err)
{
    stoa_vector list = {.type = {.domain = STOA_DOMAIN_I64}, .n = 2 * (n + 1)};
    int64_t *bounds = stoa_arena_alloc(a->arena, 2 * ((size_t)n + 1), sizeof *bounds);

    STOA_RETURN_NO_MEMORY(err, bounds);
    list.as.i64 = bounds;
    STOA_RETURN_NOT_OK(make_room(a, (size_t)n + 1, err));
    for (int64_t i = 0; i <= n; i++) {
        const bool has_low = i > 0;
        const bool has_high = i < n;
        if ((has_low && codes[i - 1] == INT64_MAX) || (has_high && codes[i] == INT64_MIN)) {
            continue;
        }
        bounds[2 * i] = has_low ? codes[i - 1] + 1 : 0;
        bounds[2 * i + 1] = has_high ? codes[i] - 1 : 0;
        if (!has_low || !has_high || bounds[2 * i] <= bounds[2 * i + 1]) {
            add_interval(a, &list, has_low ? 2 * i : -1, false, has_high ? 2 * i + 1 : -1, false);
        }
    }
    return STOA_OK;
}

/* Evaluate the expression once for every label of the column. No row is read. */
static stoa_status ask_dictionary(asking *a, stoa_table *table, const stoa_scope *scope,
                                  const stoa_expr *expr, bool wanted, bool *missing,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray empty = {0};
    stoa_evaluation ev = {0};
    stoa_labels *labels = NULL;
    int64_t *codes = NULL;
    int64_t n = 0;
    stoa_view *views = stoa_alloc_zero(scope->n_columns, sizeof *views);

    STOA_TRY(views != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_read_coded(stoa_table_column(table, expr->column), 0, 0, &empty, err));
    STOA_TRY(stoa_view_of(scope->columns[expr->column].schema, &empty, &views[expr->column], err));
    STOA_TRY(stoa_evaluation_open(&ev, scope, err));
    stoa_evaluation_move(&ev, views, 0, 0);
    STOA_TRY(stoa_eval_labels(&ev, expr, &labels, err));

    const int64_t n_labels = labels->n;
    const stoa_vector *answers = &ev.memos[expr->memo];
    *missing = !stoa_vector_is_null(answers, n_labels) &&
               stoa_bit_get(answers->as.bits, (uint64_t)n_labels) == wanted;
    /* Codes without a label are missing too. If missing rows match, all codes match except those
     * whose labels do not. */
    STOA_TRY(matching_codes(a, answers, n_labels, wanted, !*missing, &codes, &n, err));
    STOA_TRY(*missing ? ask_other_codes(a, codes, n, err) : ask_codes(a, codes, n, err));

done:
    stoa_evaluation_clear(&ev);
    stoa_array_release(&empty);
    free(views);
    return status;
}

/* All leaves -------------------------------------------------------------------------------- */

static bool is_column(const stoa_expr *expr)
{
    return expr->op == STOA_OP_COLUMN;
}

/* The column that a leaf tests; SIZE_MAX if it does not test a bare column. */
static size_t column_of(const stoa_expr *expr)
{
    if (is_column(expr) || expr->op == STOA_OP_DICTIONARY) {
        return expr->column;
    }
    switch (expr->op) {
    case STOA_OP_COMPARE:
        return is_column(expr->args[0]) && stoa_expr_is_constant(expr->args[1])
                   ? expr->args[0]->column
                   : SIZE_MAX;
    case STOA_OP_ALWAYS:
    case STOA_OP_NEVER:
    case STOA_OP_IS_NULL:
    case STOA_OP_LIKE:
    case STOA_OP_IN:
        return is_column(expr->args[0]) ? expr->args[0]->column : SIZE_MAX;
    default:
        return SIZE_MAX;
    }
}

/* A stored boolean is false if it is 0, else true. */
static stoa_status ask_bool(asking *a, bool wanted, stoa_error *err)
{
    static const int64_t zero[] = {0};
    stoa_vector list = {.type = {.domain = STOA_DOMAIN_I64}, .n = 1};

    list.as.i64 = zero;
    STOA_RETURN_NOT_OK(make_room(a, 2, err));
    if (wanted) {
        add_interval(a, &list, -1, false, 0, true);
        add_interval(a, &list, 0, true, -1, false);
    } else {
        add_interval(a, &list, 0, false, 0, false);
    }
    return STOA_OK;
}

stoa_status stoa_index_predicate_of(const stoa_scope *scope, stoa_table *table,
                                    const stoa_expr *expr, bool wanted, stoa_arena *arena,
                                    stoa_index_predicate *ask, bool *known, stoa_error *err)
{
    asking a = {.arena = arena};

    *ask = (stoa_index_predicate){.column = column_of(expr)};
    /* codes of a learned dictionary are not in the file, so no index has them; and no index has the
     * values of labels */
    *known = ask->column != SIZE_MAX && scope->columns[ask->column].learned_dictionary == NULL &&
             (expr->op == STOA_OP_DICTIONARY || !scope->columns[ask->column].is_labelled);
    if (!*known) {
        return STOA_OK;
    }
    a.column = stoa_table_column(table, ask->column);
    switch (expr->op) {
    case STOA_OP_COLUMN:
        STOA_RETURN_NOT_OK(ask_bool(&a, wanted, err));
        break;
    case STOA_OP_COMPARE:
        STOA_RETURN_NOT_OK(ask_compare(&a, expr, wanted, err));
        ask->test.nan = wanted == (expr->compare == STOA_NE);
        break;
    case STOA_OP_ALWAYS:
    case STOA_OP_NEVER:
        if (wanted == (expr->op == STOA_OP_ALWAYS)) {
            STOA_RETURN_NOT_OK(ask_everything(&a, err));
            ask->test.nan = true;
        }
        break;
    case STOA_OP_IS_NULL:
        ask->test.missing = wanted;
        ask->test.nan = !wanted;
        if (!wanted) {
            STOA_RETURN_NOT_OK(ask_everything(&a, err));
        }
        break;
    case STOA_OP_IN:
        STOA_RETURN_NOT_OK(ask_list(&a, expr, wanted, err));
        ask->test.nan = !wanted && !expr->has_null;
        break;
    case STOA_OP_LIKE:
        STOA_RETURN_NOT_OK(ask_like(&a, expr, wanted, known, err));
        break;
    default: /* DICTIONARY */
        STOA_RETURN_NOT_OK(ask_dictionary(&a, table, scope, expr, wanted, &ask->test.missing, err));
        break;
    }
    ask->test.intervals = a.intervals;
    ask->test.n_intervals = a.n;
    ask->is_exact = !a.is_wider;
    return STOA_OK;
}
