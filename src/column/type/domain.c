/* Values are examined in runs without nulls, by loops that the compiler can vectorize (HEP001 §8.5,
 * Table 1). */
#include "column/type/domain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

int64_t stoa_kind_min(stoa_kind kind)
{
    switch (kind) {
    case STOA_KIND_INT8:
        return INT8_MIN;
    case STOA_KIND_INT16:
        return INT16_MIN;
    case STOA_KIND_INT32:
        return INT32_MIN;
    case STOA_KIND_INT64:
        return INT64_MIN;
    default:
        return 0;
    }
}

uint64_t stoa_kind_max(stoa_kind kind)
{
    const unsigned bits = 8u * (unsigned)stoa_kind_width(kind);

    return UINT64_MAX >> (64 - bits + (stoa_kind_is_signed(kind) ? 1 : 0));
}

int64_t stoa_kind_sentinel(stoa_kind kind)
{
    return stoa_kind_is_signed(kind) ? stoa_kind_min(kind) + 1 : (int64_t)stoa_kind_max(kind);
}

bool stoa_domain_fits(const stoa_domain *domain, stoa_kind kind)
{
    switch (kind) {
    case STOA_KIND_FLOAT16:
        return domain->n_values == 0 || domain->is_float16;
    case STOA_KIND_FLOAT32:
        return domain->n_values == 0 || domain->is_float32;
    case STOA_KIND_FLOAT64:
        return true;
    default:
        return (!domain->has_negative || domain->low >= stoa_kind_min(kind)) &&
               (!domain->has_positive || domain->high <= stoa_kind_max(kind));
    }
}

static void add_signed(stoa_domain *domain, int64_t value)
{
    if (value < 0) {
        if (!domain->has_negative || value < domain->low) {
            domain->low = value;
        }
        domain->has_negative = true;
    } else {
        if (!domain->has_positive || (uint64_t)value > domain->high) {
            domain->high = (uint64_t)value;
        }
        if (!domain->has_negative && (!domain->has_positive || value < domain->low)) {
            domain->low = value;
        }
        domain->has_positive = true;
    }
}

static void add_unsigned(stoa_domain *domain, uint64_t value)
{
    if (value <= INT64_MAX) {
        add_signed(domain, (int64_t)value);
        return;
    }
    if (!domain->has_positive) {
        domain->low = domain->has_negative ? domain->low : INT64_MAX;
    }
    domain->high = !domain->has_positive || value > domain->high ? value : domain->high;
    domain->has_positive = true;
}

/* Note a recommended fill that occurs as a value. */
static void note_sentinel(stoa_domain *domain, int64_t value, bool is_unsigned)
{
    for (int k = 0; k < 8; k++) {
        const stoa_kind kind = (stoa_kind)(STOA_KIND_INT8 + k);
        if (stoa_kind_sentinel(kind) != value) {
            continue;
        }
        /* The bits of uint64's sentinel equal those of a signed -1. There is no other clash. */
        if (kind == STOA_KIND_UINT64 && !is_unsigned) {
            continue;
        }
        domain->sentinels = (uint8_t)(domain->sentinels | (1u << k));
    }
}

/* All recommended fills, as int64; that of uint64 has the bits of -1. */
static const int64_t sentinels[] = {-127, -32767,     -INT32_MAX, -INT64_MAX,
                                    255,  UINT16_MAX, UINT32_MAX, -1};

/* Add consecutive values of one type: a loop without branches, and one more for each sentinel
 * between the smallest and the largest value. Buffers need not be aligned. */
