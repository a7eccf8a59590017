/*
 * Scale-offset with AVX2. Codes are decoded into lanes of 16, 32 or 64 bits, the narrowest that can
 * hold a code at any bit offset. Lanes wider than the values are then narrowed.
 *
 * Loads are of 16 bytes. If they would pass the end of the stream, the last values are left to
 * plain C. So are codes of more than 57 bits, which may span nine bytes.
 */
#include "codec/kernels/scaleoffset_bounds.h"
#include "core/simd_avx2.h"

#include "codec/kernels/scaleoffset_vectors.h"

enum { VECTOR = SIMD_BYTES, HALF = 16, MAX_BITS = 57 };

static inline __m256i equal(unsigned size, __m256i a, __m256i b)
{
    switch (size) {
    case 1:
        return _mm256_cmpeq_epi8(a, b);
    case 2:
        return _mm256_cmpeq_epi16(a, b);
    case 4:
        return _mm256_cmpeq_epi32(a, b);
    default:
        return _mm256_cmpeq_epi64(a, b);
    }
}

static inline __m256i add(unsigned size, __m256i a, __m256i b)
{
    switch (size) {
    case 1:
        return _mm256_add_epi8(a, b);
    case 2:
        return _mm256_add_epi16(a, b);
    case 4:
        return _mm256_add_epi32(a, b);
    default:
        return _mm256_add_epi64(a, b);
    }
}

/* --- decoding -------------------------------------------------------------------------------- */

/* A vector of lanes: two halves, each from 16 bytes of the stream. */
typedef struct lanes {
    size_t at[2];  /* offset of each half in the group's part of the stream */
    __m256i bytes; /* shuffle mask of the bytes */
    __m256i skip;  /* bits before a lane's code: a shift count, or in 16-bit lanes a factor, 2 to
                      its power */
} lanes;

/* How a group of values is decoded: from one vector of lanes as wide as the values, or two of wider
 * ones. */
typedef struct unpack_plan {
    unsigned lane; /* bytes per lane */
    unsigned n_each;
    size_t n_bytes; /* of a group in the stream */
    size_t reach;   /* bytes loaded for a group */
    lanes parts[2];
    __m128i down; /* shift from the top of a lane to the bottom */
    __m256i order;
    __m256i fill_code;
    __m256i least;
    __m256i fill;
    bool swap;
} unpack_plan;

/* The halves begin with values `first[0]` and `first[1]` of the group. */
static inline lanes plan_lanes(unsigned lane, unsigned width, const unsigned *first)
{
    const unsigned n_half = HALF / lane;
    uint8_t bytes[VECTOR];
    uint8_t skip[VECTOR] = {0};
    lanes plan = {.at = {0, 0}};

    for (unsigned i = 0; i < 2 * n_half; i++) {
        const unsigned half = i / n_half;
        const unsigned at = first[half] * width;
        const unsigned from = at % 8 + i % n_half * width;
        plan.at[half] = at / 8;
        for (unsigned j = 0; j < lane; j++) { /* the first byte of the stream is the most
                                                 significant */
            bytes[i * lane + j] = (uint8_t)(from / 8 + lane - 1 - j);
        }
        skip[(size_t)i * lane] = (uint8_t)(lane == 2 ? 1U << from % 8 : from % 8);
    }
    plan.bytes = simd_load(bytes);
    plan.skip = simd_load(skip);
    return plan;
}

static inline unpack_plan plan_unpacking(unsigned size, const stoa_so_code *code)
{
    const unsigned width = code->width;
    unpack_plan plan = {.swap = code->swap};

    plan.lane = width + 7 <= 16 && size <= 2 ? 2 : width + 7 <= 32 && size <= 4 ? 4 : 8;
    const unsigned n_half = HALF / plan.lane;
    if (plan.lane == size && size < 8) {
        plan.n_each = 2 * n_half;
        plan.parts[0] = plan_lanes(plan.lane, width, (const unsigned[]){0, n_half});
    } else if (size < 8) { /* the order that packing two vectors, half by half, needs */
        plan.n_each = 4 * n_half;
        plan.parts[0] = plan_lanes(plan.lane, width, (const unsigned[]){0, 2 * n_half});
        plan.parts[1] = plan_lanes(plan.lane, width, (const unsigned[]){n_half, 3 * n_half});
    } else {
        plan.n_each = 4 * n_half;
        plan.parts[0] = plan_lanes(plan.lane, width, (const unsigned[]){0, n_half});
        plan.parts[1] = plan_lanes(plan.lane, width, (const unsigned[]){2 * n_half, 3 * n_half});
    }
    plan.n_bytes = (size_t)(plan.n_each / 8) * width;
    plan.reach = HALF + (plan.n_each - n_half) * width / 8;
    plan.down = _mm_cvtsi32_si128((int)(8 * plan.lane - width));
    plan.order = byte_order(size, code->swap);
    plan.fill_code = splat(size, code->has_fill ? stoa_so_ones(width) : UINT64_MAX);
    plan.least = splat(size, code->least);
    plan.fill = splat(size, code->fill);
    return plan;
}

