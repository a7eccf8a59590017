/* Entries of list columns on their way to a twin (HEP001-2026-07 §9.2). */
#include <stdlib.h>
#include <string.h>

#include "column/list/offsets.h"
#include "column/read/block.h"
#include "column/write/rewrite_list.h"
#include "column/write/write.h"
#include "core/memory.h"

/* Entries, or elements, that are read at once; fewer if they are large. */
#define WINDOW_ROWS UINT64_C(65536)
#define WINDOW_BYTES (UINT64_C(4) << 20)

/* Where rows come from: the column, or the one with new rows (stoa_list_part). */
enum { OLD, NEW, N_SOURCES };
typedef struct sources {
    stoa_column *of[N_SOURCES];
} sources;

/* The rows of each source that a window has, with those between them. */
typedef struct window {
    stoa_list_span of[N_SOURCES];
} window;

static window window_of(const stoa_list_part *parts, size_t n)
{
    window w = {.of = {{0, 0}, {0, 0}}};

    for (size_t i = 0; i < n; i++) {
        stoa_list_span *const span = &w.of[parts[i].is_new];
        span->first = span->count == 0 ? parts[i].first : span->first;
        span->count = parts[i].first + parts[i].count - span->first;
    }
    return w;
}

static uint64_t rows_of(const stoa_list_part *parts, size_t n)
{
    uint64_t count = 0;

    for (size_t i = 0; i < n; i++) {
        count += parts[i].count;
    }
    return count;
}

void stoa_list_part_add(stoa_list_part *parts, size_t *n, stoa_list_part part)
{
    stoa_list_part *const last = *n > 0 ? &parts[*n - 1] : NULL;

    if (part.count == 0) {
        return;
    }
    if (last != NULL && last->is_new == part.is_new && last->first + last->count == part.first) {
        last->count += part.count;
    } else {
        parts[(*n)++] = part;
    }
}

/* --- elements --------------------------------------------------------------------------------- */

bool stoa_list_are_alike(const stoa_column *from, const stoa_column *to)
{
    const bool has_fill = from->fill != NULL && to->fill != NULL;

    return H5Tequal(from->element.mem_type, to->element.mem_type) > 0 &&
           (has_fill ? memcmp(from->fill, to->fill, to->element.size) == 0
                     : from->fill == to->fill);
}

typedef struct encoding {
    const stoa_column *to;
    void *elements;
} encoding;

static stoa_status encode_block(void *context, uint64_t first, const stoa_view *view,
                                stoa_error *err)
{
    encoding *const e = context;
    bool collides = false;

    (void)first;
    STOA_RETURN_NOT_OK(stoa_column_elements_of(e->to, view, &e->elements, &collides, err));
    return collides ? stoa_column_no_fill_left(e->to, err) : STOA_OK;
}

/* Read elements in the form of `to`. */
static stoa_status read_elements(stoa_column *from, const stoa_column *to,
                                 const stoa_list_span *span, void **elements, stoa_error *err)
{
    encoding e = {.to = to};
    stoa_status status = STOA_OK;

    if (stoa_list_are_alike(from, to)) {
        status = stoa_column_read_elements(from, span->first, span->count, elements, err);
    } else { /* one block: a window has no more rows */
        status =
            stoa_column_visit(from, span->first, span->first + span->count, encode_block, &e, err);
        *elements = e.elements;
    }
    return stoa_column_at(from, status, err);
}

/* Write n elements behind those of a member. */
static stoa_status append_elements(stoa_column *member, const void *elements, uint64_t n,
                                   stoa_error *err)
{
    const uint64_t end = member->n_rows + n;
    const uint64_t chunk_rows = member->chunk_rows;
    stoa_column_writer writer = {
        .column = member, .group = H5I_INVALID_HID, .n_rows = member->n_rows};

    if (end > member->extent) { /* whole chunks, until stoa_list_finish() */
        STOA_RETURN_NOT_OK(
            stoa_column_resize(&writer, (end + chunk_rows - 1) / chunk_rows * chunk_rows, err));
    }
    STOA_RETURN_NOT_OK(stoa_column_write_elements(member, member->n_rows, n, elements, err));
    member->n_rows = end;
    return STOA_OK;
}

