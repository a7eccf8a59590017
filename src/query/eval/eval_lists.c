/*
 * Evaluation of list functions.
 *
 * The items of the window's lists are processed in windows of their own. The body is evaluated on
 * each of these like an expression on rows, and its values are added to the items' rows. So a
 * window of long lists (waveforms) needs no more memory than one of short lists.
 */
#include <math.h>
#include <string.h>

#include "core/string_set.h"
#include "query/eval/filter.h"
#include "query/eval/lists.h"
#include "query/eval/spans.h"

__extension__ typedef __int128 wide;

/* The state of one row's list. */
typedef struct tally {
    int64_t n; /* values that are not missing */
    union {
        struct {
            stoa_word sum; /* in two words, see stoa_span_sums */
            stoa_word more;
        };
        stoa_word best; /* MIN, MAX */
        stoa_bytes bytes;
        bool met; /* ANY: true was found; ALL: false was found */
    } as;
    bool has_unknown; /* ANY, ALL: some result is missing */
} tally;

static bool adds(const stoa_expr *expr)
{
    return expr->list == STOA_LIST_SUM || expr->list == STOA_LIST_MEAN;
}

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
    stoa_lists_find(&around, &positions, expr->from_one, items, ev->n, places);
    *lists = (stoa_lists){.view = items, .places = places};
    return STOA_OK;
}

static stoa_status cut_lists(stoa_evaluation *ev, const stoa_expr *expr, stoa_lists *lists,
                             stoa_error *err)
{
    stoa_lists whole;
    stoa_vector from;
    stoa_vector to;

    STOA_RETURN_NOT_OK(stoa_lists_of(ev, expr->args[0], &whole, err));
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr->args[1], &from, err));
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr->args[2], &to, err));
    return stoa_lists_slice(ev, &whole, &from, &to, lists, err);
}

stoa_status stoa_lists_of(stoa_evaluation *ev, const stoa_expr *expr, stoa_lists *lists,
                          stoa_error *err)
{
    if (expr->op == STOA_OP_ITEM_AT) {
        return find_in_lists(ev, expr, lists, err);
    }
    if (expr->op == STOA_OP_SLICE) {
        return cut_lists(ev, expr, lists, err);
    }
    *lists = (stoa_lists){.first = ev->first};
    return stoa_evaluation_view(ev, expr->column, &lists->view, err);
}

/* Tallies ----------------------------------------------------------------------------------- */

/* Count bits of a bitmap; NULL: all of them are set. */
static int64_t count_bits(const uint8_t *bits, const stoa_items_span *span)
{
    return bits == NULL
               ? span->count
               : (int64_t)stoa_bit_count(bits, (uint64_t)span->first, (uint64_t)span->count);
}

/* Whether a bit of the span is set. Eight bytes after the bitmap are readable. */
static bool has_bit(const uint8_t *bits, const stoa_items_span *span)
{
    enum { STEP = 57 }; /* fit into eight bytes, wherever they begin in the first one */
    uint64_t set = 0;

    for (int64_t at = 0; at < span->count; at += STEP) {
        const int64_t left = span->count - at;
        uint64_t word = 0;
        memcpy(&word, bits + ((span->first + at) >> 3), sizeof word);
        set |=
            word >> ((span->first + at) & 7) & ((UINT64_C(1) << (left < STEP ? left : STEP)) - 1);
    }
    return set != 0;
}