static inline __m256i codes_of(unsigned lane, const lanes *plan, __m128i down, const uint8_t *bits)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(bits + plan->at[0]));
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(bits + plan->at[1]));
    const __m256i x = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), plan->bytes);

    switch (lane) {
    case 2:
        return _mm256_srl_epi16(_mm256_mullo_epi16(x, plan->skip), down);
    case 4:
        return _mm256_srl_epi32(_mm256_sllv_epi32(x, plan->skip), down);
    default:
        return _mm256_srl_epi64(_mm256_sllv_epi64(x, plan->skip), down);
    }
}

static inline void store_values(unsigned size, const unpack_plan *plan, __m256i codes,
                                uint8_t *values)
{
    __m256i x = _mm256_blendv_epi8(add(size, codes, plan->least), plan->fill,
                                   equal(size, codes, plan->fill_code));

    x = plan->swap ? _mm256_shuffle_epi8(x, plan->order) : x;
    _mm256_storeu_si256((__m256i *)(void *)values, x);
}

/* Narrow two vectors of lanes that are twice as wide as the values. */
static inline __m256i closer(unsigned size, __m256i a, __m256i b)
{
    switch (size) {
    case 1:
        return _mm256_packus_epi16(a, b);
    case 2:
        return _mm256_packus_epi32(a, b);
    default:
        return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b),
                                                     _MM_SHUFFLE(2, 0, 2, 0)));
    }
}

INLINE void unpack_as(unsigned size, unsigned lane, const stoa_so_code *code, const uint8_t *bits,
                      size_t n_bytes, uint64_t n, uint8_t *values)
{
    const unpack_plan plan = plan_unpacking(size, code);

    while (n >= plan.n_each && n_bytes >= plan.reach) {
        const __m256i a = codes_of(lane, &plan.parts[0], plan.down, bits);
        if (lane == size && size < 8) {
            store_values(size, &plan, a, values);
        } else {
            const __m256i b = codes_of(lane, &plan.parts[1], plan.down, bits);
            if (size < 8) {
                store_values(size, &plan, closer(size, a, b), values);
            } else {
                store_values(size, &plan, a, values);
                store_values(size, &plan, b, values + VECTOR);
            }
        }
        bits += plan.n_bytes;
        n_bytes -= plan.n_bytes;
        values += (size_t)plan.n_each * size;
        n -= plan.n_each;
    }
    stoa_so_scalar.unpack(code, bits, n_bytes, n, values);
}

static void unpack(const stoa_so_code *code, const uint8_t *bits, size_t n_bytes, uint64_t n,
                   uint8_t *values)
{
    if (code->width > MAX_BITS) {
        stoa_so_scalar.unpack(code, bits, n_bytes, n, values);
    } else if (code->size == 1) {
        unpack_as(1, 2, code, bits, n_bytes, n, values);
    } else if (code->size == 2 && code->width <= 9) {
        unpack_as(2, 2, code, bits, n_bytes, n, values);
    } else if (code->size == 2) {
        unpack_as(2, 4, code, bits, n_bytes, n, values);
    } else if (code->size == 4 && code->width <= 25) {
        unpack_as(4, 4, code, bits, n_bytes, n, values);
    } else if (code->size == 4) {
        unpack_as(4, 8, code, bits, n_bytes, n, values);
    } else {
        unpack_as(8, 8, code, bits, n_bytes, n, values);
    }
}

/* --- encoding -------------------------------------------------------------------------------- */

static inline __m256i subtract(unsigned size, __m256i a, __m256i b)
{
    switch (size) {
    case 1:
        return _mm256_sub_epi8(a, b);
    case 2:
        return _mm256_sub_epi16(a, b);
    case 4:
        return _mm256_sub_epi32(a, b);
    default:
        return _mm256_sub_epi64(a, b);
    }
}

INLINE void pack_as(unsigned size, const stoa_so_code *code, const uint8_t *values, uint64_t n,
                    uint8_t *bits)
{
    const unsigned width = code->width;
    const unsigned run = 8 / size * width;
    const uint64_t n_vectors = n * size / VECTOR / 2 * 2; /* a multiple of 8 values, so of whole
                                                             bytes */
    const __m256i order = byte_order(size, code->swap);
    const __m256i fill = splat(size, code->fill);
    const __m256i ones = splat(size, stoa_so_ones(width));
    const __m256i least = splat(size, code->least);
    stoa_so_writer writer = {.next = NULL};
    uint64_t words[VECTOR / 8];

    writer.next = bits;
    for (uint64_t i = 0; i < n_vectors; i++, values += VECTOR) {
        __m256i x = simd_load(values);
        x = code->swap ? _mm256_shuffle_epi8(x, order) : x;
        const __m256i is_fill = code->has_fill ? equal(size, x, fill) : _mm256_setzero_si256();
        x = _mm256_or_si256(subtract(size, x, least), is_fill);
        x = runs_of(size, _mm256_and_si256(x, ones), width);
        _mm256_storeu_si256((__m256i *)(void *)words, x);
        for (unsigned w = 0; w < VECTOR / 8; w++) {
            stoa_so_append(&writer, words[w], run);
        }
    }
    stoa_so_flush(&writer);
    stoa_so_scalar.pack(code, values, n - n_vectors * VECTOR / size, writer.next);
}

static void pack(const stoa_so_code *code, const uint8_t *values, uint64_t n, uint8_t *bits)
{
    STOA_SO_BY_SIZE(pack_as, code, values, n, bits);
}

const stoa_so_kernels stoa_so_avx2 = {unpack, bounds_of, pack};
