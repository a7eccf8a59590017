/* median, quantile, distinct: what needs every value. Their memory grows with the rows (quantiles)
 * or with the distinct values (distinct). */
#include <math.h>
#include <stdlib.h>

#include "query/aggregate.h"

#define ENTRIES(buffer, ctype) ((ctype *)(void *)(buffer).data)

/* Quantiles --------------------------------------------------------------------------------- */

typedef struct member {
    uint32_t group;
    double value;
} member;

static stoa_status quantile_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_aggregate_takes_number(binder, aggregate, err));
    STOA_TRY(stoa_expr_cast(binder, STOA_DOMAIN_F64, &aggregate->arg, err));
    aggregate->result.domain = STOA_DOMAIN_F64;

done:
    return status;
}

static stoa_status median_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                               stoa_error *err)
{
    aggregate->p = 0.5;
    return quantile_bind(binder, aggregate, err);
}

static stoa_status quantile_update(stoa_aggregate *aggregate, const stoa_vector *values,
                                   const uint32_t *ids, int64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_buffer_reserve(&aggregate->list, (size_t)n * sizeof(member), err));
    for (int64_t i = 0; i < n; i++) {
        if (values->validity == NULL || stoa_bit_get(values->validity, (uint64_t)i)) {
            const member entry = {ids[i], values->as.f64[i]};
            STOA_TRY(stoa_buffer_append(&aggregate->list, &entry, sizeof entry, err));
            ENTRIES(aggregate->n, int64_t)[ids[i]]++;
        }
    }

done:
    return status;
}

static stoa_status quantile_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                  const uint32_t *ids, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const member *more = ENTRIES(from->list, member);
    const size_t n = from->list.size / sizeof *more;

    STOA_TRY(stoa_buffer_reserve(&aggregate->list, from->list.size, err));
    for (size_t i = 0; i < n; i++) {
        const member entry = {ids[more[i].group], more[i].value};
        STOA_TRY(stoa_buffer_append(&aggregate->list, &entry, sizeof entry, err));
        ENTRIES(aggregate->n, int64_t)[entry.group]++;
    }

done:
    return status;
}

/* By group, then by value; NaNs after the numbers. */
static int order_members(const void *a, const void *b)
{
    const member *x = a;
    const member *y = b;

    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    if (isnan(x->value) || isnan(y->value)) {
        return isnan(x->value) - isnan(y->value);
    }
    return (x->value > y->value) - (x->value < y->value);
}

/* Between the two values nearest to place p * (n - 1), linearly. */
static double interpolate(const member *sorted, int64_t n, double p)
{
    const double place = p * (double)(n - 1);
    const int64_t low = (int64_t)floor(place);
    const int64_t high = low + 1 < n ? low + 1 : low;
    const double rest = place - (double)low;
    const double a = sorted[low].value;
    const double b = sorted[high].value;

    return rest == 0 || a == b ? a : a + rest * (b - a);
}

static stoa_status quantile_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                   stoa_pool *pool, stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    member *all = ENTRIES(aggregate->list, member);
    const int64_t *counts = ENTRIES(aggregate->n, int64_t);
    double *values = stoa_pool_alloc(pool, n, sizeof *values);
    uint8_t *validity = NULL;
    int64_t at = 0;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_aggregate_validity(aggregate, 1, first, n, pool, &validity, err));
    if (first == 0 && all != NULL) { /* sorted once, when the first groups are asked for */
        qsort(all, aggregate->list.size / sizeof *all, sizeof *all, order_members);
    }
    for (uint32_t group = 0; group < first; group++) {
        at += counts[group];
    }
    for (uint32_t i = 0; i < n; i++) {
        const int64_t count = counts[first + i];
        values[i] = count > 0 ? interpolate(all + at, count, aggregate->p) : 0.0;
        at += count;
    }
    out->validity = validity;
    out->as.f64 = values;

done:
    return status;
}

