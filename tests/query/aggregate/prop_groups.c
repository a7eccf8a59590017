/* Numbers of groups and what is added up by them: each table of kernels does what a plain loop over
 * the rows does, for all kinds of values, masks, lengths and places in memory. */
#include <string.h>

#include "query/aggregate/group_kernels.h"
#include "support/check.h"

enum { MOST = 400, MAX_NUMBERS = 300, OFFSETS = 17, PORTIONS = (MAX_NUMBERS + 1) * STOA_TURNS };

/* Rows of a window: values of a kind, which of them count, and the number of each. */
typedef struct window {
    stoa_kind kind;
    int64_t n;
    const void *values;
    int64_t exact[MOST]; /* UINT64: its bits; floats: the value times 2^10 */
    bool has_mask;
    uint64_t mask[MOST / 64 + 1];
    uint32_t n_numbers;
    uint32_t numbers[MOST + 64]; /* anything where a row does not count */
    _Alignas(8) unsigned char bytes[(MOST + OFFSETS) * 8];
} window;

static bool counts(const window *w, int64_t i)
{
    return !w->has_mask || (w->mask[i / 64] >> (i % 64) & 1) != 0;
}

static const uint64_t *mask_of(const window *w)
{
    return w->has_mask ? w->mask : NULL;
}

static void choose_mask(window *w)
{
    const uint64_t density = check_random_below(8); /* 0: none; 6: all but few; 7: all */

    w->has_mask = check_random_below(4) != 0;
    memset(w->mask, 0, sizeof w->mask);
    for (int64_t i = 0; i < w->n; i++) {
        const bool set = density == 7 || (density == 6 ? check_random_below(100) != 0
                                                       : check_random_below(6) < density);
        w->mask[i / 64] |= (uint64_t)set << (i % 64);
    }
}

static void put(window *w, unsigned char *to, int64_t i, int64_t value)
{
    const int width = stoa_kind_width(w->kind);
    const float single = (float)value / 1024;

    w->exact[i] = value;
    if (w->kind == STOA_KIND_FLOAT32) {
        memcpy(to + i * 4, &single, 4);
    } else {
        memcpy(to + i * width, &value, (size_t)width); /* little-endian machines run this */
    }
}

/* A value of the kind, as 64 bits. */
static int64_t within(stoa_kind kind, uint64_t value)
{
    const int bits = 8 * stoa_kind_width(kind);

    if (bits == 64) {
        return (int64_t)value;
    }
    const uint64_t low = value & ((UINT64_C(1) << bits) - 1);
    const bool negative = stoa_kind_is_signed(kind) && (low >> (bits - 1)) != 0;
    return negative ? (int64_t)(low | ~((UINT64_C(1) << bits) - 1)) : (int64_t)low;
}

/* Values from `base` on, `spread` of them; all that the kind has if that is 0. */
static void choose(window *w, stoa_kind kind, uint64_t base, uint64_t spread)
{
    const size_t offset = (size_t)check_random_below(OFFSETS);

    w->kind = kind;
    w->n = 1 + (int64_t)check_random_below(MOST - 1);
    w->n_numbers = 1 + (uint32_t)check_random_below(MAX_NUMBERS);
    unsigned char *to = w->bytes + offset * (size_t)stoa_kind_width(kind);
    w->values = to;
    choose_mask(w);
    for (int64_t i = 0; i < w->n; i++) {
        const uint64_t some = spread == 0 ? check_random() : check_random_below(spread);
        const int64_t value =
            kind == STOA_KIND_FLOAT32 ? (int64_t)(some % 4096) - 2048 : within(kind, base + some);
        put(w, to, i, value);
        w->numbers[i] = counts(w, i) ? (uint32_t)check_random_below(w->n_numbers) : UINT32_MAX;
    }
}

/* The tables of this processor, the scalar one first. */
static int list_tables(const stoa_group_kernels *tables[STOA_N_SIMD])
{
    const stoa_simd best = stoa_simd_of_cpu();

    for (int simd = 0; simd <= (int)best; simd++) {
        tables[simd] = stoa_group_kernels_of((stoa_simd)simd);
    }
    return (int)best + 1;
}

/* Digits ------------------------------------------------------------------------------------ */