/* Copy the elements of parts. A source that is NULL has a MASK of TRUE. */
static stoa_status copy_elements(const sources *from, stoa_column *to, const stoa_list_part *parts,
                                 size_t n_parts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = to->element.size;
    const window w = window_of(parts, n_parts);
    const uint64_t count = rows_of(parts, n_parts);
    void *elements[N_SOURCES] = {NULL, NULL};
    uint8_t *staying = NULL; /* variable parts belong to `elements` */
    size_t at = 0;

    staying = stoa_alloc((size_t)count, size);
    STOA_TRY(staying != NULL ? STOA_OK : stoa_fail_memory(err));
    for (unsigned s = 0; s < N_SOURCES; s++) {
        STOA_TRY(from->of[s] != NULL && w.of[s].count > 0
                     ? read_elements(from->of[s], to, &w.of[s], &elements[s], err)
                     : STOA_OK);
    }
    for (size_t i = 0; i < n_parts; i++) {
        const unsigned s = parts[i].is_new;
        const size_t n_bytes = (size_t)parts[i].count * size;
        if (elements[s] == NULL) {
            memset(staying + at, 1, n_bytes);
        } else {
            memcpy(staying + at,
                   (const uint8_t *)elements[s] + (size_t)(parts[i].first - w.of[s].first) * size,
                   n_bytes);
        }
        at += n_bytes;
    }
    STOA_TRY(append_elements(to, staying, count, err));

done:
    free(staying);
    for (unsigned s = 0; s < N_SOURCES; s++) {
        if (elements[s] != NULL) {
            stoa_element_reclaim(&to->element, elements[s], (size_t)w.of[s].count);
        }
        free(elements[s]);
    }
    return status;
}

/* --- entries ---------------------------------------------------------------------------------- */

static stoa_status copy_rows(const sources *from, stoa_column *to, const stoa_list_part *parts,
                             size_t n, stoa_buffer_pool *blocks, stoa_error *err);

/* Where the entries of a window lie in a source. */
typedef struct placing {
    int64_t *offsets; /* from the first value of the window on */
    stoa_list_span values;
} placing;

static stoa_status read_offsets(const stoa_column *from, const stoa_list_span *span,
                                stoa_buffer_pool *blocks, placing *placed, stoa_error *err)
{
    placed->offsets = stoa_alloc((size_t)span->count + 1, sizeof *placed->offsets);
    STOA_RETURN_NO_MEMORY(err, placed->offsets);
    return stoa_column_at(from,
                          stoa_list_offsets_read(from->list, NULL, span->first, span->count, blocks,
                                                 true, placed->offsets, &placed->values, err),
                          err);
}

/* Find where the entries of parts end behind the first `end` values of a twin, and where their
 * values are now. */
static stoa_status place_values(const sources *from, const stoa_list_part *parts, size_t n_parts,
                                stoa_buffer_pool *blocks, uint64_t end, uint64_t *ends,
                                stoa_list_part *values, size_t *n_values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const window w = window_of(parts, n_parts);
    placing placed[N_SOURCES] = {{.offsets = NULL}, {.offsets = NULL}};

    *n_values = 0;
    for (unsigned s = 0; s < N_SOURCES; s++) {
        STOA_TRY(w.of[s].count > 0 ? read_offsets(from->of[s], &w.of[s], blocks, &placed[s], err)
                                   : STOA_OK);
    }
    for (size_t i = 0; i < n_parts; i++) {
        const placing *const p = &placed[parts[i].is_new];
        const int64_t *const here = p->offsets + (parts[i].first - w.of[parts[i].is_new].first);
        for (uint64_t k = 0; k < parts[i].count; k++) {
            end += (uint64_t)(here[k + 1] - here[k]);
            *ends++ = end;
        }
        stoa_list_part_add(values, n_values,
                           (stoa_list_part){.is_new = parts[i].is_new,
                                            .first = p->values.first + (uint64_t)here[0],
                                            .count = (uint64_t)(here[parts[i].count] - here[0])});
    }

done:
    free(placed[OLD].offsets);
    free(placed[NEW].offsets);
    return status;
}

/* The members of a kind that the sources have. */
static sources values_of(const sources *from)
{
    return (sources){
        {from->of[OLD]->list->values, from->of[NEW] != NULL ? from->of[NEW]->list->values : NULL}};
}

static sources masks_of(const sources *from)
{
    return (sources){
        {from->of[OLD]->list->mask, from->of[NEW] != NULL ? from->of[NEW]->list->mask : NULL}};
}

