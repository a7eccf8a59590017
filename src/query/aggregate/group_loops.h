/*
 * The loops of group_kernels.h. The including file defines unknown(numbers, set), a member of the
 * kernel table.
 *
 * The compiler vectorizes the preparation of a block of 64 rows; adding to portions is scalar.
 */
#ifndef STOA_QUERY_GROUP_LOOPS_H
#define STOA_QUERY_GROUP_LOOPS_H

#include <string.h>

#include "query/aggregate/group_kernels.h"
#include "query/aggregate/reduce.h"

#define BLOCK 64
#define INLINE static inline __attribute__((always_inline))

/* Set a lane to all ones if its row counts, else to 0. */
INLINE void spread_word(uint64_t word, uint32_t *lanes)
{
    for (int half = 0; half < 2; half++) {
        const uint32_t bits = (uint32_t)(word >> (32 * half));
        for (int i = 0; i < 32; i++) {
            lanes[32 * half + i] = 0u - (bits >> i & 1u);
        }
    }
}

/* Digits ------------------------------------------------------------------------------------ */

#define DEFINE_DIGITS(name, ctype, wide)                                                           \
    INLINE wide digits_block_##name(const ctype *from, const stoa_digits *how, bool is_first,      \
                                    uint32_t *numbers)                                             \
    {                                                                                              \
        const wide base = (wide)how->base;                                                         \
        wide most = 0;                                                                             \
        for (int i = 0; i < BLOCK; i++) {                                                          \
            const wide digit = (wide)from[i] - base;                                               \
            most = digit > most ? digit : most;                                                    \
            numbers[i] = (is_first ? 0 : numbers[i]) + (uint32_t)digit * how->place;               \
        }                                                                                          \
        return most;                                                                               \
    }                                                                                              \
    INLINE wide digits_rows_##name(const ctype *from, uint64_t word, int64_t n,                    \
                                   const stoa_digits *how, uint32_t *numbers)                      \
    {                                                                                              \
        const wide base = (wide)how->base;                                                         \
        wide most = 0;                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const bool counts = (word >> i & 1) != 0;                                              \
            const wide digit = counts ? (wide)from[i] - base : 0;                                  \
            most = digit > most ? digit : most;                                                    \
            numbers[i] = (how->is_first ? 0 : numbers[i]) +                                        \
                         (counts ? (uint32_t)digit : how->missing) * how->place;                   \
        }                                                                                          \
        return most;                                                                               \
    }                                                                                              \
    static uint64_t digits_##name(const void *values, const uint64_t *mask, int64_t n,             \
                                  const stoa_digits *how, uint32_t *restrict numbers)              \
    {                                                                                              \
        const ctype *restrict from = values;                                                       \
        wide most = 0;                                                                             \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                \
            const uint64_t word = stoa_mask_word(mask, at, n);                                     \
            const int64_t left = n - at < BLOCK ? n - at : BLOCK;                                  \
            const ctype *block = from + at;                                                        \
            uint32_t *to = numbers + at;                                                           \
            wide some;                                                                             \
            if (word != UINT64_MAX) {                                                              \
                some = digits_rows_##name(block, word, left, how, to);                             \
            } else if (how->is_first) {                                                            \
                some = digits_block_##name(block, how, true, to);                                  \
            } else {                                                                               \
                some = digits_block_##name(block, how, false, to);                                 \
            }                                                                                      \
            most = some > most ? some : most;                                                      \
        }                                                                                          \
        return most;                                                                               \
    }

/* All values with a digit are values of the kind. So two different values of up to 32 bits have
 * different distances from the base, modulo 2^32 too. */
DEFINE_DIGITS(i8, int8_t, uint32_t)
DEFINE_DIGITS(i16, int16_t, uint32_t)
DEFINE_DIGITS(i32, int32_t, uint32_t)
DEFINE_DIGITS(i64, int64_t, uint64_t)
DEFINE_DIGITS(u8, uint8_t, uint32_t)
DEFINE_DIGITS(u16, uint16_t, uint32_t)
DEFINE_DIGITS(u32, uint32_t, uint32_t)
DEFINE_DIGITS(u64, uint64_t, uint64_t)

/* Portions ---------------------------------------------------------------------------------- */

/* The numbers of a block, where rows that do not count have the last number. Points into the
 * window if all rows count, else to `room`. */
INLINE const uint32_t *numbers_of(const uint32_t *numbers, uint64_t word, int64_t n,
                                  const uint32_t *lanes, uint32_t last, uint32_t *room)
{
    if (word == UINT64_MAX) {
        return numbers;
    }
    if (n < BLOCK) {
        memset(room, 0, BLOCK * sizeof *room);
        memcpy(room, numbers, (size_t)n * sizeof *room);
        numbers = room;
    }
    for (int i = 0; i < BLOCK; i++) {
        room[i] = (numbers[i] & lanes[i]) | (last & ~lanes[i]);
    }
    return room;
}

/* For each block with a row that counts: LOOK(values, lanes), then ADD(value, portion) for each
 * row. Values after the last row are 0. */