static void a_digit_is_what_a_value_is_more_than_the_base(void)
{
    static window w;
    static uint32_t before[MOST];
    static uint32_t found[MOST];
    const stoa_group_kernels *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);

    for (uint64_t k = check_n_cases(3000); k > 0; k--) {
        const stoa_kind kind = STOA_KIND_INT8 + (stoa_kind)check_random_below(8);
        /* So that the values from it on are the kind's, where that is wide enough. */
        const uint64_t rounded = stoa_kind_width(kind) < 4 ? UINT64_MAX : ~UINT64_C(511);
        const uint64_t base = (uint64_t)within(kind, check_random() & rounded);
        const bool fits = check_random_below(4) != 0;
        choose(&w, kind, base, fits ? 1 + check_random_below(200) : 0);
        const stoa_digits how = {.base = base,
                                 .missing = (uint32_t)check_random_below(1000),
                                 .place = 1 + (uint32_t)check_random_below(1000),
                                 .is_first = check_random_below(2) != 0};
        uint64_t most = 0;
        for (int64_t i = 0; i < w.n; i++) {
            before[i] = (uint32_t)check_random_below(1000);
            const uint64_t digit = (uint64_t)w.exact[i] - base;
            most = counts(&w, i) && digit > most ? digit : most;
        }
        for (int t = 0; t < n_tables; t++) {
            memcpy(found, before, sizeof found);
            const uint64_t greatest =
                tables[t]->digits[kind](w.values, mask_of(&w), w.n, &how, found);
            /* Of kinds of up to 32 bits: below the base is far above it. */
            CHECK_U64(greatest, stoa_kind_width(kind) < 8 ? (uint32_t)greatest : greatest);
            CHECK(most < 256 ? greatest == most : greatest >= 128);
            for (int64_t i = 0; i < w.n && most < 256; i++) {
                const uint32_t digit =
                    counts(&w, i) ? (uint32_t)((uint64_t)w.exact[i] - base) : how.missing;
                CHECK_U64(found[i], (how.is_first ? 0 : before[i]) + digit * how.place);
            }
        }
    }
}

/* Portions ---------------------------------------------------------------------------------- */

/* Rows and sums of a number, by a plain loop. */
typedef struct plain {
    int64_t n[STOA_TURNS][MAX_NUMBERS];
    int64_t sum[STOA_TURNS][MAX_NUMBERS];
} plain;

static void add_plainly(const window *w, plain *p)
{
    memset(p, 0, sizeof *p);
    for (int64_t i = 0; i < w->n; i++) {
        if (counts(w, i)) {
            p->n[i % STOA_TURNS][w->numbers[i]]++;
            p->sum[i % STOA_TURNS][w->numbers[i]] += w->exact[i];
        }
    }
}

static void integers_are_added_and_counted(void)
{
    static window w;
    static plain p;
    static stoa_integer_portion portions[PORTIONS];
    static const stoa_kind kinds[] = {STOA_KIND_INT8,  STOA_KIND_INT16,  STOA_KIND_INT32,
                                      STOA_KIND_UINT8, STOA_KIND_UINT16, STOA_KIND_UINT32};
    const stoa_group_kernels *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);

    for (uint64_t k = check_n_cases(2000); k > 0; k--) {
        const stoa_kind kind = kinds[check_random_below(6)];
        choose(&w, kind, 0, 0);
        add_plainly(&w, &p);
        for (int t = 0; t < n_tables; t++) {
            memset(portions, 0, sizeof portions);
            tables[t]->integers[kind](w.values, mask_of(&w), w.n, w.numbers, w.n_numbers, portions);
            for (uint32_t i = 0; i < w.n_numbers * STOA_TURNS; i++) {
                const uint32_t turn = i / w.n_numbers;
                const uint32_t number = i % w.n_numbers;
                CHECK_I64(portions[turn * (w.n_numbers + 1) + number],
                          p.sum[turn][number] * STOA_PORTION_UNIT + p.n[turn][number]);
            }
        }
    }
}

/* 2^13 rows of the greatest and the least values. */
static void a_portion_holds_a_whole_window(void)
{
    static const uint32_t ends[] = {0, UINT32_MAX, 0x80000000u, 0x7fffffffu};
    static uint32_t values[STOA_PORTION_ROWS];
    static uint32_t numbers[STOA_PORTION_ROWS];
    const stoa_group_kernels *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);

    for (int end = 0; end < 4; end++) {
        for (int i = 0; i < STOA_PORTION_ROWS; i++) {
            values[i] = ends[end];
        }
        for (int t = 0; t < n_tables; t++) {
            stoa_integer_portion portions[2][2 * STOA_TURNS] = {{0}};
            tables[t]->integers[STOA_KIND_INT32](values, NULL, STOA_PORTION_ROWS, numbers, 1,
                                                 portions[0]);
            tables[t]->integers[STOA_KIND_UINT32](values, NULL, STOA_PORTION_ROWS, numbers, 1,
                                                  portions[1]);
            for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++) {
                stoa_integer_portion all = 0;
                for (int turn = 0; turn < STOA_TURNS; turn++) {
                    all += portions[is_unsigned][2 * turn];
                }
                const int64_t value = is_unsigned ? (int64_t)ends[end] : (int32_t)ends[end];
                CHECK_I64(all, (value * STOA_PORTION_UNIT + 1) * STOA_PORTION_ROWS);
            }
        }
    }
}

