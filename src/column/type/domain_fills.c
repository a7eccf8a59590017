/* Choice of a fill value outside a column's domain (HEP001 §8.5, Table 1). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "column/type/domain.h"

static void put_integer(uint8_t *out, stoa_kind kind, int64_t value)
{
    stoa_integer_put(out, (size_t)stoa_kind_width(kind), value);
}

/* Set spare fill k, and as the range everything beyond it towards zero: nearly the whole type. */
static void put_spare(stoa_kind kind, int k, stoa_fill *fill)
{
    const int64_t spare = stoa_kind_spare(kind, k);
    const bool is_low = kind == STOA_KIND_INT64;

    fill->has_range = true;
    put_integer(fill->value, kind, spare);
    put_integer(fill->valid_min, kind, is_low ? spare + 1 : 0);
    put_integer(fill->valid_max, kind, is_low ? INT64_MAX : spare - 1);
}

static bool has_spare(const stoa_domain *domain, stoa_kind kind, int k)
{
    return (domain->spares >> (k + (kind == STOA_KIND_UINT64 ? STOA_N_SPARES : 0)) & 1) == 0;
}

static bool fill_with_spare(const stoa_domain *domain, stoa_kind kind, stoa_fill *fill)
{
    if (kind != STOA_KIND_INT64 && kind != STOA_KIND_UINT64) {
        return false;
    }
    for (int k = 0; k < STOA_N_SPARES; k++) {
        if (has_spare(domain, kind, k)) {
            put_spare(kind, k, fill);
            return true;
        }
    }
    return false;
}

bool stoa_fill_integer(const stoa_domain *domain, stoa_kind kind, stoa_fill *fill)
{
    const int64_t type_min = stoa_kind_min(kind);
    const uint64_t type_max = stoa_kind_max(kind);
    const bool holds_min = stoa_kind_is_signed(kind)
                               ? domain->has_negative && domain->low == type_min
                               : domain->has_positive && domain->low == 0;
    const bool holds_max = domain->has_positive && domain->high == type_max;

    *fill = (stoa_fill){0};
    if (!stoa_domain_fits(domain, kind)) {
        return false;
    }
    if ((domain->sentinels & (1u << (kind - STOA_KIND_INT8))) == 0) {
        put_integer(fill->value, kind, stoa_kind_sentinel(kind));
        return true;
    }
    /* The recommended fill is a value: use an end of the type, and declare the rest as the valid
     * range. */
    fill->has_range = true;
    if (!holds_min) {
        put_integer(fill->value, kind, type_min);
        put_integer(fill->valid_min, kind, type_min + 1);
        put_integer(fill->valid_max, kind, (int64_t)type_max);
        return true;
    }
    if (!holds_max) {
        put_integer(fill->value, kind, (int64_t)type_max);
        put_integer(fill->valid_min, kind, type_min);
        put_integer(fill->valid_max, kind, (int64_t)(type_max - 1));
        return true;
    }
    return fill_with_spare(domain, kind, fill);
}

void stoa_float_put(uint8_t *out, stoa_kind kind, double value)
{
    const float narrow = (float)value;
    const uint16_t half = stoa_f32_to_f16(narrow);

    if (kind == STOA_KIND_FLOAT16) {
        memcpy(out, &half, sizeof half);
    } else if (kind == STOA_KIND_FLOAT32) {
        memcpy(out, &narrow, sizeof narrow);
    } else {
        memcpy(out, &value, sizeof value);
    }
}

/* The neighbour of the kind's largest finite number, towards zero. */
static double below_largest(stoa_kind kind)
{
    return kind == STOA_KIND_FLOAT16   ? 65472.0
           : kind == STOA_KIND_FLOAT32 ? (double)nextafterf(FLT_MAX, 0.0f)
                                       : nextafter(DBL_MAX, 0.0);
}

bool stoa_fill_float(const stoa_domain *domain, stoa_kind kind, stoa_fill *fill)
{
    const double largest = kind == STOA_KIND_FLOAT16   ? 65504.0
                           : kind == STOA_KIND_FLOAT32 ? (double)FLT_MAX
                                                       : DBL_MAX;
    const bool any = domain->has_number;
    double value;
    double low = -INFINITY;
    double high = INFINITY;

    *fill = (stoa_fill){0};
    if (kind != STOA_KIND_FLOAT16 && !domain->has_float_fill) {
        stoa_float_put(fill->value, kind, STOA_FLOAT_FILL);
        return true;
    }
    if (!any || domain->high_f < largest) {
        value = largest;
        high = below_largest(kind);
    } else if (domain->low_f > -largest) {
        value = -largest;
        low = -below_largest(kind);
    } else if (domain->high_f < INFINITY) {
        value = INFINITY;
        high = largest;
    } else if (domain->low_f > -INFINITY) {
        value = -INFINITY;
        low = -largest;
    } else if (!domain->has_nan) {
        value = NAN;
    } else {
        return false;
    }
    fill->has_range = true;
    stoa_float_put(fill->value, kind, value);
    stoa_float_put(fill->valid_min, kind, low);
    stoa_float_put(fill->valid_max, kind, high);
    return true;
}

bool stoa_fill_string(const stoa_domain *domain, char *fill)
{
    /* SUBSTITUTE first, which stands for an invalid character; then rarely used control
     * characters. */
    static const char order[] = {0x1a, 0x15, 0x18, 0x19, 0x1d, 0x1c, 0x1e, 0x1f, 0x10, 0x11,
                                 0x12, 0x13, 0x14, 0x16, 0x17, 0x02, 0x03, 0x04, 0x05, 0x06};

    if (!domain->has_empty) {
        *fill = '\0';
        return true;
    }
    for (size_t i = 0; i < sizeof order; i++) {
        if ((domain->controls & (UINT32_C(1) << (unsigned char)order[i])) == 0) {
            *fill = order[i];
            return true;
        }
    }
    return false;
}

bool stoa_fill_opaque(const stoa_domain *domain, uint8_t *fill)
{
    for (unsigned c = 0xff; c <= 0xff; c--) {
        if ((domain->uniform[c / 64] & (UINT64_C(1) << (c % 64))) == 0) {
            *fill = (uint8_t)c;
            return true;
        }
    }
    return false;
}
