/* count, sum, mean, stddev: what adds up. */
#include <math.h>

#include "query/aggregate.h"

#define ENTRIES(buffer, ctype) ((ctype *)(void *)(buffer).data)
/* Each row whose value is not missing. */
#define EACH_VALUE(values, n)                                                                      \
    for (int64_t i = 0; i < (n); i++)                                                              \
        if ((values)->validity == NULL || stoa_bit_get((values)->validity, (uint64_t)i))

/* count: `n` ---------------------------------------------------------------------------------- */

static stoa_status count_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    (void)binder;
    (void)err;
    aggregate->result.domain = STOA_DOMAIN_I64;
    return STOA_OK;
}

static stoa_status count_update(stoa_aggregate *aggregate, const stoa_vector *values,
                                const uint32_t *ids, int64_t n, stoa_error *err)
{
    int64_t *counts = ENTRIES(aggregate->n, int64_t);

    (void)err;
    EACH_VALUE(values, n)
    {
        counts[ids[i]]++;
    }
    return STOA_OK;
}

static stoa_status count_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                               const uint32_t *ids, stoa_error *err)
{
    int64_t *counts = ENTRIES(aggregate->n, int64_t);

    (void)err;
    for (uint32_t group = 0; group < from->n_groups; group++) {
        counts[ids[group]] += ENTRIES(from->n, int64_t)[group];
    }
    return STOA_OK;
}

stoa_status stoa_count_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                              stoa_pool *pool, stoa_vector *out, stoa_error *err)
{
    (void)n;
    (void)pool;
    (void)err;
    out->as.i64 = ENTRIES(aggregate->n, int64_t) + first;
    return STOA_OK;
}

const stoa_aggregate_kind stoa_aggregate_count = {"count",      0,           count_bind,
                                                  count_update, count_merge, stoa_count_result};

/* sum: integers exactly, in 128 bits (`a` low, `b` high); floats by Neumaier's compensated sum (`a`
 * the sum, `b` what rounding lost). -------------------------------------------------------------
 */

static stoa_status sum_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_aggregate_takes_number(binder, aggregate, err));
    aggregate->result.domain = aggregate->arg->type.domain;

done:
    return status;
}

static void sum_integers(stoa_aggregate *aggregate, const stoa_vector *values, const uint32_t *ids,
                         int64_t n)
{
    const bool is_signed = values->type.domain == STOA_DOMAIN_I64;
    int64_t *counts = ENTRIES(aggregate->n, int64_t);
    uint64_t *low = ENTRIES(aggregate->a, uint64_t);
    int64_t *high = ENTRIES(aggregate->b, int64_t);

    EACH_VALUE(values, n)
    {
        const uint32_t group = ids[i];
        const uint64_t before = low[group];
        low[group] += values->as.u64[i];
        high[group] += low[group] < before;
        high[group] -= is_signed && values->as.i64[i] < 0;
        counts[group]++;
    }
}

/* Neumaier's step: what rounding takes from the larger of the two is kept. */
static void add_float(double value, double *sum, double *lost)
{
    const double before = *sum;

    *sum = before + value;
    *lost += fabs(before) >= fabs(value) ? (before - *sum) + value : (value - *sum) + before;
}

static void sum_floats(stoa_aggregate *aggregate, const stoa_vector *values, const uint32_t *ids,
                       int64_t n)
{
    int64_t *counts = ENTRIES(aggregate->n, int64_t);
    double *sums = ENTRIES(aggregate->a, double);
    double *lost = ENTRIES(aggregate->b, double);

    EACH_VALUE(values, n)
    {
        add_float(values->as.f64[i], &sums[ids[i]], &lost[ids[i]]);
        counts[ids[i]]++;
    }
}

static stoa_status sum_update(stoa_aggregate *aggregate, const stoa_vector *values,
                              const uint32_t *ids, int64_t n, stoa_error *err)
{
    (void)err;
    if (values->type.domain == STOA_DOMAIN_F64) {
        sum_floats(aggregate, values, ids, n);
    } else {
        sum_integers(aggregate, values, ids, n);
    }
    return STOA_OK;
}

static stoa_status sum_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                             const uint32_t *ids, stoa_error *err)
{
    const bool floats = aggregate->arg->type.domain == STOA_DOMAIN_F64;

    (void)err;
    for (uint32_t i = 0; i < from->n_groups; i++) {
        const uint32_t group = ids[i];
        ENTRIES(aggregate->n, int64_t)[group] += ENTRIES(from->n, int64_t)[i];
        if (floats) {
            double *lost = &ENTRIES(aggregate->b, double)[group];
            add_float(ENTRIES(from->a, double)[i], &ENTRIES(aggregate->a, double)[group], lost);
            *lost += ENTRIES(from->b, double)[i];
        } else {
            uint64_t *low = &ENTRIES(aggregate->a, uint64_t)[group];
            const uint64_t more = ENTRIES(from->a, uint64_t)[i];
            *low += more;
            ENTRIES(aggregate->b, int64_t)[group] += ENTRIES(from->b, int64_t)[i] + (*low < more);
        }
    }
    return STOA_OK;
}

/* An infinite or undefined sum has lost nothing that counts. */
static double float_sum(const stoa_aggregate *aggregate, uint32_t group)
{
    const double sum = ENTRIES(aggregate->a, double)[group];

    return isfinite(sum) ? sum + ENTRIES(aggregate->b, double)[group] : sum;
}

