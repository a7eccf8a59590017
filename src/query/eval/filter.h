/*
 * Tests of values in place, in the type they are stored in, with bitmaps as the result.
 *
 * Every comparison of a column with a constant becomes one test: is the value within two bounds? So
 * there is one loop for each width. A set of values (a list, or the codes whose label passes) is a
 * few such bounds, or a bitmap over all values, or a hashed list.
 */
#ifndef STOA_QUERY_FILTER_H
#define STOA_QUERY_FILTER_H

#include "column/read/zones.h"
#include "core/cpu.h"
#include "query/eval/expr.h"

/* How values lie in memory. Integers of one width are one lane, signed or not. */
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
    double greatest; /* a NaN is within no bounds */
} stoa_bounds;

/* Maps 16-bit floats to integers of the same order; -0 is just below 0. */
static inline uint16_t stoa_f16_key(uint16_t bits)
{
    return (uint16_t)(bits ^ (bits & 0x8000u ? 0x7fffu : 0u));
}

/* Sieves ------------------------------------------------------------------------------------ */

/* A sieve is a Bloom filter of two tables with 1024 bits each. One hash gives a position in each
 * table. Both bits are set for the values of a list. Few other values have both bits set if the
 * list has at most STOA_SIEVE_MAX entries: about 1 % for a list of 100. */
enum { STOA_SIEVE_TABLE = 128, STOA_SIEVE_MAX = 256 };
#define STOA_SIEVE_FACTOR 0x9e3779b1u

typedef struct stoa_sieve {
    uint8_t tables[2][STOA_SIEVE_TABLE];
} stoa_sieve;

/* A value's positions, from the upper two bytes of its hash. In the first table one selects the
 * byte and the other the bit; in the second table they change roles. */
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

/* The loops of one instruction set. `words` receives n bits, then zeros up to the end of the
 * last word. Values need not be aligned. */
typedef struct stoa_filter_kernels {
    void (*within[STOA_N_LANES])(const void *values, int64_t n, const stoa_bounds *bounds,
                                 uint64_t *words);
    /* Look up bytes in `table`: 256 bits, one for each value of a byte. */
    void (*table)(const void *values, int64_t n, const uint8_t *table, uint64_t *words);
    /* Values whose bits are set in both tables. LANE_32 and LANE_64; NULL for others. */
    void (*sieve[STOA_N_LANES])(const void *values, int64_t n, const stoa_sieve *sieve,
                                uint64_t *words);
    /* Compare two columns of one kind, INT8 to UINT64, FLOAT32, FLOAT64; NULL for others. */
    void (*pairs[STOA_KIND_FLOAT64 + 1][STOA_N_PAIRS])(const void *a, const void *b, int64_t n,
                                                       uint64_t *words);
    /* Count the bits set in n words. */
    int64_t (*count)(const uint64_t *words, size_t n);
    /* Clear the bits of `open` whose `bits` equal `flip`, or whose `known` is 0 (NULL: all are
     * known). n words each. Returns how many bits remain. */
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

/* A set of values of one lane. A zeroed set of a lane is empty. */
typedef struct stoa_set {
    stoa_lane lane;
    unsigned n_bounds;
    stoa_bounds bounds[STOA_SET_BOUNDS]; /* values within any of them */
    const uint8_t *table; /* or: a bitmap over base .. base + span, followed by a 0 bit */
    uint64_t base;
    uint64_t span;
    const uint64_t *list; /* or: sorted values, to confirm a match of `marks` */
    size_t n_list;
    const uint8_t *marks; /* a bit for each hash of 64 - shift bits */
    unsigned shift;
    const stoa_sieve *sieve; /* tested before the list, if it is short; NULL: not used */
} stoa_set;

/* Make a set of n values of an integer lane. They are sorted and distinct as unsigned integers
 * of its width. The arena owns the memory. */
stoa_status stoa_set_of_list(stoa_lane lane, const uint64_t *values, size_t n, stoa_arena *arena,
                             stoa_set *set, stoa_error *err);
/* Make a set of the positions of the bits that are set among n. */
stoa_status stoa_set_of_bits(stoa_lane lane, const uint8_t *bits, uint64_t n, stoa_arena *arena,
                             stoa_set *set, stoa_error *err);
/* Test n values; sets one bit for each. */
void stoa_set_test(const stoa_filter_kernels *filter, const stoa_set *set, const void *values,
                   int64_t n, uint64_t *words);

/* Range predicates -------------------------------------------------------------------------- */

/* A range predicate: the values that pass a comparison with a constant, in the domain it was
 * bound in: I64, TIME, DURATION, U64, F64. */
typedef struct stoa_range_predicate {
    stoa_value_domain domain;
    bool others; /* negated: values outside it pass, including NaNs */
    bool empty;
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
    } low, high;
} stoa_range_predicate;

stoa_range_predicate stoa_range_predicate_of(stoa_compare compare, const stoa_vector *constant);
/* The intersection; neither may have `others` set. */
stoa_range_predicate stoa_range_predicate_and(const stoa_range_predicate *a,
                                              const stoa_range_predicate *b);
/* Convert the range exactly to bounds of a stored kind. Returns false if no value of the kind is in
 * it. The caller handles `others`. */
bool stoa_range_predicate_bounds(const stoa_range_predicate *band, stoa_kind kind,
                                 stoa_bounds *out);
/* Whether some value in a zone map entry of the kind could be in the range, ignoring `others`. */
bool stoa_range_predicate_meets(const stoa_range_predicate *band, stoa_kind kind,
                                const stoa_zone *zone);

#endif
