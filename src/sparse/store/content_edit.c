/* Edits of a content: they keep it a list, or change it into a map or a field. */
#include <stdlib.h>
#include <string.h>

#include "sparse/store/content_parts.h"

enum {
    ROOM = 64,   /* spare capacity of a list in elements */
    FEW = 8,     /* a batch at least 1/FEW as long as the list is merged into it */
    SHORT = 4096 /* elements of a list that an edit may move */
};

/* --- the list -------------------------------------------------------------------------------- */

/* Make space for n more elements at the list's end. */
static stoa_status grow_list(stoa_content *c, size_t n, stoa_error *err)
{
    stoa_sparse_chunk bigger = {.n = 0};
    stoa_sparse_chunk *list = &c->list;
    const size_t wanted = list->n + n;
    stoa_status status = STOA_OK;

    if (list->rooms[0].size >= wanted * sizeof(uint32_t) &&
        list->rooms[1].size >= wanted * c->value_size) {
        return STOA_OK;
    }
    STOA_TRY(stoa_sparse_chunk_room(&bigger, wanted + wanted / 2 + ROOM, c->value_size, err));
    if (list->n > 0) {
        memcpy(bigger.positions, list->positions, list->n * sizeof *list->positions);
        memcpy(bigger.values, list->values, list->n * c->value_size);
    }
    bigger.n = list->n;
    stoa_sparse_chunk_clear(list);
    *list = bigger;
    bigger = (stoa_sparse_chunk){.n = 0};

done:
    stoa_sparse_chunk_clear(&bigger);
    return status;
}

static bool is_behind(const stoa_content *c, uint32_t position)
{
    return c->list.n == 0 || c->list.positions[c->list.n - 1] < position;
}

/* Merge two lists. Of equal positions the batch's element is kept. */
static void merge_lists(const stoa_sparse_chunk *old, const uint32_t *positions, size_t n,
                        const uint8_t *values, size_t size, stoa_sparse_chunk *out)
{
    size_t i = 0;
    size_t j = 0;
    size_t k = 0;

    while (i < old->n || j < n) {
        const bool takes_new = j < n && (i == old->n || positions[j] <= old->positions[i]);
        if (takes_new) {
            i += i < old->n && old->positions[i] == positions[j];
            out->positions[k] = positions[j];
            memcpy(out->values + k * size, values + j * size, size);
            j++;
        } else {
            out->positions[k] = old->positions[i];
            memcpy(out->values + k * size, old->values + i * size, size);
            i++;
        }
        k++;
    }
    out->n = k;
}

/* Append to the list. If `positions` is NULL, they are first, first + 1, ... */
static stoa_status append(stoa_content *c, uint32_t first, const uint32_t *positions, size_t n,
                          const uint8_t *values, stoa_error *err)
{
    stoa_sparse_chunk *list = &c->list;

    STOA_RETURN_NOT_OK(grow_list(c, n, err));
    for (size_t i = 0; i < n; i++) {
        list->positions[list->n + i] = positions != NULL ? positions[i] : first + (uint32_t)i;
    }
    memcpy(list->values + list->n * c->value_size, values, n * c->value_size);
    list->n += n;
    return STOA_OK;
}

/* --- edits ----------------------------------------------------------------------------------- */

stoa_status stoa_content_put(stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *values, const stoa_heap_run *heap, stoa_error *err)
{
    stoa_content *c = content;

    if (stoa_content_is_list(c) && !c->format->has_heap && is_behind(c, first)) {
        return append(c, first, NULL, n, values, err);
    }
    STOA_RETURN_NOT_OK(stoa_content_make_editable(c, err));
    if (stoa_content_has_dense(c)) {
        stoa_content_dense_put(&c->field, first, n, values);
    } else {
        STOA_RETURN_NOT_OK(stoa_content_map_put(&c->map, first, n, values, heap, err));
    }
    return STOA_OK;
}

/* Undefine a run in a map or field. */
static void erase_run(stoa_content *c, uint32_t first, uint32_t n)
{
    if (stoa_content_has_dense(c)) {
        stoa_content_dense_erase(&c->field, first, n);
    } else {
        stoa_content_map_erase(&c->map, first, n);
    }
}

/* Remove the entries [low, high) from the list. */
static void cut_list(stoa_content *c, size_t low, size_t high)
{
    stoa_sparse_chunk *list = &c->list;
    const size_t tail = list->n - high;

    memmove(list->positions + low, list->positions + high, tail * sizeof *list->positions);
    memmove(list->values + low * c->value_size, list->values + high * c->value_size,
            tail * c->value_size);
    list->n = low + tail;
}

