#include "sparse/points/points_groups.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLICE = STOA_POINTS_SLICE,
    FIRST_SLOTS = 256,
    AHEAD = 8 /* prefetch distance in spans */
};

/* --- locating points ------------------------------------------------------------------------- */

/* Slices of points that workers locate. */
typedef struct slices {
    const stoa_shape *shape;
    const stoa_point_source *source;
    uint64_t start;
    uint64_t n;
    stoa_point_groups *groups;
} slices;

static stoa_status check_slice(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const slices *s = context;
    const uint64_t first = part * SLICE;
    const uint64_t end = s->n - first < SLICE ? s->n : first + SLICE;

    (void)worker;
    return s->source->check(s->source->context, s->shape, first, end, err);
}

stoa_status stoa_point_source_check(const stoa_point_source *source, stoa_workers *workers,
                                    const stoa_shape *shape, uint64_t n, stoa_error *err)
{
    slices s = {.shape = shape, .source = source, .n = n};

    return source->check == NULL
               ? STOA_OK
               : stoa_workers_run(workers, (n + SLICE - 1) / SLICE, check_slice, &s, err);
}

static stoa_status locate_slice(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const slices *s = context;
    const uint64_t first = part * SLICE;
    const uint64_t end = s->n - first < SLICE ? s->n : first + SLICE;
    const stoa_point_source *source = s->source;
    stoa_point_runs found = {.runs = stoa_point_groups_room(s->groups, worker)};
    stoa_buffer *runs = &s->groups->runs[part];

    if (source->check != NULL) {
        STOA_RETURN_NOT_OK(
            source->check(source->context, s->shape, s->start + first, s->start + end, err));
    }
    source->locate(source->context, s->shape, s->start + first, s->start + end, &found,
                   s->groups->places + first);
    runs->size = 0;
    return stoa_buffer_append(runs, found.runs, found.n * sizeof *found.runs, err);
}

/* --- groups ---------------------------------------------------------------------------------- */

static uint32_t *slot_of(const stoa_point_groups *g, uint64_t number)
{
    size_t i = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (g->n_slots - 1);

    while (g->slots[i] != 0 && g->groups[g->slots[i] - 1].number != number) {
        i = (i + 1) & (g->n_slots - 1);
    }
    return &g->slots[i];
}

static stoa_status grow(stoa_point_groups *g, stoa_error *err)
{
    const size_t capacity = g->capacity != 0 ? 2 * g->capacity : FIRST_SLOTS / 2;
    stoa_point_group *groups = stoa_realloc(g->groups, capacity, sizeof *groups);

    STOA_RETURN_NO_MEMORY(err, groups);
    g->groups = groups;
    free(g->slots);
    g->slots = stoa_alloc_zero(2 * capacity, sizeof *g->slots);
    if (g->slots == NULL) {
        g->capacity = 0;
        g->n_slots = 0;
        return stoa_fail_memory(err);
    }
    g->capacity = capacity;
    g->n_slots = 2 * capacity;
    for (size_t i = 0; i < g->n; i++) {
        *slot_of(g, g->groups[i].number) = (uint32_t)(i + 1);
    }
    return STOA_OK;
}

stoa_status stoa_point_group_of(stoa_point_groups *groups, uint64_t number, size_t *id,
                                stoa_error *err)
{
    stoa_point_groups *g = groups;

    if (g->n == g->capacity) {
        STOA_RETURN_NOT_OK(grow(g, err));
    }
    uint32_t *slot = slot_of(g, number);
    if (*slot == 0) {
        g->groups[g->n++] = (stoa_point_group){.number = number};
        *slot = (uint32_t)g->n;
    }
    *id = *slot - 1;
    return STOA_OK;
}

/* Convert runs of chunks to runs of groups. *n_spans is their number. */
static stoa_status find_groups(stoa_point_groups *g, size_t n_slices, size_t *n_spans,
                               stoa_error *err)
{
    *n_spans = 0;
    for (size_t i = 0; i < n_slices; i++) {
        stoa_point_run *runs = (stoa_point_run *)(void *)g->runs[i].data;
        const size_t n = g->runs[i].size / sizeof *runs;
        for (size_t j = 0; j < n; j++) {
            size_t id = 0;
            STOA_RETURN_NOT_OK(stoa_point_group_of(g, runs[j].number, &id, err));
            g->groups[id].n += runs[j].n;
            g->groups[id].n_spans++;
            runs[j].number = id;
        }
        *n_spans += n;
    }
    return STOA_OK;
}

