/* Parts of a predicate that an index has answered for every row, as bitmaps. A scan uses these
 * answers and does not read the column. */
#ifndef STOA_QUERY_INDEX_VERDICTS_H
#define STOA_QUERY_INDEX_VERDICTS_H

#include "index/common/row_bits.h"
#include "query/eval/expr.h"

/* Most parts that are answered this way. */
#define STOA_MAX_INDEX_VERDICTS 16

typedef struct stoa_index_verdict {
    const stoa_expr *expr;
    bool wanted; /* rows for which it is true, or false; missing in neither */
    stoa_row_bits *rows;
} stoa_index_verdict;

/* Zero-initialise; free with stoa_index_verdicts_clear(). */
typedef struct stoa_index_verdicts {
    stoa_index_verdict parts[STOA_MAX_INDEX_VERDICTS];
    size_t n;
} stoa_index_verdicts;

/* NULL if the part is not answered; `marked` may be NULL. */
static inline const stoa_index_verdict *stoa_index_verdicts_find(const stoa_index_verdicts *marked,
                                                                 const stoa_expr *expr, bool wanted)
{
    for (size_t i = 0; marked != NULL && i < marked->n; i++) {
        if (marked->parts[i].expr == expr && marked->parts[i].wanted == wanted) {
            return &marked->parts[i];
        }
    }
    return NULL;
}

static inline void stoa_index_verdicts_clear(stoa_index_verdicts *marked)
{
    for (size_t i = 0; i < marked->n; i++) {
        stoa_row_bits_release(marked->parts[i].rows);
    }
    marked->n = 0;
}

#endif
