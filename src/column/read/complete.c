/* The state of a chunk is all there is: it is known if it has no missing values. */
#include "column/read/complete.h"

#include "column/read/decode.h"

static stoa_status begin(stoa_learned *learned, const stoa_column *column, stoa_error *err)
{
    (void)learned;
    (void)column;
    (void)err;
    return STOA_OK;
}

static void end(stoa_learned *learned)
{
    (void)learned;
}

stoa_status stoa_column_complete(stoa_column *column, stoa_learned **complete, stoa_error *err)
{
    static const stoa_learned_kind kind = {sizeof **complete, begin, end};

    *complete = NULL;
    return column->fill != NULL && (stoa_column_is_numeric(column) ||
                                    column->element.class == STOA_ELEMENT_FIXED_STRING)
               ? stoa_learned_ask(column, &kind, &column->complete, complete, err)
               : STOA_OK;
}

void stoa_complete_learn(stoa_learned *complete, uint64_t first, uint64_t n)
{
    stoa_learned_chunk chunk;

    for (uint64_t at = first;
         complete != NULL && stoa_learned_claim(complete, &at, first + n, &chunk);) {
        stoa_learned_settle(complete, &chunk, true);
    }
}

bool stoa_complete_has(const stoa_learned *complete, uint64_t first, uint64_t n)
{
    if (complete == NULL) {
        return false;
    }
    for (uint64_t at = first / complete->chunk_rows; at <= (first + n - 1) / complete->chunk_rows;
         at++) {
        if (!stoa_learned_knows(complete, at)) {
            return false;
        }
    }
    return true;
}