#define DEFINE_ADD_RUN(name, ctype, is_unsigned)                                                   \
    static void add_run_##name(stoa_domain *domain, const uint8_t *values, int64_t n)              \
    {                                                                                              \
        ctype low;                                                                                 \
        memcpy(&low, values, sizeof low);                                                          \
        ctype high = low;                                                                          \
        for (int64_t i = 1; i < n; i++) {                                                          \
            ctype value;                                                                           \
            memcpy(&value, values + (size_t)i * sizeof value, sizeof value);                       \
            low = value < low ? value : low;                                                       \
            high = value > high ? value : high;                                                    \
        }                                                                                          \
        for (size_t k = 0; k < sizeof sentinels / sizeof sentinels[0]; k++) {                      \
            const ctype sentinel = (ctype)sentinels[k];                                            \
            if ((int64_t)sentinel != sentinels[k] || sentinel < low || sentinel > high) {          \
                continue;                                                                          \
            }                                                                                      \
            int64_t n_found = 0;                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                      \
                ctype value;                                                                       \
                memcpy(&value, values + (size_t)i * sizeof value, sizeof value);                   \
                n_found += value == sentinel;                                                      \
            }                                                                                      \
            if (n_found != 0) {                                                                    \
                note_sentinel(domain, sentinels[k], is_unsigned);                                  \
            }                                                                                      \
        }                                                                                          \
        add_integer(domain, (int64_t)low, is_unsigned);                                            \
        add_integer(domain, (int64_t)high, is_unsigned);                                           \
    }

static void add_integer(stoa_domain *domain, int64_t value, bool is_unsigned)
{
    if (is_unsigned) {
        add_unsigned(domain, (uint64_t)value);
    } else {
        add_signed(domain, value);
    }
}

DEFINE_ADD_RUN(i8, int8_t, false)
DEFINE_ADD_RUN(i16, int16_t, false)
DEFINE_ADD_RUN(i32, int32_t, false)
DEFINE_ADD_RUN(i64, int64_t, false)
DEFINE_ADD_RUN(u8, uint8_t, true)
DEFINE_ADD_RUN(u16, uint16_t, true)
DEFINE_ADD_RUN(u32, uint32_t, true)
DEFINE_ADD_RUN(u64, uint64_t, true)

int64_t stoa_kind_spare(stoa_kind kind, int k)
{
    return kind == STOA_KIND_INT64 ? INT64_MIN + 2 + k
                                   : -2 - k; /* the bits of UINT64_MAX - 1 - k */
}

/* Note the spare fills that occur. Values are examined again only if some are near the end of the
 * type, which is rare. */
static void note_spares(stoa_domain *domain, const uint8_t *values, int64_t n, bool is_unsigned)
{
    const stoa_kind kind = is_unsigned ? STOA_KIND_UINT64 : STOA_KIND_INT64;
    const uint64_t nearest = (uint64_t)stoa_kind_spare(kind, 0);

    if (is_unsigned ? domain->high < nearest - STOA_N_SPARES
                    : !domain->has_negative || domain->low > INT64_MIN + 2 + STOA_N_SPARES) {
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        uint64_t value;
        memcpy(&value, values + (size_t)i * sizeof value, sizeof value);
        const uint64_t k = is_unsigned ? nearest - value : value - nearest;
        if (k < STOA_N_SPARES) {
            domain->spares |= UINT64_C(1) << (k + (is_unsigned ? STOA_N_SPARES : 0));
        }
    }
}

static void add_integers(stoa_domain *domain, const stoa_view *view)
{
    typedef void (*add_run)(stoa_domain *, const uint8_t *, int64_t);
    static const add_run runs[2][4] = {{add_run_i8, add_run_i16, add_run_i32, add_run_i64},
                                       {add_run_u8, add_run_u16, add_run_u32, add_run_u64}};
    const size_t width = (size_t)stoa_kind_width(view->type.kind);
    const int place = width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3;
    const uint8_t *values = view->values;
    int64_t n;

    for (int64_t first = 0; (n = stoa_view_run(view, &first)) != 0; first += n) {
        runs[stoa_kind_is_unsigned(view->type.kind)][place](
            domain, values + (size_t)(view->offset + first) * width, n);
        if (width == sizeof(uint64_t)) {
            note_spares(domain, values + (size_t)(view->offset + first) * width, n,
                        stoa_kind_is_unsigned(view->type.kind));
        }
        domain->n_values += (uint64_t)n;
    }
}

