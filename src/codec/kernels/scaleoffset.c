/*
 * The scale-offset filter (HDF5's filter 6): its client data, chunk header, and choice of kernels.
 *
 * A stored chunk, with all numbers little-endian:
 *
 * - 4 bytes: bits per value
 * - 1 byte: how many of the next bytes hold the minimum
 * - 16 bytes: the minimum
 * - the codes
 * - at least one bit of padding
 *
 * Values with as many bits as their type are stored unchanged. Their byte order is that of the
 * machine that wrote them, which is assumed to be little-endian.
 */
#include "codec/kernels/scaleoffset.h"

#include <math.h>

#include "codec/kernels/decimals.h"
#include "codec/kernels/scaleoffset_kernels.h"
#include "core/compact.h"

/* Positions and values of the client data. */
enum {
    SCALE_TYPE,
    SCALE_FACTOR,
    N_VALUES,
    CLASS,
    SIZE,
    SIGN,
    ORDER,
    HAS_FILL,
    FILL,
    N_CLIENT = 20
};
enum { TYPE_DECIMALS = 0, TYPE_INTEGERS = 2, CLASS_INTEGER = 0, CLASS_FLOAT = 1 };

enum { HEADER = 21, N_LEAST = 4, LEAST = 5, MAX_LEAST = 8, ONE_BY_ONE = 64 };
/* What Stoa says that a float's minimum takes. Every libhdf5 reads the 8 bytes that are its own. */
enum { OWN_LEAST = 16 };
/* Beyond it, not every whole number is a double. */
#define MOST_LEAST 0x1p52

/* Floats pass the L1 cache as codes. A multiple of 8. */
enum { BLOCK = 1024, MOST_DECIMALS = 15 };

const stoa_so_kernels *stoa_so_kernels_of(stoa_simd simd)
{
    return STOA_SIMD_OF(simd, &stoa_so);
}

/* Which class of numbers the filter is for. */
static bool has_known_class(const uint32_t *values, uint32_t size)
{
    const uint32_t factor = values[SCALE_FACTOR];

    switch (values[CLASS]) {
    case CLASS_INTEGER: /* libhdf5 reads the factor as signed, and uses 0 for negative ones */
        return values[SCALE_TYPE] == TYPE_INTEGERS && (factor > INT32_MAX || factor <= 8 * size);
    case CLASS_FLOAT:
        return values[SCALE_TYPE] == TYPE_DECIMALS && size >= 4 &&
               factor <= stoa_decimals_most(size);
    default:
        return false;
    }
}

bool stoa_scaleoffset_of(const stoa_filter *filter, size_t chunk_bytes, stoa_simd simd,
                         stoa_scaleoffset *out)
{
    const uint32_t *values = filter->values;
    const uint32_t size = filter->n_values == N_CLIENT ? values[SIZE] : 0;

    if ((size != 1 && size != 2 && size != 4 && size != 8) || !has_known_class(values, size) ||
        values[SIGN] > 1 || values[ORDER] > 1 || values[HAS_FILL] > 1 || values[N_VALUES] == 0 ||
        (uint64_t)values[N_VALUES] * size != chunk_bytes) {
        return false;
    }
    const bool is_decimal = values[CLASS] == CLASS_FLOAT;
    const uint32_t factor = values[SCALE_FACTOR] > INT32_MAX ? 0 : values[SCALE_FACTOR];
    const uint64_t fill = values[FILL] | (size == 8 ? (uint64_t)values[FILL + 1] << 32 : 0);
    *out = (stoa_scaleoffset){
        .n = values[N_VALUES],
        .size = size,
        .bits = is_decimal ? 0 : factor,
        .is_signed = values[SIGN] == 1,
        .is_decimal = is_decimal,
        .decimals = is_decimal ? factor : 0,
        .is_big_endian = values[ORDER] == 1,
        .has_fill = values[HAS_FILL] == 1,
        .fill = values[HAS_FILL] == 1 ? fill & stoa_so_ones(8 * size) : 0,
        .simd = simd,
    };
    return true;
}

bool stoa_scaleoffset_alone(const stoa_pipeline *pipeline, uint32_t mask, stoa_scaleoffset *out)
{
    const stoa_filter *only = NULL;

    for (size_t i = 0; i < pipeline->n_filters; i++) {
        if ((mask >> i & 1) == 0) {
            if (only != NULL) {
                return false;
            }
            only = &pipeline->filters[i];
        }
    }
    return only != NULL && only->id == STOA_FILTER_SCALEOFFSET &&
           stoa_scaleoffset_of(only, pipeline->chunk_bytes, pipeline->simd, out);
}

