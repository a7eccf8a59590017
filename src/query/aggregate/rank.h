/* The order of values as that of unsigned words. */
#ifndef STOA_QUERY_RANK_H
#define STOA_QUERY_RANK_H

#include "query/eval/expr.h"

/* A word whose unsigned order is that of the values, which are no texts; NaN comes last. */
static inline uint64_t stoa_rank_of(uint64_t word, stoa_value_domain domain)
{
    const uint64_t sign = UINT64_C(1) << 63;

    if (domain == STOA_DOMAIN_U64) {
        return word;
    }
    return domain == STOA_DOMAIN_F64 && (word & sign) != 0 ? ~word : word ^ sign;
}

#endif