/* Smallest and largest of floats without NaN. */
typedef struct float_span {
    double low;
    double high;
    int64_t n_nan;
    int64_t n_fill;
} float_span;

#define DEFINE_FLOAT_RUN(ctype)                                                                    \
    static float_span span_of_##ctype(const uint8_t *values, int64_t n)                            \
    {                                                                                              \
        ctype low = (ctype)INFINITY;                                                               \
        ctype high = (ctype)-INFINITY;                                                             \
        int64_t n_nan = 0;                                                                         \
        int64_t n_fill = 0;                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                          \
            ctype value;                                                                           \
            memcpy(&value, values + (size_t)i * sizeof value, sizeof value);                       \
            low = value < low ? value : low;                                                       \
            high = value > high ? value : high;                                                    \
            n_nan += value != value;                                                               \
            n_fill += value == (ctype)STOA_FLOAT_FILL;                                             \
        }                                                                                          \
        return (float_span){(double)low, (double)high, n_nan, n_fill};                             \
    }

DEFINE_FLOAT_RUN(float)
DEFINE_FLOAT_RUN(double)

static float_span span_of_halves(const stoa_view *view, int64_t first, int64_t n)
{
    float_span span = {INFINITY, -INFINITY, 0, 0};

    for (int64_t i = first; i < first + n; i++) {
        const double value = stoa_view_f64(view, i);
        span.low = value < span.low ? value : span.low;
        span.high = value > span.high ? value : span.high;
        span.n_nan += isnan(value) != 0;
    }
    return span;
}

static bool is_half(double value)
{
    return (double)stoa_f16_to_f32(stoa_f32_to_f16((float)value)) == value;
}

/* Whether narrower floats hold all values exactly. Checking stops once they do not. */
static void add_exactness(stoa_domain *domain, const stoa_view *view, int64_t first, int64_t n)
{
    for (int64_t i = first; i < first + n && domain->is_float16; i++) {
        const double value = stoa_view_f64(view, i);
        domain->is_float16 = isnan(value) || is_half(value);
    }
    for (int64_t i = first;
         i < first + n && domain->is_float32 && view->type.kind == STOA_KIND_FLOAT64; i++) {
        const double value = stoa_view_f64(view, i);
        domain->is_float32 = isnan(value) || (double)(float)value == value;
    }
}

static void add_floats(stoa_domain *domain, const stoa_view *view)
{
    const stoa_kind kind = view->type.kind;
    const uint8_t *values = view->values;
    int64_t n;

    for (int64_t first = 0; (n = stoa_view_run(view, &first)) != 0; first += n) {
        const uint8_t *at = values + (size_t)(view->offset + first) * (size_t)stoa_kind_width(kind);
        const float_span span = kind == STOA_KIND_FLOAT32   ? span_of_float(at, n)
                                : kind == STOA_KIND_FLOAT64 ? span_of_double(at, n)
                                                            : span_of_halves(view, first, n);
        const bool has_number = span.n_nan < n;
        if (has_number && (!domain->has_number || span.low < domain->low_f)) {
            domain->low_f = span.low;
        }
        if (has_number && (!domain->has_number || span.high > domain->high_f)) {
            domain->high_f = span.high;
        }
        domain->n_values += (uint64_t)n;
        domain->has_number |= has_number;
        domain->has_nan |= span.n_nan != 0;
        domain->has_float_fill |= span.n_fill != 0;
        add_exactness(domain, view, first, n);
    }
}