stoa_filter stoa_scaleoffset_filter(const stoa_scaleoffset *so)
{
    stoa_filter filter = {.id = STOA_FILTER_SCALEOFFSET, .n_values = N_CLIENT};

    filter.values[SCALE_TYPE] = so->is_decimal ? TYPE_DECIMALS : TYPE_INTEGERS;
    filter.values[SCALE_FACTOR] = so->is_decimal ? so->decimals : so->bits;
    filter.values[N_VALUES] = (uint32_t)so->n;
    filter.values[CLASS] = so->is_decimal ? CLASS_FLOAT : CLASS_INTEGER;
    filter.values[SIZE] = so->size;
    filter.values[SIGN] = so->is_signed;
    filter.values[ORDER] = so->is_big_endian;
    filter.values[HAS_FILL] = so->has_fill;
    filter.values[FILL] = (uint32_t)so->fill;
    filter.values[FILL + 1] = (uint32_t)(so->fill >> 32);
    return filter;
}

void stoa_scaleoffset_shorten(stoa_filter *filter, uint32_t n)
{
    filter->values[N_VALUES] = n;
}

static bool must_swap(const stoa_scaleoffset *so)
{
    return so->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static stoa_so_code code_of(const stoa_scaleoffset *so, uint32_t width, uint64_t least)
{
    return (stoa_so_code){so->size, width, must_swap(so), so->has_fill, so->fill, least};
}

static stoa_decimals decimals_of(const stoa_scaleoffset *so, uint32_t width, uint64_t least)
{
    return (stoa_decimals){so->size,     so->decimals, width, must_swap(so),
                           so->has_fill, so->fill,     least};
}

/* --- reading --------------------------------------------------------------------------------- */

/* Read the header of a chunk of `so->n` values. False if it is damaged or the chunk is too
 * short. */
static bool read_header(const stoa_scaleoffset *so, const uint8_t *stored, size_t n_stored,
                        stoa_so_code *code)
{
    uint64_t least = 0;

    if (n_stored < HEADER) {
        return false;
    }
    const uint32_t width = (uint32_t)stored[0] | (uint32_t)stored[1] << 8 |
                           (uint32_t)stored[2] << 16 | (uint32_t)stored[3] << 24;
    if (width > 8 * so->size || (so->n * width + 7) / 8 > n_stored - HEADER) {
        return false;
    }
    for (int i = 0; i < MAX_LEAST && i < stored[N_LEAST]; i++) {
        least |= (uint64_t)stored[LEAST + i] << (8 * i);
    }
    *code = code_of(so, width, least);
    return true;
}

/* Copy values that are stored unchanged, and swap their bytes if `turn` is set. */
static void copy_values(const stoa_scaleoffset *so, bool turn, const uint8_t *from, uint64_t n,
                        uint8_t *out)
{
    memcpy(out, from, (size_t)(n * so->size));
    for (uint64_t i = 0; turn && i < n; i++) {
        uint8_t *value = out + i * so->size;
        stoa_so_store(value, so->size, true, stoa_so_load(value, so->size, false));
    }
}

/* Width 0: all values are the same. With a fill value, it is the fill value. */
static void repeat_value(const stoa_so_code *code, uint64_t n, uint8_t *out)
{
    for (uint64_t i = 0; i < n; i++) {
        stoa_so_store(out + i * code->size, code->size, code->swap,
                      code->has_fill ? code->fill : code->least);
    }
}

/* Decode values [first, first + n). The first ones are decoded singly, up to a multiple of 8, where
 * the kernels can begin. */
static void unpack_from(const stoa_scaleoffset *so, const stoa_so_code *code, const uint8_t *bits,
                        size_t n_bytes, uint64_t first, uint64_t n, uint8_t *out)
{
    const uint64_t end = first + n;
    const uint64_t fill_code = code->has_fill ? stoa_so_ones(code->width) : UINT64_MAX;
    const bool few = n < ONE_BY_ONE;

    for (; first < end && (few || first % 8 != 0); first++, out += code->size) {
        const uint64_t x = stoa_so_code_at(bits, n_bytes, first * code->width, code->width);
        stoa_so_store(out, code->size, code->swap, x == fill_code ? code->fill : code->least + x);
    }
    if (first < end) {
        const size_t skipped = (size_t)(first / 8 * code->width);
        stoa_so_kernels_of(so->simd)->unpack(code, bits + skipped, n_bytes - skipped, end - first,
                                             out);
    }
}

/* Decode floats [first, first + n): codes as integers, then their quotients. */
static void unpack_decimals(const stoa_scaleoffset *so, const stoa_so_code *code,
                            const uint8_t *bits, size_t n_bytes, uint64_t first, uint64_t n,
                            uint8_t *out)
{
    const stoa_decimals form = decimals_of(so, code->width, code->least);
    const stoa_so_code plain = {.size = so->size, .width = code->width};

    for (uint64_t done = 0; done < n;) {
        const uint64_t to_edge = BLOCK - (first + done) % BLOCK;
        const uint64_t now = n - done < to_edge ? n - done : to_edge;
        uint8_t *const values = out + done * so->size;
        if (code->width == 0) { /* all codes are 0, which is all ones, too */
            memset(values, 0, (size_t)(now * so->size));
        } else {
            unpack_from(so, &plain, bits, n_bytes, first + done, now, values);
        }
        stoa_decimals_decode(&form, now, values);
        done += now;
    }
}

bool stoa_scaleoffset_decode_range(const stoa_scaleoffset *so, const uint8_t *stored,
                                   size_t n_stored, uint64_t first, uint64_t n, uint8_t *out)
{
    stoa_so_code code;

    if (so->bits == 8 * so->size) { /* the filter has no effect */
        if (n_stored < so->n * so->size) {
            return false;
        }
        copy_values(so, false, stored + first * so->size, n, out);
        return true;
    }
    if (!read_header(so, stored, n_stored, &code)) {
        return false;
    }
    stored += HEADER;
    n_stored -= HEADER;
    if (code.width == 8 * so->size) {
        copy_values(so, so->is_big_endian, stored + first * so->size, n, out);
    } else if (so->is_decimal) {
        unpack_decimals(so, &code, stored, n_stored, first, n, out);
    } else if (code.width == 0) {
        repeat_value(&code, n, out);
    } else {
        unpack_from(so, &code, stored, n_stored, first, n, out);
    }
    return true;
}

bool stoa_scaleoffset_decode(const stoa_scaleoffset *so, const uint8_t *stored, size_t n_stored,
                             uint8_t *out)
{
    return stoa_scaleoffset_decode_range(so, stored, n_stored, 0, so->n, out);
}

/* --- chosen values --------------------------------------------------------------------------- */

/* Values are decoded in blocks of CHOICE_BYTES, so that they are chosen while in the L1 cache. If
 * fewer than one in FEW_OF is chosen, they are decoded one by one. */
enum { CHOICE_BYTES = 16384, FEW_OF = 32 };

static void choose_few(const stoa_so_code *code, const uint8_t *stream, size_t n_bytes,
                       uint64_t first, uint64_t count, const uint8_t *bits, uint8_t *out)
{
    const uint64_t fill_code = code->has_fill ? stoa_so_ones(code->width) : UINT64_MAX;

    for (uint64_t at = 0; at < count; at += 64) {
        const uint64_t now = count - at < 64 ? count - at : 64;
        uint64_t left = 0;
        memcpy(&left, bits + at / 8, (size_t)(now + 7) / 8);
        for (left &= stoa_so_ones((unsigned)now); left != 0; left &= left - 1, out += code->size) {
            const uint64_t i = first + at + (unsigned)__builtin_ctzll(left);
            const uint64_t x = stoa_so_code_at(stream, n_bytes, i * code->width, code->width);
            stoa_so_store(out, code->size, code->swap,
                          x == fill_code ? code->fill : code->least + x);
        }
    }
}

/* `code` is NULL for values that are no codes, `form` for those that are not divided. */
static bool choose_many(const stoa_scaleoffset *so, const stoa_so_code *code,
                        const stoa_decimals *form, const uint8_t *stored, size_t n_stored,
                        uint64_t first, uint64_t count, const uint8_t *bits, uint8_t *out)
{
    stoa_compact *const compact =
        stoa_compact_kernels_of(so->simd)->by_width[stoa_compact_place(so->size)];
    const uint64_t step = CHOICE_BYTES / so->size;
    _Alignas(64) uint8_t block[CHOICE_BYTES];

    for (uint64_t at = 0; at < count; at += step) {
        const uint64_t now = count - at < step ? count - at : step;
        if (code != NULL) {
            unpack_from(so, code, stored + HEADER, n_stored - HEADER, first + at, now, block);
        } else if (!stoa_scaleoffset_decode_range(so, stored, n_stored, first + at, now, block)) {
            return false;
        }
        const uint64_t n = compact(block, bits + at / 8, now, out);
        if (form != NULL) {
            stoa_decimals_decode(form, n, out);
        }
        out += n * so->size;
    }
    return true;
}

bool stoa_scaleoffset_choose(const stoa_scaleoffset *so, const uint8_t *stored, size_t n_stored,
                             uint64_t first, uint64_t count, const uint8_t *bits, uint64_t n,
                             uint8_t *out)
{
    stoa_so_code code;

    if (so->bits == 8 * so->size || !read_header(so, stored, n_stored, &code) || code.width == 0 ||
        code.width == 8 * so->size) {
        return choose_many(so, NULL, NULL, stored, n_stored, first, count, bits, out);
    }
    const stoa_decimals form = decimals_of(so, code.width, code.least);
    const stoa_decimals *const divided = so->is_decimal ? &form : NULL; /* only chosen codes are */
    if (so->is_decimal) {
        code = (stoa_so_code){.size = so->size, .width = code.width};
    }
    if (n >= count / FEW_OF) {
        return choose_many(so, &code, divided, stored, n_stored, first, count, bits, out);
    }
    choose_few(&code, stored + HEADER, n_stored - HEADER, first, count, bits, out);
    if (divided != NULL) {
        stoa_decimals_decode(divided, n, out);
    }
    return true;
}

/* --- writing --------------------------------------------------------------------------------- */

size_t stoa_scaleoffset_bound(const stoa_scaleoffset *so)
{
    return HEADER + (size_t)(so->n * so->size) + 1;
}

/* The number of bits that distinguish `n` codes. */
static uint32_t bits_for(uint64_t n)
{
    return n <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(n - 1);
}

/* Widen codes for the filters that follow, but not to as many bits as the type has: such codes are
 * values, which libhdf5 1.14 cannot read (HDFGroup/hdf5 5861). */
static uint32_t widen(const stoa_scaleoffset *so, uint32_t width)
{
    uint32_t wide = (width + 7) / 8 * 8;

    if (so->widening == STOA_SO_NARROW || width <= 2) {
        return width;
    }
    if (width <= 4) { /* a byte is a pair of values, which has a code of its own */
        return 4;
    }
    if (so->widening == STOA_SO_IN_WORDS) {
        wide = wide <= 16 ? wide : wide <= 32 ? 32 : 64;
    }
    return wide < 8 * so->size ? wide : width;
}

/*
 * Find the bits per value and the minimum, sign-extended for signed values. False if the values do
 * not fit.
 *
 * Like libhdf5, this treats a span of all but two values of a type as the full span.
 */
static bool fit(const stoa_scaleoffset *so, const uint8_t *values, stoa_so_code *code)
{
    const uint64_t sign = UINT64_C(1) << (8 * so->size - 1);
    const uint64_t flip = so->is_signed ? sign : 0;
    const stoa_so_bounds bounds = stoa_so_kernels_of(so->simd)->bounds(code, flip, values, so->n);
    const bool none = bounds.least > bounds.greatest;
    const uint64_t span = none ? 0 : bounds.greatest - bounds.least;
    const uint64_t least = none ? 0 : bounds.least ^ flip;

    code->least = so->is_signed ? (least ^ sign) - sign : least;
    if (span > stoa_so_ones(8 * so->size) - 2) {
        return false;
    }
    const uint32_t needed = bits_for(span + 1 + (so->has_fill ? 1 : 0));
    code->width = so->bits != 0 ? so->bits : widen(so, needed);
    return needed <= code->width && code->width < 8 * so->size;
}

/* Write the header of a chunk. Returns the bytes of the chunk, the last of which is padding. */
static size_t put_header(const stoa_scaleoffset *so, const stoa_so_code *code, uint8_t *out)
{
    const size_t n_stored = HEADER + (size_t)(so->n * code->width / 8) + 1;

    memset(out, 0, HEADER);
    out[0] = (uint8_t)code->width;
    out[N_LEAST] = !so->is_decimal ? MAX_LEAST : code->least == 0 ? 0 : OWN_LEAST;
    for (int i = 0; i < MAX_LEAST && i < out[N_LEAST]; i++) {
        out[LEAST + i] = (uint8_t)(code->least >> (8 * i));
    }
    out[n_stored - 1] = 0;
    return n_stored;
}

static double least_of(const stoa_scaleoffset *so, const uint8_t *values)
{
    const stoa_decimals form = decimals_of(so, 0, 0);

    return stoa_decimals_least(&form, values, so->n);
}

/* The bits of the least value if it has no more decimals than the column, else 0. */
static uint64_t bits_of_least(const stoa_scaleoffset *so, double least)
{
    const float narrow = (float)least;
    const double power = pow(10, so->decimals);
    const double units = rint(least * power);
    uint32_t bits_4 = 0;
    uint64_t bits = 0;

    if (!(fabs(units) < MOST_LEAST) || units == 0 ||
        (so->size == 4 ? (float)units / (float)power != narrow : units / power != least)) {
        return 0;
    }
    memcpy(&bits, &least, sizeof bits);
    memcpy(&bits_4, &narrow, sizeof bits_4);
    return so->size == 4 ? bits_4 : bits;
}

/* The bits that the codes of floats need above a minimum. False if a value does not come back. */
static bool fit_above(const stoa_scaleoffset *so, uint64_t least, const uint8_t *values,
                      stoa_so_code *code)
{
    const stoa_decimals form = decimals_of(so, 0, least);
    uint64_t greatest = 0;

    for (uint64_t i = 0; i < so->n; i += BLOCK) {
        const uint64_t now = so->n - i < BLOCK ? so->n - i : BLOCK;
        if (!stoa_decimals_fit(&form, values + i * so->size, now, &greatest)) {
            return false;
        }
    }
    code->least = least;
    code->width = bits_for(greatest + 1 + (so->has_fill ? 1 : 0));
    return code->width < 8 * so->size;
}

/* The bits and the minimum that the codes of floats need. False if one does not come back. libhdf5
 * adds the minimum to a quotient. That sum is exact for whole numbers. For other values it is most
 * often exact only if they are few. Without a negative one, all must come back from 0 as well: then
 * they have no more decimals than the column, and so will those of the next chunk. */
static bool fit_decimals(const stoa_scaleoffset *so, const uint8_t *values, double least,
                         stoa_so_code *code)
{
    const uint64_t bits = bits_of_least(so, least);
    const bool is_above = bits != 0 && least > 0 && so->decimals > 0;

    if (is_above && !fit_above(so, 0, values, code)) {
        return false;
    }
    return fit_above(so, bits, values, code) || (bits != 0 && fit_above(so, 0, values, code));
}

static size_t encode_decimals(const stoa_scaleoffset *so, const uint8_t *values, uint8_t *out)
{
    stoa_so_code code = {.size = so->size};
    uint8_t codes[BLOCK * sizeof(uint64_t)];

    if (!fit_decimals(so, values, least_of(so, values), &code)) {
        return 0;
    }
    code.width = widen(so, code.width);
    const stoa_decimals form = decimals_of(so, code.width, code.least);
    const size_t n_stored = put_header(so, &code, out);
    code.least = 0;
    for (uint64_t i = 0; code.width > 0 && i < so->n; i += BLOCK) {
        const uint64_t now = so->n - i < BLOCK ? so->n - i : BLOCK;
        stoa_decimals_encode(&form, values + i * so->size, now, codes);
        stoa_so_kernels_of(so->simd)->pack(&code, codes, now, out + HEADER + i * code.width / 8);
    }
    return n_stored;
}

size_t stoa_scaleoffset_encode(const stoa_scaleoffset *so, const uint8_t *values, uint8_t *out)
{
    stoa_so_code code = code_of(so, 0, 0);

    if (so->is_decimal) {
        return encode_decimals(so, values, out);
    }
    if (so->bits == 8 * so->size) { /* the filter has no effect */
        copy_values(so, false, values, so->n, out);
        return (size_t)(so->n * so->size);
    }
    if (!fit(so, values, &code)) {
        return 0;
    }
    const size_t n_stored = put_header(so, &code, out);
    if (code.width > 0) {
        stoa_so_kernels_of(so->simd)->pack(&code, values, so->n, out + HEADER);
    }
    return n_stored;
}

bool stoa_scaleoffset_is_rounded(const uint8_t *stored, size_t n_stored)
{
    return n_stored >= HEADER && stored[N_LEAST] != 0 && stored[N_LEAST] != OWN_LEAST;
}

bool stoa_scaleoffset_decimals(const stoa_scaleoffset *so, const uint8_t *values,
                               uint32_t *decimals)
{
    const uint32_t most = stoa_decimals_most(so->size);
    const double least = least_of(so, values);
    stoa_scaleoffset tried = *so;
    stoa_so_code code;

    for (tried.decimals = 0; tried.decimals <= MOST_DECIMALS && tried.decimals <= most;
         tried.decimals++) {
        if (fit_decimals(&tried, values, least, &code)) {
            *decimals = tried.decimals;
            return true;
        }
    }
    return false;
}
