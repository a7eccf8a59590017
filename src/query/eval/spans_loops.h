/* Sums of spans value by value. */
#ifndef STOA_QUERY_SPANS_LOOPS_H
#define STOA_QUERY_SPANS_LOOPS_H

#include "query/eval/spans.h"

/* For each span: `before`, then `step` with its values one by one, then `after`. */
#define DEFINE_SPANS(name, ctype, before, step, after)                                             \
    static void sums_##name(const stoa_spans *spans, stoa_word *sums, stoa_word *more)             \
    {                                                                                              \
        for (int64_t span = 0; span < spans->n; span++) {                                          \
            const ctype *const from = (const ctype *)spans->values + spans->firsts[span];          \
            before;                                                                                \
            for (int64_t i = 0; i < spans->counts[span]; i++) {                                    \
                step;                                                                              \
            }                                                                                      \
            after;                                                                                 \
        }                                                                                          \
    }

#endif
