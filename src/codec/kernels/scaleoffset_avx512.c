/*
 * Scale-offset with AVX-512 and VBMI: 64 bytes of values at a time, in 8 words of 64 bits. The 8 /
 * size codes of one word form a run of the stream. A group of 8 runs has as many whole bytes as a
 * run has bits.
 *
 * Loads and stores at the ends use masks, so that they touch no byte beyond. Other loads use none,
 * because some processors do not prefetch masked loads.
 */
#include "codec/kernels/scaleoffset_bounds.h"
#include "core/simd_avx512.h"

#include "codec/kernels/scaleoffset_vectors.h"

enum { VECTOR = SIMD_BYTES, WORDS = 8 };

/* A mask of the first n of 64 bytes. */
static inline __mmask64 first_bytes(uint64_t n)
{
    return n >= VECTOR ? ~(__mmask64)0 : (UINT64_C(1) << n) - 1;
}

/* Load `n` bytes and set the rest to zero. */
static inline __m512i load_bytes(const uint8_t *from, uint64_t n)
{
    return n >= VECTOR ? _mm512_loadu_si512(from) : _mm512_maskz_loadu_epi8(first_bytes(n), from);
}

static inline void store_bytes(uint8_t *to, uint64_t n, __m512i x)
{
    if (n >= VECTOR) {
        _mm512_storeu_si512(to, x);
    } else {
        _mm512_mask_storeu_epi8(to, first_bytes(n), x);
    }
}

/* --- decoding -------------------------------------------------------------------------------- */

/* The positions of the bits of 64 bytes of values. */
typedef struct unpack_plan {
    unsigned n_bytes; /* of a group in the stream */
    bool is_wide;     /* some run spans nine bytes */
    __m512i words;    /* shuffle mask: the bytes from a word's first bit on */
    __m512i ninth;    /* shuffle mask: the byte after those, on top */
    __m512i skip;     /* bits in a word before its run, if is_wide */
    __m512i bits;     /* bit offset in the word of each byte of a value */
    __m512i order;
    __m512i mask;
    __m512i fill_code;
    __m512i least;
    __m512i fill;
    bool swap;
} unpack_plan;

static inline unpack_plan plan_unpacking(unsigned size, const stoa_so_code *code)
{
    const unsigned run = WORDS / size * code->width;
    uint8_t words[VECTOR];
    uint8_t ninth[VECTOR];
    uint8_t bits[VECTOR];
    uint64_t skip[WORDS];
    unpack_plan plan = {.n_bytes = run, .is_wide = false};

    for (unsigned w = 0; w < WORDS; w++) {
        skip[w] = w * run % 8;
        plan.is_wide |= skip[w] + run > 64;
    }
    for (unsigned i = 0; i < VECTOR; i++) {
        const unsigned w = i / 8;
        const unsigned end = (i % 8 / size + 1) * code->width; /* end of the value in its run */
        const unsigned before = plan.is_wide ? 0 : (unsigned)skip[w];
        words[i] = (uint8_t)(w * run / 8 + 7 - i % 8);
        ninth[i] = (uint8_t)((w * run / 8 + 8) % VECTOR);
        bits[i] = (uint8_t)((64 - before - end + i % size * 8) % 64);
    }
    plan.words = _mm512_loadu_si512(words);
    plan.ninth = _mm512_loadu_si512(ninth);
    plan.skip = _mm512_loadu_si512(skip);
    plan.bits = _mm512_loadu_si512(bits);
    plan.order = byte_order(size, code->swap);
    plan.mask = splat(size, stoa_so_ones(code->width));
    plan.fill_code = splat(size, code->has_fill ? stoa_so_ones(code->width) : UINT64_MAX);
    plan.least = splat(size, code->least);
    plan.fill = splat(size, code->fill);
    plan.swap = code->swap;
    return plan;
}

static inline __m512i values_of(unsigned size, const unpack_plan *plan, __m512i stream)
{
    __m512i words = _mm512_permutexvar_epi8(plan->words, stream);

    if (plan->is_wide) {
        words = _mm512_shldv_epi64(words, _mm512_permutexvar_epi8(plan->ninth, stream), plan->skip);
    }
    const __m512i x = _mm512_and_si512(_mm512_multishift_epi64_epi8(plan->bits, words), plan->mask);
    switch (size) {
    case 1:
        words = _mm512_mask_add_epi8(plan->fill, _mm512_cmpneq_epi8_mask(x, plan->fill_code), x,
                                     plan->least);
        break;
    case 2:
        words = _mm512_mask_add_epi16(plan->fill, _mm512_cmpneq_epi16_mask(x, plan->fill_code), x,
                                      plan->least);
        break;
    case 4:
        words = _mm512_mask_add_epi32(plan->fill, _mm512_cmpneq_epi32_mask(x, plan->fill_code), x,
                                      plan->least);
        break;
    default:
        words = _mm512_mask_add_epi64(plan->fill, _mm512_cmpneq_epi64_mask(x, plan->fill_code), x,
                                      plan->least);
        break;
    }
    return plan->swap ? _mm512_shuffle_epi8(words, plan->order) : words;
}

