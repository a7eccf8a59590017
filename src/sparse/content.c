/* A list is what comes out of a chunk and goes into one; a map is for small edits. */
#include "sparse/content.h"

#include <stdlib.h>
#include <string.h>

#include "sparse/map.h"

enum {
    ROOM = 64,   /* elements that a list has room for, beyond what it needs */
    FEW = 8,     /* so many times shorter, and a batch is a few small edits */
    SHORT = 4096 /* elements of a list that may move at an edit */
};

struct stoa_content {
    const stoa_sparse_format *format;
    size_t value_size;
    /* The elements where there is no map, else what stoa_content_list() made of them. */
    stoa_sparse_chunk list;
    bool is_listed;
    stoa_map map;
};

static bool has_map(const stoa_content *c)
{
    return c->map.pages != NULL;
}

/* The list as a map, for small edits; nothing where it is one already. */
static stoa_status turn_to_map(stoa_content *c, stoa_error *err)
{
    stoa_status status = STOA_OK;

    c->is_listed = false;
    if (has_map(c)) {
        return STOA_OK;
    }
    STOA_TRY(stoa_map_open(&c->map, err));
    STOA_TRY(stoa_map_put_all(&c->map, c->list.positions, c->list.n, c->list.values, NULL, err));
    stoa_sparse_chunk_clear(&c->list);

done:
    if (status != STOA_OK) { /* it stays a list */
        stoa_map_clear(&c->map);
    }
    return status;
}

/* --- the list -------------------------------------------------------------------------------- */

static stoa_status set_room(stoa_sparse_chunk *list, size_t n, size_t value_size, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_room_for(&list->rooms[STOA_SECTION_POSITIONS], n * sizeof(uint32_t), err));
    STOA_TRY(stoa_room_for(&list->rooms[STOA_SECTION_VALUES], n * value_size, err));
    list->positions = (uint32_t *)(void *)list->rooms[STOA_SECTION_POSITIONS].data;
    list->values = list->rooms[STOA_SECTION_VALUES].data;

done:
    return status;
}

/* Room for n more at the list's end. */
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
    STOA_TRY(set_room(&bigger, wanted + wanted / 2 + ROOM, c->value_size, err));
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

/* Two lists into one; of two elements at one place that of the batch stays. */
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

/* --- whole contents -------------------------------------------------------------------------- */

stoa_status stoa_content_open(const stoa_sparse_format *format, stoa_content **content,
                              stoa_error *err)
{
    stoa_content *c = stoa_alloc_zero(1, sizeof *c);

    *content = c;
    if (c == NULL) {
        return stoa_fail_memory(err);
    }
    c->format = format;
    c->value_size = stoa_sparse_value_size(format);
    stoa_map_set(&c->map, format);
    return STOA_OK;
}

void stoa_content_close(stoa_content *content)
{
    if (content != NULL) {
        stoa_map_clear(&content->map);
        stoa_sparse_chunk_clear(&content->list);
        free(content);
    }
}

/* Whose data lie where in section 2: only the values tell. */
static stoa_status measure_all(const stoa_sparse_chunk *chunk, size_t value_size,
                               const stoa_heap_measure *measure, uint64_t *lengths, stoa_error *err)
{
    size_t used = 0;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < chunk->n; i++) {
        size_t n = 0;
        STOA_TRY(measure->measure(measure->context, chunk->values + i * value_size,
                                  chunk->heap + used, chunk->n_heap - used, &n, err));
        if (n > chunk->n_heap - used) {
            STOA_FAIL(err, STOA_EDATA, "a structured chunk is damaged: section 2 is too short");
        }
        if (lengths != NULL) {
            lengths[i] = n;
        }
        used += n;
    }
    if (used != chunk->n_heap) {
        STOA_FAIL(err, STOA_EDATA, "a structured chunk is damaged: section 2 is too long");
    }

done:
    return status;
}

stoa_status stoa_content_check(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                               const stoa_heap_measure *measure, stoa_error *err)
{
    return measure_all(chunk, stoa_sparse_value_size(format), measure, NULL, err);
}

