/* Chunks are read and written as lists. Maps and fields are used for small edits. */
#include <stdlib.h>
#include <string.h>

#include "sparse/store/content_parts.h"

enum { LARGER = 2 }; /* maximal memory of a field, relative to a map */

/* --- forms ----------------------------------------------------------------------------------- */

static bool wants_field(const stoa_content *c)
{
    const size_t n_bytes = stoa_content_dense_bytes(&c->field);
    const size_t as_map = stoa_content_map_bytes_of(&c->map, stoa_content_n(c));

    return !c->format->has_heap && (n_bytes <= c->allowed || n_bytes / LARGER <= as_map);
}

static stoa_status turn_to_field(stoa_content *c, stoa_error *err)
{
    const stoa_sparse_chunk *list = NULL;

    STOA_RETURN_NOT_OK(stoa_content_list(c, &list, err));
    STOA_RETURN_NOT_OK(stoa_content_dense_open(&c->field, err));
    stoa_content_dense_put_all(&c->field, list->positions, list->n, list->values);
    stoa_content_map_clear(&c->map);
    stoa_sparse_chunk_clear(&c->list);
    return STOA_OK;
}

static stoa_status turn_to_map(stoa_content *c, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_content_map_open(&c->map, err));
    STOA_TRY(
        stoa_content_map_put_all(&c->map, c->list.positions, c->list.n, c->list.values, NULL, err));
    stoa_sparse_chunk_clear(&c->list);

done:
    if (status != STOA_OK) { /* it stays a list */
        stoa_content_map_clear(&c->map);
    }
    return status;
}

stoa_status stoa_content_make_editable(stoa_content *c, stoa_error *err)
{
    if (!stoa_content_has_dense(c) && wants_field(c)) {
        STOA_RETURN_NOT_OK(turn_to_field(c, err));
    } else if (stoa_content_is_list(c)) {
        STOA_RETURN_NOT_OK(turn_to_map(c, err));
    }
    c->is_listed = false;
    return STOA_OK;
}

/* --- whole contents -------------------------------------------------------------------------- */

stoa_status stoa_content_open(const stoa_sparse_format *format, stoa_content **content,
                              stoa_error *err)
{
    stoa_content *c = stoa_alloc_zero(1, sizeof *c);

    *content = c;
    STOA_RETURN_NO_MEMORY(err, c);
    c->format = format;
    c->value_size = stoa_sparse_value_size(format);
    stoa_content_map_set(&c->map, format);
    stoa_content_dense_set(&c->field, format);
    return STOA_OK;
}

void stoa_content_close(stoa_content *content)
{
    if (content != NULL) {
        stoa_content_map_clear(&content->map);
        stoa_content_dense_clear(&content->field);
        stoa_sparse_chunk_clear(&content->list);
        free(content);
    }
}

void stoa_content_allow(stoa_content *content, size_t n_bytes)
{
    content->allowed = n_bytes;
}

/* Determine the data of each value in section 2. Only the values tell. */
static stoa_status measure_all(const stoa_sparse_chunk *chunk, size_t value_size,
                               const stoa_heap_measure *measure, uint64_t *lengths, stoa_error *err)
{
    size_t used = 0;

    for (size_t i = 0; i < chunk->n; i++) {
        size_t n = 0;
        STOA_RETURN_NOT_OK(measure->measure(measure->context, chunk->values + i * value_size,
                                            chunk->heap + used, chunk->n_heap - used, &n, err));
        if (n > chunk->n_heap - used) {
            return stoa_fail(err, STOA_EDATA,
                             "a structured chunk is damaged: section 2 is too short");
        }
        if (lengths != NULL) {
            lengths[i] = n;
        }
        used += n;
    }
    if (used != chunk->n_heap) {
        return stoa_fail(err, STOA_EDATA, "a structured chunk is damaged: section 2 is too long");
    }
    return STOA_OK;
}

stoa_status stoa_content_check(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                               const stoa_heap_measure *measure, stoa_error *err)
{
    return measure_all(chunk, stoa_sparse_value_size(format), measure, NULL, err);
}