INLINE void unpack_as(unsigned size, const stoa_so_code *code, const uint8_t *bits, size_t n_bytes,
                      uint64_t n, uint8_t *values)
{
    const unpack_plan plan = plan_unpacking(size, code);
    const unsigned n_each = VECTOR / size;

    for (; n >= n_each && n_bytes >= VECTOR; n -= n_each) {
        _mm512_storeu_si512(values, values_of(size, &plan, _mm512_loadu_si512(bits)));
        bits += plan.n_bytes;
        n_bytes -= plan.n_bytes;
        values += VECTOR;
    }
    while (n > 0) {
        const uint64_t now = n < n_each ? n : n_each;
        const __m512i stream = load_bytes(bits, (now * code->width + 7) / 8);
        store_bytes(values, now * size, values_of(size, &plan, stream));
        bits += plan.n_bytes;
        values += VECTOR;
        n -= now;
    }
}

static void unpack(const stoa_so_code *code, const uint8_t *bits, size_t n_bytes, uint64_t n,
                   uint8_t *values)
{
    STOA_SO_BY_SIZE(unpack_as, code, bits, n_bytes, n, values);
}

/* --- encoding -------------------------------------------------------------------------------- */

/* How 8 words, each with a run of at least 8 bits at its low end, become a stream. */
typedef struct pack_plan {
    unsigned run;      /* bits of a word = bytes of the stream */
    __m128i up;        /* shift of a run to the top of its word */
    __m512i skip;      /* shift down again, to its bit offset in its first byte */
    __m512i back;      /* 64 - skip */
    __m512i first;     /* for each stream byte, the word byte with its first bit */
    __m512i next;      /* the first byte of the next word, if that one begins inside the stream
                          byte */
    __m512i ninth;     /* the word whose run ends there, in its ninth byte */
    __mmask64 n_first; /* stream bytes to which `first` applies; likewise below */
    __mmask64 n_next;
    __mmask64 n_ninth;
} pack_plan;

static pack_plan plan_packing(unsigned run)
{
    uint8_t first[VECTOR] = {0};
    uint8_t next[VECTOR] = {0};
    uint8_t ninth[VECTOR] = {0};
    uint64_t skip[WORDS];
    pack_plan plan = {.run = run, .n_first = 0, .n_next = 0, .n_ninth = 0};

    for (unsigned w = 0; w < WORDS; w++) {
        skip[w] = w * run % 8;
    }
    for (unsigned i = 0; i < run; i++) {
        const unsigned w = 8 * i / run;
        const unsigned w_end = (8 * i + 7) / run;
        const unsigned place = i - w * run / 8; /* in the bytes of the word */
        first[i] = (uint8_t)(8 * w + 7 - place % 8);
        ninth[i] = (uint8_t)(8 * w + 7);
        next[i] = (uint8_t)(8 * w_end + 7);
        plan.n_first |= (__mmask64)(place < 8) << i;
        plan.n_ninth |= (__mmask64)(place == 8) << i;
        plan.n_next |= (__mmask64)(w_end != w) << i;
    }
    plan.up = _mm_cvtsi32_si128((int)(64 - run));
    plan.skip = _mm512_loadu_si512(skip);
    plan.back = _mm512_sub_epi64(_mm512_set1_epi64(64), plan.skip);
    plan.first = _mm512_loadu_si512(first);
    plan.next = _mm512_loadu_si512(next);
    plan.ninth = _mm512_loadu_si512(ninth);
    return plan;
}

static inline __m512i stream_of(const pack_plan *plan, __m512i runs)
{
    const __m512i top = _mm512_sll_epi64(runs, plan->up);
    const __m512i words = _mm512_srlv_epi64(top, plan->skip);
    __m512i stream = _mm512_maskz_permutexvar_epi8(plan->n_first, plan->first, words);

    stream =
        _mm512_or_si512(stream, _mm512_maskz_permutexvar_epi8(plan->n_next, plan->next, words));
    if (plan->n_ninth != 0) {
        const __m512i rest = _mm512_sllv_epi64(top, plan->back);
        stream = _mm512_or_si512(stream,
                                 _mm512_maskz_permutexvar_epi8(plan->n_ninth, plan->ninth, rest));
    }
    return stream;
}