/* Copy the entries of parts. */
static stoa_status copy_entries(const sources *from, stoa_column *to, const stoa_list_part *parts,
                                size_t n_parts, stoa_buffer_pool *blocks, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t count = rows_of(parts, n_parts);
    const sources inner = values_of(from);
    const sources masks = masks_of(from);
    uint64_t *const ends = stoa_alloc((size_t)count, sizeof *ends);
    stoa_list_part *const values = stoa_alloc(n_parts, sizeof *values);
    size_t n_values = 0;

    STOA_TRY(ends != NULL && values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(place_values(from, parts, n_parts, blocks, to->list->values->n_rows, ends, values,
                          &n_values, err));
    STOA_TRY(copy_rows(&inner, to->list->values, values, n_values, blocks, err));
    if (to->list->mask != NULL) {
        STOA_TRY(copy_elements(&masks, to->list->mask, parts, n_parts, err));
    }
    STOA_TRY(append_elements(to->list->offsets, ends, count, err));
    to->n_rows += count;

done:
    free(ends);
    free(values);
    return status;
}

/* How far parts were taken. */
typedef struct cursor {
    const stoa_list_part *parts;
    size_t n;
    size_t at;
    uint64_t taken; /* of parts[at] */
} cursor;

/* Take what lies less than `most` behind the first row that is left of its source. `parts` has room
 * for as many as there are. Returns how many it got. */
static size_t take(cursor *c, uint64_t most, stoa_list_part *parts)
{
    stoa_list_span seen[N_SOURCES] = {{0, 0}, {0, 0}};
    size_t n = 0;

    while (c->at < c->n) {
        const stoa_list_part *const part = &c->parts[c->at];
        const uint64_t from = part->first + c->taken;
        const uint64_t n_left = part->count - c->taken;
        stoa_list_span *const span = &seen[part->is_new];
        span->first = span->count == 0 ? from : span->first;
        if (from - span->first >= most) {
            break;
        }
        const uint64_t room = most - (from - span->first);
        const uint64_t count = n_left < room ? n_left : room;
        parts[n++] = (stoa_list_part){part->is_new, from, count};
        span->count = from + count - span->first;
        c->taken += count;
        if (c->taken < part->count) {
            break;
        }
        c->at++;
        c->taken = 0;
    }
    return n;
}

/* Copy rows of a level, window by window. */
static stoa_status copy_rows(const sources *from, stoa_column *to, const stoa_list_part *parts,
                             size_t n, stoa_buffer_pool *blocks, stoa_error *err)
{
    stoa_status status = STOA_OK;
    cursor c = {.parts = parts, .n = n};
    stoa_list_part *const taken = stoa_alloc(n, sizeof *taken);
    const uint64_t fit = WINDOW_BYTES / to->element.size;
    const uint64_t most = fit == 0 ? 1 : fit < WINDOW_ROWS ? fit : WINDOW_ROWS;

    STOA_TRY(taken != NULL ? STOA_OK : stoa_fail_memory(err));
    while (c.at < n) {
        const size_t n_taken = take(&c, most, taken);
        STOA_TRY(to->list != NULL ? copy_entries(from, to, taken, n_taken, blocks, err)
                                  : copy_elements(from, to, taken, n_taken, err));
    }

done:
    free(taken);
    return status;
}

stoa_status stoa_list_copy(stoa_column *column, stoa_column *newer, stoa_column *fresh,
                           const stoa_list_part *parts, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const sources from = {{column, newer}};
    stoa_buffer_pool *blocks = NULL;

    STOA_TRY(stoa_buffer_pool_open(WINDOW_BYTES, &blocks, err));
    STOA_TRY(copy_rows(&from, fresh, parts, n, blocks, err));

done:
    stoa_buffer_pool_close(blocks);
    return status;
}

stoa_status stoa_list_pad(stoa_column *fresh, uint64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t end = fresh->list->values->n_rows;
    uint64_t *ends = NULL;
    uint8_t *present = NULL;

    if (fresh->n_rows >= n) {
        return STOA_OK;
    }
    const uint64_t n_left = n - fresh->n_rows;
    const uint64_t most = n_left < WINDOW_ROWS ? n_left : WINDOW_ROWS;
    ends = stoa_alloc((size_t)most, sizeof *ends);
    present = stoa_alloc((size_t)most, 1);
    STOA_TRY(ends != NULL && present != NULL ? STOA_OK : stoa_fail_memory(err));
    memset(present, 1, (size_t)most);
    for (uint64_t i = 0; i < most; i++) {
        ends[i] = end;
    }
    while (fresh->n_rows < n) {
        const uint64_t count = n - fresh->n_rows < most ? n - fresh->n_rows : most;
        STOA_TRY(fresh->list->mask != NULL ? append_elements(fresh->list->mask, present, count, err)
                                           : STOA_OK);
        STOA_TRY(append_elements(fresh->list->offsets, ends, count, err));
        fresh->n_rows += count;
    }

done:
    free(ends);
    free(present);
    return status;
}