stoa_status stoa_content_adopt(stoa_content *content, stoa_sparse_chunk *chunk,
                               const stoa_heap_measure *measure, stoa_error *err)
{
    stoa_content *c = content;
    uint64_t *lengths = NULL;
    stoa_status status = STOA_OK;

    stoa_content_map_clear(&c->map);
    stoa_content_dense_clear(&c->field);
    stoa_sparse_chunk_clear(&c->list);
    c->is_listed = false;
    if (!c->format->has_heap) {
        c->list = *chunk;
        *chunk = (stoa_sparse_chunk){.n = 0};
        return STOA_OK;
    }
    lengths = stoa_alloc_zero(chunk->n, sizeof *lengths);
    STOA_TRY(lengths != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(measure_all(chunk, c->value_size, measure, lengths, err));
    STOA_TRY(stoa_content_make_editable(c, err));
    const stoa_heap_run heap = {.lengths = lengths, .bytes = chunk->heap};
    STOA_TRY(
        stoa_content_map_put_all(&c->map, chunk->positions, chunk->n, chunk->values, &heap, err));
    stoa_sparse_chunk_clear(chunk);

done:
    free(lengths);
    return status;
}

static stoa_status list_map(stoa_content *c, stoa_error *err)
{
    const size_t n = (size_t)c->map.n;

    STOA_RETURN_NOT_OK(stoa_sparse_chunk_room(&c->list, n, c->value_size, err));
    STOA_RETURN_NOT_OK(
        stoa_room_for(&c->list.rooms[STOA_SECTION_HEAP], (size_t)c->map.n_heap, err));
    c->list.heap = c->list.rooms[STOA_SECTION_HEAP].data;
    stoa_content_map_list(&c->map, c->list.positions, c->list.values, c->list.heap);
    c->list.n = n;
    c->list.n_heap = (size_t)c->map.n_heap;
    return STOA_OK;
}

/* The values of a field without gaps are already in place. */
static stoa_status list_field(stoa_content *c, stoa_error *err)
{
    const size_t n = (size_t)c->field.n;
    const bool is_full = n == c->field.n_elements;

    STOA_RETURN_NOT_OK(stoa_sparse_chunk_room(&c->list, n, is_full ? 0 : c->value_size, err));
    stoa_content_dense_list(&c->field, c->list.positions, is_full ? NULL : c->list.values);
    c->list.values = is_full ? c->field.values : c->list.values;
    c->list.n = n;
    return STOA_OK;
}

stoa_status stoa_content_list(stoa_content *content, const stoa_sparse_chunk **chunk,
                              stoa_error *err)
{
    stoa_content *c = content;

    *chunk = &c->list;
    if (!stoa_content_is_list(c) && !c->is_listed) {
        STOA_RETURN_NOT_OK(stoa_content_has_map(c) ? list_map(c, err) : list_field(c, err));
        c->is_listed = true;
    }
    return STOA_OK;
}

void stoa_content_unlist(stoa_content *content)
{
    if (!stoa_content_is_list(content)) {
        stoa_sparse_chunk_clear(&content->list);
        content->is_listed = false;
    }
}

uint64_t stoa_content_n(const stoa_content *content)
{
    return stoa_content_has_map(content)     ? content->map.n
           : stoa_content_has_dense(content) ? content->field.n
                                             : content->list.n;
}

uint64_t stoa_content_n_heap(const stoa_content *content)
{
    return stoa_content_has_map(content) ? content->map.n_heap : content->list.n_heap;
}

size_t stoa_content_bytes(const stoa_content *content)
{
    size_t n = sizeof *content + stoa_content_map_bytes(&content->map) +
               (stoa_content_has_dense(content) ? stoa_content_dense_bytes(&content->field) : 0);

    for (unsigned i = 0; i < STOA_MAX_SECTIONS; i++) {
        n += content->list.rooms[i].size;
    }
    return n;
}