/* ANY, ALL: look for values that are known and true, or false. */
static stoa_status add_truths(stoa_evaluation *ev, bool wanted, const stoa_lists_walk *w,
                              const stoa_vector *values, tally *tallies, stoa_error *err)
{
    const size_t n_bytes = (size_t)stoa_bit_bytes((uint64_t)w->n);
    uint8_t *const found = stoa_arena_alloc(&ev->arena, n_bytes + sizeof(uint64_t), 1);

    STOA_RETURN_NO_MEMORY(err, found);
    memset(found + n_bytes, 0, sizeof(uint64_t));
    for (size_t i = 0; i < n_bytes; i++) {
        const unsigned known = values->validity != NULL ? values->validity[i] : 255u;
        found[i] = (uint8_t)((wanted ? values->as.bits[i] : ~(unsigned)values->as.bits[i]) & known);
    }
    for (int64_t i = 0; i < w->n_spans; i++) {
        const stoa_items_span *const span = &w->spans[i];
        tally *const to = &tallies[span->row];
        to->as.met |= has_bit(found, span);
        to->has_unknown |= count_bits(values->validity, span) < span->count;
    }
    return STOA_OK;
}

/* The numbers of a window, with zeros for those that are missing: these change no sum. */
static const void *with_zeros(stoa_evaluation *ev, const stoa_vector *values, int64_t n)
{
    if (values->validity == NULL) {
        return values->as.u64;
    }
    uint64_t *const out = stoa_arena_alloc(&ev->arena, (size_t)n, sizeof *out);
    for (int64_t i = 0; out != NULL && i < n; i++) {
        out[i] = stoa_bit_get(values->validity, (uint64_t)i) ? values->as.u64[i] : 0;
    }
    return out;
}

/* SUM, MEAN */
static stoa_status add_numbers(stoa_evaluation *ev, const stoa_lists_walk *w,
                               const stoa_vector *values, tally *tallies, stoa_error *err)
{
    const size_t n = (size_t)w->n_spans;
    const stoa_kind kind = values->type.domain == STOA_DOMAIN_F64   ? STOA_KIND_FLOAT64
                           : values->type.domain == STOA_DOMAIN_U64 ? STOA_KIND_UINT64
                                                                    : STOA_KIND_INT64;
    int64_t *const ranges = stoa_arena_alloc(&ev->arena, 2 * n, sizeof *ranges);
    stoa_word *const sums = stoa_arena_alloc(&ev->arena, 2 * n, sizeof *sums);
    const stoa_spans spans = {.values = with_zeros(ev, values, w->n),
                              .n_values = w->n,
                              .firsts = ranges,
                              .counts = ranges + n,
                              .n = w->n_spans};

    STOA_RETURN_NO_MEMORY(err, ranges != NULL && sums != NULL && spans.values != NULL);
    for (size_t i = 0; i < n; i++) {
        const tally *const from = &tallies[w->spans[i].row];
        ranges[i] = w->spans[i].first;
        ranges[n + i] = w->spans[i].count;
        sums[i] = from->as.sum;
        sums[n + i] = from->as.more;
    }
    stoa_span_sums_of(stoa_simd_of_cpu(), kind)(&spans, sums, sums + n);
    for (size_t i = 0; i < n; i++) {
        tally *const to = &tallies[w->spans[i].row];
        to->as.sum = sums[i];
        to->as.more = sums[n + i];
        to->n += count_bits(values->validity, &w->spans[i]);
    }
    return STOA_OK;
}

/* The first value is taken, and later ones that are better. */
#define PICK(field, is_bad, is_better)                                                             \
    do {                                                                                           \
        for (int64_t i = span->first; i < span->first + span->count; i++) {                        \
            const stoa_word new = {.u64 = values->as.u64[i]};                                      \
            if (stoa_vector_is_null(values, i)) {                                                  \
                continue;                                                                          \
            }                                                                                      \
            if (n++ == 0 || (is_bad)) {                                                            \
                best = new;                                                                        \
            }                                                                                      \
            best.field = (is_better) ? new.field : best.field;                                     \
        }                                                                                          \
    } while (0)