static void add_bytes(stoa_domain *domain, const char *bytes, size_t length)
{
    domain->n_values++;
    domain->n_bytes += length;
    domain->longest = length > domain->longest ? length : domain->longest;
    if (length == 0) {
        domain->has_empty = true;
        return;
    }
    domain->has_wide = domain->has_wide || !stoa_is_ascii(bytes, length);
    const unsigned first = (unsigned char)bytes[0];
    if (memcmp(bytes, bytes + 1, length - 1) == 0) {
        domain->uniform[first / 64] |= UINT64_C(1) << (first % 64);
    }
    domain->has_last_space |= bytes[length - 1] == ' ';
    if (length == 1 && (unsigned char)bytes[0] < 32) {
        domain->controls |= UINT32_C(1) << (unsigned char)bytes[0];
    }
    if (memchr(bytes, '\0', length) != NULL) {
        domain->has_nul = true;
        domain->has_last_nul |= bytes[length - 1] == '\0';
    }
}

stoa_status stoa_domain_add_labels(stoa_domain *domain, const stoa_view *codes, bool *used,
                                   stoa_error *err)
{
    stoa_view labels;

    domain->has_missing |= codes->null_count != 0;
    STOA_RETURN_NOT_OK(stoa_view_dictionary(codes, &labels, err));
    if (!stoa_kind_is_string(labels.type.kind)) {
        return STOA_OK;
    }
    for (int64_t i = 0; i < codes->length; i++) {
        if (stoa_view_is_null(codes, i)) {
            continue;
        }
        const int64_t code = stoa_view_i64(codes, i);
        if (!used[code] && !stoa_view_is_null(&labels, code)) {
            size_t length;
            const char *bytes = stoa_view_bytes(&labels, code, &length);
            add_bytes(domain, bytes, length);
            used[code] = true;
        }
    }
    return STOA_OK;
}

static stoa_status add_labels(stoa_domain *domain, const stoa_view *codes, stoa_error *err)
{
    bool *const used = stoa_alloc_zero((size_t)codes->array->dictionary->length, sizeof *used);

    STOA_RETURN_NO_MEMORY(err, used);
    const stoa_status status = stoa_domain_add_labels(domain, codes, used, err);
    free(used);
    return status;
}

/* Set the bounds as floats as well, since integers may go into a column of floats. */
static void add_rounded(stoa_domain *domain)
{
    const double low = domain->has_negative ? (double)domain->low : 0.0;
    const double high = domain->has_positive ? (double)domain->high : 0.0;

    if (domain->has_negative || domain->has_positive) {
        domain->low_f = !domain->has_number || low < domain->low_f ? low : domain->low_f;
        domain->high_f = !domain->has_number || high > domain->high_f ? high : domain->high_f;
        domain->has_number = true;
    }
}

/* Whether a float with that many significant bits holds every integer of the domain exactly. */
static bool integers_within(const stoa_domain *domain, unsigned bits)
{
    const int64_t exact = INT64_C(1) << bits;

    return (!domain->has_positive || domain->high <= (uint64_t)exact) &&
           (!domain->has_negative || domain->low >= -exact);
}

stoa_status stoa_domain_add(stoa_domain *domain, const stoa_view *view, stoa_error *err)
{
    const stoa_kind kind = view->type.kind;

    domain->has_missing |= view->null_count != 0;
    if (domain->n_values == 0) {
        domain->is_float16 = true;
        domain->is_float32 = true;
    }
    if (stoa_kind_is_integer(kind) || stoa_kind_is_ticks(kind)) {
        add_integers(domain, view);
        add_rounded(domain);
        domain->is_float16 &= integers_within(domain, 11);
        domain->is_float32 &= integers_within(domain, 24);
    } else if (stoa_kind_is_float(kind)) {
        add_floats(domain, view);
    } else if (kind == STOA_KIND_DICTIONARY) {
        return add_labels(domain, view, err);
    } else if (kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST) {
        for (int64_t i = 0; i < view->length; i++) {
            int64_t first = 0;
            int64_t count = 1;
            if (!stoa_view_is_null(view, i)) {
                stoa_view_range(view, i, &first, &count);
                domain->n_values++;
                domain->has_empty |= count == 0;
            }
        }
    } else if (stoa_kind_is_string(kind) || kind == STOA_KIND_BINARY ||
               kind == STOA_KIND_LARGE_BINARY || kind == STOA_KIND_FIXED_BINARY) {
        for (int64_t i = 0; i < view->length; i++) {
            if (!stoa_view_is_null(view, i)) {
                size_t length;
                const char *bytes = stoa_view_bytes(view, i, &length);
                add_bytes(domain, bytes, length);
            }
        }
    }
    return STOA_OK;
}