/* A mask of the values other than the fill value, in a vector of native byte order. */
static inline __mmask64 counted(unsigned size, __m512i x, __m512i fill, bool has_fill)
{
    if (!has_fill) {
        return ~(__mmask64)0;
    }
    switch (size) {
    case 1:
        return _mm512_cmpneq_epi8_mask(x, fill);
    case 2:
        return _mm512_cmpneq_epi16_mask(x, fill);
    case 4:
        return _mm512_cmpneq_epi32_mask(x, fill);
    default:
        return _mm512_cmpneq_epi64_mask(x, fill);
    }
}

/* Parameters of encoding. */
typedef struct coder {
    __m512i order;
    __m512i least;
    __m512i fill;
    __m512i ones;
    bool swap;
    bool has_fill;
} coder;

/* The codes of the first `n` values; 0 after them. */
static inline __m512i codes_of(unsigned size, const coder *how, const uint8_t *values, uint64_t n)
{
    __m512i x = load_bytes(values, n * size);

    x = how->swap ? _mm512_shuffle_epi8(x, how->order) : x;
    const __mmask64 which = counted(size, x, how->fill, how->has_fill);
    switch (size) {
    case 1:
        x = _mm512_mask_sub_epi8(how->ones, which, x, how->least);
        break;
    case 2:
        x = _mm512_mask_sub_epi16(how->ones, (__mmask32)which, x, how->least);
        break;
    case 4:
        x = _mm512_mask_sub_epi32(how->ones, (__mmask16)which, x, how->least);
        break;
    default:
        x = _mm512_mask_sub_epi64(how->ones, (__mmask8)which, x, how->least);
        break;
    }
    return _mm512_maskz_mov_epi8(first_bytes(n * size), _mm512_and_si512(x, how->ones));
}

/* 64 codes of fewer than 8 bits, or the first `n` of them, each in a byte. */
static inline __m512i narrow_codes_of(unsigned size, const coder *how, const uint8_t *values,
                                      uint64_t n)
{
    const unsigned n_each = VECTOR / size;
    uint8_t bytes[VECTOR];

    for (unsigned i = 0; i < VECTOR; i += n_each) {
        const uint64_t left = n <= i ? 0 : n - i < n_each ? n - i : n_each;
        const __m512i codes = codes_of(size, how, values + (size_t)i * size, left);
        if (size == 2) {
            _mm256_storeu_si256((__m256i *)(void *)(bytes + i), _mm512_cvtepi16_epi8(codes));
        } else if (size == 4) {
            _mm_storeu_si128((__m128i *)(void *)(bytes + i), _mm512_cvtepi32_epi8(codes));
        } else {
            _mm_storel_epi64((__m128i *)(void *)(bytes + i), _mm512_cvtepi64_epi8(codes));
        }
    }
    return _mm512_loadu_si512(bytes);
}

INLINE void pack_as(unsigned size, const stoa_so_code *code, const uint8_t *values, uint64_t n,
                    uint8_t *bits)
{
    const unsigned width = code->width;
    const bool is_narrow = size > 1 && width < 8; /* a run needs at least one byte */
    const unsigned n_each = is_narrow ? VECTOR : VECTOR / size;
    const pack_plan plan = plan_packing(is_narrow ? 8 * width : WORDS / size * width);
    const coder how = {byte_order(size, code->swap),
                       splat(size, code->least),
                       splat(size, code->fill),
                       splat(size, stoa_so_ones(width)),
                       code->swap,
                       code->has_fill};

    for (uint64_t i = 0; i < n; i += n_each, bits += plan.run) {
        const uint64_t left = n - i < n_each ? n - i : n_each;
        const uint8_t *from = values + i * size;
        const __m512i runs = is_narrow ? runs_of(1, narrow_codes_of(size, &how, from, left), width)
                                       : runs_of(size, codes_of(size, &how, from, left), width);
        /* later codes overwrite the end of a whole vector */
        const bool is_whole = (n - i) * width >= UINT64_C(8) * VECTOR;
        const uint64_t n_here = is_whole ? VECTOR : (left * width + 7) / 8;
        store_bytes(bits, n_here, stream_of(&plan, runs));
    }
}

static void pack(const stoa_so_code *code, const uint8_t *values, uint64_t n, uint8_t *bits)
{
    STOA_SO_BY_SIZE(pack_as, code, values, n, bits);
}

const stoa_so_kernels stoa_so_avx512 = {unpack, bounds_of, pack};