static stoa_status sum_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                              stoa_pool *pool, stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_value_domain domain = aggregate->result.domain;
    uint64_t *values = stoa_pool_alloc(pool, n, sizeof *values);
    uint8_t *validity = NULL;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_aggregate_validity(aggregate, 1, first, n, pool, &validity, err));
    out->validity = validity;
    out->as.u64 = values;
    for (uint32_t i = 0; i < n; i++) {
        if (domain == STOA_DOMAIN_F64) {
            ((double *)(void *)values)[i] = float_sum(aggregate, first + i);
            continue;
        }
        const int64_t high = ENTRIES(aggregate->b, int64_t)[first + i];
        values[i] = ENTRIES(aggregate->a, uint64_t)[first + i];
        const bool fits =
            domain == STOA_DOMAIN_U64 ? high == 0 : high == (values[i] > INT64_MAX ? -1 : 0);
        if (!fits) {
            STOA_TRY(STOA_FAIL_SYNTAX(err, STOA_ERANGE, aggregate->arg->syntax,
                                      "the sum does not fit %s; sum(1.0 * x) adds floats",
                                      domain == STOA_DOMAIN_U64 ? "uint64" : "int64"));
        }
    }

done:
    return status;
}

const stoa_aggregate_kind stoa_aggregate_sum = {"sum",      1,         sum_bind,
                                                sum_update, sum_merge, sum_result};

/* mean: the sum's state --------------------------------------------------------------------- */

static stoa_status mean_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    aggregate->result.domain = STOA_DOMAIN_F64;
    return stoa_aggregate_takes_number(binder, aggregate, err);
}

static stoa_status mean_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                               stoa_pool *pool, stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    double *values = stoa_pool_alloc(pool, n, sizeof *values);
    uint8_t *validity = NULL;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_aggregate_validity(aggregate, 1, first, n, pool, &validity, err));
    for (uint32_t i = 0; i < n; i++) {
        const double count = (double)ENTRIES(aggregate->n, int64_t)[first + i];
        double sum;
        if (aggregate->arg->type.domain == STOA_DOMAIN_F64) {
            sum = float_sum(aggregate, first + i);
        } else {
            const uint64_t low = ENTRIES(aggregate->a, uint64_t)[first + i];
            const int64_t high = ENTRIES(aggregate->b, int64_t)[first + i];
            /* Mostly the high word is but the sign of the low one: then nothing is rounded twice.
             */
            sum = high == -1 && low > INT64_MAX ? (double)(int64_t)low
                                                : (double)high * 0x1p64 + (double)low;
        }
        values[i] = sum / count;
    }
    out->validity = validity;
    out->as.f64 = values;

done:
    return status;
}

const stoa_aggregate_kind stoa_aggregate_mean = {"mean",     1,         mean_bind,
                                                 sum_update, sum_merge, mean_result};

/* stddev of a sample, by Welford's recurrence: `a` the mean, `b` the sum of squared differences --
 */

static stoa_status stddev_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_aggregate_takes_number(binder, aggregate, err));
    STOA_TRY(stoa_expr_cast(binder, STOA_DOMAIN_F64, &aggregate->arg, err));
    aggregate->result.domain = STOA_DOMAIN_F64;

done:
    return status;
}

static stoa_status stddev_update(stoa_aggregate *aggregate, const stoa_vector *values,
                                 const uint32_t *ids, int64_t n, stoa_error *err)
{
    int64_t *counts = ENTRIES(aggregate->n, int64_t);
    double *means = ENTRIES(aggregate->a, double);
    double *squares = ENTRIES(aggregate->b, double);

    (void)err;
    EACH_VALUE(values, n)
    {
        const uint32_t group = ids[i];
        const double difference = values->as.f64[i] - means[group];
        means[group] += difference / (double)++counts[group];
        squares[group] += difference * (values->as.f64[i] - means[group]);
    }
    return STOA_OK;
}

/* Chan's rule for two parts. */
static stoa_status stddev_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                const uint32_t *ids, stoa_error *err)
{
    (void)err;
    for (uint32_t i = 0; i < from->n_groups; i++) {
        const uint32_t group = ids[i];
        int64_t *count = &ENTRIES(aggregate->n, int64_t)[group];
        double *mean = &ENTRIES(aggregate->a, double)[group];
        const int64_t more = ENTRIES(from->n, int64_t)[i];
        const double share = more > 0 ? (double)more / (double)(*count + more) : 0.0;
        const double difference = more > 0 ? ENTRIES(from->a, double)[i] - *mean : 0.0;
        ENTRIES(aggregate->b, double)
        [group] += ENTRIES(from->b, double)[i] + difference * difference * share * (double)*count;
        *mean += difference * share;
        *count += more;
    }
    return STOA_OK;
}

static stoa_status stddev_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                 stoa_pool *pool, stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    double *values = stoa_pool_alloc(pool, n, sizeof *values);
    uint8_t *validity = NULL;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_aggregate_validity(aggregate, 2, first, n, pool, &validity, err));
    for (uint32_t i = 0; i < n; i++) {
        values[i] = sqrt(ENTRIES(aggregate->b, double)[first + i] /
                         (double)(ENTRIES(aggregate->n, int64_t)[first + i] - 1));
    }
    out->validity = validity;
    out->as.f64 = values;

done:
    return status;
}

const stoa_aggregate_kind stoa_aggregate_stddev = {
    "stddev", 1, stddev_bind, stddev_update, stddev_merge, stddev_result};
