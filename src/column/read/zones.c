/* Each zone is written once, by the thread that reads its chunk first. */
#include "column/read/zones.h"

#include <math.h>

#include "core/memory.h"

struct stoa_zones {
    stoa_learned learned; /* first */
    stoa_kind kind;
    stoa_zone *chunks;
};

/* Whether zones help a search: numbers that are ordered by their kind. */
static bool has_order(stoa_kind kind)
{
    return stoa_kind_is_integer(kind) || kind == STOA_KIND_FLOAT32 || kind == STOA_KIND_FLOAT64 ||
           kind == STOA_KIND_DATE || kind == STOA_KIND_TIMESTAMP || kind == STOA_KIND_DURATION;
}

static stoa_status begin(stoa_learned *learned, const stoa_column *column, stoa_error *err)
{
    stoa_zones *const zones = (stoa_zones *)learned;

    zones->kind = column->type.kind;
    zones->chunks = stoa_alloc_zero((size_t)learned->n_chunks, sizeof *zones->chunks);
    return zones->chunks != NULL ? STOA_OK : stoa_fail_memory(err);
}

static void end(stoa_learned *learned)
{
    free(((stoa_zones *)learned)->chunks);
}

stoa_status stoa_column_zones(stoa_column *column, stoa_zones **zones, stoa_error *err)
{
    static const stoa_learned_kind kind = {sizeof **zones, begin, end};
    stoa_learned *learned = NULL;

    *zones = NULL;
    if (has_order(column->type.kind)) {
        STOA_RETURN_NOT_OK(stoa_learned_ask(column, &kind, &column->zones, &learned, err));
        *zones = (stoa_zones *)learned;
    }
    return STOA_OK;
}

/* Learning ---------------------------------------------------------------------------------- */

/* Minimum and maximum of n values. NaN is ignored. */
#define BOUNDS(type, field, least, greatest)                                                       \
    do {                                                                                           \
        const int64_t begin = view->offset + first;                                                \
        const type *values = (const type *)view->values + begin;                                   \
        type low = (greatest);                                                                     \
        type high = (least);                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const bool is_there = validity == NULL || stoa_bit_get(validity, begin + i);           \
            low = is_there && values[i] < low ? values[i] : low;                                   \
            high = is_there && values[i] > high ? values[i] : high;                                \
        }                                                                                          \
        zone.low.field = low;                                                                      \
        zone.high.field = high;                                                                    \
    } while (0)

static stoa_zone bounds_of(const stoa_view *view, int64_t first, int64_t n)
{
    const uint8_t *validity = view->null_count > 0 ? view->validity : NULL;
    stoa_zone zone = {{0}, {0}};

    switch (view->type.kind) {
    case STOA_KIND_INT8:
        BOUNDS(int8_t, i64, INT8_MIN, INT8_MAX);
        break;
    case STOA_KIND_INT16:
        BOUNDS(int16_t, i64, INT16_MIN, INT16_MAX);
        break;
    case STOA_KIND_INT32:
    case STOA_KIND_DATE:
        BOUNDS(int32_t, i64, INT32_MIN, INT32_MAX);
        break;
    case STOA_KIND_UINT8:
        BOUNDS(uint8_t, u64, 0, UINT8_MAX);
        break;
    case STOA_KIND_UINT16:
        BOUNDS(uint16_t, u64, 0, UINT16_MAX);
        break;
    case STOA_KIND_UINT32:
        BOUNDS(uint32_t, u64, 0, UINT32_MAX);
        break;
    case STOA_KIND_UINT64:
        BOUNDS(uint64_t, u64, 0, UINT64_MAX);
        break;
    case STOA_KIND_FLOAT32:
        BOUNDS(float, f64, -INFINITY, INFINITY);
        break;
    case STOA_KIND_FLOAT64:
        BOUNDS(double, f64, -INFINITY, INFINITY);
        break;
    default:
        BOUNDS(int64_t, i64, INT64_MIN, INT64_MAX);
        break;
    }
    return zone;
}

void stoa_zones_learn(stoa_zones *zones, uint64_t first, const stoa_view *view)
{
    stoa_learned_chunk chunk;

    if (view->type.kind != zones->kind || view->values == NULL ||
        (uintptr_t)view->values % (uintptr_t)stoa_kind_width(zones->kind) != 0) {
        return;
    }
    for (uint64_t at = first, n = (uint64_t)view->length;
         stoa_learned_claim(&zones->learned, &at, first + n, &chunk);) {
        zones->chunks[chunk.number] =
            bounds_of(view, (int64_t)(chunk.first - first), (int64_t)chunk.n);
        stoa_learned_settle(&zones->learned, &chunk, true);
    }
}

/* Lookup ------------------------------------------------------------------------------------ */

static void widen(stoa_kind kind, stoa_zone *zone, const stoa_zone *more)
{
    if (stoa_kind_is_float(kind)) {
        zone->low.f64 = more->low.f64 < zone->low.f64 ? more->low.f64 : zone->low.f64;
        zone->high.f64 = more->high.f64 > zone->high.f64 ? more->high.f64 : zone->high.f64;
    } else if (stoa_kind_is_unsigned(kind)) {
        zone->low.u64 = more->low.u64 < zone->low.u64 ? more->low.u64 : zone->low.u64;
        zone->high.u64 = more->high.u64 > zone->high.u64 ? more->high.u64 : zone->high.u64;
    } else {
        zone->low.i64 = more->low.i64 < zone->low.i64 ? more->low.i64 : zone->low.i64;
        zone->high.i64 = more->high.i64 > zone->high.i64 ? more->high.i64 : zone->high.i64;
    }
}

bool stoa_zones_of(const stoa_zones *zones, uint64_t first, uint64_t n, stoa_zone *zone)
{
    const uint64_t low = first / zones->learned.chunk_rows;

    for (uint64_t chunk = low; chunk <= (first + n - 1) / zones->learned.chunk_rows; chunk++) {
        if (!stoa_learned_knows(&zones->learned, chunk)) {
            return false;
        }
        if (chunk == low) {
            *zone = zones->chunks[chunk];
        } else {
            widen(zones->kind, zone, &zones->chunks[chunk]);
        }
    }
    return true;
}