/* MIN, MAX of numbers and times. Anything is better than a NaN. */
static void pick_number(bool is_max, const stoa_items_span *span, const stoa_vector *values,
                        tally *to)
{
    stoa_word best = to->as.best;
    int64_t n = to->n;

    if (values->type.domain == STOA_DOMAIN_F64 && is_max) {
        PICK(f64, isnan(best.f64), new.f64 > best.f64);
    } else if (values->type.domain == STOA_DOMAIN_F64) {
        PICK(f64, isnan(best.f64), new.f64 < best.f64);
    } else if (values->type.domain == STOA_DOMAIN_U64) {
        PICK(u64, false, is_max ? new.u64 > best.u64 : new.u64 < best.u64);
    } else {
        PICK(i64, false, is_max ? new.i64 > best.i64 : new.i64 < best.i64);
    }
    to->as.best = best;
    to->n = n;
}

/* MIN, MAX of texts. Those that were made for these items are copied. */
static stoa_status pick_bytes(stoa_evaluation *ev, bool is_max, bool is_lasting,
                              const stoa_items_span *span, const stoa_vector *values, tally *to,
                              stoa_error *err)
{
    for (int64_t i = span->first; i < span->first + span->count; i++) {
        const stoa_bytes new = values->as.bytes[i];
        stoa_bytes *const best = &to->as.bytes;
        if (stoa_vector_is_null(values, i)) {
            continue;
        }
        const int order =
            to->n > 0 ? stoa_compare_bytes(new.data, new.length, best->data, best->length) : 0;
        if (to->n++ > 0 && (is_max ? order <= 0 : order >= 0)) {
            continue;
        }
        *best = new;
        best->data = is_lasting ? new.data : stoa_arena_text(&ev->arena, new.data, new.length);
        STOA_RETURN_NO_MEMORY(err, best->data);
    }
    return STOA_OK;
}

