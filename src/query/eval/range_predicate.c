/* Comparisons with a constant as range predicates, and their exact conversion to stored types. */
#include <math.h>

#include "query/eval/filter.h"

#define ORDERED_BAND(field, LEAST, GREATEST, BEFORE, AFTER)                                        \
    switch (compare) {                                                                             \
    case STOA_NE:                                                                                  \
    case STOA_EQ:                                                                                  \
        out.low.field = out.high.field = c;                                                        \
        break;                                                                                     \
    case STOA_LT:                                                                                  \
        out.empty = c == (LEAST);                                                                  \
        out.low.field = (LEAST);                                                                   \
        out.high.field = out.empty ? c : (BEFORE);                                                 \
        break;                                                                                     \
    case STOA_LE:                                                                                  \
        out.low.field = (LEAST);                                                                   \
        out.high.field = c;                                                                        \
        break;                                                                                     \
    case STOA_GT:                                                                                  \
        out.empty = c == (GREATEST);                                                               \
        out.low.field = out.empty ? c : (AFTER);                                                   \
        out.high.field = (GREATEST);                                                               \
        break;                                                                                     \
    default:                                                                                       \
        out.low.field = c;                                                                         \
        out.high.field = (GREATEST);                                                               \
        break;                                                                                     \
    }

stoa_range_predicate stoa_range_predicate_of(stoa_compare compare, const stoa_vector *constant)
{
    stoa_range_predicate out = {.domain = constant->type.domain, .others = compare == STOA_NE};

    if (out.domain == STOA_DOMAIN_F64) {
        const double c = constant->as.f64[0];
        if (isnan(c)) {
            out.empty = true;
            return out;
        }
        ORDERED_BAND(f64, -INFINITY, INFINITY, nextafter(c, -INFINITY), nextafter(c, INFINITY));
    } else if (out.domain == STOA_DOMAIN_U64) {
        const uint64_t c = constant->as.u64[0];
        ORDERED_BAND(u64, 0, UINT64_MAX, c - 1, c + 1);
    } else {
        const int64_t c = constant->as.i64[0];
        ORDERED_BAND(i64, INT64_MIN, INT64_MAX, c - 1, c + 1);
    }
    return out;
}

#define BOTH(field)                                                                                \
    do {                                                                                           \
        out.low.field = b->low.field > a->low.field ? b->low.field : a->low.field;                 \
        out.high.field = b->high.field < a->high.field ? b->high.field : a->high.field;            \
        out.empty = out.low.field > out.high.field;                                                \
    } while (0)

stoa_range_predicate stoa_range_predicate_and(const stoa_range_predicate *a,
                                              const stoa_range_predicate *b)
{
    stoa_range_predicate out = *a;

    if (a->empty || b->empty) {
        out.empty = true;
    } else if (out.domain == STOA_DOMAIN_F64) {
        BOTH(f64);
    } else if (out.domain == STOA_DOMAIN_U64) {
        BOTH(u64);
    } else {
        BOTH(i64);
    }
    return out;
}

/* Stored types ------------------------------------------------------------------------------ */

/* Integers of 64 bits or less, including dates and times. */
static bool integer_bounds(const stoa_range_predicate *band, stoa_kind kind, stoa_bounds *out)
{
    const int bits = 8 * stoa_kind_width(kind);
    const bool is_signed = !stoa_kind_is_unsigned(kind);
    const int64_t greatest = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - is_signed)) - 1;
    const int64_t least = is_signed ? -greatest - 1 : 0;
    const int64_t low = band->low.i64 > least ? band->low.i64 : least;
    const int64_t high = band->high.i64 < greatest ? band->high.i64 : greatest;

    if (low > high) {
        return false;
    }
    out->low = (uint64_t)low;
    out->span = (uint64_t)high - (uint64_t)low;
    return true;
}

static bool f32_bounds(const stoa_range_predicate *band, stoa_bounds *out)
{
    float least = (float)band->low.f64;
    float greatest = (float)band->high.f64;

    if ((double)least < band->low.f64) {
        least = nextafterf(least, INFINITY);
    }
    if ((double)greatest > band->high.f64) {
        greatest = nextafterf(greatest, -INFINITY);
    }
    out->least = (double)least;
    out->greatest = (double)greatest;
    return least <= greatest;
}

/* The 16-bit float of a key. Keys from that of -infinity to that of +infinity have one. */
static double f16_value(int key)
{
    return (double)stoa_f16_to_f32(stoa_f16_key((uint16_t)key));
}

/* The least key in [low, high) whose value is >= x (`above`: > x); `high` if there is none. */
static int f16_search(double x, bool above, int low, int high)
{
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const double value = f16_value(middle);
        if (above ? value <= x : value < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool f16_bounds(const stoa_range_predicate *band, stoa_bounds *out)
{
    enum { F16_LEAST = -0x7c01, F16_PAST = 0x7c01 }; /* keys: -infinity; one past infinity */
    const int first = f16_search(band->low.f64, false, F16_LEAST, F16_PAST);
    const int end = f16_search(band->high.f64, true, F16_LEAST, F16_PAST);

    if (first >= end) {
        return false;
    }
    out->low = (uint16_t)first;
    out->span = (uint64_t)(end - 1 - first);
    return true;
}

bool stoa_range_predicate_bounds(const stoa_range_predicate *band, stoa_kind kind, stoa_bounds *out)
{
    *out = (stoa_bounds){0};
    if (band->empty) {
        return false;
    }
    switch (kind) {
    case STOA_KIND_FLOAT16:
        return f16_bounds(band, out);
    case STOA_KIND_FLOAT32:
        return f32_bounds(band, out);
    case STOA_KIND_FLOAT64:
        out->least = band->low.f64;
        out->greatest = band->high.f64;
        return true;
    case STOA_KIND_UINT64:
        out->low = band->low.u64;
        out->span = band->high.u64 - band->low.u64;
        return true;
    default:
        return integer_bounds(band, kind, out);
    }
}

bool stoa_range_predicate_meets(const stoa_range_predicate *band, stoa_kind kind,
                                const stoa_zone *zone)
{
    stoa_bounds bounds;

    if (!stoa_range_predicate_bounds(band, kind, &bounds)) {
        return false;
    }
    if (stoa_kind_is_float(kind)) {
        return bounds.least <= zone->high.f64 && bounds.greatest >= zone->low.f64;
    }
    const uint64_t high = bounds.low + bounds.span;
    if (stoa_kind_is_unsigned(kind)) {
        return bounds.low <= zone->high.u64 && high >= zone->low.u64;
    }
    return (int64_t)bounds.low <= zone->high.i64 && (int64_t)high >= zone->low.i64;
}