const stoa_aggregate_kind stoa_aggregate_median = {
    "median", 1, median_bind, quantile_update, quantile_merge, quantile_result};
const stoa_aggregate_kind stoa_aggregate_quantile = {
    "quantile", 2, quantile_bind, quantile_update, quantile_merge, quantile_result};

/* distinct: how many different values; `n` counts them, `seen` holds (group, value) --------------
 */

enum { DISTINCT_KEYS = 2 };

static stoa_status distinct_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                                 stoa_error *err)
{
    const stoa_expr *arg = aggregate->arg;
    char source[STOA_SOURCE_SIZE];

    (void)binder;
    aggregate->result.domain = STOA_DOMAIN_I64;
    if (arg->type.domain == STOA_DOMAIN_OTHER) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, arg->syntax,
                                "distinct takes a plain value, and %s is a list or a struct",
                                stoa_syntax_source(arg->syntax, source));
    }
    return STOA_OK;
}

static stoa_status distinct_update(stoa_aggregate *aggregate, const stoa_vector *values,
                                   const uint32_t *ids, int64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t stride = DISTINCT_KEYS + 1;
    uint64_t *words = stoa_alloc_zero((size_t)n * stride, sizeof *words);

    STOA_TRY(words != NULL ? STOA_OK : stoa_fail_memory(err));
    if (aggregate->seen.keys == NULL) {
        STOA_TRY(stoa_groups_open(&aggregate->seen, NULL, DISTINCT_KEYS, err));
    }
    STOA_TRY(stoa_words_of(values, &aggregate->words, words + 1, stride, err));
    for (int64_t i = 0; i < n; i++) {
        uint32_t pair;
        const uint32_t before = aggregate->seen.n_groups;
        if (values->validity != NULL && !stoa_bit_get(values->validity, (uint64_t)i)) {
            continue;
        }
        words[(size_t)i * stride] = ids[i];
        STOA_TRY(
            stoa_groups_assign_words(&aggregate->seen, words + (size_t)i * stride, 1, &pair, err));
        ENTRIES(aggregate->n, int64_t)[ids[i]] += aggregate->seen.n_groups > before;
    }

done:
    free(words);
    return status;
}

/* Texts have other numbers here than there. */
static stoa_status distinct_word(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                 uint64_t *word, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_value_domain domain = aggregate->arg->type.domain;
    uint32_t number = 0;
    size_t length;

    if (domain == STOA_DOMAIN_TEXT || domain == STOA_DOMAIN_BYTES) {
        const char *text = stoa_strings_get(&from->words, (uint32_t)*word, &length);
        STOA_TRY(stoa_strings_add(&aggregate->words, text, length, &number, err));
        *word = number;
    }

done:
    return status;
}

static stoa_status distinct_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                  const uint32_t *ids, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t *pairs = ENTRIES(from->seen.words, uint64_t);

    if (aggregate->seen.keys == NULL) {
        STOA_TRY(stoa_groups_open(&aggregate->seen, NULL, DISTINCT_KEYS, err));
    }
    for (uint32_t i = 0; i < from->seen.n_groups; i++) {
        const uint32_t before = aggregate->seen.n_groups;
        uint64_t row[DISTINCT_KEYS + 1] = {ids[pairs[i * (DISTINCT_KEYS + 1)]],
                                           pairs[i * (DISTINCT_KEYS + 1) + 1], 0};
        uint32_t pair;
        STOA_TRY(distinct_word(aggregate, from, &row[1], err));
        STOA_TRY(stoa_groups_assign_words(&aggregate->seen, row, 1, &pair, err));
        ENTRIES(aggregate->n, int64_t)[row[0]] += aggregate->seen.n_groups > before;
    }

done:
    return status;
}

const stoa_aggregate_kind stoa_aggregate_distinct = {
    "distinct", 1, distinct_bind, distinct_update, distinct_merge, stoa_count_result};