stoa_status stoa_content_erase(stoa_content *content, uint32_t first, uint32_t n, stoa_error *err)
{
    stoa_content *c = content;

    if (stoa_content_is_list(c)) {
        const size_t low = stoa_sparse_chunk_find(&c->list, first);
        size_t high = low;
        while (high < c->list.n && c->list.positions[high] - first < n) {
            high++;
        }
        if (low == high) {
            return STOA_OK;
        }
        if (c->list.n - high <= SHORT) {
            cut_list(c, low, high);
            return STOA_OK;
        }
    }
    STOA_RETURN_NOT_OK(stoa_content_make_editable(c, err));
    erase_run(c, first, n);
    return STOA_OK;
}

/* Whether the content stays a list: the n elements come after it, or are many enough to merge. */
static bool stays_list(const stoa_content *c, uint32_t first, size_t n)
{
    return stoa_content_is_list(c) && (n >= c->list.n / FEW || is_behind(c, first));
}

static stoa_status merge_into_list(stoa_content *c, const uint32_t *positions, size_t n,
                                   const uint8_t *values, stoa_error *err)
{
    stoa_sparse_chunk merged = {.n = 0};
    stoa_status status = STOA_OK;

    if (is_behind(c, positions[0])) {
        return append(c, 0, positions, n, values, err);
    }
    STOA_TRY(stoa_sparse_chunk_room(&merged, c->list.n + n, c->value_size, err));
    merge_lists(&c->list, positions, n, values, c->value_size, &merged);
    stoa_sparse_chunk_clear(&c->list);
    c->list = merged;
    merged = (stoa_sparse_chunk){.n = 0};

done:
    stoa_sparse_chunk_clear(&merged);
    return status;
}

stoa_status stoa_content_merge(stoa_content *content, const uint32_t *positions, size_t n,
                               const uint8_t *values, stoa_error *err)
{
    stoa_content *c = content;

    if (n == 0) {
        return STOA_OK;
    }
    if (stays_list(c, positions[0], n)) {
        return merge_into_list(c, positions, n, values, err);
    }
    STOA_RETURN_NOT_OK(stoa_content_make_editable(c, err));
    if (stoa_content_has_dense(c)) {
        stoa_content_dense_put_all(&c->field, positions, n, values);
    } else {
        STOA_RETURN_NOT_OK(stoa_content_map_put_all(&c->map, positions, n, values, NULL, err));
    }
    return STOA_OK;
}

/* Merge a line as ascending positions with contiguous values. */
static stoa_status merge_line(stoa_content *c, const stoa_line *line, stoa_error *err)
{
    uint32_t *positions = stoa_alloc(line->n, sizeof *positions);
    uint8_t *values = stoa_alloc(line->n, c->value_size);
    stoa_status status = STOA_OK;

    STOA_TRY(positions != NULL && values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < line->n; i++) {
        positions[i] = (uint32_t)(line->first + i * line->stride);
        stoa_value_copy(values + i * c->value_size, line->values + (ptrdiff_t)i * line->step,
                        c->value_size);
    }
    STOA_TRY(stoa_content_merge(c, positions, line->n, values, err));

done:
    free(positions);
    free(values);
    return status;
}

stoa_status stoa_content_put_line(stoa_content *content, const stoa_line *line, stoa_error *err)
{
    stoa_content *c = content;

    if (stays_list(c, line->first, line->n)) {
        return merge_line(c, line, err);
    }
    STOA_RETURN_NOT_OK(stoa_content_make_editable(c, err));
    if (!stoa_content_has_dense(c)) {
        return merge_line(c, line, err);
    }
    stoa_content_dense_put_line(&c->field, line);
    return STOA_OK;
}

stoa_status stoa_content_remove(stoa_content *content, const uint32_t *positions, size_t n,
                                stoa_error *err)
{
    stoa_content *c = content;
    stoa_sparse_chunk *list = &c->list;

    if (!stoa_content_is_list(c) || n < list->n / FEW) {
        STOA_RETURN_NOT_OK(stoa_content_make_editable(c, err));
        for (size_t i = 0; i < n; i++) {
            erase_run(c, positions[i], 1);
        }
        return STOA_OK;
    }
    size_t kept = 0;
    for (size_t i = 0, j = 0; i < list->n; i++) {
        while (j < n && positions[j] < list->positions[i]) {
            j++;
        }
        if (j < n && positions[j] == list->positions[i]) {
            continue;
        }
        if (kept != i) {
            list->positions[kept] = list->positions[i];
            memcpy(list->values + kept * c->value_size, list->values + i * c->value_size,
                   c->value_size);
        }
        kept++;
    }
    list->n = kept;
    return STOA_OK;
}