/* Sort the spans by group, stably. */
static stoa_status sort_by_groups(stoa_point_groups *g, size_t n_slices, size_t n_spans,
                                  stoa_error *err)
{
    size_t first_span = 0;

    g->spans = stoa_alloc(n_spans, sizeof *g->spans);
    STOA_RETURN_NO_MEMORY(err, g->spans);
    for (size_t i = 0; i < g->n; i++) {
        stoa_point_group *group = &g->groups[i];
        group->first_span = first_span;
        first_span += group->n_spans;
        group->n_spans = 0;
    }
    for (size_t i = 0; i < n_slices; i++) {
        const stoa_point_run *runs = (const stoa_point_run *)(const void *)g->runs[i].data;
        size_t first = i * SLICE;
        for (size_t j = 0; j < g->runs[i].size / sizeof *runs; j++) {
            stoa_point_group *group = &g->groups[runs[j].number];
            g->spans[group->first_span + group->n_spans++] =
                (stoa_point_span){(uint32_t)first, (uint32_t)runs[j].n};
            first += runs[j].n;
        }
    }
    return STOA_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = ((const stoa_point_group *)a)->number;
    const uint64_t y = ((const stoa_point_group *)b)->number;

    return (x > y) - (x < y);
}

/* --------------------------------------------------------------------------------------------- */

stoa_status stoa_point_groups_open(stoa_point_groups *groups, size_t most, unsigned n_workers,
                                   stoa_error *err)
{
    stoa_point_groups *g = groups;

    g->n_slices = (most + SLICE - 1) / SLICE;
    g->a_room = most < SLICE ? most : SLICE;
    g->room = stoa_alloc(g->a_room * n_workers, sizeof *g->room);
    g->runs = stoa_alloc_zero(g->n_slices, sizeof *g->runs);
    g->places = stoa_alloc_large(most, sizeof *g->places);
    return g->room == NULL || g->runs == NULL || g->places == NULL ? stoa_fail_memory(err)
                                                                   : STOA_OK;
}

/* Remove all groups; the space for points is kept. */
static void empty(stoa_point_groups *g)
{
    free(g->groups);
    free(g->slots);
    free(g->spans);
    g->groups = NULL;
    g->slots = NULL;
    g->spans = NULL;
    g->n = 0;
    g->capacity = 0;
    g->n_slots = 0;
}

/* Locate all slices, each when its points have been fetched. */
static stoa_status locate(slices *s, stoa_workers *workers, uint64_t n_slices, stoa_error *err)
{
    const stoa_point_source *source = s->source;
    stoa_status fetched = STOA_OK;
    stoa_job locating;

    if (source->fetch == NULL) {
        return stoa_workers_run(workers, n_slices, locate_slice, s, err);
    }
    stoa_job_begin(&locating, workers, n_slices, locate_slice, s);
    for (uint64_t i = 0; fetched == STOA_OK && i < n_slices; i++) {
        const uint64_t first = i * SLICE;
        const uint64_t end = s->n - first < SLICE ? s->n : first + SLICE;
        fetched = source->fetch(source->context, s->start + first, s->start + end, err);
        stoa_job_offer(&locating, fetched == STOA_OK ? i + 1 : i);
    }
    const stoa_status located = stoa_job_end(&locating, err);
    return fetched != STOA_OK ? fetched : located;
}

stoa_status stoa_point_groups_sort(stoa_point_groups *groups, stoa_workers *workers,
                                   const stoa_shape *shape, const stoa_point_source *source,
                                   uint64_t start, size_t n, stoa_error *err)
{
    const size_t n_slices = (n + SLICE - 1) / SLICE;
    slices s = {.shape = shape, .source = source, .start = start, .n = n, .groups = groups};

    STOA_RETURN_NOT_OK(locate(&s, workers, n_slices, err));
    return stoa_point_groups_sort_located(groups, n_slices, err);
}

stoa_status stoa_point_groups_sort_located(stoa_point_groups *groups, size_t n_slices,
                                           stoa_error *err)
{
    size_t n_spans = 0;

    empty(groups);
    STOA_RETURN_NOT_OK(find_groups(groups, n_slices, &n_spans, err));
    STOA_RETURN_NOT_OK(sort_by_groups(groups, n_slices, n_spans, err));
    qsort(groups->groups, groups->n, sizeof *groups->groups, by_number);
    return STOA_OK;
}

void stoa_point_group_gather(const stoa_point_groups *groups, const stoa_point_group *group,
                             const void *from, size_t size, void *to)
{
    const stoa_point_span *spans = groups->spans + group->first_span;
    const uint8_t *values = from;
    uint8_t *next = to;

    for (size_t i = 0; i < group->n_spans; i++) {
        if (i + AHEAD < group->n_spans) {
            __builtin_prefetch(values + spans[i + AHEAD].first * size);
        }
        memcpy(next, values + spans[i].first * size, spans[i].n * size);
        next += spans[i].n * size;
    }
}

void stoa_point_group_indices(const stoa_point_groups *groups, const stoa_point_group *group,
                              uint32_t *indices)
{
    for (size_t i = 0; i < group->n_spans; i++) {
        const stoa_point_span *span = &groups->spans[group->first_span + i];
        for (uint32_t j = 0; j < span->n; j++) {
            *indices++ = span->first + j;
        }
    }
}

void stoa_point_groups_clear(stoa_point_groups *groups)
{
    empty(groups);
    for (size_t i = 0; groups->runs != NULL && i < groups->n_slices; i++) {
        stoa_buffer_clear(&groups->runs[i]);
    }
    free(groups->runs);
    free(groups->room);
    free(groups->places);
    *groups = (stoa_point_groups){.n = 0};
}
