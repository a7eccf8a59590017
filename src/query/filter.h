/*
 * Tests of values where they lie, in the type they are stored in; bits as the result.
 *
 * Every comparison of a column with a constant is one question, whether the value lies within two
 * bounds, so that there is one loop for each width. Sets of values (lists, labels that answer yes)
 * are a few such bounds, or a table with a bit for each value, or a hashed list.
 */
#ifndef STOA_QUERY_FILTER_H
#define STOA_QUERY_FILTER_H

#include "column/zones.h"
#include "core/cpu.h"
#include "query/expr.h"

/* How values lie in memory. Integers of one width are one lane, whatever their sign is. */
typedef enum stoa_lane {
    STOA_LANE_8,
    STOA_LANE_16,
    STOA_LANE_32,
    STOA_LANE_64,
    STOA_LANE_F16,
    STOA_LANE_F32,
    STOA_LANE_F64,
    STOA_N_LANES
} stoa_lane;

/* The lane of a fixed-width number, time or code. */
stoa_lane stoa_lane_of(stoa_kind kind);
/* Bytes of a value. */
size_t stoa_lane_width(stoa_lane lane);

typedef struct stoa_bounds {
    uint64_t low;    /* integers: value - low, as the lane's unsigned integer, is at most span */
    uint64_t span;   /* F16: the same for its key (stoa_f16_key) */
    double least;    /* F32, F64: least <= value <= greatest; F32: both are floats */
    double greatest; /* a NaN lies within no bounds */
} stoa_bounds;

/* Floats of 16 bits in the order of integers, -0 just below 0. */
static inline uint16_t stoa_f16_key(uint16_t bits)
{
    return (uint16_t)(bits ^ (bits & 0x8000u ? 0x7fffu : 0u));
}

/* Sieves ------------------------------------------------------------------------------------ */

/* Two tables of 1024 bits. A value has a place in each, said by one hash; both are set for the
 * values of a list, and for few others if the list has no more than STOA_SIEVE_MOST: one of a
 * hundred where it has a hundred. */
enum { STOA_SIEVE_TABLE = 128, STOA_SIEVE_MOST = 256 };
#define STOA_SIEVE_FACTOR 0x9e3779b1u

typedef struct stoa_sieve {
    uint8_t tables[2][STOA_SIEVE_TABLE];
} stoa_sieve;

/* The upper bytes of the hash: one says the byte and the other one its bit, and the other way round
 * in the second table. */
typedef struct stoa_sieve_place {
    uint8_t byte[2];
    uint8_t bit[2];
} stoa_sieve_place;

static inline stoa_sieve_place stoa_sieve_place_of(uint64_t value)
{
    const uint32_t hash = (uint32_t)(value ^ value >> 32) * STOA_SIEVE_FACTOR;
    const uint8_t high = (uint8_t)(hash >> 24);
    const uint8_t low = (uint8_t)(hash >> 16);

    return (stoa_sieve_place){{high & 127, low & 127}, {low & 7, high >> 5}};
}

/* Kernels ----------------------------------------------------------------------------------- */

enum { STOA_PAIR_EQ, STOA_PAIR_LT, STOA_PAIR_LE, STOA_N_PAIRS };

/* Loops of one instruction set. `words` get n bits, and zeros behind them to the end of the last
 * word. Values need not be aligned. */
typedef struct stoa_filter_kernels {
    void (*within[STOA_N_LANES])(const void *values, int64_t n, const stoa_bounds *bounds,
                                 uint64_t *words);
    /* 256 bits of `table`, one for each value of a byte. */
    void (*table)(const void *values, int64_t n, const uint8_t *table, uint64_t *words);
    /* Values of which both places are set: LANE_32 and LANE_64; NULL for others. */
    void (*sieve[STOA_N_LANES])(const void *values, int64_t n, const stoa_sieve *sieve,
                                uint64_t *words);
    /* Two columns of one kind, INT8 to UINT64, FLOAT32, FLOAT64; NULL for others. */
    void (*pairs[STOA_KIND_FLOAT64 + 1][STOA_N_PAIRS])(const void *a, const void *b, int64_t n,
                                                       uint64_t *words);
    /* Bits set in n words. */
    int64_t (*count)(const uint64_t *words, size_t n);
    /* Of the bits of `open` leave those that are unlike `flip` in `bits`, and set in `known` (NULL:
     * in any case); n words each. Returns how many are left. */
    int64_t (*leave)(const uint64_t *bits, uint64_t flip, const uint64_t *known, size_t n,
                     uint64_t *open);
} stoa_filter_kernels;

extern const stoa_filter_kernels stoa_filter_scalar;
extern const stoa_filter_kernels stoa_filter_avx2;
extern const stoa_filter_kernels stoa_filter_avx512;
extern const stoa_filter_kernels stoa_filter_neon;
const stoa_filter_kernels *stoa_filter_of(stoa_simd simd);

/* Sets -------------------------------------------------------------------------------------- */

enum { STOA_SET_BOUNDS = 8 };

/* Values of a lane. The zeroed set of a lane is empty. */
typedef struct stoa_set {
    stoa_lane lane;
    unsigned n_bounds;
    stoa_bounds bounds[STOA_SET_BOUNDS]; /* in any of them */
    const uint8_t *table;                /* or: bits for base .. base + span, and a 0 behind them */
    uint64_t base;
    uint64_t span;
    const uint64_t *list; /* or: sorted, those of `marks` that are no mere hash alike */
    size_t n_list;
    const uint8_t *marks; /* a bit for each hash; 64 - shift bits have one */
    unsigned shift;
    const stoa_sieve *sieve; /* before the marks, if they are few; NULL: they are not */
} stoa_set;

/* A set of n values of an integer lane, sorted and distinct as unsigned integers of its width;
 * memory is the pool's. */
stoa_status stoa_set_of_list(stoa_lane lane, const uint64_t *values, size_t n, stoa_pool *pool,
                             stoa_set *set, stoa_error *err);
/* A set of the places of the bits that are set among n. */
stoa_status stoa_set_of_bits(stoa_lane lane, const uint8_t *bits, uint64_t n, stoa_pool *pool,
                             stoa_set *set, stoa_error *err);
/* The bits of n values. */
void stoa_set_test(const stoa_filter_kernels *filter, const stoa_set *set, const void *values,
                   int64_t n, uint64_t *words);

/* Bands ------------------------------------------------------------------------------------- */

/* What passes a comparison with a constant, in the domain it was bound in: I64, TIME, DURATION,
 * U64, F64. */
typedef struct stoa_band {
    stoa_value_domain domain;
    bool others; /* what is not in it: a value unequal to a constant, a NaN among them */
    bool empty;
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
    } low, high;
} stoa_band;

stoa_band stoa_band_of(stoa_compare compare, const stoa_vector *constant);
/* What both hold; neither has `others`. */
stoa_band stoa_band_both(const stoa_band *a, const stoa_band *b);
/* The band among the values that a stored kind has, exactly; false if there is none in it.
 * `others` is the caller's business. */
bool stoa_band_bounds(const stoa_band *band, stoa_kind kind, stoa_bounds *out);
/* Whether some value in a zone of the kind could be in the band, `others` aside. */
bool stoa_band_meets(const stoa_band *band, stoa_kind kind, const stoa_zone *zone);

#endif
