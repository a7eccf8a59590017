/* The cache of answers of a BITMAP index. */
#include <stdlib.h>
#include <string.h>

#include "index/bitmap/bitmap_parts.h"

stoa_bitmap_answer *stoa_bitmap_recall(const stoa_index *index, const uint8_t *roles)
{
    for (size_t i = 0; i < STOA_BITMAP_ANSWERS; i++) {
        stoa_bitmap_answer *answer = &index->memo->answers[i];
        if (answer->roles != NULL && memcmp(answer->roles, roles, (size_t)index->values.n) == 0) {
            return answer;
        }
    }
    return NULL;
}

static void clear_answer(stoa_bitmap_answer *answer)
{
    free(answer->roles);
    stoa_row_bits_release(answer->rows);
    *answer = (stoa_bitmap_answer){.roles = NULL};
}

void stoa_bitmap_remember(const stoa_index *index, uint8_t **roles, uint64_t estimate)
{
    stoa_bitmap_cache *memo = index->memo;
    stoa_bitmap_answer *answer = &memo->answers[memo->next];

    if (index->values.n <= STOA_BITMAP_MAX_VALUES) {
        clear_answer(answer);
        *answer = (stoa_bitmap_answer){.roles = *roles, .estimate = estimate};
        *roles = NULL;
        memo->next = (memo->next + 1) % STOA_BITMAP_ANSWERS;
    }
}

void stoa_bitmap_forget(stoa_bitmap_cache *memo)
{
    for (size_t i = 0; i < STOA_BITMAP_ANSWERS; i++) {
        clear_answer(&memo->answers[i]);
    }
}
