#include "query/eval/lists.h"

#include <stdlib.h>

#include "arrow/take.h"

/* Finding items ----------------------------------------------------------------------------- */

/* A position of a row. One that is too large to be signed is as far away as any. */
static int64_t position_of(const stoa_vector *positions, int64_t row)
{
    const int64_t asked = positions->as.i64[positions->constant ? 0 : row];

    return positions->type.domain == STOA_DOMAIN_U64 && asked < 0 ? INT64_MAX : asked;
}

void stoa_lists_find(const stoa_lists *lists, const stoa_vector *positions, bool from_one,
                     const stoa_view *items, int64_t n, int64_t *places)
{
    for (int64_t row = 0; row < n; row++) {
        int64_t first;
        int64_t count;
        stoa_lists_range(lists, row, &first, &count);
        places[row] = -1;
        if (count < 0 || stoa_vector_is_null(positions, row)) {
            continue;
        }
        const int64_t asked = position_of(positions, row);
        const int64_t at = asked < 0 ? asked + count : asked - from_one;
        if (at >= 0 && at < count && !stoa_view_is_null(items, first + at)) {
            places[row] = first + at;
        }
    }
}

stoa_status stoa_lists_slice(stoa_evaluation *ev, const stoa_lists *lists, const stoa_vector *from,
                             const stoa_vector *to, stoa_lists *out, stoa_error *err)
{
    int64_t *const firsts = stoa_arena_alloc(&ev->arena, (size_t)ev->n, sizeof *firsts);
    int64_t *const counts = stoa_arena_alloc(&ev->arena, (size_t)ev->n, sizeof *counts);

    STOA_RETURN_NO_MEMORY(err, firsts != NULL && counts != NULL);
    for (int64_t row = 0; row < ev->n; row++) {
        stoa_lists_range(lists, row, &firsts[row], &counts[row]);
        const int64_t count = counts[row];
        if (count < 0 || stoa_vector_is_null(from, row) || stoa_vector_is_null(to, row)) {
            counts[row] = -1;
            continue;
        }
        int64_t begin = position_of(from, row);
        int64_t end = position_of(to, row);
        begin = begin < 0 ? begin + count : begin - (begin > 0);
        end = end < 0 ? end + count + 1 : end;
        begin = begin < 0 ? 0 : begin < count ? begin : count;
        end = end < count ? end : count;
        firsts[row] += begin;
        counts[row] = end > begin ? end - begin : 0;
    }
    *out = (stoa_lists){.view = lists->view, .firsts = firsts, .counts = counts};
    return STOA_OK;
}

/* The same as stoa_view_range() for each row. */
#define TAKE_RANGES(type)                                                                          \
    do {                                                                                           \
        const type *const restrict offsets =                                                       \
            (const type *)lists->view->offsets + lists->view->offset + lists->first + at;          \
        for (int64_t row = 0; row < n; row++) {                                                    \
            firsts[row] = (int64_t)offsets[row];                                                   \
            counts[row] = (int64_t)offsets[row + 1] - (int64_t)offsets[row];                       \
        }                                                                                          \
    } while (0)

/* The same for any lists. */
static void take_ranges(const stoa_lists *lists, int64_t at, int64_t n, int64_t *firsts,
                        int64_t *counts)
{
    for (int64_t row = 0; row < n; row++) {
        stoa_lists_range(lists, at + row, &firsts[row], &counts[row]);
    }
}

/* Mark missing lists. Returns whether all are empty. */
static bool take_missing(const stoa_lists *lists, int64_t at, int64_t n, int64_t *counts)
{
    bool are_empty = true;

    for (int64_t row = 0; lists->view->validity != NULL && row < n; row++) {
        if (stoa_view_is_null(lists->view, lists->first + at + row)) {
            are_empty = are_empty && counts[row] == 0;
            counts[row] = -1;
        }
    }
    return are_empty;
}

bool stoa_lists_ranges(const stoa_lists *lists, int64_t at, int64_t n, int64_t *restrict firsts,
                       int64_t *restrict counts)
{
    const stoa_kind kind = lists->view->type.kind;

    if (lists->places != NULL || lists->counts != NULL || kind == STOA_KIND_FIXED_LIST) {
        take_ranges(lists, at, n, firsts, counts);
        return false;
    }
    if (kind == STOA_KIND_LIST) {
        TAKE_RANGES(int32_t);
    } else {
        TAKE_RANGES(int64_t);
    }
    return take_missing(lists, at, n, counts);
}

/* Lists as arrays --------------------------------------------------------------------------- */

