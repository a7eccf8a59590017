/*
 * Exact answers of a BITMAP index as row bitmaps (HEP001 §10.6). For long lists, a scan tests rows
 * by these bits instead of the column.
 *
 * Unpacking the bits takes about as long as scanning the column, so the first request gets no
 * answer. On the next request all threads combine the bits, and the result is cached.
 */
#include <stdlib.h>
#include <string.h>

#include "index/bitmap/bitmap_parts.h"

/* Limit on the bytes cached per index. */
static const uint64_t max_rows_bytes = 32u << 20;

/* Release cached rows of other tests until there is room. Other holders keep them. */
static void make_room(const stoa_index *index)
{
    stoa_bitmap_cache *memo = index->memo;
    uint64_t left = max_rows_bytes - index->n_bytes;

    for (size_t i = STOA_BITMAP_ANSWERS; i-- > 0;) { /* latest first */
        stoa_bitmap_answer *answer = &memo->answers[(memo->next + i) % STOA_BITMAP_ANSWERS];
        if (answer->rows != NULL && left < index->n_bytes) {
            stoa_row_bits_release(answer->rows);
            answer->rows = NULL;
        }
        left -= answer->rows != NULL ? index->n_bytes : 0;
    }
}

/* Rows -------------------------------------------------------------------------------------- */

/* Strips are combined in parallel by the column's workers. */
typedef struct uniting {
    const stoa_index *index;
    const uint8_t *roles;
    stoa_row_bits *rows;
    stoa_bitmap_hand *hands; /* one per worker */
} uniting;

static stoa_status unite_strip(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const uniting *u = context;
    stoa_bitmap_hand *hand = &u->hands[worker];
    const uint64_t byte = part * STOA_BITMAP_STRIP_BYTES;
    const uint64_t left = u->index->n_bytes - byte;
    const uint64_t n = left < STOA_BITMAP_STRIP_BYTES ? left : STOA_BITMAP_STRIP_BYTES;

    if (hand->buffer == NULL) {
        hand->buffer = stoa_alloc(STOA_BITMAP_STRIPS, STOA_BITMAP_STRIP_BYTES);
        hand->workers = u->index->column->workers;
    }
    return hand->buffer != NULL ? stoa_bitmap_unite(u->index, u->roles, ROLE_CERTAIN, byte, n,
                                                    u->rows->bits + byte, hand, err)
                                : stoa_fail_memory(err);
}

static stoa_status unite_all(const stoa_index *index, const uint8_t *roles, stoa_row_bits *rows,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_workers *const workers = index->column->workers;
    const unsigned n_hands = stoa_workers_count(workers);
    const uint64_t n_strips =
        (index->n_bytes + STOA_BITMAP_STRIP_BYTES - 1) / STOA_BITMAP_STRIP_BYTES;
    uniting u = {index, roles, rows, stoa_alloc_zero(n_hands, sizeof *u.hands)};

    STOA_TRY(u.hands != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_workers_run(workers, n_strips, unite_strip, &u, err));

done:
    for (unsigned i = 0; u.hands != NULL && i < n_hands; i++) {
        free(u.hands[i].buffer);
        stoa_scratch_clear(&u.hands[i].scratch);
    }
    free(u.hands);
    return status;
}

/* Whether the bits of certain values are the exact answer to the test. */
static bool says_all(const stoa_index *index, const stoa_test *test, const uint8_t *roles,
                     uint64_t n_matching)
{
    return stoa_bitmap_role_of_unmarked(index, test) == ROLE_NONE && n_matching > 0 &&
           memchr(roles, ROLE_CANDIDATE, (size_t)index->values.n) == NULL &&
           stoa_bitmap_is_worth_it(index, n_matching) && index->n_bytes <= max_rows_bytes;
}

stoa_status stoa_bitmap_rows(const stoa_index *index, const stoa_test *test, stoa_row_bits **rows,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_row_bits *made = NULL;
    uint8_t *roles = NULL;
    uint64_t n_matching = 0;

    *rows = NULL;
    STOA_TRY(stoa_bitmap_roles(index, test, &roles, &n_matching, err));
    if (!says_all(index, test, roles, n_matching)) {
        goto done;
    }
    stoa_bitmap_answer *answer = stoa_bitmap_recall(index, roles);
    const bool is_packed = index->memo->reader.chunk_bytes != 0;
    if (answer == NULL || (is_packed && !answer->was_wanted)) {
        if (answer != NULL) {
            answer->was_wanted = true;
        }
        goto done;
    }
    if (answer->rows == NULL) {
        made = stoa_row_bits_make(index->n_rows);
        STOA_TRY(made != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(unite_all(index, roles, made, err));
        make_room(index);
        answer->rows = made;
        made = NULL;
    }
    stoa_row_bits_hold(answer->rows);
    *rows = answer->rows;

done:
    stoa_row_bits_release(made);
    free(roles);
    return status;
}