void stoa_domain_merge(stoa_domain *into, const stoa_domain *other)
{
    const bool has_missing = into->has_missing || other->has_missing;

    into->has_missing = has_missing;
    if (other->n_values == 0) {
        return;
    }
    if (into->n_values == 0) {
        *into = *other;
        into->has_missing = has_missing;
        return;
    }
    into->low = into->low < other->low ? into->low : other->low;
    into->high = into->high > other->high ? into->high : other->high;
    into->has_negative |= other->has_negative;
    into->has_positive |= other->has_positive;
    into->sentinels |= other->sentinels;
    into->spares |= other->spares;
    if (other->has_number) {
        into->low_f = !into->has_number || other->low_f < into->low_f ? other->low_f : into->low_f;
        into->high_f =
            !into->has_number || other->high_f > into->high_f ? other->high_f : into->high_f;
    }
    into->has_number |= other->has_number;
    into->has_nan |= other->has_nan;
    into->has_float_fill |= other->has_float_fill;
    into->is_float16 &= other->is_float16;
    into->is_float32 &= other->is_float32;
    into->longest = into->longest > other->longest ? into->longest : other->longest;
    into->has_empty |= other->has_empty;
    into->has_nul |= other->has_nul;
    into->has_last_nul |= other->has_last_nul;
    into->has_last_space |= other->has_last_space;
    into->has_wide |= other->has_wide;
    for (size_t i = 0; i < sizeof into->uniform / sizeof into->uniform[0]; i++) {
        into->uniform[i] |= other->uniform[i];
    }
    into->controls |= other->controls;
    into->n_values += other->n_values;
    into->n_bytes += other->n_bytes;
}

/* The only integer of a domain, clamped to int64. */
static int64_t only_integer(const stoa_domain *domain)
{
    return domain->has_negative        ? domain->low
           : domain->high <= INT64_MAX ? (int64_t)domain->high
                                       : INT64_MAX;
}

stoa_domain stoa_domain_of(stoa_kind kind, const void *value)
{
    struct ArrowSchema schema = {.release = NULL};
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_domain domain = {0};
    const stoa_view view = {
        .type = {.kind = kind}, .length = 1, .values = value, .schema = &schema};

    (void)stoa_domain_add(&domain, &view, &ignored);
    return domain;
}

bool stoa_domain_is_within(const stoa_domain *domain, const stoa_domain *low,
                           const stoa_domain *high, bool as_float)
{
    if (as_float) {
        return !domain->has_number ||
               (low->has_number && high->has_number && low->low_f <= domain->low_f &&
                domain->high_f <= high->high_f);
    }
    /* A domain does not record its largest negative value: -1 stands for it. */
    const bool is_below_high = domain->has_positive
                                   ? high->has_positive && domain->high <= high->high
                                   : high->has_positive || only_integer(high) == -1;
    return only_integer(low) <= domain->low && is_below_high;
}

bool stoa_string_fits(const stoa_domain *domain, size_t size, H5T_str_t padding)
{
    switch (padding) {
    case H5T_STR_NULLTERM:
        return domain->longest < size && !domain->has_nul;
    case H5T_STR_SPACEPAD:
        return domain->longest <= size && !domain->has_last_space;
    default:
        return domain->longest <= size && !domain->has_last_nul;
    }
}