#define EACH_ROW(ctype, ptype, from, LOOK, ADD)                                                    \
    do {                                                                                           \
        ptype *of_turn[STOA_TURNS];                                                                \
        for (size_t turn = 0; turn < STOA_TURNS; turn++) {                                         \
            of_turn[turn] = portions + turn * ((size_t)n_numbers + 1);                             \
        }                                                                                          \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                \
            const uint64_t word = stoa_mask_word(mask, at, n);                                     \
            const int64_t left = n - at;                                                           \
            const ctype *block = (from) + at;                                                      \
            uint32_t lanes[BLOCK];                                                                 \
            uint32_t room[BLOCK];                                                                  \
            ctype rest[BLOCK];                                                                     \
            if (word == 0) {                                                                       \
                continue;                                                                          \
            }                                                                                      \
            if (left < BLOCK) {                                                                    \
                memset(rest, 0, sizeof rest);                                                      \
                memcpy(rest, block, (size_t)left * sizeof *rest);                                  \
                block = rest;                                                                      \
            }                                                                                      \
            spread_word(word, lanes);                                                              \
            LOOK(block, lanes);                                                                    \
            const uint32_t *to = numbers_of(numbers + at, word, left, lanes, n_numbers, room);     \
            for (int i = 0; i < BLOCK; i += STOA_TURNS) {                                          \
                for (int turn = 0; turn < STOA_TURNS; turn++) {                                    \
                    ADD(block[i + turn], &of_turn[turn][to[i + turn]]);                            \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define LOOK_AT_NOTHING(block, lanes) (void)(lanes)
#define ADD_INTEGER(value, portion)                                                                \
    (*(portion) += (stoa_integer_portion)(value)*STOA_PORTION_UNIT + 1)

#define DEFINE_INTEGERS(name, ctype)                                                               \
    static void integers_##name(const void *values, const uint64_t *mask, int64_t n,               \
                                const uint32_t *restrict numbers, uint32_t n_numbers,              \
                                stoa_integer_portion *restrict portions)                           \
    {                                                                                              \
        const ctype *from = values;                                                                \
        EACH_ROW(ctype, stoa_integer_portion, from, LOOK_AT_NOTHING, ADD_INTEGER);                 \
    }
DEFINE_INTEGERS(i8, int8_t)
DEFINE_INTEGERS(i16, int16_t)
DEFINE_INTEGERS(i32, int32_t)
DEFINE_INTEGERS(u8, uint8_t)
DEFINE_INTEGERS(u16, uint16_t)
DEFINE_INTEGERS(u32, uint32_t)

/* For zeros, the magnitude minus one wraps to the greatest value. */
INLINE void look_at_floats(const float *block, const uint32_t *lanes, stoa_magnitudes *seen)
{
    uint32_t bits[BLOCK];
    uint32_t least = seen->least;
    uint32_t most = seen->most;

    memcpy(bits, block, sizeof bits);
    for (int i = 0; i < BLOCK; i++) {
        const uint32_t magnitude = bits[i] << 1 & lanes[i];
        least = magnitude - 1u < least ? magnitude - 1u : least;
        most = magnitude > most ? magnitude : most;
    }
    *seen = (stoa_magnitudes){least, most};
}

#define LOOK_AT_FLOATS(block, lanes) look_at_floats(block, lanes, &seen)

/* Compilers add both members of a portion with one instruction. */
static inline void add_float(float value, stoa_float_portion *portion)
{
    portion->sum += (double)value;
    portion->n += 1;
}

static stoa_magnitudes floats(const float *values, const uint64_t *mask, int64_t n,
                              const uint32_t *restrict numbers, uint32_t n_numbers,
                              stoa_float_portion *restrict portions)
{
    stoa_magnitudes seen = {UINT32_MAX, 0};

    EACH_ROW(float, stoa_float_portion, values, LOOK_AT_FLOATS, add_float);
    return seen;
}

static void counts(const uint64_t *mask, int64_t n, const uint32_t *restrict numbers,
                   uint32_t n_numbers, uint32_t *restrict portions)
{
    for (int64_t at = 0; at < n; at += BLOCK) {
        const uint64_t word = stoa_mask_word(mask, at, n);
        uint32_t lanes[BLOCK];
        uint32_t room[BLOCK];
        if (word == 0) {
            continue;
        }
        spread_word(word, lanes);
        const uint32_t *to = numbers_of(numbers + at, word, n - at, lanes, n_numbers, room);
        for (int i = 0; i < BLOCK; i++) {
            portions[(size_t)i % STOA_TURNS * ((size_t)n_numbers + 1) + to[i]]++;
        }
    }
}

/* The kernel tables of a file. */
#define STOA_DIGITS_BY_KIND                                                                        \
    {                                                                                              \
        [STOA_KIND_INT8] = digits_i8, [STOA_KIND_INT16] = digits_i16,                              \
        [STOA_KIND_INT32] = digits_i32, [STOA_KIND_INT64] = digits_i64,                            \
        [STOA_KIND_UINT8] = digits_u8, [STOA_KIND_UINT16] = digits_u16,                            \
        [STOA_KIND_UINT32] = digits_u32, [STOA_KIND_UINT64] = digits_u64                           \
    }
#define STOA_INTEGERS_BY_KIND                                                                      \
    {                                                                                              \
        [STOA_KIND_INT8] = integers_i8, [STOA_KIND_INT16] = integers_i16,                          \
        [STOA_KIND_INT32] = integers_i32, [STOA_KIND_UINT8] = integers_u8,                         \
        [STOA_KIND_UINT16] = integers_u16, [STOA_KIND_UINT32] = integers_u32                       \
    }
#define STOA_GROUP_KERNELS                                                                         \
    {                                                                                              \
        .digits = STOA_DIGITS_BY_KIND, .integers = STOA_INTEGERS_BY_KIND, .floats = floats,        \
        .counts = counts, .unknown = unknown                                                       \
    }

#endif
