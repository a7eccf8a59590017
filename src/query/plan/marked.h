/* Parts of a predicate that an index has answered for every row, as bitmaps. A scan uses these
 * answers and does not read the column. */
#ifndef STOA_QUERY_MARKED_H
#define STOA_QUERY_MARKED_H

#include "index/common/row_bits.h"
#include "query/eval/expr.h"

/* Most parts that are answered this way. */
#define STOA_MAX_MARKED 16

typedef struct stoa_marked_part {
    const stoa_expr *expr;
    bool wanted; /* rows for which it is true, or false; missing in neither */
    stoa_row_bits *rows;
} stoa_marked_part;

/* Zero-initialise; free with stoa_marked_clear(). */
typedef struct stoa_marked {
    stoa_marked_part parts[STOA_MAX_MARKED];
    size_t n;
} stoa_marked;

/* NULL if the part is not answered; `marked` may be NULL. */
static inline const stoa_marked_part *stoa_marked_find(const stoa_marked *marked,
                                                       const stoa_expr *expr, bool wanted)
{
    for (size_t i = 0; marked != NULL && i < marked->n; i++) {
        if (marked->parts[i].expr == expr && marked->parts[i].wanted == wanted) {
            return &marked->parts[i];
        }
    }
    return NULL;
}

static inline void stoa_marked_clear(stoa_marked *marked)
{
    for (size_t i = 0; i < marked->n; i++) {
        stoa_row_bits_release(marked->parts[i].rows);
    }
    marked->n = 0;
}

#endif
