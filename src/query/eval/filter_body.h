/*
 * The loops over blocks of 64 values, the same for every instruction set.
 *
 * The including file defines, for each lane, block_<lane>(values, bounds), which returns the bits
 * of 64 values. It also defines block_table(), block_sieve_32(), block_sieve_64() and pack_flags(),
 * which packs 64 bytes of 0 or 1 into a word.
 */
#ifndef STOA_QUERY_FILTER_BODY_H
#define STOA_QUERY_FILTER_BODY_H

#define LAST_BITS(n) (UINT64_MAX >> (64 - (n)))

#define DEFINE_LOOP(name, size, argument_type, block)                                              \
    static void name(const void *values, int64_t n, argument_type argument,                        \
                     uint64_t *restrict words)                                                     \
    {                                                                                              \
        const uint8_t *at = values;                                                                \
        for (; n >= 64; n -= 64, at += (size_t)64 * (size)) {                                      \
            *words++ = block(at, argument);                                                        \
        }                                                                                          \
        if (n > 0) {                                                                               \
            uint8_t rest[64 * (size)] = {0};                                                       \
            memcpy(rest, at, (size_t)n *(size));                                                   \
            *words = block(rest, argument) & LAST_BITS(n);                                         \
        }                                                                                          \
    }
DEFINE_LOOP(within_8, 1, const stoa_bounds *, block_8)
DEFINE_LOOP(within_16, 2, const stoa_bounds *, block_16)
DEFINE_LOOP(within_32, 4, const stoa_bounds *, block_32)
DEFINE_LOOP(within_64, 8, const stoa_bounds *, block_64)
DEFINE_LOOP(within_f16, 2, const stoa_bounds *, block_f16)
DEFINE_LOOP(within_f32, 4, const stoa_bounds *, block_f32)
DEFINE_LOOP(within_f64, 8, const stoa_bounds *, block_f64)
DEFINE_LOOP(table_8, 1, const uint8_t *, block_table)
DEFINE_LOOP(sieve_32, 4, const stoa_sieve *, block_sieve_32)
DEFINE_LOOP(sieve_64, 8, const stoa_sieve *, block_sieve_64)

/* The compiler vectorizes these loops for its instruction set. */
#define DEFINE_PAIR(name, ctype, OPERATOR)                                                         \
    static void name(const void *a, const void *b, int64_t n, uint64_t *restrict words)            \
    {                                                                                              \
        const uint8_t *left = a;                                                                   \
        const uint8_t *right = b;                                                                  \
        for (; n > 0; n -= 64, left += 64 * sizeof(ctype), right += 64 * sizeof(ctype)) {          \
            uint8_t flags[64] = {0};                                                               \
            ctype x[64];                                                                           \
            ctype y[64];                                                                           \
            if (n >= 64) {                                                                         \
                memcpy(x, left, sizeof x);                                                         \
                memcpy(y, right, sizeof y);                                                        \
            } else {                                                                               \
                memset(x, 0, sizeof x);                                                            \
                memset(y, 0, sizeof y);                                                            \
                memcpy(x, left, (size_t)n * sizeof *x);                                            \
                memcpy(y, right, (size_t)n * sizeof *y);                                           \
            }                                                                                      \
            for (int i = 0; i < 64; i++) {                                                         \
                flags[i] = x[i] OPERATOR y[i];                                                     \
            }                                                                                      \
            *words++ = pack_flags(flags) & (n >= 64 ? UINT64_MAX : LAST_BITS(n));                  \
        }                                                                                          \
    }
#define DEFINE_PAIRS(lane, ctype)                                                                  \
    DEFINE_PAIR(eq_##lane, ctype, ==)                                                              \
    DEFINE_PAIR(lt_##lane, ctype, <)                                                               \
    DEFINE_PAIR(le_##lane, ctype, <=)
DEFINE_PAIRS(i8, int8_t)
DEFINE_PAIRS(i16, int16_t)
DEFINE_PAIRS(i32, int32_t)
DEFINE_PAIRS(i64, int64_t)
DEFINE_PAIRS(u8, uint8_t)
DEFINE_PAIRS(u16, uint16_t)
DEFINE_PAIRS(u32, uint32_t)
DEFINE_PAIRS(u64, uint64_t)
DEFINE_PAIRS(f32, float)
DEFINE_PAIRS(f64, double)

static int64_t count_words(const uint64_t *words, size_t n)
{
    int64_t count = 0;

    for (size_t i = 0; i < n; i++) {
        count += stoa_word_count(words[i]);
    }
    return count;
}

static int64_t leave_words(const uint64_t *bits, uint64_t flip, const uint64_t *known, size_t n,
                           uint64_t *open)
{
    int64_t count = 0;

    for (size_t i = 0; known == NULL && i < n; i++) {
        open[i] &= bits[i] ^ flip;
        count += stoa_word_count(open[i]);
    }
    for (size_t i = 0; known != NULL && i < n; i++) {
        open[i] &= (bits[i] ^ flip) & known[i];
        count += stoa_word_count(open[i]);
    }
    return count;
}

#define PAIRS(lane)                                                                                \
    {                                                                                              \
        eq_##lane, lt_##lane, le_##lane                                                            \
    }
#define FILTER_TABLE                                                                               \
    {                                                                                              \
        .within =                                                                                  \
            {                                                                                      \
                [STOA_LANE_8] = within_8,     [STOA_LANE_16] = within_16,                          \
                [STOA_LANE_32] = within_32,   [STOA_LANE_64] = within_64,                          \
                [STOA_LANE_F16] = within_f16, [STOA_LANE_F32] = within_f32,                        \
                [STOA_LANE_F64] = within_f64,                                                      \
            },                                                                                     \
        .table = table_8, .sieve = {[STOA_LANE_32] = sieve_32, [STOA_LANE_64] = sieve_64},         \
        .count = count_words, .leave = leave_words, .pairs = {                                     \
            [STOA_KIND_INT8] = PAIRS(i8),                                                          \
            [STOA_KIND_INT16] = PAIRS(i16),                                                        \
            [STOA_KIND_INT32] = PAIRS(i32),                                                        \
            [STOA_KIND_INT64] = PAIRS(i64),                                                        \
            [STOA_KIND_UINT8] = PAIRS(u8),                                                         \
            [STOA_KIND_UINT16] = PAIRS(u16),                                                       \
            [STOA_KIND_UINT32] = PAIRS(u32),                                                       \
            [STOA_KIND_UINT64] = PAIRS(u64),                                                       \
            [STOA_KIND_FLOAT32] = PAIRS(f32),                                                      \
            [STOA_KIND_FLOAT64] = PAIRS(f64),                                                      \
        }                                                                                          \
    }

#endif
