/* Reads from a content in any of its forms. */
#include <string.h>

#include "sparse/store/content_parts.h"

static void fill_with(uint8_t *values, size_t n, const uint8_t *fill, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(values + i * size, fill, size);
    }
}

/* Destination of the elements of a run. */
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

/* Output n defined elements with contiguous values. */
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

/* Output an undefined element. */
static stoa_status give_fill(const stoa_heap_sink *heap, uint32_t i, stoa_error *err)
{
    heap->lengths[i] = heap->n_fill;
    return heap->n_fill > 0 ? stoa_buffer_append(heap->bytes, heap->fill, heap->n_fill, err)
                            : STOA_OK;
}

static stoa_status get_from_map(const stoa_content *c, uint32_t first, uint32_t n, target *to,
                                const stoa_heap_sink *heap, stoa_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *value = stoa_content_map_find(&c->map, first + i);
        if (value != NULL) {
            give(to, value, 1);
        } else {
            give_nothing(to, 1);
        }
        if (heap != NULL) {
            STOA_RETURN_NOT_OK(
                value != NULL
                    ? stoa_content_map_heap_of(&c->map, value, &heap->lengths[i], heap->bytes, err)
                    : give_fill(heap, i, err));
        }
    }
    return STOA_OK;
}

static void get_from_field(const stoa_content *c, uint32_t first, uint32_t n, target *to)
{
    for (uint32_t some = 0; n > 0; first += some, n -= some) {
        bool are_there = false;
        some = stoa_content_dense_run(&c->field, first, n, &are_there);
        if (are_there) {
            give(to, c->field.values + first * c->value_size, some);
        } else {
            give_nothing(to, some);
        }
    }
}

stoa_status stoa_content_get(const stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *fill, uint8_t *values, uint8_t *defined,
                             const stoa_heap_sink *heap, stoa_error *err)
{
    target to = {.size = content->value_size, .fill = fill, .values = values, .defined = defined};

    if (stoa_content_has_map(content)) {
        return get_from_map(content, first, n, &to, content->format->has_heap ? heap : NULL, err);
    }
    if (stoa_content_has_dense(content)) {
        get_from_field(content, first, n, &to);
        return STOA_OK;
    }
    get_from_list(content, first, n, &to);
    for (uint32_t i = 0; heap != NULL && i < n; i++) { /* a list of a format with a heap is empty */
        STOA_RETURN_NOT_OK(give_fill(heap, i, err));
    }
    return STOA_OK;
}