static stoa_status add_items(stoa_evaluation *ev, stoa_evaluation *inner, const stoa_expr *expr,
                             const stoa_lists_walk *w, const stoa_vector *values, tally *tallies,
                             stoa_error *err)
{
    const stoa_list_op op = expr->list;
    const bool is_lasting = expr->args[1]->op == STOA_OP_ITEM;

    if (op == STOA_LIST_ANY || op == STOA_LIST_ALL) {
        return add_truths(inner, op == STOA_LIST_ANY, w, values, tallies, err);
    }
    if (op == STOA_LIST_SUM || op == STOA_LIST_MEAN) {
        return add_numbers(inner, w, values, tallies, err);
    }
    for (int64_t i = 0; i < w->n_spans; i++) {
        const stoa_items_span *const span = &w->spans[i];
        tally *const to = &tallies[span->row];
        if (op == STOA_LIST_COUNT) {
            to->n += count_bits(values->validity, span);
        } else if (stoa_domain_is_bytes(values->type.domain)) {
            STOA_RETURN_NOT_OK(
                pick_bytes(ev, op == STOA_LIST_MAX, is_lasting, span, values, to, err));
        } else {
            pick_number(op == STOA_LIST_MAX, span, values, to);
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
    items.walk = &w;
    inner.items = &items;
    while (stoa_lists_walk_next(&w)) {
        stoa_evaluation_move(&inner, NULL, 0, w.n);
        items.values = (stoa_vector){.type = type, .n = w.n};
        STOA_TRY(stoa_load_values(&inner.loads, &w.items, w.first, w.n, &items.values, err));
        STOA_TRY(stoa_eval(&inner, expr->args[1], &values, err));
        STOA_TRY(stoa_vector_spread(&inner.arena, &values, err));
        STOA_TRY(add_items(ev, &inner, expr, &w, &values, tallies, err));
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

/* An infinite sum has no rounding error. All NaNs are made one, because their bits depend on the
 * instruction set. */
static inline double float_sum(double sum, double lost)
{
    const double whole = sum + (isfinite(sum) ? lost : 0);

    return isnan(whole) ? (double)NAN : whole;
}

/* The numeric result of a row whose result is not missing. */
static stoa_status number_of(const stoa_expr *expr, const tally *from, stoa_word *out,
                             stoa_error *err)
{
    const stoa_word sum = from->as.sum;
    const stoa_word more = from->as.more;
    const bool is_float = expr->args[1]->type.domain == STOA_DOMAIN_F64;
    const bool is_signed = expr->type.domain != STOA_DOMAIN_U64;

    if (expr->list == STOA_LIST_COUNT) {
        out->i64 = from->n;
    } else if (!adds(expr)) {
        *out = from->as.best;
    } else if (expr->list == STOA_LIST_MEAN) {
        const wide whole = (wide)more.i64 * ((wide)1 << 64) + sum.u64;
        out->f64 = (is_float ? float_sum(sum.f64, more.f64) : (double)whole) / (double)from->n;
    } else if (is_float) {
        out->f64 = float_sum(sum.f64, more.f64);
    } else if (more.i64 != (is_signed && sum.i64 < 0 ? -1 : 0)) {
        return fail_sum(expr, err);
    } else {
        *out = sum;
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
        values[row >> 3] |= (uint8_t)((from->as.met == is_any) << (row & 7));
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
    *values = stoa_arena_zero(&ev->arena, (size_t)ev->n,
                              stoa_domain_is_bytes(expr->type.domain) ? sizeof(stoa_bytes)
                                                                      : sizeof(stoa_word));
    *validity = stoa_arena_zero(&ev->arena, (size_t)ev->n / 64 + 1, sizeof(uint64_t));
    *out = (stoa_vector){.type = expr->type, .n = ev->n, .validity = *validity};
    out->as.bits = *values;
    return *values != NULL && *validity != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Evaluate the body on the items, and put what it adds up to. */
static stoa_status eval_body(stoa_evaluation *ev, const stoa_expr *expr, const stoa_lists *lists,
                             uint8_t *values, uint8_t *validity, stoa_error *err)
{
    tally *const tallies = stoa_arena_zero(&ev->arena, (size_t)ev->n, sizeof *tallies);

    STOA_RETURN_NO_MEMORY(err, tallies);
    STOA_RETURN_NOT_OK(tally_items(ev, expr, lists, tallies, err));
    for (int64_t row = 0; row < ev->n; row++) {
        bool is_there = true;
        int64_t first;
        int64_t count;
        stoa_lists_range(lists, row, &first, &count);
        if (count < 0) {
            continue;
        }
        STOA_RETURN_NOT_OK(put(expr, &tallies[row], row, values, &is_there, err));
        if (is_there) {
            stoa_bit_set(validity, (uint64_t)row);
        }
    }
    return STOA_OK;
}

/* Without a body ---------------------------------------------------------------------------- */

/* Rows that are processed at a time: what is noted of them stays in the first-level cache. */
enum { PART_ROWS = 512 };

/* The items of each row's list in a part, in one buffer. `count` is negative where the list is
 * missing. */
typedef struct ranges {
    stoa_spans spans;
    stoa_simd simd;
    int64_t *firsts;
    int64_t *counts; /* items */
    int64_t *known;  /* items that are not missing */
    stoa_word *sums; /* two words each */
} ranges;

static bool picks(const stoa_expr *expr)
{
    return expr->list == STOA_LIST_MIN || expr->list == STOA_LIST_MAX;
}

/* Whether the result follows from where the items are, or kernels of spans give it. */
static bool needs_no_body(const stoa_expr *expr, const stoa_view *items)
{
    const stoa_kind kind = items->type.kind;

    if (expr->list == STOA_LIST_LENGTH) {
        return true;
    }
    return expr->args[1]->op == STOA_OP_ITEM &&
           (adds(expr) ? stoa_span_sums_of(STOA_SIMD_SCALAR, kind) != NULL
            : picks(expr)
                ? stoa_span_extremes_of(STOA_SIMD_SCALAR, kind) != NULL && items->null_count == 0
                : expr->list == STOA_LIST_COUNT && !stoa_kind_is_list(kind));
}

static stoa_status open_ranges(stoa_evaluation *ev, const stoa_expr *expr, const stoa_view *items,
                               ranges *r, stoa_error *err)
{
    const size_t width = (size_t)stoa_kind_width(items->type.kind);
    const bool has_known = expr->list != STOA_LIST_LENGTH && items->null_count != 0;

    *r = (ranges){.spans = {.n_values = items->length}, .simd = stoa_simd_of_cpu()};
    r->spans.values = adds(expr) || picks(expr)
                          ? (const uint8_t *)items->values + (size_t)items->offset * width
                          : NULL;
    r->firsts = stoa_arena_alloc(&ev->arena, PART_ROWS, sizeof *r->firsts);
    r->counts = r->known = stoa_arena_alloc(&ev->arena, PART_ROWS, sizeof *r->counts);
    r->sums = stoa_arena_alloc(&ev->arena, (size_t)2 * PART_ROWS, sizeof *r->sums);
    if (has_known) {
        r->known = stoa_arena_alloc(&ev->arena, PART_ROWS, sizeof *r->known);
    }
    STOA_RETURN_NO_MEMORY(err, r->firsts != NULL && r->counts != NULL && r->known != NULL &&
                                   r->sums != NULL);
    r->spans.firsts = r->firsts;
    r->spans.counts = r->counts;
    return STOA_OK;
}

static void find_ranges(const stoa_lists *lists, const stoa_view *items, int64_t at, int64_t n,
                        ranges *r)
{
    r->spans.n = n;
    r->spans.is_run = stoa_lists_ranges(lists, at, n, r->firsts, r->counts);
    for (int64_t row = 0; r->known != r->counts && row < n; row++) {
        const uint64_t first = (uint64_t)(items->offset + r->firsts[row]);
        r->known[row] = r->counts[row] <= 0 ? r->counts[row]
                                            : (int64_t)stoa_bit_count(items->validity, first,
                                                                      (uint64_t)r->counts[row]);
    }
}

/* Add up a list of which some items are missing. */
static void add_known(const stoa_view *items, const stoa_spans *spans, int64_t row, stoa_word *sum,
                      stoa_word *more)
{
    stoa_view list = *items;
    int64_t first = spans->firsts[row];

    list.length = first + spans->counts[row];
    for (int64_t n; (n = stoa_view_run(&list, &first)) > 0; first += n) {
        const stoa_spans span = {.values = spans->values,
                                 .n_values = list.length,
                                 .firsts = &first,
                                 .counts = &n,
                                 .n = 1};
        stoa_span_sums_of(STOA_SIMD_SCALAR, items->type.kind)(&span, sum, more);
    }
}

/* Sum the items where they lie. */
static void sum_ranges(const stoa_view *items, ranges *r)
{
    const int64_t n = r->spans.n;

    memset(r->sums, 0, 2 * (size_t)n * sizeof *r->sums);
    for (int64_t row = 0; r->known != r->counts && row < n; row++) {
        if (r->known[row] != r->counts[row]) {
            add_known(items, &r->spans, row, &r->sums[row], &r->sums[n + row]);
            r->counts[row] = 0;
            r->spans.is_run = false;
        }
    }
    stoa_span_sums_of(r->simd, items->type.kind)(&r->spans, r->sums, r->sums + n);
}

/* Set the bits of rows whose list has at least `least` items. */
static void mark_rows(const ranges *r, int64_t n, uint64_t least, uint8_t *validity)
{
    const stoa_bounds at_least = {.low = least, .span = INT64_MAX - least};

    stoa_filter_of(r->simd)->within[STOA_LANE_64](r->known, n, &at_least,
                                                  (uint64_t *)(void *)validity);
}

static stoa_status put_integers(const stoa_expr *expr, const ranges *r, stoa_word *out,
                                stoa_error *err)
{
    const int64_t n = r->spans.n;

    for (int64_t row = 0; row < n; row++) {
        const tally sum = {.n = r->known[row],
                           .as = {.sum = r->sums[row], .more = r->sums[n + row]}};
        STOA_RETURN_NOT_OK(sum.n > 0 ? number_of(expr, &sum, &out[row], err) : STOA_OK);
    }
    return STOA_OK;
}

static void put_floats(const stoa_expr *expr, const ranges *r, stoa_word *out)
{
    const int64_t n = r->spans.n;

    for (int64_t row = 0; row < n; row++) {
        out[row].f64 = float_sum(r->sums[row].f64, r->sums[n + row].f64);
    }
    for (int64_t row = 0; expr->list == STOA_LIST_MEAN && row < n; row++) {
        out[row].f64 /= (double)r->known[row];
    }
}

/* The results of the rows of a part. */
static stoa_status put_part(const stoa_expr *expr, const stoa_view *items, ranges *r,
                            stoa_word *out, stoa_error *err)
{
    if (picks(expr)) {
        stoa_span_extremes_of(r->simd, items->type.kind)(&r->spans, expr->list == STOA_LIST_MAX,
                                                         out);
        return STOA_OK;
    }
    if (!adds(expr)) {
        memcpy(out, r->known, (size_t)r->spans.n * sizeof *r->known);
        return STOA_OK;
    }
    sum_ranges(items, r);
    if (expr->args[1]->type.domain != STOA_DOMAIN_F64) {
        return put_integers(expr, r, out, err);
    }
    put_floats(expr, r, out);
    return STOA_OK;
}

static stoa_status eval_ranges(stoa_evaluation *ev, const stoa_expr *expr, const stoa_lists *lists,
                               const stoa_view *items, uint8_t *values, uint8_t *validity,
                               stoa_error *err)
{
    ranges r;

    STOA_RETURN_NOT_OK(open_ranges(ev, expr, items, &r, err));
    for (int64_t at = 0, n; at < ev->n; at += n) {
        n = ev->n - at < PART_ROWS ? ev->n - at : PART_ROWS;
        find_ranges(lists, items, at, n, &r);
        mark_rows(&r, n, adds(expr) || picks(expr) ? 1 : 0, validity + at / 8);
        STOA_RETURN_NOT_OK(put_part(expr, items, &r, (stoa_word *)(void *)values + at, err));
    }
    return STOA_OK;
}

static stoa_status eval_function(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                 stoa_error *err)
{
    stoa_lists lists = {.view = NULL};
    stoa_view items;
    uint8_t *values = NULL;
    uint8_t *validity = NULL;

    STOA_RETURN_NOT_OK(make_result(ev, expr, &values, &validity, out, err));
    STOA_RETURN_NOT_OK(stoa_lists_of(ev, expr->args[0], &lists, err));
    STOA_RETURN_NOT_OK(stoa_view_child(lists.view, 0, &items, err));
    return needs_no_body(expr, &items)
               ? eval_ranges(ev, expr, &lists, &items, values, validity, err)
               : eval_body(ev, expr, &lists, values, validity, err);
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
        if (items.places[row] >= 0) {
            put_item(items.view, expr->type.domain, items.places[row], row, values);
            stoa_bit_set(validity, (uint64_t)row);
        }
    }
    return STOA_OK;
}

/* Lists have no value; only their validity is used. */
static stoa_status eval_slice(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                              stoa_error *err)
{
    stoa_lists lists;
    uint8_t *values = NULL;
    uint8_t *validity = NULL;

    STOA_RETURN_NOT_OK(make_result(ev, expr, &values, &validity, out, err));
    STOA_RETURN_NOT_OK(stoa_lists_of(ev, expr, &lists, err));
    for (int64_t row = 0; row < ev->n; row++) {
        if (lists.counts[row] >= 0) {
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
    for (int64_t k = 0; k < items->walk->n_spans; k++) {
        const stoa_items_span *const span = &items->walk->spans[k];
        const int64_t row = span->row;
        for (int64_t i = span->first; i < span->first + span->count; i++) {
            if (stoa_vector_is_null(of_rows, row)) {
                break;
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
    case STOA_OP_SLICE:
        return eval_slice(ev, expr, out, err);
    default:
        return eval_function(ev, expr, out, err);
    }
}