stoa_status stoa_content_take(stoa_content *content, stoa_sparse_chunk *chunk,
                              const stoa_heap_measure *measure, stoa_error *err)
{
    stoa_content *c = content;
    uint64_t *lengths = NULL;
    stoa_status status = STOA_OK;

    stoa_map_clear(&c->map);
    stoa_sparse_chunk_clear(&c->list);
    c->is_listed = false;
    if (!c->format->has_heap) {
        c->list = *chunk;
        *chunk = (stoa_sparse_chunk){.n = 0};
        return STOA_OK;
    }
    lengths = stoa_alloc_zero(chunk->n, sizeof *lengths);
    if (lengths == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(measure_all(chunk, c->value_size, measure, lengths, err));
    STOA_TRY(turn_to_map(c, err));
    const stoa_heap_run heap = {.lengths = lengths, .bytes = chunk->heap};
    STOA_TRY(stoa_map_put_all(&c->map, chunk->positions, chunk->n, chunk->values, &heap, err));
    stoa_sparse_chunk_clear(chunk);

done:
    free(lengths);
    return status;
}

stoa_status stoa_content_list(stoa_content *content, const stoa_sparse_chunk **chunk,
                              stoa_error *err)
{
    stoa_content *c = content;
    stoa_status status = STOA_OK;

    *chunk = &c->list;
    if (!has_map(c) || c->is_listed) {
        return STOA_OK;
    }
    const size_t n = (size_t)c->map.n;
    STOA_TRY(set_room(&c->list, n, c->value_size, err));
    STOA_TRY(stoa_room_for(&c->list.rooms[STOA_SECTION_HEAP], (size_t)c->map.n_heap, err));
    c->list.heap = c->list.rooms[STOA_SECTION_HEAP].data;
    stoa_map_list(&c->map, c->list.positions, c->list.values, c->list.heap);
    c->list.n = n;
    c->list.n_heap = (size_t)c->map.n_heap;
    c->is_listed = true;

done:
    return status;
}

uint64_t stoa_content_n(const stoa_content *content)
{
    return has_map(content) ? content->map.n : content->list.n;
}

size_t stoa_content_bytes(const stoa_content *content)
{
    size_t n = sizeof *content + stoa_map_bytes(&content->map);

    for (unsigned i = 0; i < STOA_MAX_SECTIONS; i++) {
        n += content->list.rooms[i].size;
    }
    return n;
}

/* --- edits ----------------------------------------------------------------------------------- */

/* At the list's end. `positions` may be NULL: first, first + 1, ... */
static stoa_status append(stoa_content *c, uint32_t first, const uint32_t *positions, size_t n,
                          const uint8_t *values, stoa_error *err)
{
    stoa_sparse_chunk *list = &c->list;
    stoa_status status = STOA_OK;

    STOA_TRY(grow_list(c, n, err));
    for (size_t i = 0; i < n; i++) {
        list->positions[list->n + i] = positions != NULL ? positions[i] : first + (uint32_t)i;
    }
    memcpy(list->values + list->n * c->value_size, values, n * c->value_size);
    list->n += n;

done:
    return status;
}

stoa_status stoa_content_put(stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *values, const stoa_heap_run *heap, stoa_error *err)
{
    stoa_content *c = content;
    stoa_status status = STOA_OK;

    if (!has_map(c) && !c->format->has_heap && is_behind(c, first)) {
        return append(c, first, NULL, n, values, err);
    }
    STOA_TRY(turn_to_map(c, err));
    STOA_TRY(stoa_map_put(&c->map, first, n, values, heap, err));

done:
    return status;
}

/* Entries [low, high) of the list, out of it. */
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
    stoa_status status = STOA_OK;

    if (!has_map(c)) {
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
    STOA_TRY(turn_to_map(c, err));
    stoa_map_erase(&c->map, first, n);

done:
    return status;
}

stoa_status stoa_content_merge(stoa_content *content, const uint32_t *positions, size_t n,
                               const uint8_t *values, stoa_error *err)
{
    stoa_content *c = content;
    stoa_sparse_chunk merged = {.n = 0};
    stoa_status status = STOA_OK;

    if (n == 0) {
        return STOA_OK;
    }
    if (has_map(c) || (n < c->list.n / FEW && !is_behind(c, positions[0]))) {
        STOA_TRY(turn_to_map(c, err));
        STOA_TRY(stoa_map_put_all(&c->map, positions, n, values, NULL, err));
    } else if (is_behind(c, positions[0])) {
        STOA_TRY(append(c, 0, positions, n, values, err));
    } else {
        STOA_TRY(set_room(&merged, c->list.n + n, c->value_size, err));
        merge_lists(&c->list, positions, n, values, c->value_size, &merged);
        stoa_sparse_chunk_clear(&c->list);
        c->list = merged;
        merged = (stoa_sparse_chunk){.n = 0};
    }

done:
    stoa_sparse_chunk_clear(&merged);
    return status;
}

stoa_status stoa_content_remove(stoa_content *content, const uint32_t *positions, size_t n,
                                stoa_error *err)
{
    stoa_content *c = content;
    stoa_sparse_chunk *list = &c->list;
    stoa_status status = STOA_OK;

    if (has_map(c) || n < list->n / FEW) {
        STOA_TRY(turn_to_map(c, err));
        for (size_t i = 0; i < n; i++) {
            stoa_map_erase(&c->map, positions[i], 1);
        }
        goto done;
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

done:
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

static void fill_with(uint8_t *values, size_t n, const uint8_t *fill, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(values + i * size, fill, size);
    }
}

/* Where the elements of a run go, one after the other. */
typedef struct target {
    size_t size;
    const uint8_t *fill;
    uint8_t *values;
    uint8_t *defined;
} target;

static void give_nothing(target *to, size_t n)
{
    if (to->values != NULL) {
        fill_with(to->values, n, to->fill, to->size);
        to->values += n * to->size;
    }
    if (to->defined != NULL) {
        memset(to->defined, 0, n);
        to->defined += n;
    }
}

/* n defined elements whose values lie side by side. */
static void give(target *to, const uint8_t *values, size_t n)
{
    if (to->values != NULL) {
        memcpy(to->values, values, n * to->size);
        to->values += n * to->size;
    }
    if (to->defined != NULL) {
        memset(to->defined, 1, n);
        to->defined += n;
    }
}

static void get_from_list(const stoa_content *c, uint32_t first, uint32_t n, target *to)
{
    const stoa_sparse_chunk *list = &c->list;
    size_t i = stoa_sparse_chunk_find(list, first);
    uint32_t done = 0;

    while (done < n) {
        const uint32_t next =
            i < list->n && list->positions[i] - first < n ? list->positions[i] - first : n;
        if (next > done) {
            give_nothing(to, next - done);
            done = next;
        }
        size_t end = i;
        while (done < n && end < list->n && list->positions[end] == first + done) {
            end++;
            done++;
        }
        if (end > i) {
            give(to, list->values + i * c->value_size, end - i);
            i = end;
        }
    }
}

/* An element that is not defined. */
static stoa_status give_fill(const stoa_heap_sink *heap, uint32_t i, stoa_error *err)
{
    heap->lengths[i] = heap->n_fill;
    return heap->n_fill > 0 ? stoa_buffer_append(heap->bytes, heap->fill, heap->n_fill, err)
                            : STOA_OK;
}

static stoa_status get_from_map(const stoa_content *c, uint32_t first, uint32_t n, target *to,
                                const stoa_heap_sink *heap, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *value = stoa_map_find(&c->map, first + i);
        if (value != NULL) {
            give(to, value, 1);
        } else {
            give_nothing(to, 1);
        }
        if (heap != NULL) {
            STOA_TRY(value != NULL
                         ? stoa_map_heap_of(&c->map, value, &heap->lengths[i], heap->bytes, err)
                         : give_fill(heap, i, err));
        }
    }

done:
    return status;
}

stoa_status stoa_content_get(const stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *fill, uint8_t *values, uint8_t *defined,
                             const stoa_heap_sink *heap, stoa_error *err)
{
    target to = {.size = content->value_size, .fill = fill, .values = values, .defined = defined};
    stoa_status status = STOA_OK;

    if (has_map(content)) {
        return get_from_map(content, first, n, &to, content->format->has_heap ? heap : NULL, err);
    }
    get_from_list(content, first, n, &to);
    for (uint32_t i = 0; heap != NULL && i < n; i++) { /* a list with a heap is empty */
        STOA_TRY(give_fill(heap, i, err));
    }

done:
    return status;
}
