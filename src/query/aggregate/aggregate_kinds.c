/* The registry of aggregates. */
#include <stoa/version.h>

#include "query/aggregate/aggregate.h"
#include "query/functions/functions.h"

static const stoa_aggregate_kind *const kinds[] = {
    &stoa_aggregate_count,     &stoa_aggregate_sum,        &stoa_aggregate_mean,
    &stoa_aggregate_min,       &stoa_aggregate_max,        &stoa_aggregate_bool_and,
    &stoa_aggregate_bool_or,   &stoa_aggregate_stddev,     &stoa_aggregate_stddev_pop,
    &stoa_aggregate_var,       &stoa_aggregate_var_pop,    &stoa_aggregate_covar_samp,
    &stoa_aggregate_covar_pop, &stoa_aggregate_corr,       &stoa_aggregate_median,
    &stoa_aggregate_quantile,  &stoa_aggregate_distinct,   &stoa_aggregate_mode,
    &stoa_aggregate_histogram, &stoa_aggregate_string_agg, &stoa_aggregate_first,
    &stoa_aggregate_last,      &stoa_aggregate_arg_min,    &stoa_aggregate_arg_max,
};

const char *stoa_aggregate_name(size_t i)
{
    return i < sizeof kinds / sizeof kinds[0] ? kinds[i]->text.name : NULL;
}

const stoa_function_text *stoa_aggregate_text(size_t i)
{
    return i < sizeof kinds / sizeof kinds[0] ? &kinds[i]->text : NULL;
}

const stoa_aggregate_kind *stoa_aggregate_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (stoa_function_is(&kinds[i]->text, name, length)) {
            return kinds[i];
        }
    }
    return NULL;
}
