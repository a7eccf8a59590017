/*
 * The scale-offset filter for integers (HDF5's filter 6): its client data, chunk header, and choice
 * of kernels.
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

#include "codec/kernels/scaleoffset_kernels.h"

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
enum { TYPE_INTEGERS = 2, CLASS_INTEGER = 0 };

enum { HEADER = 21, LEAST = 5, MAX_LEAST = 8, ONE_BY_ONE = 64 };

const stoa_so_kernels *stoa_so_kernels_of(stoa_simd simd)
{
    return STOA_SIMD_OF(simd, &stoa_so);
}

bool stoa_scaleoffset_of(const stoa_filter *filter, size_t chunk_bytes, stoa_simd simd,
                         stoa_scaleoffset *out)
{
    const uint32_t *values = filter->values;
    const uint32_t size = filter->n_values == N_CLIENT ? values[SIZE] : 0;

    if ((size != 1 && size != 2 && size != 4 && size != 8) || values[SCALE_TYPE] != TYPE_INTEGERS ||
        values[CLASS] != CLASS_INTEGER || values[SIGN] > 1 || values[ORDER] > 1 ||
        values[HAS_FILL] > 1 || values[N_VALUES] == 0 ||
        (uint64_t)values[N_VALUES] * size != chunk_bytes) {
        return false;
    }
    /* libhdf5 reads the factor as signed, and uses 0 for negative ones */
    const uint32_t bits = values[SCALE_FACTOR] > INT32_MAX ? 0 : values[SCALE_FACTOR];
    if (bits > 8 * size) {
        return false;
    }
    const uint64_t fill = values[FILL] | (size == 8 ? (uint64_t)values[FILL + 1] << 32 : 0);
    *out = (stoa_scaleoffset){
        .n = values[N_VALUES],
        .size = size,
        .bits = bits,
        .is_signed = values[SIGN] == 1,
        .is_big_endian = values[ORDER] == 1,
        .has_fill = values[HAS_FILL] == 1,
        .fill = values[HAS_FILL] == 1 ? fill & stoa_so_ones(8 * size) : 0,
        .simd = simd,
    };
    return true;
}

static bool must_swap(const stoa_scaleoffset *so)
{
    return so->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static stoa_so_code code_of(const stoa_scaleoffset *so, uint32_t width, uint64_t least)
{
    return (stoa_so_code){so->size, width, must_swap(so), so->has_fill, so->fill, least};
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
    for (int i = 0; i < MAX_LEAST && i < stored[4]; i++) {
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
    if (code.width == 0) {
        repeat_value(&code, n, out);
    } else if (code.width == 8 * so->size) {
        copy_values(so, so->is_big_endian, stored + first * so->size, n, out);
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
    code->width = so->bits != 0 ? so->bits : needed;
    return needed <= code->width && code->width < 8 * so->size;
}

size_t stoa_scaleoffset_encode(const stoa_scaleoffset *so, const uint8_t *values, uint8_t *out)
{
    stoa_so_code code = code_of(so, 0, 0);

    if (so->bits == 8 * so->size) { /* the filter has no effect */
        copy_values(so, false, values, so->n, out);
        return (size_t)(so->n * so->size);
    }
    if (!fit(so, values, &code)) {
        return 0;
    }
    memset(out, 0, HEADER);
    out[0] = (uint8_t)code.width;
    out[4] = MAX_LEAST;
    for (int i = 0; i < MAX_LEAST; i++) {
        out[LEAST + i] = (uint8_t)(code.least >> (8 * i));
    }
    const size_t n_stored = HEADER + (size_t)(so->n * code.width / 8) + 1;
    out[n_stored - 1] = 0;
    if (code.width > 0) {
        stoa_so_kernels_of(so->simd)->pack(&code, values, so->n, out + HEADER);
    }
    return n_stored;
}
