#include "sparse/points_groups.h"

#include <stdlib.h>

enum {
    SLICE = 1 << 15, /* points that a worker locates at once */
    FIRST_SLOTS = 256
};

/* --- where points are ------------------------------------------------------------------------ */

/* A slice of points at a time, by workers. */
typedef struct slices {
    const stoa_shape *shape;
    const stoa_point_source *source;
    uint64_t start;
    uint64_t n;
    uint64_t *numbers;
    uint32_t *places;
} slices;

static stoa_status look_at_slice(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const slices *s = context;
    const uint64_t first = part * SLICE;
    const uint64_t end = s->n - first < SLICE ? s->n : first + SLICE;

    (void)worker;
    return s->source->look(s->source->context, s->shape, first, end, err);
}

stoa_status stoa_point_source_look(const stoa_point_source *source, stoa_workers *workers,
                                   const stoa_shape *shape, uint64_t n, stoa_error *err)
{
    slices s = {.shape = shape, .source = source, .n = n};

    return stoa_workers_run(workers, (n + SLICE - 1) / SLICE, look_at_slice, &s, err);
}

static stoa_status locate_slice(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const slices *s = context;
    const uint64_t first = part * SLICE;
    const uint64_t end = s->n - first < SLICE ? s->n : first + SLICE;

    (void)worker;
    (void)err;
    s->source->locate(s->source->context, s->shape, s->start + first, s->start + end,
                      s->numbers + first, s->places + first);
    return STOA_OK;
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

    if (groups == NULL) {
        return stoa_fail_memory(err);
    }
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

static stoa_status find_groups(stoa_point_groups *g, size_t n, stoa_error *err)
{
    uint64_t number = 0;
    uint32_t id = UINT32_MAX;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < n; i++) {
        if (id == UINT32_MAX || g->numbers[i] != number) {
            number = g->numbers[i];
            if (g->n == g->capacity) {
                STOA_TRY(grow(g, err));
            }
            uint32_t *slot = slot_of(g, number);
            if (*slot == 0) {
                g->groups[g->n++] = (stoa_point_group){.number = number};
                *slot = (uint32_t)g->n;
            }
            id = *slot - 1;
        }
        g->ids[i] = id;
        g->groups[id].n++;
    }

done:
    return status;
}

/* Points by groups, those of a group in the order they came in. */
static void sort_by_groups(stoa_point_groups *g, size_t n)
{
    size_t first = 0;

    for (size_t i = 0; i < g->n; i++) {
        g->groups[i].first = first;
        first += g->groups[i].n;
        g->groups[i].n = 0;
    }
    for (size_t i = 0; i < n; i++) {
        stoa_point_group *group = &g->groups[g->ids[i]];
        const size_t to = group->first + group->n++;
        g->positions[to] = g->places[i];
        g->indices[to] = (uint32_t)i;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = ((const stoa_point_group *)a)->number;
    const uint64_t y = ((const stoa_point_group *)b)->number;

    return (x > y) - (x < y);
}

/* --------------------------------------------------------------------------------------------- */

stoa_status stoa_point_groups_open(stoa_point_groups *groups, size_t most, stoa_error *err)
{
    stoa_point_groups *g = groups;

    g->numbers = stoa_alloc(most, sizeof *g->numbers);
    g->places = stoa_alloc(most, sizeof *g->places);
    g->ids = stoa_alloc(most, sizeof *g->ids);
    g->positions = stoa_alloc(most, sizeof *g->positions);
    g->indices = stoa_alloc(most, sizeof *g->indices);
    return g->numbers == NULL || g->places == NULL || g->ids == NULL || g->positions == NULL ||
                   g->indices == NULL
               ? stoa_fail_memory(err)
               : STOA_OK;
}

/* No groups, and room for points. */
static void empty(stoa_point_groups *g)
{
    free(g->groups);
    free(g->slots);
    g->groups = NULL;
    g->slots = NULL;
    g->n = 0;
    g->capacity = 0;
    g->n_slots = 0;
}

stoa_status stoa_point_groups_sort(stoa_point_groups *groups, stoa_workers *workers,
                                   const stoa_shape *shape, const stoa_point_source *source,
                                   uint64_t start, size_t n, stoa_error *err)
{
    slices s = {.shape = shape,
                .source = source,
                .start = start,
                .n = n,
                .numbers = groups->numbers,
                .places = groups->places};
    stoa_status status = STOA_OK;

    empty(groups);
    STOA_TRY(stoa_workers_run(workers, (n + SLICE - 1) / SLICE, locate_slice, &s, err));
    STOA_TRY(find_groups(groups, n, err));
    sort_by_groups(groups, n);
    qsort(groups->groups, groups->n, sizeof *groups->groups, by_number);

done:
    return status;
}

void stoa_point_groups_clear(stoa_point_groups *groups)
{
    empty(groups);
    free(groups->numbers);
    free(groups->places);
    free(groups->ids);
    free(groups->positions);
    free(groups->indices);
    *groups = (stoa_point_groups){.n = 0};
}

bool stoa_positions_ascend(const uint32_t *positions, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (positions[i] <= positions[i - 1]) {
            return false;
        }
    }
    return true;
}
