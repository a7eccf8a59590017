/* Sums in two doubles, some 106 bits: what is added up together hardly ever shows in the result. */
#ifndef STOA_QUERY_DOUBLE_DOUBLE_H
#define STOA_QUERY_DOUBLE_DOUBLE_H

#include <math.h>

#include "query/aggregate/reduce.h"

/* The sum of two doubles; the second corrects the first. */
typedef struct stoa_double_double {
    double sum;
    double lost;
} stoa_double_double;

static inline stoa_double_double stoa_dd_plus(stoa_double_double a, stoa_double_double b)
{
    a.lost += b.lost;
    stoa_two_sum(b.sum, &a.sum, &a.lost);
    return a;
}

static inline stoa_double_double stoa_dd_times(stoa_double_double a, stoa_double_double b)
{
    const double product = a.sum * b.sum;

    return (stoa_double_double){product, stoa_product_lost(a.sum, b.sum, product) +
                                             (a.sum * b.lost + a.lost * b.sum)};
}

static inline stoa_double_double stoa_dd_minus(double a, double b)
{
    stoa_double_double out = {a, 0};

    stoa_two_sum(-b, &out.sum, &out.lost);
    return out;
}

static inline stoa_double_double stoa_dd_over(stoa_double_double a, double n)
{
    const double quotient = a.sum / n;
    const stoa_double_double back =
        stoa_dd_times((stoa_double_double){-quotient, 0}, (stoa_double_double){n, 0});
    const stoa_double_double rest = stoa_dd_plus(a, back);

    return (stoa_double_double){quotient, (rest.sum + rest.lost) / n};
}

/* The sum of products of differences from the means, of n values: that of the products of
 * differences from two centers is given, and the sums of these differences. */
static inline double stoa_dd_spread(stoa_double_double products, stoa_double_double a,
                                    stoa_double_double b, double n)
{
    if (!isfinite(products.sum)) { /* NaN if a value is not finite, else a sum is too large */
        return products.sum;
    }
    const stoa_double_double mean = stoa_dd_over(a, n);
    const stoa_double_double rest =
        stoa_dd_plus(products, stoa_dd_times((stoa_double_double){-mean.sum, -mean.lost}, b));

    return rest.sum + rest.lost;
}

#endif
