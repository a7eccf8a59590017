/* Zones of chunks, each written once by whoever reads the chunk first; see zones.h. */
#include "column/zones.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Chunks of a column at most: three words each. */
enum { MOST_CHUNKS = 65536 };

enum { UNKNOWN, BEING_WRITTEN, KNOWN };

typedef struct entry {
    stoa_zone zone;
    _Atomic int state;
} entry;

struct stoa_zones {
    stoa_kind kind;
    uint64_t n_rows;
    uint64_t chunk_rows;
    entry *chunks; /* NULL: nobody has asked twice */
};

/* What a search for values can make use of: numbers in the order of their kind. */
static bool has_order(stoa_kind kind)
{
    return stoa_kind_is_integer(kind) || kind == STOA_KIND_FLOAT32 || kind == STOA_KIND_FLOAT64 ||
           kind == STOA_KIND_DATE || kind == STOA_KIND_TIMESTAMP || kind == STOA_KIND_DURATION;
}

static bool may_have_zones(const stoa_column *column)
{
    return column->chunk_rows != 0 && column->n_rows != 0 && has_order(column->type.kind) &&
           (column->n_rows - 1) / column->chunk_rows < MOST_CHUNKS;
}

/* Zones of nothing yet, where chunks have to be unpacked and stay as they are: nobody writes to
 * what is read past libhdf5. */
static stoa_status make_room(stoa_column *column, stoa_zones *zones, stoa_error *err)
{
    const stoa_direct *direct = NULL;

    if (stoa_column_direct(column, &direct, NULL) != STOA_OK) {
        return STOA_OK; /* who reads it says why; an index may answer without */
    }
    if (direct != NULL ? stoa_direct_is_packed(direct) : column->member.is_direct) {
        const uint64_t n = (zones->n_rows - 1) / zones->chunk_rows + 1;
        zones->chunks = stoa_alloc_zero((size_t)n, sizeof *zones->chunks);
        STOA_RETURN_NOT_OK(zones->chunks != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    return STOA_OK;
}

stoa_status stoa_column_zones(stoa_column *column, stoa_zones **zones, stoa_error *err)
{
    stoa_zones *known = column->zones;

    *zones = NULL;
    if (known != NULL && known->n_rows != column->n_rows) {
        stoa_zones_free(known);
        known = column->zones = NULL;
    }
    if (!may_have_zones(column)) {
        return STOA_OK;
    }
    if (known == NULL) {
        known = column->zones = stoa_alloc_zero(1, sizeof *known);
        STOA_RETURN_NOT_OK(known != NULL ? STOA_OK : stoa_fail_memory(err));
        *known = (stoa_zones){column->type.kind, column->n_rows, column->chunk_rows, NULL};
        return STOA_OK;
    }
    if (known->chunks == NULL) {
        STOA_RETURN_NOT_OK(make_room(column, known, err));
    }
    *zones = known->chunks != NULL ? known : NULL;
    return STOA_OK;
}

void stoa_zones_free(stoa_zones *zones)
{
    if (zones != NULL) {
        free(zones->chunks);
        free(zones);
    }
}

/* Learning ----------------------------------------------------------------------------------- */

/* The least and the greatest of n values; a NaN is neither. */
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
    const uint64_t end = first + (uint64_t)view->length;
    const uint64_t rows = zones->chunk_rows;

    if (view->type.kind != zones->kind || view->values == NULL ||
        (uintptr_t)view->values % (uintptr_t)stoa_kind_width(zones->kind) != 0) {
        return;
    }
    for (uint64_t chunk = (first + rows - 1) / rows; chunk * rows < end; chunk++) {
        const uint64_t low = chunk * rows;
        const uint64_t high = zones->n_rows - low < rows ? zones->n_rows : low + rows;
        entry *e = &zones->chunks[chunk];
        int unknown = UNKNOWN;
        if (high <= end && atomic_load(&e->state) == UNKNOWN &&
            atomic_compare_exchange_strong(&e->state, &unknown, BEING_WRITTEN)) {
            e->zone = bounds_of(view, (int64_t)(low - first), (int64_t)(high - low));
            atomic_store(&e->state, KNOWN);
        }
    }
}

/* Asking ------------------------------------------------------------------------------------- */

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
    const uint64_t low = first / zones->chunk_rows;

    for (uint64_t chunk = low; chunk <= (first + n - 1) / zones->chunk_rows; chunk++) {
        const entry *e = &zones->chunks[chunk];
        if (atomic_load(&e->state) != KNOWN) {
            return false;
        }
        if (chunk == low) {
            *zone = e->zone;
        } else {
            widen(zones->kind, zone, &e->zone);
        }
    }
    return true;
}