static uint32_t magnitude_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits << 1;
}

/* Sums of multiples of 2^-10 are exact; what does not count may be anything. */
static void floats_are_added_and_counted_and_measured(void)
{
    static window w;
    static plain p;
    static float values[MOST];
    static stoa_float_portion portions[PORTIONS];
    static const uint32_t anything[] = {0x7fc00000u, 0x7f800000u, 0xff800000u, 1};
    const stoa_group_kernels *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);

    for (uint64_t k = check_n_cases(2000); k > 0; k--) {
        uint32_t least = UINT32_MAX;
        uint32_t most = 0;
        choose(&w, STOA_KIND_FLOAT32, 0, 1 + check_random_below(4096));
        add_plainly(&w, &p);
        memcpy(values, w.values, (size_t)w.n * sizeof *values);
        for (int64_t i = 0; i < w.n; i++) {
            const uint32_t magnitude = magnitude_of(values[i]);
            if (!counts(&w, i)) {
                memcpy(&values[i], &anything[check_random_below(4)], sizeof values[i]);
                continue;
            }
            most = magnitude > most ? magnitude : most;
            least = magnitude > 0 && magnitude - 1 < least ? magnitude - 1 : least;
        }
        for (int t = 0; t < n_tables; t++) {
            memset(portions, 0, sizeof portions);
            const stoa_magnitudes found =
                tables[t]->floats(values, mask_of(&w), w.n, w.numbers, w.n_numbers, portions);
            CHECK_U64(found.least, least);
            CHECK_U64(found.most, most);
            for (uint32_t i = 0; i < w.n_numbers * STOA_TURNS; i++) {
                const uint32_t turn = i / w.n_numbers;
                const uint32_t number = i % w.n_numbers;
                const stoa_float_portion *portion = &portions[turn * (w.n_numbers + 1) + number];
                CHECK_F64(portion->sum, (double)p.sum[turn][number] / 1024);
                CHECK_F64(portion->n, (double)p.n[turn][number]);
            }
        }
    }
}

static void rows_are_counted(void)
{
    static window w;
    static plain p;
    static uint32_t portions[PORTIONS];
    const stoa_group_kernels *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);

    for (uint64_t k = check_n_cases(1000); k > 0; k--) {
        choose(&w, STOA_KIND_UINT8, 0, 0);
        add_plainly(&w, &p);
        for (int t = 0; t < n_tables; t++) {
            memset(portions, 0, sizeof portions);
            tables[t]->counts(mask_of(&w), w.n, w.numbers, w.n_numbers, portions);
            for (uint32_t i = 0; i < w.n_numbers * STOA_TURNS; i++) {
                const uint32_t turn = i / w.n_numbers;
                const uint32_t number = i % w.n_numbers;
                CHECK_I64(portions[turn * (w.n_numbers + 1) + number], p.n[turn][number]);
            }
        }
    }
}

/* Sets -------------------------------------------------------------------------------------- */

static void numbers_that_are_not_in_a_set_are_found(void)
{
    const stoa_group_kernels *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);

    for (uint64_t k = check_n_cases(2000); k > 0; k--) {
        bool is_in[STOA_KNOWN_NUMBERS];
        uint64_t set[STOA_KNOWN_NUMBERS / 64] = {0};
        uint32_t numbers[64];
        uint64_t expected = 0;
        const uint64_t density = check_random_below(5);
        for (uint32_t i = 0; i < STOA_KNOWN_NUMBERS; i++) {
            is_in[i] = check_random_below(4) < density;
            set[i / 64] |= (uint64_t)is_in[i] << (i % 64);
        }
        for (int i = 0; i < 64; i++) {
            numbers[i] = (uint32_t)check_random_below(STOA_KNOWN_NUMBERS);
            expected |= (uint64_t)!is_in[numbers[i]] << i;
        }
        for (int t = 0; t < n_tables; t++) {
            CHECK_U64(tables[t]->unknown(numbers, set), expected);
        }
    }
}

TEST_MAIN(TEST(a_digit_is_what_a_value_is_more_than_the_base), TEST(integers_are_added_and_counted),
          TEST(a_portion_holds_a_whole_window), TEST(floats_are_added_and_counted_and_measured),
          TEST(rows_are_counted), TEST(numbers_that_are_not_in_a_set_are_found))
