/* The conjunction of two tests of one column: the intersection of their intervals. */
#include "index/common/order.h"
#include "query/plan/index_predicate.h"

/* More pairs of intervals are not examined; two separate tests cost less. */
enum { MAX_PAIRS = 4096 };

/* Whether bound `a` is inside bound `b`: higher, for lows; of equal bounds, the open one. *known
 * becomes false if they have no order. */
static bool is_tighter(const stoa_scalar *a, bool a_open, const stoa_scalar *b, bool b_open,
                       bool low, bool *known)
{
    int order = 0;

    if (!stoa_scalar_compare(a, b, &order)) {
        *known = false;
        return false;
    }
    return order == 0 ? a_open && !b_open : (order > 0) == low;
}

static bool is_empty(const stoa_interval *interval, bool *known)
{
    int order = 0;

    if (!interval->has_low || !interval->has_high) {
        return false;
    }
    if (!stoa_scalar_compare(&interval->low, &interval->high, &order)) {
        *known = false;
        return false;
    }
    return order > 0 || (order == 0 && (interval->low_open || interval->high_open));
}

/* The intersection of two intervals. */
static stoa_interval intersect(const stoa_interval *a, const stoa_interval *b, bool *known)
{
    stoa_interval both = *a;

    if (b->has_low &&
        (!a->has_low || is_tighter(&b->low, b->low_open, &a->low, a->low_open, true, known))) {
        both.has_low = true;
        both.low = b->low;
        both.low_open = b->low_open;
    }
    if (b->has_high && (!a->has_high ||
                        is_tighter(&b->high, b->high_open, &a->high, a->high_open, false, known))) {
        both.has_high = true;
        both.high = b->high;
        both.high_open = b->high_open;
    }
    return both;
}

stoa_status stoa_index_predicate_and(stoa_arena *arena, stoa_index_predicate *ask,
                                     const stoa_index_predicate *other, bool *merged,
                                     stoa_error *err)
{
    const size_t n_a = ask->test.n_intervals;
    const size_t n_b = other->test.n_intervals;
    stoa_interval *intervals;
    size_t n = 0;

    *merged = n_b == 0 || n_a <= MAX_PAIRS / n_b;
    if (!*merged) {
        return STOA_OK;
    }
    intervals = stoa_arena_alloc(arena, n_a * n_b, sizeof *intervals);
    STOA_RETURN_NO_MEMORY(err, intervals);
    for (size_t i = 0; i < n_a; i++) {
        for (size_t j = 0; j < n_b; j++) {
            intervals[n] = intersect(&ask->test.intervals[i], &other->test.intervals[j], merged);
            n += !is_empty(&intervals[n], merged);
        }
    }
    if (*merged) {
        ask->test = (stoa_test){.intervals = intervals,
                                .n_intervals = n,
                                .missing = ask->test.missing && other->test.missing,
                                .nan = ask->test.nan && other->test.nan};
        ask->is_exact = ask->is_exact && other->is_exact;
    }
    return STOA_OK;
}