/* The end offsets and validity of the rows' lists, and picks of their items. */
static stoa_status take_ends(const stoa_lists *lists, int64_t n, int64_t *ends, uint8_t *validity,
                             stoa_row_source **picks, stoa_error *err)
{
    int64_t first = 0;
    int64_t count = 0;
    int64_t total = 0;

    ends[0] = 0;
    for (int64_t row = 0; row < n; row++) {
        stoa_lists_range(lists, row, &first, &count);
        if (count >= 0) {
            total += count;
            stoa_bit_set(validity, (uint64_t)row);
        }
        ends[row + 1] = total;
    }
    *picks = stoa_alloc((size_t)total, sizeof **picks);
    STOA_RETURN_NO_MEMORY(err, *picks);
    for (int64_t row = 0; row < n; row++) {
        stoa_lists_range(lists, row, &first, &count);
        for (int64_t i = ends[row]; i < ends[row + 1]; i++) {
            (*picks)[i] = (stoa_row_source){first + i - ends[row], 0};
        }
    }
    return STOA_OK;
}

stoa_status stoa_lists_to_array(const stoa_lists *lists, int64_t n, struct ArrowArray *out,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray items = {.release = NULL};
    stoa_row_source *picks = NULL;
    stoa_view view;
    uint8_t *validity = stoa_alloc_zero(stoa_bit_bytes((uint64_t)n), 1);
    int64_t *ends = stoa_alloc((size_t)n + 1, sizeof *ends);

    *out = (struct ArrowArray){.release = NULL};
    STOA_TRY(validity != NULL && ends != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(take_ends(lists, n, ends, validity, &picks, err));
    STOA_TRY(stoa_view_child(lists->view, 0, &view, err));
    const stoa_view *const source = &view;
    STOA_TRY(stoa_take(&source, 1, picks, ends[n], &items, err));
    void *const buffers[] = {validity, ends};
    validity = NULL;
    ends = NULL; /* taken over even on failure, like `items` */
    STOA_TRY(stoa_array_list(out, n, -1, 2, buffers, &items, err));

done:
    free(validity);
    free(ends);
    free(picks);
    return status;
}

/* Items ------------------------------------------------------------------------------------- */

stoa_status stoa_lists_walk_open(stoa_evaluation *ev, const stoa_lists *lists,
                                 stoa_lists_walk *walk, stoa_error *err)
{
    const struct ArrowSchema *field = lists->view->schema;
    size_t n_levels = 1;

    *walk = (stoa_lists_walk){.lists = lists, .n_rows = ev->n, .row = -1};
    for (; field->n_children == 1; n_levels++) {
        field = field->children[0];
    }
    walk->levels = stoa_arena_zero(&ev->arena, n_levels, sizeof *walk->levels);
    walk->spans = stoa_arena_alloc(&ev->arena, STOA_WINDOW_ROWS, sizeof *walk->spans);
    STOA_RETURN_NO_MEMORY(err, walk->levels != NULL && walk->spans != NULL);
    walk->items = *lists->view;
    for (; stoa_kind_is_list(walk->items.type.kind); walk->n_levels++) {
        walk->levels[walk->n_levels].view = walk->items;
        STOA_RETURN_NOT_OK(
            stoa_view_child(&walk->levels[walk->n_levels].view, 0, &walk->items, err));
    }
    return STOA_OK;
}

/* Go to the next list with items, and to its items. */
static bool next_range(stoa_lists_walk *w)
{
    for (;;) {
        stoa_lists_level *const here = &w->levels[w->level];
        int64_t first = 0;
        int64_t count = 0;
        if (w->level == 0) {
            if (++w->row >= w->n_rows) {
                return false;
            }
            stoa_lists_range(w->lists, w->row, &first, &count);
        } else if (here->at == here->end) {
            w->level--;
            continue;
        } else {
            const int64_t place = here->at++;
            if (!stoa_view_is_null(&here->view, place)) {
                stoa_view_range(&here->view, place, &first, &count);
            }
        }
        if (count > 0 && w->level + 1 < w->n_levels) {
            w->level++;
            w->levels[w->level].at = first;
            w->levels[w->level].end = first + count;
        } else if (count > 0) {
            w->next = first;
            w->end = first + count;
            return true;
        }
    }
}

bool stoa_lists_walk_next(stoa_lists_walk *w)
{
    w->n = 0;
    w->n_spans = 0;
    while (w->n < STOA_WINDOW_ROWS && (w->next < w->end || next_range(w))) {
        if (w->n == 0) {
            w->first = w->next;
        } else if (w->next != w->first + w->n) {
            break;
        }
        const int64_t room = STOA_WINDOW_ROWS - w->n;
        const int64_t count = w->end - w->next < room ? w->end - w->next : room;
        if (w->n_spans == 0 || w->spans[w->n_spans - 1].row != w->row) {
            w->spans[w->n_spans++] = (stoa_items_span){w->row, w->n, 0};
        }
        w->spans[w->n_spans - 1].count += count;
        w->next += count;
        w->n += count;
    }
    return w->n > 0;
}
